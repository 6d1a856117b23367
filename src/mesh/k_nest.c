/// Points in triangles, eight triangles at a time: scalar, and with AVX2. Edge functions are exact in the integers of a leaf, so
/// that every instruction set finds the same.
#include "mesh/mesh.h"
#include <stdlib.h>

/// The doubt for the largest differences there are.
#define DOUBT LF__NEST_DOUBT(4 * LF__NEST_REACH)

/// What a leaf says about a point: a triangle with its tags when it alone holds the point, surely; or, with this bit:
#define SPECIAL 0x80000000u
#define NOTHING SPECIAL             ///< nothing; with the code of the hull, inside or outside
#define SEVERAL (SPECIAL | 0x10u)   ///< more than one triangle
#define TOO_CLOSE (SPECIAL | 0x20u) ///< something that doubles or 16 bits cannot decide

/// Nothing, with the reason of the hull's code.
static inline uint32_t nest_nothing_here(const lf__nest *nest, uint32_t code) {
    return nest->doubted >> code & 1 ? TOO_CLOSE : NOTHING | code;
}

/// One triangle that alone holds the point, or the mark that the exact fallback must decide.
static inline uint32_t nest_only(uint32_t tagged) {
    return tagged & LF__NEST_STEEP ? TOO_CLOSE : tagged;
}

/// The hit of queries that meet nothing, but for the reason: by the hull's code; and with ground on the other side.
static const lf_hit nest_missed __attribute__((aligned(64))) = {
    .kind = LF_HIT_NONE, .t = LF_INFINITY, .part = -1, .element = -1, .triangle = -1};
static const lf_reason nest_reasons[3] = {
    [LF__NEST_INSIDE] = LF_REASON_HOLE, [LF__NEST_OUTSIDE] = LF_REASON_OUTSIDE, [2] = LF_REASON_NONE};
#define OTHER_SIDE 2

/// Can a query start at this height? As integers, where NaN and infinity are large numbers.
static inline bool nest_is_usable(double z) {
    const double limit = LF__MESH_LIMIT;
    uint64_t bits, most;
    memcpy(&bits, &z, sizeof bits);
    memcpy(&most, &limit, sizeof most);
    return bits << 1 <= most << 1;
}

// ---------------------------------------------------------------------------------------------------
// Plain
// ---------------------------------------------------------------------------------------------------

/// Differences of two packed points.
static inline void nest_differ(uint32_t a, uint32_t b, int32_t *x, int32_t *y) {
    *x = (int16_t)a - (int16_t)b;
    *y = (int16_t)(a >> 16) - (int16_t)(b >> 16);
}

static inline unsigned nest_lanes_from(uint32_t count, uint32_t first) {
    uint32_t left = count - first;
    return 0xffu >> (left >= LF__NEST_LANES ? 0 : LF__NEST_LANES - left);
}

static inline unsigned nest_eight_scalar(const uint32_t *corners, uint32_t count, uint32_t lanes,
                                         uint32_t point, unsigned *sure) {
    unsigned maybe = 0;
    *sure = 0;
    for (uint32_t i = 0; i < lanes; i++) {
        int32_t x[3], y[3], least = INT32_MAX;
        for (int c = 0; c < 3; c++)
            nest_differ(corners[(size_t)c * count + i], point, &x[c], &y[c]);
        for (int c = 0; c < 3; c++) {
            int n = c == 2 ? 0 : c + 1;
            int32_t edge = x[c] * y[n] - y[c] * x[n];
            least = edge < least ? edge : least;
        }
        maybe |= (unsigned)(least >= -DOUBT) << i;
        *sure |= (unsigned)(least > DOUBT) << i;
    }
    return maybe;
}

static inline unsigned nest_lanes_scalar(const uint32_t *corners, uint32_t count, uint32_t first,
                                         uint32_t point, unsigned *sure) {
    uint32_t left = count - first;
    return nest_eight_scalar(corners + first, count, left < LF__NEST_LANES ? left : LF__NEST_LANES, point,
                             sure);
}

/// Eight lanes, also those beyond the leaf's end.
static inline unsigned nest_wide_scalar(const uint32_t *corners, uint32_t count, uint32_t point,
                                        unsigned *sure) {
    return nest_eight_scalar(corners, count, LF__NEST_LANES, point, sure);
}

/// The lowest bits.
static inline uint64_t nest_lowest_scalar(uint64_t bits, uint32_t count) {
    return count >= 64 ? bits : bits & ((UINT64_C(1) << count) - 1);
}

/// A leaf of up to eight.
static inline unsigned nest_few_scalar(const uint32_t *corners, uint32_t count, uint32_t point,
                                       unsigned *sure) {
    return nest_lanes_scalar(corners, count, 0, point, sure);
}

static unsigned nest_test_scalar(const uint32_t *leaf, uint32_t first, uint32_t point, unsigned *sure) {
    return nest_lanes_scalar(leaf + LF__NEST_HEAD, leaf[1] & LF__NEST_COUNT, first, point, sure);
}

/// How one triangle lies to the point: 1 around it, -1 not, 0 too close to an edge to say.
static int nest_closer_side(const uint32_t corner[3], uint32_t point) {
    int32_t x[3], y[3];
    int side = 1;
    for (int c = 0; c < 3; c++)
        nest_differ(corner[c], point, &x[c], &y[c]);
    for (int c = 0; c < 3; c++) {
        int n = c == 2 ? 0 : c + 1;
        int32_t edge = x[c] * y[n] - y[c] * x[n], sum = abs(x[c]) + abs(y[c]) + abs(x[n]) + abs(y[n]);
        if (edge < -LF__NEST_DOUBT(sum))
            return -1;
        if (edge <= LF__NEST_DOUBT(sum))
            side = 0;
    }
    return side;
}

unsigned lf__nest_test_closer(const uint32_t *leaf, uint32_t first, uint32_t point, unsigned maybe,
                              unsigned *sure) {
    uint32_t count = leaf[1] & LF__NEST_COUNT;
    unsigned still = *sure;
    for (unsigned doubtful = maybe & ~*sure; doubtful; doubtful &= doubtful - 1) {
        unsigned lane = (unsigned)__builtin_ctz(doubtful);
        const uint32_t *words = leaf + LF__NEST_HEAD + first + lane;
        uint32_t corner[3] = {words[0], words[count], words[2 * (size_t)count]};
        int side = nest_closer_side(corner, point);
        still |= (unsigned)(side >= 0) << lane;
        *sure |= (unsigned)(side > 0) << lane;
    }
    return still;
}

/// Lanes from `first` on by the closer test.
static inline unsigned nest_close_scalar(const uint32_t *leaf, uint32_t first, uint32_t point,
                                         unsigned *sure) {
    *sure = 0;
    return lf__nest_test_closer(leaf, first, point, nest_lanes_from(leaf[1] & LF__NEST_COUNT, first), sure);
}

/// A point during the descent: in units of its cell, from the cell's low corner.
typedef struct nest_spot_scalar {
    double x, y;
} nest_spot_scalar;

/// x and y of a point, as the others take them.
static inline nest_spot_scalar nest_pair_scalar(double x, double y) {
    return (nest_spot_scalar){x, y};
}

static inline void nest_write_pair_scalar(double *to, nest_spot_scalar xy) {
    to[0] = xy.x;
    to[1] = xy.y;
}

/// The top cell of a point; false beyond the grid.
static inline bool nest_enter_scalar(const lf__nest *nest, nest_spot_scalar xy, nest_spot_scalar *spot,
                                     size_t *top) {
    double x = (xy.x - nest->origin_x) * nest->per_metre;
    double y = (xy.y - nest->origin_y) * nest->per_metre;
    if (!(x >= 0 && y >= 0 && x < nest->width && y < nest->height))
        return false;
    int i = (int)x, j = (int)y;
    *top = (size_t)j * (size_t)nest->columns + (size_t)i;
    spot->x = x - i;
    spot->y = y - j;
    return true;
}

/// From a grid within a cell into one of its cells.
static inline uint32_t nest_step_scalar(const uint32_t *grid, nest_spot_scalar *spot) {
    int m = (int)grid[0];
    double x = spot->x * m, y = spot->y * m;
    int i = (int)x, j = (int)y;
    spot->x = x - i;
    spot->y = y - j;
    return grid[1 + j * m + i];
}

static inline uint32_t nest_point_scalar(const uint32_t *leaf, const nest_spot_scalar *spot) {
    lf__nest_place place = {0, spot->x - 0.5, spot->y - 0.5};
    return lf__nest_point(leaf, &place);
}

static inline void nest_copy_scalar(lf_hit *hit, const lf_hit *from) {
    *hit = *from;
}

/// A triangle's plane and a point over it.
typedef struct nest_land_scalar {
    const lf__nest_plane *plane;
    nest_spot_scalar xy;
} nest_land_scalar;

/// The height of a triangle over the point.
static inline nest_land_scalar nest_reach_scalar(const lf__nest *nest, nest_spot_scalar xy, uint32_t tagged,
                                                 double *z) {
    nest_land_scalar at = {&nest->planes[tagged & LF__NEST_NUMBER], xy};
    const lf_vec3 local = {xy.x, xy.y, 0};
    *z = lf__nest_height(nest, at.plane, &local);
    return at;
}

static inline void nest_write_scalar(const lf_mesh *mesh, nest_land_scalar at, uint32_t tagged, double z,
                                     double distance, lf_hit *hit) {
    const lf__nest_plane *plane = at.plane;
    hit->t = distance;
    hit->point = (lf_vec3){at.xy.x, at.xy.y, z};
    hit->normal = (lf_vec3){-plane->gx * plane->up, -plane->gy * plane->up, plane->up};
    lf__nest_name_without_layers(mesh, tagged, hit);
}

#define POINT uint32_t
#define PAIR nest_spot_scalar
#define NAME(f) nest_##f##_scalar
#define TARGET
#include "mesh/k_nest_drop.h"

// ---------------------------------------------------------------------------------------------------
// AVX2
// ---------------------------------------------------------------------------------------------------

#if LF__SIMD
#include "base/k_simd.h"

/// What hits of triangles have in common, in meshes without layers.
static const lf_hit nest_met
    __attribute__((aligned(64))) = {.kind = LF_HIT_TRIANGLE, .reason = LF_REASON_ANSWERED, .layers = 1};

#define TARGET LF__SIMD_TARGET_BITS
#define INLINE TARGET static inline __attribute__((always_inline))

/// a.x * b.y - a.y * b.x in each lane; `turned` is (b.y, -b.x).
INLINE __m256i nest_turned(__m256i b) {
    const __m256i swap = _mm256_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 2, 3, 0, 1, 6,
                                          7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    return _mm256_sign_epi16(_mm256_shuffle_epi8(b, swap), _mm256_set1_epi32((int)0xffff0001u));
}

/// The least values of what may be around a point, and of what surely is, less one. In memory: made of instructions, they would
/// be four more instructions.
static const struct {
    int32_t maybe[8], sure[8];
} nest_least_values __attribute__((aligned(32))) = {
    {-DOUBT - 1, -DOUBT - 1, -DOUBT - 1, -DOUBT - 1, -DOUBT - 1, -DOUBT - 1, -DOUBT - 1, -DOUBT - 1},
    {DOUBT, DOUBT, DOUBT, DOUBT, DOUBT, DOUBT, DOUBT, DOUBT}};

/// Bits of all lanes, also of those beyond the leaf's end.
INLINE unsigned nest_wide_avx2(const uint32_t *corners, uint32_t count, __m256i point, unsigned *sure) {
    // From the corners to the point: edge functions are the same for both signs, and a load is part of the
    // instruction.
    __m256i a = _mm256_sub_epi16(point, _mm256_loadu_si256((const void *)corners));
    __m256i b = _mm256_sub_epi16(point, _mm256_loadu_si256((const void *)(corners + count)));
    __m256i c = _mm256_sub_epi16(point, _mm256_loadu_si256((const void *)(corners + 2 * (size_t)count)));
    __m256i e0 = _mm256_madd_epi16(a, nest_turned(b)), e1 = _mm256_madd_epi16(b, nest_turned(c));
    __m256i e2 = _mm256_madd_epi16(c, nest_turned(a));
    __m256i least = _mm256_min_epi32(e0, _mm256_min_epi32(e1, e2));
    const int32_t *values = nest_least_values.maybe;
    __asm__("" : "+r"(values));
    __m256i maybe = _mm256_cmpgt_epi32(least, _mm256_load_si256((const void *)values));
    __m256i surely = _mm256_cmpgt_epi32(least, _mm256_load_si256((const void *)(values + 8)));
    *sure = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(surely));
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(maybe));
}

INLINE unsigned nest_lanes_avx2(const uint32_t *corners, uint32_t count, uint32_t first, __m256i point,
                                unsigned *sure) {
    unsigned lanes = nest_lanes_from(count, first),
             maybe = nest_wide_avx2(corners + first, count, point, sure);
    *sure &= lanes;
    return maybe & lanes;
}

/// Of two corners, as differences to the point, and their sums of magnitudes: the edge function, less and plus its doubt. All of it
/// fits 32 bits: 2 * LF__NEST_REACH^2 + DOUBT is less than 2^31.
INLINE void nest_edge_avx2(__m256i a, __m256i b, __m256i sum, __m256i *low, __m256i *high) {
    __m256i edge = _mm256_madd_epi16(a, nest_turned(b));
    __m256i doubt = _mm256_add_epi32(_mm256_add_epi32(sum, _mm256_srli_epi32(sum, 4)), _mm256_set1_epi32(8));
    *low = _mm256_min_epi32(*low, _mm256_sub_epi32(edge, doubt));
    *high = _mm256_min_epi32(*high, _mm256_add_epi32(edge, doubt));
}

/// Lanes from `first` on by the closer test: the same as lf__nest_test_closer says.
INLINE unsigned nest_close_avx2(const uint32_t *leaf, uint32_t first, __m256i point, unsigned *sure) {
    uint32_t count = leaf[1] & LF__NEST_COUNT;
    __m256i corner[3], size[3], low = _mm256_set1_epi32(INT32_MAX), high = low;
    for (size_t k = 0; k < 3; k++) {
        const uint32_t *words = leaf + LF__NEST_HEAD + first + k * count;
        corner[k] = _mm256_sub_epi16(point, _mm256_loadu_si256((const void *)words));
        size[k] = _mm256_madd_epi16(_mm256_sign_epi16(corner[k], corner[k]), _mm256_set1_epi32(0x10001));
    }
    for (int k = 0; k < 3; k++) {
        int next = k == 2 ? 0 : k + 1;
        nest_edge_avx2(corner[k], corner[next], _mm256_add_epi32(size[k], size[next]), &low, &high);
    }
    unsigned lanes = nest_lanes_from(count, first);
    __m256i surely = _mm256_cmpgt_epi32(low, _mm256_setzero_si256());
    __m256i maybe = _mm256_cmpgt_epi32(high, _mm256_set1_epi32(-1));
    *sure = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(surely)) & lanes;
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(maybe)) & lanes;
}

INLINE uint64_t nest_lowest_avx2(uint64_t bits, uint32_t count) {
#if LF__X86
    return _bzhi_u64(bits, count);
#else
    return nest_lowest_scalar(bits, count);
#endif
}

/// The same for a leaf of up to eight.
INLINE unsigned nest_few_avx2(const uint32_t *corners, uint32_t count, __m256i point, unsigned *sure) {
#if LF__X86
    return _bzhi_u32(nest_wide_avx2(corners, count, point, sure), count);
#else
    return nest_wide_avx2(corners, count, point, sure) & ((1u << count) - 1);
#endif
}

TARGET static unsigned nest_test_avx2(const uint32_t *leaf, uint32_t first, uint32_t point, unsigned *sure) {
    return nest_lanes_avx2(leaf + LF__NEST_HEAD, leaf[1] & LF__NEST_COUNT, first,
                           _mm256_set1_epi32((int)point), sure);
}

typedef __m128d nest_spot_avx2;

/// A point that may have been written a moment ago, number by number: reading two at once would wait for that.
INLINE __m128d nest_pair_avx2(double x, double y) {
    __m128d low = _mm_set_sd(x);
    LF__SIMD_KEEP(low);
    return _mm_unpacklo_pd(low, _mm_set_sd(y));
}

INLINE void nest_write_pair_avx2(double *to, __m128d xy) {
    _mm_storeu_pd(to, xy);
}

/// Added to a whole number of magnitude below 2^51, this leaves it in the low bits.
#define WHOLE 0x1.8p52

INLINE bool nest_enter_avx2(const lf__nest *nest, __m128d xy, nest_spot_avx2 *spot, size_t *top) {
    const lf__nest_entrance *entrance = &nest->entrance;
    __m128d t = _mm_mul_pd(_mm_sub_pd(xy, _mm_loadu_pd(entrance->origin)), _mm_loadu_pd(entrance->per_metre));
    // The signs say it: t is not negative, and t - size is. Of a NaN they are the same.
    __m128d below = _mm_sub_pd(t, _mm_loadu_pd(entrance->size));
    if (_mm_movemask_pd(_mm_andnot_pd(t, below)) != 3)
        return false;
    __m128d cell = _mm_floor_pd(t);
    *spot = _mm_sub_pd(t, cell);
    __m128d column = cell, row = _mm_unpackhi_pd(column, column);
    __m128d index = _mm_fmadd_sd(row, _mm_load_sd(&entrance->columns), _mm_add_sd(column, _mm_set_sd(WHOLE)));
    *top = (uint32_t)_mm_cvtsi128_si64(_mm_castpd_si128(index));
    return true;
}

INLINE uint32_t nest_step_avx2(const uint32_t *grid, nest_spot_avx2 *spot) {
    __m128d m = _mm_cvtsi32_sd(_mm_setzero_pd(), (int)grid[0]);
    __m128d t = _mm_mul_pd(*spot, _mm_unpacklo_pd(m, m)), cell = _mm_floor_pd(t);
    *spot = _mm_sub_pd(t, cell);
    __m128d column = cell, row = _mm_unpackhi_pd(column, column);
    __m128d index = _mm_fmadd_sd(row, m, _mm_add_sd(column, _mm_set_sd(WHOLE)));
    return grid[1 + (size_t)(uint32_t)_mm_cvtsi128_si64(_mm_castpd_si128(index))];
}

INLINE __m256i nest_point_avx2(const uint32_t *leaf, const nest_spot_avx2 *spot) {
    __m128d scale = _mm_cvtps_pd(_mm_broadcast_ss((const float *)(const void *)leaf));
    __m128d whole = _mm_fmadd_pd(_mm_sub_pd(*spot, _mm_set1_pd(0.5)), scale, _mm_set1_pd(WHOLE));
    const __m128i low = _mm_setr_epi8(0, 1, 8, 9, 0, 1, 8, 9, 0, 1, 8, 9, 0, 1, 8, 9);
    return _mm256_broadcastd_epi32(_mm_shuffle_epi8(_mm_castpd_si128(whole), low));
}

// A hit is written by four stores: by fourteen smaller ones, which processors finish one per cycle, it takes
// longer than finding it.
_Static_assert(sizeof(lf_hit) == 4 * sizeof(__m256i) && offsetof(lf_hit, t) == 8 &&
                   offsetof(lf_hit, point) == 16 && offsetof(lf_hit, normal) == 40 &&
                   offsetof(lf_hit, part) == 64 && offsetof(lf_hit, element) == 72 &&
                   offsetof(lf_hit, triangle) == 80 && offsetof(lf_hit, u) == 88 &&
                   offsetof(lf_hit, user) == 112,
               "as nest_copy_avx2 and nest_write_avx2 write it");

INLINE void nest_copy_avx2(lf_hit *hit, const lf_hit *from) {
    const __m256i *read = (const void *)from;
    __m256i *write = (void *)hit;
    const __m256i zero = _mm256_setzero_si256(), a = _mm256_load_si256(read), c = _mm256_load_si256(read + 2);
    _mm256_storeu_si256(write, a);
    _mm256_storeu_si256(write + 1, zero); // as they are in nest_missed
    _mm256_storeu_si256(write + 2, c);
    _mm256_storeu_si256(write + 3, zero);
}

/// A triangle's plane, and the point over it.
typedef struct nest_land_avx2 {
    const lf__nest_plane *plane;
    __m128d xy;
} nest_land_avx2;

INLINE nest_land_avx2 nest_reach_avx2(const lf__nest *nest, __m128d xy, uint32_t tagged, double *z) {
    const lf__nest_plane *plane = &nest->planes[tagged & LF__NEST_NUMBER];
    nest_land_avx2 at = {plane, xy};
    if (!LF__SIMD_FUSES) {
        double local[2];
        _mm_storeu_pd(local, xy);
        *z = lf__nest_height(nest, plane, &(lf_vec3){local[0], local[1], 0});
        return at;
    }
    __m128d x = _mm_sub_pd(at.xy, _mm_loadu_pd(nest->entrance.middle)), y = _mm_unpackhi_pd(x, x);
    *z = __builtin_fma(plane->gx, _mm_cvtsd_f64(x), __builtin_fma(plane->gy, _mm_cvtsd_f64(y), plane->c));
    return at;
}

/// A number in the lower half of a register, as it is there already. (gcc does not see that by itself.)
#if LF__X86 && !defined(__clang__)
INLINE __m128d nest_low(double value) {
    __m128d low;
    __asm__("" : "=x"(low) : "0"(value));
    return low;
}
#else
#define nest_low _mm_set1_pd
#endif

/// Zeros behind the lower half.
#if LF__X86
#define nest_extended _mm256_zextsi128_si256
#else
#define nest_extended(x) _mm256_inserti128_si256(_mm256_castsi128_si256(x), _mm_setzero_si128(), 1)
#endif

INLINE void nest_write_avx2(const lf_mesh *mesh, nest_land_avx2 at, uint32_t tagged, double z,
                            double distance, lf_hit *hit) {
    uint32_t triangle = tagged & LF__NEST_NUMBER;
    double *write = (void *)hit;
    __m128d up = _mm_set1_pd(at.plane->up);
    __m128d normal = _mm_mul_pd(_mm_xor_pd(up, _mm_set1_pd(-0.0)), _mm_loadu_pd(&at.plane->gx));
    __m128d kind = _mm_unpacklo_pd(_mm_load_pd((const double *)(const void *)&nest_met), nest_low(distance));
    __m128i element = _mm_slli_si128(_mm_cvtsi32_si128((int)triangle), 8);
    _mm256_storeu_pd(write, _mm256_insertf128_pd(_mm256_castpd128_pd256(kind), at.xy, 1));
    _mm256_storeu_pd(write + 4,
                     _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_unpacklo_pd(nest_low(z), normal)),
                                          _mm_unpackhi_pd(normal, up), 1));
    _mm256_storeu_si256((void *)(write + 8), nest_extended(element));
    _mm256_storeu_pd(write + 12, _mm256_load_pd((const double *)(const void *)&nest_met + 12));
    if (triangle >= mesh->plain || mesh->users)
        lf__nest_name_polygon(mesh, triangle, hit);
}

#define POINT __m256i
#define PAIR __m128d
#define NAME(f) nest_##f##_avx2
#include "mesh/k_nest_drop.h"
#endif

const lf__nest_kernels *lf__nest_kernels_for(lf_isa isa) {
#if LF__SIMD
    if (LF__SIMD_BY(isa))
        return &nest_kernels_avx2;
#endif
    (void)isa;
    return &nest_kernels_scalar;
}

#undef DOUBT
#undef SPECIAL
#undef NOTHING
#undef SEVERAL
#undef TOO_CLOSE
#undef OTHER_SIDE
#undef INLINE
#undef WHOLE
#undef nest_low
#undef nest_extended
