landfall info yard.obj --only lake
