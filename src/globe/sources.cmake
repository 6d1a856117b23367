# The files of the room "globe".
list(APPEND core_sources globe/cut.c globe/cut_raster.c globe/face.c globe/globe.c globe/height.c globe/loaded.c globe/look.c globe/published.c globe/search.c globe/tile.c globe/tin.c
     globe/update.c)
# The camera.
list(APPEND core_sources globe/camera.c globe/camera_calls.c globe/flight.c globe/place.c globe/upper.c)
