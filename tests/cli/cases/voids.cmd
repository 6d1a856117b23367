# A void takes the pieces of which it is a corner, and no others. A height with voids all around it is a hole for every question.
printf 'ncols 4\nnrows 4\nxllcenter 0\nyllcenter 0\ncellsize 1\nNODATA_value -9\n3 3 -9 -9\n3 3 -9 5\n3 -9 3 -9\n3 3 3 3\n' >voids.asc
for surface in falling rising bilinear posts; do
    echo $surface
    landfall height voids.asc --surface $surface --at 0.25,0.25 --at 0.25,1.75 --at 1,1 --at 3,2
    landfall sight voids.asc --surface $surface --from 0,2,9 --to 3,2,1
    landfall viewshed voids.asc --surface $surface --at 0,2,9 --cc 0 --holes pass -o seen.tif 2>/dev/null
done
