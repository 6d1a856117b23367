landfall height yard.obj --at
