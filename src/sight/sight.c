/// Can a see b?
#include "grid/guard.h"
#include "sight/k_line.h"
#include "sight/pair.h"

const char *lf_verdict_name(lf_verdict verdict) {
    switch (verdict) {
#define LF_VERDICT_CASE(name, value, word) \
    case name:                             \
        return word;
        LF_VERDICT_LIST(LF_VERDICT_CASE)
#undef LF_VERDICT_CASE
    }
    return "?";
}

/// Numbers that say the same as the exact verdict, which rounding may have left out.
static void agree(lf_sight *sight, bool below, bool zone) {
    if (zone && below && !(sight->fresnel < 0))
        sight->fresnel = -0x1p-1074;
    if (zone && !below && sight->fresnel < 0)
        sight->fresnel = 0;
    if (below && !(sight->clearance < 0))
        sight->clearance = -0x1p-1074;
    if (!below && sight->clearance < 0)
        sight->clearance = 0;
    if (below && !(sight->raise > 0))
        sight->raise = 0x1p-1074;
    if (!below && sight->raise > 0)
        sight->raise = 0;
}

static void add_detail(const lf_ground *ground, const lf__sight_pair *pair, bool below, lf_sight *sight,
                       lf_cursor *cursor) {
    const lf_sight_rules *rules = pair->rules;
    double zone = rules->frequency_mhz > 0 ? lf__fresnel_zone(rules->frequency_mhz, pair->length) : 0;
    lf__sight_detail d = lf__sight_detail_start(pair->turned, zone);
    lf__sight_pair_detail(ground, pair, &d, cursor);
    lf__sight_detail_tell(&d, sight);
    agree(sight, below, zone > 0);
}

lf_status lf__sight_between(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                            lf_sight *sight, lf_cursor *cursor) {
    lf__sight_pair pair;
    lf__sight_answer answer;
    if (!lf__sight_end_valid(rules, a) || !lf__sight_end_valid(rules, b))
        return LF_BAD_ARGUMENT;
    lf__sight_pair_make(ground, rules, a, b, true, &pair);
    lf__sight_pair_ask(ground, &pair, LF__SIGHT_FIRST, &answer, cursor);
    *sight = (lf_sight){.verdict = answer.verdict, .t = answer.t, .length = pair.length};
    lf_vec3 end = {lf__sight_short_way(ground, a.x, b.x), b.y, b.z};
    sight->point = answer.t == 1 ? end : lf__sight_pair_point(&pair, answer.t);
    if (rules->detail)
        add_detail(ground, &pair, answer.ground, sight, cursor);
    return lf__ground_told(ground, LF_OK);
}

lf_status lf_sight_between(const lf_ground *ground, const lf_sight_rules *given, lf_vec3 a, lf_vec3 b,
                           lf_sight *sight, lf_cursor *cursor) {
    lf_sight_rules rules;
    if (!ground || !sight || lf__sight_rules_read(given, &rules) != LF_OK ||
        !lf__sight_rules_fit(&rules, ground))
        return LF_BAD_ARGUMENT;
    return lf__sight_between(ground, &rules, a, b, sight, cursor);
}

/// From which end to search.
static bool starts_at_b(const lf_sight_rules *rules, const lf_cursor *cursor) {
    return rules->search == LF_SEARCH_BACKWARD ||
           (rules->search == LF_SEARCH_LAST && cursor && cursor->from_b);
}

/// Does a line stay over the grid itself, and off the seam, so that no copy of the grid matters to it?
static bool stays(const lf_grid *grid, double a, double b) {
    double most = grid->half_width - 1e-6 * fabs(grid->geotransform.per_column.x);
    return grid->copies == 0 ||
           (fabs(a - grid->middle) < most && fabs(b - grid->middle) < most && fabs(b - a) < 0.5 * grid->turn);
}

/// Over a grid without holes, by kernels: from the ends straight to the search, which takes no longer than all that is left out.
static bool search_at_once(const lf_grid *grid, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                           lf_verdict *verdict, lf_cursor *cursor) {
    const lf_curvature *bend = &rules->curvature;
    bool plane = bend->coefficient == 0 || rules->units == LF_MAP_METRES;
    if (!lf__sight_has_kernel(grid) || grid->packed || !plane || (lf__cursor_layers(cursor) & 1u) == 0 ||
        !stays(grid, a.x, b.x))
        return false;
    bool turned = lf__sight_comes_first(b, a), from_b = starts_at_b(rules, cursor);
    lf_vec3 first = turned ? b : a, second = turned ? a : b;
    double x = second.x - first.x, y = second.y - first.y, t = 1;
    double sag = bend->coefficient == 0 ? 0 : lf__sight_sag(bend, sqrt(x * x + y * y));
    lf_counters cost = {.questions = 1};
    lf__sight_line line;
    lf__grid_touch_line(grid, a, b);
    if (!lf__sight_line_of_ends(grid, first, second, sag, &line))
        return false;
    lf__line_search found = lf__sight_search(grid, &line, from_b != turned, true, &t, &cost);
    if (found == LF__LINE_REFUSED)
        return false;
    *verdict = found == LF__LINE_BELOW ? LF_VERDICT_BLOCKED : LF_VERDICT_CLEAR;
    if (cursor && found == LF__LINE_BELOW)
        cursor->from_b = (turned ? 1 - t : t) > 0.5;
    lf__cursor_count(cursor, &cost);
    return true;
}

lf_verdict lf__sight_verdict(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                             lf_cursor *cursor) {
    lf__sight_pair pair;
    lf__sight_answer answer;
    lf_verdict verdict;
    const lf_grid *grid = lf__ground_grid(ground);
    if (grid && search_at_once(grid, rules, a, b, &verdict, cursor))
        return verdict;
    lf__sight_pair_make(ground, rules, a, b, false, &pair);
    lf__sight_pair_ask(ground, &pair, starts_at_b(rules, cursor) ? LF__SIGHT_ANY_B : LF__SIGHT_ANY, &answer,
                       cursor);
    if (cursor && answer.verdict != LF_VERDICT_CLEAR)
        cursor->from_b = answer.t > 0.5;
    return answer.verdict;
}

lf_status lf_sight_verdict(const lf_ground *ground, const lf_sight_rules *given, lf_vec3 a, lf_vec3 b,
                           lf_verdict *verdict, lf_cursor *cursor) {
    lf_sight_rules rules;
    if (!ground || !verdict || lf__sight_rules_read(given, &rules) != LF_OK ||
        !lf__sight_rules_fit(&rules, ground) || !lf__sight_end_valid(&rules, a) ||
        !lf__sight_end_valid(&rules, b))
        return LF_BAD_ARGUMENT;
    *verdict = lf__sight_verdict(ground, &rules, a, b, cursor);
    return lf__ground_told(ground, LF_OK);
}
