/// The nested grid: a mesh seen along gravity, so that one cell holds everything over a point.
///
/// A uniform grid over the terrain; a cell with many triangles is a grid of its own, and so on. The last cell is a leaf: its
/// triangles as 16-bit numbers around its middle, eight of which are tested at once.
#ifndef LF_MESH_NEST_H
#define LF_MESH_NEST_H

#include "base/base.h"
#include "base/containers.h"
#include "query/query.h"
#include <landfall/geom.h>
#include <landfall/ground.h>
#include <landfall/mesh.h>
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// The convex hull of points seen along gravity: what is beyond it is outside, what is within it without
// ground is a hole.
// ---------------------------------------------------------------------------------------------------

typedef struct lf__hull {
    lf_vec3 direction; ///< of view
    lf_vec3 *corners;  ///< in order; looking against the direction they run counter-clockwise
    int64_t count;
} lf__hull;

/// The hull of points (finite, at least one) along a direction (finite, not zero), decided by exact signs.
lf_status lf__hull_make(lf__hull *hull, const lf_allocator *allocator, const lf_vec3 *points, int64_t count,
                        lf_vec3 direction);
void lf__hull_free(lf__hull *hull, const lf_allocator *allocator);

/// The number of the corner that is just this point; -1: none.
int64_t lf__hull_find(const lf__hull *hull, lf_vec3 point);

/// Is a point's shadow within the closed hull? Exact.
bool lf__hull_contains(const lf__hull *hull, lf_vec3 point);

// ---------------------------------------------------------------------------------------------------
// Blocks of words in one large array: edits allocate, free and reuse them.
//
// A block has one of about a hundred sizes, four between a power of two and the next. Free blocks
// are in a list per size, linked through their first word. Word 0 of the array is never part of a
// block.
// ---------------------------------------------------------------------------------------------------

/// Sizes 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, ...
#define LF__BLOCK_SIZES 116

typedef struct lf__blocks {
    uint32_t free[LF__BLOCK_SIZES]; ///< 0: none
    int64_t built; ///< words below this were laid out by a builder, in blocks just as large as needed
} lf__blocks;

/// The number of the largest size that is not above `words`, and the words of a size.
static inline int lf__block_size_below(int64_t words) {
    int octave = 61 - __builtin_clzll((unsigned long long)words);
    return 4 * octave + (int)((words >> octave) & 3);
}

static inline int64_t lf__block_words(int size) {
    return (int64_t)(4 + size % 4) << size / 4;
}

static inline int lf__block_size_above(int64_t words) {
    int size = words < 4 ? 0 : lf__block_size_below(words);
    return lf__block_words(size) < words ? size + 1 : size;
}

/// Allocate a block of at least `words` words from the lists or from behind the last one, with `spare` readable words behind it.
static inline lf_status lf__block_allocate(lf__blocks *blocks, lf__array *array,
                                           const lf_allocator *allocator, int64_t words, int64_t spare,
                                           uint32_t *place) {
    int size = lf__block_size_above(words);
    uint32_t *items = array->items;
    if (size < LF__BLOCK_SIZES && blocks->free[size] != 0) {
        *place = blocks->free[size];
        blocks->free[size] = items[*place];
        return LF_OK;
    }
    int64_t wanted = lf__block_words(size);
    if (array->count > INT32_MAX - wanted)
        return LF_TOO_LARGE;
    int64_t grown = array->count + wanted + spare;
    lf_status status = lf__grow(allocator, &array->items, &array->capacity, grown, sizeof(uint32_t));
    if (status != LF_OK)
        return status;
    *place = (uint32_t)array->count;
    array->count += wanted;
    return LF_OK;
}

/// Free a block that was allocated for, or built with, so many words.
static inline void lf__block_free(lf__blocks *blocks, uint32_t *items, uint32_t place, int64_t words) {
    if (place < blocks->built && words < 4)
        return;
    int size = place < blocks->built ? lf__block_size_below(words) : lf__block_size_above(words);
    items[place] = blocks->free[size];
    blocks->free[size] = place;
}

/// A cell is a word: a leaf's or a grid's place in `words`, or one of these.
#define LF__NEST_GRID \
    0x80000000u             ///< with this bit: a grid {m, m * m cells}; before it are two words for edits
#define LF__NEST_INSIDE 0u  ///< empty, all of it within the hull
#define LF__NEST_OUTSIDE 1u ///< empty, all of it beyond the hull
#define LF__NEST_BORDER 2u  ///< empty, crossed by the hull
#define LF__NEST_FIRST 4u   ///< the first place that is used; all places are even
#define LF__NEST_LONG 1u    ///< with this bit: a leaf of more than LF__NEST_LANES triangles

/// A cell that is within one triangle, away from its edges, and that no other triangle enters, is that triangle's number (of one
/// that is not steep and faces up), with these bits. Such a cell is within the hull.
#define LF__NEST_COVERED (LF__NEST_GRID | 1u)

static inline bool lf__nest_is_covered(uint32_t cell) {
    return (cell & LF__NEST_COVERED) == LF__NEST_COVERED;
}

static inline uint32_t lf__nest_covering(uint32_t cell) {
    return (cell & ~LF__NEST_COVERED) >> 1;
}

static inline bool lf__nest_is_grid(uint32_t cell) {
    return (cell & LF__NEST_COVERED) == LF__NEST_GRID;
}

static inline bool lf__nest_is_leaf(uint32_t cell) {
    return cell >= LF__NEST_FIRST && !(cell & LF__NEST_GRID);
}

/// A leaf: {scale (float), count, corner0[count], corner1[count], corner2[count], triangle[count]}. A corner is a word: x in the
/// lower and y in the upper half, signed, in units of 1 / scale of a cell around the cell's middle; corners run
/// counter-clockwise. The upper bits of the count word say how the cell lies to the hull, with the codes above.
#define LF__NEST_COUNT 0x3fffffffu
#define LF__NEST_HULL_SHIFT 30
#define LF__NEST_HEAD 2  ///< words before the corners
#define LF__NEST_WORDS 4 ///< per triangle

/// Scales are such that the difference between a corner and a point of the cell fits 16 bits, and twice the product of two
/// differences 32.
#define LF__NEST_REACH 32766

/// A corner and a point are each rounded to the nearest unit, so an edge function of differences that add up to `sum` is off by
/// less than this. (A leaf whose place is known less well than to 1/100 of a unit has a scale of 0: all in doubt.)
#define LF__NEST_DOUBT(sum) ((sum) + (sum) / 16 + 8)

/// Kernels read this many lanes at once, past the end of the last leaf too.
#define LF__NEST_LANES 8

/// Height over a point: c + gx * dx + gy * dy, where d is the offset from the grid's middle, in local coordinates. The normal is
/// (-gx * up, -gy * up, up): everything that an answer needs is in one place, and no root has to be drawn.
typedef struct lf__nest_plane {
    double gx, gy, c, up;
} lf__nest_plane;

/// In a leaf, a triangle's number carries what else is known about it.
#define LF__NEST_STEEP 0x80000000u ///< doubles are not good enough for this plane: the exact test decides
#define LF__NEST_UNDER 0x40000000u ///< the front faces down
#define LF__NEST_NUMBER 0x3fffffffu

/// A word has two bits for each of a line of top cells: LF__NEST_INSIDE or LF__NEST_OUTSIDE where the cell says just that,
/// LF__NEST_CROSSED where it says LF__NEST_BORDER; else LF__NEST_BORDER. Where there is no ground, nothing but these is read: a
/// sixteenth of the cells.
#define LF__NEST_CROSSED 3u
#define LF__NEST_LINE_SHIFT 4
#define LF__NEST_LINE_BORDER 0xaaaaaaaau ///< all cells of a line
#define LF__NEST_LINES(cells) (((cells) + (1 << LF__NEST_LINE_SHIFT) - 1) >> LF__NEST_LINE_SHIFT)

/// The codes that never say how a cell lies to the hull, in lf__nest.doubted.
#define LF__NEST_DOUBTED (1u << LF__NEST_BORDER | 1u << LF__NEST_CROSSED)

/// How kernels find a top cell and a height: x and y side by side.
typedef struct lf__nest_entrance {
    double origin[2], per_metre[2], size[2];
    double columns;
    double middle[2];
} lf__nest_entrance;

typedef struct lf__nest {
    lf__nest_entrance entrance;
    const lf_mesh *mesh;
    double origin_x, origin_y; ///< local coordinates of the grid's low corner
    double per_metre;          ///< top cells per metre
    int64_t columns, rows;
    double width, height; ///< the same as doubles
    double blur;          ///< how far a point's place can be off by rounding, in top cells
    double tolerance;     ///< heights by planes are closer than this to the exact ones
    uint32_t *top;
    uint32_t *lines; ///< of top cells
    uint32_t *words;
    int64_t word_count, word_capacity;
    lf__nest_plane *planes; ///< per triangle
    int64_t leaf_count, reference_count;
    int depth;
    uint32_t
        doubted; ///< a bit per code for cells: its statement about the hull is no longer certain: the hull itself decides
    int64_t plane_capacity;
    int64_t built_references;  ///< when it was made
    double middle_x, middle_y; ///< of the grid: heights are counted from there
    double span;               ///< metres from there to the border, at most
    double far;                ///< `blur` holds for vertices whose coordinates add up to no more than this
    lf__blocks blocks;
    lf_mesh_work work; ///< of making it
} lf__nest;

/// The bits of a top cell in its line.
static inline uint32_t lf__nest_code(const lf__nest *nest, size_t top) {
    uint32_t shift = 2 * (uint32_t)top;
    __asm__("" : "+r"(shift)); // else compilers do not see that the shift takes just these bits
    return nest->lines[top >> LF__NEST_LINE_SHIFT] >> (shift & 31) & 3;
}

static inline void lf__nest_set_code(lf__nest *nest, size_t top, uint32_t code) {
    uint32_t *line = &nest->lines[top >> LF__NEST_LINE_SHIFT];
    *line = (*line & ~(3u << (2 * top & 31))) | code << (2 * top & 31);
}

/// Where a point is: the leaf cell, and the point in units of it around its middle.
typedef struct lf__nest_place {
    uint32_t cell; ///< a leaf's place, a covered cell, or one of the codes for empty cells
    double u, v;
} lf__nest_place;

/// A point in the mesh's local coordinates (down is -z).
static inline lf__nest_place lf__nest_locate(const lf__nest *nest, double x, double y) {
    lf__nest_place place = {LF__NEST_OUTSIDE, 0, 0};
    double tx = (x - nest->origin_x) * nest->per_metre, ty = (y - nest->origin_y) * nest->per_metre;
    if (!(tx >= 0 && ty >= 0 && tx < nest->width && ty < nest->height))
        return place;
    int i = (int)tx, j = (int)ty;
    uint32_t cell = nest->top[(size_t)j * (size_t)nest->columns + (size_t)i];
    tx -= i;
    ty -= j;
    while (lf__nest_is_grid(cell)) {
        const uint32_t *grid = nest->words + (cell & ~LF__NEST_GRID);
        int m = (int)grid[0];
        tx *= m;
        ty *= m;
        i = (int)tx;
        j = (int)ty;
        cell = grid[1 + j * m + i];
        tx -= i;
        ty -= j;
    }
    place.cell = lf__nest_is_leaf(cell) ? cell & ~LF__NEST_LONG : cell;
    place.u = tx - 0.5;
    place.v = ty - 0.5;
    return place;
}

/// Two numbers, rounded to 16 bits each, in one word.
static inline uint32_t lf__nest_pack(double x, double y) {
    int i = (int)(x + 32768.5) - 32768, j = (int)(y + 32768.5) - 32768;
    return (uint32_t)j << 16 | ((uint32_t)i & 0xffffu);
}

/// A place in the units of its leaf.
static inline uint32_t lf__nest_point(const uint32_t *leaf, const lf__nest_place *place) {
    float scale;
    memcpy(&scale, leaf, sizeof scale);
    return lf__nest_pack(place->u * (double)scale, place->v * (double)scale);
}

/// The height of a triangle's plane over a local point.
static inline double lf__nest_height(const lf__nest *nest, const lf__nest_plane *plane,
                                     const lf_vec3 *local) {
    double x = local->x - nest->middle_x, y = local->y - nest->middle_y;
    return lf__fma(plane->gx, x, lf__fma(plane->gy, y, plane->c));
}

/// The lanes of a leaf from `first` on, at most eight: which triangles may hold the point, and which surely do.
typedef unsigned lf__nest_test(const uint32_t *leaf, uint32_t first, uint32_t point, unsigned *sure);

/// A closer test of lanes that may hold the point, with a doubt for each edge instead of one for all.
unsigned lf__nest_test_closer(const uint32_t *leaf, uint32_t first, uint32_t point, unsigned maybe,
                              unsigned *sure);

/// The fast path down or up from a point in local coordinates, for meshes where everything may be met. Point and normal of
/// the hit are local too. What is too close to call is left to lf__nest_exact, what is odd to lf__nest_beyond.
/// `mesh` is an lf_mesh: it is the ground's way to a height as well (lf__ask_height).
typedef lf_status lf__nest_drop(const void *mesh, lf_vec3 local, lf_vertical vertical, lf_hit *hit);

/// The exact fallback, where local coordinates are world coordinates; else LF_PARTIAL, and nothing is written: the caller has
/// the point in world coordinates.
lf_status lf__nest_exact(const lf_mesh *mesh, lf_vec3 local, lf_vertical vertical, lf_hit *hit);

/// Nothing is over the point, and whether that is a hole or outside is decided by the hull; else as lf__nest_exact.
lf_status lf__nest_empty(const lf_mesh *mesh, lf_vec3 local, lf_hit *hit);

/// A point beyond the grid, at an infinite height, or none at all (LF_BAD_ARGUMENT).
lf_status lf__nest_beyond(const lf_mesh *mesh, lf_vec3 local, lf_vertical vertical, lf_hit *hit);

/// Points in a row and space for their answers. Points have been checked.
typedef struct lf__nest_batch {
    const char *points;
    size_t point_stride;
    char *answers; ///< lf_hit, or double for bare heights
    size_t answer_stride;
    int64_t count;
    bool down;
} lf__nest_batch;

/// This many points are processed together.
#define LF__NEST_GROUP 32

/// The fast path for many points of a mesh that is straight, without layers and sides: the same bits as one by one.
typedef void lf__nest_drop_many(const lf_mesh *mesh, const lf__nest_batch *batch);

typedef struct lf__nest_kernels {
    lf__nest_test *test;
    lf__nest_drop *drop;
    lf__nest_drop_many *drop_many;    ///< hits
    lf__nest_drop_many *heights_many; ///< heights, NAN where there is no ground
} lf__nest_kernels;

#define LF__NEST_NOTHING UINT32_MAX

const lf__nest_kernels *lf__nest_kernels_for(lf_isa isa);

/// The entrance from the other numbers.
static inline void lf__nest_set_entrance(lf__nest *nest) {
    nest->entrance = (lf__nest_entrance){.origin = {nest->origin_x, nest->origin_y},
                                         .per_metre = {nest->per_metre, nest->per_metre},
                                         .size = {nest->width, nest->height},
                                         .columns = nest->width,
                                         .middle = {nest->middle_x, nest->middle_y}};
}

/// margin  space around the terrain, as a share of its extent
lf_status lf__nest_build(lf__nest *nest, const lf_mesh *mesh, const lf_host *host, double margin);
void lf__nest_free(lf__nest *nest, const lf_allocator *allocator);
size_t lf__nest_bytes(const lf__nest *nest);

#endif
