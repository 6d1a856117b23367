/// Total viewshed by bands of sight (Tabik and others, 2014), as a baseline: for every sector the samples in a band around its axis are a
/// linked list that is sorted by distance; from one observer to the next beside it a sample enters the band and one leaves it.
#ifndef LF_PUBLISHED_TABIK_H
#define LF_PUBLISHED_TABIK_H

#include "base/base.h"
#include <landfall/sight.h>

typedef struct lf__tabik_def {
    const float *heights; ///< row by row
    int64_t columns, rows;
    double spacing; ///< metres between samples, both ways
    double observer_height, range;
    lf_curvature curvature;
    int azimuths;     ///< even: a band is looked along both ways
    int every;        ///< only every so many azimuths, to measure a part of the work; 1: all
    lf_window window; ///< observers; other samples only pass through the bands
} lf__tabik_def;

/// The visible area of each observer of the window, square metres. A sample that is visible counts as the ring of its sector up to the next
/// sample. Errors: LF_NO_MEMORY.
lf_status lf__tabik_total(const lf__tabik_def *def, double *area);

#endif
