// Thousands of random edits of nasty meshes, in every frame and by both structures: after each, every answer
// is that of a mesh made afresh of the polygons that are left.
#include "brute.h"
#include <landfall/ground.h>
#include <landfall/mesh.h>
#include <landfall/published.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Polygons that come and go, and the most that there ever are.
#define POOL 120
#define MOST 4000
#define MOST_HITS 512

/// A mesh that is edited, beside a list of what ought to be in it.
typedef struct bench {
    nasty_mesh pool;
    lf_mesh_def def;
    lf_mesh *mesh;
    const lf_ground *ground;
    int64_t shapes[MOST]; ///< by number: which polygon of the pool
    bool gone[MOST];
    int64_t count, living;
    int64_t numbers[MOST]; ///< of those that live, in order
    int64_t questions, edits, rebuilt, hits, outside, holes, none;
    bool values;       ///< polygons have users, layers and sides
    lf_cursor *cursor; ///< sees some layers only
    test_random *random;
} bench;

/// Polygons of the pool as a caller gives them.
typedef struct given {
    lf_polygons polygons;
    lf_vec3 *vertices;
    int64_t *starts, *corners;
    uint64_t *users;
    uint32_t *layers;
    uint8_t *sides;
} given;

/// `values`: with users, layers and sides. One more vertex, which no polygon uses, is far away.
static given give(const nasty_mesh *pool, const int64_t *shapes, int64_t count, bool values) {
    int64_t corners = 0;
    for (int64_t i = 0; i < count; i++)
        corners += pool->starts[shapes[i] + 1] - pool->starts[shapes[i]];
    given g = {.vertices = test_space(corners + 1, sizeof *g.vertices),
               .starts = test_space(count + 1, sizeof *g.starts),
               .corners = test_space(corners, sizeof *g.corners),
               .users = test_space(count, sizeof *g.users),
               .layers = test_space(count, sizeof *g.layers),
               .sides = test_space(count, sizeof *g.sides)};
    corners = 0;
    g.vertices[0] = (lf_vec3){4e8, -3e8, 9e8};
    for (int64_t i = 0; i < count; i++) {
        g.starts[i] = corners;
        for (int64_t k = pool->starts[shapes[i]]; k < pool->starts[shapes[i] + 1]; k++, corners++) {
            g.vertices[corners + 1] = pool->vertices[pool->corners[k]];
            g.corners[corners] = corners + 1;
        }
        g.users[i] = pool->users[shapes[i]];
        g.layers[i] = pool->layers[shapes[i]];
        g.sides[i] = pool->sides[shapes[i]];
    }
    g.starts[count] = corners;
    g.polygons = (lf_polygons){.vertices = g.vertices,
                               .vertex_count = corners + 1,
                               .starts = g.starts,
                               .corners = g.corners,
                               .polygon_count = count,
                               .users = values ? g.users : NULL,
                               .layers = values ? g.layers : NULL,
                               .sides = values ? g.sides : NULL};
    return g;
}

static void take_back(given *g) {
    free(g->vertices);
    free(g->starts);
    free(g->corners);
    free(g->users);
    free(g->layers);
    free(g->sides);
}

static void list_living(bench *b) {
    b->living = 0;
    for (int64_t i = 0; i < b->count; i++)
        if (!b->gone[i])
            b->numbers[b->living++] = i;
}

// ---------------------------------------------------------------------------------------------------
// Answers
// ---------------------------------------------------------------------------------------------------

/// The same polygon, reason and values. `exactly`: the same bits; else numbers may be off by rounding.
static bool same_answer(const bench *b, const lf_hit *edited, lf_hit fresh, bool exactly) {
    if (fresh.kind != LF_HIT_NONE)
        fresh.element = b->numbers[fresh.element];
    if (exactly || fresh.kind == LF_HIT_NONE)
        return oracle_same_hit(edited, &fresh);
    lf_box box = b->pool.box;
    double extent = lf_vec3_length(lf_vec3_sub(box.high, box.low)) + lf_vec3_length(box.low);
    double slack = 4 * BRUTE_HEIGHT_TOLERANCE + 4 * BRUTE_EXTENT_TOLERANCE * extent + 1e-13 * fabs(fresh.t);
    return edited->kind == fresh.kind && edited->reason == fresh.reason && edited->element == fresh.element &&
           edited->triangle == fresh.triangle && edited->user == fresh.user &&
           edited->layers == fresh.layers && fabs(edited->t - fresh.t) <= slack &&
           lf_vec3_length(lf_vec3_sub(edited->point, fresh.point)) <= slack &&
           lf_vec3_length(lf_vec3_sub(edited->normal, fresh.normal)) <= 1e-6;
}

static void complain(const bench *b, const char *what, const lf_hit *edited, const lf_hit *fresh,
                     lf_vec3 at) {
    fprintf(stderr, "%s, frame %d, index %d, edit %lld: %s at {%a, %a, %a}\n", b->pool.name,
            (int)b->def.frame.kind, b->def.index != NULL, (long long)b->edits, what, at.x, at.y, at.z);
    fprintf(stderr, "  edited kind %d reason %d element %lld triangle %d t %a\n", (int)edited->kind,
            (int)edited->reason, (long long)edited->element, edited->triangle, edited->t);
    fprintf(stderr, "  fresh  kind %d reason %d element %lld (of the fresh mesh) triangle %d t %a\n",
            (int)fresh->kind, (int)fresh->reason, (long long)fresh->element, fresh->triangle, fresh->t);
    fail_msg("an edited mesh gives another answer");
}

static void count_reason(bench *b, const lf_hit *hit) {
    b->questions++;
    b->hits += hit->kind != LF_HIT_NONE;
    b->outside += hit->reason == LF_REASON_OUTSIDE;
    b->holes += hit->reason == LF_REASON_HOLE;
    b->none += hit->reason == LF_REASON_NONE;
}

static void compare_all(bench *b, const lf_hit *edited, int64_t edited_count, const lf_hit *fresh,
                        int64_t fresh_count, lf_vec3 at) {
    assert_int_equal(edited_count, fresh_count);
    for (int64_t i = 0; i < edited_count && i < MOST_HITS; i++)
        if (!same_answer(b, &edited[i], fresh[i], true))
            complain(b, "all", &edited[i], &fresh[i], at);
}

static void ask_heights(bench *b, const lf_ground *fresh) {
    static lf_hit all[2][MOST_HITS];
    lf_vec3 down = b->def.frame.kind == LF_FRAME_GRAVITY ? b->def.frame.down : (lf_vec3){0, 0, -1};
    lf_vec3 point = nasty_point_make(&b->pool, down, b->random);
    lf_cursor *cursor = test_random_below(b->random, 2) ? b->cursor : NULL;
    lf_hit edited, other;
    for (int up = 0; up < 2; up++) {
        lf_vertical look = up ? LF_VERTICAL_UP : LF_VERTICAL_DOWN;
        lf_status status = lf_ground_height(b->ground, point, look, &edited, cursor);
        assert_int_equal(lf_ground_height(fresh, point, look, &other, cursor), status);
        if (status != LF_OK)
            continue;
        count_reason(b, &edited);
        if (!same_answer(b, &edited, other, false))
            complain(b, up ? "above" : "below", &edited, &other, point);
    }
    int64_t counts[2];
    lf_status status = lf_ground_height_all(b->ground, point, all[0], MOST_HITS, &counts[0], cursor);
    assert_int_equal(lf_ground_height_all(fresh, point, all[1], MOST_HITS, &counts[1], cursor), status);
    if (status >= LF_OK)
        compare_all(b, all[0], counts[0], all[1], counts[1], point);
}

static void ask_rays(bench *b, const lf_ground *fresh) {
    static lf_hit all[2][MOST_HITS];
    nasty_ray_kind kind = (nasty_ray_kind)test_random_below(b->random, NASTY_RAY_KINDS);
    lf_ray ray = nasty_ray_make(kind, &b->pool, b->random);
    lf_cursor *cursor = test_random_below(b->random, 2) ? b->cursor : NULL;
    lf_hit edited, other;
    bool any[2];
    int64_t counts[2];
    lf_status status = lf_ground_ray_first(b->ground, &ray, &edited, cursor);
    assert_int_equal(lf_ground_ray_first(fresh, &ray, &other, cursor), status);
    if (status != LF_OK)
        return;
    count_reason(b, &edited);
    if (!same_answer(b, &edited, other, true))
        complain(b, nasty_ray_name(kind), &edited, &other, ray.origin);
    assert_int_equal(lf_ground_ray_any(b->ground, &ray, &any[0], cursor), LF_OK);
    assert_int_equal(lf_ground_ray_any(fresh, &ray, &any[1], cursor), LF_OK);
    assert_int_equal(any[0], any[1]);
    status = lf_ground_ray_all(b->ground, &ray, all[0], MOST_HITS, &counts[0], cursor);
    assert_int_equal(lf_ground_ray_all(fresh, &ray, all[1], MOST_HITS, &counts[1], cursor), status);
    compare_all(b, all[0], counts[0], all[1], counts[1], ray.origin);
}

static bool same_point(lf_vec3 a, lf_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void compare_infos(const lf_mesh_info *edited, const lf_mesh_info *fresh) {
    assert_int_equal(edited->polygon_count, fresh->polygon_count);
    assert_int_equal(edited->triangle_count, fresh->triangle_count);
    assert_int_equal(edited->wall_count, fresh->wall_count);
    assert_int_equal(edited->flat_count, fresh->flat_count);
    assert_true(same_point(edited->box.low, fresh->box.low) && same_point(edited->box.high, fresh->box.high));
}

static void compare(bench *b, int64_t questions) {
    int64_t shapes[MOST];
    list_living(b);
    for (int64_t i = 0; i < b->living; i++)
        shapes[i] = b->shapes[b->numbers[i]];
    given g = give(&b->pool, shapes, b->living, b->values);
    lf_mesh_def def = b->def;
    lf_mesh *mesh;
    const lf_ground *ground;
    def.polygons = g.polygons;
    assert_int_equal(lf_mesh_create(&def, &mesh, NULL), LF_OK);
    ground = lf_mesh_ground(mesh);
    lf_mesh_info edited = lf_mesh_describe(b->mesh), fresh = lf_mesh_describe(mesh);
    compare_infos(&edited, &fresh);
    assert_int_equal(edited.id_count, b->count);
    for (int64_t i = 0; i < questions; i++) {
        ask_heights(b, ground);
        ask_rays(b, ground);
    }
    lf_mesh_destroy(mesh);
    take_back(&g);
}

// ---------------------------------------------------------------------------------------------------
// Edits
// ---------------------------------------------------------------------------------------------------

static void edit(bench *b, int64_t most) {
    int64_t shapes[64], removed[64];
    test_random *random = b->random;
    lf_mesh_edit_def def = lf_mesh_edit_def_default();
    int64_t added = test_random_below(random, most + 1);
    list_living(b);
    def.remove_count = test_random_below(random, most + 1);
    if (b->living > 150) // now and then nearly everything goes
        def.remove_count = test_random_below(random, 4) == 0 ? 60 : def.remove_count;
    def.remove_count = def.remove_count < b->living ? def.remove_count : b->living;
    if (def.remove_count == b->living && added == 0)
        added = 1;
    for (int64_t i = 0; i < def.remove_count; i++) {
        int64_t k = i + test_random_below(random, b->living - i), number = b->numbers[k];
        b->numbers[k] = b->numbers[i];
        b->numbers[i] = removed[i] = number;
        b->gone[number] = true;
    }
    for (int64_t i = 0; i < added; i++) {
        shapes[i] = test_random_below(random, b->pool.polygon_count);
        b->shapes[b->count + i] = shapes[i];
        b->gone[b->count + i] = false;
    }
    given g = give(&b->pool, shapes, added, b->values);
    def.add = g.polygons;
    def.remove = removed;
    lf_mesh_edit_result edited;
    lf_error error;
    if (lf_mesh_edit(b->mesh, &def, &edited, &error) != LF_OK)
        fail_msg("%s: %s", b->pool.name, error.text);
    assert_int_equal(edited.first, b->count);
    b->count += added;
    b->rebuilt += edited.rebuilt;
    b->edits++;
    take_back(&g);
}

/// Edits that are refused, and change nothing.
static void edit_badly(bench *b) {
    lf_mesh_edit_def def = lf_mesh_edit_def_default();
    lf_error error;
    int64_t shapes[2] = {0, 1}, removed[3] = {b->numbers[0], b->count, b->numbers[0]};
    given g = give(&b->pool, shapes, 2, true);
    g.vertices[g.corners[g.starts[1]]].x = NAN;
    def.add = g.polygons;
    def.remove = removed;
    def.remove_count = 1;
    assert_int_equal(lf_mesh_edit(b->mesh, &def, NULL, &error), LF_BAD_GEOMETRY);
    assert_int_equal(error.where, 1);
    def.add.polygon_count = 0;
    def.remove_count = 2;
    assert_int_equal(lf_mesh_edit(b->mesh, &def, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 1);
    removed[1] = b->numbers[b->living - 1];
    def.remove_count = b->living > 1 ? 3 : 1;
    assert_int_equal(lf_mesh_edit(b->mesh, &def, NULL, &error),
                     b->living > 1 ? LF_BAD_ARGUMENT : LF_BAD_GEOMETRY);
    take_back(&g);
}

static void compact(bench *b) {
    int64_t map[MOST], next = 0;
    assert_int_equal(lf_mesh_compact(b->mesh, map, b->count - 1, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_mesh_compact(b->mesh, map, MOST, NULL), LF_OK);
    for (int64_t i = 0; i < b->count; i++) {
        assert_int_equal(map[i], b->gone[i] ? -1 : next);
        if (!b->gone[i])
            b->shapes[next++] = b->shapes[i];
    }
    b->count = next;
    memset(b->gone, 0, sizeof b->gone);
}

/// A mesh of one kind in one frame through many edits.
static void run(nasty_mesh_kind kind, lf_frame frame, const lf_mesh_index *index, int64_t edits,
                test_random *random, bench *sums) {
    static bench b;
    b = (bench){.def = lf_mesh_def_default(), .random = random};
    nasty_mesh_make(&b.pool, kind, POOL, test_random_below(random, 2), random);
    b.def.frame = frame;
    b.def.index = index;
    lf_quadtree_def quadtree = lf_quadtree_def_default();
    b.def.index_def = &quadtree;
    quadtree.max_polygons = 1 + test_random_below(random, 12);
    quadtree.max_depth =
        (int)test_random_below(random, 8); // no deeper: the trees of the oracle take their time
    quadtree.cut = (lf_quadtree_cut)test_random_below(random, 5);
    quadtree.turn = test_random_below(random, 2);
    b.count = 1 + test_random_below(random, 60);
    for (int64_t i = 0; i < b.count; i++)
        b.shapes[i] = test_random_below(random, b.pool.polygon_count);
    b.values = test_random_below(random, 2);
    b.def.compact = test_random_below(random, 3) == 0;
    given g = give(&b.pool, b.shapes, b.count, b.values);
    b.def.polygons = g.polygons;
    assert_int_equal(lf_mesh_create(&b.def, &b.mesh, NULL), LF_OK);
    b.ground = lf_mesh_ground(b.mesh);
    assert_int_equal(lf_cursor_create(NULL, &b.cursor), LF_OK);
    lf_cursor_set_layers(b.cursor, 1);
    take_back(&g);
    for (int64_t i = 0; i < edits; i++) {
        edit(&b, i % 16 == 0 ? 40 : 3);
        if (i % 8 == 0) {
            list_living(&b);
            edit_badly(&b);
        }
        if (i % 64 == 63 || b.count > MOST - 100)
            compact(&b);
        compare(&b, 12);
    }
    sums->questions += b.questions, sums->edits += b.edits, sums->rebuilt += b.rebuilt, sums->hits += b.hits;
    sums->outside += b.outside, sums->holes += b.holes, sums->none += b.none;
    lf_cursor_destroy(b.cursor);
    lf_mesh_destroy(b.mesh);
    nasty_mesh_free(&b.pool);
}

static void report(const char *name, const bench *sums) {
    print_message(
        "%s: %lld edits, %lld rebuilt; %lld questions: %lld hits, %lld outside, %lld holes, %lld none\n",
        name, (long long)sums->edits, (long long)sums->rebuilt, (long long)sums->questions,
        (long long)sums->hits, (long long)sums->outside, (long long)sums->holes, (long long)sums->none);
    assert_true(sums->hits > sums->questions / 50 && sums->edits > 0);
}

static void all_kinds(const char *name, const lf_mesh_index *index, int frame_kind, int64_t salt) {
    static bench sums;
    sums = (bench){.edits = 0};
    test_random random = test_random_start((uint64_t)salt);
    for (int kind = 0; kind < NASTY_MESH_KINDS; kind++) {
        lf_frame frame = lf_mesh_def_default().frame;
        lf_vec3 at = nasty_real_vec(20, &random), along = nasty_real_vec(1, &random);
        if (frame_kind == 1)
            assert_int_equal(
                lf_frame_gravity(test_random_below(&random, 2) ? along : (lf_vec3){1, -2, -2}, &frame),
                LF_OK);
        if (frame_kind == 2)
            assert_int_equal(lf_frame_centre(at, &frame), LF_OK);
        if (frame_kind == 3)
            assert_int_equal(lf_frame_axis(at, along, test_random_below(&random, 2), &frame), LF_OK);
        run((nasty_mesh_kind)kind, frame, index, test_long() ? 600 : 40, &random, &sums);
    }
    report(name, &sums);
}

static void nest_down(void **state) {
    (void)state;
    all_kinds("nest, down is -z", NULL, 0, 0xed17);
}

static void nest_askew(void **state) {
    (void)state;
    all_kinds("nest, askew", NULL, 1, 0xed18);
}

static void tree_centre(void **state) {
    (void)state;
    all_kinds("tree, around a centre", NULL, 2, 0xed19);
}

static void tree_axis(void **state) {
    (void)state;
    all_kinds("tree, around an axis", NULL, 3, 0xed1a);
}

static void quadtree_down(void **state) {
    (void)state;
    all_kinds("quadtree, down is -z", lf_quadtree_index(), 0, 0xed1b);
}

static void quadtree_askew(void **state) {
    (void)state;
    all_kinds("quadtree, askew", lf_quadtree_index(), 1, 0xed1c);
}

static void quadtree_centre(void **state) {
    (void)state;
    all_kinds("quadtree, around a centre", lf_quadtree_index(), 2, 0xed1d);
}

static void quadtree_axis(void **state) {
    (void)state;
    all_kinds("quadtree, around an axis", lf_quadtree_index(), 3, 0xed1e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nest_down),       cmocka_unit_test(nest_askew),    cmocka_unit_test(tree_centre),
        cmocka_unit_test(tree_axis),       cmocka_unit_test(quadtree_down), cmocka_unit_test(quadtree_askew),
        cmocka_unit_test(quadtree_centre), cmocka_unit_test(quadtree_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
