landfall ray yard.obj --from 2.5,1,10 --to 2.5,1,-10 --any
landfall ray yard.obj --from 5,5,10 --to 5,5,-10 --any
