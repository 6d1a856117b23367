/// What the instruction sets do differently, with the same answers.
#ifndef LF_GRID_KERNELS_H
#define LF_GRID_KERNELS_H

#include "grid/grid_course.h"

/// Strides are in bytes. Either of the last two may be NULL: the plain way.
struct lf__grid_kernels {
    /// Meet, in order, the squares that a ray on this course may meet, up to and with those where it meets something.
    void (*run)(lf__trace *trace, const lf__course *course);
    void (*first_many)(const lf_grid *grid, const lf_ray *rays, size_t ray_stride, int64_t count,
                       lf_hit *hits, size_t hit_stride);
    /// NAN where there is no ground on that side.
    void (*heights_many)(const lf_grid *grid, const lf_vec3 *points, size_t point_stride, int64_t count,
                         bool down, double *heights, size_t height_stride);
};

/// NULL where there is nothing better than the plain way.
const lf__grid_kernels *lf__grid_kernels_for(lf_isa isa);

/// Those for views of compressed grids whose bounds begin no later than kernels do.
const lf__grid_kernels *lf__grid_kernels_decoded(lf_isa isa);

/// Is the grid one for kernels? Finds out what they need to know of it. Errors: LF_NO_MEMORY.
lf_status lf__grid_prepare(lf_grid *grid, const lf_host *host);

/// The same where the steepest step is known, and planes are there or not; without one (below 0) the plain way is taken.
void lf__grid_prepare_known(lf_grid *grid, double steepest);

/// The same when squares have changed, at the cost of their posts.
void lf__grid_prepare_again(lf_grid *grid, const int64_t low[2], const int64_t high[2]);

/// Tilted bounds of all blocks, and of some anew: these may then be higher than need be.
lf_status lf__grid_planes_take(lf_grid *grid, const lf_host *host);
void lf__grid_planes_raise(lf_grid *grid, const int64_t first[2], const int64_t last[2]);

void lf__grid_heights_plain(const lf_grid *grid, const lf_vec3 *points, size_t point_stride, int64_t count,
                            bool down, double *heights, size_t height_stride);

#if defined(__x86_64__)
void lf__grid_heights_avx2(const lf_grid *grid, const lf_vec3 *points, size_t point_stride, int64_t count,
                           bool down, double *heights, size_t height_stride);
void lf__grid_batch_avx2(const lf_grid *grid, const lf_ray *rays, size_t ray_stride, int64_t count,
                         lf_hit *hits, size_t hit_stride);
#endif

#endif
