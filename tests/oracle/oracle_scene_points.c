/// Moving points, faces and edges: the published queries with their answers, and made ones whose answers rational numbers give.
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(published_points), cmocka_unit_test(published_edges)};
    return cmocka_run_group_tests_name("oracle_scene_points", tests, NULL, NULL);
}
