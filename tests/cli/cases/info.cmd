landfall info yard.obj | grep -v bytes
