#include "skies.h"
#include <math.h>
#include <stdlib.h>

static sky_grid wrap(const lf_grid_def *def) {
    sky_grid sky;
    assert_int_equal(lf_grid_create(def, &sky.grid, NULL), LF_OK);
    sky.ground = lf_grid_ground(sky.grid);
    sky.info = lf_grid_describe(sky.grid);
    return sky;
}

static lf_geotransform any_placing(test_random *random) {
    static const lf_geotransform geotransforms[] = {{{0, 0}, {1, 0}, {0, 1}},
                                                    {{500000, 4e6}, {30, 0}, {0, 30}},
                                                    {{-20, 7}, {2, 0}, {0, 0.75}},
                                                    {{100, -50}, {3, 1}, {-1, 2}}};
    return geotransforms[test_random_below(random, 4)];
}

sky_grid sky_grid_any(lf_surface surface, int64_t most, test_random *random) {
    lf_grid_def def = lf_grid_def_default();
    lf_samples *s = &def.samples;
    s->type = LF_SAMPLE_DOUBLE;
    s->columns = 2 + test_random_below(random, most - 1);
    s->rows = 2 + test_random_below(random, most - 1);
    double *heights = malloc((size_t)(s->columns * s->rows) * sizeof *heights);
    bool whole = test_random_below(random, 2) == 0;
    int64_t holes = test_random_below(random, 3) == 0 ? 3 + test_random_below(random, 60) : 0;
    for (int64_t k = 0; k < s->columns * s->rows; k++) {
        heights[k] =
            whole ? (double)test_random_below(random, 5) : 30 * pow(test_random_between(random, 0, 1), 4);
        if (holes && k > 0 && test_random_below(random, holes) == 0)
            heights[k] = NAN;
    }
    s->values = heights;
    def.surface = surface;
    def.extend = test_random_below(random, 4) == 0;
    def.geotransform = any_placing(random);
    sky_grid sky = wrap(&def);
    free(heights);
    return sky;
}

sky_grid sky_grid_of(const double *heights, int64_t columns, int64_t rows, lf_surface surface) {
    lf_grid_def def = lf_grid_def_default();
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = heights;
    def.samples.columns = columns;
    def.samples.rows = rows;
    def.surface = surface;
    return wrap(&def);
}

void sky_grid_free(sky_grid *sky) {
    lf_grid_destroy(sky->grid);
}

lf_window sky_window_all(const sky_grid *sky) {
    return (lf_window){0, 0, sky->info.columns, sky->info.rows};
}

static void look_at(const sky_grid *sky, const sky_line *line, double d, sky_brute *brute) {
    if (!(d > 1e-9 && d <= line->range))
        return;
    lf_vec3 at = {line->from.x + d * line->way.x, line->from.y + d * line->way.y, LF_INFINITY};
    lf_hit hit;
    if (lf_ground_height(sky->ground, at, LF_VERTICAL_DOWN, &hit, NULL) != LF_OK || hit.kind == LF_HIT_NONE)
        return;
    double ground = hit.point.z, slope = (ground - line->from.z) / d - line->bend * d;
    if (slope > brute->steepest) {
        brute->steepest = slope;
        brute->distance = d;
    }
    brute->clearance = fmin(brute->clearance, line->from.z + (line->slope + line->bend * d) * d - ground);
}

/// All d at which offset + d * rate is a whole number of halves within the grid.
static void look_across(const sky_grid *sky, const sky_line *line, double offset, double rate,
                        sky_brute *brute) {
    double most = 2 * (double)(sky->info.columns + sky->info.rows) + 8;
    if (fabs(rate) < 1e-12)
        return;
    for (double k = -most; k <= most; k++) {
        double d = (0.5 * k - offset) / rate, e = 1e-9 * (1 + fabs(d));
        look_at(sky, line, d, brute);
        look_at(sky, line, d - e, brute);
        look_at(sky, line, d + e, brute);
    }
}

sky_brute sky_look(const sky_grid *sky, const sky_line *line) {
    sky_brute brute = {-LF_INFINITY, 0, LF_INFINITY};
    lf_vec2 at = lf_grid_locate(sky->grid, (lf_vec2){line->from.x, line->from.y});
    lf_vec2 on = lf_grid_locate(sky->grid, (lf_vec2){line->from.x + line->way.x, line->from.y + line->way.y});
    lf_vec2 way = {on.x - at.x, on.y - at.y};
    look_across(sky, line, at.x, way.x, &brute);
    look_across(sky, line, at.y, way.y, &brute);
    look_across(sky, line, at.x + at.y, way.x + way.y, &brute);
    look_across(sky, line, at.x - at.y, way.x - way.y, &brute);
    double length = (double)(sky->info.columns + sky->info.rows + 2) / fmax(fabs(way.x), fabs(way.y));
    for (int k = 1; k <= 4000; k++)
        look_at(sky, line, fmin(length, line->range) * k / 4000, &brute);
    return brute;
}
