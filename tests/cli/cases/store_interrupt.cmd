# An interrupted build: what was there before stays, nothing lies beside it, and the shell sees the signal.
landfall make mountains -o small.tif --size 40 -q
landfall make rough -o large.tif --size 1400 -q
landfall build small.tif -o m.lf -q >/dev/null
cp m.lf before
env --default-signal=INT landfall build large.tif -o m.lf --codec d4 --max-error 0.0001 -q >/dev/null 2>&1 &
sleep 0.3; kill -INT $!
wait $!
echo "status $?"
cmp m.lf before && landfall verify m.lf
ls *.lf*
