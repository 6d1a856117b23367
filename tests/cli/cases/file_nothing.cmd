landfall info nothing.obj
