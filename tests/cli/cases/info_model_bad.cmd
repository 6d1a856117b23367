landfall info diamond.ply --as tree; echo $?
landfall info diamond.ply --as model --quadtree; echo $?
landfall info diamond.ply --as model --layers 99; echo $?
