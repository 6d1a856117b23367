// The published experiment with quantised wavelets, and the published pictures of decompositions.
// With LANDFALL_PICTURES set to a folder the pictures go there; else to the test's own.
#include "codec/codec.h"
#include "files.h"
#include "published/funfzig_split.h"
#include "support.h"
#include <landfall/picture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG2 = 8, SIDE = 1 << LOG2, GAP = 8 };

static const char *picture_path(const char *name) {
    static char path[512];
    const char *folder = getenv("LANDFALL_PICTURES");
    if (!folder)
        return test_path(name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/// Pixels of three bytes.
typedef struct picture {
    int width, height;
    uint8_t *pixels;
} picture;

static picture picture_make(int width, int height) {
    picture p = {width, height, test_space((int64_t)width * height, 3)};
    memset(p.pixels, 255, (size_t)(3 * width * height));
    return p;
}

static void put(picture *p, int x, int y, double red, double green, double blue) {
    const double parts[3] = {red, green, blue};
    for (int k = 0; k < 3; k++)
        p->pixels[3 * (y * p->width + x) + k] = (uint8_t)(255 * fmin(fmax(parts[k], 0), 1));
}

static void picture_write(picture *p, const char *name) {
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    lf_error error = {0};
    def.width = p->width;
    def.height = p->height;
    assert_int_equal(lf_canvas_create(&def, &canvas, NULL), LF_OK);
    assert_int_equal(lf_canvas_image(canvas, lf_canvas_area(canvas), p->pixels, p->width, p->height, 3),
                     LF_OK);
    if (lf_canvas_write(canvas, picture_path(name), &error) != LF_OK)
        fail_msg("%s", error.text);
    lf_canvas_destroy(canvas);
    free(p->pixels);
}

// ---------------------------------------------------------------------------------------------------
// A sphere before a plane
// ---------------------------------------------------------------------------------------------------

/// Squared errors are in squares of the scene's unit, which the paper does not state. With this one the first quantisation
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
static void draw_shaded(picture *p, const double *numbers, int left) {
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const double *at = numbers + y * SIDE + x;
            double slope_x = x + 1 < SIDE ? at[1] - at[0] : 0, slope_y = y + 1 < SIDE ? at[SIDE] - at[0] : 0;
            double light = 0.55 + 4 * (slope_x + slope_y) - 0.02 * (at[0] - 8);
            put(p, left + x, y, light, light, light);
        }
}

typedef struct losses {
    double mean, most; ///< of squared differences
} losses;

static losses quantise(lf__wave wave, const double *numbers, const int *bits, double *back) {
    losses l = {0, 0};
    memcpy(back, numbers, sizeof *back * SIDE * SIDE);
    lf__wave_forward(wave, back, LOG2);
    lf__wave_quantise(back, LOG2, bits);
    lf__wave_back(wave, back, LOG2);
    for (int k = 0; k < SIDE * SIDE; k++) {
        double off = (back[k] - numbers[k]) * (back[k] - numbers[k]);
        l.mean += off / (SIDE * SIDE);
        l.most = fmax(l.most, off);
    }
    return l;
}

static void sphere_before_a_plane(void **state) {
    static const int bits[3][LOG2] = {
        {32, 32, 32, 32, 32, 32, 32, 32}, {32, 32, 32, 32, 16, 16, 8, 4}, {32, 32, 16, 16, 8, 8, 4, 2}};
    double *numbers = test_space(SIDE * SIDE, sizeof *numbers), *back = test_space(SIDE * SIDE, sizeof *back);
    picture p = picture_make(3 * SIDE + 2 * GAP, SIDE);
    (void)state;
    for (int k = 0; k < SIDE * SIDE; k++)
        numbers[k] = distance_at(k % SIDE, k / SIDE);
    for (int wave = 0; wave < 2; wave++) {
        losses l[3];
        for (int q = 0; q < 3; q++) {
            l[q] = quantise(wave ? LF__WAVE_D4 : LF__WAVE_HAAR, numbers, bits[q], back);
            print_message("%s, quantisation %d: MSE %.5g, MAXSE %.5g\n", wave ? "Daubechies-4" : "Haar",
                          q + 1, l[q].mean / (UNITS * UNITS), l[q].most / (UNITS * UNITS));
            if (wave)
                draw_shaded(&p, back, q * (SIDE + GAP));
        }
        // Steps of 2^-31 of the largest coefficient; then what 4, and 2, bits of the finest band leave.
        static const losses published[3] = {
            {1.92876e-19, 3.78111e-18}, {8.36761e-5, 0.0261943}, {0.00229742, 0.78619}};
        double square = UNITS * UNITS;
        for (int q = 0; q < 3; q++) {
            assert_true(l[q].mean / square < 2 * published[q].mean &&
                        l[q].mean / square > published[q].mean / 2);
            assert_true(l[q].most / square < 3 * published[q].most &&
                        l[q].most / square > published[q].most / 3);
        }
    }
    picture_write(&p, "quantised.png");
    free(back);
    free(numbers);
}

// ---------------------------------------------------------------------------------------------------
// Decompositions
// ---------------------------------------------------------------------------------------------------

enum { FIELD = 220 };

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

static void decomposition(void **state) {
    int32_t *numbers = test_space(FIELD * FIELD, sizeof *numbers),
            *split = test_space(FIELD * FIELD, sizeof *split);
    picture p = picture_make(2 * FIELD + GAP, FIELD);
    (void)state;
    for (int k = 0; k < FIELD * FIELD; k++) {
        numbers[k] = field_at(k % FIELD, k / FIELD);
        double grey = numbers[k] / 4000.0;
        put(&p, k % FIELD, k / FIELD, grey, grey, grey);
    }
    lf__split_apart(numbers, FIELD, FIELD, split);
    for (int side = FIELD; side > 1; side = (side + 1) / 2) {
        halve(numbers, side, side, 0);
        halve(numbers, (side + 1) / 2, side, 1);
    }
    assert_int_equal(numbers[0], split[0]); // the maximum of all
    for (int k = 1; k < FIELD * FIELD; k++) {
        double size = fmin(1, 0.15 * log2(1 + fabs((double)numbers[k])));
        put(&p, FIELD + GAP + k % FIELD, k / FIELD, numbers[k] < 0 ? size : 0, numbers[k] > 0 ? size : 0, 0);
    }
    picture_write(&p, "maxplus.png");
    free(split);
    free(numbers);
}

/// The sections of whose coefficients the weak bound needs the greatest and the least: three a band, and the mean. Left the
/// coefficients, right the greatest of each section; both by their logarithm.
static void sections(void **state) {
    double *numbers = test_space(SIDE * SIDE, sizeof *numbers);
    picture p = picture_make(2 * SIDE + GAP, SIDE);
    int count = 1;
    (void)state;
    for (int k = 0; k < SIDE * SIDE; k++)
        numbers[k] = (double)field_at(k % SIDE, k / SIDE);
    lf__wave_forward(LF__WAVE_D4, numbers, LOG2);
    for (int band = 0; band < LOG2; band++)
        for (int along = 0; along < LF__WAVE_ALONG; along++, count += 2) {
            int side = 1 << band, left = lf__wave_detail(along, 0) ? side : 0,
                top = lf__wave_detail(along, 1) ? side : 0;
            double most = 0;
            for (int k = 0; k < side * side; k++) {
                double c = numbers[(top + k / side) * SIDE + left + k % side];
                double size = fmin(1, 0.08 * log2(1 + fabs(c)));
                most = fmax(most, c);
                put(&p, left + k % side, top + k / side, c < 0 ? size : 0, c > 0 ? size : 0, 0);
            }
            for (int k = 0; k < side * side; k++) {
                bool border = side > 4 && (k % side == 0 || k / side == 0);
                double green = border ? 1 : fmin(1, 0.08 * log2(1 + most));
                put(&p, SIDE + GAP + left + k % side, top + k / side, border, green, border);
            }
        }
    assert_int_equal(count, 6 * LOG2 + 1); // summands of the weak bound
    picture_write(&p, "sections.png");
    free(numbers);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sphere_before_a_plane),
                                       cmocka_unit_test(decomposition), cmocka_unit_test(sections)};
    return cmocka_run_group_tests_name("pack: published figures", tests, test_folder_make,
                                       test_folder_remove);
}
