printf '5 8 first\n5,8,0.5 below\n' | landfall place yard.obj --wheels 2,1 --digits 3 -
