/// Does a ray meet a triangle? Yes or no is exact; t is within 3e-14 of the exact value, relative.
#ifndef LF_TREE_MEET_H
#define LF_TREE_MEET_H

#include <landfall/ask.h>

/// From which side a line comes.
typedef enum lf__side {
    LF__SIDE_FRONT,  ///< against the normal
    LF__SIDE_BACK,   ///< along it
    LF__SIDE_EDGE_ON ///< in the triangle's plane
} lf__side;

/// A ray whose direction is neither tiny nor huge: where it was, it is scaled by a power of two, which is exact.
typedef struct lf__line {
    lf_vec3 origin;
    lf_vec3 direction;
    double t_min, t_max; ///< in lengths of the scaled direction
    int exponent;        ///< t of the caller = ldexp(t here, -exponent)
} lf__line;

lf__line lf__line_of(const lf_ray *ray);

typedef struct lf__meeting {
    double t; ///< in lengths of the line's direction
    lf__side side;
} lf__meeting;

/// Does the line meet the closed triangle within its closed interval? Triangles without area are never met.
/// exact  counts the decisions that needed exact arithmetic
bool lf__meet(const lf__line *line, const lf_vec3 triangle[3], lf__meeting *meeting, uint64_t *exact);

/// The rest of lf__meet for a line that is known to pass the triangle's inside, from `side`.
bool lf__meet_inside(const lf__line *line, const lf_vec3 triangle[3], lf__side side, lf__meeting *meeting,
                     uint64_t *exact);

#endif
