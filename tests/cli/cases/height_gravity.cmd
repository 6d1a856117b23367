# Gravity to the east: the wall is the ground.
landfall height yard.obj --gravity 1,0,0 --at 3,2,1
landfall height yard.obj --gravity 1,0,0 --at 12,2,1
landfall height yard.obj --gravity 1,0,0 --up --at 12,2,1
landfall height yard.obj --gravity 0,0,-9.81 --at 1,1,5
