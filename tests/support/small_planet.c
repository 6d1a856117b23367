#include "small_planet.h"
#include <math.h>
#include <stdlib.h>

static double land_at(small_planet_land land, double relief, test_random *random, int64_t column,
                      int64_t row) {
    double x = (double)column, y = (double)row;
    switch (land) {
    case SMALL_PLANET_ROLLING:
        return relief * (0.5 + 0.3 * sin(0.7 * x) * cos(0.9 * y) + test_random_between(random, -0.2, 0.2));
    case SMALL_PLANET_CLIFFS:
        return ((column / 5 + row / 7) & 1 ? relief : 0) + test_random_between(random, 0, 0.01 * relief);
    default:
        return test_random_below(random, 40) == 0 ? relief : test_random_between(random, 0, 1);
    }
}

small_planet *small_planet_make(lf_ellipsoid ellipsoid, int levels, small_planet_land land, double relief,
                                uint64_t salt) {
    small_planet *planet = test_space(1, sizeof *planet);
    test_random random = test_random_start(salt);
    *planet = (small_planet){.ellipsoid = ellipsoid, .levels = levels, .bounded = true, .random = random};
    int64_t cells = SMALL_PLANET_CELLS * ((int64_t)1 << (levels - 1));
    planet->columns = 2 * cells + 1;
    planet->rows = cells + 1;
    planet->samples = test_space(planet->columns * planet->rows, sizeof(float));
    planet->given = test_space((SMALL_PLANET_CELLS + 1) * (SMALL_PLANET_CELLS + 1), sizeof(float));
    planet->low = LF_INFINITY;
    planet->high = -LF_INFINITY;
    for (int64_t row = 0; row < planet->rows; row++) {
        float *samples = planet->samples + row * planet->columns;
        for (int64_t i = 0; i < planet->columns; i++) {
            bool repeats = i + 1 == planet->columns || ((row == 0 || row + 1 == planet->rows) && i > 0);
            samples[i] = repeats ? samples[0] : (float)land_at(land, relief, &random, i, row);
            planet->low = fmin(planet->low, (double)samples[i]);
            planet->high = fmax(planet->high, (double)samples[i]);
        }
    }
    return planet;
}

void small_planet_free(small_planet *planet) {
    free(planet->given);
    free(planet->samples);
    free(planet);
}

static lf_tile_state fetch(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    (void)detail;
    small_planet *planet = user;
    planet->fetches++;
    if (!wait && test_random_below(&planet->random, 100) < planet->late)
        return LF_TILE_LATER;
    if (key.level >= planet->levels)
        return LF_TILE_ABSENT;
    int side = SMALL_PLANET_CELLS + 1;
    int64_t step = (int64_t)1 << (planet->levels - 1 - key.level), span = step * SMALL_PLANET_CELLS;
    const float *corner = planet->samples + key.row * span * planet->columns + key.column * span;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            planet->given[j * side + i] = corner[j * step * planet->columns + i * step];
    tile->heights = planet->given;
    tile->columns = tile->rows = side;
    tile->children = key.level + 1 < planet->levels ? LF_TILE_CHILDREN_ALL : 0;
    tile->bounded = planet->bounded;
    tile->low = LF_INFINITY;
    tile->high = -LF_INFINITY;
    for (int64_t j = 0; planet->bounded && j <= span; j++)
        for (int64_t i = 0; i <= span; i++) {
            double height = (double)corner[j * planet->columns + i];
            tile->low = fmin(tile->low, height);
            tile->high = fmax(tile->high, height);
        }
    return LF_TILE_READY;
}

lf_globe_provider small_planet_provider(small_planet *planet) {
    return (lf_globe_provider){planet, fetch, NULL};
}

lf_globe *small_planet_globe(small_planet *planet, size_t budget) {
    lf_globe_def def = lf_globe_def_default();
    lf_globe *globe = NULL;
    lf_error error = {LF_OK, -1, ""};
    def.ellipsoid = planet->ellipsoid;
    def.provider = small_planet_provider(planet);
    def.level_count = planet->levels;
    def.budget = budget;
    if (lf_globe_create(&def, &globe, &error) != LF_OK)
        fail_msg("%s", error.text);
    return globe;
}

double small_planet_height(const small_planet *planet, double lon_deg, double lat_deg) {
    double turn = remainder(lon_deg, 360), cells = (double)(planet->rows - 1);
    double x = (turn + 180) / 360 * 2 * cells, y = (lat_deg + 90) / 180 * cells;
    int64_t i = (int64_t)fmin(fmax(floor(x), 0), 2 * cells - 1),
            j = (int64_t)fmin(fmax(floor(y), 0), cells - 1);
    double u = x - (double)i, v = y - (double)j;
    const float *p = planet->samples + j * planet->columns + i, *q = p + planet->columns;
    double south = (double)p[0] * (1 - u) + (double)p[1] * u,
           north = (double)q[0] * (1 - u) + (double)q[1] * u;
    return south * (1 - v) + north * v;
}
