landfall shadow yard.obj --light 0,0,-1 --at 2.5,5 --at 2.5,5,0 --at 1,1 --at 5,5
