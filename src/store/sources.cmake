# The files of the room "store".
list(APPEND core_sources store/globes.c store/grids.c store/groups.c store/pixels.c store/polygons.c store/read.c store/store.c store/write.c)
