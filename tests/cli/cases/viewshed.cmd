landfall viewshed ridge.asc --at 5,35 -o out.asc -q
cat out.asc
landfall viewshed ridge.asc --at 5,35 -o out.tif -j 1 --json 2>&1 | sed 's/[0-9.]* MB/some MB/'
landfall info out.tif | head -9
