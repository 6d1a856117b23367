landfall shadow yard.obj --at 1,1
landfall shadow yard.obj --at 1,1 --light 0,0,0
landfall shadow yard.obj --at 1,1 --light 0,0
landfall shadow yard.obj --at 1,1 --light 0,0,1 --skin -1
landfall shadow yard.obj --at 1 --light 0,0,1
