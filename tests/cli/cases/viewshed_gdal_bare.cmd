# Called as gdal_viewshed is: rasters without a geotransform, of one row or column, and observers beside the raster.
# A wall stands in the last row but one of a picture without a place: rows count from the top, and pixel 0 is from 0 to 1.
printf 'P5\n6 5\n255\n\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\011\011\011\011\011\011\000\000\000\000\000\000' >bare.pgm
landfall viewshed -q -ox 2.9 -oy 4.1 -oz 1 -f AAIGrid bare.pgm bottom.asc && cat bottom.asc
landfall viewshed -q -ox 2.9 -oy 0.1 -oz 1 -f AAIGrid bare.pgm top.asc && tail -5 top.asc
landfall viewshed -q -ox 2.9 -oy 0.1 -oz 1 bare.pgm top.tif && landfall info top.tif -q --json | grep placed
# A part of it lies where it was.
landfall viewshed -q -ox 2.9 -oy 3.1 -oz 1 -md 1 bare.pgm part.tif && landfall info part.tif -q | grep -E 'origin|spacing|rows|columns'
landfall viewshed bare.pgm -q --at 2,1 --range 1 --crop -o crop.asc >/dev/null && head -5 crop.asc
# One row, and one column.
printf 'ncols 6\nnrows 1\nxllcorner 100\nyllcorner 50\ncellsize 10\n0 0 5 0 0 9\n' >row.asc
landfall viewshed -q -ox 105 -oy 55 -oz 1 row.asc r.asc && cat r.asc
landfall viewshed -q -ox 105 -oy 55 -oz 1 -om GROUND row.asc g.asc && tail -1 g.asc
printf 'ncols 1\nnrows 4\nxllcorner 100\nyllcorner 50\ncellsize 10\n0\n5\n0\n0\n' >column.asc
landfall viewshed -q -ox 105 -oy 55 -oz 1 column.asc c.asc && cat c.asc
printf 'ncols 1\nnrows 1\nxllcorner 100\nyllcorner 50\ncellsize 10\n7\n' >point.asc
landfall viewshed -q -ox 105 -oy 55 point.asc p.asc && cat p.asc
landfall height row.asc --at 105,55; echo $?
# Beside the raster -oz is above datum.
landfall viewshed -ox 305 -oy 55 -oz 8 row.asc far.asc && tail -1 far.asc
landfall viewshed -q -ox 185 -oy 55 -oz 8 -md 45 row.asc far.asc && cat far.asc
landfall viewshed -q -ox 305 -oy 55 -oz 8 -md 45 row.asc none.asc; echo $?
landfall viewshed -q -ox 1e300 -oy 55 row.asc none.asc; echo $?
ls none.asc 2>/dev/null
true
