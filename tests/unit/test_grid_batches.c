// Batches of rays that kernels take together: pictures in tiles, parallel rays from the ground, and level
// rays. Every instruction set gives the bits of the plain way.
#define _DEFAULT_SOURCE
#include "brute.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// Pixels along a side of a picture, and rays of a batch.
#define SIDE 12
#define RAYS (SIDE * SIDE)

/// The first set is the plain way.
static const char *const sets[] = {"scalar", "avx2", "avx512"};
enum { SETS = 3 };

typedef struct ground {
    int64_t columns, rows;
    float *heights;
    double low, high;
    lf_grid_def def;
    lf_grid *grids[SETS];
} ground;

static double height_of(int kind, double x, double y, test_random *random) {
    double noise = test_random_between(random, 0, 1);
    switch (kind) {
    case 0:
        return 40 * sin(x / 23) * cos(y / 17) + 8 * sin(x / 5 + y / 7) + noise;
    case 1:
        return 0.3 * x - 0.2 * y + noise;
    case 2:
        return test_random_below(random, 60) == 0 ? 30 : floor(4 * noise);
    default:
        return 60 * exp(-(x - 90) * (x - 90) / 800) + noise;
    }
}

static void make_ground(ground *g, test_random *random) {
    static const lf_surface surfaces[] = {LF_SURFACE_RISING, LF_SURFACE_FALLING, LF_SURFACE_ALTERNATING};
    bool large = test_random_below(random, 2);
    g->columns = 18 + test_random_below(random, large ? 500 : 60);
    g->rows = 18 + test_random_below(random, large ? 300 : 60);
    g->heights = malloc((size_t)(g->columns * g->rows) * sizeof *g->heights);
    assert_non_null(g->heights);
    int kind = (int)test_random_below(random, 4);
    g->low = INFINITY, g->high = -INFINITY;
    for (int64_t j = 0; j < g->rows; j++)
        for (int64_t i = 0; i < g->columns; i++) {
            double height = height_of(kind, (double)i, (double)j, random);
            g->heights[j * g->columns + i] = (float)height;
            g->low = fmin(g->low, height);
            g->high = fmax(g->high, height);
        }
    g->def = lf_grid_def_default();
    g->def.samples.columns = g->columns;
    g->def.samples.rows = g->rows;
    g->def.samples.type = LF_SAMPLE_FLOAT;
    g->def.samples.values = g->heights;
    g->def.surface = surfaces[test_random_below(random, 3)];
    g->def.leaf = test_random_below(random, 3) == 0 ? 1 : 0;
    g->def.borrow = test_random_below(random, 2);
    for (int k = 0; k < SETS; k++) {
        lf_error error;
        setenv("LANDFALL_ISA", sets[k], 1);
        if (lf_grid_create(&g->def, &g->grids[k], &error) != LF_OK)
            fail_msg("%s", error.text);
    }
    unsetenv("LANDFALL_ISA");
}

static void free_ground(ground *g) {
    for (int k = 0; k < SETS; k++)
        lf_grid_destroy(g->grids[k]);
    free(g->heights);
}

static lf_vec3 any_place(const ground *g, double below, double above, test_random *random) {
    return (lf_vec3){test_random_between(random, -20, (double)g->columns + 20),
                     test_random_between(random, -20, (double)g->rows + 20),
                     test_random_between(random, g->low - below, g->high + above)};
}

/// The pixel of a ray: tiles of 4 x 4.
static void pixel_of(int64_t ray, double *x, double *y) {
    int64_t tile = ray / 16, within = ray % 16, tiles = SIDE / 4;
    *x = ((double)(tile % tiles * 4 + within % 4) + 0.5) / SIDE - 0.5;
    *y = ((double)(tile / tiles * 4 + within / 4) + 0.5) / SIDE - 0.5;
}

static void picture(const ground *g, lf_ray rays[RAYS], test_random *random) {
    lf_vec3 eye = any_place(g, 5, 60, random), at = any_place(g, 0, 0, random);
    double wide = pow(10, test_random_between(random, -3, 0));
    lf_vec3 d = {at.x - eye.x, at.y - eye.y, at.z - eye.z};
    for (int64_t k = 0; k < RAYS; k++) {
        double x, y;
        pixel_of(k, &x, &y);
        lf_vec3 way = {d.x - d.y * wide * x, d.y + d.x * wide * x, d.z + wide * y * hypot(d.x, d.y)};
        rays[k] = lf_ray_towards(eye, way);
    }
}

/// From points on the ground, or on a plane, into one direction.
static void parallel(const ground *g, lf_ray rays[RAYS], test_random *random) {
    double turn = test_random_between(random, 0, 6.3), climb = test_random_between(random, -0.5, 0.5);
    double step = pow(10, test_random_between(random, -2, 0));
    bool on_ground = test_random_below(random, 2);
    lf_vec3 first = any_place(g, 0, 30, random), way = {cos(turn), sin(turn), climb};
    for (int64_t k = 0; k < RAYS; k++) {
        double x, y;
        pixel_of(k, &x, &y);
        lf_vec3 from = {first.x + SIDE * step * x, first.y + SIDE * step * y, first.z};
        lf_hit hit;
        if (on_ground &&
            lf_ground_height(lf_grid_ground(g->grids[0]), from, LF_VERTICAL_DOWN, &hit, NULL) == LF_OK &&
            hit.kind != LF_HIT_NONE)
            from.z = hit.point.z;
        rays[k] = lf_ray_towards(from, way);
    }
}

/// Long ones at nearly one height each.
static void level(const ground *g, lf_ray rays[RAYS], test_random *random) {
    for (int64_t k = 0; k < RAYS; k++) {
        lf_vec3 a = any_place(g, 0, 2, random), b = any_place(g, 0, 2, random);
        b.z = a.z + test_random_between(random, -0.2, 0.2);
        lf_vec3 way = {b.x - a.x, b.y - a.y, b.z - a.z};
        rays[k] = lf_ray_towards(lf_vec3_along(a, -1, way), way);
        if (test_random_below(random, 8) == 0)
            rays[k].t_max = test_random_between(random, 0, 400);
    }
}

static int64_t check(const ground *g, const lf_ray rays[RAYS], const char *what) {
    static lf_hit hits[SETS][RAYS];
    int64_t met = 0;
    for (int k = 0; k < SETS; k++)
        assert_int_equal(
            lf_ground_ray_first_many(lf_grid_ground(g->grids[k]), rays, 0, RAYS, hits[k], 0, NULL), LF_OK);
    for (int64_t n = 0; n < RAYS; n++) {
        met += hits[0][n].kind != LF_HIT_NONE;
        for (int k = 1; k < SETS; k++)
            if (!oracle_same_hit(&hits[k][n], &hits[0][n]))
                fail_msg("%s on %lld x %lld samples, ray %lld, %s: t %a at %lld, plain t %a at %lld", what,
                         (long long)g->columns, (long long)g->rows, (long long)n, sets[k], hits[k][n].t,
                         (long long)hits[k][n].element, hits[0][n].t, (long long)hits[0][n].element);
    }
    return met;
}

static void check_batches(void **state) {
    (void)state;
    test_random random = test_random_start(947);
    int64_t met = 0, grounds = test_long() ? 400 : 40;
    for (int64_t n = 0; n < grounds; n++) {
        ground g;
        lf_ray rays[RAYS];
        make_ground(&g, &random);
        for (int k = 0; k < 16; k++) {
            picture(&g, rays, &random);
            met += check(&g, rays, "a picture");
            parallel(&g, rays, &random);
            met += check(&g, rays, "parallel rays");
            level(&g, rays, &random);
            met += check(&g, rays, "level rays");
        }
        free_ground(&g);
    }
    assert_true(met > 16 * RAYS * grounds / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_batches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
