/// Vectors of 8 lanes (AVX2) or 16 (AVX-512) with their masks, and the height of rays over the surface in columns; for k_batch.c,
/// k_batch_wide.c, k_close.h and k_level.h. Kernels include this file after k_courses.h, with INLINE defined: vectors have twice as
/// many lanes as DOUBLES.

#undef WIDE_LANES
#undef WIDE_VECTORS
#undef WF
#undef WI
#undef WM
#undef F_SET
#undef F_LOAD
#undef F_LOADU
#undef F_STORE
#undef F_MIN
#undef F_MAX
#undef F_ABS
#undef F_FLOOR
#undef F_FMA
#undef F_FNMA
#undef F_IF
#undef F_COMPARE
#undef F_PERMUTE
#undef F_OF
#undef F_JOIN
#undef I_SET
#undef I_CLAMP
#undef I_OF
#undef I_LOADU
#undef I_ADD
#undef I_SUB
#undef I_MUL
#undef I_AND
#undef I_OR
#undef I_XOR
#undef I_MIN
#undef I_MAX
#undef I_UP
#undef I_DOWN
#undef I_IF
#undef I_GT
#undef I_NEGATIVE
#undef I_PERMUTE
#undef I_LANES
#undef I_JOIN
#undef I_OF_BITS
#undef F_OF_BITS
#undef I_LOAD
#undef W_AND
#undef W_OR
#undef W_WITHOUT
#undef W_BITS
#undef W_OF_BITS
#undef D_OF_LANES
#undef F_LT
#undef F_LE
#undef F_GE
#undef F_GT
#undef F_NE
#undef W_ALL
#undef W_NONE

/// Lanes of a vector, and vectors of the sixteen rays that are read at once.
#define WIDE_LANES (2 * DOUBLES)
#define WIDE_VECTORS (16 / WIDE_LANES)

// F: floats. I: integers. W: masks, of which AVX2 has vectors where the sign bit decides. F_IF, I_IF: b
// there, else a. I_NEGATIVE: the mask of negative numbers. I_JOIN, F_JOIN: half of the lanes from each
// address. D_OF_LANES: half of the lanes as doubles.
#if DOUBLES == 8
#define WF __m512
#define WI __m512i
#define WM __mmask16
#define F_SET(x) _mm512_set1_ps(x)
#define F_LOAD(p) _mm512_load_ps(p)
#define F_LOADU(p) _mm512_loadu_ps(p)
#define F_STORE(p, x) _mm512_store_ps(p, x)
#define F_MIN(a, b) _mm512_min_ps(a, b)
#define F_MAX(a, b) _mm512_max_ps(a, b)
#define F_ABS(x) _mm512_abs_ps(x)
#define F_FLOOR(x) _mm512_floor_ps(x)
#define F_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define F_FNMA(a, b, c) _mm512_fnmadd_ps(a, b, c)
#define F_IF(a, b, m) _mm512_mask_mov_ps(a, m, b)
#define F_COMPARE(a, b, how) _mm512_cmp_ps_mask(a, b, how)
#define F_PERMUTE(x, lane) _mm512_permutexvar_ps(lane, x)
#define F_OF(i) _mm512_cvtepi32_ps(i)
#define F_JOIN(p, q) _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(p)), _mm256_loadu_ps(q), 1)
#define I_SET(x) _mm512_set1_epi32(x)
#define I_OF(f) _mm512_cvttps_epi32(f)
#define I_LOAD(p) _mm512_load_si512(p)
#define I_LOADU(p) _mm512_loadu_si512(p)
#define I_ADD(a, b) _mm512_add_epi32(a, b)
#define I_SUB(a, b) _mm512_sub_epi32(a, b)
#define I_MUL(a, b) _mm512_mullo_epi32(a, b)
#define I_AND(a, b) _mm512_and_si512(a, b)
#define I_OR(a, b) _mm512_or_si512(a, b)
#define I_XOR(a, b) _mm512_xor_si512(a, b)
#define I_MIN(a, b) _mm512_min_epi32(a, b)
#define I_MAX(a, b) _mm512_max_epi32(a, b)
#define I_UP(x, by) _mm512_slli_epi32(x, (unsigned)(by))
#define I_DOWN(x, by) _mm512_srli_epi32(x, (unsigned)(by))
#define I_IF(a, b, m) _mm512_mask_mov_epi32(a, m, b)
#define I_GT(a, b) _mm512_cmpgt_epi32_mask(a, b)
#define I_NEGATIVE(x) _mm512_movepi32_mask(x)
#define I_PERMUTE(x, lane) _mm512_permutexvar_epi32(lane, x)
#define I_LANES _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define I_JOIN(p, q)                                                                                   \
    _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)(p))), \
                       _mm256_loadu_si256((const __m256i *)(const void *)(q)), 1)
#define F_OF_BITS(i) _mm512_castsi512_ps(i)
#define I_OF_BITS(f) _mm512_castps_si512(f)
#define W_AND(a, b) ((WM)((a) & (b)))
#define W_OR(a, b) ((WM)((a) | (b)))
#define W_WITHOUT(a, b) ((WM)((a) & ~(b)))
#define W_BITS(m) ((unsigned)(m))
#define W_OF_BITS(bits) ((WM)(bits))
#define D_OF_LANES(i, half) \
    _mm512_cvtepi32_pd((half) ? _mm512_extracti64x4_epi64(i, 1) : _mm512_castsi512_si256(i))
#else
#define WF __m256
#define WI __m256i
#define WM __m256
#define F_SET(x) _mm256_set1_ps(x)
#define F_LOAD(p) _mm256_load_ps(p)
#define F_LOADU(p) _mm256_loadu_ps(p)
#define F_STORE(p, x) _mm256_store_ps(p, x)
#define F_MIN(a, b) _mm256_min_ps(a, b)
#define F_MAX(a, b) _mm256_max_ps(a, b)
#define F_ABS(x) _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x)
#define F_FLOOR(x) _mm256_floor_ps(x)
#define F_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define F_FNMA(a, b, c) _mm256_fnmadd_ps(a, b, c)
#define F_IF(a, b, m) _mm256_blendv_ps(a, b, m)
#define F_COMPARE(a, b, how) _mm256_cmp_ps(a, b, how)
#define F_PERMUTE(x, lane) _mm256_permutevar8x32_ps(x, lane)
#define F_OF(i) _mm256_cvtepi32_ps(i)
#define F_JOIN(p, q) _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(q), 1)
#define I_SET(x) _mm256_set1_epi32(x)
#define I_OF(f) _mm256_cvttps_epi32(f)
#define I_LOAD(p) _mm256_load_si256((const __m256i *)(const void *)(p))
#define I_LOADU(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define I_ADD(a, b) _mm256_add_epi32(a, b)
#define I_SUB(a, b) _mm256_sub_epi32(a, b)
#define I_MUL(a, b) _mm256_mullo_epi32(a, b)
#define I_AND(a, b) _mm256_and_si256(a, b)
#define I_OR(a, b) _mm256_or_si256(a, b)
#define I_XOR(a, b) _mm256_xor_si256(a, b)
#define I_MIN(a, b) _mm256_min_epi32(a, b)
#define I_MAX(a, b) _mm256_max_epi32(a, b)
#define I_UP(x, by) _mm256_sll_epi32(x, _mm_cvtsi32_si128((int)(by)))
#define I_DOWN(x, by) _mm256_srl_epi32(x, _mm_cvtsi32_si128((int)(by)))
#define I_IF(a, b, m) _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), m))
#define I_GT(a, b) _mm256_castsi256_ps(_mm256_cmpgt_epi32(a, b))
#define I_NEGATIVE(x) _mm256_castsi256_ps(x)
#define I_PERMUTE(x, lane) _mm256_permutevar8x32_epi32(x, lane)
#define I_LANES _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
#define I_JOIN(p, q)                                                                                     \
    _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(p))), \
                            _mm_loadu_si128((const __m128i *)(const void *)(q)), 1)
#define F_OF_BITS(i) _mm256_castsi256_ps(i)
#define I_OF_BITS(f) _mm256_castps_si256(f)
#define W_AND(a, b) _mm256_and_ps(a, b)
#define W_OR(a, b) _mm256_or_ps(a, b)
#define W_WITHOUT(a, b) _mm256_andnot_ps(b, a)
#define W_BITS(m) ((unsigned)_mm256_movemask_ps(m))
#define W_OF_BITS(bits) DS(wide_of_bits)(bits)
#define D_OF_LANES(i, half) \
    _mm256_cvtepi32_pd((half) ? _mm256_extracti128_si256(i, 1) : _mm256_castsi256_si128(i))
#endif
#define F_LT(a, b) F_COMPARE(a, b, _CMP_LT_OQ)
#define F_LE(a, b) F_COMPARE(a, b, _CMP_LE_OQ)
#define F_GE(a, b) F_COMPARE(a, b, _CMP_GE_OQ)
#define F_GT(a, b) F_COMPARE(a, b, _CMP_GT_OQ)
#define F_NE(a, b) F_COMPARE(a, b, _CMP_NEQ_OQ)
#define I_CLAMP(x, low, high) I_MAX(I_MIN(x, high), low)
#define W_ALL W_OF_BITS((1u << WIDE_LANES) - 1)
#define W_NONE W_OF_BITS(0)

#if DOUBLES == 4
INLINE __m256 DS(wide_of_bits)(unsigned bits) {
    const __m256i each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(I_SET((int32_t)bits), each), each));
}
#endif

/// Numbers of an array of sixteen.
INLINE WF DS(wide_of_sixteen)(const float *of, WI which) {
#if DOUBLES == 8
    return _mm512_permutexvar_ps(which, _mm512_load_ps(of));
#else
    __m256 low = _mm256_permutevar8x32_ps(_mm256_load_ps(of), which),
           high = _mm256_permutevar8x32_ps(_mm256_load_ps(of + 8), which);
    return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(which, 28)));
#endif
}

INLINE double DS(wide_least)(VD x) {
#if DOUBLES == 8
    return _mm512_reduce_min_pd(x);
#else
    __m128d y = _mm_min_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_min_sd(y, _mm_unpackhi_pd(y, y)));
#endif
}

/// Store the numbers of some lanes side by side, and anything after them. Returns how many.
INLINE int DS(wide_keep)(int32_t *to, WI x, WM which) {
#if DOUBLES == 8
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(which, x));
    return __builtin_popcount(which);
#else
    static const int32_t order[16][4] = {{0},    {0},       {1},       {0, 1},      {2},    {0, 2},
                                         {1, 2}, {0, 1, 2}, {3},       {0, 3},      {1, 3}, {0, 1, 3},
                                         {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
    unsigned bits = W_BITS(which), low = bits & 15, high = bits >> 4;
    __m256 of = F_OF_BITS(x);
#define WIDE_KEPT(four, which) \
    _mm_permutevar_ps(four, _mm_loadu_si128((const __m128i *)(const void *)order[which]))
    _mm_storeu_ps((float *)(void *)to, WIDE_KEPT(_mm256_castps256_ps128(of), low));
    _mm_storeu_ps((float *)(void *)(to + __builtin_popcount(low)),
                  WIDE_KEPT(_mm256_extractf128_ps(of, 1), high));
#undef WIDE_KEPT
    return __builtin_popcount(bits);
#endif
}

/// Codes at some places of an array that has spare entries at its end; 0 in the other lanes.
INLINE WI DS(wide_codes)(const uint16_t *base, WI at, WM which) {
#if DOUBLES == 8
    return _mm512_and_si512(_mm512_mask_i32gather_epi32(I_SET(0), which, at, base, 2), I_SET(0xffff));
#else
    __m256i there = _mm256_castps_si256(which);
    return _mm256_and_si256(lf__lanes_codes(base, _mm256_and_si256(at, there)), there);
#endif
}

/// Of levels: where their tops are in the bounds, and strides. Of octants: their words, twice.
typedef struct DS(wide_tables) {
    _Alignas(64) int32_t offsets[16], strides[16];
    int32_t words[LF__WORDS][16];
} DS(wide_tables);

/// Tables of levels up to `coarsest`, and of the octants of v, which are made as well.
static inline void DS(wide_tables_make)(DS(wide_tables) * w, lf__batch_rays *v, int coarsest) {
    const lf_grid *grid = v->grid;
    for (int k = 0; k < 8; k++) {
        lf__octant_make(&v->octants[k], grid, k);
        for (int n = 0; n < LF__WORDS; n++)
            w->words[n][k] = w->words[n][k + 8] = v->octants[k].words[n];
    }
    for (int l = 0; l < 16; l++) {
        int known = l < grid->first_top ? grid->first_top : l > coarsest ? coarsest : l;
        w->offsets[l] = (int32_t)(grid->levels[known].top - grid->bounds);
        w->strides[l] = (int32_t)grid->levels[known].stride;
    }
}

// ---------------------------------------------------------------------------------------------------
// Columns
// ---------------------------------------------------------------------------------------------------

/// lf__lanes_column for a vector, and the range of heights.
typedef struct DS(wide_column) {
    WF p[2][3];
    WF near_share, far_share, slope_z;
    WM step, wide;
    WF low, high;
} DS(wide_column);

INLINE WF DS(wide_lerp)(WF a, WF b, WF t) {
    return F_FMA(t, b - a, a);
}

/// NaN (next to voids) is ignored.
INLINE void DS(wide_add)(DS(wide_column) * c, WF value) {
    c->low = F_MIN(value, c->low);
    c->high = F_MAX(value, c->high);
}

/// In some lanes.
INLINE void DS(wide_add_where)(DS(wide_column) * c, WM which, WF value) {
#if DOUBLES == 8
    c->low = _mm512_mask_min_ps(c->low, which, value, c->low);
    c->high = _mm512_mask_max_ps(c->high, which, value, c->high);
#else
    DS(wide_add)(c, F_IF(c->low, value, which)); // there is one in all lanes already
#endif
}

INLINE WF DS(wide_cross)(const DS(wide_column) * c, WF a, WF b, WF t) {
    return F_FNMA(t, c->slope_z, DS(wide_lerp)(a, b, t));
}

/// As lf__lanes_sides.
INLINE void DS(wide_sides)(DS(wide_column) * c, WF by_b) {
    const WF one = F_SET(1);
    WF below = F_IF(c->p[1][0], c->p[1][1], c->step), above = F_IF(c->p[1][1], c->p[1][2], c->step);
    c->low = F_SET(INFINITY);
    c->high = F_SET(-INFINITY);
    DS(wide_add)(c, DS(wide_lerp)(c->p[0][0], c->p[0][1], c->near_share));
    DS(wide_add)(c, DS(wide_lerp)(below, above, c->far_share) - c->slope_z);
    WF t = F_MIN((one - c->near_share) * by_b, one);
    DS(wide_add_where)(c, c->step, DS(wide_cross)(c, c->p[0][1], c->p[1][1], t));
}

/// As lf__lanes_along and lf__lanes_against.
INLINE void DS(wide_diagonals)(DS(wide_column) * c, WM along, WM against, WF by_flat, WF by_sum) {
    const WF one = F_SET(1);
    WF t = F_MIN(c->near_share * by_flat, one);
    DS(wide_add_where)(c, W_WITHOUT(along, c->step), DS(wide_cross)(c, c->p[0][0], c->p[1][1], t));
    t = (one - c->near_share) * by_sum;
    DS(wide_add_where)(c, against, DS(wide_cross)(c, c->p[0][1], c->p[1][0], t));
    t = F_MIN((F_SET(2) - c->near_share) * by_sum, one);
    DS(wide_add_where)(c, W_AND(against, c->step), DS(wide_cross)(c, c->p[0][2], c->p[1][1], t));
}

/// As lf__lanes_twist.
INLINE void DS(wide_twist)(DS(wide_column) * c, WF slope_b) {
    WF quarter = F_SET(0.2501f) * slope_b, zero = F_SET(0);
    WF lower = (c->p[0][0] - c->p[0][1]) - (c->p[1][0] - c->p[1][1]),
       upper = (c->p[0][1] - c->p[0][2]) - (c->p[1][1] - c->p[1][2]);
    WF twist = F_IF(zero, F_MAX(F_ABS(upper), zero), c->step);
    twist = F_MAX(F_ABS(lower), twist); // next to a void: that of the other square
    c->low = F_FNMA(twist, quarter, c->low);
    c->high = F_FMA(twist, quarter, c->high);
}
