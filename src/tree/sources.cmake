# The files of the room "tree".
list(APPEND core_sources tree/build.c tree/collect.c tree/edit.c tree/hit.c tree/k_pairs.c tree/k_ray.c tree/k_split.c
     tree/leaf.c tree/meet.c tree/overlap.c tree/pairs.c tree/ray.c tree/tree.c tree/visit.c)
