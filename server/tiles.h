/// Tiles for maps (XYZ, web Mercator) and for globes (quantized-mesh, longitude and latitude).
#ifndef SERVER_TILES_H
#define SERVER_TILES_H

#include "cache.h"
#include "raster_out.h"

void tile_picture(request *request, reply *reply);
void tile_terrain(request *request, reply *reply);
void tile_layer(request *request, reply *reply);

/// Answer from memory alone; false: it must be made.
bool tile_peek(request *request, reply *reply);

#define TILE_LEVELS 24

/// The place of a tile.
typedef struct tile {
    int z;
    int64_t x, y;
} tile;

/// Read "Z/X/Y" and an ending. False: status and message are set.
bool tile_read(const char *text, const char *ending, bool geographic, tile *tile, reply *reply);

/// Heights at columns x rows places; voids are counted, and NAN.
bool tile_heights(const request *request, lf_vec2 *list, int64_t count, float *heights, int64_t *voids,
                  reply *reply);

/// The quantized mesh of a tile, not compressed.
bool mesh_write(const request *request, tile tile, text *out, int64_t *voids, reply *reply);

/// The overlay of a viewshed as a palette picture of 256 x 256.
bool viewshed_tile(request *request, tile tile, uint8_t *pixels, reply *reply);

/// The place of a pixel of a web Mercator tile.
lf_vec2 mercator_place(tile tile, double column, double row, int size);

/// gzip some bytes.
bool gzip_write(text *out, const void *bytes, size_t count, int level);

#endif
