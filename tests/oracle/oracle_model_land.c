/// Models on grids: touching against all pairs of triangles in whole numbers, depth against a dense sample.
#include "exact_touch.h"
#include "model/model.h"
#include "nasty_grid.h"
#include "shapes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tally {
    int64_t asked, touching, under, wrong;
} tally;

typedef struct world {
    nasty_grid nasty;
    lf_grid *grid;
    const lf_ground *ground;
    lf_model *model;
} world;

static void open_world(world *w, lf_surface surface, test_random *random) {
    nasty_relief reliefs[] = {NASTY_RELIEF_ROUGH,  NASTY_RELIEF_TIES,   NASTY_RELIEF_PLATEAUS,
                              NASTY_RELIEF_SADDLE, NASTY_RELIEF_SPIKES, NASTY_RELIEF_EIGHTHS};
    nasty_grid_make(&w->nasty, reliefs[test_random_below(random, 6)], surface, 5, random);
    w->nasty.def.extend = false;
    nasty_grid_place_plainly(&w->nasty);
    assert_int_equal(lf_grid_create(&w->nasty.def, &w->grid, NULL), LF_OK);
    w->ground = lf_grid_ground(w->grid);
    shape shape;
    shape_kind kinds[] = {SHAPE_SOUP, SHAPE_BOXES, SHAPE_NESTED, SHAPE_SHEETS, SHAPE_DOUBLED, SHAPE_FLAT};
    shape_make(&shape, kinds[test_random_below(random, 6)], 10, random);
    lf_model_def def = lf_model_def_default();
    def.polygons = shape_polygons(&shape);
    assert_int_equal(lf_model_create(&def, &w->model, NULL), LF_OK);
    shape_free(&shape);
}

static void close_world(world *w) {
    lf_model_destroy(w->model);
    lf_grid_destroy(w->grid);
    nasty_grid_free(&w->nasty);
}

/// Over or in the ground, at whole numbers or anywhere, upright or turned.
static lf_pose some_pose(const world *w, test_random *random) {
    lf_box box = lf_ground_box(w->ground);
    if (lf_box_is_empty(box)) // nothing but holes
        box = (lf_box){{0, 0, 0}, {1, 1, 1}};
    lf_pose pose = lf_pose_identity();
    bool whole = test_random_below(random, 2) == 0;
    double x = test_random_between(random, box.low.x - 1, box.high.x + 1);
    double y = test_random_between(random, box.low.y - 1, box.high.y + 1);
    double z = test_random_between(random, box.low.z - 2, box.high.z + 2);
    pose.translation = (lf_vec3){whole ? floor(x) : x, whole ? floor(y) : y, whole ? floor(z) : z};
    if (test_random_below(random, 2)) {
        double angle = test_random_between(random, 0, 6.28);
        pose.rows[0] = (lf_vec3){cos(angle), 0, -sin(angle)};
        pose.rows[2] = (lf_vec3){sin(angle), 0, cos(angle)};
    }
    return pose;
}

static void corners_of(const world *w, const lf_pose *pose, int64_t triangle, lf_vec3 corners[3]) {
    assert_int_equal(lf_model_triangle(w->model, triangle, corners, NULL), LF_OK);
    for (int c = 0; c < 3; c++)
        corners[c] = lf_pose_to_world(pose, corners[c]);
}

static bool exists(const lf_vec3 triangle[3]) {
    return !isnan(triangle[0].z) && !isnan(triangle[1].z) && !isnan(triangle[2].z);
}

static bool cell_touches(const world *w, int64_t i, int64_t j, const lf_vec3 corners[3]) {
    lf_surface surface = w->nasty.def.surface;
    bool falls = surface == LF_SURFACE_FALLING || (surface == LF_SURFACE_ALTERNATING && (i + j) % 2 == 0);
    lf_vec3 p[4];
    for (int k = 0; k < 4; k++) {
        int64_t column = i + (k & 1), row = j + k / 2;
        p[k] = (lf_vec3){(double)column, (double)row, lf_grid_sample(w->grid, column, row)};
    }
    const lf_vec3 first[3] = {p[0], p[1], falls ? p[2] : p[3]}, second[3] = {p[2], p[3], falls ? p[1] : p[0]};
    return (exists(first) && exact_triangles_touch(first, corners)) ||
           (exists(second) && exact_triangles_touch(second, corners));
}

static bool touches_by_all_pairs(const world *w, const lf_pose *pose) {
    int64_t count = lf_model_describe(w->model).triangle_count;
    lf_grid_info info = lf_grid_describe(w->grid);
    for (int64_t t = 0; t < count; t++) {
        lf_vec3 corners[3];
        corners_of(w, pose, t, corners);
        for (int64_t j = 0; j + 1 < info.rows; j++)
            for (int64_t i = 0; i + 1 < info.columns; i++)
                if (cell_touches(w, i, j, corners))
                    return true;
    }
    return false;
}

#define SAMPLES 24

typedef struct sampled {
    double deepest;    ///< greatest depth of any sampled point
    bool above, below; ///< strictly, in one triangle, over one stretch of ground
    double nearest;    ///< least distance up or down
} sampled;

/// Between the squares of two samples, where rounding decides which of them it is?
static bool near_step(double x) {
    return fabs(x - floor(x) - 0.5) < 1e-9;
}

static sampled sample_triangle(const world *w, const lf_vec3 c[3]) {
    sampled s = {.nearest = INFINITY};
    for (int a = 0; a <= SAMPLES; a++)
        for (int b = 0; a + b <= SAMPLES; b++) {
            double u = (double)a / SAMPLES, v = (double)b / SAMPLES;
            lf_vec3 p = lf_vec3_add(c[0], lf_vec3_add(lf_vec3_scale(lf_vec3_sub(c[1], c[0]), u),
                                                      lf_vec3_scale(lf_vec3_sub(c[2], c[0]), v)));
            lf_hit hit;
            lf_vec3 top = {p.x, p.y, INFINITY};
            assert_int_equal(lf_ground_height(w->ground, top, LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
            if (hit.kind == LF_HIT_NONE)
                continue;
            double depth = hit.point.z - p.z;
            if (w->nasty.def.surface == LF_SURFACE_POINT && (near_step(p.x) || near_step(p.y)))
                continue;
            s.above |= depth < -1e-9;
            s.below |= depth > 1e-9;
            s.nearest = fmin(s.nearest, fabs(depth));
            s.deepest = fmax(s.deepest, depth);
        }
    return s;
}

static void complain(const world *w, const lf_pose *pose, const char *what, tally *tally) {
    if (tally->wrong++ == 0)
        printf("%s: surface %s, relief %s, at {%.17g, %.17g, %.17g}\n", what,
               lf_surface_name(w->nasty.def.surface), w->nasty.name, pose->translation.x, pose->translation.y,
               pose->translation.z);
}

/// At the border, and on a step, rounding decides on which side the point is: next to it will do. At the corner of a single
/// triangle, half a right angle wide, one of 25 places is within.
static bool is_that_deep(const world *w, lf_vec3 p, double depth) {
    double steep = 1 + lf_grid_describe(w->grid).high - lf_grid_describe(w->grid).low;
    for (int k = 0; k < 25; k++) {
        lf_hit hit;
        lf_vec3 top = {p.x + 1e-10 * (k % 5 - 2), p.y + 1e-10 * (k / 5 - 2), INFINITY};
        assert_int_equal(lf_ground_height(w->ground, top, LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
        if (hit.kind != LF_HIT_NONE && fabs(hit.point.z - p.z - depth) <= 1e-9 * steep)
            return true;
    }
    return false;
}

static void oracle_depth(const world *w, const lf_pose *pose, const lf_model_landing *landing, tally *tally) {
    lf_model_info info = lf_model_describe(w->model);
    double deepest = 0;
    bool holes = lf_grid_describe(w->grid).hole_count > 0;
    for (int64_t t = 0; t < info.triangle_count; t++) {
        lf_vec3 corners[3];
        corners_of(w, pose, t, corners);
        sampled s = sample_triangle(w, corners);
        deepest = fmax(deepest, s.deepest);
        bool patches = w->nasty.def.surface == LF_SURFACE_BILINEAR;
        if (patches && !holes && s.above && s.below && !landing->touching)
            complain(w, pose, "a sampled triangle crosses the ground, but nothing touches", tally);
    }
    double scale = 1e-9 * (1 + fabs(landing->surface.z));
    if (landing->depth < deepest - scale)
        complain(w, pose, "a sampled point is deeper", tally);
    if (landing->depth > 0) {
        lf_vec3 p = landing->deepest;
        if (!is_that_deep(w, p, landing->depth))
            complain(w, pose, "the deepest point is not that deep", tally);
        lf_model_distance nearest;
        assert_int_equal(lf_model_nearest_to(w->model, pose, p, &nearest, NULL), LF_OK);
        if (nearest.distance > scale)
            complain(w, pose, "the deepest point is not of the model", tally);
    }
}

static void oracle(const world *w, test_random *random, tally *tally) {
    lf_model_stand stand = {w->model, some_pose(w, random), w->ground, NULL, 0};
    lf_model_landing landing;
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_OK);
    lf_model_landing any; // found by a search for any point, not for the deepest
    int64_t first = -1, count;
    stand.under = &first;
    stand.under_capacity = 1;
    lf_status status = lf__model_land(&stand, true, &any, NULL);
    count = any.under_count;
    assert_int_equal(status, count > 1 ? LF_PARTIAL : LF_OK);
    assert_true((first >= 0) == (count > 0));
    tally->asked++;
    tally->touching += landing.touching;
    tally->under += landing.depth > 0;
    if (count != landing.under_count || (landing.depth > 0) != (count > 0))
        complain(w, &stand.pose, "the two calls do not count the same", tally);
    if (w->nasty.def.surface <= LF_SURFACE_ALTERNATING &&
        landing.touching != touches_by_all_pairs(w, &stand.pose))
        complain(w, &stand.pose, landing.touching ? "nothing touches" : "touching was missed", tally);
    oracle_depth(w, &stand.pose, &landing, tally);
}

static void models_on_grids(void **state) {
    (void)state;
    test_random random = test_random_start(771);
    tally tally = {0};
    for (int64_t round = 0; round < test_rounds(100); round++)
        for (int surface = 0; surface < 5; surface++) {
            world w;
            open_world(&w, (lf_surface)surface, &random);
            for (int i = 0; i < 5; i++)
                oracle(&w, &random, &tally);
            close_world(&w);
        }
    printf("models on grids: %lld poses, %lld touching, %lld under, %lld wrong\n", (long long)tally.asked,
           (long long)tally.touching, (long long)tally.under, (long long)tally.wrong);
    assert_true(tally.touching > 0 && tally.touching < tally.asked && tally.under > 0);
    assert_int_equal(tally.wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_on_grids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
