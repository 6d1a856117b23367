# A file of one observer is one observer, whatever the mode; --eye counts for heights above datum too.
printf 'x,y,height,name\n5,35,2,gate\n' >one.csv
printf 'x,y,name\n5,35,gate\n85,35,tower\n' >two.csv
landfall viewshed ridge.asc --at 5,35 -o at.asc -q >at.txt
landfall viewshed ridge.asc --observers one.csv -o file.asc -q | cmp - at.txt && cmp at.asc file.asc && echo same
landfall viewshed ridge.asc --observers one.csv --mode angle -o angle.asc -q | head -1
landfall viewshed ridge.asc --observers two.csv -o no.asc -q; echo $?
landfall viewshed ridge.asc --at 5,35 --observers one.csv -o no.asc -q; echo $?
landfall viewshed ridge.asc --observers nowhere.csv -q; echo $?
landfall viewshed nowhere.tif --at 5,35; echo $?
landfall viewshed ridge.asc --at 5,35,40 --datum -o a.asc -q >a.txt
landfall viewshed ridge.asc --at 5,35 --datum --eye 40 -o b.asc -q | cmp - a.txt && cmp a.asc b.asc && echo same
landfall viewshed ridge.asc --observers two.csv --mode who --datum --eye 40 -o who.csv -q
grep ';' who.csv | head -2
landfall viewshed ridge.asc --observers two.csv --mode who --datum -o no.csv -q; echo $?
landfall horizon ridge.asc --at 5,35,40 --datum --azimuth 90
landfall horizon ridge.asc --at 5,35 --datum --eye 40 --azimuth 90
landfall sight ridge.asc --from 5,35,40 --to 85,35,20 --datum
landfall sight ridge.asc --from 5,35 --to 85,35 --datum --eye 40 --target 20
echo 5,35,85,35 | landfall sight ridge.asc --datum --eye 40 --target 20 -
landfall sight ridge.asc --from 5,35 --to 85,35 --datum --eye 40; echo $?
landfall intervisible ridge.asc two.csv --datum --eye 40
landfall intervisible ridge.asc two.csv --datum; echo $?
ls no.asc no.csv 2>/dev/null
true
