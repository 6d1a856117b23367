# The published Table 4 for a park of as many polygons as the published one. Bytes depend on how the tree is laid out.
landfall make park -o park.ply
landfall info park.ply --quadtree | awk '{ $4 = ""; print }'
