/// What the files of perspective pictures share.
#ifndef LF_IO_RENDER_H
#define LF_IO_RENDER_H

#include "io/canvas.h"
#include <landfall/picture.h>

/// The eye's own directions, in metres: unit vectors, `right` and `up` spanning the picture.
typedef struct lf__lens {
    lf_vec3 forward, right, up;
    double across; ///< half the picture's width at a distance of 1
    double width, height;
} lf__lens;

/// Where down is: as the ground has it, -z where there is none.
lf_frame lf__render_frame(const lf_ground *ground);

/// The lens of a settled view. False when one looks from where one looks at.
bool lf__lens_of(const lf_ground *ground, const lf_render_def *view, double width, double height,
                 lf__lens *lens);

/// The direction through a place of the picture, unit length, in metres.
lf_vec3 lf__lens_through(const lf__lens *lens, double x, double y);

/// Between metres and units of the ground: places and directions, and normals.
lf_vec3 lf__render_units(const lf_render_def *view, lf_vec3 metres);
lf_vec3 lf__render_metres(const lf_render_def *view, lf_vec3 units);
lf_vec3 lf__render_normal(const lf_render_def *view, lf_vec3 normal);

/// The height by which a point of ground is coloured.
double lf__render_height(const lf_render_def *view, const lf_frame *frame, lf_vec3 point);

/// Light and air of a settled view.
typedef struct lf__weather {
    const lf_render_def *view;
    lf_frame frame;
    lf_vec3 sun;  ///< unit, in metres
    lf_vec3 over; ///< unit: up, where one looks
    double thick; ///< haze per metre
    double space; ///< 0 in air .. 1 far above a round ground
} lf__weather;

lf__weather lf__weather_of(const lf_ground *ground, const lf_render_def *view);

/// The sky in a direction.
lf_vec3 lf__weather_sky(const lf__weather *weather, lf_vec3 along);

/// What a surface looks like. Colours are three numbers 0 .. 1.
typedef struct lf__seen {
    lf_vec3 point;  ///< units of the ground
    lf_vec3 normal; ///< unit, in metres, towards the eye
    lf_vec3 along;  ///< where one looks: unit, in metres
    double distance;
    bool thing;       ///< no ground: `colour` is its colour
    lf_colour colour; ///< of a thing
    bool sunlit;
    lf_vec3 veil;   ///< what things before it, that one sees through, add
    double through; ///< and the share that they let through
} lf__seen;

lf_vec3 lf__weather_shade(const lf__weather *weather, const lf__seen *seen);

/// Lay a thing that one can see through over what is seen behind it. It takes the light as if nothing shaded it.
void lf__weather_veil(const lf__weather *weather, const lf_ray *ray, const lf_render_thing *thing,
                      lf__seen *seen);

#endif
