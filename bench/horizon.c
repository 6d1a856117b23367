/// Shade of a whole grid against a ray of Embree's for each sample; and how long horizons take.
#include "embree_field.h"

#include <landfall/sight.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// One map, and what both make of it.
typedef struct horizon_case {
    const bench_field *field;
    const lf_grid *grid;
    lf_sun sun;
    lf_horizon_def def;
    lf_window window;
    uint8_t *lit;
    float *degrees;
    bench_embree *embree;
    bench_embree_rays *rays;
    bool *blocked;
} horizon_case;

/// The line to the sun from each sample, a little lifted: rays in single precision would meet the ground they start from.
static bench_embree_rays *rays_to_sun(const bench_field *field, lf_sun sun) {
    const double degree = 0.017453292519943295;
    double flat = cos(sun.altitude_deg * degree);
    lf_vec3 d = {(float)(flat * sin(sun.azimuth_deg * degree)), (float)(flat * cos(sun.azimuth_deg * degree)),
                 (float)sin(sun.altitude_deg * degree)};
    bench_rays rays = {bench_take((size_t)(field->samples * field->samples), sizeof *rays.rays),
                       field->samples * field->samples};
    for (int64_t k = 0; k < rays.count; k++) {
        lf_vec3 from = {BENCH_SPACING * (double)(k % field->samples),
                        BENCH_SPACING * (double)(k / field->samples), (float)(field->heights[k] + 0.01F)};
        rays.rays[k] = (lf_ray){from, d, 0, LF_INFINITY};
    }
    bench_embree_rays *made = bench_embree_rays_make(&rays);
    free(rays.rays);
    return made;
}

static void shade_ours(void *user) {
    horizon_case *c = user;
    if (lf_sun_shade(lf_grid_ground(c->grid), &c->def, c->sun, c->window, c->lit, 0, NULL) != LF_OK)
        bench_stop("the shade cannot be found");
}

static void shade_embree(void *user) {
    const horizon_case *c = user;
    bench_embree_any(c->embree, c->rays, c->blocked);
}

static void map_horizon(void *user) {
    const horizon_case *c = user;
    if (lf_horizon_map(lf_grid_ground(c->grid), &c->def, c->sun.azimuth_deg, c->window, c->degrees, 0,
                       NULL) != LF_OK)
        bench_stop("the horizons cannot be found");
}

static void view_sky(void *user) {
    const horizon_case *c = user;
    if (lf_sky_view(lf_grid_ground(c->grid), &c->def, 8, c->window, c->degrees, 0, NULL) != LF_OK)
        bench_stop("the sky cannot be found");
}

/// Sun by sun: time per sample of both, and where they differ.
static void race_shade(horizon_case *c, bench_report *report) {
    static const lf_sun suns[] = {{135, 45, 1}, {120, 20, 1}, {101, 8, 1}, {90, 20, 1}, {247, 3, 1}};
    static const char *const heads[] = {"sun",       "in shade", "landfall ns", "bent ns",
                                        "Embree ns", "ratio",    "differ",      NULL};
    bench_table *table = bench_take(1, sizeof *table);
    char title[160];
    snprintf(title, sizeof title, "%s, %lld samples a side: shade, per sample", c->field->name,
             (long long)c->field->samples);
    bench_table_start(table, title, heads);
    double samples = (double)(c->field->samples * c->field->samples), least = LF_INFINITY;
    for (size_t k = 0; k < sizeof suns / sizeof *suns; k++) {
        horizon_case bent = *c;
        c->sun = bent.sun = suns[k];
        bent.def.rules.curvature.coefficient = LF_CURVATURE_LIGHT;
        c->rays = rays_to_sun(c->field, suns[k]);
        const bench_contestant contestants[] = {{"landfall", NULL, shade_ours, c},
                                                {"bent", NULL, shade_ours, &bent},
                                                {"Embree", NULL, shade_embree, c}};
        bench_times times;
        bench_race(contestants, 3, report->rounds, true, &times);
        shade_ours(c);
        int64_t dark = 0, differ = 0;
        for (int64_t p = 0; p < c->field->samples * c->field->samples; p++) {
            dark += c->lit[p] == LF_VISIBILITY_HIDDEN;
            differ += (c->lit[p] == LF_VISIBILITY_HIDDEN) != c->blocked[p];
        }
        bench_table_row(table);
        bench_table_cell(table, "%.0f, %.0f deg up", suns[k].azimuth_deg, suns[k].altitude_deg);
        bench_table_cell(table, "%.1f %%", 100.0 * (double)dark / samples);
        for (int n = 0; n < 3; n++)
            bench_table_cell(table, "%.1f", 1e9 * times.seconds[n] / samples);
        bench_table_cell(table, "%.1f", times.ratio[2]);
        bench_table_cell(table, "%.3f %%", 100.0 * (double)differ / samples);
        least = fmin(least, times.ratio[2]);
        bench_embree_rays_close(c->rays);
    }
    bench_table_end(table, report);
    free(table);
    char name[64];
    int word = (int)strcspn(c->field->name, " ");
    snprintf(name, sizeof name, "horizon-shade-%.*s-%lld", word < 20 ? word : 20, c->field->name,
             (long long)c->field->samples);
    bench_bar(report, name, least, 4);
}

static void time_maps(horizon_case *c, bench_report *report) {
    static const char *const heads[] = {"map", "samples/s", "ns", NULL};
    bench_table *table = bench_take(1, sizeof *table);
    double samples = (double)(c->window.columns * c->window.rows);
    bench_times times;
    c->sun.azimuth_deg = 120;
    const bench_contestant contestants[] = {{"horizon", NULL, map_horizon, c}, {"sky", NULL, view_sky, c}};
    bench_race(contestants, 2, 1, false, &times); // seconds each, and nobody to compare with
    bench_table_start(table, "horizon maps, one thread", heads);
    for (int k = 0; k < 2; k++) {
        bench_table_row(table);
        bench_table_cell(table, "%s", k == 0 ? "elevation at one azimuth" : "sky view, 8 azimuths");
        bench_table_cell(table, "%.0f", samples / times.seconds[k]);
        bench_table_cell(table, "%.0f", 1e9 * times.seconds[k] / samples);
    }
    bench_table_end(table, report);
    free(table);
}

static void bench_one(bench_field *field, bench_report *report) {
    size_t samples = (size_t)(field->samples * field->samples);
    lf_grid *grid = bench_field_grid(field);
    horizon_case c = {.field = field,
                      .grid = grid,
                      .def = lf_horizon_def_default(),
                      .window = {0, 0, field->samples, field->samples},
                      .lit = bench_take(samples, 1),
                      .degrees = bench_take(samples, sizeof(float)),
                      .embree = bench_embree_open_field(field, false, NULL),
                      .blocked = bench_take(samples, sizeof(bool))};
    bench_embree_build(c.embree);
    race_shade(&c, report);
    int64_t side = field->samples < 512 ? field->samples : 512;
    c.window = (lf_window){(field->samples - side) / 2, (field->samples - side) / 2, side, side};
    time_maps(&c, report);
    bench_embree_close(c.embree);
    free(c.blocked);
    free(c.degrees);
    free(c.lit);
    lf_grid_destroy(grid);
    bench_field_close(field);
}

int main(int argc, char **argv) {
    bench_report report;
    bench_report_start(&report, argc, argv,
                       "Shade and horizons of grids; shade against Embree, one ray a sample.");
    printf("landfall %s (%s) against %s\n%s\none thread, processor time, medians of %d rounds in turns\n",
           lf_version(), lf_isa_name(lf_isa_best()), bench_embree_name(), bench_machine(), report.rounds);
    bench_field field;
    int64_t samples = report.quick ? 257 : 1025;
    if (bench_wanted(&report, "mountains")) {
        bench_field_landscape(&field, LF_LANDSCAPE_MOUNTAINS, samples);
        bench_one(&field, &report);
    }
    if (bench_wanted(&report, "hills")) {
        bench_field_landscape(&field, LF_LANDSCAPE_HILLS, samples);
        bench_one(&field, &report);
    }
    if (report.large && bench_wanted(&report, "large")) {
        bench_field_landscape(&field, LF_LANDSCAPE_MOUNTAINS, 2049);
        bench_one(&field, &report);
    }
    return bench_report_end(&report);
}
