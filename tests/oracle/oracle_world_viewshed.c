// Viewsheds over worlds: against one line of sight per target, bit for bit, and against all polygons of all
// parts, one by one, in long doubles. Where rounding could decide, a target is passed over, and counted.
#include "random_world.h"
#include "small_planet.h"
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Viewsheds
// ---------------------------------------------------------------------------------------------------

typedef struct tally {
    int64_t targets, hidden, visible, doubtful, least;
} tally;

/// Where a target is, from the definition, by public calls only; false: nowhere.
static bool target_of(const random_world *w, const lf_viewshed_def *def, lf_vec2 at, int64_t sample,
                      double *ground) {
    lf_hit hit;
    lf_vec3 point;
    lf_reason reason;
    lf_ground_height(w->ground, (lf_vec3){at.x, at.y, INFINITY}, LF_VERTICAL_DOWN, &hit, NULL);
    lf_hit alone;
    lf_ground_height(lf_grid_ground(w->grid), (lf_vec3){at.x, at.y, INFINITY}, LF_VERTICAL_DOWN, &alone,
                     NULL);
    if (def->target_on == LF_TARGET_GROUND || hit.kind == LF_HIT_NONE || hit.part == 0) {
        *ground = (double)w->heights[sample];
        return alone.kind != LF_HIT_NONE;
    }
    assert_int_equal(lf_sight_observer(w->ground, at, 0, &point, &reason), LF_OK);
    *ground = point.z;
    return reason == LF_REASON_ANSWERED;
}

static lf_viewshed_def any_def(test_random *random, bool voids) {
    lf_viewshed_def def = lf_viewshed_def_default();
    def.target = test_random_below(random, 2) ? 0 : random_world_any(random, 0, 3);
    def.target_on = test_random_below(random, 2) ? LF_TARGET_TOP : LF_TARGET_GROUND;
    if (test_random_below(random, 3) == 0) {
        def.rules.curvature.coefficient = random_world_any(random, 0.2, 1);
        def.rules.curvature.radius = random_world_any(random, 300, 3000); // a small planet
    }
    if (voids)
        def.rules.voids = (lf_void_policy)test_random_below(random, 3);
    if (test_random_below(random, 3) == 0)
        def.rules.layers = test_random_below(random, 2) ? ~2u : 2u;
    if (test_random_below(random, 4) == 0) {
        def.range_min = random_world_any(random, 0, 8);
        def.range_max = random_world_any(random, 10, 40);
        def.azimuth_from_deg = random_world_any(random, 0, 300);
        def.azimuth_to_deg = def.azimuth_from_deg + random_world_any(random, 30, 300);
    }
    return def;
}

static void check_values(const random_world *w, const lf_viewshed_def *given, const lf_observer *observer,
                         lf_vec3 eye, const uint8_t *seen, tally *tally) {
    static float values[4][RANDOM_WORLD_SIDE * RANDOM_WORLD_SIDE];
    lf_window window = {0, 0, RANDOM_WORLD_SIDE, RANDOM_WORLD_SIDE};
    for (int mode = 0; mode < 4; mode++)
        assert_int_equal(lf_viewshed_values(w->ground, given, observer, (lf_viewshed_mode)mode, window,
                                            values[mode], 0, NULL, NULL),
                         LF_OK);
    for (int64_t k = 0; k < RANDOM_WORLD_SIDE * RANDOM_WORLD_SIDE; k++) {
        lf_vec2 at = {2.0 * (double)(k % RANDOM_WORLD_SIDE), 2.0 * (double)(k / RANDOM_WORLD_SIDE)};
        double ground, dx = at.x - eye.x, dy = at.y - eye.y, far = sqrt(dx * dx + dy * dy);
        bool there = target_of(w, given, at, k, &ground);
        assert_true(isnan(values[LF_VIEWSHED_DISTANCE][k]) == (seen[k] != LF_VISIBILITY_VISIBLE));
        assert_true(isnan(values[LF_VIEWSHED_ANGLE][k]) == (seen[k] != LF_VISIBILITY_VISIBLE));
        if (seen[k] == LF_VISIBILITY_VISIBLE && far > 0) {
            const lf_curvature *c = &given->rules.curvature;
            double slope = (ground + given->target - eye.z) / far - c->coefficient * far / (2 * c->radius);
            assert_true(fabs((double)values[LF_VIEWSHED_DISTANCE][k] - far) < 1e-4);
            assert_true(fabs((double)values[LF_VIEWSHED_ANGLE][k] - atan(slope) * 57.295779513082321) < 1e-4);
        }
        double above = (double)values[LF_VIEWSHED_GROUND][k], datum = (double)values[LF_VIEWSHED_DEM][k];
        if (isnan(above) || !there) {
            assert_true(isnan(datum));
            continue;
        }
        assert_true(above >= 0 && (isinf(above) || fabs(datum - above - ground) < 1e-4 + 1e-6 * above));
        bool flat = given->rules.curvature.coefficient == 0 && given->rules.layers == UINT32_MAX &&
                    given->target == 0 && given->rules.voids == LF_VOIDS_PASS;
        if (!flat || far == 0 || isinf(above))
            continue;
        world_point a = world_point_of(eye), b = {at.x, at.y, (long double)ground};
        long double least = fmaxl(random_world_least(w, a, b) - b.z, 0);
        tally->least++;
        // Visible under a bridge: its height does not matter.
        if (seen[k] != LF_VISIBILITY_VISIBLE && fabsl((long double)above - least) > 1e-4L * (1 + least))
            fail_msg("sample %lld, from %.9g, %.9g, %.9g to %.9g, %.9g, %.9g (%s): least height %.9g, "
                     "expected %.9Lg",
                     (long long)k, eye.x, eye.y, eye.z, at.x, at.y, ground,
                     lf_visibility_name((lf_visibility)seen[k]), above, least);
    }
}

static void check_view(const random_world *w, const lf_viewshed_def *def, const lf_observer *observer,
                       bool values, tally *tally) {
    static uint8_t seen[RANDOM_WORLD_SIDE * RANDOM_WORLD_SIDE];
    lf_window window = {0, 0, RANDOM_WORLD_SIDE, RANDOM_WORLD_SIDE};
    lf_viewshed_stats stats;
    lf_error error = {0};
    int64_t counts[5] = {0};
    lf_vec3 eye = {observer->at.x, observer->at.y, observer->height};
    lf_reason reason;
    if (!observer->datum)
        assert_int_equal(lf_sight_observer(w->ground, observer->at, observer->height, &eye, &reason), LF_OK);
    if (lf_viewshed_visible(w->ground, def, observer, window, seen, 0, &stats, &error) != LF_OK)
        fail_msg("%s", error.text);
    assert_true(stats.bytes <= lf_viewshed_bytes(w->ground, def, window));
    for (int64_t k = 0; k < RANDOM_WORLD_SIDE * RANDOM_WORLD_SIDE; k++) {
        lf_vec2 at = {2.0 * (double)(k % RANDOM_WORLD_SIDE), 2.0 * (double)(k / RANDOM_WORLD_SIDE)};
        double ground;
        counts[seen[k]]++;
        if (!target_of(w, def, at, k, &ground)) {
            assert_int_equal(seen[k], LF_VISIBILITY_VOID);
            continue;
        }
        assert_int_not_equal(seen[k], LF_VISIBILITY_VOID);
        if (seen[k] == LF_VISIBILITY_BEYOND)
            continue;
        lf_vec3 target = {at.x, at.y, ground + def->target};
        lf_verdict verdict;
        assert_int_equal(lf_sight_verdict(w->ground, &def->rules, eye, target, &verdict, NULL), LF_OK);
        static const lf_visibility expected[] = {LF_VISIBILITY_VISIBLE, LF_VISIBILITY_HIDDEN,
                                                 LF_VISIBILITY_UNKNOWN};
        if (seen[k] != (uint8_t)expected[verdict])
            fail_msg("sample %lld (%g, %g): %s, the line is %s", (long long)k, target.x, target.y,
                     lf_visibility_name((lf_visibility)seen[k]), lf_verdict_name(verdict));
        tally->targets++;
        tally->hidden += verdict == LF_VERDICT_BLOCKED;
        tally->visible += verdict == LF_VERDICT_CLEAR;
        if (def->rules.curvature.coefficient != 0 || verdict == LF_VERDICT_UNKNOWN ||
            (def->rules.voids == LF_VOIDS_STOP && verdict == LF_VERDICT_BLOCKED))
            continue;
        int blocked = random_world_blocked(w, world_point_of(eye), world_point_of(target), def->rules.layers);
        if (blocked == 0 && (def->rules.layers & 1))
            blocked = random_world_below(w, eye, target);
        tally->doubtful += blocked < 0;
        if (blocked >= 0 && blocked != (verdict == LF_VERDICT_BLOCKED))
            fail_msg(
                "sample %lld, from %.9g, %.9g, %.9g to %.9g, %.9g, %.9g, layers %x: %s, of all polygons %d",
                (long long)k, eye.x, eye.y, eye.z, target.x, target.y, target.z, def->rules.layers,
                lf_verdict_name(verdict), blocked);
    }
    for (int k = 0; k < 5; k++)
        assert_int_equal(counts[k], stats.counts[k]);
    if (values && def->target == 0)
        check_values(w, def, observer, eye, seen, tally);
}

/// Above the ground that is there, whatever it is; or anywhere above all of the terrain.
static lf_observer any_observer(const random_world *w, test_random *random) {
    for (;;) {
        lf_observer observer = {{random_world_any(random, 0, 46), random_world_any(random, 0, 46)},
                                random_world_any(random, 0.1, 4),
                                false};
        if (test_random_below(random, 3) == 0) // on a sample
            observer.at = (lf_vec2){2.0 * (double)test_random_below(random, RANDOM_WORLD_SIDE),
                                    2.0 * (double)test_random_below(random, RANDOM_WORLD_SIDE)};
        if (test_random_below(random, 4) == 0)
            return (lf_observer){{random_world_any(random, -10, 56), random_world_any(random, -10, 56)},
                                 random_world_any(random, 5, 12),
                                 true};
        lf_hit hit;
        lf_ground_height(lf_grid_ground(w->grid), (lf_vec3){observer.at.x, observer.at.y, INFINITY},
                         LF_VERTICAL_DOWN, &hit, NULL);
        if (hit.kind != LF_HIT_NONE)
            return observer;
    }
}

static void a_grid_with_obstacles(void **state) {
    (void)state;
    test_random random = test_random_start(9201);
    tally tally = {0};
    for (int64_t round = 0; round < test_rounds(6); round++) {
        random_world w;
        bool voids = round % 3 == 2;
        random_world_open(&w, NULL, NULL, voids, &random);
        for (int k = 0; k < 4; k++) {
            lf_viewshed_def def = any_def(&random, voids);
            lf_observer observer = any_observer(&w, &random);
            if (k == 2)
                random_world_stir(&w, &random);
            if (k == 3) {
                def = lf_viewshed_def_default();
                def.rules.voids = LF_VOIDS_PASS;
            }
            check_view(&w, &def, &observer, k > 1, &tally);
        }
        random_world_close(&w);
    }
    printf("%lld targets, %lld visible, %lld hidden, %lld doubtful, %lld least heights\n",
           (long long)tally.targets, (long long)tally.visible, (long long)tally.hidden,
           (long long)tally.doubtful, (long long)tally.least);
    assert_true(tally.visible * 20 > tally.targets && tally.hidden * 20 > tally.targets &&
                tally.doubtful * 5 < tally.targets && tally.least > 0);
}

// ---------------------------------------------------------------------------------------------------
// Other grounds
// ---------------------------------------------------------------------------------------------------

/// All calls agree with one line per target.
static void check_lines(const lf_ground *ground, const lf_viewshed_def *def, const lf_observer *observers,
                        const lf_vec3 *eyes, const lf_vec3 *targets, tally *tally) {
    enum { MOST = 400 };
    static uint8_t seen[2][MOST], planes[MOST];
    static uint32_t counts[MOST];
    static float distances[MOST];
    int64_t count = def->lattice.columns * def->lattice.rows;
    lf_window window = {0, 0, def->lattice.columns, def->lattice.rows};
    lf_error error = {0};
    assert_true(count <= MOST);
    for (int n = 0; n < 2; n++)
        if (lf_viewshed_visible(ground, def, &observers[n], window, seen[n], 0, NULL, &error) != LF_OK)
            fail_msg("%s", error.text);
    assert_int_equal(lf_viewshed_count(ground, def, observers, 2, window, counts, 0, NULL, NULL), LF_OK);
    assert_int_equal(lf_viewshed_who(ground, def, observers, 2, window, planes, NULL, NULL), LF_OK);
    assert_int_equal(
        lf_viewshed_values(ground, def, observers, LF_VIEWSHED_DISTANCE, window, distances, 0, NULL, NULL),
        LF_OK);
    for (int64_t k = 0; k < count; k++) {
        bool there = !isnan(targets[k].z);
        uint32_t number = 0;
        for (int n = 0; n < 2; n++) {
            lf_verdict verdict = LF_VERDICT_UNKNOWN;
            number += seen[n][k] == LF_VISIBILITY_VISIBLE;
            if (!there) {
                assert_int_equal(seen[n][k], LF_VISIBILITY_VOID);
                continue;
            }
            assert_int_equal(lf_sight_verdict(ground, &def->rules, eyes[n], targets[k], &verdict, NULL),
                             LF_OK);
            assert_int_equal(seen[n][k],
                             verdict == LF_VERDICT_CLEAR ? LF_VISIBILITY_VISIBLE : LF_VISIBILITY_HIDDEN);
            assert_int_equal(planes[k] >> n & 1, verdict == LF_VERDICT_CLEAR);
            tally->targets++;
            tally->visible += verdict == LF_VERDICT_CLEAR;
            tally->hidden += verdict == LF_VERDICT_BLOCKED;
        }
        assert_true(counts[k] == (there ? number : UINT32_MAX));
        assert_true(isnan(distances[k]) == (seen[0][k] != LF_VISIBILITY_VISIBLE));
    }
}

static void report(const char *name, const tally *t) {
    printf("%s: %lld targets, %lld visible, %lld hidden\n", name, (long long)t->targets,
           (long long)t->visible, (long long)t->hidden);
    assert_true(t->visible * 50 > t->targets && t->hidden * 50 > t->targets && t->doubtful * 10 < t->targets);
}

/// Without a grid, with a grid that is moved, and with two: on a lattice of their own.
static void polygons(void **state) {
    (void)state;
    test_random random = test_random_start(9202);
    tally tally = {0};
    for (int64_t round = 0; round < test_rounds(8); round++) {
        random_world w;
        lf_group_part parts[RANDOM_WORLD_PARTS + 1];
        lf_vec3 eyes[2], targets[400];
        random_world_open(&w, NULL, NULL, false, &random);
        int64_t first = round % 3 == 0, count = RANDOM_WORLD_PARTS + (round % 3 == 2) - first;
        memcpy(parts, w.parts, sizeof w.parts);
        parts[RANDOM_WORLD_PARTS] = parts[0];
        parts[RANDOM_WORLD_PARTS].pose.translation = (lf_vec3){5.5, -3.25, 0.5};
        if (round % 3 == 1)
            parts[0].pose.translation.x = 1;
        lf_group *group = world_group(parts + first, count);
        const lf_ground *ground = lf_group_ground(group);
        lf_viewshed_def def = any_def(&random, false);
        def.range_min = 0, def.range_max = INFINITY, def.azimuth_from_deg = 0, def.azimuth_to_deg = 360;
        def.target_on = LF_TARGET_TOP;
        def.lattice = (lf_lattice){{{1.25, -0.5}, {2.5, 0.25}, {-0.5, 2.25}}, 19, 17};
        lf_observer observers[2];
        lf_reason reason;
        for (int n = 0; n < 2; n++) {
            observers[n] = (lf_observer){{random_world_any(&random, 0, 46), random_world_any(&random, 0, 46)},
                                         random_world_any(&random, 4, 9),
                                         n == 1};
            eyes[n] = (lf_vec3){observers[n].at.x, observers[n].at.y, observers[n].height};
            lf_sight_observer(ground, observers[n].at, observers[n].height, &eyes[n], &reason);
            if (n == 1 || reason != LF_REASON_ANSWERED)
                eyes[n].z = observers[n].height, observers[n].datum = true;
        }
        for (int64_t k = 0; k < 19 * 17; k++) {
            lf_vec2 at = lf_geotransform_at(&def.lattice.geotransform, (double)(k % 19), (double)(k / 19));
            targets[k] = (lf_vec3){at.x, at.y, NAN};
            lf_sight_observer(ground, at, 0, &targets[k], &reason);
            targets[k].z = reason == LF_REASON_ANSWERED ? targets[k].z + def.target : NAN;
        }
        check_lines(ground, &def, observers, eyes, targets, &tally);
        lf_group_destroy(group);
        random_world_close(&w);
    }
    report("polygons", &tally);
}

/// A lattice that is bent as one of another coordinate reference system is; some samples have no position.
static void bend_lattice(lf_vec2 places[400], test_random *random) {
    double turn = random_world_any(random, -3, 3), bend = random_world_any(random, 0, 0.03);
    for (int64_t k = 0; k < 19 * 17; k++) {
        double u = (double)(k % 19) - 9, v = (double)(k / 19) - 8, far = 2.4 + bend * (u * u - 0.5 * v),
               angle = turn + bend * v;
        places[k] = (lf_vec2){23 + far * (u * cos(angle) - v * sin(angle)),
                              23 + far * (u * sin(angle) + v * cos(angle))};
        if (test_random_below(random, 12) == 0)
            places[k] = (lf_vec2){NAN, NAN};
    }
}

/// Samples at any places: on a grid, on a grid with obstacles, and without the grid.
static void samples_at_any_places(void **state) {
    (void)state;
    test_random random = test_random_start(9206);
    tally tally = {0};
    for (int64_t round = 0; round < test_rounds(9); round++) {
        random_world w;
        lf_vec2 places[400];
        lf_vec3 eyes[2], targets[400];
        lf_observer observers[2];
        lf_reason reason;
        random_world_open(&w, NULL, NULL, false, &random);
        lf_group *group = world_group(w.parts + 1, RANDOM_WORLD_PARTS - 1);
        const lf_ground *grounds[3] = {lf_grid_ground(w.grid), w.ground, lf_group_ground(group)};
        const lf_ground *ground = grounds[round % 3];
        lf_viewshed_def def = any_def(&random, false);
        def.range_min = 0, def.range_max = INFINITY, def.azimuth_from_deg = 0, def.azimuth_to_deg = 360;
        def.target_on = LF_TARGET_TOP;
        def.lattice.columns = 19, def.lattice.rows = 17; // its geotransform is not used
        def.places = places;
        bend_lattice(places, &random);
        for (int n = 0; n < 2; n++) {
            observers[n] = (lf_observer){{random_world_any(&random, 0, 46), random_world_any(&random, 0, 46)},
                                         random_world_any(&random, 4, 9),
                                         true};
            eyes[n] = (lf_vec3){observers[n].at.x, observers[n].at.y, observers[n].height};
        }
        for (int64_t k = 0; k < 19 * 17; k++) {
            targets[k] = (lf_vec3){places[k].x, places[k].y, NAN};
            if (isnan(places[k].x))
                continue;
            lf_sight_observer(ground, places[k], 0, &targets[k], &reason);
            targets[k].z = reason == LF_REASON_ANSWERED ? targets[k].z + def.target : NAN;
        }
        check_lines(ground, &def, observers, eyes, targets, &tally);
        lf_group_destroy(group);
        random_world_close(&w);
    }
    report("any places", &tally);
}

/// Samples at the places of a lattice, but given one by one: the same, with limits and all values.
static void samples_at_the_places_of_a_lattice(void **state) {
    (void)state;
    enum { COLUMNS = 15, ROWS = 13, COUNT = COLUMNS * ROWS };
    test_random random = test_random_start(9207);
    lf_window window = {2, 1, 11, 9};
    for (int64_t round = 0; round < test_rounds(8); round++) {
        static float values[2][COUNT];
        static uint8_t seen[2][COUNT];
        lf_vec2 places[COUNT];
        random_world w;
        random_world_open(&w, NULL, NULL, false, &random);
        lf_viewshed_def def = any_def(&random, false);
        lf_observer observer = {{random_world_any(&random, 5, 40), random_world_any(&random, 5, 40)},
                                random_world_any(&random, 4, 9),
                                true};
        def.lattice = (lf_lattice){{{1.25, -0.5}, {2.5, 0.25}, {-0.5, 2.25}}, COLUMNS, ROWS};
        if (round % 2)
            def.pitch_low_deg = -20, def.pitch_high_deg = 5;
        for (int64_t k = 0; k < COUNT; k++)
            places[k] =
                lf_geotransform_at(&def.lattice.geotransform, (double)(k % COLUMNS), (double)(k / COLUMNS));
        for (int mode = -1; mode < 4; mode++) {
            for (int n = 0; n < 2; n++) {
                lf_viewshed_def given = def;
                if (n == 1) {
                    given.places = places;
                    given.lattice.geotransform = (lf_geotransform){{0, 0}, {0, 0}, {0, 0}};
                }
                assert_true(lf_viewshed_window(w.ground, &given, observer.at).columns <= COLUMNS);
                lf_status status =
                    mode < 0
                        ? lf_viewshed_visible(w.ground, &given, &observer, window, seen[n], 0, NULL, NULL)
                        : lf_viewshed_values(w.ground, &given, &observer, (lf_viewshed_mode)mode, window,
                                             values[n], 0, NULL, NULL);
                assert_int_equal(status, LF_OK);
            }
            for (int64_t k = 0; k < window.columns * window.rows; k++) {
                assert_int_equal(seen[0][k], seen[1][k]);
                if (mode >= 0)
                    assert_true(memcmp(&values[0][k], &values[1][k], sizeof values[0][k]) == 0);
            }
        }
        def.places = places;
        def.lattice.columns = def.lattice.rows = 0;
        assert_int_equal(lf_viewshed_visible(w.ground, &def, &observer, window, seen[0], 0, NULL, NULL),
                         LF_BAD_ARGUMENT);
        random_world_close(&w);
    }
}

/// The topmost ground along the ellipsoid's normal; NAN: none.
static double top_on_globe(const lf_ground *ground, const lf_ellipsoid *e, lf_vec2 at) {
    lf_pose pose;
    lf_hit hit;
    assert_int_equal(lf_ellipsoid_pose(e, (lf_geodetic){at.x, at.y, 30000}, 0, 0, 0, &pose), LF_OK);
    lf_ray ray = {pose.translation, {-pose.rows[0].z, -pose.rows[1].z, -pose.rows[2].z}, 0, 100000};
    assert_int_equal(lf_ground_ray_first(ground, &ray, &hit, NULL), LF_OK);
    return hit.kind == LF_HIT_NONE ? NAN : 30000 - hit.t;
}

/// Does a tenth of a millimetre decide whether a target is seen? Rays, which find the ground below it, are no better on a globe.
static bool is_close(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 eye, lf_vec3 target) {
    lf_verdict verdicts[2];
    for (int n = 0; n < 2; n++) {
        lf_vec3 by = lf_vec3_scale(lf_vec3_unit(target), n ? 1e-4 : -1e-4);
        lf_sight_verdict(ground, rules, lf_vec3_add(eye, by), lf_vec3_add(target, by), &verdicts[n], NULL);
    }
    return verdicts[0] != verdicts[1];
}

/// Against lines of sight, and against the globe alone with all polygons.
static void check_globe(const random_world *w, const lf_ground *globe, const lf_viewshed_def *def,
                        const lf_observer *observers, const lf_vec3 *eyes, const lf_vec3 *targets,
                        tally *tally) {
    enum { MOST = 400 };
    static uint8_t seen[MOST];
    lf_window window = {0, 0, 19, 17};
    lf_error error = {0};
    for (int n = 0; n < 2; n++) {
        if (lf_viewshed_visible(w->ground, def, &observers[n], window, seen, 0, NULL, &error) != LF_OK)
            fail_msg("%s", error.text);
        for (int64_t k = 0; k < 19 * 17; k++) {
            int blocked =
                random_world_blocked(w, world_point_of(eyes[n]), world_point_of(targets[k]), UINT32_MAX);
            lf_verdict alone, all;
            lf_sight_verdict(globe, &def->rules, eyes[n], targets[k], &alone, NULL);
            lf_sight_verdict(w->ground, &def->rules, eyes[n], targets[k], &all, NULL);
            lf_visibility expected = all == LF_VERDICT_CLEAR ? LF_VISIBILITY_VISIBLE : LF_VISIBILITY_HIDDEN;
            bool close =
                seen[k] != (uint8_t)expected && is_close(w->ground, &def->rules, eyes[n], targets[k]);
            tally->targets++;
            tally->visible += all == LF_VERDICT_CLEAR;
            tally->hidden += all == LF_VERDICT_BLOCKED;
            tally->doubtful += blocked < 0 || close;
            if (close)
                continue;
            assert_int_equal(seen[k], expected);
            if (blocked >= 0 && alone == LF_VERDICT_CLEAR && def->rules.curvature.coefficient == 0)
                assert_int_equal(seen[k] == LF_VISIBILITY_HIDDEN, blocked);
        }
    }
}

static void globes(void **state) {
    (void)state;
    test_random random = test_random_start(9203);
    small_planet *planet = small_planet_make(lf_ellipsoid_wgs84(), 2, SMALL_PLANET_ROLLING, 400, 78);
    lf_globe *globe = small_planet_globe(planet, (size_t)1 << 24);
    const lf_geodetic places[] = {{12.3, 45.6, 0}, {180, -7, 0}, {-180, 33, 0},
                                  {0, 89.9999, 0}, {77, -90, 0}, {-91, 0, 0}};
    tally tally = {0};
    for (int64_t round = 0; round < test_rounds(6); round++) {
        lf_geodetic at = places[round % 6];
        const lf_ellipsoid *e = &planet->ellipsoid;
        lf_pose outer, shift = lf_pose_identity();
        lf_vec3 eyes[2], targets[400];
        lf_observer observers[2];
        random_world w;
        at.height = top_on_globe(lf_globe_ground(globe), e, (lf_vec2){at.lon_deg, at.lat_deg});
        assert_int_equal(lf_ellipsoid_pose(e, at, 0, 0, 0, &outer), LF_OK);
        shift.translation = (lf_vec3){-24, -24, 0};
        outer = lf_pose_then(&shift, &outer);
        random_world_open(&w, lf_globe_ground(globe), &outer, false, &random);
        lf_viewshed_def def = lf_viewshed_def_default();
        def.rules.curvature.coefficient = round % 2 ? LF_CURVATURE_LIGHT : 0;
        def.target = random_world_any(&random, 0, 2);
        // A lattice of places a few metres apart; at a pole, in another longitude each.
        bool pole = fabs(at.lat_deg) > 89;
        double step = 2.6 / 111000, wide = pole ? 19 : step / cos(at.lat_deg * 0.0174532925);
        double up = at.lat_deg > 0 ? -1 : 1;
        def.lattice = (lf_lattice){
            {{at.lon_deg - 9 * wide, pole ? at.lat_deg + (up > 0 ? 0 : -16 * step) : at.lat_deg - 8 * step},
             {wide, 0},
             {0, step}},
            19,
            17};
        for (int64_t k = 0; k < 19 * 17; k++) {
            lf_vec2 place = lf_geotransform_at(&def.lattice.geotransform, (double)(k % 19), (double)(k / 19));
            double top = top_on_globe(w.ground, e, place);
            targets[k] = lf_ellipsoid_to_centred(e, (lf_geodetic){place.x, place.y, top + 1e-6 + def.target});
        }
        for (int n = 0; n < 2; n++) {
            observers[n] =
                (lf_observer){{at.lon_deg + random_world_any(&random, -5, 5) * wide,
                               fmax(fmin(at.lat_deg + random_world_any(&random, -5, 5) * step, 90), -90)},
                              random_world_any(&random, 1, 8),
                              n == 1};
            double base = n == 1 ? 0 : top_on_globe(w.ground, e, observers[n].at) + 1e-6;
            if (n == 1)
                observers[n].height += at.height;
            eyes[n] = lf_ellipsoid_to_centred(
                e, (lf_geodetic){observers[n].at.x, observers[n].at.y, base + observers[n].height});
        }
        check_globe(&w, lf_globe_ground(globe), &def, observers, eyes, targets, &tally);
        lf_vec2 given[19 * 17]; // the same places, one by one
        for (int64_t k = 0; k < 19 * 17; k++)
            given[k] = lf_geotransform_at(&def.lattice.geotransform, (double)(k % 19), (double)(k / 19));
        def.places = given;
        def.lattice.geotransform = (lf_geotransform){{0, 0}, {0, 0}, {0, 0}};
        check_globe(&w, lf_globe_ground(globe), &def, observers, eyes, targets, &tally);
        random_world_close(&w);
    }
    report("globes", &tally);
    lf_globe_destroy(globe);
    small_planet_free(planet);
}

static void a_world_of_one_grid_is_the_grid(void **state) {
    (void)state;
    test_random random = test_random_start(9204);
    static uint8_t seen[2][RANDOM_WORLD_SIDE * RANDOM_WORLD_SIDE];
    static float values[2][RANDOM_WORLD_SIDE * RANDOM_WORLD_SIDE];
    lf_window window = {0, 0, RANDOM_WORLD_SIDE, RANDOM_WORLD_SIDE};
    for (int64_t round = 0; round < test_rounds(6); round++) {
        random_world w;
        random_world_open(&w, NULL, NULL, round % 2, &random);
        lf_viewshed_def def = any_def(&random, round % 2);
        def.rules.layers = UINT32_MAX;
        lf_observer observer = any_observer(&w, &random);
        // Alone; as a group of one; with a box that is nowhere near: swept, and with a part to test.
        lf_group_part parts[2] = {w.parts[0],
                                  {.pose = lf_pose_identity(), .box = {{900, 900, 0}, {901, 901, 1}}}};
        for (int count = 1; count < 3; count++) {
            lf_group *group = world_group(parts, count);
            const lf_ground *grounds[2] = {lf_grid_ground(w.grid), lf_group_ground(group)};
            for (int mode = -1; mode < 4; mode++) {
                for (int n = 0; n < 2; n++)
                    assert_int_equal(
                        mode < 0
                            ? lf_viewshed_visible(grounds[n], &def, &observer, window, seen[n], 0, NULL, NULL)
                            : lf_viewshed_values(grounds[n], &def, &observer, (lf_viewshed_mode)mode, window,
                                                 values[n], 0, NULL, NULL),
                        LF_OK);
                if (mode < 0)
                    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
                else if (count == 1)
                    assert_memory_equal(values[0], values[1], sizeof values[0]);
            }
            lf_group_destroy(group);
        }
        random_world_close(&w);
    }
}

enum { TOWN_SIDE = 100, TOWN_PARTS = 700 };

/// Hills, and boxes beside and within one another: most are upright, some lean, some are not in the layer that blocks.
static void make_town(test_random *random, float *heights, lf_group_part *parts) {
    double phase = random_world_any(random, 0, 6), high = random_world_any(random, 0, 25);
    for (int64_t k = 0; k < TOWN_SIDE * TOWN_SIDE; k++)
        heights[k] =
            (float)(high * sin(phase + 0.07 * (double)(k % TOWN_SIDE)) * cos(0.09 * (double)(k / TOWN_SIDE)));
    for (int64_t k = 1; k < TOWN_PARTS; k++) {
        lf_vec3 half = {random_world_any(random, 1, 12), random_world_any(random, 1, 12),
                        random_world_any(random, 1, 30)};
        int64_t column = test_random_below(random, TOWN_SIDE), row = test_random_below(random, TOWN_SIDE);
        parts[k] = (lf_group_part){.box = {lf_vec3_scale(half, -1), half},
                                   .layers = test_random_below(random, 20) ? 0 : 4};
        lf_vec3 axis = {0, 0, 1};
        if (test_random_below(random, 20) == 0)
            axis.x = 0.5;
        lf_pose_turn((lf_vec3){0, 0, 0}, axis, random_world_any(random, 0, 6), &parts[k].pose);
        parts[k].pose.translation =
            (lf_vec3){10.0 * (double)column + random_world_any(random, -5, 5),
                      10.0 * (double)row + random_world_any(random, -5, 5),
                      (double)heights[row * TOWN_SIDE + column] + half.z - random_world_any(random, 0, 4)};
        if (test_random_below(random, 4) == 0) // in line with the samples
            parts[k].pose = lf_pose_identity(),
            parts[k].pose.translation = (lf_vec3){10.0 * (double)column, 10.0 * (double)row, half.z};
    }
}

/// So many boxes that nearly everything is hidden, mostly by several of them.
static void a_town(void **state) {
    (void)state;
    test_random random = test_random_start(9203);
    static float heights[TOWN_SIDE * TOWN_SIDE];
    static lf_group_part parts[TOWN_PARTS];
    static uint8_t seen[TOWN_SIDE * TOWN_SIDE];
    tally tally = {0};
    for (int64_t round = 0; round < test_rounds(4); round++) {
        make_town(&random, heights, parts);
        lf_grid_def grid_def = lf_grid_def_default();
        lf_grid *grid;
        grid_def.samples.values = heights;
        grid_def.samples.columns = grid_def.samples.rows = TOWN_SIDE;
        grid_def.geotransform = (lf_geotransform){{0, 0}, {10, 0}, {0, 10}};
        assert_int_equal(lf_grid_create(&grid_def, &grid, NULL), LF_OK);
        parts[0] = (lf_group_part){.ground = lf_grid_ground(grid), .pose = lf_pose_identity()};
        lf_group *group = world_group(parts, TOWN_PARTS);
        const lf_ground *ground = lf_group_ground(group);
        for (int k = 0; k < 4; k++) {
            lf_viewshed_def def = any_def(&random, false);
            def.range_min = 0, def.range_max = INFINITY, def.azimuth_from_deg = 0, def.azimuth_to_deg = 360;
            def.rules.layers = k == 3 ? 1 : UINT32_MAX;
            if (def.rules.curvature.coefficient != 0)
                def.rules.curvature.radius *= 100;
            lf_observer observer = {
                {random_world_any(&random, -100, 1100), random_world_any(&random, -100, 1100)},
                random_world_any(&random, 20, 200),
                true};
            lf_vec3 eye = {observer.at.x, observer.at.y, observer.height}, target;
            lf_window window = {0, 0, TOWN_SIDE, TOWN_SIDE};
            lf_reason reason;
            assert_int_equal(lf_viewshed_visible(ground, &def, &observer, window, seen, 0, NULL, NULL),
                             LF_OK);
            for (int64_t n = 0; n < TOWN_SIDE * TOWN_SIDE; n++) {
                lf_vec2 at = {10.0 * (double)(n % TOWN_SIDE), 10.0 * (double)(n / TOWN_SIDE)};
                lf_hit hit;
                lf_verdict verdict;
                lf_ground_height(ground, (lf_vec3){at.x, at.y, INFINITY}, LF_VERTICAL_DOWN, &hit, NULL);
                assert_int_equal(lf_sight_observer(ground, at, 0, &target, &reason), LF_OK);
                if (def.target_on == LF_TARGET_GROUND || hit.part == 0)
                    target.z = (double)heights[n];
                target.z += def.target;
                assert_int_equal(lf_sight_verdict(ground, &def.rules, eye, target, &verdict, NULL), LF_OK);
                if (seen[n] != (verdict == LF_VERDICT_CLEAR ? LF_VISIBILITY_VISIBLE : LF_VISIBILITY_HIDDEN))
                    fail_msg("from %.17g, %.17g, %.17g to %.17g, %.17g, %.17g: %s, the line is %s", eye.x,
                             eye.y, eye.z, target.x, target.y, target.z,
                             lf_visibility_name((lf_visibility)seen[n]), lf_verdict_name(verdict));
                tally.targets++;
                tally.visible += verdict == LF_VERDICT_CLEAR;
                tally.hidden += verdict == LF_VERDICT_BLOCKED;
            }
        }
        lf_group_destroy(group);
        lf_grid_destroy(grid);
    }
    report("town", &tally);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_grid_with_obstacles),
                                       cmocka_unit_test(a_town),
                                       cmocka_unit_test(polygons),
                                       cmocka_unit_test(samples_at_any_places),
                                       cmocka_unit_test(samples_at_the_places_of_a_lattice),
                                       cmocka_unit_test(globes),
                                       cmocka_unit_test(a_world_of_one_grid_is_the_grid)};
    return cmocka_run_group_tests_name("world_viewshed", tests, NULL, NULL);
}
