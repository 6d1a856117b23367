// Heights where down is towards a point, towards a line or away from one, and heights from infinitely high.
//
// The direction of down is rounded there, so points whose gravity line passes close to an edge are left out,
// and what is left must be answered exactly.
#include "brute.h"
#include <landfall/ground.h>
#include <landfall/mesh.h>
#include <landfall/published.h>
#include <stdio.h>
#include <stdlib.h>

/// How clear of edges, as a share of the triangle, and of the ends of the line, as a share of its length.
#define CLEAR 1e-9

typedef struct bench {
    nasty_mesh mesh;
    lf_frame frame;
    lf_mesh *polygons;
    const lf_ground *ground;
    brute_hit *expected;
    lf_hit *hits;
    int64_t left_out;
} bench;

static void open_bench(bench *bench, int kind, lf_frame frame, test_random *random) {
    *bench = (struct bench){.frame = frame};
    int64_t size = 1 + test_random_below(random, 200);
    nasty_mesh_make(&bench->mesh, (nasty_mesh_kind)kind, size, test_random_below(random, 2), random);
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = nasty_mesh_polygons(&bench->mesh);
    def.frame = frame;
    assert_int_equal(lf_mesh_create(&def, &bench->polygons, NULL), LF_OK);
    bench->ground = lf_mesh_ground(bench->polygons);
    bench->expected = test_space(bench->mesh.polygon_count, sizeof *bench->expected);
    bench->hits = test_space(bench->mesh.polygon_count, sizeof *bench->hits);
}

static void close_bench(bench *bench) {
    free(bench->hits);
    free(bench->expected);
    lf_mesh_destroy(bench->polygons);
    nasty_mesh_free(&bench->mesh);
}

/// From a point to the foot of the gravity line: the centre, or the nearest point of the axis.
static lf_vec3 to_foot(const lf_frame *frame, lf_vec3 p) {
    lf_vec3 off = lf_vec3_sub(p, frame->origin);
    if (frame->kind == LF_FRAME_CENTRE)
        return lf_vec3_scale(off, -1);
    double along = lf_vec3_dot(off, frame->down) / lf_vec3_dot(frame->down, frame->down);
    return lf_vec3_sub(lf_vec3_scale(frame->down, along), off);
}

/// The gravity line as a ray with t in metres, positive downwards; it ends at the foot.
static lf_ray gravity_line(const lf_frame *frame, lf_vec3 p) {
    lf_vec3 foot = to_foot(frame, p);
    double length = lf_vec3_length(foot);
    bool inwards = frame->kind != LF_FRAME_AXIS_OUT;
    lf_ray ray = {p, lf_vec3_scale(foot, (inwards ? 1 : -1) / length), -LF_INFINITY, LF_INFINITY};
    *(inwards ? &ray.t_max : &ray.t_min) = inwards ? length : -length;
    return ray;
}

static bool edge_on(lf_vec3 direction, const lf_vec3 corners[3]) {
    return fabs(lf_vec3_dot(exact_normal(corners), direction)) < 1e-6;
}

/// Would a slightly other line, or another start, give another answer?
static bool is_clear(const bench *bench, const lf_ray *line) {
    for (int64_t i = 0; i < bench->mesh.triangle_count; i++) {
        lf_vec3 corners[3];
        nasty_mesh_triangle(&bench->mesh, i, corners);
        if (!exact_has_area(corners))
            continue;
        if (edge_on(line->direction, corners) || !exact_clear_of_edges(line, corners, CLEAR))
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

/// Oracle a hit whose line was rounded: the polygon, and the distance to nine digits.
static void oracle_near(oracle *oracle, const brute_question *question, const brute_answer *expected,
                        const lf_hit *hit) {
    const brute_hit *nearest = NULL;
    for (int64_t i = 0; i < expected->count; i++)
        if (expected->hits[i].t == expected->first_t)
            nearest = &expected->hits[i];
    if (!nearest)
        return;
    lf_vec3 at = lf_vec3_along(question->ray.origin, expected->first_t, question->ray.direction);
    double reach = lf_vec3_length(question->ray.origin) + lf_vec3_length(at) + 1;
    if (hit->kind == LF_HIT_NONE)
        oracle_wrong(oracle, question, "frame: a miss where there is a hit", hit);
    else if (fabs(hit->t - expected->first_t) > 1e-9 * reach)
        oracle_wrong(oracle, question, "frame: t is off", hit);
    else if (lf_vec3_length(lf_vec3_sub(hit->point, at)) > 1e-9 * reach)
        oracle_wrong(oracle, question, "frame: point is off", hit);
}

static void oracle_look(oracle *oracle, const bench *bench, lf_ray line, uint32_t layers, lf_vertical look) {
    brute_question question = {&bench->mesh, line, layers, false, true, false}, other = question;
    brute_answer expected = {.hits = bench->expected};
    lf_ray up = {line.origin, lf_vec3_scale(line.direction, -1), 0, -line.t_min}, down = line;
    down.t_min = 0;
    question.ray = look == LF_VERTICAL_DOWN ? down : up;
    other.ray = look == LF_VERTICAL_DOWN ? up : down;
    brute_ask(&other, &expected);
    bool other_side = expected.count > 0;
    brute_ask(&question, &expected);
    lf_hit hit;
    assert_int_equal(lf_ground_height(bench->ground, line.origin, look, &hit, NULL), LF_OK);
    oracle->questions++;
    oracle->meetings += expected.count;
    *(expected.count ? &oracle->hits : &oracle->misses) += 1;
    oracle_near(oracle, &question, &expected, &hit);
    if (expected.count == 0 && hit.kind != LF_HIT_NONE)
        oracle_wrong(oracle, &question, "frame: a hit where there is none", &hit);
    else if (expected.count == 0 && (hit.reason == LF_REASON_NONE) != other_side)
        oracle_wrong(oracle, &question, "frame: wrong reason", &hit);
    else if (expected.count == 0 && hit.reason == LF_REASON_ANSWERED)
        oracle_wrong(oracle, &question, "frame: answered without an answer", &hit);
}

static void oracle_all(oracle *oracle, const bench *bench, lf_ray line) {
    brute_question question = {&bench->mesh, line, ~0u, false, true, true};
    brute_answer expected = {.hits = bench->expected};
    brute_ask(&question, &expected);
    int64_t count = -1;
    assert_int_equal(lf_ground_height_all(bench->ground, line.origin, bench->hits, bench->mesh.polygon_count,
                                          &count, NULL),
                     LF_OK);
    oracle->questions++;
    *(expected.count ? &oracle->hits : &oracle->misses) += 1;
    if (count != expected.count)
        oracle_wrong(oracle, &question, "frame: all: wrong count", count > 0 ? bench->hits : NULL);
    for (int64_t i = 0; i < count && i < expected.count; i++) {
        const lf_hit *hit = &bench->hits[i];
        int64_t match = 0;
        while (match < expected.count && expected.hits[match].element != hit->element)
            match++;
        double reach = lf_vec3_length(line.origin) + fabs(hit->t) + 1;
        if (match == expected.count || fabs(expected.hits[match].t - hit->t) > 1e-9 * reach)
            oracle_wrong(oracle, &question, "frame: all: another polygon or t", hit);
        else if (i > 0 && hit->t < hit[-1].t)
            oracle_wrong(oracle, &question, "frame: all: out of order", hit);
    }
}

static lf_vec3 anywhere(const nasty_mesh *mesh, test_random *random) {
    lf_vec3 size = lf_vec3_sub(mesh->box.high, mesh->box.low);
    lf_vec3 margin = {size.x * 0.3 + 1, size.y * 0.3 + 1, size.z * 0.3 + 1};
    lf_box box = {lf_vec3_sub(mesh->box.low, margin), lf_vec3_add(mesh->box.high, margin)};
    return nasty_box_vec(box, random);
}

/// A frame that is not in line with whole numbers.
static lf_frame some_frame(int64_t which, test_random *random) {
    lf_frame frame;
    lf_vec3 at = nasty_real_vec(9, random), axis = nasty_real_vec(9, random);
    lf_status status = which == 0 ? lf_frame_centre(at, &frame) : lf_frame_axis(at, axis, which == 1, &frame);
    assert_int_equal(status, LF_OK);
    return frame;
}

static void heights_round_a_centre_or_an_axis(void **state) {
    (void)state;
    static const nasty_mesh_kind kinds[] = {NASTY_SOUP,  NASTY_GRID, NASTY_FLOORS, NASTY_WALLS,
                                            NASTY_BOXES, NASTY_FANS, NASTY_NGONS,  NASTY_DEGENERATE};
    test_random random = test_random_start(4001);
    oracle oracle = {.name = "heights, centre and axis"};
    int64_t left_out = 0;
    for (int64_t round = 0; round < test_rounds(24); round++) {
        bench bench;
        open_bench(&bench, kinds[round % 8], some_frame(round % 3, &random), &random);
        for (int i = 0; i < 60; i++) {
            lf_ray line = gravity_line(&bench.frame, anywhere(&bench.mesh, &random));
            if (!is_clear(&bench, &line)) {
                left_out++;
                continue;
            }
            oracle_look(&oracle, &bench, line, ~0u, LF_VERTICAL_DOWN);
            oracle_look(&oracle, &bench, line, ~0u, LF_VERTICAL_UP);
            oracle_all(&oracle, &bench, line);
        }
        close_bench(&bench);
    }
    assert_true(left_out * 20 < oracle.questions);
    oracle_close(&oracle, 2000);
}

/// The topmost ground: what a point above everything sees.
static void oracle_from_infinity(oracle *oracle, const bench *bench, lf_vec3 p, double top) {
    lf_vec3 high = {p.x, p.y, LF_INFINITY}, above = {p.x, p.y, top};
    brute_question question = {&bench->mesh, {above, {0, 0, -1}, 0, LF_INFINITY}, ~0u, false, true, false};
    lf_hit expected, hit, up;
    assert_int_equal(lf_ground_height(bench->ground, above, LF_VERTICAL_DOWN, &expected, NULL), LF_OK);
    assert_int_equal(lf_ground_height(bench->ground, high, LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
    assert_int_equal(lf_ground_height(bench->ground, high, LF_VERTICAL_UP, &up, NULL), LF_BAD_ARGUMENT);
    double reach = lf_vec3_length(bench->mesh.box.low) + lf_vec3_length(bench->mesh.box.high);
    oracle->questions++;
    *(expected.kind != LF_HIT_NONE ? &oracle->hits : &oracle->misses) += 1;
    if (hit.kind != expected.kind || hit.reason != expected.reason)
        oracle_wrong(oracle, &question, "infinity: not the topmost ground", &hit);
    else if (hit.kind != LF_HIT_NONE &&
             lf_vec3_length(lf_vec3_sub(hit.point, expected.point)) > 1e-12 * reach)
        oracle_wrong(oracle, &question, "infinity: another point", &hit);
}

/// The same meetings as from a point above, with t counted from the topmost.
static void oracle_all_from_infinity(oracle *oracle, const bench *bench, lf_vec3 p) {
    lf_vec3 high = {p.x, p.y, LF_INFINITY};
    brute_question question = {
        &bench->mesh, {{p.x, p.y, 0}, {0, 0, -1}, -LF_INFINITY, LF_INFINITY}, ~0u, false, true, true};
    brute_answer expected = {.hits = bench->expected};
    brute_ask(&question, &expected);
    int64_t count = -1;
    assert_int_equal(
        lf_ground_height_all(bench->ground, high, bench->hits, bench->mesh.polygon_count, &count, NULL),
        LF_OK);
    if (count != expected.count)
        oracle_wrong(oracle, &question, "infinity: all: wrong count", count > 0 ? bench->hits : NULL);
    for (int64_t i = 0; i < count; i++) {
        const lf_hit *hit = &bench->hits[i];
        int64_t match = 0;
        while (match < expected.count && expected.hits[match].element != hit->element)
            match++;
        double reach = lf_vec3_length(bench->mesh.box.low) + lf_vec3_length(bench->mesh.box.high);
        if (match == expected.count ||
            fabs(expected.hits[match].t - expected.first_t - hit->t) > 1e-12 * reach)
            oracle_wrong(oracle, &question, "infinity: all: another polygon or t", hit);
        else if (i > 0 && !oracle_in_order(&question, &expected, &hit[-1], hit))
            oracle_wrong(oracle, &question, "infinity: all: out of order", hit);
    }
}

static void heights_from_infinitely_high(void **state) {
    (void)state;
    test_random random = test_random_start(4002);
    oracle oracle = {.name = "heights from infinity"};
    for (int64_t round = 0; round < test_rounds(2); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++) {
            if (kind == NASTY_SLIVERS || kind == NASTY_NEAR_ZERO)
                continue; // what is topmost there is a matter of the last bit
            bench bench;
            open_bench(&bench, kind, lf_frame_default(), &random);
            for (int i = 0; i < 100; i++) {
                lf_vec3 p = nasty_point_make(&bench.mesh, bench.frame.down, &random);
                oracle_from_infinity(&oracle, &bench, p, bench.mesh.box.high.z + 1);
                oracle_all_from_infinity(&oracle, &bench, p);
            }
            close_bench(&bench);
        }
    oracle_close(&oracle, 2000);
}

/// The direction of down at a point, as a unit vector.
static lf_vec3 unit_down(const lf_frame *frame, lf_vec3 p) {
    if (frame->kind == LF_FRAME_GRAVITY)
        return lf_vec3_unit(frame->down);
    return lf_vec3_unit(lf_vec3_scale(to_foot(frame, p), frame->kind == LF_FRAME_AXIS_OUT ? -1 : 1));
}

/// How far the point of a height is from `origin + t * down`, in units in the last place of the largest of these.
static double off_its_line(const lf_frame *frame, lf_vec3 p, lf_vertical look, const lf_hit *hit) {
    lf_vec3 at = lf_vec3_along(p, look == LF_VERTICAL_DOWN ? hit->t : -hit->t, unit_down(frame, p));
    double size = lf_vec3_length(p) + lf_vec3_length(hit->point) + fabs(hit->t);
    if (frame->kind != LF_FRAME_GRAVITY) // the foot is computed from these
        size += lf_vec3_length(frame->origin);
    return lf_vec3_length(lf_vec3_sub(at, hit->point)) / (0x1p-52 * size);
}

enum { SIDE = 12 };

/// A rough terrain of triangles, a hundred metres high and some hundred wide; seen along gravity that is tilted, much of it is steep.
static test_place rough_terrain(lf_frame frame, const lf_mesh_index *index, test_random *random) {
    lf_vec3 vertices[(SIDE + 1) * (SIDE + 1)];
    int64_t corners[6 * SIDE * SIDE], count = 0;
    for (int j = 0; j <= SIDE; j++)
        for (int i = 0; i <= SIDE; i++)
            vertices[j * (SIDE + 1) + i] = (lf_vec3){50.0 * i + test_random_between(random, -10, 10),
                                                     50.0 * j + test_random_between(random, -10, 10),
                                                     test_random_between(random, 0, 100)};
    for (int64_t j = 0; j < SIDE; j++)
        for (int64_t i = 0; i < SIDE; i++) {
            int64_t a = j * (SIDE + 1) + i, b = a + SIDE + 1, cell[6] = {a, a + 1, b + 1, a, b + 1, b};
            for (int k = 0; k < 6; k++)
                corners[count++] = cell[k];
        }
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons.vertices = vertices;
    def.polygons.vertex_count = (SIDE + 1) * (SIDE + 1);
    def.polygons.corners = corners;
    def.polygons.polygon_count = count / 3;
    def.frame = frame;
    def.index = index;
    return test_place_make(&def);
}

/// Down is -z, tilted, towards a centre, towards an axis, away from it.
static lf_frame any_frame(int64_t which, test_random *random) {
    lf_frame frame = lf_frame_default();
    if (which == 1)
        assert_int_equal(lf_frame_gravity(nasty_real_vec(9, random), &frame), LF_OK);
    else if (which > 1)
        frame = some_frame(which - 2, random);
    return frame;
}

static void heights_lie_on_their_line(void **state) {
    (void)state;
    test_random random = test_random_start(4003);
    int64_t hits = 0;
    double worst = 0;
    for (int64_t round = 0; round < test_rounds(60); round++) {
        lf_frame frame = any_frame(round % 5, &random);
        test_place place = rough_terrain(frame, round / 5 % 2 ? lf_quadtree_index() : NULL, &random);
        for (int i = 0; i < 500; i++) {
            lf_vec3 p = {test_random_between(&random, 0, 600), test_random_between(&random, 0, 600), 50};
            double away = pow(10, test_random_between(&random, -3, 7));
            lf_vertical look = test_random_below(&random, 2) ? LF_VERTICAL_DOWN : LF_VERTICAL_UP;
            p = lf_vec3_along(p, look == LF_VERTICAL_DOWN ? -away : away, unit_down(&frame, p));
            lf_hit hit;
            if (lf_ground_height(place.ground, p, look, &hit, NULL) != LF_OK || hit.kind == LF_HIT_NONE)
                continue;
            hits++;
            worst = fmax(worst, off_its_line(&frame, p, look, &hit));
            lf_hit all[8];
            int64_t count;
            lf_ground_height_all(place.ground, p, all, 8, &count, NULL);
            for (int64_t k = 0; k < count && k < 8; k++)
                worst = fmax(worst, off_its_line(&frame, p, LF_VERTICAL_DOWN, &all[k]));
        }
        test_place_drop(place);
    }
    fprintf(stderr, "heights on their lines: %lld hits, at most %.1f units in the last place off\n",
            (long long)hits, worst);
    assert_true(hits > 1000);
    assert_true(worst <= 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_round_a_centre_or_an_axis),
        cmocka_unit_test(heights_from_infinitely_high),
        cmocka_unit_test(heights_lie_on_their_line),
    };
    return cmocka_run_group_tests_name("oracle: ground frames", tests, NULL, NULL);
}
