landfall info yard.obj >&-
