// Containment and borders of locales against the definition: inside by all heights, and every one of many
// points along a segment has to be where the crossings say it is.
#include "nasty.h"
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 400
#define CROSSINGS 4096

static test_place make_place(const nasty_mesh *mesh, const lf_frame *frame) {
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = nasty_mesh_polygons(mesh);
    def.frame = *frame;
    return test_place_make(&def);
}

static void drop_place(test_place p) {
    lf_mesh_destroy(p.mesh);
}

/// The least and the greatest t of all heights over a point; false: there is none.
static bool extremes(const lf_ground *ground, lf_vec3 p, double *top, double *bottom) {
    static lf_hit hits[4096];
    int64_t count;
    assert_int_equal(lf_ground_height_all(ground, p, hits, 4096, &count, NULL), LF_OK);
    if (count == 0)
        return false;
    *top = hits[0].t;
    *bottom = hits[count - 1].t;
    return true;
}

static bool defined_inside(const lf_ground *floor, const lf_ground *ceiling, lf_vec3 p) {
    double floor_top, floor_bottom, ceiling_top, ceiling_bottom;
    if (!extremes(floor, p, &floor_top, &floor_bottom) ||
        !extremes(ceiling, p, &ceiling_top, &ceiling_bottom))
        return false;
    bool both = floor_bottom >= 0 && ceiling_top <= 0;
    return both && (floor != ceiling || floor_top < floor_bottom);
}

typedef struct tally {
    int64_t points, inside, moves, crossings, samples, wrong;
} tally;

static lf_vec3 any_point(const nasty_mesh *mesh, test_random *random) {
    lf_box b = mesh->box;
    if (test_random_below(random, 4) == 0)
        return mesh->vertices[test_random_below(random, mesh->vertex_count)];
    lf_vec3 p = {test_random_between(random, b.low.x, b.high.x),
                 test_random_between(random, b.low.y, b.high.y),
                 test_random_between(random, b.low.z, b.high.z)};
    if (test_random_below(random, 3) == 0)
        p = (lf_vec3){floor(p.x), floor(p.y), floor(p.z)};
    return p;
}

static bool said_inside(const lf_locales *locales, int64_t which, lf_vec3 p) {
    int64_t found[2], count;
    assert_int_equal(lf_locales_at(locales, p, found, 2, &count, NULL), LF_OK);
    return (count > 0 && found[0] == which) || (count > 1 && found[1] == which);
}

/// Walk along the samples with the crossings in the other hand.
static void oracle_move(const lf_locales *locales, int64_t which, lf_vec3 from, lf_vec3 to,
                        const lf_crossing *list, int64_t count, tally *tally) {
    bool state = said_inside(locales, which, from);
    int64_t next = 0;
    for (int i = 1; i < SAMPLES; i++) {
        double t = (double)i / SAMPLES;
        bool near = false;
        for (; next < count && list[next].t <= t; next++) {
            if (list[next].locale != which)
                continue;
            state = list[next].entering;
            near |= t - list[next].t < 1e-9;
        }
        for (int64_t k = next; k < count && list[k].t - t < 1e-9; k++)
            near = true;
        if (near)
            continue;
        tally->samples++;
        if (said_inside(locales, which, lf_vec3_along(from, t, lf_vec3_sub(to, from))) != state &&
            tally->wrong++ == 0)
            printf("locale %lld at t %.17g of {%.17g, %.17g, %.17g} to {%.17g, %.17g, %.17g} is not %d\n",
                   (long long)which, t, from.x, from.y, from.z, to.x, to.y, to.z, state);
    }
    for (; next < count; next++)
        if (list[next].locale == which)
            state = list[next].entering;
    if (state != said_inside(locales, which, to) && tally->wrong++ == 0)
        printf("locale %lld: the crossings do not lead to the end\n", (long long)which);
}

static void oracle_points(const nasty_mesh *mesh, const test_place places[2], const lf_locales *locales,
                          test_random *random, tally *tally) {
    for (int i = 0; i < 200; i++) {
        lf_vec3 p = any_point(mesh, random);
        bool one = defined_inside(places[0].ground, places[0].ground, p);
        bool two = defined_inside(places[0].ground, places[1].ground, p);
        tally->points++;
        tally->inside += one + two;
        if ((one != said_inside(locales, 0, p) || two != said_inside(locales, 1, p)) && tally->wrong++ == 0)
            printf("%s: {%.17g, %.17g, %.17g} should be %d, %d\n", mesh->name, p.x, p.y, p.z, one, two);
    }
}

static void oracle_moves(const nasty_mesh *mesh, const lf_locales *locales, test_random *random,
                         tally *tally) {
    static lf_crossing list[CROSSINGS];
    for (int i = 0; i < 12; i++) {
        lf_vec3 from = any_point(mesh, random), to = any_point(mesh, random);
        // Off the lattice: along an edge or in a plane, one bit decides what a sample says.
        from.x += test_random_between(random, 0, 0.01);
        to.y += test_random_between(random, 0, 0.01);
        to.z += test_random_between(random, 0, 0.01);
        int64_t count;
        assert_int_equal(lf_locales_cross(locales, from, to, list, CROSSINGS, &count, NULL), LF_OK);
        tally->moves++;
        tally->crossings += count;
        for (int64_t k = 1; k < count; k++)
            tally->wrong += list[k].t < list[k - 1].t;
        for (int64_t which = 0; which < 2; which++)
            oracle_move(locales, which, from, to, list, count, tally);
    }
}

static void oracle_frame(const lf_frame *frame, uint64_t salt, const char *name) {
    static const nasty_mesh_kind kinds[] = {NASTY_SOUP,  NASTY_GRID,  NASTY_FLOORS,
                                            NASTY_BOXES, NASTY_NGONS, NASTY_FAR_GRID};
    test_random random = test_random_start(salt);
    tally tally = {0};
    for (int round = 0; round < (test_long() ? 20 : 1); round++) {
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            nasty_mesh meshes[2];
            test_place places[2];
            for (int i = 0; i < 2; i++) {
                nasty_mesh_make(&meshes[i], kinds[k], 60, false, &random);
                places[i] = make_place(&meshes[i], frame);
            }
            lf_locale list[] = {{"one", places[0].ground, NULL}, {"two", places[0].ground, places[1].ground}};
            lf_locales *locales;
            assert_int_equal(lf_locales_create(list, 2, NULL, &locales, NULL), LF_OK);
            oracle_points(&meshes[0], places, locales, &random, &tally);
            oracle_moves(&meshes[0], locales, &random, &tally);
            lf_locales_destroy(locales);
            for (int i = 0; i < 2; i++) {
                drop_place(places[i]);
                nasty_mesh_free(&meshes[i]);
            }
        }
    }
    printf("%s: %lld points (%lld inside), %lld moves, %lld crossings, %lld samples, %lld wrong\n", name,
           (long long)tally.points, (long long)tally.inside, (long long)tally.moves,
           (long long)tally.crossings, (long long)tally.samples, (long long)tally.wrong);
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.inside > 20 && tally.crossings > 20);
}

static void volumes_are_those_of_the_definition(void **state) {
    (void)state;
    lf_frame frame = lf_frame_default();
    oracle_frame(&frame, 501, "gravity -z");
    assert_int_equal(lf_frame_gravity((lf_vec3){1, 2, -3}, &frame), LF_OK);
    oracle_frame(&frame, 502, "gravity 1,2,-3");
    assert_int_equal(lf_frame_centre((lf_vec3){0.3, 0.2, -30}, &frame), LF_OK);
    oracle_frame(&frame, 503, "centre");
    assert_int_equal(lf_frame_axis((lf_vec3){1.1, 40, -30}, (lf_vec3){1, 0.3, 0.1}, true, &frame), LF_OK);
    oracle_frame(&frame, 504, "axis in");
    assert_int_equal(lf_frame_axis((lf_vec3){1.1, 40, 30}, (lf_vec3){1, 0.3, 0.1}, false, &frame), LF_OK);
    oracle_frame(&frame, 505, "axis out");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(volumes_are_those_of_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
