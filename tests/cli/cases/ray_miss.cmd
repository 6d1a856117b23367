landfall ray yard.obj --from 5,5,10 --to 5,5,-10
