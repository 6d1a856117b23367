landfall info nowhere.ply
