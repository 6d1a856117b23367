# The files of the room "tree".
list(APPEND core_sources tree/build.c tree/collect.c tree/hit.c tree/k_ray.c tree/leaf.c tree/meet.c tree/overlap.c tree/ray.c
     tree/split.c tree/tree.c)
