landfall collide diamond.ply diamond.ply --at-b 3,1,2
