printf '1 1 1 2 2 2\n1 1 1 2 2\n' | landfall ray yard.obj
