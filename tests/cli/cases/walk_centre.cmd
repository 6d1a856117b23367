landfall walk diamond.ply --centre 0,0,0 --from 9,1,1 --to 1,9,1 --step 0.1 --path --digits 6
