/// Verdict and clearance of a line over each kind of ground.
#include "grid/guard.h"
#include "grid/packed.h"
#include "ground/ground.h"
#include "ground/group.h"
#include "sight/sight.h"

/// Cuts asked for at once.
#define SIGHT_CUTS 64

/// An end so near to the ground of polygons stands on it, metres.
#define ON_GROUND 1e-9

/// Add what was found on another part: the stronger of two answers (blocked, then unknown), else the nearer.
static void sight_join_answers(lf__sight_answer *all, const lf__sight_answer *part) {
    if (part->verdict == LF_VERDICT_CLEAR)
        return;
    bool stronger = all->verdict == LF_VERDICT_CLEAR ||
                    (all->verdict == LF_VERDICT_UNKNOWN && part->verdict == LF_VERDICT_BLOCKED);
    bool ground = all->ground || part->ground;
    if (stronger || (part->verdict == all->verdict && part->t < all->t))
        *all = *part;
    all->ground = ground;
}

static void ask_grid(const lf_grid *grid, const lf__sight_pair *pair, lf__sight_want want,
                     lf__sight_answer *answer, lf_cursor *cursor);

/// The same of a compressed grid, through a view of it.
static void ask_packed(const lf_grid *grid, const lf__sight_pair *pair, lf__sight_want want,
                       lf__sight_answer *answer, lf_cursor *cursor) {
    lf__grid_room room;
    const lf_grid *view = lf__grid_open(grid, cursor, &room);
    ask_grid(view, pair, want, answer, cursor);
    lf__grid_close(grid, view, cursor);
}

static void ask_grid(const lf_grid *grid, const lf__sight_pair *pair, lf__sight_want want,
                     lf__sight_answer *answer, lf_cursor *cursor) {
    lf__grid_touch_line(grid, pair->a, pair->b);
    if (grid->packed && !grid->decoded) {
        ask_packed(grid, pair, want, answer, cursor);
        return;
    }
    lf_counters cost = {.questions = 1};
    *answer = (lf__sight_answer){LF_VERDICT_CLEAR, false, 1};
    if (lf__cursor_layers(cursor) & 1u) {
        bool turned;
        lf__sight_line line = lf__sight_pair_line(pair, grid, &turned);
        turned = turned != pair->turned;
        lf__sight_ask ask = {pair->rules->voids, (want == LF__SIGHT_ANY_B) != turned,
                             want != LF__SIGHT_FIRST};
        lf__sight_copies copies = lf__sight_copies_of(grid, &line);
        while (!(ask.any && answer->verdict == LF_VERDICT_BLOCKED) && lf__sight_copies_next(&copies, &line)) {
            lf__sight_answer part;
            lf__sight_grid(grid, &line, &ask, &part, &cost);
            part.t = part.verdict == LF_VERDICT_CLEAR ? 1 : turned ? 1 - part.t : part.t;
            sight_join_answers(answer, &part);
        }
    }
    lf__cursor_count(cursor, &cost);
}

// ---------------------------------------------------------------------------------------------------
// Pieces and parts
// ---------------------------------------------------------------------------------------------------

/// A curved line is cut into straight pieces that are off by at most this many metres, and into at most this many.
#define PIECE_ERROR 0.0005
#define SIGHT_MOST_PIECES ((int64_t)1 << 20)

static int64_t piece_count(const lf__sight_pair *pair) {
    double needed = ceil(sqrt(fabs(pair->sag) / (4 * PIECE_ERROR)));
    return needed < 1 ? 1 : needed > (double)SIGHT_MOST_PIECES ? SIGHT_MOST_PIECES : (int64_t)needed;
}

/// Where a piece begins: that of a number, in the order from the pair's a to its b.
static lf_vec3 piece_joint(const lf__sight_pair *pair, int64_t index, int64_t count) {
    return index == 0       ? pair->a
           : index == count ? pair->b
                            : lf__sight_pair_at(pair, (double)index / (double)count);
}

/// A ground that tests straight segments: polygons, globes. The pose converts points of the world to its own.
static void ask_segments(const lf_ground *ground, const lf__sight_pair *pair, const lf_pose *pose,
                         lf__sight_want want, lf__sight_answer *answer, lf_cursor *cursor) {
    int64_t count = piece_count(pair);
    lf__segment piece = {.any = want != LF__SIGHT_FIRST, .last = (want == LF__SIGHT_ANY_B) != pair->turned};
    *answer = (lf__sight_answer){LF_VERDICT_CLEAR, false, 1};
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
        *answer = (lf__sight_answer){LF_VERDICT_BLOCKED, true, from_a};
        return;
    }
}

/// A tilted grid under a curved line: by straight pieces.
static void ask_grid_pieces(const lf_grid *grid, const lf__sight_pair *pair, const lf_pose *pose,
                            lf__sight_want want, lf__sight_answer *answer, lf_cursor *cursor) {
    int64_t count = piece_count(pair);
    bool last = (want == LF__SIGHT_ANY_B) != pair->turned;
    lf__sight_pair piece = *pair;
    piece.sag = 0;
    *answer = (lf__sight_answer){LF_VERDICT_CLEAR, false, 1};
    for (int64_t k = 0; k < count && answer->verdict != LF_VERDICT_BLOCKED; k++) {
        int64_t at = last ? count - 1 - k : k;
        lf__sight_answer part;
        piece.a = lf_pose_to_local(pose, piece_joint(pair, at, count));
        piece.b = lf_pose_to_local(pose, piece_joint(pair, at + 1, count));
        ask_grid(grid, &piece, want, &part, cursor);
        double t = pair->turned ? 1 - part.t : part.t;
        t = ((double)at + t) / (double)count;
        part.t = pair->turned ? 1 - t : t;
        sight_join_answers(answer, &part);
    }
}

/// A part of a group, in its own coordinates.
static void ask_part(const lf__group_part *part, const lf__sight_pair *pair, lf__sight_want want,
                     lf__sight_answer *answer, lf_cursor *cursor) {
    const lf_grid *grid = lf__ground_grid(part->ground);
    if (!grid) {
        ask_segments(part->ground, pair, &part->pose, want, answer, cursor);
    } else if (part->upright || pair->sag == 0) {
        lf__sight_pair local = *pair;
        local.a = lf_pose_to_local(&part->pose, pair->a);
        local.b = lf_pose_to_local(&part->pose, pair->b);
        ask_grid(grid, &local, want, answer, cursor);
    } else {
        ask_grid_pieces(grid, pair, &part->pose, want, answer, cursor);
    }
}

void lf__sight_pair_ask(const lf_ground *ground, const lf__sight_pair *pair, lf__sight_want want,
                        lf__sight_answer *answer, lf_cursor *cursor) {
    const lf_grid *grid = lf__ground_grid(ground);
    if (grid) {
        ask_grid(grid, pair, want, answer, cursor);
        return;
    }
    int64_t count;
    const lf__group_part *parts = lf__ground_parts(ground, &count);
    if (!parts) {
        lf_pose here = lf_pose_identity();
        ask_segments(ground, pair, &here, want, answer, cursor);
        return;
    }
    *answer = (lf__sight_answer){LF_VERDICT_CLEAR, false, 1};
    for (int64_t i = 0; i < count; i++) {
        lf__sight_answer one;
        ask_part(&parts[i], pair, want, &one, cursor);
        sight_join_answers(answer, &one);
        if (want != LF__SIGHT_FIRST && answer->verdict == LF_VERDICT_BLOCKED)
            return;
    }
}

// ---------------------------------------------------------------------------------------------------
// Detail
// ---------------------------------------------------------------------------------------------------

static void detail_grid(const lf_grid *grid, const lf__sight_pair *pair, lf__sight_detail *detail,
                        lf_cursor *cursor);

static void detail_packed(const lf_grid *grid, const lf__sight_pair *pair, lf__sight_detail *detail,
                          lf_cursor *cursor) {
    lf__grid_room room;
    const lf_grid *view = lf__grid_open(grid, cursor, &room);
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

/// Floors between two cuts, each with its height all along.
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

/// How far the line is above a floor, from the end that asks. The topmost floor has the least of these.
static void sight_add_floor(void *user, const lf_hit *hit) {
    const sight_stretch *s = user;
    lf__floor floor = lf__floor_of(s->ground, s->track, s->middle, hit);
    double sag = s->pair->sag, at[2] = {s->first, s->last};
    lf__stretch q = {.bend = sag - floor.bend};
    for (int k = 0; k < 2; k++) {
        int to = s->detail->turned ? 1 - k : k;
        double above = -lf__floor_height(s->track, &floor, at[k]) - sag * at[k] * (1 - at[k]);
        q.at[to] = s->detail->turned ? 1 - at[k] : at[k];
        q.above[to] = above;
        q.signs[to] = on_ground(above);
    }
    double chord = (q.above[1] - q.above[0]) / (q.at[1] - q.at[0]);
    q.slope = chord - q.bend * (q.at[0] + q.at[1]);
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

/// From one place where an outline is crossed to the next; between them nothing changes.
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
