/// Vectors of 4 doubles (AVX2) or 8 (AVX-512) and their masks, for k_courses.h and k_cells.h, each of which includes this once for
/// each DOUBLES; DOUBLES_TARGET is the instruction set. Names of either width are made by DS.

#undef DS_JOIN
#undef DS_JOIN_ALL
#undef DS
#undef DS_INLINE
#undef DS_PARTS
#undef VD
#undef VM
#undef D_SET
#undef D_LOAD
#undef D_STORE
#undef D_STORE_FLOATS
#undef D_STORE_WORDS
#undef D_MIN
#undef D_MAX
#undef D_ABS
#undef D_FLOOR
#undef D_SQRT
#undef D_NEG
#undef D_FLIP
#undef D_TURN
#undef D_ONLY
#undef D_IF
#undef D_LT
#undef D_LE
#undef D_GT
#undef D_EQ
#undef D_NOT_LE
#undef M_AND
#undef M_OR
#undef M_WITHOUT
#undef M_BITS
#undef M_OF_BITS
#undef M_ALL
#undef M_NONE

#define DS_JOIN(name, lanes) name##_##lanes
#define DS_JOIN_ALL(name, lanes) DS_JOIN(name, lanes)
#define DS(name) DS_JOIN_ALL(name, DOUBLES)
#define DS_INLINE DOUBLES_TARGET static inline

/// Vectors of sixteen numbers.
#define DS_PARTS (16 / DOUBLES)

// D_FLIP: x, negated where y is negative. D_TURN: x, negated where the mask is set. D_ONLY: x there, else 0.
// D_IF: b there, else a. M_WITHOUT: a, but not b.
#if DOUBLES == 8
#define VD __m512d
#define VM __mmask8
#define D_SET(x) _mm512_set1_pd(x)
#define D_LOAD(p) _mm512_loadu_pd(p)
#define D_STORE(p, x) _mm512_storeu_pd(p, x)
#define D_STORE_FLOATS(p, x) _mm256_storeu_ps(p, _mm512_cvtpd_ps(x))
#define D_STORE_WORDS(p, x) _mm256_storeu_si256((__m256i *)(void *)(p), _mm512_cvttpd_epi32(x))
#define D_MIN(a, b) _mm512_min_pd(a, b)
#define D_MAX(a, b) _mm512_max_pd(a, b)
#define D_ABS(x) _mm512_abs_pd(x)
#define D_FLOOR(x) _mm512_roundscale_pd(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#define D_SQRT(x) _mm512_sqrt_pd(x)
#define D_NEG(x) _mm512_xor_pd(x, _mm512_set1_pd(-0.0))
#define D_FLIP(x, y) _mm512_xor_pd(x, _mm512_and_pd(y, _mm512_set1_pd(-0.0)))
#define D_TURN(x, m) _mm512_mask_xor_pd(x, m, x, _mm512_set1_pd(-0.0))
#define D_ONLY(x, m) _mm512_maskz_mov_pd(m, x)
#define D_IF(a, b, m) _mm512_mask_mov_pd(a, m, b)
#define D_LT(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define D_LE(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ)
#define D_GT(a, b) _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ)
#define D_EQ(a, b) _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ)
#define D_NOT_LE(a, b) _mm512_cmp_pd_mask(a, b, _CMP_NLE_UQ)
#define M_AND(a, b) _kand_mask8(a, b)
#define M_OR(a, b) _kor_mask8(a, b)
#define M_WITHOUT(a, b) _kandn_mask8(b, a)
#define M_BITS(m) ((unsigned)(m))
#define M_OF_BITS(bits) ((__mmask8)(bits))
#define M_ALL ((__mmask8)0xff)
#define M_NONE ((__mmask8)0)
#else
#define VD __m256d
#define VM __m256d
#define D_SET(x) _mm256_set1_pd(x)
#define D_LOAD(p) _mm256_loadu_pd(p)
#define D_STORE(p, x) _mm256_storeu_pd(p, x)
#define D_STORE_FLOATS(p, x) _mm_store_ps(p, _mm256_cvtpd_ps(x))
#define D_STORE_WORDS(p, x) _mm_store_si128((__m128i *)(void *)(p), _mm256_cvttpd_epi32(x))
#define D_MIN(a, b) _mm256_min_pd(a, b)
#define D_MAX(a, b) _mm256_max_pd(a, b)
#define D_ABS(x) _mm256_andnot_pd(_mm256_set1_pd(-0.0), x)
#define D_FLOOR(x) _mm256_floor_pd(x)
#define D_SQRT(x) _mm256_sqrt_pd(x)
#define D_NEG(x) _mm256_xor_pd(x, _mm256_set1_pd(-0.0))
#define D_FLIP(x, y) _mm256_xor_pd(x, _mm256_and_pd(y, _mm256_set1_pd(-0.0)))
#define D_TURN(x, m) _mm256_xor_pd(x, _mm256_and_pd(m, _mm256_set1_pd(-0.0)))
#define D_ONLY(x, m) _mm256_and_pd(x, m)
#define D_IF(a, b, m) _mm256_blendv_pd(a, b, m)
#define D_LT(a, b) _mm256_cmp_pd(a, b, _CMP_LT_OQ)
#define D_LE(a, b) _mm256_cmp_pd(a, b, _CMP_LE_OQ)
#define D_GT(a, b) _mm256_cmp_pd(a, b, _CMP_GT_OQ)
#define D_EQ(a, b) _mm256_cmp_pd(a, b, _CMP_EQ_OQ)
#define D_NOT_LE(a, b) _mm256_cmp_pd(a, b, _CMP_NLE_UQ)
#define M_AND(a, b) _mm256_and_pd(a, b)
#define M_OR(a, b) _mm256_or_pd(a, b)
#define M_WITHOUT(a, b) _mm256_andnot_pd(b, a)
#define M_BITS(m) ((unsigned)_mm256_movemask_pd(m))
#define M_OF_BITS(bits)                                                                        \
    _mm256_castsi256_pd(_mm256_cmpgt_epi64(                                                    \
        _mm256_and_si256(_mm256_set1_epi64x((int64_t)(bits)), _mm256_setr_epi64x(1, 2, 4, 8)), \
        _mm256_setzero_si256()))
#define M_ALL _mm256_cmp_pd(_mm256_setzero_pd(), _mm256_setzero_pd(), _CMP_EQ_OQ)
#define M_NONE _mm256_setzero_pd()
#endif
