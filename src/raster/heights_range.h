/// The range of an array of heights.
#ifndef LF_RASTER_HEIGHTS_RANGE_H
#define LF_RASTER_HEIGHTS_RANGE_H

#include <landfall/io.h>

/// Range of the heights that are not void; low exceeds high when all are void.
typedef struct lf__heights_range {
    float low, high;    ///< least and greatest height
    int64_t hole_count; ///< number of voids
} lf__heights_range;

/// Lowest and highest height and the number of voids.
lf__heights_range lf__heights_range_of(const lf_heights *heights);

#endif
