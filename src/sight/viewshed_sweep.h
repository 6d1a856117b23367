/// The sweep of a viewshed: sectors, bins, chunks.
///
/// Around the observer lie sectors. In each the posts have coordinates of their own: rings a = 1, 2, 3 .. across the sector, and b along
/// a ring, so that directions are v = (b - ob) / (a - oa), 0 to 1, from the observer (oa, ob). A post (a, b) is that of column
/// a * along.i + b * across.i and row likewise: whole numbers both ways. The slope of a place is its height above the observer
/// divided by a - oa, less that of a plane that the ground at large follows: in one direction, who has the greater slope is seen over the other. Seen as points (v, slope) straight lines in space are
/// straight, so along an edge of the surface the slope is linear in v.
///
/// Bins are intervals of v. Of each we know, up to some ring, two lines: the greatest slope of ground is in none of its directions below the line
/// `low`, nor above the line `high` by more than `over`. Lines are given by their slopes at the bin's two borders. Rings
/// between two columns of posts are strips; an edge that passes the bin is below `high` if it is so on both borders, and one that ends in
/// the bin does so at a post, which `over` is for. A chunk is some rings of a group of bins.
#ifndef LF_SIGHT_VIEWSHED_SWEEP_H
#define LF_SIGHT_VIEWSHED_SWEEP_H

#include "sight/viewshed.h"
#include <math.h>

/// Rings in a chunk, and bins in a group where bins are narrowest.
#define LF__CHUNK_RINGS 16
#define LF__GROUP_BINS 256

/// Bins that a chunk has room for: a kernel may spill over.
#define LF__BINS_ROOM (LF__GROUP_BINS + 16)

/// Posts of a chunk along b: bins are less than a post wide, and go up by no more than a post per ring.
#define LF__TILE_ROWS 320
#define LF__TILE_PAD 16

/// How far the place of a direction along b may be off, by rounding; twice that for two rings.
#define LF__SWEEP_OFF 5e-5f

/// A slope beyond all others that still can be added to others: nothing is known yet.
#define LF__FAR_SLOPE 0x1p125f

/// The slope of a void, where the sweep has them as samples; all others are above LF__VOID_LIMIT.
#define LF__VOID_SLOPE -0x1p100f
#define LF__VOID_LIMIT -0x1p99f

/// What rounding may add up to where `over` is let go as `high` rises, and what it is taken for.
#define LF__OVER_SINKS 0.999f
#define LF__OVER_ROUNDED 1.001f

/// Groups of seven bins, which a kernel looks at at once, and of which a history remembers the greatest slope.
#define LF__PEAK_BINS 7
#define LF__PEAKS (LF__GROUP_BINS / LF__PEAK_BINS + 2)

/// Groups of bins of a chunk that are looked at, or left out because all ground there is hidden.
#define LF__PART_BINS (5 * LF__PEAK_BINS)
#define LF__PARTS (LF__GROUP_BINS / LF__PART_BINS + 1)

/// Chunks that a history has room for; posts beyond them get lines of their own more often.
#define LF__HISTORY 640

/// A watched chunk gives up when so many posts were between the bounds, and one of so many.
#define LF__GIVE_UP_POSTS 512
#define LF__GIVE_UP_SHARE 32

/// Sets of the bins that a kernel looks at at once.
#define LF__PACKING 128

typedef struct lf__step {
    int i, j;
} lf__step;

/// A sum of two numbers, exactly: `low` is what rounding took from `high`.
typedef struct lf__sum {
    double high, low;
} lf__sum;

/// Samples that follow each other along a ring. The slope of sample k is (height - z) * per_a - (c[0] + c[1] * b + c[2] * b^2 ..), b = first + k.
typedef struct lf__slope_row {
    const char *at;
    ptrdiff_t step; ///< bytes
    int count;
    lf_sample_type type;
    double scale, offset; ///< height = sample * scale + offset, unless plain
    bool plain;
    double z, per_a, first;
    double c[LF__SERIES_USED + 1];
    int degree; ///< 2 or LF__SERIES_USED
} lf__slope_row;

typedef struct lf__sector {
    lf__step along, across;   ///< what a and b count
    bool own_first, own_last; ///< do posts exactly in the directions v = 0 and v = 1 belong here?
    bool
        both; ///< squares may be cut along either diagonal; otherwise only along the one that goes up with a and b
    double oa, ob;
    int64_t first_ring; ///< the first beyond the observer
    int64_t last_ring;  ///< the last that has posts of the window
    int64_t low_b;      ///< posts of the sector: b >= low_b
    int64_t high_less;  ///< and b - a <= high_less
    int bins;           ///< where they are narrowest
    int group_bins;     ///< of a group there
    int groups;
    lf__lowering lowering; ///< of the ground, for the curvature of the earth
    double most_metric;    ///< of lowering / a^2, its size
    double bulge;   ///< how far lowered ground is above a straight line, between two samples or rings: metres
    double tilt[2]; ///< of the ground at large, as a slope: tilt[0] + tilt[1] * v
} lf__sector;

typedef struct lf__sweep lf__sweep;
typedef struct lf__chunk lf__chunk;

/// A target between its bounds: the line to it, at a distance x from the observer, is x * (slope - metric * (a - x)) above the observer.
typedef struct lf__target {
    const lf__sweep *sweep;
    const lf__sector *sector;
    int64_t ring, b;
    double a;           ///< distance of its ring
    double v;           ///< direction
    double slope;       ///< of the straight line
    double metric;      ///< lowering / a^2 for this target
    double off;         ///< of heights, by rounding: metres
    double bulge;       ///< how far the line may sag between two crossings
    bool blocked, open; ///< open: something is too near to tell
    bool veiled;        ///< a void is in the way
    bool veil_open;     ///< or may be
} lf__target;

/// The line at a distance.
static inline double lf__target_line(const lf__target *t, double x) {
    return x * (t->slope - t->metric * (t->a - x));
}

/// Ground at a distance, somewhere from `least` to `most` above the observer.
static inline void lf__target_meet(lf__target *t, double least, double most, double x, double bulge) {
    double line = lf__target_line(t, x);
    t->blocked |= least - line > t->off;
    t->open |= most - line >= -t->off - bulge;
}

/// What is the same for all sectors.
struct lf__sweep {
    const lf__view *view;
    lf__plane seen;
    lf__sector sectors[8];
    int sector_count;
    lf_vec2 plane;            ///< that the ground follows at large: metres per column and row
    double bins_per_post;     ///< at least, at the end of a ring
    int least_bins;           ///< of a sector
    double most_height;       ///< of ground above or below the observer
    double line_off;          ///< how far exact lines may be from those of the sweep: metres
    double steepest;          ///< from post to post
    double lowering;          ///< metres per square metre
    lf__square_series series; ///< squares of distances from the observer
    double uneven;            ///< share by which the lowering may be off: on degrees
    bool inside;              ///< the observer is over the posts' rectangle
    bool
        gaps; ///< squares may not be there: the observer is beyond the posts, or there are voids in other surfaces
    bool voids;  ///< there are voids, and squares are cut along one diagonal
    bool veils;  ///< and what is behind them is unknown, or hidden
    double veil; ///< how high a void is taken to be above the observer
    void (*chunk)(lf__chunk *chunk);
    bool in_parts; ///< it leaves parts of a chunk out
    void (*slopes)(const lf__slope_row *row, float *slope);
    void (*slope_range)(const float *slope, int count, float range[2]);
    void (*meet)(lf__target *t, int64_t first, int64_t last);
    uint8_t packing[LF__PACKING][8]; ///< for each set of bins: which one comes first, second ..; 128: none
};

/// A ring in a chunk.
typedef struct lf__chunk_ring {
    float a;           ///< distance
    float off;         ///< of slopes of ground
    float target_low;  ///< what is to be added to a post's slope to get its target's, at least
    float target_high; ///< and at most
    float first, last; ///< rows of the tile: posts of the group are first + 1 .. last
    float per_bin;     ///< bins per post
    float share_off;   ///< of the share of a bin that lies before a post, by rounding
    float rise, sink;  ///< by how much bounds from above and below widen from the ring before it to this one
} lf__chunk_ring;

/// What a chunk that has been passed can say to a target behind it.
typedef struct lf__past {
    int64_t first, last; ///< rings
    bool gaps, voids;
} lf__past;

/// Chunks of a history that are looked at together.
#define LF__PAST_BLOCK 8

/// State of a square as part of the surface.
enum { LF__SOLID, LF__PART, LF__HOLE, LF__OUTSIDE }; // part: one triangle of two

/// Some rings of a group of bins. Rows of the tile are posts along b, counted from `base`; ring 0 is the one before the first.
struct lf__chunk {
    const lf__sweep *sweep;
    const lf__sector *sector;
    int bins, rings, parts;
    bool drifts;                ///< rises or sinks are not 0
    bool first;                 ///< the strip before the first of the rings has been looked at already
    float v[LF__BINS_ROOM];     ///< of the borders: border m lies before bin m
    float place[LF__BINS_ROOM]; ///< their rows at ring 0
    lf__chunk_ring ring[LF__CHUNK_RINGS + 1];
    int64_t base;      ///< b of row 0
    int64_t base_ring; ///< a of ring 0
    bool gaps;         ///< not all squares are solid
    bool voids;        ///< some samples are voids
    bool veiled;       ///< a void has been passed
    int void_count[LF__CHUNK_RINGS +
                   1]; ///< of the rings; of ring k the voids before row j are counted in void_before[k][j]
    int void_rows[LF__CHUNK_RINGS + 1][2]; ///< the first void of a ring, and the last
    int16_t void_before[LF__CHUNK_RINGS + 1][LF__TILE_ROWS + LF__TILE_PAD + 1];
    float veil_high[LF__BINS_ROOM]; ///< the greatest slope of voids in the bin, at most
    float veil_low[LF__BINS_ROOM];  ///< and of those that are in the way of all of its directions, at least
    bool part
        [LF__PARTS]; ///< of the bins: is it looked at? A kernel leaves the others alone; the plain way has all of them
    int all_bins;   ///< of the sector, as narrow as they are now
    int past_count; ///< more than LF__HISTORY: not all are there
    lf__past past[LF__HISTORY];
    float past_peak[LF__PEAKS][LF__HISTORY];                  ///< by groups of seven bins as they are now
    float past_most[LF__PEAKS][LF__HISTORY / LF__PAST_BLOCK]; ///< of the chunks of a block
    float high[2][LF__BINS_ROOM], over[LF__BINS_ROOM],
        low[2][LF__BINS_ROOM]; ///< of the bins, at their borders
    float slope[LF__CHUNK_RINGS + 1][LF__TILE_ROWS + LF__TILE_PAD];
    double less[LF__CHUNK_RINGS + 1]
               [LF__SERIES_USED + 1]; ///< lowering / a, and the plane's slope, by the powers of b
    uint8_t out[LF__CHUNK_RINGS + 1]
               [LF__TILE_ROWS + LF__TILE_PAD]; ///< lf_visibility or LF__SEEN_ASK, by rows
    uint8_t state[LF__CHUNK_RINGS + 1]
                 [LF__TILE_ROWS + LF__TILE_PAD]; ///< of the squares behind a ring; where there are gaps
    float peak
        [LF__PEAKS]; ///< greatest slope of ground in bins 7 * k .. 7 * k + 6, no less than that: of all rings
    bool any;        ///< something in `out` is not 0
    double near;     ///< the ground before the first ring: its greatest slope in any direction of the group
    double sinks; ///< by how much lowering / a^2 grows, at most, per ring that a target is farther away; >= 0
    double rises; ///< by how much it shrinks
    float rise, sink; ///< of all rings of the chunk together
    bool watched;     ///< give up where too many posts are between the bounds
    int64_t looked;   ///< posts that the bounds were asked for, where not all are hidden
    int64_t between;  ///< of these, those between the bounds
};

/// Lay out the sectors; false: this is nothing for a sweep.
bool lf__sweep_start(lf__sweep *sweep, const lf__view *view, lf__plane seen, double bins_per_post,
                     int least_bins);

/// One group of bins of a sector, from the observer outwards; false: it gave up, which only a watched chunk does.
bool lf__sweep_group(const lf__sweep *sweep, const lf__sector *sector, int group, lf__chunk *chunk);

/// The ground before the first ring: its greatest slope in a direction, at least. INFINITY where nothing can be said.
double lf__sweep_near(const lf__sweep *sweep, const lf__sector *sector, double v);

/// Note a chunk that has been done, for targets behind it; and make the notes fit for bins of half the width.
void lf__past_add(lf__chunk *chunk);
void lf__past_split(lf__chunk *chunk);

/// What can be told of a target in doubles, from the chunks before it: LF__SEEN_ASK where it hangs on rounding. The first bin begins
/// at v0.
lf_visibility lf__sweep_decide(const lf__chunk *chunk, int64_t ring, int64_t b, double v0);

/// Targets of a chunk behind voids: those that are visible over the ground may be unknown. Voids of the chunk are in the way of what is behind it.
void lf__chunk_veil(lf__chunk *chunk);

/// May there be voids in some directions before the first ring, or on it? Then whatever is behind has to be asked.
bool lf__sweep_near_void(const lf__sweep *sweep, const lf__sector *sector, double v0, double v1);

/// The same of a target that ground does not hide: are voids in its way?
lf_visibility lf__sweep_unveil(const lf__chunk *chunk, int64_t ring, int64_t b, double v0);

/// What of rings before a target's own, and of the strips before them, is in its way.
void lf__meet_plain(lf__target *t, int64_t first, int64_t last);

/// Slopes of samples; and the greatest size of slopes and of steps from one to the next.
void lf__slopes_plain(const lf__slope_row *row, float *slope);
void lf__slope_range_plain(const float *slope, int count, float range[2]);

/// A chunk: rings 1 .. rings, the plain way, for all surfaces and with gaps.
void lf__chunk_plain(lf__chunk *chunk);

#if defined(__x86_64__)
/// The same where all squares are solid, and the strip before the first ring has not been looked at.
void lf__chunk_avx2(lf__chunk *chunk);

/// Only where sectors are six and samples lie in memory, all of them within 2 GB.
void lf__meet_avx2(lf__target *t, int64_t first, int64_t last);

void lf__slopes_avx2(const lf__slope_row *row, float *slope);
void lf__slope_range_avx2(const float *slope, int count, float range[2]);
#endif

// ---------------------------------------------------------------------------------------------------
// A group and how its chunks are filled
// ---------------------------------------------------------------------------------------------------

/// Rounding of slopes, as a share of their size.
#define LF__OFF_HEIGHT 1e-6

/// A group on its way.
typedef struct lf__course {
    const lf__sweep *sweep;
    const lf__sector *sector;
    int group;
    double v0, v1;
    bool near_voids; ///< voids may be among the samples of the chunk
    int64_t settled; ///< the bounds hold for targets up to this ring
    lf__chunk *chunk;
} lf__course;

/// Where a direction crosses a ring.
static inline double lf__course_place(const lf__sector *s, double v, int64_t ring) {
    return s->ob + ((double)ring - s->oa) * v;
}

/// Posts along a ring.
typedef struct lf__posts_span {
    int64_t low, high; ///< both included; low > high: none
} lf__posts_span;

/// Which b have 0 <= fixed + b * factor < count?
void lf__clip(lf__posts_span *s, int64_t fixed, int factor, int64_t count);

/// Which posts of a ring exist?
lf__posts_span lf__posts_of(const lf__sector *s, const lf_grid *grid, int64_t ring);

/// Everything about `rings` rings from `ring` on but their bounds.
void lf__course_fill(const lf__course *c, int64_t ring, int rings);

#endif
