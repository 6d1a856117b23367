# The files of the room "ground".
list(APPEND core_sources ground/beyond.c ground/cone.c ground/cross.c ground/floors.c ground/from_file.c ground/from_globe.c ground/from_grid.c ground/from_packed.c)
list(APPEND core_sources ground/from_group.c ground/from_mesh.c ground/ground.c ground/group.c ground/locale.c)
list(APPEND core_sources ground/many.c ground/place.c ground/shadow.c ground/track.c ground/walk.c)
