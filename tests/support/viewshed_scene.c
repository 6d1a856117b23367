#include "viewshed_scene.h"
#include <stdio.h>
#include <string.h>

static bool one_in(test_random *random, int64_t count) {
    return test_random_below(random, count) == 0;
}

void viewshed_scene_wrong(grid_oracle *oracle, const viewshed_scene *scene, int64_t sample, const char *what,
                          double said) {
    if (grid_oracle_count(oracle, what) > 1)
        return;
    const lf_viewshed_def *def = &scene->def;
    fprintf(stderr, "%s: WRONG: %s\n", oracle->name, what);
    grid_bench_print(&scene->bench);
    fprintf(
        stderr,
        "    observer %.17g %.17g height %.17g datum %d: eye {%a, %a, %a}, column %.17g row %.17g\n"
        "    target %.17g range %.17g .. %.17g azimuth %.17g .. %.17g pitch %.17g .. %.17g\n"
        "    bend %.17g radius %.17g span %d holes %d\n    sample %lld (column %lld row %lld): said %.17g\n",
        scene->observer.at.x, scene->observer.at.y, scene->observer.height, scene->observer.datum,
        scene->eye.x, scene->eye.y, scene->eye.z, scene->place.x, scene->place.y, def->target, def->range_min,
        def->range_max, def->azimuth_from_deg, def->azimuth_to_deg, def->pitch_low_deg, def->pitch_high_deg,
        def->rules.curvature.coefficient, def->rules.curvature.radius, (int)def->rules.units,
        (int)def->rules.voids, (long long)sample, (long long)(sample % scene->bench.exact.columns),
        (long long)(sample / scene->bench.exact.columns), said);
    if (sample < 0)
        return;
    viewshed_truth truth = viewshed_truth_of(scene, sample);
    fprintf(
        stderr,
        "    exact: %s at %.17g m, %.17g degrees; on the ground %s, raise %.17g (%.17g .. %.17g), hole %d, "
        "raised %d\n",
        lf_visibility_name(truth.target.seen), truth.target.length, truth.target.angle,
        lf_visibility_name(truth.ground.seen), truth.raise.exact, truth.raise.low, truth.raise.high,
        truth.hole, truth.raised_hole);
}

static double degrees(double radians) {
    return radians * (180 / 3.14159265358979323846);
}

/// From the first to the second, clockwise.
static double way_round(double from, double to) {
    double way = fmod(to - from, 360);
    return way < 0 ? way + 360 : way;
}

/// A closed limit that a target exceeds by so much, negative within it. What exceeds it by no more than `near` is on it; where that is not certain
/// because the excess itself is rounded by up to `off`, either will do.
static void limit_by(viewshed_target *truth, double excess, double near, double off) {
    if (excess > near)
        truth->seen = LF_VISIBILITY_BEYOND;
    truth->limit |= excess > 0.5 * near - off && excess < 2 * near + off;
}

/// What rounding makes of differences between the world's places of the observer and a target.
static double rounding_of(const viewshed_scene *scene, lf_vec3 target) {
    return 0x1p-51 * (fabs(scene->eye.x) + fabs(scene->eye.y) + fabs(target.x) + fabs(target.y));
}

static void limit_azimuth(viewshed_target *truth, const viewshed_scene *scene, lf_vec3 target) {
    const lf_viewshed_def *def = &scene->def;
    if (def->azimuth_from_deg == 0 && def->azimuth_to_deg == 360)
        return;
    double x = target.x - scene->eye.x, y = target.y - scene->eye.y;
    double azimuth = degrees(atan2(x, y)), off = degrees(rounding_of(scene, target) / hypot(x, y));
    double way = way_round(def->azimuth_from_deg, azimuth),
           open = way_round(def->azimuth_from_deg, def->azimuth_to_deg);
    limit_by(truth, fmin(way - open, 360 - way), 1e-9, off);
}

/// lowest  the least pitch that counts
static void limit_sample(viewshed_target *truth, const viewshed_scene *scene, lf_vec3 target, double lowest) {
    const lf_viewshed_def *def = &scene->def;
    double near = 1e-12 * truth->length, off = rounding_of(scene, target);
    off *= def->rules.units == LF_MAP_DEGREES ? 111000 : 1;
    limit_by(truth, def->range_min - truth->length, near, off);
    limit_by(truth, truth->length - def->range_max, near, off);
    limit_azimuth(truth, scene, target);
    if (lowest <= -90 && def->pitch_high_deg >= 90)
        return;
    limit_by(truth, lowest - truth->angle, 1e-9, 0);
    limit_by(truth, truth->angle - def->pitch_high_deg, 1e-9, 0);
}

/// The exact line to a target over a sample; its truth is good until the next one.
static sight_truth line_to(const viewshed_scene *scene, int64_t sample, double above) {
    int64_t columns = scene->bench.exact.columns;
    lf_vec2 places[2] = {scene->place, {(double)(sample % columns), (double)(sample / columns)}};
    lf_vec2 at = nasty_sight_sample(&scene->bench.nasty, sample % columns, sample / columns);
    nasty_sight asked = {NASTY_SIGHT_POSTS,
                         scene->eye,
                         {at.x, at.y, scene->bench.exact.heights[sample] + above},
                         scene->def.rules};
    return sight_truth_of(&scene->bench, &asked, places);
}

/// A sample at the very place of the observer is visible, and within all limits but range_min.
static viewshed_target target_of(const viewshed_scene *scene, int64_t sample, double above,
                                 const sight_truth *line, double lowest) {
    int64_t columns = scene->bench.exact.columns;
    lf_vec2 at = nasty_sight_sample(&scene->bench.nasty, sample % columns, sample / columns);
    double rise = scene->bench.exact.heights[sample] + above - scene->eye.z, length = line->length;
    const lf_curvature *bend = &scene->def.rules.curvature;
    bool beside =
        scene->place.x != (double)(sample % columns) || scene->place.y != (double)(sample / columns);
    viewshed_target truth = {.seen = LF_VISIBILITY_VISIBLE, .length = line->length};
    truth.angle = degrees(atan2(rise - bend->coefficient * length * length / (2 * bend->radius), length));
    if (!beside) {
        truth.seen = truth.length < scene->def.range_min ? LF_VISIBILITY_BEYOND : LF_VISIBILITY_VISIBLE;
        truth.limit = truth.length > 0;
        return truth;
    }
    if (line->verdict != LF_VERDICT_CLEAR)
        truth.seen = line->verdict == LF_VERDICT_BLOCKED ? LF_VISIBILITY_HIDDEN : LF_VISIBILITY_UNKNOWN;
    limit_sample(&truth, scene, (lf_vec3){at.x, at.y, 0}, lowest);
    return truth;
}

/// The height above a sample at which the angle is the lowest one, from its definition: tan(angle) = (rise - sag) / length.
static void raise_by_pitch(viewshed_truth *truth, const viewshed_scene *scene, double length) {
    const lf_curvature *bend = &scene->def.rules.curvature;
    long double low = scene->def.pitch_low_deg, pi = 3.14159265358979323846264338327950288L;
    truth->pitch_raise = -INFINITY;
    if (!truth->beside || !(low > -90) || !(length > 0))
        return;
    long double up = length * tanl(low * pi / 180),
                sag = (long double)bend->coefficient * length * length / 2 / bend->radius;
    truth->pitch_raise = (double)(scene->eye.z + up + sag - truth->height);
    truth->pitch_error =
        1e-14 * (fabs(scene->eye.z) + fabs(truth->height) + (double)(fabsl(up) + fabsl(sag)));
}

viewshed_truth viewshed_truth_of(const viewshed_scene *scene, int64_t sample) {
    int64_t columns = scene->bench.exact.columns;
    viewshed_truth truth = {.target.seen = LF_VISIBILITY_VOID,
                            .ground.seen = LF_VISIBILITY_VOID,
                            .height = scene->bench.exact.heights[sample]};
    truth.beside =
        scene->place.x != (double)(sample % columns) || scene->place.y != (double)(sample / columns);
    if (exact_grid_bare(&scene->bench.exact, sample % columns, sample / columns))
        return truth;
    sight_truth line = line_to(scene, sample, 0);
    truth.ground = target_of(scene, sample, 0, &line, -90);
    truth.target = target_of(scene, sample, 0, &line, scene->def.pitch_low_deg);
    raise_by_pitch(&truth, scene, line.length);
    truth.raise = exact_raise(line.sight.parts, line.sight.part_count);
    truth.hole = line.sight.hole && scene->def.rules.voids != LF_VOIDS_PASS;
    truth.raised_hole = truth.hole;
    double raised = fmax(truth.raise.high, truth.pitch_raise + truth.pitch_error);
    if (truth.hole && raised > 0 && !isinf(raised))
        truth.raised_hole = line_to(scene, sample, raised).sight.hole;
    if (scene->def.target != 0) {
        line = line_to(scene, sample, scene->def.target);
        truth.target = target_of(scene, sample, scene->def.target, &line, scene->def.pitch_low_deg);
    }
    return truth;
}

// ---------------------------------------------------------------------------------------------------
// Asking
// ---------------------------------------------------------------------------------------------------

lf_window viewshed_scene_window(const viewshed_scene *scene) {
    return (lf_window){0, 0, scene->bench.exact.columns, scene->bench.exact.rows};
}

void viewshed_scene_seen(const viewshed_scene *scene, uint8_t *seen, lf_viewshed_stats *stats) {
    lf_error error = {0};
    memset(seen, 0x5a, (size_t)scene->count);
    lf_status status =
        lf_viewshed_visible(lf_grid_ground(scene->bench.best.grid), &scene->def, &scene->observer,
                            viewshed_scene_window(scene), seen, 0, stats, &error);
    if (status != LF_OK)
        fail_msg("no viewshed: %s", error.text);
}

// ---------------------------------------------------------------------------------------------------
// Observers
// ---------------------------------------------------------------------------------------------------

static lf_observer any_observer(const nasty_grid *grid, test_random *random) {
    double columns = (double)(grid->def.samples.columns - 1), rows = (double)(grid->def.samples.rows - 1);
    lf_vec3 at = {test_random_between(random, 0, columns), test_random_between(random, 0, rows), 0};
    int64_t how = test_random_below(random, 8);
    if (how < 4)
        at = (lf_vec3){rint(at.x), rint(at.y), 0};
    if (how == 4)
        at = (lf_vec3){rint(at.x * 2) / 2, rint(at.y * 2) / 2, 0};
    lf_observer observer = {.height = nasty_sight_eye(grid, random)};
    if (how == 5) // off the grid
        at = (lf_vec3){at.x - columns - 1, one_in(random, 2) ? rint(at.y) : at.y + rows, 0};
    if (how >= 5) {
        observer.datum = true;
        observer.height += nasty_grid_height(grid, at.x, at.y);
    }
    if (one_in(random, 6))
        observer.height -= 0.25;
    if (one_in(random, 6))
        observer.height += 1e4;
    lf_vec3 world = nasty_grid_world(grid, at);
    observer.at = (lf_vec2){world.x, world.y};
    if (how < 4) // on a sample, by the grid's formula
        observer.at = nasty_sight_sample(grid, (int64_t)at.x, (int64_t)at.y);
    return observer;
}

static void limit_def(lf_viewshed_def *def, const viewshed_scene *scene, test_random *random) {
    const exact_grid *exact = &scene->bench.exact;
    lf_vec2 at = nasty_sight_sample(&scene->bench.nasty, test_random_below(random, exact->columns),
                                    test_random_below(random, exact->rows));
    lf_vec2 other = nasty_sight_sample(&scene->bench.nasty, test_random_below(random, exact->columns),
                                       test_random_below(random, exact->rows));
    if (one_in(random, 3)) // to the very sample
        def->range_max = nasty_sight_span(&def->rules, scene->eye, (lf_vec3){at.x, at.y, 0});
    if (one_in(random, 4))
        def->range_min =
            fmin(def->range_max, nasty_sight_span(&def->rules, scene->eye, (lf_vec3){other.x, other.y, 0}));
    if (one_in(random, 4) && def->rules.units == LF_MAP_METRES) {
        def->azimuth_from_deg = test_random_between(random, 0, 360);
        def->azimuth_to_deg = test_random_between(random, 0, 360);
    }
    if (one_in(random, 5)) {
        def->pitch_low_deg = test_random_between(random, -90, 10);
        def->pitch_high_deg = test_random_between(random, def->pitch_low_deg, 90);
    }
}

/// False when the observer has no ground to stand on.
bool viewshed_scene_look(viewshed_scene *scene, test_random *random) {
    const nasty_grid *nasty = &scene->bench.nasty;
    scene->observer = any_observer(nasty, random);
    scene->eye = (lf_vec3){scene->observer.at.x, scene->observer.at.y, scene->observer.height};
    lf_reason reason = LF_REASON_ANSWERED;
    if (!scene->observer.datum)
        assert_int_equal(lf_sight_observer(scene->bench.best.ground, scene->observer.at,
                                           scene->observer.height, &scene->eye, &reason),
                         LF_OK);
    scene->place = nasty_sight_place(nasty, scene->eye.x, scene->eye.y);
    scene->count = scene->bench.exact.columns * scene->bench.exact.rows;
    scene->def = lf_viewshed_def_default();
    lf_vec2 corner = nasty_sight_sample(nasty, scene->bench.exact.columns - 1, scene->bench.exact.rows - 1);
    scene->def.rules = nasty_sight_rules(nasty, scene->eye, (lf_vec3){corner.x, corner.y, 0}, random);
    scene->def.target = one_in(random, 2) ? 0 : nasty_sight_eye(nasty, random);
    limit_def(&scene->def, scene, random);
    return reason == LF_REASON_ANSWERED;
}
