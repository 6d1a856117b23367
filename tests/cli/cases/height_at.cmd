landfall height yard.obj --at 1,1
landfall height yard.obj --at=2.5,1
landfall height yard.obj --at '2.5 1 4'
landfall height yard.obj --at 1,8
