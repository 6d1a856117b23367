/// Points in triangles, eight triangles at a time: plain, and with AVX2.
#include "mesh/mesh.h"
#include <string.h>

/// The arrays of a leaf.
typedef struct leaf_view {
    const float *x[3], *y[3];
    float doubt;
    uint32_t count;
} leaf_view;

static inline leaf_view view_of(const uint32_t *leaf) {
    leaf_view view;
    const float *numbers = (const float *)(const void *)leaf;
    view.doubt = numbers[0];
    view.count = leaf[1] & LF__NEST_COUNT;
    for (uint32_t c = 0; c < 3; c++) {
        view.x[c] = numbers + 2 + 2 * c * view.count;
        view.y[c] = view.x[c] + view.count;
    }
    return view;
}

/// The lanes that exist from `first` on.
static inline unsigned lanes_from(const leaf_view *view, uint32_t first) {
    uint32_t left = view->count - first;
    return left >= LF__NEST_LANES ? 0xffu : (1u << left) - 1;
}

static unsigned test_scalar(const uint32_t *leaf, uint32_t first, float u, float v, unsigned *sure) {
    leaf_view view = view_of(leaf);
    uint32_t last = first + LF__NEST_LANES < view.count ? first + LF__NEST_LANES : view.count;
    unsigned maybe = 0;
    *sure = 0;
    for (uint32_t i = first; i < last; i++) {
        float least = INFINITY;
        for (int c = 0; c < 3; c++) {
            int n = c == 2 ? 0 : c + 1;
            float ax = view.x[c][i] - u, ay = view.y[c][i] - v, bx = view.x[n][i] - u, by = view.y[n][i] - v;
            float edge = ax * by - ay * bx;
            least = edge < least ? edge : least;
        }
        maybe |= (unsigned)(least >= -view.doubt) << (i - first);
        *sure |= (unsigned)(least > view.doubt) << (i - first);
    }
    return maybe;
}

#define lanes_scalar test_scalar
#define NAME(f) f##_scalar
#define TARGET
#include "mesh/k_nest_drop.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))

TARGET static inline __attribute__((always_inline)) unsigned lanes_avx2(const uint32_t *leaf, uint32_t first,
                                                                        float u, float v, unsigned *sure) {
    leaf_view view = view_of(leaf);
    __m256 pu = _mm256_set1_ps(u), pv = _mm256_set1_ps(v), x[3], y[3];
    for (int c = 0; c < 3; c++) {
        x[c] = _mm256_sub_ps(_mm256_loadu_ps(view.x[c] + first), pu);
        y[c] = _mm256_sub_ps(_mm256_loadu_ps(view.y[c] + first), pv);
    }
    __m256 e0 = _mm256_fmsub_ps(x[0], y[1], _mm256_mul_ps(y[0], x[1]));
    __m256 e1 = _mm256_fmsub_ps(x[1], y[2], _mm256_mul_ps(y[1], x[2]));
    __m256 e2 = _mm256_fmsub_ps(x[2], y[0], _mm256_mul_ps(y[2], x[0]));
    __m256 least = _mm256_min_ps(e0, _mm256_min_ps(e1, e2));
    __m256 doubt = _mm256_set1_ps(view.doubt), minus = _mm256_set1_ps(-view.doubt);
    unsigned lanes = lanes_from(&view, first);
    *sure = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(least, doubt, _CMP_GT_OQ)) & lanes;
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(least, minus, _CMP_GE_OQ)) & lanes;
}

TARGET static unsigned test_avx2(const uint32_t *leaf, uint32_t first, float u, float v, unsigned *sure) {
    return lanes_avx2(leaf, first, u, v, sure);
}

#define NAME(f) f##_avx2
#include "mesh/k_nest_drop.h"
#endif

const lf__nest_kernels *lf__nest_kernels_for(lf_isa isa) {
#if defined(__x86_64__)
    if (isa >= LF_ISA_AVX2)
        return &kernels_avx2;
#endif
    (void)isa;
    return &kernels_scalar;
}
