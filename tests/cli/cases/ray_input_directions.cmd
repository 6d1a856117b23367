landfall ray yard.obj --directions <rays.txt
