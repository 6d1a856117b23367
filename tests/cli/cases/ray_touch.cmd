# A start on the surface, an end on it, and a corner.
landfall ray yard.obj --from 1,1,0 --dir 0,0,1
landfall ray yard.obj --from 1,1,3 --to 1,1,0
landfall ray yard.obj --from -1,-1,1 --to 1,1,-1
