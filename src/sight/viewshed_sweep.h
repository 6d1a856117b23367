/// The sweep of a viewshed: sectors, bins, chunks.
///
/// Sectors lie around the observer. In each of them samples have their own coordinates: rings a = 1, 2, 3 ..
/// across the sector, and b along a ring, so that directions are v = (b - ob) / (a - oa), 0 to 1, from the
/// observer (oa, ob). The sample (a, b) has the column a * along.i + b * across.i, and likewise the row:
/// integers both ways. The slope of a place is its height above the observer divided by a - oa, minus the
/// slope of a plane that approximates the ground: in one direction, the place with the greater slope is
/// visible over the other. As points (v, slope), straight lines in space are straight, so the slope is linear
/// in v along an edge of the surface.
///
/// Bins are intervals of v. For each bin we know two lines, valid up to some ring: in no direction is the
/// greatest slope of the ground below the line `low`, nor above the line `high` by more than `over`. A line
/// is stored by its slopes at the two borders of the bin. Rings between two columns of samples are strips. An
/// edge that crosses the whole bin is below `high` if it is below at both borders; an edge that ends in the
/// bin ends at a sample, which `over` accounts for. A chunk is a number of rings of a group of bins.
#ifndef LF_SIGHT_VIEWSHED_SWEEP_H
#define LF_SIGHT_VIEWSHED_SWEEP_H

#include "sight/viewshed.h"
#include "sight/viewshed_pieces.h"
#include "sight/viewshed_recent.h"
#include <math.h>

/// How often the last slope of a ring is repeated, at least: kernels read beyond it.
#define LF__SLOPES_SPARE 20

/// Rounding error of the place of a direction along b; twice that for two rings.
#define LF__SWEEP_OFF 5e-5f

/// A slope beyond all others that can still be added to others: nothing is known yet.
#define LF__FAR_SLOPE 0x1p125f

/// The slope of a void, where the sweep stores voids as samples; all other slopes are above LF__VOID_LIMIT.
#define LF__VOID_SLOPE -0x1p100f
#define LF__VOID_LIMIT -0x1p99f

/// Factors against rounding: for reducing `over` as `high` rises, and for using it.
#define LF__OVER_SINKS 0.999f
#define LF__OVER_ROUNDED 1.001f

/// Blocks of bins of a chunk that are processed, or skipped because all ground there is hidden: so many bins at
/// least.
#define LF__LEAST_PART 28
#define LF__PARTS (LF__GROUP_BINS / LF__LEAST_PART + 1)

/// Chunks in a history; targets behind more of them need exact lines more often.
#define LF__HISTORY 640

/// A chunk that may give up does so when at least this many samples were between the bounds.
#define LF__GIVE_UP_SAMPLES 512

/// Subsets of the bins that a kernel processes at once.
#define LF__PACKING 128

/// Intervals of directions for which it is known where the last void was: so many per bin, where bins are narrowest.
#define LF__BIN_SHADOWS 4
#define LF__SHADOWS (LF__BIN_SHADOWS * LF__GROUP_BINS)

/// Bytes of a ring of samples.
#define LF__RAW_ROW ((LF__TILE_ROWS + LF__TILE_PAD) * (int)sizeof(double))

typedef struct lf__step {
    int i, j;
} lf__step;

/// An exact sum of two numbers: `low` is the rounding error of `high`.
typedef struct lf__sum {
    double high, low;
} lf__sum;

/// Slopes in floats are computed from the height of the plane that is subtracted, at some place of a ring: from the observer's
/// height rounding errors would be those of numbers a thousand times as large.
typedef struct lf__slope_base {
    float height;
    float
        less; ///< what is subtracted from slopes above this height there, without terms of the second degree
} lf__slope_base;

/// Consecutive samples along a ring. The slope of sample k is (height - z) * per_a - (c[0] + c[1] * b + c[2]
/// * b^2 ..), b = first + k.
typedef struct lf__slope_row {
    const char *at;
    ptrdiff_t step;  ///< bytes
    ptrdiff_t ahead; ///< to what will be read next: bytes
    int count;
    lf_sample_type type;
    double scale, offset; ///< height = sample * scale + offset, unless plain
    bool plain;
    double z, per_a, first;
    const double *c; ///< LF__SERIES_USED + 1
    int degree;      ///< 2 or LF__SERIES_USED
    bool in_floats;  ///< may be computed in floats: the bounds allow for it
    lf__slope_base base;
    float past; ///< the first sample is so many samples past the base
} lf__slope_row;

typedef struct lf__sector {
    lf__step along, across;   ///< steps of a and b
    bool own_first, own_last; ///< do samples exactly in directions v = 0 and v = 1 belong to it?
    bool both; ///< squares may be cut along either diagonal; else along the one that rises with a and b
    double oa, ob;
    bool on_sample;     ///< the observer is on a sample
    int64_t first_ring; ///< the first one beyond the observer
    int64_t last_ring;  ///< the last one with samples of the window
    int64_t low_b;      ///< samples of the sector: b >= low_b
    int64_t high_less;  ///< and b - a <= high_less
    int bins;           ///< where they are narrowest
    int group_bins;     ///< of a group, where bins are narrowest: whole blocks
    int groups;
    lf__lowering lowering; ///< of the ground, for earth curvature
    double most_metric;    ///< upper bound of |lowering / a^2|
    double bulge;          ///< lowered ground above straight lines between samples, at most: metres
    double bend;           ///< second derivative of lowering / a along a ray, at most
    double sag;     ///< of a line between two rings, and four times that before its target, at most: metres
    double tilt[2]; ///< of the approximating plane, as a slope: tilt[0] + tilt[1] * v
    double under_voids; ///< lines to targets no higher than this above the observer are below all voids
} lf__sector;

typedef struct lf__sweep lf__sweep;

/// A target between the bounds. At distance x from the observer, the line to it is x * (slope - metric * (a -
/// x)) above the observer.
typedef struct lf__target {
    const lf__sweep *sweep;
    const lf__sector *sector;
    int64_t ring, b;
    double a;           ///< distance of its ring
    double v;           ///< direction
    double slope;       ///< of the straight line
    double metric;      ///< lowering / a^2 for this target
    double off;         ///< rounding error of heights: metres
    double bulge;       ///< how far the line may sag between two crossings
    bool on_sample;     ///< the observer is on a sample
    bool blocked, open; ///< open: too close to decide in doubles
    bool behind_void;   ///< a void is in the way
    bool void_open;     ///< a void may be in the way
} lf__target;

/// Height of the line at a distance.
static inline double lf__target_line(const lf__target *t, double x) {
    return x * (t->slope - t->metric * (t->a - x));
}

/// Test ground at a distance, between `least` and `most` above the observer.
static inline void lf__target_meet(lf__target *t, double least, double most, double x, double bulge) {
    double line = lf__target_line(t, x);
    t->blocked |= least - line > t->off;
    t->open |= most - line >= -t->off - bulge;
}

/// Samples of eight rows of the grid, sixteen of each, which are rings of the tile.
typedef struct lf__spread {
    const char *from; ///< ring 0 of the first row
    ptrdiff_t step;   ///< bytes between rows
    bool down;        ///< rings are downwards in memory
    size_t size;      ///< of a sample: 2 or 4
    char *to;         ///< ring 0, first row; LF__RAW_ROW bytes between rings
} lf__spread;

/// State shared by all sectors.
struct lf__sweep {
    const lf__viewshed *view;
    lf__byte_plane seen;
    lf__sector sectors[8];
    int sector_count;
    lf_vec2 plane;            ///< approximation of the ground: metres per column and row
    double bins_per_sample;   ///< at least, at the end of a ring
    int least_bins;           ///< of a sector, at least
    double most_height;       ///< of ground above or below the observer, at most
    double line_off;          ///< difference of exact lines from those of the sweep: metres
    double steepest;          ///< from sample to sample
    double clearance;         ///< of the observer above the ground, at least
    double lowering;          ///< metres per square metre
    lf__square_series series; ///< squares of distances from the observer
    double uneven;            ///< relative error of the lowering, on degrees
    bool inside;              ///< the observer is within the rectangle of samples
    bool gaps;  ///< squares may be missing: the observer is beyond the samples, or another surface has voids
    bool voids; ///< there are voids, and squares are cut along one diagonal
    bool finds_voids;   ///< and targets behind them are unknown or hidden
    double void_height; ///< assumed height of voids above the observer
    void (*chunk)(lf__chunk *chunk);
    int block;      ///< bins that the kernel processes at once
    bool in_parts;  ///< the kernel can skip parts of a chunk
    bool in_floats; ///< slopes are computed in floats
    void (*slopes)(const lf__slope_row *row, float *slope);
    void (*slopes_of_ring)(const lf__slope_row *row, float *slope, float range[2]); ///< or NULL
    void (*spread)(const lf__spread *from);                                         ///< or NULL
    int64_t (*turn)(const uint8_t *out, int64_t rows, uint8_t *to, ptrdiff_t along, ptrdiff_t across);
    void (*slope_range)(const float *slope, int count, float range[2]);
    void (*meet)(lf__target *t, int64_t first, int64_t last);
    int strips; ///< that `meet` tests at once
    int (*decide_chunk)(lf__chunk *chunk, const lf__sample_span *in, double v0); ///< or NULL
    void (*keep_bounds)(lf__chunk *chunk);                                       ///< with decide_chunk
    bool (*flat_block)(lf__chunk *chunk, int m);                                 ///< or NULL
    lf__least_write *least_write;                                                ///< or NULL
    float (*greatest_size)(const float *bounds, int count);                      ///< or NULL
    float (*least_of)(const float *bounds, int count);                           ///< or NULL
    uint8_t packing[LF__PACKING][8]; ///< for each subset of bins: the first, second ..; 128: none
};

/// The integer at or below a place on a ring. On many processors floor is a call.
static inline int64_t lf__floor_place(double place) {
    int64_t whole = (int64_t)place;
    return whole - (place < (double)whole);
}

/// Column and row of a sample.
typedef struct lf__target_sample {
    int64_t i, j;
} lf__target_sample;

static inline lf__target_sample lf__target_sample_at(const lf__target *t, int64_t ring, int64_t b) {
    const lf__sector *s = t->sector;
    const lf_grid *grid = t->sweep->view->grid;
    int64_t i = ring * s->along.i + b * s->across.i, j = ring * s->along.j + b * s->across.j;
    i = i < 0 ? 0 : i >= grid->columns ? grid->columns - 1 : i; // beyond the border: never in the way
    j = j < 0 ? 0 : j >= grid->rows ? grid->rows - 1 : j;
    return (lf__target_sample){i, j};
}

/// A ring in a chunk.
typedef struct lf__chunk_ring {
    float a;           ///< distance
    float off;         ///< rounding error of slopes of ground
    float target_low;  ///< difference of the slopes of target and sample, at least
    float target_high; ///< and at most
    float first, last; ///< rows of the tile: samples of the group are first + 1 .. last
    float per_bin;     ///< bins per sample
    float share_off;   ///< rounding error of the fraction of a bin before a sample
    float rise, sink;  ///< by how much the upper and lower bounds widen from the ring before
    float void_most;  ///< upper bound of the slope of voids between the ring before and this one, not lowered
    float void_least; ///< lower bound of the slope of voids on the ring, not lowered
    /// Lowering / a, and the plane's slope, by powers of b; if there are voids.
    float less[LF__SERIES_USED + 1];
} lf__chunk_ring;

/// Rings of a chunk on which the slope of ground of one height is computed: 0, 1, 4, 8, 12, 15, 16.
#define LF__FLAT_RINGS 7

/// Ground of one height on such a ring: its slope is c[0] - c[1] * b - c[2] * b^2 ..
typedef struct lf__flat_ring {
    float a; ///< distance
    float c[LF__SERIES_USED + 1];
} lf__flat_ring;

typedef struct lf__flat_ground {
    double height;
    bool set;   ///< everything is set, for this height
    bool sinks; ///< it is below the observer
    lf__flat_ring ring[LF__FLAT_RINGS];
    float off;                     ///< error of slopes, anywhere in the chunk
    float target_low, target_high; ///< as in lf__chunk_ring, for all rings
    float share_off;               ///< likewise
    /// If the slope rises by more than that to the last ring, targets of all rings are visible over it.
    float need;
    bool done[LF__PEAKS]; ///< blocks of bins that need nothing else
    bool seen[LF__PEAKS]; ///< their targets are visible; else they are hidden
} lf__flat_ground;

/// What is stored of a finished chunk, for targets behind it.
typedef struct lf__past {
    int64_t first, last; ///< rings
    bool gaps, voids;
    float off;            ///< rounding error of its slopes; only for least heights
    uint64_t void_blocks; ///< of the bins of the present width: a bit where there may be voids
    uint64_t done_blocks; ///< and where each bin has bounds of its own; only of the last LF__RECENT chunks
    uint64_t tile_blocks; ///< likewise, where the slopes of its tile are known, and none is a void
    int halved; ///< how often bins have been cut in two since then: its own bounds are by bins of that time
} lf__past;

/// Chunks of a history that are tested together.
#define LF__PAST_BLOCK 8

/// Rings of a part of a chunk, for which the history has a bound of its own, and such parts.
#define LF__PART_RINGS 4
#define LF__RING_PARTS (LF__CHUNK_RINGS / LF__PART_RINGS)

/// How much of a square is part of the surface.
enum { LF__SQUARE_SOLID, LF__SQUARE_PART, LF__SQUARE_VOID, LF__SQUARE_OUTSIDE }; // part: one triangle of two

/// Some rings of a group of bins. Rows of the tile are samples along b, counted from `base`; ring 0 is the
/// one before the first.
struct lf__chunk {
    const lf__sweep *sweep;
    const lf__sector *sector;
    int bins, rings, parts;
    bool drifts;                 ///< rises or sinks are not 0
    bool first;                  ///< the strip before the first ring has been processed already
    float v[LF__BINS_SPACE];     ///< of borders: border m is before bin m
    float place[LF__BINS_SPACE]; ///< their rows at ring 0
    lf__chunk_ring ring[LF__CHUNK_RINGS + 1];
    int64_t base;         ///< b of row 0
    int64_t base_ring;    ///< a of ring 0
    bool gaps;            ///< not all squares are solid
    bool voids;           ///< some samples are voids
    bool behind_void;     ///< a void is behind us
    uint8_t void_byte;    ///< the result of a target behind a void
    float void_top;       ///< upper bound of the slopes of voids of the chunk
    uint64_t void_blocks; ///< a bit for each block of bins beside which there are voids
    /// Voids by rows; only if there may be some.
    uint64_t void_mask[LF__CHUNK_RINGS + 1][(LF__TILE_ROWS + LF__TILE_PAD) / 64 + 1];
    /// The last strip, counted from 1, in which there are voids somewhere in an interval.
    int32_t void_some[LF__SHADOWS];
    int32_t void_all[LF__SHADOWS];   ///< and in all its directions; 0: none
    float void_high[LF__BINS_SPACE]; ///< upper bound of the slope of voids in the bin
    float void_low[LF__BINS_SPACE];  ///< lower bound, of voids in the way of all directions
    bool part[LF__PARTS];            ///< of the bins: is it processed? The scalar path processes all
    int part_bins;                   ///< bins of a part: whole blocks
    int all_bins;                    ///< of the sector, at their present width
    int past_count;                  ///< more than LF__HISTORY: some are not stored
    lf__past past[LF__HISTORY];
    float past_peak[LF__PEAKS][LF__HISTORY];                  ///< by blocks of bins of the present width
    float past_most[LF__PEAKS][LF__HISTORY / LF__PAST_BLOCK]; ///< of the chunks of a block
    float past_part[LF__PEAKS][LF__HISTORY][LF__RING_PARTS]; ///< of the parts of a chunk, at its first border
    float past_rise[LF__PEAKS][LF__HISTORY];                 ///< and how much that bound rises per bin
    /// Of the parts of the last chunks, at the first border of each bin, at its width then.
    float recent[LF__RECENT][LF__RING_PARTS][LF__BINS_SPACE];
    float recent_before[LF__RECENT][LF__BINS_SPACE];        ///< and of all ground before such a chunk
    lf__recent_bounds bounds;                               ///< the same side by side, with decide_chunk
    lf__least_ground least[LF__BINS_SPACE];                 ///< only if least heights are computed
    lf__least_pieces pieces[LF__BINS_SPACE];                ///< likewise, without voids
    float least_low[2][LF__BINS_SPACE];                     ///< `low` when the last chunk was added to them
    int64_t least_ring;                                     ///< its last ring
    double least_less[LF__LEAST_LESS][LF__SERIES_USED + 1]; ///< as `less`, of some rings
    int64_t least_less_ring[LF__LEAST_LESS];
    lf__limits metric; ///< of lowering / a^2, for all targets of the group
    float high[2][LF__BINS_SPACE], over[LF__BINS_SPACE], low[2][LF__BINS_SPACE]; ///< at the bins' borders
    float (*slope)[LF__TILE_ROWS + LF__TILE_PAD];                                ///< of its tile
    lf__recent_tile tile[LF__RECENT]; ///< of this chunk and those before it, by their numbers
    double less[LF__CHUNK_RINGS + 1][LF__SERIES_USED + 1]; ///< lowering / a, and the plane's slope
    lf__slope_base slope_base[LF__CHUNK_RINGS + 1];        ///< of row 0
    char raw[(LF__CHUNK_RINGS + 1) * LF__RAW_ROW]; ///< samples, where those of a ring are not consecutive
    uint8_t out[LF__CHUNK_RINGS + 1]
               [LF__TILE_ROWS + LF__TILE_PAD]; ///< lf_visibility or LF__SEEN_OPEN, by rows
    uint8_t state[LF__CHUNK_RINGS + 1][LF__TILE_ROWS + LF__TILE_PAD]; ///< of squares behind a ring; with gaps
    /// Upper bound of slopes on a ring and in the strip before it, except those of edges that begin at samples of the ring
    /// before; only if `tops`.
    float top[LF__CHUNK_RINGS + 1][LF__BINS_SPACE];
    bool tops;
    bool done[LF__PEAKS];  ///< blocks of bins with `top`, unless they are flat, and bounds of parts
    float peak[LF__PEAKS]; ///< upper bound of slopes of ground in the bins of a block, for all rings
    /// Of some rings and the strips before them, at the first border; where `done`.
    float part_peak[LF__PEAKS][LF__RING_PARTS];
    float part_rise[LF__PEAKS]; ///< and how much that bound rises per bin
    lf__flat_ground flat;       ///< blocks over ground of one height
    bool any;                   ///< something in `out` is not 0
    double near;    ///< greatest slope of the ground before the first ring, in any direction of the group
    bool near_peak; ///< a lowered slope may be greatest within a triangle before the first ring
    double near_of
        [LF__LEAST_NEAR]; ///< slopes before the first ring, by intervals of directions; only for least heights
    double sinks;         ///< growth of lowering / a^2 per ring of distance, at most; >= 0
    double rises;         ///< its decrease, likewise
    float rise, sink;     ///< of all rings of the chunk together
    int give_up_share;    ///< give up where one sample in so many is between the bounds; 0: never
    int64_t tested;       ///< samples tested against the bounds, where not all are hidden
    int64_t between;      ///< of these, those between the bounds
};

/// Set up the sectors; false: a sweep is not possible.
bool lf__sweep_start(lf__sweep *sweep, const lf__viewshed *view, lf__byte_plane seen, double bins_per_sample,
                     int least_bins);

/// Process one group of bins of a sector, from the observer outwards; false: it gave up, which only a chunk with
/// `give_up_share` does.
bool lf__sweep_group(const lf__sweep *sweep, const lf__sector *sector, int group, lf__chunk *chunk);

/// Upper bound of the slope of the ground before the first ring in a direction. INFINITY: unknown.
double lf__sweep_near(const lf__sweep *sweep, const lf__sector *sector, double v);

/// The same of the samples of the first ring between two directions, at which edges of this ground end.
double lf__sweep_near_ring(const lf__sweep *sweep, const lf__sector *sector, double v0, double v1);

/// Does ground before the first ring hide a target for sure? Only in six sectors.
bool lf__sweep_near_hides(const lf__target *t);

/// The same for all directions, above the plane that approximates the ground, if that is negative. INFINITY: it may not be.
double lf__sweep_near_most(const lf__sweep *sweep, const lf__sector *sector);

/// May the lowered slope of ground be greatest within a triangle before the first ring, beyond its edges?
bool lf__sweep_near_peak(const lf__sweep *sweep, const lf__sector *sector);

/// Blocks of bins whose greatest slope is known.
static inline int lf__peak_groups(const lf__chunk *chunk) {
    return chunk->bins / chunk->sweep->block;
}

/// Bounds of the parts of the chunk that is being processed, by bins.
static inline float (*lf__recent_parts(lf__chunk *chunk))[LF__BINS_SPACE] {
    return chunk->recent[chunk->past_count % LF__RECENT];
}

/// Upper bound of slopes on a ring and in the strip before it, as lf__chunk.top, in all directions of a bin.
static inline float lf__chunk_top(const lf__chunk *chunk, int r, int m) {
    float rise = chunk->part_rise[m / chunk->sweep->block];
    return chunk->top[r][m] + (rise > 0 ? rise : 0);
}

/// Store a finished chunk for targets behind it; and convert the stored chunks to bins of half the width.
void lf__past_add(lf__chunk *chunk);
void lf__past_split(lf__chunk *chunk);

/// Decide a target in doubles, by the chunks before it: LF__SEEN_OPEN if it depends on rounding. The first
/// bin begins at v0.
lf_visibility lf__sweep_decide(const lf__chunk *chunk, int64_t ring, int64_t b, double v0);

/// May there be voids in some directions before the first ring or on it? Then all targets behind need exact
/// lines.
bool lf__sweep_near_void(const lf__sweep *sweep, const lf__sector *sector, double v0, double v1);

/// Voids beside the observer are far steeper than ground, and rounding is by the greatest slope: bounds beyond a limit become wider.
/// Returns the greatest that is left.
float lf__limit_voids(lf__chunk *chunk, float limit);

/// As lf__sweep_decide, for a target that ground does not hide: are voids in its way?
lf_visibility lf__sweep_decide_voids(const lf__chunk *chunk, int64_t ring, int64_t b, double v0);

/// The blocks of bins that a target may be in, as bits: rounding may have put it into the next bin.
typedef struct lf__target_blocks {
    double place; ///< in blocks
    int low, high;
    uint64_t bits;
} lf__target_blocks;

lf__target_blocks lf__target_blocks_of(const lf__chunk *chunk, const lf__target *t, double v0);

/// Are there voids beside the direction, from one ring to another?
bool lf__sweep_voids_beside(const lf__target *t, int64_t first, int64_t last);

/// Samples of two rings around the direction: which of them have heights. Index 1 is the one before the
/// direction.
typedef struct lf__void_around {
    bool is[2][4];
    bool all;
} lf__void_around;

/// Does a sample have a height? And which of those around a direction do?
bool lf__void_has_height(const lf__target *t, int64_t ring, int64_t b);
lf__void_around lf__void_check(const lf__target *t, int64_t ring, int64_t before, int64_t now);

/// Is a sample a corner of a triangle?
bool lf__void_is_corner(const lf__target *t, int64_t ring, int64_t b);

/// Is the edge from the sample b of a ring to the next a side of a triangle?
bool lf__void_is_level(const lf__target *t, int64_t ring, int64_t b);

/// Where the direction crosses a ring, among voids.
typedef struct lf__void_place {
    double place;
    int64_t b;    ///< of the sample before
    double share; ///< of the step to the next
    bool at;      ///< exactly at the sample
    bool unclear; ///< too close to a sample to tell
} lf__void_place;

/// Where a direction crosses the strip before a ring, which triangles are there, and where it leaves the first of
/// them: `upper` is between two samples of the ring before, `lower` between two of this ring.
typedef struct lf__void_strip {
    lf__void_place before, now;
    bool upper, lower;
    double middle;
} lf__void_strip;

/// The strip before a ring; false: too close to a sample to tell. `own`: the target is on the ring.
bool lf__void_strip_of(const lf__target *t, int64_t ring, bool own, lf__void_strip *strip);

/// Test the void triangles of a strip.
void lf__void_strip_meet(lf__target *t, const lf__void_strip *strip, int64_t ring);

/// The last void before a target: the rings at the end of their strips, or less than the first ring.
typedef struct lf__shadow {
    int64_t some; ///< none is beyond this ring
    int64_t all;  ///< the strip before this ring has a void in the way
} lf__shadow;

/// For the directions of a group: begin at the observer; add directions that voids beside it may close; and those of
/// the voids between the last ring and ring r of the chunk.
void lf__shadow_start(lf__chunk *chunk);
void lf__shadow_near(lf__chunk *chunk, double first, double last);
void lf__shadow_add(lf__chunk *chunk, int r, double v0);

/// Of a target behind the first ring, up to the last strip that was added.
lf__shadow lf__shadow_of(const lf__chunk *chunk, int64_t ring, int64_t b, double v0);

/// Is the line above all voids from the observer up to a distance? It sags downwards: where it ends below them, it
/// was above them before any place where it is above them.
bool lf__target_above_voids(const lf__target *t, double x);

/// Find voids in the way of a target, whatever the ground, up to the last strip in which there may be some.
void lf__sweep_find_voids(lf__target *t, const lf__chunk *chunk, const lf__target_blocks *blocks,
                          const lf__shadow *shadow, double v0);

/// Test the rings before a target's own, and the strips before them, against its line.
void lf__meet_scalar(lf__target *t, int64_t first, int64_t last);

/// The strip before a target's own ring.
void lf__meet_own(lf__target *t);

/// The strip before a ring and the ring, where some samples may be voids; `own`: the target is on the ring.
void lf__meet_strip_of_voids(lf__target *t, int64_t ring, bool own);

/// The first ring, where some samples may be voids; not what is before it.
void lf__meet_first_of_voids(lf__target *t);

/// Void triangles between two rings; and those between the observer, if it is not on a sample, and the first ring.
void lf__pass_voids(lf__target *t, int64_t ring, bool own);
void lf__pass_near_voids(lf__target *t);

/// Slopes of samples; and the greatest absolute slope and step between neighbours.
void lf__slopes_scalar(const lf__slope_row *row, float *slope);
void lf__slope_range_scalar(const float *slope, int count, float range[2]);

/// A chunk, rings 1 .. rings, by scalar code: for all surfaces, and with gaps.
void lf__chunk_scalar(lf__chunk *chunk);

#if LF__SIMD
/// The same where all squares are solid, and the strip before the first ring has not been processed.
void lf__chunk_avx2(lf__chunk *chunk);
void lf__chunk_avx512(lf__chunk *chunk);

/// A block of bins over ground of one height, for six sectors without voids; false: its rings are neither visible nor hidden as
/// a whole.
bool lf__flat_block_avx2(lf__chunk *chunk, int m);
bool lf__flat_block_avx512(lf__chunk *chunk, int m);

/// Are samples next to each other in memory the same as a given one, bit by bit? 32 bytes of them at least.
bool lf__all_same_avx2(const char *at, int count, size_t size, const char *as);

/// The greatest absolute value of some bounds, except those beyond half of LF__FAR_SLOPE; and the least of them. 8 or more.
float lf__greatest_size_avx2(const float *bounds, int count);
float lf__least_of_avx2(const float *bounds, int count);

/// Copy the results of eight rings of `out`, which are consecutive in the plane, sixteen rows at a time; returns how many rows.
int64_t lf__turn_avx2(const uint8_t *out, int64_t rows, uint8_t *to, ptrdiff_t along, ptrdiff_t across);

/// Only for six sectors, with all samples in memory within 2 GB.
void lf__meet_avx2(lf__target *t, int64_t first, int64_t last);
void lf__meet_avx512(lf__target *t, int64_t first, int64_t last);

void lf__slopes_avx2(const lf__slope_row *row, float *slope);

/// The same in floats, and their range: of integers or floats that are next to each other in memory, 16 or more.
void lf__slopes_of_ring_avx2(const lf__slope_row *row, float *slope, float range[2]);
void lf__slopes_of_ring_avx512(const lf__slope_row *row, float *slope, float range[2]);
void lf__spread_avx2(const lf__spread *from);
void lf__slope_range_avx2(const float *slope, int count, float range[2]);
#endif

// ---------------------------------------------------------------------------------------------------
// A group and how its chunks are filled
// ---------------------------------------------------------------------------------------------------

/// Rounding error of slopes, relative.
#define LF__OFF_HEIGHT 1e-6

/// A group of bins while it is being processed.
typedef struct lf__bin_group {
    const lf__sweep *sweep;
    const lf__sector *sector;
    int group;
    double v0, v1;
    double least_metric; ///< lower bound of lowering / a^2
    bool near_voids;     ///< there may be voids among the samples of the chunk
    int64_t settled;     ///< the bounds hold for targets up to this ring
    lf__chunk *chunk;
} lf__bin_group;

/// Where a direction crosses a ring.
static inline double lf__bin_group_place(const lf__sector *s, double v, int64_t ring) {
    return s->ob + ((double)ring - s->oa) * v;
}

/// The samples of a ring that exist.
lf__sample_span lf__samples_of_ring(const lf__sector *s, const lf_grid *grid, int64_t ring);

/// The samples of a ring that belong to the group, some of which may not exist.
lf__sample_span lf__group_samples(const lf__bin_group *c, int64_t ring);

/// Rounding error of the slopes of a ring at a distance, from their size and the steps between samples.
double lf__ring_off(const lf__bin_group *c, int r, double a, double size, double step);

/// Is all ground from one ring to another between two directions of a group less than one apart, by the bounds of the grid?
bool lf__sweep_level(const lf__bin_group *c, int64_t first, int64_t last, double v0, double v1);

/// Process the blocks of bins over ground of one height; parts that need nothing else are taken from chunk->part. All samples of
/// the chunk exist.
void lf__flat_parts(const lf__bin_group *c);

/// Fill everything of `rings` rings from `ring` on except their bounds.
void lf__bin_group_fill(const lf__bin_group *c, int64_t ring, int rings);

#endif
