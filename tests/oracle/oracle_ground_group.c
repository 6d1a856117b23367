// Groups of posed meshes against one mesh made of all their polygons as they stand.
#include "ground/group.h"
#include "nasty.h"
#include <stdio.h>
#include <stdlib.h>

#define PARTS 3
#define HITS 512

typedef struct scene {
    lf_frame frame;
    nasty_mesh parts[PARTS];
    lf_mesh *part_meshes[PARTS];
    const lf_ground *part_grounds[PARTS];
    lf_pose poses[PARTS];
    int64_t first[PARTS + 1]; ///< triangle of the whole that is a part's first
    lf_group *group;
    const lf_ground *grouped;
    lf_mesh *whole_mesh;
    const lf_ground *whole;
} scene;

typedef struct tally {
    int64_t questions, hits, upright, tilted, walks, wrong;
} tally;

static double any(test_random *random, double low, double high) {
    return test_random_between(random, low, high);
}

static lf_vec3 any_vector(test_random *random, double size) {
    lf_vec3 v;
    v.x = any(random, -size, size);
    v.y = any(random, -size, size);
    v.z = any(random, -size, size);
    return v;
}

/// A pose that leaves down where it is.
static lf_pose upright_pose(const lf_frame *frame, test_random *random) {
    lf_pose pose;
    lf_vec3 axis = frame->kind == LF_FRAME_CENTRE ? any_vector(random, 1) : frame->down;
    assert_int_equal(lf_pose_turn(frame->origin, axis, any(random, -3, 3), &pose), LF_OK);
    if (frame->kind == LF_FRAME_GRAVITY)
        pose.translation = lf_vec3_add(pose.translation, any_vector(random, 6));
    else if (frame->kind != LF_FRAME_CENTRE)
        pose.translation = lf_vec3_along(pose.translation, any(random, -6, 6), lf_vec3_unit(axis));
    return pose;
}

static lf_pose tilted_pose(test_random *random) {
    lf_pose pose;
    assert_int_equal(lf_pose_turn(any_vector(random, 4), any_vector(random, 1), any(random, -3, 3), &pose),
                     LF_OK);
    return pose;
}

static lf_pose any_pose(const lf_frame *frame, test_random *random) {
    int64_t kind = test_random_below(random, 4);
    lf_pose pose = lf_pose_identity();
    if (kind == 0) {
        pose.translation = any_vector(random, 10);
        pose.translation =
            (lf_vec3){floor(pose.translation.x), floor(pose.translation.y), floor(pose.translation.z)};
    }
    return kind < 2 ? pose : kind == 2 ? upright_pose(frame, random) : tilted_pose(random);
}

static const lf_ground *ground_of(const lf_polygons *polygons, const lf_frame *frame, lf_mesh **mesh) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_error error = {0};
    const lf_ground *ground;
    def.polygons = *polygons;
    def.frame = *frame;
    if (lf_mesh_create(&def, mesh, &error) != LF_OK)
        fail_msg("%s", error.text);
    ground = lf_mesh_ground(*mesh);
    return ground;
}

/// All polygons of all parts as they stand, in triangles: a turn can bend straight corners of a polygon inwards by a bit.
static void make_whole(scene *s) {
    int64_t vertex_count = 0, v = 0, t = 0;
    for (int i = 0; i < PARTS; i++) {
        s->first[i + 1] = s->first[i] + s->parts[i].triangle_count;
        vertex_count += s->parts[i].vertex_count;
    }
    lf_vec3 *vertices = malloc((size_t)vertex_count * sizeof *vertices);
    int64_t *corners = malloc((size_t)(3 * s->first[PARTS]) * sizeof *corners);
    uint8_t *sides = malloc((size_t)s->first[PARTS]);
    assert_true(vertices && corners && sides);
    for (int i = 0; i < PARTS; i++) {
        const nasty_mesh *m = &s->parts[i];
        for (int64_t k = 0; k < m->triangle_count; k++, t++) {
            sides[t] = m->sides ? m->sides[m->owners[k]] : 2;
            for (int j = 0; j < 3; j++)
                corners[3 * t + j] = v + m->triangles[3 * k + j];
        }
        for (int64_t k = 0; k < m->vertex_count; k++)
            vertices[v++] = lf_pose_to_world(&s->poses[i], m->vertices[k]);
    }
    lf_polygons all = {.vertices = vertices,
                       .vertex_count = vertex_count,
                       .corners = corners,
                       .polygon_count = s->first[PARTS],
                       .sides = sides};
    s->whole = ground_of(&all, &s->frame, &s->whole_mesh);
    free(sides);
    free(corners);
    free(vertices);
}

static void open_scene(scene *s, const lf_frame *frame, test_random *random, tally *tally) {
    static const nasty_mesh_kind kinds[] = {NASTY_SOUP,  NASTY_GRID,  NASTY_FLOORS,
                                            NASTY_WALLS, NASTY_BOXES, NASTY_NGONS};
    lf_group_part parts[PARTS];
    s->first[0] = 0;
    s->frame = *frame;
    for (int i = 0; i < PARTS; i++) {
        nasty_mesh_make(&s->parts[i], kinds[test_random_below(random, 6)], 40,
                        test_random_below(random, 2) == 0, random);
        lf_polygons polygons = nasty_mesh_polygons(&s->parts[i]);
        polygons.layers = NULL;
        polygons.users = NULL;
        s->part_grounds[i] = ground_of(&polygons, frame, &s->part_meshes[i]);
        s->poses[i] = any_pose(frame, random);
        parts[i] = (lf_group_part){.ground = s->part_grounds[i], .pose = lf_pose_identity()};
    }
    lf_group_def def = lf_group_def_default();
    def.frame = *frame;
    def.parts = parts;
    def.part_count = PARTS;
    assert_int_equal(lf_group_create(&def, &s->group, NULL), LF_OK);
    s->grouped = lf_group_ground(s->group);
    for (int i = 0; i < PARTS; i++) { // moved after it was made, as ships are
        assert_int_equal(lf_group_set_pose(s->group, i, &s->poses[i]), LF_OK);
        tally->upright += s->group->parts[i].upright;
        tally->tilted += !s->group->parts[i].upright;
    }
    make_whole(s);
}

static void close_scene(scene *s) {
    lf_mesh_destroy(s->whole_mesh);
    lf_group_destroy(s->group);
    for (int i = 0; i < PARTS; i++) {
        lf_mesh_destroy(s->part_meshes[i]);
        nasty_mesh_free(&s->parts[i]);
    }
}

static bool near(double a, double b, double size) {
    return a == b || fabs(a - b) <= 1e-10 * (size + fabs(b));
}

/// The same hit: the polygon may differ only where two of them are equally near up to rounding.
static bool same_hit(const scene *s, const lf_hit *grouped, const lf_hit *whole) {
    if (grouped->kind != whole->kind || grouped->reason != whole->reason)
        return false;
    if (whole->kind == LF_HIT_NONE)
        return true;
    if (!near(grouped->t, whole->t, 100) || !near(grouped->point.x, whole->point.x, 100) ||
        !near(grouped->point.y, whole->point.y, 100) || !near(grouped->point.z, whole->point.z, 100))
        return false;
    const nasty_mesh *part = &s->parts[grouped->part];
    if (s->first[grouped->part] + part->first_triangle[grouped->element] + grouped->triangle !=
        whole->element)
        return true;
    return lf_vec3_length(lf_vec3_sub(grouped->normal, whole->normal)) < 1e-9;
}

static void complain(tally *tally, const char *what, lf_vec3 p, const lf_hit *grouped, const lf_hit *whole) {
    if (tally->wrong++ == 0)
        printf("%s at {%.17g, %.17g, %.17g}: group kind %d reason %d t %.17g part %lld polygon %lld; whole "
               "kind %d reason "
               "%d t %.17g polygon %lld\n",
               what, p.x, p.y, p.z, grouped->kind, grouped->reason, grouped->t, (long long)grouped->part,
               (long long)grouped->element, whole->kind, whole->reason, whole->t, (long long)whole->element);
}

static bool same_lists(const scene *s, const lf_hit *a, int64_t count_a, const lf_hit *b, int64_t count_b) {
    bool same = count_a == count_b;
    for (int64_t i = 0; i < count_a && same; i++)
        same = same_hit(s, &a[i], &b[i]);
    return same;
}

static void oracle_heights(const scene *s, lf_vec3 p, tally *tally) {
    static lf_hit a[HITS], b[HITS];
    for (int look = 0; look < 2; look++) {
        assert_int_equal(lf_ground_height(s->grouped, p, (lf_vertical)look, &a[0], NULL), LF_OK);
        assert_int_equal(lf_ground_height(s->whole, p, (lf_vertical)look, &b[0], NULL), LF_OK);
        tally->questions++;
        tally->hits += b[0].kind != LF_HIT_NONE;
        if (!same_hit(s, &a[0], &b[0]))
            complain(tally, look ? "up" : "down", p, &a[0], &b[0]);
    }
    if (s->frame.kind == LF_FRAME_GRAVITY && s->frame.down.x == 0) {
        lf_vec3 top = {p.x, p.y, INFINITY};
        assert_int_equal(lf_ground_height(s->grouped, top, LF_VERTICAL_DOWN, &a[0], NULL), LF_OK);
        assert_int_equal(lf_ground_height(s->whole, top, LF_VERTICAL_DOWN, &b[0], NULL), LF_OK);
        if (!same_hit(s, &a[0], &b[0]))
            complain(tally, "topmost", p, &a[0], &b[0]);
    }
    int64_t count_a, count_b;
    assert_int_equal(lf_ground_height_all(s->grouped, p, a, HITS, &count_a, NULL), LF_OK);
    assert_int_equal(lf_ground_height_all(s->whole, p, b, HITS, &count_b, NULL), LF_OK);
    if (!same_lists(s, a, count_a, b, count_b))
        complain(tally, "all heights", p, &a[0], &b[0]);
}

static void oracle_rays(const scene *s, lf_vec3 p, lf_vec3 q, tally *tally) {
    static lf_hit a[HITS], b[HITS];
    lf_ray ray = lf_ray_between(p, q);
    bool any_a, any_b;
    int64_t count_a, count_b;
    assert_int_equal(lf_ground_ray_first(s->grouped, &ray, &a[0], NULL), LF_OK);
    assert_int_equal(lf_ground_ray_first(s->whole, &ray, &b[0], NULL), LF_OK);
    assert_int_equal(lf_ground_ray_any(s->grouped, &ray, &any_a, NULL), LF_OK);
    assert_int_equal(lf_ground_ray_any(s->whole, &ray, &any_b, NULL), LF_OK);
    tally->questions++;
    tally->hits += any_b;
    if (!same_hit(s, &a[0], &b[0]) || any_a != any_b)
        complain(tally, "ray", p, &a[0], &b[0]);
    assert_int_equal(lf_ground_ray_all(s->grouped, &ray, a, HITS, &count_a, NULL), LF_OK);
    assert_int_equal(lf_ground_ray_all(s->whole, &ray, b, HITS, &count_b, NULL), LF_OK);
    if (!same_lists(s, a, count_a, b, count_b))
        complain(tally, "all of a ray", p, &a[0], &b[0]);
}

static void oracle_walk(const scene *s, lf_vec3 p, lf_vec3 q, test_random *random, tally *tally) {
    lf_walker walker = {any(random, 0, 2), any(random, 0, 3), 0};
    lf_walk a, b;
    lf_status first = lf_ground_walk(s->grouped, &walker, p, q, &a, NULL, NULL);
    assert_int_equal(first, lf_ground_walk(s->whole, &walker, p, q, &b, NULL, NULL));
    if (first != LF_OK)
        return;
    tally->walks++;
    if (a.end != b.end || a.reason != b.reason || fabs(a.t - b.t) > 1e-7)
        complain(tally, "walk", p, &a.ground, &b.ground);
}

static void oracle_frame(const char *name, const lf_frame *frame, uint64_t salt) {
    test_random random = test_random_start(salt);
    tally tally = {0};
    for (int round = 0; round < (test_long() ? 200 : 8); round++) {
        scene s;
        open_scene(&s, frame, &random, &tally);
        lf_box box = lf_ground_box(s.whole);
        lf_vec3 middle = lf_box_centre(box), size = lf_vec3_sub(box.high, box.low);
        for (int i = 0; i < 60; i++) {
            lf_vec3 p = middle, q = middle;
            p.x += any(&random, -0.6, 0.6) * size.x, p.y += any(&random, -0.6, 0.6) * size.y;
            p.z += any(&random, -0.6, 0.6) * size.z, q.x += any(&random, -0.6, 0.6) * size.x;
            q.y += any(&random, -0.6, 0.6) * size.y, q.z += any(&random, -0.6, 0.6) * size.z;
            oracle_heights(&s, p, &tally);
            oracle_rays(&s, p, q, &tally);
            if (i % 4 == 0)
                oracle_walk(&s, p, q, &random, &tally);
        }
        close_scene(&s);
    }
    printf("%s: %lld questions, %lld hits, %lld walks; parts upright %lld, tilted %lld; %lld wrong\n", name,
           (long long)tally.questions, (long long)tally.hits, (long long)tally.walks,
           (long long)tally.upright, (long long)tally.tilted, (long long)tally.wrong);
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.hits * 20 > tally.questions && tally.upright > 0 && tally.tilted > 0);
}

static void groups_answer_as_one_ground(void **state) {
    (void)state;
    lf_frame frame = lf_frame_default();
    oracle_frame("gravity -z", &frame, 601);
    assert_int_equal(lf_frame_gravity((lf_vec3){1, 2, -3}, &frame), LF_OK);
    oracle_frame("gravity 1,2,-3", &frame, 602);
    assert_int_equal(lf_frame_centre((lf_vec3){0.31, 0.17, -3.137}, &frame), LF_OK);
    oracle_frame("centre", &frame, 603);
    assert_int_equal(lf_frame_axis((lf_vec3){1.13, 4.07, -3.21}, (lf_vec3){1, 0.3, 0.1}, true, &frame),
                     LF_OK);
    oracle_frame("axis in", &frame, 604);
    assert_int_equal(lf_frame_axis((lf_vec3){1.13, 4.07, 3.21}, (lf_vec3){1, 0.3, 0.1}, false, &frame),
                     LF_OK);
    oracle_frame("axis out", &frame, 605);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_answer_as_one_ground)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
