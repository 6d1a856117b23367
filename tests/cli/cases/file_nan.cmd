landfall height nan.ply --at 0,0
