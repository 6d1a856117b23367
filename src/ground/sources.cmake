# The files of the room "ground".
list(APPEND core_sources ground/beyond.c ground/cone.c ground/floors.c ground/from_mesh.c ground/ground.c)
list(APPEND core_sources ground/place.c ground/track.c ground/walk.c)
