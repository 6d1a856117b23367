landfall place yard.obj --at 5,5 --at 2.5,8,1.2 --at 5,8 --contact 1,0 --contact -0.5,0.5 --contact=-0.5,-0.5 --digits 3
