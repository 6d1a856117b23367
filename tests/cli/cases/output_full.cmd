landfall info yard.obj >/dev/full
