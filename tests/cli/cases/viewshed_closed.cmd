# Limits are closed: x and y that are rounded lose nobody who stands on one. A level raster of 21 x 21 cells of 30.1 m.
awk 'BEGIN { print "ncols 21\nnrows 21\nxllcorner 500000.1\nyllcorner 5300000.3\ncellsize 30.1"
             for (j = 0; j < 21; j++) { for (i = 0; i < 21; i++) printf "0 "; print "" } }' >level.asc
for azimuth in 0 45 90 135 180 225 270 315; do
    printf '%s: ' $azimuth
    landfall viewshed level.asc --at 500316.15,5300316.35 --azimuth $azimuth,$azimuth -o out.asc -q | head -1
done
landfall viewshed level.asc --at 500316.15,5300316.35 --azimuth 350,0 -o out.asc -q | head -1
landfall viewshed level.asc --at 500316.15,5300316.35 --range 150.5,150.5 -o out.asc -q | head -1
landfall viewshed level.asc --at 500316.15,5300316.35,150.5 --pitch -45,-45 -o out.asc -q | head -1
