// Every piece of a surface is convex seen from above (walls: seen from the side), and its height is a
// polynomial of the place: the line is clipped to the piece, and the zeros of line minus surface are looked
// for in what is left.
#include "exact_grid.h"
#include "exact_number.h"
#include <assert.h>
#include <float.h>
#include <stdlib.h>

/// u * (local column) + v * (local row) + one; as an edge: not negative inside.
typedef struct form {
    double u, v, one;
} form;

/// One kind of piece: its edges, and its height's coefficients by the heights of the four samples 00, 10, 01, 11.
typedef struct shape {
    int edge_count;
    form edges[4];
    int one[4], by_u[4], by_v[4], by_uv[4];
    form weight_u, weight_v; ///< what hits say
} shape;

enum { FALLING_LOW, FALLING_HIGH, RISING_LOW, RISING_HIGH, PATCH, SQUARE };

static const shape shapes[] = {
    [FALLING_LOW] =
        {3, {{1, 0, 0}, {0, 1, 0}, {-1, -1, 1}}, {1}, {-1, 1}, {-1, 0, 1}, {0}, {1, 0, 0}, {0, 1, 0}},
    [FALLING_HIGH] = {3,
                      {{-1, 0, 1}, {0, -1, 1}, {1, 1, -1}},
                      {0, 1, 1, -1},
                      {0, 0, -1, 1},
                      {0, -1, 0, 1},
                      {0},
                      {1, 1, -1},
                      {-1, 0, 1}},
    [RISING_LOW] =
        {3, {{0, 1, 0}, {-1, 0, 1}, {1, -1, 0}}, {1}, {-1, 1}, {0, -1, 0, 1}, {0}, {1, -1, 0}, {0, 1, 0}},
    [RISING_HIGH] =
        {3, {{1, 0, 0}, {0, -1, 1}, {-1, 1, 0}}, {1}, {0, 0, -1, 1}, {-1, 0, 1}, {0}, {1, 0, 0}, {-1, 1, 0}},
    [PATCH] = {4,
               {{1, 0, 0}, {0, 1, 0}, {-1, 0, 1}, {0, -1, 1}},
               {1},
               {-1, 1},
               {-1, 0, 1},
               {1, -1, -1, 1},
               {1, 0, 0},
               {0, 1, 0}},
    [SQUARE] =
        {4, {{1, 0, 0.5}, {0, 1, 0.5}, {-1, 0, 0.5}, {0, -1, 0.5}}, {1}, {0}, {0}, {0}, {1, 0, 0}, {0, 1, 0}},
};

/// Where a piece is and what it is called.
typedef struct piece {
    int64_t column, row; ///< of the sample 00, from which local places count
    double samples[4];
    int64_t element;
    int triangle;
    bool ring;
} piece;

typedef struct entry {
    exact_grid_hit hit;
    exact_number t;
} entry;

/// start + rate * t
typedef struct motion {
    mpq_t start, rate;
} motion;

static struct {
    motion x, y, z; ///< the line
    motion u, v;    ///< the line from the piece's sample
    motion clip;
    mpq_t low, high, spare, other; ///< the part of the line in the piece
    bool endless_low, endless_high;
    mpq_t one, by_u, by_v, by_uv, a, b, c;
    exact_number roots[2];
    mpf_t t, place_u, place_v, product;
    entry *entries;
    exact_grid_hit *hits;
    int64_t count, space;
    bool ready;
} work;

static void motion_init(motion *m) {
    mpq_inits(m->start, m->rate, NULL);
}

static void get_ready(void) {
    if (work.ready)
        return;
    motion *motions[] = {&work.x, &work.y, &work.z, &work.u, &work.v, &work.clip};
    for (int i = 0; i < 6; i++)
        motion_init(motions[i]);
    mpq_inits(work.low, work.high, work.spare, work.other, work.one, work.by_u, work.by_v, work.by_uv, work.a,
              work.b, work.c, NULL);
    exact_number_init(&work.roots[0]);
    exact_number_init(&work.roots[1]);
    mpf_init2(work.t, 512);
    mpf_init2(work.place_u, 512);
    mpf_init2(work.place_v, 512);
    mpf_init2(work.product, 512);
    work.ready = true;
}

static void motion_set(motion *m, double start, double rate) {
    mpq_set_d(m->start, start);
    mpq_set_d(m->rate, rate);
}

static void add_scaled(mpq_t sum, double factor, const mpq_t value) {
    if (factor == 0)
        return;
    mpq_set_d(work.spare, factor);
    mpq_mul(work.spare, work.spare, value);
    mpq_add(sum, sum, work.spare);
}

static void motion_of_form(motion *out, form form) {
    motion_set(out, form.one, 0);
    add_scaled(out->start, form.u, work.u.start);
    add_scaled(out->rate, form.u, work.u.rate);
    add_scaled(out->start, form.v, work.v.start);
    add_scaled(out->rate, form.v, work.v.rate);
}

static void start_span(const lf_ray *line) {
    work.endless_low = line->t_min == -LF_INFINITY;
    work.endless_high = line->t_max == LF_INFINITY;
    if (!work.endless_low)
        mpq_set_d(work.low, line->t_min);
    if (!work.endless_high)
        mpq_set_d(work.high, line->t_max);
}

/// Keep where work.clip is not negative; false when nothing is left.
static bool clip(void) {
    int rising = mpq_sgn(work.clip.rate);
    if (rising == 0)
        return mpq_sgn(work.clip.start) >= 0;
    mpq_div(work.spare, work.clip.start, work.clip.rate);
    mpq_neg(work.spare, work.spare);
    if (rising > 0 && (work.endless_low || mpq_cmp(work.spare, work.low) > 0)) {
        mpq_set(work.low, work.spare);
        work.endless_low = false;
    }
    if (rising < 0 && (work.endless_high || mpq_cmp(work.spare, work.high) < 0)) {
        mpq_set(work.high, work.spare);
        work.endless_high = false;
    }
    return work.endless_low || work.endless_high || mpq_cmp(work.low, work.high) <= 0;
}

static bool clip_by(form edge) {
    motion_of_form(&work.clip, edge);
    return clip();
}

static bool in_span(const exact_number *t) {
    return (work.endless_low || exact_number_compare_q(t, work.low) >= 0) &&
           (work.endless_high || exact_number_compare_q(t, work.high) <= 0);
}

static void enter_piece(const piece *piece) {
    mpq_set_d(work.spare, (double)piece->column);
    mpq_sub(work.u.start, work.x.start, work.spare);
    mpq_set(work.u.rate, work.x.rate);
    mpq_set_d(work.spare, (double)piece->row);
    mpq_sub(work.v.start, work.y.start, work.spare);
    mpq_set(work.v.rate, work.y.rate);
}

static entry *next_entry(void) {
    if (work.count == work.space) {
        int64_t space = 2 * work.space + 16;
        work.entries = realloc(work.entries, (size_t)space * sizeof *work.entries);
        work.hits = realloc(work.hits, (size_t)space * sizeof *work.hits);
        assert(work.entries && work.hits);
        for (int64_t i = work.space; i < space; i++)
            exact_number_init(&work.entries[i].t);
        work.space = space;
    }
    return &work.entries[work.count++];
}

/// out = start + rate * work.t
static void motion_at_t(mpf_t out, const motion *m) {
    mpf_set_q(out, m->rate);
    mpf_mul(out, out, work.t);
    mpf_set_q(work.product, m->start);
    mpf_add(out, out, work.product);
}

static double form_at(form form, double u, double v) {
    return form.u * u + form.v * v + form.one;
}

static entry *record(const piece *piece, const exact_number *t) {
    entry *entry = next_entry();
    exact_number_copy(&entry->t, t);
    exact_number_get_f(work.t, t);
    motion_at_t(work.place_u, &work.u);
    motion_at_t(work.place_v, &work.v);
    entry->hit = (exact_grid_hit){.element = piece->element,
                                  .triangle = piece->triangle,
                                  .t = exact_number_get(t),
                                  .u = mpf_get_d(work.place_u),
                                  .v = mpf_get_d(work.place_v),
                                  .ring = piece->ring};
    return entry;
}

static void record_surface(const piece *piece, const shape *shape, const exact_number *t) {
    exact_grid_hit *hit = &record(piece, t)->hit;
    double u = hit->u, v = hit->v;
    hit->normal.x = -(mpq_get_d(work.by_u) + mpq_get_d(work.by_uv) * v);
    hit->normal.y = -(mpq_get_d(work.by_v) + mpq_get_d(work.by_uv) * u);
    hit->normal.z = 1;
    hit->bend = fabs(mpq_get_d(work.by_uv));
    hit->u = form_at(shape->weight_u, u, v);
    hit->v = form_at(shape->weight_v, u, v);
    for (int i = 0; i < 4; i++)
        hit->most = fmax(hit->most, fabs(piece->samples[i]));
}

static void load_coefficient(mpq_t out, const int factors[4], const double samples[4]) {
    mpq_set_ui(out, 0, 1);
    for (int i = 0; i < 4; i++) {
        if (factors[i] == 0)
            continue;
        mpq_set_d(work.other, samples[i]);
        add_scaled(out, factors[i], work.other);
    }
}

/// a, b, c of a t^2 + b t + c = height of the line - height of the surface.
static void load_difference(void) {
    mpq_mul(work.a, work.u.rate, work.v.rate);
    mpq_mul(work.a, work.a, work.by_uv);
    mpq_neg(work.a, work.a);
    mpq_mul(work.b, work.u.start, work.v.rate);
    mpq_mul(work.other, work.u.rate, work.v.start);
    mpq_add(work.b, work.b, work.other);
    mpq_mul(work.b, work.b, work.by_uv);
    mpq_mul(work.other, work.by_u, work.u.rate);
    mpq_add(work.b, work.b, work.other);
    mpq_mul(work.other, work.by_v, work.v.rate);
    mpq_add(work.b, work.b, work.other);
    mpq_sub(work.b, work.z.rate, work.b);
    mpq_mul(work.c, work.u.start, work.v.start);
    mpq_mul(work.c, work.c, work.by_uv);
    mpq_mul(work.other, work.by_u, work.u.start);
    mpq_add(work.c, work.c, work.other);
    mpq_mul(work.other, work.by_v, work.v.start);
    mpq_add(work.c, work.c, work.other);
    mpq_add(work.c, work.c, work.one);
    mpq_sub(work.c, work.z.start, work.c);
}

/// The zeros of a t^2 + b t + c that lie in the span; where it is zero everywhere, the span's beginning.
static int zeros_in_span(exact_number zeros[2]) {
    int count = exact_roots(work.a, work.b, work.c, work.roots), kept = 0;
    if (count < 0) {
        assert(!work.endless_low);
        exact_number_set(&zeros[0], work.low);
        return 1;
    }
    for (int i = 0; i < count; i++)
        if (in_span(&work.roots[i]))
            exact_number_copy(&zeros[kept++], &work.roots[i]);
    return kept;
}

static void meet_surface(const exact_grid *grid, const lf_ray *line, const piece *piece, int shape_number) {
    const shape *shape = &shapes[shape_number];
    enter_piece(piece);
    start_span(line);
    for (int i = 0; i < shape->edge_count; i++)
        if (!clip_by(shape->edges[i]))
            return;
    double column = (double)piece->column, row = (double)piece->row;
    if (piece->ring && (!clip_by((form){1, 0, column + 0.5}) || !clip_by((form){0, 1, row + 0.5}) ||
                        !clip_by((form){-1, 0, (double)grid->columns - 0.5 - column}) ||
                        !clip_by((form){0, -1, (double)grid->rows - 0.5 - row})))
        return;
    load_coefficient(work.one, shape->one, piece->samples);
    load_coefficient(work.by_u, shape->by_u, piece->samples);
    load_coefficient(work.by_v, shape->by_v, piece->samples);
    load_coefficient(work.by_uv, shape->by_uv, piece->samples);
    load_difference();
    exact_number *zeros = work.roots;
    int count = zeros_in_span(zeros);
    for (int i = 0; i < count; i++)
        record_surface(piece, shape, &zeros[i]);
}

/// The wall on one side of a sample, down to its lower neighbour: side 1 and 2 low and high column, 3 and 4 row.
static void meet_wall(const lf_ray *line, const piece *piece, int side, double foot) {
    bool by_column = side <= 2;
    double sign = side % 2 == 0 ? 1 : -1;
    enter_piece(piece);
    start_span(line);
    if (!clip_by((form){by_column ? 0 : 1, by_column ? 1 : 0, 0.5}) ||
        !clip_by((form){by_column ? 0 : -1, by_column ? -1 : 0, 0.5}))
        return;
    mpq_set_d(work.other, foot);
    mpq_sub(work.clip.start, work.z.start, work.other);
    mpq_set(work.clip.rate, work.z.rate);
    if (!clip())
        return;
    mpq_set_d(work.other, piece->samples[0]);
    mpq_sub(work.clip.start, work.other, work.z.start);
    mpq_neg(work.clip.rate, work.z.rate);
    if (!clip())
        return;
    motion_of_form(&work.clip, (form){by_column ? 1 : 0, by_column ? 0 : 1, -0.5 * sign});
    mpq_set_ui(work.a, 0, 1);
    mpq_set(work.b, work.clip.rate);
    mpq_set(work.c, work.clip.start);
    if (zeros_in_span(work.roots) == 0)
        return;
    exact_grid_hit *hit = &record(piece, &work.roots[0])->hit;
    hit->triangle = side;
    hit->normal = by_column ? (lf_vec3){sign, 0, 0} : (lf_vec3){0, sign, 0};
    hit->most = fmax(fabs(foot), fabs(piece->samples[0]));
}

/// Narrow [low, high] to where start + rate * t may lie between two bounds. Each quotient is right to 2^-52 of itself
/// and is widened by more, so that nothing is lost by rounding.
static bool may_lie(double start, double rate, const double bounds[2], double *low, double *high) {
    if (rate == 0)
        return bounds[0] <= start && start <= bounds[1];
    double first = (bounds[rate > 0 ? 0 : 1] - start) / rate,
           last = (bounds[rate > 0 ? 1 : 0] - start) / rate;
    first -= fabs(first) * 1e-15 + 1e-300;
    last += fabs(last) * 1e-15 + 1e-300;
    if (!(first <= DBL_MAX) || !(last >= -DBL_MAX))
        return true; // beyond doubles: not for us to say
    *low = fmax(*low, first);
    *high = fmin(*high, last);
    return *low <= *high;
}

typedef struct asked {
    const exact_grid *grid;
    const lf_ray *line;
    bool filter, walls;
} asked;

static bool may_meet(const asked *asked, const double columns[2], const double rows[2], const double z[2]) {
    const lf_ray *line = asked->line;
    double low = line->t_min, high = line->t_max;
    return !asked->filter || (may_lie(line->origin.x, line->direction.x, columns, &low, &high) &&
                              may_lie(line->origin.y, line->direction.y, rows, &low, &high) &&
                              may_lie(line->origin.z, line->direction.z, z, &low, &high));
}

static int64_t within(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

/// The height of a sample, or of the ring's: that of the nearest.
static double sample(const exact_grid *grid, int64_t column, int64_t row) {
    return grid
        ->heights[within(row, 0, grid->rows - 1) * grid->columns + within(column, 0, grid->columns - 1)];
}

/// A piece exists where all of its own corners have heights: those samples that its height is made of.
static bool exists(const shape *shape, const double samples[4]) {
    for (int i = 0; i < 4; i++)
        if (isnan(samples[i]) && (shape->one[i] || shape->by_u[i] || shape->by_v[i] || shape->by_uv[i]))
            return false;
    return true;
}

static void meet_cell(const asked *asked, int64_t column, int64_t row) {
    const exact_grid *grid = asked->grid;
    piece piece = {column,
                   row,
                   {sample(grid, column, row), sample(grid, column + 1, row), sample(grid, column, row + 1),
                    sample(grid, column + 1, row + 1)},
                   within(row, 0, grid->rows - 2) * (grid->columns - 1) +
                       within(column, 0, grid->columns - 2),
                   0,
                   column < 0 || row < 0 || column > grid->columns - 2 || row > grid->rows - 2};
    double bounds[2] = {LF_INFINITY, -LF_INFINITY};
    for (int i = 0; i < 4; i++) {
        bounds[0] = fmin(bounds[0], piece.samples[i]);
        bounds[1] = fmax(bounds[1], piece.samples[i]);
    }
    if (!may_meet(asked, (double[2]){(double)column, (double)column + 1},
                  (double[2]){(double)row, (double)row + 1}, bounds))
        return;
    bool rising = grid->surface == LF_SURFACE_RISING ||
                  (grid->surface == LF_SURFACE_ALTERNATING && (column + row) % 2 != 0);
    int first = grid->surface == LF_SURFACE_BILINEAR ? PATCH : rising ? RISING_LOW : FALLING_LOW;
    for (int number = first; number <= (first == PATCH ? PATCH : first + 1); number++) {
        piece.triangle = number - first;
        if (exists(&shapes[number], piece.samples))
            meet_surface(grid, asked->line, &piece, number);
    }
}

static void meet_sample(const asked *asked, int64_t column, int64_t row) {
    static const int steps[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const exact_grid *grid = asked->grid;
    double height = sample(grid, column, row);
    piece piece = {column, row, {height, 0, 0, 0}, row * grid->columns + column, 0, false};
    if (isnan(height))
        return;
    double columns[2] = {(double)column - 0.5, (double)column + 0.5};
    double rows[2] = {(double)row - 0.5, (double)row + 0.5};
    if (may_meet(asked, columns, rows, (double[2]){height, height}))
        meet_surface(grid, asked->line, &piece, SQUARE);
    for (int side = 1; side <= 4 && asked->walls; side++) {
        double foot = sample(grid, column + steps[side][0], row + steps[side][1]);
        if (foot < height && may_meet(asked, columns, rows, (double[2]){foot, height}))
            meet_wall(asked->line, &piece, side, foot);
    }
}

static int compare_entries(const void *left, const void *right) {
    const entry *a = left, *b = right;
    int order = exact_number_compare(&a->t, &b->t);
    if (order == 0)
        order = (a->hit.element > b->hit.element) - (a->hit.element < b->hit.element);
    return order ? order : a->hit.triangle - b->hit.triangle;
}

static void meet_all(const asked *asked) {
    const exact_grid *grid = asked->grid;
    const lf_ray *line = asked->line;
    get_ready();
    work.count = 0;
    motion_set(&work.x, line->origin.x, line->direction.x);
    motion_set(&work.y, line->origin.y, line->direction.y);
    motion_set(&work.z, line->origin.z, line->direction.z);
    if (grid->surface == LF_SURFACE_POINT) {
        for (int64_t row = 0; row < grid->rows; row++)
            for (int64_t column = 0; column < grid->columns; column++)
                meet_sample(asked, column, row);
    } else {
        int64_t ring = grid->extend ? 1 : 0;
        for (int64_t row = -ring; row < grid->rows - 1 + ring; row++)
            for (int64_t column = -ring; column < grid->columns - 1 + ring; column++)
                meet_cell(asked, column, row);
    }
    if (work.count > 1)
        qsort(work.entries, (size_t)work.count, sizeof *work.entries, compare_entries);
    for (int64_t i = 0; i < work.count; i++) {
        work.hits[i] = work.entries[i].hit;
        work.hits[i].same_as_last =
            i > 0 && exact_number_compare(&work.entries[i].t, &work.entries[i - 1].t) == 0;
        work.hits[i].alike = work.hits[i].same_as_last && work.hits[i].element == work.hits[i - 1].element &&
                             work.hits[i].triangle == work.hits[i - 1].triangle;
    }
}

int64_t exact_grid_meet_by(const exact_grid *grid, const lf_ray *line, bool filter,
                           const exact_grid_hit **hits) {
    meet_all(&(asked){grid, line, filter, true});
    *hits = work.hits;
    return work.count;
}

int64_t exact_grid_meet(const exact_grid *grid, const lf_ray *line, const exact_grid_hit **hits) {
    return exact_grid_meet_by(grid, line, true, hits);
}

exact_grid_height exact_grid_at(const exact_grid *grid, double column, double row, double z) {
    exact_grid_height height = {.reason = LF_REASON_OUTSIDE};
    double beyond = grid->extend || grid->surface == LF_SURFACE_POINT ? 0.5 : 0;
    if (column < -beyond || row < -beyond || column > (double)(grid->columns - 1) + beyond ||
        row > (double)(grid->rows - 1) + beyond)
        return height;
    lf_ray line = {{column, row, 0}, {0, 0, 1}, -LF_INFINITY, LF_INFINITY};
    meet_all(&(asked){grid, &line, true, false});
    height.reason = work.count ? LF_REASON_ANSWERED : LF_REASON_HOLE;
    if (work.count == 0)
        return height;
    int64_t chosen = 0;
    for (int64_t i = 1; i < work.count; i++) {
        assert(work.hits[i].same_as_last || grid->surface == LF_SURFACE_POINT);
        if (!work.hits[i].same_as_last)
            chosen = i;
    }
    const mpq_t *exact = (const mpq_t *)&work.entries[chosen].t.base;
    assert(work.entries[chosen].t.sign == 0);
    height.hit = &work.hits[chosen];
    height.height = height.hit->t;
    for (height.alike_count = 1; chosen + height.alike_count < work.count; height.alike_count++)
        if (!height.hit[height.alike_count].alike)
            break;
    mpq_set_d(work.other, z);
    mpq_sub(work.other, work.other, *exact);
    height.side = mpq_sgn(work.other);
    height.distance = fabs(mpq_get_d(work.other));
    return height;
}
