landfall info diamond.ply --as tree; echo $?
landfall info diamond.ply --as model --quadtree; echo $?
landfall info diamond.ply --as model --layers 99; echo $?
landfall info diamond.ply --as model --centre here; echo $?
landfall info diamond.ply --as model --sectors 6; echo $?
landfall info empty.ply --as model -o charts.png; echo $?; ls charts.png
landfall info nan.ply --as model; echo $?
landfall info nowhere.ply --as model; echo $?
