/// The park: its plan, and the parts that stand on it.
#ifndef LF_MAKE_PARK_H
#define LF_MAKE_PARK_H

#include "samples/maker.h"
#include "samples/noise.h"

#define LF__PARK_WIDTH 400.0
#define LF__PARK_DEPTH 300.0

/// Where things are, in metres from the south-west corner.
typedef struct lf__park {
    lf__maker *maker;
    uint64_t seed;
    double detail; ///< 1: the default number of polygons; lengths are cut into this many times as many parts
    double cell;   ///< size of the meadow's cells
    int64_t columns, rows; ///< of these
    double house[4];       ///< west, south, east, north; on lines between cells
    double house_floor;
} lf__park;

/// Something is to be cut into so many parts at the default detail; at least one.
static inline int64_t lf__park_parts(const lf__park *park, double parts) {
    int64_t count = lf__floor(parts * park->detail + 0.5);
    return count < 1 ? 1 : count;
}

/// Distances in metres, negative inside.
double lf__park_lake(const lf__park *park, double x, double y);
double lf__park_loop(double x, double y);
double lf__park_avenue(double x, double y);
double lf__park_velodrome(double x, double y);
double lf__park_house(const lf__park *park, double x, double y);

/// The height of the ground.
double lf__park_ground(const lf__park *park, double x, double y);

#define LF__VELODROME_X 116.0
#define LF__VELODROME_Y 62.0
#define LF__VELODROME_STRAIGHT 21.0 // half its straights
#define LF__VELODROME_RADIUS 34.0   // of its outer wall
#define LF__VELODROME_LEVEL 7.0

void lf__park_add_meadow(const lf__park *park);
void lf__park_add_bridges(const lf__park *park);
void lf__park_add_house(const lf__park *park);
void lf__park_add_velodrome(const lf__park *park);
void lf__park_add_plaza(const lf__park *park);
void lf__park_add_trees(const lf__park *park);

/// The kinds of made polygons, each filling a maker with about `count` polygons.
void lf__make_park(lf__maker *maker, uint64_t seed, int64_t count);
void lf__make_city(lf__maker *maker, uint64_t seed, int64_t count);
void lf__make_sphere(lf__maker *maker, int64_t count);
void lf__make_knot(lf__maker *maker, int64_t count);

#endif
