landfall ray yard.obj --any --json <rays.txt
