// Compressed grids: what is refused, what they say of themselves, what is counted, memory.
#include "grid/packed.h"
#include "support.h"
#include <landfall/ground.h>
#include <landfall/sight.h>
#include <samples.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 300

/// Hills of whole metres, in memory that the caller frees.
static int16_t *hills(void) {
    int16_t *heights = malloc(SIDE * SIDE * sizeof *heights);
    for (int k = 0; k < SIDE * SIDE; k++) {
        double x = k % SIDE, y = k / SIDE;
        heights[k] = (int16_t)(400 + 300 * sin(x / 31) * cos(y / 23) + 40 * sin(x / 5 + y / 7));
    }
    return heights;
}

static lf_grid_def hill_def(const int16_t *heights, lf_codec codec) {
    lf_grid_def def = lf_grid_def_default();
    def.samples.type = LF_SAMPLE_INT16;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = SIDE;
    def.codec = codec;
    return def;
}

static void refused(lf_grid_def def, const char *words) {
    lf_grid *grid = NULL;
    lf_error error = {0};
    assert_int_equal(lf_grid_create(&def, &grid, &error), LF_BAD_ARGUMENT);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" has no \"%s\"", error.text, words);
    assert_null(grid);
}

static void bad_defs(void **state) {
    (void)state;
    float heights[9] = {1, 2, 3, 4, 5.5f, 6, 7, 8, 9};
    lf_grid_def def = lf_grid_def_default(), bad;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = 3;
    bad = def, bad.codec = (lf_codec)9, refused(bad, "codec is 9");
    bad = def, bad.codec = LF_CODEC_PACK, bad.max_error = -1, refused(bad, "-1");
    bad = def, bad.codec = LF_CODEC_PACK, bad.max_error = LF_NAN, refused(bad, "nan");
    bad = def, bad.codec = LF_CODEC_PACK, bad.max_error = 1e-12, refused(bad, "1e-12");
    bad = def, bad.codec = LF_CODEC_PACK, refused(bad, "5.5");
    bad = def, bad.codec = LF_CODEC_PACK, bad.band_bits[0] = 8, refused(bad, "band_bits[1] is 0");
    for (int k = 0; k < LF_CODEC_BANDS; k++)
        bad.band_bits[k] = 8;
    refused(bad, "wavelet codec");
    bad.codec = LF_CODEC_D4, bad.max_error = 1, refused(bad, "wavelet codec");
    bad.max_error = 0, bad.band_bits[3] = 1, refused(bad, "band_bits[3] is 1");
    bad.band_bits[3] = 8, bad.coarse_bits[1] = 8, refused(bad, "coarse_bits[2] is 0");
    bad.coarse_bits[2] = 33, refused(bad, "coarse_bits[2] is 33");
    bad = def, bad.coarse_bits[2] = 8, refused(bad, "coarse_bits[2] is 8: requires band_bits");
    bad = def, bad.derived_bounds = true, bad.leaf = 32, refused(bad, "derived_bounds is set");
    bad.codec = LF_CODEC_HAAR, bad.max_error = 1, bad.leaf = 0, refused(bad, "a leaf of 32");
    assert_string_equal(lf_codec_name(LF_CODEC_MAXPLUS), "maxplus");
    assert_string_equal(lf_codec_name((lf_codec)9), "?");
}

/// Smaller than the samples, whose memory is not needed any more; every height is there.
static void small_and_whole(void **state) {
    (void)state;
    for (int codec = 1; codec <= 4; codec++) {
        int16_t *heights = hills(), *kept = hills();
        lf_grid_def def = hill_def(heights, (lf_codec)codec);
        lf_grid *grid;
        assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
        memset(heights, 0x55, SIDE * SIDE * sizeof *heights);
        free(heights);
        lf_grid_info info = lf_grid_describe(grid);
        assert_int_equal(info.codec, codec);
        assert_true(info.largest_error == 0 && info.mean_square_error == 0);
        double each = (double)info.sample_bytes / (SIDE * SIDE);
        printf("%s: %.2f bytes a sample\n", lf_codec_name(info.codec), each);
        assert_true(each < (codec <= 2 ? 1.1 : 1.6));
        assert_true(info.bytes > info.sample_bytes + info.pyramid_bytes);
        static lf__grid_scratch space;
        const lf_grid *view = lf__grid_open(grid, NULL, &space);
        for (int k = 0; k < SIDE * SIDE; k++)
            assert_true(lf_grid_sample(view, k % SIDE, k / SIDE) == kept[k]);
        assert_true(lf_grid_sample(grid, SIDE - 1, 7) == kept[8 * SIDE - 1]); // without a place for tiles
        double part[50 * 3];
        assert_int_equal(lf_grid_read(grid, 10, SIDE - 3, 50, 3, part), LF_OK);
        for (int k = 0; k < 150; k++)
            assert_true(part[k] == kept[(SIDE - 3 + k / 50) * SIDE + 10 + k % 50]);
        assert_int_equal(lf_grid_read(grid, SIDE - 49, 0, 50, 3, part), LF_BAD_ARGUMENT);
        assert_int_equal(lf_grid_read(grid, 0, -1, 50, 3, part), LF_BAD_ARGUMENT);
        lf_grid_destroy(grid);
        free(kept);
    }
}

/// What max-plus keeps bounds of takes no more than a tenth of a byte a sample; its heights are their maxima's memory.
static void bounds_of_maxplus(void **state) {
    (void)state;
    int16_t *heights = hills();
    lf_grid_def def = hill_def(heights, LF_CODEC_MAXPLUS);
    lf_grid *grid;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    lf_grid_info info = lf_grid_describe(grid);
    assert_int_equal(info.leaf, 16);
    assert_true((double)info.pyramid_bytes < 0.13 * SIDE * SIDE);
    assert_true((double)info.sample_bytes < 2.0 * SIDE * SIDE);
    lf_grid_destroy(grid);
    free(heights);
}

static void counted(void **state) {
    (void)state;
    int16_t *heights = hills();
    for (int codec = 1; codec <= 4; codec++) {
        lf_grid_def def = hill_def(heights, (lf_codec)codec);
        lf_grid *grid;
        const lf_ground *ground;
        lf_cursor *cursor;
        lf_hit hit;
        assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
        ground = lf_grid_ground(grid);
        assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
        uint64_t tile = codec <= 2 ? 256 : 1024;
        lf_vec3 point = {100.5, 100.5, 5000};
        assert_int_equal(lf_ground_height(ground, point, LF_VERTICAL_DOWN, &hit, cursor), LF_OK);
        assert_int_equal(lf_cursor_counters(cursor).decoded, tile);
        assert_int_equal(lf_ground_height(ground, point, LF_VERTICAL_DOWN, &hit, cursor), LF_OK);
        assert_int_equal(lf_cursor_counters(cursor).decoded, tile); // it was there
        assert_int_equal(lf_cursor_set_budget(cursor, 0), LF_OK);
        assert_int_equal(lf_ground_height(ground, point, LF_VERTICAL_DOWN, &hit, cursor), LF_OK);
        assert_int_equal(lf_cursor_counters(cursor).decoded, 2 * tile);
        assert_int_equal(lf_cursor_set_budget(cursor, 1 << 18), LF_OK);
        // A ray over everything decodes nothing, one along the ground what it passes.
        lf_cursor_reset(cursor);
        lf_ray over = lf_ray_between((lf_vec3){0, 5, 900}, (lf_vec3){SIDE - 1, 200, 900});
        assert_int_equal(lf_ground_ray_first(ground, &over, &hit, cursor), LF_OK);
        assert_int_equal(lf_cursor_counters(cursor).decoded, 0);
        lf_ray along = lf_ray_between((lf_vec3){0, 5, 640}, (lf_vec3){SIDE - 1, 200, 640});
        bool any;
        assert_int_equal(lf_ground_ray_any(ground, &along, &any, cursor), LF_OK);
        uint64_t decoded = lf_cursor_counters(cursor).decoded;
        assert_true(decoded > 0 && decoded < (codec <= 2 ? 60u : 40u) * tile);
        lf_cursor_destroy(cursor);
        lf_grid_destroy(grid);
    }
    free(heights);
}

/// A random line of sight decodes less than a twentieth of the raster, and none of them more than the tiles on its way and beside it.
static void few_are_decoded(void **state) {
    (void)state;
    enum { SAMPLES = 513, LINES = 200 };
    test_random random = test_random_start(6511);
    lf_make_heights_def make = lf_make_heights_def_default();
    float *heights = test_space(SAMPLES * SAMPLES, sizeof *heights);
    make.columns = make.rows = SAMPLES;
    assert_int_equal(lf_make_rows(&make, 0, SAMPLES, heights, NULL), LF_OK);
    for (int codec = 1; codec <= 4; codec++) {
        lf_grid_def def = lf_grid_def_default();
        lf_sight_rules rules = lf_sight_rules_default();
        lf_grid *grid;
        const lf_ground *ground;
        lf_cursor *cursor;
        uint64_t most = 0, all = 0;
        double side = codec <= LF_CODEC_MAXPLUS ? LF__CODEC_SIDE : LF__WAVE_SIDE;
        def.samples.values = heights;
        def.samples.columns = def.samples.rows = SAMPLES;
        def.geotransform = (lf_geotransform){{0, 0}, {30, 0}, {0, 30}};
        def.codec = (lf_codec)codec;
        def.max_error = 0.1;
        assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
        ground = lf_grid_ground(grid);
        assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
        for (int k = 0; k < LINES; k++) {
            lf_vec3 ends[2];
            lf_verdict verdict;
            for (int e = 0; e < 2; e++) {
                int64_t i = test_random_below(&random, SAMPLES), j = test_random_below(&random, SAMPLES);
                ends[e] = (lf_vec3){30.0 * (double)i, 30.0 * (double)j,
                                    (double)heights[j * SAMPLES + i] + test_random_between(&random, 0.2, 40)};
            }
            lf_cursor_reset(cursor);
            assert_int_equal(lf_cursor_set_budget(cursor, 1 << 18),
                             LF_OK); // nothing is left of the line before
            assert_int_equal(lf_sight_verdict(ground, &rules, ends[0], ends[1], &verdict, cursor), LF_OK);
            uint64_t decoded = lf_cursor_counters(cursor).decoded;
            double way = fabs(ends[0].x - ends[1].x) / 30 + fabs(ends[0].y - ends[1].y) / 30;
            assert_true((double)decoded <= 3 * (way / side + 3) * side * side);
            most = decoded > most ? decoded : most;
            all += decoded;
        }
        printf("%s: %.3f %% a line, %.3f %% at the most\n", lf_codec_name(def.codec),
               100.0 * (double)all / LINES / (SAMPLES * SAMPLES), 100.0 * (double)most / (SAMPLES * SAMPLES));
        assert_true((double)all < 0.05 * SAMPLES * SAMPLES * LINES);
        assert_true(all > 0);
        lf_cursor_destroy(cursor);
        lf_grid_destroy(grid);
    }
    free(heights);
}

static lf_status make_and_edit(const lf_host *host, void *user) {
    const int16_t *heights = user;
    lf_grid_def def = hill_def(heights, LF_CODEC_PACK);
    int16_t fresh[9] = {7, 8, 9, -32768, 5, 6, 1, 2, 3};
    lf_samples samples = {LF_SAMPLE_INT16, fresh, 3, 3, 0, 0, 1, 0, -32768, NULL, 0};
    lf_grid *grid;
    def.samples.columns = def.samples.rows = 40;
    def.host = *host;
    lf_status status = lf_grid_create(&def, &grid, NULL);
    if (status != LF_OK)
        return status;
    status = lf_grid_edit(grid, 14, 15, &samples, NULL, NULL);
    double sample = lf_grid_sample(grid, 14, 15), hole = lf_grid_sample(grid, 14, 16);
    if (status == LF_OK)
        assert_true(sample == 7 && isnan(hole));
    else // nothing has changed
        assert_true(sample == heights[15 * 40 + 14] && hole == heights[16 * 40 + 14]);
    lf_grid_destroy(grid);
    return status;
}

static void no_memory(void **state) {
    (void)state;
    int16_t *heights = hills();
    test_out_of_memory(make_and_edit, heights);
    free(heights);
}

static bool stop(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user, (void)done, (void)total;
    return strcmp(stage, "tiles") != 0;
}

static void cancelled(void **state) {
    (void)state;
    int16_t *heights = hills();
    lf_grid_def def = hill_def(heights, LF_CODEC_MAXPLUS);
    lf_progress progress = {NULL, stop};
    lf_grid *grid = NULL;
    def.host.progress = &progress;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_CANCELLED);
    assert_null(grid);
    free(heights);
}

/// A compressed grid takes what is within its error, and refuses the rest.
static void edits_within_the_error(void **state) {
    (void)state;
    float heights[400];
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    lf_error error = {0};
    for (int k = 0; k < 400; k++)
        heights[k] = (float)(k % 20) * 1.37f;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = 20;
    def.codec = LF_CODEC_PACK;
    def.max_error = 0.05;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    float one = 11.111f;
    lf_samples samples = {LF_SAMPLE_FLOAT, &one, 1, 1, 0, 0, 1, 0, LF_NAN, NULL, 0};
    assert_int_equal(lf_grid_edit(grid, 3, 4, &samples, NULL, NULL), LF_OK);
    assert_true(fabs(lf_grid_sample(grid, 3, 4) - 11.111) <= 0.05);
    one = 1e20f;
    assert_int_equal(lf_grid_edit(grid, 3, 4, &samples, NULL, &error), LF_BAD_ARGUMENT);
    lf_grid_destroy(grid);
}

/// Bands above tiles: a grid of 8 x 8 tiles with exact bands of its own has the numbers of the Haar wavelet of eight bands on the whole of
/// it, and tiles beyond the last column and row do not matter.
static void eight_bands(void **state) {
    (void)state;
    enum { LOG2 = 8, WHOLE = 1 << LOG2 };
    static float heights[WHOLE * WHOLE];
    static double numbers[WHOLE * WHOLE];
    test_random random = test_random_start(808);
    for (int bands = 6; bands <= 8; bands++) {
        lf_grid_def def = lf_grid_def_default();
        lf_grid *grid;
        int side = 1 << bands, bits[LOG2];
        for (int k = 0; k < side * side; k++)
            heights[k] = (float)(900 * sin(0.03 * (k % side)) + 200 * cos(0.11 * (k / side)) +
                                 test_random_between(&random, 0, 20));
        def.samples.values = heights;
        def.samples.columns = def.samples.rows = side;
        def.codec = LF_CODEC_HAAR;
        for (int k = 0; k < LF_CODEC_BANDS; k++)
            def.band_bits[k] = 32;
        for (int k = 0; k < bands; k++)
            bits[k] = k < bands - LF_CODEC_BANDS ? 4 + k : 32;
        for (int k = 0; k < bands - LF_CODEC_BANDS; k++)
            def.coarse_bits[k + LF_CODEC_COARSE_BANDS - (bands - LF_CODEC_BANDS)] = bits[k];
        assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
        for (int k = 0; k < side * side; k++)
            numbers[k] = (double)heights[k];
        lf__wave_forward(LF__WAVE_HAAR, numbers, bands);
        lf__wave_quantise(numbers, bands, bits);
        lf__wave_back(LF__WAVE_HAAR, numbers, bands);
        double unit = lf_grid_describe(grid).high * 0x1p-20, moved = 0;
        for (int k = 0; k < side * side; k++) {
            double height = lf_grid_sample(grid, k % side, k / side);
            assert_true(fabs(height - numbers[k]) <= unit);
            moved = fmax(moved, fabs(height - (double)heights[k]));
        }
        assert_true(moved > 1000 * unit && lf_grid_describe(grid).largest_error == moved);
        lf_grid_destroy(grid);
    }
    // A rectangle that ends within tiles and squares of tiles.
    for (int codec = LF_CODEC_HAAR; codec <= LF_CODEC_D4; codec++) {
        double last = 0;
        for (int fine = 0; fine < 2; fine++) {
            lf_grid_def def = lf_grid_def_default();
            lf_grid *grid;
            def.samples.values = heights;
            def.samples.columns = 300;
            def.samples.rows = 210;
            def.codec = (lf_codec)codec;
            for (int k = 0; k < LF_CODEC_BANDS; k++)
                def.band_bits[k] = 32;
            for (int k = 0; k < LF_CODEC_COARSE_BANDS; k++)
                def.coarse_bits[k] = fine ? 16 : 4;
            assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
            double mean = lf_grid_describe(grid).mean_square_error;
            assert_true(fine ? mean < last / 1e6 : mean > 0);
            last = mean;
            lf_grid_destroy(grid);
        }
    }
}

/// Lines over a wavelet grid without bounds within tiles, by bounds from the coefficients and without any: the same verdicts, and
/// fewer tiles are decoded. The last one has no bounds of tiles either.
static void bounds_from_coefficients(void **state) {
    (void)state;
    enum { HILLS = 257, LINES = 1000 };
    static float heights[HILLS * HILLS];
    for (int k = 0; k < HILLS * HILLS; k++)
        heights[k] = (float)(200 * sin(0.02 * (k % HILLS)) * cos(0.023 * (k / HILLS)));
    for (int codec = LF_CODEC_HAAR; codec <= LF_CODEC_D4; codec++) {
        lf_grid_def def = lf_grid_def_default();
        lf_grid *grids[4]; // stored, from coefficients, none within tiles, all from coefficients
        uint64_t decoded[4];
        lf_sight_rules rules = lf_sight_rules_default();
        uint8_t verdicts[4][LINES];
        def.samples.values = heights;
        def.samples.columns = def.samples.rows = HILLS;
        def.codec = (lf_codec)codec;
        def.max_error = 0.1;
        for (int g = 0; g < 4; g++) {
            test_random random = test_random_start(48);
            decoded[g] = 0;
            def.leaf = g == 0 ? 0 : 32;
            def.derived_bounds = g == 3;
            assert_int_equal(lf_grid_create(&def, &grids[g], NULL), LF_OK);
            assert_true((grids[g]->packed->tops != NULL) == (g > 0));
            lf__wave_tops *tops = grids[g]->packed->tops;
            grids[g]->packed->tops = g == 2 ? NULL : tops;
            for (int k = 0; k < LINES; k++) {
                lf_vec3 a = {test_random_between(&random, 0, HILLS - 1), 0,
                             test_random_between(&random, 0, 250)},
                        b = {0, test_random_between(&random, 0, HILLS - 1),
                             test_random_between(&random, 0, 250)};
                a.y = test_random_between(&random, 0, HILLS - 1);
                b.x = test_random_between(&random, 0, HILLS - 1);
                lf_verdict verdict;
                lf_cursor *cursor; // of this line alone: tiles that other lines have decoded need no bounds
                assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
                assert_int_equal(lf_sight_verdict(lf_grid_ground(grids[g]), &rules, a, b, &verdict, cursor),
                                 LF_OK);
                decoded[g] += lf_cursor_counters(cursor).decoded;
                lf_cursor_destroy(cursor);
                verdicts[g][k] = (uint8_t)verdict;
            }
            grids[g]->packed->tops = tops;
        }
        assert_memory_equal(verdicts[0], verdicts[1], LINES);
        assert_memory_equal(verdicts[0], verdicts[2], LINES);
        assert_memory_equal(verdicts[0], verdicts[3], LINES);
        print_message("%s: samples decoded per line: %.0f with stored bounds, %.0f with bounds from "
                      "coefficients, %.0f without, %.0f with all bounds from coefficients\n",
                      lf_codec_name((lf_codec)codec), (double)decoded[0] / LINES, (double)decoded[1] / LINES,
                      (double)decoded[2] / LINES, (double)decoded[3] / LINES);
        assert_true(decoded[1] < decoded[2]);
        assert_true(lf_grid_describe(grids[1]).pyramid_bytes * 20 < lf_grid_describe(grids[0]).pyramid_bytes);
        for (int g = 0; g < 4; g++)
            lf_grid_destroy(grids[g]);
    }
}

/// Heights of one of the four types, in every step-th place of a row.
static char *random_samples(test_random *random, lf_sample_type type, int64_t step) {
    int64_t count = SIDE * SIDE * step;
    char *bytes = malloc((size_t)count * sizeof(double));
    for (int64_t k = 0; k < count; k++) {
        int64_t whole = test_random_below(random, 900);
        if (type == LF_SAMPLE_FLOAT)
            ((float *)(void *)bytes)[k] = (float)whole + 0.3f;
        else if (type == LF_SAMPLE_DOUBLE)
            ((double *)(void *)bytes)[k] = (double)whole + 0.1;
        else
            ((int16_t *)(void *)bytes)[k] = (int16_t)whole;
    }
    return bytes;
}

/// lf_grid_read has what lf_grid_sample has: of every type, layout and codec, with and without voids, scale and ring.
static void read_as_samples(void **state) {
    (void)state;
    static double read[SIDE * SIDE];
    test_random random = test_random_start(77);
    for (int round = 0; round < 80; round++) {
        int64_t step = 1 + test_random_below(&random, 2);
        lf_sample_type type = (lf_sample_type)test_random_below(&random, 4);
        bool whole = type == LF_SAMPLE_INT16 || type == LF_SAMPLE_UINT16,
             scaled = test_random_below(&random, 2);
        char *bytes = random_samples(&random, type, step);
        lf_grid_def def = lf_grid_def_default();
        lf_grid *grid = NULL;
        def.samples = (lf_samples){
            type, bytes, SIDE, SIDE - 7, step * (ptrdiff_t)lf__sample_size(type), 0, 1, 0, LF_NAN, NULL, 0};
        def.samples.scale = scaled ? 0.1 : 1;
        def.samples.offset = scaled ? 5.5 : 0;
        def.samples.nodata = test_random_below(&random, 2) && whole ? 450 : LF_NAN;
        def.extend = test_random_below(&random, 2);
        def.codec = whole ? (lf_codec)test_random_below(&random, 5) : LF_CODEC_RAW;
        def.borrow = def.codec == LF_CODEC_RAW && !def.extend;
        assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
        for (int k = 0; k < 3; k++) {
            int64_t i = test_random_below(&random, SIDE), j = test_random_below(&random, SIDE - 7);
            int64_t columns = 1 + test_random_below(&random, SIDE - i),
                    rows = 1 + test_random_below(&random, SIDE - 7 - j);
            assert_int_equal(lf_grid_read(grid, i, j, columns, rows, read), LF_OK);
            for (int64_t n = 0; n < columns * rows; n += 1 + test_random_below(&random, def.codec ? 97 : 5)) {
                double sample = lf_grid_sample(grid, i + n % columns, j + n / columns);
                assert_true(read[n] == sample || (isnan(read[n]) && isnan(sample)));
            }
        }
        lf_grid_destroy(grid);
        free(bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_defs),          cmocka_unit_test(small_and_whole),
        cmocka_unit_test(bounds_of_maxplus), cmocka_unit_test(counted),
        cmocka_unit_test(few_are_decoded),   cmocka_unit_test(no_memory),
        cmocka_unit_test(cancelled),         cmocka_unit_test(edits_within_the_error),
        cmocka_unit_test(eight_bands),       cmocka_unit_test(bounds_from_coefficients),
        cmocka_unit_test(read_as_samples),
    };
    return cmocka_run_group_tests_name("grid: compressed", tests, NULL, NULL);
}
