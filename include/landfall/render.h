/// landfall/render.h: ground as one sees it from somewhere: perspective pictures (library landfall-io).
///
/// Every pixel is a few rays of the ground's own questions, so a picture shows what the answers are made of: nothing
/// is thinned out or smoothed.
#ifndef LANDFALL_RENDER_H
#define LANDFALL_RENDER_H

#include <landfall/ground.h>
#include <landfall/picture.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Paint for the ground at a point; its alpha says how much of the ground's own colour is covered. Called from many
/// threads at once.
typedef lf_colour lf_render_paint(void *user, lf_vec3 point);

/// A thing that stands on the ground, where a ray meets it.
typedef struct lf_render_thing {
    double t;         ///< along the ray
    lf_vec3 normal;   ///< unit length, towards either side
    lf_colour colour; ///< with an alpha below 255 one sees through it, and it casts no shadow
} lf_render_thing;

/// The first thing that a ray meets within its interval; false: none. Called from many threads at once.
typedef bool lf_render_things(void *user, const lf_ray *ray, lf_render_thing *thing);

/// What a ray meets first of a scene: an lf_render_things, with the scene as `user`.
/// scene  an lf_scene, up to date (lf_scene_update) and in the coordinates of the ground; its parts' opacity becomes alpha
/// Allocates nothing. Threads: any number at once.
LF_API bool lf_render_scene(void *scene, const lf_ray *ray, lf_render_thing *thing);

/// A view, and how it is lit; start from lf_render_def_default().
typedef struct lf_render_def {
    size_t size;       ///< stamped by the default function
    lf_vec3 eye, look; ///< where from and what at; NaN (default): a good view of the whole ground
    double fov_deg;    ///< from the left to the right edge of the picture, 1 .. 170; 40 by default
    lf_vec3
        metres;   ///< length of one unit of x, y and z: degrees have about 111,000, and a z of 2 doubles all
                  ///< heights. Only where down is -z; 1, 1, 1 by default
    lf_ramp ramp; ///< by height; the land's tints by default
    double low, high;       ///< heights at the ramp's ends; NaN: those of the ground
    double sun_azimuth_deg; ///< clockwise from north, where `look` is; 315 by default
    double sun_height_deg;  ///< above the horizon; 35 by default
    double shadows;         ///< that ground and things cast: 0 none, 1 full; 0.8 by default
    double haze;            ///< 0 none .. 1 thick; 0.35 by default
    int samples;            ///< rays along each side of a pixel, 1 .. 8; 2 by default
    lf_render_paint *paint; ///< or NULL
    void *paint_user;
    lf_render_things *things; ///< or NULL
    void *things_user;
    lf_ellipsoid
        ellipsoid; ///< that heights are measured from where ground goes round a centre; what is below is sea. Of
                   ///< radius 0, the default: heights are distances from the centre
} lf_render_def;

static inline lf_render_def lf_render_def_default(void) {
    lf_vec3 somewhere = {(double)NAN, (double)NAN, (double)NAN}, plain = {1.0, 1.0, 1.0};
    lf_render_def def = {sizeof(lf_render_def),
                         somewhere,
                         somewhere,
                         40.0,
                         plain,
                         LF_RAMP_LAND,
                         (double)NAN,
                         (double)NAN,
                         315.0,
                         35.0,
                         0.8,
                         0.35,
                         2,
                         NULL,
                         NULL,
                         NULL,
                         NULL,
                         {0.0, 0.0}};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_render_def_init(lf_render_def *def, size_t size);

/// The view that a picture will have: what is NaN in a def is chosen.
/// ground  not empty, or NULL: things alone, down is -z
/// def     read; eye and look may be NaN where there is ground
/// aspect  width of the picture by its height, > 0
/// view    written only on success: def with eye, look, low and high settled
/// error   optional
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_render_settle(const lf_ground *ground, const lf_render_def *def, double aspect,
                                  lf_render_def *view, lf_error *error);

/// Draw ground, and what stands on it, as it is seen from a point.
/// canvas  the picture
/// area    the part of it that the view fills; what is outside the canvas or its clip is not drawn
/// ground  any kind, not empty, or NULL: things alone
/// def     see above
/// error   optional
/// Errors: LF_BAD_ARGUMENT names what is out of bounds, LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED (by the progress of the canvas's
/// host; what was drawn by then stays). Allocates rows of rays and hits per worker with the canvas's allocator.
/// Threads: one per canvas; runs on the tasks of the canvas's host.
LF_API lf_status lf_picture_render(lf_canvas *canvas, lf_rect area, const lf_ground *ground,
                                   const lf_render_def *def, lf_error *error);

#ifdef __cplusplus
}
#endif
#endif
