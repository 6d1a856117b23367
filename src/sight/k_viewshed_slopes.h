/// Slopes of samples of a ring by vectors of floats, with their size and the steps between them.
///
/// k_viewshed.c includes this file once for each width, with BINS_LANES (8 or 16) and BINS_TARGET defined.

#define BINS_JOIN(name, lanes) name##_##lanes
#define BINS_JOIN_ALL(name, lanes) BINS_JOIN(name, lanes)
#define BINS(name) BINS_JOIN_ALL(name, BINS_LANES)
#define BINS_EACH BINS_TARGET __attribute__((always_inline)) static inline

#include "sight/k_viewshed_lanes.h"

#define VEC BINS(vec)

/// Consecutive samples, upwards or downwards in memory. The flags are constants at the call.
BINS_EACH VEC BINS(samples_at)(const char *at, bool integers, bool down) {
#if BINS_LANES == 16
    if (integers) {
        __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)(down ? at - 30 : at));
        __m512 x = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(all));
        return down ? _mm512_permutexvar_ps(
                          _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), x)
                    : x;
    }
    __m512 x = _mm512_loadu_ps((const float *)(const void *)(down ? at - 60 : at));
    return down ? _mm512_permutexvar_ps(
                      _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), x)
                : x;
#else
    return eight_samples(at, integers, down);
#endif
}

/// `x` moved by one lane, the first of which is the last one of `before`.
BINS_EACH VEC BINS(moved)(VEC before, VEC x) {
#if BINS_LANES == 16
    return _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(x), _mm512_castps_si512(before), 15));
#else
    __m256i turn = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    return _mm256_blend_ps(_mm256_permutevar8x32_ps(x, turn), _mm256_permutevar8x32_ps(before, turn), 1);
#endif
}

/// At least as many samples as lanes; the last slope is repeated LF__SLOPES_SPARE times. `degree` is a constant at the call.
BINS_EACH void BINS(slopes_of)(const lf__slope_row *row, float *slope, float range[2], int degree,
                               bool integers, bool down) {
    VEC z = V_SET(row->base.height), per_a = V_SET((float)row->per_a), lanes = V_LANES,
        begin = V_SET((float)(row->first - (double)row->past)), c[LF__SERIES_USED + 1];
    for (int j = 0; j <= degree; j++)
        c[j] = V_SET(j == 0 ? row->base.less : (float)row->c[j]);
    VEC size = V_SET(0), step = size, x = size;
    int count = row->count;
    for (int k = 0; k < count; k += BINS_LANES) {
        VEC before = x;
        bool again = k + BINS_LANES > count; // the last ones, some of them twice
        k = again ? count - BINS_LANES : k;
        VEC here = V_ADD(V_SET((float)k + row->past), lanes), b = V_ADD(here, begin), less = c[degree];
        for (int j = degree - 1; j >= 2; j--)
            less = V_FMA(less, b, c[j]);
        less = V_FMA(V_MUL(less, b), b, V_FMA(c[1], here, c[0]));
        __builtin_prefetch(row->at + k * row->step + row->ahead);
        VEC height = V_SUB(BINS(samples_at)(row->at + k * row->step, integers, down), z);
        x = V_FMS(height, per_a, less);
        V_STORE(&slope[k], x);
        size = V_MAX(V_ABS(x), size); // NAN is skipped: max then returns its second operand
        before = k > 0 && !again ? before : V_SET(V_FIRST(x));
        step = V_MAX(V_ABS(V_SUB(x, BINS(moved)(before, x))), step);
    }
    float last = slope[count - 1];
    for (int k = 0; k < LF__SLOPES_SPARE; k += BINS_LANES)
        V_STORE(&slope[count + k], V_SET(last));
    range[0] = V_GREATEST(size);
    range[1] = V_GREATEST(step);
}

BINS_EACH void BINS(slopes_by_degree)(const lf__slope_row *row, float *slope, float range[2], bool integers,
                                      bool down) {
    if (row->degree == 2)
        BINS(slopes_of)(row, slope, range, 2, integers, down);
    else
        BINS(slopes_of)(row, slope, range, LF__SERIES_USED, integers, down);
}

/// Samples are next to each other in memory, and not fewer than lanes.
BINS_TARGET static void BINS(slopes)(const lf__slope_row *row, float *slope, float range[2]) {
    bool integers = row->type == LF_SAMPLE_INT16;
    if (integers && row->step > 0)
        BINS(slopes_by_degree)(row, slope, range, true, false);
    else if (integers)
        BINS(slopes_by_degree)(row, slope, range, true, true);
    else if (row->step > 0)
        BINS(slopes_by_degree)(row, slope, range, false, false);
    else
        BINS(slopes_by_degree)(row, slope, range, false, true);
}

#undef BINS_JOIN
#undef BINS_JOIN_ALL
#undef BINS
#undef BINS_EACH
#undef VEC
#undef BINS_LANES
#undef BINS_TARGET
