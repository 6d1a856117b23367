/// Counting the values of a viewshed.
#include "base/k_simd.h"
#include "sight/viewshed.h"

#if LF__X86

/// Bytes that are looked at together: most are all hidden.
#define COUNT_EIGHT (8 * (int64_t)sizeof(__m256i))

LF__SIMD_TARGET static inline int64_t sum_of_lanes(__m256i x) {
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    return _mm_cvtsi128_si64(half) + _mm_extract_epi64(half, 1);
}

LF__SIMD_TARGET int64_t lf__viewshed_count_avx2(const uint8_t *bytes, int64_t count, int64_t counts[5]) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i sum[5] = {zero, zero, zero, zero, zero}; // that of 0 is what is left
    int64_t k = 0, others = 0;
    for (; k + COUNT_EIGHT <= count; k += COUNT_EIGHT) {
        __m256i x[8], any = zero, found[5] = {zero, zero, zero, zero, zero};
        for (int j = 0; j < 8; j++) {
            x[j] = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + k) + j);
            any = _mm256_or_si256(any, x[j]);
        }
        if (_mm256_testz_si256(any, any))
            continue;
        for (int j = 0; j < 8; j++)
            for (int value = 1; value < 5; value++)
                found[value] =
                    _mm256_sub_epi8(found[value], _mm256_cmpeq_epi8(x[j], _mm256_set1_epi8((char)value)));
        for (int value = 1; value < 5; value++)
            sum[value] = _mm256_add_epi64(sum[value], _mm256_sad_epu8(found[value], zero));
    }
    for (int value = 1; value < 5; value++) {
        int64_t found = sum_of_lanes(sum[value]);
        counts[value] += found;
        others += found;
    }
    counts[LF_VISIBILITY_HIDDEN] += k - others;
    return k;
}

#endif
