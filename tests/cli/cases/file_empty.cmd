landfall info empty.ply
