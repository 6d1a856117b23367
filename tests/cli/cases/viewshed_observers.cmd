landfall viewshed ridge.asc --at 5,35 --at 85,35,3 --at 5,5 --mode count -o count.asc -q
sed 1,5d count.asc
landfall viewshed ridge.asc --observers stations.csv --mode count -o file.asc -q
cmp count.asc file.asc
landfall viewshed ridge.asc --observers stations.csv --mode who -o who.asc -q
sed 1,5d who.asc
landfall viewshed ridge.asc --at 5,35,40 --datum -o datum.asc -q
