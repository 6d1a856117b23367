/// Voids in a sweep.
///
/// A void is an obstacle as high as the highest ground: what is below it, and not hidden by ground, is unknown. Of each bin two slopes are
/// kept: no void reaches above `veil_high`, and those that are in the way of all of its directions reach `veil_low`.
#include "sight/viewshed_sweep.h"
#include <math.h>

/// How far the rows of a bin's borders may be off: far more than by rounding.
#define ROW_OFF 1e-3f

/// Which samples of a ring belong to the edges that a bin passes, one more on either side where its borders are close to one.
typedef struct rows {
    int first, end;
} rows;

static rows rows_of(const lf__chunk *chunk, int r, int m) {
    const lf__chunk_ring *ring = &chunk->ring[r];
    float low = chunk->place[m] + (float)r * chunk->v[m] - ROW_OFF,
          high = chunk->place[m + 1] + (float)r * chunk->v[m + 1] + ROW_OFF;
    low = low > ring->first ? low : ring->first;
    high = high < ring->last ? high : ring->last;
    high = high > low ? high : low;
    return (rows){(int)low, (int)high + 2}; // rows are positive
}

static int voids_of(const lf__chunk *chunk, int r, rows s) {
    return chunk->void_before[r][s.end] - chunk->void_before[r][s.first];
}

/// Bins, from one on and without another.
typedef struct bins_span {
    int first, end;
} bins_span;

/// Bins that may pass the voids of a ring, or of the one before it.
static bins_span bins_beside(const lf__chunk *chunk, int r) {
    bins_span span = {chunk->bins, 0};
    for (int k = r - 1; k <= r; k++) {
        if (chunk->void_count[k] == 0)
            continue;
        // The first border has been nudged: begin at the second.
        float start = chunk->place[1] + (float)k * chunk->v[1];
        float width = (chunk->place[chunk->bins - 1] + (float)k * chunk->v[chunk->bins - 1] - start) /
                      (float)(chunk->bins - 2);
        if (!(width > 1e-4f))
            return (bins_span){0, chunk->bins};
        int first = 1 + (int)(((float)chunk->void_rows[k][0] - 2 - start) / width) - 2,
            end = 1 + (int)(((float)chunk->void_rows[k][1] + 2 - start) / width) + 3;
        span.first = first < span.first ? first : span.first;
        span.end = end > span.end ? end : span.end;
    }
    span.first = span.first < 0 ? 0 : span.first;
    span.end = span.end > chunk->bins ? chunk->bins : span.end;
    return span;
}

/// Is there a void among the samples of a bin at a ring, or at the one before it?
static bool passes_void(const lf__chunk *chunk, int r, int m) {
    return (chunk->void_count[r] > 0 && voids_of(chunk, r, rows_of(chunk, r, m)) > 0) ||
           (chunk->void_count[r - 1] > 0 && voids_of(chunk, r - 1, rows_of(chunk, r - 1, m)) > 0);
}

static bool is_all_void(const lf__chunk *chunk, int r, int m) {
    rows s = rows_of(chunk, r, m);
    return chunk->void_count[r] > 0 && voids_of(chunk, r, s) == s.end - s.first;
}

/// Lowering / a and the plane's slope on a ring, in the directions of all borders; and how far they may be off between two of these.
typedef struct lowered {
    float at[LF__BINS_ROOM];
    double off;
} lowered;

static void set_lowered(const lf__chunk *chunk, int r, bins_span span, lowered *out) {
    const double *less = chunk->less[r];
    int degree = chunk->sector->lowering.degree;
    double a = (double)(chunk->base_ring + r) - chunk->sector->oa, curve = 0, size = 0,
           width = 1.0 / chunk->all_bins;
    for (int j = degree; j >= 0; j--) {
        curve = curve * a + j * (j - 1) * fabs(less[j]);
        size = size * a + fabs(less[j]);
    }
    for (int m = span.first; m <= span.end; m++) {
        double b = (double)chunk->v[m] * a, sum = less[degree];
        for (int j = degree - 1; j >= 0; j--)
            sum = sum * b + less[j];
        out->at[m] = (float)sum;
    }
    out->off = 0.125 * curve * width * width + 1e-6 * size;
}

/// Voids between the last ring and this one are in the way of targets on this one.
static void pass_strip(lf__chunk *chunk, int r, bins_span span, const lowered *before, const lowered *now) {
    double a = (double)(chunk->base_ring + r) - chunk->sector->oa, height = chunk->sweep->veil;
    double most = height / (height > 0 ? fmax(a - 1, 1e-3) : a);
    most += (double)chunk->ring[r].off + 1e-6 * fabs(most) + fmax(before->off, now->off);
    for (int m = span.first; m < span.end; m++) {
        if (!passes_void(chunk, r, m))
            continue;
        float lower = fminf(fminf(before->at[m], before->at[m + 1]), fminf(now->at[m], now->at[m + 1]));
        float here = (float)most - lower, *peak = &chunk->peak[m / LF__PEAK_BINS];
        chunk->veil_high[m] = fmaxf(chunk->veil_high[m], here);
        *peak = fmaxf(*peak, here);
        chunk->veiled = true;
    }
}

/// Voids all along a ring are in the way of what is behind it.
static void pass_ring(lf__chunk *chunk, int r, bins_span span, const lowered *now) {
    double a = (double)(chunk->base_ring + r) - chunk->sector->oa, least = chunk->sweep->veil / a;
    least -= (double)chunk->ring[r].off + 1e-6 * fabs(least) + now->off;
    for (int m = span.first; m < span.end; m++)
        if (is_all_void(chunk, r, m))
            chunk->veil_low[m] = fmaxf(chunk->veil_low[m], (float)least - fmaxf(now->at[m], now->at[m + 1]));
}

/// The sample in a bin: what is known of it, seen past the voids of the bin and of the two beside it.
static void judge(lf__chunk *chunk, int r, int m, int row) {
    uint8_t *seen = &chunk->out[r][row];
    if (*seen != LF_VISIBILITY_VISIBLE)
        return;
    float high = chunk->veil_high[m], low = chunk->veil_low[m], slope = chunk->slope[r][row];
    for (int k = m > 0 ? m - 1 : 0; k <= m + 1 && k < chunk->bins; k++) {
        high = fmaxf(high, chunk->veil_high[k]);
        low = fminf(low, chunk->veil_low[k]);
    }
    if (slope + chunk->ring[r].target_low > high)
        return;
    bool veiled = slope + chunk->ring[r].target_high < low;
    bool stop = chunk->sweep->view->def.rules.voids == LF_VOIDS_STOP;
    *seen = !veiled ? LF__SEEN_VEIL : stop ? LF_VISIBILITY_HIDDEN : LF_VISIBILITY_UNKNOWN;
}

static void judge_ring(lf__chunk *chunk, int r) {
    const lf__chunk_ring *ring = &chunk->ring[r];
    int before = 0;
    for (int m = 0; m <= chunk->bins; m++) {
        int row = (int)(chunk->place[m] + (float)r * chunk->v[m]);
        row = row > (int)ring->first ? row : (int)ring->first;
        row = row < (int)ring->last ? row : (int)ring->last;
        if (m > 0 && row != before)
            judge(chunk, r, m - 1, row);
        before = row;
    }
}

void lf__chunk_veil(lf__chunk *chunk) {
    lowered both[2];
    for (int r = 1; r <= chunk->rings; r++) {
        for (int m = 0; m < chunk->bins && chunk->drifts; m++) {
            chunk->veil_high[m] += chunk->ring[r].rise + 0x1p-22f * fabsf(chunk->veil_high[m]);
            chunk->veil_low[m] -= chunk->ring[r].sink + 0x1p-22f * fabsf(chunk->veil_low[m]);
        }
        bool here = chunk->voids && chunk->void_count[r] > 0,
             before = chunk->voids && chunk->void_count[r - 1] > 0;
        bins_span span = {0, 0};
        if (here || before) {
            span = bins_beside(chunk, r);
            // Before the first ring of a sector there is no other.
            set_lowered(chunk, chunk->first ? r : r - 1, span, &both[0]);
            set_lowered(chunk, r, span, &both[1]);
            pass_strip(chunk, r, span, &both[0], &both[1]);
        }
        if (chunk->any && chunk->veiled)
            judge_ring(chunk, r);
        if (here)
            pass_ring(chunk, r, span, &both[1]);
    }
}

// ---------------------------------------------------------------------------------------------------
// Beside the observer
// ---------------------------------------------------------------------------------------------------

/// Squares each way that the first ring of a sector may touch.
#define NEAR_SQUARES 2

/// May directions of a sector pass a square, which has a gap, before or at the first ring?
static bool passes_square(const lf__sector *s, int64_t i, int64_t j, double v0, double v1) {
    int det = s->along.i * s->across.j - s->along.j * s->across.i;
    double least = LF_INFINITY, most = -LF_INFINITY;
    int behind = 0;
    for (int k = 0; k < 4; k++) {
        double x = (double)(i + (k & 1)), y = (double)(j + (k >> 1));
        double a = (s->across.j * x - s->across.i * y) * det - s->oa,
               b = (s->along.i * y - s->along.j * x) * det - s->ob;
        behind += a <= 0;
        if (a < 0.25 && a > -1.25 && fabs(b) < 2.25) // beside the observer: in any direction
            return true;
        least = a > 0 ? fmin(least, b / a) : least;
        most = a > 0 ? fmax(most, b / a) : most;
    }
    return behind < 4 && (behind > 0 || (least <= v1 + 1e-6 && most >= v0 - 1e-6));
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
