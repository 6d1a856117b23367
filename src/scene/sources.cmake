# The files of the room "scene".
list(APPEND core_sources scene/flat.c scene/k_flat.c scene/k_pairs.c scene/pairs.c scene/pairs_find.c scene/pairs_settle.c)
