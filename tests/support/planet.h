/// A planet for tests: tiles made of a formula, at every level, with the nasty things that real ones have.
#ifndef LF_TESTS_PLANET_H
#define LF_TESTS_PLANET_H

#include "support.h"
#include <landfall/globe.h>

typedef struct planet {
    uint64_t seed;
    int levels;         ///< there are tiles of levels 0 .. levels - 1
    int samples;        ///< along a side of a tile
    double rough;       ///< metres of noise, at each sample of its own
    double swell;       ///< metres of the smooth part
    int hole_of;        ///< one sample of so many is a hole; 0: none
    int absent_of;      ///< one tile of so many is missing, with all beneath it; 0: none. Roots are there
    int tin_of;         ///< one tile of so many is a TIN; 0: none
    int late_of;        ///< of so many fetches that do not wait all but one say later; 0: none
    bool unbounded;     ///< tiles come without bounds
    bool hollow;        ///< levels below the last but one have no surface
    int64_t fetches;    ///< so far
    int64_t handed_out; ///< tiles that were not taken back
} planet;

/// A planet of four levels of 9 x 9 samples, without anything nasty.
planet planet_plain(uint64_t seed);

/// A nasty one, by chance.
planet planet_random(test_random *random);

lf_globe_provider planet_provider(planet *planet);

/// A globe of it; on WGS84 unless told otherwise.
lf_globe *planet_globe(planet *planet, const lf_ellipsoid *ellipsoid, size_t budget);

/// The height of a sample of a level: column from -180, row from -90. NAN for a hole.
double planet_sample(const planet *planet, int level, int64_t column, int64_t row);

/// Is there such a tile?
bool planet_has(const planet *planet, lf_tile_key key);

#endif
