mkdir folder.ply
landfall info folder.ply
