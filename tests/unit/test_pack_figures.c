// The published experiment with quantised wavelets: one transform of a picture, and a grid of eight bands as
// files store it. bench_codec draws it.
#include "codec/codec.h"
#include "support.h"
#include <landfall/grid.h>
#include <stdlib.h>
#include <string.h>

enum { LOG2 = 8, SIDE = 1 << LOG2 };

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

/// The same of a grid, by what it says of itself.
static losses of_grid(lf_codec codec, const double *numbers, const int *bits) {
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = numbers;
    def.samples.columns = def.samples.rows = SIDE;
    def.codec = codec;
    memcpy(def.coarse_bits, bits, sizeof def.coarse_bits);
    memcpy(def.band_bits, bits + LF_CODEC_COARSE_BANDS, sizeof def.band_bits);
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    lf_grid_info info = lf_grid_describe(grid);
    lf_grid_destroy(grid);
    return (losses){info.mean_square_error, info.largest_error * info.largest_error};
}

static void sphere_before_a_plane(void **state) {
    static const int bits[3][LOG2] = {
        {32, 32, 32, 32, 32, 32, 32, 32}, {32, 32, 32, 32, 16, 16, 8, 4}, {32, 32, 16, 16, 8, 8, 4, 2}};
    // Steps of 2^-31 of the largest coefficient; then what 4, and 2, bits of the finest band leave.
    static const losses published[3] = {
        {1.92876e-19, 3.78111e-18}, {8.36761e-5, 0.0261943}, {0.00229742, 0.78619}};
    double *numbers = test_space(SIDE * SIDE, sizeof *numbers), *back = test_space(SIDE * SIDE, sizeof *back);
    double square = UNITS * UNITS;
    (void)state;
    for (int k = 0; k < SIDE * SIDE; k++)
        numbers[k] = distance_at(k % SIDE, k / SIDE);
    for (int wave = 0; wave < 2; wave++)
        for (int q = 0; q < 3; q++) {
            losses l = quantise(wave ? LF__WAVE_D4 : LF__WAVE_HAAR, numbers, bits[q], back),
                   grid = of_grid(wave ? LF_CODEC_D4 : LF_CODEC_HAAR, numbers, bits[q]);
            print_message("%s, quantisation %d: MSE %.5g, MAXSE %.5g; of a grid %.5g, %.5g\n",
                          wave ? "Daubechies-4" : "Haar", q + 1, l.mean / square, l.most / square,
                          grid.mean / square, grid.most / square);
            assert_true(l.mean / square < 2 * published[q].mean && l.mean / square > published[q].mean / 2);
            assert_true(l.most / square < 3 * published[q].most && l.most / square > published[q].most / 3);
            // Each tile of a grid has steps of its own, so it loses less; but heights are multiples of a
            // unit.
            assert_true(grid.mean / square < 2 * published[q].mean + 1e-12 && grid.mean > 0);
            assert_true(grid.most / square < 3 * published[q].most + 1e-12);
        }
    free(back);
    free(numbers);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sphere_before_a_plane)};
    return cmocka_run_group_tests_name("pack: published figures", tests, NULL, NULL);
}
