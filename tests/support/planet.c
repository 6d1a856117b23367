#include "planet.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

planet planet_plain(uint64_t seed) {
    return (planet){.seed = seed, .levels = 4, .samples = 9, .rough = 300, .swell = 3000};
}

planet planet_random(test_random *random) {
    static const int sizes[] = {2, 3, 5, 9, 17};
    planet p = {.seed = test_random_bits(random), .levels = 1 + (int)test_random_below(random, 5)};
    p.samples = sizes[test_random_below(random, 5)];
    p.rough = pow(10, test_random_between(random, 0, 3.5));
    p.swell = pow(10, test_random_between(random, 0, 3.5));
    p.hole_of = test_random_below(random, 3) == 0 ? 40 : 0;
    p.absent_of = test_random_below(random, 3) == 0 ? 5 : 0;
    p.tin_of = test_random_below(random, 3) == 0 ? 2 : 0;
    p.unbounded = test_random_below(random, 3) == 0;
    p.hollow = test_random_below(random, 8) == 0;
    return p;
}

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t noise(const planet *p, uint64_t what, int64_t a, int64_t b, int64_t c) {
    uint64_t x = mix(p->seed + what * 0x9e3779b97f4a7c15u);
    x = mix(x + (uint64_t)a);
    x = mix(x + (uint64_t)b * 0x2545f4914f6cdd1du);
    return mix(x + (uint64_t)c * 0xd6e8feb86659fd93u);
}

bool planet_has(const planet *p, lf_tile_key key) {
    if (key.level >= p->levels)
        return false;
    for (; key.level > 0; key = (lf_tile_key){key.level - 1, key.column / 2, key.row / 2})
        if (p->absent_of && noise(p, 1, key.level, key.column, key.row) % (uint64_t)p->absent_of == 0)
            return false;
    return true;
}

double planet_sample(const planet *p, int level, int64_t column, int64_t row) {
    int64_t around = (int64_t)(p->samples - 1) << (level + 1), up = around / 2;
    column = row == 0 || row == up ? 0 : ((column % around) + around) % around; // one height at a pole
    double lon = 2 * PI * (double)column / (double)around, lat = PI * ((double)row / (double)up - 0.5);
    double x = cos(lat) * cos(lon), y = cos(lat) * sin(lon), z = sin(lat);
    double smooth = sin(3 * x + 1) * cos(5 * y) + sin(7 * z + 2 * x);
    uint64_t bits = noise(p, 2, level, column, row);
    if (p->hole_of && bits % (uint64_t)p->hole_of == 0)
        return (double)NAN;
    return (double)(float)(p->swell * smooth + p->rough * ((double)(bits >> 40) / 16777216.0 - 0.5));
}

// ---------------------------------------------------------------------------------------------------
// Tiles
// ---------------------------------------------------------------------------------------------------

/// Triangles of more than some 30 degrees are no ground: they run through the planet.
static bool is_tin(const planet *p, lf_tile_key key) {
    return p->tin_of && (p->samples - 1) << key.level >= 6 &&
           noise(p, 3, key.level, key.column, key.row) % (uint64_t)p->tin_of == 0;
}

static bool is_hollow(const planet *p, lf_tile_key key) {
    return p->hollow && key.level < p->levels - 1;
}

static void bounds_of(const planet *p, lf_tile_key key, double *low, double *high) {
    int cells = p->samples - 1;
    if (!planet_has(p, key))
        return;
    for (int r = 0; r <= cells && !is_hollow(p, key); r++)
        for (int c = 0; c <= cells; c++) {
            double h =
                planet_sample(p, key.level, (int64_t)key.column * cells + c, (int64_t)key.row * cells + r);
            // Flat triangles lie below their corners by up to a chord's sagitta.
            double arc = is_tin(p, key) ? PI / (cells << key.level) : 0;
            *low = fmin(*low, h - 6.4e6 * arc * arc);
            *high = fmax(*high, h);
        }
    for (int k = 0; k < 4; k++)
        bounds_of(p, (lf_tile_key){key.level + 1, 2 * key.column + (k & 1), 2 * key.row + (k >> 1)}, low,
                  high);
}

/// Two triangles a cell; cells with a hole have none.
static void make_tin(const planet *p, lf_tile_key key, float *heights, lf_tile *tile) {
    int n = p->samples;
    lf_geodetic *vertices = test_space((int64_t)n * n, sizeof *vertices);
    int64_t *corners = test_space(6LL * n * n, sizeof *corners);
    double side = ldexp(180.0, -key.level), step = side / (n - 1);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            float h = heights[r * n + c];
            vertices[r * n + c] = (lf_geodetic){key.column * side - 180 + c * step,
                                                key.row * side - 90 + r * step, isnan(h) ? 0 : (double)h};
        }
    for (int r = 0; r + 1 < n; r++)
        for (int c = 0; c + 1 < n; c++) {
            int64_t a = (int64_t)r * n + c, b = a + 1, d = a + n, e = d + 1;
            if (isnan(heights[a] + heights[b] + heights[d] + heights[e]))
                continue;
            int64_t two[6] = {a, b, e, a, e, d};
            memcpy(corners + 3 * tile->triangle_count, two, sizeof two);
            tile->triangle_count += 2;
        }
    tile->vertices = vertices;
    tile->corners = corners;
    tile->vertex_count = (int64_t)n * n;
}

static lf_tile_state fetch(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    planet *p = user;
    (void)detail;
    p->fetches++;
    if (!wait && p->late_of && noise(p, 4, p->fetches, 0, 0) % (uint64_t)p->late_of != 0)
        return LF_TILE_LATER;
    if (!planet_has(p, key))
        return LF_TILE_ABSENT;
    for (uint32_t k = 0; k < 4; k++) {
        lf_tile_key child = {key.level + 1, 2 * key.column + (int32_t)(k & 1),
                             2 * key.row + (int32_t)(k >> 1)};
        tile->children |= planet_has(p, child) ? 1u << k : 0;
    }
    tile->bounded = !p->unbounded;
    tile->low = (double)INFINITY;
    tile->high = -(double)INFINITY;
    if (tile->bounded)
        bounds_of(p, key, &tile->low, &tile->high);
    if (is_hollow(p, key))
        return LF_TILE_ABSENT;
    int n = p->samples;
    float *heights = test_space((int64_t)n * n, sizeof *heights);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            heights[r * n + c] = (float)planet_sample(p, key.level, (int64_t)key.column * (n - 1) + c,
                                                      (int64_t)key.row * (n - 1) + r);
    tile->owner = heights;
    if (is_tin(p, key))
        make_tin(p, key, heights, tile);
    if (tile->triangle_count == 0) {
        tile->heights = heights;
        tile->columns = tile->rows = n;
    }
    p->handed_out++;
    return LF_TILE_READY;
}

static void release(void *user, lf_tile *tile) {
    planet *p = user;
    p->handed_out--;
    free((void *)tile->vertices);
    free((void *)tile->corners);
    free(tile->owner);
}

lf_globe_provider planet_provider(planet *p) {
    return (lf_globe_provider){p, fetch, release};
}

lf_globe *planet_globe(planet *p, const lf_ellipsoid *ellipsoid, size_t budget) {
    lf_globe_def def = lf_globe_def_default();
    lf_error error = {0};
    lf_globe *globe;
    def.provider = planet_provider(p);
    def.level_count = p->levels;
    def.budget = budget;
    if (ellipsoid)
        def.ellipsoid = *ellipsoid;
    if (lf_globe_create(&def, &globe, &error) != LF_OK)
        fail_msg("no globe: %s", error.text);
    return globe;
}
