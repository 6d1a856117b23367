landfall build valley.asc -o v.lf --quantise 32,16,8,4,2 --codec d4 | grep 'codec'
landfall build valley.asc; echo $?
landfall build valley.asc -o v.tif; echo $?
landfall build valley.asc -o w.lf --codec zip; echo $?
landfall build valley.asc -o w.lf --codec raw --max-error 1; echo $?
landfall build valley.asc -o w.lf --codec pack --max-error=-1; echo $?
landfall build valley.asc -o w.lf --codec haar --quantise 1,2,3,4,5; echo $?
landfall build valley.asc -o nowhere/w.lf; echo $?
head -c 900 v.lf >cut.lf; landfall verify cut.lf; echo $?
printf x | dd of=v.lf bs=1 seek=1064 conv=notrunc 2>/dev/null; landfall verify v.lf; echo $?
landfall verify valley.asc; echo $?
ls *.lf
