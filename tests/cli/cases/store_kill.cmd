# Whenever a build is killed, what was there before stays, or what is there is whole.
landfall make mountains -o small.tif --size 40 -q
landfall make mountains -o large.tif --size 700 -q
landfall build small.tif -o m.lf -q >/dev/null
for wait in 0.01 0.03 0.06 0.1 0.15; do
    landfall build large.tif -o m.lf --max-error 0.1 -q >/dev/null 2>&1 &
    sleep $wait; kill -9 $! 2>/dev/null; wait $! 2>/dev/null
    landfall verify m.lf
done
# A folder in place of a file, a raster that is none: nothing is changed.
mkdir folder.lf
landfall build small.tif -o folder.lf; echo $?
landfall build nothing.tif -o m.lf; echo $?
landfall verify m.lf
ls *.lf
