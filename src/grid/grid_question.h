/// Questions to a grid.
#ifndef LF_GRID_QUESTION_H
#define LF_GRID_QUESTION_H

#include "grid/piece.h"

// ---------------------------------------------------------------------------------------------------
// Order
// ---------------------------------------------------------------------------------------------------

/// Of two pieces met at the same place: by element, then triangle. Pieces of the ring share both with others: then the real
/// one comes first, then the ring's by row and column.
bool lf__grid_lower(const lf_grid *grid, const lf__piece *a, const lf__piece *b);

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

/// The squares that contain a coordinate, one or two, ascending; none beyond the surface.
int lf__grid_squares_at(double x, double shift, int64_t first, int64_t count, int64_t squares[2]);

/// On which side of a cell's diagonal is a place? Above 0 on that of higher columns, 0 on the diagonal. The sign is exact.
static inline double lf__grid_diagonal_side(bool falls, int64_t i, int64_t j, lf_vec2 p) {
    double rest, sum = lf__two_sum(p.x, falls ? p.y : -p.y, &rest);
    double beyond = sum - (double)(falls ? i + j + 1 : i - j);
    // Where the sum is next to the diagonal the difference is exact, and more than the rest or 0.
    return beyond != 0 ? beyond : rest;
}

/// Which triangle of a cell is over a place: on the diagonal the first. Exact.
static inline int lf__grid_triangle_at(bool falls, int64_t i, int64_t j, lf_vec2 p) {
    double side = lf__grid_diagonal_side(falls, i, j, p);
    return falls ? side > 0 : side < 0;
}

/// The height of a triangle over a place u, v in its cell. Four products at most, no fma: all kernels give these bits.
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

/// What is under a place: one answer for heights, normals and weights.
typedef struct lf__grid_spot {
    int64_t i, j; ///< square
    int triangle;
    double u, v; ///< in the square, 0 .. 1
    double height;
} lf__grid_spot;

/// The surface at a place in grid coordinates. LF_REASON_ANSWERED, or why there is none.
lf_reason lf__grid_at(const lf_grid *grid, lf_vec2 place, lf__grid_spot *spot);

/// The same where the grid may wrap: on the seam also what is behind the last column. The place is then moved there.
lf_reason lf__grid_at_round(const lf_grid *grid, lf_vec2 *place, lf__grid_spot *spot);

/// Where the gravity line through a point meets the grid.
void lf__grid_ask_height(const lf_grid *grid, const lf_vec3 *point, bool down, lf_hit *hit,
                         lf_cursor *cursor);

/// Bare heights of many points, NAN where there is none; strides in bytes.
void lf__grid_heights_many(const lf_grid *grid, const lf_vec3 *points, size_t point_stride, int64_t count,
                           bool down, double *heights, size_t height_stride);

/// Both ways at once: one hit at most, t positive below the point.
int64_t lf__grid_height_all(const lf_grid *grid, lf_vec3 point, lf_hit *hits, int64_t capacity,
                            lf_cursor *cursor);

/// The piece of a hit, whose element must exist; false when there is none. Pieces of the ring go by the number of the nearest
/// cell: of all that share the number it is the one that the place is on, or next to, for the point of a ray's hit is rounded.
bool lf__grid_piece_of_hit(const lf_grid *grid, const lf_hit *hit, lf_vec3 place, lf__piece *piece);

/// Where the point of a hit is on the grid: next to its element, on whichever copy of the grid it was met.
lf_vec2 lf__grid_place_of_hit(const lf_grid *grid, const lf_hit *hit);

/// The place of a hit in its triangle; false for an element that the grid does not have.
bool lf__grid_weights(const lf_grid *grid, lf_hit *hit);

/// Fill in everything of a hit but t, point and weights.
void lf__grid_hit(const lf_grid *grid, const lf__piece *piece, lf_vec2 place, lf_hit *hit);

/// The same where the corners of the piece's cell are known; of `posts` they do not matter.
void lf__grid_hit_on(const lf_grid *grid, const lf__piece *piece, const lf__grid_corners *h, lf_vec2 place,
                     lf_hit *hit);

/// Weights of a piece at a place: of the triangle's second and third corner, of a patch and a level square along columns and
/// rows, of a wall along it and up.
void lf__piece_weights(const lf_grid *grid, const lf__piece *piece, lf_vec3 place, double *u, double *v);

// ---------------------------------------------------------------------------------------------------
// Rays
// ---------------------------------------------------------------------------------------------------

/// A ray on its way over a grid.
typedef struct lf__trace {
    const lf_grid *grid;
    const lf_ray *ray; ///< as the caller gave it
    lf_ray line;       ///< in grid coordinates, the direction neither tiny nor huge
    int exponent;      ///< t of the caller = ldexp(t of the line, -exponent)
    bool nearest_only; ///< nothing behind the first meeting is wanted
    bool gravity;      ///< a gravity line: never meets what it runs within
    uint32_t layers;
    double x;     ///< of the line's origin on the grid itself
    int64_t copy; ///< of the grid, which `line` is seen from
    double end;   ///< up to which t of the line meetings are wanted; comes nearer with what is found
    lf_counters cost;
    /// Told of every meeting; returns up to which t of the line more are wanted.
    double (*found)(void *user, const struct lf__trace *trace, const lf__piece *piece,
                    const lf__grid_meeting *meeting);
    void *user;
} lf__trace;

void lf__trace_start(lf__trace *trace, const lf_grid *grid, const lf_ray *ray, bool gravity,
                     const lf_cursor *cursor);

/// See the line from a copy of the grid.
static inline void lf__trace_on_copy(lf__trace *trace, int64_t copy) {
    trace->copy = copy;
    trace->line.origin.x = copy == 0 ? trace->x : trace->x - (double)copy * trace->grid->copies;
}

/// Meet the pieces of an existing square. false: none is met.
bool lf__trace_square(lf__trace *trace, int64_t i, int64_t j);

/// The same for what doubles alone cannot decide.
bool lf__trace_square_with_care(lf__trace *trace, int64_t i, int64_t j);

/// Go over all pieces that the ray may meet, nearest squares first, and tell of those it meets.
void lf__trace_run(lf__trace *trace);

/// The hit of a meeting.
void lf__trace_hit(const lf__trace *trace, const lf__piece *piece, const lf__grid_meeting *meeting,
                   lf_hit *hit);

/// The first meeting so far.
typedef struct lf__nearest_piece {
    lf__piece piece; ///< its name at least
    lf__grid_meeting meeting;
    int64_t copy; ///< of the grid, on which it is
    bool any;
} lf__nearest_piece;

/// lf__trace_start for a ray whose first meeting alone is wanted, without a cursor, and whose line is known and needs no scaling.
void lf__trace_first_on(lf__trace *trace, const lf_grid *grid, const lf_ray *ray, const lf_ray *line,
                        lf__nearest_piece *nearest);

bool lf__grid_first(const lf_grid *grid, const lf_ray *ray, bool gravity, lf_hit *hit, lf_cursor *cursor);
bool lf__grid_any(const lf_grid *grid, const lf_ray *ray, lf_cursor *cursor);
int64_t lf__grid_all(const lf_grid *grid, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                     lf_cursor *cursor);
void lf__grid_first_many(const lf_grid *grid, const lf_ray *rays, size_t ray_stride, int64_t count,
                         lf_hit *hits, size_t hit_stride);
void lf__grid_each(const lf_grid *grid, const lf_ray *ray, bool gravity, const lf__finder *finder,
                   lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Everything in some part of space
// ---------------------------------------------------------------------------------------------------

/// Corners of a piece in world coordinates: three of a triangle, four of the others.
int lf__piece_outline(const lf_grid *grid, const lf__piece *piece, lf_vec3 corners[4]);

typedef struct lf__grid_visitor {
    bool (*enters)(void *user, const lf_box *box); ///< a box of the world
    void (*piece)(void *user, const lf__piece *piece);
    void *user;
} lf__grid_visitor;

void lf__grid_visit(const lf_grid *grid, const lf__grid_visitor *visitor, lf_cursor *cursor);

#endif
