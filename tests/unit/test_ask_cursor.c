#include "query/query.h"
#include "support.h"

static lf_status make_cursor(const lf_host *host, void *user) {
    (void)user;
    lf_cursor *cursor;
    lf_status status = lf_cursor_create(host, &cursor);
    if (status == LF_OK)
        lf_cursor_destroy(cursor);
    return status;
}

static void cursors_count_and_reset(void **state) {
    (void)state;
    lf_cursor *cursor;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    lf_counters cost = {1, 2, 3, 4, 5, 6};
    lf__cursor_count(cursor, &cost);
    lf__cursor_count(cursor, &cost);
    lf__cursor_count(NULL, &cost);
    lf_counters sum = lf_cursor_counters(cursor);
    assert_int_equal(sum.questions, 2);
    assert_int_equal(sum.nodes, 4);
    assert_int_equal(sum.cells, 6);
    assert_int_equal(sum.triangles, 8);
    assert_int_equal(sum.exact, 10);
    assert_int_equal(sum.decoded, 12);
    assert_int_equal(lf_cursor_set_budget(cursor, 0), LF_OK);
    assert_int_equal(lf_cursor_set_budget(cursor, 4096), LF_OK);
    lf_cursor_reset(cursor);
    assert_int_equal(lf_cursor_counters(cursor).nodes, 0);
    assert_int_equal(lf__cursor_layers(cursor), UINT32_MAX);
    lf_cursor_set_layers(cursor, 6);
    assert_int_equal(lf__cursor_layers(cursor), 6);
    assert_int_equal(lf__cursor_layers(NULL), UINT32_MAX);
    lf_cursor_destroy(cursor);
    lf_cursor_destroy(NULL);
    assert_int_equal(lf_cursor_create(NULL, NULL), LF_BAD_ARGUMENT);
    test_out_of_memory(make_cursor, NULL);
}

static void bad_rays_are_known(void **state) {
    (void)state;
    const lf_ray good = lf_ray_between((lf_vec3){1, 2, 3}, (lf_vec3){4, 5, 6});
    assert_true(lf__ray_valid(&good));
    assert_int_equal((int)good.t_max, 1);
    const lf_ray endless = lf_ray_towards((lf_vec3){1, 2, 3}, (lf_vec3){0, 0, 1});
    assert_true(lf__ray_valid(&endless));
    lf_ray bad[9] = {good, good, good, good, good, good, good, good, good};
    bad[0].origin.x = NAN;
    bad[1].origin.y = INFINITY;
    bad[2].direction.z = NAN;
    bad[3].direction = (lf_vec3){0, 0, 0};
    bad[4].t_min = -1;
    bad[5].t_min = 2;
    bad[6].t_max = NAN;
    bad[7].t_min = INFINITY;
    bad[7].t_max = INFINITY;
    bad[8].origin.z = 1e31;
    for (int i = 0; i < 9; i++)
        assert_false(lf__ray_valid(&bad[i]));
    assert_false(lf__ray_valid(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cursors_count_and_reset),
        cmocka_unit_test(bad_rays_are_known),
    };
    return cmocka_run_group_tests_name("ask", tests, NULL, NULL);
}
