/// A filter for pairs of models that are far apart: are both poses clearly rigid, and the spheres about the
/// models' origins clearly apart? Then nothing else is tested or transformed.
#include "model/model.h"

/// How far both poses together may deviate from rigid, as a sum of squares: much less than
/// lf__model_pose_valid accepts.
#define MOST_OFF 1e-21

/// Squares of the second translation and of the distance, together: both translations are then within
/// LF__MODEL_LIMIT.
#define MOST_SQUARE (0.25 * LF__MODEL_LIMIT * LF__MODEL_LIMIT)

/// Added to the square of the reach, so that distances whose squares underflow do not count as apart.
#define LEAST_SQUARE 1e-280

// The distance of the origins needs no margin for rounding: the rounded difference of the translations is
// what is carried into a's frame. Doubles lose 2^-48 of the distance and of the reaches, which include a
// margin of 1e-8.

// ---------------------------------------------------------------------------------------------------
// Scalar
// ---------------------------------------------------------------------------------------------------

static inline double off_rigid(const lf_pose *pose) {
    const lf_vec3 *r = pose->rows;
    lf_vec3 third = lf_vec3_sub(lf_vec3_cross(r[0], r[1]), r[2]);
    double x = lf_vec3_dot(r[0], r[0]) - 1, y = lf_vec3_dot(r[1], r[1]) - 1, xy = lf_vec3_dot(r[0], r[1]);
    return x * x + y * y + xy * xy + lf_vec3_dot(third, third);
}

static lf__poses apart_scalar(const lf_pose *a, const lf_pose *b, double reach) {
    lf_vec3 t = b->translation, d = lf_vec3_sub(a->translation, t);
    double square = lf_vec3_dot(d, d);
    if (!(off_rigid(a) + off_rigid(b) <= MOST_OFF && square + lf_vec3_dot(t, t) <= MOST_SQUARE)) // or NaN
        return LF__POSES_UNSURE;
    return square > reach * reach + LEAST_SQUARE ? LF__POSES_APART : LF__POSES_NEAR;
}

// ---------------------------------------------------------------------------------------------------
// AVX2: numbers of a and of b side by side. Loads of one number each can follow on stores of any width.
// ---------------------------------------------------------------------------------------------------

#if LF__SIMD
#include "base/k_simd.h"
#define APART_TARGET LF__SIMD_TARGET

typedef struct both_vec {
    __m128d x, y, z;
} both_vec;

APART_TARGET static inline both_vec both_of(const lf_vec3 *a, const lf_vec3 *b) {
    return (both_vec){_mm_loadh_pd(_mm_load_sd(&a->x), &b->x), _mm_loadh_pd(_mm_load_sd(&a->y), &b->y),
                      _mm_loadh_pd(_mm_load_sd(&a->z), &b->z)};
}

/// p . q - less
APART_TARGET static inline __m128d both_dot(both_vec p, both_vec q, __m128d less) {
    return _mm_fmadd_pd(p.x, q.x, _mm_fmadd_pd(p.y, q.y, _mm_fmsub_pd(p.z, q.z, less)));
}

/// The sum of x^2 and y^2 and z^2.
APART_TARGET static inline __m128d both_square(__m128d x, __m128d y, __m128d z) {
    return _mm_fmadd_pd(x, x, _mm_fmadd_pd(y, y, _mm_mul_pd(z, z)));
}

APART_TARGET static inline double off_rigid_avx2(const lf_pose *a, const lf_pose *b) {
    both_vec p = both_of(&a->rows[0], &b->rows[0]), q = both_of(&a->rows[1], &b->rows[1]),
             r = both_of(&a->rows[2], &b->rows[2]);
    __m128d one = _mm_set1_pd(1);
    __m128d off = both_square(both_dot(p, p, one), both_dot(q, q, one), both_dot(p, q, _mm_setzero_pd()));
    off = _mm_add_pd(off, both_square(_mm_fnmadd_pd(p.z, q.y, _mm_fmsub_pd(p.y, q.z, r.x)),
                                      _mm_fnmadd_pd(p.x, q.z, _mm_fmsub_pd(p.z, q.x, r.y)),
                                      _mm_fnmadd_pd(p.y, q.x, _mm_fmsub_pd(p.x, q.y, r.z))));
    return _mm_cvtsd_f64(off) + _mm_cvtsd_f64(_mm_unpackhi_pd(off, off));
}

/// The square of v, plus `more`.
APART_TARGET static inline double square_and(lf_vec3 v, double more) {
    return LF__SIMD_FMA(v.x, v.x, LF__SIMD_FMA(v.y, v.y, LF__SIMD_FMA(v.z, v.z, more)));
}

APART_TARGET static lf__poses apart_avx2(const lf_pose *a, const lf_pose *b, double reach) {
    lf_vec3 t = b->translation, d = lf_vec3_sub(a->translation, t);
    double square = square_and(d, 0);
    if (!(off_rigid_avx2(a, b) <= MOST_OFF && square_and(t, square) <= MOST_SQUARE)) // or NaN
        return LF__POSES_UNSURE;
    return square > LF__SIMD_FMA(reach, reach, LEAST_SQUARE) ? LF__POSES_APART : LF__POSES_NEAR;
}
#endif

lf__apart_kernel *lf__apart_kernel_for(lf_isa isa) {
#if LF__SIMD
    if (LF__SIMD_BY(isa))
        return apart_avx2;
#endif
    (void)isa;
    return apart_scalar;
}
