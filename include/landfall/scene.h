/// landfall/scene.h: things made of parts, that stand and move in a world.
///
/// An object is a tree of parts: solids, which have parts below them, and shapes, which are drawn and touched. A scene holds
/// instances of objects; each has geometry of its own, which may change at any time. Everything has a box, at every level, as
/// tight as the shapes allow. What moves is watched by landfall/scene.h.
///
/// Things in a scene are named by ids, which are values. An id that is 0, or of something that has been removed, is an error
/// (LF_BAD_ARGUMENT), never a crash and never somebody else's id: each place counts its generations.
///
/// Coordinates are within 1e30. Where a call says nothing else: one thread at a time for a scene, unless it is up to date
/// (lf_scene_update) and all threads only ask; ids are checked (LF_BAD_ARGUMENT); a failed call changes nothing.
///
/// Callbacks. A watch's own function, the scene's clock, the show function of lf_part_triangles and the host's allocator during a step are
/// called while the scene points into its arrays. They may ask the scene, but every call that changes it returns LF_BAD_ARGUMENT there (with a
/// message that names the call and the callback, where it takes an lf_error), and lf_scene_destroy is ignored. An object's build function may
/// change everything, but cannot make a step. Events are read after a step; whoever reacts to them may change everything.
#ifndef LANDFALL_SCENE_H
#define LANDFALL_SCENE_H

#include <landfall/collide.h>
#include <landfall/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A scene: a world of things.
typedef struct lf_scene lf_scene;

/// Ids; all zero: no object.
typedef struct lf_object {
    uint32_t index, generation; ///< place in the tables, and how often it was used
} lf_object;

/// Id of an instance; all zero: no instance.
typedef struct lf_instance {
    uint32_t index, generation; ///< place in the tables, and how often it was used
} lf_instance;

/// Id of a part; all zero: no part.
typedef struct lf_part {
    uint32_t index, generation; ///< place in the tables, and how often it was used
} lf_part;

static inline bool lf_part_is_none(lf_part part) {
    return part.generation == 0;
}

static inline bool lf_instance_is_none(lf_instance instance) {
    return instance.generation == 0;
}

/// How to make a scene; start from lf_scene_def_default().
///
/// host.progress, which is copied, is told of the work while lf_scene_step and other calls do it: the stage is "scene", `done` counts units of work, each about
/// a comparison of two boxes, since the scene was made, and total is -1. The numbers are the same each time. Returning false ends
/// lf_scene_step and lf_scene_ground_time with LF_CANCELLED, and no other call.
typedef struct lf_scene_def {
    size_t size;      ///< stamped by the default function
    lf_host host;     ///< hooks of the caller
    double thickness; ///< metres, above 0: no side of a part's box is shorter; 0.001 by default
    double (*clock)(
        void *user);  ///< seconds for budgets of watches, from anywhere on; NULL, the default: the system's.
                      ///< It must not change the scene
    void *clock_user; ///< passed to clock
} lf_scene_def;

static inline lf_scene_def lf_scene_def_default(void) {
    lf_scene_def def = {sizeof(lf_scene_def), {NULL, NULL, NULL, NULL}, 0.001, NULL, NULL};
    return def;
}

/// Make an empty scene.
/// def    or NULL for the default
/// scene  written only on success; release it with lf_scene_destroy
/// error  optional
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_scene_create(const lf_scene_def *def, lf_scene **scene, lf_error *error);

/// Destroy a scene with everything in it, not the models and grounds it was shown; NULL is fine. Ignored in callbacks of the scene.
LF_API void lf_scene_destroy(lf_scene *scene);

// ---------------------------------------------------------------------------------------------------
// Shapes, transforms, parts
// ---------------------------------------------------------------------------------------------------

/// What a part is: name, value, word, what it is. All but paths, polygons and models lie with their centre on their origin.
#define LF_SHAPE_LIST(X)                                                                     \
    X(LF_SHAPE_SOLID, 0, "solid", "no shape of its own: what the parts below make of it")    \
    X(LF_SHAPE_RECTANGLE, 1, "rectangle", "flat, size.x by size.y, its front is +z")         \
    X(LF_SHAPE_BOX, 2, "box", "size.x by size.y by size.z")                                  \
    X(LF_SHAPE_SPHERE, 3, "sphere", "of a radius")                                           \
    X(LF_SHAPE_CYLINDER, 4, "cylinder", "of a radius, size.z long, along z, with both lids") \
    X(LF_SHAPE_PATH, 5, "path", "one simple polygon, through vertices in order")             \
    X(LF_SHAPE_POLYGONS, 6, "polygons", "convex polygons that share vertices")               \
    X(LF_SHAPE_MODEL, 7, "model", "an lf_model, which must outlive the scene")

typedef enum lf_shape_kind {
#define LF_SHAPE_ENUM(name, value, word, text) name = value,
    LF_SHAPE_LIST(LF_SHAPE_ENUM)
#undef LF_SHAPE_ENUM
} lf_shape_kind;

/// The name of a kind of shape, such as "cylinder"; "?" for any other value.
/// Static text. Allocates nothing. Threads: any.
LF_API const char *lf_shape_name(lf_shape_kind kind);

/// A shape. Only what its kind speaks of matters. Sizes and radii are above 0; vertices within 1e30.
typedef struct lf_shape {
    lf_shape_kind kind;    ///< which kind
    lf_vec3 size;          ///< of boxes and rectangles, metres
    double radius;         ///< metres
    lf_polygons polygons;  ///< copied; of a path only vertices and vertex_count (3 or more) matter
    const lf_model *model; ///< borrowed
} lf_shape;

/// Whether a transform of a solid acts on it as a whole, or on each shape below it by itself.
typedef enum lf_transform_origin {
    LF_TRANSFORM_ABOUT_WHOLE, ///< about the origin of the part it is given to: two wheels on a turning axle go round
    LF_TRANSFORM_ABOUT_EACH ///< about each shape's own origin, wherever that is by then: two wheels turn in place
} lf_transform_origin;

typedef enum lf_transform_kind {
    LF_TRANSFORM_TRANSLATE,
    LF_TRANSFORM_ROTATE,
    LF_TRANSFORM_SCALE,
    LF_TRANSFORM_FOLDED ///< several earlier ones in one, made by the scene (see lf_part_transform)
} lf_transform_kind;

/// One step of where a part is. A translation moves the same either way.
typedef struct lf_transform {
    lf_transform_kind kind;    ///< which kind
    lf_transform_origin about; ///< what it is relative to
    lf_vec3 vector; ///< translation; axis of the turn, not zero; factors of the scale, none of them 0
    double angle;   ///< of the turn: radians, counter-clockwise seen against the axis
} lf_transform;

static inline lf_transform lf_translation(double x, double y, double z) {
    lf_transform transform = {LF_TRANSFORM_TRANSLATE, LF_TRANSFORM_ABOUT_WHOLE, {x, y, z}, 0};
    return transform;
}

static inline lf_transform lf_turning(lf_transform_origin about, double x, double y, double z, double angle) {
    lf_transform transform = {LF_TRANSFORM_ROTATE, about, {x, y, z}, angle};
    return transform;
}

static inline lf_transform lf_scaling(lf_transform_origin about, double x, double y, double z) {
    lf_transform transform = {LF_TRANSFORM_SCALE, about, {x, y, z}, 0};
    return transform;
}

/// world = rows * local + translation: as an lf_pose, but the rows may scale, shear and mirror.
typedef struct lf_affine {
    lf_vec3 rows[3];     ///< of the matrix
    lf_vec3 translation; ///< metres
} lf_affine;

/// A point as an affine map carries it: (x + y) + z of the products, then the translation.
static inline lf_vec3 lf_affine_point(const lf_affine *map, lf_vec3 p) {
    lf_vec3 at = {lf_vec3_dot(map->rows[0], p) + map->translation.x,
                  lf_vec3_dot(map->rows[1], p) + map->translation.y,
                  lf_vec3_dot(map->rows[2], p) + map->translation.z};
    return at;
}

/// Red, green, blue and opacity, each from 0 to 1. As a part's own colour, a negative opacity means: that of the part above,
/// and at the top of an object light grey.
typedef struct lf_paint {
    float red, green, blue, opacity; ///< 0 to 1; opacity 0 is invisible
} lf_paint;

/// How to make a part; start from lf_part_def_default().
typedef struct lf_part_def {
    size_t size;                    ///< stamped by the default function
    lf_shape shape;                 ///< the shape
    lf_paint colour;                ///< that of the part above by default
    const char *label;              ///< names this one part in its object; NULL: none
    const char *tag;                ///< a kind of part; more by lf_part_set_tag; NULL: none
    const lf_transform *transforms; ///< in order: the first acts first
    int64_t transform_count;        ///< number of transforms
    uint64_t user;                  ///< the caller's own
    uint32_t layers;                ///< as ground (lf_scene_ground), 1 by default; 0: it is not ground
} lf_part_def;

static inline lf_part_def lf_part_def_default(void) {
    lf_part_def def = {sizeof(lf_part_def),
                       {LF_SHAPE_SOLID, {1, 1, 1}, 0.5, {NULL, 0, NULL, NULL, 0, NULL, NULL, NULL}, NULL},
                       {0, 0, 0, -1},
                       NULL,
                       NULL,
                       NULL,
                       0,
                       0,
                       1};
    return def;
}

/// Add a part under a solid, behind those that are there.
/// above  a solid, of an object or of an instance
/// part   written only on success; optional
/// error  optional; `where` is the index of the offending vertex, polygon or transform
/// Errors: LF_BAD_ARGUMENT (above is a shape, a label that its object or instance has already, sizes), LF_BAD_GEOMETRY (NaN, corners out of
/// range, a path that crosses itself or has no area), LF_TOO_LARGE (more than 64 different tags in a scene, deeper than 64),
/// LF_NO_MEMORY.
LF_API lf_status lf_part_add(lf_scene *scene, lf_part above, const lf_part_def *def, lf_part *part,
                             lf_error *error);

/// Remove a part and everything below it. The topmost one of an object or instance stays: LF_BAD_ARGUMENT.
LF_API lf_status lf_part_remove(lf_scene *scene, lf_part part);

/// Add a transform behind those that a part has: it acts after them. One that only goes on with the last one (a translation, a turn about the same axis,
/// a scale) is joined with it; when a part has 64, the earlier half is folded into one. So behaviours may add one each
/// step without end.
/// Errors: LF_BAD_ARGUMENT (not finite, no axis, a factor 0), LF_NO_MEMORY.
LF_API lf_status lf_part_transform(lf_scene *scene, lf_part part, const lf_transform *transform);

/// Replace all transforms of a part. Errors: as lf_part_transform; LF_TRANSFORM_FOLDED cannot be given.
LF_API lf_status lf_part_set_transforms(lf_scene *scene, lf_part part, const lf_transform *transforms,
                                        int64_t count);

/// The transforms of a part, as many as there is space for; count is how many it has. LF_PARTIAL when those are more.
LF_API lf_status lf_part_transforms(const lf_scene *scene, lf_part part, lf_transform *transforms,
                                    int64_t capacity, int64_t *count);

/// Change the shape of a part: other sizes, other vertices, another kind. A solid stays a solid, a shape a shape.
/// Errors: as lf_part_add.
LF_API lf_status lf_part_set_shape(lf_scene *scene, lf_part part, const lf_shape *shape, lf_error *error);

/// Move one vertex of a path or of polygons. vertex in range, to within 1e30. (A path is not checked again.)
LF_API lf_status lf_part_set_vertex(lf_scene *scene, lf_part part, int64_t vertex, lf_vec3 to);

/// Colour a part, or, with a negative opacity, let it have that of the part above. Otherwise each within 0..1.
LF_API lf_status lf_part_set_colour(lf_scene *scene, lf_part part, lf_paint colour);

/// Give a part a tag, or remove it.
/// tag  text of 1 to 63 bytes
/// has  true: the part has the tag from now on; false: it does not
/// Errors: LF_BAD_ARGUMENT, LF_TOO_LARGE (more than 64 different tags in a scene), LF_NO_MEMORY.
LF_API lf_status lf_part_set_tag(lf_scene *scene, lf_part part, const char *tag, bool has);

/// Set the layers of a part, and of all parts below it, as ground.
/// layers  0: it is not ground
/// Errors: LF_BAD_ARGUMENT. Allocates nothing.
LF_API lf_status lf_part_set_layers(lf_scene *scene, lf_part part, uint32_t layers);

/// All parts of instances that have a tag, in the order of their ids' indices. count is how many there are; LF_PARTIAL when those are more than capacity.
LF_API lf_status lf_scene_tagged(const lf_scene *scene, const char *tag, lf_part *parts, int64_t capacity,
                                 int64_t *count);

/// The part with a label, at or under a part; none (all 0) when there is none.
LF_API lf_status lf_part_find(const lf_scene *scene, lf_part under, const char *label, lf_part *part);

/// What a part is and where it belongs.
typedef struct lf_part_info {
    lf_shape shape;   ///< its arrays belong to the scene and stay until the part changes
    lf_paint colour;  ///< that it is drawn in: its own or the nearest above
    lf_vec3 velocity; ///< in the world: given, measured, or else that of the part above or of its instance;
                      ///< zero for a part of an object
    lf_part above;    ///< the part above, or none
    lf_part first;    ///< the first part below, or none
    lf_part next;     ///< the next part beside, or none
    lf_instance instance;    ///< whose part it is; none for a part of an object
    const char *label;       ///< or NULL; stays until the part is removed
    uint64_t user;           ///< the caller's own
    uint32_t layers;         ///< as ground
    int64_t transform_count; ///< number of transforms, see lf_part_transforms
} lf_part_info;

/// Describe a part.
/// info  written only on success
/// Errors: LF_BAD_ARGUMENT. Allocates nothing.
LF_API lf_status lf_part_describe(const lf_scene *scene, lf_part part, lf_part_info *info);

// ---------------------------------------------------------------------------------------------------
// Objects and instances
// ---------------------------------------------------------------------------------------------------

#define LF_OBJECT_PARAMETERS 32

/// How to make an object; start from lf_object_def_default().
///
/// An instance starts as a copy of the object's parts. Then `build`, where there is one, makes of it what the instance's parameters ask
/// for: it may add, change and remove parts under `top`, and change anything else in the scene, other instances included (up to 64 build
/// functions one inside the other). A status below 0 from it takes the instance back.
typedef struct lf_object_def {
    size_t size;                    ///< stamped by the default function
    const char *name;               ///< up to 63 bytes; need not be the only one; NULL: ""
    int64_t parameter_count;        ///< up to LF_OBJECT_PARAMETERS
    const char *const *parameters;  ///< their names; copied
    const double *parameter_values; ///< what they are where an instance says nothing else; copied
    lf_status (*build)(void *user, lf_scene *scene, lf_part top,
                       const double *parameters); ///< builds the parts of a new instance
    void *user;                                   ///< passed to the callbacks
} lf_object_def;

static inline lf_object_def lf_object_def_default(void) {
    lf_object_def def = {sizeof(lf_object_def), NULL, 0, NULL, NULL, NULL, NULL};
    return def;
}

/// Make an object: a solid, under which parts are added.
/// object, top  written only on success; top, the solid, is optional
/// Errors: LF_BAD_ARGUMENT (names, a value that is not finite), LF_NO_MEMORY.
LF_API lf_status lf_object_create(lf_scene *scene, const lf_object_def *def, lf_object *object, lf_part *top,
                                  lf_error *error);

/// Remove an object; its instances stay.
LF_API lf_status lf_object_remove(lf_scene *scene, lf_object object);

/// How an instance moves.
typedef enum lf_motion {
    LF_MOTION_MEASURED, ///< by its caller; its velocity is that of its box's centre over the last steps
    LF_MOTION_GIVEN,    ///< by its caller; the velocity is what the caller says
    LF_MOTION_CARRIED   ///< by the scene, which carries it by the velocity and the spin at each step
} lf_motion;

#define LF_VELOCITY_STEPS 64

/// How to make an instance; start from lf_instance_def_default().
typedef struct lf_instance_def {
    size_t size;              ///< stamped by the default function
    lf_object object;         ///< the object
    lf_pose pose;             ///< rigid; the identity by default
    lf_vec3 scale;            ///< about its origin, before the pose; no factor 0
    lf_paint colour;          ///< negative opacity, the default: that of the object
    lf_motion motion;         ///< measured by default
    int velocity_steps;       ///< over how many steps it is measured, 1 .. LF_VELOCITY_STEPS; 1 by default
    lf_vec3 velocity;         ///< metres per second, where it is not measured
    lf_vec3 spin;             ///< radians per second about the instance's origin, where it is not measured
    const double *parameters; ///< the object's first parameters; NAN: as the object says
    int64_t parameter_count;  ///< number of parameters
    uint64_t user;            ///< the caller's own
} lf_instance_def;

static inline lf_instance_def lf_instance_def_default(void) {
    lf_instance_def def = {sizeof(lf_instance_def),
                           {0, 0},
                           {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
                           {1, 1, 1},
                           {0, 0, 0, -1},
                           LF_MOTION_MEASURED,
                           1,
                           {0, 0, 0},
                           {0, 0, 0},
                           NULL,
                           0,
                           0};
    return def;
}

/// Put an instance of an object into the scene.
/// instance  written only on success
/// error     optional
/// Errors: LF_BAD_ARGUMENT (a pose that is not rigid, too many parameters, not finite), LF_TOO_LARGE (build functions nested deeper than
/// 64), LF_NO_MEMORY, what `build` says.
LF_API lf_status lf_instance_create(lf_scene *scene, const lf_instance_def *def, lf_instance *instance,
                                    lf_error *error);

/// Take an instance and all its parts out of the scene. What it touched gets its end at the next step.
LF_API lf_status lf_instance_remove(lf_scene *scene, lf_instance instance);

/// What an instance is and does.
typedef struct lf_instance_info {
    lf_object object;        ///< may have been removed meanwhile
    const char *name;        ///< of the object; stays until an instance is added or removed
    lf_part top;             ///< its solid
    lf_pose pose;            ///< position and rotation
    lf_vec3 scale;           ///< along each axis
    lf_motion motion;        ///< how it moves
    lf_vec3 velocity;        ///< as it is now, given or measured
    lf_vec3 spin;            ///< radians per second about an axis
    int64_t parameter_count; ///< number of parameters
    uint64_t user;           ///< the caller's own
    const lf_stance *
        stance; ///< how it stood when it was last set on its ground (lf_instance_follow), until the next step;
                ///< NULL: it follows no ground
} lf_instance_info;

/// Describe an instance. Allocates nothing.
LF_API lf_status lf_instance_describe(const lf_scene *scene, lf_instance instance, lf_instance_info *info);

/// A parameter of an instance by its name. LF_BAD_ARGUMENT where its object had none of that name.
LF_API lf_status lf_instance_parameter(const lf_scene *scene, lf_instance instance, const char *name,
                                       double *value);

/// All instances in the order of their ids' indices; count is how many there are, LF_PARTIAL when those are more than capacity.
LF_API lf_status lf_scene_instances(const lf_scene *scene, lf_instance *instances, int64_t capacity,
                                    int64_t *count);

/// Set the pose of an instance.
/// pose  rigid
/// jump  false: between two steps it goes straight from the pose it had to the one it has, and what it meets on that way is
///       reported. true: it is removed here and put there, with nothing between, and its velocity is measured from there on
/// Errors: LF_BAD_ARGUMENT.
LF_API lf_status lf_instance_set_pose(lf_scene *scene, lf_instance instance, const lf_pose *pose, bool jump);

/// Move an instance on, turn it about its own origin (axis not zero, radians), scale it about its origin by factors (none 0).
LF_API lf_status lf_instance_move(lf_scene *scene, lf_instance instance, lf_vec3 by);
LF_API lf_status lf_instance_turn(lf_scene *scene, lf_instance instance, lf_vec3 axis, double angle);
LF_API lf_status lf_instance_scale(lf_scene *scene, lf_instance instance, lf_vec3 factors);

/// How an instance moves from now on.
/// velocity, spin  finite; not used for LF_MOTION_MEASURED
/// steps           over how many steps the velocity is measured, 1 .. LF_VELOCITY_STEPS: two, for a bird that flaps its wings;
///                 0: as before
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY (only with steps); nothing has then changed.
LF_API lf_status lf_instance_set_motion(lf_scene *scene, lf_instance instance, lf_motion motion,
                                        lf_vec3 velocity, lf_vec3 spin, int steps);

/// Keep an instance on a ground: at each step, after it has been moved, and at once. Its origin is set down where lf_ground_stand says, along
/// gravity from where it is, with its x axis as the heading; `lift` metres above. Where it cannot stand it stays as it
/// is.
/// ground     must outlive the scene; NULL: it follows no longer, and the rest does not matter
/// footprint  as for lf_ground_stand; its reach is how far the ground may rise from one step to the next
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY.
LF_API lf_status lf_instance_follow(lf_scene *scene, lf_instance instance, const lf_ground *ground,
                                    const lf_footprint *footprint, double lift);

// ---------------------------------------------------------------------------------------------------
// Boxes, velocities, maps
// ---------------------------------------------------------------------------------------------------

/// Bring all boxes up to date, as a step does. The questions below do it where they must; after this call they change nothing
/// and any number of threads may ask at once.
/// Errors: LF_NO_MEMORY.
LF_API lf_status lf_scene_update(lf_scene *scene);

/// The box of a part in the world: the least one that holds the boxes of its shapes; of an instance, that of its top part. A shape's
/// box is the least one that holds the shape: of rectangles, boxes, paths, polygons and models exactly that of their vertices, as
/// lf_part_map maps them; of spheres and cylinders to 1e-15 of their extent. Where it is thinner than the scene's thickness, it is
/// extended to that, on both sides alike. Empty when there is no shape.
/// part  of an instance; of an object: its box in the object's own coordinates
/// box   written only on success
/// Errors: LF_BAD_ARGUMENT. Allocates nothing.
LF_API lf_status lf_part_box(lf_scene *scene, lf_part part, lf_box *box);

/// Where a shape is: a vertex v of it is at place + lf_affine_point(map, v), rounded in this order.
/// map    the turn and scale of the instance and all transforms
/// place  the position of the instance; zero for a part of an object
/// For a solid it is the map that a shape without transforms of its own would have there.
LF_API lf_status lf_part_map(lf_scene *scene, lf_part part, lf_affine *map, lf_vec3 *place);

/// Set how the velocity of a part of an instance is known: given, measured, or, by default, that of the part above or of its instance.
/// velocity  the velocity in the world, metres per second; NULL: not given
/// steps     without a velocity: it is measured by the centre of the part's box over 1 .. LF_VELOCITY_STEPS steps; 0: not measured
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY; nothing has then changed.
LF_API lf_status lf_part_set_velocity(lf_scene *scene, lf_part part, const lf_vec3 *velocity, int steps);

/// A triangle of a shape in the world.
typedef struct lf_scene_triangle {
    lf_part part;       ///< the part
    lf_vec3 corners[3]; ///< counter-clockwise from the front, also where the shape is mirrored
    lf_paint colour;    ///< the colour
} lf_scene_triangle;

/// Show all triangles at or under a part to a function, part by part in the order of the tree.
/// facets  3 .. 256: into how many a circle is cut. Corners of spheres and cylinders lie on them
/// show    returns false to stop; it must not change the scene
LF_API lf_status lf_part_triangles(lf_scene *scene, lf_part part, int facets,
                                   bool (*show)(void *user, const lf_scene_triangle *triangle), void *user);

// ---------------------------------------------------------------------------------------------------
// Rays and boxes
// ---------------------------------------------------------------------------------------------------

/// The scene as a ground: everything that can be asked of a ground (landfall/ground.h) is answered by the shapes of all instances as
/// they were when lf_scene_update or lf_scene_step last ended, or this call. It exists as long as the scene, and is refitted, not
/// rebuilt, when instances move. As a part of a group, the group needs lf_group_update after that.
///
/// `part` of a hit (of a group's hit: `inner`) is a number for lf_scene_part_of; user is the part's value, or else that of its instance.
/// Boxes, rectangles, paths, polygons and models are met as the polygons of a mesh; spheres and cylinders by a closed form, as far as
/// doubles go, and by walks to within a 64th of the way over them. Elements are faces of boxes (as in lf_group), polygons of models,
/// triangles of polygons and paths, 0 for a sphere, and for a cylinder 0 (side), 1 (top), 2 (bottom).
/// Returns NULL for NULL and when there is no memory. Threads: as other calls that change a scene; queries of the ground: any number at
/// once, while nothing changes the scene.
LF_API const lf_ground *lf_scene_ground(lf_scene *scene);

/// The part that a hit of the scene's ground names; none if it no longer exists. Allocates nothing.
LF_API lf_part lf_scene_part_of(const lf_scene *scene, int64_t number);

/// What a ray met.
typedef struct lf_scene_hit {
    lf_instance instance;  ///< none when it met nothing: t is then the ray's t_max
    lf_part part;          ///< the part
    double t;              ///< position along the ray or line
    lf_vec3 point, normal; ///< unit length, on the front side
    int64_t element;       ///< polygon of polygons and models; 0 otherwise
} lf_scene_hit;

/// First shape that a ray meets. Rectangles, boxes, paths, polygons and models are met exactly as triangles in the shape's own coordinates are, by
/// the ray as it is carried there; spheres and cylinders by a closed form.
/// ray     as for lf_ground_ray_first; the interval is closed, a start inside a shape meets its surface from inside
/// hit     always written
/// Ties:   lowest t, then lowest instance index, then the order of the tree
/// cursor  counters: nodes are boxes of instances, cells are parts; or NULL
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY where boxes have to be brought up to date.
LF_API lf_status lf_scene_ray_first(lf_scene *scene, const lf_ray *ray, lf_scene_hit *hit, lf_cursor *cursor);

/// Every shape that a ray meets, once each, where it is met first; in the order of t, then instance, then part.
/// count  how many there are; LF_PARTIAL when those are more than capacity: the first are then written
LF_API lf_status lf_scene_ray_all(lf_scene *scene, const lf_ray *ray, lf_scene_hit *hits, int64_t capacity,
                                  int64_t *count, lf_cursor *cursor);

/// Every instance whose box shares a point with a box (not empty; touching counts), in the order of their indices.
LF_API lf_status lf_scene_instances_in(lf_scene *scene, lf_box box, lf_instance *instances, int64_t capacity,
                                       int64_t *count, lf_cursor *cursor);

/// Every shape whose box shares a point with a box, in the order of instances, then of the tree.
LF_API lf_status lf_scene_parts_in(lf_scene *scene, lf_box box, lf_part *parts, int64_t capacity,
                                   int64_t *count, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// What it cost
// ---------------------------------------------------------------------------------------------------

/// Work since the scene was made, in units that do not depend on the clock, and what there is.
typedef struct lf_scene_stats {
    int64_t instance_count, part_count, watch_count; ///< how many there are
    int64_t part_boxes;                              ///< boxes of parts computed again
    int64_t vertices;                                ///< looked at for them
    int64_t pair_tests;     ///< pairs looked at closer than the search for pairs does
    int64_t sleeping_pairs; ///< pairs that were not looked at, since they could not have met yet
    int64_t ground_tests;   ///< questions to grounds
    int64_t steps;          ///< steps taken
    double time;            ///< the scene's clock: the sum of all steps, seconds
} lf_scene_stats;

/// Describe a scene, not NULL. Allocates nothing.
LF_API lf_scene_stats lf_scene_describe(const lf_scene *scene);

// ---------------------------------------------------------------------------------------------------
// Standing questions about a scene: tell me when these two touch, or will touch within t seconds.
//
// A world runs like this: move and change things, lf_scene_step, read the events, react, and so on. A step
// looks at everything that happened since the last one, not only at where things are at its end: two things
// that pass through each other in between are told, with the time when they met.
// ---------------------------------------------------------------------------------------------------

/// Id of a watch; all zero: no watch.
typedef struct lf_watch {
    uint32_t index, generation; ///< place in the tables, and how often it was used
} lf_watch;

/// One side of a watch: name, value, word, who it is.
#define LF_WATCH_FILTER_LIST(X)                                                                     \
    X(LF_WATCH_FILTER_ANYTHING, 0, "anything", "every instance there is, those to come too")        \
    X(LF_WATCH_FILTER_INSTANCE, 1, "instance", "one instance")                                      \
    X(LF_WATCH_FILTER_PART, 2, "part", "one part of an instance, with all below it")                \
    X(LF_WATCH_FILTER_TAG, 3, "tag", "every part of an instance that has a tag, those to come too") \
    X(LF_WATCH_FILTER_GROUND, 4, "ground", "the watch's ground; for b only")                        \
    X(LF_WATCH_FILTER_NOTHING, 5, "nothing",                                                        \
      "for b only: a begin is told when a touches no instance any more, an end when it does")

typedef enum lf_watch_filter_kind {
#define LF_WATCH_FILTER_ENUM(name, value, word, text) name = value,
    LF_WATCH_FILTER_LIST(LF_WATCH_FILTER_ENUM)
#undef LF_WATCH_FILTER_ENUM
} lf_watch_filter_kind;

/// What a watch is about.
typedef struct lf_watch_filter {
    lf_watch_filter_kind kind; ///< which kind
    lf_instance instance;      ///< the instance
    lf_part part;              ///< the part
    const char *tag;           ///< copied
} lf_watch_filter;

/// How exactly is looked: name, value, word, what is compared. Each looks closer only where the one before says yes.
#define LF_WATCH_LIST(X)                                                             \
    X(LF_WATCH_BOXES, 0, "boxes", "the boxes of the two")                            \
    X(LF_WATCH_PARTS, 1, "parts", "the boxes of the shapes that they are made of")   \
    X(LF_WATCH_CONVEX, 2, "convex", "the shapes, each as its convex hull")           \
    X(LF_WATCH_MODEL, 3, "model", "the shapes as they are: hollows and holes count") \
    X(LF_WATCH_OWN, 4, "own", "a function of the caller's, asked where the boxes meet")

typedef enum lf_watch_level {
#define LF_WATCH_ENUM(name, value, word, text) name = value,
    LF_WATCH_LIST(LF_WATCH_ENUM)
#undef LF_WATCH_ENUM
} lf_watch_level;

/// The name of a level, such as "convex"; "?" for any other value. Static text. Allocates nothing. Threads: any.
LF_API const char *lf_watch_level_name(lf_watch_level level);

/// What happened: name, value, word, what it means.
#define LF_EVENT_LIST(X)                                                                                   \
    X(LF_EVENT_BEGIN, 0, "begin", "they touch, and did not before")                                        \
    X(LF_EVENT_STAY, 1, "stay",                                                                            \
      "they go on touching; told at each step, and only to watches that ask for it")                       \
    X(LF_EVENT_END, 2, "end", "they touch no longer, or one of them is gone")                              \
    X(LF_EVENT_PREDICTED, 3, "predicted", "if they go on like this they will touch within the time ahead") \
    X(LF_EVENT_CLEARED, 4, "cleared", "they will not any more; not told when the prediction came true")

typedef enum lf_event_kind {
#define LF_EVENT_ENUM(name, value, word, text) name = value,
    LF_EVENT_LIST(LF_EVENT_ENUM)
#undef LF_EVENT_ENUM
} lf_event_kind;

/// The name of an event, such as "begin"; "?" for any other value. Static text. Allocates nothing. Threads: any.
LF_API const char *lf_event_name(lf_event_kind kind);

/// The bit of an event in a watch's `events`.
#define LF_EVENT_BIT(kind) (1u << (kind))

/// A thing that a watch speaks of: an instance, and the part where it is one.
typedef struct lf_thing {
    lf_instance instance; ///< none for ground and nothing
    lf_part part;         ///< none when all of the instance is meant
} lf_thing;

/// What a function of the caller's is asked: when do these two touch, if they go on like this?
typedef struct lf_watch_callback {
    lf_scene *scene; ///< may be asked; calls that change it return LF_BAD_ARGUMENT
    lf_thing a, b;   ///< the two objects
    double ahead;    ///< seconds
} lf_watch_callback;

/// How to make a watch; start from lf_watch_def_default().
typedef struct lf_watch_def {
    size_t size;             ///< stamped by the default function
    lf_watch_filter a, b;    ///< what is compared with what
    const lf_ground *ground; ///< for LF_WATCH_FILTER_GROUND; must outlive the watch
    double ahead;            ///< seconds, 0 or more: contacts up to so far ahead are predicted; 0: none are
    int64_t ahead_ticks;     ///< the same in steps of the length of the last one; what is longer counts
    lf_watch_level level;    ///< boxes by default
    const lf_contact_method *method; ///< how boxes are predicted, borrowed; NULL: by lf_contact_boxes
    uint32_t events;                 ///< bits of the events wanted; all but LF_EVENT_STAY by default
    double gap;     ///< metres, 0 or more: an end is told only when they are so far apart (boxes)
    double slack;   ///< 0 or more: a prediction stands until there is no contact within (1 + slack) times
                    ///< the time ahead; 0.25 by default. It is told again when its moment moves
                    ///< by more than slack times the time ahead, at least by half a step
    bool own_parts; ///< also two parts of one instance, neither of them below the other
    double budget;  ///< seconds that the watch may spend on looking closer than at boxes of parts, at each
                    ///< step; INFINITY by default. Who comes later is told as those boxes say, and marked
    double (*own)(void *user,
                  const lf_watch_callback *question); ///< seconds until contact, 0: now; INFINITY: not
                                                      ///< within the time ahead
    void *own_user;                                   ///< passed to own
    uint64_t user;                                    ///< comes back in the events
} lf_watch_def;

/// The default: anything against anything, by boxes, nothing ahead.
static inline lf_watch_def lf_watch_def_default(void) {
    lf_watch_def def = {sizeof(lf_watch_def),
                        {LF_WATCH_FILTER_ANYTHING, {0, 0}, {0, 0}, NULL},
                        {LF_WATCH_FILTER_ANYTHING, {0, 0}, {0, 0}, NULL},
                        NULL,
                        0,
                        0,
                        LF_WATCH_BOXES,
                        NULL,
                        LF_EVENT_BIT(LF_EVENT_BEGIN) | LF_EVENT_BIT(LF_EVENT_END) |
                            LF_EVENT_BIT(LF_EVENT_PREDICTED) | LF_EVENT_BIT(LF_EVENT_CLEARED),
                        0,
                        0.25,
                        false,
                        LF_INFINITY,
                        NULL,
                        NULL,
                        0};
    return def;
}

/// Set up a watch; it looks from the next step on. Two things that touch already are told then.
/// watch  written only on success; optional
/// error  optional
/// Errors: LF_BAD_ARGUMENT (ids, sides that cannot be, numbers), LF_TOO_LARGE (tags), LF_NO_MEMORY.
LF_API lf_status lf_watch_create(lf_scene *scene, const lf_watch_def *def, lf_watch *watch, lf_error *error);

/// End a watch; what it knew is forgotten and not told.
LF_API lf_status lf_watch_remove(lf_scene *scene, lf_watch watch);

/// One thing that happened to one pair. A pair is told once to each watch, however many of their parts meet.
typedef struct lf_event {
    lf_event_kind kind; ///< which kind
    lf_watch watch;     ///< the watch
    lf_thing a, b; ///< as the watch names its sides; where both fit both, the one with the lower index first
    lf_part part_a, part_b; ///< shapes that met, by the levels that know; none otherwise
    double
        time; ///< of the contact by the scene's clock: begin: when it began; predicted: when it will; otherwise: now
    double wait; ///< seconds from the end of this step to that time: not above 0 for what has happened
    bool coarse; ///< the watch's budget was spent: boxes of parts said so
    lf_hit
        ground; ///< for LF_WATCH_FILTER_GROUND: the ground under the middle of the thing at that time, or else over it
    uint64_t user; ///< of the watch
} lf_event;

/// Let time pass: carry what the scene carries, set down what follows a ground, bring boxes and velocities up to date, and find out what
/// happened to every watch.
/// dt  seconds, above 0, finite
/// What is exact. A step takes every thing straight from where it was at the end of the last step to where it is. Boxes and boxes of parts: each
/// side of a box moves evenly; whether, and when, they touch on the way is the closed form's answer. Convex and model: shapes have the form they
/// have now and turn evenly, with their instance about its origin, or, where they moved by themselves, about their own, by less than half a turn; never late and
/// never missed, early by no more than 1e-6 of the size of the two on their way. Against ground a thing is moved straight, in its
/// present form; the time is early by at most 1e-6 of the interval looked at. What was made, or has jumped, since the last step comes from where it was put.
/// Two things that touch before and after the step are said to go on touching, even if they were apart for a moment between.
/// Predictions start from the velocities (and the spins) at the end of the step.
/// error  optional; `where` is the index of the watch that was at work, -1 when there was none
/// Errors: LF_BAD_ARGUMENT (dt; called from a callback of the scene), LF_NO_MEMORY, LF_CANCELLED (by the scene's host.progress): things have moved then, and the events that could be
/// found are there.
LF_API lf_status lf_scene_step(lf_scene *scene, double dt, lf_error *error);

/// What the last step told. The order is fixed: by time, then by the watch's index, then by a, then by b (instance, then part), then by
/// kind. Predictions go by the time that is predicted, which is never before the end of the step.
/// events  belongs to the scene and stays until the next step
/// count   how many
/// Errors: LF_BAD_ARGUMENT (also while a step is under way, in its callbacks). Allocates nothing.
LF_API lf_status lf_scene_events(const lf_scene *scene, const lf_event **events, int64_t *count);

/// Seconds until a thing meets a ground if it goes on like this: the question behind a watch on LF_WATCH_FILTER_GROUND.
/// thing    an instance, or a part of one
/// level    boxes, parts, or model (the triangles of the shapes; convex is the same here)
/// ahead    seconds, above 0 and finite
/// seconds  written on success: 0 when it touches the ground or is, in part, under it; INFINITY when it does not meet it within `ahead`. Never late, early by at
///          most 1e-6 of `ahead`; a thing that spins is taken as the cube that holds it in every turn. Ground that is smaller than
///          one triangle of the thing swept over `ahead`, and wholly inside that, is not felt
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Threads: one at a time for a scene.
LF_API lf_status lf_scene_ground_time(lf_scene *scene, lf_thing thing, const lf_ground *ground,
                                      lf_watch_level level, double ahead, double *seconds);

// ---------------------------------------------------------------------------------------------------
// What can be seen from an eye: views, and culling of many boxes.
//
// Everything here errs on one side: what is culled cannot be seen; what is kept may turn out to be outside by
// rounding.
// ---------------------------------------------------------------------------------------------------

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

/// Ways to cull, as bits. They are applied in this order, each to what the ones before left. The view's `smallest` counts with
/// PLANES and with SPHERE. FLAGS, BOUNDS and SPHERE are Gottstein's: they need lf_cull_rules.filters.
typedef enum lf_cull_method {
    LF_CULL_PLANES =
        1, ///< boxes against the planes of the view volume, through a hierarchy, many at a time: the default
    LF_CULL_FLAGS =
        2, ///< the world is cut into 4 x 4 x 2 cells; a box and the view volume without a common cell do not meet
    LF_CULL_BOUNDS = 4, ///< boxes against the box around the view volume
    LF_CULL_SPHERE =
        8, ///< spheres around boxes against the cone around the view volume, its near and its far end
    LF_CULL_VOLUME =
        16, ///< exactly, each thing's polygons (where the def gives them) or else its box against the view volume
    LF_CULL_GROUND =
        32 ///< what the rules' ground hides: things of which every straight line from the eye to every
    ///< point of the box goes below the ground strictly between its ends. Only grids hide, where no void
    ///< is in the way; what could not be proven is kept
} lf_cull_method;

#define LF_CULL_METHODS 6

/// Culling methods beside the core's own: lf_gottstein_filters() of <landfall/published.h>.
typedef struct lf_cull_filters lf_cull_filters;

/// The convex polygons that a thing is made of, in the world, borrowed.
typedef struct lf_cull_shape {
    const lf_vec3 *corners;       ///< of one polygon after the other
    const int32_t *corner_counts; ///< of each polygon, >= 1; NULL: three each
    int64_t polygon_count;        ///< number of polygons
} lf_cull_shape;

/// How to make a culler; start from lf_cull_def_default().
typedef struct lf_cull_def {
    size_t size;         ///< stamped by the default function
    lf_host host;        ///< hooks of the caller
    const lf_box *boxes; ///< copied. Within 1e30; an empty box is a thing that is not there
    int64_t count;       ///< 0 .. 2^31 - 1
    /// What thing `item` is made of, for LF_CULL_VOLUME; false, or no function: its box. It must not use the culler: lf_cull_move and
    /// lf_cull_query return LF_BAD_ARGUMENT there, and lf_cull_destroy is ignored.
    bool (*shape)(void *user, int64_t item, lf_cull_shape *shape);
    void *user; ///< passed to the callbacks
} lf_cull_def;

static inline lf_cull_def lf_cull_def_default(void) {
    lf_cull_def def = {sizeof(lf_cull_def), {NULL, NULL, NULL, NULL}, NULL, 0, NULL, NULL};
    return def;
}

/// Boxes in a hierarchy made for looking: blocks of 64 along a curve through space, and blocks of these.
typedef struct lf_cull lf_cull;

/// Make a culler.
/// cull   written only on success
/// error  optional; `where` is the offending box
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY, LF_TOO_LARGE. Allocates about 120 bytes per box. Threads: any.
LF_API lf_status lf_cull_create(const lf_cull_def *def, lf_cull **cull, lf_error *error);

/// Destroy a culler; NULL is fine. Threads: nobody else may be using it.
LF_API void lf_cull_destroy(lf_cull *cull);

/// A thing has another box from now on (empty: it is gone). What follows from that is done by the next look; when boxes have moved so
/// far that their blocks have become twice as large, that look sorts all of them again.
/// item  0 .. count - 1
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: nobody else may be using the culler.
LF_API lf_status lf_cull_move(lf_cull *cull, int64_t item, lf_box box);

/// How to look; start from lf_cull_rules_default().
typedef struct lf_cull_rules {
    size_t size;             ///< stamped by the default function
    uint32_t methods;        ///< lf_cull_method, one or several of them; 0: everything is kept
    const lf_ground *ground; ///< what hides, for LF_CULL_GROUND
    bool
        ordered; ///< hand numbers out in ascending order; else, by default, as the hierarchy has them, which is sooner
    const lf_cull_filters *filters; ///< for LF_CULL_FLAGS, LF_CULL_BOUNDS and LF_CULL_SPHERE; NULL by default
} lf_cull_rules;

static inline lf_cull_rules lf_cull_rules_default(void) {
    lf_cull_rules rules = {sizeof(lf_cull_rules), LF_CULL_PLANES, NULL, false, NULL};
    return rules;
}

/// How much a culling method did.
typedef struct lf_cull_count {
    int64_t tested; ///< number tested
    int64_t culled; ///< number culled
} lf_cull_count;

/// What a look has found, and what it has done for it.
typedef struct lf_cull_result {
    int64_t *items;   ///< the caller's space for `capacity` numbers
    int64_t capacity; ///< may be 0
    int64_t count;    ///< how many things may be seen; more than capacity: the first are written
    lf_cull_count methods[LF_CULL_METHODS]; ///< in the order of their bits; PLANES test all things, by blocks
    int64_t groups;                         ///< blocks of up to 64 boxes that were tested against planes
    bool volume_made; ///< the view was another one than the last time, or the world had outgrown it
    bool sorted;      ///< the hierarchy was rebuilt
    double farthest;  ///< of the view volume: the view's, or what was found
} lf_cull_result;

/// What of all things may be seen.
/// view    as lf_eye_volume accepts it; with the same view as the last time its volume is not made again
/// rules   NULL: the default
/// seen    items and capacity are read, all the rest is written on success
/// error   optional
/// A thing is kept when a point of its (closed) box or polygons is in the closed volume, and it is large enough; what is
/// culled has none, or is too small. Returns LF_PARTIAL when there are more than capacity.
/// Errors: LF_BAD_ARGUMENT (also LF_CULL_GROUND without a ground, and published methods without filters), LF_NO_MEMORY.
/// Allocates only when it sorts, and when FLAGS are used for the first time. Threads: nobody else may be using the culler. Same
/// answers for any instruction set.
LF_API lf_status lf_cull_query(lf_cull *cull, const lf_eye *view, const lf_cull_rules *rules,
                               lf_cull_result *seen, lf_error *error);

/// What a look at a scene has found.
typedef struct lf_scene_cull_result {
    lf_part *parts;          ///< the caller's space for `capacity` parts: tops of instances, or parts of them
    int64_t capacity;        ///< may be 0
    int64_t count;           ///< how many there are; more than capacity: the first are written
    lf_cull_count instances; ///< work done on instances
    int64_t opened;          ///< instances whose parts were looked at one by one
    lf_cull_count parts_looked; ///< of those
    bool volume_made;           ///< the view was another one than the last time, or the world had outgrown it
} lf_scene_cull_result;

/// What of a scene may be seen, part by part where that pays: of an instance that is not wholly in view, and has eight shapes or more, those
/// parts are left out that cannot be seen. With everything at and below the parts handed out, all is drawn that can be.
/// eye    as lf_eye_volume accepts it
/// rules  how instances are culled; NULL: the default. Parts are tested exactly, by their boxes, against the view volume
/// seen   parts and capacity are read, all the rest is written on success; in the order of instances, then of the tree
/// error  optional
/// Returns LF_PARTIAL when there are more than capacity. The scene keeps its culler from look to look: where nothing has changed nothing is made
/// again, neither the view's volume nor the hierarchy, and what has moved is moved in it.
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Allocates about 130 bytes per instance with the scene's allocator, which the scene keeps.
/// Threads: one at a time for a scene.
LF_API lf_status lf_scene_cull(lf_scene *scene, const lf_eye *eye, const lf_cull_rules *rules,
                               lf_scene_cull_result *seen, lf_error *error);

#ifdef __cplusplus
}
#endif
#endif
