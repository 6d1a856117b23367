for mode in ground dem angle distance; do
landfall viewshed ridge.asc --at 5,35 --mode $mode -o $mode.asc --co DECIMAL_PRECISION=3 -q
sed 1,5d $mode.asc
done
