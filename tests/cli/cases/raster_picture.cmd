landfall make mountains -o m.tif --size 60,40
landfall info m.tif -o map.png --width 300 | grep file && od -An -tx1 -N4 map.png
landfall info coast.asc -o coast.png --width 300 | grep kind && od -An -tx1 -N4 coast.png
