/// Views from the inside: the volume of a view, with what each way of culling wants to know of it.
#ifndef LF_SCENE_VIEW_H
#define LF_SCENE_VIEW_H

#include "base/base.h"
#include <landfall/scene.h>

#define LF__VIEW_PLANES 6

/// A view made ready. The planes are the truth; the rest is rounded, and `blur` says by how much at most.
typedef struct lf__volume {
    lf_vec3 eye, forward, right, up; ///< unit vectors at right angles
    double across, upright;          ///< tangents of half the opening angles
    double nearest, farthest; ///< farthest is finite for the corners' sake; endless: no plane stands there
    bool endless;
    double smallest;
    int plane_count;
    lf_plane planes[LF__VIEW_PLANES]; ///< near, left, right, bottom, top, far
    lf_vec3 corners[8];               ///< near, then far, each counter-clockwise from the lower left
    double blur;                      ///< how far corners, and points computed from them, can be off
    lf_box bounds;                    ///< holds the volume for certain
    double cone_sine, cone_cosine;    ///< of the half angle of the cone around it
} lf__volume;

/// Check a view of full size.
lf_status lf__eye_check(const lf_eye *full, lf_error *error);

/// Bring a caller's view to full size, and check it.
lf_status lf__view_read(const lf_eye *view, lf_eye *full, lf_error *error);

/// The volume of a view that has been read. Where the view has no end, corners are put at `farthest`.
void lf__volume_make(const lf_eye *view, double farthest, lf__volume *volume);

/// How far things in a box can be along forward, rounded up; never below a view's beginning.
double lf__view_reach(const lf_eye *view, lf_box world);

/// Surely outside, by the box around the volume.
static inline bool lf__outside_bounds(const lf__volume *volume, const lf_box *box) {
    return !lf_box_overlap(volume->bounds, *box);
}

/// Surely outside of the cone, before its beginning or behind its end, or too small: by the sphere around a box.
bool lf__outside_cone(const lf__volume *volume, const lf_box *box);

/// Surely outside: separated by a plane along a face or an edge of either. For boxes that is exact but for rounding.
bool lf__outside_volume(const lf__volume *volume, const lf_box *box);

/// Surely outside: nothing of any polygon is in the volume.
bool lf__shape_outside_volume(const lf__volume *volume, const lf_cull_shape *shape);

#endif
