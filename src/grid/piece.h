/// The pieces that a surface is made of, and where a line meets them, exactly.
///
/// A piece is flat (a triangle, a level square, a wall) or a bilinear patch, and has an outline of straight limits. Along a
/// line o + t * d, in grid coordinates, what keeps a point off the piece's plane or patch is a polynomial in t, the equation:
/// e0 + e1 * t, for patches + e2 * t * t; a limit is a linear expression that must not be negative. Both have coefficients
/// that are polynomials of the doubles at hand. Their signs are taken in doubles where the rounding cannot matter, and from exact
/// sums where it could, so that each piece is decided exactly, and nothing slips between two of them.
#ifndef LF_GRID_PIECE_H
#define LF_GRID_PIECE_H

#include "geom/expansion.h"
#include "grid/grid.h"

/// x * X + y * Y + z * Z + k >= 0; factors are -1, 0 or 1.
typedef struct lf__limit {
    double x, y, z, k;
} lf__limit;

#define LF__PIECE_LIMITS 5

typedef enum lf__piece_kind {
    LF__PIECE_PLANE,          ///< z = h[0] + (h[2] - h[1]) * (x - at.x) + (h[4] - h[3]) * (y - at.y)
    LF__PIECE_PATCH,          ///< bilinear between h[0] .. h[3]: h00, h10, h01, h11; at is the corner of h00
    LF__PIECE_ACROSS_COLUMNS, ///< the wall x = at.x, from z = h[0] to h[1]
    LF__PIECE_ACROSS_ROWS     ///< the wall y = at.y, likewise
} lf__piece_kind;

typedef struct lf__piece {
    lf__piece_kind kind;
    int triangle;
    int64_t i, j; ///< square
    lf_vec2 at;
    double h[5];
    int limit_count;
    lf__limit limits[LF__PIECE_LIMITS];
} lf__piece;

/// Only the name of a triangle: all that hits and notes are made from. lf__piece_order wants the whole.
static inline void lf__piece_name(lf__piece *piece, int64_t i, int64_t j, int triangle) {
    piece->kind = LF__PIECE_PLANE;
    piece->triangle = triangle;
    piece->i = i;
    piece->j = j;
    piece->limit_count = 0;
}

/// The most pieces that a square has: its level part and four walls.
#define LF__PIECES 5

/// The pieces of an existing square that exist, by number of triangle.
int lf__pieces_of(const lf_grid *grid, int64_t i, int64_t j, lf__piece pieces[LF__PIECES]);

/// The piece with a number; false when there is none.
bool lf__piece_of(const lf_grid *grid, int64_t i, int64_t j, int triangle, lf__piece *piece);

/// Where on a line: at a root of the equation, at one of the interval's ends, or where a limit is crossed.
typedef enum lf__spot {
    LF__SPOT_ROOT,       ///< of a linear equation
    LF__SPOT_LOW_ROOT,   ///< of a quadratic one
    LF__SPOT_HIGH_ROOT,  ///< likewise
    LF__SPOT_TWICE_ROOT, ///< both in one
    LF__SPOT_START,      ///< t_min
    LF__SPOT_END,        ///< t_max
    LF__SPOT_LIMIT       ///< and the limit's number more
} lf__spot;

/// One meeting of a line with a piece.
typedef struct lf__grid_meeting {
    double t;     ///< within 4 ulp, in the line's lengths, and in its interval
    int spot;     ///< lf__spot
    int number;   ///< 0, or 1 for the second of two
    bool edge_on; ///< the line runs within the piece
} lf__grid_meeting;

/// Where does a line (in grid coordinates, its direction neither tiny nor huge) meet a piece within its closed interval? At most
/// two meetings, in order. Exact.
/// exact  counts the decisions that needed exact arithmetic
int lf__piece_meet(const lf__piece *piece, const lf_ray *line, lf__grid_meeting meetings[2], uint64_t *exact);

/// The sign of one meeting's exact t minus another's.
int lf__piece_order(const lf_ray *line, const lf__piece *a, const lf__grid_meeting *at_a, const lf__piece *b,
                    const lf__grid_meeting *at_b);

/// The sign of z minus the piece's height at x, y, exactly; the piece is a plane or a patch.
int lf__piece_side(const lf__piece *piece, lf_vec3 p);

// ---------------------------------------------------------------------------------------------------
// Inside
// ---------------------------------------------------------------------------------------------------

/// An approximate number and how far off it can be.
typedef struct lf__rough {
    double value, error;
} lf__rough;

/// -1, 0 or 1; 0 only for certain zeros, 2 for "in doubt".
static inline int lf__rough_sign(lf__rough r) {
    return r.value > r.error ? 1 : r.value < -r.error ? -1 : r.error == 0 ? 0 : 2;
}

/// A line along a piece: the equation's coefficients, exact ones only when they have been asked for. e2 is 0 but for patches and
/// bent lines.
typedef struct lf__along {
    const lf__piece *piece;
    const lf_ray *line;
    double bend; ///< the line is higher than the ray by bend * t * t
    lf__rough e[3];
    lf__exact exact[3];
    bool has_exact;
    uint64_t *count; ///< of decisions by exact arithmetic
} lf__along;

void lf__along_start(lf__along *along, const lf__piece *piece, const lf_ray *line, uint64_t *count);

/// Bend the line: it is higher than the ray by bend * t * t. Right after the start, and for planes and patches only.
void lf__along_bend(lf__along *along, double bend);

/// The exact coefficients.
const lf__exact *lf__along_exact(lf__along *along);

/// The sign of a coefficient.
int lf__along_sign(lf__along *along, int k);

/// The coefficients to twice a double's digits, and how far off they can be.
typedef struct lf__twofold {
    double high, low;
} lf__twofold;

void lf__along_twofold(const lf__along *along, lf__twofold e[3], double error[3]);

/// The sign of one spot's t minus another's; neither is a root.
int lf__spot_order(lf__along *along, int a, int b);

/// t of a spot, a few units in the last place off and within the interval; no root of a quadratic equation.
double lf__spot_value(lf__along *along, int spot);

/// t of a spot that is no root.
lf__rough lf__spot_rough(const lf__along *along, int spot);

/// The exact t of a spot that is a quotient: no root of a quadratic equation, and finite.
void lf__spot_ratio(lf__along *along, int spot, lf__ratio *r);

/// The part of the line within the limits and the interval; false when there is none.
bool lf__along_part(lf__along *along, int *entry, int *exit);

/// The sign of the equation, of its slope in t, at a spot that is no root.
int lf__along_sign_at(lf__along *along, int spot);
int lf__along_slope_at(lf__along *along, int spot);

/// The sign of the discriminant of a quadratic equation.
int lf__along_discriminant(lf__along *along);

/// The lower or the higher root of a quadratic equation that has them, a few units in the last place off and within the interval.
double lf__along_quadratic_root(lf__along *along, bool high);

/// Patches along lines on which their equation is quadratic.
int lf__patch_meet(lf__along *along, lf__grid_meeting meetings[2]);

/// The sign of one meeting's t minus another's in different squares, one of them at least at a root of a quadratic equation.
int lf__patch_order(lf__along *a, lf__along *b);

static inline lf__twofold lf__twofold_sum(lf__twofold a, lf__twofold b) {
    double low, rest, high = lf__two_sum(a.high, b.high, &low);
    double tail = lf__two_sum(a.low, b.low, &rest);
    high = lf__two_sum_ordered(high, low + tail, &low);
    high = lf__two_sum_ordered(high, low + rest, &low);
    return (lf__twofold){high, low};
}

static inline lf__twofold lf__twofold_product(lf__twofold a, lf__twofold b) {
    double low, high = lf__two_product(a.high, b.high, &low);
    low += a.high * b.low + a.low * b.high;
    high = lf__two_sum_ordered(high, low, &low);
    return (lf__twofold){high, low};
}

static inline lf__twofold lf__twofold_minus(lf__twofold a, lf__twofold b) {
    return lf__twofold_sum(a, (lf__twofold){-b.high, -b.low});
}

static inline lf__twofold lf__twofold_difference(double a, double b) {
    double low, high = lf__two_sum(a, -b, &low);
    return (lf__twofold){high, low};
}

static inline lf__twofold lf__twofold_of(double a) {
    return (lf__twofold){a, 0};
}

#endif
