landfall info points.txt
landfall info nowhere.tif
printf 'II*' >short.tif
landfall info short.tif 2>&1 | cut -c 1-30
printf 'ncols 4\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n' >short.asc
landfall info short.asc 2>&1 | cut -c 1-60
printf 'ncols 4\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3 4\n' >line.asc
landfall info line.asc
