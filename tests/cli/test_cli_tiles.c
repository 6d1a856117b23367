/// Results that are computed in tiles: the same bits as in one piece, whatever the tiles, the raster and what interrupts it; and in
/// the memory that is given.
#include "child.h"
#include "rasters.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS 1200

// ---- Rasters ------------------------------------------------------------------------------------

/// Rough ground with ridges, and voids in some of it.
static void make_ground(test_random *random, const char *name, bool voids, int *columns, int *rows) {
    static const char *const systems[] = {"EPSG:32632", "EPSG:4326", "EPSG:3035", NULL};
    static const GDALDataType types[] = {GDT_Float32, GDT_Int16, GDT_Float64};
    int more = test_long() ? 160 : 60;
    int wide = *columns = 90 + (int)test_random_below(random, more),
        high = *rows = 90 + (int)test_random_below(random, more);
    raster_plan plan = raster_plan_of(wide, high);
    double *heights = malloc((size_t)(wide * high) * sizeof *heights);
    assert_non_null(heights);
    double slope = test_random_between(random, 0.02, 0.2), base = test_random_between(random, -200, 3000);
    plan.crs = systems[test_random_below(random, 4)];
    plan.type = types[test_random_below(random, 3)];
    double cell = plan.crs && strcmp(plan.crs, "EPSG:4326") == 0 ? 30.0 / 111000 : 30;
    double place[6] = {cell < 1 ? 8.1 : 410007.3, cell, 0, cell < 1 ? 46.7 : 5200011.7, 0, -cell};
    if (plan.crs && strcmp(plan.crs, "EPSG:3035") == 0)
        place[0] = 4.1e6, place[3] = 2.6e6;
    if (test_random_below(random, 4) == 0) // south up
        place[5] = cell;
    memcpy(plan.place, place, sizeof place);
    for (int k = 0; k < wide * high; k++) {
        int i = k % wide, j = k / wide;
        bool hole = voids && (i / 9 * 7 + j / 8 * 5) % 23 == 0;
        heights[k] = hole ? -9999
                          : floor(base + 300 * sin(slope * i) * cos(1.3 * slope * j) +
                                  test_random_between(random, 0, 40));
    }
    GDALDatasetH data = raster_new(test_path(name), &plan);
    GDALSetRasterNoDataValue(GDALGetRasterBand(data, 1), -9999);
    raster_fill(data, 1, heights);
    GDALClose(data);
    free(heights);
}

/// Where a sample is, as --at takes it.
static void spell_place(test_random *random, const char *name, int columns, int rows, char *text,
                        size_t size) {
    lf_raster_def def = lf_raster_def_default();
    lf_raster *raster = raster_read(test_path(name), &def);
    lf_geotransform place = lf_raster_grid_def(raster).geotransform;
    lf_vec2 at = lf_geotransform_at(&place, test_random_between(random, 1, columns - 2),
                                    test_random_between(random, 1, rows - 2));
    snprintf(text, size, "%.9f,%.9f,40", at.x, at.y);
    lf_raster_close(raster);
}

/// Numbers of all bands, and what else a reader finds; free it.
static char *result_of(const char *path, size_t *size) {
    GDALDatasetH data = GDALOpen(path, GA_ReadOnly);
    if (!data)
        fail_msg("%s: cannot be opened", path);
    int columns = GDALGetRasterXSize(data), rows = GDALGetRasterYSize(data), bands = GDALGetRasterCount(data);
    double place[6];
    GDALGetGeoTransform(data, place);
    *size = sizeof place + (size_t)columns * (size_t)rows * (size_t)bands * sizeof(double);
    char *all = calloc(1, *size);
    assert_non_null(all);
    memcpy(all, place, sizeof place);
    assert_int_equal(GDALDatasetRasterIO(data, GF_Read, 0, 0, columns, rows, all + sizeof place, columns,
                                         rows, GDT_Float64, bands, NULL, 0, 0, 0),
                     CE_None);
    GDALClose(data);
    return all;
}

static void same_result(const char *a, const char *b, const char *words) {
    size_t m, n;
    char *x = result_of(a, &m), *y = result_of(b, &n);
    if (m != n || memcmp(x, y, m) != 0)
        fail_msg("%s: another result than in one piece", words);
    free(x);
    free(y);
}

static child_end run_fine(const char *words) {
    child_end end = child_run(words, CHILD_PLAIN, 0);
    if (end.status != 0)
        fail_msg("landfall %s: status %d: %s", words, end.status, end.said);
    return end;
}

// ---- The same bits ------------------------------------------------------------------------------

#define KINDS 10

/// A question about a raster, without the output.
static void choose_question(test_random *random, int kind, const char *place, const char *other, char *text) {
    double range = test_random_between(random, 150, 2500);
    switch (kind) {
    case 0:
        snprintf(text, WORDS, "total RASTER --range %.0f --azimuths 12 --values all --check 3", range);
        break;
    case 1:
        snprintf(text, WORDS, "horizon RASTER --map 17,200 --range %.0f --eye 2", range);
        break;
    case 2:
        snprintf(text, WORDS, "horizon RASTER --sky 5 --range %.0f", range);
        break;
    case 3:
        snprintf(text, WORDS, "shadow RASTER --sun %.2f,%.2f --range %.0f",
                 test_random_between(random, 0, 360), test_random_between(random, -1, 40), range);
        break;
    case 4:
        snprintf(text, WORDS,
                 "sunhours RASTER --date 2026-03-04 --step 90 --range %.0f --ground-crs EPSG:32632", range);
        break;
    case 5:
        snprintf(text, WORDS, "viewshed RASTER --at %s --at %s --mode count --range %.0f", place, other,
                 range);
        break;
    case 6:
        snprintf(text, WORDS, "viewshed RASTER --at %s --at %s --mode who --range 90,%.0f", place, other,
                 range);
        break;
    default:
        snprintf(text, WORDS, "viewshed RASTER --at %s --mode %s --range %.0f --cc 0.8", place,
                 kind == 7   ? "visible --crop"
                 : kind == 8 ? "ground"
                             : "dem",
                 range);
    }
}

/// The question with a raster, options and an output.
static void spell(char *words, const char *question, const char *raster, const char *more,
                  const char *output) {
    const char *gap = strstr(question, "RASTER");
    int length = snprintf(words, 2 * WORDS, "%.*s%s%s %s -o %s", (int)(gap - question), question, raster,
                          gap + 6, more, output);
    assert_true(length < 2 * WORDS);
}

static void one_case(test_random *random, int kind, bool stored) {
    char place[96], other[96], question[WORDS], words[2 * WORDS], more[64];
    int columns, rows;
    make_ground(random, "ground.tif", test_random_below(random, 2) == 0, &columns, &rows);
    spell_place(random, "ground.tif", columns, rows, place, sizeof place);
    spell_place(random, "ground.tif", columns, rows, other, sizeof other);
    choose_question(random, kind, place, other, question);
    snprintf(more, sizeof more, "-q --tile %d,%d", 1 + (int)test_random_below(random, columns + 20),
             20 + (int)test_random_below(random, rows));
    const char *raster = test_path(stored ? "ground.lf" : "ground.tif");
    if (stored) {
        snprintf(words, sizeof words, "build %s -q -o %s", test_path("ground.tif"), raster);
        run_fine(words);
        char *own = strstr(question, " --ground-crs");
        if (own)
            *own = '\0';
    }
    spell(words, question, raster, "-q", test_path("whole.tif"));
    child_end whole = child_run(words, CHILD_PLAIN, 0), cut;
    bool vrt = test_random_below(random, 3) == 0;
    const char *output = test_path(vrt ? "cut.vrt" : "cut.tif");
    spell(words, question, raster, more, output);
    cut = child_run(words, CHILD_PLAIN, 0);
    if (cut.status != whole.status || strcmp(cut.printed, whole.printed) != 0)
        fail_msg("landfall %s: status %d and %s, in one piece %d and %s%s%s", words, cut.status, cut.printed,
                 whole.status, whole.printed, cut.said, whole.said);
    if (whole.status == 0)
        same_result(test_path("whole.tif"), output, words);
    char clean[WORDS];
    snprintf(clean, sizeof clean, "rm -rf '%s' '%s.tiles'", output, output);
    assert_int_equal(system(clean), 0);
}

static void any_tiling_gives_the_same_bits(void **state) {
    test_random random = test_random_start(231);
    int rounds = test_long() ? 30 : 1;
    (void)state;
    for (int round = 0; round < rounds; round++)
        for (int kind = 0; kind < KINDS; kind++)
            one_case(&random, kind, (round + kind) % 3 == 1);
}

// ---- Interruptions ------------------------------------------------------------------------------

static void a_killed_job_continues(void **state) {
    test_random random = test_random_start(232);
    char words[2 * WORDS];
    int columns, rows, kills = test_long() ? 60 : 2, taken_over = 0;
    const char *question = "horizon RASTER --map 17 --range 500 --eye 2";
    (void)state;
    if (!child_can_trace()) {
        printf("skipped: children cannot be traced here\n");
        return;
    }
    make_ground(&random, "ground.tif", true, &columns, &rows);
    spell(words, question, test_path("ground.tif"), "-q", test_path("whole.tif"));
    run_fine(words);
    spell(words, question, test_path("ground.tif"), "--tile 64,64", test_path("cut.tif"));
    int changes = child_run(words, CHILD_TRACED, 0).changes;
    assert_true(changes > 20);
    while (kills > 0) {
        remove(test_path("cut.tif"));
        child_end end = {.killed = true};
        for (; end.killed && kills > 0; kills--)
            end = child_run(words, CHILD_TRACED, 1 + (int)test_random_below(&random, changes));
        if (end.killed)
            end = run_fine(words);
        assert_int_equal(end.status, 0);
        taken_over += !strstr(end.said, " 0 done before");
        same_result(test_path("whole.tif"), test_path("cut.tif"), words);
        assert_false(test_file_exists("cut.tif.tiles"));
    }
    assert_true(taken_over > 0 || !test_long());
}

static void a_full_disk_ends_it_and_it_continues(void **state) {
    test_random random = test_random_start(233);
    char words[2 * WORDS];
    int columns, rows;
    const char *question = "shadow RASTER --sun 100,12 --range 500";
    (void)state;
    make_ground(&random, "ground.tif", false, &columns, &rows);
    spell(words, question, test_path("ground.tif"), "-q", test_path("whole.tif"));
    run_fine(words);
    spell(words, question, test_path("ground.tif"), "-q --tile 64,64", test_path("cut.tif"));
    remove(test_path("cut.tif"));
    child_end end = child_run(words, CHILD_FULL, 0);
    assert_int_equal(end.status, 2);
    assert_true(strlen(end.said) > 0);
    assert_false(test_file_exists("cut.tif"));
    run_fine(words);
    same_result(test_path("whole.tif"), test_path("cut.tif"), words);
}

/// Refused, with these words; and it changes nothing.
static void refuse(const char *words, const char *said) {
    child_end end = child_run(words, CHILD_PLAIN, 0);
    if (end.status != 2 || !strstr(end.said, said))
        fail_msg("landfall %s: status %d: %s\nexpected: %s", words, end.status, end.said, said);
}

static void another_job_is_refused(void **state) {
    test_random random = test_random_start(234);
    char words[2 * WORDS];
    int columns, rows;
    (void)state;
    make_ground(&random, "ground.tif", false, &columns, &rows);
    spell(words, "horizon RASTER --map 17 --range 500", test_path("ground.tif"), "-q --tile 64,64",
          test_path("cut.vrt"));
    run_fine(words);
    size_t size, again;
    char *before = result_of(test_path("cut.vrt"), &size);
    spell(words, "horizon RASTER --map 17 --range 600", test_path("ground.tif"), "-q --tile 64,64",
          test_path("cut.vrt"));
    refuse(words, "cut.vrt.tiles: belongs to another job (option --range 500 there, option --range 600)");
    make_ground(&random, "ground.tif", false, &columns, &rows);
    spell(words, "horizon RASTER --map 17 --range 500", test_path("ground.tif"), "-q --tile 64,64",
          test_path("cut.vrt"));
    refuse(words, "belongs to another job (");
    char *after = result_of(test_path("cut.vrt"), &again);
    assert_true(size == again && memcmp(before, after, size) == 0);
    free(before);
    free(after);
    spell(words, "horizon RASTER --map 17 --range 500", test_path("ground.tif"), "--memory 20M",
          test_path("small.tif"));
    refuse(words,
           "--memory 20M: a tile of 64 x 64 samples and what is within the range of 500 m around it take ");
    spell(words, "horizon RASTER --map 17", test_path("ground.tif"), "--memory 1G", test_path("small.tif"));
    refuse(words, "--range: missing");
    spell(words, "horizon RASTER --map 17 --range 500", test_path("ground.tif"), "--memory 1G",
          test_path("small.png"));
    refuse(words, "small.png: what is computed in tiles is a .tif, a .vrt or a .lf");
    assert_false(test_file_exists("small.tif"));
    assert_false(test_file_exists("small.tif.tiles"));
    snprintf(words, sizeof words, "rm -r '%s.tiles'", test_path("cut.vrt"));
    assert_int_equal(system(words), 0);
}

// ---- Memory -------------------------------------------------------------------------------------

/// A few walls on a plain, in a file that is much smaller than the samples.
static void make_plain(const char *name, int side) {
    static const char *const options[] = {"TILED=YES", "COMPRESS=DEFLATE", "ZLEVEL=1", "SPARSE_OK=TRUE",
                                          NULL};
    raster_plan plan = raster_plan_of(side, side);
    plan.options = options;
    plan.type = GDT_Float64;
    GDALSetCacheMax64(16 << 20); // a child begins with the memory of this process
    GDALDatasetH data = raster_new(test_path(name), &plan);
    for (int j = 0; j < side; j += 1000) {
        float row[512];
        for (int i = 0; i < 512; i++)
            row[i] = (float)(i % 100);
        assert_int_equal(GDALRasterIO(GDALGetRasterBand(data, 1), GF_Write, j % (side - 600), j, 512, 1, row,
                                      512, 1, GDT_Float32, 0, 0),
                         CE_None);
    }
    GDALClose(data);
}

/// A large result is in blocks, and has overviews down to a small picture.
static void check_layout(const char *name) {
    int wide, high;
    GDALDatasetH data = GDALOpen(test_path(name), GA_ReadOnly);
    GDALRasterBandH band = GDALGetRasterBand(data, 1);
    GDALGetBlockSize(band, &wide, &high);
    assert_true(wide == high && wide < 1000);
    assert_true(GDALGetOverviewCount(band) > 2);
    GDALRasterBandH last = GDALGetOverview(band, GDALGetOverviewCount(band) - 1);
    assert_true(GDALGetRasterBandXSize(last) < 600);
    GDALClose(data);
}

static void the_memory_given_is_kept(void **state) {
    int side = test_long() ? 16000 : 4400;
    const int64_t limit = 120 * (int64_t)1000000;
    char words[2 * WORDS];
    (void)state;
    make_plain("large.tif", side);
    // In one piece the heights alone are more than the limit.
    assert_true((int64_t)side * side * 8 > 5 * limit / 4);
    spell(words, "shadow RASTER --sun 90,45 --range 300", test_path("large.tif"), "-q --memory 120M",
          test_path("lit.tif"));
    bool hard = child_limit(limit); // more memory than that, and the child is killed
    child_end end = run_fine(words);
    printf("%.0f MB of 120 MB\n", (double)end.most_bytes / 1e6);
    assert_true(end.most_bytes <= limit);
    check_layout("lit.tif");
    if (!hard) {
        printf("skipped: no control group of memory can be made here: only the peak is checked\n");
        return;
    }
    spell(words, "shadow RASTER --sun 90,45 --range 300", test_path("large.tif"), "-q", test_path("lit.tif"));
    end = child_run(words, CHILD_PLAIN, 0); // the limit is one: in one piece it does not fit
    assert_int_not_equal(end.status, 0);
    assert_true(child_limit(0));
}

/// Samples and structures of a mosaic are on the disk: what is resident of them can be taken away at any time.
static void a_mosaic_is_built_in_the_memory_given(void **state) {
    const int64_t limit = 200 * (int64_t)1000000;
    int side = test_long() ? 16000 : 7600;
    char words[2 * WORDS];
    (void)state;
    make_plain("large.tif", side);
    make_plain("small.tif", 700); // over a corner of it
    assert_true((int64_t)side * side * 4 > limit);
    if (!child_limit(limit)) {
        printf("skipped: no control group of memory can be made here\n");
        return;
    }
    snprintf(words, sizeof words, "build %s %s -q --memory 200M -o %s", test_path("large.tif"),
             test_path("small.tif"), test_path("large.lf"));
    run_fine(words);
    assert_true(test_file_exists("large.lf"));
    assert_false(test_file_exists("large.lf.work"));
    spell(words, "shadow RASTER --sun 90,45", test_path("large.tif"), "-q", test_path("lit.tif"));
    child_end end = child_run(words, CHILD_PLAIN, 0); // the limit is one: samples in memory do not fit
    assert_int_not_equal(end.status, 0);
    assert_true(child_limit(0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_tiling_gives_the_same_bits),
        cmocka_unit_test(a_killed_job_continues),
        cmocka_unit_test(a_full_disk_ends_it_and_it_continues),
        cmocka_unit_test(another_job_is_refused),
        cmocka_unit_test(the_memory_given_is_kept),
        cmocka_unit_test(a_mosaic_is_built_in_the_memory_given),
    };
    return cmocka_run_group_tests(tests, raster_folder, test_folder_remove);
}
