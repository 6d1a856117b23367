landfall info - <yard.obj
