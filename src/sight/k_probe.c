/// Places of a line that are certainly below ground, with AVX2: most lines that are blocked need no search.
///
/// Eight places along a line at a time are compared with the bottoms of the blocks that they are in. A place below such a
/// bottom proves that the line is blocked; nothing else is decided here. Places are rounded to floats, so
/// those close to the side of a block prove nothing.
#include "grid/guard.h"
#include "grid/k_lanes.h"
#include "sight/k_line.h"

#if LF__SIMD

#define PROBE_TARGET LF__SIMD_TARGET

/// Rounding of places, relative to the numbers they are computed from: three roundings of floats, and some.
#define PROBE_BLUR 4e-7f

/// Lines with larger numbers, in squares or in codes of heights, are not probed: floats are too coarse.
#define PROBE_LARGEST 0x1p21

/// What is constant over a grid.
typedef struct probe_grid {
    const lf_grid *grid;
    const uint16_t *bottom;
    int stride;
    float per_block;
    float low, right, high; ///< of whole squares: the ring of an extended grid has halves
    double scale;           ///< codes per height
    double slack;           ///< rounding of its bounds, in codes
} probe_grid;

static inline probe_grid probe_grid_of(const lf_grid *grid) {
    const lf__grid_level *level = &grid->levels[grid->line_level];
    float ring = (float)-grid->first;
    double scale = 1 / grid->quantum;
    return (probe_grid){grid,
                        level->bottom,
                        (int)level->stride,
                        1.0f / (float)(1 << grid->line_level),
                        ring,
                        ring + (float)(grid->columns - 1),
                        ring + (float)(grid->rows - 1),
                        scale,
                        0x1p-48 * scale * (fabs(grid->base) + fabs(grid->lowest) + fabs(grid->highest)) +
                            1e-3};
}

/// Bits of the eight places that are certainly below ground. far and size: sums of the sizes of all numbers.
PROBE_TARGET static inline unsigned probe_places(const probe_grid *g, lf_vec3 a, lf_vec3 b, double sag,
                                                 __m256 t) {
    lf_vec2 from = lf__grid_place(g->grid, a.x, a.y), to = lf__grid_place(g->grid, b.x, b.y);
    double origin = (double)g->grid->first + g->grid->shift, x0 = from.x - origin, y0 = from.y - origin;
    double dx = to.x - from.x, dy = to.y - from.y, far = fabs(x0) + fabs(dx) + fabs(y0) + fabs(dy);
    double z = (a.z - g->grid->base) * g->scale, dz = (b.z - a.z - sag) * g->scale, bent = sag * g->scale;
    double size = fabs(z) + fabs(dz) + fabs(bent);
    if (!(far < PROBE_LARGEST) || !(size < PROBE_LARGEST))
        return 0;
    double eps = 1e-6 * size + 0x1p-48 * g->scale * (fabs(a.z) + fabs(b.z) + fabs(sag)) + g->slack;
    float blur = PROBE_BLUR * (float)far;
    __m256 x = _mm256_fmadd_ps(t, _mm256_set1_ps((float)dx), _mm256_set1_ps((float)x0));
    __m256 y = _mm256_fmadd_ps(t, _mm256_set1_ps((float)dy), _mm256_set1_ps((float)y0));
    __m256 slope = _mm256_fmadd_ps(t, _mm256_set1_ps((float)bent), _mm256_set1_ps((float)dz));
    __m256 code = _mm256_fmadd_ps(t, slope, _mm256_set1_ps((float)(z + eps)));
    __m256 low = _mm256_set1_ps(g->low + blur), right = _mm256_set1_ps(g->right - blur),
           high = _mm256_set1_ps(g->high - blur);
    __m256 beyond_low = _mm256_cmp_ps(_mm256_min_ps(x, y), low, _CMP_GT_OQ);
    __m256 inside = _mm256_and_ps(_mm256_cmp_ps(x, right, _CMP_LT_OQ), _mm256_cmp_ps(y, high, _CMP_LT_OQ));
    inside = _mm256_and_ps(inside, beyond_low);
    __m256 per_block = _mm256_set1_ps(g->per_block);
    x = _mm256_and_ps(_mm256_mul_ps(x, per_block), inside); // block 0 is there too
    y = _mm256_and_ps(_mm256_mul_ps(y, per_block), inside);
    __m256 column = _mm256_floor_ps(x), row = _mm256_floor_ps(y), half = _mm256_set1_ps(0.5f);
    // How far from the middle of the block.
    __m256 sign = _mm256_set1_ps(-0.0f);
    __m256 off_x = _mm256_andnot_ps(sign, _mm256_sub_ps(_mm256_sub_ps(x, column), half));
    __m256 off_y = _mm256_andnot_ps(sign, _mm256_sub_ps(_mm256_sub_ps(y, row), half));
    __m256 within = _mm256_cmp_ps(_mm256_max_ps(off_x, off_y), _mm256_set1_ps(0.5f - blur), _CMP_LT_OQ);
    __m256i rows = _mm256_mullo_epi32(_mm256_cvttps_epi32(row), _mm256_set1_epi32(g->stride));
    __m256i index = _mm256_add_epi32(_mm256_cvttps_epi32(column), rows);
    __m256 bottom = _mm256_cvtepi32_ps(lf__lanes_codes(g->bottom, index));
    // The least code is that of any height, the greatest that of no surface.
    code = _mm256_min_ps(_mm256_max_ps(code, half), _mm256_set1_ps(65534.5f));
    __m256 below = _mm256_cmp_ps(code, bottom, _CMP_LT_OQ);
    return (unsigned)_mm256_movemask_ps(_mm256_and_ps(below, _mm256_and_ps(inside, within)));
}

/// Evenly along the line. (Places close to its ends find fewer blocked lines; a second eight find few more.)
static const float probe_at[8] = {0.0625f, 0.1875f, 0.3125f, 0.4375f, 0.5625f, 0.6875f, 0.8125f, 0.9375f};

PROBE_TARGET bool lf__sight_probe(const lf_grid *grid, lf_vec3 a, lf_vec3 b, double sag, double *t) {
    probe_grid g = probe_grid_of(grid);
    unsigned below = probe_places(&g, a, b, sag, _mm256_loadu_ps(probe_at));
    if (below)
        *t = (double)probe_at[__builtin_ctz(below)];
    return below != 0;
}

PROBE_TARGET int lf__sight_probe_many(const lf_grid *grid, const lf_curvature *curvature,
                                      const lf__sight_ends *ends, int64_t first, int64_t last,
                                      uint8_t *verdicts, int64_t *left) {
    probe_grid g = probe_grid_of(grid);
    int count = 0;
    for (int64_t i = first; i < last; i++) {
        lf_vec3 a = *(const lf_vec3 *)(const void *)(ends->a + (size_t)i * ends->a_stride);
        lf_vec3 b = *(const lf_vec3 *)(const void *)(ends->b + (size_t)i * ends->b_stride);
        lf__grid_touch_line(grid, a, b);
        bool known =
            lf__sight_stays(grid, a.x, b.x) &&
            probe_places(&g, a, b, lf__sight_plane_sag(curvature, a, b), _mm256_loadu_ps(probe_at)) != 0;
        verdicts[i] = LF_VERDICT_BLOCKED;
        left[count] = i;
        count += !known;
    }
    return count;
}

#else

bool lf__sight_probe(const lf_grid *grid, lf_vec3 a, lf_vec3 b, double sag, double *t) {
    (void)grid, (void)a, (void)b, (void)sag, (void)t;
    return false;
}

int lf__sight_probe_many(const lf_grid *grid, const lf_curvature *curvature, const lf__sight_ends *ends,
                         int64_t first, int64_t last, uint8_t *verdicts, int64_t *left) {
    (void)grid, (void)curvature, (void)ends, (void)verdicts;
    for (int64_t i = first; i < last; i++)
        left[i - first] = i;
    return (int)(last - first);
}

#endif
