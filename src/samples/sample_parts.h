/// Private parts of the samples: noise, landscapes, the mesh under construction, the park.
#ifndef LF_SAMPLE_PARTS_H
#define LF_SAMPLE_PARTS_H

#include "base/base.h"
#include "base/containers.h"
#include "samples/samples.h"

// ---------------------------------------------------------------------------------------------------
// Noise that is the same on every machine: integer hashing and + - * / sqrt, nothing from libm
// ---------------------------------------------------------------------------------------------------

/// A value and its slope.
typedef struct lf__slope {
    double z, dx, dy;
} lf__slope;

/// Well-mixed bits of three numbers.
static inline uint64_t lf__hash(uint64_t seed, int64_t x, int64_t y) {
    uint64_t h = seed ^ ((uint64_t)x * 0x9e3779b97f4a7c15u);
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    h ^= (uint64_t)y * 0xc2b2ae3d27d4eb4fu;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

/// Uniform in [0, 1) from bits.
static inline double lf__unit(uint64_t bits) {
    return (double)(bits >> 11) * 0x1p-53;
}

/// The greatest whole number that is not above v; |v| below 2^62.
static inline int64_t lf__floor(double v) {
    int64_t i = (int64_t)v;
    return i - ((double)i > v);
}

static inline double lf__clamp(double v, double low, double high) {
    return v < low ? low : v > high ? high : v;
}

/// 0 below a, 1 above b, smooth between.
static inline double lf__smooth(double a, double b, double v) {
    double t = lf__clamp((v - a) / (b - a), 0, 1);
    return t * t * (3 - 2 * t);
}

/// Sine and cosine of an angle in turns (1 is all the way round), to about 1e-15; |turns| below 2^50.
double lf__sine(double turns);
double lf__cosine(double turns);

/// Gradient noise with cells of size 1 and smooth slopes: within -1 .. 1, mean 0, zero at the lattice points.
lf__slope lf__noise(uint64_t seed, double x, double y);

/// Gullies: waves that run down a slope, with crests one cell apart that change smoothly from cell to cell.
/// (across_x, across_y) is the direction across the slope, of length at most 1; shorter makes wider waves.
/// The value is within -1 .. 1.
lf__slope lf__gullies(uint64_t seed, double x, double y, double across_x, double across_y);

// ---------------------------------------------------------------------------------------------------
// Landscapes: heights as functions of position
// ---------------------------------------------------------------------------------------------------

/// A landscape with its def applied.
typedef struct lf__land {
    lf_landscape kind;
    uint64_t seed;
    double spacing; ///< metres between samples: the finest detail
    double low, high;
    double x_low, y_low, width, depth; ///< the window, for "rough"
} lf__land;

/// Read and check a def.
lf_status lf__land_read(const lf_make_heights_def *given, lf_make_heights_def *def, lf__land *land,
                        lf_error *error);

// ---------------------------------------------------------------------------------------------------
// A polygon mesh under construction. The first failure is kept: later calls do nothing, and the end reports
// it, so that generators need no error checks.
// ---------------------------------------------------------------------------------------------------

#define LF__BUILDER_NAMES 24

typedef struct lf__builder {
    lf_allocator allocator;
    lf_status status;
    lf__array vertices; ///< of lf_vec3
    lf__array starts;   ///< of int64_t, one per polygon and one behind the last
    lf__array corners;  ///< of int64_t
    lf__array users;    ///< of uint64_t: number of the name
    const char *names[LF__BUILDER_NAMES];
    int64_t name_count;
} lf__builder;

void lf__builder_start(lf__builder *builder, const lf_host *host);

/// Free everything.
void lf__builder_drop(lf__builder *builder);

/// Remove all polygons and names but keep the memory.
void lf__builder_clear(lf__builder *builder);

/// Reserve space, so that arrays need not grow step by step.
void lf__builder_reserve(lf__builder *builder, int64_t vertices, int64_t polygons, int64_t corners);

/// Transfer the polygons to the caller, or free everything and return the first failure.
lf_status lf__builder_finish(lf__builder *builder, lf_made_polygons **made, lf_error *error);

static inline int64_t lf__builder_count(const lf__builder *builder) {
    return builder->users.count;
}

static inline lf_vec3 *lf__builder_vertices(const lf__builder *builder) {
    return builder->vertices.items;
}

/// The number of a name (static text), which is added when it is new.
int64_t lf__builder_name(lf__builder *builder, const char *name);

/// Add a vertex; returns its number.
int64_t lf__builder_vertex(lf__builder *builder, double x, double y, double z);

/// Add a polygon.
void lf__builder_polygon(lf__builder *builder, int64_t name, const int64_t *corners, int64_t count);
void lf__builder_triangle(lf__builder *builder, int64_t name, int64_t a, int64_t b, int64_t c);
void lf__builder_quad(lf__builder *builder, int64_t name, const int64_t corners[4]);

/// A flat parallelogram cut into tiles, with vertices of its own. Tiles are counter-clockwise as seen from
/// the side from which `two` lies to the left of `one`.
typedef struct lf__patch {
    lf_vec3 origin, one, two;
    int64_t ones, twos; ///< tiles along each side, >= 1
} lf__patch;

void lf__builder_patch(lf__builder *builder, int64_t name, const lf__patch *patch);

/// Cut corners off polygons with more than three until there are `count` polygons, spread evenly, or no such
/// polygon is left.
void lf__builder_cut_to(lf__builder *builder, int64_t count);

// ---------------------------------------------------------------------------------------------------
// Cuts through a mesh along the zero lines of fields, without cracks
// ---------------------------------------------------------------------------------------------------

#define LF__FIELDS 10

/// The values of all fields at a vertex. A vertex that is made by a cut gets values between those of its
/// edge's ends, so that fields stay linear on what was a triangle and its pieces are convex.
typedef struct lf__values {
    double field[LF__FIELDS];
} lf__values;

/// A mesh with fields. Bit k of a polygon's user value says that it lies where field k is above 0; the bits
/// from LF__FIELDS up are the caller's.
typedef struct lf__fields {
    lf__builder *builder;
    lf__array values; ///< of lf__values, one per vertex
    double snap;      ///< values nearer to 0 count as 0: a cut that nearly meets a vertex goes through it
} lf__fields;

/// Reserve space for the values of so many vertices.
void lf__fields_reserve(lf__fields *fields, int64_t vertices);

/// Set the values of the vertex that was added last.
void lf__fields_add(lf__fields *fields, const lf__values *values);

/// Cut every polygon that field number k changes sign on. Neighbours share the new vertices.
void lf__fields_split(lf__fields *fields, int k);

void lf__fields_drop(lf__fields *fields);

// ---------------------------------------------------------------------------------------------------
// The park: its plan, and the parts that stand on it
// ---------------------------------------------------------------------------------------------------

#define LF__PARK_WIDTH 400.0
#define LF__PARK_DEPTH 300.0

/// The plan. Coordinates are in metres from the south-west corner.
typedef struct lf__park {
    lf__builder *builder;
    uint64_t seed;
    double detail; ///< 1: the default number of polygons; lengths are cut into so many times more parts
    double cell;   ///< size of the meadow's cells
    int64_t columns, rows; ///< of these
    double house[4];       ///< west, south, east, north; on lines between cells
    double house_floor;
} lf__park;

/// The number of parts of something that has `parts` of them at the default detail; at least one.
static inline int64_t lf__park_parts(const lf__park *park, double parts) {
    int64_t count = lf__floor(parts * park->detail + 0.5);
    return count < 1 ? 1 : count;
}

#define LF__VELODROME_X 116.0
#define LF__VELODROME_Y 62.0
#define LF__VELODROME_STRAIGHT 21.0 // half its straights
#define LF__VELODROME_RADIUS 34.0   // of its outer wall
#define LF__VELODROME_LEVEL 7.0

// Parts of the park.
void lf__park_add_house(const lf__park *park);
void lf__park_add_velodrome(const lf__park *park);

/// Fill a builder with the park, of `count` polygons.
void lf__make_park(lf__builder *builder, uint64_t seed, int64_t count);

#endif
