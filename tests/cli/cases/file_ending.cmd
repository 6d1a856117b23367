landfall info ground.xyz
