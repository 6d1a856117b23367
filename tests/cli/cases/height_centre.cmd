landfall height diamond.ply --centre 0,0,0 --at 20,20,20 --at 20,0,0 --digits 6
landfall height diamond.ply --centre 0,0,0 --all --at 0,0,20
