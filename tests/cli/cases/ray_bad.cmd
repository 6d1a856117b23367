landfall ray yard.obj --from 1,1,1
landfall ray yard.obj --to 1,1,1
landfall ray yard.obj --from 1,1,1 --to 1,1,1
landfall ray yard.obj --from 1,1,1 --dir 0,0,0
landfall ray yard.obj --from 1,1,1 --to 2,2,2 --dir 0,0,1
landfall ray yard.obj --from 1,1 --to 2,2,2
landfall ray yard.obj --from -1e308,1,1 --to 1e308,1,1
landfall ray yard.obj --from 1,1,1 --to 2,2,2 --any --all
landfall ray yard.obj --from 1,1,1 --dir 2,2,2 --directions
