landfall height yard.obj --up --at 2.5,1,1
landfall height yard.obj --up --at 2.5,1
landfall height yard.obj --up --at 2.5,1,5
landfall height yard.obj --up --at 2.5,1,5.5
