landfall shadow yard.obj --light 2.5,5,8 --point --at 1,5 --at 2.2,5,0 --at 5,8 --json
