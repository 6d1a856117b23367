landfall viewshed ridge.asc --at 5,35 --at 85,35,3 --at 5,5 --mode who --range 25 --crop -o who.csv -q
cat who.csv
landfall viewshed ridge.asc --at 5,35 --at 85,35,3 --mode count --range 15 -o count.csv -q --json
cat count.csv
landfall viewshed ridge.asc --at 5,35 -o seen.csv -q
landfall viewshed ridge.asc --at 5,35 --mode who --co A=B -o seen.csv -q
landfall viewshed ridge.asc --at 5,35 --mode who -o nowhere/seen.csv -q
ls seen.csv nowhere 2>/dev/null
