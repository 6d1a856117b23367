/// Wavelets of the paper on whole pictures: what quantising its eight bands does (Figure 1), and how fields are decomposed (Figures 3 and 4).
#include "codec/codec.h"
#include "published/funfzig_split.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOG2 = 8, SIDE = 1 << LOG2, GAP = 8, FIELD = 220 };

/// Pixels of three bytes, white at first.
typedef struct codec_picture {
    int width, height;
    uint8_t *pixels;
} codec_picture;

static codec_picture picture_make(int width, int height) {
    codec_picture p = {width, height, bench_take((size_t)width * (size_t)height, 3)};
    memset(p.pixels, 255, (size_t)(3 * width * height));
    return p;
}

static void picture_put(codec_picture *p, int x, int y, double red, double green, double blue) {
    const double parts[3] = {red, green, blue};
    for (int k = 0; k < 3; k++)
        p->pixels[3 * (y * p->width + x) + k] = (uint8_t)(255 * fmin(fmax(parts[k], 0), 1));
}

static void picture_close(codec_picture *p, const bench_report *report, const char *name) {
    lf_canvas *canvas = bench_page_open(report, p->width, p->height);
    if (canvas) {
        lf_canvas_image(canvas, lf_canvas_area(canvas), p->pixels, p->width, p->height, 3);
        bench_page_close(canvas, report, name);
    }
    free(p->pixels);
}

// ---------------------------------------------------------------------------------------------------
// Figure 1: a sphere before a plane
// ---------------------------------------------------------------------------------------------------

/// Squared errors are in squares of the scene's unit, which the paper does not state. With this one the second quantisation
/// has the published mean; then the other figures can be compared.
#define UNITS 4.4

/// How far a pinhole camera sees: a sphere in the middle, a plane behind it on the right, and a far wall.
static double distance_at(int i, int j) {
    double x = (i + 0.5) / SIDE - 0.5, y = (j + 0.5) / SIDE - 0.5, length = sqrt(x * x + y * y + 1);
    double b = 5 / length, rest = b * b - (25 - 1.4 * 1.4); // sphere of 1.4 around (0, 0, 5)
    double wall = 12 * length, plane = x > 0.05 ? length * 9 / (1 + 0.8 * x) : wall;
    double behind = fmin(plane, wall);
    return rest > 0 ? fmin(b - sqrt(rest), behind) : behind;
}

/// Light from the upper left on the distances, so that what quantising does to them is seen.
static void draw_shaded(codec_picture *p, const double *numbers, int left) {
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const double *at = numbers + y * SIDE + x;
            double slope_x = x + 1 < SIDE ? at[1] - at[0] : 0, slope_y = y + 1 < SIDE ? at[SIDE] - at[0] : 0;
            double light = 0.55 + 4 * (slope_x + slope_y) - 0.02 * (at[0] - 8);
            picture_put(p, left + x, y, light, light, light);
        }
}

/// Means and maxima of squared differences.
typedef struct codec_losses {
    double mean, most;
} codec_losses;

static codec_losses losses_of(const double *numbers, const double *back) {
    codec_losses l = {0, 0};
    for (int k = 0; k < SIDE * SIDE; k++) {
        double off = (back[k] - numbers[k]) * (back[k] - numbers[k]) / (UNITS * UNITS);
        l.mean += off / (SIDE * SIDE);
        l.most = fmax(l.most, off);
    }
    return l;
}

/// One transform of the whole picture, as in the paper.
static codec_losses lose_whole(lf__wave wave, const double *numbers, const int *bits, double *back) {
    memcpy(back, numbers, sizeof *back * SIDE * SIDE);
    lf__wave_forward(wave, back, LOG2);
    lf__wave_quantise(back, LOG2, bits);
    lf__wave_back(wave, back, LOG2);
    return losses_of(numbers, back);
}

/// A grid as files store it: five bands in tiles of 32 x 32 samples, three of 2 x 2 to 8 x 8 tiles.
static codec_losses lose_grid(lf_codec codec, const double *numbers, const int *bits, double *back,
                              double *bytes) {
    lf_grid_def def = lf_grid_def_default();
    lf_error error = {LF_OK, -1, ""};
    lf_grid *grid;
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = numbers;
    def.samples.columns = def.samples.rows = SIDE;
    def.codec = codec;
    memcpy(def.coarse_bits, bits, sizeof def.coarse_bits);
    memcpy(def.band_bits, bits + LF_CODEC_COARSE_BANDS, sizeof def.band_bits);
    if (lf_grid_create(&def, &grid, &error) != LF_OK || lf_grid_read(grid, 0, 0, SIDE, SIDE, back) != LF_OK)
        bench_stop("a grid of eight bands: %s", error.text);
    *bytes = (double)lf_grid_describe(grid).sample_bytes / (SIDE * SIDE);
    lf_grid_destroy(grid);
    return losses_of(numbers, back);
}

static void figure_1(bench_report *report) {
    static const char *const heads[] = {"bits per band, coarsest first",
                                        "mean square error",
                                        "largest",
                                        "Haar: mean",
                                        "largest",
                                        "grid of a file, D4: mean",
                                        "largest",
                                        "bytes/sample",
                                        "published: mean",
                                        "largest",
                                        NULL};
    static const int bits[3][LOG2] = {
        {32, 32, 32, 32, 32, 32, 32, 32}, {32, 32, 32, 32, 16, 16, 8, 4}, {32, 32, 16, 16, 8, 8, 4, 2}};
    static const codec_losses published[3] = {
        {1.92876e-19, 3.78111e-18}, {8.36761e-5, 0.0261943}, {0.00229742, 0.78619}};
    double *numbers = bench_take(SIDE * SIDE, sizeof *numbers), *back = bench_take(SIDE * SIDE, sizeof *back);
    codec_picture p = picture_make(3 * SIDE + 2 * GAP, SIDE);
    bench_table table;
    bench_table_start(&table, "Figure 1 of the paper: Daubechies-4, 256 x 256, eight bands", heads);
    for (int k = 0; k < SIDE * SIDE; k++)
        numbers[k] = distance_at(k % SIDE, k / SIDE);
    for (int q = 0; q < 3; q++) {
        double bytes;
        codec_losses grid = lose_grid(LF_CODEC_D4, numbers, bits[q], back, &bytes);
        codec_losses haar = lose_whole(LF__WAVE_HAAR, numbers, bits[q], back),
                     d4 = lose_whole(LF__WAVE_D4, numbers, bits[q], back);
        const codec_losses all[] = {d4, haar, grid};
        draw_shaded(&p, back, q * (SIDE + GAP));
        bench_table_row(&table);
        bench_table_cell(&table, "%d %d %d %d %d %d %d %d", bits[q][0], bits[q][1], bits[q][2], bits[q][3],
                         bits[q][4], bits[q][5], bits[q][6], bits[q][7]);
        for (int k = 0; k < 3; k++) {
            bench_table_cell(&table, "%.2g", all[k].mean);
            bench_table_cell(&table, "%.2g", all[k].most);
        }
        bench_table_cell(&table, "%.2f", bytes);
        bench_table_cell(&table, "%.2g", published[q].mean);
        bench_table_cell(&table, "%.2g", published[q].most);
        if (q > 0) {
            bench_bar(report, q == 1 ? "codec-figure-1-mean-8.4e-5" : "codec-figure-1-mean-2.3e-3",
                      published[q].mean / d4.mean, 0.5);
            bench_bar(report, q == 1 ? "codec-figure-1-grid-8.4e-5" : "codec-figure-1-grid-2.3e-3",
                      published[q].mean / grid.mean, 0.5);
        }
    }
    bench_table_end(&table, report);
    picture_close(&p, report, "figure-1");
    free(back);
    free(numbers);
}

// ---------------------------------------------------------------------------------------------------
// Figures 3 and 4: decompositions
// ---------------------------------------------------------------------------------------------------

static int32_t field_at(int i, int j) {
    double x = i / 220.0, y = j / 220.0;
    return (int32_t)(4000 * (0.5 + 0.3 * sin(5 * x + 2 * y) * cos(4 * y) + 0.1 * sin(23 * x) * sin(19 * y) +
                             0.03 * sin(71 * x + 57 * y)));
}

/// One step along rows (across 0) or columns: maxima to the first half, differences to the second; of an odd one the last is a maximum.
static void halve(int32_t *numbers, int columns, int rows, int across) {
    int count = across ? rows : columns, lines = across ? columns : rows, step = across ? FIELD : 1,
        line = across ? 1 : FIELD;
    for (int l = 0; l < lines; l++) {
        int32_t in[FIELD], half = (int32_t)((count + 1) / 2);
        for (int k = 0; k < count; k++)
            in[k] = numbers[l * line + k * step];
        for (int k = 0; k < count; k += 2) {
            bool alone = k + 1 == count;
            numbers[l * line + k / 2 * step] = alone || in[k] > in[k + 1] ? in[k] : in[k + 1];
            if (!alone)
                numbers[l * line + (half + k / 2) * step] = in[k] - in[k + 1];
        }
    }
}

/// A field and its decomposition by maxima: green where the first of two is higher, red where the second is.
static void figure_3(const bench_report *report) {
    int32_t *numbers = bench_take(FIELD * FIELD, sizeof *numbers),
            *split = bench_take(FIELD * FIELD, sizeof *split);
    codec_picture p = picture_make(2 * FIELD + GAP, FIELD);
    for (int k = 0; k < FIELD * FIELD; k++) {
        numbers[k] = field_at(k % FIELD, k / FIELD);
        double grey = numbers[k] / 4000.0;
        picture_put(&p, k % FIELD, k / FIELD, grey, grey, grey);
    }
    lf__split_apart(numbers, FIELD, FIELD, split);
    for (int side = FIELD; side > 1; side = (side + 1) / 2) {
        halve(numbers, side, side, 0);
        halve(numbers, (side + 1) / 2, side, 1);
    }
    if (numbers[0] != split[0])
        bench_stop("the maximum of all is %d by halves, %d by splits", numbers[0], split[0]);
    for (int k = 1; k < FIELD * FIELD; k++) {
        double size = fmin(1, 0.15 * log2(1 + fabs((double)numbers[k])));
        picture_put(&p, FIELD + GAP + k % FIELD, k / FIELD, numbers[k] < 0 ? size : 0,
                    numbers[k] > 0 ? size : 0, 0);
    }
    picture_close(&p, report, "figure-3");
    free(split);
    free(numbers);
}

/// The sections of whose coefficients the weak bound needs the greatest and the least: three a band, and the mean. Left the
/// coefficients, right the greatest of each section; both by their logarithm.
static void figure_4(const bench_report *report) {
    double *numbers = bench_take(SIDE * SIDE, sizeof *numbers);
    codec_picture p = picture_make(2 * SIDE + GAP, SIDE);
    for (int k = 0; k < SIDE * SIDE; k++)
        numbers[k] = (double)field_at(k % SIDE, k / SIDE);
    lf__wave_forward(LF__WAVE_D4, numbers, LOG2);
    for (int band = 0; band < LOG2; band++)
        for (int along = 0; along < LF__WAVE_ALONG; along++) {
            int side = 1 << band, left = lf__wave_detail(along, 0) ? side : 0,
                top = lf__wave_detail(along, 1) ? side : 0;
            double most = 0;
            for (int k = 0; k < side * side; k++) {
                double c = numbers[(top + k / side) * SIDE + left + k % side];
                double size = fmin(1, 0.08 * log2(1 + fabs(c)));
                most = fmax(most, c);
                picture_put(&p, left + k % side, top + k / side, c < 0 ? size : 0, c > 0 ? size : 0, 0);
            }
            for (int k = 0; k < side * side; k++) {
                bool border = side > 4 && (k % side == 0 || k / side == 0);
                double green = border ? 1 : fmin(1, 0.08 * log2(1 + most));
                picture_put(&p, SIDE + GAP + left + k % side, top + k / side, border, green, border);
            }
        }
    picture_close(&p, report, "figure-4");
    free(numbers);
}

int main(int argc, char **argv) {
    bench_report report;
    bench_report_start(&report, argc, argv, "Wavelets of whole pictures: errors of eight quantised bands.");
    printf("landfall %s (%s)\n%s\n", lf_version(), lf_isa_name(lf_isa_best()), bench_machine());
    figure_1(&report);
    figure_3(&report);
    figure_4(&report);
    return bench_report_end(&report);
}
