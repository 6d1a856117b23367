# The files of the room "grid".
list(APPEND core_sources grid/distance.c grid/edit.c grid/equation.c grid/extremes.c grid/grid.c grid/height.c grid/hit.c grid/meet.c grid/patch.c grid/piece.c)
list(APPEND core_sources grid/pyramid.c grid/ray.c grid/samples.c grid/sweep.c grid/trace.c grid/visit.c)
list(APPEND core_sources grid/batch.c grid/k_batch.c grid/k_heights.c grid/k_ray.c grid/planes.c grid/prepare.c)
list(APPEND core_sources grid/compress.c grid/packed.c grid/packed_cell.c grid/packed_edit.c grid/packed_heights.c grid/stored.c grid/guard.c)
