landfall height yard.obj --at 2.5,1,-3
