landfall info yard.obj --only meadow --only=bridge | grep -v bytes
