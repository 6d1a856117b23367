/// landfall/scene.h: things made of parts, that stand and move in a world.
///
/// An object is a tree of parts: solids, which have parts below them, and shapes, which are drawn and touched. A scene holds
/// instances of objects; each has geometry of its own, which may change at any time. Everything has a box, at every level, as
/// tight as the shapes allow. What moves is watched by landfall/watch.h.
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

#include <landfall/ask.h>
#include <landfall/mesh.h>
#include <landfall/model.h>
#include <landfall/place.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A scene: a world of things.
typedef struct lf_scene lf_scene;

/// Ids; all zero is none.
typedef struct lf_object {
    uint32_t index, generation;
} lf_object;

typedef struct lf_instance {
    uint32_t index, generation;
} lf_instance;

typedef struct lf_part {
    uint32_t index, generation;
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
    size_t size; ///< stamped by the default function
    lf_host host;
    double thickness; ///< metres, above 0: no side of a part's box is shorter; 0.001 by default
    double (*clock)(
        void *user); ///< seconds for budgets of watches, from anywhere on; NULL, the default: the system's.
                     ///< It must not change the scene
    void *clock_user;
} lf_scene_def;

static inline lf_scene_def lf_scene_def_default(void) {
    lf_scene_def def = {sizeof(lf_scene_def), {NULL, NULL, NULL, NULL}, 0.001, NULL, NULL};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_scene_def_init(lf_scene_def *def, size_t size);

/// Make an empty scene.
/// def    or NULL for the default
/// scene  written only on success; give it back with lf_scene_destroy
/// error  optional
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_scene_create(const lf_scene_def *def, lf_scene **scene, lf_error *error);

/// Give a scene back with everything in it, not the models and grounds it was shown; NULL is fine. Ignored in callbacks of the scene.
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

/// The word of a kind of shape, such as "cylinder"; "?" for a value that is none.
/// Static text. Allocates nothing. Threads: any.
LF_API const char *lf_shape_word(lf_shape_kind kind);

/// A shape. Only what its kind speaks of matters. Sizes and radii are above 0; vertices within 1e30.
typedef struct lf_shape {
    lf_shape_kind kind;
    lf_vec3 size;
    double radius;
    lf_polygons polygons;  ///< copied; of a path only vertices and vertex_count (3 or more) matter
    const lf_model *model; ///< borrowed
} lf_shape;

/// Whether a transform of a solid acts on it as a whole, or on each shape below it by itself.
typedef enum lf_about {
    LF_ABOUT_WHOLE, ///< about the origin of the part it is given to: two wheels on a turning axle go round
    LF_ABOUT_EACH   ///< about each shape's own origin, wherever that is by then: two wheels turn in place
} lf_about;

typedef enum lf_transform_kind {
    LF_TRANSLATE,
    LF_TURN,
    LF_SCALE,
    LF_FOLDED ///< several earlier ones in one, made by the scene (see lf_part_transform)
} lf_transform_kind;

/// One step of where a part is. A translation moves the same either way.
typedef struct lf_transform {
    lf_transform_kind kind;
    lf_about about;
    lf_vec3 vector; ///< translation; axis of the turn, not zero; factors of the scale, none of them 0
    double angle;   ///< of the turn: radians, counter-clockwise seen against the axis
} lf_transform;

static inline lf_transform lf_translation(double x, double y, double z) {
    lf_transform transform = {LF_TRANSLATE, LF_ABOUT_WHOLE, {x, y, z}, 0};
    return transform;
}

static inline lf_transform lf_turning(lf_about about, double x, double y, double z, double angle) {
    lf_transform transform = {LF_TURN, about, {x, y, z}, angle};
    return transform;
}

static inline lf_transform lf_scaling(lf_about about, double x, double y, double z) {
    lf_transform transform = {LF_SCALE, about, {x, y, z}, 0};
    return transform;
}

/// world = rows * local + translation: as an lf_pose, but the rows may scale, shear and mirror.
typedef struct lf_affine {
    lf_vec3 rows[3];
    lf_vec3 translation;
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
    float red, green, blue, opacity;
} lf_paint;

/// How to make a part; start from lf_part_def_default().
typedef struct lf_part_def {
    size_t size; ///< stamped by the default function
    lf_shape shape;
    lf_paint colour;                ///< that of the part above by default
    const char *label;              ///< names this one part in its object; NULL: none
    const char *tag;                ///< a kind of part; more by lf_part_tag; NULL: none
    const lf_transform *transforms; ///< in order: the first acts first
    int64_t transform_count;
    uint64_t user; ///< the caller's own
} lf_part_def;

static inline lf_part_def lf_part_def_default(void) {
    lf_part_def def = {sizeof(lf_part_def),
                       {LF_SHAPE_SOLID, {1, 1, 1}, 0.5, {NULL, 0, NULL, NULL, 0, NULL, NULL, NULL}, NULL},
                       {0, 0, 0, -1},
                       NULL,
                       NULL,
                       NULL,
                       0,
                       0};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_part_def_init(lf_part_def *def, size_t size);

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

/// Replace all transforms of a part. Errors: as lf_part_transform; LF_FOLDED cannot be given.
LF_API lf_status lf_part_set_transforms(lf_scene *scene, lf_part part, const lf_transform *transforms,
                                        int64_t count);

/// The transforms of a part, as many as there is room for; count is how many it has. LF_PARTIAL when those are more.
LF_API lf_status lf_part_transforms(const lf_scene *scene, lf_part part, lf_transform *transforms,
                                    int64_t capacity, int64_t *count);

/// Change the shape of a part: other sizes, other vertices, another kind. A solid stays a solid, a shape a shape.
/// Errors: as lf_part_add.
LF_API lf_status lf_part_set_shape(lf_scene *scene, lf_part part, const lf_shape *shape, lf_error *error);

/// Move one vertex of a path or of polygons. vertex in range, to within 1e30. (A path is not checked again.)
LF_API lf_status lf_part_set_vertex(lf_scene *scene, lf_part part, int64_t vertex, lf_vec3 to);

/// The shape of a part; its arrays belong to the scene and stay until the part changes.
LF_API lf_status lf_part_shape(const lf_scene *scene, lf_part part, lf_shape *shape);

/// Colour a part, or, with a negative opacity, let it have that of the part above. Otherwise each within 0..1.
LF_API lf_status lf_part_set_colour(lf_scene *scene, lf_part part, lf_paint colour);

/// The colour a part is drawn in: its own or the nearest above.
LF_API lf_status lf_part_colour(const lf_scene *scene, lf_part part, lf_paint *colour);

/// Give a part another tag, or take one away. tag is text of 1 to 63 bytes. Errors: LF_BAD_ARGUMENT, LF_TOO_LARGE (more than 64
/// different ones in a scene), LF_NO_MEMORY.
LF_API lf_status lf_part_tag(lf_scene *scene, lf_part part, const char *tag);
LF_API lf_status lf_part_untag(lf_scene *scene, lf_part part, const char *tag);

/// Does a part have a tag?
LF_API lf_status lf_part_has_tag(const lf_scene *scene, lf_part part, const char *tag, bool *has);

/// All parts of instances that have a tag, in the order of their ids' indices. count is how many there are; LF_PARTIAL when those are more than capacity.
LF_API lf_status lf_scene_tagged(const lf_scene *scene, const char *tag, lf_part *parts, int64_t capacity,
                                 int64_t *count);

/// The part with a label, at or under a part; none (all 0) when there is none.
LF_API lf_status lf_part_find(const lf_scene *scene, lf_part under, const char *label, lf_part *part);

/// What a part is and where it hangs.
typedef struct lf_part_info {
    lf_shape_kind kind;
    lf_part above, first,
        next;             ///< the part above, the first below, the next beside; none where there is none
    lf_instance instance; ///< whose part it is; none for a part of an object
    const char *label;    ///< or NULL; stays until the part is removed
    uint64_t user;
    int64_t transform_count;
} lf_part_info;

/// Describe a part. Allocates nothing.
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
    lf_status (*build)(void *user, lf_scene *scene, lf_part top, const double *parameters);
    void *user;
} lf_object_def;

static inline lf_object_def lf_object_def_default(void) {
    lf_object_def def = {sizeof(lf_object_def), NULL, 0, NULL, NULL, NULL, NULL};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_object_def_init(lf_object_def *def, size_t size);

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
    size_t size; ///< stamped by the default function
    lf_object object;
    lf_pose pose;             ///< rigid; the identity by default
    lf_vec3 scale;            ///< about its origin, before the pose; no factor 0
    lf_paint colour;          ///< negative opacity, the default: that of the object
    lf_motion motion;         ///< measured by default
    int velocity_steps;       ///< over how many steps it is measured, 1 .. LF_VELOCITY_STEPS; 1 by default
    lf_vec3 velocity;         ///< metres per second, where it is not measured
    lf_vec3 spin;             ///< radians per second about the instance's origin, where it is not measured
    const double *parameters; ///< the object's first parameters; NAN: as the object says
    int64_t parameter_count;
    uint64_t user; ///< the caller's own
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

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_instance_def_init(lf_instance_def *def, size_t size);

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
    lf_object object; ///< may have been removed meanwhile
    const char *name; ///< of the object; stays until an instance is added or removed
    lf_part top;      ///< its solid
    lf_pose pose;
    lf_vec3 scale;
    lf_motion motion;
    lf_vec3 velocity; ///< as it is now, given or measured
    lf_vec3 spin;
    int64_t parameter_count;
    uint64_t user;
} lf_instance_info;

/// Describe an instance. Allocates nothing.
LF_API lf_status lf_instance_describe(const lf_scene *scene, lf_instance instance, lf_instance_info *info);

/// A parameter of an instance by its name. LF_BAD_ARGUMENT where its object had none of that name.
LF_API lf_status lf_instance_parameter(const lf_scene *scene, lf_instance instance, const char *name,
                                       double *value);

/// All instances in the order of their ids' indices; count is how many there are, LF_PARTIAL when those are more than capacity.
LF_API lf_status lf_scene_instances(const lf_scene *scene, lf_instance *instances, int64_t capacity,
                                    int64_t *count);

/// Where an instance is. Between two steps it goes straight from the pose it had to the one it has: what it meets on that way
/// is told. pose rigid.
LF_API lf_status lf_instance_place(lf_scene *scene, lf_instance instance, const lf_pose *pose);

/// The same without a way between: it is taken away here and put down there, and its velocity is measured anew.
LF_API lf_status lf_instance_jump(lf_scene *scene, lf_instance instance, const lf_pose *pose);

/// Move an instance on, turn it about its own origin (axis not zero, radians), scale it about its origin by factors (none 0).
LF_API lf_status lf_instance_move(lf_scene *scene, lf_instance instance, lf_vec3 by);
LF_API lf_status lf_instance_turn(lf_scene *scene, lf_instance instance, lf_vec3 axis, double angle);
LF_API lf_status lf_instance_scale(lf_scene *scene, lf_instance instance, lf_vec3 factors);

/// How it moves from now on. velocity and spin finite; they do not matter for LF_MOTION_MEASURED.
LF_API lf_status lf_instance_set_motion(lf_scene *scene, lf_instance instance, lf_motion motion,
                                        lf_vec3 velocity, lf_vec3 spin);

/// Over how many steps the velocity is measured, 1 .. LF_VELOCITY_STEPS: two, for a bird that flaps its wings.
LF_API lf_status lf_instance_set_velocity_steps(lf_scene *scene, lf_instance instance, int steps);

/// Keep an instance on a ground: at each step, after it has been moved, and at once. Its origin is set down where lf_ground_stand says, along
/// gravity from where it is, with its x axis as the heading; `lift` metres above. Where it cannot stand it stays as it
/// is.
/// ground     must outlive the scene; NULL: it follows no longer, and the rest does not matter
/// footprint  as for lf_ground_stand; its reach is how far the ground may rise from one step to the next
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY.
LF_API lf_status lf_instance_follow(lf_scene *scene, lf_instance instance, const lf_ground *ground,
                                    const lf_footprint *footprint, double lift);

/// How it stood when it was last set down. LF_BAD_ARGUMENT for one that follows no ground.
LF_API lf_status lf_instance_stance(const lf_scene *scene, lf_instance instance, lf_stance *stance);

// ---------------------------------------------------------------------------------------------------
// Boxes, velocities, maps
// ---------------------------------------------------------------------------------------------------

/// Bring all boxes up to date, as a step does. The questions below do it where they must; after this call they change nothing
/// and any number of threads may ask at once.
/// Errors: LF_NO_MEMORY.
LF_API lf_status lf_scene_update(lf_scene *scene);

/// The box of an instance in the world: the least one that holds the boxes of its shapes. A shape's box is the least one that holds the
/// shape: of rectangles, boxes, paths, polygons and models exactly that of their vertices, as lf_part_map carries them; of spheres and
/// cylinders to 1e-15 of their extent. Where it is thinner than the scene's thickness, it is made so thick, to both sides
/// alike. Empty when there is no shape.
LF_API lf_status lf_instance_box(lf_scene *scene, lf_instance instance, lf_box *box);

/// The box of a part of an instance in the world. Of a part of an object: in the object's own coordinates.
LF_API lf_status lf_part_box(lf_scene *scene, lf_part part, lf_box *box);

/// Where a shape is: a vertex v of it is at place + lf_affine_point(map, v), rounded in this order.
/// map    the turn and scale of the instance and all transforms
/// place  the position of the instance; zero for a part of an object
/// For a solid it is the map that a shape without transforms of its own would have there.
LF_API lf_status lf_part_map(lf_scene *scene, lf_part part, lf_affine *map, lf_vec3 *place);

/// Measure the velocity of a part by its box's centre over 1 .. LF_VELOCITY_STEPS steps; 0: no longer.
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY.
LF_API lf_status lf_part_measure(lf_scene *scene, lf_part part, int steps);

/// Say the velocity of a part; NULL: no longer.
LF_API lf_status lf_part_set_velocity(lf_scene *scene, lf_part part, const lf_vec3 *velocity);

/// The velocity of a part of an instance in the world: given, measured, or else that of the part above or of its instance.
LF_API lf_status lf_part_velocity(const lf_scene *scene, lf_part part, lf_vec3 *velocity);

/// A triangle of a shape in the world.
typedef struct lf_scene_triangle {
    lf_part part;
    lf_vec3 corners[3]; ///< counter-clockwise from the front, also where the shape is mirrored
    lf_paint colour;
} lf_scene_triangle;

/// Show all triangles at or under a part to a function, part by part in the order of the tree.
/// facets  3 .. 256: into how many a circle is cut. Corners of spheres and cylinders lie on them
/// show    returns false to stop; it must not change the scene
LF_API lf_status lf_part_triangles(lf_scene *scene, lf_part part, int facets,
                                   bool (*show)(void *user, const lf_scene_triangle *triangle), void *user);

// ---------------------------------------------------------------------------------------------------
// Rays and boxes
// ---------------------------------------------------------------------------------------------------

/// What a ray met.
typedef struct lf_scene_hit {
    lf_instance instance; ///< none when it met nothing: t is then the ray's t_max
    lf_part part;
    double t;
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

/// Does a ray meet anything?
LF_API lf_status lf_scene_ray_any(lf_scene *scene, const lf_ray *ray, bool *blocked, lf_cursor *cursor);

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
    int64_t instance_count, part_count, watch_count;
    int64_t part_boxes;     ///< boxes of parts computed anew
    int64_t vertices;       ///< looked at for them
    int64_t pair_tests;     ///< pairs looked at closer than the search for pairs does
    int64_t sleeping_pairs; ///< pairs that were not looked at, since they could not have met yet
    int64_t ground_tests;   ///< questions to grounds
    int64_t steps;
    double time; ///< the scene's clock: the sum of all steps, seconds
} lf_scene_stats;

/// Describe a scene, not NULL. Allocates nothing.
LF_API lf_scene_stats lf_scene_describe(const lf_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
