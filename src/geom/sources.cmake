# The files of the room "geom".
list(APPEND core_sources geom/arc.c geom/ellipsoid.c geom/expansion.c geom/frame.c geom/geodesic.c geom/orient.c)
list(APPEND core_sources geom/plane.c geom/polygon.c geom/polyhedron.c geom/pose.c geom/touch.c geom/triangulate.c geom/vector.c)
