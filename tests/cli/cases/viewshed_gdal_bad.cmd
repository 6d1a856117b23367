landfall viewshed -ox 5 ridge.asc out.tif
landfall viewshed -ox 5 -oy 35 ridge.asc
landfall viewshed -q -ox 5 -oy 350 -md 10 ridge.asc out.tif
landfall viewshed -ox 5 -oy 35 -om SIDE ridge.asc out.tif
landfall viewshed -ox 5 -oy 35 -vv 256 ridge.asc out.tif
landfall viewshed -ox 5 -oy 35 -md -1 ridge.asc out.tif
landfall viewshed -ox five -oy 35 ridge.asc out.tif
landfall viewshed -ox 5 -oy 35 -b 2 ridge.asc out.tif
landfall viewshed -q -ox 5 -oy 35 -f Nothing ridge.asc out.tif
landfall viewshed -q -ox 75 -oy 65 ridge.asc out.tif
landfall viewshed -ox 5 -oy 35 -zz 3 ridge.asc out.tif
landfall viewshed -ox 5 -oy 35 yard.obj out.tif
landfall viewshed -ox 5 -oy 35 -co COMPRESS ridge.asc out.tif
ls out* 2>/dev/null
