landfall place diamond.ply --centre 0,0,0 --at 20,21,22 --wheels 2,1 --digits 6
