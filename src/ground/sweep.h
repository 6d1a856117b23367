/// Sweeps: a moving sphere or box, and what it meets first, for all kinds of ground.
#ifndef LF_GROUND_SWEEP_H
#define LF_GROUND_SWEEP_H

#include "ground/ground.h"

/// An object at the start of its motion: a sphere, or a box (radius 0).
typedef struct lf__sweep_mover {
    lf_vec3 centre;
    double radius;
    lf_vec3 axes[3]; ///< of a box, each as long as half its side; zero for a sphere
    lf_vec3 motion;
} lf__sweep_mover;

/// What a contact is named after.
typedef struct lf__sweep_element {
    int64_t element;
    int32_t triangle;
    uint64_t user;
    uint32_t layers;
} lf__sweep_element;

/// A sweep in the coordinates of the ground that is searched.
struct lf__sweeping {
    lf__sweep_mover mover;
    lf_vec3 reach; ///< half the sides of the object's bounding box
    double tolerance;
    double end; ///< t of the first contact so far, or 1: what is later does not matter
    bool found;
    lf_hit *hit;               ///< of the first contact so far
    lf__sweep_element element; ///< the one at hand
    lf_hit_kind kind;          ///< of hits
    uint32_t layers;           ///< only these
    bool no_globe;             ///< globes are left out
    uint64_t tested;           ///< triangles
    lf_cursor *cursor;

    // Another search of triangles may use the same lists. Its own place and directions are the mover's, which
    // are carried along into parts.

    bool (*near)(const lf__sweeping *search, const lf_box *box); ///< or NULL: instead of lf__sweep_comes_near
    void (*each)(const lf__sweeping *search,
                 const lf_vec3 triangle[3]); ///< and of the contact with a triangle
    void *user;
    const lf_ground *skip; ///< a part in its place that is not searched
};

/// Can the object come near a box before `end`? For visitors, with an lf__sweeping.
bool lf__sweep_comes_near(void *sweep, const lf_box *box);

/// A triangle of some thickness on both sides, of the element at hand.
void lf__sweep_triangle(lf__sweeping *sweep, const lf_vec3 triangle[3], double thick);

/// Four corners in cyclic order, as two triangles.
void lf__sweep_flat(lf__sweeping *sweep, const lf_vec3 corners[4], double thick);

/// Can the object come near any part of a patch that lies within `off` of its two triangles? Never wrong when false.
bool lf__sweep_reaches(const lf__sweeping *sweep, const lf_vec3 corners[4], double off);

/// A curved surface p(u, v), and bounds of its second derivatives.
typedef struct lf__sweep_patch {
    lf_vec3 (*at)(const void *user, double u, double v);
    const void *user;
    double uu, uv, vv;
} lf__sweep_patch;

/// The part of a curved surface over a range of u (x of the box) and v (y): it is cut until it is flat to within half the
/// tolerance where the object can reach it.
void lf__sweep_curved(lf__sweeping *sweep, const lf__sweep_patch *patch, lf_box range);

/// A sphere against everything, or everything but globes; as lf_ground_sweep. false: it meets nothing.
bool lf__sweep_sphere(const lf_ground *ground, const lf_sweep *sphere, uint32_t layers, bool globes,
                      lf_hit *hit);

/// Half the sides of the bounding box of a mover.
lf_vec3 lf__sweep_reach(const lf__sweep_mover *mover);

#endif
