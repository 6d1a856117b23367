// Kernels give the bits that the plain way gives: single rays, batches of them, bare heights, and after
// edits.
#define _DEFAULT_SOURCE
#include "brute.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RAYS 400

/// Two grids of the same heights: one with the best kernels there are, or those for AVX2, one without any.
typedef struct pair {
    bool single; ///< a grid for the kernel of single rays: large, floats, no voids
    lf_grid_def def;
    double *heights; ///< before they become samples
    void *samples;
    lf_grid *grids[2];
    const lf_ground *grounds[2];
} pair;

static double any_sign(test_random *random, double x) {
    return test_random_below(random, 2) ? x : -x;
}

/// Plateaus, mountains, a rough slope, or spikes.
static double height_of(int kind, int64_t i, int64_t j, test_random *random) {
    double x = (double)i, y = (double)j, noise = test_random_between(random, 0, 1);
    switch (kind) {
    case 0:
        return (double)test_random_below(random, 4);
    case 1:
        return floor(200 * sin(x / 23) * cos(y / 17) + 40 * sin(x / 5 + y / 7) + 3 * noise);
    case 2:
        return 3 * x + 2 * y + noise;
    default:
        return test_random_below(random, 50) == 0 ? 1000 : noise;
    }
}

static size_t sample_size(lf_sample_type type) {
    return type == LF_SAMPLE_DOUBLE  ? sizeof(double)
           : type == LF_SAMPLE_FLOAT ? sizeof(float)
                                     : sizeof(int16_t);
}

static void put_sample(void *samples, lf_sample_type type, int64_t at, double height) {
    switch (type) {
    case LF_SAMPLE_FLOAT:
        ((float *)samples)[at] = (float)height;
        break;
    case LF_SAMPLE_DOUBLE:
        ((double *)samples)[at] = height;
        break;
    case LF_SAMPLE_INT16:
        ((int16_t *)samples)[at] = (int16_t)height;
        break;
    case LF_SAMPLE_UINT16:
        ((uint16_t *)samples)[at] = (uint16_t)height;
        break;
    }
}

/// Spacing, rotation, holes and the rest by chance.
static void choose(pair *p, lf_surface surface, test_random *random) {
    lf_grid_def *def = &p->def;
    static const int leaves[] = {0, 0, 1, 4, 8, 16};
    *def = lf_grid_def_default();
    bool large = p->single || test_random_below(random, 3) == 0;
    def->samples.columns = (p->single ? 66 : 2) + test_random_below(random, large ? 400 : 40);
    def->samples.rows = 2 + test_random_below(random, large ? 200 : 40);
    bool floats = p->single || test_random_below(random, 2);
    def->samples.type = floats ? LF_SAMPLE_FLOAT : (lf_sample_type)test_random_below(random, 4);
    def->surface = surface;
    def->leaf = leaves[test_random_below(random, 6)];
    def->borrow = test_random_below(random, 3) == 0;
    def->extend = !def->borrow && test_random_below(random, 4) == 0;
    if (def->samples.type >= LF_SAMPLE_INT16 && test_random_below(random, 2)) {
        def->samples.scale = 0.25;
        def->samples.offset = -100;
    }
    if (test_random_below(random, 2)) {
        def->geotransform.origin = (lf_vec2){1000, -2000};
        def->geotransform.per_column = (lf_vec2){30, test_random_below(random, 2) ? 4 : 0};
        def->geotransform.per_row = (lf_vec2){test_random_below(random, 2) ? -3 : 0, 30};
    }
}

static void fill(pair *p, test_random *random) {
    lf_samples *s = &p->def.samples;
    int kind = (int)test_random_below(random, 4);
    int64_t holes = !p->single && test_random_below(random, 2) == 0 ? 2 + test_random_below(random, 40) : 0;
    size_t count = (size_t)(s->columns * s->rows);
    p->heights = malloc(count * sizeof *p->heights);
    p->samples = malloc(count * sample_size(s->type));
    assert_true(p->heights && p->samples);
    s->values = p->samples;
    s->nodata = s->type >= LF_SAMPLE_INT16 ? 9999 : LF_NAN;
    for (int64_t j = 0; j < s->rows; j++)
        for (int64_t i = 0; i < s->columns; i++) {
            double height = height_of(kind, i, j, random);
            if (s->type == LF_SAMPLE_UINT16)
                height = fabs(height);
            bool hole = holes > 0 && test_random_below(random, holes) == 0;
            double sample = hole ? (s->type >= LF_SAMPLE_INT16 ? 9999 : (double)NAN) : height;
            p->heights[j * s->columns + i] = height * s->scale + s->offset;
            put_sample(p->samples, s->type, j * s->columns + i, sample);
        }
}

static void make_pair(pair *p, lf_surface surface, test_random *random) {
    choose(p, surface, random);
    fill(p, random);
    for (int k = 0; k < 2; k++) {
        lf_error error;
        if (k == 1)
            setenv("LANDFALL_ISA", "scalar", 1);
        else if (test_random_below(random, 2))
            setenv("LANDFALL_ISA", "avx2", 1);
        else
            unsetenv("LANDFALL_ISA");
        lf_status status = lf_grid_create(&p->def, &p->grids[k], &error);
        if (status != LF_OK)
            fail_msg("%s", error.text);
        p->grounds[k] = lf_grid_ground(p->grids[k]);
    }
    unsetenv("LANDFALL_ISA");
}

static void free_pair(pair *p) {
    for (int k = 0; k < 2; k++) {
        lf_grid_destroy(p->grids[k]);
    }
    free(p->samples);
    free(p->heights);
}

// ---------------------------------------------------------------------------------------------------
// Rays
// ---------------------------------------------------------------------------------------------------

/// A place of the world.
static lf_vec3 place(const pair *p, double x, double y, double z) {
    const lf_geotransform *at = &p->def.geotransform;
    return (lf_vec3){at->origin.x + x * at->per_column.x + y * at->per_row.x,
                     at->origin.y + x * at->per_column.y + y * at->per_row.y, z};
}

static lf_vec3 any_sample(const pair *p, test_random *random) {
    int64_t i = test_random_below(random, p->def.samples.columns),
            j = test_random_below(random, p->def.samples.rows);
    return place(p, (double)i, (double)j, p->heights[j * p->def.samples.columns + i]);
}

static lf_vec3 any_place(const pair *p, test_random *random) {
    lf_grid_info info = lf_grid_describe(p->grids[0]);
    double x = test_random_between(random, -0.6, (double)info.columns - 0.4);
    double y = test_random_between(random, -0.6, (double)info.rows - 0.4);
    double low = info.low <= info.high ? info.low : 0, high = info.low <= info.high ? info.high : 0;
    return place(p, x, y, test_random_between(random, low - 5, high + 5));
}

static lf_ray to(lf_vec3 a, lf_vec3 b) {
    lf_ray ray = lf_ray_between(a, b);
    if (ray.direction.x == 0 && ray.direction.y == 0 && ray.direction.z == 0)
        ray.direction.z = -1;
    return ray;
}

/// Along a row, a column or a diagonal, at the height of one of its samples or beside it.
static lf_ray along_line(const pair *p, test_random *random) {
    static const double ways[][2] = {{1, 0},  {0, 1},   {1, 1},  {1, -1}, {-1, 0},
                                     {0, -1}, {-1, -1}, {-1, 1}, {2, 1},  {1, -3}};
    const double *way = ways[test_random_below(random, 10)];
    const lf_samples *s = &p->def.samples;
    int64_t border = test_random_below(random, 4);
    int64_t i =
        border == 0 ? (s->columns - 1) * test_random_below(random, 2) : test_random_below(random, s->columns);
    int64_t j =
        border == 0 ? (s->rows - 1) * test_random_below(random, 2) : test_random_below(random, s->rows);
    double z = p->heights[j * s->columns + i] + (test_random_below(random, 2) ? 0 : any_sign(random, 1e-9)),
           far = 500;
    lf_vec3 a = place(p, (double)i - far * way[0], (double)j - far * way[1], z);
    lf_vec3 b = place(p, (double)i + far * way[0], (double)j + far * way[1], z);
    return to(a, b);
}

/// Through the corners of blocks of 8 or 64 squares, nearly: where rounding decides which blocks a ray enters. It falls to a sample near
/// one of these corners.
static lf_ray through_corners(const pair *p, test_random *random) {
    static const double ways[][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}, {1, 0}, {0, 1}, {8, 7}, {7, -8}};
    const double *way = ways[test_random_below(random, 8)];
    const lf_samples *s = &p->def.samples;
    int64_t side = test_random_below(random, 3) ? 8 : 64;
    int64_t i = side * test_random_below(random, s->columns / side + 1),
            j = side * test_random_below(random, s->rows / side + 1);
    double off =
        test_random_below(random, 3) ? any_sign(random, pow(10, test_random_between(random, -12, -1))) : 0;
    int64_t near_i = i + test_random_below(random, 3) - 1, near_j = j + test_random_below(random, 3) - 1;
    near_i = near_i < 0 ? 0 : near_i >= s->columns ? s->columns - 1 : near_i;
    near_j = near_j < 0 ? 0 : near_j >= s->rows ? s->rows - 1 : near_j;
    double z = p->heights[near_j * s->columns + near_i] -
               any_sign(random, pow(10, test_random_between(random, -9, 0)));
    double fall = test_random_between(random, 0, 2), far = 300;
    lf_vec3 a = place(p, (double)i - far * way[0] + off, (double)j - far * way[1] - off, z + fall * far);
    lf_vec3 b = place(p, (double)i + far * way[0] + off, (double)j + far * way[1] - off, z - fall * far);
    return to(a, b);
}

static lf_ray any_ray(const pair *p, test_random *random) {
    lf_vec3 a = any_sample(p, random), b = any_sample(p, random);
    double little = any_sign(random, pow(10, test_random_between(random, -9, 1)));
    switch (test_random_below(random, 10)) {
    case 0:
        return to(a, b);
    case 9: { // digits of products below the smallest doubles
        lf_ray ray = to(a, b);
        double *of[2] = {test_random_below(random, 2) ? &ray.direction.x : &ray.direction.y,
                         test_random_below(random, 2) ? &ray.origin.x : &ray.origin.y};
        *of[test_random_below(random, 2)] = any_sign(random, pow(2, -test_random_between(random, 400, 1074)));
        return ray;
    }
    case 1:
        return along_line(p, random);
    case 8:
        return through_corners(p, random);
    case 2:
        return to(any_place(p, random), any_place(p, random));
    case 3: // over the ground, or through it
        a.z += little;
        b.z += little;
        return to(a, b);
    case 4: // from below, or from above
        a.z += any_sign(random, 3000);
        return to(a, b);
    case 5: // nearly upright
        b = a;
        b.x += 1e-3 * little;
        a.z += any_sign(random, 100);
        return to(a, b);
    case 6: // from far away
        a.x += any_sign(random, 1e7) * test_random_between(random, 0, 1);
        a.y += any_sign(random, 1e7) * test_random_between(random, 0, 1);
        a.z += any_sign(random, 1e5);
        return to(a, b);
    default:
        a = any_place(p, random);
        return lf_ray_towards(a, to(a, any_place(p, random)).direction);
    }
}

static lf_ray any_part(lf_ray ray, test_random *random) {
    switch (test_random_below(random, 4)) {
    case 0:
        ray.t_max = LF_INFINITY;
        break;
    case 1:
        ray.t_min = test_random_between(random, 0, 1);
        ray.t_max = ray.t_min + test_random_between(random, 0, 1);
        break;
    default:
        break;
    }
    return ray;
}

/// A ray next to another one, as in a picture: kernels start such rays together.
static lf_ray beside(lf_ray ray, test_random *random) {
    double most = pow(10, test_random_between(random, -12, -1));
    double *of[2] = {&ray.direction.x, &ray.origin.x};
    for (int which = test_random_below(random, 4) == 0; which >= 0; which--)
        for (int k = 0; k < 3; k++)
            of[which][k] *= 1 + most * test_random_between(random, -1, 1);
    return ray;
}

/// A ray across the grid at nearly the height of one of its samples: kernels compare such rays with blocks together.
static lf_ray nearly_level(const pair *p, test_random *random) {
    lf_vec3 a = any_place(p, random), b = any_place(p, random);
    double z = any_sample(p, random).z,
           tilt = test_random_below(random, 3) == 0 ? test_random_between(random, -2, 2) : 0;
    z += test_random_below(random, 4) ? 0 : any_sign(random, pow(10, test_random_between(random, -9, 1)));
    a.z = z + tilt;
    b.z = z - tilt;
    lf_ray ray =
        test_random_below(random, 4) ? to(a, b) : along_line(p, random); // through samples, or along a side
    double before = test_random_between(random, 0, 2);
    ray.origin = lf_vec3_along(ray.origin, -before, ray.direction);
    ray.t_max = test_random_below(random, 2) ? LF_INFINITY : 1 + 2 * before;
    return ray;
}

static void print_ray(const pair *p, const lf_ray *ray, const lf_hit *said, const lf_hit *expected) {
    const lf_grid_def *d = &p->def;
    fprintf(stderr, "%lld x %lld %s, type %d, leaf %d, borrow %d, extend %d\n", (long long)d->samples.columns,
            (long long)d->samples.rows, lf_surface_name(d->surface), (int)d->samples.type, d->leaf, d->borrow,
            d->extend);
    fprintf(stderr, "origin %a %a %a direction %a %a %a t %a .. %a\n", ray->origin.x, ray->origin.y,
            ray->origin.z, ray->direction.x, ray->direction.y, ray->direction.z, ray->t_min, ray->t_max);
    fprintf(stderr, "said t %a %lld/%d, plain t %a %lld/%d\n", said->t, (long long)said->element,
            (int)said->triangle, expected->t, (long long)expected->element, (int)expected->triangle);
}

static void same_hit(const pair *p, const lf_ray *ray, const lf_hit *said, const lf_hit *expected,
                     const char *what) {
    if (oracle_same_hit(said, expected))
        return;
    print_ray(p, ray, said, expected);
    fail_msg("%s", what);
}

/// Returns how many rays met something.
static int64_t oracle_rays(const pair *p, int64_t count, test_random *random) {
    static lf_ray rays[MOST_RAYS];
    static lf_hit said[MOST_RAYS], expected[MOST_RAYS], many[MOST_RAYS];
    int64_t met = 0;
    int64_t kind = test_random_below(random, 5); // 0: level ones, 1 or 2: bundles
    for (int64_t k = 0; k < count; k++) {
        bool any, usual = test_random_below(random, 50) > 0;
        bool follows = (kind == 1 || kind == 2) && k % 16 > 0 && usual;
        rays[k] = follows              ? beside(rays[k - k % 16], random)
                  : kind == 0 && usual ? nearly_level(p, random)
                                       : any_part(any_ray(p, random), random);
        assert_int_equal(lf_ground_ray_first(p->grounds[1], &rays[k], &expected[k], NULL), LF_OK);
        assert_int_equal(lf_ground_ray_first(p->grounds[0], &rays[k], &said[k], NULL), LF_OK);
        assert_int_equal(lf_ground_ray_any(p->grounds[0], &rays[k], &any, NULL), LF_OK);
        same_hit(p, &rays[k], &said[k], &expected[k], "one ray");
        assert_int_equal(any, expected[k].kind != LF_HIT_NONE);
        met += any;
    }
    assert_int_equal(lf_ground_ray_first_many(p->grounds[0], rays, 0, count, many, 0, NULL), LF_OK);
    for (int64_t k = 0; k < count; k++)
        same_hit(p, &rays[k], &many[k], &expected[k], "a batch");
    lf_tasks tasks = test_tasks(2);
    assert_int_equal(lf_ground_ray_first_many(p->grounds[0], rays, 0, count, many, 0, &tasks), LF_OK);
    for (int64_t k = 0; k < count; k++)
        same_hit(p, &rays[k], &many[k], &expected[k], "a batch on two threads");
    return met;
}

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

static lf_vec3 any_point(const pair *p, test_random *random) {
    const lf_samples *s = &p->def.samples;
    double x = (double)test_random_below(random, s->columns), y = (double)test_random_below(random, s->rows);
    lf_vec3 sample = any_sample(p, random);
    switch (test_random_below(random, 5)) {
    case 0:
        sample.z += any_sign(random, 1e-12);
        return sample;
    case 1: // on a line
        return place(p, x + 0.25, y, sample.z);
    case 2: // on a diagonal
        return place(p, x + 0.25, y + (test_random_below(random, 2) ? 0.75 : 0.25), sample.z);
    case 3: {
        lf_vec3 high = any_place(p, random);
        high.z = test_random_below(random, 2) ? 1e5 : -1e5;
        return high;
    }
    default:
        return any_place(p, random);
    }
}

typedef struct wide_point {
    lf_vec3 point;
    double more;
} wide_point;

static bool same_number(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static int64_t oracle_heights(const pair *p, int64_t count, test_random *random) {
    static wide_point points[MOST_RAYS];
    static double heights[MOST_RAYS], again[2 * MOST_RAYS];
    int64_t answered = 0;
    lf_vertical look = test_random_below(random, 2) ? LF_VERTICAL_DOWN : LF_VERTICAL_UP;
    for (int64_t k = 0; k < count; k++) {
        points[k].point = any_point(p, random);
        if (look == LF_VERTICAL_DOWN && test_random_below(random, 8) == 0)
            points[k].point.z = LF_INFINITY;
    }
    size_t stride = sizeof *points;
    assert_int_equal(
        lf_ground_heights_many(p->grounds[0], &points[0].point, stride, count, look, heights, 0, NULL),
        LF_OK);
    for (int64_t k = 0; k < count; k++) {
        lf_hit hit;
        assert_int_equal(lf_ground_height(p->grounds[1], points[k].point, look, &hit, NULL), LF_OK);
        double expected = hit.kind == LF_HIT_NONE ? (double)NAN : hit.point.z;
        if (!same_number(heights[k], expected))
            fail_msg("height at %a %a %a: %a, plain %a", points[k].point.x, points[k].point.y,
                     points[k].point.z, heights[k], expected);
        answered += hit.kind != LF_HIT_NONE;
    }
    static lf_vec3 packed[MOST_RAYS];
    for (int64_t k = 0; k < count; k++)
        packed[k] = points[k].point;
    assert_int_equal(
        lf_ground_heights_many(p->grounds[0], packed, 0, count, look, again, 2 * sizeof *again, NULL), LF_OK);
    for (int64_t k = 0; k < count; k++)
        assert_true(same_number(again[2 * k], heights[k]));
    return answered;
}

/// The same new heights in both.
static void edit_both(pair *p, test_random *random) {
    if (p->def.borrow)
        return;
    const lf_samples *s = &p->def.samples;
    lf_samples patch = *s;
    double values[12];
    patch.columns = 1 + test_random_below(random, s->columns < 4 ? s->columns : 4);
    patch.rows = 1 + test_random_below(random, s->rows < 3 ? s->rows : 3);
    patch.column_step = patch.row_step = 0;
    patch.values = values;
    int64_t column = test_random_below(random, s->columns - patch.columns + 1);
    int64_t row = test_random_below(random, s->rows - patch.rows + 1);
    for (int64_t j = 0; j < patch.rows; j++)
        for (int64_t i = 0; i < patch.columns; i++) {
            double sample = (double)test_random_below(random, 2000);
            p->heights[(row + j) * s->columns + column + i] = sample * s->scale + s->offset;
            if (!p->single && test_random_below(random, 6) == 0)
                sample = s->nodata;
            put_sample(values, s->type, j * patch.columns + i, sample);
        }
    for (int k = 0; k < 2; k++)
        assert_int_equal(lf_grid_edit(p->grids[k], column, row, &patch, NULL, NULL), LF_OK);
}

static void oracle_surface(lf_surface surface, bool single, uint64_t salt) {
    test_random random = test_random_start(salt);
    int64_t met = 0, answered = 0, rounds = test_long() ? 900 : 60;
    for (int64_t round = 0; round < rounds; round++) {
        pair p;
        p.single = single;
        make_pair(&p, surface, &random);
        met += oracle_rays(&p, 100 + test_random_below(&random, 100), &random);
        answered += oracle_heights(&p, test_random_below(&random, 120), &random);
        edit_both(&p, &random);
        met += oracle_rays(&p, 40, &random);
        free_pair(&p);
    }
    assert_true(met > 0 && answered > 0);
}

static void falling(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_FALLING, false, 901);
}

static void rising(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_RISING, false, 902);
}

static void alternating(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_ALTERNATING, false, 903);
}

static void bilinear(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_BILINEAR, false, 904);
}

static void samples(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_POINT, false, 905);
}

static void single_falling(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_FALLING, true, 906);
}

static void single_rising(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_RISING, true, 907);
}

static void single_alternating(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_ALTERNATING, true, 908);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(falling),       cmocka_unit_test(rising),
                                       cmocka_unit_test(alternating),   cmocka_unit_test(bilinear),
                                       cmocka_unit_test(samples),       cmocka_unit_test(single_falling),
                                       cmocka_unit_test(single_rising), cmocka_unit_test(single_alternating)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
