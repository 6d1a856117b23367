/// Verdict and clearance of a line over each kind of ground.
#include "grid/guard.h"
#include "grid/packed.h"
#include "ground/ground.h"
#include "ground/group.h"
#include "sight/sight.h"

/// Cuts per call.
#define SIGHT_CUTS 64

/// An end this close to the ground of polygons is on it, in metres.
#define ON_GROUND 1e-9

/// Add what was found on another part: the stronger of two answers (blocked, then unknown), else the nearer.
static void sight_join_answers(lf__sight_result *all, const lf__sight_result *part) {
    if (part->verdict == LF_VERDICT_CLEAR)
        return;
    bool stronger = all->verdict == LF_VERDICT_CLEAR ||
                    (all->verdict == LF_VERDICT_UNKNOWN && part->verdict == LF_VERDICT_BLOCKED);
    bool ground = all->ground || part->ground;
    if (stronger || (part->verdict == all->verdict && part->t < all->t))
        *all = *part;
    all->ground = ground;
}

static void verdict_grid(const lf_grid *grid, const lf__sight_pair *pair, lf__sight_request request,
                         lf__sight_result *answer, lf_cursor *cursor);

/// The same for a compressed grid, through a decoded view.
static void verdict_packed(const lf_grid *grid, const lf__sight_pair *pair, lf__sight_request request,
                           lf__sight_result *answer, lf_cursor *cursor) {
    lf__grid_scratch space;
    const lf_grid *view = lf__grid_open(grid, cursor, &space);
    verdict_grid(view, pair, request, answer, cursor);
    lf__grid_close(grid, view, cursor);
}

static void verdict_grid(const lf_grid *grid, const lf__sight_pair *pair, lf__sight_request request,
                         lf__sight_result *answer, lf_cursor *cursor) {
    lf__grid_touch_line(grid, pair->a, pair->b);
    if (grid->packed && !grid->decoded) {
        verdict_packed(grid, pair, request, answer, cursor);
        return;
    }
    lf_counters cost = {.questions = 1};
    *answer = (lf__sight_result){LF_VERDICT_CLEAR, false, 1};
    if (lf__cursor_layers(cursor) & 1u) {
        bool turned;
        lf__sight_line line = lf__sight_pair_line(pair, grid, &turned);
        turned = turned != pair->turned;
        lf__sight_search_rules rules = {pair->rules->voids, (request == LF__SIGHT_ANY_B) != turned,
                                        request != LF__SIGHT_FIRST};
        lf__sight_copies copies = lf__sight_copies_of(grid, &line);
        while (!(rules.any && answer->verdict == LF_VERDICT_BLOCKED) &&
               lf__sight_copies_next(&copies, &line)) {
            lf__sight_result part;
            lf__sight_grid(grid, &line, &rules, &part, &cost);
            part.t = part.verdict == LF_VERDICT_CLEAR ? 1 : turned ? 1 - part.t : part.t;
            sight_join_answers(answer, &part);
        }
    }
    lf__cursor_count(cursor, &cost);
}

// ---------------------------------------------------------------------------------------------------
// Pieces and parts
// ---------------------------------------------------------------------------------------------------

/// A curved line is cut into straight pieces that are off by at most this many metres, and into at most this
/// many.
#define PIECE_ERROR 0.0005
#define SIGHT_MOST_PIECES ((int64_t)1 << 20)

static int64_t piece_count(const lf__sight_pair *pair) {
    double bent = fabs(pair->sag); // the direction of a radial line's sag turns too
    bent *= pair->radial ? 1 + 4 * pair->length / pair->rules->curvature.radius : 1;
    double needed = ceil(sqrt(bent / (4 * PIECE_ERROR)));
    return needed < 1 ? 1 : needed > (double)SIGHT_MOST_PIECES ? SIGHT_MOST_PIECES : (int64_t)needed;
}

/// The point between two pieces, numbered from the pair's a to its b.
static lf_vec3 piece_joint(const lf__sight_pair *pair, int64_t index, int64_t count) {
    return index == 0       ? pair->a
           : index == count ? pair->b
                            : lf__sight_pair_at(pair, (double)index / (double)count);
}

/// The pieces of a line that can meet a box, first and last: where its chord is within the box, widened by as much as it is bent.
static void pieces_near(const lf__sight_pair *pair, const lf_box *box, int64_t count, int64_t range[2]) {
    const double a[3] = {pair->a.x, pair->a.y, pair->a.z}, b[3] = {pair->b.x, pair->b.y, pair->b.z};
    const double low[3] = {box->low.x, box->low.y, box->low.z},
                 high[3] = {box->high.x, box->high.y, box->high.z};
    double first = 0, last = 1;
    for (int k = 0; k < 3; k++) {
        double wide =
            0.25 * fabs(pair->sag) + 1e-9 + 1e-12 * (fabs(a[k]) + fabs(b[k]) + fabs(low[k]) + fabs(high[k]));
        double step = b[k] - a[k], from = low[k] - wide - a[k], to = high[k] + wide - a[k];
        if (fabs(step) <= wide)
            continue;
        first = fmax(first, fmin(from / step, to / step));
        last = fmin(last, fmax(from / step, to / step));
    }
    range[0] = (int64_t)fmax(floor(first * (double)count) - 1, 0);
    range[1] = (int64_t)fmin(ceil(last * (double)count) + 1, (double)count);
}

/// A ground that tests straight segments: polygons, globes, objects.
static void verdict_segments(const lf_ground *ground, const lf__sight_pair *pair, lf__sight_request request,
                             lf__sight_result *answer, lf_cursor *cursor) {
    bool globe = lf__ground_globe(ground); // it bends lines itself
    int64_t count = globe ? 1 : piece_count(pair), range[2] = {0, count};
    lf__segment piece = {.any = request != LF__SIGHT_FIRST,
                         .last = (request == LF__SIGHT_ANY_B) != pair->turned,
                         .rise = globe ? 0 - pair->sag : 0};
    *answer = (lf__sight_result){LF_VERDICT_CLEAR, false, 1};
    if (count > 4) {
        lf_box box = lf_ground_box(ground);
        pieces_near(pair, &box, count, range);
    }
    for (int64_t k = 0; k < range[1] - range[0]; k++) {
        int64_t at = piece.last ? range[1] - 1 - k : range[0] + k;
        double t[2];
        for (int e = 0; e < 2; e++) {
            piece.ends[e] = piece_joint(pair, at + e, count);
            piece.joint[e] = at + e > 0 && at + e < count;
        }
        if (!ground->kind->segment(ground->object, &piece, t, cursor))
            continue;
        double along = ((double)at + t[0]) / (double)count;
        double from_a = !pair->turned ? along : count == 1 ? t[1] : 1 - along;
        *answer = (lf__sight_result){LF_VERDICT_BLOCKED, true, from_a};
        return;
    }
}

/// A tilted grid under a curved line: by straight pieces.
static void verdict_grid_pieces(const lf_grid *grid, const lf__sight_pair *pair, lf__sight_request request,
                                lf__sight_result *answer, lf_cursor *cursor) {
    int64_t count = piece_count(pair);
    bool last = (request == LF__SIGHT_ANY_B) != pair->turned;
    lf__sight_pair piece = *pair;
    piece.sag = 0;
    *answer = (lf__sight_result){LF_VERDICT_CLEAR, false, 1};
    for (int64_t k = 0; k < count && answer->verdict != LF_VERDICT_BLOCKED; k++) {
        int64_t at = last ? count - 1 - k : k;
        lf__sight_result part;
        piece.a = piece_joint(pair, at, count);
        piece.b = piece_joint(pair, at + 1, count);
        verdict_grid(grid, &piece, request, &part, cursor);
        double t = pair->turned ? 1 - part.t : part.t;
        t = ((double)at + t) / (double)count;
        part.t = pair->turned ? 1 - t : t;
        sight_join_answers(answer, &part);
    }
}

// ---------------------------------------------------------------------------------------------------
// Groups and scenes
// ---------------------------------------------------------------------------------------------------

static void verdict_ground(const lf_ground *ground, const lf__sight_pair *pair, bool upright,
                           lf__sight_request request, lf__sight_result *answer, lf_cursor *cursor);

/// The parts of a group along a line.
typedef struct sight_parts {
    const lf_group *group;
    const lf__sight_pair *pair;
    lf__sight_request request;
    lf__sight_result *answer;
    double reach; ///< along the search
    uint32_t layers;
    lf_cursor *cursor;
    lf_ray chord;  ///< from the end where the search begins
    bool straight; ///< the line is the chord
    lf__outline_line line;
    float bent;       ///< half a chord's distance from the line, rounded up
    int64_t *blocker; ///< set to the part that blocks; or NULL
} sight_parts;

/// A pair in the coordinates of a part.
static lf__sight_pair pair_in_part(const lf__sight_pair *pair, const lf__group_part *part) {
    lf__sight_pair local = *pair;
    local.a = lf__part_place(part, pair->a);
    local.b = lf__part_place(part, pair->b);
    local.down = lf__part_turn(part, pair->down);
    local.centre = lf__part_place(part, pair->centre);
    return local;
}

/// Only the verdict over a grid that is not moved: the fastest way.
static bool part_at_once(const sight_parts *s, const lf__group_part *part, lf__sight_result *one) {
    const lf_grid *grid = lf__ground_grid(part->ground);
    const lf__sight_pair *pair = s->pair;
    if (!grid || s->request == LF__SIGHT_FIRST || !part->identity || !part->upright)
        return false;
    bool from_b = s->cursor ? s->cursor->from_b : false;
    lf_vec3 a = pair->turned ? pair->b : pair->a, b = pair->turned ? pair->a : pair->b;
    if (!lf__sight_at_once(grid, pair->rules, a, b, &one->verdict, s->cursor))
        return false;
    one->ground = one->verdict == LF_VERDICT_BLOCKED;
    one->t = one->ground ? s->cursor && s->cursor->from_b ? 0.75 : 0.25 : 1;
    if (s->cursor && !one->ground)
        s->cursor->from_b = from_b;
    return true;
}

static void verdict_part(sight_parts *s, const lf__group_part *part) {
    lf__sight_result one;
    if (!lf__part_seen(part, s->layers))
        return;
    lf__cursor_filter(s->cursor, lf__part_layers(part, s->layers));
    if (!part_at_once(s, part, &one)) {
        lf__sight_pair local = pair_in_part(s->pair, part);
        verdict_ground(part->ground, part->identity ? s->pair : &local, part->upright, s->request, &one,
                       s->cursor);
    }
    lf__cursor_filter(s->cursor, s->layers);
    sight_join_answers(s->answer, &one);
    if (s->answer->verdict != LF_VERDICT_BLOCKED)
        return;
    if (s->request != LF__SIGHT_FIRST)
        s->reach = LF_NAN;
    else if (s->answer->ground) // a void that blocks may have ground behind it, which must be known
        s->reach = s->answer->t + 1e-9;
}

static double sight_item(void *user, uint32_t index) {
    sight_parts *s = user;
    const lf__group_part *part = &s->group->parts[index];
    lf__outline_answer answer = LF__OUTLINE_UNSURE;
    double enters;
    if (part->has_grid || !lf__part_seen(part, s->layers) ||
        (part->is_box && !(lf__part_layers(part, s->layers) & 1u)))
        return s->reach;
    if (part->is_box && s->straight)
        answer = lf__outline_pass(&part->outline, &s->line, 0, 1, &enters);
    if (answer == LF__OUTLINE_THROUGH && s->request != LF__SIGHT_FIRST) {
        bool backward = (s->request == LF__SIGHT_ANY_B);
        *s->answer = (lf__sight_result){LF_VERDICT_BLOCKED, true, backward ? 0.75 : 0.25};
        s->reach = LF_NAN;
    } else if (answer != LF__OUTLINE_MISSED) {
        verdict_part(s, part);
    }
    if (s->blocker && s->answer->verdict == LF_VERDICT_BLOCKED)
        *s->blocker = index;
    return s->reach;
}

/// The chord of a line from the end where the search begins; false: it is a point.
static bool search_along(sight_parts *s) {
    const lf__sight_pair *pair = s->pair;
    bool from_b = (s->request == LF__SIGHT_ANY_B) != pair->turned;
    s->chord = lf_ray_between(from_b ? pair->b : pair->a, from_b ? pair->a : pair->b);
    s->straight = piece_count(pair) == 1;
    s->line = lf__outline_line_of(&s->chord);
    s->bent = (float)(0.25 * fabs(pair->sag) * 1.001);
    return lf_vec3_dot(s->chord.direction, s->chord.direction) > 0;
}

/// All parts that have no grid, if the line, with what it is bent by, meets their boxes.
static void search_parts(sight_parts *s) {
    if (!search_along(s))
        return;
    const float wide[3] = {s->bent, s->bent, s->bent};
    lf__item_search search = lf__group_search(s->group, sight_item, s, s->bent > 0 ? wide : NULL);
    lf__items_search(&s->group->items, &s->chord, &search, s->cursor);
}

/// Every grid is asked, last, because that costs most: what is below it is below ground, inside its box or not.
static void search_grids(sight_parts *s) {
    const lf_group *group = s->group;
    for (int64_t i = 0, left = group->grid_count; left > 0 && s->reach == s->reach; i++)
        if (group->parts[i].has_grid) {
            verdict_part(s, &group->parts[i]);
            left--;
        }
}

static sight_parts parts_along(const lf_group *group, const lf__sight_pair *pair, lf__sight_request request,
                               lf__sight_result *answer, lf_cursor *cursor) {
    *answer = (lf__sight_result){LF_VERDICT_CLEAR, false, 1};
    return (sight_parts){.group = group,
                         .pair = pair,
                         .request = request,
                         .answer = answer,
                         .reach = 1,
                         .layers = lf__cursor_layers(cursor),
                         .cursor = cursor};
}

/// Grids, and other parts only if the line meets their boxes.
static void verdict_group(const lf_group *group, const lf__sight_pair *pair, lf__sight_request request,
                          lf__sight_result *answer, lf_cursor *cursor) {
    sight_parts s = parts_along(group, pair, request, answer, cursor);
    search_parts(&s);
    search_grids(&s);
}

static double sight_item_of(void *user, int64_t index, uint32_t item) {
    return sight_item((sight_parts *)user + index, item);
}

void lf__sight_group_verdicts(const lf_group *group, const lf__sight_pair *pairs, int64_t count,
                              lf__sight_request request, lf__sight_result *answers, lf_cursor *cursor) {
    sight_parts lines[LF__SIGHT_TOGETHER];
    float wide[LF__SIGHT_TOGETHER], most = 0;
    uint32_t kept = lf__cursor_layers(cursor);
    lf__cursor_filter(cursor, kept & pairs->rules->layers);
    for (int64_t i = 0; i < count; i++) {
        lines[i] = parts_along(group, &pairs[i], request, &answers[i], cursor);
        if (!search_along(&lines[i]))
            lines[i].chord = (lf_ray){pairs[i].a, {1, 0, 0}, 0, 0};
        wide[i] = lines[i].bent;
        most = fmaxf(most, wide[i]);
    }
    lf__item_searches all = {.rays = &lines->chord,
                             .ray_stride = sizeof *lines,
                             .count = count,
                             .item = sight_item_of,
                             .user = lines,
                             .wide = most > 0 ? wide : NULL,
                             .parts = (const char *)group->parts,
                             .stride = sizeof *group->parts};
    lf__items_search_many(&group->items, &all);
    for (int64_t i = 0; i < count; i++)
        search_grids(&lines[i]);
    lf__cursor_filter(cursor, kept);
}

bool lf__sight_parts_block(const lf_group *group, const lf__sight_pair *pair, int64_t *last,
                           lf_cursor *cursor) {
    lf__sight_result answer;
    uint32_t kept = lf__cursor_layers(cursor);
    lf__cursor_filter(cursor, kept & pair->rules->layers);
    sight_parts s = parts_along(group, pair, LF__SIGHT_ANY, &answer, cursor);
    s.blocker = last;
    if (search_along(&s) && *last >= 0)
        sight_item(&s, (uint32_t)*last);
    if (answer.verdict != LF_VERDICT_BLOCKED)
        search_parts(&s);
    lf__cursor_filter(cursor, kept);
    return answer.verdict == LF_VERDICT_BLOCKED;
}

lf_verdict lf__sight_part_verdict(const lf_group *group, int64_t part, const lf__sight_pair *pair,
                                  uint32_t layers, lf_cursor *cursor) {
    lf__sight_result answer;
    sight_parts s = parts_along(group, pair, LF__SIGHT_ANY, &answer, cursor);
    s.layers = layers;
    verdict_part(&s, &group->parts[part]);
    return answer.verdict;
}

/// Of a ground in its own coordinates. upright: its down is that of the line.
static void verdict_ground(const lf_ground *ground, const lf__sight_pair *pair, bool upright,
                           lf__sight_request request, lf__sight_result *answer, lf_cursor *cursor) {
    const lf_grid *grid = lf__ground_grid(ground);
    const lf_group *group = lf__ground_group(ground);
    if (group)
        verdict_group(group, pair, request, answer, cursor);
    else if (!grid)
        verdict_segments(ground, pair, request, answer, cursor);
    else if (upright || pair->sag == 0)
        verdict_grid(grid, pair, request, answer, cursor);
    else
        verdict_grid_pieces(grid, pair, request, answer, cursor);
}

/// The filter of an optional cursor, narrowed by the rules.
static lf_cursor *narrow_filter(const lf_sight_rules *rules, lf_cursor *cursor, lf_cursor *own,
                                uint32_t *kept) {
    *kept = lf__cursor_layers(cursor);
    if (!cursor && rules->layers != UINT32_MAX) {
        *own = (lf_cursor){.layers = rules->layers};
        return own;
    }
    lf__cursor_filter(cursor, *kept & rules->layers);
    return cursor;
}

void lf__sight_pair_verdict(const lf_ground *ground, const lf__sight_pair *pair, lf__sight_request request,
                            lf__sight_result *answer, lf_cursor *cursor) {
    lf_cursor own;
    uint32_t kept;
    lf_cursor *filter = narrow_filter(pair->rules, cursor, &own, &kept);
    verdict_ground(ground, pair, true, request, answer, filter);
    lf__cursor_filter(cursor, kept);
}

// ---------------------------------------------------------------------------------------------------
// Clearance
// ---------------------------------------------------------------------------------------------------

static void detail_grid(const lf_grid *grid, const lf__sight_pair *pair, lf__sight_detail *detail,
                        lf_cursor *cursor);

static void detail_packed(const lf_grid *grid, const lf__sight_pair *pair, lf__sight_detail *detail,
                          lf_cursor *cursor) {
    lf__grid_scratch space;
    const lf_grid *view = lf__grid_open(grid, cursor, &space);
    detail_grid(view, pair, detail, cursor);
    lf__grid_close(grid, view, cursor);
}

static void detail_grid(const lf_grid *grid, const lf__sight_pair *pair, lf__sight_detail *detail,
                        lf_cursor *cursor) {
    lf__grid_touch_line(grid, pair->a, pair->b);
    if (grid->packed && !grid->decoded) {
        detail_packed(grid, pair, detail, cursor);
        return;
    }
    lf_counters cost = {.questions = 0};
    if (lf__cursor_layers(cursor) & 1u) {
        bool turned, before = detail->turned;
        lf__sight_line line = lf__sight_pair_line(pair, grid, &turned);
        detail->turned = before != turned;
        lf__sight_copies copies = lf__sight_copies_of(grid, &line);
        while (lf__sight_copies_next(&copies, &line))
            lf__sight_detail_grid(grid, &line, detail, &cost);
        detail->turned = before;
    }
    lf__cursor_count(cursor, &cost);
}

/// Floors between two cuts, each with its height along the whole stretch.
typedef struct sight_stretch {
    const lf_ground *ground;
    const lf__sight_pair *pair;
    const lf__track *track;
    lf__sight_detail *detail;
    double first, last, middle;
} sight_stretch;

static int on_ground(double above) {
    return above > ON_GROUND ? 1 : above < -ON_GROUND ? -1 : 0;
}

/// Height of the line above a floor, from the end that is queried. The topmost floor has the least.
static void sight_add_floor(void *user, const lf_hit *hit) {
    const sight_stretch *s = user;
    lf__floor floor = lf__floor_of(s->ground, s->track, s->middle, hit);
    double sag = s->pair->sag, at[2] = {s->first, s->last};
    bool radial = s->pair->radial; // heights are then counted from the centre
    lf__stretch q = {.curvature = sag - floor.bend};
    for (int k = 0; k < 2; k++) {
        int to = s->detail->turned ? 1 - k : k;
        double above = -lf__floor_height(s->track, &floor, at[k]) - sag * at[k] * (1 - at[k]);
        above += radial ? s->track->s_start * lf_vec3_length(lf__track_r(s->track, at[k])) : 0;
        q.at[to] = s->detail->turned ? 1 - at[k] : at[k];
        q.above[to] = above;
        q.signs[to] = on_ground(above);
    }
    double chord = (q.above[1] - q.above[0]) / (q.at[1] - q.at[0]);
    q.slope = chord - q.curvature * (q.at[0] + q.at[1]);
    lf__sight_detail_add(s->detail, &q);
}

static void add_stretch(sight_stretch *s, double first, double last, lf_cursor *cursor) {
    if (!(first < last))
        return;
    s->first = first;
    s->last = last;
    s->middle = 0.5 * (first + last);
    lf_ray line = lf__track_line(s->track, s->middle);
    lf__finder finder = {sight_add_floor, s};
    s->ground->kind->each(s->ground->object, &line, LF__EACH_LINE_SIDES, &finder, cursor);
}

/// From one place where an outline is crossed to the next; in between nothing changes.
static void detail_track(const lf_ground *ground, const lf__sight_pair *pair, lf__sight_detail *detail,
                         lf_cursor *cursor) {
    lf__track track;
    if (!lf__track_make(ground->kind->frame(ground->object), pair->a, pair->b, &track))
        return;
    double list[SIGHT_CUTS], at = 0;
    sight_stretch s = {.ground = ground, .pair = pair, .track = &track, .detail = detail};
    lf__cuts cuts = {0, list, SIGHT_CUTS, 0};
    while (!track.still) {
        cuts.after = at;
        cuts.count = 0;
        ground->kind->cuts(ground->object, &track, &cuts, cursor);
        for (int64_t k = 0; k < cuts.count; k++) {
            add_stretch(&s, at, list[k], cursor);
            at = list[k];
        }
        if (cuts.count < SIGHT_CUTS)
            break;
    }
    add_stretch(&s, at, 1, cursor);
}

void lf__sight_pair_detail(const lf_ground *ground, const lf__sight_pair *pair, lf__sight_detail *detail,
                           lf_cursor *cursor) {
    lf_cursor own;
    uint32_t kept;
    lf_cursor *filter = narrow_filter(pair->rules, cursor, &own, &kept);
    const lf_grid *grid = lf__ground_grid(ground);
    if (grid)
        detail_grid(grid, pair, detail, filter);
    else
        detail_track(ground, pair, detail, filter);
    lf__cursor_filter(cursor, kept);
}
