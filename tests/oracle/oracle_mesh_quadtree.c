// The quadtree against brute force: every cut, turned or not, small and large leaves, every frame.
//
// The same exact answers oracle a tree for each cut at once. Around centres and axes the direction of down is
// rounded, so there only points are checked whose line keeps clear of edges; the others must agree with the
// default structure.
#include "brute.h"
#include <landfall/ground.h>
#include <landfall/mesh.h>
#include <landfall/published.h>
#include <stdio.h>
#include <stdlib.h>

#define CUTS 5

/// How clear of edges, as a share of the triangle, and of the ends of the line, as a share of its length.
#define CLEAR 1e-9

typedef struct bench {
    nasty_mesh mesh;
    lf_frame frame;
    exact_hull *hull;       ///< only where gravity is one direction
    test_place trees[CUTS]; ///< one for each cut
    test_place plain;       ///< the default structure
    lf_cursor *cursor;
    brute_hit *below, *above, *everything;
    lf_hit *hits;
} bench;

static test_place make_place(const bench *bench, const lf_mesh_index *index, lf_quadtree_def quadtree) {
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = nasty_mesh_polygons(&bench->mesh);
    def.frame = bench->frame;
    def.index = index;
    def.index_def = &quadtree;
    return test_place_make(&def);
}

static void drop_place(test_place place) {
    lf_mesh_destroy(place.mesh);
}

static void open_bench(bench *bench, int kind, lf_frame frame, test_random *random) {
    *bench = (struct bench){.frame = frame};
    nasty_mesh_make(&bench->mesh, (nasty_mesh_kind)kind, 1 + test_random_below(random, 250),
                    test_random_below(random, 3) > 0, random);
    int64_t count = bench->mesh.polygon_count;
    bench->hull = frame.kind == LF_FRAME_GRAVITY ? nasty_mesh_hull(&bench->mesh, frame.down) : NULL;
    for (int cut = 0; cut < CUTS; cut++) {
        lf_quadtree_def def = {1 + test_random_below(random, 12), (int)test_random_below(random, 8),
                               (lf_quadtree_cut)cut, test_random_below(random, 3) == 0};
        bench->trees[cut] = make_place(bench, lf_quadtree_index(), def);
    }
    bench->plain = make_place(bench, NULL, lf_quadtree_def_default());
    assert_int_equal(lf_cursor_create(NULL, &bench->cursor), LF_OK);
    bench->below = test_space(count, sizeof *bench->below);
    bench->above = test_space(count, sizeof *bench->above);
    bench->everything = test_space(count, sizeof *bench->everything);
    bench->hits = test_space(count, sizeof *bench->hits);
}

static void close_bench(bench *bench) {
    free(bench->hits);
    free(bench->everything);
    free(bench->above);
    free(bench->below);
    lf_cursor_destroy(bench->cursor);
    drop_place(bench->plain);
    for (int cut = 0; cut < CUTS; cut++)
        drop_place(bench->trees[cut]);
    exact_hull_free(bench->hull);
    nasty_mesh_free(&bench->mesh);
}

// ---------------------------------------------------------------------------------------------------
// Gravity in one direction
// ---------------------------------------------------------------------------------------------------

/// A point, and what is exactly true of it.
typedef struct truth {
    brute_question down, up, all;
    brute_answer below, above, everything;
    double length; ///< metres per t
    bool within;   ///< the hull
} truth;

static truth find_truth(const bench *bench, lf_vec3 point, uint32_t layers) {
    lf_ray ray = {point, bench->frame.down, 0, LF_INFINITY};
    truth t = {.down = {&bench->mesh, ray, layers, false, true, false},
               .length = lf_vec3_length(bench->frame.down)};
    t.up = t.all = t.down;
    t.up.ray.direction = lf_vec3_scale(ray.direction, -1);
    t.all.ray.t_min = -LF_INFINITY;
    t.all.both_sides = true;
    t.below.hits = bench->below;
    t.above.hits = bench->above;
    t.everything.hits = bench->everything;
    brute_ask(&t.down, &t.below);
    brute_ask(&t.up, &t.above);
    brute_ask(&t.all, &t.everything);
    t.within = exact_hull_contains(bench->hull, point);
    return t;
}

/// One look: the nearest hit, or the reason.
static void oracle_look(oracle *oracle, const truth *t, bool down, const lf_hit *hit) {
    const brute_question *question = down ? &t->down : &t->up;
    const brute_answer *expected = down ? &t->below : &t->above, *other = down ? &t->above : &t->below;
    oracle->questions++;
    oracle->meetings += expected->count;
    *(expected->count ? &oracle->hits : &oracle->misses) += 1;
    if (expected->count == 0) {
        lf_reason reason = other->count ? LF_REASON_NONE : t->within ? LF_REASON_HOLE : LF_REASON_OUTSIDE;
        if (hit->kind != LF_HIT_NONE)
            oracle_wrong(oracle, question, "height: a hit where there is none", hit);
        else if (hit->reason != reason)
            oracle_wrong(oracle, question, "height: wrong reason", hit);
        return;
    }
    if (hit->kind == LF_HIT_NONE) {
        oracle_wrong(oracle, question, "height: a miss where there is a hit", hit);
        return;
    }
    const char *fault = oracle_hit(question, hit, t->length);
    if (fault)
        oracle_wrong(oracle, question, fault, hit);
    else if (!oracle_close_to(hit->t, expected->first_t * t->length, BRUTE_T_TOLERANCE) &&
             !(fabs(hit->t - expected->first_t * t->length) <= oracle_height_slack(question, hit)))
        oracle_wrong(oracle, question, "height: not the nearest", hit);
    else if (!oracle_is_first(question, expected, hit))
        oracle_wrong(oracle, question, "height: not the lowest of the nearest", hit);
    else if (hit->t == 0 && signbit(hit->t))
        oracle_wrong(oracle, question, "height: t is minus zero", hit);
}

/// Every meeting, from the top down, whichever side a polygon shows.
static void oracle_all(oracle *oracle, const truth *t, const lf_hit *hits, int64_t count) {
    oracle->questions++;
    *(t->everything.count ? &oracle->hits : &oracle->misses) += 1;
    if (count != t->everything.count)
        oracle_wrong(oracle, &t->all, "all heights: wrong count", count ? hits : NULL);
    for (int64_t i = 0; i < count; i++) {
        const char *fault = oracle_hit(&t->all, &hits[i], t->length);
        if (!fault && i > 0 && !oracle_in_order(&t->all, &t->everything, &hits[i - 1], &hits[i]))
            fault = "all heights: out of order or twice";
        if (fault) {
            oracle_wrong(oracle, &t->all, fault, &hits[i]);
            return;
        }
    }
}

static void oracle_point(oracle *oracle, bench *bench, lf_vec3 point, uint32_t layers) {
    truth t = find_truth(bench, point, layers);
    lf_cursor *cursor = layers == ~0u ? NULL : bench->cursor;
    lf_cursor_set_layers(bench->cursor, layers);
    for (int cut = 0; cut < CUTS; cut++) {
        const lf_ground *ground = bench->trees[cut].ground;
        lf_hit down, up;
        int64_t count = -1, wrong = oracle->wrong;
        assert_int_equal(lf_ground_height(ground, point, LF_VERTICAL_DOWN, &down, cursor), LF_OK);
        assert_int_equal(lf_ground_height(ground, point, LF_VERTICAL_UP, &up, cursor), LF_OK);
        assert_int_equal(lf_ground_weights(ground, &down), down.kind ? LF_OK : LF_BAD_ARGUMENT);
        assert_int_equal(lf_ground_weights(ground, &up), up.kind ? LF_OK : LF_BAD_ARGUMENT);
        assert_int_equal(
            lf_ground_height_all(ground, point, bench->hits, bench->mesh.polygon_count, &count, cursor),
            LF_OK);
        oracle_look(oracle, &t, true, &down);
        oracle_look(oracle, &t, false, &up);
        oracle_all(oracle, &t, bench->hits, count);
        if (oracle->wrong != wrong && wrong == 0)
            fprintf(stderr, "    with the cut \"%s\"\n", lf_quadtree_cut_name((lf_quadtree_cut)cut));
    }
}

static void oracle_many(oracle *oracle, const bench *bench, const lf_vec3 *points, int64_t count) {
    lf_hit *many = test_space(count, sizeof *many), one;
    lf_tasks tasks = test_tasks(3);
    const lf_ground *ground = bench->trees[test_seed() % CUTS].ground;
    assert_int_equal(lf_ground_height_many(ground, points, 0, count, LF_VERTICAL_DOWN, many, 0, &tasks),
                     LF_OK);
    for (int64_t i = 0; i < count; i++) {
        brute_question question = {
            &bench->mesh, {points[i], bench->frame.down, 0, LF_INFINITY}, ~0u, false, true, false};
        assert_int_equal(lf_ground_height(ground, points[i], LF_VERTICAL_DOWN, &one, NULL), LF_OK);
        if (!oracle_same_hit(&many[i], &one))
            oracle_wrong(oracle, &question, "many on three threads: not what one point gives", &many[i]);
    }
    free(many);
}

static void oracle_mesh(oracle *oracle, int kind, lf_frame frame, test_random *random) {
    static const uint32_t masks[4] = {1, 2, 0x80000004u, 0};
    enum { COUNT = 80 };
    bench bench;
    open_bench(&bench, kind, frame, random);
    lf_vec3 points[COUNT];
    for (int i = 0; i < COUNT; i++) {
        points[i] = nasty_point_make(&bench.mesh, frame.down, random);
        oracle_point(oracle, &bench, points[i], i % 5 == 0 ? masks[test_random_below(random, 4)] : ~0u);
    }
    oracle_many(oracle, &bench, points, COUNT);
    close_bench(&bench);
}

static void heights_where_down_is_minus_z(void **state) {
    (void)state;
    test_random random = test_random_start(5001);
    oracle oracle = {.name = "quadtree, -z"};
    for (int64_t round = 0; round < test_rounds(4); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++)
            oracle_mesh(&oracle, kind, lf_frame_default(), &random);
    oracle_close(&oracle, 60000);
}

static void heights_along_any_gravity(void **state) {
    (void)state;
    test_random random = test_random_start(5002);
    oracle oracle = {.name = "quadtree, any gravity"};
    for (int64_t round = 0; round < test_rounds(4); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++) {
            lf_frame frame;
            assert_int_equal(lf_frame_gravity(nasty_gravity(&random), &frame), LF_OK);
            oracle_mesh(&oracle, kind, frame, &random);
        }
    oracle_close(&oracle, 60000);
}

// ---------------------------------------------------------------------------------------------------
// Centres and axes
// ---------------------------------------------------------------------------------------------------

/// The gravity line as a ray with t in metres, positive downwards; it ends at the centre or the axis.
static lf_ray gravity_line(const lf_frame *frame, lf_vec3 p) {
    lf_vec3 foot = lf_vec3_sub(frame->origin, p);
    if (frame->kind != LF_FRAME_CENTRE) {
        double along = lf_vec3_dot(foot, frame->down) / lf_vec3_dot(frame->down, frame->down);
        foot = lf_vec3_sub(foot, lf_vec3_scale(frame->down, along));
    }
    double length = lf_vec3_length(foot);
    bool inwards = frame->kind != LF_FRAME_AXIS_OUT;
    lf_ray ray = {p, lf_vec3_scale(foot, (inwards ? 1 : -1) / length), -LF_INFINITY, LF_INFINITY};
    *(inwards ? &ray.t_max : &ray.t_min) = inwards ? length : -length;
    return ray;
}

/// Would a slightly other line, or another start, give another answer?
static bool is_clear(const bench *bench, const lf_ray *line) {
    for (int64_t i = 0; i < bench->mesh.triangle_count; i++) {
        lf_vec3 corners[3];
        nasty_mesh_triangle(&bench->mesh, i, corners);
        if (!exact_has_area(corners))
            continue;
        if (fabs(lf_vec3_dot(exact_normal(corners), line->direction)) < 1e-6 ||
            !exact_clear_of_edges(line, corners, CLEAR))
            return false;
        lf_ray endless = {line->origin, line->direction, -LF_INFINITY, LF_INFINITY};
        exact_meeting meeting = exact_ray_triangle(&endless, corners);
        double foot = isfinite(line->t_max) ? line->t_max : line->t_min;
        if (meeting.met &&
            (fabs(meeting.t) < CLEAR * fabs(foot) || fabs(meeting.t - foot) < CLEAR * fabs(foot)))
            return false;
    }
    return true;
}

/// Every meeting of a clear line, by polygon and by distance.
static void oracle_line(oracle *oracle, const bench *bench, lf_ray line, const lf_ground *ground) {
    brute_question question = {&bench->mesh, line, ~0u, false, true, true};
    brute_answer expected = {.hits = bench->everything};
    int64_t count = -1;
    brute_ask(&question, &expected);
    assert_int_equal(
        lf_ground_height_all(ground, line.origin, bench->hits, bench->mesh.polygon_count, &count, NULL),
        LF_OK);
    oracle->questions++;
    oracle->meetings += expected.count;
    *(expected.count ? &oracle->hits : &oracle->misses) += 1;
    if (count != expected.count)
        oracle_wrong(oracle, &question, "all: wrong count", count > 0 ? bench->hits : NULL);
    for (int64_t i = 0; i < count; i++) {
        const lf_hit *hit = &bench->hits[i];
        int64_t match = 0;
        while (match < expected.count && expected.hits[match].element != hit->element)
            match++;
        double reach = lf_vec3_length(line.origin) + fabs(hit->t) + 1;
        if (match == expected.count || fabs(expected.hits[match].t - hit->t) > 1e-9 * reach)
            oracle_wrong(oracle, &question, "all: another polygon or t", hit);
    }
}

/// What a tree says against what the default structure says, field by field but for the last bits.
static void oracle_same(oracle *oracle, const bench *bench, lf_vec3 p, lf_vertical look,
                        const lf_ground *ground) {
    lf_hit hit, other;
    lf_ray line = {p, bench->frame.down, -LF_INFINITY, LF_INFINITY};
    brute_question question = {&bench->mesh, line, ~0u, false, true, false};
    assert_int_equal(lf_ground_height(ground, p, look, &hit, NULL), LF_OK);
    assert_int_equal(lf_ground_height(bench->plain.ground, p, look, &other, NULL), LF_OK);
    oracle->questions++;
    *(hit.kind != LF_HIT_NONE ? &oracle->hits : &oracle->misses) += 1;
    double tolerance = 1e-9 * (lf_vec3_length(p) + lf_vec3_length(bench->mesh.box.high) + 1);
    if (hit.kind != other.kind || hit.reason != other.reason)
        oracle_wrong(oracle, &question, "not what the default says", &hit);
    else if (hit.kind != LF_HIT_NONE && !(fabs(hit.t - other.t) <= tolerance))
        oracle_wrong(oracle, &question, "not as far as the default says", &hit);
}

/// The gravity line through a vertex or the middle of an edge, nearer or farther.
static lf_vec3 in_line_with_mesh(const bench *bench, test_random *random) {
    const nasty_mesh *mesh = &bench->mesh;
    const lf_frame *frame = &bench->frame;
    lf_vec3 corners[3], foot = frame->origin;
    nasty_mesh_triangle(mesh, test_random_below(random, mesh->triangle_count), corners);
    lf_vec3 v =
        test_random_below(random, 2) ? corners[0] : lf_vec3_scale(lf_vec3_add(corners[0], corners[1]), 0.5);
    if (frame->kind != LF_FRAME_CENTRE) {
        double along = lf_vec3_dot(lf_vec3_sub(v, foot), frame->down) / lf_vec3_dot(frame->down, frame->down);
        foot = lf_vec3_along(foot, along, frame->down);
    }
    return lf_vec3_along(foot, test_random_between(random, 0.25, 4), lf_vec3_sub(v, foot));
}

/// Anywhere, in line with vertices and edges, on the poles' axis and on the seam.
static lf_vec3 some_point(const bench *bench, test_random *random) {
    lf_vec3 middle = lf_box_centre(bench->mesh.box), half = lf_vec3_sub(bench->mesh.box.high, middle);
    lf_vec3 p = {middle.x + (half.x + 1) * test_random_between(random, -1.4, 1.4),
                 middle.y + (half.y + 1) * test_random_between(random, -1.4, 1.4),
                 middle.z + (half.z + 1) * test_random_between(random, -1.4, 1.4)};
    int64_t which = test_random_below(random, 6);
    if (which < 2)
        return in_line_with_mesh(bench, random);
    if (which > 3)
        return p;
    lf_vec3 local = lf_frame_to_local(&bench->frame, p);
    if (which == 2 && bench->frame.kind == LF_FRAME_CENTRE)
        return (lf_vec3){bench->frame.origin.x, bench->frame.origin.y, p.z};
    local.x = test_random_below(random, 2) ? acos(-1) : -acos(-1);
    return lf_frame_to_world(&bench->frame, local);
}

/// A frame that is not in line with whole numbers.
static lf_frame some_frame(int64_t which, test_random *random) {
    lf_frame frame;
    lf_vec3 at = {test_random_between(random, -9, 9), test_random_between(random, -9, 9),
                  test_random_between(random, -9, 9)};
    lf_vec3 axis = {test_random_between(random, -9, 9), test_random_between(random, -9, 9),
                    test_random_between(random, -9, 9)};
    lf_status status = which == 0 ? lf_frame_centre(at, &frame) : lf_frame_axis(at, axis, which == 1, &frame);
    assert_int_equal(status, LF_OK);
    return frame;
}

static void heights_round_a_centre_or_an_axis(void **state) {
    (void)state;
    static const nasty_mesh_kind kinds[] = {NASTY_SOUP,  NASTY_GRID, NASTY_FLOORS, NASTY_WALLS,
                                            NASTY_BOXES, NASTY_FANS, NASTY_NGONS,  NASTY_DEGENERATE};
    test_random random = test_random_start(5003);
    oracle exact = {.name = "quadtree, centre and axis"},
           same = {.name = "quadtree and default, centre and axis"};
    for (int64_t round = 0; round < test_rounds(48); round++) {
        bench bench;
        open_bench(&bench, kinds[round / 3 % 8], some_frame(round % 3, &random), &random);
        for (int i = 0; i < 60; i++) {
            lf_vec3 p = some_point(&bench, &random);
            lf_ray line = gravity_line(&bench.frame, p);
            const lf_ground *ground = bench.trees[i % CUTS].ground;
            oracle_same(&same, &bench, p, LF_VERTICAL_DOWN, ground);
            oracle_same(&same, &bench, p, LF_VERTICAL_UP, ground);
            if (isfinite(line.direction.x) && is_clear(&bench, &line))
                oracle_line(&exact, &bench, line, ground);
        }
        close_bench(&bench);
    }
    oracle_close(&same, 5000);
    oracle_close(&exact, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_where_down_is_minus_z),
        cmocka_unit_test(heights_along_any_gravity),
        cmocka_unit_test(heights_round_a_centre_or_an_axis),
    };
    return cmocka_run_group_tests_name("oracle: quadtree", tests, NULL, NULL);
}
