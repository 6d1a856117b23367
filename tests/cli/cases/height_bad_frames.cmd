landfall height diamond.ply --gravity 0,0,0 --at 1,1,1
landfall height diamond.ply --gravity 1,2 --at 1,1,1
landfall height diamond.ply --centre a,b,c --at 1,1,1
landfall height diamond.ply --axis 0,0,0,0,0,1 --at 1,1,1
landfall height diamond.ply --axis 0,0,0,0,0,0,in --at 1,1,1
landfall height diamond.ply --axis 0,0,0,0,1,in --at 1,1,1
