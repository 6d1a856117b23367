/// What the files of the culling benchmark share.
#ifndef LF_BENCH_CULL_H
#define LF_BENCH_CULL_H

#include "support.h"

/// The published tables of the maze (Gottstein, tables 7.3 to 7.9), in form.
void cull_maze_tables(bench_report *report);

#endif
