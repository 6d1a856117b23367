/// Many questions at once.
#include "grid/kernels.h"

/// Kernels for batches count bytes and blocks by 32 bits.
static bool batch_fits(const lf_grid *grid) {
    int64_t step = (grid->row_step < 0 ? -grid->row_step : grid->row_step) +
                   (grid->column_step < 0 ? -grid->column_step : grid->column_step);
    return step * (grid->mirror + 2) <= INT32_MAX && grid->bound_count <= INT32_MAX;
}

static const lf_ray *ray_at(const lf_ray *rays, size_t stride, int64_t k) {
    return (const lf_ray *)(const void *)((const char *)rays + (size_t)k * stride);
}

static lf_hit *hit_at(lf_hit *hits, size_t stride, int64_t k) {
    return (lf_hit *)(void *)((char *)hits + (size_t)k * stride);
}

/// Does a ray stay over the grid itself, and off the seam, so that no copy of the grid matters to it?
static bool stays(const lf_grid *grid, const lf_ray *ray) {
    if (grid->copies == 0)
        return true;
    double from = ray->origin.x + ray->t_min * ray->direction.x,
           to = ray->origin.x + ray->t_max * ray->direction.x,
           most = grid->half_width - 1e-6 * fabs(grid->geotransform.per_column.x);
    return fabs(from - grid->middle) < most && fabs(to - grid->middle) < most; // false for NaN
}

void lf__grid_first_many(const lf_grid *grid, const lf_ray *rays, size_t ray_stride, int64_t count,
                         lf_hit *hits, size_t hit_stride) {
    bool fits =
        grid->kernels && grid->kernels->first_many && grid->lowest <= grid->highest && batch_fits(grid);
    for (int64_t k = 0; k < count;) {
        int64_t end = k;
        while (fits && end < count && stays(grid, ray_at(rays, ray_stride, end)))
            end++;
        if (end > k) {
            grid->kernels->first_many(grid, ray_at(rays, ray_stride, k), ray_stride, end - k,
                                      hit_at(hits, hit_stride, k), hit_stride);
            k = end;
            continue;
        }
        const lf_ray *ray = ray_at(rays, ray_stride, k);
        lf_hit *hit = hit_at(hits, hit_stride, k++);
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
