# A globe of a made planet: heights on posts are those of the raster, seam and poles included.
landfall make planet -o planet.tif -q
landfall globe build planet.tif -o planet.lf -q --cells 32
landfall info planet.lf | grep -v -e bytes -e hash
landfall height planet.tif --surface bilinear --at 10,50 --at 10.25,50.5 --at 179.5,-12
landfall height planet.lf --at 10,50 --at 10.25,50.5 --at 179.5,-12 --at 539.5,-12
landfall height planet.lf --at 180,7 --at=-180,7 --at 5,90 --at 77,90
landfall height planet.lf --at 10.25,50.5 --json
landfall ray planet.lf --from 10,50,100000 --to 10,50,-20000 --digits 3
landfall ray planet.lf --from 10,50,30000 --to 12,50,30000; echo $?
landfall sight planet.lf --from 10,50 --to 40,50 --digits 1; echo $?
landfall sight planet.lf --from 10,50,20000 --to 11,50,20000 --digits 1; echo $?
# A folder of terrain tiles is a globe too.
landfall height hill --at 7.95,46.93 --digits 2
