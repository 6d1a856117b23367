// Everything that a ground can be asked, of a grid and of the same surface as polygons: the answers are the
// same.
#include "twin.h"
#include <landfall/ground.h>
#include <stdlib.h>

static void near(double a, double b) {
    if (!(a == b || fabs(a - b) <= 1e-9 * (1 + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

static void near_vec(lf_vec3 a, lf_vec3 b) {
    near(a.x, b.x);
    near(a.y, b.y);
    near(a.z, b.z);
}

/// A hit on the grid and one on the polygons.
static void same_hit(const twin *twin, const lf_hit *grid, const lf_hit *polygon) {
    assert_int_equal(grid->kind == LF_HIT_NONE, polygon->kind == LF_HIT_NONE);
    if (grid->kind == LF_HIT_NONE)
        return;
    near(grid->t, polygon->t);
    near_vec(grid->point, polygon->point);
    // On an edge the polygons' t are rounded, and then either of two may be the first.
    if (twin_polygon_of(twin, grid) == polygon->element)
        near_vec(grid->normal, polygon->normal);
}

static double coordinate(const twin *twin, int64_t samples, test_random *random) {
    double any = test_random_between(random, -1, (double)samples);
    // Where samples meet, polygons have two heights and the grid has one.
    bool exact = twin->shape.surface != LF_SURFACE_POINT && test_random_below(random, 3) == 0;
    return exact ? floor(2 * any) / 2 : any;
}

static lf_vec3 place(const twin *twin, test_random *random) {
    double x = coordinate(twin, twin->shape.columns, random), y = coordinate(twin, twin->shape.rows, random);
    return (lf_vec3){x, y, test_random_between(random, -1, 10)};
}

static void walks(const twin *twin, test_random *random) {
    lf_vec3 paths[2][400];
    const lf_ground *grounds[2] = {twin->ground, twin->polygon_ground};
    lf_vec3 from = place(twin, random), to = place(twin, random);
    lf_walker walker = {test_random_between(random, 0, 4), test_random_between(random, 0, 6), 0};
    walker.crack = test_random_below(random, 4) == 0 ? 1 : 0;
    if (test_random_below(random, 4) == 0)
        from.z = LF_INFINITY;
    lf_walk said[2];
    lf_path path[2];
    for (int k = 0; k < 2; k++) {
        path[k] = (lf_path){paths[k], 400, 0};
        assert_int_equal(lf_ground_walk(grounds[k], &walker, from, to, &said[k], &path[k], NULL), LF_OK);
    }
    assert_int_equal(said[0].end, said[1].end);
    near(said[0].t, said[1].t);
    near(said[0].step, said[1].step);
    if (said[0].ground.kind != LF_HIT_NONE)
        near_vec(said[0].position, said[1].position);
    if (twin->shape.holes == 0)
        assert_int_equal(said[0].reason, said[1].reason);
    // Along the line between two cells it is on either of them, so only generic ways are the same point by
    // point.
    bool generic =
        from.x != floor(2 * from.x) / 2 && to.x != floor(2 * to.x) / 2 && from.y != floor(2 * from.y) / 2;
    if (generic && to.y != floor(2 * to.y) / 2) {
        assert_int_equal(path[0].count, path[1].count);
        for (int64_t i = 0; i < path[0].count; i++)
            near_vec(paths[0][i], paths[1][i]);
    }
}

static void stands(const twin *twin, test_random *random) {
    lf_footprint wheels = lf_footprint_wheels(1.3, 0.7);
    lf_vec3 point = place(twin, random), heading = nasty_real_vec(1, random);
    heading.z = 0;
    wheels.reach = 2;
    wheels.passes = 3;
    lf_stance grid, polygons;
    assert_int_equal(lf_ground_stand(twin->ground, &wheels, point, heading, &grid, NULL), LF_OK);
    assert_int_equal(lf_ground_stand(twin->polygon_ground, &wheels, point, heading, &polygons, NULL), LF_OK);
    assert_int_equal(grid.stands, polygons.stands);
    assert_int_equal(grid.grounded, polygons.grounded);
    near_vec(grid.position, polygons.position);
    near_vec(grid.normal, polygons.normal);
}

static void batches(const twin *twin, test_random *random) {
    enum { COUNT = 64 };
    lf_vec3 points[COUNT];
    lf_ray rays[COUNT];
    lf_hit hits[COUNT], one;
    lf_tasks tasks = test_tasks(2);
    for (int k = 0; k < COUNT; k++) {
        points[k] = place(twin, random);
        rays[k] = lf_ray_between(place(twin, random), place(twin, random));
    }
    assert_int_equal(lf_ground_height_many(twin->ground, points, 0, COUNT, LF_VERTICAL_DOWN, hits, 0, &tasks),
                     LF_OK);
    for (int k = 0; k < COUNT; k++) {
        assert_int_equal(lf_ground_height(twin->ground, points[k], LF_VERTICAL_DOWN, &one, NULL), LF_OK);
        assert_true(one.t == hits[k].t && one.element == hits[k].element && one.point.z == hits[k].point.z);
    }
    assert_int_equal(lf_ground_ray_first_many(twin->ground, rays, 0, COUNT, hits, 0, &tasks), LF_OK);
    for (int k = 0; k < COUNT; k++) {
        assert_int_equal(lf_ground_ray_first(twin->ground, &rays[k], &one, NULL), LF_OK);
        assert_true(one.t == hits[k].t && one.element == hits[k].element && one.triangle == hits[k].triangle);
        assert_int_equal(lf_ground_ray_first(twin->polygon_ground, &rays[k], &one, NULL), LF_OK);
        same_hit(twin, &hits[k], &one);
    }
}

typedef struct posed {
    lf_group *group;
    const lf_ground *ground;
} posed;

static posed pose_it(const lf_ground *ground, const lf_pose *pose) {
    posed p;
    lf_group_part part = {.ground = ground, .pose = *pose};
    lf_group_def def = lf_group_def_default();
    def.parts = &part;
    def.part_count = 1;
    assert_int_equal(lf_group_create(&def, &p.group, NULL), LF_OK);
    p.ground = lf_group_ground(p.group);
    return p;
}

static void drop_posed(posed p) {
    lf_group_destroy(p.group);
}

/// In a group, turned about gravity or tilted.
static void groups(const twin *twin, bool tilted, test_random *random) {
    lf_pose pose;
    lf_vec3 axis = tilted ? nasty_real_vec(1, random) : (lf_vec3){0, 0, 1};
    double angle = tilted ? test_random_between(random, -0.4, 0.4) : test_random_between(random, -3, 3);
    assert_int_equal(lf_pose_turn((lf_vec3){1, 2, 3}, axis, angle, &pose), LF_OK);
    posed grid = pose_it(twin->ground, &pose), polygons = pose_it(twin->polygon_ground, &pose);
    for (int k = 0; k < 20; k++) {
        lf_vec3 a = place(twin, random), b = place(twin, random);
        a.x = test_random_between(random, 0, (double)twin->shape.columns); // generic: poses round
        a.y = test_random_between(random, 0, (double)twin->shape.rows);
        a = lf_pose_to_world(&pose, a);
        b = lf_pose_to_world(&pose, b);
        lf_hit one, other;
        assert_int_equal(lf_ground_height(grid.ground, a, LF_VERTICAL_DOWN, &one, NULL), LF_OK);
        assert_int_equal(lf_ground_height(polygons.ground, a, LF_VERTICAL_DOWN, &other, NULL), LF_OK);
        same_hit(twin, &one, &other);
        lf_ray ray = lf_ray_between(a, b);
        assert_int_equal(lf_ground_ray_first(grid.ground, &ray, &one, NULL), LF_OK);
        assert_int_equal(lf_ground_ray_first(polygons.ground, &ray, &other, NULL), LF_OK);
        same_hit(twin, &one, &other);
        lf_walker walker = lf_walker_default(3);
        lf_walk said[2];
        assert_int_equal(lf_ground_walk(grid.ground, &walker, a, b, &said[0], NULL, NULL), LF_OK);
        assert_int_equal(lf_ground_walk(polygons.ground, &walker, a, b, &said[1], NULL, NULL), LF_OK);
        assert_int_equal(said[0].end, said[1].end);
        near(said[0].t, said[1].t);
    }
    drop_posed(grid);
    drop_posed(polygons);
}

/// The volume between the surface and the same surface 3 m higher.
static void locales(const twin *twin, test_random *random) {
    lf_pose up = lf_pose_identity();
    up.translation.z = 3;
    posed grid = pose_it(twin->ground, &up), polygons = pose_it(twin->polygon_ground, &up);
    lf_locale of_grid = {"grid", twin->ground, grid.ground},
              of_polygons = {"polygons", twin->polygon_ground, polygons.ground};
    lf_locales *sets[2];
    assert_int_equal(lf_locales_create(&of_grid, 1, NULL, &sets[0], NULL), LF_OK);
    assert_int_equal(lf_locales_create(&of_polygons, 1, NULL, &sets[1], NULL), LF_OK);
    for (int k = 0; k < 20; k++) {
        lf_vec3 a = place(twin, random), b = place(twin, random);
        lf_crossing crossings[2][200];
        int64_t counts[2];
        for (int s = 0; s < 2; s++)
            assert_int_equal(lf_locales_cross(sets[s], a, b, crossings[s], 200, &counts[s], NULL), LF_OK);
        assert_int_equal(counts[0], counts[1]);
        for (int64_t i = 0; i < counts[0]; i++) {
            near(crossings[0][i].t, crossings[1][i].t);
            assert_int_equal(crossings[0][i].entering, crossings[1][i].entering);
        }
    }
    for (int s = 0; s < 2; s++)
        lf_locales_destroy(sets[s]);
    drop_posed(grid);
    drop_posed(polygons);
}

static void same_answers(void **state) {
    (void)state;
    static const lf_surface surfaces[4] = {LF_SURFACE_FALLING, LF_SURFACE_RISING, LF_SURFACE_ALTERNATING,
                                           LF_SURFACE_POINT};
    test_random random = test_random_start(4301);
    for (int round = 0; round < (test_long() ? 800 : 40); round++) {
        twin twin;
        twin_shape shape = twin_any_shape(surfaces[round % 4], &random);
        twin_make(&twin, &shape, &random);
        for (int k = 0; k < 40; k++)
            walks(&twin, &random);
        for (int k = 0; k < 20; k++)
            stands(&twin, &random);
        batches(&twin, &random);
        groups(&twin, false, &random);
        groups(&twin, true, &random);
        locales(&twin, &random);
        twin_free(&twin);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_answers)};
    return cmocka_run_group_tests_name("grid: as ground", tests, NULL, NULL);
}
