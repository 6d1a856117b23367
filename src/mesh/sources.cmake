# The files of the room "mesh".
list(APPEND core_sources mesh/copy.c mesh/height.c mesh/hull.c mesh/mesh.c mesh/ray.c)
