# The files of the room "sight": lines; horizons and shade; viewsheds.
list(APPEND core_sources sight/ask.c sight/detail.c sight/grid.c sight/group.c sight/k_ends.c sight/k_line.c sight/many.c sight/mesh.c sight/over.c sight/path.c sight/profile.c sight/pair.c sight/place.c
     sight/sight.c sight/stand.c sight/way.c)
list(APPEND core_sources sight/bearing.c sight/glance.c sight/horizon.c sight/horizon_map.c sight/k_shade.c sight/shade.c sight/shade_sweep.c sight/skyline.c)
list(APPEND core_sources sight/k_viewshed.c sight/k_viewshed_decide.c sight/lowering.c sight/viewshed.c sight/viewshed_chunk.c sight/viewshed_decide.c sight/viewshed_fill.c sight/viewshed_line.c sight/viewshed_make.c sight/viewshed_round.c sight/viewshed_run.c sight/viewshed_sectors.c sight/viewshed_sweep.c sight/viewshed_veil.c)
