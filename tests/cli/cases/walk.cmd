landfall walk yard.obj --from 1,1 --to 1,9 --step 0.2 --path --digits 6
