landfall viewshed coast.asc --at 12,57.7 --eye 30 -o out.asc -q
sed 1,6d out.asc
landfall viewshed coast.asc --crs EPSG:3006 --at 321174,6399203 --eye 30 -o out2.asc -q
cmp out.asc out2.asc
