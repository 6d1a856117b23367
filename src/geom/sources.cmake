# The files of the room "geom".
list(APPEND core_sources geom/expansion.c geom/orient.c)
