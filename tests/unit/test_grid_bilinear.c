// Rays over bilinear patches: against every cell solved in long doubles, and cases that can be worked out by
// hand.
#include "support.h"
#include <landfall/ground.h>
#include <stdlib.h>

typedef struct field {
    int64_t columns, rows;
    double *heights;
    lf_grid *grid;
    const lf_ground *ground;
} field;

static field make_field(int64_t columns, int64_t rows, const double *heights) {
    field f = {.columns = columns, .rows = rows};
    f.heights = malloc((size_t)(columns * rows) * sizeof *f.heights);
    assert_non_null(f.heights);
    for (int64_t k = 0; k < columns * rows; k++)
        f.heights[k] = heights[k];
    lf_grid_def def = lf_grid_def_default();
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = f.heights;
    def.samples.columns = columns;
    def.samples.rows = rows;
    def.surface = LF_SURFACE_BILINEAR;
    def.borrow = true;
    assert_int_equal(lf_grid_create(&def, &f.grid, NULL), LF_OK);
    f.ground = lf_grid_ground(f.grid);
    return f;
}

static void drop_field(field *f) {
    lf_grid_destroy(f->grid);
    free(f->heights);
}

/// What solving every cell found: the first t, and whether something was too close to call.
typedef struct verdict {
    long double first;
    bool doubtful;
} verdict;

/// t where a cell is entered and left, along one axis.
static void slab(long double o, long double d, long double low, long double *start, long double *end) {
    if (d == 0) {
        if (o < low || o > low + 1)
            *end = -1;
        return;
    }
    long double a = (low - o) / d, b = (low + 1 - o) / d;
    *start = fmaxl(*start, fminl(a, b));
    *end = fminl(*end, fmaxl(a, b));
}

static void try_root(verdict *v, long double t, long double start, long double end) {
    long double slack = 1e-12L * (1 + fabsl(t));
    if (t > start + slack && t < end - slack)
        v->first = fminl(v->first, t);
    else if (t > start - slack && t < end + slack)
        v->first = fminl(v->first, fmaxl(start, fminl(end, t))); // on a line between cells: both have it
}

static void solve_cell(const field *f, const lf_ray *ray, int64_t i, int64_t j, verdict *v) {
    const double *h = f->heights + j * f->columns + i;
    long double h00 = h[0], h10 = h[1], h01 = h[f->columns], h11 = h[f->columns + 1];
    long double start = ray->t_min, end = ray->t_max;
    if (isnan(h[0]) || isnan(h[1]) || isnan(h[f->columns]) || isnan(h[f->columns + 1]))
        return;
    slab(ray->origin.x, ray->direction.x, i, &start, &end);
    slab(ray->origin.y, ray->direction.y, j, &start, &end);
    if (start > end)
        return;
    long double u = ray->origin.x - (long double)i, v0 = ray->origin.y - (long double)j;
    long double dx = ray->direction.x, dy = ray->direction.y, a = h10 - h00, b = h01 - h00,
                c = h00 - h10 - h01 + h11;
    long double e0 = ray->origin.z - h00 - a * u - b * v0 - c * u * v0;
    long double e1 = ray->direction.z - a * dx - b * dy - c * (u * dy + v0 * dx), e2 = -c * dx * dy;
    if (e2 == 0) {
        if (e1 != 0)
            try_root(v, -e0 / e1, start, end);
        return;
    }
    long double square = e1 * e1 - 4 * e0 * e2, size = e1 * e1 + fabsl(4 * e0 * e2);
    v->doubtful |= fabsl(square) < 1e-12L * size;
    if (square < 0)
        return;
    long double q = -0.5L * (e1 + (e1 < 0 ? -sqrtl(square) : sqrtl(square)));
    try_root(v, q / e2, start, end);
    if (q != 0)
        try_root(v, e0 / q, start, end);
}

static lf_hit first(const field *f, lf_ray ray) {
    lf_hit hit;
    assert_int_equal(lf_ground_ray_first(f->ground, &ray, &hit, NULL), LF_OK);
    return hit;
}

static void oracle(const field *f, const lf_ray *ray, int64_t *checked) {
    verdict v = {LF_INFINITY, false};
    for (int64_t j = 0; j + 1 < f->rows; j++)
        for (int64_t i = 0; i + 1 < f->columns; i++)
            solve_cell(f, ray, i, j, &v);
    lf_hit hit = first(f, *ray);
    if (v.doubtful)
        return;
    ++*checked;
    assert_int_equal(hit.kind != LF_HIT_NONE, v.first <= (long double)ray->t_max);
    if (hit.kind == LF_HIT_NONE)
        return;
    assert_true(fabs(hit.t - (double)v.first) <= 1e-10 * (1 + fabs(hit.t)));
    assert_int_equal(hit.triangle, 0);
    // The height there says the same.
    lf_hit height;
    assert_int_equal(lf_ground_height(f->ground, (lf_vec3){hit.point.x, hit.point.y, 1e6}, LF_VERTICAL_DOWN,
                                      &height, NULL),
                     LF_OK);
    if (height.kind != LF_HIT_NONE)
        assert_true(fabs(height.point.z - hit.point.z) < 1e-8);
    assert_true(fabs(lf_vec3_length(hit.normal) - 1) < 1e-12 && hit.normal.z > 0);
}

static void against_all_cells(void **state) {
    (void)state;
    test_random random = test_random_start(4401);
    int64_t checked = 0;
    for (int round = 0; round < 40; round++) {
        int64_t columns = 2 + test_random_below(&random, 20), rows = 2 + test_random_below(&random, 20);
        double *heights = malloc((size_t)(columns * rows) * sizeof *heights);
        assert_non_null(heights);
        bool holes = round % 2;
        for (int64_t k = 0; k < columns * rows; k++)
            heights[k] =
                holes && test_random_below(&random, 15) == 0 ? LF_NAN : test_random_between(&random, 0, 4);
        field f = make_field(columns, rows, heights);
        for (int k = 0; k < 300; k++) {
            lf_vec3 ends[2];
            for (int e = 0; e < 2; e++) {
                ends[e].x = test_random_between(&random, -2, (double)columns + 1);
                ends[e].y = test_random_between(&random, -2, (double)rows + 1);
                ends[e].z = test_random_between(&random, -1, 5);
            }
            lf_ray ray = lf_ray_between(ends[0], ends[1]);
            if (k % 5 == 0)
                ray.direction.x = 0;
            if (k % 5 == 1)
                ray.origin.y = floor(ray.origin.y), ray.direction.y = 0;
            oracle(&f, &ray, &checked);
        }
        drop_field(&f);
        free(heights);
    }
    assert_true(checked > 6000);
}

static void by_hand(void **state) {
    (void)state;
    const double saddle[4] = {0, 1, 1, 0}; // h = u + v - 2 u v
    field f = make_field(2, 2, saddle);
    // Along the rising diagonal h = 2 u (1 - u): a parabola with its top of 1/2 in the middle.
    lf_hit hit = first(&f, lf_ray_towards((lf_vec3){-1, -1, 0.5}, (lf_vec3){1, 1, 0}));
    assert_true(hit.kind == LF_HIT_CELL && hit.t == 1.5 && hit.u == 0.5 && hit.v == 0.5); // touches
    hit = first(&f, lf_ray_towards((lf_vec3){-1, -1, nextafter(0.5, 1)}, (lf_vec3){1, 1, 0}));
    assert_int_equal(hit.kind, LF_HIT_NONE);
    hit = first(&f, lf_ray_towards((lf_vec3){-1, -1, 0.375}, (lf_vec3){1, 1, 0})); // 2 u (1 - u) = 3/8
    assert_true(hit.t == 1.25);
    lf_hit all[4];
    int64_t count;
    lf_ray ray = lf_ray_towards((lf_vec3){-1, -1, 0.375}, (lf_vec3){1, 1, 0});
    assert_int_equal(lf_ground_ray_all(f.ground, &ray, all, 4, &count, NULL), LF_OK);
    assert_true(count == 2 && all[0].t == 1.25 && all[1].t == 1.75);
    ray.t_min = 1.25, ray.t_max = 1.75;
    assert_int_equal(lf_ground_ray_all(f.ground, &ray, all, 4, &count, NULL), LF_OK);
    assert_true(count == 2);
    ray.t_min = nextafter(1.25, 2), ray.t_max = nextafter(1.75, 1);
    assert_int_equal(lf_ground_ray_all(f.ground, &ray, all, 4, &count, NULL), LF_OK);
    assert_true(count == 0);
    // From corner to corner: both ends are met.
    ray = lf_ray_between((lf_vec3){0, 0, 0}, (lf_vec3){1, 1, 0});
    assert_int_equal(lf_ground_ray_all(f.ground, &ray, all, 4, &count, NULL), LF_OK);
    assert_true(count == 2 && all[0].t == 0 && all[1].t == 1);
    // A ruling: u = 1/4 is the line v -> 1/4 + v / 2, and the ray runs within it.
    hit = first(&f, lf_ray_towards((lf_vec3){0.25, -1, -0.25}, (lf_vec3){0, 1, 0.5}));
    assert_true(hit.kind == LF_HIT_CELL && hit.t == 1);
    hit = first(&f, lf_ray_towards((lf_vec3){0.25, 0.5, 9}, (lf_vec3){0, 0, -1}));
    assert_true(hit.t == 8.5);
    drop_field(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_all_cells),
        cmocka_unit_test(by_hand),
    };
    return cmocka_run_group_tests_name("grid: bilinear", tests, NULL, NULL);
}
