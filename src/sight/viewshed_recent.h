/// The last chunks of a sweep: their samples, and how high they reach. By these most targets between the bounds are decided in
/// floats (k_viewshed_recent.c).
#ifndef LF_SIGHT_VIEWSHED_RECENT_H
#define LF_SIGHT_VIEWSHED_RECENT_H

#include "base/base.h"

/// Rings in a chunk, and bins in a group where bins are narrowest.
#define LF__CHUNK_RINGS 16
#define LF__GROUP_BINS 240

/// Space for bins in a chunk: kernels may read beyond the last one.
#define LF__BINS_SPACE (LF__GROUP_BINS + 32)

/// Samples of a chunk along b: bins are narrower than a sample, and rise by at most one sample per ring.
#define LF__TILE_ROWS 320
#define LF__TILE_PAD 48

/// Blocks of bins, which a kernel processes at once, and whose greatest slope the history stores. A group is a
/// whole number of blocks.
#define LF__LEAST_BLOCK 7
#define LF__PEAKS (LF__GROUP_BINS / LF__LEAST_BLOCK + 2)

/// The last chunks of a history, for which it has the bounds of those parts for every bin.
#define LF__RECENT 8

/// Bins per sample from which on these are kept: where ground is so smooth that fewer do, there are too few targets between the
/// bounds.
#define LF__RECENT_BINS 2

/// The samples of one of the last chunks: slopes by rings and rows, and what is needed to read them.
typedef struct lf__recent_tile {
    int64_t base, base_ring;          ///< as in lf__chunk
    float a[LF__CHUNK_RINGS + 1];     ///< of lf__chunk_ring
    float off[LF__CHUNK_RINGS + 1];   ///< likewise
    float first[LF__CHUNK_RINGS + 1]; ///< likewise
    float last[LF__CHUNK_RINGS + 1];  ///< likewise
    float slope[LF__CHUNK_RINGS + 1][LF__TILE_ROWS + LF__TILE_PAD];
} lf__recent_tile;

/// How high the last chunks reach, by bins, for all of them at once: chunk k is number k % LF__RECENT. A bound is that at the first
/// border of a bin and rises with that of its block.
typedef struct lf__recent_bounds {
    float peak[LF__BINS_SPACE][LF__RECENT];   ///< of the chunk, by bins of the present width
    float before[LF__BINS_SPACE][LF__RECENT]; ///< of all ground before it
    float rise[LF__PEAKS][LF__RECENT];        ///< per bin
    /// By rings, and by bins of that time, where tile_blocks; the first ring also has what ring 0 reaches.
    float top[LF__RECENT][LF__BINS_SPACE][LF__CHUNK_RINGS];
} lf__recent_bounds;

typedef struct lf__chunk lf__chunk;
typedef struct lf__sample_span lf__sample_span;

/// Where the slopes of a chunk that is to be filled go: always to the same place, which stays in the cache, unless they are kept.
lf__recent_tile *lf__recent_tile_of(lf__chunk *chunk);

/// Keep what later chunks need in order to read the slopes of a chunk that has been filled.
void lf__recent_tile_keep(lf__chunk *chunk);

/// A bit for each block of bins whose slopes have been read and have no voids.
uint64_t lf__recent_tile_blocks(const lf__chunk *chunk);

/// Convert the bounds to bins of half the width.
void lf__recent_halve(lf__chunk *chunk);

#if LF__SIMD
/// Decide open targets of a chunk in floats, by the tiles of the last chunks: the samples `in` of each ring, from ring 1 on. The
/// first bin begins at v0. Returns how many were decided; others stay open. Only for six sectors without voids so far.
int lf__decide_chunk_avx2(lf__chunk *chunk, const lf__sample_span *in, double v0);

/// Keep how high a chunk, which has been added to the history, and its rings reach, for that.
void lf__recent_keep_avx2(lf__chunk *chunk);
#endif

#endif
