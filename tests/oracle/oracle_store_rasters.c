// Every real raster, and generated ones, into a .lf file and back, in every codec: heights within the error,
// holes where they were, questions answered as on the decoded heights, exported and read again the same.
#include "files.h"
#include "packed_ask.h"
#include "real_rasters.h"
#include <landfall/store.h>
#include <samples.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Samples along a side of what is taken of a large raster, unless the long tests are asked for.
#define WINDOW 56

/// How far floats may be off, in metres.
#define ALLOWED 0.05

/// One raster on its way.
typedef struct trip {
    const char *name;
    lf_grid_def def; ///< plain
    const char *crs; ///< or NULL
    double *truth;   ///< heights as they were, NaN at holes
    double *decoded; ///< and as they come back
    int64_t count;
    int64_t questions;
    test_random *random;
} trip;

typedef struct tally {
    test_random random;
    int64_t rasters, others, samples, holes, trips;
} tally;

static bool whole_numbers(const lf_samples *s) {
    return s->type == LF_SAMPLE_INT16 || s->type == LF_SAMPLE_UINT16;
}

static void read_all(const lf_grid *grid, double *heights) {
    lf_grid_info info = lf_grid_describe(grid);
    assert_int_equal(lf_grid_read(grid, 0, 0, info.columns, info.rows, heights), LF_OK);
}

// ---------------------------------------------------------------------------------------------------
// Samples
// ---------------------------------------------------------------------------------------------------

/// Every sample: the largest error is what was allowed or less, and what the file says that it is.
static void check_samples(const trip *t, const lf_grid *grid, double allowed) {
    lf_grid_info info = lf_grid_describe(grid);
    double largest = 0, squares = 0;
    int64_t holes = 0;
    for (int64_t k = 0; k < t->count; k++) {
        if (isnan(t->truth[k]) != isnan(t->decoded[k]))
            fail_msg("%s, %s: sample %lld is a hole in one of both", t->name, lf_codec_name(info.codec),
                     (long long)k);
        if (isnan(t->truth[k])) {
            holes++;
            continue;
        }
        double off = fabs(t->truth[k] - t->decoded[k]);
        largest = fmax(largest, off);
        squares += off * off;
    }
    if (!(largest <= allowed))
        fail_msg("%s, %s: off by %g", t->name, lf_codec_name(info.codec), largest);
    assert_true(largest == info.largest_error);
    assert_int_equal(holes, info.hole_count);
    if (t->count > holes)
        assert_true(fabs(info.mean_square_error - squares / (double)(t->count - holes)) <=
                    1e-9 * info.mean_square_error);
}

/// What is exported says the same to whoever reads it with GDAL.
static void check_export(const trip *t, const lf_grid *grid) {
    lf_raster_def how = lf_raster_def_default();
    lf_raster *raster;
    lf_grid *again;
    lf_error error = {0};
    double *heights = test_space(t->count, sizeof *heights);
    const char *path = test_path("export.tif");
    if (lf_grid_write(path, grid, t->crs, 1, NULL, &error) != LF_OK)
        fail_msg("%s: %s", t->name, error.text);
    if (lf_raster_read(path, &how, &raster, &error) != LF_OK)
        fail_msg("%s: %s", t->name, error.text);
    lf_grid_def def = lf_raster_grid_def(raster);
    assert_int_equal(def.samples.columns * def.samples.rows, t->count);
    assert_int_equal(def.samples.columns, t->def.samples.columns);
    assert_int_equal(lf_grid_create(&def, &again, NULL), LF_OK);
    read_all(again, heights);
    for (int64_t k = 0; k < t->count; k++)
        if (!(isnan(t->decoded[k]) ? isnan(heights[k]) : heights[k] == t->decoded[k]))
            fail_msg("%s: %g became %g", t->name, t->decoded[k], heights[k]);
    const double *a = &def.geotransform.origin.x, *b = &t->def.geotransform.origin.x;
    double size = fabs(b[0]) + fabs(b[1]) + 1e-9;
    for (int k = 0; k < 6; k++) // corners of pixels there, samples here
        assert_true(fabs(a[k] - b[k]) <= 1e-12 * size);
    lf_grid_destroy(again);
    lf_raster_close(raster);
    free(heights);
}

// ---------------------------------------------------------------------------------------------------
// Questions
// ---------------------------------------------------------------------------------------------------

/// A place within the box or a little beyond; every third one on a sample's lines.
static lf_vec3 some_place(const trip *t, const lf_box *box, int64_t k) {
    lf_vec3 size = lf_vec3_sub(box->high, box->low);
    double height = size.z > 0 ? size.z : 1;
    lf_vec3 at = {box->low.x + size.x * test_random_between(t->random, -0.02, 1.02),
                  box->low.y + size.y * test_random_between(t->random, -0.02, 1.02),
                  box->low.z + height * test_random_between(t->random, -0.05, 1.1)};
    if (k % 3 == 0) {
        const lf_geotransform *p = &t->def.geotransform;
        double i = (double)test_random_below(t->random, t->def.samples.columns),
               j = (double)test_random_below(t->random, t->def.samples.rows);
        at.x = p->origin.x + i * p->per_column.x + j * p->per_row.x;
        at.y = p->origin.y + i * p->per_column.y + j * p->per_row.y;
    }
    return at;
}

static void ask(const trip *t, const packed_twins *twins) {
    lf_box box = lf_ground_box(twins->plain), other = lf_ground_box(twins->packed);
    assert_memory_equal(&box, &other, sizeof box);
    if (!(box.low.z <= box.high.z))
        return; // nothing but holes
    for (int64_t k = 0; k < t->questions; k++) {
        lf_vec3 from = some_place(t, &box, k), to = some_place(t, &box, k + 1);
        lf_ray ray = lf_ray_between(from, to);
        packed_ask_height(twins, from);
        packed_ask_sight(twins, from, to);
        if (lf_vec3_dot(ray.direction, ray.direction) > 0)
            packed_ask_ray(twins, &ray);
    }
}

/// A plain grid of what came back, and the same questions to both.
static void check_questions(const trip *t, const lf_grid *stored, const lf_ground *ground) {
    lf_grid_def def = t->def;
    lf_grid *plain;
    packed_twins twins = {ground, NULL, NULL};
    const lf_ground *plain_ground;
    lf_grid_info info = lf_grid_describe(stored);
    def.samples = lf_grid_def_default().samples;
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = t->decoded;
    def.samples.columns = info.columns;
    def.samples.rows = info.rows;
    assert_int_equal(lf_grid_create(&def, &plain, NULL), LF_OK);
    plain_ground = lf_grid_ground(plain);
    assert_int_equal(lf_cursor_create(NULL, &twins.cursor), LF_OK);
    twins.plain = plain_ground;
    ask(t, &twins);
    lf_cursor_destroy(twins.cursor);
    lf_grid_destroy(plain);
}

// ---------------------------------------------------------------------------------------------------
// There and back
// ---------------------------------------------------------------------------------------------------

/// Does a text begin as WKT2 of a coordinate reference system does?
static bool is_wkt2(const char *text) {
    static const char *const words[] = {"PROJCRS[", "GEOGCRS[",  "GEODCRS[",       "COMPOUNDCRS[",
                                        "ENGCRS[",  "BOUNDCRS[", "DERIVEDPROJCRS["};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strncmp(text, words[k], strlen(words[k])) == 0)
            return true;
    return false;
}

static void go(const trip *t, lf_codec codec, bool with_export) {
    lf_grid_def def = t->def;
    lf_store_def file = lf_store_def_default();
    lf_store *store;
    lf_grid *grid;
    lf_error error = {0};
    double allowed = codec == LF_CODEC_RAW || whole_numbers(&def.samples) ? 0 : ALLOWED;
    def.codec = codec;
    def.max_error = allowed;
    if (lf_grid_create(&def, &grid, &error) != LF_OK)
        fail_msg("%s, %s: %s", t->name, lf_codec_name(codec), error.text);
    file.grid = grid;
    file.crs = t->crs;
    if (lf_store_write(test_path("trip.lf"), &file, &error) != LF_OK)
        fail_msg("%s: %s", t->name, error.text);
    lf_grid_destroy(grid);
    if (lf_store_open(test_path("trip.lf"), NULL, true, &store, &error) != LF_OK)
        fail_msg("%s: %s", t->name, error.text);
    lf_store_info info = lf_store_describe(store);
    assert_true(t->crs ? info.crs && strcmp(info.crs, t->crs) == 0 && is_wkt2(info.crs) : !info.crs);
    read_all(lf_store_grid(store), t->decoded);
    check_samples(t, lf_store_grid(store), allowed);
    check_questions(t, lf_store_grid(store), lf_store_ground(store));
    if (with_export)
        check_export(t, lf_store_grid(store));
    lf_store_close(store);
}

/// All codecs; of the last one (by turns) the export too, in the long tests of each.
static void all_ways(const char *name, const lf_grid_def *def, const char *crs, tally *sum) {
    trip t = {.name = name, .def = *def, .crs = crs, .random = &sum->random};
    lf_grid *plain;
    lf_error error = {0};
    t.def.borrow = false; // which could not be extended
    t.def.surface = (lf_surface)test_random_below(t.random, 5);
    t.def.extend = t.def.surface != LF_SURFACE_POINT && test_random_below(t.random, 2) == 0;
    t.questions = test_long() ? 400 : 6;
    t.count = def->samples.columns * def->samples.rows;
    t.truth = test_space(t.count, sizeof *t.truth);
    t.decoded = test_space(t.count, sizeof *t.decoded);
    if (lf_grid_create(&t.def, &plain, &error) != LF_OK)
        fail_msg("%s: %s", name, error.text);
    read_all(plain, t.truth);
    sum->holes += lf_grid_describe(plain).hole_count;
    lf_grid_destroy(plain);
    for (int codec = 0; codec < 5; codec++, sum->trips++)
        go(&t, (lf_codec)codec, test_long() || codec == sum->rasters % 5);
    sum->rasters++;
    sum->samples += t.count;
    free(t.decoded);
    free(t.truth);
}

// ---------------------------------------------------------------------------------------------------
// Real rasters
// ---------------------------------------------------------------------------------------------------

/// A part of a raster somewhere, or all of it where it is small.
static lf_window some_part(int64_t columns, int64_t rows, test_random *random) {
    lf_window w = {0, 0, columns, rows};
    if (test_long() || columns * rows <= 2 * WINDOW * WINDOW)
        return w;
    w.columns = columns < WINDOW ? columns : WINDOW;
    w.rows = rows < WINDOW ? rows : WINDOW;
    w.column = test_random_below(random, columns - w.columns + 1);
    w.row = test_random_below(random, rows - w.rows + 1);
    return w;
}

/// The samples of a part, which lie as far from each other as in the whole, and its place.
static void take_part(lf_grid_def *def, const lf_window *part) {
    lf_samples *s = &def->samples;
    const lf_geotransform *p = &def->geotransform;
    double i = (double)part->column, j = (double)part->row;
    ptrdiff_t each = s->type == LF_SAMPLE_DOUBLE ? 8 : s->type == LF_SAMPLE_FLOAT ? 4 : 2;
    s->column_step = s->column_step ? s->column_step : each;
    s->row_step = s->row_step ? s->row_step : s->columns * s->column_step;
    s->values = (const char *)s->values + part->row * s->row_step + part->column * s->column_step;
    if (s->mask) {
        s->mask_row_step = s->mask_row_step ? s->mask_row_step : s->columns;
        s->mask += part->row * s->mask_row_step + part->column;
    }
    s->columns = part->columns;
    s->rows = part->rows;
    def->geotransform.origin = (lf_vec2){p->origin.x + i * p->per_column.x + j * p->per_row.x,
                                         p->origin.y + i * p->per_column.y + j * p->per_row.y};
}

static void real_one(const char *name, void *user) {
    tally *sum = user;
    const real_raster_odd *odd = real_raster_odd_of(name);
    lf_raster_def how = real_raster_def(odd);
    lf_raster *raster;
    lf_error error = {0};
    if (odd && !odd->raster) {
        sum->others++;
        return;
    }
    if (lf_raster_read(real_raster_path(name), &how, &raster, &error) != LF_OK)
        fail_msg("%s: %s", name, error.text);
    lf_grid_def def = lf_raster_grid_def(raster);
    lf_window part = some_part(def.samples.columns, def.samples.rows, &sum->random);
    int64_t holes = sum->holes;
    take_part(&def, &part);
    all_ways(name, &def, lf_raster_describe(raster).crs, sum);
    if (test_long())
        printf("%s: %lld x %lld, %lld holes, five codecs\n", name, (long long)part.columns,
               (long long)part.rows, (long long)(sum->holes - holes));
    lf_raster_close(raster);
}

static void every_real_raster(void **state) {
    (void)state;
    tally sum = {.random = test_random_start(6501)};
    if (!real_rasters_each(real_one, &sum))
        skip();
    printf("%lld rasters, %lld samples, %lld holes, %lld trips; %lld files are no rasters\n",
           (long long)sum.rasters, (long long)sum.samples, (long long)sum.holes, (long long)sum.trips,
           (long long)sum.others);
    assert_true(sum.rasters > 40);
}

// ---------------------------------------------------------------------------------------------------
// Generated ones
// ---------------------------------------------------------------------------------------------------

static void landscapes(void **state) {
    (void)state;
    enum { COLUMNS = 83, ROWS = 61 };
    tally sum = {.random = test_random_start(6502)};
    float heights[COLUMNS * ROWS];
    int16_t whole[COLUMNS * ROWS];
    for (int64_t round = 0; round < test_rounds(4); round++) {
        lf_make_heights_def make = lf_make_heights_def_default();
        lf_grid_def def = lf_grid_def_default();
        make.landscape = (lf_landscape)(round % 4);
        make.seed = test_random_bits(&sum.random);
        make.columns = COLUMNS;
        make.rows = ROWS;
        assert_int_equal(lf_make_rows(&make, 0, ROWS, heights, NULL), LF_OK);
        for (int k = 0; k < COLUMNS * ROWS; k++) {
            if (test_random_below(&sum.random, 200) == 0)
                heights[k] = NAN;
            whole[k] = isnan(heights[k]) ? INT16_MIN : (int16_t)floor((double)heights[k]);
        }
        def.geotransform = (lf_geotransform){{5, -7}, {30, 0}, {0, 30}};
        def.samples.values = heights;
        def.samples.columns = COLUMNS;
        def.samples.rows = ROWS;
        all_ways("a landscape of floats", &def, NULL, &sum);
        def.samples.type = LF_SAMPLE_INT16;
        def.samples.values = whole;
        def.samples.nodata = INT16_MIN;
        all_ways("a landscape of whole numbers", &def, NULL, &sum);
    }
}

/// Noise over all that 16 bits hold, which no difference of theirs fits into; and scales that make thirds of it.
static void all_of_16_bits(void **state) {
    (void)state;
    enum { COLUMNS = 47, ROWS = 35 };
    tally sum = {.random = test_random_start(6503)};
    uint16_t heights[COLUMNS * ROWS];
    for (int64_t round = 0; round < test_rounds(4); round++) {
        lf_grid_def def = lf_grid_def_default();
        for (int k = 0; k < COLUMNS * ROWS; k++)
            heights[k] = k % 3 ? (uint16_t)test_random_bits(&sum.random) : (k % 2 ? 65535 : 0);
        def.samples.type = round % 2 ? LF_SAMPLE_INT16 : LF_SAMPLE_UINT16;
        def.samples.values = heights;
        def.samples.columns = COLUMNS;
        def.samples.rows = ROWS;
        def.samples.scale = round % 4 < 2 ? 1 : 1.0 / 3;
        def.samples.offset = round % 4 < 2 ? 0 : -100;
        def.samples.nodata = 12345;
        all_ways("noise of 16 bits", &def, NULL, &sum);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_real_raster), cmocka_unit_test(landscapes),
                                       cmocka_unit_test(all_of_16_bits)};
    return cmocka_run_group_tests_name("oracle: rasters into files and back", tests, test_folder_make,
                                       test_folder_remove);
}
