landfall walk yard.obj --from 1,5 --to 15,5 --step 0.2 --json --path --digits 6; landfall walk yard.obj --from 8,5 --to 15,5 --step 0.2 --json
