/// Rules, and the line between two ends.
#include "sight/pair.h"
#include "base/base.h"
#include <string.h>

/// Bends of more than so many times the length's square are refused: products of them would not be exact.
#define MOST_BEND 128

lf_status lf__sight_rules_read(const lf_sight_rules *given, lf_sight_rules *rules) {
    *rules = lf_sight_rules_default();
    lf_status status = lf__def_read(rules, sizeof *rules, given, NULL);
    if (status != LF_OK)
        return status;
    const lf_ellipsoid *e = &rules->ellipsoid;
    bool fine = isfinite(rules->curvature.coefficient) && isfinite(rules->curvature.radius) && rules->curvature.radius > 0;
    fine &= fabs(rules->curvature.coefficient) <= MOST_BEND * (2 * rules->curvature.radius);
    fine &= rules->units == LF_MAP_METRES || rules->units == LF_MAP_DEGREES;
    fine &= e->radius <= LF__FARTHEST && e->radius > 0 && e->flattening >= 0 && e->flattening < 1;
    fine &=
        rules->voids == LF_VOIDS_UNKNOWN || rules->voids == LF_VOIDS_PASS || rules->voids == LF_VOIDS_STOP;
    fine &= rules->search == LF_SEARCH_FORWARD || rules->search == LF_SEARCH_BACKWARD ||
            rules->search == LF_SEARCH_LAST;
    fine &= isfinite(rules->frequency_mhz) && rules->frequency_mhz >= 0;
    return fine ? LF_OK : LF_BAD_ARGUMENT;
}

bool lf__sight_rules_fit(const lf_sight_rules *rules, const lf_ground *ground) {
    return rules->curvature.coefficient == 0 || ground->kind->frame(ground->thing)->kind == LF_FRAME_GRAVITY;
}

/// Across gravity, where that is one direction; else across -z.
static double plane_length(const lf_frame *frame, lf_vec3 a, lf_vec3 b) {
    lf_vec3 d = {b.x - a.x, b.y - a.y, b.z - a.z};
    if (frame->kind != LF_FRAME_GRAVITY || lf__frame_is_plain(frame))
        return sqrt(d.x * d.x + d.y * d.y);
    lf_vec3 down = lf_vec3_unit(frame->down);
    return lf_vec3_length(lf_vec3_along(d, -lf_vec3_dot(d, down), down));
}

double lf__sight_short_way(const lf_ground *ground, double from, double to) {
    const lf_grid *grid = lf__ground_grid(ground);
    if (!grid || grid->turn == 0)
        return to;
    double column = lf__sight_place(grid, (lf_vec2){from, 0}).x;
    double columns = lf__sight_place_near(grid, (lf_vec2){to, 0}, column).x - column;
    double turns = rint((columns * grid->geotransform.per_column.x - (to - from)) / grid->turn);
    return turns == 0 || !isfinite(turns) ? to : to + turns * grid->turn;
}

void lf__sight_pair_make(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                         bool measure, lf__sight_pair *pair) {
    b.x = lf__sight_short_way(ground, a.x, b.x);
    bool turned = lf__sight_comes_first(b, a);
    *pair = (lf__sight_pair){.rules = rules, .a = turned ? b : a, .b = turned ? a : b, .turned = turned};
    const lf_frame *frame = ground->kind->frame(ground->thing);
    const lf_curvature *bend = &rules->curvature;
    pair->down = lf__frame_is_plain(frame) ? (lf_vec3){0, 0, -1} : lf_vec3_unit(frame->down);
    if (bend->coefficient == 0 && !measure)
        return;
    if (rules->units == LF_MAP_METRES) {
        pair->length = plane_length(frame, pair->a, pair->b);
    } else {
        lf_geodetic from = {pair->a.x, pair->a.y, 0}, to = {pair->b.x, pair->b.y, 0};
        pair->length = lf_geodesic_between(&rules->ellipsoid, from, to).distance;
    }
    pair->sag = lf__sight_sag(bend, pair->length);
}

lf__sight_line lf__sight_pair_line(const lf__sight_pair *pair, const lf_grid *grid, bool *turned) {
    lf_vec2 from = lf__sight_place(grid, (lf_vec2){pair->a.x, pair->a.y});
    lf_vec2 to = lf__sight_place_near(grid, (lf_vec2){pair->b.x, pair->b.y}, from.x);
    // An end far off the grid does not matter if it is rounded: there is no ground.
    *turned = lf__sight_is_near(grid, to) && !lf__sight_is_near(grid, from);
    return *turned ? lf__sight_line_between(to, pair->b.z, from, pair->a.z, pair->sag)
                   : lf__sight_line_between(from, pair->a.z, to, pair->b.z, pair->sag);
}

lf_vec3 lf__sight_pair_at(const lf__sight_pair *pair, double t) {
    lf_vec3 d = lf_vec3_sub(pair->b, pair->a);
    lf_vec3 point = t < 0.5 ? lf_vec3_along(pair->a, t, d) : lf_vec3_along(pair->b, t - 1, d);
    double sag = pair->sag * t * (1 - t);
    return sag == 0 ? point : lf_vec3_along(point, sag, pair->down);
}

lf_vec3 lf__sight_pair_point(const lf__sight_pair *pair, double t) {
    return lf__sight_pair_at(pair, pair->turned ? 1 - t : t);
}
