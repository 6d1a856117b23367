landfall height yard.obj --normal --at 1,8
landfall height yard.obj --normal --digits 3 --at 1,8
landfall height yard.obj --normal --at 5,5
