landfall height yard.obj -j1 --at 1,1
landfall height yard.obj -qj 2 --at 1,1
landfall height yard.obj --threads=2 --at 1,1
landfall height yard.obj -j 0 --at 1,1
