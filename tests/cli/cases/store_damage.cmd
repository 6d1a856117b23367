landfall make mountains --size 300 -o m.tif && landfall build m.tif -o m.lf >/dev/null
at=$(grep -abo "$(printf 'samples')" m.lf | head -n 1 | cut -d: -f1)
start=$(od -An -t u8 -j $((at + 16)) -N 8 m.lf | tr -d ' ')
cp m.lf bad.lf
printf 'XXXXXXXX' | dd of=bad.lf bs=1 seek=$((start + 180032)) conv=notrunc 2>/dev/null
echo 8900 8900 | landfall height bad.lf -; echo $?
echo 240 4500 | landfall height bad.lf -; echo $?
landfall ray bad.lf --from 240,4500,9000 --dir 0,0,-1; echo $?
landfall sight bad.lf --from 10,4500 --to 8900,4500; echo $?
landfall viewshed bad.lf --at 4500,4500 -o v.tif -q; echo $?
landfall export bad.lf -o x.tif -q; echo $?
landfall map bad.lf -o x.png; echo $?
landfall render bad.lf -o r.png; echo $?
landfall horizon bad.lf --at 4500,4500; echo $?
landfall verify bad.lf; echo $?
ls v.tif x.tif x.png r.png 2>/dev/null || echo nothing was written
