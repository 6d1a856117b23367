landfall ray yard.obj --from 2.5,1,10 --to 2.5,1,-10 --all
landfall ray yard.obj --from 2.5,1,10 --to 2.5,1,-10 --all --normal
landfall ray yard.obj --from 5,5,10 --to 5,5,-10 --all
