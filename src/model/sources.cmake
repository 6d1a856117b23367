# The files of the room "model".
list(APPEND core_sources model/bounds.c model/closed.c model/cones.c model/copy.c model/distance.c model/field_build.c model/field_centre.c
     model/field_charts.c model/field_pairs.c model/field_stats.c model/field_walk.c model/k_apart.c model/model.c
     model/land.c model/land_depth.c model/land_faces.c model/land_globe.c model/land_grid.c model/near.c model/pairs.c model/point.c)
