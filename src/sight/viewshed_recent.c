/// What is kept of the last chunks of a sweep.
#include "sight/viewshed_recent.h"
#include "sight/viewshed_sweep.h"

lf__recent_tile *lf__recent_tile_of(lf__chunk *chunk) {
    return &chunk->tile[chunk->sweep->keep_bounds ? chunk->past_count % LF__RECENT : 0];
}

void lf__recent_tile_keep(lf__chunk *chunk) {
    lf__recent_tile *tile = lf__recent_tile_of(chunk);
    if (!chunk->sweep->keep_bounds)
        return;
    tile->base = chunk->base;
    tile->base_ring = chunk->base_ring;
    for (int r = 0; r <= LF__CHUNK_RINGS; r++) {
        const lf__chunk_ring *ring =
            &chunk->ring[r < chunk->rings ? r : chunk->rings]; // eight are read at once
        tile->a[r] = ring->a;
        tile->off[r] = ring->off;
        tile->first[r] = ring->first;
        tile->last[r] = ring->last;
    }
}

uint64_t lf__recent_tile_blocks(const lf__chunk *chunk) {
    uint64_t known = 0;
    bool all = chunk->sweep->keep_bounds && chunk->tops && !chunk->gaps && !chunk->voids;
    for (int g = 0; g < lf__peak_groups(chunk) && all; g++)
        known |= (uint64_t)(chunk->done[g] && !chunk->flat.done[g]) << g;
    return known;
}

/// Lines over a bin become two: the second one begins in the middle.
static void halve_lines(float line[][LF__RECENT], int m, const float *rise) {
    for (int k = 0; k < LF__RECENT; k++) {
        float first = line[m][k];
        line[2 * m + 1][k] = first + 0.5f * rise[k];
        line[2 * m][k] = first;
    }
}

void lf__recent_halve(lf__chunk *chunk) {
    lf__recent_bounds *b = &chunk->bounds;
    int block = chunk->sweep->block;
    for (int g = lf__peak_groups(chunk) - 1; g >= 0; g--) {
        for (int m = (g + 1) * block - 1; m >= g * block; m--) {
            halve_lines(b->peak, m, b->rise[g]);
            halve_lines(b->before, m, b->rise[g]);
        }
        for (int k = 0; k < LF__RECENT; k++)
            b->rise[2 * g][k] = b->rise[2 * g + 1][k] = 0.5f * b->rise[g][k];
    }
}
