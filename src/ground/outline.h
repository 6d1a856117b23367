/// Boxes of groups in floats: most lines pass them far from any edge, and then these 56 bytes decide, without the pose and the box itself.
///
/// Everything here is a filter. "Missed" and "through" are certain for the exact box as well; what is in between is
/// left to the exact test.
#ifndef LF_GROUND_OUTLINE_H
#define LF_GROUND_OUTLINE_H

#include "base/arithmetic.h"
#include <landfall/ground.h>
#include <math.h>

/// A posed box: where its middle is, its half sides, and its axes in units of 1 / 32767.
typedef struct lf__outline {
    double centre[3];
    float half[3];      ///< NaN: nothing is known
    int16_t axis[3][3]; ///< [axis of the box][component in the world]
} lf__outline;

/// A line in floats.
typedef struct lf__outline_line {
    lf_vec3 origin;
    float direction[3];
    float size;    ///< |x| + |y| + |z| of the direction
    float inverse; ///< 1 / (direction . direction); NaN: nothing is known
} lf__outline_line;

/// What is known about a line and a box.
typedef enum lf__outline_answer {
    LF__OUTLINE_MISSED,  ///< no point of the box is on the line between t_min and t_max
    LF__OUTLINE_THROUGH, ///< the line goes in or comes out between t_min and t_max, away from all edges
    LF__OUTLINE_UNSURE
} lf__outline_answer;

/// Errors of lengths: of axes in whole units, with the float sums that they are used in; and of floats from the line's origin to the box.
#define LF__OUTLINE_UNIT 1.6e-5f
#define LF__OUTLINE_FLOAT 0x1p-20f

/// Directions and boxes within this and its inverse: beyond it, products of floats overflow or lose digits.
#define LF__OUTLINE_LEAST 1e-12f

static inline lf__outline_line lf__outline_line_of(const lf_ray *ray) {
    lf__outline_line line = {
        .origin = ray->origin,
        .direction = {(float)ray->direction.x, (float)ray->direction.y, (float)ray->direction.z}};
    const float *d = line.direction;
    line.size = fabsf(d[0]) + fabsf(d[1]) + fabsf(d[2]);
    line.inverse = 1 / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (!(line.size > LF__OUTLINE_LEAST && line.size < 1 / LF__OUTLINE_LEAST))
        line.inverse = NAN;
    return line;
}

/// t is counted from the point of the line that is nearest to the middle of the box, so that no number is much larger than the box. Numbers
/// that overflow, and NaN, make every comparison false: unsure.
/// enters   set unless missed: the line is outside of the box before this t
static inline lf__outline_answer lf__outline_pass(const lf__outline *box, const lf__outline_line *line,
                                                  double t_min, double t_max, double *enters) {
    const float *d = line->direction;
    float p[3] = {(float)(line->origin.x - box->centre[0]), (float)(line->origin.y - box->centre[1]),
                  (float)(line->origin.z - box->centre[2])};
    float middle = -(p[0] * d[0] + p[1] * d[1] + p[2] * d[2]) * line->inverse;
    float far = fabsf(p[0]) + fabsf(p[1]) + fabsf(p[2]) + fabsf(middle) * line->size, near = 0;
    for (int k = 0; k < 3; k++) {
        p[k] += middle * d[k];
        near += fabsf(p[k]) + box->half[k];
    }
    float error = LF__OUTLINE_UNIT * 4 * near + LF__OUTLINE_FLOAT * far;
    float outer[2] = {-INFINITY, INFINITY}, inner[2] = {-INFINITY, INFINITY};
    for (int k = 0; k < 3; k++) {
        const int16_t *axis = box->axis[k];
        float x = (float)axis[0], y = (float)axis[1], z = (float)axis[2];
        float at = (x * p[0] + y * p[1] + z * p[2]) * (1 / 32767.f);
        float along = (x * d[0] + y * d[1] + z * d[2]) * (1 / 32767.f);
        float size = fabsf(along),
              least = 1e-7f * line->size; // a line along a face moves by less than `error`
        float step = 1 / (size > least ? size : least);
        at = along < 0 ? -at : at;
        float wide = box->half[k] + error, narrow = box->half[k] - error;
        float low = (-wide - at) * step, high = (wide - at) * step;
        outer[0] = low > outer[0] ? low : outer[0];
        outer[1] = high < outer[1] ? high : outer[1];
        low = (-narrow - at) * step, high = (narrow - at) * step;
        inner[0] = low > inner[0] ? low : inner[0];
        inner[1] = high < inner[1] ? high : inner[1];
    }
    double from = (double)middle + (double)outer[0], to = (double)middle + (double)outer[1];
    *enters = from;
    if (outer[0] > outer[1] || from > t_max || to < t_min)
        return LF__OUTLINE_MISSED;
    double in = (double)middle + (double)inner[0], out = (double)middle + (double)inner[1];
    bool through = inner[0] < inner[1] && ((from > t_min && in < t_max) || (out > t_min && to < t_max));
    return through ? LF__OUTLINE_THROUGH : LF__OUTLINE_UNSURE;
}

#endif
