/// The least that a program can do for a height: find the cell, fetch three samples, interpolate. No checks, no holes, no reasons.
#include "grid.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

void grid_bare_scalar(const bench_field *field, const lf_vec3 *points, int64_t count, double *heights) {
    const double per_metre = 1.0 / BENCH_SPACING;
    const int32_t samples = (int32_t)field->samples;
    const float *values = field->heights;
    for (int64_t i = 0; i < count; i++) {
        double x = points[i].x * per_metre, y = points[i].y * per_metre;
        int32_t column = (int32_t)x, row = (int32_t)y;
        double u = x - column, v = y - row;
        const float *at = values + (int64_t)row * samples + column;
        bool upper = u + v > 1.0;
        double corner = at[upper ? samples + 1 : 0], left = at[samples], right = at[1];
        double a = upper ? 1.0 - v : u, b = upper ? 1.0 - u : v;
        heights[i] = corner + a * (right - corner) + b * (left - corner);
    }
}

#if defined(__x86_64__)
bool grid_has_gathers(void) {
    return __builtin_cpu_supports("avx2");
}

/// Eight points at a time, in two halves of four doubles.
__attribute__((target("avx2"))) static inline __m256d four_heights(const lf_vec3 *points, const float *values,
                                                                   int samples) {
    const __m256d per_metre = _mm256_set1_pd(1.0 / BENCH_SPACING), one = _mm256_set1_pd(1.0);
    __m256d x = _mm256_set_pd(points[3].x, points[2].x, points[1].x, points[0].x);
    __m256d y = _mm256_set_pd(points[3].y, points[2].y, points[1].y, points[0].y);
    x = _mm256_mul_pd(x, per_metre);
    y = _mm256_mul_pd(y, per_metre);
    __m128i column = _mm256_cvttpd_epi32(x), row = _mm256_cvttpd_epi32(y);
    __m256d u = _mm256_sub_pd(x, _mm256_cvtepi32_pd(column)), v = _mm256_sub_pd(y, _mm256_cvtepi32_pd(row));
    __m128i at = _mm_add_epi32(_mm_mullo_epi32(row, _mm_set1_epi32(samples)), column);
    __m256d upper = _mm256_cmp_pd(_mm256_add_pd(u, v), one, _CMP_GT_OQ);
    __m128i narrow = _mm256_castsi256_si128(
        _mm256_permutevar8x32_epi32(_mm256_castpd_si256(upper), _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
    __m128i corner_at = _mm_add_epi32(at, _mm_and_si128(narrow, _mm_set1_epi32(samples + 1)));
    __m256d corner = _mm256_cvtps_pd(_mm_i32gather_ps(values, corner_at, 4));
    __m256d right = _mm256_cvtps_pd(_mm_i32gather_ps(values + 1, at, 4));
    __m256d left = _mm256_cvtps_pd(_mm_i32gather_ps(values + samples, at, 4));
    __m256d a = _mm256_blendv_pd(u, _mm256_sub_pd(one, v), upper),
            b = _mm256_blendv_pd(v, _mm256_sub_pd(one, u), upper);
    __m256d across = _mm256_mul_pd(a, _mm256_sub_pd(right, corner)),
            up = _mm256_mul_pd(b, _mm256_sub_pd(left, corner));
    return _mm256_add_pd(_mm256_add_pd(corner, across), up);
}

__attribute__((target("avx2"))) void grid_bare_gathers(const bench_field *field, const lf_vec3 *points,
                                                       int64_t count, double *heights) {
    int samples = (int)field->samples;
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm256_storeu_pd(heights + i, four_heights(points + i, field->heights, samples));
        _mm256_storeu_pd(heights + i + 4, four_heights(points + i + 4, field->heights, samples));
    }
    grid_bare_scalar(field, points + i, count - i, heights + i);
}
#else
bool grid_has_gathers(void) {
    return false;
}

void grid_bare_gathers(const bench_field *field, const lf_vec3 *points, int64_t count, double *heights) {
    grid_bare_scalar(field, points, count, heights);
}
#endif
