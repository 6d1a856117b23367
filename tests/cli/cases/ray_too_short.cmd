landfall ray yard.obj --from 1,1,10 --to 1,1,0.5
