/// A polygon mesh in the making. The first failure sticks: later calls do nothing, and the end reports it, so that
/// generators read like recipes.
#ifndef LF_MAKE_MAKER_H
#define LF_MAKE_MAKER_H

#include "base/array.h"
#include "base/base.h"
#include <landfall/make.h>

#define LF__MAKER_NAMES 24

typedef struct lf__maker {
    lf_allocator allocator;
    lf_status status;
    lf__array vertices; ///< of lf_vec3
    lf__array starts;   ///< of int64_t, one per polygon and one behind the last
    lf__array corners;  ///< of int64_t
    lf__array users;    ///< of uint64_t: number of the name
    const char *names[LF__MAKER_NAMES];
    int64_t name_count;
} lf__maker;

void lf__maker_start(lf__maker *maker, const lf_host *host);

/// Give everything back.
void lf__maker_drop(lf__maker *maker);

/// Forget all polygons and names but keep the memory.
void lf__maker_clear(lf__maker *maker);

/// Room for so many, so that arrays need not grow bit by bit.
void lf__maker_reserve(lf__maker *maker, int64_t vertices, int64_t polygons, int64_t corners);

/// Hand the polygons over, or give everything back and say why not.
lf_status lf__maker_finish(lf__maker *maker, lf_made_polygons **made, lf_error *error);

static inline int64_t lf__maker_count(const lf__maker *maker) {
    return maker->users.count;
}

static inline lf_vec3 *lf__maker_vertices(const lf__maker *maker) {
    return maker->vertices.items;
}

/// The number of a name (static text), which is added when it is new.
int64_t lf__maker_name(lf__maker *maker, const char *name);

/// Add a vertex; returns its number.
int64_t lf__maker_vertex(lf__maker *maker, double x, double y, double z);

/// Add a polygon.
void lf__maker_polygon(lf__maker *maker, int64_t name, const int64_t *corners, int64_t count);
void lf__maker_triangle(lf__maker *maker, int64_t name, int64_t a, int64_t b, int64_t c);
void lf__maker_quad(lf__maker *maker, int64_t name, const int64_t corners[4]);

/// A flat parallelogram cut into tiles, with vertices of its own: origin, and its two sides; counter-clockwise from
/// where side one turns left into side two.
typedef struct lf__patch {
    lf_vec3 origin, one, two;
    int64_t ones, twos; ///< tiles along each side, >= 1
} lf__patch;

void lf__maker_patch(lf__maker *maker, int64_t name, const lf__patch *patch);

/// Cut corners off polygons with more than three until there are `count` polygons, spread evenly, or no such corner
/// is left.
void lf__maker_cut_to(lf__maker *maker, int64_t count);

#endif
