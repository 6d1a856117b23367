# The files of the room "mesh".
list(APPEND core_sources mesh/copy.c mesh/height.c mesh/hull.c mesh/k_nest.c mesh/mesh.c mesh/nest.c mesh/nest_build.c mesh/ray.c)
