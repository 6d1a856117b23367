landfall viewshed ridge.asc --at 45,35 --range 10,25 --crop -o out.asc -q
cat out.asc
landfall viewshed ridge.asc --at 45,35 --azimuth 300,60 -o out.asc -q
sed 1,5d out.asc
landfall viewshed ridge.asc --at 5,35 --eye 20 --pitch -30,-20 -o out.asc -q
sed 1,5d out.asc
