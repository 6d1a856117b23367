# The files of the room "grid".
list(APPEND core_sources grid/grid.c grid/pyramid.c grid/samples.c)
