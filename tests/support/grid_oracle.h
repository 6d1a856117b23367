/// Nasty grids as grounds, and a oracle that compares what the library says of them with exact answers.
#ifndef LF_TESTS_GRID_JUDGE_H
#define LF_TESTS_GRID_JUDGE_H

#include "nasty_grid.h"
#include <landfall/ground.h>

/// How many units in the last place a t may be off, and a height in those of the cell's largest.
#define GRID_JUDGE_ULPS 4

typedef struct grid_place {
    lf_grid *grid;
    const lf_ground *ground;
} grid_place;

/// One nasty grid as two grounds, made for different instruction sets, and space for all hits of a ray.
typedef struct grid_bench {
    nasty_grid nasty;
    exact_grid exact;
    grid_place plain, best;
    lf_cursor *cursor;
    int64_t space;
    lf_hit *hits, *other_hits;
} grid_bench;

/// Open a bench over a grid that is made already, which it then owns.
void grid_bench_open(grid_bench *bench, const nasty_grid *nasty);
void grid_bench_close(grid_bench *bench);

/// Print what the grid is made of, on stderr; all of its heights when there are few.
void grid_bench_print(const grid_bench *bench);

/// Plain instructions from here on, or again what the environment says.
void grid_bench_plain(bool plain);

/// Keeps count, and prints the first of each kind of disagreement so that it can be repeated.
#define GRID_JUDGE_FAULTS 32
typedef struct grid_oracle {
    const char *name;
    int64_t questions, hits, misses, meetings, ties, wrong;
    const char *faults[GRID_JUDGE_FAULTS];
    int64_t fault_counts[GRID_JUDGE_FAULTS];
} grid_oracle;

/// Ask first, any and all, on both instruction sets, and oracle. Returns the first hit.
lf_hit grid_oracle_ray(grid_oracle *oracle, grid_bench *bench, const lf_ray *ray);

/// Ask for a height, down and up and all, on both instruction sets, and oracle. hits[0] is what was said to the look
/// down, hits[1] to the look up.
void grid_oracle_height(grid_oracle *oracle, grid_bench *bench, lf_vec3 point, lf_hit hits[2]);

/// Say that an answer is wrong, with everything that is needed to ask again when it is the first of its kind.
void grid_oracle_wrong(grid_oracle *oracle, const grid_bench *bench, const lf_ray *ray, const char *what,
                       const lf_hit *said);

/// Count a kind of disagreement; how often it has been seen.
int64_t grid_oracle_count(grid_oracle *oracle, const char *what);

/// Print the counts and fail when anything was wrong or too little was asked.
void grid_oracle_close(const grid_oracle *oracle, int64_t at_least);

#endif
