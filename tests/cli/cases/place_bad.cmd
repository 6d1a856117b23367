landfall place yard.obj --at 1,1
landfall place yard.obj --at 1,1 --wheels 2
landfall place yard.obj --at 1,1 --wheels 2,-1
landfall place yard.obj --at 1,1 --wheels 2,1 --contact 1,1
landfall place yard.obj --at 1,1 --contact 1,1 --contact 2,2 --contact 3,3
landfall place yard.obj --at 1,1 --wheels 2,1 --reach -1
landfall place yard.obj --at 1,1 --wheels 2,1 --passes 17
landfall place yard.obj --at 1 --wheels 2,1
landfall place diamond.ply --centre 0,0,0 --at 0,0,0 --wheels 2,1
landfall place diamond.ply --centre 0,0,0 --at 1,2 --wheels 2,1
