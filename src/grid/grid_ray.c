/// Rays against a grid: the first hit, any, all.
#include "grid/grid_question.h"
#include "bvh/bvh_collect.h"

void lf__trace_hit(const lf__trace *trace, const lf__piece *piece, const lf__grid_meeting *meeting,
                   lf_hit *hit) {
    double t = trace->exponent == 0 ? meeting->t : ldexp(meeting->t, -trace->exponent);
    const lf_ray *ray = trace->ray;
    lf_vec3 place = lf_vec3_along(trace->line.origin, meeting->t, trace->line.direction);
    t = t < ray->t_min ? ray->t_min : t > ray->t_max ? ray->t_max : t;
    *hit = (lf_hit){.t = t, .point = lf_vec3_along(ray->origin, t, ray->direction)};
    lf__grid_hit(trace->grid, piece, (lf_vec2){place.x, place.y}, hit);
    lf__piece_weights(trace->grid, piece, place, &hit->u, &hit->v);
}

/// The whole of a piece of which there may be only the name.
static const lf__piece *whole(const lf__trace *trace, const lf__piece *piece, lf__piece *room) {
    if (piece->limit_count > 0)
        return piece;
    lf__piece_of(trace->grid, piece->i, piece->j, piece->triangle, room);
    return room;
}

/// Does the one come before the other, or are they the same and it has the lower number?
static bool comes_first(const lf__trace *trace, const lf__piece *piece, const lf__grid_meeting *meeting,
                        const lf__nearest_piece *n) {
    lf__piece room[2];
    if (trace->copy != n->copy) // apart, but for the seam between them
        return meeting->t < n->meeting.t ||
               (meeting->t == n->meeting.t && lf__grid_lower(trace->grid, piece, &n->piece));
    const lf__piece *a = whole(trace, piece, &room[0]), *b = whole(trace, &n->piece, &room[1]);
    int order = lf__piece_order(&trace->line, a, meeting, b, &n->meeting);
    return order < 0 || (order == 0 && lf__grid_lower(trace->grid, piece, &n->piece));
}

static double keep_nearest(void *user, const lf__trace *trace, const lf__piece *piece,
                           const lf__grid_meeting *meeting) {
    lf__nearest_piece *n = user;
    if (!n->any || comes_first(trace, piece, meeting, n)) {
        lf__piece_name(&n->piece, piece->i, piece->j, piece->triangle);
        n->piece.kind = piece->kind;
        if (piece->limit_count > 0)
            n->piece = *piece;
        n->meeting = *meeting;
        n->copy = trace->copy;
        n->any = true;
    }
    return n->meeting.t;
}

static void want_nearest(lf__trace *trace, lf__nearest_piece *nearest) {
    nearest->any = false;
    trace->nearest_only = true;
    trace->found = keep_nearest;
    trace->user = nearest;
}

void lf__trace_first_on(lf__trace *trace, const lf_grid *grid, const lf_ray *ray, const lf_ray *line,
                        lf__nearest_piece *nearest) {
    trace->grid = grid;
    trace->ray = ray;
    trace->line = *line;
    trace->x = line->origin.x;
    trace->copy = 0;
    trace->exponent = 0;
    trace->gravity = false;
    trace->layers = lf__cursor_layers(NULL);
    trace->end = line->t_max;
    trace->cost = (lf_counters){.questions = 1};
    want_nearest(trace, nearest);
}

bool lf__grid_first(const lf_grid *grid, const lf_ray *ray, bool gravity, lf_hit *hit, lf_cursor *cursor) {
    lf__trace trace;
    lf__nearest_piece n;
    lf__trace_start(&trace, grid, ray, gravity, cursor);
    want_nearest(&trace, &n);
    lf__trace_run(&trace);
    lf__cursor_count(cursor, &trace.cost);
    if (n.any) {
        lf__trace_on_copy(&trace, n.copy);
        lf__trace_hit(&trace, &n.piece, &n.meeting, hit);
    }
    return n.any;
}

static double stop_at_once(void *user, const lf__trace *trace, const lf__piece *piece,
                           const lf__grid_meeting *meeting) {
    (void)trace, (void)piece, (void)meeting;
    *(bool *)user = true;
    return -LF_INFINITY;
}

bool lf__grid_any(const lf_grid *grid, const lf_ray *ray, lf_cursor *cursor) {
    lf__trace trace;
    bool any = false;
    lf__trace_start(&trace, grid, ray, false, cursor);
    trace.nearest_only = true;
    trace.found = stop_at_once;
    trace.user = &any;
    lf__trace_run(&trace);
    lf__cursor_count(cursor, &trace.cost);
    return any;
}

static double pass_on(void *user, const lf__trace *trace, const lf__piece *piece,
                      const lf__grid_meeting *meeting) {
    const lf__finder *finder = user;
    lf_hit hit;
    lf__trace_hit(trace, piece, meeting, &hit);
    finder->found(finder->user, &hit);
    return LF_INFINITY;
}

void lf__grid_each(const lf_grid *grid, const lf_ray *ray, bool gravity, const lf__finder *finder,
                   lf_cursor *cursor) {
    lf__trace trace;
    lf__finder copy = *finder;
    lf__trace_start(&trace, grid, ray, gravity, cursor);
    trace.found = pass_on;
    trace.user = &copy;
    lf__trace_run(&trace);
    lf__cursor_count(cursor, &trace.cost);
}

// ---------------------------------------------------------------------------------------------------
// All
// ---------------------------------------------------------------------------------------------------

/// The nearest few in the caller's own array, each hit holding for now what its meeting can be made from again.
typedef struct several {
    const lf__trace *trace;
    lf_hit *hits;
    int64_t capacity, kept, met;
} several;

static void note(lf_hit *hit, const lf__piece *piece, const lf__grid_meeting *m, int64_t copy) {
    *hit = (lf_hit){.t = m->t, .part = piece->i, .element = piece->j, .triangle = piece->triangle};
    hit->u = (double)copy;
    hit->level = m->spot;
    hit->user = (uint64_t)m->number;
}

static void recall(const lf__trace *trace, const lf_hit *hit, lf__piece *piece, lf__grid_meeting *m) {
    lf__piece_of(trace->grid, hit->part, hit->element, hit->triangle, piece);
    *m = (lf__grid_meeting){hit->t, hit->level, (int)hit->user, false};
}

static bool note_before(const lf__trace *trace, const lf_hit *a, const lf_hit *b) {
    lf__piece piece_a, piece_b;
    lf__grid_meeting at_a, at_b;
    recall(trace, a, &piece_a, &at_a);
    recall(trace, b, &piece_b, &at_b);
    if (a->u != b->u)
        return a->t != b->t ? a->t < b->t : lf__grid_lower(trace->grid, &piece_a, &piece_b);
    lf_ray line = trace->line;
    line.origin.x = a->u == 0 ? trace->x : trace->x - a->u * trace->grid->copies;
    int order = lf__piece_order(&line, &piece_a, &at_a, &piece_b, &at_b);
    return order < 0 || (order == 0 && lf__grid_lower(trace->grid, &piece_a, &piece_b));
}

static bool before(const void *items, int64_t i, int64_t j) {
    const several *s = items;
    return note_before(s->trace, &s->hits[i], &s->hits[j]);
}

static void swap(void *items, int64_t i, int64_t j) {
    several *s = items;
    lf_hit kept = s->hits[i];
    s->hits[i] = s->hits[j];
    s->hits[j] = kept;
}

static double keep_several(void *user, const lf__trace *trace, const lf__piece *piece,
                           const lf__grid_meeting *meeting) {
    several *s = user;
    lf__heap heap = {s, before, swap};
    lf_hit fresh;
    note(&fresh, piece, meeting, trace->copy);
    s->met++;
    if (s->kept < s->capacity) {
        s->hits[s->kept] = fresh;
        lf__heap_up(&heap, s->kept++);
    } else if (s->capacity > 0 && note_before(trace, &fresh, &s->hits[0])) {
        s->hits[0] = fresh;
        lf__heap_down(&heap, s->kept);
    }
    return LF_INFINITY;
}

int64_t lf__grid_all(const lf_grid *grid, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                     lf_cursor *cursor) {
    lf__trace trace;
    several s = {&trace, hits, capacity, 0, 0};
    lf__trace_start(&trace, grid, ray, false, cursor);
    trace.found = keep_several;
    trace.user = &s;
    lf__trace_run(&trace);
    lf__cursor_count(cursor, &trace.cost);
    lf__heap heap = {&s, before, swap};
    lf__heap_sort(&heap, s.kept);
    for (int64_t i = 1; i < s.kept; i++) // in the order of the exact t, which rounding may turn round
        hits[i].t = fmax(hits[i].t, hits[i - 1].t);
    for (int64_t i = 0; i < s.kept; i++) {
        lf__piece piece;
        lf__grid_meeting meeting;
        recall(&trace, &hits[i], &piece, &meeting);
        lf__trace_on_copy(&trace, (int64_t)hits[i].u);
        lf__trace_hit(&trace, &piece, &meeting, &hits[i]);
    }
    return s.met;
}
