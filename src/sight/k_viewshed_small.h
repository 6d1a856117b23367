/// Small viewsheds by vectors: one target per lane (viewshed_small.h).
///
/// k_viewshed_small.c includes this file once for each width, with BINS_LANES (8 or 16) and BINS_TARGET defined.

#define BINS_JOIN(name, lanes) small_##name##_##lanes
#define BINS_JOIN_ALL(name, lanes) BINS_JOIN(name, lanes)
#define BINS(name) BINS_JOIN_ALL(name, BINS_LANES)

/// For functions whose flags are constants at the call.
#define BINS_EACH BINS_TARGET __attribute__((always_inline)) static inline

#include "sight/k_viewshed_lanes.h"

#define VEC BINS(vec)
#define MASK BINS(mask)

#if BINS_LANES == 16
#define SMALL_INDEX __m512i
#define SMALL_WHOLE(x) _mm512_cvtps_epi32(x)
#define SMALL_FIRST(i) _mm_cvtsi128_si32(_mm512_castsi512_si128(i))
#define SMALL_FROM(i, first) _mm512_sub_epi32(i, _mm512_set1_epi32(first))
#define SMALL_FETCH(p, i) _mm512_permutexvar_ps(i, _mm512_loadu_ps(p))
#define SMALL_FETCH_PAIR(p, i) _mm512_permutex2var_ps(_mm512_loadu_ps(p), i, _mm512_loadu_ps((p) + 16))
#define SMALL_GATHER(p, i) _mm512_i32gather_ps(i, p, 4)
#define SMALL_STORE(p, x) _mm512_storeu_ps(p, x)
#define SMALL_HALF(x) _mm256_max_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1))
#else
#define SMALL_INDEX __m256i
#define SMALL_WHOLE(x) _mm256_cvtps_epi32(x)
#define SMALL_FIRST(i) _mm_cvtsi128_si32(_mm256_castsi256_si128(i))
#define SMALL_FROM(i, first) _mm256_sub_epi32(i, _mm256_set1_epi32(first))
#define SMALL_FETCH(p, i) _mm256_permutevar8x32_ps(_mm256_loadu_ps(p), i)
#define SMALL_FETCH_PAIR(p, i) SMALL_GATHER(p, i)
#define SMALL_GATHER(p, i) lf__simd_gather(p, i)
#define SMALL_STORE(p, x) _mm256_storeu_ps(p, x)
#define SMALL_HALF(x) (x)
#endif

/// A mask as bits.
#define SMALL_BITS(m) ((uint32_t)M_BITS(m))

// ---------------------------------------------------------------------------------------------------
// The tile
// ---------------------------------------------------------------------------------------------------

/// Lowering / x.
BINS_EACH VEC BINS(less_of)(const lf__small_ring *ring, VEC b, int degree) {
    VEC less = V_SET(ring->less[degree]);
    for (int j = degree - 1; j >= 0; j--)
        less = V_FMA(less, b, V_SET(ring->less[j]));
    return less;
}

/// The lanes of a from the second on, and the first of b.
BINS_EACH VEC BINS(next_of)(VEC a, VEC b) {
#if BINS_LANES == 16
    return _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(b), _mm512_castps_si512(a), 1));
#else
    return V_IF(V_LESS(V_SET(BINS_LANES - 1.5f), V_LANES), V_SET(V_FIRST(b)), V_NEXT(a));
#endif
}

BINS_EACH MASK BINS(is_there)(VEC slope) {
    return V_LESS(V_SET(LF__VOID_LIMIT), slope);
}

/// The greatest of each of three vectors, at once.
BINS_EACH lf__small_sizes BINS(greatest)(VEC slope, VEC step, VEC across) {
#if LF__X86
    __m256 a = SMALL_HALF(slope), b = SMALL_HALF(step), c = SMALL_HALF(across);
    __m256 pairs = _mm256_max_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b)), // a b a b
        last = _mm256_max_ps(c, _mm256_permute_ps(c, _MM_SHUFFLE(1, 0, 3, 2)));
    __m256 fours = _mm256_max_ps(_mm256_shuffle_ps(pairs, last, _MM_SHUFFLE(1, 0, 1, 0)),
                                 _mm256_shuffle_ps(pairs, last, _MM_SHUFFLE(0, 1, 3, 2)));
    float all[4];
    _mm_storeu_ps(all, _mm_max_ps(_mm256_castps256_ps128(fours), _mm256_extractf128_ps(fours, 1)));
    return (lf__small_sizes){all[0], all[1], all[2]};
#else
    return (lf__small_sizes){V_GREATEST(slope), V_GREATEST(step), V_GREATEST(across)};
#endif
}

/// Slopes, and their sizes. The last height is repeated in what is left of the last vector.
BINS_EACH lf__small_sizes BINS(slopes)(lf__small *s, int r, int degree, bool voids) {
    const lf__small_ring *ring = &s->ring[r];
    const lf__sector *sector = s->sector;
    const float *before = s->slope[r > 0 ? r - 1 : 0];
    float *slope = s->slope[r];
    VEC per_x = V_SET(ring->per_x), t0 = V_SET((float)sector->tilt[0]),
        t1 = V_SET((float)sector->tilt[1] * ring->per_x), lanes = V_LANES, zero = V_SET(0);
    VEC size = zero, step = zero, across = zero, prior = zero;
    // Of the ring before, which begins no later but may end elsewhere, the rows that both have.
    int end = r > 0 && ring[-1].last < ring->last ? ring[-1].last : ring->last;
    SMALL_STORE(&s->raw[ring->last + 1], V_SET(s->raw[ring->last]));
    for (int k = ring->first; k <= ring->last; k += BINS_LANES) {
        VEC b = V_ADD(V_SET((float)((double)k - s->ob)), lanes), inner = V_LOAD(&before[k]);
        VEC here = V_FMS(V_LOAD(&s->raw[k]), per_x, V_FMA(t1, b, t0));
        SMALL_STORE(&slope[k], here);
        SMALL_STORE(&s->lowered[k], V_SUB(here, BINS(less_of)(ring, b, degree)));
        VEC apart = V_ABS(V_SUB(BINS(next_of)(prior, here), prior));
        MASK old = V_LESS(lanes, V_SET((float)(end - k + 1)));
        if (voids) {
            MASK is = BINS(is_there)(here);
            apart = V_ONLY(M_AND(BINS(is_there)(prior), BINS(is_there)(BINS(next_of)(prior, here))), apart);
            old = M_AND(old, M_AND(is, BINS(is_there)(inner)));
            size = V_MAX(size, V_ONLY(is, V_ABS(here)));
        } else {
            size = V_MAX(size, V_ABS(here));
        }
        if (k > ring->first)
            step = V_MAX(step, apart);
        across = V_MAX(across, V_ONLY(old, V_ABS(V_SUB(here, inner))));
        prior = here;
    }
    // Within the last vector.
    VEC next = V_NEXT(prior), apart = V_ABS(V_SUB(next, prior));
    MASK both = V_LESS(lanes, V_SET(BINS_LANES - 1.5f));
    if (voids)
        both = M_AND(both, M_AND(BINS(is_there)(prior), BINS(is_there)(next)));
    step = V_MAX(step, V_ONLY(both, apart));
    return BINS(greatest)(size, step, r > 0 ? across : zero);
}

/// Samples of a row that are counted from a first one: less than a vector, two vectors or any number of rows apart.
BINS_EACH VEC BINS(fetch)(const float *rows, SMALL_INDEX row, int vectors) {
    return vectors == 1   ? SMALL_FETCH(rows, row)
           : vectors == 2 ? SMALL_FETCH_PAIR(rows, row)
                          : SMALL_GATHER(rows, row);
}

/// Set which rows of a ring are voids; false: none.
BINS_EACH bool BINS(find_voids)(lf__small *s, int r, uint64_t fans) {
    int first = s->ring[r].first, last = s->ring[r].last;
    uint64_t *words = s->void_rows[r], any = 0;
    memset(words, 0, sizeof s->void_rows[r]);
    if (!fans) // no line is beside one
        return false;
    for (int k = first & -BINS_LANES; k <= last; k += BINS_LANES)
        words[k >> 6] |= (uint64_t)SMALL_BITS(V_LESS(V_LOAD(&s->slope[r][k]), V_SET(LF__VOID_LIMIT)))
                         << (k & 63);
    words[first >> 6] &= UINT64_MAX << (first & 63);
    words[last >> 6] &= UINT64_MAX >> (63 - (last & 63));
    for (int k = first >> 6; k <= last >> 6; k++)
        any |= words[k];
    return any != 0;
}

/// The highest and the lowest of the samples that lines of each fan may cross a ring beside; returns those beside voids.
BINS_EACH uint64_t BINS(find_fans)(lf__small *s, int r, int vectors, int many) {
    const lf__small_ring *ring = &s->ring[r];
    uint64_t voids = 0;
    VEC least = V_SET((float)ring->first), greatest = V_SET((float)(ring->last - many + 1)),
        start = V_SET((float)s->ob - LF__SMALL_WIDER), per_fan = V_SET(ring->x / LF__SMALL_FANS);
    for (int k = ring->fan_first & -BINS_LANES; k <= ring->fan_last; k += BINS_LANES) {
        VEC place = V_FMA(V_ADD(V_LANES, V_SET((float)k)), per_fan, start);
        SMALL_INDEX row = SMALL_WHOLE(V_FLOOR(V_MIN(V_MAX(place, least), greatest)));
        int first = SMALL_FIRST(row);
        row = SMALL_FROM(row, first);
        const float *rows = &s->lowered[first];
        VEC crest = BINS(fetch)(rows, row, vectors), dip = crest;
        for (int j = 1; j < many; j++) {
            VEC next = BINS(fetch)(rows + j, row, vectors);
            crest = V_MAX(crest, next);
            dip = V_MIN(dip, next);
        }
        SMALL_STORE(&s->top[r][k], crest);
        SMALL_STORE(&s->dip[r][k], dip);
        voids |= (uint64_t)SMALL_BITS(V_LESS(dip, V_SET(LF__VOID_LIMIT))) << k;
    }
    return voids;
}

BINS_EACH void BINS(fill_degree)(lf__small *s, int r, int degree) {
    lf__small_ring *ring = &s->ring[r];
    float apart = ring->x * (float)(BINS_LANES - 1) / LF__SMALL_FANS + 1.01f;
    int many = lf__small_window(ring->x);
    bool voids = s->sweep->voids;
    uint64_t fans;
    ring->sizes = voids ? BINS(slopes)(s, r, degree, true) : BINS(slopes)(s, r, degree, false);
    if (apart < BINS_LANES && many == 3)
        fans = BINS(find_fans)(s, r, 1, 3);
    else if (apart < 2 * BINS_LANES)
        fans = BINS(find_fans)(s, r, 2, many);
    else
        fans = BINS(find_fans)(s, r, 3, many);
    ring->voids = voids && BINS(find_voids)(s, r, fans) ? fans : 0;
}

BINS_TARGET static void BINS(fill)(lf__small *s, int r) {
    if (s->degree == 2) {
        BINS(fill_degree)(s, r, 2);
    } else {
        small_less(s, r);
        BINS(fill_degree)(s, r, LF__SERIES_USED);
    }
}

/// An edge of a ring is ground if a triangle beside it is: where the samples of the next ring have heights too, it is.
BINS_TARGET static void BINS(raise)(lf__small *s, int r) {
    const lf__small_ring *ring = &s->ring[r];
    const float *before = r > 0 ? s->most[r - 1] : s->none, *low = r > 0 ? s->low[r - 1] : s->none;
    VEC rounding = V_SET(0x1p-20f), above = V_SET(ring->above), below = V_SET(ring->below);
    for (int k = ring[1].fan_first & -BINS_LANES; k <= ring[1].fan_last; k += BINS_LANES) {
        VEC top = V_MAX(V_LOAD(&s->top[r][k]), V_LOAD(&s->top[r + 1][k])), dip = V_LOAD(&s->dip[r][k]);
        MASK is = BINS(is_there)(V_LOAD(&s->dip[r + 1][k]));
        top = V_ADD(top, V_FMA(V_ABS(top), rounding, above));
        dip = V_IF(is, V_SUB(dip, V_FMA(V_ABS(dip), rounding, below)), V_SET(-LF__FAR_SLOPE));
        SMALL_STORE(&s->top[r][k], top);
        SMALL_STORE(&s->most[r][k], V_MAX(V_LOAD(&before[k]), top));
        SMALL_STORE(&s->low[r][k], V_MAX(V_LOAD(&low[k]), dip));
    }
    if ((r & 3) < 3)
        return;
    for (int k = ring[1].fan_first & -BINS_LANES; k <= ring[1].fan_last; k += BINS_LANES) {
        VEC inner = V_MAX(V_LOAD(&s->top[r - 3][k]), V_LOAD(&s->top[r - 2][k])),
            outer = V_MAX(V_LOAD(&s->top[r - 1][k]), V_LOAD(&s->top[r][k]));
        SMALL_STORE(&s->top_of_four[r >> 2][k], V_MAX(inner, outer));
    }
}

// ---------------------------------------------------------------------------------------------------
// Targets
// ---------------------------------------------------------------------------------------------------

/// Targets and their lines.
typedef struct BINS(targets) {
    lf__small *s;
    int r, row; ///< the ring, and the row of the first one
    VEC v, base, metric;
    VEC least;       ///< lowered ground below this slope is not in the way
    VEC hidden;      ///< and above this one hides
    VEC over;        ///< up to this distance, lines are above all voids
    SMALL_INDEX fan; ///< counted from the first
    int fan_first,
        fan_vectors;    ///< the first one, and how many vectors of fans there are from it on: 1, 2 or more
    uint64_t fans;      ///< as bits
    float v0, per_x;    ///< the first direction, and the step to the next
    float ob0, ob1;     ///< where they would begin: rows, with the samples on both sides and the next ones
    float off;          ///< rounding error of lines, as a slope
    uint32_t alive;     ///< not hidden
    uint32_t near;      ///< ground may be in the way
    uint32_t near_void; ///< a void may be
    uint32_t behind;    ///< a void is in the way
} BINS(targets);

/// Values of the fans of the targets.
BINS_EACH VEC BINS(of_fans)(const BINS(targets) * t, const float *fans) {
    fans += t->fan_first;
#if BINS_LANES == 16
    if (t->fan_vectors == 1)
        return SMALL_FETCH(fans, t->fan);
    VEC near = SMALL_FETCH_PAIR(fans, t->fan);
    if (t->fan_vectors == 2)
        return near;
    return V_IF(_mm512_test_epi32_mask(t->fan, _mm512_set1_epi32(32)), SMALL_FETCH_PAIR(fans + 32, t->fan),
                near);
#else
    return SMALL_GATHER(fans, t->fan);
#endif
}

/// Where lines cross a ring, and how far its samples are above them, as slopes.
typedef struct BINS(crossing) {
    VEC whole, share, low, high;
    const float *slope; ///< of the sample before the first line
    SMALL_INDEX row;    ///< counted from that
} BINS(crossing);

/// Neighbours cross a ring less than a row apart: as many consecutive samples as lanes are enough.
BINS_EACH BINS(crossing) BINS(cross)(const BINS(targets) * t, int k) {
    const lf__small *s = t->s;
    VEC x = V_SET(s->ring[k].x), place = V_FMA(t->v, x, V_SET((float)s->ob)), whole = V_FLOOR(place);
    VEC line = V_FMA(t->metric, x, t->base);
    SMALL_INDEX row = SMALL_WHOLE(whole);
    int first = SMALL_FIRST(row);
    row = SMALL_FROM(row, first);
    const float *slope = &s->slope[k][first];
    return (BINS(crossing)){whole,
                            V_SUB(place, whole),
                            V_SUB(SMALL_FETCH(slope, row), line),
                            V_SUB(SMALL_FETCH(slope + 1, row), line),
                            slope,
                            row};
}

BINS_EACH VEC BINS(level)(const BINS(crossing) * c) {
    return V_FMA(c->share, V_SUB(c->high, c->low), c->low);
}

/// The edge that is crossed between two rings, of which `now` is the second.
typedef struct BINS(edge) {
    MASK step; ///< from the higher sample to the lower one; otherwise the other way around
    VEC from, to;
    VEC above; ///< of the line where it is crossed, times a weight of at most 1
} BINS(edge);

/// By the distances of the crossing from both ends along the rings, times those of the rings: their sum is at most x.
BINS_EACH BINS(edge)
    BINS(cross_edge)(const BINS(crossing) * before, const BINS(crossing) * now, float ratio) {
    BINS(edge) e;
    VEC one = V_SET(1);
    e.step = V_DIFFER(before->whole, now->whole);
    e.from = V_IF(e.step, before->high, before->low);
    e.to = V_IF(e.step, now->low, now->high);
    VEC from_off = V_IF(e.step, V_SUB(one, before->share), before->share),
        to_off = V_IF(e.step, now->share, V_SUB(one, now->share));
    e.above = V_FMA(V_MUL(e.from, to_off), V_SET(ratio), V_MUL(e.to, from_off));
    return e;
}

/// Note that a ring, or the strip behind it, decides targets: by its ground, or by its voids.
BINS_EACH void BINS(note)(BINS(targets) * t, int ring, uint32_t ground, uint32_t voids) {
    lf__small_found *f = &t->s->found;
    f->near_ring[f->near_count] = ring;
    f->near_ground[f->near_count] = ground;
    f->near_bits[f->near_count++] = ground | voids;
}

#include "sight/k_viewshed_small_voids.h"

/// A ring and the strip behind it; `voids`: some of the samples beside the lines may be voids.
BINS_EACH void BINS(meet)(BINS(targets) * t, int k, const BINS(crossing) * before, const BINS(crossing) * now,
                          bool voids) {
    const lf__small_ring *ring = &t->s->ring[k];
    if (voids) {
        uint32_t all = BINS(pairs)(before) & BINS(pairs)(now) & BINS(between)(before) & BINS(between)(now);
        if (~all & t->alive) {
            BINS(meet_beside_voids)(t, k, before, now);
            return;
        }
    }
    VEC above = V_MAX(BINS(level)(before), BINS(cross_edge)(before, now, ring[1].ratio).above);
    t->alive &= ~SMALL_BITS(V_LESS(V_SET(ring->hides + t->off), above));
    uint32_t near = SMALL_BITS(V_LESS(V_SET(-(ring->clears + t->off)), above)) & t->alive;
    if (near)
        BINS(note)(t, k, near, 0);
    t->near |= near;
}

/// The ring before the targets' own, and the last piece of ground, which ends at the target. A line sags towards it,
/// by at most its metric.
BINS_EACH void BINS(meet_last)(BINS(targets) * t, const BINS(crossing) * c, bool voids) {
    const lf__small *s = t->s;
    const lf__small_ring *ring = &s->ring[t->r - 1];
    VEC level = BINS(level)(c), sag = V_SET(0);
    if (!s->raised)
        sag = V_MUL(V_ADD(V_SET(s->target), t->metric), V_SET(1.00001f * ring->per_x));
    uint32_t hidden = SMALL_BITS(V_LESS(V_SET(ring->hides + t->off), level)),
             near = SMALL_BITS(V_LESS(V_SET(-(ring->clears + t->off)), V_ADD(level, sag)));
    uint32_t unclear = 0;
    if (voids && ring->voids & t->fans && BINS(voids_beside)(t, t->r - 1, t->alive)) {
        unclear = BINS(meet_last_of_voids)(t, c, sag, &hidden, &near) & t->alive;
    }
    t->alive &= ~hidden;
    near &= t->alive;
    if (near | unclear)
        BINS(note)(t, t->r - 1, near, unclear);
    t->near |= near;
    t->near_void |= unclear;
}

/// May ground below these bounds of fans be in the way?
BINS_EACH bool BINS(reaches)(const BINS(targets) * t, const float *most) {
    return (~SMALL_BITS(V_LESS(BINS(of_fans)(t, most), t->least)) & t->alive) != 0;
}

/// From the targets' own ring towards the observer.
BINS_EACH void BINS(walk)(BINS(targets) * t, bool near, bool voids) {
    lf__small *s = t->s;
    BINS(crossing) now = BINS(cross)(t, t->r - 1);
    int at = t->r - 1;
    BINS(meet_last)(t, &now, voids);
    if (!t->alive || t->r < 2 ||
        (!near && !(voids && s->ring[t->r - 2].all_voids & t->fans && BINS(unknown)(t, s->ring[t->r - 1].x))))
        return;
    bool outer = voids && BINS(voids_beside)(t, t->r - 1, t->alive); // voids on the ring behind
    uint32_t high = UINT32_MAX; // targets that the ring behind, or its strip, may reach
    for (int k = t->r - 2; k >= 0 && t->alive; k--) {
        const lf__small_ring *ring = &s->ring[k];
        uint32_t unknown = voids && ring->all_voids & t->fans ? BINS(unknown)(t, ring[1].x) : 0;
        if ((k & 3) == 3 && !unknown && !BINS(reaches)(t, s->top_of_four[k >> 2])) {
            if (k < 4 || !BINS(reaches)(t, s->most[k - 4]))
                return;
            outer = voids; // or not
            k -= 3;
            continue;
        }
        bool beside = false;
        if (voids && ring->voids & t->fans) {
            bool inner = BINS(voids_beside)(t, k, t->alive);
            beside = inner || outer;
            outer = inner;
        }
        bool looks = beside && unknown;
        if (looks && unknown != t->alive)
            looks = BINS(voids_beside)(t, k, unknown) || BINS(voids_beside)(t, k + 1, unknown);
        if (!looks && !(near && BINS(reaches)(t, s->top[k]))) {
            near = near && BINS(reaches)(t, s->most[k]);
            if (!near && !unknown)
                return;
            continue;
        }
        if (at != k + 1) {
            now = BINS(cross)(t, k + 1);
            high = BINS(not_clear)(t, k + 1, &now, V_SET(0));
        }
        BINS(crossing) before = BINS(cross)(t, k);
        uint32_t low = BINS(not_clear)(t, k, &before, V_SET(0));
        if (looks || (high | low) & t->alive)
            BINS(meet)(t, k, &before, &now, beside);
        now = before;
        high = low;
        at = k;
    }
}

/// Fans of the targets of a ring from a row on, as bits.
BINS_EACH uint64_t BINS(fans_of)(const lf__small *s, int r, int row, int count) {
    float per_x = LF__SMALL_FANS * s->ring[r].per_x, first = (float)((double)row - s->ob);
    int low = (int)(first * per_x - LF__SMALL_WIDER),
        high = (int)((first + (float)(count - 1)) * per_x + LF__SMALL_WIDER);
    low = low < 0 ? 0 : low > LF__SMALL_FANS - 1 ? LF__SMALL_FANS - 1 : low;
    high = high > LF__SMALL_FANS - 1 ? LF__SMALL_FANS - 1 : high;
    return ((uint64_t)2 << high) - ((uint64_t)1 << low);
}

/// Lines to the targets of a ring from a row on.
BINS_EACH BINS(targets) BINS(start)(lf__small *s, int r, int row, int count, bool voids) {
    const lf__small_ring *own = &s->ring[r];
    VEC b = V_ADD(V_SET((float)((double)row - s->ob)), V_LANES), per_x = V_SET(own->per_x);
    VEC slope = V_LOAD(&s->slope[r][row]),
        less = s->degree == 2 ? BINS(less_of)(own, b, 2) : BINS(less_of)(own, b, LF__SERIES_USED);
    BINS(targets) t = {.s = s, .r = r, .row = row, .off = own->target_off};
    t.v = V_MUL(b, per_x);
    t.v = V_FMA(V_FNMA(t.v, V_SET(own->x), b), per_x, t.v); // rounded once: exactly 1 along a diagonal
    t.base = V_SUB(V_ADD(slope, V_SET(s->target * own->per_x)), less);
    t.metric = V_MUL(less, per_x);
    t.alive = (uint32_t)(((uint64_t)1 << count) - 1);
    if (s->voids)
        t.alive &= SMALL_BITS(BINS(is_there)(slope));
    t.least = V_SUB(t.base, V_SET(own->target_least));
    t.hidden = V_ADD(t.base, V_SET(own->target_most));
    VEC fan = V_FLOOR(V_MIN(V_MAX(V_MUL(t.v, V_SET(LF__SMALL_FANS)), V_SET(0)), V_SET(LF__SMALL_FANS - 1)));
    t.fan = SMALL_WHOLE(fan);
#if BINS_LANES == 16
    float apart = (float)(count - 1) * LF__SMALL_FANS * own->per_x + 1.01f;
    t.fan_vectors = apart < BINS_LANES ? 1 : apart < 2 * BINS_LANES ? 2 : 3;
    t.fan_first = t.fan_vectors < 3 ? SMALL_FIRST(t.fan) : 0;
    t.fan = SMALL_FROM(t.fan, t.fan_first);
#endif
    if (voids)
        t.fans = BINS(fans_of)(s, r, row, count);
    t.v0 = (float)((double)row - s->ob) * own->per_x;
    t.per_x = own->per_x;
    t.ob0 = (float)s->ob - 1.01f;
    t.ob1 = (float)s->ob + 2.01f;
    return t;
}

BINS_EACH void BINS(test_targets)(lf__small *s, int r, int row, int count, bool voids) {
    BINS(targets) t = BINS(start)(s, r, row, count, voids);
    lf__small_found *f = &s->found;
    f->visible = f->open = f->behind_void = f->near = 0;
    f->near_count = 0;
    t.alive &= ~SMALL_BITS(V_LESS(t.hidden, BINS(of_fans)(&t, s->low[r - 1])));
    if (!t.alive)
        return;
    bool near = r > 1 && BINS(reaches)(&t, s->most[r - 2]);
    t.over = voids ? BINS(over_voids)(&t) : V_SET(0);
    BINS(walk)(&t, near, voids);
    f->open = (t.near | (t.near_void & ~t.behind)) & t.alive;
    f->visible = t.alive & ~f->open;
    f->behind_void = t.behind;
    VEC least = V_SUB(t.base, V_SET(s->ring[r].target_near));
    f->near = ~SMALL_BITS(V_LESS(V_SET(s->near_most), least)) & t.alive;
    if (f->near || s->near_voids) {
        SMALL_STORE(f->v, t.v);
        SMALL_STORE(f->least, least);
    }
}

/// Are there no voids in the way of targets?
BINS_EACH bool BINS(are_clear)(const lf__small *s, int r, int row, int count) {
    const lf__small_ring *own = &s->ring[r];
    float first = (float)((double)row - s->ob), last = first + (float)(count - 1);
    return (own[-1].clear_low <= first * own->per_x && last * own->per_x <= own[-1].clear_high) ||
           !(own[-1].all_voids & BINS(fans_of)(s, r, row, count));
}

/// A function of its own: the usual path needs fewer registers.
BINS_TARGET __attribute__((noinline)) static void BINS(test_beside_voids)(lf__small *s, int r, int row,
                                                                          int count) {
    BINS(test_targets)(s, r, row, count, true);
}

BINS_TARGET static void BINS(test)(lf__small *s, int r, int row, int count) {
    if (s->ring[r - 1].all_voids && !BINS(are_clear)(s, r, row, count))
        BINS(test_beside_voids)(s, r, row, count);
    else
        BINS(test_targets)(s, r, row, count, false);
}

#undef BINS_JOIN
#undef BINS_JOIN_ALL
#undef BINS
#undef BINS_EACH
#undef VEC
#undef MASK
#undef SMALL_INDEX
#undef SMALL_WHOLE
#undef SMALL_FIRST
#undef SMALL_FROM
#undef SMALL_FETCH
#undef SMALL_FETCH_PAIR
#undef SMALL_GATHER
#undef SMALL_STORE
#undef SMALL_HALF
#undef SMALL_BITS
#undef BINS_LANES
#undef BINS_TARGET
