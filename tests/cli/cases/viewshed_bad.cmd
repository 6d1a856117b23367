landfall viewshed ridge.asc --at 5,35
landfall viewshed ridge.asc -o out.tif
landfall viewshed ridge.asc --at 5,35 --mode far -o out.tif
landfall viewshed ridge.asc --at 5,35 --at 6,35 -o out.tif
landfall viewshed ridge.asc --at 5,35 --range 5,2 -o out.tif
landfall viewshed ridge.asc --at 5,35 --pitch 5,2 -o out.tif
landfall viewshed ridge.asc --at 5,35 --pitch -91,2 -o out.tif
landfall viewshed ridge.asc --at 5,35 --pitch 5,90.5 -o out.tif
landfall viewshed ridge.asc --at 5,35 --co COMPRESS -o out.tif
landfall viewshed ridge.asc --at 5,35 --co COMPRESS=LZW --co =1 -o out.tif
landfall viewshed ridge.asc --at 5,35 --azimuth 5 -o out.tif
landfall viewshed ridge.asc --at 5,35 --crop -o out.tif
landfall viewshed ridge.asc --at 5,35 --datum -o out.tif
landfall viewshed ridge.asc --at 75,65 -q -o out.tif
landfall viewshed ridge.asc --at 500,35 -q -o out.tif
landfall viewshed ridge.asc --at 500,35,40 --datum --range 5 --crop -o out.tif
landfall viewshed ridge.asc --at 5,35 -o nowhere/out.tif
landfall viewshed ridge.asc --at 5,35 -q -o out.never
landfall viewshed ridge.asc --at 5,35 -q -f Never -o out.tif
landfall viewshed ridge.asc --at 5,35 --width 300 -o out.tif
landfall viewshed ridge.asc --at 5,35 --co X=1 -o out.png
landfall viewshed ridge.asc --observers nothing.csv --mode count -o out.tif
landfall viewshed yard.obj --at 5,35 -o out.tif
ls out* 2>/dev/null
