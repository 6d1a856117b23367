/// Voids in the way of targets: along their own direction, and the directions that voids close.
#include "sight/viewshed_sweep.h"
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Beside a direction
// ---------------------------------------------------------------------------------------------------

/// A direction that passes a sample closer than this is left to an exact line.
#define TARGET_BESIDE 1e-7

bool lf__void_has_height(const lf__target *t, int64_t ring, int64_t b) {
    lf__target_sample at = lf__target_sample_at(t, ring, b);
    return !lf__grid_is_void(t->sweep->view->grid, at.i, at.j);
}

lf__void_around lf__void_check(const lf__target *t, int64_t ring, int64_t before, int64_t now) {
    lf__void_around a = {.all = true};
    for (int k = 0; k < 4; k++) {
        a.is[0][k] = lf__void_has_height(t, ring - 1, before - 1 + k);
        a.is[1][k] = lf__void_has_height(t, ring, now - 1 + k);
        a.all = a.all && a.is[0][k] && a.is[1][k];
    }
    return a;
}

/// A void triangle, crossed between two distances.
static void meet_void(lf__target *t, double from, double to) {
    double low = fmin(lf__target_line(t, from), lf__target_line(t, to)), height = t->sweep->void_height;
    if (!t->sweep->finds_voids)
        return;
    if (to - from < TARGET_BESIDE)
        t->void_open = true;
    else if (low < height - t->off)
        t->behind_void = true;
    else if (low < height + t->off + t->bulge)
        t->void_open = true;
}

/// From an observer on a sample, directions cross rings at multiples of 1 / a, and a is less than 2^22: what is
/// close to a sample is at it.
static lf__void_place place_on(const lf__target *t, int64_t ring, bool own) {
    if (own)
        return (lf__void_place){(double)t->b, t->b, 0, true, false};
    double place = t->sector->ob + ((double)ring - t->sector->oa) * t->v, whole = floor(place + 0.5);
    if (fabs(place - whole) > TARGET_BESIDE)
        return (lf__void_place){place, (int64_t)floor(place), place - floor(place), false, false};
    if (t->on_sample)
        return (lf__void_place){whole, (int64_t)whole, 0, true, false};
    return (lf__void_place){place, (int64_t)floor(place), place - floor(place), false, true};
}

/// Does a triangle of three samples exist? Beyond the grid there is none.
static bool has_triangle(const lf__target *t, const lf__target_sample places[3]) {
    const lf__sector *s = t->sector;
    const lf_grid *grid = t->sweep->view->grid;
    for (int k = 0; k < 3; k++) {
        int64_t ring = places[k].i, b = places[k].j;
        int64_t i = ring * s->along.i + b * s->across.i, j = ring * s->along.j + b * s->across.j;
        if (i < 0 || j < 0 || i >= grid->columns || j >= grid->rows || lf__grid_is_void(grid, i, j))
            return false;
    }
    return true;
}

bool lf__void_is_corner(const lf__target *t, int64_t ring, int64_t b) {
    static const lf__step around[7] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, 0}};
    for (int k = 0; k < 6; k++)
        if (has_triangle(t, (lf__target_sample[3]){{ring, b},
                                                   {ring + around[k].i, b + around[k].j},
                                                   {ring + around[k + 1].i, b + around[k + 1].j}}))
            return true;
    return false;
}

/// The direction runs along the edge from the sample b of the ring before to one of this ring: does one of the
/// triangles beside it exist?
static bool has_edge(const lf__target *t, int64_t ring, int64_t b, bool rises) {
    lf__target_sample from = {ring - 1, b}, to = {ring, rises ? b + 1 : b};
    lf__target_sample low = rises ? (lf__target_sample){ring, b} : (lf__target_sample){ring - 1, b - 1},
                      high = rises ? (lf__target_sample){ring - 1, b + 1} : (lf__target_sample){ring, b + 1};
    return has_triangle(t, (lf__target_sample[3]){from, to, low}) ||
           has_triangle(t, (lf__target_sample[3]){from, to, high});
}

bool lf__void_is_level(const lf__target *t, int64_t ring, int64_t b) {
    lf__target_sample from = {ring, b}, to = {ring, b + 1};
    return has_triangle(t, (lf__target_sample[3]){from, to, {ring + 1, b + 1}}) ||
           has_triangle(t, (lf__target_sample[3]){from, to, {ring - 1, b}});
}

bool lf__void_strip_of(const lf__target *t, int64_t ring, bool own, lf__void_strip *x) {
    *x = (lf__void_strip){.before = place_on(t, ring - 1, false), .now = place_on(t, ring, own)};
    int64_t before = x->before.b, now = x->now.b;
    bool step = before != now;
    double f0 = x->before.share, f1 = x->now.share, a = (double)ring - t->sector->oa;
    if (x->before.unclear || x->now.unclear || now - before > 1)
        return false;
    x->upper = x->lower = true;
    if (x->before.at && x->now.at) { // along an edge
        x->middle = a;
        x->upper = has_edge(t, ring, before, step);
        return true;
    }
    if (!x->before.at)
        x->upper = lf__void_has_height(t, ring - 1, before) && lf__void_has_height(t, ring - 1, before + 1) &&
                   lf__void_has_height(t, ring, step ? now : now + 1);
    if (!x->now.at)
        x->lower = lf__void_has_height(t, ring - 1, step ? before + 1 : before) &&
                   lf__void_has_height(t, ring, now) && lf__void_has_height(t, ring, now + 1);
    double share = step ? (1 - f0) / (1 - f0 + f1) : f0 / (f0 + 1 - f1);
    x->middle = x->now.at ? a : x->before.at ? a - 1 : a - 1 + share;
    return true;
}

void lf__void_strip_meet(lf__target *t, const lf__void_strip *x, int64_t ring) {
    double a = (double)ring - t->sector->oa;
    if (!x->upper)
        meet_void(t, a - 1, x->middle);
    if (!x->lower)
        meet_void(t, x->middle, a);
}

// ---------------------------------------------------------------------------------------------------
// Along a direction
// ---------------------------------------------------------------------------------------------------

/// Rings that are tested for voids together.
#define FIND_RINGS 4

/// May a void beside the observer be in the way?
static bool near_void_bound(const lf__chunk *chunk, const lf__target *t, double v0) {
    int bin = (int)((t->v - v0) * chunk->all_bins);
    for (int m = bin - 1; m <= bin + 1 && chunk->sweep->finds_voids; m++)
        if (m >= 0 && m < chunk->bins && chunk->void_high[m] > 0.5f * LF__FAR_SLOPE)
            return true;
    return false;
}

/// Void triangles between two rings.
void lf__pass_voids(lf__target *t, int64_t ring, bool own) {
    lf__void_strip x;
    if (lf__void_strip_of(t, ring, own, &x))
        lf__void_strip_meet(t, &x, ring);
    else if (!lf__void_check(t, ring, x.before.b, x.now.b).all)
        t->void_open = true;
}

/// The triangle of the strip before the first ring that contains a point, in the middle of a piece of the
/// direction.
static void pass_near_triangle(lf__target *t, double from, double to) {
    const lf__sector *s = t->sector;
    int64_t ring = s->first_ring - 1;
    double middle = 0.5 * (from + to), up = s->oa - (double)ring + middle, place = s->ob + t->v * middle;
    int64_t b = (int64_t)floor(place);
    double share = place - (double)b;
    if (to - from < TARGET_BESIDE)
        return;
    if (share < TARGET_BESIDE || share > 1 - TARGET_BESIDE || fabs(share - up) < TARGET_BESIDE)
        t->void_open = true; // along an edge
    else if (!lf__void_has_height(t, ring, b) || !lf__void_has_height(t, ring + 1, b + 1) ||
             !(share < up ? lf__void_has_height(t, ring + 1, b) : lf__void_has_height(t, ring, b + 1)))
        meet_void(t, from, to);
}

/// Void triangles between the observer and the first ring. The direction crosses edges from the ring before it
/// to the same row and to the next one.
void lf__pass_near_voids(lf__target *t) {
    const lf__sector *s = t->sector;
    double before = s->oa - (double)(s->first_ring - 1), end = 1 - before, at[4] = {0}, last = 0;
    int count = 0;
    for (int64_t row = (int64_t)floor(s->ob) - 1; row <= (int64_t)floor(s->ob) + 2; row++)
        for (int up = 0; up <= 1; up++) {
            double x = t->v == up ? -1 : ((double)row + before * up - s->ob) / (t->v - up);
            if (x > 0 && x < end && count < 4)
                at[count++] = x;
        }
    t->void_open |= count == 4; // two at most
    for (int k = 0; k <= count; k++) {
        double next = end;
        for (int n = 0; n < count; n++)
            next = at[n] > last && at[n] < next ? at[n] : next;
        pass_near_triangle(t, last, next);
        last = next;
    }
}

bool lf__target_above_voids(const lf__target *t, double x) {
    return t->metric >= 0 && t->a * t->slope <= t->sweep->void_height &&
           lf__target_line(t, x) > t->sweep->void_height + t->off + t->bulge;
}

/// Do the two samples beside the direction on a ring have heights? Not where it may pass through one of them.
static bool has_pair(const lf__target *t, int64_t ring) {
    const lf__sector *s = t->sector;
    double place = s->ob + ((double)ring - s->oa) * t->v;
    int64_t b = lf__floor_place(place);
    double share = place - (double)b;
    if (share < TARGET_BESIDE || share > 1 - TARGET_BESIDE)
        return false;
    int64_t i = ring * s->along.i + b * s->across.i, j = ring * s->along.j + b * s->across.j;
    const lf_grid *grid = t->sweep->view->grid;
    return !lf__grid_is_void(grid, i, j) && !lf__grid_is_void(grid, i + s->across.i, j + s->across.j);
}

/// Voids between two rings, the last ones first. Both triangles of a strip exist where the two samples of either of
/// its rings do.
static void find_voids_between(lf__target *t, int64_t first, int64_t last) {
    bool now = has_pair(t, last);
    for (int64_t r = last; r >= first && !t->behind_void; r--) {
        if (r % FIND_RINGS == 0 && lf__target_above_voids(t, (double)r - t->sector->oa))
            return;
        bool before = has_pair(t, r - 1);
        if (!before || !now)
            lf__pass_voids(t, r, false);
        now = before;
    }
}

void lf__sweep_find_voids(lf__target *t, const lf__chunk *chunk, const lf__target_blocks *blocks,
                          const lf__shadow *shadow, double v0) {
    int64_t next = t->sector->first_ring;
    bool near = near_void_bound(chunk, t, v0);
    if (t->on_sample && near)
        lf__pass_voids(t, next, t->ring == next);
    else if (near)
        lf__pass_near_voids(t);
    t->void_open |= !t->on_sample && t->ring == next;
    if (t->ring > next && shadow->some >= t->ring && chunk->void_blocks & blocks->bits)
        lf__pass_voids(t, t->ring, true);
    for (int k = chunk->past_count - 1; k >= 0 && !t->behind_void; k--) {
        const lf__past *past = &chunk->past[k];
        int64_t last = past->last < t->ring - 1 ? past->last : t->ring - 1,
                first = past->first > next ? past->first : next + 1;
        last = last < shadow->some ? last : shadow->some;
        if (lf__target_above_voids(t, (double)last - t->sector->oa))
            return;
        if (past->void_blocks & blocks->bits && first <= last && lf__sweep_voids_beside(t, first, last))
            find_voids_between(t, first, last);
    }
}

// ---------------------------------------------------------------------------------------------------
// Directions that voids close
// ---------------------------------------------------------------------------------------------------

// The directions of a group are cut into small intervals. Of each the last strip is known in which there are
// voids somewhere in it, and in all of it. So few targets have to look for voids along their own direction.

/// Rounding error of a place among the intervals.
#define SHADOW_OFF 1e-6

/// Intervals per v.
static double shadow_scale(const lf__chunk *chunk) {
    return (double)LF__BIN_SHADOWS * chunk->sector->bins;
}

/// Set the intervals from first to end - 1, of those that exist.
static void shadow_set(int32_t *strips, int64_t first, int64_t end, int32_t strip) {
    first = first > 0 ? first : 0;
    end = end < LF__SHADOWS ? end : LF__SHADOWS;
    for (int64_t k = first; k < end; k++)
        strips[k] = strip;
}

/// The intervals at or below a place, and at or above it; far beyond them others that do not exist either.
static int64_t shadow_floor(double place) {
    return lf__floor_place(place < -1 ? -1 : place > LF__SHADOWS + 1 ? LF__SHADOWS + 1 : place);
}

static int64_t shadow_ceil(double place) {
    int64_t whole = shadow_floor(place);
    return whole + ((double)whole < place);
}

/// There are voids in all directions between two places among the intervals.
static void shadow_close(lf__chunk *chunk, double first, double last, int32_t strip) {
    shadow_set(chunk->void_some, shadow_floor(first - SHADOW_OFF), shadow_floor(last + SHADOW_OFF) + 1,
               strip);
    shadow_set(chunk->void_all, shadow_ceil(first + SHADOW_OFF), shadow_floor(last - SHADOW_OFF), strip);
}

void lf__shadow_start(lf__chunk *chunk) {
    size_t bytes = (size_t)(LF__BIN_SHADOWS * chunk->sector->group_bins) * sizeof chunk->void_some[0];
    memset(chunk->void_some, 0, bytes);
    memset(chunk->void_all, 0, bytes);
}

void lf__shadow_near(lf__chunk *chunk, double first, double last) {
    double scale = shadow_scale(chunk);
    shadow_set(chunk->void_some, shadow_floor(first * scale) - 1, shadow_floor(last * scale) + 2, 1);
}

/// Rows of a chunk as words of bits.
#define SHADOW_WORDS ((int64_t)(sizeof((lf__chunk *)0)->void_mask[0] / sizeof(uint64_t)))

/// Voids beside each other on one of two rings.
typedef struct void_run {
    int64_t first, last; ///< rows
} void_run;

/// The next of them from a row on; false: there is none.
static bool next_run(const uint64_t *before, const uint64_t *now, int64_t from, void_run *run) {
    int64_t word = from >> 6;
    uint64_t bits = 0;
    for (; word < SHADOW_WORDS && !bits; word++, from = 64 * word)
        bits = (before[word] | now[word]) & UINT64_MAX << (from & 63);
    if (!bits)
        return false;
    run->first = 64 * --word + __builtin_ctzll(bits);
    bits = ~(before[word] | now[word]) & UINT64_MAX << (run->first & 63);
    while (!bits && ++word < SHADOW_WORDS)
        bits = ~(before[word] | now[word]);
    run->last = (bits ? 64 * word + __builtin_ctzll(bits) : 64 * SHADOW_WORDS) - 1;
    return true;
}

static bool has_bit(const uint64_t *words, int64_t at) {
    return words[at >> 6] >> (at & 63) & 1;
}

void lf__shadow_add(lf__chunk *chunk, int r, double v0) {
    const lf__sector *s = chunk->sector;
    double now = (double)(chunk->base_ring + r) - s->oa, before = now - 1, scale = shadow_scale(chunk);
    if (!(before > 0))
        return; // beside the observer
    double per_now = scale / now, per_before = scale / before, start = v0 * scale;
    double b = (double)chunk->base - s->ob;
    int32_t strip = (int32_t)(chunk->base_ring + r - s->first_ring + 1);
    const uint64_t *masks[2] = {chunk->void_mask[r - 1], chunk->void_mask[r]};
    void_run run = {0, -1};
    while (run.last + 1 < 64 * SHADOW_WORDS && next_run(masks[0], masks[1], run.last + 1, &run)) {
        // The triangles at these samples are connected. Their corners on either side are those of the first
        // and the last of them, which have one square more on the side where the diagonal ends on their ring.
        double low = b + (double)run.first, high = b + (double)run.last;
        double first = (low - 1) * per_before, last = (high + 1) * per_now;
        double first_now = (has_bit(masks[1], run.first) ? low - 1 : low) * per_now,
               last_before = (has_bit(masks[0], run.last) ? high + 1 : high) * per_before;
        first = first_now < first ? first_now : first;
        last = last_before > last ? last_before : last;
        shadow_close(chunk, first - start, last - start, strip);
    }
}

lf__shadow lf__shadow_of(const lf__chunk *chunk, int64_t ring, int64_t b, double v0) {
    const lf__sector *s = chunk->sector;
    double v = ((double)b - s->ob) / ((double)ring - s->oa), place = (v - v0) * shadow_scale(chunk);
    int at = (int)fmin(fmax(place, 0), LF__BIN_SHADOWS * s->group_bins - 1); // the last interval is closed
    return (lf__shadow){s->first_ring + chunk->void_some[at] - 1, s->first_ring + chunk->void_all[at] - 1};
}

// ---------------------------------------------------------------------------------------------------
// Beside the observer
// ---------------------------------------------------------------------------------------------------

/// Squares in each direction that the first ring of a sector may touch.
#define NEAR_SQUARES 2

/// A distance in steps between samples, more than places are rounded.
#define NEAR_OFF 1e-6

/// May directions of a sector pass a square, which has a gap, at or before the first ring? The square and what they pass, a triangle
/// that begins at the observer, are apart if a side of the triangle is between them; from a sample lines leave a square that only
/// touches it at once.
static bool passes_square(const lf__sector *s, int64_t i, int64_t j, double v0, double v1) {
    int det = s->along.i * s->across.j - s->along.j * s->across.i;
    double off = s->on_sample ? 0 : NEAR_OFF, far = (double)s->first_ring - s->oa + NEAR_OFF;
    bool behind = true, beyond = true, below = true, above = true;
    for (int k = 0; k < 4; k++) {
        double x = (double)(i + (k & 1)), y = (double)(j + (k >> 1));
        double a = (s->across.j * x - s->across.i * y) * det - s->oa,
               b = (s->along.i * y - s->along.j * x) * det - s->ob;
        behind = behind && a <= -off;
        beyond = beyond && a > far;
        below = below && b - (v0 - NEAR_OFF) * a <= -off;
        above = above && b - (v1 + NEAR_OFF) * a >= off;
    }
    return !(behind || beyond || below || above);
}

float lf__limit_voids(lf__chunk *chunk, float limit) {
    const float half = 0.5f * LF__FAR_SLOPE;
    float most = 0;
    for (int m = 0; m < chunk->bins; m++) {
        float *high = &chunk->void_high[m], *low = &chunk->void_low[m];
        *high = *high > limit ? LF__FAR_SLOPE : *high;
        *high = *high<-limit && * high> - half ? -limit : *high;
        *low = *low > limit ? limit : *low;
        *low = *low < -limit ? -LF__FAR_SLOPE : *low;
        most = fmaxf(most, fabsf(*high) < half ? fabsf(*high) : 0);
        most = fmaxf(most, fabsf(*low) < half ? fabsf(*low) : 0);
    }
    return most;
}

bool lf__sweep_near_void(const lf__sweep *sweep, const lf__sector *s, double v0, double v1) {
    const lf_grid *grid = sweep->view->grid;
    int64_t x = (int64_t)floor(sweep->view->eye.x), y = (int64_t)floor(sweep->view->eye.y);
    for (int64_t j = y - NEAR_SQUARES; j <= y + NEAR_SQUARES; j++)
        for (int64_t i = x - NEAR_SQUARES; i <= x + NEAR_SQUARES; i++)
            if (i >= 0 && j >= 0 && i < grid->columns - 1 && j < grid->rows - 1 && lf__grid_gap(grid, i, j) &&
                passes_square(s, i, j, v0, v1))
                return true;
    return false;
}

bool lf__sweep_voids_beside(const lf__target *t, int64_t first, int64_t last) {
    const lf__sector *s = t->sector;
    int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN};
    for (int k = 0; k < 4; k++) {
        int64_t ring = k & 1 ? last + 1 : first - 2;
        int64_t b = (int64_t)floor(s->ob + ((double)ring - s->oa) * t->v) + (k & 2 ? 2 : -1);
        int64_t at[2] = {ring * s->along.i + b * s->across.i, ring * s->along.j + b * s->across.j};
        for (int n = 0; n < 2; n++) {
            low[n] = at[n] - 1 < low[n] ? at[n] - 1 : low[n];
            high[n] = at[n] > high[n] ? at[n] : high[n];
        }
    }
    return lf__grid_gaps_in(t->sweep->view->grid, low, high);
}
