# The files of the room "pack".
list(APPEND core_sources pack/k_tile.c pack/maxplus.c pack/predict.c pack/split.c pack/wavelet.c pack/wavelet_bounds.c pack/wavelet_tile.c)
