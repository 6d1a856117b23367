/// What the files of the grid benchmark share.
#ifndef LF_BENCH_GRID_H
#define LF_BENCH_GRID_H

#include "bullet.h"
#include "embree_field.h"
#include "support.h"

#include <landfall/grid.h>

/// Three landfall grids over one field: as landfall makes it, with bounds down to single cells, and held to scalar code.
enum { LEAN, FULL, SCALAR, GRIDS };

/// Everybody who stands on one field.
typedef struct grid_rivals {
    const bench_field *field;
    const char *isa; ///< what landfall and Embree are held to; NULL: nothing
    double share;    ///< of each bar that is required with this instruction set
    bench_memory memory[GRIDS];
    lf_grid *grid[GRIDS];
    const lf_ground *ground[GRIDS];
    bench_embree *triangles; ///< NULL where they would not fit into memory
    bench_embree *patches;   ///< Embree's grid geometry
    bench_bullet *bullet;
} grid_rivals;

/// Build all, print what building costs, note the bars.
void grid_rivals_open(grid_rivals *rivals, const bench_field *field, const char *isa, bench_report *report);
void grid_rivals_close(grid_rivals *rivals);

/// Wrong answers so far, over all fields.
typedef struct grid_totals {
    int64_t checked;
    int64_t wrong; ///< of landfall, by exact arithmetic
    int64_t compared;
    int64_t
        unequal; ///< answers of batches, other leaves and scalar code that are not the bits of single calls
} grid_totals;

/// Rays of all kinds to everybody: times, answers, bars.
void grid_ask_rays(const grid_rivals *rivals, bench_report *report, grid_totals *totals);
/// Heights in random order, also beside the barest loops that could do it.
void grid_ask_heights(const grid_rivals *rivals, bench_report *report, grid_totals *totals);

/// Bounds of a field beside a copy of its samples.
void grid_ask_bounds(const bench_field *field, bench_report *report);
/// Rays, lines of sight and heights on mountains of two sizes.
void grid_ask_growth(const int64_t samples[2], bench_report *report);

/// landfall against Embree's triangles: every disagreement decided by exact arithmetic on the two triangles.
void grid_oracle(const bench_field *field, const bench_rays *rays, const bench_answer *ours,
                 const bench_answer *peer, bench_verdict *verdict);
/// How many answers differ from landfall's by more than `metres`, or are no hit where the other is one. Triangles are not compared.
int64_t grid_count_far(const bench_rays *rays, const bench_answer *ours, const bench_answer *peer,
                       double metres);

/// landfall's triangle, as bench_field_triangle counts; -1 for a miss.
static inline int64_t grid_item(const lf_hit *hit) {
    return hit->kind == LF_HIT_NONE ? -1 : 2 * hit->element + hit->triangle;
}

/// The barest loops: heights of points that are known to lie inside, without a look at anything else.
void grid_bare_scalar(const bench_field *field, const lf_vec3 *points, int64_t count, double *heights);
/// The same by AVX2 gathers; only where grid_has_gathers.
void grid_bare_gathers(const bench_field *field, const lf_vec3 *points, int64_t count, double *heights);
bool grid_has_gathers(void);

/// Note a bar named after the field: "grid-mountains-1025-random-single".
void grid_bar(const grid_rivals *rivals, bench_report *report, const char *what, double measured,
              double wanted);
/// The same of a speed, of which processors without AVX-512 need only a share (bench_bar_relaxed).
void grid_speed_bar(const grid_rivals *rivals, bench_report *report, const char *what, double measured,
                    double wanted);

#endif
