landfall ray yard.obj --all - <rays.txt
