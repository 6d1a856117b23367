landfall info corner.ply
