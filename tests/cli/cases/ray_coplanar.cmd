# In the plane of the bridge: it is met where the ray enters it.
landfall ray yard.obj --from 0,5,5 --to 10,5,5
landfall ray yard.obj --from 2.5,5,5 --to 10,5,5
