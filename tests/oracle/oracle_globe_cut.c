/// Globes cut from several rasters: everywhere the surface that the header describes, computed from the rasters alone.
#include "support.h"
#include <landfall/globe.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 8

/// A raster in memory.
typedef struct raster {
    lf_globe_raster given;
    float *heights;
} raster;

static lf_status read_window(void *user, lf_window w, float *heights, lf_error *error) {
    const raster *r = user;
    (void)error;
    for (int64_t j = 0; j < w.rows; j++)
        for (int64_t i = 0; i < w.columns; i++)
            heights[j * w.columns + i] = r->heights[(w.row + j) * r->given.columns + w.column + i];
    return LF_OK;
}

static void make_raster(raster *r, lf_geodetic_box area, double step, test_random *random) {
    r->given = (lf_globe_raster){.west = area.west,
                                 .south = area.south,
                                 .per_column = step,
                                 .per_row = step,
                                 .columns = 1 + (int64_t)floor((area.east - area.west) / step),
                                 .rows = 1 + (int64_t)floor((area.north - area.south) / step),
                                 .user = r,
                                 .read = read_window};
    int64_t count = r->given.columns * r->given.rows;
    r->heights = test_space(count, sizeof *r->heights);
    for (int64_t i = 0; i < count; i++)
        r->heights[i] = (float)test_random_between(random, -1000, 3000);
}

static double height_at(const raster *r, int64_t column, int64_t row) {
    bool is = column >= 0 && row >= 0 && column < r->given.columns && row < r->given.rows;
    return is ? (double)r->heights[row * r->given.columns + column] : NAN;
}

/// Heights of samples by column and row.
typedef double sample_of(const raster *fine, const raster *coarse, int64_t column, int64_t row);

static double own_sample(const raster *fine, const raster *coarse, int64_t column, int64_t row) {
    (void)coarse;
    return height_at(fine, column, row);
}

/// The bilinear surface between samples at the spacing of a raster. A corner without weight may be missing.
static double bilinear(const raster *r, const raster *coarse, sample_of *sample, lf_vec2 at) {
    double u = (at.x - r->given.west) / r->given.per_column, v = (at.y - r->given.south) / r->given.per_row;
    u = fabs(u - round(u)) < 1e-7 ? round(u) : u;
    v = fabs(v - round(v)) < 1e-7 ? round(v) : v;
    int64_t i = (int64_t)floor(u), j = (int64_t)floor(v);
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        double x = k & 1 ? u - (double)i : 1 - (u - (double)i),
               y = k & 2 ? v - (double)j : 1 - (v - (double)j);
        if (x * y > 0)
            sum += x * y * sample(r, coarse, i + (k & 1), j + (k >> 1));
    }
    return sum;
}

static lf_vec2 sample_place(const raster *r, int64_t column, int64_t row) {
    return (lf_vec2){r->given.west + (double)column * r->given.per_column,
                     r->given.south + (double)row * r->given.per_row};
}

/// A sample of the finer raster, or, where it has none, the coarser surface at its place.
static double filled_sample(const raster *fine, const raster *coarse, int64_t column, int64_t row) {
    double height = height_at(fine, column, row);
    if (isnan(height))
        height = (double)(float)bilinear(coarse, NULL, own_sample, sample_place(fine, column, row));
    return height;
}

/// Does the tile of a raster's own level at a place share area with the raster?
static bool is_in_tile_of(const raster *r, lf_vec2 at) {
    int level = (int)ceil(log2(180 / (r->given.per_row * CELLS)) - 1e-9);
    double side = ldexp(180, -level), west = floor((at.x + 180) / side) * side - 180,
           south = floor((at.y + 90) / side) * side - 90;
    double east = r->given.west + (double)(r->given.columns - 1) * r->given.per_column;
    double north = r->given.south + (double)(r->given.rows - 1) * r->given.per_row;
    return west < east && west + side > r->given.west && south < north && south + side > r->given.south;
}

static lf_globe *make_globe(const raster *rasters, int64_t count, lf_tiler **cutter) {
    lf_globe_raster given[2] = {rasters[0].given, rasters[1].given};
    lf_tiler_def def = lf_tiler_def_default();
    def.rasters = given;
    def.raster_count = count;
    def.cells = CELLS;
    assert_int_equal(lf_tiler_create(&def, cutter, NULL), LF_OK);
    lf_globe_def globe_def = lf_globe_def_default();
    globe_def.provider = lf_tiler_provider(*cutter, &globe_def.level_count);
    lf_globe *globe;
    assert_int_equal(lf_globe_create(&globe_def, &globe, NULL), LF_OK);
    return globe;
}

typedef struct tally {
    int64_t fine, coarse, filled, wrong;
    double worst;
} tally;

static void oracle_place(lf_globe *globe, const raster rasters[2], lf_vec2 at, tally *t) {
    const raster *coarse = &rasters[0], *fine = &rasters[1];
    lf_globe_elevation ground;
    assert_int_equal(lf_globe_height_finest(globe, at.x, at.y, &ground), LF_OK);
    bool filled = is_in_tile_of(fine, at);
    double expected =
        filled ? bilinear(fine, coarse, filled_sample, at) : bilinear(coarse, NULL, own_sample, at);
    *(!filled ? &t->coarse : isnan(bilinear(fine, NULL, own_sample, at)) ? &t->filled : &t->fine) += 1;
    double off = ground.reason == LF_REASON_ANSWERED ? fabs(ground.height - expected) : LF_INFINITY;
    if (off > 1e-3 && t->wrong++ < 3)
        fprintf(stderr, "at %.17g %.17g: %.9g instead of %.9g, level %d, %s\n", at.x, at.y, ground.height,
                expected, (int)ground.tile.level,
                filled ? "in a tile of the finer raster" : "beside the finer raster");
    t->worst = fmax(t->worst, off);
}

/// A coarse raster and a finer one somewhere in it, of any spacing and place: within its tiles the finer one counts, filled up by the coarser one at the
/// finer one's samples; everywhere else the coarser one's own bilinear surface.
static void a_finer_raster_leaves_the_coarser_one_as_it_is(void **state) {
    (void)state;
    test_random random = test_random_start(970);
    tally t = {0};
    for (int64_t round = 0; round < test_rounds(12); round++) {
        raster rasters[2];
        double step = test_random_between(&random, 2.5, 4),
               finer = step / test_random_between(&random, 2.1, 40);
        make_raster(&rasters[0], (lf_geodetic_box){-70, -50, 70, 50}, step, &random);
        double west = test_random_between(&random, -40, 30), south = test_random_between(&random, -30, 20);
        double wide = finer * test_random_between(&random, 3, 30);
        make_raster(&rasters[1], (lf_geodetic_box){west, south, west + wide, south + wide}, finer, &random);
        lf_tiler *cutter;
        lf_globe *globe = make_globe(rasters, 2, &cutter);
        for (int i = 0; i < 2000; i++) {
            double reach = i % 2 ? 2 * wide : 25, middle = 0.5 * wide;
            lf_vec2 at = {test_random_between(&random, west + middle - reach, west + middle + reach),
                          test_random_between(&random, south + middle - reach, south + middle + reach)};
            if (fabs(at.x) < 60 && fabs(at.y) < 40)
                oracle_place(globe, rasters, at, &t);
        }
        lf_globe_destroy(globe);
        lf_tiler_destroy(cutter);
        free(rasters[0].heights);
        free(rasters[1].heights);
    }
    fprintf(
        stderr,
        "cut: %lld on the finer raster, %lld filled, %lld on the coarser one; %lld wrong, by up to %g m\n",
        (long long)t.fine, (long long)t.filled, (long long)t.coarse, (long long)t.wrong, t.worst);
    assert_int_equal(t.wrong, 0);
    assert_true(t.fine > 500 && t.filled > 500 && t.coarse > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_finer_raster_leaves_the_coarser_one_as_it_is)};
    return cmocka_run_group_tests_name("oracle: globe cut", tests, NULL, NULL);
}
