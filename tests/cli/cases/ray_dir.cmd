landfall ray yard.obj --from 2.5,1,10 --dir 0,0,-2
