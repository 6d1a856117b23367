landfall viewshed ridge.asc --at 5,35 -o out.png -q --width 300
od -An -tx1 -N4 out.png
landfall viewshed ridge.asc --at 5,35 --mode distance -o out2.png -q
od -An -tx1 -N4 out2.png
ls *.part* 2>/dev/null
