landfall height diamond.ply --centre 0,0,0 --gravity 0,0,1 --at 1,1,1
