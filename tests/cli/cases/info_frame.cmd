# Along +x the wall is ground, and the flat ground is walls.
landfall info yard.obj --gravity=1,0,0 | grep walls
landfall info yard.obj | grep walls
