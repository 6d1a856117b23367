landfall height yard.obj --at -5,5
