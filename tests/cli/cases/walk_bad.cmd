landfall walk yard.obj
landfall walk yard.obj --from 1,1 --to 2,2
landfall walk yard.obj --from 1,1 --to 2,2 --step -1
landfall walk yard.obj --from 1,1 --to 2,2 --step x
landfall walk yard.obj --from 1 --to 2,2 --step 1
landfall walk yard.obj --from 1,1 --to 2,2 --step 1 --crack -2
landfall walk diamond.ply --centre 0,0,0 --from 1,1 --to 2,2 --step 1
landfall walk diamond.ply --centre 0,0,0 --from 9,1,1 --to -9,-1,-1 --step 1
