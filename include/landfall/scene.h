/// landfall/scene.h: objects made of parts, their instances in a scene, contact events, prediction and culling.
///
/// An object is a tree of parts: solids, which have parts below them, and shapes, which are drawn and collide. A
/// scene holds instances of objects; each instance has its own geometry, which may change at any time. Every part and
/// every instance has a bounding box, as tight as its shapes allow. Watches report contacts between instances.
///
/// Objects, instances, parts and watches are identified by ids, which are values. An id that is 0, or that belongs to
/// something that was removed, is an error (LF_BAD_ARGUMENT); it never refers to something else, because a
/// generation is counted for each index.
///
/// Coordinates are within 1e30. Unless a call states otherwise: a scene is used by one thread at a time, or by any
/// number of threads that only query it while it is up to date (lf_scene_update); ids are checked (LF_BAD_ARGUMENT);
/// a call that fails changes nothing.
///
/// Callbacks. The function `own` of a watch, the clock of the scene, the function of lf_part_triangles and, during a
/// step, the allocator of the host are called while the scene holds pointers into its arrays. They may query the
/// scene. Calls that change it return LF_BAD_ARGUMENT there (calls with an lf_error name the call and the callback),
/// and lf_scene_destroy is ignored. The build function of an object may change everything, but cannot make a step.
/// Events are read after a step, when everything may be changed.
#ifndef LANDFALL_SCENE_H
#define LANDFALL_SCENE_H

#include <landfall/collide.h>
#include <landfall/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A scene: objects, instances and watches.
typedef struct lf_scene lf_scene;

/// Id of an object; all zero: no object.
typedef struct lf_object {
    uint32_t index, generation; ///< index in the tables, and how often it was used before
} lf_object;

/// Id of an instance; all zero: no instance.
typedef struct lf_instance {
    uint32_t index, generation; ///< index in the tables, and how often it was used before
} lf_instance;

/// Id of a part; all zero: no part.
typedef struct lf_part {
    uint32_t index, generation; ///< index in the tables, and how often it was used before
} lf_part;

/// Is this the id of no part?
static inline bool lf_part_is_none(lf_part part) {
    return part.generation == 0;
}

/// Is this the id of no instance?
static inline bool lf_instance_is_none(lf_instance instance) {
    return instance.generation == 0;
}

/// How to make a scene; start from lf_scene_def_default().
///
/// host.progress, which is copied, is called during lf_scene_step and other calls: the stage is "scene", `done` is the
/// work since the scene was created (a unit is about one comparison of two boxes), and `total` is -1. The numbers are
/// the same in every run. If it returns false, lf_scene_step and lf_scene_ground_time end with LF_CANCELLED; other
/// calls go on.
typedef struct lf_scene_def {
    size_t size;      ///< stamped by the default function
    lf_host host;     ///< hooks of the caller
    double thickness; ///< metres, > 0: least side of the box of a part; 0.001 by default
    /// Seconds since any fixed moment, for the budgets of watches; NULL (default): the system's clock. It must not
    /// change the scene.
    double (*clock)(void *user);
    void *clock_user; ///< passed to clock
} lf_scene_def;

static inline lf_scene_def lf_scene_def_default(void) {
    lf_scene_def def = {sizeof(lf_scene_def), {NULL, NULL, NULL, NULL}, 0.001, NULL, NULL};
    return def;
}

/// Create an empty scene.
/// def    NULL: the default
/// scene  written only on success; free it with lf_scene_destroy
/// error  optional
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_scene_create(const lf_scene_def *def, lf_scene **scene, lf_error *error);

/// Destroy a scene with everything in it, but not the models and grounds that it refers to; NULL is accepted. Ignored in
/// callbacks of the scene.
LF_API void lf_scene_destroy(lf_scene *scene);

// ---------------------------------------------------------------------------------------------------
// Shapes, transforms, parts
// ---------------------------------------------------------------------------------------------------

/// Kinds of parts: identifier, value, name, description. Rectangles, boxes, spheres and cylinders are centred on their
/// origin.
#define LF_SHAPE_LIST(X)                                                                     \
    X(LF_SHAPE_SOLID, 0, "solid", "no shape of its own, only the parts below it")            \
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

/// A shape. Only the fields of its kind are used. Sizes and radii are > 0; vertices are within 1e30.
typedef struct lf_shape {
    lf_shape_kind kind;    ///< which kind
    lf_vec3 size;          ///< of boxes and rectangles, metres
    double radius;         ///< metres
    lf_polygons polygons;  ///< copied; a path uses only vertices and vertex_count (3 or more)
    const lf_model *model; ///< borrowed
} lf_shape;

/// Whether a transform of a solid acts on the solid as a whole, or on each shape below it separately.
typedef enum lf_transform_origin {
    LF_TRANSFORM_ABOUT_WHOLE, ///< about the origin of the part: two wheels orbit the middle of their axle
    LF_TRANSFORM_ABOUT_EACH   ///< about the current origin of each shape: two wheels rotate in place
} lf_transform_origin;

/// Kinds of transforms.
typedef enum lf_transform_kind {
    LF_TRANSFORM_TRANSLATE, ///< by a vector
    LF_TRANSFORM_ROTATE,    ///< by an angle about an axis
    LF_TRANSFORM_SCALE,     ///< by a factor along each axis
    LF_TRANSFORM_FOLDED     ///< several earlier transforms, combined by the scene (see lf_part_transform)
} lf_transform_kind;

/// One transform of a part. For translations `about` makes no difference.
typedef struct lf_transform {
    lf_transform_kind kind;    ///< which kind
    lf_transform_origin about; ///< what it is relative to
    /// The translation; the axis of rotation, not zero; the factors of a scale, none of them 0.
    lf_vec3 vector;
    double angle; ///< of a rotation: radians, counter-clockwise for an observer whom the axis points at
} lf_transform;

/// A translation, in metres.
static inline lf_transform lf_translation(double x, double y, double z) {
    lf_transform transform = {LF_TRANSFORM_TRANSLATE, LF_TRANSFORM_ABOUT_WHOLE, {x, y, z}, 0};
    return transform;
}

/// A rotation by an angle in radians about the axis x, y, z.
static inline lf_transform lf_turning(lf_transform_origin about, double x, double y, double z, double angle) {
    lf_transform transform = {LF_TRANSFORM_ROTATE, about, {x, y, z}, angle};
    return transform;
}

/// A scale by a factor along each axis.
static inline lf_transform lf_scaling(lf_transform_origin about, double x, double y, double z) {
    lf_transform transform = {LF_TRANSFORM_SCALE, about, {x, y, z}, 0};
    return transform;
}

/// An affine map: world = rows * local + translation. Unlike an lf_pose it may scale, shear and mirror.
typedef struct lf_affine {
    lf_vec3 rows[3];     ///< of the matrix
    lf_vec3 translation; ///< metres
} lf_affine;

/// Apply an affine map to a point. Order of operations: (x + y) + z of the products, then the translation.
static inline lf_vec3 lf_affine_point(const lf_affine *map, lf_vec3 p) {
    lf_vec3 at = {lf_vec3_dot(map->rows[0], p) + map->translation.x,
                  lf_vec3_dot(map->rows[1], p) + map->translation.y,
                  lf_vec3_dot(map->rows[2], p) + map->translation.z};
    return at;
}

/// Red, green, blue and opacity, each from 0 to 1. The colour of a part with a negative opacity is that of the part above;
/// at the top of an object it is light grey.
typedef struct lf_paint {
    float red, green, blue, opacity; ///< 0 to 1; opacity 0 is invisible
} lf_paint;

/// How to make a part; start from lf_part_def_default().
typedef struct lf_part_def {
    size_t size;                    ///< stamped by the default function
    lf_shape shape;                 ///< the shape
    lf_paint colour;                ///< that of the part above by default
    const char *label;              ///< name of this part, unique in its object; NULL: none
    const char *tag;                ///< one tag; lf_part_set_tag adds more; NULL: none
    const lf_transform *transforms; ///< applied in this order
    int64_t transform_count;        ///< number of transforms
    uint64_t user;                  ///< any value of the caller
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

/// Add a part below a solid, after the parts that are there.
/// above  a solid, of an object or of an instance
/// part   written only on success; optional
/// error  optional; `where` is the index of the offending vertex, polygon or transform
/// Errors: LF_BAD_ARGUMENT (above is a shape; a label that its object or instance has already; sizes),
/// LF_BAD_GEOMETRY (NaN, corners out of range, a path that crosses itself or has no area), LF_TOO_LARGE (more than 64
/// different tags in a scene, more than 64 levels of parts), LF_NO_MEMORY.
LF_API lf_status lf_part_add(lf_scene *scene, lf_part above, const lf_part_def *def, lf_part *part,
                             lf_error *error);

/// Remove a part and everything below it. Errors: LF_BAD_ARGUMENT for the top part of an object or instance.
LF_API lf_status lf_part_remove(lf_scene *scene, lf_part part);

/// Add a transform to a part; it is applied after those that the part has. One of the same kind as the last (a
/// translation, a rotation about the same axis, a scale) is merged with it, and of 64 transforms the earlier half is
/// combined into one, so that a transform may be added at every step without limit.
/// Errors: LF_BAD_ARGUMENT (not finite, an axis of length 0, a factor 0), LF_NO_MEMORY.
LF_API lf_status lf_part_transform(lf_scene *scene, lf_part part, const lf_transform *transform);

/// Replace all transforms of a part. Errors: as lf_part_transform; LF_BAD_ARGUMENT for LF_TRANSFORM_FOLDED.
LF_API lf_status lf_part_set_transforms(lf_scene *scene, lf_part part, const lf_transform *transforms,
                                        int64_t count);

/// The transforms of a part.
/// transforms  space for capacity of them
/// count       how many there are; when more than capacity, the first are written and LF_PARTIAL is returned
LF_API lf_status lf_part_transforms(const lf_scene *scene, lf_part part, lf_transform *transforms,
                                    int64_t capacity, int64_t *count);

/// Replace the shape of a part: sizes, vertices or kind. A solid cannot become a shape, nor a shape a solid.
/// Errors: as lf_part_add.
LF_API lf_status lf_part_set_shape(lf_scene *scene, lf_part part, const lf_shape *shape, lf_error *error);

/// Move one vertex of a path or of polygons. Whether a path then crosses itself is not checked.
/// vertex  in range
/// to      within 1e30
LF_API lf_status lf_part_set_vertex(lf_scene *scene, lf_part part, int64_t vertex, lf_vec3 to);

/// Set the colour of a part: each component from 0 to 1; a negative opacity: the colour of the part above.
LF_API lf_status lf_part_set_colour(lf_scene *scene, lf_part part, lf_paint colour);

/// Add a tag to a part, or remove it.
/// tag  text of 1 to 63 bytes
/// has  true: add; false: remove
/// Errors: LF_BAD_ARGUMENT, LF_TOO_LARGE (more than 64 different tags in a scene), LF_NO_MEMORY.
LF_API lf_status lf_part_set_tag(lf_scene *scene, lf_part part, const char *tag, bool has);

/// Set the layers of a part, and of all parts below it, as ground.
/// layers  0: it is not ground
/// Errors: LF_BAD_ARGUMENT. Allocates nothing.
LF_API lf_status lf_part_set_layers(lf_scene *scene, lf_part part, uint32_t layers);

/// All parts of instances that have a tag, in the order of their indices.
/// parts  space for capacity of them
/// count  how many there are; when more than capacity, the first are written and LF_PARTIAL is returned
LF_API lf_status lf_scene_tagged(const lf_scene *scene, const char *tag, lf_part *parts, int64_t capacity,
                                 int64_t *count);

/// Find the part with a label, at or below a part.
/// part  none (all 0) when there is none
LF_API lf_status lf_part_find(const lf_scene *scene, lf_part under, const char *label, lf_part *part);

/// Description of a part.
typedef struct lf_part_info {
    lf_shape shape;          ///< its arrays belong to the scene and are valid until the part changes
    lf_paint colour;         ///< its own, or that of the nearest part above that has one
    lf_vec3 velocity;        ///< in the world: given or measured, or else that of the part above or of its
                             ///< instance; zero for a part of an object
    lf_part above;           ///< the part above, or none
    lf_part first;           ///< the first part below it, or none
    lf_part next;            ///< the next part below the same part, or none
    lf_instance instance;    ///< that it belongs to; none for a part of an object
    const char *label;       ///< or NULL; valid until the part is removed
    uint64_t user;           ///< any value of the caller
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

#define LF_OBJECT_PARAMETERS 32 ///< largest number of parameters of an object

/// How to make an object; start from lf_object_def_default().
///
/// An instance starts as a copy of the parts of the object. Then `build`, if there is one, is called with the parameters
/// of the instance. It may add, change and remove parts below `top`, and change anything else in the scene, including
/// creating other instances (build functions may be nested up to 64 deep). If it returns a status below 0, the instance
/// is removed and that status is returned.
typedef struct lf_object_def {
    size_t size;                    ///< stamped by the default function
    const char *name;               ///< up to 63 bytes, need not be unique; NULL: ""
    int64_t parameter_count;        ///< up to LF_OBJECT_PARAMETERS
    const char *const *parameters;  ///< their names; copied
    const double *parameter_values; ///< their defaults; copied
    lf_status (*build)(void *user, lf_scene *scene, lf_part top,
                       const double *parameters); ///< completes a new instance
    void *user;                                   ///< passed to the callbacks
    /// How many levels of parts below the top are culled one by one in instances that are only partly in view, for lf_scene_cull:
    /// 0: none, an instance is drawn as a whole; LF_CULL_LEVELS_AUTO (default): all, of instances with eight shapes or more.
    int cull_levels;
} lf_object_def;

#define LF_CULL_LEVELS_AUTO (-1) ///< of lf_object_def: levels are chosen by the number of shapes

static inline lf_object_def lf_object_def_default(void) {
    lf_object_def def = {sizeof(lf_object_def), NULL, 0, NULL, NULL, NULL, NULL, LF_CULL_LEVELS_AUTO};
    return def;
}

/// Create an object: a solid, below which parts are added.
/// object, top  written only on success; top, the solid, is optional
/// Errors: LF_BAD_ARGUMENT (names, a value that is not finite), LF_NO_MEMORY.
LF_API lf_status lf_object_create(lf_scene *scene, const lf_object_def *def, lf_object *object, lf_part *top,
                                  lf_error *error);

/// Remove an object; its instances stay.
LF_API lf_status lf_object_remove(lf_scene *scene, lf_object object);

/// How an instance moves.
typedef enum lf_motion {
    LF_MOTION_MEASURED, ///< moved by the caller; its velocity is measured at the centre of its box
    LF_MOTION_GIVEN,    ///< moved by the caller, who also sets its velocity
    LF_MOTION_CARRIED   ///< moved by the scene at each step, by its velocity and spin
} lf_motion;

#define LF_VELOCITY_STEPS 64 ///< largest number of steps over which a velocity is measured

/// How to make an instance; start from lf_instance_def_default().
typedef struct lf_instance_def {
    size_t size;        ///< stamped by the default function
    lf_object object;   ///< the object
    lf_pose pose;       ///< rigid; the identity by default
    lf_vec3 scale;      ///< about its origin, before the pose; no factor 0
    lf_paint colour;    ///< negative opacity (default): that of the object
    lf_motion motion;   ///< measured by default
    int velocity_steps; ///< number of steps to measure over, 1 .. LF_VELOCITY_STEPS; 1 by default
    lf_vec3 velocity;   ///< metres per second, unless it is measured
    lf_vec3 spin;       ///< radians per second about the origin of the instance, unless it is measured
    /// Values of the first parameters of the object; NAN: the default of the object.
    const double *parameters;
    int64_t parameter_count; ///< number of parameters
    uint64_t user;           ///< any value of the caller
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

/// Create an instance of an object.
/// instance  written only on success
/// error     optional
/// Errors: LF_BAD_ARGUMENT (a pose that is not rigid, too many parameters, numbers that are not finite), LF_TOO_LARGE
/// (build functions nested more than 64 deep), LF_NO_MEMORY, and those of `build`.
LF_API lf_status lf_instance_create(lf_scene *scene, const lf_instance_def *def, lf_instance *instance,
                                    lf_error *error);

/// Remove an instance with its parts. The next step reports LF_EVENT_END for what it touched.
LF_API lf_status lf_instance_remove(lf_scene *scene, lf_instance instance);

/// Description of an instance.
typedef struct lf_instance_info {
    lf_object object;        ///< may have been removed since
    const char *name;        ///< of the object; valid until an instance is created or removed
    lf_part top;             ///< its top part, a solid
    lf_pose pose;            ///< position and rotation
    lf_vec3 scale;           ///< along each axis
    lf_motion motion;        ///< how it moves
    lf_vec3 velocity;        ///< current, given or measured
    lf_vec3 spin;            ///< radians per second about an axis
    int64_t parameter_count; ///< number of parameters
    uint64_t user;           ///< any value of the caller
    /// On the ground that it follows (lf_instance_follow), valid until the next step; NULL: it follows no
    /// ground.
    const lf_stance *stance;
} lf_instance_info;

/// Describe an instance. Allocates nothing.
LF_API lf_status lf_instance_describe(const lf_scene *scene, lf_instance instance, lf_instance_info *info);

/// The value of a parameter of an instance. Errors: LF_BAD_ARGUMENT, also for a name that its object does not have.
LF_API lf_status lf_instance_parameter(const lf_scene *scene, lf_instance instance, const char *name,
                                       double *value);

/// All instances in the order of their indices.
/// instances  space for capacity of them
/// count      how many there are; when more than capacity, the first are written and LF_PARTIAL is returned
LF_API lf_status lf_scene_instances(const lf_scene *scene, lf_instance *instances, int64_t capacity,
                                    int64_t *count);

/// Set the pose of an instance.
/// pose  rigid
/// jump  false: the instance moves straight from its pose at the last step to this one, and the next step reports what it
///       meets on the way. true: it is set there directly; nothing in between is met, and its velocity is measured from
///       there on
/// Errors: LF_BAD_ARGUMENT.
LF_API lf_status lf_instance_set_pose(lf_scene *scene, lf_instance instance, const lf_pose *pose, bool jump);

/// Move an instance by a vector; rotate it about its own origin (axis not zero, angle in radians); scale it about its
/// origin (no factor 0).
LF_API lf_status lf_instance_move(lf_scene *scene, lf_instance instance, lf_vec3 by);
LF_API lf_status lf_instance_turn(lf_scene *scene, lf_instance instance, lf_vec3 axis, double angle);
LF_API lf_status lf_instance_scale(lf_scene *scene, lf_instance instance, lf_vec3 factors);

/// Set how an instance moves.
/// velocity, spin  finite; not used for LF_MOTION_MEASURED
/// steps           number of steps over which the velocity is measured, 1 .. LF_VELOCITY_STEPS, such as 2 for a bird that
///                 flaps its wings; 0: as before
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY (only with steps).
LF_API lf_status lf_instance_set_motion(lf_scene *scene, lf_instance instance, lf_motion motion,
                                        lf_vec3 velocity, lf_vec3 spin, int steps);

/// Keep an instance on a ground: now, and at each step after it has moved. It gets the pose that lf_ground_stand finds
/// for its position, with its x axis as the heading, `lift` metres above the ground. Where it cannot stand, its pose
/// stays unchanged.
/// ground     must outlive the scene; NULL: stop following; the other parameters are then not used
/// footprint  as for lf_ground_stand; its reach is how far the ground may rise from one step to the next
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY.
LF_API lf_status lf_instance_follow(lf_scene *scene, lf_instance instance, const lf_ground *ground,
                                    const lf_footprint *footprint, double lift);

// ---------------------------------------------------------------------------------------------------
// Boxes, velocities, maps
// ---------------------------------------------------------------------------------------------------

/// Bring all boxes up to date, as a step does. The queries below do so when needed; after this call they change nothing,
/// and any number of threads may make them at once.
/// Errors: LF_NO_MEMORY.
LF_API lf_status lf_scene_update(lf_scene *scene);

/// The bounding box of a part in the world: the union of the boxes of its shapes; the box of an instance is that of its
/// top part. The box of a rectangle, box, path, polygons or model is exactly that of its vertices as lf_part_map maps
/// them; that of a sphere or cylinder is tight to 1e-15 of its extent. A side shorter than the thickness of the scene is
/// extended to it, equally at both ends. Empty without a shape.
/// part  of an instance, or of an object: its box in the coordinates of the object
/// box   written only on success
/// Errors: LF_BAD_ARGUMENT. Allocates nothing.
LF_API lf_status lf_part_box(lf_scene *scene, lf_part part, lf_box *box);

/// The map from the coordinates of a shape to the world: vertex v is at origin + lf_affine_point(map, v), rounded in this
/// order.
/// map     the rotation and scale of the instance and all transforms
/// origin  the position of the instance; zero for a part of an object
/// For a solid it is the map of a shape without transforms below it.
LF_API lf_status lf_part_map(lf_scene *scene, lf_part part, lf_affine *map, lf_vec3 *origin);

/// Set the source of the velocity of a part of an instance: given, measured, or (default) that of the part above or of
/// its instance.
/// velocity  in the world, metres per second; NULL: not given
/// steps     without a velocity: measure it at the centre of the box over 1 .. LF_VELOCITY_STEPS steps; 0: not measured
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY.
LF_API lf_status lf_part_set_velocity(lf_scene *scene, lf_part part, const lf_vec3 *velocity, int steps);

/// A triangle of a shape in the world.
typedef struct lf_scene_triangle {
    lf_part part;       ///< the part
    lf_vec3 corners[3]; ///< counter-clockwise from the front, also where the shape is mirrored
    lf_paint colour;    ///< the colour
} lf_scene_triangle;

/// Call a function for each triangle at or below a part, part by part in the order of the tree.
/// facets  3 .. 256: number of segments of a circle; the corners of spheres and cylinders lie on their surface
/// show    returns false to stop; it must not change the scene
LF_API lf_status lf_part_triangles(lf_scene *scene, lf_part part, int facets,
                                   bool (*show)(void *user, const lf_scene_triangle *triangle), void *user);

// ---------------------------------------------------------------------------------------------------
// Rays and boxes
// ---------------------------------------------------------------------------------------------------

/// The scene as a ground: queries of a ground (landfall/ground.h) are answered by the shapes of all instances as they were
/// at the end of the last lf_scene_update or lf_scene_step, or of this call. Valid as long as the scene; it is refitted, not
/// rebuilt, when instances move. A group with it as a part then needs lf_group_update.
///
/// `part` of a hit (`inner` of a hit of a group) is a number for lf_scene_part_of; `user` is the value of the part, or else
/// of its instance. Boxes, rectangles, paths, polygons and models are hit as the polygons of a mesh; spheres and cylinders
/// are computed in closed form, in doubles, and by walks to within 1/64 of the way over them. Elements are faces of boxes (as
/// in lf_group), polygons of models, triangles of polygons and paths, 0 for a sphere, and for a cylinder 0 (side), 1 (top) or
/// 2 (bottom).
/// Returns NULL for NULL and without memory. Threads: as other calls that change a scene; queries of the ground: any number
/// at once, while nothing changes the scene.
LF_API const lf_ground *lf_scene_ground(lf_scene *scene);

/// The part of a hit, by its number (`part`, or `inner` in a group); none if it no longer exists. Allocates nothing.
LF_API lf_part lf_scene_part_of(const lf_scene *scene, int64_t number);

/// The first shape that a ray meets. Hits of rectangles, boxes, paths, polygons and models are exact for the ray after its
/// conversion to the coordinates of the shape; those of spheres and cylinders are computed in closed form.
/// ray     as for lf_ground_ray_first; the interval is closed; from inside a shape its surface is met from behind
/// hit     always written, as by lf_ground_ray_first; `part` is a number for lf_scene_part_of. `element` is the polygon of
///         polygons and models, else 0; `user` and `layers` are those of the part (the value of its instance where the part has
///         none); u, v and triangle are 0
/// Ties:   lowest t, then lowest instance index, then the order of the tree
/// cursor  counters: nodes are boxes of instances, cells are parts; or NULL
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY if boxes must be brought up to date.
LF_API lf_status lf_scene_ray_first(lf_scene *scene, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor);

/// Every instance whose box shares a point with a box, in the order of their indices.
/// box    not empty; closed: touching counts
/// count  how many there are; when more than capacity, the first are written and LF_PARTIAL is returned
LF_API lf_status lf_scene_instances_in(lf_scene *scene, lf_box box, lf_instance *instances, int64_t capacity,
                                       int64_t *count, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Statistics
// ---------------------------------------------------------------------------------------------------

/// Sizes of a scene, and work since it was created, in units that do not depend on the clock.
typedef struct lf_scene_stats {
    int64_t instance_count, part_count, watch_count; ///< current numbers
    int64_t part_boxes;                              ///< boxes of parts that were recomputed
    int64_t vertices;                                ///< vertices read for that
    int64_t pair_tests;                              ///< pairs tested after the search for pairs found them
    int64_t sleeping_pairs;                          ///< pairs skipped because they could not have met yet
    int64_t ground_tests;                            ///< queries of grounds
    int64_t steps;                                   ///< steps taken
    double time;                                     ///< time of the scene: the sum of all steps, seconds
} lf_scene_stats;

/// Describe a scene, not NULL. Allocates nothing.
LF_API lf_scene_stats lf_scene_describe(const lf_scene *scene);

// ---------------------------------------------------------------------------------------------------
// Watches: report when two things touch, or will touch within a given time.
//
// The loop of a simulation: move and change instances, call lf_scene_step, read the events, react. A step
// examines all motion since the last step, not only the positions at its end: two instances that pass through
// each other in between are reported, with the time of their contact.
// ---------------------------------------------------------------------------------------------------

/// Id of a watch; all zero: no watch.
typedef struct lf_watch {
    uint32_t index, generation; ///< index in the tables, and how often it was used before
} lf_watch;

/// What one side of a watch selects: identifier, value, name, description.
#define LF_WATCH_FILTER_LIST(X)                                                              \
    X(LF_WATCH_FILTER_ANYTHING, 0, "anything", "every instance, also those created later")   \
    X(LF_WATCH_FILTER_INSTANCE, 1, "instance", "one instance")                               \
    X(LF_WATCH_FILTER_PART, 2, "part", "one part of an instance, with all parts below it")   \
    X(LF_WATCH_FILTER_TAG, 3, "tag", "every part of an instance that has a tag, also later") \
    X(LF_WATCH_FILTER_GROUND, 4, "ground", "the ground of the watch; for b only")            \
    X(LF_WATCH_FILTER_NOTHING, 5, "nothing",                                                 \
      "for b only: begin is reported when a stops touching any instance, end when it touches one again")

typedef enum lf_watch_filter_kind {
#define LF_WATCH_FILTER_ENUM(name, value, word, text) name = value,
    LF_WATCH_FILTER_LIST(LF_WATCH_FILTER_ENUM)
#undef LF_WATCH_FILTER_ENUM
} lf_watch_filter_kind;

/// One side of a watch.
typedef struct lf_watch_filter {
    lf_watch_filter_kind kind; ///< which kind
    lf_instance instance;      ///< the instance
    lf_part part;              ///< the part
    const char *tag;           ///< copied
} lf_watch_filter;

/// Precision of a watch: identifier, value, name, what is tested. Each is applied only where the one before it finds a
/// contact.
#define LF_WATCH_LIST(X)                                                        \
    X(LF_WATCH_BOXES, 0, "boxes", "the boxes of the two")                       \
    X(LF_WATCH_PARTS, 1, "parts", "the boxes of their shapes")                  \
    X(LF_WATCH_CONVEX, 2, "convex", "the shapes, each as its convex hull")      \
    X(LF_WATCH_MODEL, 3, "model", "the shapes themselves, with their cavities") \
    X(LF_WATCH_OWN, 4, "own", "a function of the caller, called where the boxes meet")

typedef enum lf_watch_precision {
#define LF_WATCH_ENUM(name, value, word, text) name = value,
    LF_WATCH_LIST(LF_WATCH_ENUM)
#undef LF_WATCH_ENUM
} lf_watch_precision;

/// The name of a precision, such as "convex"; "?" for any other value. Static text. Allocates nothing. Threads: any.
LF_API const char *lf_watch_precision_name(lf_watch_precision precision);

/// Kinds of events: identifier, value, name, description.
#define LF_EVENT_LIST(X)                                                                                    \
    X(LF_EVENT_BEGIN, 0, "begin", "they touch, and did not before")                                         \
    X(LF_EVENT_STAY, 1, "stay", "they still touch; reported at each step, only to watches that request it") \
    X(LF_EVENT_END, 2, "end", "they no longer touch, or one of them was removed")                           \
    X(LF_EVENT_PREDICTED, 3, "predicted",                                                                   \
      "at their current velocities they will touch within the time ahead")                                  \
    X(LF_EVENT_CLEARED, 4, "cleared", "a predicted contact will not happen; not reported when it did happen")

typedef enum lf_event_kind {
#define LF_EVENT_ENUM(name, value, word, text) name = value,
    LF_EVENT_LIST(LF_EVENT_ENUM)
#undef LF_EVENT_ENUM
} lf_event_kind;

/// The name of an event, such as "begin"; "?" for any other value. Static text. Allocates nothing. Threads: any.
LF_API const char *lf_event_name(lf_event_kind kind);

/// The bit of an event in a watch's `events`.
#define LF_EVENT_BIT(kind) (1u << (kind))

/// What a watch reports: an instance, or a part of one.
typedef struct lf_thing {
    lf_instance instance; ///< none for ground and nothing
    lf_part part;         ///< none: the whole instance
} lf_thing;

/// Argument of lf_watch_def.own: when will these two touch at their current velocities?
typedef struct lf_watch_callback {
    lf_scene *scene; ///< may be queried; calls that change it return LF_BAD_ARGUMENT
    lf_thing a, b;   ///< the two sides
    double ahead;    ///< seconds
} lf_watch_callback;

/// How to make a watch; start from lf_watch_def_default().
typedef struct lf_watch_def {
    size_t size;             ///< stamped by the default function
    lf_watch_filter a, b;    ///< the two sides
    const lf_ground *ground; ///< for LF_WATCH_FILTER_GROUND; must outlive the watch
    double ahead;            ///< seconds, >= 0: predict contacts up to this time ahead; 0: none
    int64_t ahead_ticks; ///< the same as a number of steps like the last one; the longer of the two counts
    lf_watch_precision precision;    ///< LF_WATCH_BOXES by default
    const lf_contact_method *method; ///< predicts contacts of boxes, borrowed; NULL: lf_contact_boxes
    uint32_t events; ///< LF_EVENT_BIT of the events to report; all but LF_EVENT_STAY by default
    double gap;      ///< metres, >= 0: LF_EVENT_END is reported only at this distance of the boxes
    /// >= 0: a prediction is kept until no contact is expected within (1 + slack) times the time ahead;
    /// 0.25 by default. It is reported again when its time changes by more than slack times the time ahead,
    /// and by at least half a step.
    double slack;
    bool own_parts; ///< also pairs of parts of one instance, neither of which is below the other
    /// Seconds per step for tests beyond boxes of parts; INFINITY by default. Pairs that come after it is
    /// spent are decided by boxes of parts, and marked `coarse`.
    double budget;
    /// For LF_WATCH_OWN: seconds until contact; 0: they touch; INFINITY: not within the time ahead.
    double (*own)(void *user, const lf_watch_callback *question);
    void *own_user; ///< passed to own
    uint64_t user;  ///< copied to the events
} lf_watch_def;

/// The default: every instance against every instance, by boxes, without prediction.
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

/// Create a watch. It takes effect with the next step, which also reports what touches already.
/// watch  written only on success; optional
/// error  optional
/// Errors: LF_BAD_ARGUMENT (ids, invalid sides, numbers), LF_TOO_LARGE (tags), LF_NO_MEMORY.
LF_API lf_status lf_watch_create(lf_scene *scene, const lf_watch_def *def, lf_watch *watch, lf_error *error);

/// Remove a watch. No further events are reported for it.
LF_API lf_status lf_watch_remove(lf_scene *scene, lf_watch watch);

/// An event of a pair. A watch reports a pair once, however many of their parts touch.
typedef struct lf_event {
    lf_event_kind kind; ///< which kind
    lf_watch watch;     ///< the watch
    lf_thing a, b; ///< in the order of the watch's sides; where both fit both sides, the lower index first
    lf_part part_a, part_b; ///< the shapes that touch, if the precision determines them; else none
    /// Of the contact, in the scene's time: begin: when it began; predicted: when it will; otherwise now.
    double time;
    double wait; ///< seconds from the end of this step to that time: <= 0 for what has happened
    bool coarse; ///< the budget of the watch was spent: decided by boxes of parts
    /// For LF_WATCH_FILTER_GROUND: the ground below the centre of the thing at that time, or else above.
    lf_hit ground;
    uint64_t user; ///< of the watch
} lf_event;

/// Advance a scene by a time step: move the instances that the scene moves, set those that follow a ground on it, update
/// boxes and velocities, and evaluate all watches.
/// dt     seconds, > 0, finite
/// error  optional; `where` is the index of the watch that was being evaluated, or -1
/// Motion. Within a step everything moves straight from where it was at the end of the last step to where it is now.
/// What was created, or set with `jump`, since the last step starts where it was put.
/// Boxes and parts: each side of a box moves at constant speed; whether and when two boxes touch is computed in closed
/// form. Convex and model: shapes keep their current form and rotate at constant speed, with their instance about its
/// origin, or about their own origin if they moved separately, by less than half a turn. A contact is never late and
/// never missed, and early by at most 1e-6 of the size of the two. Ground: the thing moves straight in its current form;
/// the time is early by at most 1e-6 of the interval.
/// Two things that touch before and after the step count as touching throughout, even if they separated in between.
/// Predictions start from the velocities and spins at the end of the step.
/// Errors: LF_BAD_ARGUMENT (dt; called from a callback of the scene), LF_NO_MEMORY, LF_CANCELLED (by host.progress of the
/// scene). After the last two, instances have moved, and the events found so far are available.
LF_API lf_status lf_scene_step(lf_scene *scene, double dt, lf_error *error);

/// The events of the last step, ordered by time, then by the index of the watch, then by a, then by b (instance, then
/// part), then by kind. The time of a prediction is the predicted one, never before the end of the step.
/// events  belongs to the scene and is valid until the next step
/// count   how many
/// Errors: LF_BAD_ARGUMENT (also in callbacks during a step). Allocates nothing.
LF_API lf_status lf_scene_events(const lf_scene *scene, const lf_event **events, int64_t *count);

/// The time until a thing meets a ground at its current velocity: what a watch on LF_WATCH_FILTER_GROUND evaluates.
/// thing      an instance, or a part of one
/// precision  boxes, parts, or model (the triangles of the shapes; convex is the same here)
/// ahead      seconds, > 0 and finite
/// seconds    written only on success: 0 when it touches the ground or is partly below it; INFINITY when it does not meet
///            it within `ahead`. Never late, early by at most 1e-6 of `ahead`. A thing that spins counts as the cube that
///            contains it in every orientation. Ground that lies completely inside one triangle of the thing swept over
///            `ahead` is not detected
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Threads: one at a time for a scene.
LF_API lf_status lf_scene_ground_time(lf_scene *scene, lf_thing thing, const lf_ground *ground,
                                      lf_watch_precision precision, double ahead, double *seconds);

// ---------------------------------------------------------------------------------------------------
// Views
//
// Everything from here on is conservative: what is culled cannot be visible; what is kept may be outside of
// the view by rounding.
// ---------------------------------------------------------------------------------------------------

/// A camera pose and its view frustum; start from lf_view_default().
typedef struct lf_view {
    size_t size;     ///< stamped by the default function
    lf_vec3 at;      ///< position of the camera, within 1e30
    lf_vec3 forward; ///< finite, not zero, any length
    lf_vec3 up;      ///< finite, not parallel to forward; need not be at right angles to it
    double across;   ///< horizontal field of view, the whole angle: radians, 1e-6 .. 3.12
    double upright;  ///< vertical field of view, likewise
    double nearest;  ///< distance of the near plane along forward: metres, >= 0
    double farthest; ///< distance of the far plane, > nearest; INFINITY: no far plane
    /// Boxes whose diagonal is less than this fraction of their distance are culled; >= 0, 0: none.
    double smallest;
} lf_view;

/// From the origin to the north, 90 degrees wide and 60 high, without a far plane.
static inline lf_view lf_view_default(void) {
    lf_view view = {sizeof(lf_view),    {0, 0, 0}, {0, 1, 0},   {0, 0, 1}, 1.5707963267948966,
                    1.0471975511965976, 0,         LF_INFINITY, 0};
    return view;
}

/// The view frustum as an intersection of half-spaces with unit normals, in the order near, left, right, bottom, top, far
/// (left out without a far plane). Culling uses these planes as they are stored.
/// volume  written only on success. Its corners (near, then far, each counter-clockwise from the lower left as seen from
///         the camera) are subject to rounding; without a far plane there are only the near ones
/// error   optional, names the offending number
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
LF_API lf_status lf_view_volume(const lf_view *view, lf_polyhedron *volume, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Culling
// ---------------------------------------------------------------------------------------------------

/// Culling methods, as bits, applied in this order, each to what the ones before it kept. `smallest` of the view is used by
/// PLANES and SPHERE. FLAGS, BOUNDS and SPHERE are Gottstein's: they need lf_cull_rules.filters.
typedef enum lf_cull_method {
    LF_CULL_PLANES =
        1, ///< boxes against the planes of the frustum, through a hierarchy, many at a time (default)
    LF_CULL_FLAGS = 2,   ///< a grid of 4 x 4 x 2 cells: a box that shares no cell with the frustum is culled
    LF_CULL_BOUNDS = 4,  ///< boxes against the bounding box of the frustum
    LF_CULL_SPHERE = 8,  ///< bounding spheres against the cone around the frustum and its near and far ends
    LF_CULL_VOLUME = 16, ///< exact test of the polygons of each item (if the def has them), or of its box
    LF_CULL_GROUND =
        32 ///< occlusion by the rules' ground: items are culled if every straight line from the camera to
           ///< every point of the box is blocked by the ground strictly between its ends. Grids hide,
           ///< where no void is in the way, and in groups the grids in their own place; each convex polygon
           ///< of a mesh or a model and each box part, and each of up to 16 parts of an item by another one;
           ///< and what of a globe is below its lowest loaded height, if its loaded tiles are grids without
           ///< voids (lf_globe_ground). What cannot be proven is kept
} lf_cull_method;

#define LF_CULL_METHODS 6 ///< number of culling methods

/// Further culling methods: lf_gottstein_filters() of <landfall/published.h>.
typedef struct lf_cull_filters lf_cull_filters;

/// The convex polygons of an item, in the world, borrowed.
typedef struct lf_cull_shape {
    const lf_vec3 *corners;       ///< polygon after polygon
    const int32_t *corner_counts; ///< of each polygon, >= 1; NULL: three each
    int64_t polygon_count;        ///< number of polygons
} lf_cull_shape;

/// How to make a culler; start from lf_cull_def_default().
typedef struct lf_cull_def {
    size_t size;         ///< stamped by the default function
    lf_host host;        ///< hooks of the caller
    const lf_box *boxes; ///< of the items, copied; within 1e30. An empty box is never kept
    int64_t count;       ///< 0 .. 2^31 - 1
    /// The polygons of an item, for LF_CULL_VOLUME; NULL, or false returned: its box. It must not use the culler:
    /// lf_cull_move and lf_cull_query return LF_BAD_ARGUMENT there, and lf_cull_destroy is ignored.
    bool (*shape)(void *user, int64_t item, lf_cull_shape *shape);
    void *user; ///< passed to the callbacks
} lf_cull_def;

static inline lf_cull_def lf_cull_def_default(void) {
    lf_cull_def def = {sizeof(lf_cull_def), {NULL, NULL, NULL, NULL}, NULL, 0, NULL, NULL};
    return def;
}

/// Boxes in a hierarchy for culling: blocks of 64 along a space-filling curve, and blocks of blocks.
typedef struct lf_cull lf_cull;

/// Create a culler.
/// cull   written only on success
/// error  optional; `where` is the offending box
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY, LF_TOO_LARGE. Allocates about 120 bytes per box. Threads: any.
LF_API lf_status lf_cull_create(const lf_cull_def *def, lf_cull **cull, lf_error *error);

/// Destroy a culler; NULL is accepted. Threads: no other thread may use it.
LF_API void lf_cull_destroy(lf_cull *cull);

/// Set the box of an item (empty: it is never kept). The next query updates the hierarchy, and sorts it again when the
/// blocks have become twice as large.
/// item  0 .. count - 1
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: no other thread may use the culler.
LF_API lf_status lf_cull_move(lf_cull *cull, int64_t item, lf_box box);

/// How to cull; start from lf_cull_rules_default().
typedef struct lf_cull_rules {
    size_t size;             ///< stamped by the default function
    uint32_t methods;        ///< lf_cull_method bits; 0: everything is kept
    const lf_ground *ground; ///< the occluder, for LF_CULL_GROUND
    bool ordered; ///< return items in ascending order; false (default): in the order of the hierarchy, faster
    const lf_cull_filters *filters; ///< for LF_CULL_FLAGS, LF_CULL_BOUNDS and LF_CULL_SPHERE; NULL by default
    /// A significant change of the view: more than so many metres from, or radians against, the view that the frustum was
    /// computed for. Smaller changes use that frustum again, which is wider by as much, and keep what was kept if no box was moved
    /// since (then nothing is tested, and all counts are 0). `smallest` is ignored, and where the wider frustum would
    /// be 3.12 radians wide or more, every change is significant. >= 0, finite; 0 and 0, the default: every change is significant.
    double slack_distance;
    double slack_angle; ///< likewise
} lf_cull_rules;

static inline lf_cull_rules lf_cull_rules_default(void) {
    lf_cull_rules rules = {sizeof(lf_cull_rules), LF_CULL_PLANES, NULL, false, NULL, 0, 0};
    return rules;
}

/// Work of a culling method.
typedef struct lf_cull_count {
    int64_t tested; ///< number tested
    int64_t culled; ///< number culled
} lf_cull_count;

/// The result of a query of a culler.
typedef struct lf_cull_result {
    int64_t *items;   ///< space of the caller for `capacity` items
    int64_t capacity; ///< may be 0
    int64_t count;    ///< number of items kept; when more than capacity, the first are written
    lf_cull_count methods[LF_CULL_METHODS]; ///< in the order of their bits; PLANES tests all items, by blocks
    int64_t groups;                         ///< blocks of up to 64 boxes that were tested against planes
    /// The frustum was computed: the view differs from the last one, or the boxes outgrew it.
    bool volume_made;
    bool sorted;     ///< the hierarchy was rebuilt
    double farthest; ///< far distance of the frustum: of the view, or that of the farthest box
} lf_cull_result;

/// Which items may be visible?
/// view    as lf_view_volume accepts it; the frustum of the last view is reused
/// rules   NULL: the default
/// seen    items and capacity are read; the rest is written only on success
/// error   optional
/// An item is kept when a point of its (closed) box or polygons is in the closed frustum, and it is large enough. Returns
/// LF_PARTIAL when more than capacity are kept.
/// Errors: LF_BAD_ARGUMENT (also LF_CULL_GROUND without a ground, and published methods without filters), LF_NO_MEMORY.
/// Allocates only when it sorts, and when FLAGS is used for the first time. Threads: no other thread may use the culler.
/// The same result for any instruction set.
LF_API lf_status lf_cull_query(lf_cull *cull, const lf_view *view, const lf_cull_rules *rules,
                               lf_cull_result *seen, lf_error *error);

/// The result of culling a scene.
typedef struct lf_scene_cull_result {
    lf_part *parts;   ///< space of the caller for `capacity` parts: top parts of instances, or parts of them
    int64_t capacity; ///< may be 0
    int64_t count;    ///< number of parts kept; when more than capacity, the first are written
    lf_cull_count instances;    ///< instances tested and culled
    int64_t opened;             ///< instances whose parts were tested one by one
    lf_cull_count opened_parts; ///< parts of these tested and culled
    bool volume_made;           ///< as in lf_cull_result
} lf_scene_cull_result;

/// Which parts of a scene may be visible? Instances are culled first; of an instance that is only partly in view, invisible
/// parts are culled too, as its object's cull_levels says. Drawing the parts returned, with everything below them, draws all
/// that is visible.
/// view   as lf_view_volume accepts it
/// rules  how instances are culled; NULL: the default. Parts are tested exactly, by their boxes against the frustum
/// seen   parts and capacity are read; the rest is written only on success. In the order of instances, then of the tree
/// error  optional
/// Returns LF_PARTIAL when more than capacity are kept. The scene keeps its culler between calls: only what has changed is
/// updated in it, and the frustum of the last view is reused.
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Allocates about 130 bytes per instance with the scene's allocator and keeps them.
/// Threads: one at a time for a scene.
LF_API lf_status lf_scene_cull(lf_scene *scene, const lf_view *view, const lf_cull_rules *rules,
                               lf_scene_cull_result *seen, lf_error *error);

#ifdef __cplusplus
}
#endif
#endif
