/// Ground that changes while it is asked: shells fall on a plain and dig craters; each is aimed by a ray, and the next
/// one meets the ground that the last has left.
///
///     crater 100
#include <landfall/landfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 257
#define REACH 6

/// The same numbers everywhere.
static double next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static lf_grid *make_plain(void) {
    static float heights[SIDE * SIDE];
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid = NULL;
    lf_error error;
    for (int k = 0; k < SIDE * SIDE; k++)
        heights[k] = 50;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = SIDE;
    if (lf_grid_create(&def, &grid, &error) != LF_OK)
        fprintf(stderr, "crater: %s\n", error.text);
    return grid;
}

/// A bowl around a sample, no deeper than the ground has been there and below 0 nothing: bed rock.
static lf_status dig(lf_grid *grid, lf_vec3 at, lf_grid_edit_cost *cost, lf_error *error) {
    float fresh[(2 * REACH + 1) * (2 * REACH + 1)];
    int64_t column = (int64_t)at.x - REACH, row = (int64_t)at.y - REACH, side = 2 * REACH + 1;
    for (int64_t k = 0; k < side * side; k++) {
        int64_t i = column + k % side, j = row + k / side;
        double away = hypot((double)i - at.x, (double)j - at.y) / REACH;
        double depth = away < 1 ? 4 * (1 - away * away) : 0;
        fresh[k] = (float)fmax(lf_grid_sample(grid, i, j) - depth, 0);
    }
    lf_samples samples = lf_grid_def_default().samples;
    samples.values = fresh;
    samples.columns = samples.rows = side;
    return lf_grid_edit(grid, column, row, &samples, cost, error);
}

/// One shell: where it comes down there is a crater. The cost is added up.
static lf_status fire(lf_grid *grid, const lf_ground *ground, uint64_t *state, lf_grid_edit_cost *sum,
                      lf_error *error) {
    double from = REACH + 1, to = SIDE - 2 - REACH;
    lf_vec3 target = {from + next(state) * (to - from), from + next(state) * (to - from), -10};
    lf_vec3 gun = {from, from, 200};
    lf_ray ray = lf_ray_between(gun, target);
    lf_grid_edit_cost cost = {0, 0};
    lf_hit hit;
    lf_status status = lf_ground_ray_first(ground, &ray, &hit, NULL);
    if (status == LF_OK && hit.kind != LF_HIT_NONE)
        status = dig(grid, hit.point, &cost, error);
    sum->samples += cost.samples;
    sum->nodes += cost.nodes;
    return status;
}

int main(int count, char **words) {
    long shells = count == 2 ? strtol(words[1], NULL, 10) : 0;
    if (shells < 1) {
        fprintf(stderr, "usage: crater SHELLS\n");
        return 2;
    }
    lf_grid *grid = make_plain();
    const lf_ground *ground = lf_grid_ground(grid);
    lf_status status = grid ? LF_OK : LF_NO_MEMORY;
    lf_grid_edit_cost sum = {0, 0};
    lf_error error = {0};
    uint64_t state = 1;
    for (long k = 0; k < shells && status == LF_OK; k++)
        status = fire(grid, ground, &state, &sum, &error);
    if (status == LF_OK) {
        lf_grid_info info = lf_grid_describe(grid);
        printf("%ld craters, the deepest %.2f m below the plain\n", shells, info.high - info.low);
        printf("a crater took %lld samples and %lld bounds of %d samples\n",
               (long long)(sum.samples / shells), (long long)(sum.nodes / shells), SIDE * SIDE);
    } else {
        fprintf(stderr, "crater: %s\n", error.text);
    }
    lf_grid_destroy(grid);
    return status == LF_OK ? 0 : 1;
}
