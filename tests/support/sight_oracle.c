#include "sight_oracle.h"
#include <float.h>
#include <stdio.h>

sight_truth sight_truth_of(const grid_bench *bench, const nasty_sight *asked, const lf_vec2 places[2]) {
    sight_truth truth = {.line = nasty_sight_line(&bench->nasty, &asked->rules, asked->a, asked->b, places),
                         .length = nasty_sight_span(&asked->rules, asked->a, asked->b)};
    truth.sight = exact_sight_of(&bench->exact, &truth.line);
    truth.verdict = nasty_sight_verdict(&truth.sight, asked->rules.voids, &truth.t);
    return truth;
}

static double part_at(const exact_part *part, double t) {
    double low = mpq_get_d(part->low), high = mpq_get_d(part->high);
    mpq_t exact, value;
    mpq_inits(exact, value, NULL);
    mpq_set_d(exact, t);
    if (t <= low)
        mpq_set(exact, part->low);
    if (t >= high)
        mpq_set(exact, part->high);
    mpq_mul(value, part->a, exact);
    mpq_add(value, value, part->b);
    mpq_mul(value, value, exact);
    mpq_add(value, value, part->c);
    double height = mpq_get_d(value);
    mpq_clears(exact, value, NULL);
    return height;
}

static bool over(const exact_part *part, double t) {
    return mpq_get_d(part->low) - 0x1p-48 <= t && t <= mpq_get_d(part->high) + 0x1p-48;
}

/// t to rounding; where the line only grazes the ground that may be more in t, but not in height.
static bool t_is_right(const nasty_sight *asked, const sight_truth *truth, double t) {
    if (fabs(t - truth->t) <= 16 * DBL_EPSILON)
        return true;
    if (asked->rules.voids == LF_VOIDS_STOP || truth->verdict != LF_VERDICT_BLOCKED ||
        fabs(t - truth->t) > 1e-6)
        return false;
    for (int64_t i = 0; i < truth->sight.part_count; i++) {
        const exact_part *part = &truth->sight.parts[i];
        if (over(part, t) && over(part, truth->t) && fabs(part_at(part, t)) <= part->slack)
            return true;
    }
    return false;
}

static bool point_is_right(const nasty_sight *asked, const sight_truth *truth, const lf_sight *said) {
    double t = said->t, rise = asked->b.z - asked->a.z;
    lf_vec3 a = asked->a, b = asked->b;
    lf_vec3 point = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y),
                     a.z + t * rise - truth->line.bend * t * (1 - t)};
    double off = 16 * DBL_EPSILON;
    return fabs(said->point.x - point.x) <= off * (fabs(a.x) + fabs(b.x)) &&
           fabs(said->point.y - point.y) <= off * (fabs(a.y) + fabs(b.y)) &&
           fabs(said->point.z - point.z) <= off * (fabs(a.z) + fabs(b.z) + fabs(truth->line.bend));
}

bool sight_oracle_in(const exact_range *range, double factor, double said) {
    double low = range->low * factor, high = range->high * factor;
    if (isinf(low) || isinf(high))
        return said >= low && said <= high;
    double off = 1e-9 * fmax(fabs(low), fabs(high));
    return said >= low - off && said <= high + off;
}

/// By what share sqrt(t (1 - t)) changes when t is off by a few bits.
static double zone_loose(double t) {
    return t > 0 && t < 1 ? 8 * DBL_EPSILON / (t * (1 - t)) : 0;
}

/// By what share 1 / t changes then.
static double raise_loose(double t) {
    return t > 0 ? 4 * DBL_EPSILON / t : 0;
}

/// Is the said number the one at the said t, of any part there? kind: 0 clearance, 1 raise, 2 zone.
static bool attained(const sight_truth *truth, int kind, double value, double t) {
    if (!(t >= 0 && t <= 1))
        return false;
    if (kind == 2 && t * (1 - t) < 1e-10) // t itself is too coarse there
        return true;
    for (int64_t i = 0; i < truth->sight.part_count; i++) {
        const exact_part *part = &truth->sight.parts[i];
        if (!over(part, t))
            continue;
        double weight = kind == 0 ? 1 : kind == 1 ? -t : sqrt(t * (1 - t));
        double height = part_at(part, t), claim = weight == 0 ? 0 : value * weight;
        double loose = kind == 2 ? zone_loose(t) : kind == 1 ? raise_loose(t) : 0;
        // what blocks is below 0, if only by the least number
        if (fabs(height - claim) <= 4 * part->slack + (1e-9 + loose) * fabs(height) + DBL_MIN || isinf(value))
            return true;
    }
    return false;
}

static const char *oracle_numbers(const sight_truth *truth, const lf_sight *said) {
    const exact_part *parts = truth->sight.parts;
    int64_t count = truth->sight.part_count;
    exact_range clearance = exact_clearance(parts, count), raise = exact_raise(parts, count);
    if (!sight_oracle_in(&clearance, 1, said->clearance))
        return "clearance is off";
    double loose = raise_loose(raise.t) * fabs(raise.exact);
    if (!isinf(raise.exact)) {
        raise.low -= loose;
        raise.high += loose;
    }
    if (!sight_oracle_in(&raise, 1, said->raise))
        return "raise is off";
    if (count > 0 && !attained(truth, 0, said->clearance, said->clearance_t))
        return "clearance_t is not where the clearance is";
    if (count > 0 && !attained(truth, 1, said->raise, said->raise_t))
        return "raise_t is not where the raise is";
    return NULL;
}

static const char *oracle_zone(const nasty_sight *asked, const sight_truth *truth, const lf_sight *said) {
    double wave = 299.792458 / asked->rules.frequency_mhz;
    exact_range zone = exact_zone(truth->sight.parts, truth->sight.part_count);
    double factor = 1 / sqrt(wave * truth->length);
    if (!(truth->length > 0))
        return NULL;
    double loose = isinf(zone.exact) ? 0 : zone_loose(zone.t) * fabs(zone.exact);
    zone.low -= loose;
    zone.high += loose;
    // The zone has hardly any width next to an end: a step of the ground closer to it than t can tell is
    // found beside it.
    bool beside_end = zone.t * (1 - zone.t) < 8 * DBL_EPSILON && zone.t != said->fresnel_t;
    if (!beside_end && !sight_oracle_in(&zone, factor, said->fresnel))
        return "fresnel is off";
    if (truth->sight.part_count > 0 && !attained(truth, 2, said->fresnel / factor, said->fresnel_t))
        return "fresnel_t is not where it is";
    return NULL;
}

const char *sight_oracle_answer(const nasty_sight *asked, const sight_truth *truth, const lf_sight *said,
                                bool detail) {
    if (said->verdict != truth->verdict)
        return truth->verdict == LF_VERDICT_CLEAR     ? "verdict: it is clear"
               : truth->verdict == LF_VERDICT_BLOCKED ? "verdict: it is blocked"
                                                      : "verdict: it is unknown";
    if (truth->verdict == LF_VERDICT_CLEAR && said->t != 1)
        return "clear, and t is not 1";
    if (!t_is_right(asked, truth, said->t))
        return "t is off";
    if (!(said->t >= 0 && said->t <= 1) || signbit(said->t))
        return "t is not from 0 to 1";
    if (!point_is_right(asked, truth, said))
        return "point is not on the line";
    if (!(fabs(said->length - truth->length) <= 1e-15 * truth->length))
        return "length is off";
    const char *fault = detail ? oracle_numbers(truth, said) : NULL;
    return fault || !detail || asked->rules.frequency_mhz == 0 ? fault : oracle_zone(asked, truth, said);
}

static void print_point(const char *name, lf_vec3 p) {
    fprintf(stderr, "    %s {%a, %a, %a} = {%.17g, %.17g, %.17g}\n", name, p.x, p.y, p.z, p.x, p.y, p.z);
}

static void print_range(const char *name, exact_range range) {
    fprintf(stderr, "    exact %s %.17g, %.17g .. %.17g, at t %.17g\n", name, range.exact, range.low,
            range.high, range.t);
}

static void print_said(const lf_sight *said) {
    fprintf(stderr,
            "    said: %s, t %.17g; clearance %.17g at %.17g; raise %.17g at %.17g; fresnel %.17g at %.17g\n",
            lf_verdict_name(said->verdict), said->t, said->clearance, said->clearance_t, said->raise,
            said->raise_t, said->fresnel, said->fresnel_t);
}

void sight_oracle_wrong(grid_oracle *oracle, const grid_bench *bench, const nasty_sight *asked,
                        const char *what, const lf_sight *said) {
    if (grid_oracle_count(oracle, what) > 1)
        return;
    const lf_sight_rules *rules = &asked->rules;
    sight_truth truth = sight_truth_of(bench, asked, NULL);
    const exact_sight *sight = &truth.sight;
    fprintf(stderr, "%s: WRONG: %s (%s)\n", oracle->name, what, nasty_sight_name(asked->kind));
    grid_bench_print(bench);
    print_point("a", asked->a);
    print_point("b", asked->b);
    fprintf(stderr, "    bend %.17g radius %.17g (%a %a) span %d holes %d search %d frequency %.17g\n",
            rules->curvature.coefficient, rules->curvature.radius, rules->curvature.coefficient,
            rules->curvature.radius, (int)rules->units, (int)rules->voids, (int)rules->search,
            rules->frequency_mhz);
    fprintf(stderr, "    line: %.17g %.17g + t (%.17g %.17g), z %.17g rise %.17g K %.17g, %s\n", truth.line.x,
            truth.line.y, truth.line.dx, truth.line.dy, truth.line.z, truth.line.rise, truth.line.bend,
            truth.line.back ? "from b" : "from a");
    fprintf(stderr, "    exact: %s, t %.17g; blocked %d at %.17g, hole %d at %.17g\n",
            lf_verdict_name(truth.verdict), truth.t, sight->blocked, sight->blocked_t, sight->hole,
            sight->hole_t);
    print_range("clearance", exact_clearance(sight->parts, sight->part_count));
    print_range("raise", exact_raise(sight->parts, sight->part_count));
    if (truth.length > 0 && rules->frequency_mhz > 0) {
        exact_range zone = exact_zone(sight->parts, sight->part_count);
        double factor = 1 / sqrt(299.792458 / rules->frequency_mhz * truth.length);
        print_range("fresnel",
                    (exact_range){zone.exact * factor, zone.low * factor, zone.high * factor, zone.t});
    }
    if (said)
        print_said(said);
}
