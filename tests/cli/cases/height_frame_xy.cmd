landfall height diamond.ply --centre 0,0,0 --xy
