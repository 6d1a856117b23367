/// What kernels for batches of rays share: what a lane holds, what depends only on the octant of a direction, and rays that leave
/// their lanes.
#ifndef LF_GRID_K_BATCH_H
#define LF_GRID_K_BATCH_H

#include "bvh/bvh_meet.h"
#include "grid/grid_kernels.h"
#include "grid/k_lanes.h"

#if LF__SIMD

/// Rays over more squares than this are refused: floats are not precise enough.
#define LF__BATCH_LONGEST 65536.0

/// Floats of a lane: a and its end relative to the start; b and height at the start; slopes; heights in
/// codes, less their error; error of heights over columns.
enum { LF__AT, LF__LAST, LF__SHARE, LF__SLOPE_B, LF__BY_B, LF__BY_FLAT, LF__BY_SUM };
enum { LF__CODE = LF__BY_SUM + 1, LF__SLOPE_CODE, LF__Z, LF__SLOPE_Z, LF__EPS, LF__FLOATS };

/// Integers of an octant: mirror - 1 where mirrored; all bits where swapped; range of rows; all bits for the
/// diagonals that exist; steps to samples in bytes.
enum { LF__FLIP_X, LF__FLIP_Y, LF__SWAP, LF__HIGH_Y, LF__LOW_Y, LF__ALONG, LF__AGAINST };
enum { LF__BASE = LF__AGAINST + 1, LF__STEP_A, LF__STEP_B, LF__WORDS };

/// Doubles of an octant: range of squares of its courses, and from these squares to those of the grid: base + sign * square.
enum {
    LF__LOW_A,
    LF__HIGH_A,
    LF__LOW_B,
    LF__HIGH_B,
    LF__BASE_A,
    LF__SIGN_A,
    LF__BASE_B,
    LF__SIGN_B,
    LF__LIMITS
};

typedef struct lf__octant {
    _Alignas(64) double limits[LF__LIMITS];
    int32_t words[LF__WORDS];
    lf__grid_course course; ///< the common part of all courses of the octant
} lf__octant;

/// Doubles of a ray: its course, and its line in grid coordinates.
enum { LF__A, LF__B, LF__PACE, LF__ASIDE, LF__X, LF__Y, LF__DX, LF__DY };
enum {
    LF__HEIGHT = LF__DY + 1,
    LF__DZ,
    LF__T_MIN,
    LF__T_MAX,
    LF__CLIMB,
    LF__START,
    LF__END,
    LF__SLACK,
    LF__DOUBLES
};

typedef struct lf__batch_lane {
    int64_t index;
    int32_t octant;
    double values[LF__DOUBLES];
} lf__batch_lane;

typedef struct lf__batch_rays {
    const lf_grid *grid;
    const lf_ray *rays;
    size_t ray_stride, hit_stride;
    lf_hit *hits;
    int64_t next, count;
    double by_quantum;
    lf__octant octants[8]; ///< 1: swapped, 2: a mirrored, 4: b mirrored
} lf__batch_rays;

static inline const lf_ray *lf__batch_rays_ray(const lf__batch_rays *v, int64_t index) {
    return (const lf_ray *)(const void *)((const char *)v->rays + (size_t)index * v->ray_stride);
}

static inline lf_hit *lf__batch_rays_hit(const lf__batch_rays *v, int64_t index) {
    return (lf_hit *)(void *)((char *)v->hits + (size_t)index * v->hit_stride);
}

static inline void lf__batch_rays_none(const lf__batch_rays *v, int64_t index) {
    *lf__batch_rays_hit(v, index) = lf__hit_none(lf__batch_rays_ray(v, index)->t_max, LF_REASON_NONE);
}

// ---------------------------------------------------------------------------------------------------
// Once per batch
// ---------------------------------------------------------------------------------------------------

/// Are cells of the grid triangles that are reported once? Only those are processed by k_cells.h.
static inline bool lf__cells_serve(const lf_grid *grid) {
    return grid->surface != LF_SURFACE_POINT && grid->surface != LF_SURFACE_BILINEAR && !grid->round &&
           !grid->packed;
}

static inline void lf__octant_make(lf__octant *o, const lf_grid *grid, int number) {
    lf__grid_course *c = &o->course;
    c->swap = number & 1;
    c->mirror_a = (number & 2) != 0;
    c->mirror_b = (number & 4) != 0;
    c->mirror = grid->mirror;
    int64_t columns = grid->square_columns, rows = grid->square_rows;
    lf__grid_course_axis(c, 0, c->mirror_a, c->swap ? rows : columns, &c->low_a, &c->high_a);
    lf__grid_course_axis(c, 0, c->mirror_b, c->swap ? columns : rows, &c->low_b, &c->high_b);
    bool mirrored = c->mirror_a != c->mirror_b, falls = grid->surface == LF_SURFACE_FALLING;
    bool both = grid->surface == LF_SURFACE_ALTERNATING;
    ptrdiff_t a = c->swap ? grid->row_step : grid->column_step,
              b = c->swap ? grid->column_step : grid->row_step;
    o->words[LF__FLIP_X] = c->mirror_a ? (int32_t)c->mirror - 1 : 0;
    o->words[LF__FLIP_Y] = c->mirror_b ? (int32_t)c->mirror - 1 : 0;
    o->words[LF__SWAP] = -(int32_t)c->swap;
    o->words[LF__HIGH_Y] = (int32_t)c->high_b;
    o->words[LF__LOW_Y] = (int32_t)c->low_b;
    o->words[LF__ALONG] = -(int32_t)(both || falls == mirrored);
    o->words[LF__AGAINST] = -(int32_t)(both || falls != mirrored);
    o->words[LF__BASE] = (int32_t)(grid->first * (a + b) + (c->mirror_a ? c->mirror * a : 0) +
                                   (c->mirror_b ? c->mirror * b : 0));
    o->words[LF__STEP_A] = (int32_t)(c->mirror_a ? -a : a);
    o->words[LF__STEP_B] = (int32_t)(c->mirror_b ? -b : b);
    const double limits[LF__LIMITS] = {(double)c->low_a,
                                       (double)c->high_a,
                                       (double)c->low_b,
                                       (double)c->high_b,
                                       (double)(grid->first + (c->mirror_a ? c->mirror - 1 : 0)),
                                       c->mirror_a ? -1 : 1,
                                       (double)(grid->first + (c->mirror_b ? c->mirror - 1 : 0)),
                                       c->mirror_b ? -1 : 1};
    for (int k = 0; k < LF__LIMITS; k++)
        o->limits[k] = limits[k];
}

// ---------------------------------------------------------------------------------------------------
// Out of lanes
// ---------------------------------------------------------------------------------------------------

/// The ray of a lane as a single ray.
typedef struct lf__batch_single {
    lf__trace trace;
    lf__grid_course course;
    lf__nearest_piece nearest;
} lf__batch_single;

static inline void lf__batch_single_start(lf__batch_single *w, const lf__batch_rays *v,
                                          const lf__batch_lane *one) {
    const lf_ray *ray = lf__batch_rays_ray(v, one->index);
    const double *d = one->values;
    lf__grid_course *c = &w->course;
    *c = v->octants[one->octant].course;
    c->a = d[LF__A], c->b = d[LF__B], c->z = d[LF__HEIGHT];
    c->along = d[LF__PACE], c->slope_b = d[LF__ASIDE], c->slope_z = d[LF__CLIMB];
    c->start = d[LF__START], c->end = d[LF__END], c->slack = d[LF__SLACK];
    lf_ray line = {{d[LF__X], d[LF__Y], ray->origin.z},
                   {d[LF__DX], d[LF__DY], ray->direction.z},
                   ray->t_min,
                   ray->t_max};
    lf__trace_first_on(&w->trace, v->grid, ray, &line, &w->nearest);
}

static inline void lf__batch_single_finish(const lf__batch_single *w, const lf__batch_rays *v,
                                           const lf__batch_lane *one) {
    if (w->nearest.any)
        lf__trace_hit(&w->trace, &w->nearest.piece, &w->nearest.meeting, lf__batch_rays_hit(v, one->index));
    else
        lf__batch_rays_none(v, one->index);
}

#endif
#endif
