landfall place yard.obj --at 5,8 --wheels 2,1 --digits 6
