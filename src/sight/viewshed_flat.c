/// Bins over ground of one height: water, mostly.
///
/// On lowered ground of one height h the slope at a distance a in a direction v is (h - z) / a - lowering / a - the
/// plane's slope: a function that needs no samples, and has no edges. So a block of bins needs only its values at the
/// borders of bins on each ring (k_viewshed_flat.h). Between two borders it is off a straight line by an eighth of
/// its second derivative, and between two rings it exceeds both by an eighth of that along the ray: both are added.
///
/// Along a ray the slope of ground below the observer is concave, but for a small term on degrees (`bend`). If it rises from the last
/// ring but one of a chunk to the last, it has risen by more than that from ring to ring before: then what is visible on
/// the first ring is visible on all.
#include "sight/viewshed_sweep.h"
#include <math.h>

/// Samples around the bins that must be the same: the ground in a bin ends at the next ones, and places are rounded.
#define FLAT_BEFORE 1
#define FLAT_AFTER 3

#if LF__SIMD
static const char *flat_sample(const lf__bin_group *c, int r, int row) {
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->sweep->view->grid;
    int64_t ring = c->chunk->base_ring + r, b = c->chunk->base + row;
    return grid->values + (ring * s->along.j + b * s->across.j) * grid->row_step +
           (ring * s->along.i + b * s->across.i) * grid->column_step;
}

static int flat_row(const lf__chunk *chunk, int r, int m) {
    return (int)(chunk->place[m] + (float)r * chunk->v[m]);
}

/// Are samples, from one to another along a ring or along the rings, the same as another one?
static bool flat_between(const char *from, const char *to, int count, size_t size, const char *as) {
    return lf__all_same_avx2(from < to ? from : to, count, size, as);
}

/// Do all samples around some bins have the same height? Of integers the bounds of the grid tell.
static bool flat_bins(const lf__bin_group *c, int begin, int end) {
    const lf__chunk *chunk = c->chunk;
    double width = 1.0 / chunk->all_bins;
    if (c->sweep->view->grid->type == LF_SAMPLE_INT16)
        return lf__sweep_level(c, chunk->base_ring + 1, chunk->base_ring + chunk->rings,
                               c->v0 + begin * width, c->v0 + end * width);
    size_t size = lf__sample_size(c->sweep->view->grid->type);
    int rings = chunk->rings, first = flat_row(chunk, 0, begin) - FLAT_BEFORE,
        last = flat_row(chunk, rings, end) + FLAT_AFTER;
    const char *as = flat_sample(c, 0, first);
    for (int row = last; row >= first && c->sector->across.j != 0; row--)
        if (!flat_between(flat_sample(c, 0, row), flat_sample(c, rings, row), rings + 1, size, as))
            return false;
    for (int r = rings; r >= 0 && c->sector->across.j == 0; r--) {
        first = flat_row(chunk, r, begin) - FLAT_BEFORE;
        last = flat_row(chunk, r, end) + FLAT_AFTER;
        last = last - first < 16 ? first + 16 : last;
        if (!flat_between(flat_sample(c, r, first), flat_sample(c, r, last), last - first + 1, size, as))
            return false;
    }
    return true;
}

/// Error of slopes on a ring.
static double flat_off(const lf__bin_group *c, int r, double up) {
    const lf__sector *s = c->sector;
    const double *less = c->chunk->less[r];
    double a = (double)(c->chunk->base_ring + r) - s->oa, per_before = 1 / (a - 1);
    double size = 0, step = 0, width = 1.0 / c->chunk->all_bins;
    for (int j = s->lowering.degree; j >= 0; j--) {
        step = step * (a + 3) + size;
        size = size * (a + 3) + fabs(less[j]);
    }
    size += fabs(up) / a;
    double off = lf__ring_off(c, r, a, size, step) + 0x1p-19 * size;     // of the polynomial in floats
    off += s->bulge * a * width * width;                                 // between two borders
    return off + 0.25 * fabs(up) * per_before * per_before * per_before; // between two rings
}

/// Prepare the rings for ground of a height. Errors are sums of terms that rise or fall with the distance and of
/// polynomials that are nearly linear over a chunk: they are greatest on its first or its last ring, or nearly so.
static void flat_set(const lf__bin_group *c, double height) {
    static const int rings[LF__FLAT_RINGS] = {0, 1, 4, 8, 12, 15, 16};
    const lf__sector *s = c->sector;
    lf__chunk *chunk = c->chunk;
    lf__flat_ground *flat = &chunk->flat;
    if (flat->set && flat->height == height)
        return;
    double up = height - c->sweep->view->z, target = c->sweep->view->def.target,
           near = (double)chunk->base_ring - s->oa, far = near + chunk->rings;
    flat->set = true;
    flat->height = height;
    flat->sinks = up < 0;
    for (int k = 0; k < LF__FLAT_RINGS; k++) {
        lf__flat_ring *out = &flat->ring[k];
        const double *less = chunk->less[rings[k]];
        double a = near + rings[k];
        out->a = (float)a;
        for (int j = s->lowering.degree; j >= 0; j--)
            out->c[j] = (float)(j == 0 ? up / a - less[0] : less[j]);
    }
    double off = 1.05 * fmax(flat_off(c, 0, up), flat_off(c, chunk->rings, up)), sag = 4 * s->sag / near;
    float rise = chunk->ring[1].rise > chunk->ring[chunk->rings].rise ? chunk->ring[1].rise
                                                                      : chunk->ring[chunk->rings].rise;
    flat->off = (float)off;
    flat->target_low = (float)(target / far - off - sag);
    flat->target_high = (float)(target / (near + 1) + off);
    flat->need = (float)(2 * off + sag + (double)rise + chunk->rings * s->bend);
    double share_off = 3 * (double)LF__SWEEP_OFF * chunk->all_bins / near;
    flat->share_off = share_off < 1 ? (float)share_off : 1;
}

void lf__flat_parts(const lf__bin_group *c) {
    lf__chunk *chunk = c->chunk;
    const lf_grid *grid = c->sweep->view->grid;
    int block = c->sweep->block;
    chunk->flat.set = false;
    if (!((double)chunk->base_ring - c->sector->oa >
          2)) // slopes beside the observer have bounds of their own
        return;
    for (int part = 0; part < chunk->parts; part++) {
        int begin = part * chunk->part_bins, end = begin + chunk->part_bins;
        end = end < chunk->bins ? end : chunk->bins;
        if (!chunk->part[part] || !flat_bins(c, begin, end))
            continue;
        double height = lf__sample_read(grid->type, flat_sample(c, 0, flat_row(chunk, 0, begin)));
        if (!isfinite(height))
            continue;
        flat_set(c, height);
        bool all = true;
        for (int m = begin; m < end; m += block) {
            chunk->flat.done[m / block] = c->sweep->flat_block(chunk, m);
            all = all && chunk->flat.done[m / block];
        }
        chunk->part[part] = !all;
    }
}
#else
void lf__flat_parts(const lf__bin_group *c) {
    (void)c;
}
#endif
