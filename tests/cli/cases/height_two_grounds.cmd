landfall height yard.obj diamond.ply
