landfall info yard.obj --quadtree --json | grep -v bytes
landfall info yard.obj --quadtree --json --cut cost --centre=5,5,-20 | json-check
