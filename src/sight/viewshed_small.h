/// Viewsheds of small rasters: a line to every target, many targets of a ring side by side.
///
/// The samples of a sector are a tile of slopes, ring by ring, as in viewshed_sweep.h, but not lowered: at distance x
/// the line to a target has the slope base + metric * x. Targets beside each other on a ring are tested together, each
/// along its own direction: first against bounds of all ground before them in some directions, a fan; then against the
/// rings from their own towards the observer that reach high enough in their fans, until no nearer ground does. Floats decide nearly
/// all of them. For the others the rings that are close to the line are noted, and are examined in doubles.
#ifndef LF_SIGHT_VIEWSHED_SMALL_H
#define LF_SIGHT_VIEWSHED_SMALL_H

#include "sight/viewshed_sweep.h"

/// Rings of a sector, at most.
#define LF__SMALL_RINGS 320

/// Rows of the tile: one before the first direction, two after the last, and what kernels load beyond.
#define LF__SMALL_ROWS (LF__SMALL_RINGS + 32)

/// Words of a bit per row, and one more.
#define LF__SMALL_WORDS (LF__SMALL_ROWS / 64 + 2)

/// Intervals of directions, fans, for which it is known how high each ring reaches, and whether it has voids.
#define LF__SMALL_FANS 64

/// Intervals of directions in which ground before the first ring has bounds of its own.
#define LF__SMALL_NEAR 32

/// Powers of b in the lowering on a ring: a vector of them.
#define LF__SMALL_TERMS 8

/// The height of a void.
#define LF__SMALL_VOID -0x1p110f

/// A direction that passes a sample closer than this, in rows, is left to doubles where voids are beside it.
#define LF__SMALL_BESIDE 1e-3f

/// Columns or rows of an area, at most.
#define LF__SMALL_SIDE (2 * LF__SMALL_RINGS + 8)

/// Sizes of the slopes of a ring: of themselves, of steps along it, and from the ring before.
typedef struct lf__small_sizes {
    float slope, step, across;
} lf__small_sizes;

/// A ring, and the strip behind it, up to the next ring.
typedef struct lf__small_ring {
    float x, per_x;     ///< distance, and one over it
    float ratio;        ///< of the distance of the ring before to this
    float hides;        ///< ground above a line by more than this slope hides the target
    float clears;       ///< ground below it by more than this does not
    float stays;        ///< the same for samples: for this ring, and the strips on both sides
    float above, below; ///< how far lowered ground may be above its samples, and below
    lf__small_sizes sizes;
    float target_off;              ///< rounding error of the lines to targets on this ring, as a slope
    float target_least;            ///< lines to them are above their slope less this between rings,
    float target_most;             ///< and below it and this;
    float target_near;             ///< and above it less this before the first ring
    float less[LF__SMALL_TERMS];   ///< lowering / x, by powers of b - ob
    int target_first, target_last; ///< rows of the tile with targets
    int first, last; ///< rows of the tile that lines to targets on this ring or behind it need; they are set
    int fan_first, fan_last; ///< fans of these lines
    uint64_t voids,
        all_voids; ///< fans in which there are voids, as bits; and in those of all rings up to this
    float clear_low,
        clear_high; ///< lines between these directions cross this ring and all before between heights
} lf__small_ring;

/// What a kernel has found about targets beside each other, as bits.
typedef struct lf__small_found {
    uint32_t visible; ///< or behind a void
    uint32_t behind_void;
    uint32_t open; ///< not decided
    uint32_t near; ///< ground before the first ring may be in the way
    float v[16],
        least[16]; ///< directions, and slopes of lowered ground before the first ring that is not in the way
    int near_count;
    int near_ring[LF__SMALL_RINGS]; ///< rings that decide open targets, with the strips behind them
    uint32_t near_bits[LF__SMALL_RINGS];
    uint32_t near_ground[LF__SMALL_RINGS]; ///< those of them for which ground may, not only voids
} lf__small_found;

/// The first and the last row with a height in each column or diagonal, or column in each row; first > last: none.
typedef struct lf__small_spans {
    int16_t first[2 * LF__SMALL_SIDE], last[2 * LF__SMALL_SIDE];
} lf__small_spans;

/// Samples that lines to the window cross.
typedef struct lf__small_ground {
    lf_window area;
    float *heights; ///< above the observer
    bool crops;     ///< many of the samples are voids, and it is known where heights begin and end:
    lf__small_spans row, column, diagonal; ///< of rows as columns, of columns and diagonals as rows
} lf__small_ground;

/// A sector.
typedef struct lf__small {
    const lf__sweep *sweep;
    const lf__sector *sector;
    const lf__small_ground *ground;
    int rings;
    int64_t base;                                      ///< b of row 0
    double ob;                                         ///< row of the observer
    int degree;                                        ///< of the lowering, as far as floats use it
    float terms[LF__SERIES_USED + 1][LF__SMALL_TERMS]; ///< of the lowering, by powers of a and b
    double terms_size; ///< the sum of the sizes of these is at most this times the square of (x + 3)
    double rest;       ///< what that leaves out, at most: metres
    double off;        ///< rounding error of heights, metres
    double rises;      ///< decrease of lowering / x^2 per ring of distance, at most; >= 0
    double sinks;      ///< and its growth
    float target;      ///< height of targets
    bool raised;       ///< which is above all ground that a line sags towards
    bool voids;        ///< there are voids in the sector
    float void_height, void_off; ///< of voids above the observer; rounding error of lines there, metres
    float near_most;             ///< upper bound of slopes before the first ring, not lowered
    float near[LF__SMALL_NEAR];  ///< the same for some directions, if that is not enough; NAN: not known yet
    double near_border[LF__SMALL_NEAR + 1]; ///< and at their borders
    bool near_voids;                        ///< there may be voids before the first ring or on it
    int8_t near_void[LF__SMALL_NEAR];       ///< in these directions; -1: not known yet
    lf__small_found found;
    float raw[LF__SMALL_ROWS], lowered[LF__SMALL_ROWS + 32]; ///< of the ring that is being read
    lf__small_ring ring[LF__SMALL_RINGS + 1];
    /// Upper bounds of the lowered slopes of a ring and the strip behind it in each fan, with all margins; and of all rings up to
    /// it. Until a ring is raised, `top` are its highest samples; `dip` are the lowest ones.
    float top[LF__SMALL_RINGS][LF__SMALL_FANS], most[LF__SMALL_RINGS][LF__SMALL_FANS];
    float dip[LF__SMALL_RINGS][LF__SMALL_FANS];
    float top_of_four[LF__SMALL_RINGS / 4][LF__SMALL_FANS]; ///< and of four rings, if those of all are final
    float low[LF__SMALL_RINGS]
             [LF__SMALL_FANS];  ///< lower bound of lowered ground up to a ring that all lines of a fan meet
    float none[LF__SMALL_FANS]; ///< of no ring: -LF__FAR_SLOPE
    uint64_t void_rows[LF__SMALL_RINGS]
                      [LF__SMALL_WORDS]; ///< voids of rings, a bit per row; of those with any
    float slope[LF__SMALL_RINGS][LF__SMALL_ROWS];
} lf__small;

/// Which of some rows of a ring, at most 56, are voids. Only if there are any.
static inline uint64_t lf__small_void_rows(const lf__small *s, int r, int first, int last) {
    const uint64_t *words = &s->void_rows[r][first >> 6];
    int shift = first & 63;
    uint64_t bits = words[0] >> shift | words[1] << 1 << (63 - shift);
    return bits & (((uint64_t)2 << (last - first)) - 1);
}

/// Rows are rounded by less than this.
#define LF__SMALL_WIDER 1e-3f

/// Consecutive samples of a ring beside which all lines of a fan cross it.
static inline int lf__small_window(float x) {
    return (int)(x / LF__SMALL_FANS + 3 * LF__SMALL_WIDER) + 3;
}

/// Kernels.
typedef struct lf__small_kernel {
    int lanes;
    /// Heights above z of samples beside each other.
    void (*heights)(const void *from, lf_sample_type type, double z, float *to, int64_t count);
    /// Slopes of a ring, whose heights are in `raw`, and their sizes; the highest and the lowest of each fan, and which are voids.
    void (*fill)(lf__small *s, int r);
    /// Bounds of fans of a ring, by its margins and the samples of the next.
    void (*raise)(lf__small *s, int r);
    /// Test targets of ring r, from a row on: as many as there are lanes, or less.
    void (*test)(lf__small *s, int r, int row, int count);
} lf__small_kernel;

/// Those of this machine, or NULL.
const lf__small_kernel *lf__small_kernel_best(void);

/// The samples that lines to the window cross. Heights are set if there is memory for them.
lf_window lf__small_area(const lf__viewshed *view);
void lf__small_read(const lf__sweep *sweep, const lf__small_kernel *kernel, lf__small_ground *ground);

/// Set up the rings of a sector, up to the last one with targets.
void lf__small_fill(lf__small *s, const lf__small_kernel *kernel);

/// May lf__small_run be used? And is it faster than the sweep?
bool lf__small_possible(const lf__sweep *sweep);
bool lf__small_fits(const lf__sweep *sweep);

/// Decide all targets of the window, of which all bytes are LF_VISIBILITY_HIDDEN, except the observer's own.
lf_status lf__small_run(const lf__sweep *sweep);

#endif
