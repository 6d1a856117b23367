# The files of the room "geom".
list(APPEND core_sources
    geom/expansion.c geom/orient.c geom/arc.c geom/ellipsoid.c geom/frame.c geom/geodesic.c geom/plane.c geom/polygon.c geom/polyhedron.c geom/triangulate.c geom/vector.c)
