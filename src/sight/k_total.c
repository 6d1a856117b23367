/// The loop of the total viewshed: sixteen observers of a row look along one azimuth. Compiled for any machine and for AVX2, and written
/// for AVX-512, where one register holds all of them. The same operations in the same order, so the same bits.
#include "sight/total.h"
#include <math.h>
#include <string.h>
#if LF__X86
#include <immintrin.h>
#endif

#if defined(__GNUC__)

/// Half of the lanes: what one register of AVX2 holds.
#define HALF (LF__TOTAL_LANES / 2)

typedef float total_lanes __attribute__((vector_size(4 * HALF)));
typedef int32_t masks __attribute__((vector_size(4 * HALF)));

#define TOTAL_ALWAYS static inline __attribute__((always_inline))

/// What half of the observers have seen so far.
typedef struct half {
    total_lanes eye, most; ///< height; greatest slope
    total_lanes area, moment, last;
} half;

TOTAL_ALWAYS void half_start(half *h, const float *eyes) {
    memcpy(&h->eye, eyes, sizeof h->eye);
    h->most = h->eye - h->eye - INFINITY; // NAN for voids, from which nothing is seen
    h->area = h->moment = h->last = (total_lanes){0};
}

/// Can ground of this height be seen by any of them between two places?
TOTAL_ALWAYS bool may_see(const half *a, const half *b, float height, const lf__total_crossing *near,
                          const lf__total_crossing *far) {
    float drop = near->drop < far->drop ? near->drop : far->drop;
    total_lanes up_a = height - a->eye, up_b = height - b->eye;
    masks seen = (up_a * near->inverse - drop >= a->most) | (up_a * far->inverse - drop >= a->most) |
                 (up_b * near->inverse - drop >= b->most) | (up_b * far->inverse - drop >= b->most);
    int64_t words[HALF / 2], all = 0;
    memcpy(words, &seen, sizeof words);
    for (int k = 0; k < HALF / 2; k++)
        all |= words[k];
    return all != 0;
}

/// How far the ground of a crossing is above the observers. Vectors are not passed as values: the calling convention would depend on the
/// instruction set.
TOTAL_ALWAYS void rise_of(const half *h, const lf__total_crossing *at, const float *samples,
                          total_lanes *rise) {
    total_lanes a, b;
    memcpy(&a, samples + at->a, sizeof a);
    memcpy(&b, samples + at->b, sizeof b);
    *rise = a + at->f * (b - a) - h->eye;
}

/// Ground that is so far above the observers hides what is behind it.
TOTAL_ALWAYS void half_raise(half *h, const total_lanes *rise, const lf__total_crossing *at) {
    total_lanes slope = *rise * at->inverse - at->drop;
    masks higher = slope > h->most;
    h->most = (total_lanes)((higher & (masks)slope) | (~higher & (masks)h->most));
}

TOTAL_ALWAYS void half_look(half *h, const lf__total_place *place, const float *samples, float target,
                            float number) {
    total_lanes rise, zero = {0};
    if (place->crosses) {
        rise_of(h, &place->before, samples, &rise);
        half_raise(h, &rise, &place->before);
    }
    rise_of(h, &place->at, samples, &rise);
    masks visible = (rise + target) * place->at.inverse - place->at.drop >= h->most;
    h->area += (total_lanes)(visible & (masks)(place->area + zero));
    h->moment += (total_lanes)(visible & (masks)(place->moment + zero));
    h->last = (total_lanes)((visible & (masks)(number + zero)) | (~visible & (masks)h->last));
    half_raise(h, &rise, &place->at);
}

/// The bound of the heights of a chunk.
TOTAL_ALWAYS float chunk_bound(const lf__total_line *line, int64_t first, int64_t last) {
    int64_t along = line->back ? -(last + 1) : first + 1,
            beside = line->places[line->drift < 0 ? last : first].beside;
    int64_t column = line->column + (line->swap ? beside : along),
            row = line->row + (line->swap ? along : beside);
    return line->bounds[(int64_t)((uint64_t)row / LF__TOTAL_SQUARE) * line->bound_columns +
                        (int64_t)((uint64_t)column / LF__TOTAL_SQUARE)];
}

TOTAL_ALWAYS void look(const lf__total_line *line, const float *samples, const float *eyes,
                       lf__total_sums *sums) {
    half a, b;
    half_start(&a, eyes);
    half_start(&b, eyes + HALF);
    float target = line->target;
    for (int64_t first = 0; first < line->count; first += LF__TOTAL_CHUNK) {
        int64_t end = first + LF__TOTAL_CHUNK < line->count ? first + LF__TOTAL_CHUNK : line->count;
        const lf__total_place *start = &line->places[first], *far = &line->places[end - 1];
        // What lies before the first place of a chunk is behind the last one of the chunk before.
        const lf__total_crossing *near = &(first > 0 ? start - 1 : start)->at;
        if (!may_see(&a, &b, chunk_bound(line, first, end - 1) + line->above, near, &far->at)) {
            if (!may_see(&a, &b, line->highest + line->above, near, &line->places[line->count - 1].at))
                break;
            continue;
        }
        float number = (float)first;
        for (const lf__total_place *place = start; place <= far; place++) {
            number += 1;
            half_look(&a, place, samples, target, number);
            half_look(&b, place, samples + HALF, target, number);
        }
    }
    memcpy(sums->area, &a.area, sizeof a.area);
    memcpy(sums->moment, &a.moment, sizeof a.moment);
    memcpy(sums->last, &a.last, sizeof a.last);
    memcpy(sums->area + HALF, &b.area, sizeof b.area);
    memcpy(sums->moment + HALF, &b.moment, sizeof b.moment);
    memcpy(sums->last + HALF, &b.last, sizeof b.last);
}

static void look_scalar(const lf__total_line *line, const float *samples, const float *eyes,
                        lf__total_sums *sums) {
    look(line, samples, eyes, sums);
}

#if LF__X86

__attribute__((target("avx2"))) static void look_avx2(const lf__total_line *line, const float *samples,
                                                      const float *eyes, lf__total_sums *sums) {
    look(line, samples, eyes, sums);
}

#define TOTAL_WIDE __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))

/// What sixteen observers have seen so far.
typedef struct wide {
    __m512 eye, most, area, moment, last;
} wide;

TOTAL_WIDE static inline __m512 wide_slope(__m512 rise, const lf__total_crossing *at) {
    return _mm512_sub_ps(_mm512_mul_ps(rise, _mm512_set1_ps(at->inverse)), _mm512_set1_ps(at->drop));
}

TOTAL_WIDE static inline bool wide_may_see(const wide *w, float height, const lf__total_crossing *near,
                                           const lf__total_crossing *far) {
    __m512 drop = _mm512_set1_ps(near->drop < far->drop ? near->drop : far->drop),
           up = _mm512_sub_ps(_mm512_set1_ps(height), w->eye);
    __m512 first = _mm512_sub_ps(_mm512_mul_ps(up, _mm512_set1_ps(near->inverse)), drop),
           second = _mm512_sub_ps(_mm512_mul_ps(up, _mm512_set1_ps(far->inverse)), drop);
    return (_mm512_cmp_ps_mask(first, w->most, _CMP_GE_OQ) |
            _mm512_cmp_ps_mask(second, w->most, _CMP_GE_OQ)) != 0;
}

TOTAL_WIDE static inline __m512 wide_rise(const wide *w, const lf__total_crossing *at, const float *samples) {
    __m512 a = _mm512_loadu_ps(samples + at->a), b = _mm512_loadu_ps(samples + at->b);
    __m512 between = _mm512_add_ps(a, _mm512_mul_ps(_mm512_set1_ps(at->f), _mm512_sub_ps(b, a)));
    return _mm512_sub_ps(between, w->eye);
}

/// _mm512_max_ps returns its second operand unless the first is greater: what the other kernels compute, also for NAN.
TOTAL_WIDE static inline void wide_look(wide *w, const lf__total_place *place, const float *samples,
                                        __m512 target, __m512 number) {
    if (place->crosses)
        w->most = _mm512_max_ps(wide_slope(wide_rise(w, &place->before, samples), &place->before), w->most);
    __m512 rise = wide_rise(w, &place->at, samples);
    __mmask16 visible =
        _mm512_cmp_ps_mask(wide_slope(_mm512_add_ps(rise, target), &place->at), w->most, _CMP_GE_OQ);
    w->area = _mm512_mask_add_ps(w->area, visible, w->area, _mm512_set1_ps(place->area));
    w->moment = _mm512_mask_add_ps(w->moment, visible, w->moment, _mm512_set1_ps(place->moment));
    w->last = _mm512_mask_mov_ps(w->last, visible, number);
    w->most = _mm512_max_ps(wide_slope(rise, &place->at), w->most);
}

TOTAL_WIDE static void look_avx512(const lf__total_line *line, const float *samples, const float *eyes,
                                   lf__total_sums *sums) {
    wide w = {.eye = _mm512_loadu_ps(eyes)};
    w.most = _mm512_sub_ps(_mm512_sub_ps(w.eye, w.eye), _mm512_set1_ps(INFINITY));
    w.area = w.moment = w.last = _mm512_setzero_ps();
    __m512 target = _mm512_set1_ps(line->target);
    for (int64_t first = 0; first < line->count; first += LF__TOTAL_CHUNK) {
        int64_t end = first + LF__TOTAL_CHUNK < line->count ? first + LF__TOTAL_CHUNK : line->count;
        const lf__total_place *start = &line->places[first], *far = &line->places[end - 1];
        const lf__total_crossing *near = &(first > 0 ? start - 1 : start)->at;
        if (!wide_may_see(&w, chunk_bound(line, first, end - 1) + line->above, near, &far->at)) {
            if (!wide_may_see(&w, line->highest + line->above, near, &line->places[line->count - 1].at))
                break;
            continue;
        }
        __m512 number = _mm512_set1_ps((float)first);
        for (const lf__total_place *place = start; place <= far; place++) {
            number = _mm512_add_ps(number, _mm512_set1_ps(1));
            wide_look(&w, place, samples, target, number);
        }
    }
    _mm512_storeu_ps(sums->area, w.area);
    _mm512_storeu_ps(sums->moment, w.moment);
    _mm512_storeu_ps(sums->last, w.last);
}

lf__total_kernel *lf__total_kernel_for(lf_isa isa) {
    if (isa >= LF_ISA_AVX512)
        return look_avx512;
    return isa >= LF_ISA_AVX2 ? look_avx2 : look_scalar;
}

#else

lf__total_kernel *lf__total_kernel_for(lf_isa isa) {
    (void)isa;
    return look_scalar;
}

#endif
#endif
