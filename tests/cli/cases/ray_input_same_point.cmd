printf '1 1 1 1 1 -1 a\n1 1 1 1 1 1 b\n1 1 1 2 2 2 c\n' | landfall ray yard.obj
