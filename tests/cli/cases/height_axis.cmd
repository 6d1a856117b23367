# A house that turns about the z axis: outwards is down.
landfall height diamond.ply --axis 0,0,0,0,0,1,out --at 1,1,0 --digits 6
landfall height diamond.ply --axis 0,0,0,0,0,1,in --at 20,20,2 --digits 6
landfall height diamond.ply --axis 0,0,0,0,0,1,in --at 1,1,0
