landfall ray yard.obj <rays.txt
