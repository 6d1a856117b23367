landfall make rough --size 90,70 --seed 4 -o rough.tif
for threads in 1 2 5; do
landfall viewshed rough.tif --at 1300,1000 --cc 0.85714 -o $threads.asc -q -j $threads
done
cmp 1.asc 2.asc && cmp 1.asc 5.asc
