landfall info valley.asc | grep -v "bytes\|leaf"
landfall make hills -o hills.tif --size 16,9
landfall info hills.tif | grep -v "bytes\|leaf"
landfall info coast.asc | grep -v "bytes\|leaf"
