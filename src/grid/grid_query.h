/// Queries of a grid: the pieces of its surface, where lines meet them, heights, rays and visits.
///
/// A piece is flat (a triangle, a level square, a wall) or a bilinear patch, and has an outline of straight
/// limits. Along a line o + t * d, in grid coordinates, the distance from the plane or patch of the piece is
/// a polynomial in t, the equation: e0 + e1 * t, for patches + e2 * t * t; a limit is a linear expression
/// that must not be negative. The coefficients of both are polynomials of the given doubles. Their signs are
/// computed in doubles where rounding cannot matter, and from exact sums where it could, so that each piece
/// is decided exactly, and no line passes between two adjacent pieces.
#ifndef LF_GRID_QUERY_H
#define LF_GRID_QUERY_H

#include "geom/expansion.h"
#include "grid/grid.h"
#include "ground/land.h"

/// x * X + y * Y + z * Z + k >= 0; factors are -1, 0 or 1.
typedef struct lf__piece_limit {
    double x, y, z, k;
} lf__piece_limit;

#define LF__PIECE_LIMITS 5

/// Half a unit in the last place.
#define LF__HALF_ULP 0x1p-53

/// Covers what products lose below the smallest doubles.
#define LF__UNDERFLOW 0x1p-1000

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
    lf__piece_limit limits[LF__PIECE_LIMITS];
} lf__piece;

/// Set only the identity of a triangle, which is all that hits need. lf__piece_order needs the whole piece.
static inline void lf__piece_name(lf__piece *piece, int64_t i, int64_t j, int triangle) {
    piece->kind = LF__PIECE_PLANE;
    piece->triangle = triangle;
    piece->i = i;
    piece->j = j;
    piece->limit_count = 0;
}

/// Greatest number of pieces of a square: its level part and four walls.
#define LF__PIECES 5

/// The pieces of an existing square, ordered by number of triangle.
int lf__pieces_of(const lf_grid *grid, int64_t i, int64_t j, lf__piece pieces[LF__PIECES]);

/// The piece with a number of triangle; false where it does not exist.
bool lf__piece_of(const lf_grid *grid, int64_t i, int64_t j, int triangle, lf__piece *piece);

/// Where on a line: at a root of the equation, at one of the interval's ends, or where a limit is crossed.
typedef enum lf__spot {
    LF__SPOT_ROOT,       ///< of a linear equation
    LF__SPOT_LOW_ROOT,   ///< of a quadratic one
    LF__SPOT_HIGH_ROOT,  ///< likewise
    LF__SPOT_TWICE_ROOT, ///< a double root
    LF__SPOT_START,      ///< t_min
    LF__SPOT_END,        ///< t_max
    LF__SPOT_LIMIT       ///< LF__SPOT_LIMIT + k: limit k
} lf__spot;

/// One meeting of a line with a piece.
typedef struct lf__grid_meeting {
    double t;     ///< within 4 ulp and within the line's interval
    int spot;     ///< lf__spot
    int number;   ///< 0, or 1 for the second of two
    bool edge_on; ///< the line runs within the piece
} lf__grid_meeting;

/// Where does a line (in grid coordinates, its direction neither tiny nor huge) meet a piece within its
/// closed interval? At most two meetings, in order. Exact.
/// exact  counts the decisions that needed exact arithmetic
int lf__piece_meet(const lf__piece *piece, const lf_ray *line, lf__grid_meeting meetings[2], uint64_t *exact);

/// The sign of one meeting's exact t minus another's.
int lf__piece_order(const lf_ray *line, const lf__piece *a, const lf__grid_meeting *at_a, const lf__piece *b,
                    const lf__grid_meeting *at_b);

/// The sign of z minus the piece's height at x, y, exactly; the piece is a plane or a patch.
int lf__piece_side(const lf__piece *piece, lf_vec3 p);

// ---------------------------------------------------------------------------------------------------
// Equations
// ---------------------------------------------------------------------------------------------------

/// An approximate number and a bound of its error.
typedef struct lf__rough {
    double value, error;
} lf__rough;

/// -1, 0 or 1; 0 only where it is certainly 0, 2 where the error exceeds the value.
static inline int lf__rough_sign(lf__rough r) {
    return r.value > r.error ? 1 : r.value < -r.error ? -1 : r.error == 0 ? 0 : 2;
}

/// A line and a piece: the coefficients of the equation, exact ones only once they are needed. e2 is 0 except
/// for patches and curved lines.
typedef struct lf__along {
    const lf__piece *piece;
    const lf_ray *line;
    double curvature; ///< the line is higher than the ray by curvature * t * t
    lf__rough e[3];
    lf__exact exact[3];
    bool has_exact;
    uint64_t *count; ///< of decisions by exact arithmetic
} lf__along;

void lf__along_start(lf__along *along, const lf__piece *piece, const lf_ray *line, uint64_t *count);

/// Make the line a parabola that is higher than the ray by curvature * t * t. Right after the start, and for
/// planes and patches only.
void lf__along_set_curvature(lf__along *along, double curvature);

/// The exact coefficients.
const lf__exact *lf__along_exact(lf__along *along);

/// The sign of a coefficient.
int lf__along_sign(lf__along *along, int k);

/// A number to twice the precision of a double.
typedef struct lf__twofold {
    double high, low;
} lf__twofold;

void lf__along_twofold(const lf__along *along, lf__twofold e[3], double error[3]);

/// The sign of one spot's t minus another's; neither is a root.
int lf__spot_order(lf__along *along, int a, int b);

/// t of a spot that is not a root of a quadratic equation, within a few units in the last place, clamped to
/// the interval.
double lf__spot_value(lf__along *along, int spot);

/// t of a spot that is not a root.
lf__rough lf__spot_rough(const lf__along *along, int spot);

/// The exact t of a finite spot that is a quotient, not a root of a quadratic equation.
void lf__spot_ratio(lf__along *along, int spot, lf__ratio *r);

/// The part of the line within the limits and the interval; false where it is empty.
bool lf__along_part(lf__along *along, int *entry, int *exit);

/// The sign of the equation, and of its slope in t, at a spot that is not a root.
int lf__along_sign_at(lf__along *along, int spot);
int lf__along_slope_at(lf__along *along, int spot);

/// The sign of the discriminant of a quadratic equation.
int lf__along_discriminant(lf__along *along);

/// The lower or the higher root of a quadratic equation that has roots, within a few units in the last place,
/// clamped to the interval.
double lf__along_quadratic_root(lf__along *along, bool high);

/// lf__piece_meet where the equation is quadratic.
int lf__patch_meet(lf__along *along, lf__grid_meeting meetings[2]);

/// lf__piece_order for meetings in different squares, at least one of them at a root of a quadratic equation.
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

// ---------------------------------------------------------------------------------------------------
// Order
// ---------------------------------------------------------------------------------------------------

/// The order of two pieces met at the same place: by element, then triangle. Pieces of the ring share both
/// with others: then the caller's one comes first, then those of the ring by row and column.
bool lf__grid_lower(const lf_grid *grid, const lf__piece *a, const lf__piece *b);

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

/// The one or two squares that contain a coordinate, ascending; none outside of the surface.
int lf__grid_squares_at(double x, double shift, int64_t first, int64_t count, int64_t squares[2]);

/// The side of a cell's diagonal that a place is on: positive towards higher columns, 0 on the diagonal. The
/// sign is exact.
static inline double lf__grid_diagonal_side(bool falls, int64_t i, int64_t j, lf_vec2 p) {
    double rest, sum = lf__two_sum(p.x, falls ? p.y : -p.y, &rest);
    double beyond = sum - (double)(falls ? i + j + 1 : i - j);
    // Near the diagonal the difference is exact, and either 0 or larger than the rest.
    return beyond != 0 ? beyond : rest;
}

/// The triangle of a cell that contains a place, the first one on the diagonal. Exact.
static inline int lf__grid_triangle_at(bool falls, int64_t i, int64_t j, lf_vec2 p) {
    double side = lf__grid_diagonal_side(falls, i, j, p);
    return falls ? side > 0 : side < 0;
}

/// The height of a triangle at u, v in its cell. No fma: all kernels compute the same bits.
static inline double lf__triangle_height(const lf__grid_corners *h, bool falls, int triangle, double u,
                                         double v) {
    double p, q, r, a, b;
    if (falls) {
        p = triangle == 0 ? h->h00 : h->h11;
        q = h->h10, a = triangle == 0 ? u : 1 - v;
        r = h->h01, b = triangle == 0 ? v : 1 - u;
    } else {
        p = triangle == 0 ? h->h10 : h->h01;
        q = h->h00, a = triangle == 0 ? 1 - u : 1 - v;
        r = h->h11, b = triangle == 0 ? v : u;
    }
    return (p + a * (q - p)) + b * (r - p);
}

/// The same for a bilinear patch.
static inline double lf__patch_height(const lf__grid_corners *h, double u, double v) {
    double low = h->h00 + u * (h->h10 - h->h00), high = h->h01 + u * (h->h11 - h->h01);
    return low + v * (high - low);
}

/// The surface at a place, for heights, normals and weights.
typedef struct lf__grid_spot {
    int64_t i, j; ///< square
    int triangle;
    double u, v; ///< in the square, 0 .. 1
    double height;
} lf__grid_spot;

/// Find the surface at a place in grid coordinates. Returns LF_REASON_ANSWERED, or why there is none.
lf_reason lf__grid_at(const lf_grid *grid, lf_vec2 place, lf__grid_spot *spot);

/// The same where the grid may wrap: where column 0 has no surface on the seam, the place is moved to the
/// last column.
lf_reason lf__grid_at_round(const lf_grid *grid, lf_vec2 *place, lf__grid_spot *spot);

/// Where the gravity line through a point meets the grid.
void lf__grid_query_height(const void *object, const lf_vec3 *point, bool down, lf_hit *hit,
                           lf_cursor *cursor);

/// Many points, and where their heights are written; strides in bytes.
typedef struct lf__heights_batch {
    const lf_vec3 *points;
    size_t point_stride;
    int64_t count;
    bool down;
    double *heights;
    size_t height_stride;
} lf__heights_batch;

static inline const lf_vec3 *lf__heights_point(const lf__heights_batch *b, int64_t k) {
    return (const lf_vec3 *)(const void *)((const char *)b->points + (size_t)k * b->point_stride);
}

static inline double *lf__heights_result(const lf__heights_batch *b, int64_t k) {
    return (double *)(void *)((char *)b->heights + (size_t)k * b->height_stride);
}

/// The height of one of them; NAN where there is none.
static inline double lf__heights_query(const lf_grid *grid, const lf_vec3 *point, bool down) {
    lf_hit hit;
    lf__grid_query_height(grid, point, down, &hit, NULL);
    return hit.kind == LF_HIT_NONE ? LF_NAN : hit.point.z;
}

/// Heights of many points without hits, NAN where there is none; strides in bytes.
void lf__grid_heights_many(const void *object, const lf_vec3 *points, size_t point_stride, int64_t count,
                           bool down, double *heights, size_t height_stride);

/// Upwards and downwards at once: at most one hit, t positive below the point.
int64_t lf__grid_height_all(const void *object, lf_vec3 point, lf_hit *hits, int64_t capacity,
                            lf_cursor *cursor);

/// The piece of a hit, whose element must exist; false where it is void. Pieces of the ring have the element
/// of the nearest cell: of all pieces with the same element this is the one nearest to the place, because the
/// point of a ray's hit is rounded.
bool lf__grid_piece_of_hit(const lf_grid *grid, const lf_hit *hit, lf_vec3 place, lf__piece *piece);

/// The grid coordinates of the point of a hit, moved from the copy of the grid that was hit to the grid
/// itself.
lf_vec2 lf__grid_place_of_hit(const lf_grid *grid, const lf_hit *hit);

/// Fill in the weights of a hit; false for an element that the grid does not have.
bool lf__grid_weights(const void *object, lf_hit *hit);

/// Fill in everything of a hit but t, point and weights.
void lf__grid_hit(const lf_grid *grid, const lf__piece *piece, lf_vec2 place, lf_hit *hit);

/// The same with known corners of the piece's cell; LF_SURFACE_POINT does not read them.
void lf__grid_hit_on(const lf_grid *grid, const lf__piece *piece, const lf__grid_corners *h, lf_vec2 place,
                     lf_hit *hit);

/// Clamp to 0 .. 1.
static inline double lf__grid_share(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/// Weights of a piece at a place: of the triangle's second and third corner, of a patch and a level square
/// along columns and rows, of a wall along it and up.
void lf__piece_weights(const lf_grid *grid, const lf__piece *piece, lf_vec3 place, double *u, double *v);

// ---------------------------------------------------------------------------------------------------
// Rays
// ---------------------------------------------------------------------------------------------------

/// A ray query of a grid.
typedef struct lf__trace {
    const lf_grid *grid;
    const lf_ray *ray; ///< as the caller gave it
    lf_ray line;       ///< in grid coordinates, the direction neither tiny nor huge
    int exponent;      ///< t of the caller = ldexp(t of the line, -exponent)
    bool nearest_only; ///< meetings after the first are not needed
    bool gravity;      ///< a gravity line: edge-on meetings do not count
    uint32_t layers;
    double x;     ///< of the line's origin on the grid itself
    int64_t copy; ///< the copy of the grid that `line` is relative to
    double end;   ///< t of the line up to which meetings are searched; decreases with what is found
    lf_counters cost;
    /// Called for every meeting; returns the t of the line up to which more are searched.
    double (*found)(void *user, const struct lf__trace *trace, const lf__piece *piece,
                    const lf__grid_meeting *meeting);
    void *user;
} lf__trace;

void lf__trace_start(lf__trace *trace, const lf_grid *grid, const lf_ray *ray, bool gravity,
                     const lf_cursor *cursor);

/// Make the line relative to a copy of the grid.
static inline void lf__trace_on_copy(lf__trace *trace, int64_t copy) {
    trace->copy = copy;
    trace->line.origin.x = copy == 0 ? trace->x : trace->x - (double)copy * trace->grid->copies;
}

/// Intersect the line with the pieces of an existing square; false where it meets none.
bool lf__trace_square(lf__trace *trace, int64_t i, int64_t j);

/// The exact fallback of lf__trace_square, where doubles cannot decide.
bool lf__trace_square_exactly(lf__trace *trace, int64_t i, int64_t j);

/// Traverse all pieces that the ray may meet, nearest squares first, and report its meetings.
void lf__trace_run(lf__trace *trace);

/// The hit of a meeting.
void lf__trace_hit(const lf__trace *trace, const lf__piece *piece, const lf__grid_meeting *meeting,
                   lf_hit *hit);

/// The first meeting so far.
typedef struct lf__nearest_piece {
    lf__piece piece; ///< at least its identity
    lf__grid_meeting meeting;
    int64_t copy; ///< of the grid, on which it is
    bool any;
} lf__nearest_piece;

/// lf__trace_start for the first meeting of a ray whose line is known and needs no scaling, without a cursor.
void lf__trace_first_on(lf__trace *trace, const lf_grid *grid, const lf_ray *ray, const lf_ray *line,
                        lf__nearest_piece *nearest);

bool lf__grid_first(const lf_grid *grid, const lf_ray *ray, bool gravity, lf_hit *hit, lf_cursor *cursor);
bool lf__grid_any(const void *object, const lf_ray *ray, lf_cursor *cursor);
int64_t lf__grid_all(const void *object, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                     lf_cursor *cursor);
void lf__grid_first_many(const void *object, const lf_ray *rays, size_t ray_stride, int64_t count,
                         lf_hit *hits, size_t hit_stride);
void lf__grid_each(const void *object, const lf_ray *ray, lf__each how, const lf__finder *finder,
                   lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Visits
// ---------------------------------------------------------------------------------------------------

/// Corners of a piece in world coordinates: three of a triangle, four of the others.
int lf__piece_outline(const lf_grid *grid, const lf__piece *piece, lf_vec3 corners[4]);

typedef struct lf__grid_visitor {
    bool (*enters)(void *user, const lf_box *box); ///< a box of the world
    void (*piece)(void *user, const lf__piece *piece);
    void *user;
} lf__grid_visitor;

void lf__grid_visit(const lf_grid *grid, const lf__grid_visitor *visitor, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Entries of the function table that models on the ground need (grid_land.c)
// ---------------------------------------------------------------------------------------------------

bool lf__grid_touches(const void *object, const lf__land_body *body, const lf_pose *pose, lf_cursor *cursor);
void lf__grid_depth(const void *object, const lf_vec3 corners[3], lf__land_depth *deepest, lf_cursor *cursor);
void lf__grid_faces(lf__face_search *search);
void lf__grid_sweep(const void *object, lf__sweeping *sweep);
double lf__grid_spacing(const void *object, lf_vec3 point);
double lf__grid_least(const void *object, lf_vec2 a, lf_vec2 b);

#endif
