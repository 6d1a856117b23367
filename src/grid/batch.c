/// Many questions at once.
#include "grid/kernels.h"

/// Kernels for batches count bytes and blocks by 32 bits.
static bool batch_fits(const lf_grid *grid) {
    int64_t step = (grid->row_step < 0 ? -grid->row_step : grid->row_step) +
                   (grid->column_step < 0 ? -grid->column_step : grid->column_step);
    return step * (grid->mirror + 2) <= INT32_MAX && grid->bound_count <= INT32_MAX;
}

void lf__grid_first_many(const lf_grid *grid, const lf_ray *rays, size_t ray_stride, int64_t count,
                         lf_hit *hits, size_t hit_stride) {
    if (grid->kernels && grid->kernels->first_many && grid->lowest <= grid->highest && batch_fits(grid)) {
        grid->kernels->first_many(grid, rays, ray_stride, count, hits, hit_stride);
        return;
    }
    for (int64_t k = 0; k < count; k++) {
        const lf_ray *ray = (const lf_ray *)(const void *)((const char *)rays + (size_t)k * ray_stride);
        lf_hit *hit = (lf_hit *)(void *)((char *)hits + (size_t)k * hit_stride);
        if (!lf__grid_first(grid, ray, false, hit, NULL))
            *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
    }
}

void lf__grid_heights_many(const lf_grid *grid, const lf_vec3 *points, size_t point_stride, int64_t count,
                           bool down, double *heights, size_t height_stride) {
    if (grid->kernels && grid->kernels->heights_many)
        grid->kernels->heights_many(grid, points, point_stride, count, down, heights, height_stride);
    else
        lf__grid_heights_plain(grid, points, point_stride, count, down, heights, height_stride);
}
