# The files of the room "ground".
list(APPEND core_sources ground/beyond.c ground/cone.c ground/cross.c ground/floors.c ground/from_mesh.c)
list(APPEND core_sources ground/ground.c ground/locale.c ground/place.c ground/track.c ground/walk.c)
