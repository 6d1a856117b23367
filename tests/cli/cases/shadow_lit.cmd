landfall shadow yard.obj --light 1,0,-1 --at 1,1 --at 5,8
