/// Rasters that tiles are cut from, from the inside.
#ifndef LF_GLOBE_CUT_H
#define LF_GLOBE_CUT_H

#include "base/array.h"
#include "base/base.h"
#include <landfall/globe.h>

#define LF__CUT_BLOCK 256 ///< posts along a side of the blocks that rasters are read in

typedef struct lf__cut_block {
    int64_t raster, column, row; ///< which; raster -1: none
    int64_t stamp;
    float *heights;
} lf__cut_block;

/// A raster, and how it closes around the globe.
typedef struct lf__cut_raster {
    lf_globe_raster given; ///< its cell size snapped, see lf__cut_snap
    int64_t number;        ///< its index as it was given
    int64_t period;        ///< columns all around; 0: it does not go all around
    bool closed[2];        ///< south, north: the pole is closed
    bool on_pole[2];       ///< there is a row on it
    double pole[2];        ///< its height
    int level;             ///< tiles of this level have its posts
} lf__cut_raster;

struct lf_tiler {
    lf_host host;
    lf_allocator allocator;
    lf__cut_raster *rasters; ///< finest first
    int64_t raster_count;
    int cells, level_count;
    lf__cut_block *blocks;
    int64_t block_count, clock;
    lf__cut_block *last;
    lf_status status; ///< of reading; the first that failed
    lf_error error;
};

/// Snap the cell size of a raster, written with too few digits, to whole turns and to the poles; logs what was changed. Then
/// check its latitudes.
lf_status lf__cut_snap(lf_tiler *cutter, int64_t index, lf_error *error);

/// Log the gaps that rasters all around leave at the seam and at the poles, as far as no other raster fills them.
void lf__cut_report_gaps(const lf_tiler *cutter);

/// Find out how a snapped raster closes; poles are read.
lf_status lf__cut_open(lf_tiler *cutter, int64_t index, lf_error *error);

/// The height of a post: column any number where it goes all around, row -1 and rows the closed poles. NAN: none.
double lf__cut_post(lf_tiler *cutter, int64_t raster, int64_t column, int64_t row);

/// The bilinear height at a place by all rasters from `first` on: of the finest that has one. NAN: none.
double lf__cut_sample(lf_tiler *cutter, int64_t first, double lon, double lat);

/// The area of a raster, turned so that it meets another one if it can; false: they share no area.
bool lf__cut_meets(const lf__cut_raster *raster, lf_geodetic_box area, double *west);

#endif
