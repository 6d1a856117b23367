/// Both ends of a line at once: columns and rows of the two are four lanes.
#include "sight/k_line.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))

TARGET static inline __m256d size_of(__m256d x) {
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}

/// Columns and rows of two places of the world, by the formula that lf_grid_locate states.
TARGET static inline __m256d set_on_posts(const lf_grid *grid, lf_vec3 a, lf_vec3 b) {
    const lf_vec2 origin = grid->geotransform.origin;
    __m256d x = _mm256_setr_pd(a.x, a.x, b.x, b.x), y = _mm256_setr_pd(a.y, a.y, b.y, b.y);
    __m256d of_x = _mm256_setr_pd(grid->a, grid->c, grid->a, grid->c),
            of_y = _mm256_setr_pd(grid->b, grid->d, grid->b, grid->d);
    __m256d origin_x = _mm256_set1_pd(origin.x), origin_y = _mm256_set1_pd(origin.y);
    __m256d place = _mm256_add_pd(_mm256_mul_pd(of_x, _mm256_sub_pd(x, origin_x)),
                                  _mm256_mul_pd(of_y, _mm256_sub_pd(y, origin_y)));
    __m256d far_x = _mm256_mul_pd(size_of(of_x), _mm256_add_pd(size_of(x), size_of(origin_x)));
    __m256d far_y = _mm256_mul_pd(size_of(of_y), _mm256_add_pd(size_of(y), size_of(origin_y)));
    __m256d unit = _mm256_set1_pd(8 * LF__SIGHT_UNIT), round = _mm256_set1_pd(0x1.8p52);
    __m256d rounding = _mm256_add_pd(_mm256_mul_pd(unit, _mm256_add_pd(far_x, far_y)), unit);
    __m256d whole = _mm256_sub_pd(_mm256_add_pd(place, round), round);
    __m256d on_post = _mm256_cmp_pd(size_of(_mm256_sub_pd(place, whole)), rounding, _CMP_LE_OQ);
    return _mm256_blendv_pd(place, whole, on_post);
}

TARGET bool lf__sight_line_of_ends(const lf_grid *grid, lf_vec3 a, lf_vec3 b, double sag,
                                   lf__sight_line *line) {
    __m256d place = set_on_posts(grid, a, b), reach = _mm256_set1_pd(lf__sight_reach(grid));
    __m256d signs = _mm256_and_pd(_mm256_set1_pd(-0.0), place), step = _mm256_or_pd(reach, signs);
    __m256d stepped = _mm256_sub_pd(_mm256_add_pd(place, step), step);
    // What is farther than this is not set on steps, nor on posts where numbers are so large that all are
    // whole.
    __m256d near = _mm256_and_pd(_mm256_cmp_pd(size_of(place), reach, _CMP_LT_OQ),
                                 _mm256_cmp_pd(size_of(stepped), reach, _CMP_LT_OQ));
    double at[4];
    if (_mm256_movemask_pd(near) != 0xf)
        return false;
    _mm256_storeu_pd(at, stepped);
    *line = lf__sight_line_between((lf_vec2){at[0], at[1]}, a.z, (lf_vec2){at[2], at[3]}, b.z, sag);
    return true;
}

#else

bool lf__sight_line_of_ends(const lf_grid *grid, lf_vec3 a, lf_vec3 b, double sag, lf__sight_line *line) {
    (void)grid, (void)a, (void)b, (void)sag, (void)line;
    return false;
}

#endif
