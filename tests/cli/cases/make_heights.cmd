landfall make hills -o hills.tif --size 16 && od -An -tx1 -N4 hills.tif
