/// Maps of transforms that act on a whole or on each shape.
///
/// Take a shape whose own origin has come to t, and whose vertices v are at R v + t. A transform (A, b) of the whole gives
/// R' = A R, t' = A t + b. One of each shape about its own origin gives R' = A R, t' = t + b. So whatever a list of transforms, of both
/// kinds in any order, does to all shapes below, it does as R' = turn R, t' = carry t + shift with two matrices and a vector: one for
/// what shapes look like, one for where their origins go.
#ifndef LF_SCENE_MAPS_H
#define LF_SCENE_MAPS_H

#include <landfall/scene.h>

typedef struct lf__maps {
    lf_vec3 turn[3];  ///< rows
    lf_vec3 carry[3]; ///< rows
    lf_vec3 shift;
} lf__maps;

static inline lf__maps lf__maps_none(void) {
    lf__maps none = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    return none;
}

static inline lf_vec3 lf__rows_point(const lf_vec3 rows[3], lf_vec3 p) {
    lf_vec3 at = {lf_vec3_dot(rows[0], p), lf_vec3_dot(rows[1], p), lf_vec3_dot(rows[2], p)};
    return at;
}

/// product = a b; product may be either.
static inline void lf__rows_product(const lf_vec3 a[3], const lf_vec3 b[3], lf_vec3 product[3]) {
    lf_vec3 columns[3] = {{b[0].x, b[1].x, b[2].x}, {b[0].y, b[1].y, b[2].y}, {b[0].z, b[1].z, b[2].z}};
    lf_vec3 rows[3];
    for (int i = 0; i < 3; i++)
        rows[i] = (lf_vec3){lf_vec3_dot(a[i], columns[0]), lf_vec3_dot(a[i], columns[1]),
                            lf_vec3_dot(a[i], columns[2])};
    for (int i = 0; i < 3; i++)
        product[i] = rows[i];
}

static inline void lf__rows_transpose(const lf_vec3 rows[3], lf_vec3 turned[3]) {
    lf_vec3 x = {rows[0].x, rows[1].x, rows[2].x}, y = {rows[0].y, rows[1].y, rows[2].y};
    lf_vec3 z = {rows[0].z, rows[1].z, rows[2].z};
    turned[0] = x, turned[1] = y, turned[2] = z;
}

static inline double lf__rows_determinant(const lf_vec3 rows[3]) {
    return lf_vec3_dot(rows[0], lf_vec3_cross(rows[1], rows[2]));
}

/// The inverse; false where there is none that can be computed.
static inline bool lf__rows_inverse(const lf_vec3 rows[3], lf_vec3 inverse[3]) {
    double determinant = lf__rows_determinant(rows);
    if (!isfinite(determinant) || fabs(determinant) < 1e-280)
        return false;
    lf_vec3 columns[3] = {lf_vec3_cross(rows[1], rows[2]), lf_vec3_cross(rows[2], rows[0]),
                          lf_vec3_cross(rows[0], rows[1])};
    for (int i = 0; i < 3; i++)
        columns[i] = lf_vec3_scale(columns[i], 1 / determinant);
    lf__rows_transpose(columns, inverse);
    return lf_vec3_finite(inverse[0]) && lf_vec3_finite(inverse[1]) && lf_vec3_finite(inverse[2]);
}

static inline bool lf__rows_same(const lf_vec3 a[3], const lf_vec3 b[3]) {
    bool same = true;
    for (int i = 0; i < 3; i++)
        same = same && a[i].x == b[i].x && a[i].y == b[i].y && a[i].z == b[i].z;
    return same;
}

/// First inner, then outer.
static inline lf__maps lf__maps_then(const lf__maps *inner, const lf__maps *outer) {
    lf__maps both;
    lf__rows_product(outer->turn, inner->turn, both.turn);
    lf__rows_product(outer->carry, inner->carry, both.carry);
    both.shift = lf_vec3_add(lf__rows_point(outer->carry, inner->shift), outer->shift);
    return both;
}

#endif
