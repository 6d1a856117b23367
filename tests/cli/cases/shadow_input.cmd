printf '8 2 a\n7.5,5.5,0 b\n' | landfall shadow yard.obj --light=-1,0,-1 -
