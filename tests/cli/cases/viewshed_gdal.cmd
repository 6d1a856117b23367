landfall viewshed -ox 5 -oy 35 -cc 0 ridge.asc out.asc -q
cat out.asc
landfall viewshed -q -ox 26 -oy 38 -md 25 -ov 7 -vv 1 -iv 9 -a_nodata 200 ridge.asc out.asc
cat out.asc
landfall viewshed -q -ox 5 -oy 35 -om GROUND -cc 0 -f AAIGrid -co DECIMAL_PRECISION=2 ridge.asc out.ground
sed 1,5d out.ground
landfall viewshed -q -ox 5 -oy 35 -om DEM -cc 0 -oz 5 -tz 3 ridge.asc out.tif
landfall info out.tif | head -9
