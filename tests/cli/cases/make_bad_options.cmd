landfall make mountains -o a.ply --step 0
landfall make mountains -o a.ply --step -5
landfall make mountains -o a.ply --step nan
landfall make mountains -o a.ply --low 200 --high 100
landfall make mountains -o a.ply --seed -1
landfall make mountains -o a.ply --seed one
landfall make park -o a.ply --step 5
landfall make park -o a.ply --width 500
landfall make park -o a.png --width 5
test ! -e a.ply && test ! -e a.png && echo "nothing was written"
