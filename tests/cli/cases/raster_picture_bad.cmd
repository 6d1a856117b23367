landfall info valley.asc -o map.jpg
landfall info valley.asc --width 300
landfall info valley.asc -o map.png --width 3
printf 'ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value 0\n0 0\n0 0\n' >holes.asc
landfall info holes.asc -o map.png
landfall info holes.asc | grep -v "bytes\|leaf"
ls map.* 2>/dev/null
