landfall make mountains -o a.ply --size 0
landfall make mountains -o a.ply --size 2.5
landfall make mountains -o a.ply --size 9,9,9
landfall make mountains -o a.ply --size many
landfall make mountains -o a.ply --size 1
landfall make park -o a.ply --size 4000,4000
landfall make park -o a.ply --size 99999999999999
landfall make mountains -o a.ply --size 1099511627776
test ! -e a.ply && echo "nothing was written"
