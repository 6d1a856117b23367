/// How ground is lit in pictures: sun, sky, cast shadows and tints on a raster of heights with the size of the view.
#ifndef LF_IO_LIGHT_H
#define LF_IO_LIGHT_H

#include "io/canvas.h"

/// The visible ground, one height per pixel of the view (NaN where there is none), rows from the top.
typedef struct lf__scene {
    const lf_relief_def *def;
    lf__pixels place; ///< where it lies on the canvas
    int64_t width, height;
    float *z;
    double pixel;     ///< metres per pixel
    double low, high; ///< of the colours
    float top;        ///< the highest height of all
    lf_vec3 sun;      ///< unit vector towards it
    lf_vec3 fill[2];  ///< weaker lights from both sides of it, so that no slope is without form
} lf__scene;

/// Read and check the def, and take the raster, which starts out without ground. Free with lf__scene_end.
lf_status lf__scene_start(lf__scene *scene, lf_canvas *canvas, const lf_view *view, lf_relief_def *def,
                          const lf_relief_def *given, lf_error *error);
void lf__scene_end(lf__scene *scene, lf_canvas *canvas);

/// Once the raster is filled: settle low and high.
void lf__scene_settle(lf__scene *scene);

/// Where a pixel of the raster lies in the world.
lf_vec2 lf__scene_world(const lf__scene *scene, const lf_view *view, double x, double y);

/// The share of sunlight, 0 .. 1, that other ground leaves to a point `z` high at the pixel (x, y).
double lf__scene_sunlit(const lf__scene *scene, int64_t x, int64_t y, double z);

/// The light on a surface: 1 is level ground in the open.
double lf__scene_light(const lf__scene *scene, lf_vec3 normal, double sunlit);

/// The colour of a height by the ramp.
lf_colour lf__scene_tint(const lf__scene *scene, double z);

/// A colour in that light: shadows turn cool, bright slopes warm.
lf_colour lf__scene_lit(const lf__scene *scene, lf_colour colour, double light);

#endif
