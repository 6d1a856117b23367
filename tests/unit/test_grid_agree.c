// One surface: heights, rays straight down, slanted rays, walks and stands all speak of the same one.
#include "support.h"
#include <landfall/ground.h>

#define SIDE 7

static lf_grid *any_grid(lf_surface surface, bool extend, test_random *random) {
    double heights[SIDE * SIDE];
    lf_grid_def def = lf_grid_def_default();
    for (int k = 0; k < SIDE * SIDE; k++)
        heights[k] = test_random_between(random, 0, 20);
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = SIDE;
    def.surface = surface;
    def.extend = extend;
    def.geotransform = (lf_geotransform){{100, -50}, {3, 1}, {-1, 2}};
    lf_grid *grid;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    return grid;
}

static lf_vec3 any_place(test_random *random) {
    double i = test_random_between(random, 0, SIDE - 1), j = test_random_between(random, 0, SIDE - 1);
    return (lf_vec3){100 + 3 * i - j, -50 + i + 2 * j, LF_INFINITY};
}

static void same(const lf_hit *a, const lf_hit *b) {
    assert_int_equal(a->kind, LF_HIT_CELL);
    assert_int_equal(b->kind, LF_HIT_CELL);
    assert_int_equal(a->element, b->element);
    assert_int_equal(a->triangle, b->triangle);
    assert_true(fabs(a->point.z - b->point.z) < 1e-9);
    assert_true(lf_vec3_length(lf_vec3_sub(a->normal, b->normal)) < 1e-9);
}

/// A slanted ray that ends at the ground meets it there, or something before; just behind, going on, it is met too.
static void slanted(const lf_ground *ground, const lf_hit *height, test_random *random) {
    lf_vec3 p = height->point,
            d = {test_random_between(random, -1, 1), test_random_between(random, -1, 1), -3};
    lf_ray ray = {lf_vec3_along(p, -1e-3, d), d, 0, 2e-3};
    lf_hit hits[8];
    int64_t count, found = 0;
    assert_true(lf_ground_ray_all(ground, &ray, hits, 8, &count, NULL) >= LF_OK);
    for (int64_t k = 0; k < count && k < 8; k++)
        found += fabs(hits[k].t - 1e-3) < 1e-9 && hits[k].element == height->element;
    assert_true(found >= 1);
}

static void walk_there(const lf_ground *ground, const lf_hit *height, test_random *random) {
    lf_walker anything = {LF_INFINITY, LF_INFINITY, 0};
    lf_vec3 to = height->point;
    lf_walk walk;
    assert_int_equal(lf_ground_walk(ground, &anything, any_place(random), to, &walk, NULL, NULL), LF_OK);
    assert_int_equal(walk.end, LF_WALK_ARRIVED);
    same(&walk.ground, height);
}

/// A thing as small as a pin stands where the height is.
static void stand_there(const lf_ground *ground, const lf_hit *height) {
    lf_footprint pin = lf_footprint_wheels(1e-6, 1e-6);
    lf_vec3 point = {height->point.x, height->point.y, LF_INFINITY};
    lf_stance stance;
    assert_int_equal(lf_ground_stand(ground, &pin, point, (lf_vec3){1, 0, 0}, &stance, NULL), LF_OK);
    assert_true(stance.stands);
    for (int k = 0; k < 4 && stance.contacts[k].element == height->element; k++)
        assert_true(fabs(stance.contacts[k].point.z - height->point.z) < 1e-4);
}

static void one_surface(void **state) {
    (void)state;
    test_random random = test_random_start(4500);
    for (int round = 0; round < 30; round++) {
        lf_grid *grid = any_grid((lf_surface)(round % 5), round % 2 == 0, &random);
        const lf_ground *ground;
        ground = lf_grid_ground(grid);
        for (int k = 0; k < 100; k++) {
            lf_vec3 p = any_place(&random);
            lf_hit height, down, up, many;
            lf_ray ray = lf_ray_towards((lf_vec3){p.x, p.y, 100}, (lf_vec3){0, 0, -1});
            assert_int_equal(lf_ground_height(ground, p, LF_VERTICAL_DOWN, &height, NULL), LF_OK);
            assert_int_equal(lf_ground_ray_first(ground, &ray, &down, NULL), LF_OK);
            same(&height, &down);
            p.z = -100;
            assert_int_equal(lf_ground_height(ground, p, LF_VERTICAL_UP, &up, NULL), LF_OK);
            same(&height, &up);
            assert_int_equal(lf_ground_height_many(ground, &p, 0, 1, LF_VERTICAL_UP, &many, 0, NULL), LF_OK);
            same(&height, &many);
            slanted(ground, &height, &random);
            walk_there(ground, &height, &random);
            stand_there(ground, &height);
        }
        lf_grid_destroy(grid);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_surface)};
    return cmocka_run_group_tests_name("grid: agreement", tests, NULL, NULL);
}
