// Many observers: how many see a sample, and who, against each of them alone; who sees whom against exact
// lines.
#include "viewshed_scene.h"
#include <stdlib.h>
#include <string.h>

static bool one_in(test_random *random, int64_t count) {
    return test_random_below(random, count) == 0;
}

enum { OBSERVERS = 11 };

static void oracle_observers(grid_oracle *oracle, viewshed_scene *scene, const lf_observer *observers) {
    const lf_grid *grid = scene->bench.best.grid;
    size_t count = (size_t)scene->count;
    uint8_t *seen = test_space(scene->count, 1), *planes = test_space(2 * scene->count, 1);
    uint32_t *counts = test_space(scene->count, sizeof *counts);
    uint32_t *expected = test_space(scene->count, sizeof *expected);
    lf_tasks tasks = test_tasks(3);
    scene->def.host.tasks = &tasks;
    memset(expected, 0, count * sizeof *expected);
    assert_int_equal(lf_viewshed_count(lf_grid_ground(grid), &scene->def, observers, OBSERVERS,
                                       viewshed_scene_window(scene), counts, 0, NULL, NULL),
                     LF_OK);
    assert_int_equal(lf_viewshed_who(lf_grid_ground(grid), &scene->def, observers, OBSERVERS,
                                     viewshed_scene_window(scene), planes, NULL, NULL),
                     LF_OK);
    for (int k = 0; k < OBSERVERS; k++) {
        scene->observer = observers[k];
        viewshed_scene_seen(scene, seen, NULL);
        for (int64_t sample = 0; sample < scene->count; sample++) {
            bool sees = seen[sample] == LF_VISIBILITY_VISIBLE;
            bool bit = (planes[(size_t)(k / 8) * count + (size_t)sample] >> (k % 8)) & 1;
            expected[sample] += sees;
            if (bit != sees)
                viewshed_scene_wrong(oracle, scene, sample, "who: not what one observer sees", k);
        }
    }
    for (int64_t sample = 0; sample < scene->count; sample++) {
        oracle->questions++;
        int64_t columns = scene->bench.exact.columns;
        bool bare = exact_grid_bare(&scene->bench.exact, sample % columns, sample / columns);
        uint32_t wanted = bare ? UINT32_MAX : expected[sample];
        if (counts[sample] != wanted)
            viewshed_scene_wrong(oracle, scene, sample, "count: not how many see it", (double)counts[sample]);
    }
    free(expected);
    free(counts);
    free(planes);
    free(seen);
}

static void oracle_matrix(grid_oracle *oracle, viewshed_scene *scene, const lf_vec3 *points) {
    uint8_t verdicts[OBSERVERS * OBSERVERS], again[OBSERVERS * OBSERVERS];
    lf_tasks tasks = test_tasks(3);
    const lf_ground *ground = scene->bench.best.ground;
    assert_int_equal(lf_sight_matrix(ground, &scene->def.rules, points, OBSERVERS, verdicts, NULL), LF_OK);
    assert_int_equal(lf_sight_matrix(ground, &scene->def.rules, points, OBSERVERS, again, &tasks), LF_OK);
    assert_memory_equal(verdicts, again, sizeof verdicts);
    for (int i = 0; i < OBSERVERS; i++)
        for (int j = 0; j < OBSERVERS; j++) {
            nasty_sight asked = {NASTY_SIGHT_POSTS, points[i], points[j], scene->def.rules};
            lf_verdict verdict =
                i == j ? LF_VERDICT_CLEAR : sight_truth_of(&scene->bench, &asked, NULL).verdict;
            oracle->questions++;
            if (verdicts[i * OBSERVERS + j] != verdict)
                sight_oracle_wrong(oracle, &scene->bench, &asked, "matrix: wrong", NULL);
        }
}

static void many_observers_see_what_each_sees(void **state) {
    (void)state;
    test_random random = test_random_start(5300);
    grid_oracle oracle = {.name = "many observers"};
    for (int64_t round = 0; round < test_rounds(15); round++) {
        viewshed_scene scene = {0};
        nasty_grid nasty;
        nasty_grid_make(&nasty, (nasty_relief)(round % NASTY_RELIEFS), (lf_surface)(round % 5), 6, &random);
        grid_bench_open(&scene.bench, &nasty);
        lf_observer observers[OBSERVERS];
        lf_vec3 points[OBSERVERS];
        for (int k = 0; k < OBSERVERS;) {
            if (!viewshed_scene_look(&scene, &random)) {
                if (!one_in(&random, 20))
                    continue;
                scene.observer.datum = true; // where there are only holes
            }
            observers[k] = scene.observer;
            points[k++] = scene.eye;
        }
        oracle_observers(&oracle, &scene, observers);
        oracle_matrix(&oracle, &scene, points);
        grid_bench_close(&scene.bench);
    }
    grid_oracle_close(&oracle, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_observers_see_what_each_sees),
    };
    return cmocka_run_group_tests_name("oracle: many observers", tests, NULL, NULL);
}
