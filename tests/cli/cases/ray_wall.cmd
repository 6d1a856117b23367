landfall ray yard.obj --from 5,2,1 --dir 1,0,0 --normal
