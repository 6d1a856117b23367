# --north: what azimuths count from. A cone in polar stereographic, where true north at 90 degrees east is +x.
awk 'BEGIN { print "ncols 21\nnrows 21\nxllcorner 1000000\nyllcorner -1050\ncellsize 100"
             for (j = 0; j < 21; j++) { for (i = 0; i < 21; i++) { d = sqrt((i-10)^2 + (j-10)^2); printf "%d ", 2000 - 100 * d }; print "" } }' >cone.asc
landfall horizon cone.asc --ground-crs EPSG:3031 --at 1001050,-500,0 --azimuth 0 --azimuth 90 --azimuth 180 --azimuth 270 --range 600 --cc 0 --digits 2
landfall horizon cone.asc --ground-crs EPSG:3031 --north grid --at 1001050,-500,0 --azimuth 0 --azimuth 90 --range 600 --cc 0 --digits 2
landfall viewshed cone.asc --ground-crs EPSG:3031 --at 1001050,0 --azimuth 80,100 -o seen.tif -q | head -1
landfall viewshed cone.asc --ground-crs EPSG:3031 --north grid --at 1001050,0 --azimuth 350,10 -o seen.tif -q | head -1
landfall shadow cone.asc --ground-crs EPSG:3031 --sun 0,20 -o lit.tif -q | sed -n 3p
landfall shadow cone.asc --ground-crs EPSG:3031 --sun 90,20 --north grid -o lit.tif -q | sed -n 3p
landfall shadow cone.asc --ground-crs EPSG:3031 --sun 90,20 -o lit.tif -q | sed -n 3p
# Without a CRS there is only the grid's.
landfall horizon cone.asc --at 1001050,-500,0 --azimuth 0 --range 600 --digits 2
landfall horizon cone.asc --at 1001050,-500,0 --azimuth 0 --north true; echo $?
landfall viewshed cone.asc --at 1001050,-500 --north true -o out.tif; echo $?
landfall shadow cone.asc --sun 90,20 --north true -o out.tif; echo $?
landfall shadow cone.asc --sun 90,20 --north magnetic -o out.tif; echo $?
landfall horizon cone.asc --at 1001050,-500,0 --north up; echo $?
landfall render cone.asc --sun 90,20 --north up -o out.png; echo $?
# At night nothing is lit, points neither.
landfall shadow cone.asc --ground-crs EPSG:3031 --time 2026-06-21T12:00Z -o lit.tif -q | sed -n 3,4p
landfall shadow cone.asc --ground-crs EPSG:3031 --time 2026-06-21T12:00Z --at 1001050,0; echo $?
landfall shadow cone.asc --ground-crs EPSG:3031 --time 2026-06-21T12:00Z --at 1001050,0 --json; echo $?
landfall sunhours cone.asc --ground-crs EPSG:3031 --date 2026-06-21 -o hours.tif -q | head -2
