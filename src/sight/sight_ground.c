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
    double needed = ceil(sqrt(fabs(pair->sag) / (4 * PIECE_ERROR)));
    return needed < 1 ? 1 : needed > (double)SIGHT_MOST_PIECES ? SIGHT_MOST_PIECES : (int64_t)needed;
}

/// The point between two pieces, numbered from the pair's a to its b.
static lf_vec3 piece_joint(const lf__sight_pair *pair, int64_t index, int64_t count) {
    return index == 0       ? pair->a
           : index == count ? pair->b
                            : lf__sight_pair_at(pair, (double)index / (double)count);
}

/// A ground that tests straight segments: polygons, globes. The pose converts points of the world to its own.
static void verdict_segments(const lf_ground *ground, const lf__sight_pair *pair, const lf_pose *pose,
                             lf__sight_request request, lf__sight_result *answer, lf_cursor *cursor) {
    int64_t count = piece_count(pair);
    lf__segment piece = {.any = request != LF__SIGHT_FIRST,
                         .last = (request == LF__SIGHT_ANY_B) != pair->turned};
    *answer = (lf__sight_result){LF_VERDICT_CLEAR, false, 1};
    for (int64_t k = 0; k < count; k++) {
        int64_t at = piece.last ? count - 1 - k : k;
        double t[2];
        for (int e = 0; e < 2; e++) {
            piece.ends[e] = lf_pose_to_local(pose, piece_joint(pair, at + e, count));
            piece.joint[e] = at + e > 0 && at + e < count;
        }
        if (!ground->kind->segment(ground->thing, &piece, t, cursor))
            continue;
        double along = ((double)at + t[0]) / (double)count;
        double from_a = !pair->turned ? along : count == 1 ? t[1] : 1 - along;
        *answer = (lf__sight_result){LF_VERDICT_BLOCKED, true, from_a};
        return;
    }
}

/// A tilted grid under a curved line: by straight pieces.
static void verdict_grid_pieces(const lf_grid *grid, const lf__sight_pair *pair, const lf_pose *pose,
                                lf__sight_request request, lf__sight_result *answer, lf_cursor *cursor) {
    int64_t count = piece_count(pair);
    bool last = (request == LF__SIGHT_ANY_B) != pair->turned;
    lf__sight_pair piece = *pair;
    piece.sag = 0;
    *answer = (lf__sight_result){LF_VERDICT_CLEAR, false, 1};
    for (int64_t k = 0; k < count && answer->verdict != LF_VERDICT_BLOCKED; k++) {
        int64_t at = last ? count - 1 - k : k;
        lf__sight_result part;
        piece.a = lf_pose_to_local(pose, piece_joint(pair, at, count));
        piece.b = lf_pose_to_local(pose, piece_joint(pair, at + 1, count));
        verdict_grid(grid, &piece, request, &part, cursor);
        double t = pair->turned ? 1 - part.t : part.t;
        t = ((double)at + t) / (double)count;
        part.t = pair->turned ? 1 - t : t;
        sight_join_answers(answer, &part);
    }
}

/// A part of a group, in its own coordinates.
static void verdict_part(const lf__group_part *part, const lf__sight_pair *pair, lf__sight_request request,
                         lf__sight_result *answer, lf_cursor *cursor) {
    const lf_grid *grid = lf__ground_grid(part->ground);
    if (!grid) {
        verdict_segments(part->ground, pair, &part->pose, request, answer, cursor);
    } else if (part->upright || pair->sag == 0) {
        lf__sight_pair local = *pair;
        local.a = lf_pose_to_local(&part->pose, pair->a);
        local.b = lf_pose_to_local(&part->pose, pair->b);
        verdict_grid(grid, &local, request, answer, cursor);
    } else {
        verdict_grid_pieces(grid, pair, &part->pose, request, answer, cursor);
    }
}

void lf__sight_pair_verdict(const lf_ground *ground, const lf__sight_pair *pair, lf__sight_request request,
                            lf__sight_result *answer, lf_cursor *cursor) {
    const lf_grid *grid = lf__ground_grid(ground);
    if (grid) {
        verdict_grid(grid, pair, request, answer, cursor);
        return;
    }
    int64_t count;
    const lf__group_part *parts = lf__ground_parts(ground, &count);
    if (!parts) {
        lf_pose here = lf_pose_identity();
        verdict_segments(ground, pair, &here, request, answer, cursor);
        return;
    }
    *answer = (lf__sight_result){LF_VERDICT_CLEAR, false, 1};
    for (int64_t i = 0; i < count; i++) {
        lf__sight_result one;
        verdict_part(&parts[i], pair, request, &one, cursor);
        sight_join_answers(answer, &one);
        if (request != LF__SIGHT_FIRST && answer->verdict == LF_VERDICT_BLOCKED)
            return;
    }
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
    lf__stretch q = {.curvature = sag - floor.bend};
    for (int k = 0; k < 2; k++) {
        int to = s->detail->turned ? 1 - k : k;
        double above = -lf__floor_height(s->track, &floor, at[k]) - sag * at[k] * (1 - at[k]);
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
    s->ground->kind->each(s->ground->thing, &line, LF__EACH_LINE_SIDES, &finder, cursor);
}

/// From one place where an outline is crossed to the next; in between nothing changes.
static void detail_track(const lf_ground *ground, const lf__sight_pair *pair, lf__sight_detail *detail,
                         lf_cursor *cursor) {
    lf__track track;
    if (!lf__track_make(ground->kind->frame(ground->thing), pair->a, pair->b, &track))
        return;
    double list[SIGHT_CUTS], at = 0;
    sight_stretch s = {.ground = ground, .pair = pair, .track = &track, .detail = detail};
    lf__cuts cuts = {0, list, SIGHT_CUTS, 0};
    while (!track.still) {
        cuts.after = at;
        cuts.count = 0;
        ground->kind->cuts(ground->thing, &track, &cuts, cursor);
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
    const lf_grid *grid = lf__ground_grid(ground);
    if (grid)
        detail_grid(grid, pair, detail, cursor);
    else
        detail_track(ground, pair, detail, cursor);
}
