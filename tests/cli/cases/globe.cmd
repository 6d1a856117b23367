# A globe of a made planet: heights on posts are those of the raster, seam and poles included.
landfall make planet -o planet.tif -q
landfall globe build planet.tif -o planet.lf -q --cells 32
landfall info planet.lf | grep -v -e bytes -e hash
landfall height planet.tif --surface bilinear --at 10,50 --at 10.25,50.5 --at 179.5,-12
landfall height planet.lf --at 10,50 --at 10.25,50.5 --at 179.5,-12 --at 539.5,-12
landfall height planet.lf --at 180,7 --at=-180,7 --at 5,90 --at 77,90
landfall height planet.lf --at 10.25,50.5 --json --digits 6
landfall height planet.lf --at 10.25,50.5 --at 10.25,50.5,0 --at 10.25,50.5,-9000 --normal --digits 3
landfall height planet.lf --at 10.25,50.5,-9000 --up --json --digits 3
landfall height planet.lf --at 10.25,50.5,-9000 --all; landfall height planet.lf --at 0,91; echo $?
printf '10,50 first\n10,51 second\n' | landfall height planet.lf -
landfall height planet.lf --at 1000000,5500000 --crs EPSG:3857 --digits 2
landfall ray planet.lf --from 10,50,10000 --to 12,50,-10000 --json --digits 3
landfall ray planet.lf --from 10,50,3000 --to 60,50,3000 --all --normal --distance --digits 3
landfall ray planet.lf --from 10,50,3000 --to 20,50,-30000 --any
printf '10 50 100000 10 50 -20000 down\n10 50 30000 12 50 30000\n' | landfall ray planet.lf - --digits 3
landfall ray planet.lf --from 10,50,100000 --to 10,50,-20000 --digits 3
landfall ray planet.lf --from 10,50,30000 --to 12,50,30000; echo $?
landfall sight planet.lf --from 10,50 --to 40,50 --digits 1; echo $?
landfall sight planet.lf --from 10,50,20000 --to 11,50,20000 --digits 1; echo $?
landfall sight planet.lf --from 10,50,20000 --to 11,50,20000 --digits 1 --json --cc 1
landfall sight planet.lf --from 10,50,9000 --to 11,50,2000 --datum --digits 1
printf '10 50 11 50 near\n10 50 20000 10 91 5 nowhere\n' | landfall sight planet.lf - --digits 4
# What stands and walks on a globe asks the finest tiles, whatever is loaded.
landfall place planet.lf --at 10,50 --at 180,-33.3 --wheels 4,2 --digits 3
landfall place planet.lf --at 10,50,0 --wheels 4,2 --heading 90 --json --digits 3
landfall walk planet.lf --from 179.9999,10 --to 180.0001,10 --step 0.5 --digits 4
landfall walk planet.lf --from 10,50 --to 10.001,50 --step 0.5 --json --digits 4
# A folder of terrain tiles is a globe too.
landfall height hill --at 7.95,46.93 --digits 2
landfall ray hill --from 7.95,46.93,2000 --to 7.95,46.93,0 --digits 2 --json
landfall sight hill --from 7.95,46.93 --to 8.05,46.93 --digits 2
landfall place hill --at 7.95,46.93 --wheels 4,2 --digits 2
landfall walk hill --from 7.95,46.93 --to 7.951,46.93 --step 0.5 --digits 2
landfall globe build hill -o hill.lf -q
landfall height hill.lf --at 7.95,46.93 --digits 2
landfall camera hill.lf flight.csv --clearance 20 --limit 30 --ahead 4 --digits 1 | tail -1
