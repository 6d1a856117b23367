/// Lines of sight over any ground: the public calls, and the line between two points.
#include "sight/sight.h"
#include "base/base.h"
#include "grid/grid_query.h"
#include "grid/guard.h"
#include "grid/packed.h"
#include "sight/k_line.h"
#include <string.h>

static double sight_near_x(const lf_ground *ground, double from, double to);

/// Make the numbers agree with the exact verdict, where rounding lost the sign.
static void sight_match_verdict(lf_sight *sight, bool below, bool zone) {
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
    lf__sight_detail_report(&d, sight);
    sight_match_verdict(sight, below, zone > 0);
}

/// One line, with everything checked but its ends.
static lf_status sight_between(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                               lf_sight *sight, lf_cursor *cursor) {
    lf__sight_pair pair;
    lf__sight_result answer;
    if (!lf__sight_end_valid(rules, a) || !lf__sight_end_valid(rules, b))
        return LF_BAD_ARGUMENT;
    lf__sight_pair_make(ground, rules, a, b, true, &pair);
    lf__sight_pair_verdict(ground, &pair, LF__SIGHT_FIRST, &answer, cursor);
    *sight = (lf_sight){.verdict = answer.verdict, .t = answer.t, .length = pair.length};
    lf_vec3 end = {sight_near_x(ground, a.x, b.x), b.y, b.z};
    sight->point = answer.t == 1 ? end : lf__sight_pair_point(&pair, answer.t);
    if (rules->detail)
        add_detail(ground, &pair, answer.ground, sight, cursor);
    return lf__ground_status(ground, LF_OK);
}

lf_status lf_sight_between(const lf_ground *ground, const lf_sight_rules *given, lf_vec3 a, lf_vec3 b,
                           lf_sight *sight, lf_cursor *cursor) {
    lf_sight_rules rules;
    if (!ground || !sight || lf__sight_rules_read(given, &rules) != LF_OK ||
        !lf__sight_rules_fit(&rules, ground))
        return LF_BAD_ARGUMENT;
    return sight_between(lf__ground_itself(ground), &rules, a, b, sight, cursor);
}

/// Start the search at b?
static bool starts_at_b(const lf_sight_rules *rules, const lf_cursor *cursor) {
    return rules->search == LF_SEARCH_BACKWARD ||
           (rules->search == LF_SEARCH_LAST && cursor && cursor->from_b);
}

/// A line that is asked for.
typedef struct sight_line_query {
    const lf_sight_rules *rules;
    lf_vec3 a, b;
} sight_line_query;

/// Can lines go directly from their ends to the kernels? Over a grid without voids, on a plane.
static bool sight_is_direct(const lf_grid *grid, const lf_sight_rules *rules, const lf_cursor *cursor) {
    bool plane = rules->curvature.coefficient == 0 || rules->units == LF_MAP_METRES;
    return lf__sight_has_kernel(grid) && plane && (lf__cursor_layers(cursor) & 1u) != 0;
}

/// Search over a view of a compressed grid. Apart from its caller, which needs no memory for tiles where probes decide.
__attribute__((noinline)) static lf__line_search sight_search_packed(const lf_grid *grid,
                                                                     const lf__sight_line *line,
                                                                     bool from_end, double *t,
                                                                     lf_counters *cost, lf_cursor *cursor) {
    lf__grid_scratch space;
    const lf_grid *view = lf__grid_open(grid, cursor, &space);
    lf__line_search found = lf__sight_search(view, line, from_end, true, t, cost);
    lf__grid_close(grid, view, cursor);
    return found;
}

/// Which skips most of the setup. probe: places along the line have not been probed yet.
static bool sight_at_once(const lf_grid *grid, const sight_line_query *query, bool probe, lf_verdict *verdict,
                          lf_cursor *cursor) {
    const lf_sight_rules *rules = query->rules;
    lf_vec3 a = query->a, b = query->b;
    if (!sight_is_direct(grid, rules, cursor) || !lf__sight_stays(grid, a.x, b.x))
        return false;
    bool turned = lf__sight_comes_first(b, a), from_b = starts_at_b(rules, cursor);
    lf_vec3 first = turned ? b : a, second = turned ? a : b;
    double sag = lf__sight_plane_sag(&rules->curvature, first, second), t = 1;
    lf_counters cost = {.questions = 1, .nodes = 1};
    lf__sight_line line;
    lf__grid_touch_line(grid, a, b);
    lf__line_search found = LF__LINE_BELOW;
    if (!probe || !lf__sight_probe(grid, first, second, sag, &t)) {
        if (!lf__sight_line_of_ends(grid, first, second, sag, &line))
            return false;
        found = grid->packed ? sight_search_packed(grid, &line, from_b != turned, &t, &cost, cursor)
                             : lf__sight_search(grid, &line, from_b != turned, true, &t, &cost);
        if (found == LF__LINE_REFUSED)
            return false;
    }
    *verdict = found == LF__LINE_BELOW ? LF_VERDICT_BLOCKED : LF_VERDICT_CLEAR;
    if (cursor && found == LF__LINE_BELOW)
        cursor->from_b = (turned ? 1 - t : t) > 0.5;
    lf__cursor_count(cursor, &cost);
    return true;
}

bool lf__sight_at_once(const lf_grid *grid, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                       lf_verdict *verdict, lf_cursor *cursor) {
    return sight_at_once(grid, &(sight_line_query){rules, a, b}, true, verdict, cursor);
}

/// The verdict only, with the ends checked too.
lf_verdict lf__sight_verdict(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                             lf_cursor *cursor) {
    lf__sight_pair pair;
    lf__sight_result answer;
    lf_verdict verdict;
    const lf_grid *grid = lf__ground_grid(ground);
    if (grid && rules->layers == UINT32_MAX && lf__sight_at_once(grid, rules, a, b, &verdict, cursor))
        return verdict;
    lf__sight_pair_make(ground, rules, a, b, false, &pair);
    lf__sight_pair_verdict(ground, &pair, starts_at_b(rules, cursor) ? LF__SIGHT_ANY_B : LF__SIGHT_ANY,
                           &answer, cursor);
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
    *verdict = lf__sight_verdict(lf__ground_itself(ground), &rules, a, b, cursor);
    return lf__ground_status(ground, LF_OK);
}

// ---------------------------------------------------------------------------------------------------
// Many lines
// ---------------------------------------------------------------------------------------------------

/// Lines per task.
#define SIGHT_SHARE 256

typedef struct sight_batch {
    const lf_ground *ground;
    lf_sight_rules rules;
    const char *a, *b;
    size_t a_stride, b_stride;
    lf_sight *sights;
    size_t sight_stride;
    uint8_t *verdicts;
} sight_batch;

static lf_vec3 sight_end_at(const char *ends, size_t stride, int64_t i) {
    return *(const lf_vec3 *)(const void *)(ends + (size_t)i * stride);
}

static lf_status sight_batch_start(sight_batch *batch, const lf_ground *ground, const lf_sight_rules *rules,
                                   int64_t count) {
    if (!ground || count < 0 || lf__sight_rules_read(rules, &batch->rules) != LF_OK ||
        !lf__sight_rules_fit(&batch->rules, ground) || (count > 0 && (!batch->a || !batch->b)))
        return LF_BAD_ARGUMENT;
    batch->ground = lf__ground_itself(ground);
    batch->a_stride = lf__stride(batch->a_stride, sizeof(lf_vec3));
    batch->b_stride = lf__stride(batch->b_stride, sizeof(lf_vec3));
    bool fine = true;
    for (int64_t i = 0; i < count && fine; i++)
        fine = lf__sight_end_valid(&batch->rules, sight_end_at(batch->a, batch->a_stride, i)) &&
               lf__sight_end_valid(&batch->rules, sight_end_at(batch->b, batch->b_stride, i));
    return fine ? LF_OK : LF_BAD_ARGUMENT;
}

static void sight_share(void *job, int64_t first, int64_t last, int worker) {
    const sight_batch *b = job;
    lf__grid_task_scratch hall;
    lf_cursor cursor = lf__scratch_cursor(&hall);
    (void)worker;
    for (int64_t i = first; i < last; i++)
        sight_between(b->ground, &b->rules, sight_end_at(b->a, b->a_stride, i),
                      sight_end_at(b->b, b->b_stride, i),
                      (lf_sight *)(void *)((char *)b->sights + (size_t)i * b->sight_stride), &cursor);
}

lf_status lf_sight_many(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *a,
                        size_t a_stride, const lf_vec3 *b, size_t b_stride, int64_t count, lf_sight *sights,
                        size_t sight_stride, const lf_tasks *tasks) {
    sight_batch many = {.a = (const char *)a,
                        .b = (const char *)b,
                        .a_stride = a_stride,
                        .b_stride = b_stride,
                        .sights = sights,
                        .sight_stride = sight_stride ? sight_stride : sizeof *sights};
    lf_status status = sight_batch_start(&many, ground, rules, count);
    if (status != LF_OK || (count > 0 && !sights) || sight_stride == LF_STRIDE_SAME)
        return LF_BAD_ARGUMENT;
    lf__run(tasks, count, SIGHT_SHARE, sight_share, &many);
    return lf__ground_status(ground, LF_OK);
}

/// The same verdicts as of single lines: the parts of a group are searched along many lines in turns.
static void sight_verdict_group(const sight_batch *b, const lf_group *group, int64_t first, int64_t last,
                                lf_cursor *cursor) {
    lf__sight_pair pairs[LF__SIGHT_TOGETHER];
    lf__sight_result answers[LF__SIGHT_TOGETHER];
    for (int64_t at = first; at < last; at += LF__SIGHT_TOGETHER) {
        int64_t count = last - at < LF__SIGHT_TOGETHER ? last - at : LF__SIGHT_TOGETHER;
        for (int64_t i = 0; i < count; i++) {
            lf__sight_pair_make(b->ground, &b->rules, sight_end_at(b->a, b->a_stride, at + i),
                                sight_end_at(b->b, b->b_stride, at + i), false, &pairs[i]);
        }
        bool from_b = starts_at_b(&b->rules, cursor);
        lf__sight_group_verdicts(group, pairs, count, from_b ? LF__SIGHT_ANY_B : LF__SIGHT_ANY, answers,
                                 cursor);
        for (int64_t i = 0; i < count; i++) {
            b->verdicts[at + i] = (uint8_t)answers[i].verdict;
            if (answers[i].verdict != LF_VERDICT_CLEAR)
                cursor->from_b = answers[i].t > 0.5;
        }
    }
}

static void sight_verdict_share(void *job, int64_t first, int64_t last, int worker) {
    const sight_batch *b = job;
    lf__grid_task_scratch hall;
    lf_cursor cursor = lf__scratch_cursor(&hall); // it also stores which end decided last
    const lf_group *group = lf__ground_group(b->ground);
    (void)worker;
    if (group) {
        sight_verdict_group(b, group, first, last, &cursor);
        return;
    }
    const lf_grid *itself = lf__ground_grid(b->ground);
    bool probed = itself && b->rules.layers == UINT32_MAX && sight_is_direct(itself, &b->rules, &cursor);
    lf__sight_ends ends = {b->a, b->b, b->a_stride, b->b_stride};
    for (; first < last; first += SIGHT_SHARE) {
        int64_t end = last - first > SIGHT_SHARE ? first + SIGHT_SHARE : last, left[SIGHT_SHARE];
        int count = 0;
        if (probed)
            count = lf__sight_probe_many(itself, &b->rules.curvature, &ends, first, end, b->verdicts, left);
        else
            for (int64_t i = first; i < end; i++)
                left[count++] = i;
        for (int k = 0; k < count; k++) {
            int64_t i = left[k];
            sight_line_query query = {&b->rules, sight_end_at(b->a, b->a_stride, i),
                                      sight_end_at(b->b, b->b_stride, i)};
            lf_verdict verdict;
            if (!probed || !sight_at_once(itself, &query, false, &verdict, &cursor))
                verdict = lf__sight_verdict(b->ground, &b->rules, query.a, query.b, &cursor);
            b->verdicts[i] = (uint8_t)verdict;
        }
    }
}

lf_status lf_sight_verdicts(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *a,
                            size_t a_stride, const lf_vec3 *b, size_t b_stride, int64_t count,
                            uint8_t *verdicts, const lf_tasks *tasks) {
    sight_batch many = {.a = (const char *)a,
                        .b = (const char *)b,
                        .a_stride = a_stride,
                        .b_stride = b_stride,
                        .verdicts = verdicts};
    lf_status status = sight_batch_start(&many, ground, rules, count);
    if (status != LF_OK || (count > 0 && !verdicts))
        return LF_BAD_ARGUMENT;
    lf__run(tasks, count, SIGHT_SHARE, sight_verdict_share, &many);
    return lf__ground_status(ground, LF_OK);
}

typedef struct sight_matrix {
    sight_batch pairs; ///< a and b are the points
    int64_t count;
} sight_matrix;

static void sight_matrix_share(void *job, int64_t first, int64_t last, int worker) {
    const sight_matrix *m = job;
    const sight_batch *b = &m->pairs;
    lf__grid_task_scratch hall;
    lf_cursor cursor = lf__scratch_cursor(&hall);
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        b->verdicts[i * m->count + i] = LF_VERDICT_CLEAR;
        for (int64_t j = i + 1; j < m->count; j++) { // the other half is the same
            lf_verdict verdict = lf__sight_verdict(b->ground, &b->rules, sight_end_at(b->a, b->a_stride, i),
                                                   sight_end_at(b->a, b->a_stride, j), &cursor);
            b->verdicts[i * m->count + j] = b->verdicts[j * m->count + i] = (uint8_t)verdict;
        }
    }
}

lf_status lf_sight_matrix(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *points,
                          int64_t count, uint8_t *verdicts, const lf_tasks *tasks) {
    sight_matrix m = {.pairs = {.a = (const char *)points, .b = (const char *)points, .verdicts = verdicts},
                      .count = count};
    lf_status status = sight_batch_start(&m.pairs, ground, rules, count);
    if (status != LF_OK || (count > 0 && !verdicts))
        return LF_BAD_ARGUMENT;
    lf__run(tasks, count, 1, sight_matrix_share, &m);
    return lf__ground_status(ground, LF_OK);
}

// ---------------------------------------------------------------------------------------------------
// Rules, and the line between two points
// ---------------------------------------------------------------------------------------------------

/// Curvature of more than this many times the square of the length is refused: its products would not be
/// exact.
#define PAIR_MOST_CURVATURE 128

lf_status lf__sight_rules_read(const lf_sight_rules *given, lf_sight_rules *rules) {
    *rules = lf_sight_rules_default();
    lf_status status = lf__def_read(rules, sizeof *rules, given, NULL);
    if (status != LF_OK)
        return status;
    const lf_ellipsoid *e = &rules->ellipsoid;
    bool fine = isfinite(rules->curvature.coefficient) && isfinite(rules->curvature.radius) &&
                rules->curvature.radius > 0;
    fine &= fabs(rules->curvature.coefficient) <= PAIR_MOST_CURVATURE * (2 * rules->curvature.radius);
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
    lf_frame_kind kind = ground->kind->frame(ground->object)->kind;
    return rules->curvature.coefficient == 0 || kind == LF_FRAME_GRAVITY || kind == LF_FRAME_CENTRE;
}

/// The length across gravity, if that has one direction; else across -z.
static double plane_length(const lf_frame *frame, lf_vec3 a, lf_vec3 b) {
    lf_vec3 d = {b.x - a.x, b.y - a.y, b.z - a.z};
    if (frame->kind != LF_FRAME_GRAVITY || lf__frame_is_down_z(frame))
        return sqrt(d.x * d.x + d.y * d.y);
    lf_vec3 down = lf_vec3_unit(frame->down);
    return lf_vec3_length(lf_vec3_along(d, -lf_vec3_dot(d, down), down));
}

/// The x of the second end, moved by whole turns to the nearest copy as seen from the first; unchanged
/// without a turn.
static double sight_near_x(const lf_ground *ground, double from, double to) {
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
    b.x = sight_near_x(ground, a.x, b.x);
    bool turned = lf__sight_comes_first(b, a);
    *pair = (lf__sight_pair){.rules = rules, .a = turned ? b : a, .b = turned ? a : b, .turned = turned};
    const lf_frame *frame = ground->kind->frame(ground->object);
    const lf_curvature *curvature = &rules->curvature;
    pair->down = lf__frame_is_down_z(frame) ? (lf_vec3){0, 0, -1} : lf_vec3_unit(frame->down);
    if (curvature->coefficient == 0 && !measure)
        return;
    if (frame->kind == LF_FRAME_CENTRE) {
        lf_curvature refraction = {curvature->coefficient == 0 ? 0 : curvature->coefficient - 1,
                                   curvature->radius};
        pair->radial = true;
        pair->centre = frame->origin;
        pair->length = lf_vec3_length(lf_vec3_sub(pair->b, pair->a));
        pair->sag = lf__sight_sag(&refraction, pair->length);
        return;
    }
    if (rules->units == LF_MAP_METRES) {
        pair->length = plane_length(frame, pair->a, pair->b);
    } else {
        lf_geodetic from = {pair->a.x, pair->a.y, 0}, to = {pair->b.x, pair->b.y, 0};
        pair->length = lf_geodesic_between(&rules->ellipsoid, from, to).distance;
    }
    pair->sag = lf__sight_sag(curvature, pair->length);
}

lf__sight_line lf__sight_pair_line(const lf__sight_pair *pair, const lf_grid *grid, bool *turned) {
    lf_vec2 from = lf__sight_place(grid, (lf_vec2){pair->a.x, pair->a.y});
    lf_vec2 to = lf__sight_place_near(grid, (lf_vec2){pair->b.x, pair->b.y}, from.x);
    // Rounding of an end far off the grid does not matter: there is no ground.
    *turned = lf__sight_is_near(grid, to) && !lf__sight_is_near(grid, from);
    return *turned ? lf__sight_line_between(to, pair->b.z, from, pair->a.z, pair->sag)
                   : lf__sight_line_between(from, pair->a.z, to, pair->b.z, pair->sag);
}

lf_vec3 lf__sight_pair_at(const lf__sight_pair *pair, double t) {
    lf_vec3 d = lf_vec3_sub(pair->b, pair->a);
    lf_vec3 point = t < 0.5 ? lf_vec3_along(pair->a, t, d) : lf_vec3_along(pair->b, t - 1, d);
    double sag = pair->sag * t * (1 - t);
    if (sag == 0)
        return point;
    return lf_vec3_along(point, sag,
                         pair->radial ? lf_vec3_unit(lf_vec3_sub(pair->centre, point)) : pair->down);
}

lf_vec3 lf__sight_pair_point(const lf__sight_pair *pair, double t) {
    return lf__sight_pair_at(pair, pair->turned ? 1 - t : t);
}

// ---------------------------------------------------------------------------------------------------
// Observers
// ---------------------------------------------------------------------------------------------------

/// Rounding error of a height, and of the sum after it.
#define OBSERVER_ROUNDING (16 * 0x1p-53)

/// The height of a grid at a place snapped to samples, rounded up; false: no ground there.
static lf_reason observer_grid_top(const lf_grid *grid, lf_vec2 at, double *height) {
    lf_vec2 place = lf__sight_place(grid, at);
    double last = (double)grid->round;
    if (last > 0 && ((place.x < 0 && place.x > -0.5) || (place.x >= last && place.x < last + 0.5)))
        place.x = 0; // the same column, or only rounding moves it beyond
    lf__grid_spot spot;
    lf__grid_touch_place(grid, place);
    lf_reason reason = lf__grid_at_round(grid, &place, &spot);
    if (reason != LF_REASON_ANSWERED)
        return reason;
    *height = spot.height;
    bool at_sample = place.x == floor(place.x) && place.y == floor(place.y);
    if (at_sample || grid->surface == LF_SURFACE_POINT)
        return reason; // these heights are samples, not computed
    lf__piece piece;
    if (lf__piece_of(grid, spot.i, spot.j, spot.triangle, &piece) &&
        lf__piece_side(&piece, (lf_vec3){place.x, place.y, spot.height}) < 0) {
        double size = 0; // of the corners of the piece itself: another one of the cell may be a void
        for (int k = 0; k < (piece.kind == LF__PIECE_PATCH ? 4 : 5); k++)
            size = fmax(size, fabs(piece.h[k]));
        *height += OBSERVER_ROUNDING * size;
    }
    return reason;
}

/// a + b, rounded up.
static double sum_up(double a, double b) {
    double rest, sum = lf__two_sum(a, b, &rest);
    return rest > 0 ? nextafter(sum, LF_INFINITY) : sum;
}

lf_reason lf__sight_top(const lf_ground *ground, lf_vec2 at, lf_hit *hit, double *height) {
    lf_box box = ground->kind->box(ground->object);
    lf_vec3 above = {at.x, at.y, LF_INFINITY};
    ground->kind->height(ground->object, &above, true, hit, NULL);
    if (hit->kind == LF_HIT_NONE)
        return hit->reason;
    lf_vec3 size = lf_vec3_sub(box.high, box.low);
    // The accuracy that lf_ground_height promises.
    *height = hit->point.z + fmax(1e-10, 1e-14 * (size.x + size.y + size.z));
    return LF_REASON_ANSWERED;
}

lf_status lf_sight_observer(const lf_ground *ground, lf_vec2 at, double above, lf_vec3 *point,
                            lf_reason *reason) {
    if (reason)
        *reason = LF_REASON_NONE;
    if (!ground || !point || !reason || !ground->kind->takes_infinity(ground->object) ||
        !(fabs(at.x) <= LF__FARTHEST) || !(fabs(at.y) <= LF__FARTHEST) || !(fabs(above) <= LF__FARTHEST))
        return LF_BAD_ARGUMENT;
    double height = 0;
    lf_hit hit;
    ground = lf__ground_itself(ground);
    const lf_grid *grid = lf__ground_grid(ground);
    *reason = grid ? observer_grid_top(grid, at, &height) : lf__sight_top(ground, at, &hit, &height);
    if (*reason == LF_REASON_ANSWERED)
        *point = (lf_vec3){at.x, at.y, sum_up(height, above)};
    return lf__ground_status(ground, LF_OK);
}
