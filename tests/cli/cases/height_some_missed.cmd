landfall height yard.obj --at 1,1 --at 5,5
