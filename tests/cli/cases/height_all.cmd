landfall height yard.obj --all --at 2.5,1
landfall height yard.obj --all --normal --at 2.5,8,3
landfall height yard.obj --all --at 5,5
