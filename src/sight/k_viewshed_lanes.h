/// Vectors of 8 or 16 floats and their masks, for k_viewshed_bins.h, which includes this once for each BINS_LANES.

#undef V_SET
#undef V_LOAD
#undef V_STORE
#undef V_ADD
#undef V_SUB
#undef V_MUL
#undef V_DIV
#undef V_MIN
#undef V_MAX
#undef V_FMA
#undef V_FMS
#undef V_FNMA
#undef V_ABS
#undef V_FLOOR
#undef V_FIRST
#undef V_GREATEST
#undef V_LESS
#undef V_DIFFER
#undef V_IF
#undef V_ONLY
#undef V_NEXT
#undef V_LANES
#undef M_AND
#undef M_OR
#undef M_NOT
#undef M_NEXT
#undef M_BITS
#undef M_ALL

#if BINS_LANES == 16
typedef __m512 BINS(vec);
typedef __mmask16 BINS(mask);
#define V_SET(x) _mm512_set1_ps(x)
#define V_LOAD(p) _mm512_loadu_ps(p)
#define V_STORE(p, x) _mm512_storeu_ps(p, x)
#define V_ADD(a, b) _mm512_add_ps(a, b)
#define V_SUB(a, b) _mm512_sub_ps(a, b)
#define V_MUL(a, b) _mm512_mul_ps(a, b)
#define V_DIV(a, b) _mm512_div_ps(a, b)
#define V_MIN(a, b) _mm512_min_ps(a, b)
#define V_MAX(a, b) _mm512_max_ps(a, b)
#define V_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define V_FMS(a, b, c) _mm512_fmsub_ps(a, b, c)
#define V_FNMA(a, b, c) _mm512_fnmadd_ps(a, b, c)
#define V_ABS(a) _mm512_abs_ps(a)
#define V_FLOOR(a) _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#define V_FIRST(a) _mm512_cvtss_f32(a)
#define V_GREATEST(a) _mm512_reduce_max_ps(a)
#define V_LESS(a, b) _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define V_DIFFER(a, b) _mm512_cmp_ps_mask(a, b, _CMP_NEQ_OQ)
#define V_LANES _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define V_IF(m, a, b) _mm512_mask_blend_ps(m, b, a)
#define V_ONLY(m, a) _mm512_maskz_mov_ps(m, a)
#define M_AND(a, b) _kand_mask16(a, b)
#define M_OR(a, b) _kor_mask16(a, b)
#define M_NOT(a) _knot_mask16(a)
#define M_NEXT(a) ((__mmask16)((unsigned)(a) >> 1))
#define M_BITS(a) ((int)(a))
#define M_ALL ((__mmask16)0xffff)
/// The border after each.
#define V_NEXT(a) _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(a), _mm512_castps_si512(a), 1))
#else
typedef __m256 BINS(vec);
typedef __m256 BINS(mask);
#define V_SET(x) _mm256_set1_ps(x)
#define V_LOAD(p) _mm256_loadu_ps(p)
#define V_STORE(p, x) _mm256_storeu_ps(p, x)
#define V_ADD(a, b) _mm256_add_ps(a, b)
#define V_SUB(a, b) _mm256_sub_ps(a, b)
#define V_MUL(a, b) _mm256_mul_ps(a, b)
#define V_DIV(a, b) _mm256_div_ps(a, b)
#define V_MIN(a, b) _mm256_min_ps(a, b)
#define V_MAX(a, b) _mm256_max_ps(a, b)
#define V_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define V_FMS(a, b, c) _mm256_fmsub_ps(a, b, c)
#define V_FNMA(a, b, c) _mm256_fnmadd_ps(a, b, c)
#define V_ABS(a) _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a)
#define V_FLOOR(a) _mm256_floor_ps(a)
#define V_FIRST(a) _mm256_cvtss_f32(a)
#define V_GREATEST(a) greatest_of(a)
#define V_LESS(a, b) _mm256_cmp_ps(a, b, _CMP_LT_OQ)
#define V_DIFFER(a, b) _mm256_cmp_ps(a, b, _CMP_NEQ_OQ)
#define V_LANES _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7)
#define V_IF(m, a, b) _mm256_blendv_ps(b, a, m)
#define V_ONLY(m, a) _mm256_and_ps(m, a)
#define M_AND(a, b) _mm256_and_ps(a, b)
#define M_OR(a, b) _mm256_or_ps(a, b)
#define M_NOT(a) _mm256_xor_ps(a, M_ALL)
#define M_NEXT(a) V_NEXT(a)
#define M_BITS(a) _mm256_movemask_ps(a)
#define M_ALL _mm256_castsi256_ps(_mm256_set1_epi32(-1))
#define V_NEXT(a) _mm256_permutevar8x32_ps(a, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 7))
#endif
