/// Tiles of quantized-mesh-1.0 made for tests: the inverse of what the library reads.
#ifndef LF_TESTS_QUANTIZED_MAKE_H
#define LF_TESTS_QUANTIZED_MAKE_H

#include "support.h"

/// The bytes of a tile, and where its parts begin, for tests that spoil one.
typedef struct quantized_bytes {
    unsigned char *data; ///< free it
    size_t size, space;
    size_t vertices_at; ///< the number of vertices
    size_t triangles_at;
    size_t sides_at[4];
} quantized_bytes;

/// What to make: a net of cells x cells squares, each cut in two, its inner vertices moved about.
typedef struct quantized_plan {
    int cells;       ///< 1 or more; from 256 on corners have four bytes
    float low, high; ///< metres
    bool normals;    ///< with the extension of normals,
    bool big;        ///< its length written with the high byte first
    bool unknown;    ///< with an extension that nobody knows before it
    uint64_t salt;   ///< of the random heights and moves
    double (*height)(void *user, double x,
                     double y); ///< optional: the height over the unit square, within low to high
    void *user;
} quantized_plan;

quantized_bytes quantized_make(const quantized_plan *plan);

#endif
