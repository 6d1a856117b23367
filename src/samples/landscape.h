/// The landscapes: heights as functions of place.
#ifndef LF_MAKE_LANDSCAPE_H
#define LF_MAKE_LANDSCAPE_H

#include "samples/noise.h"
#include <landfall/make.h>

/// A landscape that has been settled.
typedef struct lf__land {
    lf_landscape kind;
    uint64_t seed;
    double spacing; ///< the least detail
    double low, high;
    double x_low, y_low, width, depth; ///< the window, for "rough"
} lf__land;

/// Heights as shares of low .. high: within 0 .. 1.
double lf__mountains(const lf__land *land, double x, double y);
double lf__hills(const lf__land *land, double x, double y);
double lf__rough(const lf__land *land, double x, double y);
double lf__dunes(const lf__land *land, double x, double y);

/// The height in metres at (x, y).
double lf__land_height(const lf__land *land, double x, double y);

/// Read and check a def.
lf_status lf__land_read(const lf_make_heights_def *given, lf_make_heights_def *def, lf__land *land,
                        lf_error *error);

#endif
