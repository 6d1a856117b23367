/// What the files of the sight benchmark share.
#ifndef LF_BENCH_SIGHT_H
#define LF_BENCH_SIGHT_H

#include "embree_field.h"
#include "support.h"

/// landfall and Embree on one field.
typedef struct sight_rivals {
    const bench_field *field;
    double share; ///< of each bar that is required with this machine's instruction set
    lf_grid *grid;
    const lf_ground *ground;
    bench_embree *triangles;
} sight_rivals;

/// Answers so far, over all fields.
typedef struct sight_totals {
    int64_t asked;
    int64_t unequal; ///< answers of batches that are not those of single calls
    int64_t checked;
    int64_t wrong; ///< of landfall against Embree, by more than its rounding
} sight_totals;

/// Lines of all kinds: times, answers, bars.
void sight_ask_lines(const sight_rivals *rivals, bench_report *report, sight_totals *totals);

/// The tables of the paper: every sample of a small raster to two stations, over a tree with maxima.
void sight_paper(bench_report *report);

#endif
