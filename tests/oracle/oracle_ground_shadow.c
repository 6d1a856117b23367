// Shadows against every polygon in rational numbers: lit is what has no polygon strictly between it and the
// light.
#include "brute.h"
#include <landfall/ground.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tally {
    int64_t asked, lit, dark, wrong;
} tally;

/// The ray from a point to the light.
static lf_ray ray_to(lf_light light, lf_vec3 p) {
    if (light.kind == LF_LIGHT_POINT)
        return lf_ray_between(p, light.vector);
    return lf_ray_towards(p, lf_vec3_scale(light.vector, -1));
}

static bool expected_lit(const nasty_mesh *mesh, lf_light light, lf_vec3 p, brute_hit *space) {
    brute_question question = {
        .mesh = mesh, .ray = ray_to(light, p), .layers = ~0u, .across = true, .both_sides = true};
    brute_answer answer = {.hits = space};
    brute_ask(&question, &answer);
    for (int64_t i = 0; i < answer.count; i++)
        if (answer.hits[i].t > 0 && (light.kind == LF_LIGHT_DIRECTION || answer.hits[i].t < 1 - 1e-13))
            return false;
    return true;
}

static lf_vec3 any_vector(test_random *random, bool whole) {
    lf_vec3 v;
    v.x = test_random_between(random, -5, 5);
    v.y = test_random_between(random, -5, 5);
    v.z = test_random_between(random, -6, -1);
    return whole ? (lf_vec3){floor(v.x), floor(v.y), floor(v.z)} : v;
}

/// A light from far away, or a lamp somewhere over the mesh; often with whole numbers, so that edges are met exactly.
static lf_light any_light(const nasty_mesh *mesh, test_random *random) {
    bool whole = test_random_below(random, 2);
    if (test_random_below(random, 2))
        return lf_light_along(any_vector(random, whole));
    lf_vec3 place = lf_vec3_along(lf_box_centre(mesh->box), -3, any_vector(random, false));
    place.z += mesh->box.high.z - mesh->box.low.z;
    if (whole)
        place = (lf_vec3){floor(place.x), floor(place.y), floor(place.z)};
    return lf_light_at(place);
}

static void oracle_light(const nasty_mesh *mesh, lf_light light, brute_hit *space, test_random *random,
                         tally *count) {
    lf_shadow_def def = lf_shadow_def_default();
    lf_shadow *shadow;
    def.polygons = nasty_mesh_polygons(mesh);
    def.light = light;
    def.skin = 0;
    assert_int_equal(lf_shadow_create(&def, &shadow, NULL), LF_OK);
    for (int i = 0; i < 60; i++) {
        lf_vec3 p = nasty_point_make(mesh, (lf_vec3){0, 0, -1}, random);
        if (light.kind == LF_LIGHT_POINT && lf_vec3_length(lf_vec3_sub(p, light.vector)) == 0)
            continue;
        bool lit, wanted = expected_lit(mesh, light, p, space);
        lf_hit by;
        assert_int_equal(lf_shadow_at(shadow, p, &lit, &by, NULL), LF_OK);
        count->asked++;
        count->lit += wanted;
        count->dark += !wanted;
        if (lit != wanted && count->wrong++ == 0)
            printf("%s, light kind %d {%.17g, %.17g, %.17g}: {%.17g, %.17g, %.17g} is %s by %lld at %.17g\n",
                   mesh->name, light.kind, light.vector.x, light.vector.y, light.vector.z, p.x, p.y, p.z,
                   lit ? "lit" : "dark", (long long)by.element, by.t);
    }
    lf_shadow_destroy(shadow);
}

static void shadows_are_those_of_the_definition(void **state) {
    (void)state;
    static const nasty_mesh_kind kinds[] = {NASTY_SOUP,    NASTY_GRID,   NASTY_FLAT_GRID, NASTY_SLIVERS,
                                            NASTY_STACKED, NASTY_FLOORS, NASTY_WALLS,     NASTY_BOXES,
                                            NASTY_FANS,    NASTY_NGONS};
    test_random random = test_random_start(701);
    tally count = {0};
    for (int round = 0; round < (test_long() ? 40 : 2); round++) {
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            nasty_mesh mesh;
            nasty_mesh_make(&mesh, kinds[k], 40, true, &random);
            brute_hit *space = malloc((size_t)(mesh.polygon_count + 1) * sizeof *space);
            assert_non_null(space);
            for (int i = 0; i < 3; i++)
                oracle_light(&mesh, any_light(&mesh, &random), space, &random, &count);
            free(space);
            nasty_mesh_free(&mesh);
        }
    }
    printf("%lld points, %lld lit, %lld dark, %lld wrong\n", (long long)count.asked, (long long)count.lit,
           (long long)count.dark, (long long)count.wrong);
    assert_int_equal(count.wrong, 0);
    assert_true(count.lit * 10 > count.asked && count.dark * 10 > count.asked);
}

/// A shadow of a lamp, and the same polygons as a mesh with its centre in the lamp, which the box tree answers.
typedef struct lamp_pair {
    lf_shadow_def def;
    lf_shadow *shadow;
    lf_mesh *tree;
    int64_t asked, dark;
} lamp_pair;

static bool faces_edge_on(const lamp_pair *pair, int64_t polygon) {
    const lf_polygons *all = &pair->def.polygons;
    int64_t first = all->starts ? all->starts[polygon] : 3 * polygon;
    const int64_t *corner = all->corners + first;
    return lf_orient3d(all->vertices[corner[0]], all->vertices[corner[1]], all->vertices[corner[2]],
                       pair->def.light.vector) == 0;
}

static void ask_both(lamp_pair *pair, lf_vec3 p, lf_cursor *cursor) {
    double way = lf_vec3_length(lf_vec3_sub(pair->def.light.vector, p)), skin = pair->def.skin;
    lf_frame frame = lf_ground_frame(lf_mesh_ground(pair->tree));
    lf_hit by, hit;
    bool lit;
    if (!(way > skin))
        return;
    lf_vec3 start = lf_vec3_along(p, skin, lf_frame_down(&frame, p));
    assert_int_equal(lf_shadow_at(pair->shadow, p, &lit, &by, cursor), LF_OK);
    assert_int_equal(lf_ground_height(lf_mesh_ground(pair->tree), start, LF_VERTICAL_DOWN, &hit, NULL),
                     LF_OK);
    bool blocked = hit.kind != LF_HIT_NONE && hit.t + skin < way * (1 - 1e-14);
    // The start is rounded: from there even a polygon whose plane holds the lamp, which casts no shadow, can
    // be met.
    if (blocked && faces_edge_on(pair, hit.element))
        return;
    assert_int_equal(lit, !blocked);
    if (blocked)
        assert_true(by.element == hit.element && by.triangle == hit.triangle && by.t == hit.t + skin);
    pair->asked++;
    pair->dark += !lit;
}

static lf_vec3 lamp_near(const nasty_mesh *mesh, int number, test_random *random) {
    lf_vec3 size = lf_vec3_sub(mesh->box.high, mesh->box.low);
    if (number == 2)
        return mesh->vertices[0]; // in the polygons
    return (lf_vec3){mesh->box.low.x + size.x * test_random_between(random, -0.2, 1.2),
                     mesh->box.low.y + size.y * test_random_between(random, -0.2, 1.2),
                     mesh->box.low.z + size.z * test_random_between(random, -0.2, number == 0 ? 3 : 1.2)};
}

/// Many polygons around a lamp, which may be among them: by direction and by the box tree, the same polygon at the same distance.
static void lamps_are_those_of_the_box_tree(void **state) {
    (void)state;
    static const nasty_mesh_kind kinds[] = {NASTY_SOUP,  NASTY_GRID, NASTY_SLIVERS, NASTY_FLOORS,
                                            NASTY_BOXES, NASTY_FANS, NASTY_NGONS};
    test_random random = test_random_start(702);
    lamp_pair pair = {.asked = 0};
    lf_cursor *cursor;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    for (int round = 0; round < (test_long() ? 200 : 14); round++) {
        nasty_mesh mesh;
        nasty_mesh_make(&mesh, kinds[round % 7], 3000, round % 2 == 0, &random);
        for (int i = 0; i < 3; i++) {
            lf_mesh_def around = lf_mesh_def_default();
            pair.def = lf_shadow_def_default();
            pair.def.polygons = around.polygons = nasty_mesh_polygons(&mesh);
            around.polygons.sides = NULL;
            pair.def.light = lf_light_at(lamp_near(&mesh, i, &random));
            assert_int_equal(lf_frame_centre(pair.def.light.vector, &around.frame), LF_OK);
            assert_int_equal(lf_shadow_create(&pair.def, &pair.shadow, NULL), LF_OK);
            assert_int_equal(lf_mesh_create(&around, &pair.tree, NULL), LF_OK);
            for (int n = 0; n < 300; n++)
                ask_both(&pair, nasty_point_make(&mesh, (lf_vec3){0, 0, -1}, &random), cursor);
            lf_mesh_destroy(pair.tree);
            lf_shadow_destroy(pair.shadow);
        }
        nasty_mesh_free(&mesh);
    }
    lf_counters cost = lf_cursor_counters(cursor);
    double each = 1 / (double)pair.asked;
    printf("%lld points, %lld dark; per point %.2f cells, %.1f triangles, %.3f nodes of the box tree\n",
           (long long)pair.asked, (long long)pair.dark, each * (double)cost.cells,
           each * (double)cost.triangles, each * (double)cost.nodes);
    assert_true(10 * pair.dark > pair.asked && 100 * cost.nodes < (uint64_t)pair.asked);
    lf_cursor_destroy(cursor);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shadows_are_those_of_the_definition),
                                       cmocka_unit_test(lamps_are_those_of_the_box_tree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
