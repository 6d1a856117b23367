landfall info yard.obj --json | grep -v bytes
