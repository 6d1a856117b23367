// Rays over a grid against exact rational arithmetic on the polygons of the same surface.
#include "brute.h"
#include "twin.h"
#include <stdio.h>
#include <stdlib.h>

#define MOST_POLYGONS 9000

/// Four units in the last place.
static bool near_t(double a, double b) {
    return fabs(a - b) <= 4 * 0x1p-52 * fabs(b);
}

static void print_case(const twin *twin, const lf_ray *ray, const char *what) {
    fprintf(stderr, "WRONG: %s: %s, %lld x %lld\n", what, twin->mesh.name, (long long)twin->shape.columns,
            (long long)twin->shape.rows);
    fprintf(stderr, "  origin %a %a %a direction %a %a %a t %a .. %a\n", ray->origin.x, ray->origin.y,
            ray->origin.z, ray->direction.x, ray->direction.y, ray->direction.z, ray->t_min, ray->t_max);
}

static bool is_simple(double x) {
    return fabs(x) < 1000 && x * 16 == floor(x * 16);
}

static bool is_simple_vec(lf_vec3 v) {
    return is_simple(v.x) && is_simple(v.y) && is_simple(v.z);
}

/// Quotients of small numbers: if two t are the same when rounded, they are the same.
static bool is_simple_case(const twin *twin, const lf_ray *ray) {
    return twin->shape.rise > 0 && is_simple_vec(ray->origin) && is_simple_vec(ray->direction) &&
           is_simple(ray->t_min);
}

static const char *oracle_first_hit(const twin *twin, const brute_answer *expected, const lf_hit *hit,
                                    bool simple) {
    if ((hit->kind != LF_HIT_NONE) != (expected->count > 0))
        return "hit or miss";
    if (hit->kind == LF_HIT_NONE)
        return hit->reason == LF_REASON_NONE && hit->element == -1 ? NULL : "a miss says something";
    if (!near_t(hit->t, expected->first_t))
        return "first t";
    int64_t polygon = twin_polygon_of(twin, hit), lowest = -1;
    bool tied = false;
    for (int64_t i = 0; i < expected->count; i++) {
        tied |= expected->hits[i].element == polygon && near_t(expected->hits[i].t, expected->first_t);
        if (lowest < 0 && expected->hits[i].t == expected->first_t)
            lowest = expected->hits[i].element;
    }
    if (!tied)
        return "first element";
    return polygon == lowest || !simple ? NULL : "a tie";
}

static const char *oracle_all_hits(const twin *twin, const brute_answer *expected, const lf_hit *hits,
                                   int64_t count) {
    if (count != expected->count)
        return "how many hits";
    for (int64_t k = 0; k < count; k++) {
        int64_t polygon = twin_polygon_of(twin, &hits[k]);
        const brute_hit *same = NULL;
        for (int64_t i = 0; i < expected->count; i++)
            if (expected->hits[i].element == polygon)
                same = &expected->hits[i];
        if (!same || !near_t(hits[k].t, same->t))
            return "one of all hits";
        if (k > 0 && hits[k - 1].t > hits[k].t && !near_t(hits[k - 1].t, hits[k].t))
            return "order of all hits";
    }
    return NULL;
}

static const char *oracle_one(const twin *twin, const lf_ray *ray, brute_hit *space, lf_hit *hits,
                              lf_hit *first) {
    brute_question question = {&twin->mesh, *ray, ~0u, false, false, false};
    brute_answer expected = {.hits = space};
    brute_ask(&question, &expected);
    bool any;
    int64_t count;
    assert_int_equal(lf_ground_ray_first(twin->ground, ray, first, NULL), LF_OK);
    assert_int_equal(lf_ground_ray_any(twin->ground, ray, &any, NULL), LF_OK);
    assert_int_equal(lf_ground_ray_all(twin->ground, ray, hits, MOST_POLYGONS, &count, NULL), LF_OK);
    const char *wrong = oracle_first_hit(twin, &expected, first, is_simple_case(twin, ray));
    if (!wrong && any != (expected.count > 0))
        wrong = "any";
    if (!wrong)
        wrong = oracle_all_hits(twin, &expected, hits, count);
    if (!wrong && count > 0 && !oracle_same_hit(&hits[0], first))
        wrong = "the first of all is not the first";
    return wrong;
}

static lf_ray between_samples(const twin *twin, test_random *random) {
    lf_vec3 ends[2];
    for (int k = 0; k < 2; k++) {
        int64_t at = test_random_below(random, twin->mesh.vertex_count);
        ends[k] = twin->mesh.vertices[at];
    }
    lf_ray ray = lf_ray_between(ends[0], ends[1]);
    if (ray.direction.x == 0 && ray.direction.y == 0 && ray.direction.z == 0)
        ray.direction.z = -1;
    if (test_random_below(random, 2))
        ray.t_max = LF_INFINITY;
    return ray;
}

/// One bit or a few off what it was.
static lf_ray disturbed(lf_ray ray, test_random *random) {
    if (test_random_below(random, 2))
        ray.direction = nasty_nudge(ray.direction, random);
    else
        ray.origin = nasty_nudge(ray.origin, random);
    return ray;
}

static int64_t oracle_twin(const twin *twin, int64_t count, test_random *random) {
    brute_hit *space = malloc(MOST_POLYGONS * sizeof *space);
    lf_hit *hits = malloc(MOST_POLYGONS * sizeof *hits);
    int64_t met = 0;
    assert_true(space && hits && twin->mesh.polygon_count <= MOST_POLYGONS);
    for (int64_t k = 0; k < count; k++) {
        lf_ray ray = k % 4 == 0 ? between_samples(twin, random)
                                : nasty_ray_make((nasty_ray_kind)test_random_below(random, NASTY_RAY_KINDS),
                                                 &twin->mesh, random);
        if (k % 8 == 4)
            ray = disturbed(ray, random);
        lf_hit first;
        const char *wrong = oracle_one(twin, &ray, space, hits, &first);
        met += first.kind != LF_HIT_NONE;
        if (!wrong && first.kind != LF_HIT_NONE && first.t > 0 && k % 4 == 1) {
            double end = test_random_below(random, 2) ? first.t : nextafter(first.t, 0);
            if (end >= ray.t_min)
                ray.t_max = end;
            wrong = oracle_one(twin, &ray, space, hits, &first);
        }
        if (wrong) {
            print_case(twin, &ray, wrong);
            fprintf(stderr, "  said: %lld/%d t %a\n", (long long)first.element, (int)first.triangle, first.t);
            fail_msg("%s", wrong);
        }
    }
    free(hits);
    free(space);
    return met;
}

static void oracle_surface(lf_surface surface, uint64_t salt) {
    test_random random = test_random_start(salt);
    int64_t met = 0;
    for (int round = 0; round < (test_long() ? 400 : 12); round++) {
        twin twin;
        twin_shape shape = twin_any_shape(surface, &random);
        twin_make(&twin, &shape, &random);
        met += oracle_twin(&twin, 200, &random);
        twin_free(&twin);
    }
    assert_true(met > 100);
}

static void falling(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_FALLING, 4001);
}

static void rising(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_RISING, 4002);
}

static void alternating(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_ALTERNATING, 4003);
}

static void samples(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_POINT, 4004);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling),
        cmocka_unit_test(rising),
        cmocka_unit_test(alternating),
        cmocka_unit_test(samples),
    };
    return cmocka_run_group_tests_name("grid: rays", tests, NULL, NULL);
}
