landfall ray yard.obj --json --from 2.5,1,10 --to 2.5,1,-10
landfall ray yard.obj --json --from 2.5,1,10 --dir 0,0,-1 --all
landfall ray yard.obj --json --from 2.5,1,10 --dir 0,0,-1 --any
landfall ray yard.obj --json --from 5,5,10 --to 5,5,-10
