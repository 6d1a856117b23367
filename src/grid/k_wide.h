/// Vectors of sixteen lanes, and the height of rays over the surface in columns; for k_batch_wide.c and k_close.h, which are compiled
/// for AVX-512 (INLINE).

/// Of levels: where their tops are in the bounds, and strides. Of octants: their words.
typedef struct wide_tables {
    _Alignas(64) int32_t offsets[16], strides[16];
    int32_t words[LF__WORDS][16];
} wide_tables;

INLINE __m512i wide_words(const int32_t *at) {
    return _mm512_load_si512(at);
}

INLINE __m512 wide_floats(const float *at) {
    return _mm512_load_ps(at);
}

INLINE __m512i wide_clamp(__m512i x, __m512i low, __m512i high) {
    return _mm512_max_epi32(_mm512_min_epi32(x, high), low);
}

INLINE __m512i wide_of(int32_t x) {
    return _mm512_set1_epi32(x);
}

INLINE int wide_count(__mmask16 mask) {
    return __builtin_popcount(mask);
}

// ---------------------------------------------------------------------------------------------------
// Columns
// ---------------------------------------------------------------------------------------------------

/// lf__lanes_column for sixteen lanes, and the range of heights.
typedef struct wide_column {
    __m512 p[2][3];
    __m512 near_share, far_share, slope_z;
    __mmask16 step, wide;
    __m512 low, high;
} wide_column;

INLINE __m512 wide_lerp(__m512 a, __m512 b, __m512 t) {
    return _mm512_fmadd_ps(t, _mm512_sub_ps(b, a), a);
}

/// NaN (next to voids) is ignored.
INLINE void wide_add(wide_column *c, __mmask16 which, __m512 value) {
    c->low = _mm512_mask_min_ps(c->low, which, value, c->low);
    c->high = _mm512_mask_max_ps(c->high, which, value, c->high);
}

INLINE __m512 wide_cross(const wide_column *c, __m512 a, __m512 b, __m512 t) {
    return _mm512_fnmadd_ps(t, c->slope_z, wide_lerp(a, b, t));
}

/// As lf__lanes_sides.
INLINE void wide_sides(wide_column *c, __m512 by_b) {
    const __m512 one = _mm512_set1_ps(1);
    __m512 below = _mm512_mask_mov_ps(c->p[1][0], c->step, c->p[1][1]),
           above = _mm512_mask_mov_ps(c->p[1][1], c->step, c->p[1][2]);
    c->low = _mm512_set1_ps(INFINITY);
    c->high = _mm512_set1_ps(-INFINITY);
    wide_add(c, 0xffff, wide_lerp(c->p[0][0], c->p[0][1], c->near_share));
    wide_add(c, 0xffff, _mm512_sub_ps(wide_lerp(below, above, c->far_share), c->slope_z));
    __m512 t = _mm512_min_ps(_mm512_mul_ps(_mm512_sub_ps(one, c->near_share), by_b), one);
    wide_add(c, c->step, wide_cross(c, c->p[0][1], c->p[1][1], t));
}

/// As lf__lanes_along and lf__lanes_against.
INLINE void wide_diagonals(wide_column *c, __mmask16 along, __mmask16 against, __m512 by_flat,
                           __m512 by_sum) {
    const __m512 one = _mm512_set1_ps(1);
    __m512 t = _mm512_min_ps(_mm512_mul_ps(c->near_share, by_flat), one);
    wide_add(c, along & ~c->step, wide_cross(c, c->p[0][0], c->p[1][1], t));
    t = _mm512_mul_ps(_mm512_sub_ps(one, c->near_share), by_sum);
    wide_add(c, against, wide_cross(c, c->p[0][1], c->p[1][0], t));
    t = _mm512_min_ps(_mm512_mul_ps(_mm512_sub_ps(_mm512_set1_ps(2), c->near_share), by_sum), one);
    wide_add(c, against & c->step, wide_cross(c, c->p[0][2], c->p[1][1], t));
}

/// As lf__lanes_twist.
INLINE void wide_twist(wide_column *c, __m512 slope_b) {
    __m512 quarter = _mm512_mul_ps(_mm512_set1_ps(0.2501f), slope_b);
    __m512 lower =
               _mm512_sub_ps(_mm512_sub_ps(c->p[0][0], c->p[0][1]), _mm512_sub_ps(c->p[1][0], c->p[1][1])),
           upper =
               _mm512_sub_ps(_mm512_sub_ps(c->p[0][1], c->p[0][2]), _mm512_sub_ps(c->p[1][1], c->p[1][2]));
    __m512 twist = _mm512_maskz_max_ps(c->step, _mm512_abs_ps(upper), _mm512_setzero_ps());
    twist = _mm512_max_ps(_mm512_abs_ps(lower), twist); // next to a void: that of the other square
    c->low = _mm512_fnmadd_ps(twist, quarter, c->low);
    c->high = _mm512_fmadd_ps(twist, quarter, c->high);
}
