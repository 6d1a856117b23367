#include "ground/ground.h"
#include "ground/group.h"
#include "support.h"
#include <string.h>

/// A deck of 4 x 4 m at z = 0, with a bulwark (a wall) at its east.
static const lf_vec3 deck[] = {{-2, -2, 0}, {2, -2, 0}, {2, 2, 0}, {-2, 2, 0}, {2, -2, 1}, {2, 2, 1}};
static const int64_t deck_starts[] = {0, 4, 8};
static const int64_t deck_corners[] = {0, 1, 2, 3, 1, 2, 5, 4};
static const uint64_t deck_users[] = {7, 8};

typedef struct harbour {
    lf_mesh *mesh;
    const lf_ground *part;
    lf_group *group;
    const lf_ground *ground;
} harbour;

static harbour make_harbour(int64_t count) {
    harbour h;
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = (lf_polygons){.vertices = deck,
                                 .vertex_count = 6,
                                 .starts = deck_starts,
                                 .corners = deck_corners,
                                 .polygon_count = 2,
                                 .users = deck_users};
    assert_int_equal(lf_mesh_create(&def, &h.mesh, NULL), LF_OK);
    h.part = lf_mesh_ground(h.mesh);
    lf_group_part parts[4];
    for (int i = 0; i < 4; i++) {
        parts[i] = (lf_group_part){.ground = h.part, .pose = lf_pose_identity()};
        parts[i].pose.translation.x = 10 * i;
    }
    lf_group_def group = lf_group_def_default();
    group.parts = parts;
    group.part_count = count;
    assert_int_equal(lf_group_create(&group, &h.group, NULL), LF_OK);
    h.ground = lf_group_ground(h.group);
    return h;
}

static void drop_harbour(harbour h) {
    lf_group_destroy(h.group);
    lf_mesh_destroy(h.mesh);
}

static lf_hit height(harbour h, double x, double y, double z, lf_vertical look) {
    lf_hit hit;
    assert_int_equal(lf_ground_height(h.ground, (lf_vec3){x, y, z}, look, &hit, NULL), LF_OK);
    return hit;
}

static void parts_are_asked_as_one(void **state) {
    (void)state;
    harbour h = make_harbour(3);
    assert_non_null(lf__ground_group(h.ground));
    assert_int_equal(lf_group_count(h.group), 3);
    lf_box box = lf_ground_box(h.ground);
    assert_true(box.low.x == -2 && box.high.x == 22 && box.high.z == 1);
    lf_hit hit = height(h, 11, 1, 5, LF_VERTICAL_DOWN);
    assert_true(hit.kind == LF_HIT_TRIANGLE && hit.part == 1 && hit.element == 0 && hit.user == 7 &&
                hit.t == 5);
    assert_true(hit.point.x == 11 && hit.point.y == 1 && hit.point.z == 0 && hit.normal.z == 1);
    assert_int_equal(lf_ground_weights(h.ground, &hit),
                     LF_OK); // (1, 1) of the deck, in the first triangle of its fan
    assert_true(fabs(hit.u - 0) < 1e-12 && fabs(hit.v - 0.75) < 1e-12);
    hit.part = 3;
    assert_int_equal(lf_ground_weights(h.ground, &hit), LF_BAD_ARGUMENT);
    assert_int_equal(height(h, 5, 0, 5, LF_VERTICAL_DOWN).reason, LF_REASON_HOLE);    // between the ships
    assert_int_equal(height(h, 5, 3, 5, LF_VERTICAL_DOWN).reason, LF_REASON_OUTSIDE); // beside all of them
    assert_int_equal(height(h, 11, 1, -5, LF_VERTICAL_DOWN).reason, LF_REASON_NONE);
    assert_int_equal(height(h, 5, 0, INFINITY, LF_VERTICAL_DOWN).reason, LF_REASON_HOLE);
    hit = height(h, 11, 1, INFINITY, LF_VERTICAL_DOWN);
    assert_true(hit.part == 1 && hit.t == 0);
    lf_ray ray = lf_ray_between((lf_vec3){30, 0, 0.5}, (lf_vec3){-10, 0, 0.5});
    lf_hit hits[4];
    int64_t count;
    bool blocked;
    assert_int_equal(lf_ground_ray_first(h.ground, &ray, &hit, NULL), LF_OK);
    assert_true(hit.part == 2 && hit.element == 1 && hit.user == 8 && fabs(hit.t - 0.2) < 1e-15);
    assert_int_equal(lf_ground_ray_all(h.ground, &ray, hits, 4, &count, NULL), LF_OK);
    assert_true(count == 3 && hits[0].part == 2 && hits[1].part == 1 && hits[2].part == 0);
    assert_int_equal(lf_ground_ray_all(h.ground, &ray, hits, 1, &count, NULL), LF_PARTIAL);
    assert_true(count == 3 && hits[0].part == 2);
    assert_int_equal(lf_ground_ray_any(h.ground, &ray, &blocked, NULL), LF_OK);
    assert_true(blocked);
    ray.origin.z = 2;
    assert_int_equal(lf_ground_ray_any(h.ground, &ray, &blocked, NULL), LF_OK);
    assert_false(blocked);
    drop_harbour(h);
}

static void a_lift_goes_up_and_a_bridge_tilts(void **state) {
    (void)state;
    harbour h = make_harbour(3);
    lf_pose pose = lf_pose_identity();
    pose.translation = (lf_vec3){0, 0, 7};
    assert_int_equal(lf_group_set_pose(h.group, 0, &pose), LF_OK);
    assert_true(height(h, 1, 1, INFINITY, LF_VERTICAL_DOWN).point.z == 7);
    assert_true(lf_group_pose(h.group, 0).translation.z == 7);
    // Turned about gravity it is upright still; tilted it is not, and its height follows the slope.
    assert_int_equal(lf_pose_turn((lf_vec3){10, 0, 0}, (lf_vec3){0, 0, 1}, 0.7, &pose), LF_OK);
    pose.translation.z += 1;
    assert_int_equal(lf_group_set_pose(h.group, 1, &pose), LF_OK);
    assert_true(h.group->parts[0].upright && h.group->parts[1].upright);
    assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 1, 0}, -0.5, &pose), LF_OK);
    pose.translation = (lf_vec3){20, 0, 0};
    assert_int_equal(lf_group_set_pose(h.group, 2, &pose), LF_OK);
    assert_false(h.group->parts[2].upright);
    lf_hit hit = height(h, 21, 1, 9, LF_VERTICAL_DOWN);
    assert_true(hit.part == 2 && fabs(hit.point.z - tan(0.5)) < 1e-14 && hit.point.x == 21);
    assert_true(fabs(hit.normal.x + sin(0.5)) < 1e-14 && fabs(hit.t - (9 - tan(0.5))) < 1e-14);
    assert_int_equal(height(h, 21, 1, 0, LF_VERTICAL_DOWN).reason, LF_REASON_NONE);
    assert_int_equal(height(h, 21, 1, 0, LF_VERTICAL_UP).part, 2);
    // A deck that stands upright is a wall, and its bulwark is ground.
    assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 1, 0}, 2 * atan(1), &pose), LF_OK);
    pose.translation = (lf_vec3){20, 0, 0};
    pose.rows[0].x = pose.rows[2].z = 0;
    assert_int_equal(lf_group_set_pose(h.group, 2, &pose), LF_OK);
    hit = height(h, 20.5, 1, 9, LF_VERTICAL_DOWN);
    assert_true(hit.part == 2 && hit.element == 1 && fabs(hit.point.z + 2) < 1e-14);
    drop_harbour(h);
}

static void any_number_of_hits_in_order(void **state) {
    (void)state;
    harbour h = make_harbour(4);
    lf_pose pose = lf_pose_identity();
    for (int64_t i = 0; i < 4; i++) {
        pose.translation.z = (double)((3 * i) % 4);
        assert_int_equal(lf_group_set_pose(h.group, i, &pose), LF_OK);
    }
    lf_hit hits[4];
    int64_t count;
    assert_int_equal(lf_ground_height_all(h.ground, (lf_vec3){1, 0, 1.5}, hits, 4, &count, NULL), LF_OK);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++)
        assert_true(hits[i].point.z == 3 - i && hits[i].t == i - 1.5);
    assert_int_equal(lf_ground_height_all(h.ground, (lf_vec3){1, 0, INFINITY}, hits, 2, &count, NULL),
                     LF_PARTIAL);
    assert_true(count == 4 && hits[0].t == 0 && hits[1].t == 1);
    lf_hit many[3];
    lf_vec3 points[3] = {{0, 0, 9}, {1, 1, 2.5}, {50, 0, 0}};
    assert_int_equal(lf_ground_height_many(h.ground, points, 0, 3, LF_VERTICAL_DOWN, many, 0, NULL), LF_OK);
    assert_true(many[0].point.z == 3 && many[1].point.z == 2 && many[2].reason == LF_REASON_OUTSIDE);
    drop_harbour(h);
}

static void walking_onto_a_ferry(void **state) {
    (void)state;
    harbour h = make_harbour(2); // quay 0 from -2 to 2, ferry 1 from 8 to 12
    lf_walker walker = lf_walker_default(0.3);
    lf_walk walk;
    lf_vec3 from = {-1, 0.5, 1}, to = {5, 0.5, 0};
    assert_int_equal(lf_ground_walk(h.ground, &walker, from, to, &walk, NULL, NULL), LF_OK);
    assert_true(walk.end == LF_WALK_NO_GROUND && walk.reason == LF_REASON_HOLE && walk.position.x == 2);
    lf_pose pose;
    assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 1, 0}, 0.05, &pose), LF_OK);
    pose.translation = (lf_vec3){3.99, 0, 0.1}; // moored, and heeling a little
    assert_int_equal(lf_group_set_pose(h.group, 1, &pose), LF_OK);
    assert_int_equal(lf_ground_walk(h.ground, &walker, from, to, &walk, NULL, NULL), LF_OK);
    assert_true(walk.end == LF_WALK_ARRIVED && walk.ground.part == 1 && walk.ground.element == 0);
    assert_true(fabs(walk.position.z - (0.1 - 1.01 * tan(0.05))) < 1e-12);
    // Both are a volume's floor and its ceiling as soon as one is over the other.
    lf_locale one = {"deck", h.ground, NULL};
    lf_locales *locales;
    int64_t found, inside;
    assert_int_equal(lf_locales_create(&one, 1, NULL, &locales, NULL), LF_OK);
    assert_int_equal(lf_locales_at(locales, (lf_vec3){0, 0, 1}, &found, 1, &inside, NULL), LF_OK);
    assert_int_equal(inside, 0);
    pose = lf_pose_identity();
    pose.translation.z = 2;
    assert_int_equal(lf_group_set_pose(h.group, 1, &pose), LF_OK);
    assert_int_equal(lf_locales_at(locales, (lf_vec3){0, 0, 1}, &found, 1, &inside, NULL), LF_OK);
    assert_int_equal(inside, 1);
    lf_locales_destroy(locales);
    drop_harbour(h);
}

static void bad_groups_are_refused(void **state) {
    (void)state;
    harbour h = make_harbour(2);
    lf_group *group = NULL;
    lf_error error;
    lf_group_part part = {.ground = h.part, .pose = lf_pose_identity()};
    lf_group_def def = lf_group_def_default();
    assert_int_equal(lf_group_create(&def, &group, &error), LF_BAD_ARGUMENT);
    def.parts = &part;
    def.part_count = 1;
    assert_int_equal(lf_group_create(&def, NULL, &error), LF_BAD_ARGUMENT);
    part.ground = NULL; // and no box
    assert_int_equal(lf_group_create(&def, &group, &error), LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 0);
    assert_non_null(strstr(error.text, "box"));
    part.box = (lf_box){{0, 0, 0}, {1, 1, LF_INFINITY}};
    assert_int_equal(lf_group_create(&def, &group, &error), LF_BAD_ARGUMENT);
    part.ground = h.part;
    part.pose.rows[0].x = 2;
    assert_int_equal(lf_group_create(&def, &group, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_group_set_pose(h.group, 0, &part.pose), LF_BAD_ARGUMENT);
    assert_true(lf_group_pose(h.group, 0).rows[0].x == 1);
    part.pose = lf_pose_identity();
    assert_int_equal(lf_group_set_pose(h.group, 2, &part.pose), LF_BAD_ARGUMENT);
    assert_int_equal(lf_group_set_pose(h.group, -1, &part.pose), LF_BAD_ARGUMENT);
    def.frame.down = (lf_vec3){0, 0, 0};
    assert_int_equal(lf_group_create(&def, &group, &error), LF_BAD_ARGUMENT);
    assert_null(group);
    assert_null(lf_group_ground(NULL));
    lf_group_destroy(NULL);
    drop_harbour(h);
}

/// A group in a group: `inner` tells its parts apart, and the outer one learns of moves by an update.
static void groups_in_groups(void **state) {
    (void)state;
    harbour h = make_harbour(3);
    lf_group_part parts[3] = {{.ground = h.part, .pose = lf_pose_identity()},
                              {.ground = h.ground, .pose = lf_pose_identity(), .user = 99},
                              {.pose = lf_pose_identity(), .box = {{-1, -1, 0}, {1, 1, 3}}, .layers = 4}};
    parts[0].pose.translation = (lf_vec3){-20, 0, 0};
    parts[1].pose.translation = (lf_vec3){0, 50, 0};
    parts[2].pose.translation = (lf_vec3){0, 0, 1};
    lf_group_def def = lf_group_def_default();
    def.parts = parts;
    def.part_count = 3;
    lf_group *group;
    assert_int_equal(lf_group_create(&def, &group, NULL), LF_OK);
    harbour outer = {h.mesh, h.part, group, lf_group_ground(group)};
    lf_hit hit = height(outer, 21, 51, 5, LF_VERTICAL_DOWN);
    assert_true(hit.part == 1 && hit.inner == 2 && hit.element == 0 && hit.user == 99 && hit.point.z == 0);
    hit = height(outer, 0, 0, 9, LF_VERTICAL_DOWN);
    assert_true(hit.part == 2 && hit.inner == 0 && hit.element == 5 && hit.point.z == 4 && hit.layers == 4);
    hit = height(outer, -20, 0, 9, LF_VERTICAL_DOWN);
    assert_true(hit.part == 0 && hit.user == 7 && hit.layers == 1);
    lf_cursor *cursor;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    lf_cursor_set_layers(cursor, ~4u);
    lf_ray down = lf_ray_towards((lf_vec3){0, 0, 9}, (lf_vec3){0, 0, -1});
    assert_int_equal(lf_ground_ray_first(outer.ground, &down, &hit, cursor), LF_OK);
    assert_int_equal(hit.kind, LF_HIT_NONE);
    lf_cursor_set_layers(cursor, 4);
    assert_int_equal(lf_ground_ray_first(outer.ground, &down, &hit, cursor), LF_OK);
    assert_true(hit.part == 2 && hit.t == 5);
    lf_cursor_destroy(cursor);
    lf_pose far = lf_pose_identity();
    far.translation = (lf_vec3){500, 0, 0};
    assert_int_equal(lf_group_set_pose(h.group, 2, &far), LF_OK);
    assert_int_equal(lf_group_update(group), LF_OK);
    hit = height(outer, 501, 51, 5, LF_VERTICAL_DOWN);
    assert_true(hit.part == 1 && hit.inner == 2 && hit.point.x == 501);
    assert_int_equal(height(outer, 21, 51, 5, LF_VERTICAL_DOWN).kind, LF_HIT_NONE);
    assert_int_equal(lf_group_update(NULL), LF_BAD_ARGUMENT);
    lf_group_destroy(group);
    drop_harbour(h);
}

static lf_status make_group(const lf_host *host, void *user) {
    const harbour *h = user;
    lf_group_part part = {.ground = h->part, .pose = lf_pose_identity()};
    lf_group_def def = lf_group_def_default();
    def.host = *host;
    def.parts = &part;
    def.part_count = 1;
    lf_group *group;
    lf_status status = lf_group_create(&def, &group, NULL);
    if (status != LF_OK)
        return status;
    lf_group_destroy(group);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    harbour h = make_harbour(1);
    test_out_of_memory(make_group, &h);
    drop_harbour(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_asked_as_one),
        cmocka_unit_test(a_lift_goes_up_and_a_bridge_tilts),
        cmocka_unit_test(any_number_of_hits_in_order),
        cmocka_unit_test(walking_onto_a_ferry),
        cmocka_unit_test(groups_in_groups),
        cmocka_unit_test(bad_groups_are_refused),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
