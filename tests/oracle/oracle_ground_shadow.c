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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shadows_are_those_of_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
