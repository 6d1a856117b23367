# A gravity line never meets a wall, not even in its plane.
landfall height yard.obj --all --at 10,2
