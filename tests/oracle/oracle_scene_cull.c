/// Culling against sampled visibility: no way to cull loses a thing of which a sampled point is in the view volume, by the exact
/// sides of its planes, or which a sampled sight line reaches over the ground; and what is far outside is culled.
#include "geom/geometry.h"
#include "scene/cull.h"
#include "small_planet.h"
#include "worlds.h"
#include <landfall/published.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { THINGS = 400, SAMPLES = 24 };

typedef struct world {
    double middle, extent, size; ///< where it is, how wide, how large things are
    lf_box boxes[THINGS];
    lf_vec3 triangles[THINGS][3]; ///< in their boxes
} world;

static double between(test_random *random, double low, double high) {
    return test_random_between(random, low, high);
}

static lf_vec3 in_box(test_random *random, const lf_box *box) {
    lf_vec3 p = {between(random, box->low.x, box->high.x), between(random, box->low.y, box->high.y),
                 between(random, box->low.z, box->high.z)};
    return p;
}

static void fill_world(world *w, test_random *random, int round) {
    static const double middles[4] = {0, 500000, -4e6, 0}, extents[4] = {100, 5000, 20, 1e7};
    w->middle = middles[round % 4];
    w->extent = extents[round % 4];
    w->size = w->extent * (round % 3 ? 0.01 : 0.2);
    for (int i = 0; i < THINGS; i++) {
        lf_vec3 at = {w->middle + between(random, -w->extent, w->extent),
                      between(random, -w->extent, w->extent), between(random, -w->extent, w->extent)};
        lf_vec3 half = {between(random, 0, w->size), between(random, 0, w->size),
                        between(random, 0, w->size)};
        if (i % 5 == 0)
            half.z = 0;
        w->boxes[i] = (lf_box){lf_vec3_sub(at, half), lf_vec3_add(at, half)};
        lf_box around = lf_box_empty();
        for (int k = 0; k < 3; k++) {
            w->triangles[i][k] = in_box(random, &w->boxes[i]);
            around = lf_box_with(around, w->triangles[i][k]);
        }
        if (i % 2)
            w->boxes[i] = around;
    }
}

static lf_vec3 some_direction(test_random *random) {
    lf_vec3 d = {between(random, -1, 1), between(random, -1, 1), between(random, -1, 1)};
    if (!(lf_vec3_length(d) > 0.1))
        d.x = 1;
    return d;
}

static lf_view some_view(const world *w, test_random *random, int round) {
    lf_view view = lf_view_default();
    view.at = (lf_vec3){w->middle + between(random, -w->extent, w->extent),
                        between(random, -w->extent, w->extent), between(random, -w->extent, w->extent)};
    view.forward = some_direction(random);
    view.up = (lf_vec3){-view.forward.y, view.forward.x + 0.5, view.forward.z * 0.5 + 0.25};
    if (lf_vec3_length(lf_vec3_cross(lf_vec3_unit(view.forward), lf_vec3_unit(view.up))) < 1e-3)
        view.up = (lf_vec3){view.forward.y, view.forward.z, -view.forward.x + 1};
    if (round % 4 == 0) { // along the axes: planes through corners
        view.forward = (lf_vec3){0, round & 4 ? 1 : -1, 0};
        view.up = (lf_vec3){0, 0, 1};
        view.at = w->boxes[round % THINGS].low;
    }
    view.across = between(random, 0.02, round % 3 ? 1.5 : 3.1);
    view.upright = between(random, 0.02, round % 5 ? 1.5 : 3.1);
    view.nearest = round % 2 ? between(random, 0, 0.1) * w->extent : 0;
    view.farthest = round % 3 == 1 ? view.nearest + between(random, 0.01, 2) * w->extent : LF_INFINITY;
    view.smallest = round % 7 == 6 ? 0.01 : 0;
    return view;
}

static bool in_volume(const lf_polyhedron *volume, lf_vec3 p) {
    for (int k = 0; k < volume->plane_count; k++)
        if (lf__plane_side(&volume->planes[k], p) > 0)
            return false;
    return true;
}

/// By the definition: the diagonal as a part of the distance to the nearest point. Within rounding nobody oracles.
static bool large_enough(const lf_view *view, const lf_box *box) {
    lf_vec3 e = view->at,
            p = {fmin(fmax(e.x, box->low.x), box->high.x), fmin(fmax(e.y, box->low.y), box->high.y),
                 fmin(fmax(e.z, box->low.z), box->high.z)};
    double distance = lf_vec3_length(lf_vec3_sub(p, e));
    return lf_vec3_length(lf_vec3_sub(box->high, box->low)) >= view->smallest * distance * (1 + 1e-12);
}

/// Points of a box: corners, the nearest ones to points along the line of sight, and others.
static bool box_sampled(const lf_view *view, const lf_polyhedron *volume, const lf_box *box, double extent,
                        test_random *random) {
    for (int k = 0; k < 8; k++) {
        lf_vec3 corner = {k & 1 ? box->high.x : box->low.x, k & 2 ? box->high.y : box->low.y,
                          k & 4 ? box->high.z : box->low.z};
        if (in_volume(volume, corner))
            return true;
    }
    lf_vec3 forward = lf_vec3_unit(view->forward);
    for (int k = 0; k < SAMPLES; k++) {
        lf_vec3 p = in_box(random, box);
        if (k % 2) {
            lf_vec3 on = lf_vec3_along(view->at, between(random, 0, 2 * extent), forward);
            p = (lf_vec3){fmin(fmax(on.x, box->low.x), box->high.x),
                          fmin(fmax(on.y, box->low.y), box->high.y),
                          fmin(fmax(on.z, box->low.z), box->high.z)};
        }
        if (in_volume(volume, p))
            return true;
    }
    return false;
}

static bool triangle_sampled(const lf_polyhedron *volume, const lf_vec3 corners[3]) {
    for (int k = 0; k < 3; k++)
        if (in_volume(volume, corners[k]))
            return true;
    return false;
}

static bool give_triangle(void *user, int64_t item, lf_cull_shape *shape) {
    world *w = user;
    *shape = (lf_cull_shape){w->triangles[item], NULL, 1};
    return item % 2;
}

/// Surely outside, with space to spare: one plane has all corners in front by a part of the extent.
static bool far_outside(const lf_polyhedron *volume, const lf_box *box, double margin) {
    for (int k = 0; k < volume->plane_count; k++) {
        const lf_plane *plane = &volume->planes[k];
        double least = INFINITY;
        for (int c = 0; c < 8; c++) {
            lf_vec3 corner = {c & 1 ? box->high.x : box->low.x, c & 2 ? box->high.y : box->low.y,
                              c & 4 ? box->high.z : box->low.z};
            least = fmin(least, lf_vec3_dot(plane->normal, corner) - plane->offset);
        }
        if (least > margin)
            return true;
    }
    return false;
}

static void look_with(lf_cull *cull, const lf_view *view, uint32_t methods, bool kept[THINGS]) {
    int64_t items[THINGS];
    lf_cull_rules rules = lf_cull_rules_default();
    lf_cull_result seen = {.items = items, .capacity = THINGS};
    rules.methods = methods;
    rules.filters = lf_gottstein_filters();
    rules.ordered = true;
    assert_int_equal(lf_cull_query(cull, view, &rules, &seen, NULL), LF_OK);
    for (int i = 0; i < THINGS; i++)
        kept[i] = false;
    for (int64_t i = 0; i < seen.count; i++) {
        assert_true(i == 0 || items[i] > items[i - 1]);
        kept[items[i]] = true;
    }
}

static void oracle_view(const world *w, lf_cull *cull, const lf_view *view, test_random *random) {
    static const uint32_t methods[7] = {1, 2, 4, 8, 16, 2 | 4 | 8 | 16, 31};
    bool kept[7][THINGS];
    lf_polyhedron volume;
    assert_int_equal(lf_view_volume(view, &volume, NULL), LF_OK);
    for (int m = 0; m < 7; m++)
        look_with(cull, view, methods[m], kept[m]);
    double margin = 1e-5 * (w->extent + fabs(w->middle) * 1e-6);
    for (int i = 0; i < THINGS; i++) {
        bool box_seen =
            box_sampled(view, &volume, &w->boxes[i], w->extent, random) && large_enough(view, &w->boxes[i]);
        bool shape_seen = i % 2 ? triangle_sampled(&volume, w->triangles[i]) : box_seen;
        shape_seen = shape_seen && large_enough(view, &w->boxes[i]);
        for (int m = 0; m < 7; m++)
            if (methods[m] & 16 ? shape_seen : box_seen)
                assert_true(kept[m][i]);
        if (far_outside(&volume, &w->boxes[i], margin)) {
            assert_false(kept[0][i]);
            assert_false(kept[4][i]);
        }
        if (kept[6][i]) // all together keep no more than each alone
            for (int m = 0; m < 6; m++)
                assert_true(kept[m][i]);
    }
}

static void test_views(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    world *w = test_space(1, sizeof *w);
    for (int64_t round = 0; round < test_rounds(40); round++) {
        lf_cull_def def = lf_cull_def_default();
        lf_cull *cull;
        fill_world(w, &random, (int)round);
        def.boxes = w->boxes;
        def.count = THINGS;
        def.shape = give_triangle;
        def.user = w;
        assert_int_equal(lf_cull_create(&def, &cull, NULL), LF_OK);
        for (int k = 0; k < 12; k++) {
            lf_view view = some_view(w, &random, (int)(round * 12 + k));
            oracle_view(w, cull, &view, &random);
        }
        lf_cull_destroy(cull);
    }
    free(w);
}

/// A view near another one: so far from it, turned by so much against it.
static lf_view near_view(const lf_view *view, double distance, double angle, test_random *random) {
    lf_view near = *view;
    lf_pose pose;
    lf_vec3 way = lf_vec3_unit(some_direction(random));
    near.at = lf_vec3_along(
        view->at, distance * (test_random_below(random, 2) ? 0.999 : between(random, 0, 0.999)), way);
    lf_pose_turn((lf_vec3){0, 0, 0}, some_direction(random),
                 angle * (test_random_below(random, 2) ? 0.999 : between(random, 0, 0.999)), &pose);
    near.forward = lf_pose_turn_to_world(&pose, lf_vec3_unit(view->forward));
    near.up = lf_pose_turn_to_world(&pose, lf_vec3_unit(view->up));
    return near;
}

/// Views within the slack of one that was seen before: its frustum is used again, and nothing is lost that any of them sees.
static int64_t oracle_slack(world *w, lf_cull *cull, const lf_view *view, uint32_t methods,
                            test_random *random) {
    int64_t items[THINGS], again = 0;
    lf_cull_rules rules = lf_cull_rules_default();
    rules.methods = methods;
    rules.filters = lf_gottstein_filters();
    rules.slack_distance = test_random_below(random, 4) ? between(random, 0, 0.05) * w->extent : 0;
    rules.slack_angle = test_random_below(random, 4) ? between(random, 0, 0.3) : 0;
    for (int n = 0; n < 6; n++) {
        lf_view near = n == 0 ? *view : near_view(view, rules.slack_distance, rules.slack_angle, random);
        lf_cull_result seen = {.items = items, .capacity = THINGS};
        lf_polyhedron volume;
        bool kept[THINGS] = {false};
        if (n == 4) { // one is moved: what was kept is not kept again
            int64_t i = test_random_below(random, THINGS);
            lf_box to = {near.at, near.at};
            w->boxes[i] = to;
            assert_int_equal(lf_cull_move(cull, i, to), LF_OK);
        }
        assert_int_equal(lf_cull_query(cull, &near, &rules, &seen, NULL), LF_OK);
        assert_int_equal(lf_view_volume(&near, &volume, NULL), LF_OK);
        again += n > 0 && !seen.volume_made;
        for (int64_t i = 0; i < seen.count; i++)
            kept[items[i]] = true;
        for (int i = 0; i < THINGS; i++)
            if (box_sampled(&near, &volume, &w->boxes[i], w->extent, random) &&
                large_enough(&near, &w->boxes[i]))
                assert_true(kept[i]);
    }
    return again;
}

static void test_slack(void **state) {
    (void)state;
    static const uint32_t methods[6] = {1, 2, 4, 8, 16, 31};
    test_random random = test_random_start(5);
    world *w = test_space(1, sizeof *w);
    int64_t again = 0, all = 0;
    for (int64_t round = 0; round < test_rounds(40); round++) {
        lf_cull_def def = lf_cull_def_default();
        lf_cull *cull;
        fill_world(w, &random, (int)round);
        def.boxes = w->boxes;
        def.count = THINGS;
        assert_int_equal(lf_cull_create(&def, &cull, NULL), LF_OK);
        for (int k = 0; k < 6; k++, all += 5) {
            lf_view view = some_view(w, &random, (int)(round * 12 + k));
            again += oracle_slack(w, cull, &view, methods[k], &random);
        }
        lf_cull_destroy(cull);
    }
    printf("%lld of %lld views used the frustum of another one\n", (long long)again, (long long)all);
    assert_true(4 * again > all);
    free(w);
}

/// What a culler that has seen moves keeps: everything that is sampled, and nothing that is far outside.
static void oracle_moved(const world *w, lf_cull *cull, const lf_view *view, test_random *random) {
    bool kept[THINGS];
    lf_polyhedron volume;
    assert_int_equal(lf_view_volume(view, &volume, NULL), LF_OK);
    look_with(cull, view, LF_CULL_PLANES, kept);
    for (int i = 0; i < THINGS; i++) {
        const lf_box *box = &w->boxes[i];
        if (lf_box_is_empty(*box) || far_outside(&volume, box, 0.1))
            assert_false(kept[i]);
        else if (box_sampled(view, &volume, box, w->extent, random) && large_enough(view, box))
            assert_true(kept[i]);
    }
}

static void test_moves(void **state) {
    (void)state;
    test_random random = test_random_start(2);
    world *w = test_space(1, sizeof *w);
    fill_world(w, &random, 3);
    w->extent = 20000; // metres, of which things leave some on their way
    lf_cull_def def = lf_cull_def_default();
    lf_cull *cull;
    for (int i = 0; i < THINGS; i++)
        w->boxes[i] = (lf_box){{10.0 * i, 0, 0}, {10.0 * i + 8, 5, 5}};
    def.boxes = w->boxes;
    def.count = THINGS;
    assert_int_equal(lf_cull_create(&def, &cull, NULL), LF_OK);
    for (int64_t round = 0; round < test_rounds(60); round++) {
        for (int64_t k = test_random_below(&random, THINGS); k >= 0; k--) {
            int64_t i = test_random_below(&random, THINGS);
            double step = between(&random, -1000, 1000);
            w->boxes[i].low.y += step;
            w->boxes[i].high.y += step;
            if (test_random_below(&random, 20) == 0)
                w->boxes[i] = lf_box_is_empty(w->boxes[i]) ? (lf_box){{0, 0, 0}, {1, 1, 1}} : lf_box_empty();
            assert_int_equal(lf_cull_move(cull, i, w->boxes[i]), LF_OK);
        }
        lf_view view = some_view(w, &random, (int)round * 4 + 1);
        oracle_moved(w, cull, &view, &random);
    }
    lf_cull_destroy(cull);
    free(w);
}

enum { SIDE = 65 };

/// Hills: sums of waves.
static const lf_ground *make_hills(test_random *random, float *heights, lf_grid **grid) {
    double waves[6][4];
    for (int k = 0; k < 6; k++) {
        waves[k][0] = between(random, -0.4, 0.4);
        waves[k][1] = between(random, -0.4, 0.4);
        waves[k][2] = between(random, 0, 6);
        waves[k][3] = between(random, 5, 40);
    }
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            double h = 0;
            for (int k = 0; k < 6; k++)
                h += waves[k][3] * sin(waves[k][0] * i + waves[k][1] * j + waves[k][2]);
            heights[j * SIDE + i] = (float)h;
        }
    lf_grid_def def = lf_grid_def_default();
    const lf_ground *ground;
    def.samples.columns = def.samples.rows = SIDE;
    def.samples.values = heights;
    def.surface = (lf_surface)test_random_below(random, 5);
    def.geotransform.per_column = (lf_vec2){10, between(random, -2, 2)};
    def.geotransform.per_row = (lf_vec2){-def.geotransform.per_column.y, 10};
    def.geotransform.origin = (lf_vec2){between(random, -1e6, 1e6), 0};
    assert_int_equal(lf_grid_create(&def, grid, NULL), LF_OK);
    ground = lf_grid_ground(*grid);
    return ground;
}

static lf_vec3 over_ground(const lf_ground *ground, const lf_grid *grid, test_random *random, double above) {
    lf_geotransform geotransform = lf_grid_describe(grid).geotransform;
    double i = between(random, 2, SIDE - 3), j = between(random, 2, SIDE - 3);
    lf_vec2 at = {geotransform.origin.x + i * geotransform.per_column.x + j * geotransform.per_row.x,
                  geotransform.origin.y + i * geotransform.per_column.y + j * geotransform.per_row.y};
    lf_vec3 p;
    lf_reason reason;
    assert_int_equal(lf_sight_observer(ground, at, above, &p, &reason), LF_OK);
    assert_int_equal(reason, LF_REASON_ANSWERED);
    return p;
}

static void test_ground(void **state) {
    (void)state;
    test_random random = test_random_start(3);
    static float heights[SIDE * SIDE];
    lf_sight_rules rules = lf_sight_rules_default();
    for (int64_t round = 0; round < test_rounds(12); round++) {
        lf_grid *grid;
        const lf_ground *ground = make_hills(&random, heights, &grid);
        for (int k = 0; k < 80; k++) {
            lf_vec3 eye = over_ground(ground, grid, &random, between(&random, 0.5, 20));
            lf_vec3 at = over_ground(ground, grid, &random, 0);
            lf_vec3 half = {between(&random, 0, 30), between(&random, 0, 30), between(&random, 0, 10)};
            lf_box box = {lf_vec3_sub(at, half), lf_vec3_add(at, half)};
            bool hidden;
            assert_int_equal(lf__box_hidden(ground, eye, box, &hidden, NULL), LF_OK);
            for (int s = 0; s < 2 * SAMPLES && hidden; s++) {
                lf_vec3 p = in_box(&random, &box);
                lf_verdict verdict;
                p.z = s % 2 ? box.high.z : p.z;
                if (s < 4) {
                    p.x = s & 1 ? box.high.x : box.low.x;
                    p.y = s & 2 ? box.high.y : box.low.y;
                }
                assert_int_equal(lf_sight_verdict(ground, &rules, eye, p, &verdict, NULL), LF_OK);
                assert_int_equal(verdict, LF_VERDICT_BLOCKED);
            }
        }
        lf_grid_destroy(grid);
    }
}

/// Behind hills and buildings, in a group: no line to a point of a hidden box is clear.
static void test_city(void **state) {
    (void)state;
    test_random random = test_random_start(4);
    static float heights[SIDE * SIDE];
    lf_sight_rules rules = lf_sight_rules_default();
    int64_t hidden_count = 0, by_boxes = 0;
    for (int64_t round = 0; round < test_rounds(12); round++) {
        lf_grid *grid;
        const lf_ground *bare = make_hills(&random, heights, &grid);
        lf_group_part parts[60] = {{.ground = bare, .pose = lf_pose_identity()}};
        for (int k = 1; k < 60; k++) {
            lf_vec3 half = {between(&random, 2, 60), between(&random, 2, 60), between(&random, 2, 40)};
            lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, k % 4 ? 0 : 0.3, 1}, between(&random, -2, 2),
                         &parts[k].pose);
            parts[k].pose.translation = over_ground(bare, grid, &random, 0);
            parts[k].box = (lf_box){lf_vec3_scale(half, -1), half};
        }
        lf_group_def def = lf_group_def_default();
        lf_group *group;
        def.parts = parts;
        def.part_count = 60;
        assert_int_equal(lf_group_create(&def, &group, NULL), LF_OK);
        const lf_ground *ground = lf_group_ground(group);
        for (int k = 0; k < 80; k++) {
            lf_vec3 eye = over_ground(ground, grid, &random, between(&random, 0.5, 20));
            lf_vec3 at = over_ground(bare, grid, &random, 0);
            lf_vec3 half = {between(&random, 0, 8), between(&random, 0, 8), between(&random, 0, 5)};
            lf_box box = {lf_vec3_sub(at, half), lf_vec3_add(at, half)};
            bool hidden, alone;
            assert_int_equal(lf__box_hidden(ground, eye, box, &hidden, NULL), LF_OK);
            assert_int_equal(lf__box_hidden(bare, eye, box, &alone, NULL), LF_OK);
            assert_true(hidden || !alone);
            hidden_count += hidden;
            by_boxes += hidden && !alone;
            for (int s = 0; s < 2 * SAMPLES && hidden; s++) {
                lf_vec3 p = s < 8 ? (lf_vec3){s & 1 ? box.high.x : box.low.x, s & 2 ? box.high.y : box.low.y,
                                              s & 4 ? box.high.z : box.low.z}
                                  : in_box(&random, &box);
                lf_verdict verdict;
                assert_int_equal(lf_sight_verdict(ground, &rules, eye, p, &verdict, NULL), LF_OK);
                assert_int_equal(verdict, LF_VERDICT_BLOCKED);
            }
        }
        lf_group_destroy(group);
        lf_grid_destroy(grid);
    }
    printf("%lld hidden, %lld of them by boxes\n", (long long)hidden_count, (long long)by_boxes);
    assert_true(by_boxes > 10);
}

/// No line to a sampled point of a hidden box is free of ground strictly between its ends, by rays.
static void check_hidden(const lf_ground *ground, lf_vec3 eye, const lf_box *box, test_random *random) {
    for (int s = 0; s < 2 * SAMPLES; s++) {
        lf_vec3 p = s < 8 ? (lf_vec3){s & 1 ? box->high.x : box->low.x, s & 2 ? box->high.y : box->low.y,
                                      s & 4 ? box->high.z : box->low.z}
                          : in_box(random, box);
        lf_ray ray = lf_ray_between(eye, p);
        bool blocked;
        ray.t_min = 1e-12, ray.t_max = 1 - 1e-12;
        assert_int_equal(lf_ground_ray_any(ground, &ray, &blocked, NULL), LF_OK);
        assert_true(blocked);
    }
}

/// Behind walls and blocks of polygons: alone, and as posed parts of a group.
static void test_polygons(void **state) {
    (void)state;
    test_random random = test_random_start(5);
    int64_t hidden_count = 0;
    for (int64_t round = 0; round < test_rounds(16); round++) {
        static const nasty_mesh_kind kinds[] = {NASTY_SOUP, NASTY_FLOORS, NASTY_BOXES};
        double shift = round % 4 == 3 ? 4e6 : 0;
        nasty_mesh shape;
        lf_pose turned;
        // A row of gabled walls, and some shapes.
        lf_vec3 corners[40];
        int64_t rings[40], starts[9] = {0};
        for (int w = 0; w < 8; w++) {
            double x = between(&random, -20, 20), y = between(&random, -6, 6), wide = between(&random, 2, 12),
                   tall = between(&random, 2, 12), lean = between(&random, -1, 1);
            lf_vec3 *c = corners + 5 * w;
            c[0] = (lf_vec3){x - wide, y, -1}, c[1] = (lf_vec3){x + wide, y + lean, -1};
            c[2] = (lf_vec3){x + wide, y + lean, tall}, c[4] = (lf_vec3){x - wide, y, tall};
            c[3] = (lf_vec3){x, y + 0.5 * lean + (w % 3 ? 0 : 0.3), tall + 2}; // a gable; some are not flat
            for (int k = 0; k < 5; k++) {
                c[k].x += shift;
                rings[5 * w + k] = 5 * w + k;
            }
            starts[w + 1] = 5 * w + 5;
        }
        lf_mesh_def def = lf_mesh_def_default();
        lf_mesh *walls, *mesh;
        def.polygons = (lf_polygons){
            .vertices = corners, .vertex_count = 40, .starts = starts, .corners = rings, .polygon_count = 8};
        def.tolerance = 1;
        assert_int_equal(lf_mesh_create(&def, &walls, NULL), LF_OK);
        nasty_mesh_make(&shape, kinds[round % 3], 20, false, &random);
        mesh = world_mesh(&shape);
        lf_model *model = world_model(&shape);
        assert_int_equal(
            lf_pose_turn((lf_vec3){shift, 0, 0}, (lf_vec3){0.2, 0.1, 1}, between(&random, -3, 3), &turned),
            LF_OK);
        lf_group_part parts[4] = {{.ground = lf_mesh_ground(walls), .pose = lf_pose_identity()},
                                  {.ground = lf_mesh_ground(walls), .pose = turned},
                                  {.ground = lf_mesh_ground(mesh), .pose = turned},
                                  {.ground = lf_model_ground(model), .pose = lf_pose_identity()}};
        lf_group *group = world_group(parts, 4);
        const lf_ground *grounds[4] = {lf_mesh_ground(walls), lf_mesh_ground(mesh), lf_model_ground(model),
                                       lf_group_ground(group)};
        for (int k = 0; k < 300; k++) {
            const lf_ground *ground = grounds[k % 4];
            double off = k % 4 == 1 || k % 4 == 2 ? 0 : shift;
            lf_vec3 eye = {off + between(&random, -15, 15), between(&random, -40, -8),
                           between(&random, 0, 6)};
            lf_vec3 at = {off + between(&random, -15, 15), between(&random, 7, 20), between(&random, 0, 5)};
            lf_vec3 half = {between(&random, 0, 2), between(&random, 0, 2), between(&random, 0, 1)};
            if (k % 5 == 0) // in front of some, behind others
                at.y = between(&random, -6, 6);
            lf_box box = {lf_vec3_sub(at, half), lf_vec3_add(at, half)};
            bool hidden;
            assert_int_equal(lf__box_hidden(ground, eye, box, &hidden, NULL), LF_OK);
            hidden_count += hidden;
            if (hidden)
                check_hidden(ground, eye, &box, &random);
        }
        lf_group_destroy(group);
        lf_model_destroy(model);
        lf_mesh_destroy(mesh);
        lf_mesh_destroy(walls);
        nasty_mesh_free(&shape);
    }
    printf("%lld hidden by polygons\n", (long long)hidden_count);
    assert_true(hidden_count > 50);
}

/// Beyond the horizon of a globe, alone and as a part of a group.
static void test_globe(void **state) {
    (void)state;
    test_random random = test_random_start(6);
    int64_t hidden_count = 0, beyond = 0;
    for (int64_t round = 0; round < test_rounds(6); round++) {
        lf_ellipsoid ellipsoid = round % 2 ? (lf_ellipsoid){5e4, 0.05} : lf_ellipsoid_wgs84();
        small_planet *planet = small_planet_make(ellipsoid, 4, (small_planet_land)(round % 3),
                                                 round % 2 ? 500 : 5000, test_random_bits(&random));
        lf_globe *globe = small_planet_globe(planet, (size_t)1 << 28);
        if (round % 3)
            assert_int_equal(lf_globe_load_area(globe, (lf_geodetic_box){-20, -30, 70, 90}, 2), LF_OK);
        lf_group_part parts[2] = {{.ground = lf_globe_ground(globe), .pose = lf_pose_identity()},
                                  {.box = {{-5, -5, -5}, {5, 5, 5}}, .pose = lf_pose_identity()}};
        lf_group *group = world_group(parts, 2);
        const lf_ground *grounds[2] = {lf_globe_ground(globe), lf_group_ground(group)};
        for (int k = 0; k < 200; k++) {
            double size = ellipsoid.radius;
            lf_geodetic a = {between(&random, -180, 180), between(&random, -90, 90),
                             pow(10, between(&random, 3, 4)) * size / 6e6 + (round % 2 ? 600 : 6000)},
                        b = {between(&random, -180, 180), between(&random, -90, 90),
                             between(&random, 0, round % 2 ? 600 : 6000)};
            if (k % 2)
                b.lon_deg = a.lon_deg + between(&random, -20, 20),
                b.lat_deg = fmax(-90, fmin(90, a.lat_deg + between(&random, -20, 20)));
            lf_vec3 eye = lf_ellipsoid_to_centred(&ellipsoid, a), at = lf_ellipsoid_to_centred(&ellipsoid, b);
            double half = between(&random, 0, 1e-3 * size);
            lf_vec3 halves = {half, half, half};
            lf_box box = {lf_vec3_sub(at, halves), lf_vec3_add(at, halves)};
            bool hidden[2];
            for (int n = 0; n < 2; n++)
                assert_int_equal(lf__box_hidden(grounds[n], eye, box, &hidden[n], NULL), LF_OK);
            assert_true(hidden[0] == hidden[1]);
            hidden_count += hidden[0];
            beyond++;
            if (hidden[0])
                check_hidden(grounds[0], eye, &box, &random);
        }
        lf_group_destroy(group);
        lf_globe_destroy(globe);
        small_planet_free(planet);
    }
    printf("%lld of %lld hidden by globes\n", (long long)hidden_count, (long long)beyond);
    assert_true(hidden_count * 4 > beyond);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views),  cmocka_unit_test(test_moves), cmocka_unit_test(test_slack),
        cmocka_unit_test(test_ground), cmocka_unit_test(test_city),  cmocka_unit_test(test_polygons),
        cmocka_unit_test(test_globe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
