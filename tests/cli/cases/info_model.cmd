landfall info diamond.ply --as model --sectors 4 | grep -v 'bytes\|thickness'
landfall info yard.obj --as model --sectors 4 --centre 5,5,1 --json | grep -v 'bytes\|thickness'
