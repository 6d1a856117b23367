/// Lines of sight over nasty grids, and rules for them, that are made to break sight: along lines and diagonals, from sample to sample, touching
/// ridges exactly or missing them by a bit, bent by any amount, beside holes, from below, from far away.
#ifndef LF_TESTS_NASTY_SIGHT_H
#define LF_TESTS_NASTY_SIGHT_H

#include "exact_sight.h"
#include "nasty_grid.h"
#include <landfall/sight.h>

#define NASTY_SIGHT_LIST(X)                                       \
    X(NASTY_SIGHT_RAY, "a ray's kind of line")                    \
    X(NASTY_SIGHT_POSTS, "from sample to sample")                 \
    X(NASTY_SIGHT_STAND, "ends that stand on the ground")         \
    X(NASTY_SIGHT_GROUND, "ends at the rounded height of ground") \
    X(NASTY_SIGHT_RIDGE, "touching a sample in the middle")       \
    X(NASTY_SIGHT_BENT_RIDGE, "bent, touching a sample")          \
    X(NASTY_SIGHT_BELOW, "an end below ground")                   \
    X(NASTY_SIGHT_OFF, "ends off the grid")                       \
    X(NASTY_SIGHT_FAR, "ends far off the grid")                   \
    X(NASTY_SIGHT_UPRIGHT, "vertical")                            \
    X(NASTY_SIGHT_HOLE, "ends beside holes")                      \
    X(NASTY_SIGHT_HALF, "along the borders of samples' squares")  \
    X(NASTY_SIGHT_LEVEL, "level at the highest height")           \
    X(NASTY_SIGHT_ABOVE, "above everything")                      \
    X(NASTY_SIGHT_POINT, "from a point to itself")

typedef enum nasty_sight_kind {
#define NASTY_SIGHT_ENUM(name, text) name,
    NASTY_SIGHT_LIST(NASTY_SIGHT_ENUM)
#undef NASTY_SIGHT_ENUM
        NASTY_SIGHTS
} nasty_sight_kind;

const char *nasty_sight_name(nasty_sight_kind kind);

/// A question: observer, target and rules.
typedef struct nasty_sight {
    nasty_sight_kind kind;
    lf_vec3 a, b;
    lf_sight_rules rules;
} nasty_sight;

/// ground  made of the same grid
nasty_sight nasty_sight_make(nasty_sight_kind kind, const nasty_grid *grid, const lf_ground *ground,
                             test_random *random);

/// Rules of any kind for lines about as long as that from a to b.
lf_sight_rules nasty_sight_rules(const nasty_grid *grid, lf_vec3 a, lf_vec3 b, test_random *random);

/// A height above ground: nothing, a few bits, an eye's, or as much as the relief has.
double nasty_sight_eye(const nasty_grid *grid, test_random *random);

/// A place of the world in columns and rows, set on samples where rounding explains the difference, else on fine steps.
lf_vec2 nasty_sight_place(const nasty_grid *grid, double x, double y);

/// Where the sample stands, by the grid's own formula.
lf_vec2 nasty_sight_sample(const nasty_grid *grid, int64_t column, int64_t row);

/// Metres between two places, by the rules' span.
double nasty_sight_span(const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b);

/// The line as it is defined: on the grid, from the end that is near it, or else from the lexicographically smaller one. t
/// counts from a.
/// places  of a and b in columns and rows; NULL: converted
exact_line nasty_sight_line(const nasty_grid *grid, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                            const lf_vec2 places[2]);

/// The line that a horizon is looked for along, in metres, level but for the bend; towards the sun it rises.
/// place    of `from` in columns and rows
/// azimuth  degrees, clockwise from +y
/// aside    radians by which the direction is turned besides: what rounding may do
exact_line nasty_horizon_line(const nasty_grid *grid, const lf_sight_rules *rules, lf_vec3 from,
                              lf_vec2 place, double azimuth, double aside);

/// The verdict by the rules' hole policy, and its t.
lf_verdict nasty_sight_verdict(const exact_sight *sight, lf_void_policy voids, double *t);

#endif
