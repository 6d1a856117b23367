landfall ray yard.obj --from 2.5,1,10 --to 2.5,1,-10
