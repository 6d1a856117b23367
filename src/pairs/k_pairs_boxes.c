/// Looking into packed trees: plain, and with AVX2.
#include "pairs/pairs_boxes.h"

#define JOIN(a, b) a##b

// ---------------------------------------------------------------------------------------------------
// Plain
// ---------------------------------------------------------------------------------------------------

static inline unsigned lanes_scalar(const lf__flat_node *node, const lf__flat_box *box) {
    unsigned lanes = 0;
    for (unsigned i = 0; i < LF__FLAT_WIDTH; i++) {
        bool overlap = node->low[0][i] <= box->high[0] && box->low[0] <= node->high[0][i] &&
                       node->low[1][i] <= box->high[1] && box->low[1] <= node->high[1][i] &&
                       node->low[2][i] <= box->high[2] && box->low[2] <= node->high[2][i];
        lanes |= (unsigned)overlap << i;
    }
    return lanes;
}

#define NAMED(name) JOIN(name, _scalar)
#define LANES lanes_scalar
#define TARGET
#include "pairs/k_pairs_boxes_walk.h"
#undef NAMED
#undef LANES
#undef TARGET

static const lf__flat_kernels kernels_scalar = {query_scalar, join_scalar, scan_scalar};

// ---------------------------------------------------------------------------------------------------
// AVX2
// ---------------------------------------------------------------------------------------------------

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma,bmi")))

TARGET static inline unsigned lanes_avx2(const lf__flat_node *node, const lf__flat_box *box) {
    __m256 in = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (int k = 0; k < 3; k++) {
        __m256 low = _mm256_load_ps(node->low[k]), high = _mm256_load_ps(node->high[k]);
        in = _mm256_and_ps(in, _mm256_cmp_ps(low, _mm256_set1_ps(box->high[k]), _CMP_LE_OQ));
        in = _mm256_and_ps(in, _mm256_cmp_ps(_mm256_set1_ps(box->low[k]), high, _CMP_LE_OQ));
    }
    return (unsigned)_mm256_movemask_ps(in);
}

#define NAMED(name) JOIN(name, _avx2)
#define LANES lanes_avx2
#include "pairs/k_pairs_boxes_walk.h"
#undef NAMED
#undef LANES

static const lf__flat_kernels kernels_avx2 = {query_avx2, join_avx2, scan_avx2};
#endif

const lf__flat_kernels *lf__flat_kernels_for(lf_isa isa) {
#if defined(__x86_64__)
    if (isa >= LF_ISA_AVX2)
        return &kernels_avx2;
#endif
    (void)isa;
    return &kernels_scalar;
}
