landfall ray yard.obj --from 1,1,1 --from 2,2,2 --to 3,3,3
