landfall info truncated.ply
