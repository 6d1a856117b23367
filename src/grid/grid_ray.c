/// Ray queries of a grid: the first hit, any hit, all hits, and many queries at once.
#include "bvh/bvh.h"
#include "grid/grid_kernels.h"
#include "grid/grid_query.h"

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

/// Complete a piece of which only the identity may be set.
static const lf__piece *grid_ray_whole_piece(const lf__trace *trace, const lf__piece *piece,
                                             lf__piece *completed) {
    if (piece->limit_count > 0)
        return piece;
    lf__piece_of(trace->grid, piece->i, piece->j, piece->triangle, completed);
    return completed;
}

/// Does a meeting come before the nearest one: by t, then by element?
static bool grid_ray_comes_first(const lf__trace *trace, const lf__piece *piece,
                                 const lf__grid_meeting *meeting, const lf__nearest_piece *n) {
    lf__piece completed[2];
    if (trace->copy != n->copy) // different places, except at the seam
        return meeting->t < n->meeting.t ||
               (meeting->t == n->meeting.t && lf__grid_lower(trace->grid, piece, &n->piece));
    const lf__piece *a = grid_ray_whole_piece(trace, piece, &completed[0]),
                    *b = grid_ray_whole_piece(trace, &n->piece, &completed[1]);
    int order = lf__piece_order(&trace->line, a, meeting, b, &n->meeting);
    return order < 0 || (order == 0 && lf__grid_lower(trace->grid, piece, &n->piece));
}

static double grid_ray_keep_nearest(void *user, const lf__trace *trace, const lf__piece *piece,
                                    const lf__grid_meeting *meeting) {
    lf__nearest_piece *n = user;
    if (!n->any || grid_ray_comes_first(trace, piece, meeting, n)) {
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

static void grid_ray_start_nearest(lf__trace *trace, lf__nearest_piece *nearest) {
    nearest->any = false;
    trace->nearest_only = true;
    trace->found = grid_ray_keep_nearest;
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
    grid_ray_start_nearest(trace, nearest);
}

/// lf__grid_first by the general path.
static bool grid_ray_first_of(const lf_grid *grid, const lf_ray *ray, bool gravity, lf_hit *hit,
                              lf_cursor *cursor) {
    lf__trace trace;
    lf__nearest_piece n;
    lf__trace_start(&trace, grid, ray, gravity, cursor);
    grid_ray_start_nearest(&trace, &n);
    lf__trace_run(&trace);
    lf__cursor_count(cursor, &trace.cost);
    if (n.any) {
        lf__trace_on_copy(&trace, n.copy);
        lf__trace_hit(&trace, &n.piece, &n.meeting, hit);
    }
    return n.any;
}

bool lf__grid_first(const lf_grid *grid, const lf_ray *ray, bool gravity, lf_hit *hit, lf_cursor *cursor) {
    if (!gravity && lf__grid_single_serves(grid) && (lf__cursor_layers(cursor) & 1u)) {
        lf_counters cost = {.questions = 1};
        lf__single_verdict verdict = grid->kernels->first(grid, ray, hit, &cost);
        if (verdict != LF__SINGLE_REFUSED) {
            lf__cursor_count(cursor, &cost);
            return verdict == LF__SINGLE_HIT;
        }
    }
    return grid_ray_first_of(grid, ray, gravity, hit, cursor);
}

static double grid_ray_stop_at_once(void *user, const lf__trace *trace, const lf__piece *piece,
                                    const lf__grid_meeting *meeting) {
    (void)trace, (void)piece, (void)meeting;
    *(bool *)user = true;
    return -LF_INFINITY;
}

bool lf__grid_any(const void *object, const lf_ray *ray, lf_cursor *cursor) {
    const lf_grid *grid = object;
    lf__trace trace;
    bool any = false;
    lf__trace_start(&trace, grid, ray, false, cursor);
    trace.nearest_only = true;
    trace.found = grid_ray_stop_at_once;
    trace.user = &any;
    lf__trace_run(&trace);
    lf__cursor_count(cursor, &trace.cost);
    return any;
}

static double grid_ray_pass_on(void *user, const lf__trace *trace, const lf__piece *piece,
                               const lf__grid_meeting *meeting) {
    const lf__finder *finder = user;
    lf_hit hit;
    lf__trace_hit(trace, piece, meeting, &hit);
    finder->found(finder->user, &hit);
    return LF_INFINITY;
}

void lf__grid_each(const void *object, const lf_ray *ray, lf__each how, const lf__finder *finder,
                   lf_cursor *cursor) {
    const lf_grid *grid = object;
    lf__trace trace;
    lf__finder copy = *finder;
    lf__trace_start(&trace, grid, ray, how != LF__EACH_RAY, cursor);
    trace.found = grid_ray_pass_on;
    trace.user = &copy;
    lf__trace_run(&trace);
    lf__cursor_count(cursor, &trace.cost);
}

// ---------------------------------------------------------------------------------------------------
// All
// ---------------------------------------------------------------------------------------------------

/// The nearest hits in the caller's array. Until the end each hit holds what its meeting can be restored
/// from.
typedef struct grid_ray_several {
    const lf__trace *trace;
    lf_hit *hits;
    int64_t capacity, kept, met;
} grid_ray_several;

static void grid_ray_note(lf_hit *hit, const lf__piece *piece, const lf__grid_meeting *m, int64_t copy) {
    *hit = (lf_hit){.t = m->t, .part = piece->i, .element = piece->j, .triangle = piece->triangle};
    hit->u = (double)copy;
    hit->level = m->spot;
    hit->user = (uint64_t)m->number;
}

static void grid_ray_recall(const lf__trace *trace, const lf_hit *hit, lf__piece *piece,
                            lf__grid_meeting *m) {
    lf__piece_of(trace->grid, hit->part, hit->element, hit->triangle, piece);
    *m = (lf__grid_meeting){hit->t, hit->level, (int)hit->user, false};
}

static bool grid_ray_note_before(const lf__trace *trace, const lf_hit *a, const lf_hit *b) {
    lf__piece piece_a, piece_b;
    lf__grid_meeting at_a, at_b;
    grid_ray_recall(trace, a, &piece_a, &at_a);
    grid_ray_recall(trace, b, &piece_b, &at_b);
    if (a->u != b->u)
        return a->t != b->t ? a->t < b->t : lf__grid_lower(trace->grid, &piece_a, &piece_b);
    lf_ray line = trace->line;
    line.origin.x = a->u == 0 ? trace->x : trace->x - a->u * trace->grid->copies;
    int order = lf__piece_order(&line, &piece_a, &at_a, &piece_b, &at_b);
    return order < 0 || (order == 0 && lf__grid_lower(trace->grid, &piece_a, &piece_b));
}

static bool grid_ray_before(const void *items, int64_t i, int64_t j) {
    const grid_ray_several *s = items;
    return grid_ray_note_before(s->trace, &s->hits[i], &s->hits[j]);
}

static void grid_ray_swap(void *items, int64_t i, int64_t j) {
    grid_ray_several *s = items;
    lf_hit kept = s->hits[i];
    s->hits[i] = s->hits[j];
    s->hits[j] = kept;
}

static double grid_ray_keep_several(void *user, const lf__trace *trace, const lf__piece *piece,
                                    const lf__grid_meeting *meeting) {
    grid_ray_several *s = user;
    lf__heap heap = {s, grid_ray_before, grid_ray_swap};
    lf_hit fresh;
    grid_ray_note(&fresh, piece, meeting, trace->copy);
    s->met++;
    if (s->kept < s->capacity) {
        s->hits[s->kept] = fresh;
        lf__heap_up(&heap, s->kept++);
    } else if (s->capacity > 0 && grid_ray_note_before(trace, &fresh, &s->hits[0])) {
        s->hits[0] = fresh;
        lf__heap_down(&heap, s->kept);
    }
    return LF_INFINITY;
}

int64_t lf__grid_all(const void *object, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                     lf_cursor *cursor) {
    const lf_grid *grid = object;
    lf__trace trace;
    grid_ray_several s = {&trace, hits, capacity, 0, 0};
    lf__trace_start(&trace, grid, ray, false, cursor);
    trace.found = grid_ray_keep_several;
    trace.user = &s;
    lf__trace_run(&trace);
    lf__cursor_count(cursor, &trace.cost);
    lf__heap heap = {&s, grid_ray_before, grid_ray_swap};
    lf__heap_sort(&heap, s.kept);
    for (int64_t i = 1; i < s.kept; i++) // ordered by exact t; rounded ones may decrease
        hits[i].t = fmax(hits[i].t, hits[i - 1].t);
    for (int64_t i = 0; i < s.kept; i++) {
        lf__piece piece;
        lf__grid_meeting meeting;
        grid_ray_recall(&trace, &hits[i], &piece, &meeting);
        lf__trace_on_copy(&trace, (int64_t)hits[i].u);
        lf__trace_hit(&trace, &piece, &meeting, &hits[i]);
    }
    return s.met;
}

// ---------------------------------------------------------------------------------------------------
// Many queries
// ---------------------------------------------------------------------------------------------------

/// Do offsets of samples and bounds fit into 32 bits, as kernels for batches need?
static bool batch_fits(const lf_grid *grid) {
    int64_t step = (grid->row_step < 0 ? -grid->row_step : grid->row_step) +
                   (grid->column_step < 0 ? -grid->column_step : grid->column_step);
    return step * (grid->mirror + 2) <= INT32_MAX && grid->bound_count <= INT32_MAX;
}

static const lf_ray *batch_ray(const lf_ray *rays, size_t stride, int64_t k) {
    return (const lf_ray *)(const void *)((const char *)rays + (size_t)k * stride);
}

static lf_hit *batch_hit(lf_hit *hits, size_t stride, int64_t k) {
    return (lf_hit *)(void *)((char *)hits + (size_t)k * stride);
}

/// Does a ray stay over the grid itself, away from the seam, so that copies of the grid do not matter?
static bool batch_ray_stays(const lf_grid *grid, const lf_ray *ray) {
    if (grid->copies == 0)
        return true;
    double from = ray->origin.x + ray->t_min * ray->direction.x,
           to = ray->origin.x + ray->t_max * ray->direction.x,
           most = grid->half_width - 1e-6 * fabs(grid->geotransform.per_column.x);
    return fabs(from - grid->middle) < most && fabs(to - grid->middle) < most; // false for NaN
}

void lf__grid_first_many(const void *object, const lf_ray *rays, size_t ray_stride, int64_t count,
                         lf_hit *hits, size_t hit_stride) {
    const lf_grid *grid = object;
    bool fits =
        grid->kernels && grid->kernels->first_many && grid->lowest <= grid->highest && batch_fits(grid);
    for (int64_t k = 0; k < count;) {
        int64_t end = k;
        while (fits && end < count && batch_ray_stays(grid, batch_ray(rays, ray_stride, end)))
            end++;
        if (end > k) {
            grid->kernels->first_many(grid, batch_ray(rays, ray_stride, k), ray_stride, end - k,
                                      batch_hit(hits, hit_stride, k), hit_stride);
            k = end;
            continue;
        }
        const lf_ray *ray = batch_ray(rays, ray_stride, k);
        lf_hit *hit = batch_hit(hits, hit_stride, k++);
        if (!lf__grid_first(grid, ray, false, hit, NULL))
            *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
    }
}

void lf__grid_heights_many(const void *object, const lf_vec3 *points, size_t point_stride, int64_t count,
                           bool down, double *heights, size_t height_stride) {
    const lf_grid *grid = object;
    lf__heights_batch batch = {points, point_stride, count, down, heights, height_stride};
    if (grid->kernels && grid->kernels->heights_many)
        grid->kernels->heights_many(grid, &batch);
    else
        lf__grid_heights_scalar(grid, &batch);
}
