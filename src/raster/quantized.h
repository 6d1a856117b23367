/// Tiles of the format quantized-mesh-1.0, as used by Cesium: triangles on a raster of 32768 x 32768
/// positions, with heights in as many steps.
#ifndef LF_QUANTIZED_H
#define LF_QUANTIZED_H

#include "base/base.h"
#include <landfall/geom.h>

#define LF__QUANTIZED_HIGH 32767 ///< the last position of the raster, and the last step of height

/// The sides of a tile, in the order of the file.
typedef enum lf__tile_side {
    LF__TILE_WEST,
    LF__TILE_SOUTH,
    LF__TILE_EAST,
    LF__TILE_NORTH,
    LF__TILE_SIDES
} lf__tile_side;

/// A decoded tile. Everything is in range: positions and heights within 0 to LF__QUANTIZED_HIGH, corners and
/// side vertices below vertex_count.
typedef struct lf__quantized {
    lf_allocator allocator;
    lf_vec3 centre; ///< of the tile, earth-centred metres; so are the next ones
    lf_vec3 sphere_centre;
    double sphere_radius;
    lf_vec3 horizon;        ///< occlusion point, in units of the ellipsoid's axes
    double low, high;       ///< metres of heights 0 and LF__QUANTIZED_HIGH; low <= high
    int64_t vertex_count;   ///< 3 or more
    uint16_t *u, *v, *h;    ///< west to east, south to north, low to high
    int64_t triangle_count; ///< 1 or more
    int64_t *corners;       ///< three per triangle
    int64_t side_counts[LF__TILE_SIDES];
    uint32_t *sides[LF__TILE_SIDES]; ///< vertices of each side
    unsigned char *normals;          ///< two bytes per vertex (octahedral), or NULL
    void *block;                     ///< all arrays above
    size_t block_size;
} lf__quantized;

/// Decode a tile that is not compressed.
/// data    size bytes; any alignment
/// tile    written only on success; free it with lf__quantized_free
/// Water masks, metadata and unknown extensions are skipped.
/// Errors: LF_BAD_FORMAT with the offending byte, naming the offending value; LF_NO_MEMORY. Allocates less
/// than 8 times `size`.
lf_status lf__quantized_read(const void *data, size_t size, const lf_host *host, lf__quantized *tile,
                             lf_error *error);

/// Free a tile; a zeroed one is accepted.
void lf__quantized_free(lf__quantized *tile);

/// The height of a vertex in metres.
static inline double lf__quantized_height(const lf__quantized *tile, int64_t vertex) {
    return tile->low + (tile->high - tile->low) * ((double)tile->h[vertex] / LF__QUANTIZED_HIGH);
}

#endif
