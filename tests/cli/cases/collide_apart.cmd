landfall collide diamond.ply diamond.ply --at-b 20.5,0,0 --distance --margin 0.25
landfall collide diamond.ply diamond.ply --at-b 20.5,0,0 --distance --margin 0.5 --json
