/// Ties: of polygons that are met at the same t, in exact arithmetic, the lowest is the answer, whatever finds it. Asked at shared vertices and edges, and of layers
/// that are nearer to each other than t can tell in doubles.
#include "brute.h"
#include "query/query.h"
#include <landfall/ground.h>
#include <landfall/published.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 8, LAYERS = 2 };

typedef enum terrain_kind { NEAR_ORIGIN, FAR_OFF, EARTH_CENTRED, TERRAINS } terrain_kind;

static const char *const terrain_names[TERRAINS] = {"near the origin", "far off", "earth-centred"};

/// Where a vertex of a layer stands.
static lf_vec3 vertex_at(terrain_kind kind, int i, int j, double height) {
    if (kind == EARTH_CENTRED) {
        lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
        return lf_ellipsoid_to_centred(&wgs84, (lf_geodetic){8.1 + 0.01 * i, 46.3 + 0.01 * j, height});
    }
    double far = kind == FAR_OFF ? 4.6e6 : 0;
    return (lf_vec3){far + 10.3 * i + 0.37 * j, far / 3 + 9.7 * j - 0.21 * i, height};
}

/// A rough surface in triangles and quads, its polygons numbered at random; a second one so little under it that doubles do not always tell them apart, where
/// `apart` is not 0.
static void make_terrain(nasty_mesh *mesh, terrain_kind kind, double apart, test_random *random) {
    int64_t per_layer = (SIDE + 1) * (SIDE + 1), layers = apart > 0 ? LAYERS : 1,
            count = 2 * SIDE * SIDE * layers;
    *mesh = (nasty_mesh){.name = terrain_names[kind], .kind = NASTY_GRID};
    mesh->vertex_count = per_layer * layers;
    mesh->polygon_count = count;
    mesh->vertices = test_space(mesh->vertex_count, sizeof *mesh->vertices);
    mesh->starts = test_space(count + 1, sizeof *mesh->starts);
    mesh->corners = test_space(3 * count, sizeof *mesh->corners);
    mesh->users = test_space(count, sizeof *mesh->users);
    mesh->layers = test_space(count, sizeof *mesh->layers);
    mesh->sides = test_space(count, sizeof *mesh->sides);
    for (int64_t v = 0; v < per_layer; v++) {
        double height = test_random_between(random, 0, 30);
        for (int64_t layer = 0; layer < layers; layer++)
            mesh->vertices[layer * per_layer + v] =
                vertex_at(kind, (int)(v % (SIDE + 1)), (int)(v / (SIDE + 1)), height - apart * (double)layer);
    }
    int64_t *order = test_space(count, sizeof *order);
    for (int64_t i = 0; i < count; i++) {
        int64_t k = test_random_below(random, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (int64_t p = 0; p < count; p++) {
        int64_t cell = order[p] / 2 % (SIDE * SIDE), layer = order[p] / 2 / (SIDE * SIDE);
        int64_t a = layer * per_layer + cell / SIDE * (SIDE + 1) + cell % SIDE, b = a + SIDE + 1;
        int64_t lower[3] = {a, a + 1, b + 1}, upper[3] = {a, b + 1, b};
        for (int k = 0; k < 3; k++)
            mesh->corners[3 * p + k] = order[p] % 2 ? upper[k] : lower[k];
        mesh->starts[p + 1] = 3 * p + 3;
        mesh->layers[p] = 1;
        mesh->sides[p] = 2;
    }
    free(order);
    nasty_mesh_cut(mesh);
    mesh->box = exact_box(mesh->vertices, mesh->vertex_count);
}

/// The structures that have to agree.
typedef enum structure { NEST, NEST_SCALAR, COMPACT, QUADTREE, STRUCTURES } structure;

static test_place make_place(const nasty_mesh *mesh, const lf_frame *frame, structure which) {
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = nasty_mesh_polygons(mesh);
    if (which != COMPACT) // plain meshes take the fast paths
        def.polygons.layers = NULL, def.polygons.sides = NULL, def.polygons.users = NULL;
    def.frame = *frame;
    def.compact = which == COMPACT;
    def.index = which == QUADTREE ? lf_quadtree_index() : NULL;
    if (which == NEST_SCALAR)
        setenv("LANDFALL_ISA", "scalar", 1);
    test_place place = test_place_make(&def);
    unsetenv("LANDFALL_ISA");
    return place;
}

/// A vertex, a point of an edge, or a point of a triangle: on the surface as nearly as doubles have it.
static lf_vec3 place_on(const nasty_mesh *mesh, test_random *random) {
    int64_t triangle = test_random_below(random, mesh->triangle_count), how = test_random_below(random, 5);
    lf_vec3 c[3];
    nasty_mesh_triangle(mesh, triangle, c);
    if (how < 2)
        return c[test_random_below(random, 3)];
    if (how < 4)
        return lf_vec3_along(c[0], how == 2 ? 0.5 : test_random_between(random, 0, 1),
                             lf_vec3_sub(c[1], c[0]));
    lf_vec3 on_edge = lf_vec3_along(c[0], test_random_between(random, 0, 1), lf_vec3_sub(c[1], c[0]));
    return lf_vec3_along(on_edge, test_random_between(random, 0, 1), lf_vec3_sub(c[2], on_edge));
}

/// Counts of one kind of question.
typedef struct score {
    int64_t asked, ties, wrong;
} score;

static void keep_score(score *s, const brute_question *question, const brute_answer *expected,
                       const lf_hit *hit) {
    int64_t tied = 0;
    const brute_hit *first = &expected->hits[expected->first];
    for (int64_t i = 0; i < expected->count; i++)
        tied += fabs(expected->hits[i].t - first->t) <= 1e-13 * fabs(first->t);
    s->asked++;
    s->ties += tied > 1;
    s->wrong += hit->kind == LF_HIT_NONE || !oracle_is_first(question, expected, hit);
}

typedef struct bench {
    nasty_mesh mesh;
    lf_frame frame;
    test_place places[STRUCTURES];
    lf_cursor *cursor;
    brute_hit *expected;
    lf_hit *hits;
} bench;

static void oracle_height(const bench *b, lf_vec3 p, lf_vertical look, score scores[STRUCTURES]) {
    brute_question question = {.mesh = &b->mesh, .layers = ~0u, .across = true};
    brute_answer expected = {.hits = b->expected};
    double length;
    if (!lf__gravity_ray(&b->frame, p, look == LF_VERTICAL_DOWN, &question.ray, &length))
        return;
    brute_ask(&question, &expected);
    for (int k = 0; k < STRUCTURES && expected.count > 0; k++) {
        lf_hit hit, many, counted;
        const lf_ground *ground = b->places[k].ground;
        assert_int_equal(lf_ground_height(ground, p, look, &hit, NULL), LF_OK);
        assert_int_equal(lf_ground_height(ground, p, look, &counted, b->cursor), LF_OK);
        assert_int_equal(lf_ground_height_many(ground, &p, 0, 1, look, &many, 0, NULL), LF_OK);
        assert_true(oracle_same_hit(&hit, &many));
        assert_true(hit.element == counted.element && hit.triangle == counted.triangle);
        keep_score(&scores[k], &question, &expected, &hit);
    }
}

static void oracle_heights_all(const bench *b, lf_vec3 p, score scores[STRUCTURES]) {
    brute_question question = {.mesh = &b->mesh, .layers = ~0u, .across = true, .both_sides = true};
    brute_answer expected = {.hits = b->expected};
    double length;
    if (!lf__gravity_ray(&b->frame, p, true, &question.ray, &length))
        return;
    question.ray.t_min = b->frame.kind == LF_FRAME_AXIS_OUT ? -1 : -LF_INFINITY;
    brute_ask(&question, &expected);
    for (int k = 0; k < STRUCTURES; k++) {
        int64_t count;
        assert_int_equal(lf_ground_height_all(b->places[k].ground, p, b->hits, expected.count, &count, NULL),
                         LF_OK);
        assert_int_equal(count, expected.count);
        for (int64_t i = 1; i < count; i++)
            scores[k].wrong += !oracle_in_order(&question, &expected, &b->hits[i - 1], &b->hits[i]);
        scores[k].asked++;
    }
}

static void oracle_ray_at(const bench *b, const lf_ray *ray, score scores[STRUCTURES]) {
    brute_question question = {.mesh = &b->mesh, .ray = *ray, .layers = ~0u};
    brute_answer expected = {.hits = b->expected};
    brute_ask(&question, &expected);
    for (int k = 0; k < STRUCTURES && expected.count > 0; k++) {
        lf_hit hit, many[3];
        lf_ray rays[3] = {*ray, *ray, *ray};
        int64_t count;
        const lf_ground *ground = b->places[k].ground;
        assert_int_equal(lf_ground_ray_first(ground, ray, &hit, NULL), LF_OK);
        assert_int_equal(lf_ground_ray_first_many(ground, rays, 0, 3, many, 0, NULL), LF_OK);
        assert_true(oracle_same_hit(&hit, &many[0]) && oracle_same_hit(&hit, &many[2]));
        assert_int_equal(lf_ground_ray_all(ground, ray, b->hits, expected.count, &count, NULL), LF_OK);
        assert_int_equal(count, expected.count);
        assert_true(oracle_same_hit(&hit, &b->hits[0]));
        for (int64_t i = 1; i < count; i++)
            scores[k].wrong += !oracle_in_order(&question, &expected, &b->hits[i - 1], &b->hits[i]);
        keep_score(&scores[k], &question, &expected, &hit);
    }
}

static lf_frame make_frame(int64_t which, terrain_kind kind) {
    lf_frame frame = lf_frame_default();
    lf_vec3 centre = {0, 0, 0}, axis = {0, 0, 1};
    if (kind != EARTH_CENTRED) // where gravity lines are not steep
        centre = (lf_vec3){40, 40, -1000}, axis = (lf_vec3){1, 0, 0};
    if (which == 1)
        assert_int_equal(lf_frame_gravity((lf_vec3){0.3, -0.2, -0.9}, &frame), LF_OK);
    else if (which == 2)
        assert_int_equal(lf_frame_centre(centre, &frame), LF_OK);
    else if (which > 2)
        assert_int_equal(lf_frame_axis(centre, axis, which == 3, &frame), LF_OK);
    return frame;
}

/// A point on the gravity line through a place of the surface; exactly on it where that can be: above it by a sum of powers of two, or as far again from the centre.
static lf_vec3 point_over(const lf_frame *frame, lf_vec3 at, test_random *random) {
    double up = ldexp(1, (int)test_random_below(random, 12) - 2);
    if (frame->kind == LF_FRAME_CENTRE)
        return lf_vec3_along(at, 1, lf_vec3_sub(at, frame->origin));
    return lf_vec3_along(at, -up, frame->kind == LF_FRAME_GRAVITY ? frame->down : lf_frame_down(frame, at));
}

static void oracle_bench(const bench *b, test_random *random, score heights[STRUCTURES],
                         score rays[STRUCTURES]) {
    for (int i = 0; i < 60; i++) {
        lf_vec3 at = place_on(&b->mesh, random), p = point_over(&b->frame, at, random);
        oracle_height(b, p, LF_VERTICAL_DOWN, heights);
        oracle_height(b, i % 3 ? p : at, LF_VERTICAL_UP, heights);
        oracle_heights_all(b, p, heights);
        lf_vec3 from = lf_vec3_add(p, nasty_real_vec(20, random));
        lf_ray ray = lf_ray_towards(from, lf_vec3_sub(at, from));
        oracle_ray_at(b, &ray, rays);
        ray = lf_ray_between(place_on(&b->mesh, random), at); // often along edges
        if (ray.direction.x != 0 || ray.direction.y != 0 || ray.direction.z != 0)
            oracle_ray_at(b, &ray, rays);
    }
}

static void print_scores(const char *what, const score scores[STRUCTURES]) {
    static const char *const names[STRUCTURES] = {"nest", "nest, scalar", "compact", "quadtree"};
    for (int k = 0; k < STRUCTURES; k++) {
        fprintf(stderr, "%s, %s: %lld asked, %lld of them ties, %lld wrong\n", what, names[k],
                (long long)scores[k].asked, (long long)scores[k].ties, (long long)scores[k].wrong);
        assert_true(scores[k].ties > scores[k].asked / 20);
        assert_int_equal(scores[k].wrong, 0);
    }
}

static void oracle_terrains(terrain_kind kind, uint64_t salt) {
    static const double apart[] = {0, 1e-13, 1e-12, 1e-9};
    test_random random = test_random_start(salt);
    score heights[STRUCTURES] = {0}, rays[STRUCTURES] = {0};
    for (int64_t round = 0; round < test_rounds(20); round++) {
        bench b = {.frame = make_frame(round % 5, kind)};
        make_terrain(&b.mesh, kind, apart[round / 5 % 4], &random);
        for (int k = 0; k < STRUCTURES; k++)
            b.places[k] = make_place(&b.mesh, &b.frame, (structure)k);
        assert_int_equal(lf_cursor_create(NULL, &b.cursor), LF_OK);
        b.expected = test_space(b.mesh.polygon_count, sizeof *b.expected);
        b.hits = test_space(b.mesh.polygon_count, sizeof *b.hits);
        oracle_bench(&b, &random, heights, rays);
        for (int k = 0; k < STRUCTURES; k++)
            test_place_drop(b.places[k]);
        lf_cursor_destroy(b.cursor);
        free(b.expected);
        free(b.hits);
        nasty_mesh_free(&b.mesh);
    }
    fprintf(stderr, "%s:\n", terrain_names[kind]);
    print_scores("heights", heights);
    print_scores("rays", rays);
}

static void ties_near_the_origin(void **state) {
    (void)state;
    oracle_terrains(NEAR_ORIGIN, 980);
}

static void ties_far_off(void **state) {
    (void)state;
    oracle_terrains(FAR_OFF, 981);
}

static void ties_earth_centred(void **state) {
    (void)state;
    oracle_terrains(EARTH_CENTRED, 982);
}

// ---------------------------------------------------------------------------------------------------
// Groups: the polygons of a terrain dealt out to parts
// ---------------------------------------------------------------------------------------------------

enum { PARTS = 3 };

typedef struct dealt {
    nasty_mesh parts[PARTS]; ///< in the coordinates of each part
    lf_pose poses[PARTS];
    test_place places[PARTS];
    lf_group *group;
    const lf_ground *ground;
    lf_frame frame;
    brute_hit *expected[PARTS];
    lf_hit *hits;
    int64_t polygon_count;
} dealt;

/// The polygons of one part, in its coordinates.
static void deal(const nasty_mesh *whole, const int *part_of, int part, const lf_pose *pose,
                 nasty_mesh *mesh) {
    int64_t count = 0;
    *mesh = (nasty_mesh){.name = whole->name, .kind = whole->kind, .vertex_count = whole->vertex_count};
    mesh->vertices = test_space(whole->vertex_count, sizeof *mesh->vertices);
    mesh->starts = test_space(whole->polygon_count + 1, sizeof *mesh->starts);
    mesh->corners = test_space(3 * whole->polygon_count, sizeof *mesh->corners);
    mesh->users = test_space(whole->polygon_count, sizeof *mesh->users);
    mesh->layers = test_space(whole->polygon_count, sizeof *mesh->layers);
    mesh->sides = test_space(whole->polygon_count, sizeof *mesh->sides);
    for (int64_t v = 0; v < whole->vertex_count; v++)
        mesh->vertices[v] = lf_pose_to_local(pose, whole->vertices[v]);
    for (int64_t i = 0; i < whole->polygon_count; i++) {
        if (part_of[i] != part)
            continue;
        for (int k = 0; k < 3; k++)
            mesh->corners[3 * count + k] = whole->corners[3 * i + k];
        mesh->layers[count] = 1;
        mesh->sides[count] = 2;
        count++;
        mesh->starts[count] = 3 * count;
    }
    mesh->polygon_count = count;
    nasty_mesh_cut(mesh);
    mesh->box = exact_box(mesh->vertices, mesh->vertex_count);
}

/// As it is, moved, or turned.
static lf_pose some_pose(int64_t how, test_random *random) {
    lf_pose pose = lf_pose_identity();
    if (how == 1)
        pose.translation = nasty_real_vec(20, random);
    else if (how == 2)
        assert_int_equal(lf_pose_turn(nasty_real_vec(20, random), nasty_real_vec(1, random), 0.7, &pose),
                         LF_OK);
    return pose;
}

static void open_dealt(dealt *d, terrain_kind kind, double apart, bool moved, test_random *random) {
    nasty_mesh whole;
    make_terrain(&whole, kind, apart, random);
    int *part_of = test_space(whole.polygon_count, sizeof *part_of);
    for (int64_t i = 0; i < whole.polygon_count; i++)
        part_of[i] = (int)test_random_below(random, PARTS);
    lf_group_part parts[PARTS];
    for (int k = 0; k < PARTS; k++) {
        d->poses[k] = some_pose(moved ? test_random_below(random, 3) : 0, random);
        deal(&whole, part_of, k, &d->poses[k], &d->parts[k]);
        d->places[k] = make_place(&d->parts[k], &d->frame, k == 1 ? QUADTREE : NEST);
        d->expected[k] = test_space(whole.polygon_count, sizeof *d->expected[k]);
        parts[k] = (lf_group_part){.ground = d->places[k].ground, .pose = d->poses[k]};
    }
    lf_group_def def = lf_group_def_default();
    def.frame = d->frame;
    def.parts = parts;
    def.part_count = PARTS;
    assert_int_equal(lf_group_create(&def, &d->group, NULL), LF_OK);
    d->ground = lf_group_ground(d->group);
    d->hits = test_space(whole.polygon_count, sizeof *d->hits);
    d->polygon_count = whole.polygon_count;
    free(part_of);
    nasty_mesh_free(&whole);
}

static void close_dealt(dealt *d) {
    lf_group_destroy(d->group);
    for (int k = 0; k < PARTS; k++) {
        test_place_drop(d->places[k]);
        nasty_mesh_free(&d->parts[k]);
        free(d->expected[k]);
    }
    free(d->hits);
}

/// What every part is asked, and what it should say.
typedef struct asked {
    brute_question questions[PARTS];
    brute_answer answers[PARTS];
    int64_t count;
} asked;

static asked ask_parts(const dealt *d, const lf_ray *ray, bool across) {
    asked all = {.count = 0};
    for (int k = 0; k < PARTS; k++) {
        lf_ray local = {lf_pose_to_local(&d->poses[k], ray->origin),
                        lf_pose_turn_to_local(&d->poses[k], ray->direction), ray->t_min, ray->t_max};
        all.questions[k] =
            (brute_question){.mesh = &d->parts[k], .ray = local, .layers = ~0u, .across = across};
        all.answers[k].hits = d->expected[k];
        brute_ask(&all.questions[k], &all.answers[k]);
        all.count += all.answers[k].count;
    }
    return all;
}

static int order_of_parts(const asked *all, int a, int64_t triangle_a, int b, int64_t triangle_b) {
    lf_vec3 first[3], second[3];
    nasty_mesh_triangle(all->questions[a].mesh, triangle_a, first);
    nasty_mesh_triangle(all->questions[b].mesh, triangle_b, second);
    return exact_order(&all->questions[a].ray, first, &all->questions[b].ray, second);
}

/// The part with the least exact t; the lowest of several.
static int first_part(const asked *all) {
    int best = -1;
    for (int k = 0; k < PARTS; k++) {
        const brute_answer *a = &all->answers[k], *b = best < 0 ? NULL : &all->answers[best];
        if (a->count == 0)
            continue;
        if (!b || order_of_parts(all, k, a->hits[a->first].triangle, best, b->hits[b->first].triangle) < 0)
            best = k;
    }
    return best;
}

static void score_first(const asked *all, const lf_hit *hit, score *s) {
    int part = first_part(all);
    const brute_answer *a = &all->answers[part];
    int64_t near = 0;
    for (int k = 0; k < PARTS; k++) {
        const brute_answer *b = &all->answers[k];
        near += b->count > 0 && fabs(b->first_t - a->first_t) <= 1e-13 * fabs(a->first_t);
    }
    s->asked++;
    s->ties += near > 1;
    s->wrong +=
        hit->kind == LF_HIT_NONE || hit->part != part || !oracle_is_first(&all->questions[part], a, hit);
}

/// Is a list in order: exact t, part, polygon?
static bool is_sorted(const asked *all, const lf_hit *hits, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        const lf_hit *a = &hits[i - 1], *b = &hits[i];
        int order = order_of_parts(all, (int)a->part, a->element, (int)b->part, b->element);
        bool lower = a->part != b->part ? a->part < b->part : a->element < b->element;
        if (order > 0 || (order == 0 && !lower) || a->t > b->t)
            return false;
    }
    return true;
}

static void oracle_group_ray(const dealt *d, const lf_ray *ray, score *s) {
    asked all = ask_parts(d, ray, false);
    lf_hit hit;
    int64_t count;
    if (all.count == 0)
        return;
    assert_int_equal(lf_ground_ray_first(d->ground, ray, &hit, NULL), LF_OK);
    assert_int_equal(lf_ground_ray_all(d->ground, ray, d->hits, d->polygon_count, &count, NULL), LF_OK);
    assert_int_equal(count, all.count);
    assert_true(oracle_same_hit(&hit, &d->hits[0]));
    score_first(&all, &hit, s);
    s->wrong += !is_sorted(&all, d->hits, count);
}

static void oracle_group_height(const dealt *d, lf_vec3 p, lf_vertical look, score *s) {
    lf_ray line;
    double length;
    assert_true(lf__gravity_ray(&d->frame, p, look == LF_VERTICAL_DOWN, &line, &length));
    asked all = ask_parts(d, &line, true);
    lf_hit hit;
    assert_int_equal(lf_ground_height(d->ground, p, look, &hit, NULL), LF_OK);
    if (all.count > 0)
        score_first(&all, &hit, s);
    line.t_min = -LF_INFINITY;
    all = ask_parts(d, &line, true);
    int64_t count;
    if (look != LF_VERTICAL_DOWN)
        return;
    assert_int_equal(lf_ground_height_all(d->ground, p, d->hits, d->polygon_count, &count, NULL), LF_OK);
    assert_int_equal(count, all.count);
    s->wrong += !is_sorted(&all, d->hits, count);
}

/// Parts as they are, moved and turned. Each is asked in its own coordinates, to which the line is rounded; from there on nothing is.
static void ties_between_the_parts_of_a_group(void **state) {
    (void)state;
    static const double apart[] = {0, 1e-13, 1e-12, 1e-9};
    test_random random = test_random_start(983);
    score heights = {0}, rays = {0};
    for (int64_t round = 0; round < test_rounds(24); round++) {
        dealt d = {.frame = make_frame(round % 2, NEAR_ORIGIN)};
        open_dealt(&d, (terrain_kind)(round % TERRAINS), apart[round % 4], round % 3 > 0, &random);
        for (int i = 0; i < 60; i++) {
            int part = (int)test_random_below(&random, PARTS);
            lf_vec3 at = lf_pose_to_world(&d.poses[part], place_on(&d.parts[part], &random));
            lf_vec3 p = point_over(&d.frame, at, &random), from = lf_vec3_add(p, nasty_real_vec(20, &random));
            lf_ray ray = lf_ray_towards(from, lf_vec3_sub(at, from));
            oracle_group_height(&d, p, LF_VERTICAL_DOWN, &heights);
            oracle_group_height(&d, p, LF_VERTICAL_UP, &heights);
            oracle_group_ray(&d, &ray, &rays);
        }
        close_dealt(&d);
    }
    fprintf(stderr, "groups: heights: %lld asked, %lld of them ties, %lld wrong; rays: %lld, %lld, %lld\n",
            (long long)heights.asked, (long long)heights.ties, (long long)heights.wrong,
            (long long)rays.asked, (long long)rays.ties, (long long)rays.wrong);
    assert_true(heights.ties > heights.asked / 20 && rays.ties > rays.asked / 20);
    assert_int_equal(heights.wrong + rays.wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_near_the_origin),
        cmocka_unit_test(ties_far_off),
        cmocka_unit_test(ties_earth_centred),
        cmocka_unit_test(ties_between_the_parts_of_a_group),
    };
    return cmocka_run_group_tests_name("oracle: ground ties", tests, NULL, NULL);
}
