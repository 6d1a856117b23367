#include "horizon_oracle.h"
#include <stdio.h>

/// By how much a direction may be off, radians.
#define ASIDE 4e-15

static double degrees(double slope) {
    return atan(slope) * (180 / 3.14159265358979323846);
}

horizon_eye horizon_eye_over(const grid_bench *bench, int64_t sample, double above) {
    int64_t column = sample % bench->exact.columns, row = sample / bench->exact.columns;
    lf_vec2 at = nasty_sight_sample(&bench->nasty, column, row);
    return (horizon_eye){{at.x, at.y, bench->exact.heights[sample] + above}, {(double)column, (double)row}};
}

static void take_in(horizon_truth *truth, const exact_sight *sight, exact_range slope) {
    truth->low_deg = fmin(truth->low_deg, degrees(slope.low));
    truth->high_deg = fmax(truth->high_deg, degrees(slope.high));
    truth->may_be_none |= !sight->over_ground;
    truth->may_be_ground |= sight->over_ground;
    truth->may_be_hole |= sight->over_hole;
    truth->may_be_whole |= !sight->over_hole;
}

horizon_truth horizon_truth_of(const grid_bench *bench, const lf_sight_rules *rules, horizon_eye eye,
                               double azimuth, double range, bool doubt) {
    horizon_truth truth = {.low_deg = LF_INFINITY, .high_deg = -LF_INFINITY};
    for (int turn = doubt ? -1 : 0; turn <= (doubt ? 1 : 0); turn++) {
        exact_line line =
            nasty_horizon_line(&bench->nasty, rules, eye.from, eye.place, azimuth, turn * ASIDE);
        line.end = range;
        exact_sight sight = exact_sight_of(&bench->exact, &line);
        exact_range slope = exact_raise(sight.parts, sight.part_count);
        take_in(&truth, &sight, slope);
        if (turn != 0)
            continue;
        truth.slope = slope;
        truth.none = !sight.over_ground;
        truth.hole = sight.over_hole;
    }
    return truth;
}

/// Does the planet hide a line that goes down? 1: yes, 0: no, -1: too near to tell. Its ground is no lower than datum or the lowest of the grid.
static int planet_hides(const grid_bench *bench, const exact_line *line, double rise, double bend) {
    double floor = 0, lowest = -LF_INFINITY;
    for (int64_t i = 0; i < bench->exact.columns * bench->exact.rows; i++)
        if (bench->exact.heights[i] < floor)
            floor = bench->exact.heights[i];
    if (rise >= 0)
        return 0;
    if (bend > 0) { // where it stands still
        double d = -rise / (2 * bend);
        lowest = line->z + d * rise + d * d * bend;
    }
    double near = 1e-9 * (fabs(line->z) + fabs(floor) + fabs(lowest - line->z));
    return fabs(lowest - floor) <= near ? -1 : lowest < floor;
}

unsigned horizon_light(const grid_bench *bench, const lf_sight_rules *rules, horizon_eye eye, lf_sun sun,
                       double range, bool doubt) {
    unsigned may_be = 0;
    double slope = tan(sun.altitude_deg * (3.14159265358979323846 / 180)), t;
    for (int turn = doubt ? -1 : 0; turn <= (doubt ? 1 : 0); turn++)
        for (int lift = doubt ? -1 : 0; lift <= (doubt ? 1 : 0); lift++) {
            exact_line line =
                nasty_horizon_line(&bench->nasty, rules, eye.from, eye.place, sun.azimuth_deg, turn * ASIDE);
            line.end = range;
            line.rise = slope + lift * ASIDE * (1 + slope * slope);
            int hidden = planet_hides(bench, &line, line.rise,
                                      rules->curvature.coefficient / (2 * rules->curvature.radius));
            may_be |= hidden != 0 ? 1u << LF_VISIBILITY_HIDDEN : 0;
            if (hidden == 1)
                continue;
            exact_sight sight = exact_sight_of(&bench->exact, &line);
            lf_verdict verdict = nasty_sight_verdict(&sight, rules->voids, &t);
            may_be |= 1u << (verdict == LF_VERDICT_CLEAR     ? LF_VISIBILITY_VISIBLE
                             : verdict == LF_VERDICT_BLOCKED ? LF_VISIBILITY_HIDDEN
                                                             : LF_VISIBILITY_UNKNOWN);
        }
    return may_be;
}

void horizon_wrong(grid_oracle *oracle, const grid_bench *bench, const lf_sight_rules *rules, horizon_eye eye,
                   const double numbers[3], const char *what) {
    if (grid_oracle_count(oracle, what) > 1)
        return;
    fprintf(stderr, "%s: WRONG: %s\n", oracle->name, what);
    grid_bench_print(bench);
    fprintf(stderr,
            "    from {%a, %a, %a}, column %.17g row %.17g\n    bend %.17g radius %.17g span %d holes %d\n"
            "    numbers %.17g %.17g %.17g\n",
            eye.from.x, eye.from.y, eye.from.z, eye.place.x, eye.place.y, rules->curvature.coefficient,
            rules->curvature.radius, (int)rules->units, (int)rules->voids, numbers[0], numbers[1],
            numbers[2]);
}
