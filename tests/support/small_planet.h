/// A planet in memory, as fine as its finest samples, that brings its tiles when it likes: with true bounds, or without any.
#ifndef LF_TESTS_SMALL_PLANET_H
#define LF_TESTS_SMALL_PLANET_H

#include "support.h"
#include <landfall/globe.h>

#define SMALL_PLANET_CELLS 16 ///< along a side of a tile

typedef enum small_planet_land {
    SMALL_PLANET_ROLLING, ///< hills
    SMALL_PLANET_CLIFFS,  ///< blocks with nothing but a cell between high and low
    SMALL_PLANET_SPIKES   ///< a plain with single samples sticking out
} small_planet_land;

typedef struct small_planet {
    lf_ellipsoid ellipsoid;
    int levels;            ///< finest level + 1
    int64_t columns, rows; ///< of samples: the first column is at -180, the last at 180; rows from -90 to 90
    float *samples;
    double low, high;
    bool bounded;
    int late;           ///< of a hundred requests that do not wait, so many are put off
    test_random random; ///< for that
    float *given;       ///< a tile being handed over
    int64_t fetches;
} small_planet;

/// heights up to `relief` metres. Release it with small_planet_free.
small_planet *small_planet_make(lf_ellipsoid ellipsoid, int levels, small_planet_land land, double relief,
                                uint64_t salt);
void small_planet_free(small_planet *planet);

/// Its tiles.
lf_globe_provider small_planet_provider(small_planet *planet);

/// A globe of it, with its roots loaded.
lf_globe *small_planet_globe(small_planet *planet, size_t budget);

/// The finest surface, by bilinear interpolation of its own.
double small_planet_height(const small_planet *planet, double lon_deg, double lat_deg);

#endif
