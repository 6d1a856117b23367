landfall collide diamond.ply diamond.ply --at-b 20.000001,0,0
