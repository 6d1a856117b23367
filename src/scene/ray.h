/// Rays against shapes.
#ifndef LF_SCENE_RAY_H
#define LF_SCENE_RAY_H

#include "scene/scene.h"

/// Where a ray first meets a shape.
typedef struct lf__shape_hit {
    double t;
    lf_vec3 normal; ///< in the shape's own coordinates, of any length
    int64_t element;
} lf__shape_hit;

/// The first meeting of a ray, carried into the shape's own coordinates, with a shape; false for none.
bool lf__shape_ray(const lf__form *form, const lf_ray *ray, lf__shape_hit *hit, lf_counters *cost);

#endif
