landfall horizon ridge.asc --map 90 -o out.asc --co DECIMAL_PRECISION=4 -q
sed 1,5d out.asc
landfall horizon ridge.asc --sky 8 -o out.asc --co DECIMAL_PRECISION=4 -q
sed 1,5d out.asc
landfall horizon ridge.asc --map 90,180.5 -o out.tif -q
landfall info out.tif --band 2 --z-unit m | sed -n 3,5p
