/// Parts of the benchmark `scale`.
#ifndef LF_BENCH_SCALE_H
#define LF_BENCH_SCALE_H

#include "field.h"
#include "support.h"

/// A row of a table: a method, its time for one thing, and how many things there are. The first row has the heads of both times.
typedef struct scale_row {
    const char *method, *one, *all;
    double seconds, wanted;
} scale_row;

/// Print rows, with ratios to the first.
void scale_table(bench_report *report, const char *title, const scale_row *rows, int count);

/// lf_viewshed_count.
void bench_many(bench_report *report);

/// lf_site_choose.
void bench_sites(bench_report *report);

#endif
