/// landfall/view.h: what can be seen from an eye: views, and culling of many boxes.
///
/// Everything here errs on one side: what is culled cannot be seen; what is kept may turn out to be outside by rounding.
#ifndef LANDFALL_VIEW_H
#define LANDFALL_VIEW_H

#include <landfall/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// Views
// ---------------------------------------------------------------------------------------------------

/// An eye and what it looks at; start from lf_eye_default().
typedef struct lf_eye {
    size_t size;     ///< stamped by the default function
    lf_vec3 at;      ///< within 1e30
    lf_vec3 forward; ///< finite, not zero, any length
    lf_vec3 up;      ///< finite, not along forward; need not be at right angles to it
    double across;   ///< whole opening angle from left to right, radians, 1e-6 .. 3.12
    double upright;  ///< whole opening angle from bottom to top, likewise
    double nearest;  ///< metres along forward, >= 0, where seeing begins
    double farthest; ///< metres along forward, > nearest, where it ends; INFINITY: as far as there are things
    double
        smallest; ///< things whose diagonal is less than this part of their distance are too small to be seen;
                  ///< >= 0, 0: none is
} lf_eye;

/// From the origin to the north, 90 degrees across and 60 upright, without end.
static inline lf_eye lf_eye_default(void) {
    lf_eye view = {sizeof(lf_eye),     {0, 0, 0}, {0, 1, 0},   {0, 0, 1}, 1.5707963267948966,
                   1.0471975511965976, 0,         LF_INFINITY, 0};
    return view;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to view.
LF_API void lf_eye_init(lf_eye *view, size_t size);

/// The view volume: the common part of half-spaces with unit normals, in the order near, left, right, bottom, top, far (which is
/// left out where the view has no end). It is the planes as they are stored that everything else here keeps to.
/// volume  written only on success. Corners (near, then far, each counter-clockwise from the lower left as the eye sees
///         them) to rounding; without an end there are only the near ones
/// error   optional, names the offending number
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
LF_API lf_status lf_eye_volume(const lf_eye *view, lf_polyhedron *volume, lf_error *error);

/// Where a point appears: right and up of the middle of the picture, as parts of half its width and height (-1 .. 1 is in the
/// picture), and its depth along forward.
/// view   as lf_eye_volume accepts it
/// seen   x, y, and z the depth; where depth <= 0 the point is not in front, and x and y are 0
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
LF_API lf_status lf_eye_project(const lf_eye *view, lf_vec3 point, lf_vec3 *seen);

// ---------------------------------------------------------------------------------------------------
// Culling
// ---------------------------------------------------------------------------------------------------

/// Ways to cull: name, value, word. They are applied in this order, each to what the ones before left.
#define LF_CULL_LIST(X)             \
    X(LF_CULL_PLANES, 1, "planes")  \
    X(LF_CULL_FLAGS, 2, "flags")    \
    X(LF_CULL_BOUNDS, 4, "bounds")  \
    X(LF_CULL_SPHERE, 8, "sphere")  \
    X(LF_CULL_VOLUME, 16, "volume") \
    X(LF_CULL_GROUND, 32, "ground")

/// PLANES: boxes against the planes of the view volume, through a hierarchy, many at a time: the default, and the cheapest.
/// FLAGS:  the world is cut into 4 x 4 x 2 cells; a box and the view volume without a common cell do not meet.
/// BOUNDS: boxes against the box around the view volume.
/// SPHERE: spheres around boxes against the cone around the view volume, its near and its far end.
/// VOLUME: exactly, each thing's polygons (where the def gives them) or else its box against the view volume.
/// GROUND: what the rules' ground hides (lf_view_hidden).
/// The view's `smallest` counts with PLANES and with SPHERE.
typedef enum lf_cull_method {
#define LF_CULL_ENUM(name, value, word) name = value,
    LF_CULL_LIST(LF_CULL_ENUM)
#undef LF_CULL_ENUM
} lf_cull_method;

#define LF_CULL_METHODS 6

/// The word for a method, such as "sphere"; "?" for a value that is none. Static text. Threads: any.
LF_API const char *lf_cull_word(lf_cull_method method);

/// The convex polygons that a thing is made of, in the world, borrowed.
typedef struct lf_cull_shape {
    const lf_vec3 *corners;       ///< of one polygon after the other
    const int32_t *corner_counts; ///< of each polygon, >= 1; NULL: three each
    int64_t polygon_count;
} lf_cull_shape;

/// How to make a culler; start from lf_cull_def_default().
typedef struct lf_cull_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    const lf_box *boxes; ///< copied. Within 1e30; an empty box is a thing that is not there
    int64_t count;       ///< 0 .. 2^31 - 1
    /// What thing `item` is made of, for LF_CULL_VOLUME; false, or no function: its box. It must not use the culler: lf_cull_move,
    /// lf_cull_reset and lf_cull_look return LF_BAD_ARGUMENT there, and lf_cull_destroy is ignored.
    bool (*shape)(void *user, int64_t item, lf_cull_shape *shape);
    void *user;
} lf_cull_def;

static inline lf_cull_def lf_cull_def_default(void) {
    lf_cull_def def = {sizeof(lf_cull_def), {NULL, NULL, NULL, NULL}, NULL, 0, NULL, NULL};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_cull_def_init(lf_cull_def *def, size_t size);

/// Boxes in a hierarchy made for looking: blocks of 64 along a curve through space, and blocks of these.
typedef struct lf_cull lf_cull;

/// Make a culler.
/// cull   written only on success
/// error  optional; `where` is the offending box
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY, LF_TOO_LARGE. Allocates about 120 bytes per box. Threads: any.
LF_API lf_status lf_cull_create(const lf_cull_def *def, lf_cull **cull, lf_error *error);

/// Give a culler back; NULL is fine. Threads: nobody else may be using it.
LF_API void lf_cull_destroy(lf_cull *cull);

/// A thing has another box from now on (empty: it is gone). What follows from that is done by the next look; when boxes have moved so
/// far that their blocks have become twice as large, that look sorts all of them anew.
/// item  0 .. count - 1
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: nobody else may be using the culler.
LF_API lf_status lf_cull_move(lf_cull *cull, int64_t item, lf_box box);

/// All things anew: as destroying the culler and making another one, but with its memory where that suffices.
/// Errors: as lf_cull_create; the culler is then as before.
LF_API lf_status lf_cull_reset(lf_cull *cull, const lf_box *boxes, int64_t count, lf_error *error);

/// How to look; start from lf_cull_rules_default().
typedef struct lf_cull_rules {
    size_t size;             ///< stamped by the default function
    uint32_t methods;        ///< lf_cull_method, one or several of them; 0: everything is kept
    const lf_ground *ground; ///< what hides, for LF_CULL_GROUND
    bool
        ordered; ///< hand numbers out in ascending order; else, by default, as the hierarchy has them, which is sooner
} lf_cull_rules;

static inline lf_cull_rules lf_cull_rules_default(void) {
    lf_cull_rules rules = {sizeof(lf_cull_rules), LF_CULL_PLANES, NULL, false};
    return rules;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to rules.
LF_API void lf_cull_rules_init(lf_cull_rules *rules, size_t size);

typedef struct lf_cull_count {
    int64_t tested;
    int64_t culled;
} lf_cull_count;

/// What a look has found, and what it has done for it.
typedef struct lf_cull_seen {
    int64_t *items;   ///< the caller's room for `capacity` numbers
    int64_t capacity; ///< may be 0
    int64_t count;    ///< how many things may be seen; more than capacity: the first are written
    lf_cull_count
        methods[LF_CULL_METHODS]; ///< in the order of LF_CULL_LIST; PLANES test all things, by blocks
    int64_t groups;               ///< blocks of up to 64 boxes that were tested against planes
    bool volume_made; ///< the view was another one than the last time, or the world had outgrown it
    bool sorted;      ///< the hierarchy was made anew
    double farthest;  ///< of the view volume: the view's, or what was found
} lf_cull_seen;

/// What of all things may be seen.
/// view    as lf_eye_volume accepts it; with the same view as the last time its volume is not made again
/// rules   NULL: the default
/// seen    items and capacity are read, all the rest is written on success
/// error   optional
/// A thing is kept when a point of its (closed) box or polygons is in the closed volume, and it is large enough; what is
/// culled has none, or is too small. Returns LF_PARTIAL when there are more than capacity.
/// Errors: LF_BAD_ARGUMENT (also LF_CULL_GROUND without a ground), LF_NO_MEMORY.
/// Allocates only when it sorts, and when FLAGS are used for the first time. Threads: nobody else may be using the culler. Same
/// answers for any instruction set.
LF_API lf_status lf_cull_look(lf_cull *cull, const lf_eye *view, const lf_cull_rules *rules,
                              lf_cull_seen *seen, lf_error *error);

/// What a look at a scene has found.
typedef struct lf_scene_seen {
    lf_part *parts;   ///< the caller's room for `capacity` parts: tops of instances, or parts of them
    int64_t capacity; ///< may be 0
    int64_t count;    ///< how many there are; more than capacity: the first are written
    lf_cull_count instances;
    int64_t opened;             ///< instances whose parts were looked at one by one
    lf_cull_count parts_looked; ///< of those
    bool volume_made;           ///< the view was another one than the last time, or the world had outgrown it
} lf_scene_seen;

/// What of a scene may be seen, part by part where that pays: of an instance that is not wholly in view, and has eight shapes or more, those
/// parts are left out that cannot be seen. With everything at and below the parts handed out, all is drawn that can be.
/// eye    as lf_eye_volume accepts it
/// rules  how instances are culled; NULL: the default. Parts are tested exactly, by their boxes, against the view volume
/// seen   parts and capacity are read, all the rest is written on success; in the order of instances, then of the tree
/// error  optional
/// Returns LF_PARTIAL when there are more than capacity. The scene keeps its culler from look to look: where nothing has changed nothing is made
/// anew, neither the view's volume nor the hierarchy, and what has moved is moved in it.
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Allocates about 130 bytes per instance with the scene's allocator, which the scene keeps.
/// Threads: one at a time for a scene.
LF_API lf_status lf_scene_look(lf_scene *scene, const lf_eye *eye, const lf_cull_rules *rules,
                               lf_scene_seen *seen, lf_error *error);

/// Does ground hide a whole box from an eye? True only when every straight line from the eye to every point of the box goes below the
/// ground strictly between its ends; false when that could not be shown. On plain grids; other kinds of ground, and grids with
/// holes in the way, hide nothing. Sight finds where the line to the middle is deepest in the ground, and the least height of the
/// ground across the whole width of the box shows whether the same holds for all lines.
/// box     not empty, within 1e30
/// hidden  written only on success
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once, each with its own cursor (or NULL).
LF_API lf_status lf_view_hidden(const lf_ground *ground, lf_vec3 eye, lf_box box, bool *hidden,
                                lf_cursor *cursor);

#ifdef __cplusplus
}
#endif
#endif
