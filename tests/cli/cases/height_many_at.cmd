landfall height yard.obj --at 1,1 --at 2.5,1,5 --at -0,0 --at 10,10
