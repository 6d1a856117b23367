/// Moving points, faces and edges: the published queries with their answers, and made ones whose answers rational numbers give.
#include "geom/touch.h"
#include "support.h"
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct query {
    lf_vec3 start[4], end[4];
} query;

static lf_meeting ask(const query *q, bool edges) {
    lf_meeting meeting;
    lf_status status = edges ? lf_contact_edges(q->start, q->end, &meeting)
                             : lf_contact_point_face(q->start, q->end, &meeting);
    assert_int_equal(status, LF_OK);
    assert_true(meeting.time >= 0 && meeting.time <= 1);
    return meeting;
}

// ---------------------------------------------------------------------------------------------------
// The published ones
// ---------------------------------------------------------------------------------------------------

/// A numerator, a comma, a denominator; the number is a double.
static double read_number(char **text) {
    mpq_t number;
    mpq_init(number);
    char *comma = strchr(*text, ',');
    assert_non_null(comma);
    char *end = strchr(comma + 1, ',');
    assert_non_null(end);
    *comma = *end = 0;
    assert_int_equal(mpz_set_str(mpq_numref(number), *text, 10), 0);
    assert_int_equal(mpz_set_str(mpq_denref(number), comma + 1, 10), 0);
    mpq_canonicalize(number);
    double value = mpq_get_d(number);
    mpq_t back;
    mpq_init(back);
    mpq_set_d(back, value);
    assert_true(mpq_equal(back, number));
    mpq_clear(back);
    mpq_clear(number);
    *text = end + 1;
    return value;
}

static bool read_row(FILE *file, lf_vec3 *at, bool *truth) {
    char line[1024], *text = line;
    if (!fgets(line, sizeof line, file))
        return false;
    at->x = read_number(&text);
    at->y = read_number(&text);
    at->z = read_number(&text);
    *truth = *text == '1';
    return true;
}

static void check_file(const char *relative, bool edges, int64_t expected) {
    const char *path = test_data(relative);
    if (!path)
        skip();
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int64_t count = 0;
    query q;
    for (;; count++) {
        bool truth = false, more = true;
        for (int i = 0; i < 8 && more; i++)
            more = read_row(file, i < 4 ? &q.start[i] : &q.end[i - 4], &truth);
        if (!more)
            break;
        lf_meeting meeting = ask(&q, edges);
        if (meeting.meets != truth)
            fail_msg("%s, query %lld: %d instead of %d", relative, (long long)count, meeting.meets, truth);
    }
    fclose(file);
    assert_int_equal(count, expected);
}

static void published_points(void **state) {
    (void)state;
    check_file("models/ccd-unit-tests/vertex-face/data_0_0.csv", false, 125);
    check_file("models/ccd-unit-tests/vertex-face/data_0_1.csv", false, 125);
}

static void published_edges(void **state) {
    (void)state;
    check_file("models/ccd-unit-tests/edge-edge/data_0_0.csv", true, 54);
    check_file("models/ccd-unit-tests/edge-edge/data_0_1.csv", true, 20);
}

// ---------------------------------------------------------------------------------------------------
// Made ones: whole numbers, so that places at dyadic times are exact
// ---------------------------------------------------------------------------------------------------

static lf_vec3 whole_vector(test_random *random, int64_t most) {
    return (lf_vec3){(double)(test_random_below(random, 2 * most + 1) - most),
                     (double)(test_random_below(random, 2 * most + 1) - most),
                     (double)(test_random_below(random, 2 * most + 1) - most)};
}

static void place_at(const query *q, double t, lf_vec3 at[4]) {
    for (int i = 0; i < 4; i++)
        at[i] = lf_vec3_along(q->start[i], t, lf_vec3_sub(q->end[i], q->start[i]));
}

/// Do they touch where they are? Points and edges are triangles without area; the judge is exact.
static bool touch_at(const query *q, bool edges, double t) {
    lf_vec3 at[4];
    place_at(q, t, at);
    lf_vec3 first[3] = {at[0], edges ? at[1] : at[0], at[0]};
    lf_vec3 second[3] = {edges ? at[2] : at[1], edges ? at[3] : at[2], edges ? at[2] : at[3]};
    return lf__triangles_touch(first, second);
}

enum { SAMPLES = 64 };

/// What samples show is found, and not later; where nothing is found no sample shows anything.
static void check_samples(const query *q, bool edges) {
    lf_meeting meeting = ask(q, edges);
    for (int i = 0; i <= SAMPLES; i++) {
        double t = (double)i / SAMPLES;
        if (!touch_at(q, edges, t))
            continue;
        assert_true(meeting.meets);
        assert_true(meeting.time <= t);
        break;
    }
}

static void sampled(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    for (int64_t i = 0; i < test_rounds(800); i++) {
        query q;
        int64_t most = 1 + test_random_below(&random, 4); // few numbers: much is degenerate
        for (int k = 0; k < 4; k++) {
            q.start[k] = whole_vector(&random, most);
            q.end[k] = test_random_below(&random, 3) == 0 ? q.start[k] : whole_vector(&random, most);
        }
        check_samples(&q, i % 2);
    }
}

/// Four points that are at a meeting at some dyadic time, and anywhere else before and after.
static void met_by_design(void **state) {
    (void)state;
    test_random random = test_random_start(2);
    for (int64_t i = 0; i < test_rounds(600); i++) {
        bool edges = i % 2;
        query q;
        lf_vec3 at[4], speed;
        for (int k = 1; k < 4; k++)
            at[k] = lf_vec3_scale(whole_vector(&random, 50), 64);
        // weights of eighths: on a corner, on an edge, inside
        double u = (double)test_random_below(&random, 9) / 8, v = (double)test_random_below(&random, 9) / 8;
        if (!edges && u + v > 1)
            u = 1 - u, v = 1 - v;
        if (edges) { // the first edge passes through a point of the second
            lf_vec3 point = lf_vec3_along(at[2], u, lf_vec3_sub(at[3], at[2]));
            at[1] = lf_vec3_add(point, lf_vec3_scale(whole_vector(&random, 9), 8 * v));
            at[0] = lf_vec3_sub(point, lf_vec3_sub(at[1], point));
        } else {
            at[0] = lf_vec3_along(lf_vec3_along(at[1], u, lf_vec3_sub(at[2], at[1])), v,
                                  lf_vec3_sub(at[3], at[1]));
        }
        double t = (double)test_random_below(&random, 9) / 8;
        for (int k = 0; k < 4; k++) {
            speed = lf_vec3_scale(whole_vector(&random, 50), 8);
            q.start[k] = lf_vec3_along(at[k], -t, speed);
            q.end[k] = lf_vec3_along(at[k], 1 - t, speed);
        }
        assert_true(touch_at(&q, edges, t));
        lf_meeting meeting = ask(&q, edges);
        assert_true(meeting.meets);
        assert_true(meeting.time <= t);
    }
}

/// A plane between them, at start and end and so always: as near as whole numbers can be.
static void never_by_design(void **state) {
    (void)state;
    test_random random = test_random_start(3);
    for (int64_t i = 0; i < test_rounds(600); i++) {
        bool edges = i % 2;
        lf_vec3 normal = whole_vector(&random, 20);
        normal.z = 1 + (double)test_random_below(&random, 3);
        query q;
        for (int k = 0; k < 8; k++) {
            lf_vec3 *p = k < 4 ? &q.start[k] : &q.end[k - 4];
            bool above = k % 4 < (edges ? 2 : 1);
            *p = whole_vector(&random, 100000);
            // move along z until it is just on its side of the plane normal . p = 0.5
            double along = normal.x * p->x + normal.y * p->y;
            p->z = above ? floor(-along / normal.z) + 1 : ceil(-along / normal.z) - (normal.z > 1 ? 1 : 0);
            assert_true(above == (along + normal.z * p->z > 0.5));
        }
        lf_meeting meeting = ask(&q, edges);
        assert_false(meeting.meets);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_points), cmocka_unit_test(published_edges), cmocka_unit_test(sampled),
        cmocka_unit_test(met_by_design),    cmocka_unit_test(never_by_design),
    };
    return cmocka_run_group_tests_name("oracle_scene_points", tests, NULL, NULL);
}
