#include "round_grid.h"
#include <math.h>
#include <stdlib.h>

/// The samples of some turns: column i is column i % round of the heights.
static lf_grid *make_grid(const round_grid *made, int64_t columns, double west, double turn, lf_codec codec,
                          bool repeated) {
    int64_t stored = columns + repeated;
    float *samples = test_space(stored * made->rows, sizeof *samples);
    for (int64_t k = 0; k < stored * made->rows; k++)
        samples[k] = (float)made->heights[k / stored * made->round + k % stored % made->round];
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = samples;
    def.samples.columns = columns;
    def.samples.rows = made->rows;
    def.geotransform.origin = (lf_vec2){west, made->south};
    def.geotransform.per_column = (lf_vec2){made->spacing, 0};
    def.geotransform.per_row = (lf_vec2){0, made->spacing};
    def.surface = made->surface;
    def.extend = made->extend;
    def.codec = codec;
    def.turn = turn;
    def.repeated = repeated;
    lf_grid *grid = NULL;
    lf_error error = {0};
    if (lf_grid_create(&def, &grid, &error) != LF_OK)
        fail_msg("a grid that wraps cannot be made: %s", error.text);
    free(samples);
    return grid;
}

round_grid round_grid_make(test_random *random, double spacing, lf_codec codec) {
    static const double spacings[] = {1, 2, 0.5};
    round_grid made = {.spacing = spacing > 0 ? spacing : spacings[test_random_below(random, 3)]};
    made.round = spacing > 0 ? (int64_t)(360 / spacing) : 2 * (1 + test_random_below(random, 20));
    made.turn = (double)made.round * made.spacing;
    made.rows = 2 + test_random_below(random, 12);
    made.west = made.spacing * (double)(test_random_below(random, 4 * made.round) - 2 * made.round);
    made.south = -made.spacing * (double)(made.rows / 2);
    made.point = test_random_below(random, 2);
    made.surface = (lf_surface)test_random_below(random, 5);
    made.extend = made.surface != LF_SURFACE_POINT && test_random_below(random, 3) == 0;
    made.holes = test_random_below(random, 3) == 0;
    made.heights = test_space(made.round * made.rows, sizeof *made.heights);
    double rough = test_random_below(random, 2) ? 3 : 40;
    for (int64_t k = 0; k < made.round * made.rows; k++)
        made.heights[k] = made.holes && test_random_below(random, 15) == 0
                              ? LF_NAN
                              : floor(test_random_between(random, 0, rough));
    bool repeated = !made.point && test_random_below(random, 2);
    made.grid = make_grid(&made, made.round + made.point, made.west, made.turn, codec, repeated);
    made.reference = make_grid(&made, 3 * made.round + 1, made.west - made.turn, 0, LF_CODEC_RAW, false);
    made.ground = lf_grid_ground(made.grid);
    made.reference_ground = lf_grid_ground(made.reference);
    assert_int_equal(lf_grid_round(made.grid), made.round);
    assert_int_equal(lf_grid_round(made.reference), 0);
    assert_int_equal(lf_grid_describe(made.grid).columns, made.round + made.point);
    return made;
}

void round_grid_drop(round_grid *made) {
    lf_grid_destroy(made->grid);
    lf_grid_destroy(made->reference);
    free(made->heights);
}

double round_grid_x(const round_grid *made, test_random *random) {
    int64_t kind = test_random_below(random, 8);
    if (kind == 0)
        return test_random_between(random, made->west, made->west + made->turn);
    int64_t quarters = test_random_below(random, 4 * made->round);
    if (kind <= 3) // within a column of the seam
        quarters = (4 * made->round + test_random_below(random, 9) - 4) % (4 * made->round);
    return made->west + 0.25 * made->spacing * (double)quarters;
}

double round_grid_y(const round_grid *made, test_random *random) {
    if (test_random_below(random, 8) == 0)
        return test_random_between(random, made->south,
                                   made->south + made->spacing * (double)(made->rows - 1));
    return made->south + 0.25 * made->spacing * (double)test_random_below(random, 4 * made->rows - 3);
}

double round_grid_turned(const round_grid *made, test_random *random, double x) {
    return x + made->turn * (double)(test_random_below(random, 5) - 2);
}

int64_t round_grid_element(const round_grid *made, int64_t element) {
    int64_t samples = made->surface == LF_SURFACE_POINT, columns = 3 * made->round + samples;
    int64_t own = made->round + (samples && made->point);
    return element / columns * own + element % columns % made->round;
}
