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
    return (rows){(int)floorf(low), (int)floorf(high) + 2};
}

static int voids_of(const lf__chunk *chunk, int r, rows s) {
    return chunk->void_before[r][s.end] - chunk->void_before[r][s.first];
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

/// Slopes of a void between the last ring and this one, and on this one: as those of ground are.
typedef struct veil {
    float most, least;
} veil;

static veil veil_of(const lf__chunk *chunk, int r, int m) {
    const lf__sector *s = chunk->sector;
    double a = (double)(chunk->base_ring + r) - s->oa, before = fmax(a - 1, 1e-3), height = chunk->sweep->veil;
    double v[2] = {(double)chunk->v[m], (double)chunk->v[m + 1]};
    lf__limits lower = lf__lowering_limits(&s->lowering, &(lf__fan){{v[0], v[1]}, {before, a}});
    double tilt_most = s->tilt[0] + fmax(s->tilt[1] * v[0], s->tilt[1] * v[1]),
           tilt_least = s->tilt[0] + fmin(s->tilt[1] * v[0], s->tilt[1] * v[1]);
    double most = height / (height > 0 ? before : a) - fmin(lower.least * before, lower.least * a) - tilt_least;
    double least = height / a - lower.most * a - tilt_most;
    double off = (double)chunk->ring[r].off + 1e-6 * (fabs(most) + fabs(least) + fabs(s->tilt[0]) + fabs(s->tilt[1]));
    return (veil){(float)(most + off), (float)(least - off)};
}

/// Voids between the last ring and this one are in the way of targets on this one.
static void pass_strip(lf__chunk *chunk, int r) {
    if (!chunk->voids || chunk->void_count[r] + chunk->void_count[r - 1] == 0)
        return;
    for (int m = 0; m < chunk->bins; m++) {
        if (!passes_void(chunk, r, m))
            continue;
        veil here = veil_of(chunk, r, m);
        float *peak = &chunk->peak[m / LF__PEAK_BINS];
        chunk->veil_high[m] = fmaxf(chunk->veil_high[m], here.most);
        *peak = fmaxf(*peak, here.most);
        chunk->veiled = true;
    }
}

/// Voids all along a ring are in the way of what is behind it.
static void pass_ring(lf__chunk *chunk, int r) {
    if (!chunk->voids || chunk->void_count[r] == 0)
        return;
    for (int m = 0; m < chunk->bins; m++)
        if (is_all_void(chunk, r, m))
            chunk->veil_low[m] = fmaxf(chunk->veil_low[m], veil_of(chunk, r, m).least);
}

/// The sample in a bin: what is known of it, seen past the voids of the bin and of the two beside it.
static void judge(lf__chunk *chunk, int r, int m, int row) {
    uint8_t *seen = &chunk->out[r][row];
    if (*seen != LF_SEEN_VISIBLE)
        return;
    float high = chunk->veil_high[m], low = chunk->veil_low[m], slope = chunk->slope[r][row];
    for (int k = m > 0 ? m - 1 : 0; k <= m + 1 && k < chunk->bins; k++) {
        high = fmaxf(high, chunk->veil_high[k]);
        low = fminf(low, chunk->veil_low[k]);
    }
    if (slope + chunk->ring[r].target_low > high)
        return;
    bool veiled = slope + chunk->ring[r].target_high < low;
    bool stop = chunk->sweep->view->def.rules.holes == LF_HOLES_STOP;
    *seen = !veiled ? LF__SEEN_ASK : stop ? LF_SEEN_HIDDEN : LF_SEEN_UNKNOWN;
}

static void judge_ring(lf__chunk *chunk, int r) {
    const lf__chunk_ring *ring = &chunk->ring[r];
    int before = 0;
    for (int m = 0; m <= chunk->bins; m++) {
        float place = floorf(chunk->place[m] + (float)r * chunk->v[m]);
        int row = (int)fminf(fmaxf(place, ring->first), ring->last);
        if (m > 0 && row != before)
            judge(chunk, r, m - 1, row);
        before = row;
    }
}

void lf__chunk_veil(lf__chunk *chunk) {
    for (int r = 1; r <= chunk->rings; r++) {
        for (int m = 0; m < chunk->bins && chunk->drifts; m++) {
            chunk->veil_high[m] += chunk->ring[r].rise + 0x1p-22f * fabsf(chunk->veil_high[m]);
            chunk->veil_low[m] -= chunk->ring[r].sink + 0x1p-22f * fabsf(chunk->veil_low[m]);
        }
        pass_strip(chunk, r);
        if (chunk->any && chunk->veiled)
            judge_ring(chunk, r);
        pass_ring(chunk, r);
    }
}
