// The oracle of sight lines is itself checked: by the heights of the exact grid at many places along each
// line, which know nothing of pieces, and by asking from the other end.
#include "exact_sight.h"
#include "nasty_grid.h"

enum { SAMPLES = 64 };

typedef struct place {
    lf_reason reason;
    double z, ground, distance;
    int side;
} place;

/// Few bits everywhere: columns, rows and heights along the line are doubles.
static place look_at(const exact_grid *grid, const exact_line *line, double t) {
    place place = {.z = line->z + line->rise * t + line->bend * t * (t - line->turn)};
    exact_grid_height height = exact_grid_at(grid, line->x + t * line->dx, line->y + t * line->dy, place.z);
    place.reason = height.reason;
    place.ground = height.height;
    place.distance = height.side * height.distance;
    place.side = height.side;
    return place;
}

static double highest(const exact_grid *grid) {
    double high = -LF_INFINITY;
    for (int64_t i = 0; i < grid->columns * grid->rows; i++)
        high = fmax(high, grid->heights[i]);
    return high;
}

static void check_samples(const exact_grid *grid, const exact_line *line) {
    exact_sight sight = exact_sight_of(grid, line);
    const exact_part *parts = sight.parts;
    int64_t count = sight.part_count;
    exact_range clearance = exact_clearance(parts, count), raise = exact_raise(parts, count);
    exact_range zone = exact_zone(parts, count);
    double top = highest(grid), off = 1e-9;
    for (int i = 1; i < SAMPLES; i++) {
        double t = (double)i / SAMPLES;
        place place = look_at(grid, line, t);
        if (place.reason == LF_REASON_HOLE) {
            assert_true(sight.over_hole);
            if (place.z < top)
                assert_true(sight.hole && sight.hole_t <= t);
        }
        if (place.reason != LF_REASON_ANSWERED)
            continue;
        double slack = off * (1 + fabs(place.z) + fabs(place.ground));
        assert_true(sight.over_ground);
        if (place.side < 0)
            assert_true(sight.blocked && sight.blocked_t <= t);
        assert_true(place.distance >= clearance.exact - slack);
        assert_true(-place.distance / t <= raise.exact + slack / t);
        assert_true(place.distance / sqrt(t * (1 - t)) >= zone.exact - slack / t / (1 - t));
    }
    assert_true(clearance.low <= clearance.exact && clearance.exact <= clearance.high);
    assert_true(raise.low <= raise.exact && raise.exact <= raise.high);
    double near = isinf(zone.exact) ? 0 : 1e-9 * fabs(zone.exact);
    assert_true(zone.low <= zone.exact + near && zone.exact <= zone.high + near);
    assert_true(sight.blocked == (clearance.exact < 0) || fabs(clearance.exact) < 1e-300);
}

/// What is said to be attained is: by the parts that have that t, evaluated there.
static void check_attained(const exact_grid *grid, const exact_line *line) {
    const exact_part *parts;
    int64_t count = exact_sight_parts(grid, line, &parts);
    exact_range clearance = exact_clearance(parts, count), raise = exact_raise(parts, count),
                zone = exact_zone(parts, count);
    double nearest[3] = {LF_INFINITY, LF_INFINITY, LF_INFINITY};
    for (int64_t i = 0; i < count; i++) {
        double at[3] = {clearance.t, raise.t, zone.t};
        double low = mpq_get_d(parts[i].low), high = mpq_get_d(parts[i].high);
        for (int k = 0; k < 3; k++) {
            double t = at[k];
            if (t < low - 1e-14 || t > high + 1e-14)
                continue;
            double value = t * (mpq_get_d(parts[i].a) * t + mpq_get_d(parts[i].b)) + mpq_get_d(parts[i].c);
            double said = k == 0   ? clearance.exact - value
                          : k == 1 ? t * raise.exact + value
                                   : sqrt(t * (1 - t)) * zone.exact - value;
            nearest[k] = fmin(nearest[k], fabs(said));
        }
    }
    double scale = 1e-9 * (1 + fabs(line->z) + fabs(line->rise) + fabs(line->bend) + fabs(highest(grid)));
    for (int k = 0; k < 3 && count > 0; k++)
        if (!(k == 1 && isinf(raise.exact)) && !(k == 2 && isinf(zone.exact)))
            assert_true(nearest[k] <= scale);
}

static void check_both_ways(const exact_grid *grid, const exact_line *line) {
    exact_line back = *line;
    back.back = true;
    exact_line turned = {.x = line->x + line->dx,
                         .y = line->y + line->dy,
                         .dx = -line->dx,
                         .dy = -line->dy,
                         .z = line->z + line->rise,
                         .rise = -line->rise,
                         .bend = line->bend,
                         .turn = 1,
                         .end = 1};
    exact_sight first = exact_sight_of(grid, &back), second = exact_sight_of(grid, &turned),
                plain = exact_sight_of(grid, line);
    assert_true(first.blocked == second.blocked && first.blocked == plain.blocked);
    assert_true(first.hole == second.hole && first.hole == plain.hole);
    assert_true(first.blocked_t == second.blocked_t && first.hole_t == second.hole_t);
    const exact_part *parts;
    int64_t count = exact_sight_parts(grid, &back, &parts);
    exact_range ranges[3] = {exact_clearance(parts, count), exact_raise(parts, count),
                             exact_zone(parts, count)};
    assert_int_equal(exact_sight_parts_all(grid, &turned, &parts), count);
    exact_range others[3] = {exact_clearance(parts, count), exact_raise(parts, count),
                             exact_zone(parts, count)};
    for (int k = 0; k < 3; k++)
        assert_true(ranges[k].exact == others[k].exact && ranges[k].t == others[k].t);
}

/// On lines of quarters; ends at the height of the ground, a bit beside it, or anywhere.
static exact_line few_bits_line(const nasty_grid *nasty, test_random *random) {
    double size[2] = {(double)nasty->def.samples.columns, (double)nasty->def.samples.rows};
    double ends[2][3];
    for (int k = 0; k < 2; k++) {
        for (int axis = 0; axis < 2; axis++)
            ends[k][axis] = rint(4 * test_random_between(random, -1.5, size[axis] + 0.5)) / 4;
        if (test_random_below(random, 2))
            ends[k][0] = rint(ends[k][0]), ends[k][1] = rint(ends[k][1]);
        ends[k][2] = rint(8 * nasty_grid_height(nasty, ends[k][0], ends[k][1])) / 8 +
                     (double)(test_random_below(random, 9) - 4) / 8;
    }
    double bends[4] = {0, 0, 2, -1.5};
    return (exact_line){.x = ends[0][0],
                        .y = ends[0][1],
                        .dx = ends[1][0] - ends[0][0],
                        .dy = ends[1][1] - ends[0][1],
                        .z = ends[0][2],
                        .rise = ends[1][2] - ends[0][2],
                        .bend = bends[test_random_below(random, 4)],
                        .turn = 1,
                        .end = 1};
}

static void the_oracle_of_lines_is_right(void **state) {
    (void)state;
    static const nasty_relief reliefs[5] = {NASTY_RELIEF_TIES, NASTY_RELIEF_EIGHTHS, NASTY_RELIEF_SAW,
                                            NASTY_RELIEF_RIDGE, NASTY_RELIEF_SADDLE};
    test_random random = test_random_start(5100);
    for (int64_t round = 0; round < (test_long() ? 400 : 50); round++) {
        nasty_grid nasty;
        nasty_grid_make(&nasty, reliefs[round % 5], (lf_surface)(round / 5 % 5), 0, &random);
        exact_grid grid = nasty_grid_exact(&nasty);
        for (int i = 0; i < 12; i++) {
            exact_line line = few_bits_line(&nasty, &random);
            check_samples(&grid, &line);
            check_attained(&grid, &line);
            check_both_ways(&grid, &line);
        }
        nasty_grid_free(&nasty);
    }
}

/// A ridge of 3 m in the middle of a plain: everything by hand.
static void a_ridge_by_hand(void **state) {
    (void)state;
    const double heights[10] = {0, 0, 3, 0, 0, 0, 0, 3, 0, 0};
    exact_grid grid = {5, 2, heights, LF_SURFACE_BILINEAR, false};
    exact_line line = {.y = 0.5, .dx = 4, .z = 1, .turn = 1, .end = 1};
    exact_sight sight = exact_sight_of(&grid, &line);
    assert_true(sight.blocked && !sight.hole && fabs(sight.blocked_t - 1.0 / 3) < 1e-15);
    const exact_part *parts;
    int64_t count = exact_sight_parts(&grid, &line, &parts);
    assert_int_equal(count, 4);
    assert_true(exact_clearance(parts, count).exact == -2 && exact_clearance(parts, count).t == 0.5);
    assert_true(exact_raise(parts, count).exact == 4 && exact_raise(parts, count).t == 0.5);
    assert_true(exact_zone(parts, count).exact == -4);
    line.z = 3;
    assert_false(exact_sight_of(&grid, &line).blocked);
    line.bend = 0x1p-40;
    assert_true(exact_sight_of(&grid, &line).blocked);
    line.bend = -0x1p-40;
    assert_false(exact_sight_of(&grid, &line).blocked);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oracle_of_lines_is_right),
        cmocka_unit_test(a_ridge_by_hand),
    };
    return cmocka_run_group_tests_name("support: exact sight", tests, NULL, NULL);
}
