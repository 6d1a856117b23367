landfall collide diamond.ply diamond.ply --at-b 20,0,0 --pairs
landfall collide diamond.ply diamond.ply --at-b 20,0,0 --one --json
