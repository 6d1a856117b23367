# The files of the room "ground".
list(APPEND core_sources ground/from_mesh.c ground/ground.c ground/place.c)
