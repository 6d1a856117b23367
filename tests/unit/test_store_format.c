// A reader of .lf grids written from docs/formats/lf.md alone: it shares nothing with the library, and finds
// the same heights.
#include "base/base.h"
#include "files.h"
#include "fnv.h"
#include "support.h"
#include <landfall/store.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct section {
    const uint8_t *data;
    uint64_t bytes, offset;
    uint32_t flags;
} section;

typedef struct file {
    uint8_t *data;
    size_t size;
    uint32_t section_count;
} file;

static uint64_t number(const uint8_t *at, int bytes) {
    uint64_t x = 0;
    for (int k = bytes - 1; k >= 0; k--)
        x = x << 8 | at[k];
    return x;
}

static double f64(const uint8_t *at) {
    uint64_t bits = number(at, 8);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float f32(const uint8_t *at) {
    uint32_t bits = (uint32_t)number(at, 4);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// A section by its name; no bytes where there is none.
static section find(const file *f, const char *name) {
    for (uint32_t k = 0; k < f->section_count; k++) {
        const uint8_t *row = f->data + 128 + (size_t)k * 64;
        char is[9] = {0};
        memcpy(is, row, 8);
        if (strcmp(is, name) == 0) {
            uint64_t at = number(row + 16, 8);
            return (section){f->data + at, number(row + 24, 8), at, (uint32_t)number(row + 8, 4)};
        }
    }
    return (section){NULL, 0, 0, 0};
}

static void all_zero(const uint8_t *at, size_t count) {
    for (size_t k = 0; k < count; k++)
        assert_int_equal(at[k], 0);
}

// ---------------------------------------------------------------------------------------------------
// Header and table
// ---------------------------------------------------------------------------------------------------

static void check_header(file *f) {
    static const uint8_t magic[8] = {0x89, 0x4c, 0x46, 0x0d, 0x0a, 0x1a, 0x0a, 0};
    assert_memory_equal(f->data, magic, 8);
    assert_int_equal(number(f->data + 8, 2), 1);
    assert_int_equal(number(f->data + 10, 2), 1);
    assert_int_equal(number(f->data + 12, 4), 1);
    assert_true(number(f->data + 16, 8) == f->size);
    f->section_count = (uint32_t)number(f->data + 40, 4);
    assert_int_equal(number(f->data + 44, 4), 1);
    all_zero(f->data + 88, 40);
    uint64_t sum = number(f->data + 24, 8);
    memset(f->data + 24, 0, 8);
    assert_true(test_fnv(TEST_FNV, f->data, 128 + (size_t)f->section_count * 64) == sum);
}

static void check_table(const file *f) {
    uint64_t hash = TEST_FNV, end = 128 + (uint64_t)f->section_count * 64;
    for (uint32_t k = 0; k < f->section_count; k++) {
        const uint8_t *row = f->data + 128 + (size_t)k * 64;
        uint64_t at = number(row + 16, 8), bytes = number(row + 24, 8);
        assert_true(at >= end && at + bytes <= f->size);
        assert_int_equal(at % (bytes >= 65536 ? 65536 : 64), 0);
        assert_true(test_fnv(TEST_FNV, f->data + at, bytes) == number(row + 32, 8));
        // Samples are poured row by row; all else has the quick checksum too.
        uint64_t quick = memcmp(row, "samples", 8) == 0 ? 0 : lf__xxh64(f->data + at, bytes, 0);
        assert_true(number(row + 40, 8) == quick);
        all_zero(row + 48, 16);
        all_zero(f->data + end, at - end); // between sections
        end = at + bytes;
        if (number(row + 8, 4) & 1) {
            hash = test_fnv(hash, row, 8);
            hash = test_fnv(hash, row + 12, 4);
            hash = test_fnv(hash, row + 32, 8);
        }
    }
    assert_true(hash == number(f->data + 32, 8));
}

// ---------------------------------------------------------------------------------------------------
// Tiles
// ---------------------------------------------------------------------------------------------------

/// Bits on bits: the next number of so many bits.
static uint32_t bits(const uint8_t *bytes, uint64_t *bit, int width) {
    uint32_t x = 0;
    for (int k = 0; k < width; k++, (*bit)++)
        x |= (uint32_t)(bytes[*bit / 8] >> *bit % 8 & 1) << k;
    return x;
}

static int32_t zigzag(uint32_t x) {
    return x % 2 ? -(int32_t)(x / 2) - 1 : (int32_t)(x / 2);
}

static void tile_of_pack(const uint8_t *tile, int32_t *steps) {
    int32_t first = (int32_t)(uint32_t)number(tile + 1, 4);
    bool wide = tile[0] >= 3;
    int widths[16];
    uint64_t bit = 40;
    for (int j = 0; j < 16 && tile[0] != 0; j++)
        widths[j] = (int)bits(tile, &bit, wide ? 8 : 4);
    for (int k = 0; k < 256; k++) {
        int i = k % 16, j = k / 16;
        if (tile[0] == 0) {
            steps[k] = first;
            continue;
        }
        uint32_t got = bits(tile, &bit, widths[j]);
        if (tile[0] % 2 == 0) {
            steps[k] = (int32_t)((uint32_t)first + got);
            continue;
        }
        int32_t left = i ? steps[k - 1] : 0, below = j ? steps[k - 16] : 0,
                corner = i && j ? steps[k - 17] : 0;
        steps[k] = (k ? left + below - corner : first) + zigzag(got);
    }
}

static void tile_of_maxplus(const uint8_t *tile, int32_t *steps) {
    int32_t now[256] = {(int32_t)(uint32_t)number(tile, 4)}, next[256];
    int columns = 1, rows = 1;
    uint64_t bit = 96;
    for (int s = 0; s < 8; s++) {
        bool down = s % 2 == 0; // doubles the rows
        for (int k = 0; k < columns * rows; k++) {
            int32_t d = zigzag(bits(tile, &bit, tile[4 + s])), c = now[k];
            int i = k % columns, j = k / columns;
            int at = down ? 2 * j * columns + i : 2 * k;
            next[at] = c + (d < 0 ? d : 0);
            next[at + (down ? columns : 1)] = c - (d > 0 ? d : 0);
        }
        columns *= down ? 1 : 2;
        rows *= down ? 2 : 1;
        memcpy(now, next, sizeof now);
    }
    memcpy(steps, now, sizeof now);
}

/// n numbers, `step` apart.
static void together(double *x, int n, int step, bool daubechies) {
    const double a = 0.48296291314453414337, b = 0.83651630373780790558, c = 0.22414386804201338103,
                 d = -0.12940952255126038117, r = 0.70710678118654752440;
    double old[32];
    int h = n / 2;
    for (int k = 0; k < n; k++)
        old[k] = x[k * step];
    for (int k = 0; k < h; k++) {
        double m = old[k], e = old[h + k], m1 = old[(k + h - 1) % h], e1 = old[h + (k + h - 1) % h];
        x[2 * k * step] = daubechies ? (a * m + d * e) + (c * m1 + b * e1) : r * (m + e);
        x[(2 * k + 1) * step] = daubechies ? (b * m - c * e) + (d * m1 - a * e1) : r * (m - e);
    }
}

static void tile_of_wavelets(const uint8_t *tile, bool daubechies, int32_t *steps) {
    double x[1024] = {0};
    uint64_t bit = 8 * (uint64_t)34;
    for (int k = 0; k < 1024 && tile[0] == 1; k++)
        steps[k] = (int32_t)(uint32_t)number(tile + 1 + 4 * k, 4);
    if (tile[0] == 1)
        return;
    x[0] = f64(tile + 1);
    for (int band = 0; band < 5; band++)
        for (int k = 0, side = 1 << band; k < 3 * side * side; k++) {
            int kind = k / (side * side), i = k % side, j = k / side % side; // along x, along y, along both
            int column = i + (kind != 1 ? side : 0), row = j + (kind != 0 ? side : 0);
            x[row * 32 + column] =
                zigzag(bits(tile, &bit, tile[9 + 5 * band])) * (double)f32(tile + 10 + 5 * band);
        }
    for (int n = 2; n <= 32; n *= 2) {
        for (int i = 0; i < n; i++)
            together(x + i, n, 32, daubechies);
        for (int j = 0; j < n; j++)
            together(x + 32 * (ptrdiff_t)j, n, 1, daubechies);
    }
    for (int k = 0; k < 1024; k++)
        steps[k] = (int32_t)fmax(fmin(floor(x[k] + 0.5), 1073741823), -1073741823);
}

// ---------------------------------------------------------------------------------------------------
// Grids
// ---------------------------------------------------------------------------------------------------

/// What the record says, by the words of the document.
typedef struct record {
    int64_t columns, rows, ring;
    int codec, type, leaf;
    bool samples;
    double scale, offset, base, quantum;
} record;

static record read_record(const file *f) {
    section grid = find(f, "grid");
    assert_int_equal(grid.bytes, 256);
    assert_int_equal(grid.flags & 1, 1);
    const uint8_t *at = grid.data;
    all_zero(at + 168, 88);
    return (record){(int64_t)number(at, 8),
                    (int64_t)number(at + 8, 8),
                    (int64_t)number(at + 20, 4),
                    (int)number(at + 28, 4),
                    (int)number(at + 32, 4),
                    (int)number(at + 24, 4),
                    number(at + 16, 4) == 4,
                    f64(at + 40),
                    f64(at + 48),
                    f64(at + 128),
                    f64(at + 136)};
}

static double raw_height(const file *f, const record *r, int64_t i, int64_t j) {
    static const int sizes[] = {4, 8, 2, 2};
    const uint8_t *at =
        find(f, "samples").data + ((j + r->ring) * (r->columns + 2 * r->ring) + i + r->ring) * sizes[r->type];
    double sample = r->type == 0   ? (double)f32(at)
                    : r->type == 1 ? f64(at)
                    : r->type == 2 ? (double)(int16_t)number(at, 2)
                                   : (double)number(at, 2);
    return sample * r->scale + r->offset;
}

static double packed_height(const file *f, const record *r, int64_t i, int64_t j) {
    static int32_t steps[1024]; // of the last tile
    static int64_t last = -1;
    static const uint8_t *of;
    int64_t side = r->codec <= 2 ? 16 : 32, tile = j / side * ((r->columns + side - 1) / side) + i / side;
    const uint8_t *at = find(f, "tiles").data + number(find(f, "index").data + tile * 5, 5);
    if (tile != last || of != at) {
        if (r->codec == 1)
            tile_of_pack(at, steps);
        else if (r->codec == 2)
            tile_of_maxplus(at, steps);
        else
            tile_of_wavelets(at, r->codec == 4, steps);
        last = tile;
        of = at;
    }
    return (double)steps[j % side * side + i % side] * r->scale + r->offset;
}

static double height(const file *f, const record *r, int64_t i, int64_t j) {
    section holes = find(f, "holes");
    int64_t words = (r->columns + 2 * r->ring + 63) / 64, x = i + r->ring, y = j + r->ring;
    if (holes.data && number(holes.data + 8 * (y * words + x / 64), 8) >> x % 64 & 1)
        return NAN;
    return r->codec == 0 ? raw_height(f, r, i, j) : packed_height(f, r, i, j);
}

/// Every height of a grid without holes is within the bounds of every level that bounds its squares.
static void check_bounds(const file *f, const record *r, const double *heights) {
    const uint8_t *at = find(f, "bounds").data + 64;
    int64_t columns = r->columns - (r->samples ? 0 : 1) + 2 * r->ring,
            rows = r->rows - (r->samples ? 0 : 1) + 2 * r->ring;
    int first = 0, bottom;
    while (1 << first < r->leaf)
        first++;
    bottom = first > 3 ? first : 3;
    for (int l = first;; l++) {
        int64_t wide = (columns - 1) / ((int64_t)1 << l) + 1, high = (rows - 1) / ((int64_t)1 << l) + 1;
        for (int which = 0; which < (l >= bottom ? 2 : 1); which++) {
            for (int64_t k = 0; k < r->columns * r->rows; k++) {
                int64_t i = k % r->columns + r->ring,
                        j = k / r->columns + r->ring; // the square that begins there
                if (i >= columns || j >= rows)
                    continue;
                uint64_t code = number(at + 2 * (((j >> l) + 1) * (wide + 2) + (i >> l) + 1), 2);
                double bound = r->base + (double)code * r->quantum;
                assert_true(which ? code == 0 || bound <= heights[k] : code == 65535 || bound >= heights[k]);
            }
            at += 2 * (wide + 2) * (high + 2);
        }
        if (l >= bottom && wide == 1 && high == 1)
            break;
    }
    all_zero(at, 64);
    assert_true(at + 64 == find(f, "bounds").data + find(f, "bounds").bytes);
}

/// Rows of so many bytes into a chain.
static uint64_t chain(uint64_t sum, const uint8_t *at, int64_t bytes, int64_t rows) {
    for (int64_t k = 0; k < rows; k++)
        sum = lf__xxh64(at + k * bytes, (size_t)bytes, sum);
    return sum;
}

/// The sums of a grid of one block: that of the block, and the rest.
static void check_sums(const file *f, const record *r) {
    static const int sizes[] = {4, 8, 2, 2};
    section sums = find(f, "sums"), bounds = find(f, "bounds"), planes = find(f, "planes");
    assert_int_equal(sums.bytes, 16);
    assert_int_equal(sums.flags, 0);
    int64_t side = r->codec <= 2 ? 16 : 32, across = (r->columns - 1) / side + 1,
            up = (r->rows - 1) / side + 1;
    int64_t wide = r->columns + 2 * r->ring, high = r->rows + 2 * r->ring, words = (wide + 63) / 64;
    int first = 0;
    while (1 << first < r->leaf)
        first++;
    uint64_t block = r->codec == 0 ? chain(0, find(f, "samples").data, wide * sizes[r->type], high)
                                   : chain(0, find(f, "index").data, 5 * across, up);
    const uint8_t *at = bounds.data ? bounds.data + 64 : NULL;
    for (int l = first; l < 7 && at; l++)
        for (int which = 0; which < (l >= 3 ? 2 : 1); which++) {
            int64_t columns = (wide - (r->samples ? 0 : 1) - 1) / ((int64_t)1 << l) + 3,
                    rows = (high - (r->samples ? 0 : 1) - 1) / ((int64_t)1 << l) + 3;
            block = chain(block, at, 2 * columns, rows);
            at += 2 * columns * rows;
        }
    if (find(f, "holes").data)
        block = chain(block, find(f, "holes").data, 8 * words, high);
    if (find(f, "gaps").data)
        block = chain(block, find(f, "gaps").data, 8 * words, high);
    if (planes.bytes > 16) {
        int64_t columns = (wide - 2) / 64 + 1;
        block = chain(block, planes.data + 16, 16 * columns, (int64_t)(planes.bytes - 16) / (16 * columns));
    }
    for (int64_t y = 0; y < up && r->codec != 0; y++) {
        uint64_t from = number(find(f, "index").data + 5 * y * across, 5);
        uint64_t to =
            y + 1 < up ? number(find(f, "index").data + 5 * (y + 1) * across, 5) : find(f, "tiles").bytes;
        block = chain(block, find(f, "tiles").data + from, (int64_t)(to - from), 1);
    }
    assert_true(block == number(sums.data + 8, 8));
    uint64_t rest = 0;
    if (at) {
        rest = chain(rest, bounds.data, 64, 1);
        rest = chain(rest, at, (int64_t)bounds.bytes - (at - bounds.data), 1);
    }
    rest = r->codec == 0 ? chain(rest, find(f, "samples").data + wide * sizes[r->type] * high, 64, 1)
                         : chain(rest, find(f, "index").data + 5 * across * up, 3, 1);
    double steepest = planes.data ? f64(planes.data) : -1;
    assert_true(lf__xxh64(&steepest, 8, rest) == number(sums.data, 8));
}

static lf_grid *make(int round, test_random *random) {
    enum { COLUMNS = 90, ROWS = 70 };
    static float heights[COLUMNS * ROWS];
    static int16_t whole[COLUMNS * ROWS];
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    bool rough = round / 5 % 2 != 0;
    for (int k = 0; k < COLUMNS * ROWS; k++) {
        bool hole = round / 10 % 2 && test_random_below(random, 60) == 0;
        double h = 40 * sin(0.1 * (k % COLUMNS)) + test_random_between(random, 0, rough ? 900 : 1);
        h = rough && k / COLUMNS > 50 ? 7 : h;
        heights[k] = hole ? NAN : (float)h;
        whole[k] = hole ? -32768 : rough && k % 7 == 0 ? 32767 : (int16_t)h;
    }
    def.samples.values = heights;
    def.samples.columns = COLUMNS;
    def.samples.rows = ROWS;
    def.codec = (lf_codec)(round % 5);
    def.max_error = round % 5 ? 0.02 : 0;
    def.surface = (lf_surface)test_random_below(random, 5);
    def.extend = def.surface != LF_SURFACE_POINT && test_random_below(random, 2) == 0;
    if (round % 3 == 0) {
        def.samples.type = LF_SAMPLE_INT16;
        def.samples.values = whole;
        def.samples.nodata = -32768;
        def.samples.scale = 0.25;
        def.max_error = 0;
    }
    if (def.codec >= LF_CODEC_HAAR && round % 2) {
        def.leaf = 32;
        def.derived_bounds = true;
    }
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    return grid;
}

static void by_the_document_alone(void **state) {
    (void)state;
    test_random random = test_random_start(6521);
    for (int round = 0; round < 60; round++) {
        lf_grid *grid = make(round, &random);
        lf_grid_info info = lf_grid_describe(grid);
        lf_store_def def = lf_store_def_default();
        file f;
        double *heights = test_space(info.columns * info.rows, sizeof *heights);
        def.grid = grid;
        def.crs = "ENGCRS[\"here\"]";
        assert_int_equal(lf_store_write(test_path("format.lf"), &def, NULL), LF_OK);
        f.data = (uint8_t *)test_file_content(test_path("format.lf"), &f.size);
        check_header(&f);
        check_table(&f);
        record r = read_record(&f);
        assert_true(r.columns == info.columns && r.rows == info.rows && r.codec == (int)info.codec);
        assert_memory_equal(find(&f, "crs").data, def.crs, strlen(def.crs));
        assert_int_equal(find(&f, "crs").flags, 0);
        assert_int_equal(lf_grid_read(grid, 0, 0, info.columns, info.rows, heights), LF_OK);
        for (int64_t k = 0; k < r.columns * r.rows; k++) {
            double h = height(&f, &r, k % r.columns, k / r.columns);
            if (!(isnan(h) ? isnan(heights[k]) : h == heights[k]))
                fail_msg("%s, sample %lld: %.17g read by the document, %.17g by the library",
                         lf_codec_name(info.codec), (long long)k, h, heights[k]);
        }
        check_sums(&f, &r);
        assert_true((find(&f, "bounds").data == NULL) == (r.codec >= 3 && round % 2));
        if (!find(&f, "holes").data && find(&f, "bounds").data)
            check_bounds(&f, &r, heights);
        free(f.data);
        free(heights);
        lf_grid_destroy(grid);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_the_document_alone)};
    return cmocka_run_group_tests_name("store: the format", tests, test_folder_make, test_folder_remove);
}
