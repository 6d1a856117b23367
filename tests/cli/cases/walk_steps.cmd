landfall walk yard.obj --from 2.5,5 --to 1,5 --step 0.2
landfall walk yard.obj --from 2.5,5 --to 1,5 --step 0.2 --drop 5
landfall walk yard.obj --from 1,5,1 --to 3.5,5 --step 0.2
landfall walk yard.obj --from 1,5,1 --to 2.5,5 --step 5
landfall walk yard.obj --from 3,5,0.1 --to 7,5 --step 0.1 --crack 2.5
landfall walk yard.obj --from 5,5 --to 7,5 --step 1
landfall walk yard.obj --from 11,5 --to 7,5 --step 1
