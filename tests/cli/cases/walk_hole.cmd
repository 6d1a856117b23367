landfall walk yard.obj --from 5,1 --to 5,9 --step 0.2 --digits 6
