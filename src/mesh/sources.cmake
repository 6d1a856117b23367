# The files of the room "mesh".
list(APPEND core_sources mesh/arrays.c mesh/compact.c mesh/copy.c mesh/edit.c mesh/extent.c mesh/height.c mesh/hull.c mesh/k_nest.c mesh/mesh.c mesh/nest.c mesh/nest_build.c mesh/nest_edit.c mesh/nest_plane.c mesh/nest_sort.c mesh/ray.c)
list(APPEND core_sources mesh/quadtree.c mesh/quadtree_angles.c mesh/quadtree_build.c mesh/quadtree_cut.c
     mesh/quadtree_edit.c mesh/quadtree_near.c mesh/quadtree_polygons.c mesh/quadtree_table.c)
