landfall height yard.obj --json --at 1,1 --at 2.5,1,4 --at 5,5
landfall height yard.obj --json --all --at 2.5,8,3
