// landfall, the core library in one header; made by tools/amalgamate. Licence: MIT (see the end of this file).
#ifndef LANDFALL_H
#define LANDFALL_H
/// landfall: questions about ground and about the things that move over it.
///
/// This header includes the whole core library. Files are in <landfall/io.h>, pictures in <landfall/picture.h>, scripts in
/// <landfall/script.h>, and a parallel loop on OpenMP in <landfall/omp.h>.

/// landfall/base.h: what all modules share: status codes, reasons, errors, hooks of the caller (memory, tasks, progress,
/// log), mapped files, instruction sets, numbers as text, version.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LF_API __attribute__((visibility("default")))
#if defined(__MINGW32__)
#define LF_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define LF_PRINTF(text, first) __attribute__((format(printf, text, first)))
#endif
#else
#define LF_API
#define LF_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LF_VERSION_MAJOR 0
#define LF_VERSION_MINOR 2
#define LF_VERSION_PATCH 0

/// The library's version as "MAJOR.MINOR.PATCH".
/// Never NULL; static text. Allocates nothing. Threads: any.
LF_API const char *lf_version(void);

// ---------------------------------------------------------------------------------------------------
// Status and reason
// ---------------------------------------------------------------------------------------------------

/// Every status: identifier, value, text. 0 is success, above 0 an incomplete result, below 0 a failure.
/// A miss is a result, not a failure.
#define LF_STATUS_LIST(X)                                                    \
    X(LF_OK, 0, "ok")                                                        \
    X(LF_PARTIAL, 1, "more answers than the caller's buffer holds")          \
    X(LF_BAD_ARGUMENT, -1, "an argument is out of its bounds")               \
    X(LF_NO_MEMORY, -2, "out of memory")                                     \
    X(LF_TOO_LARGE, -3, "a size is beyond what can be held")                 \
    X(LF_IO_FAILED, -4, "a file could not be read or written")               \
    X(LF_BAD_FORMAT, -5, "a file's content is not what its format asks for") \
    X(LF_BAD_GEOMETRY, -6, "geometry that cannot be ground")                 \
    X(LF_UNSUPPORTED, -7, "this build or this format does not offer that")   \
    X(LF_CANCELLED, -8, "cancelled by the caller")

typedef enum lf_status {
#define LF_STATUS_ENUM(name, value, text) name = value,
    LF_STATUS_LIST(LF_STATUS_ENUM)
#undef LF_STATUS_ENUM
} lf_status;

/// The name of a status, such as "LF_NO_MEMORY"; "LF_?" for any other value.
/// Static text. Allocates nothing. Threads: any.
LF_API const char *lf_status_name(lf_status status);

/// A description of a status in one line; never NULL.
/// Static text. Allocates nothing. Threads: any.
LF_API const char *lf_status_text(lf_status status);

/// Reasons why a query found no ground: identifier, value, name (which the command prints).
#define LF_REASON_LIST(X)                \
    X(LF_REASON_ANSWERED, 0, "answered") \
    X(LF_REASON_OUTSIDE, 1, "outside")   \
    X(LF_REASON_HOLE, 2, "hole")         \
    X(LF_REASON_NONE, 3, "none")         \
    X(LF_REASON_NOT_LOADED, 4, "not_loaded")

/// Of the lists that define enums, the case of a value whose name is in the third of three columns.
#define LF_NAME_CASE_3(identifier, value, name) \
    case identifier:                            \
        return name;
/// The same of four columns.
#define LF_NAME_CASE_4(identifier, value, name, text) LF_NAME_CASE_3(identifier, value, name)
/// Returns the name of an enum value, from the list that defines the enum; "?" for any other value.
#define LF_NAME_OF(value, list, name_case) \
    switch (value) { list(name_case) }     \
    return "?"

typedef enum lf_reason {
#define LF_REASON_ENUM(name, value, word) name = value,
    LF_REASON_LIST(LF_REASON_ENUM)
#undef LF_REASON_ENUM
} lf_reason;

/// The name of a reason, such as "hole"; "?" for any other value.
/// Static text. Allocates nothing. Threads: any.
LF_API const char *lf_reason_name(lf_reason reason);

/// Strides of batches are in bytes from one element to the next; 0: packed. This constant, for inputs only: the first
/// element is used for all.
#define LF_STRIDE_SAME SIZE_MAX

/// Description of an error, written by calls that take an optional lf_error *.
typedef struct lf_error {
    lf_status status; ///< what failed
    int64_t where;    ///< index, line or byte that offends; -1 when there is no such place
    char text[256];   ///< one line that names the offending value
} lf_error;

// ---------------------------------------------------------------------------------------------------
// The host: hooks of the caller
// ---------------------------------------------------------------------------------------------------

/// Memory. One function allocates (old is NULL), frees (new_size is 0) and resizes. alignment is a power of two, the same for the lifetime of a block. It returns NULL when
/// there is no memory. Blocks are not zeroed. It must not change the object that it allocates for. Threads: it is called on the thread that called landfall, and with tasks on
/// their workers, several at once; it must be safe for that unless the host has no tasks and all that was made with it is used on one thread.
typedef struct lf_allocator {
    void *user; ///< passed to the callbacks
    void *(*resize)(void *user, void *old, size_t old_size, size_t new_size, size_t alignment); ///< see above
} lf_allocator;

/// One share of a parallel loop: the indices first <= i < last, on worker 0 <= worker < workers.
typedef void lf_task(void *job, int64_t first, int64_t last, int worker);

/// A parallel loop over 0 <= i < count in shares of about `grain` indices; returns when all are done.
/// Two shares that run at the same time have different worker numbers.
typedef struct lf_tasks {
    void *user;  ///< passed to the callbacks
    int workers; ///< largest number of worker threads
    void (*run)(void *user, int64_t count, int64_t grain, lf_task *task,
                void *job); ///< runs the loop, returns when all are done
} lf_tasks;

/// Progress and cancellation. Called from time to time on the thread that called landfall. stage is a name such as "build".
/// If it returns false, the call undoes what it did and returns LF_CANCELLED.
typedef struct lf_progress {
    void *user;                                                                 ///< passed to the callbacks
    bool (*report)(void *user, const char *stage, int64_t done, int64_t total); ///< false cancels
} lf_progress;

/// Importance of a message.
typedef enum lf_log_level { LF_LOG_NOTE, LF_LOG_WARNING } lf_log_level;

/// Receives messages that are neither results nor errors, such as "single precision costs 3 mm here".
typedef struct lf_log {
    void *user;                                                      ///< passed to the callbacks
    void (*write)(void *user, lf_log_level level, const char *text); ///< called with each message
} lf_log;

/// All hooks together, part of every def struct. NULL selects the default: malloc, one thread, no progress, no log. The
/// hooks must outlive the object made with them.
typedef struct lf_host {
    const lf_allocator *allocator; ///< memory; NULL: malloc
    const lf_tasks *tasks;         ///< parallel loops; NULL: one thread
    const lf_progress *progress;   ///< progress and cancelling; NULL: none
    const lf_log *log;             ///< messages; NULL: none
} lf_host;

// ---------------------------------------------------------------------------------------------------
// Files and processor
// ---------------------------------------------------------------------------------------------------

/// A file mapped for reading.
typedef struct lf_map {
    const void *data; ///< NULL for an empty file
    size_t size;      ///< in bytes
} lf_map;

/// Map a whole file for reading.
/// path   a regular file
/// map    written only on success; close it with lf_map_close
/// error  optional
/// Errors: LF_IO_FAILED names the path and the system's reason; LF_TOO_LARGE beyond the address space; LF_NO_MEMORY (with the
/// size of the file) where a limit on address space is too low.
/// If another process truncates the file, reading past its new end raises SIGBUS.
/// Allocates nothing. Threads: any.
LF_API lf_status lf_map_open(const char *path, lf_map *map, lf_error *error);

/// Close a mapping; NULL and a zeroed map are accepted. The map is zeroed.
/// Allocates nothing. Threads: one per map.
LF_API void lf_map_close(lf_map *map);

/// Memory on a disk: an allocator whose large blocks are in unnamed files. The system writes them to the disk when memory
/// is short, so that data may be larger than memory, at the speed of the disk. The files vanish with the process, however
/// it ends.
typedef struct lf_disk lf_disk;

/// Create an allocator on a disk.
/// folder  writable, with space for the blocks
/// from    bytes, > 0: smaller blocks are allocated by malloc
/// disk    written only on success; close it when all blocks have been freed
/// error   optional
/// On a full disk allocations fail (LF_NO_MEMORY).
/// Errors: LF_BAD_ARGUMENT, LF_IO_FAILED names the folder and the system's reason, LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_disk_open(const char *folder, size_t from, lf_disk **disk, lf_error *error);

/// The allocator, for lf_host; valid as long as the disk. Threads: any number at once.
LF_API const lf_allocator *lf_disk_allocator(const lf_disk *disk);

/// Close the allocator; NULL is accepted. Threads: no other thread may use it.
LF_API void lf_disk_close(lf_disk *disk);

/// Instruction sets that kernels exist for, in ascending order.
typedef enum lf_isa { LF_ISA_SCALAR, LF_ISA_AVX2, LF_ISA_AVX512 } lf_isa;

/// The best instruction set of this machine, limited by the environment variable LANDFALL_ISA (scalar, avx2, avx512; any
/// other value counts as scalar). Objects read it once, when they are created. Results do not depend on it.
/// Allocates nothing. Threads: any, as long as no other thread changes the environment.
LF_API lf_isa lf_isa_best(void);

/// "scalar", "avx2" or "avx512"; "?" for anything else.
/// Static text. Allocates nothing. Threads: any.
LF_API const char *lf_isa_name(lf_isa isa);

// ---------------------------------------------------------------------------------------------------
// Numbers as text
// ---------------------------------------------------------------------------------------------------

/// Read the number at the start of a text, the same in every locale: sign, digits with a point, exponent; or "inf"
/// or "nan". Nothing is skipped before it.
/// text, end  the characters from text up to, not including, end; no NUL is needed
/// value      written only when there is a number: the nearest double (ties to even) for any number of digits,
///            infinite beyond the largest
/// Returns the first character after the number; NULL without a number. Allocates nothing. Threads: any.
LF_API const char *lf_number_read(const char *text, const char *end, double *value);

/// Space for any number that lf_number_write writes, with its closing zero.
#define LF_NUMBER_SIZE 32

/// Write a number with as few digits (at most 17) as restore the same bits when it is read, the same in every locale:
/// as JavaScript does, from 1e-6 up to 1e21 without an exponent ("1e+21" beyond), but minus zero is "-0";
/// "inf", "-inf" and "nan" for those.
/// Returns the length without the closing zero. Allocates nothing. Threads: any.
LF_API size_t lf_number_write(double value, char text[LF_NUMBER_SIZE]);

#ifdef __cplusplus
}
#endif
/// landfall/camera.h: a camera that flies over any ground and keeps its clearance.
///
/// A camera has a linear velocity and an angular velocity about the centre of the globe. A step moves it by both for the
/// duration of a frame. Where ground is in the way, or will be soon, the step changes the motion and reports how and why.
/// The whole motion between two frames is examined, not only its end: nothing is passed through, however fast.
///
/// Over a globe the clearance is a height above its ground. Everything else (grids, meshes, models, boxes, scenes, alone, in
/// groups and in groups with a globe) is met as a surface with two sides, by a sphere whose radius is the clearance: from above and
/// below, under bridges and inside buildings.

/// landfall/globe.h: a planet of tiles in longitude and latitude, at several levels of detail, loaded on demand.
///
/// Tiles form a quadtree: level 0 has `root_columns` x `root_rows` tiles over 360 x 180 degrees, and each tile has four
/// children of half its width and height. Columns are counted from the west (-180), rows from the south (-90). A tile is
/// a regular grid of samples with heights bilinear in longitude and latitude between them, or a TIN of triangles that
/// are flat in space.
///
/// The ground at a place is that of the finest loaded tile there. Where neighbouring tiles do not fit, because one is
/// coarser or their borders differ, the step between them is a wall that rays hit. Positions are earth-centred
/// (lf_ellipsoid_to_centred), in metres.

/// landfall/grid.h: heights on a regular raster, as ground.
///
/// A grid has columns x rows samples, each a height or a void. The surface between samples is chosen when the
/// grid is created, and all queries use it: those of lf_ground, and those below that only grids have.

/// landfall/ground.h: one interface for all kinds of ground.
///
/// Grids, meshes, globes, models, scenes and groups of all of them are grounds (lf_grid_ground and so on), and answer the same
/// queries. Heights and rays come first; sweeps, standing, walking, groups and locales build on them. For ground in a file
/// (landfall/store.h) any query may return LF_BAD_FORMAT: the file is damaged, and the output is not a result.

/// landfall/geom.h: points, boxes, planes, convex shapes, frames, the ellipsoid, exact predicates.
///
/// World positions are doubles, in metres unless a name says otherwise; angles in radians unless a name
/// says otherwise. x east, y north, z up.

#include <math.h>

/// Infinity, as a double.
#define LF_INFINITY ((double)INFINITY)
/// Not a number, as a double.
#define LF_NAN ((double)NAN)

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// Vectors and boxes
// ---------------------------------------------------------------------------------------------------

/// A point or vector on the map.
typedef struct lf_vec2 {
    double x, y; ///< coordinates
} lf_vec2;

/// A point or vector in space.
typedef struct lf_vec3 {
    double x, y, z; ///< coordinates
} lf_vec3;

/// A closed box. Empty when low exceeds high in any axis.
typedef struct lf_box {
    lf_vec3 low, high; ///< corners with the least and the greatest coordinates
} lf_box;

/// a + b.
static inline lf_vec3 lf_vec3_add(lf_vec3 a, lf_vec3 b) {
    lf_vec3 sum = {a.x + b.x, a.y + b.y, a.z + b.z};
    return sum;
}

/// a - b.
static inline lf_vec3 lf_vec3_sub(lf_vec3 a, lf_vec3 b) {
    lf_vec3 difference = {a.x - b.x, a.y - b.y, a.z - b.z};
    return difference;
}

/// a times a factor.
static inline lf_vec3 lf_vec3_scale(lf_vec3 a, double factor) {
    lf_vec3 scaled = {a.x * factor, a.y * factor, a.z * factor};
    return scaled;
}

/// a + t * b
static inline lf_vec3 lf_vec3_along(lf_vec3 a, double t, lf_vec3 b) {
    lf_vec3 point = {a.x + t * b.x, a.y + t * b.y, a.z + t * b.z};
    return point;
}

/// The scalar product.
static inline double lf_vec3_dot(lf_vec3 a, lf_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// The vector product, a x b.
static inline lf_vec3 lf_vec3_cross(lf_vec3 a, lf_vec3 b) {
    lf_vec3 product = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return product;
}

/// The length of a vector.
static inline double lf_vec3_length(lf_vec3 a) {
    return sqrt(lf_vec3_dot(a, a));
}

/// Are all three coordinates finite?
static inline bool lf_vec3_finite(lf_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/// Unit vector along a; a itself when its length is 0 or a is not finite. Safe from overflow and underflow.
/// Allocates nothing. Threads: any.
LF_API lf_vec3 lf_vec3_unit(lf_vec3 a);

/// The box that holds nothing: growing it by a point gives that point.
static inline lf_box lf_box_empty(void) {
    lf_box box = {{LF_INFINITY, LF_INFINITY, LF_INFINITY}, {-LF_INFINITY, -LF_INFINITY, -LF_INFINITY}};
    return box;
}

/// Does low exceed high in any axis?
static inline bool lf_box_is_empty(lf_box box) {
    return !(box.low.x <= box.high.x && box.low.y <= box.high.y && box.low.z <= box.high.z);
}

/// The least box that holds a box and a point (finite).
static inline lf_box lf_box_with(lf_box box, lf_vec3 p) {
    box.low.x = p.x < box.low.x ? p.x : box.low.x;
    box.low.y = p.y < box.low.y ? p.y : box.low.y;
    box.low.z = p.z < box.low.z ? p.z : box.low.z;
    box.high.x = p.x > box.high.x ? p.x : box.high.x;
    box.high.y = p.y > box.high.y ? p.y : box.high.y;
    box.high.z = p.z > box.high.z ? p.z : box.high.z;
    return box;
}

/// The least box that holds both. The empty box adds nothing.
static inline lf_box lf_box_union(lf_box a, lf_box b) {
    a.low.x = b.low.x < a.low.x ? b.low.x : a.low.x;
    a.low.y = b.low.y < a.low.y ? b.low.y : a.low.y;
    a.low.z = b.low.z < a.low.z ? b.low.z : a.low.z;
    a.high.x = b.high.x > a.high.x ? b.high.x : a.high.x;
    a.high.y = b.high.y > a.high.y ? b.high.y : a.high.y;
    a.high.z = b.high.z > a.high.z ? b.high.z : a.high.z;
    return a;
}

/// Do two closed boxes share a point? Touching counts.
static inline bool lf_box_overlap(lf_box a, lf_box b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
}

/// Is a point in a box, its sides included?
static inline bool lf_box_contains(lf_box box, lf_vec3 p) {
    return p.x >= box.low.x && p.x <= box.high.x && p.y >= box.low.y && p.y <= box.high.y &&
           p.z >= box.low.z && p.z <= box.high.z;
}

/// The middle of a box that is not empty.
static inline lf_vec3 lf_box_centre(lf_box box) {
    lf_vec3 centre = {0.5 * box.low.x + 0.5 * box.high.x, 0.5 * box.low.y + 0.5 * box.high.y,
                      0.5 * box.low.z + 0.5 * box.high.z};
    return centre;
}

// ---------------------------------------------------------------------------------------------------
// Exact predicates: the sign is that of the real number, whatever rounding does
// ---------------------------------------------------------------------------------------------------
// Inputs finite. Exact as long as no intermediate product overflows or underflows: magnitudes between
// 1e-80 and 1e80, and zeros, are safe; beyond that a sign may be wrong, but nothing else happens.
// Allocate nothing. Threads: any.

/// On which side of the directed line a to b does c lie? +1 left, 0 on it, -1 right.
LF_API int lf_orient2d(lf_vec2 a, lf_vec2 b, lf_vec2 c);

/// On which side of the plane a, b, c does d lie? +1 when a, b, c appear counter-clockwise from d (d is
/// in front), 0 in the plane, -1 behind.
LF_API int lf_orient3d(lf_vec3 a, lf_vec3 b, lf_vec3 c, lf_vec3 d);

/// The sign of direction . ((a - origin) x (b - origin)): on which side of the directed edge a to b does a
/// line pass. 0 means that the line meets the edge's line or is parallel to it.
LF_API int lf_orient_line(lf_vec3 origin, lf_vec3 direction, lf_vec3 a, lf_vec3 b);

/// normal . p = offset
typedef struct lf_plane {
    lf_vec3 normal; ///< unit length
    double offset;  ///< of the plane along its normal
} lf_plane;

// ---------------------------------------------------------------------------------------------------
// Convex polygons and polyhedra
// ---------------------------------------------------------------------------------------------------

/// What is wrong with a polygon that should be flat and convex.
typedef enum lf_polygon_fault {
    LF_POLYGON_FINE,       ///< nothing
    LF_POLYGON_TOO_FEW,    ///< fewer than three corners
    LF_POLYGON_NOT_FINITE, ///< NaN or infinite corner
    LF_POLYGON_DEGENERATE, ///< no area
    LF_POLYGON_CONCAVE,    ///< turns the wrong way at the corner given by `at`, or winds round twice
    LF_POLYGON_BENT        ///< the corner given by `at` is farther from the plane than the tolerance
} lf_polygon_fault;

/// Check that a polygon is flat within a tolerance and convex.
/// corners    count corners in order, either way round
/// tolerance  metres from the polygon's plane that are still flat, >= 0; rounding (2e-15 of the polygon's
///            extent) is allowed for. The plane is normal to lf_polygon_area and goes through the mean of
///            the corners
/// at         optional; the offending corner, or -1
/// Collinear and repeated corners are fine as long as there is area; three corners are always flat.
/// Convexity is decided exactly on the projection along the largest component of the normal. Of several
/// faults one is returned.
/// Allocates nothing. Threads: any.
LF_API lf_polygon_fault lf_polygon_check(const lf_vec3 *corners, int64_t count, double tolerance,
                                         int64_t *at);

/// The area vector of a polygon: its length is the area, it points to the counter-clockwise side. Right to
/// 12 digits however thin the polygon is; exactly zero when there is no area, and for fewer than three
/// corners.
/// Allocates nothing. Threads: any.
LF_API lf_vec3 lf_polygon_area(const lf_vec3 *corners, int64_t count);

/// Cut a simple polygon, convex or not, into triangles (ears, by exact orientation on the projection along
/// the largest normal component).
/// corners    count >= 3 finite corners in order
/// triangles  space for 3 * (count - 2) corner numbers, each 0 <= number < count, same winding as the
///            polygon; the whole space is used while working
/// Returns the number of triangles written: count - 2, or fewer when corners repeat or run straight back, 0
/// when all corners lie on a line; -1 when two edges cross or when the outline touches itself so that no
/// ear is left.
/// No triangle is without area. Corners in the middle of a straight edge are used.
/// Allocates nothing (quadratic in count). Threads: any.
LF_API int64_t lf_polygon_triangulate(const lf_vec3 *corners, int64_t count, int64_t *triangles);

/// Clip a convex polygon to the side normal . p <= offset of a plane.
/// corners    count corners in order
/// clipped    space for count + 1 corners; must not overlap corners
/// Returns the number of corners kept, 0 when nothing is left. Corners on the plane (exactly) are kept: a
/// polygon that only touches the plane from the far side leaves one or two corners. An edge is cut at the
/// same point whichever way round it is given. A polygon that is not convex loses all crossings but the
/// first two.
/// Allocates nothing. Threads: any.
LF_API int64_t lf_polygon_clip(const lf_vec3 *corners, int64_t count, const lf_plane *plane,
                               lf_vec3 *clipped);

/// A convex polyhedron as the common part of half-spaces normal . p <= offset, and its corners.
/// At most 32 planes and 64 corners: boxes, view volumes, sectors of shells.
#define LF_POLYHEDRON_PLANES 32
/// Most corners of a polyhedron.
#define LF_POLYHEDRON_CORNERS 64
/// A convex polyhedron.
typedef struct lf_polyhedron {
    int plane_count;                        ///< number of planes
    int corner_count;                       ///< number of corners
    lf_plane planes[LF_POLYHEDRON_PLANES];  ///< outward unit normals
    lf_vec3 corners[LF_POLYHEDRON_CORNERS]; ///< its corners
} lf_polyhedron;

/// How one shape lies to another.
typedef enum lf_relation { LF_RELATION_OUTSIDE, LF_RELATION_CROSSING, LF_RELATION_INSIDE } lf_relation;

// ---------------------------------------------------------------------------------------------------
// Rays, and polygons as arrays
// ---------------------------------------------------------------------------------------------------

/// A ray: origin + t * direction for t_min <= t <= t_max (closed). The direction needs no unit length;
/// t counts in its lengths. Origin within 1e30, finite direction, not zero, 0 <= t_min <= t_max;
/// t_max may be INFINITY.
typedef struct lf_ray {
    lf_vec3 origin;    ///< starting point
    lf_vec3 direction; ///< need not be of unit length
    double t_min;      ///< start, closed
    double t_max;      ///< end, closed; may be INFINITY
} lf_ray;

/// The ray from a point in a direction, t from 0 without end.
static inline lf_ray lf_ray_towards(lf_vec3 origin, lf_vec3 direction) {
    lf_ray ray = {origin, direction, 0.0, LF_INFINITY};
    return ray;
}

/// The segment from a to b: t is 0 at a and 1 at b.
static inline lf_ray lf_ray_between(lf_vec3 a, lf_vec3 b) {
    lf_ray ray = {a, {b.x - a.x, b.y - a.y, b.z - a.z}, 0.0, 1.0};
    return ray;
}

/// Polygons as plain arrays: what loaders and generators make and what meshes and models are made of.
/// Polygon i has the corners corner[start[i]] .. corner[start[i + 1] - 1], each the number of a vertex.
typedef struct lf_polygons {
    const lf_vec3 *vertices; ///< positions
    int64_t vertex_count;    ///< number of vertices
    const int64_t *starts;   ///< polygon_count + 1 ascending numbers from 0; NULL: all are triangles
    const int64_t *corners;  ///< numbers of vertices
    int64_t polygon_count;   ///< number of polygons
    const uint64_t *users;   ///< a value per polygon that comes back in hits, or NULL (all 0)
    const uint32_t *layers;  ///< a layer mask per polygon, or NULL (all 1)
    const uint8_t *sides;    ///< 1: hit only from the front, 2: from both; or NULL (all 2)
} lf_polygons;

// ---------------------------------------------------------------------------------------------------
// Frames: coordinates in which down is -z
// ---------------------------------------------------------------------------------------------------

/// Kinds of gravity.
typedef enum lf_frame_kind {
    LF_FRAME_GRAVITY, ///< one direction everywhere
    LF_FRAME_CENTRE,  ///< towards a point: a planet
    LF_FRAME_AXIS_IN, ///< towards a line
    LF_FRAME_AXIS_OUT ///< away from a line: a rotating station
} lf_frame_kind;

/// A frame. Local coordinates have down = -z: turned x, y, z for gravity; longitude, latitude (radians) and
/// distance for a centre; angle, distance along the axis and distance from it for an axis (negated where
/// gravity points outwards).
typedef struct lf_frame {
    lf_frame_kind kind; ///< which kind
    lf_vec3 origin;     ///< centre, or a point of the axis; zero for gravity
    lf_vec3 down;       ///< gravity as the caller gave it, or the axis, not normalised; zero for a centre
    lf_vec3 rows[3];    ///< rotation: local = rows * (world - origin), before angles are taken
} lf_frame;

/// The usual frame: down is -z and local coordinates are world coordinates.
static inline lf_frame lf_frame_default(void) {
    lf_frame frame = {LF_FRAME_GRAVITY, {0, 0, 0}, {0, 0, -1}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return frame;
}

/// Gravity along a vector (finite, not zero, any length). Straight down gives the identity rotation.
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
LF_API lf_status lf_frame_gravity(lf_vec3 gravity, lf_frame *frame);

/// Gravity towards a point (finite). Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
LF_API lf_status lf_frame_centre(lf_vec3 centre, lf_frame *frame);

/// Gravity towards (inwards) or away from the line through a point along a direction (finite, not zero).
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
LF_API lf_status lf_frame_axis(lf_vec3 point, lf_vec3 direction, bool inwards, lf_frame *frame);

/// The direction of down at a point: unit length; zero where there is none (the centre; the axis, as far as
/// rounding can tell).
/// Allocates nothing. Threads: any.
LF_API lf_vec3 lf_frame_down(const lf_frame *frame, lf_vec3 p);

/// The direction of north at a point: unit length, level. The local y axis for gravity; towards the end of the z axis
/// for a centre, and along the meridian of longitude 0 over its poles; along the axis for an axis.
/// Allocates nothing. Threads: any.
LF_API lf_vec3 lf_frame_north(const lf_frame *frame, lf_vec3 p);

/// World to local coordinates and back. Angles are in [-pi, pi], and 0 where there is none (on the axis).
/// Allocate nothing. Threads: any.
LF_API lf_vec3 lf_frame_to_local(const lf_frame *frame, lf_vec3 world);
LF_API lf_vec3 lf_frame_to_world(const lf_frame *frame, lf_vec3 local);

// ---------------------------------------------------------------------------------------------------
// Poses: position and rotation of a rigid body
// ---------------------------------------------------------------------------------------------------

/// world = rows * local + translation. The rows are those of a rotation.
typedef struct lf_pose {
    lf_vec3 rows[3];     ///< of the matrix
    lf_vec3 translation; ///< metres
} lf_pose;

/// The pose that changes nothing.
static inline lf_pose lf_pose_identity(void) {
    lf_pose pose = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    return pose;
}

/// A direction of the body in the world.
static inline lf_vec3 lf_pose_turn_to_world(const lf_pose *pose, lf_vec3 local) {
    lf_vec3 world = {lf_vec3_dot(pose->rows[0], local), lf_vec3_dot(pose->rows[1], local),
                     lf_vec3_dot(pose->rows[2], local)};
    return world;
}

/// A direction of the world in the coordinates of the body.
static inline lf_vec3 lf_pose_turn_to_local(const lf_pose *pose, lf_vec3 world) {
    lf_vec3 sum = lf_vec3_scale(pose->rows[0], world.x);
    sum = lf_vec3_along(sum, world.y, pose->rows[1]);
    return lf_vec3_along(sum, world.z, pose->rows[2]);
}

/// A point of the body in the world.
static inline lf_vec3 lf_pose_to_world(const lf_pose *pose, lf_vec3 local) {
    return lf_vec3_add(lf_pose_turn_to_world(pose, local), pose->translation);
}

/// A point of the world in the coordinates of the body.
static inline lf_vec3 lf_pose_to_local(const lf_pose *pose, lf_vec3 world) {
    return lf_pose_turn_to_local(pose, lf_vec3_sub(world, pose->translation));
}

/// A rotation by an angle (radians, counter-clockwise for an observer whom the axis points at) about the line through a
/// point along an axis (finite, not zero). About x, y or z the other rows are exact.
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
LF_API lf_status lf_pose_turn(lf_vec3 point, lf_vec3 axis, double angle, lf_pose *pose);

/// The composition of two poses: first one, then the other. Allocates nothing. Threads: any.
LF_API lf_pose lf_pose_then(const lf_pose *first, const lf_pose *second);

/// Is it rigid: finite, rows of unit length and at right angles within 1e-9, not mirrored?
/// Allocates nothing. Threads: any.
LF_API bool lf_pose_rigid(const lf_pose *pose);

// ---------------------------------------------------------------------------------------------------
// The ellipsoid
// ---------------------------------------------------------------------------------------------------

/// An ellipsoid of revolution; a sphere has flattening 0.
typedef struct lf_ellipsoid {
    double radius;     ///< equatorial, metres, > 0
    double flattening; ///< 0 <= f < 1
} lf_ellipsoid;

/// A place on it. lon_deg any finite number, answers in [-180, 180]; lat_deg in [-90, 90].
typedef struct lf_geodetic {
    double lon_deg, lat_deg, height; ///< degrees east, degrees north, metres above the ellipsoid
} lf_geodetic;

/// WGS84.
static inline lf_ellipsoid lf_ellipsoid_wgs84(void) {
    lf_ellipsoid wgs84 = {6378137.0, 1.0 / 298.257223563};
    return wgs84;
}

/// Earth-centred position of a place. Allocates nothing. Threads: any.
LF_API lf_vec3 lf_ellipsoid_to_centred(const lf_ellipsoid *ellipsoid, lf_geodetic geodetic);

/// Place of an earth-centred position (finite): the nearest place of the surface, and the height over it.
/// There and back is within 1 micrometre up to 1e8 m from the Earth's centre, for every flattening, and
/// inside too. On the axis lon is 0; where two places are equally near (deep inside, in the plane of the
/// equator) the northern one.
/// Allocates nothing. Threads: any.
LF_API lf_geodetic lf_ellipsoid_to_geodetic(const lf_ellipsoid *ellipsoid, lf_vec3 centred);

/// The pose of a thing at a place, in earth-centred coordinates: its x points to the right, y ahead, z up. Without turns these are
/// east, north and up (against the ellipsoid's normal); at a pole, those of the meridian of the place's lon_deg.
/// heading_deg  of y, clockwise from north
/// pitch_deg    positive with the front (y) up
/// roll_deg     positive with the left side (-x) up
/// pose         written only on success
/// Errors: LF_BAD_ARGUMENT for NULL, numbers that are not finite, a latitude beyond 90. Allocates nothing. Threads: any.
LF_API lf_status lf_ellipsoid_pose(const lf_ellipsoid *ellipsoid, lf_geodetic place, double heading_deg,
                                   double pitch_deg, double roll_deg, lf_pose *pose);

/// The shortest way over an ellipsoid.
typedef struct lf_geodesic {
    double distance;     ///< metres
    double azimuth1_deg; ///< at the start, clockwise from north, [-180, 180]
    double azimuth2_deg; ///< at the end, going on
} lf_geodesic;

/// Distance and azimuths between two places; heights are ignored. Accurate to 10 nanometres for Earth,
/// antipodal places included. Azimuths are such that lf_geodesic_from arrives to the same accuracy; they
/// are 0 between coincident places. At a pole, north is along the meridian of the place's lon_deg. Of
/// equally short ways one is given. About 2 microseconds. Allocates nothing. Threads: any.
LF_API lf_geodesic lf_geodesic_between(const lf_ellipsoid *ellipsoid, lf_geodetic from, lf_geodetic to);

/// The place reached from one by a distance (metres, may be negative) in an azimuth, height 0.
/// azimuth2_deg: optional, the azimuth there, going on. Same accuracy up to half way round, and so much
/// more for each further half. Allocates nothing. Threads: any.
LF_API lf_geodetic lf_geodesic_from(const lf_ellipsoid *ellipsoid, lf_geodetic from, double azimuth_deg,
                                    double distance, double *azimuth2_deg);

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The kind of object that was hit.
typedef enum lf_hit_kind { LF_HIT_NONE, LF_HIT_TRIANGLE, LF_HIT_CELL } lf_hit_kind;

/// One result for all kinds of ground. On a miss kind is LF_HIT_NONE, reason is set, t is the ray's
/// t_max, and the rest is zero (ids -1).
typedef struct lf_hit {
    lf_hit_kind kind; ///< which kind
    lf_reason reason; ///< why there is no hit
    double t;         ///< along the ray; for heights the distance, see lf_ground_height
    lf_vec3 point;    ///< where
    lf_vec3 normal;   ///< unit length, on the counter-clockwise (front) side of the surface
    int64_t part;     ///< which member of a group, which part of a scene; 0 where there are none
    /// The polygon, or the cell: row * (columns - 1) + column of its lower left sample on a grid (row * columns + column for
    /// LF_SURFACE_POINT and where it wraps), row * columns + column of its south-west sample in a tile of a globe.
    int64_t element;
    int32_t triangle; ///< which triangle of that polygon or cell
    int32_t level;    ///< level of detail, 0 where there is only one
    double u, v; ///< barycentrics of the triangle's second and third corner (heights: see lf_ground_weights)
    double resolution; ///< metres between samples where that applies, else 0
    uint64_t user;     ///< the element's user value
    uint32_t layers;   ///< the element's layers
    uint32_t inner; ///< of a part that is a group or a scene itself: which of its parts, see lf_group; else 0
} lf_hit;

/// Work done by queries, in units that do not depend on the clock.
typedef struct lf_counters {
    uint64_t questions; ///< queries with this cursor
    uint64_t nodes;     ///< inner nodes whose children were tested
    uint64_t cells;     ///< leaves, cells or tiles entered
    uint64_t triangles; ///< triangles tested
    uint64_t exact;     ///< decisions by exact arithmetic, where rounding could matter
    uint64_t decoded;   ///< samples of compressed grids that were decoded
} lf_counters;

/// A caller's own workspace for queries: counters, decoded blocks, the layer filter. It makes questions
/// cheaper or narrower, never different. One per thread. Every query also accepts NULL.
typedef struct lf_cursor lf_cursor;

/// Make a cursor.
/// host    hooks (only the allocator is used) or NULL
/// cursor  written only on success; free with lf_cursor_destroy
/// Errors: LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_cursor_create(const lf_host *host, lf_cursor **cursor);

/// Free a cursor; NULL is accepted. Threads: one per cursor.
LF_API void lf_cursor_destroy(lf_cursor *cursor);

/// The counters since creation or the last reset. cursor not NULL. Threads: one per cursor.
LF_API lf_counters lf_cursor_counters(const lf_cursor *cursor);

/// Set all counters to zero. cursor not NULL. Threads: one per cursor.
LF_API void lf_cursor_reset(lf_cursor *cursor);

/// Only see elements that share at least one layer with this mask (all bits at creation).
/// cursor not NULL; a mask of 0 sees nothing. Threads: one per cursor.
LF_API void lf_cursor_set_layers(lf_cursor *cursor, uint32_t layers);

/// How much memory the cursor keeps for decoded blocks of compressed grids (256 KiB at creation). What it
/// held is forgotten. With too little for a handful of blocks, or without a cursor, blocks are kept for no
/// longer than a question.
/// cursor  not NULL; bytes 0: none
/// Errors: LF_NO_MEMORY (it then keeps what it had). Threads: one per cursor.
LF_API lf_status lf_cursor_set_budget(lf_cursor *cursor, size_t bytes);

/// What can be asked for heights, rays and everything that is built on these: grids, meshes, globes, models, scenes, groups.
typedef struct lf_ground lf_ground;

/// The frame of a ground: where down is. Allocates nothing. Threads: any number at once.
LF_API lf_frame lf_ground_frame(const lf_ground *ground);

/// The box of everything in a ground. Allocates nothing. Threads: any number at once.
LF_API lf_box lf_ground_box(const lf_ground *ground);

/// Direction of a height query along the gravity line through its point.
typedef enum lf_vertical {
    LF_VERTICAL_DOWN, ///< nearest ground at or below the point
    LF_VERTICAL_UP    ///< nearest ground at or above the point
} lf_vertical;

/// Where the gravity line through a point meets the ground.
/// point   within 1e30; z may be INFINITY where gravity is -z: the topmost ground, downwards
/// vertical  down or up; ground at the point itself counts for both (t = 0)
/// hit     always written; t is the distance along the line, point and normal are in world coordinates.
///         On a miss the reason is set: outside, hole, or none (ground only on the other side).
///         After LF_BAD_ARGUMENT it is a miss with the reason none
/// Accuracy: which polygon, and whether there is one, is exact; the height is within 1e-10 m, or 1e-14 of the
/// terrain's extent where that is more. On a grid it is exact at samples, and elsewhere within 8 * 2^-53
/// (bilinear: 10 * 2^-53), which is about 1e-15, of the largest height of the cell in magnitude.
/// Ties:   nearest, compared exactly, then lowest part, then lowest polygon index, on a grid then lowest
///         triangle. Walls (edge-on to gravity) are never met; one-sided polygons only from their front.
/// cursor  counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT for a NaN. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_height(const lf_ground *ground, lf_vec3 point, lf_vertical vertical, lf_hit *hit,
                                  lf_cursor *cursor);

/// Fill in the barycentrics u and v of a height's hit; rays come with theirs.
/// hit     a hit that this ground gave; u and v are written, to within rounding of its point
/// Heights leave them 0, because few need them and reading the corners costs more than finding the ground.
/// Errors: LF_BAD_ARGUMENT for NULL, for a miss, and for an element that this ground does not have.
/// Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_weights(const lf_ground *ground, lf_hit *hit);

/// Every meeting of the gravity line through a point with the ground, from the top down; one-sided polygons
/// from both sides.
/// hits      space for capacity hits; t is positive below the point and negative above it
///           (distance from the topmost hit where z is INFINITY)
/// count     how many there are; when more than capacity, the first are written and LF_PARTIAL is returned; 0
///           after LF_BAD_ARGUMENT
/// Otherwise as lf_ground_height.
LF_API lf_status lf_ground_height_all(const lf_ground *ground, lf_vec3 point, lf_hit *hits, int64_t capacity,
                                      int64_t *count, lf_cursor *cursor);

/// The first element that a ray meets.
/// ray     finite origin, non-zero direction, 0 <= t_min <= t_max; the interval is closed
/// hit     always written; on a miss kind is LF_HIT_NONE and t is ray->t_max (after LF_BAD_ARGUMENT:
///         INFINITY)
/// Ties:   lowest t, compared exactly before it is rounded, then lowest part, then lowest polygon index. A
///         start on the surface is a hit at t_min. A ray in the plane of a polygon meets it where it enters
///         it.
/// cursor  counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_ray_first(const lf_ground *ground, const lf_ray *ray, lf_hit *hit,
                                     lf_cursor *cursor);

/// Does a ray meet anything? As lf_ground_ray_first, but any hit will do, and only true or false is returned
/// (after LF_BAD_ARGUMENT: false).
LF_API lf_status lf_ground_ray_any(const lf_ground *ground, const lf_ray *ray, bool *blocked,
                                   lf_cursor *cursor);

/// Every polygon a ray meets, in the order of t, then polygon index; one hit per polygon. The order is that
/// of the exact t; rounded, they never fall. On a globe a ray that runs within a wall between two tiles has a
/// few hits where it enters the wall, and the next behind it.
/// hits    space for capacity hits
/// count   how many there are; when more than capacity, the first are written and LF_PARTIAL is returned; 0
///         after LF_BAD_ARGUMENT
/// Otherwise as lf_ground_ray_first.
LF_API lf_status lf_ground_ray_all(const lf_ground *ground, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                                   int64_t *count, lf_cursor *cursor);

/// Many heights: bit for bit what lf_ground_height gives for each point.
/// points, hits  count of each, `point_stride` and `hit_stride` bytes apart (0: packed; LF_STRIDE_SAME for points)
/// tasks         parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT for a NaN point; nothing is written then. Allocates nothing.
LF_API lf_status lf_ground_height_many(const lf_ground *ground, const lf_vec3 *points, size_t point_stride,
                                       int64_t count, lf_vertical vertical, lf_hit *hits, size_t hit_stride,
                                       const lf_tasks *tasks);

/// Many heights as numbers: a hit is twenty times as large.
/// points, heights  count of each, `point_stride` and `height_stride` bytes apart (0: packed; LF_STRIDE_SAME for points)
/// heights          bit for bit the height of the hit that lf_ground_height gives for each point: the z of
///                  the hit's point where down is -z, else the z that lf_frame_to_local makes of it; NAN
///                  where there is no ground
/// tasks            parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT for a NaN point; nothing is written then. Allocates nothing, but for compressed
/// grids, queried on one thread for several heights per tile: a megabyte from the grid's allocator, without
/// which they are slower.
LF_API lf_status lf_ground_heights_many(const lf_ground *ground, const lf_vec3 *points, size_t point_stride,
                                        int64_t count, lf_vertical vertical, double *heights,
                                        size_t height_stride, const lf_tasks *tasks);

/// Many first hits: bit for bit what lf_ground_ray_first gives for each ray.
/// rays, hits  count of each, `ray_stride` and `hit_stride` bytes apart (0: packed; LF_STRIDE_SAME for rays)
/// tasks       parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT for a bad ray; nothing is written then. Allocates nothing.
LF_API lf_status lf_ground_ray_first_many(const lf_ground *ground, const lf_ray *rays, size_t ray_stride,
                                          int64_t count, lf_hit *hits, size_t hit_stride,
                                          const lf_tasks *tasks);

// ---------------------------------------------------------------------------------------------------
// Spheres and boxes that move
// ---------------------------------------------------------------------------------------------------

/// A sphere or a box, and its straight motion; start from lf_sweep_sphere or lf_sweep_box.
typedef struct lf_sweep {
    lf_pose pose;     ///< rigid: where it is at the start; a sphere's centre is the translation
    lf_vec3 half;     ///< half the sides of a box, each above 0; all 0 for a sphere
    double radius;    ///< of a sphere, 0 or more; 0 for a box
    lf_vec3 motion;   ///< finite
    double tolerance; ///< metres, above 0; 1e-6 by default
} lf_sweep;

/// A sphere; a radius of 0 is a point.
static inline lf_sweep lf_sweep_sphere(lf_vec3 centre, double radius, lf_vec3 motion) {
    lf_sweep sweep = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, centre}, {0, 0, 0}, radius, motion, 1e-6};
    return sweep;
}

/// The box of the points pose(x) with |x| <= half along each axis.
static inline lf_sweep lf_sweep_box(lf_pose pose, lf_vec3 half, lf_vec3 motion) {
    lf_sweep sweep = {pose, half, 0, motion, 1e-6};
    return sweep;
}

/// First contact of a sphere or box that moves in a straight line without rotation. The motion is continuous: nothing is passed
/// through, however fast. The ground is only the surface, from both sides: what is below it or in a closed shape does not touch.
/// sweep   see there
/// hit     always written. t is along the motion, 0 .. 1. It is conservative: not later than the contact, and not earlier than
///         the contact of the same object enlarged by the tolerance on all sides; 0 where the object is within the
///         tolerance at its start. point: of the ground, within the tolerance of the object; normal: from there to the object, unit
///         length, the ground's own where they overlap; u and v are 0. On a miss t is 1
/// Ties:   lowest t, then lowest part, then lowest element. On a bilinear cell with slopes of thousands the tolerance is at least
///         a 2000th of its diagonal; a globe's surface is met to within 1 mm more.
/// cursor  counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_sweep(const lf_ground *ground, const lf_sweep *sweep, lf_hit *hit,
                                 lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Groups: a world of several grounds, each with its own pose, queried as one.
// ---------------------------------------------------------------------------------------------------

/// One member of a group: a ground or a box, and where it is. Zeros are the defaults of everything but ground and pose.
typedef struct lf_group_part {
    /// Borrowed, must outlive the group, and may be shared by many parts; NULL: the part is a box.
    const lf_ground *ground;
    lf_pose pose;    ///< rigid
    lf_box box;      ///< of a part without ground: in its own coordinates, not empty, finite
    uint32_t layers; ///< 0: its elements have their own layers, a box has layer 1; else all of it has these
    uint64_t user;   ///< 0: its elements have their own user values; else all of it has this one
} lf_group_part;

/// How to make a group; start from lf_group_def_default().
typedef struct lf_group_def {
    size_t size;  ///< stamped by the default function
    lf_host host; ///< hooks of the caller
    /// Where down is for the whole group, whatever the parts were made for. With a globe: the globe's, as it is posed.
    lf_frame frame;
    const lf_group_part *parts; ///< copied
    int64_t part_count;         ///< 1 or more
} lf_group_def;

/// The default: down is -z. Fill in parts.
static inline lf_group_def lf_group_def_default(void) {
    lf_group_def def = {sizeof(lf_group_def),
                        {NULL, NULL, NULL, NULL},
                        {LF_FRAME_GRAVITY, {0, 0, 0}, {0, 0, -1}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                        NULL,
                        0};
    return def;
}

/// Any grounds and boxes as one ground, which move as rigid parts: grids, meshes, models, scenes, groups, and at most one globe.
///
/// Each query is answered by the parts that it can meet, found by a tree of their boxes, in the part's own coordinates: those
/// that lf_pose_to_local and lf_pose_turn_to_local give, in doubles; with the identity as pose, unchanged. A part whose own down
/// is the group's down there (one that is only moved, and turned about gravity) answers with what it keeps for
/// gravity lines; one that is tilted answers as to any other ray. Answers are those of one ground made of all polygons as they
/// stand, up to the rounding of the poses. Which of two polygons' hits comes first is decided by the exact t of the line in
/// each part's coordinates; where one of them is of a grid or of round shape, by t as it is rounded.
///
/// A box is a part without ground: it has six faces, which are met as the polygons of a mesh. Faces 0 .. 5 are those of
/// low x, high x, low y, high y, low z, high z.
///
/// Hits name the part. Where it is a group itself, `inner` is its part's number plus the `inner` of a hit of that part, counting
/// as many numbers for each earlier part as that part has: 1, or all those of its own parts if it is a group, 2^24 if it is a scene.
typedef struct lf_group lf_group;

/// Make a group.
/// group  written only on success; free with lf_group_destroy
/// error  optional; `where` is the index of the offending part
/// Errors: LF_BAD_ARGUMENT (no part, a pose that is not rigid, an empty or infinite box, two globes, a frame without direction),
/// LF_TOO_LARGE (more than 2^31 parts, or 2^32 numbers), LF_NO_MEMORY. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_group_create(const lf_group_def *def, lf_group **group, lf_error *error);

/// Free a group, not its parts; NULL is accepted. Threads: not while another thread uses it.
LF_API void lf_group_destroy(lf_group *group);

/// How many parts it has. Allocates nothing. Threads: any number at once.
LF_API int64_t lf_group_count(const lf_group *group);

/// The pose of a part, 0 <= part < count. Allocates nothing. Threads: any number at once.
LF_API lf_pose lf_group_pose(const lf_group *group, int64_t part);

/// Move a part: the cost does not depend on how large it is. A group that this one is a part of needs lf_group_update.
/// Errors: LF_BAD_ARGUMENT (no such part, a pose that is not rigid, or another one for a globe); then nothing changes.
/// Allocates only to rebuild the tree, after many moves; without memory the tree is kept. Threads: not while another thread uses
/// the group.
LF_API lf_status lf_group_set_pose(lf_group *group, int64_t part, const lf_pose *pose);

/// Take over the boxes of all parts, after a ground that is a part has changed its own: by an edit, a step of a scene, a move
/// within a group. (A group of a single ground in its own coordinates needs this never.) Groups that are parts are not updated
/// themselves. Costs a comparison per part, and as much as a move for each that has changed.
/// Errors: LF_BAD_ARGUMENT. Allocates as lf_group_set_pose. Threads: not while another thread uses the group.
LF_API lf_status lf_group_update(lf_group *group);

/// The group as a ground, for as long as the group exists; NULL for NULL. Costs nothing. Threads: any.
LF_API const lf_ground *lf_group_ground(const lf_group *group);

// ---------------------------------------------------------------------------------------------------
// Objects standing on the ground: position, pitch and roll from three or four contacts.
//
// An object touches the ground at its contacts: wheels, feet, the corners of a base. The ground is queried
// under each and a plane is fitted to the results; the object stands on that plane. This is right for objects
// that are small compared with the features of the ground. A contact without ground is reported and ignored.
// ---------------------------------------------------------------------------------------------------

/// How a plane is found for four contacts. (For three there is only one.)
typedef enum lf_stand_rule {
    LF_STAND_FIT, ///< the plane of least squares: all four share what is left over, as on springs
    LF_STAND_REST ///< a stiff frame: it rests on three, no ground pokes through, the fourth hangs in the air
} lf_stand_rule;

/// Most contacts of a footprint.
#define LF_FOOTPRINT_CONTACTS 4

/// Where an object touches the ground, and how that ground is searched.
typedef struct lf_footprint {
    int count; ///< contacts: 3 or 4
    /// Metres forward (x) and to the left (y) of the object's origin; finite, no three of them on one line.
    lf_vec2 contacts[LF_FOOTPRINT_CONTACTS];
    lf_stand_rule rule; ///< how it stands
    /// Metres, 0 or more: ground up to this far above the queried point still counts as below a contact.
    double reach;
    int passes; ///< 1 .. 16: how often the tilt found is used to find where tilted wheels really are. 1: the
                ///< contacts are where they would be on level ground
} lf_footprint;

/// Three contacts.
static inline lf_footprint lf_footprint_three(lf_vec2 a, lf_vec2 b, lf_vec2 c) {
    lf_footprint footprint = {3, {a, b, c, {0, 0}}, LF_STAND_FIT, 0, 1};
    return footprint;
}

/// Four wheels: the axles `base` metres apart, the wheels of an axle `track` metres; the origin is in the
/// middle. In the order front left, front right, rear left, rear right.
static inline lf_footprint lf_footprint_wheels(double base, double track) {
    double x = 0.5 * base, y = 0.5 * track;
    lf_footprint footprint = {4, {{x, y}, {x, -y}, {-x, y}, {-x, -y}}, LF_STAND_FIT, 0, 1};
    return footprint;
}

/// How an object stands.
typedef struct lf_stance {
    bool stands;      ///< was there a plane? If not, only the contacts are set and the rest is zero
    int grounded;     ///< contacts with ground
    lf_vec3 position; ///< the object's origin: where the gravity line through the point meets the plane
    lf_vec3 normal;   ///< of the plane, unit length, upwards
    lf_vec3 forward;  ///< unit length, in the plane: the object's forward direction
    double pitch;     ///< radians, positive with the nose up
    double roll;      ///< radians, positive with the left side up
    /// The ground under each; kind LF_HIT_NONE and the reason where there is none.
    lf_hit contacts[LF_FOOTPRINT_CONTACTS];
    /// Metres from that ground up to the plane: positive where the contact hangs in the air, negative where
    /// ground pokes through; 0 without ground.
    double gaps[LF_FOOTPRINT_CONTACTS];
} lf_stance;

/// Stand an object on the ground: the ground at or below each contact, the plane through it, and the pose on
/// it.
/// footprint  see there
/// point      the object's origin, seen along gravity; finite, z may be INFINITY where gravity is -z
/// heading    its forward direction, seen along gravity: finite, any length, not along gravity
/// stance     always written; after LF_BAD_ARGUMENT it does not stand and no contact has ground
/// With four contacts, and three of them with ground, the object stands on those three. With fewer than three
/// it does not stand; a contact's height is never invented. LF_STAND_REST: of the two triples that no ground
/// pokes through, the one over which the origin lies; where it lies on the border of both, the one that
/// leaves the later contact in the air.
/// cursor     counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT, also where there is no down. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_stand(const lf_ground *ground, const lf_footprint *footprint, lf_vec3 point,
                                 lf_vec3 heading, lf_stance *stance, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Walking over the ground, with gaps and steps as obstacles.
// ---------------------------------------------------------------------------------------------------

/// What a walker can do.
typedef struct lf_walker {
    double step;  ///< metres up that it can take at once: 0 or more, INFINITY allowed
    double drop;  ///< metres down likewise
    double crack; ///< obstacles no longer than this along the way are stepped over; 0: none, however narrow
} lf_walker;

/// A walker that can step so far up and down.
static inline lf_walker lf_walker_default(double step) {
    lf_walker walker = {step, step, 0};
    return walker;
}

/// How a walk ended.
typedef enum lf_walk_end {
    LF_WALK_ARRIVED,
    LF_WALK_NO_GROUND, ///< there is no more ground: the reason is hole or outside
    LF_WALK_STEP_UP,   ///< the ground goes on, but higher than a step
    LF_WALK_STEP_DOWN  ///< the ground goes on, but deeper than a drop
} lf_walk_end;

/// How a walk went.
typedef struct lf_walk {
    lf_walk_end end;  ///< why it ended
    lf_reason reason; ///< LF_REASON_ANSWERED unless there is no more ground
    double t;         ///< how far along the way, 0 to 1
    /// The last permitted one, on the ground; where there was none to start from, the start itself.
    lf_vec3 position;
    /// What it stands on there (its t is 0); kind LF_HIT_NONE where there was none to start from.
    lf_hit ground;
    double step; ///< metres of the step that was refused: positive up, negative down; 0 where none was
} lf_walk;

/// The polyline that was walked.
typedef struct lf_path {
    lf_vec3 *points;  ///< space for capacity points
    int64_t capacity; ///< 0 or more
    int64_t count;    ///< written: how many there are; when more than capacity, the first are there
} lf_path;

/// Try to move over the ground, straight from one point to another as seen along gravity.
///
/// At every place of the way the walker stands on the highest ground that is not more than `step` above where
/// it stood just before. Where there is none, or where it is more than `drop` below, the walk ends. So it
/// goes up kerbs and stairs, stays on a bridge or under it, and on several floors follows the one that
/// permitted steps lead to. The whole way is examined, not samples of it: every outline that crosses the path
/// is tested, on both sides. (An obstacle shorter than 16 units in the last place of the coordinates cannot
/// be distinguished from a shared edge.) Steps are allowed up to 1 nanometre beyond the limits, and some
/// units in the last place of the coordinates: a kerb of 0.2 m is no obstacle to a step of 0.2 m.
///
/// walker  see there
/// from    it starts on the highest ground that is not more than `step` above this point, however deep below:
///         finite; z may be INFINITY where gravity is -z
/// to      finite; only where it is seen along gravity matters (where gravity is -z, its z may be anything
///         but NaN)
/// walk    always written, except on LF_BAD_ARGUMENT
/// path    optional: the start, every place where the ground under the walker changes (both ends of a step),
///         the end. About an axis, the way over one polygon is a curve; the polyline has its ends
/// cursor  counters and filters of the caller's thread, or NULL
/// Errors: LF_PARTIAL when the path has more points than capacity; LF_BAD_ARGUMENT, also for a way that meets
/// the centre or the axis of the frame; LF_NO_MEMORY. Takes memory from the ground's allocator only where
/// more than 32 floors lie over one place, and frees it. Threads: any number at once.
LF_API lf_status lf_ground_walk(const lf_ground *ground, const lf_walker *walker, lf_vec3 from, lf_vec3 to,
                                lf_walk *walk, lf_path *path, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Locales, which are volumes between a floor and a ceiling: which of them hold a point, and which borders
// does a move cross.
//
// A volume is what has floor below and ceiling above. Its sides need no walls: they are where floor or
// ceiling end. It is closed: a point on the floor or on the ceiling is inside. Where floor and ceiling are in
// one ground they must be apart: a point on a surface with nothing else above or below is not inside.
// ---------------------------------------------------------------------------------------------------

/// A volume with a name.
typedef struct lf_locale {
    const char *name; ///< not NULL, not empty, unlike all others
    const lf_ground
        *floor; ///< must outlive the locales, and stay within the box that it had when they were made
    const lf_ground *ceiling; ///< likewise; NULL: in the same ground as the floor
} lf_locale;

/// A set of named volumes. They may overlap.
typedef struct lf_locales lf_locales;

/// Make a set of locales.
/// list     count >= 1 of them; copied, the names too
/// host     hooks (only the allocator is used) or NULL
/// locales  written only on success; free with lf_locales_destroy
/// error    optional; `where` is the index of the offending locale
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_locales_create(const lf_locale *list, int64_t count, const lf_host *host,
                                   lf_locales **locales, lf_error *error);

/// Free locales, not their grounds; NULL is accepted. Threads: not while another thread uses them.
LF_API void lf_locales_destroy(lf_locales *locales);

/// The name of a locale by its index in the list; NULL beyond it; it lives as long as the locales. Allocates nothing. Threads: any
/// number at once.
LF_API const char *lf_locales_name(const lf_locales *locales, int64_t index);

/// Which locales hold a point, in ascending order.
/// point     finite
/// indices   space for capacity of them
/// count     how many there are; when more than capacity, the lowest are written and LF_PARTIAL is returned
/// cursor    counters and filters of the caller's thread, or NULL
/// The cost is that of two heights for each locale whose floor is under the point; many locales are found by a tree of boxes.
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_locales_at(const lf_locales *locales, lf_vec3 point, int64_t *indices, int64_t capacity,
                               int64_t *count, lf_cursor *cursor);

/// One border crossed.
typedef struct lf_crossing {
    double t;       ///< along the segment, 0 to 1
    lf_vec3 point;  ///< where
    int64_t locale; ///< whose border
    bool entering;  ///< or leaving
} lf_crossing;

/// Which borders does a straight move cross, and where? The whole segment is examined, not samples of it: a
/// locale that is left for the width of a finger is left and entered.
/// from, to   finite; they may be the same
/// crossings  space for capacity of them, in the order of t; at the same t leaving comes first, then the
///            lower locale
/// count      how many there are; when more than capacity, the first are written and LF_PARTIAL is returned
/// From the locales that hold `from`, the crossings lead to those that hold `to`: a move that begins on a
/// border and goes away leaves at t = 0. In between, a border that is only touched is not crossed. What is
/// shorter than 16 units in the last place of the coordinates cannot be distinguished from that.
/// cursor     counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT, also for a segment that meets the centre or the axis of a locale's frame.
/// Allocates nothing. Threads: any number at once.
LF_API lf_status lf_locales_cross(const lf_locales *locales, lf_vec3 from, lf_vec3 to, lf_crossing *crossings,
                                  int64_t capacity, int64_t *count, lf_cursor *cursor);

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The surface between samples: constant, value, name, description. A cell (i, j) lies between the samples of
/// columns i and i + 1 and rows j and j + 1, with columns to the right and rows upwards, as x and y on a map.
/// Voids: a piece of the surface exists where all of its own corners have heights: a triangle its three, a
/// bilinear patch its four, a level square its one. A cell of triangles with one void keeps the triangle on
/// the other side of its diagonal, unless the void is an end of the diagonal. Sides and corners belong to a
/// piece; what no piece covers is void for every query. So is a sample that has a height but is a corner of
/// no piece: heights, viewsheds, shade and horizons treat it as void, and only lf_grid_sample and
/// lf_grid_read return its height.
#define LF_SURFACE_LIST(X)                                                                                  \
    X(LF_SURFACE_FALLING, 0, "falling", "two triangles a cell, cut from its upper left to its lower right") \
    X(LF_SURFACE_RISING, 1, "rising", "two triangles a cell, cut from its lower left to its upper right")   \
    X(LF_SURFACE_ALTERNATING, 2, "alternating", "falling where i + j is even, rising where it is odd")      \
    X(LF_SURFACE_BILINEAR, 3, "bilinear", "a bilinear patch a cell")                                        \
    X(LF_SURFACE_POINT, 4, "posts", "a level square around each sample; steps between squares are walls")

typedef enum lf_surface {
#define LF_SURFACE_ENUM(name, value, word, text) name = value,
    LF_SURFACE_LIST(LF_SURFACE_ENUM)
#undef LF_SURFACE_ENUM
} lf_surface;

/// The name of a surface, such as "falling"; "?" for an invalid value. Static text. Threads: any.
LF_API const char *lf_surface_name(lf_surface surface);

/// The type of the samples of a grid in memory.
typedef enum lf_sample_type {
    LF_SAMPLE_FLOAT,
    LF_SAMPLE_DOUBLE,
    LF_SAMPLE_INT16,
    LF_SAMPLE_UINT16
} lf_sample_type;

/// How a grid stores its heights: constant, value, name, description.
#define LF_CODEC_LIST(X)                                                                                   \
    X(LF_CODEC_RAW, 0, "raw", "as they are")                                                               \
    X(LF_CODEC_PACK, 1, "pack",                                                                            \
      "predicted from neighbours, residuals packed: smallest and fastest to decode")                       \
    X(LF_CODEC_MAXPLUS, 2, "maxplus", "maxima and differences: the bounds of small blocks need no memory") \
    X(LF_CODEC_HAAR, 3, "haar", "Haar wavelets, rounded band by band")                                     \
    X(LF_CODEC_D4, 4, "d4", "Daubechies-4 wavelets, rounded band by band")

typedef enum lf_codec {
#define LF_CODEC_ENUM(name, value, word, text) name = value,
    LF_CODEC_LIST(LF_CODEC_ENUM)
#undef LF_CODEC_ENUM
} lf_codec;

/// The name of a codec, such as "pack"; "?" for an invalid value. Static text. Threads: any.
LF_API const char *lf_codec_name(lf_codec codec);

/// Bands of wavelet coefficients in a tile of a compressed grid, coarsest first.
#define LF_CODEC_BANDS 5

/// Bands above these, of the means of 2 x 2, 4 x 4 or 8 x 8 tiles.
#define LF_CODEC_COARSE_BANDS 3

/// Samples, row by row. The sample of column i and row j is at values + j * row_step + i * column_step bytes;
/// its height is sample * scale + offset, in doubles. A sample is a void when it is NaN or infinite, when it
/// equals `nodata` (before scale and offset; a NaN nodata equals nothing), or when its byte in the mask is 0.
typedef struct lf_samples {
    lf_sample_type type;     ///< of the values
    const void *values;      ///< the numbers
    int64_t columns;         ///< >= 2
    int64_t rows;            ///< >= 2
    ptrdiff_t column_step;   ///< bytes; 0: contiguous. May be negative; must be a multiple of the sample size
    ptrdiff_t row_step;      ///< bytes; 0: contiguous. Likewise
    double scale, offset;    ///< finite, scale not 0; 1 and 0 by default
    double nodata;           ///< NAN by default
    const uint8_t *mask;     ///< a byte per sample, 0: void; or NULL
    ptrdiff_t mask_row_step; ///< bytes; 0: contiguous
} lf_samples;

/// The positions of samples: sample (i, j) is at origin + i * per_column + j * per_row. The second vector must
/// be to the left of the first, not parallel to it (a raster with north on top starts at its last row, with a
/// negative row_step).
typedef struct lf_geotransform {
    lf_vec2 origin;     ///< position of sample (0, 0)
    lf_vec2 per_column; ///< 1,0 by default
    lf_vec2 per_row;    ///< 0,1 by default
} lf_geotransform;

/// The position of column i and row j, which may be fractions.
static inline lf_vec2 lf_geotransform_at(const lf_geotransform *geotransform, double i, double j) {
    lf_vec2 at = {geotransform->origin.x + i * geotransform->per_column.x + j * geotransform->per_row.x,
                  geotransform->origin.y + i * geotransform->per_column.y + j * geotransform->per_row.y};
    return at;
}

/// A rectangle of samples, or of a raster's pixels.
typedef struct lf_window {
    int64_t column, row;   ///< the first
    int64_t columns, rows; ///< how many
} lf_window;

/// How to create a grid; start from lf_grid_def_default() and fill in the samples.
typedef struct lf_grid_def {
    size_t size;        ///< stamped by the default function
    lf_host host;       ///< hooks of the caller
    lf_samples samples; ///< the heights
    bool borrow; ///< use the caller's memory, which must not change while the grid exists; else it is copied
    lf_geotransform geotransform; ///< position of the samples on the map
    lf_surface surface;           ///< as in the definition
    int leaf; ///< cells along a side of the smallest bounded squares: 1, 2, 4 .. 64; 0: chosen (default)
    /// Extend the surface by half a cell at constant height outside of the border samples, for area rasters;
    /// not with borrow. Its elements are those of the nearest cells; at the border the cell comes first.
    bool extend;
    lf_codec codec; ///< how heights are stored; except for raw, samples are not used after creation
    /// >= 0, the largest error of a height of a compressed grid. 0: lossless, which requires whole numbers
    /// (before scale and offset, for samples of 16 bits).
    double max_error;
    /// For wavelets, instead of max_error: bits per coefficient of each band, 2 .. 32; 0: by max_error.
    int band_bits[LF_CODEC_BANDS];
    /// x and x + turn are the same place: 360 for longitudes; 0 (default): x is not periodic. Requires
    /// columns along x and rows along y, and columns within one turn.
    double turn;
    /// Each row (also of the mask) is followed by one more sample, which repeats the first of the row.
    /// Required to borrow the samples of a grid whose columns span the whole turn; ignored for others.
    bool repeated;
    /// Only the samples of `parts` are read, now and later; the others need not exist in memory. Queries within the
    /// parts have the answers of a grid of all samples, bit for bit; those that come closer than two samples to a border
    /// of a part that is not one of the grid have no meaningful answer. Requires borrow, codec raw and no extend.
    bool partial;
    const lf_window
        *parts; ///< each begins at multiples of LF_GRID_PART and ends one sample after one, or with the
                ///< grid, its repeated column included
    int64_t part_count; ///< 0: no surface at all, values may be NULL
    /// With partial: least and greatest height of all samples, also of those that are not read. Voids are then as high, and
    /// lines as exact, as on the whole grid. low > high (default): those of the parts.
    double partial_low;
    double partial_high; ///< the greatest of them
    /// With band_bits: bits per coefficient of coarser bands than a tile has, coarsest first, 2 .. 32. The last number is that of
    /// 2 x 2 tiles, and a 0 means that there is no such band and none before it: the means of these squares are exact.
    int coarse_bits[LF_CODEC_COARSE_BANDS];
    /// Wavelets, with a leaf of 32 cells: bounds of whole tiles come from the coefficients, as those within tiles do, and a file holds no
    /// bounds. It takes longer to open (each tile is read), and queries decode more.
    bool derived_bounds;
} lf_grid_def;

/// Parts of a grid consist of squares of this many cells.
#define LF_GRID_PART 64

static inline lf_grid_def lf_grid_def_default(void) {
    lf_grid_def def = {sizeof(lf_grid_def),
                       {NULL, NULL, NULL, NULL},
                       {LF_SAMPLE_FLOAT, NULL, 0, 0, 0, 0, 1, 0, LF_NAN, NULL, 0},
                       false,
                       {{0, 0}, {1, 0}, {0, 1}},
                       LF_SURFACE_FALLING,
                       0,
                       false,
                       LF_CODEC_RAW,
                       0,
                       {0, 0, 0, 0, 0},
                       0,
                       false,
                       false,
                       NULL,
                       0,
                       LF_INFINITY,
                       -LF_INFINITY,
                       {0, 0, 0},
                       false};
    return def;
}

/// Heights on a raster, with a surface between them.
typedef struct lf_grid lf_grid;

/// The properties of a grid.
typedef struct lf_grid_info {
    int64_t columns, rows;        ///< samples
    int64_t hole_count;           ///< samples without a height
    lf_surface surface;           ///< as in the definition
    lf_geotransform geotransform; ///< position of the samples on the map
    bool extend;                  ///< as in the definition
    int leaf;                     ///< as in the definition
    double low, high;             ///< least and greatest height; low > high where all samples are voids
    lf_box box;                   ///< of the surface
    size_t bytes;                 ///< all memory of the grid, without borrowed samples
    size_t pyramid_bytes;         ///< of these, bounds
    lf_codec codec;               ///< as in the definition
    size_t sample_bytes;          ///< of these, heights: samples, or blocks and their index
    double max_error;             ///< as requested
    double largest_error;         ///< of any height by compression, and by edits
    double mean_square_error;     ///< of the compressed heights
} lf_grid_info;

/// Create a grid. Heights beyond 1e30 are rejected; voids are not. Queries of a grid with a turn accept x of
/// any convention (-118.5, 241.5, 601.5 for longitudes). Where its columns span the whole turn (columns, or
/// columns - 1 where the last repeats the first, equal turn / spacing within 1e-9) it wraps: heights, rays,
/// sight, horizons, light and viewsheds cross the seam, and a row has as many cells as there are columns in a
/// turn. An alternating surface needs an even number of these to wrap. Moving spheres and boxes
/// (lf_ground_sweep) do not cross the seam. A compressed grid answers every query with the same bits as
/// a grid of its decoded heights, decoding on demand. Its default leaf is 2 cells; with max-plus 16 cells,
/// and bounds within these come from the tiles. So they do for wavelets with a leaf of 32 cells: slower, and in less memory.
/// A grid of parts takes address space of the system for all of its bounds, but memory only for those of its parts.
/// def    samples, geotransform, surface. In addition to heights a grid takes less than 1 byte per sample, or
///        less than 3 with a leaf
///        of 1 cell, which is faster for rays that are dense over the ground, as those of a camera
/// grid   written only on success; free it with lf_grid_destroy
/// error  optional; `where` is the index of the offending sample (row * columns + column)
/// Errors: LF_BAD_ARGUMENT (named), LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED.
/// Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_grid_create(const lf_grid_def *def, lf_grid **grid, lf_error *error);

/// Destroy a grid; accepts NULL. Threads: no other thread may use the grid.
LF_API void lf_grid_destroy(lf_grid *grid);

/// The grid as a ground, valid while the grid exists; NULL for NULL. Down is -z. Edits of the grid take
/// effect at once. Allocates nothing. Threads: any.
LF_API const lf_ground *lf_grid_ground(const lf_grid *grid);

/// The properties of a grid. Allocates nothing. Threads: any number at once.
LF_API lf_grid_info lf_grid_describe(const lf_grid *grid);

/// The number of columns in a turn of a grid that wraps; 0 where it does not. Allocates nothing. Threads: any
/// number at once.
LF_API int64_t lf_grid_round(const lf_grid *grid);

/// The height of a sample; NAN for a void, for a sample that does not exist, and once the file of a stored
/// grid was found damaged (lf_grid_read reports that as an error). Allocates nothing. Threads: any number at
/// once.
LF_API double lf_grid_sample(const lf_grid *grid, int64_t column, int64_t row);

/// Read the heights of a rectangle of samples, row by row; NAN for voids. Decodes each tile of a compressed
/// grid as rarely as possible.
/// column, row     of the first sample; the rectangle must be within the grid
/// heights         space for columns * rows heights
/// Errors: LF_BAD_ARGUMENT, LF_BAD_FORMAT (of a stored grid: the file is damaged). Allocates nothing.
/// Threads: any number at once.
LF_API lf_status lf_grid_read(const lf_grid *grid, int64_t column, int64_t row, int64_t columns, int64_t rows,
                              double *heights);

/// Convert a place of the world to columns and rows (with fractions), by the formula that all queries use:
/// with a, b, c, d the inverse of the geotransform's matrix, column = a * (x - origin.x) + b * (y -
/// origin.y), and row likewise with c and d. With a turn, an x that is more than half a turn (and half the
/// grid's width) from the grid's middle is first moved by whole turns to the nearest copy. Exact answers are
/// exact for the converted place. Allocates nothing. Threads: any number at once.
LF_API lf_vec2 lf_grid_locate(const lf_grid *grid, lf_vec2 world);

/// How the pixels of a raster file became the samples of a grid, so that results can use the same pixels.
typedef struct lf_pixels {
    double geotransform[6];       ///< from pixels of the file to x and y, as in GDAL, in metres or degrees
    lf_window window;             ///< pixels of the file that are samples of the grid
    int64_t columns, rows;        ///< of the file
    bool transposed;              ///< rows of the file are columns of the grid
    bool flip_columns, flip_rows; ///< the grid counts from the other end
    bool georeferenced;           ///< false: the file has no geotransform of its own
    bool nodata_given;            ///< the file has a number for no data
    double nodata;                ///< that number, in the file's own units
} lf_pixels;

/// Where the targets of a viewshed, or the points of a map, lie. In the ground's own x and y; on a globe, and on groups with one, in
/// degrees of longitude (x) and latitude (y) on the rules' ellipsoid. For other coordinate reference systems see places of lf_viewshed_def.
typedef struct lf_lattice {
    lf_geotransform geotransform; ///< of the samples, as in lf_grid_def
    // The ground's own grid is the ground itself,
    // or the first grid in a group whose pose is the identity.
    int64_t columns, rows; ///< 1 or more each; both 0: the samples of the ground's own grid
} lf_lattice;

/// The window of all samples of a grid. Allocates nothing. Threads: any number at once.
LF_API lf_window lf_grid_window(const lf_grid *grid);

/// The cost of an edit, in units that do not depend on time.
typedef struct lf_grid_edit_cost {
    /// Samples read or written; an edit of one sample reads at most 64 x 64 samples around it.
    int64_t samples;
    /// Recomputed bounds: of the blocks that the rectangle touches, and of the blocks around these.
    int64_t nodes;
} lf_grid_edit_cost;

/// Set a rectangle of heights. Every answer is then that of a grid created from the new heights. The first
/// column of a grid that wraps is on both sides of the seam; where the grid is compressed that column cannot
/// be edited, and where it is extended none can.
/// column, row  of the rectangle's first sample
/// samples      the new ones, of any type, with their own scale, offset, nodata and mask; 1 x 1 or more
/// cost         optional
/// error        optional; `where` is the index of the offending sample
/// Errors: LF_BAD_ARGUMENT (the rectangle is outside of the grid; a height is not exact in the grid's sample
/// type, or for a compressed grid not within its max_error; the grid borrows its samples), LF_NO_MEMORY. Voids
/// are always accepted. On an error the grid is not changed. A compressed grid encodes the tiles of the
/// rectangle again.
/// Threads: no other thread may use the grid.
LF_API lf_status lf_grid_edit(lf_grid *grid, int64_t column, int64_t row, const lf_samples *samples,
                              lf_grid_edit_cost *cost, lf_error *error);

/// The size of a pyramid of bounds.
typedef struct lf_pyramid_size {
    int levels;    ///< number of levels
    int64_t nodes; ///< number of nodes
    int64_t bytes; ///< memory
} lf_pyramid_size;

/// The size of the pyramid of a grid with leaves of `leaf` cells a side (1, 2, 4 .. 64); zeros for invalid
/// arguments.
/// Allocates nothing. Threads: any.
LF_API lf_pyramid_size lf_grid_pyramid_size(int64_t columns, int64_t rows, int leaf);

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// Tiles and their provider
// ---------------------------------------------------------------------------------------------------

#define LF_GLOBE_LEVELS 26 ///< levels are 0 .. 25; at level 25 tiles of 17 x 17 samples are 2 cm apart

/// Identifies a tile.
typedef struct lf_tile_key {
    int32_t level;  ///< 0 is coarsest
    int32_t column; ///< from -180 eastwards, 0 <= column < root_columns * 2^level
    int32_t row;    ///< from -90 northwards, 0 <= row < root_rows * 2^level
} lf_tile_key;

/// A rectangle of longitude and latitude.
typedef struct lf_geodetic_box {
    double west, south, east, north; ///< degrees; west < east, at most 360 apart
} lf_geodetic_box;

/// The area of a tile of a globe with so many tiles at level 0 (lf_globe_def). It needs no globe, for use in `fetch`.
/// key  in range
static inline lf_geodetic_box lf_tile_area(int root_columns, int root_rows, lf_tile_key key) {
    double width = ldexp(360.0 / root_columns, -key.level), height = ldexp(180.0 / root_rows, -key.level);
    lf_geodetic_box area = {key.column * width - 180, key.row * height - 90, (key.column + 1) * width - 180,
                            (key.row + 1) * height - 90};
    return area;
}

/// Result of lf_globe_provider.fetch.
typedef enum lf_tile_state {
    LF_TILE_READY,  ///< the tile was written
    LF_TILE_ABSENT, ///< there is no such tile, and no finer one below it unless `children` has bits set
    LF_TILE_LATER,  ///< not available yet: ask again at the next update. Counts as failed if `wait` is set
    LF_TILE_FAILED  ///< cannot be read: logged, and treated as absent
} lf_tile_state;

/// Which children exist: bit 0 south-west, 1 south-east, 2 north-west, 3 north-east.
#define LF_TILE_CHILDREN_ALL 0xfu      ///< all four
#define LF_TILE_CHILDREN_UNKNOWN 0x10u ///< `fetch` is called to find out

/// A tile as a provider returns it. It is zeroed before `fetch`; fields that stay 0 mean the simplest case. The globe copies
/// what it needs: pointers must stay valid until `release` is called for the tile, or, without `release`, until the next
/// call of `fetch`.
typedef struct lf_tile {
    /// Grid: heights in metres, row by row from the south-west sample; NAN is a void. columns = 0: no grid.
    const float *heights;
    int32_t columns, rows; ///< samples, 2 .. 4097 each
    /// Positions of the samples: sample (i, j) is at longitude west + i * per_column and latitude south + j * per_row,
    /// limited to +-90 (so that the last row may be closer). They must cover the tile. per_column = 0: the outermost
    /// samples are on the borders of the tile, the others evenly between.
    double west, south, per_column, per_row; ///< degrees

    /// TIN: vertices, and corners of triangles (counter-clockwise seen from above). triangle_count = 0: no TIN.
    const lf_geodetic *vertices;
    const int64_t *corners;               ///< 3 per triangle, each 0 <= corner < vertex_count
    int64_t vertex_count, triangle_count; ///< how many

    /// Whether low and high bound this tile and all finer tiles below it.
    bool bounded;
    double low, high; ///< least and greatest height, metres

    uint32_t children; ///< LF_TILE_CHILDREN bits; 0: there are no finer tiles
    void *owner;       ///< any value of the provider, for release
} lf_tile;

/// A source of tiles: a file, a folder, an engine. Its functions are called on the calling thread, by lf_globe_create,
/// lf_globe_update, lf_globe_load, lf_globe_load_area and queries of the finest tiles. They may query the loaded ground of
/// their globe (lf_globe_height, lf_globe_normal, lf_globe_ground). Calls that load return LF_BAD_ARGUMENT there, also
/// queries of lf_globe_ground_finest; lf_globe_unload and lf_globe_destroy are ignored.
typedef struct lf_globe_provider {
    void *user; ///< passed to the callbacks
    /// Fetch a tile.
    /// wait    true: LF_TILE_LATER counts as failed
    /// tile    zeroed before the call; to be written for LF_TILE_READY, and its `children` also for LF_TILE_ABSENT
    ///         (finer tiles may exist where coarser ones do not)
    /// detail  space for a message for LF_TILE_FAILED
    lf_tile_state (*fetch)(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail);
    /// Free a tile that was LF_TILE_READY, after it has been copied. NULL: nothing to do.
    void (*release)(void *user, lf_tile *tile);
} lf_globe_provider;

/// How to make a globe; start from lf_globe_def_default() and set the provider.
typedef struct lf_globe_def {
    size_t size;                ///< stamped by the default function
    lf_host host;               ///< hooks of the caller
    lf_ellipsoid ellipsoid;     ///< WGS84 by default; a sphere has flattening 0
    lf_globe_provider provider; ///< its user must outlive the globe
    int root_columns;           ///< 1 .. 16; 2 by default
    int root_rows;              ///< 1 .. 8; 1 by default
    int level_count;            ///< finest level + 1, 1 .. LF_GLOBE_LEVELS; all of them by default
    size_t budget;              ///< bytes of tiles in memory; 64 MiB by default
} lf_globe_def;

static inline lf_globe_def lf_globe_def_default(void) {
    lf_globe_def def = {sizeof(lf_globe_def),
                        {NULL, NULL, NULL, NULL},
                        {6378137.0, 1.0 / 298.257223563},
                        {NULL, NULL, NULL},
                        2,
                        1,
                        LF_GLOBE_LEVELS,
                        (size_t)64 << 20};
    return def;
}

/// A globe.
typedef struct lf_globe lf_globe;

/// Create a globe. Its root tiles are fetched at once, with `wait`, and stay loaded.
/// globe  written only on success; destroy it with lf_globe_destroy
/// error  optional
/// Errors: LF_BAD_ARGUMENT (named), LF_BAD_FORMAT (no valid root tile), LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_globe_create(const lf_globe_def *def, lf_globe **globe, lf_error *error);

/// Destroy a globe; NULL is accepted. Ignored in callbacks of its provider. Threads: no other thread may use it.
LF_API void lf_globe_destroy(lf_globe *globe);

/// Description of a globe and of its loaded tiles.
typedef struct lf_globe_info {
    lf_ellipsoid ellipsoid;                   ///< the reference ellipsoid
    int root_columns, root_rows, level_count; ///< tiles across and up at level 0, and number of levels
    int64_t tile_count;                       ///< loaded tiles
    int finest;                               ///< finest level of the loaded tiles
    size_t bytes;                             ///< of the loaded tiles
    size_t budget;                            ///< bytes
    int64_t fetch_count;                      ///< calls of `fetch` since creation
    int64_t evict_count;                      ///< tiles unloaded for others since creation
    bool bounded;                             ///< every loaded tile has bounds of the finer tiles below it
    double low;                               ///< lower bound of the roots, as high
    /// Upper bound of the roots; -INFINITY, INFINITY where they are not bounded and have children.
    double high;
} lf_globe_info;

/// The loaded tiles of a globe as a ground, valid as long as the globe; NULL for NULL. World coordinates are earth-centred;
/// gravity lines run towards the centre (on an ellipsoid that differs from the plumb line by up to its flattening in
/// radians: 0.19 degrees on Earth). The user value of a hit is the tile (lf_tile_unpack). Costs nothing. Threads: any.
LF_API const lf_ground *lf_globe_ground(const lf_globe *globe);

/// The finest tiles of a globe as a ground: queries load what they need, waiting for it, and then unload what exceeds the
/// budget. Results do not depend on what is loaded, except for the last bits of t: a walk over a file of tiles meets the
/// same steps each time. Results without memory have the reason LF_REASON_NOT_LOADED.
/// Threads: any number may query at once and take turns; no other thread may load into the globe meanwhile.
LF_API const lf_ground *lf_globe_ground_finest(lf_globe *globe);

/// Describe a globe. Allocates nothing. Threads: any number at once.
LF_API lf_globe_info lf_globe_describe(const lf_globe *globe);

// ---------------------------------------------------------------------------------------------------
// Loading
// ---------------------------------------------------------------------------------------------------

/// What lf_globe_update loads; start from lf_globe_update_rules_default().
typedef struct lf_globe_update_rules {
    size_t size;      ///< stamped by the default function
    lf_vec3 position; ///< of the viewer, earth-centred
    /// Of the viewer, earth-centred, metres per second: the difference of positions over time.
    lf_vec3 velocity;
    double ahead; ///< seconds: tiles at position + ahead * velocity are loaded too; 2 by default
    /// A tile is refined where its resolution exceeds the distance times this; 1/256 by default, 0: no
    /// finer than roots.
    double detail;
    int64_t most; ///< largest number of tiles that an update fetches; 64 by default
    /// Direction of view, earth-centred, any length; zero, the default: all round. Otherwise tiles outside of the view are not
    /// refined, except those below the viewer and below its predicted position, which a camera needs.
    lf_vec3 forward;
    double
        field; ///< whole angle of the cone that is viewed, radians, > 0; that around the picture. 2 by default
} lf_globe_update_rules;

static inline lf_globe_update_rules lf_globe_update_rules_default(void) {
    lf_globe_update_rules rules = {
        sizeof(lf_globe_update_rules), {0, 0, 0}, {0, 0, 0}, 2, 1.0 / 256, 64, {0, 0, 0}, 2};
    return rules;
}

/// Result of an update.
typedef struct lf_globe_change {
    int64_t fetched; ///< tiles loaded
    int64_t evicted; ///< tiles unloaded
    int64_t waiting; ///< requested tiles that are not available yet (LF_TILE_LATER), or beyond `most`
    int64_t refused; ///< requested tiles for which the budget has no space
    int64_t wanted;  ///< tiles that these rules require, loaded ones included
} lf_globe_change;

/// Load the tiles that a viewer requires: first those under its position and its predicted position, then the others,
/// nearest first. Tiles that are not required are unloaded when space is needed, least recently used first; roots stay,
/// and no tile is unloaded before its children. The parent of a loaded tile is always loaded.
/// It costs in proportion to the tiles that are loaded, unloaded or asked for again, and to those whose distance comes near its limit: not to
/// their number, unless the viewer has a direction of view, or `detail` has changed.
/// change  optional; written only on success
/// Errors: LF_BAD_ARGUMENT (also from a callback of the provider), LF_NO_MEMORY (the globe stays valid, with some of the
/// requested tiles). Threads: no other thread may use the globe.
LF_API lf_status lf_globe_update(lf_globe *globe, const lf_globe_update_rules *rules,
                                 lf_globe_change *change);

/// A tile to draw. Pointers are valid until the globe next loads or unloads a tile.
typedef struct lf_globe_drawn {
    lf_tile_key key;   ///< which tile
    lf_box box;        ///< that contains its surface, earth-centred
    double resolution; ///< metres between its samples, as in lf_globe_elevation
    /// Which quarters of it are to be drawn, bits as those of LF_TILE_CHILDREN: finer tiles of the list are over the others.
    uint32_t quarters;
    /// Grid, as in lf_tile: sample (i, j) is at west + i * per_column and south + j * per_row, limited to +-90. columns = 0: none.
    const float *heights;
    int32_t columns, rows;                   ///< samples
    double west, south, per_column, per_row; ///< degrees
    /// TIN: vertices less `origin`, which is earth-centred, and three corners for each triangle. triangle_count = 0: none.
    lf_vec3 origin;
    const lf_vec3 *vertices;              ///< metres from the origin
    const uint32_t *corners;              ///< 3 per triangle
    int64_t vertex_count, triangle_count; ///< how many
} lf_globe_drawn;

/// The tiles that show the globe as the last update left it: of the loaded tiles the finest that its rules required. Every place
/// with ground is in a quarter of exactly one of them. Coarse tiles come before those below them.
/// tiles     space for capacity of them
/// count     how many there are; when more than capacity, the first are written and LF_PARTIAL is returned
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once, while nothing is loaded.
LF_API lf_status lf_globe_draw_list(const lf_globe *globe, lf_globe_drawn *tiles, int64_t capacity,
                                    int64_t *count);

/// Load a tile and all above it, waiting for them. It counts as required until the next update.
/// there  optional; false when the provider has no such tile
/// Errors: LF_BAD_ARGUMENT (no such key; from a callback of the provider), LF_NO_MEMORY, LF_TOO_LARGE (beyond the
/// budget). Threads: as lf_globe_update.
LF_API lf_status lf_globe_load(lf_globe *globe, lf_tile_key key, bool *there);

/// Load every tile that meets an area, down to a level, waiting for them.
/// level  the finest level to load
/// Errors: as lf_globe_load. Threads: as lf_globe_update.
LF_API lf_status lf_globe_load_area(lf_globe *globe, lf_geodetic_box area, int level);

/// Unload every tile but the roots. Ignored in callbacks of the provider. Threads: as lf_globe_update.
LF_API void lf_globe_unload(lf_globe *globe);

/// Set the budget, in bytes. The next update unloads what exceeds it. Threads: as lf_globe_update.
LF_API void lf_globe_set_budget(lf_globe *globe, size_t bytes);

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

/// Result of a height query of a globe.
typedef struct lf_globe_elevation {
    /// LF_REASON_ANSWERED, HOLE, OUTSIDE (no tile there), NOT_LOADED (only finer tiles, none of them
    /// loaded).
    lf_reason reason;
    double height; ///< metres above the ellipsoid, on the surface; NAN without an answer
    /// Nothing is higher here, in no finer tile either: the height where the finest is loaded, else the
    /// bound of the tile whose finer ones are missing; INFINITY where the source gives none.
    double ceiling;
    bool coarser;     ///< there are, or may be, finer tiles here that are not loaded
    lf_tile_key tile; ///< the tile of the height
    /// Metres between its samples along a meridian (of a TIN: the width of a square of the area of its mean
    /// triangle).
    double resolution;
    int32_t sample_count; ///< 1: on a sample, 2: on a line between two, 4: in a cell; 3: in a triangle
    int64_t samples[4];   ///< row * columns + column; of a TIN its vertices
    int64_t element;      ///< cell (row * columns + column of its south-west sample) or triangle
    int32_t probes;       ///< lookups of tiles: at most levels + 1
} lf_globe_elevation;

/// The height of the ground at a place, on the finest tile that is loaded there.
/// lon_deg  finite; taken modulo 360
/// lat_deg  in [-90, 90]
/// ground   always written; after LF_BAD_ARGUMENT its height is NAN and its reason LF_REASON_NONE
/// On the border of two tiles or cells the one to the north and east counts; at +-90 the longitude makes no difference.
/// Accuracy: within 1e-12 of the largest height of the cell in magnitude, for the place as it is given.
/// cursor   counters (cells: lookups of tiles), or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_globe_height(const lf_globe *globe, double lon_deg, double lat_deg,
                                 lf_globe_elevation *ground, lf_cursor *cursor);

/// The height of the ground at a place, on the finest tile that exists there: it and all above it are loaded, waiting for
/// them. The result does not depend on what was loaded before.
/// ground   as for lf_globe_height
/// Errors: LF_BAD_ARGUMENT (also from a callback of the provider), LF_NO_MEMORY, LF_TOO_LARGE (the tiles down to the finest
/// exceed the budget); after the last two the ground is that of the finest tile that could be loaded.
/// Threads: no other thread may use the globe.
LF_API lf_status lf_globe_height_finest(lf_globe *globe, double lon_deg, double lat_deg,
                                        lf_globe_elevation *ground);

/// The unit normal of the surface at a place, upwards, earth-centred; that of the ellipsoid where there is no ground.
/// normal  always written; zero after LF_BAD_ARGUMENT
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_globe_normal(const lf_globe *globe, double lon_deg, double lat_deg, lf_vec3 *normal);

// ---------------------------------------------------------------------------------------------------
// Sight
// ---------------------------------------------------------------------------------------------------

/// A line of sight over a globe.
typedef struct lf_globe_sight {
    bool clear;    ///< not blocked
    double t;      ///< blocked: where the line first goes below ground, 0 .. 1; clear: 1
    lf_vec3 point; ///< of the straight line there
    double length; ///< metres
    lf_hit hit;    ///< where it is blocked
} lf_globe_sight;

/// Can a see b, over the finest tiles? The line is straight in space, apart from refraction. It is blocked by ground more
/// than 1 mm above it strictly between its ends; the parts within 1 cm of the ground at its ends do not count. The verdict
/// is the same both ways. lf_sight_between with lf_globe_ground_finest returns the same verdict, and with lf_globe_ground
/// that of the loaded tiles; this call also returns the hit that blocks, and fails with LF_NO_MEMORY where tiles cannot be
/// loaded.
/// a, b        earth-centred, finite
/// refraction  curvature of light as a fraction of the earth's, -1 .. 1: 0 none, 1/7 visible light, 1/4 radio
/// sight       always written; after LF_BAD_ARGUMENT it is not clear, with t 0
/// Loads what it needs, as queries of lf_globe_ground_finest do.
/// Errors: LF_BAD_ARGUMENT (also from a callback of the provider), LF_NO_MEMORY. Threads: no other thread may use the globe.
LF_API lf_status lf_globe_sight_finest(lf_globe *globe, lf_vec3 a, lf_vec3 b, double refraction,
                                       lf_globe_sight *sight, lf_cursor *cursor);

/// A tile's key as one number, for lf_hit.user, and back.
static inline uint64_t lf_tile_pack(lf_tile_key key) {
    return (uint64_t)(uint32_t)key.level << 58 | (uint64_t)(uint32_t)key.column << 29 | (uint32_t)key.row;
}
/// The tile of a packed number.
static inline lf_tile_key lf_tile_unpack(uint64_t packed) {
    lf_tile_key key = {(int32_t)(packed >> 58), (int32_t)(packed >> 29 & 0x1fffffff),
                       (int32_t)(packed & 0x1fffffff)};
    return key;
}

// ---------------------------------------------------------------------------------------------------
// Tiles from rasters
// ---------------------------------------------------------------------------------------------------

/// A raster in longitude and latitude to cut tiles from. Sample (i, j) is at west + i * per_column, south + j * per_row.
typedef struct lf_globe_raster {
    double west, south;         ///< degrees, of sample (0, 0)
    double per_column, per_row; ///< degrees, > 0
    int64_t columns, rows;      ///< 2 or more each
    void *user;                 ///< passed to the callbacks
    /// Read the heights of a window, row by row from its south-west sample; NAN for voids.
    lf_status (*read)(void *user, lf_window window, float *heights, lf_error *error);
    const char *name; ///< optional: used in messages, must outlive the tiler; NULL: "raster" and its index
} lf_globe_raster;

/// How to cut tiles; start from lf_tiler_def_default().
typedef struct lf_tiler_def {
    size_t size;                    ///< stamped by the default function
    lf_host host;                   ///< hooks of the caller
    const lf_globe_raster *rasters; ///< copied; their users must outlive the tiler
    int64_t raster_count;           ///< 1 or more
    int cells;     ///< approximate number of cells along a side of a tile: 2 .. 1024; 64 by default
    size_t memory; ///< bytes of raster kept at a time; 64 MiB by default
} lf_tiler_def;

static inline lf_tiler_def lf_tiler_def_default(void) {
    lf_tiler_def def = {sizeof(lf_tiler_def), {NULL, NULL, NULL, NULL}, NULL, 0, 64, (size_t)64 << 20};
    return def;
}

/// Cuts tiles from rasters on demand.
///
/// Finer rasters take precedence. A raster that spans 360 degrees (to half a column, or with columns that repeat the first)
/// is joined at its seam, wherever that is. One whose last row is on a pole, or at most one and a half rows from it, is
/// closed there: the pole has the mean height of that row. Rounded cell sizes are corrected: to a whole number of columns
/// around (the first column stays in place), and to rows that begin and end at the poles, or half a row or one row from
/// them, if no row moves by more than half of one. Corrections of more than a thousandth of a cell are logged, and so is
/// every gap at a seam or pole that no other raster fills.
///
/// The finest tiles over a raster have its own samples, so that heights there are bilinear in the raster itself, up to the
/// borders of tiles that contain part of a finer raster. Where a raster has voids or ends within a tile, the rest of the
/// tile is filled from coarser rasters: their bilinear heights at this raster's samples, and bilinear between these. Tiles
/// over finer rasters have samples on their borders and evenly between, taken from the same surface.
typedef struct lf_tiler lf_tiler;

/// Create a tiler.
/// tiler  written only on success; free it with lf_tiler_destroy
/// error  optional
/// Errors: LF_BAD_ARGUMENT (named), LF_NO_MEMORY. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_tiler_create(const lf_tiler_def *def, lf_tiler **tiler, lf_error *error);

/// Destroy a tiler; NULL is accepted. Globes of it must have been destroyed. Threads: no other thread may use it.
LF_API void lf_tiler_destroy(lf_tiler *tiler);

/// The provider of its tiles, valid as long as the tiler. They have no bounds of finer tiles (those of a .lf file do, see
/// lf_store_def).
/// level_count  optional: the number of levels, for lf_globe_def
/// Allocates nothing. Threads: one at a time.
LF_API lf_globe_provider lf_tiler_provider(lf_tiler *tiler, int *level_count);

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// A camera; start from lf_camera_default(). Positions are those of the ground (over a globe earth-centred), in metres, times in
/// seconds, angles in radians.
typedef struct lf_camera {
    size_t size;      ///< stamped by the default function
    lf_vec3 position; ///< metres
    lf_vec3 velocity; ///< linear, metres per second
    /// Angular velocity about the centre (the origin of the ground's frame): its direction is the axis, its length radians
    /// per second. Where down is the same everywhere the centre is infinitely far below, and this is a velocity, metres per
    /// second, of which only the level part counts. Ground in the way turns `velocity` aside; from this motion it raises the camera.
    lf_vec3 turn;
    lf_vec3 acceleration;      ///< of the velocity
    lf_vec3 turn_acceleration; ///< of the turn
    /// Least height above the ground of a globe, least distance from everything else: metres, >= 0; 2 by default.
    double clearance;
    /// Metres per second by which a correction may raise the camera, > 0, INFINITY allowed; 200 by default.
    double raise_limit;
    /// Seconds ahead from which on it is raised for ground in the way, 0 or more; 2 by default. 0: none.
    double look_ahead;
    uint32_t
        layers; ///< only elements that share a layer with it are met (a globe always is); all bits by default
} lf_camera;

static inline lf_camera lf_camera_default(void) {
    lf_camera camera = {sizeof(lf_camera), {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0},
                        {0, 0, 0},         2,         200,       2,         UINT32_MAX};
    return camera;
}

/// What a step did to a camera: identifier, bit, name, reason.
#define LF_CAMERA_ACT_LIST(X)                                                                             \
    X(LF_CAMERA_STOPPED, 1, "stopped", "a camera without velocity is not moved into the ground")          \
    X(LF_CAMERA_SLID, 2, "slid", "its velocity pointed into the ground and was turned along it")          \
    X(LF_CAMERA_RAISED, 4, "raised", "ground was in the way")                                             \
    X(LF_CAMERA_AHEAD, 8, "ahead", "it was raised for ground further ahead")                              \
    X(LF_CAMERA_HELD, 16, "held",                                                                         \
      "it was slowed down, because raise_limit does not allow it to rise fast enough")                    \
    X(LF_CAMERA_RECOVERING, 32, "recovering",                                                             \
      "it was below its clearance and rises, or too near and moves away")                                 \
    X(LF_CAMERA_COARSE, 64, "coarse", "finer tiles were not loaded: the bound of a coarser one was used") \
    X(LF_CAMERA_UNPROVEN, 128, "unproven", "finer tiles were not loaded, and the source has no bound of them")

typedef enum lf_camera_act {
#define LF_CAMERA_ACT_ENUM(name, bit, word, why) name = bit,
    LF_CAMERA_ACT_LIST(LF_CAMERA_ACT_ENUM)
#undef LF_CAMERA_ACT_ENUM
} lf_camera_act;

/// The name of one bit, such as "held"; "?" for any other value. Static text. Threads: any.
static inline const char *lf_camera_act_name(lf_camera_act act) {
    LF_NAME_OF(act, LF_CAMERA_ACT_LIST, LF_NAME_CASE_4);
}

/// The reason for one bit, in words; "?" for any other value. Static text. Threads: any.
static inline const char *lf_camera_act_reason(lf_camera_act act) {
    switch (act) {
#define LF_CAMERA_ACT_REASON(name, bit, word, why) \
    case name:                                     \
        return why;
        LF_CAMERA_ACT_LIST(LF_CAMERA_ACT_REASON)
#undef LF_CAMERA_ACT_REASON
    }
    return "?";
}

/// Contact of a camera with the ground (raised by its clearance).
typedef struct lf_camera_contact {
    bool met;             ///< within the motion; false with time > 0: further ahead
    double time;          ///< seconds from the start of the motion
    lf_geodetic geodetic; ///< position of the camera there, over a globe
    /// Metres by which it would fall below its clearance, at the deepest point of the motion; of anything but a globe: how far
    /// the motion leads beyond the place of the contact, along the normal.
    double depth;
    lf_vec3 normal; ///< of the ground there, upwards; of anything but a globe: from it to the camera
    lf_globe_elevation ground; ///< the ground of a globe there
    lf_vec3 position;          ///< of the camera there
    lf_hit hit;                ///< of anything but a globe: what is met, as lf_ground_sweep names it
} lf_camera_contact;

#define LF_CAMERA_PIECES 5 ///< largest number of pieces of a motion

/// A piece of a motion: at the time t after its start the camera is at `from`, rotated about the centre by t * turn, plus
/// t * velocity.
typedef struct lf_camera_piece {
    double start;                 ///< seconds from the start of the motion
    lf_vec3 from, velocity, turn; ///< position; metres per second; radians per second about the centre
} lf_camera_piece;

/// Result of a step.
typedef struct lf_camera_result {
    uint32_t did;              ///< lf_camera_act bits; 0: no ground was in the way
    double share;              ///< fraction of the motion that was made: 1 unless held or stopped
    double raised;             ///< metres that it was raised
    int64_t frames;            ///< frames like this one until a recovering camera has its clearance; else 0
    lf_camera_contact contact; ///< the contact, if there is one
    lf_vec3 from;              ///< position before the step
    double duration;           ///< of the step, seconds
    double raise_rate;         ///< metres per second
    int32_t piece_count;       ///< number of pieces
    lf_camera_piece pieces[LF_CAMERA_PIECES]; ///< the motion, before raising
    int64_t bounds;                           ///< intervals of the motion that were examined
    lf_vec3
        away; ///< metres per second: the motion of a camera that was too near to something and moves away; else zero
} lf_camera_result;

/// Move a camera for a time step. Velocity and turn first change by their accelerations.
///
/// Without ground in the way the camera ends where its velocities lead, bit for bit. Otherwise, as published (Luo et al.): a
/// velocity into the ground is turned along it and stays so (the camera slides; also when raising has stopped a descent); a
/// rotation about the centre is kept, and the camera is raised. Beyond that, the camera is raised in advance for ground up
/// to look_ahead seconds away, at the least constant rate that clears it, and never faster than raise_limit; where that is
/// too slow, the camera is held back, so that its clearance is kept. While finer tiles are not loaded, the bound of the
/// coarser one is used: with sources that have bounds, the camera is safe whatever is loaded. With others, a tile that is
/// loaded later can be above the camera, which then recovers: it rises at raise_limit, for result->frames frames.
/// Accelerations count for the part of the frame in which the camera moved.
///
/// The same holds for everything that is not a globe, where it is met by the sphere of the clearance: a wall turns the velocity
/// along it, a building ahead raises the camera over it, as far as nothing is overhead. It is not raised into a ceiling; where no
/// rate clears the path, it is held. The clearance is kept to within 10 micrometres. A camera that starts too near moves away,
/// at raise_limit; one that has nothing below it and above it the back of a grid, or of a mesh that is the whole ground, is below
/// ground, and rises.
///
/// camera  over a globe: position at least half the radius from the centre; down must be defined at it. Everything finite
///         except raise_limit; position, velocity and turn are changed
/// ground  any. Of a globe what is loaded counts, with the bounds of what is not
/// dt      seconds, > 0
/// result  optional; written only on success
/// Errors: LF_BAD_ARGUMENT; nothing is changed then. Allocates nothing. Threads: any number at once, each with its own
/// camera.
LF_API lf_status lf_camera_step(lf_camera *camera, const lf_ground *ground, double dt,
                                lf_camera_result *result);

/// Move a camera to a position, about the centre (straight, where down is the same everywhere), regardless of its velocities. It stays where it is if ground is in the
/// way. A camera that is below the ground may always be moved above it.
/// to      as the position of a camera
/// Otherwise as lf_camera_step. result->duration is 1.
LF_API lf_status lf_camera_move(lf_camera *camera, const lf_ground *ground, lf_vec3 to,
                                lf_camera_result *result);

/// Where would a camera meet ground on a motion to a position, as lf_camera_move makes it? Changes nothing; velocities and look_ahead
/// are not used. With its own position: does the camera at rest collide?
/// contact  always written; without a contact all but `met` is zero. Its time is a fraction of the motion, 0 to 1
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_camera_check(const lf_camera *camera, const lf_ground *ground, lf_vec3 to,
                                 lf_camera_contact *contact);

/// Set the velocities that bring a camera to a position in a given time: `turn` about the centre, or level where down is the same
/// everywhere, and `velocity` up or down. Accelerations become 0.
/// ground  whose frame says where down is
/// Errors: LF_BAD_ARGUMENT (a position at the centre, dt not > 0). Allocates nothing. Threads: any.
LF_API lf_status lf_camera_aim(lf_camera *camera, const lf_ground *ground, lf_vec3 to, double dt);

/// The position of a camera during a step.
/// ground  that of the step
/// time    seconds from the start of the step, limited to 0 .. duration
/// Allocates nothing. Threads: any.
LF_API lf_vec3 lf_camera_at(const lf_camera_result *result, const lf_ground *ground, double time);

// ---------------------------------------------------------------------------------------------------
// Paths: a camera that follows positions at given times and stays above the ground
//
//     lf_camera_frame frame;
//     lf_camera_path_begin(&camera, ground, &path, &frame);
//     while (!frame.arrived && lf_camera_path_step(&camera, ground, &path, &frame) == LF_OK)
//         draw(&camera);
// ---------------------------------------------------------------------------------------------------

#define LF_CAMERA_SHORTEST 1e-6 ///< least time from stop to stop, seconds
#define LF_CAMERA_LATEST 1e12   ///< largest magnitude of the time of a stop, seconds

/// A position at a time.
typedef struct lf_camera_stop {
    double time;      ///< seconds, within LF_CAMERA_LATEST
    lf_vec3 position; ///< as a camera's
} lf_camera_stop;

/// The path of a camera. Between two stops it moves as lf_camera_aim says, at constant speed.
typedef struct lf_camera_path {
    const lf_camera_stop *stops; ///< in ascending order of time, at least LF_CAMERA_SHORTEST apart
    int64_t stop_count;          ///< 2 or more
    int64_t tiles;               ///< largest number of tiles fetched per frame; 0: all that are needed
    lf_globe *globe; ///< of the ground, to load tiles into ahead of the camera; NULL: none are loaded
} lf_camera_path;

/// State of a camera on its path: written by lf_camera_path_begin and by each step.
typedef struct lf_camera_frame {
    double time;             ///< seconds, of the clock
    double path_time;        ///< seconds, of the path: behind the clock if the camera was held
    lf_vec3 goal;            ///< position of the path at path_time
    double raised;           ///< metres of the camera above the goal
    bool arrived;            ///< the end of the path is reached
    lf_camera_result result; ///< of the last step
} lf_camera_frame;

/// The position of a path at a time, which is limited to those of its first and last stop.
/// path    valid, see lf_camera_path_begin
/// ground  whose frame says where down is
/// stop    optional: index of the stop before that time, 0 .. stop_count - 2
/// Allocates nothing. Threads: any number at once.
LF_API lf_vec3 lf_camera_path_at(const lf_camera_path *path, const lf_ground *ground, double time,
                                 int64_t *stop);

/// Put a camera at the start of a path, or above it, where it has its clearance. Loads tiles. Where anything but a globe is too
/// near, the camera stays at the start and moves away with the first steps.
/// camera  its clearance, look_ahead and raise_limit are used, its position is set
/// path    see there
/// frame   written only on success: the first frame
/// Errors: LF_BAD_ARGUMENT (also for a stop that is not finite, and times that do not ascend), and those of
/// lf_globe_update; the camera is then unchanged. Threads: no other thread may use path->globe.
LF_API lf_status lf_camera_path_begin(lf_camera *camera, const lf_ground *ground, const lf_camera_path *path,
                                      lf_camera_frame *frame);

/// Move a camera by one frame along a path: lf_camera_step towards the next stop, and back down to the path by at most
/// raise_limit. The frame lasts from stop to stop, also where the camera is behind. Loads tiles.
/// camera  as the last frame left it
/// frame   that of the last step, or of lf_camera_path_begin; not arrived. Written only on success
/// Errors: LF_BAD_ARGUMENT, and those of lf_globe_update; camera and frame are then unchanged. Threads: no other thread may
/// use path->globe.
LF_API lf_status lf_camera_path_step(lf_camera *camera, const lf_ground *ground, const lf_camera_path *path,
                                     lf_camera_frame *frame);

#ifdef __cplusplus
}
#endif
/// landfall/collide.h: when moving boxes, spheres, convex bodies and models touch, and which of many boxes overlap.

/// landfall/model.h: collision, distance and containment of models: any polygon soup, closed or open, in any pose.
///
/// Exactness: a query of two models transforms the vertices of b into the frame of a once, in doubles, by
/// lf_pose_to_world(pose of b in a, vertex). After that nothing is rounded: touching is decided exactly for these points
/// and those of a. Triangles are closed: a shared corner, a shared edge and coplanar overlap are contacts. A triangle
/// without area is the segment or the point that its corners span.


#ifdef __cplusplus
extern "C" {
#endif

/// Centre of a distance field: identifier, value, name, description.
#define LF_FIELD_CENTRE_LIST(X)                                                                    \
    X(LF_FIELD_CENTRE_SPHERE, 0, "sphere", "the centre of an enclosing sphere")                    \
    X(LF_FIELD_CENTRE_MASS, 1, "mass", "the centre of mass of the surface")                        \
    X(LF_FIELD_CENTRE_SEEING, 2, "seeing", "the point that sees most of the surface, by a search") \
    X(LF_FIELD_CENTRE_GIVEN, 3, "given", "chosen by the caller")

typedef enum lf_field_centre {
#define LF_FIELD_CENTRE_ENUM(name, value, word, text) name = value,
    LF_FIELD_CENTRE_LIST(LF_FIELD_CENTRE_ENUM)
#undef LF_FIELD_CENTRE_ENUM
} lf_field_centre;

/// Functions of distance fields: lf_funfzig_field() of <landfall/published.h>.
typedef struct lf_field_functions lf_field_functions;

/// How to make a spherical distance field (Fünfzig and others, 2009).
typedef struct lf_field_def {
    int sectors; ///< along each side of the six charts, a power of two, 2 .. 256; 0, the default: no field
    int layers;  ///< shells per sector, 1 .. 16; 4 by default
    lf_field_centre centre;              ///< where distances are measured from
    lf_vec3 at;                          ///< for LF_FIELD_CENTRE_GIVEN
    const lf_field_functions *functions; ///< lf_funfzig_field(); may be NULL where there are no sectors
} lf_field_def;

/// How to make a model; start from lf_model_def_default().
typedef struct lf_model_def {
    size_t size;          ///< stamped by the default function
    lf_host host;         ///< hooks of the caller
    lf_polygons polygons; ///< copied; users and layers come back in rays' hits, sides do not matter
    lf_field_def field;   ///< none by default: only the tree is used
} lf_model_def;

/// The default: nothing yet. Fill in polygons.
static inline lf_model_def lf_model_def_default(void) {
    lf_model_def def = {sizeof(lf_model_def),
                        {NULL, NULL, NULL, NULL},
                        {NULL, 0, NULL, NULL, 0, NULL, NULL, NULL},
                        {0, 4, LF_FIELD_CENTRE_SPHERE, {0, 0, 0}, NULL}};
    return def;
}

/// A model. It does not change; each query states its pose.
typedef struct lf_model lf_model;

/// Description of a model.
typedef struct lf_model_info {
    int64_t vertex_count;   ///< number of vertices
    int64_t polygon_count;  ///< number of polygons
    int64_t triangle_count; ///< an n-gon counts n - 2
    int64_t flat_count;     ///< triangles without area; they are kept and can touch
    int64_t open_count;     ///< edges that are not used equally often in both directions; 0: closed
    bool closed;            ///< it has an inside
    lf_box box;             ///< of the vertices that polygons use
    lf_vec3 centre;         ///< of the sphere
    double radius;          ///< of a sphere around all of it
    size_t bytes;           ///< all memory that the model holds
    size_t tree_bytes;      ///< of these, the box tree
    size_t field_bytes;     ///< of these, the distance field
} lf_model_info;

/// Create a model. A polygon with more than three corners is cut into a fan from its first corner: it should be convex.
/// def    polygons with 3 or more corners; unused vertices are ignored
/// model  written only on success; free it with lf_model_destroy
/// error  optional; `where` is the index of the offending polygon
/// Errors: LF_BAD_GEOMETRY (NaN, infinite or beyond 1e30, by polygon; no polygon at all), LF_BAD_ARGUMENT (corner out of
/// range, by polygon), LF_NO_MEMORY, LF_TOO_LARGE (also for a field with more than 64 triangles per sector, or more than 64
/// sectors per triangle, on average: its centre is too close to too many triangles), LF_CANCELLED. Triangles without area
/// are counted, not refused. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_model_create(const lf_model_def *def, lf_model **model, lf_error *error);

/// Destroy a model; NULL is accepted. Threads: no other thread may use it.
LF_API void lf_model_destroy(lf_model *model);

/// The model as a ground, in its own coordinates with down -z, valid as long as the model; NULL for NULL. As a part of
/// groups (landfall/ground.h) it can be in many places at once. Faces are hit from both sides; `element` of a hit is the
/// polygon; a point beyond its box is outside. Costs nothing. Threads: any.
LF_API const lf_ground *lf_model_ground(const lf_model *model);

/// Describe a model. Allocates nothing. Threads: any number at once.
LF_API lf_model_info lf_model_describe(const lf_model *model);

/// One triangle of a model: its corners, in the model's own frame, and the polygon it belongs to.
/// triangle  0 <= triangle < triangle_count, polygon by polygon
/// corners   three are written; polygon is optional
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_triangle(const lf_model *model, int64_t triangle, lf_vec3 *corners,
                                   int64_t *polygon);

// ---------------------------------------------------------------------------------------------------
// Two models
// ---------------------------------------------------------------------------------------------------

/// Search for touching triangles: identifier, value, name, description. Results do not depend on it, except for
/// LF_MODEL_SHELLS.
#define LF_MODEL_METHOD_LIST(X)                                                           \
    X(LF_MODEL_AUTO, 0, "auto", "the faster one")                                         \
    X(LF_MODEL_TREE, 1, "tree", "trees of boxes")                                         \
    X(LF_MODEL_FIELD, 2, "field", "spherical distance fields; both models must have one") \
    X(LF_MODEL_SHELLS, 3, "shells", "the fields' shells alone: never misses, but near is touching")

typedef enum lf_model_method {
#define LF_MODEL_METHOD_ENUM(name, value, word, text) name = value,
    LF_MODEL_METHOD_LIST(LF_MODEL_METHOD_ENUM)
#undef LF_MODEL_METHOD_ENUM
} lf_model_method;

/// Which of the touching pairs are returned.
typedef enum lf_model_report {
    LF_MODEL_REPORT_ALL,   ///< every pair once
    LF_MODEL_REPORT_LAYER, ///< one for each two shells (layers of two sectors of the fields) that touch
    LF_MODEL_REPORT_SECTOR ///< one for each two sectors of the fields that touch
} lf_model_report;

/// Two models and their poses; start from lf_model_query_default().
typedef struct lf_model_query {
    size_t size;            ///< stamped by the default function
    const lf_model *a, *b;  ///< may be the same one
    lf_pose pose_a, pose_b; ///< rigid, within 1e30; the identity by default
    int64_t limit;          ///< stop after so many pairs; 0, the default: find all
    lf_model_method method; ///< how it is computed
    lf_model_report report; ///< other than all: only where both have fields
} lf_model_query;

static inline lf_model_query lf_model_query_default(void) {
    lf_model_query question = {sizeof(lf_model_query),
                               NULL,
                               NULL,
                               {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
                               {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
                               0,
                               LF_MODEL_AUTO,
                               LF_MODEL_REPORT_ALL};
    return question;
}

/// A triangle of a and one of b that share a point.
typedef struct lf_model_pair {
    int64_t a, b; ///< triangles of the first and of the second model
} lf_model_pair;

/// Do the surfaces of two models share a point? A model completely inside the other does not touch it.
/// touching  always written; false after LF_BAD_ARGUMENT. With LF_MODEL_SHELLS it may be true for models that are only close:
///           closer than the thickness of the shells there and the width of their sectors
/// Errors: LF_BAD_ARGUMENT (NULL, a pose that is not rigid, a method that needs fields and a model without one). Allocates
/// nothing. Threads: any number at once.
LF_API lf_status lf_model_touch(const lf_model_query *question, bool *touching, lf_cursor *cursor);

/// Which triangles touch.
/// pairs     space for capacity pairs; the order depends on the models, the poses and the method alone
/// count     how many there are; when more than capacity, the first are written and LF_PARTIAL is returned. With a limit
///           the search ends there: count is then at most the limit. Always written; 0 after LF_BAD_ARGUMENT
/// Errors: LF_BAD_ARGUMENT (as lf_model_touch; a negative limit; LF_MODEL_SHELLS, which finds no
/// triangles; a report other than all without fields), LF_NO_MEMORY. Allocates nothing, except LF_MODEL_FIELD for all pairs:
/// 8 bytes per pair and sector with the allocator of a. Threads: any number at once.
LF_API lf_status lf_model_pairs(const lf_model_query *question, lf_model_pair *pairs, int64_t capacity,
                                int64_t *count, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Distance
// ---------------------------------------------------------------------------------------------------

/// The distance of two models, or of a point and a model.
typedef struct lf_model_distance {
    double distance;          ///< 0 exactly when they touch
    lf_vec3 point_a, point_b; ///< the closest points, in the world; equal, up to rounding, where they touch
    int64_t a, b;             ///< their triangles; a is -1 for a point
} lf_model_distance;

/// The distance of the surfaces of two models. Whether it is 0 is exact; otherwise it is within 1e-13 of the coordinates.
/// question  its limit, method and report are not used
/// nearest   written only on success
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_nearest(const lf_model_query *question, lf_model_distance *nearest,
                                  lf_cursor *cursor);

/// Are the surfaces of two models within a margin of each other?
/// margin  metres, >= 0; 0: do they touch, exactly?
/// within  always written; false after LF_BAD_ARGUMENT
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_within(const lf_model_query *question, double margin, bool *within,
                                 lf_cursor *cursor);

/// The point of a model's surface nearest to a point of the world, which may be inside.
/// pose     rigid, or NULL for the identity
/// point    within 1e30
/// nearest  written only on success; point_a is the point itself
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_nearest_to(const lf_model *model, const lf_pose *pose, lf_vec3 point,
                                     lf_model_distance *nearest, lf_cursor *cursor);

/// Bounds of the distance of two models, without testing a triangle: least <= distance <= most. Computed from the fields if
/// both have one, else from spheres and boxes.
/// least, most  written only on success
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_distance_bounds(const lf_model_query *question, double *least, double *most);

/// Bounds of the distance of a point of the world and a model. Otherwise as lf_model_distance_bounds.
LF_API lf_status lf_model_point_bounds(const lf_model *model, const lf_pose *pose, lf_vec3 point,
                                       double *least, double *most);

/// Is a point of the world inside a closed model? Exact for the point after lf_pose_to_local to the frame of the model.
/// pose      rigid, or NULL for the identity
/// relation  written only on success: LF_RELATION_INSIDE, LF_RELATION_OUTSIDE, or LF_RELATION_CROSSING for a point on the
///           surface. Inside is where the winding number of the surface is not 0; an inner shell with reversed triangles is
///           a cavity
/// Errors: LF_BAD_ARGUMENT (NULL, NaN, an open model). Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_point_inside(const lf_model *model, const lf_pose *pose, lf_vec3 point,
                                       lf_relation *relation, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// A model and the ground
// ---------------------------------------------------------------------------------------------------

/// A model in a pose over a ground.
typedef struct lf_model_stand {
    const lf_model *model;   ///< the model
    lf_pose pose;            ///< rigid, within 1e30
    const lf_ground *ground; ///< the ground
    int64_t *under; ///< optional: space for the indices of the triangles under the ground, in ascending order
    int64_t under_capacity; ///< how many there is space for; 0 or more
} lf_model_stand;

/// Contact of a model and the ground.
typedef struct lf_model_landing {
    /// Do they share a point? Exact, as between two models, in the frame of each part of the ground.
    bool touching;
    int64_t under_count; ///< triangles that are at least partly under the ground
    double depth;     ///< metres along gravity from the deepest point up to the ground; 0 if none is under it
    lf_vec3 deepest;  ///< that point of the model, in the world
    lf_vec3 surface;  ///< the ground over it
    int64_t triangle; ///< the first triangle of the deepest point; -1 if none
} lf_model_landing;

/// Does a model touch the ground, and how deep is it below it? A point is under the ground if the nearest ground above it,
/// along gravity and no farther than the size of the model, is met from behind: its front is up. So the ceiling of a cave
/// does not cover what stands in the cave, but a floor covers what has sunk into it. Everything below a grid or a globe is
/// under the ground, however deep. All points of the triangles count, not only their corners: where ground ends above a
/// triangle, the depth is the limit towards that border. In frames with a centre or an axis the deepest point is searched
/// with the direction of gravity at the centre of the model, and its depth is then measured along its own gravity line. On a
/// globe, points of a triangle are tested that are at most a quarter of a cell, or 1/64 of its longest side, apart. In a
/// group, a bilinear patch that is tilted or close to other parts is approximated by 16 x 16 squares of two triangles. On
/// bilinear ground touching is exact up to the rounding of the direction of the model's edges.
/// stand    pointers not NULL; the pose checked
/// landing  written only on success; its under_count is also the number of indices for `under`: when more than under_capacity,
///          the first are written and LF_PARTIAL is returned
/// cursor   counters and the layer filter of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT; LF_PARTIAL only where `under` is given. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_land(const lf_model_stand *stand, lf_model_landing *landing, lf_cursor *cursor);

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// Time of contact of two moving shapes
//
// Each call finds the first time t in the closed interval [0, ahead] at which the two closed shapes share a
// point. Shapes move in straight lines at constant velocity; some also rotate at constant rate. No time is
// late, and no contact is missed.
//
// Coordinates and speeds are finite and at most 1e100. Calls allocate nothing and may be made by any number
// of threads, unless a comment states otherwise.
// ---------------------------------------------------------------------------------------------------

/// Result of a contact query.
typedef struct lf_contact_result {
    bool meets;    ///< they touch within [0, ahead]
    double time;   ///< seconds; 0: they touch already; `ahead` without a contact
    lf_vec3 point; ///< of the contact, if the method determines one; else zero
    /// Unit, from a to b; zero if it is not determined: shapes that touch already, and spheres around boxes.
    lf_vec3 normal;
} lf_contact_result;

// ---------------------------------------------------------------------------------------------------
// Boxes
// ---------------------------------------------------------------------------------------------------

/// A moving box, aligned with the axes at time 0, that may rotate.
typedef struct lf_moving_box {
    lf_box box;       ///< not empty
    lf_vec3 velocity; ///< metres per second
    lf_vec3 spin;  ///< angular velocity: along the axis, its length is radians per second; zero: no rotation
    lf_vec3 pivot; ///< centre of rotation at time 0; moves with the velocity
} lf_moving_box;

/// When do two boxes touch?
/// Without rotation: whether they touch is exact; the time is within 4 ulp. With rotation: never late, and early by at most
/// the time in which they move 1e-6 of their size; boxes that come closer than that without touching may count as
/// touching.
/// ahead    seconds, 0 or more; may be infinite
/// meeting  written only on success
/// Errors: LF_BAD_ARGUMENT (NULL, an empty box, a number that is not finite or too large, ahead negative or NaN).
LF_API lf_status lf_contact_boxes(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                                  lf_contact_result *meeting);

/// Another way to predict contacts of boxes, for lf_watch_def.method. <landfall/published.h> has some.
typedef struct lf_contact_method {
    const char *name; ///< in scripts
    /// As lf_contact_boxes; tick is the time between two tests in seconds, for methods that test at intervals.
    lf_status (*boxes)(const lf_moving_box *a, const lf_moving_box *b, double ahead, double tick,
                       lf_contact_result *meeting);
} lf_contact_method;

/// Many pairs of boxes.
typedef struct lf_contact_batch {
    const lf_moving_box *a, *b;  ///< pair i is the i-th of each
    size_t a_stride, b_stride;   ///< bytes from one to the next; 0: packed, LF_STRIDE_SAME: always the first
    int64_t count;               ///< how many
    double ahead;                ///< seconds to look ahead
    lf_contact_result *meetings; ///< count of them
    const lf_tasks *tasks;       ///< NULL: one thread
} lf_contact_batch;

/// lf_contact_boxes for many pairs, with the same bits.
/// wrong  optional: the index of the first invalid pair, or -1
/// Errors: LF_BAD_ARGUMENT; the results before the invalid pair are written.
LF_API lf_status lf_contact_boxes_many(const lf_contact_batch *batch, int64_t *wrong);

/// A box with its own axes that moves without rotation.
typedef struct lf_moving_block {
    lf_vec3 centre, half; ///< half of each side, 0 or more
    lf_vec3 axes[3];      ///< unit, at right angles within 1e-9
    lf_vec3 velocity;     ///< metres per second
} lf_moving_block;

/// When do two blocks touch? Computed in closed form from the fifteen separating axes. Blocks closer than 1e-13 of the
/// coordinates count as touching, so that no contact is missed.
/// Errors: LF_BAD_ARGUMENT as lf_contact_boxes; axes that are not at right angles; a negative half.
LF_API lf_status lf_contact_blocks(const lf_moving_block *a, const lf_moving_block *b, double ahead,
                                   lf_contact_result *meeting);

// ---------------------------------------------------------------------------------------------------
// Spheres
// ---------------------------------------------------------------------------------------------------

/// A sphere that moves at constant velocity.
typedef struct lf_moving_sphere {
    lf_vec3 centre;   ///< metres
    double radius;    ///< 0 or more
    lf_vec3 velocity; ///< metres per second
} lf_moving_sphere;

/// When do two spheres touch? Whether they do is exact for numbers between 1e-60 and 1e60; the time is within 1e-12 of
/// itself, or of the time in which they cover the distance of their centres.
/// Errors: LF_BAD_ARGUMENT as lf_contact_boxes; a negative radius.
LF_API lf_status lf_contact_spheres(const lf_moving_sphere *a, const lf_moving_sphere *b, double ahead,
                                    lf_contact_result *meeting);

// ---------------------------------------------------------------------------------------------------
// Points, edges and triangles whose corners move independently in straight lines
// ---------------------------------------------------------------------------------------------------

/// What four points are.
typedef enum lf_contact_elements {
    LF_CONTACT_POINT_FACE, ///< a point, then the three corners of a triangle
    LF_CONTACT_EDGES       ///< the ends of one edge, then those of another
} lf_contact_elements;

/// When does a moving point touch a moving triangle, which may deform, or when do two moving edges touch? Each point moves
/// straight from start to end within one unit of time.
/// elements    what the four points are
/// start, end  finite; the triangle may be or become a segment or a point
/// meeting     time in [0, 1]: the contact is not before it, and within 1e-9 of it; meets false: there is none
/// Decided by exact signs of polynomials in t. Only what is undecided in an interval of 2^-96 counts as a contact: none is
/// missed. Exact for numbers between 1e-60 and 1e60, and 0.
/// Errors: LF_BAD_ARGUMENT (NULL, not finite).
LF_API lf_status lf_contact_points(lf_contact_elements elements, const lf_vec3 start[4], const lf_vec3 end[4],
                                   lf_contact_result *meeting);

// ---------------------------------------------------------------------------------------------------
// Convex bodies
// ---------------------------------------------------------------------------------------------------

/// Kinds of convex bodies.
typedef enum lf_body_kind {
    LF_BODY_POINTS,  ///< the hull of points
    LF_BODY_SPHERE,  ///< around the origin
    LF_BODY_CYLINDER ///< around the z axis, from -half to half
} lf_body_kind;

/// A convex body that moves and rotates. At time 0 it is rows * shape + translation, any affine map (a sphere may become
/// an ellipsoid).
typedef struct lf_body {
    lf_body_kind kind;             ///< which kind
    const lf_vec3 *points;         ///< count >= 1 of them
    int64_t count;                 ///< how many
    double radius, half;           ///< of spheres and cylinders, 0 or more
    lf_vec3 rows[3];               ///< of the matrix
    lf_vec3 translation;           ///< metres
    lf_vec3 velocity, spin, pivot; ///< as those of lf_moving_box
} lf_body;

/// The distance of two bodies at time 0, within 1e-9 of their size.
/// distance  written only on success; 0 when they touch or are closer than 1e-9 of their size
/// Errors: LF_BAD_ARGUMENT (NULL, no points, a number that is not finite or beyond 1e100, negative radius or half).
LF_API lf_status lf_body_distance(const lf_body *a, const lf_body *b, double *distance);

/// When do two bodies touch? Computed by conservative advancement: never late, and early by at most the time in which they
/// move 1e-6 of their size; bodies that come closer than that may count as touching.
/// Errors: as lf_body_distance; ahead negative, NaN or infinite.
LF_API lf_status lf_contact_bodies(const lf_body *a, const lf_body *b, double ahead,
                                   lf_contact_result *meeting);

/// A model that moves and rotates.
typedef struct lf_moving_model {
    const lf_model *model;         ///< the model
    lf_pose pose;                  ///< at time 0, rigid
    lf_vec3 velocity, spin, pivot; ///< metres per second; radians per second about an axis through the pivot
} lf_moving_model;

/// When do the surfaces of two models touch? As lf_contact_bodies, by lf_model_nearest: models closer than 1e-6 of their
/// size count as touching.
/// Errors: LF_BAD_ARGUMENT.
LF_API lf_status lf_contact_models(const lf_moving_model *a, const lf_moving_model *b, double ahead,
                                   lf_contact_result *meeting, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Overlapping pairs of many boxes, some moving and some static
//
// Boxes are added once, moved as often as needed, and queried as a whole: every pair that shares a point,
// touching included, exactly. Two static boxes are never a pair. There are no world bounds to set and no
// sizes to guess, and a step costs the same after a million steps as at the start.
// ---------------------------------------------------------------------------------------------------

/// How to make a set of boxes; start from lf_pairs_def_default().
typedef struct lf_pairs_def {
    size_t size;  ///< stamped by the default function
    lf_host host; ///< hooks of the caller
} lf_pairs_def;

/// The default: memory from malloc.
static inline lf_pairs_def lf_pairs_def_default(void) {
    lf_pairs_def def = {sizeof(lf_pairs_def), {NULL, NULL, NULL, NULL}};
    return def;
}

/// A set of boxes.
typedef struct lf_pairs lf_pairs;

/// Id of a box in a set; all zero: no box.
typedef struct lf_pairs_id {
    uint32_t index, generation; ///< index in the tables, and how often it was used before
} lf_pairs_id;

/// A box to add; start from lf_pairs_item_default().
typedef struct lf_pairs_item {
    lf_box box;      ///< finite, low <= high
    uint64_t user;   ///< copied to pairs
    uint32_t groups; ///< groups that it belongs to, a bit each
    uint32_t meets;  ///< groups that it may form pairs with
    bool moves;      ///< false: static: it moves rarely, and forms no pairs with other static boxes
} lf_pairs_item;

/// A moving box of group 1 that meets everything.
static inline lf_pairs_item lf_pairs_item_default(void) {
    lf_pairs_item item = {{{0, 0, 0}, {0, 0, 0}}, 0, 1, 0xffffffffu, true};
    return item;
}

/// Two boxes that share a point; a.index < b.index.
typedef struct lf_pair {
    lf_pairs_id a, b;        ///< the two boxes
    uint64_t user_a, user_b; ///< their user values
} lf_pair;

/// The box that a box sweeps when it moves straight by `motion`: the least box around start and end.
static inline lf_box lf_box_swept(lf_box box, lf_vec3 motion) {
    lf_box end = {lf_vec3_add(box.low, motion), lf_vec3_add(box.high, motion)};
    return lf_box_union(box, end);
}

/// Create an empty set.
/// def    NULL: the default
/// pairs  written only on success; free it with lf_pairs_destroy
/// error  optional
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_pairs_create(const lf_pairs_def *def, lf_pairs **pairs, lf_error *error);

/// Destroy a set; NULL is accepted. Threads: no other thread may use it.
LF_API void lf_pairs_destroy(lf_pairs *pairs);

/// Add a box.
/// item   box finite and not empty; two boxes are a pair only if (a.meets & b.groups) | (b.meets & a.groups) is not 0
/// id     written only on success
/// error  optional
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY, LF_TOO_LARGE (2^31 boxes). May allocate. Threads: one per set.
LF_API lf_status lf_pairs_add(lf_pairs *pairs, const lf_pairs_item *item, lf_pairs_id *id, lf_error *error);

/// Set the position of a box, or what it sweeps in this step (lf_box_swept). Moving a static box costs more.
/// Errors: LF_BAD_ARGUMENT (no such box, not finite, empty). Allocates nothing. Threads: one per set.
LF_API lf_status lf_pairs_move(lf_pairs *pairs, lf_pairs_id id, const lf_box *box);

/// Move many boxes, as lf_pairs_move one after the other.
/// ids, boxes  count of each
/// done        optional: how many were moved; an invalid one ends it
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: one per set.
LF_API lf_status lf_pairs_move_many(lf_pairs *pairs, const lf_pairs_id *ids, const lf_box *boxes,
                                    int64_t count, int64_t *done);

/// Remove a box. Its id becomes invalid.
/// Errors: LF_BAD_ARGUMENT (no such box). Allocates nothing. Threads: one per set.
LF_API lf_status lf_pairs_remove(lf_pairs *pairs, lf_pairs_id id);

/// The current pairs.
typedef struct lf_pairs_found {
    /// In the order of a.index, then b.index; the set's own memory, until its next change or question.
    const lf_pair *pairs;
    int64_t count; ///< how many
} lf_pairs_found;

/// All current pairs, each once.
/// found  written only on success
/// Errors: LF_BAD_ARGUMENT (NULL), LF_NO_MEMORY: call again. May allocate. Threads: one per set.
LF_API lf_status lf_pairs_find(lf_pairs *pairs, lf_pairs_found *found);

/// Changes of the pairs.
typedef struct lf_pairs_changes {
    /// In the order of lf_pairs_find; the set's own memory, until its next change or question.
    const lf_pair *begun;
    int64_t begun_count;  ///< number of pairs that began
    const lf_pair *ended; ///< in the same order; removed boxes have the id they had
    int64_t ended_count;  ///< number of pairs that ended
} lf_pairs_changes;

/// The pairs that began and those that ended since the last report (at first: since the set was created). A pair that began
/// and ended in between is not reported. lf_pairs_find is not a report.
/// changes  written only on success
/// Errors: LF_BAD_ARGUMENT (NULL), LF_NO_MEMORY: the same changes are reported again. May allocate. Threads: one per set.
LF_API lf_status lf_pairs_report(lf_pairs *pairs, lf_pairs_changes *changes);

/// Size of a set, and work since it was created: the same numbers on every machine.
typedef struct lf_pairs_stats {
    int64_t count;     ///< boxes in the set
    int64_t questions; ///< calls of lf_pairs_find and lf_pairs_report
    int64_t tested;    ///< pairs of boxes that were compared exactly
    int64_t asked;     ///< boxes that searched for their neighbours one by one
    int64_t rebuilt;   ///< times that all moving boxes searched at once
} lf_pairs_stats;

/// Describe a set; all zero for NULL. Allocates nothing. Threads: any number of readers.
LF_API lf_pairs_stats lf_pairs_describe(const lf_pairs *pairs);

/// Every box that shares a point with a box, moving or static, by ascending index.
/// box       finite, not empty
/// ids       space for capacity
/// count     how many there are; when more than capacity, the lowest are written and LF_PARTIAL is returned
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. May allocate. Threads: one per set.
LF_API lf_status lf_pairs_overlaps(lf_pairs *pairs, const lf_box *box, lf_pairs_id *ids, int64_t capacity,
                                   int64_t *count);

#ifdef __cplusplus
}
#endif
/// landfall/mesh.h: terrain of convex polygons, which may overlap, overhang each other and leave holes.


#ifdef __cplusplus
extern "C" {
#endif

/// An index that finds the polygons over a point, in place of the mesh's own nested grid: a table of functions. Answers do
/// not depend on it. <landfall/published.h> has one.
typedef struct lf_mesh_index lf_mesh_index;

/// How to make a mesh; start from lf_mesh_def_default().
typedef struct lf_mesh_def {
    size_t size;                ///< stamped by the default function
    lf_host host;               ///< hooks of the caller
    lf_polygons polygons;       ///< copied
    lf_frame frame;             ///< where down is
    double tolerance;           ///< metres a corner may be off its polygon's plane; 0.001 by default
    const lf_mesh_index *index; ///< NULL: the nested grid, which is the fast one
    /// Copied: the parameters of the index, of the type that it expects; NULL: its defaults.
    const void *index_def;
    /// Of the nested grid: less memory (32 bytes per triangle), slower heights, the same answers.
    bool compact;
} lf_mesh_def;

/// The default: down is -z. Fill in polygons.
static inline lf_mesh_def lf_mesh_def_default(void) {
    lf_mesh_def def = {sizeof(lf_mesh_def),
                       {NULL, NULL, NULL, NULL},
                       {NULL, 0, NULL, NULL, 0, NULL, NULL, NULL},
                       {LF_FRAME_GRAVITY, {0, 0, 0}, {0, 0, -1}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                       0.001,
                       NULL,
                       NULL,
                       false};
    return def;
}

/// A terrain of convex polygons. Queried through lf_ground, or here for what only a mesh has.
typedef struct lf_mesh lf_mesh;

/// Work that was done, counted in objects that were read or written, each time.
typedef struct lf_mesh_work {
    int64_t vertices;   ///< number of vertices
    int64_t triangles;  ///< number of triangles
    int64_t cells;      ///< of the nested grid, or leaves of another index
    int64_t references; ///< from these to triangles or polygons
    int64_t nodes;      ///< and leaves of the box tree; nodes of another index
} lf_mesh_work;

/// What a mesh is made of.
typedef struct lf_mesh_info {
    int64_t vertex_count;  ///< vertices that no polygon uses any more count until lf_mesh_compact
    int64_t polygon_count; ///< number of polygons
    int64_t id_count; ///< numbers of polygons are below this: polygon_count, and those that have been removed
    int64_t triangle_count; ///< an n-gon counts n - 2
    int64_t wall_count;     ///< polygons edge-on to gravity: never met by gravity lines
    int64_t flat_count;     ///< polygons without area: kept, never met by anything
    lf_box box;             ///< of the vertices that polygons use
    lf_frame frame;         ///< direction of gravity
    size_t bytes;           ///< all memory that the mesh holds
    size_t tree_bytes;      ///< of these, the box tree
    size_t height_bytes;    ///< and what finds heights: the nested grid, or another index
    lf_mesh_work built;     ///< in making it
    lf_mesh_work edited;    ///< in all edits since
} lf_mesh_info;

/// Make a mesh.
/// def    polygons with 3 or more corners, convex, flat within the tolerance
/// mesh   written only on success; free it with lf_mesh_destroy
/// error  optional; `where` is the index of the offending polygon
/// Errors: LF_BAD_GEOMETRY (concave, bent or NaN polygon, by index; no polygon at all), LF_BAD_ARGUMENT
/// (corner out of range, by polygon), LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED.
/// Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_mesh_create(const lf_mesh_def *def, lf_mesh **mesh, lf_error *error);

/// Destroy a mesh; NULL is accepted. Threads: no other may use it.
LF_API void lf_mesh_destroy(lf_mesh *mesh);

/// The mesh as a ground, for as long as the mesh exists; NULL for NULL. Costs nothing. Threads: any.
LF_API const lf_ground *lf_mesh_ground(const lf_mesh *mesh);

/// What a mesh is made of. Allocates nothing. Threads: any number at once.
LF_API lf_mesh_info lf_mesh_describe(const lf_mesh *mesh);

/// What to change in a mesh; start from lf_mesh_edit_def_default().
typedef struct lf_mesh_edit_def {
    size_t size;           ///< stamped by the default function
    lf_polygons add;       ///< copied, with their own vertices; polygon_count may be 0
    const int64_t *remove; ///< numbers of polygons
    int64_t remove_count;  ///< number of polygons to remove
} lf_mesh_edit_def;

/// The default: nothing.
static inline lf_mesh_edit_def lf_mesh_edit_def_default(void) {
    lf_mesh_edit_def def = {sizeof(lf_mesh_edit_def), {NULL, 0, NULL, NULL, 0, NULL, NULL, NULL}, NULL, 0};
    return def;
}

/// What an edit did.
typedef struct lf_mesh_edit_result {
    int64_t first;     ///< the number of the first polygon that was added; the others follow
    lf_mesh_work work; ///< read or written
    bool rebuilt;      ///< a structure was rebuilt, which pays after many edits; `work` says what that took
} lf_mesh_edit_result;

/// Add polygons to a mesh and remove polygons from it. Afterwards every answer is that of a mesh made of the polygons that
/// there are now; grounds and groups made of the mesh see the change. Numbers of polygons do not change, and those of
/// removed ones are not used again, until lf_mesh_compact.
/// edit    polygons to add: as in lf_mesh_create, in the mesh's frame and with its tolerance; polygons to remove: each
///         once, none that is gone already. At least one polygon must be left.
/// edited  optional; written only on success
/// error   optional; `where` is the index of the offending polygon, in edit->add or in edit->remove
/// The work is proportional to the edit: a polygon costs what there is in the cells that it enters and on the way
/// to it. What is beyond the terrain's old extent may cost as much as rebuilding the mesh's structure, but rarely does so twice.
/// On any failure the mesh is as it was.
/// Errors: LF_BAD_GEOMETRY (a polygon to add, by index; none would be left), LF_BAD_ARGUMENT (corner out of range, by
/// polygon; no such polygon to remove, by index), LF_NO_MEMORY, LF_TOO_LARGE.
/// Allocates with the mesh's allocator. Threads: no other may use the mesh.
LF_API lf_status lf_mesh_edit(lf_mesh *mesh, const lf_mesh_edit_def *edit, lf_mesh_edit_result *edited,
                              lf_error *error);

/// Rebuild a mesh from the polygons and vertices that it has now, and number the polygons from 0 in the same order.
/// map       optional; gets the new number of each polygon by its old one, -1 for those that were removed
/// map_count items that map has space for: at least id_count of lf_mesh_describe, when map is given
/// error     optional
/// On any failure the mesh is as it was. It takes as long as lf_mesh_create, and while it lasts the memory of two meshes.
/// Errors: LF_BAD_ARGUMENT (map too short), LF_NO_MEMORY, LF_TOO_LARGE.
/// Allocates with the mesh's allocator. Threads: no other may use the mesh.
LF_API lf_status lf_mesh_compact(lf_mesh *mesh, int64_t *map, int64_t map_count, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Is a point lit? For one light that stays, or moves only now and then.
//
// A shadow is a mesh built for the rays of a light instead of gravity lines: a query costs as much as a
// height. For another light make another shadow, which costs as much as building the mesh.
// ---------------------------------------------------------------------------------------------------

/// Kinds of lights.
typedef enum lf_light_kind {
    LF_LIGHT_DIRECTION, ///< parallel light: the sun
    LF_LIGHT_POINT      ///< light from a point: a lamp
} lf_light_kind;

/// A light.
typedef struct lf_light {
    lf_light_kind kind; ///< which kind
    /// The direction in which the light shines (any length, not zero), or its position; finite.
    lf_vec3 vector;
} lf_light;

/// Light that shines in a direction everywhere.
static inline lf_light lf_light_along(lf_vec3 direction) {
    lf_light light = {LF_LIGHT_DIRECTION, direction};
    return light;
}

/// Light from a point.
static inline lf_light lf_light_at(lf_vec3 position) {
    lf_light light = {LF_LIGHT_POINT, position};
    return light;
}

/// How to make a shadow; start from lf_shadow_def_default().
typedef struct lf_shadow_def {
    size_t size;          ///< stamped by the default function
    lf_host host;         ///< hooks of the caller
    lf_polygons polygons; ///< what casts shadow, from both sides; borrowed: must outlive the shadow
    lf_light light;       ///< the light
    double tolerance;     ///< metres a corner may be off its polygon's plane; 0.001 by default
    /// Metres, 0 or more: what is not farther than this from a point is touched by it and casts no shadow
    /// on it; 1e-6 by default, so that a point computed to be on a surface is not in its own shadow.
    double skin;
} lf_shadow_def;

/// The default: light straight down. Fill in polygons and the light.
static inline lf_shadow_def lf_shadow_def_default(void) {
    lf_shadow_def def = {sizeof(lf_shadow_def),
                         {NULL, NULL, NULL, NULL},
                         {NULL, 0, NULL, NULL, 0, NULL, NULL, NULL},
                         {LF_LIGHT_DIRECTION, {0, 0, -1}},
                         0.001,
                         1e-6};
    return def;
}

/// Polygons that cast shadow, and a light.
typedef struct lf_shadow lf_shadow;

/// Make a shadow.
/// shadow  written only on success; free it with lf_shadow_destroy
/// error   optional; `where` is the index of the offending polygon
/// Errors: those of lf_mesh_create; LF_BAD_ARGUMENT for a bad light or skin. Allocates with the host's allocator.
/// Threads: any.
LF_API lf_status lf_shadow_create(const lf_shadow_def *def, lf_shadow **shadow, lf_error *error);

/// Destroy a shadow; NULL is accepted. Threads: no other may use it.
LF_API void lf_shadow_destroy(lf_shadow *shadow);

/// Is a point lit? It is, unless a polygon lies strictly between it and the light.
/// point   finite
/// lit     written only on success
/// by      optional: the polygon nearest to the point that casts the shadow, t is its distance; kind LF_HIT_NONE when lit
/// A polygon casts no shadow on points of its own; one that is edge-on to the light casts none at all. Light goes
/// through a light's own position: a polygon through that does not darken it.
/// cursor  counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_shadow_at(const lf_shadow *shadow, lf_vec3 point, bool *lit, lf_hit *by,
                              lf_cursor *cursor);

/// Many points: what lf_shadow_at gives for each.
/// points   count of them, `stride` bytes apart (0: packed; LF_STRIDE_SAME)
/// lit, by  count of each, packed; by may be NULL
/// tasks    parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT for a point that is not finite; nothing is written then. Allocates nothing.
LF_API lf_status lf_shadow_many(const lf_shadow *shadow, const lf_vec3 *points, size_t stride, int64_t count,
                                bool *lit, lf_hit *by, const lf_tasks *tasks);

#ifdef __cplusplus
}
#endif
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
/// landfall/sight.h: lines of sight, profiles, viewsheds, horizons and shade.
///
/// On every kind of ground, groups, scenes and globes too. A sight line runs over the straight line between its ends on the map, and is curved by earth curvature and
/// refraction if the rules include them. It is blocked by ground strictly above it at a place strictly
/// between its ends; ground that it touches does not block. Between two ends the verdict is the same both
/// ways.


#ifdef __cplusplus
extern "C" {
#endif

#define LF_CURVATURE_FLAT 0.0      ///< a flat earth
#define LF_CURVATURE_LIGHT 0.85714 ///< light over the round earth, in usual air
#define LF_CURVATURE_RADIO 0.75    ///< radio: as over an earth of 4/3 of its radius

/// Curvature of a line relative to a round earth: at a distance d from an end of a line of length L the line
/// lies lower, above the ground, by coefficient * d * (L - d) / (2 * radius) than on a flat earth. A factor k
/// of the earth's radius is coefficient 1 / k.
///
/// On a globe lines are in earth-centred coordinates, and the earth is round by itself. With coefficient 0 the line is straight in
/// space. Otherwise it is bent by refraction alone, by the same rule: it lies higher than the straight line, away from the centre, by
/// (1 - coefficient) * d * (L - d) / (2 * radius), where L is the straight distance of its ends. This parabola differs
/// from the arc of a circle of the radius radius / (1 - coefficient) by less than L^4 / (128 * that radius^3), which is 10 micrometres for
/// 100 km in usual air.
typedef struct lf_curvature {
    double coefficient; ///< 0 .. 1 as a rule; within 256 times the radius
    double radius;      ///< metres, > 0; 6371008.8 by default
} lf_curvature;

/// Metres between two places of the map.
typedef enum lf_map_units {
    LF_MAP_METRES, ///< world units are metres: sqrt(dx^2 + dy^2)
    LF_MAP_DEGREES ///< x is longitude, y is latitude: the geodesic on the ellipsoid; along a line in proportion to t
} lf_map_units;

/// What a void does to a line that passes over it. A void is assumed to be no higher than the highest height
/// of its grid: a line that stays above that passes.
typedef enum lf_void_policy {
    LF_VOIDS_UNKNOWN, ///< the verdict is unknown, unless known ground blocks (default)
    LF_VOIDS_PASS,    ///< the line passes
    LF_VOIDS_STOP     ///< it blocks
} lf_void_policy;

/// From which end a line is searched if only the verdict is requested. It affects the time, never the
/// result.
typedef enum lf_search {
    LF_SEARCH_FORWARD,  ///< from a
    LF_SEARCH_BACKWARD, ///< from b
    LF_SEARCH_LAST ///< from the end near which the cursor's last line, or the one before in a batch, was decided
} lf_search;

/// Rules of lines of sight; start from lf_sight_rules_default().
typedef struct lf_sight_rules {
    size_t size;            ///< stamped by the default function
    lf_curvature curvature; ///< of the earth, with refraction
    lf_map_units units;     ///< of x and y
    lf_ellipsoid ellipsoid; ///< for degrees
    lf_void_policy voids;   ///< what a void does to a line
    lf_search search;       ///< order of the search
    bool detail;            ///< also clearance, raise and Fresnel's zone: costs a walk along the whole line
    double frequency_mhz;   ///< > 0: Fresnel's first zone of that wave, if detail is set; 0: off
    /// Only elements in one of these layers, and of the cursor's, block: glass stops a ray, not sight.
    uint32_t layers;
} lf_sight_rules;

static inline lf_sight_rules lf_sight_rules_default(void) {
    lf_sight_rules rules = {sizeof(lf_sight_rules),
                            {LF_CURVATURE_FLAT, 6371008.8},
                            LF_MAP_METRES,
                            {6378137.0, 1.0 / 298.257223563},
                            LF_VOIDS_UNKNOWN,
                            LF_SEARCH_FORWARD,
                            false,
                            0,
                            0xffffffffu};
    return rules;
}

/// Answers about a line of sight: identifier, value, name.
#define LF_VERDICT_LIST(X)              \
    X(LF_VERDICT_CLEAR, 0, "clear")     \
    X(LF_VERDICT_BLOCKED, 1, "blocked") \
    X(LF_VERDICT_UNKNOWN, 2, "unknown")

typedef enum lf_verdict {
#define LF_VERDICT_ENUM(name, value, word) name = value,
    LF_VERDICT_LIST(LF_VERDICT_ENUM)
#undef LF_VERDICT_ENUM
} lf_verdict;

/// The name of a verdict, such as "blocked"; "?" for an unknown value. Static text. Threads: any.
static inline const char *lf_verdict_name(lf_verdict verdict) {
    LF_NAME_OF(verdict, LF_VERDICT_LIST, LF_NAME_CASE_3);
}

/// The result for a line from a (t = 0) to b (t = 1).
typedef struct lf_sight {
    lf_verdict verdict; ///< the answer
    /// Blocked: where the line first goes below ground; unknown: where it enters the first void; clear: 1.
    double t;
    lf_vec3 point; ///< of the line there
    double length; ///< metres from a to b on the map, in the rules' units; on a globe straight from a to b
    /// Detail: least height of the line above known ground between its ends (negative: below); INFINITY: no
    /// ground. Of several floors the topmost counts.
    double clearance;
    double clearance_t; ///< and where
    /// Detail: how much higher b would have to be to be seen over known ground; negative: how much lower it
    /// could be; INFINITY when a is below ground, -INFINITY: no ground.
    double raise;
    double raise_t; ///< and which place decides
    /// Frequency: least clearance as a share of the first zone's radius there; -INFINITY when an end is
    /// below ground.
    double fresnel;
    double fresnel_t; ///< and where
} lf_sight;

/// A point above ground: the topmost ground at a place plus `above` metres, rounded up so that it is never
/// below the ground by rounding. A target put on the ground by hand (the rounded height of lf_ground_height)
/// can lie an ulp below it, and is then correctly hidden. On a grid the place is snapped as for lines of
/// sight: to a sample if only the rounding of the world's numbers keeps it off one.
/// at      within 1e30
/// above   within 1e30
/// point   written when there is ground: z is at least ground + above, and more by less than the accuracy of
///         lf_ground_height
/// reason  always written: LF_REASON_ANSWERED, or why there is no ground; LF_REASON_NONE after LF_BAD_ARGUMENT
/// Errors: LF_BAD_ARGUMENT, also where down is not -z. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_sight_observer(const lf_ground *ground, lf_vec2 at, double above, lf_vec3 *point,
                                   lf_reason *reason);

/// Can a see b? On a grid with a turn (lf_grid_def) the line takes the shorter way round, and its points
/// continue from a's x.
/// a, b    within 1e30, z above datum (lf_sight_observer gives the ground to add to); with degrees y within
///         90
/// sight   written only on success. On grids the verdict is exact for the line after its conversion to
///         columns and rows (lf_grid_locate, snapped to samples where only rounding keeps an end off one); t
///         and point to rounding. On polygons a flat line is blocked by a polygon whose plane it goes through
///         strictly between its ends, within the closed polygon, from either side, exactly; a curved one is
///         cut into straight pieces that are off by 0.5 mm at most
/// cursor  counters and layers, or NULL
///         Objects and polygons of groups and scenes likewise, each in the coordinates of its part
/// Errors: LF_BAD_ARGUMENT for NULL, numbers that are not finite, invalid rules, curvature on ground whose
/// gravity is towards an axis. Allocates nothing. Threads: any number at once, each with its own cursor.
LF_API lf_status lf_sight_between(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                                  lf_sight *sight, lf_cursor *cursor);

/// Only the verdict: that of lf_sight_between, faster, because any blocked place will do.
/// cursor  counters, layers, and the hint of LF_SEARCH_LAST; or NULL
/// Otherwise as lf_sight_between.
LF_API lf_status lf_sight_verdict(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                                  lf_verdict *verdict, lf_cursor *cursor);

/// Many lines: bit for bit what lf_sight_between gives for each.
/// a, b, sights  count of each, so many bytes apart (0: packed; for a or b: LF_STRIDE_SAME, the same for all)
/// tasks         parallel loop, or NULL for one thread
/// Errors: as lf_sight_between; nothing is written then. Allocates nothing.
LF_API lf_status lf_sight_many(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *a,
                               size_t a_stride, const lf_vec3 *b, size_t b_stride, int64_t count,
                               lf_sight *sights, size_t sight_stride, const lf_tasks *tasks);

/// Only the verdicts of many lines: the fastest call.
/// verdicts  count bytes, lf_verdict each
/// Otherwise as lf_sight_many.
LF_API lf_status lf_sight_verdicts(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *a,
                                   size_t a_stride, const lf_vec3 *b, size_t b_stride, int64_t count,
                                   uint8_t *verdicts, const lf_tasks *tasks);

/// Intervisibility of all pairs of points.
/// points    count of them, as the ends of lf_sight_between
/// verdicts  count x count bytes: that of the line from i to j at [i * count + j], lf_verdict each; a point
///           sees itself
/// Errors: as lf_sight_between; nothing is written then. Allocates nothing.
LF_API lf_status lf_sight_matrix(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *points,
                                 int64_t count, uint8_t *verdicts, const lf_tasks *tasks);

/// Radius of Fresnel's first zone, metres, at d1 and d2 metres from the ends.
static inline double lf_fresnel_radius(double frequency_mhz, double d1, double d2) {
    return sqrt(299.792458 / frequency_mhz * d1 * d2 / (d1 + d2));
}

// ---------------------------------------------------------------------------------------------------
// Profiles
// ---------------------------------------------------------------------------------------------------

/// A place along a line.
typedef struct lf_profile_point {
    double t;        ///< position along the ray or line
    double distance; ///< metres from a
    double ground;   ///< height; NAN over voids and beyond the ground
    double line;     ///< height of the (curved) line there
} lf_profile_point;

/// The ground under a line: the topmost, as queries without a cursor find it.
/// steps   0: on a grid both ends and every break of its surface, twice at jumps and at borders of voids;
///         otherwise so many equal steps (>= 1; other grounds need it)
/// points  space for capacity points, in order of t
/// count   how many there are; when more than capacity, the first are written and LF_PARTIAL is returned
/// Heights and lines are counted along gravity, as z of the ground's frame where that is not -z.
/// Errors: as lf_sight_between; LF_BAD_ARGUMENT for steps < 0, or 0 where it is needed. Allocates nothing.
/// Threads: any number at once.
LF_API lf_status lf_sight_profile(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                                  int64_t steps, lf_profile_point *points, int64_t capacity, int64_t *count);

/// The horizon at an end of a path, as used in radio planning.
typedef struct lf_profile_horizon {
    double angle_deg; ///< of the horizon, above level at that end; of the other end when it is seen
    double distance;  ///< metres to what makes it; the path's length when the other end is seen
} lf_profile_horizon;

/// The result for a path.
typedef struct lf_profile_sight {
    lf_sight sight;                    ///< points have x = metres from a, y = 0
    lf_profile_horizon from_a, from_b; ///< at each end
} lf_profile_sight;

/// Line of sight over a measured profile.
/// distances  metres from a, ascending, the first 0; heights: ground there; count >= 2, all within 1e30
/// a_height, b_height  of the ends above the first and last ground
/// between    true: straight ground between samples; false: only the samples count, as with ITU-R P.1812
/// rules      curvature and frequency are used; detail is always computed
/// result     written only on success; all of it to rounding. Ground that the line touches does not block
/// error      optional; `where` is the index of the offending sample
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
LF_API lf_status lf_sight_over_profile(const double *distances, const double *heights, int64_t count,
                                       double a_height, double b_height, bool between,
                                       const lf_sight_rules *rules, lf_profile_sight *result,
                                       lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Visibility of every sample of a lattice from an observer, on any ground.
//
// A sample is visible if lf_sight_between is clear for the line from the observer to the target above it:
// none is approximated. Over a grid most are decided together, by a sweep around the observer that knows an
// upper and a lower bound of the horizon in every direction; those between the bounds get a line of their
// own. In a group of one grid in its place and any obstacles (lf_group_part), the grid is swept too, and each
// of the other parts is only tested for the targets that it could hide. Over other grounds each target has
// its own line.
// ---------------------------------------------------------------------------------------------------

/// What targets stand on.
typedef enum lf_target_on {
    LF_TARGET_TOP, ///< the topmost ground: the roof where there is a building (default)
    /// The topmost grid or globe of a group, whatever else is there: a target within a building is hidden by it. Without any:
    /// as LF_TARGET_TOP.
    LF_TARGET_GROUND
} lf_target_on;

/// An observer.
typedef struct lf_observer {
    lf_vec2 at;    ///< finite
    double height; ///< above the ground there (as lf_sight_observer), or above datum
    bool datum;    ///< height is above datum: the observer may then be over a void or beyond the grid
} lf_observer;

/// True east and north on the map at a place: steps in x and y of one metre that way. They need be neither
/// along the axes nor at right angles. lf_crs_compass (landfall/io.h) finds them.
typedef struct lf_compass {
    lf_vec2 east, north; ///< steps of one metre on the map
} lf_compass;

/// Definition of a viewshed; start from lf_viewshed_def_default(). A sample exactly at the observer is within
/// all limits but range_min. Limits are closed, and rounding does not open them: what is within 1e-9 degrees
/// of a limit of azimuth or pitch, or within 1e-12 of its distance (and the rounding of x and y) of a limit
/// of range, is on it.
typedef struct lf_viewshed_def {
    size_t size;          ///< stamped by the default function
    lf_host host;         ///< hooks of the caller
    lf_sight_rules rules; ///< curvature, units, ellipsoid and voids are used
    double target;        ///< height of targets above their samples, finite; 0 by default
    double range_min;     ///< metres on the map, in the rules' units, closed: 0 or more; 0 by default
    double range_max;     ///< likewise; INFINITY by default
    /// Clockwise from north (+y, or as the compasses have it), from here on, closed; 0 by default. On
    /// degrees: of the straight line on the map, by the lengths of degrees at the observer.
    double azimuth_from_deg;
    /// Clockwise to here, closed; 360 by default. All around when 360 or more beyond the first.
    double azimuth_to_deg;
    /// Angle of the target above level at the observer, apparent (with curvature), closed; -90 by default.
    double pitch_low_deg;
    double pitch_high_deg; ///< 90 by default
    /// Optional: of each observer, which azimuths are counted by; NULL by default: north is +y.
    const lf_compass *compasses;
    lf_lattice lattice;     ///< of the targets
    lf_target_on target_on; ///< what targets, and their heights, are counted from
    /// For a lattice in another coordinate reference system: where each of its samples is in the ground's x and y (on a globe longitude and
    /// latitude), row after row. NAN: nowhere, a void. lattice.geotransform is then not used. NULL by default.
    const lf_vec2 *places;
} lf_viewshed_def;

static inline lf_viewshed_def lf_viewshed_def_default(void) {
    lf_viewshed_def def = {sizeof(lf_viewshed_def),
                           {NULL, NULL, NULL, NULL},
                           lf_sight_rules_default(),
                           0,
                           0,
                           LF_INFINITY,
                           0,
                           360,
                           -90,
                           90,
                           NULL,
                           {{{0, 0}, {0, 0}, {0, 0}}, 0, 0},
                           LF_TARGET_TOP,
                           NULL};
    return def;
}

/// Visibility of a sample: name, value, text. A void is a sample where the surface has no height
/// (LF_SURFACE_LIST), wherever it is; what is beyond the limits is not examined.
#define LF_VISIBILITY_LIST(X)              \
    X(LF_VISIBILITY_HIDDEN, 0, "hidden")   \
    X(LF_VISIBILITY_VISIBLE, 1, "visible") \
    X(LF_VISIBILITY_UNKNOWN, 2, "unknown") \
    X(LF_VISIBILITY_VOID, 3, "hole")       \
    X(LF_VISIBILITY_BEYOND, 4, "beyond")

typedef enum lf_visibility {
#define LF_VISIBILITY_ENUM(name, value, word) name = value,
    LF_VISIBILITY_LIST(LF_VISIBILITY_ENUM)
#undef LF_VISIBILITY_ENUM
} lf_visibility;

/// The name of a visibility, such as "hidden"; "?" for an unknown value. Static text. Threads: any.
static inline const char *lf_visibility_name(lf_visibility visibility) {
    LF_NAME_OF(visibility, LF_VISIBILITY_LIST, LF_NAME_CASE_3);
}

/// Statistics of a run, summed over its observers.
typedef struct lf_viewshed_stats {
    int64_t counts[5]; ///< samples of each lf_visibility
    int64_t walked;    ///< samples decided by an exact line
    size_t bytes;      ///< scratch memory; at most lf_viewshed_bytes
} lf_viewshed_stats;

/// Upper bound of the scratch memory of a viewshed of this window, for any call: a byte per sample, and some
/// that does not depend on the window; lf_viewshed_visible takes only the latter. Grounds that are no grid take up to 13 bytes
/// per sample, and 200 per obstacle. For a grid that wraps a
/// copy of the columns around the observer is counted in, which is taken where the seam is within range. 0
/// where an argument is bad. Allocates nothing. Threads: any.
LF_API size_t lf_viewshed_bytes(const lf_ground *ground, const lf_viewshed_def *def, lf_window window);

/// A window that holds every sample within range_max of a place, and few others; the whole lattice when
/// range_max is INFINITY, on a globe and with places; all columns of a grid that wraps when its seam is within range; 0 x 0 when no
/// sample can be, or when an argument is bad. Allocates nothing. Threads: any.
LF_API lf_window lf_viewshed_window(const lf_ground *ground, const lf_viewshed_def *def, lf_vec2 at);

/// Visible or not.
/// ground    any. Where down is not -z, it must be a globe or a group with one. Observers stand on the topmost ground, and are then
///           at a longitude and latitude; their height, and that of targets, is counted away from the globe's centre
/// observer  above ground only where there is ground
/// window    within the lattice, 1 x 1 samples or more
/// seen      lf_visibility of each sample, rows of window.columns bytes, the window's first row first
/// row_step  bytes from row to row: 0 for packed, or no less than window.columns either way
/// stats     optional
/// error     optional; names the observer's position if there is no ground below it
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY (nothing is written then), LF_CANCELLED (what has been written means
/// nothing). Allocates lf_viewshed_bytes with the host's allocator, and frees it. Same bytes for any tasks.
/// Threads: any number at once.
LF_API lf_status lf_viewshed_visible(const lf_ground *ground, const lf_viewshed_def *def,
                                     const lf_observer *observer, lf_window window, uint8_t *seen,
                                     ptrdiff_t row_step, lf_viewshed_stats *stats, lf_error *error);

/// A value that a viewshed computes for each sample: name, value, text. NAN for voids and beyond the limits.
#define LF_VIEWSHED_LIST(X)            \
    X(LF_VIEWSHED_GROUND, 0, "ground") \
    X(LF_VIEWSHED_DEM, 1, "dem")       \
    X(LF_VIEWSHED_ANGLE, 2, "angle")   \
    X(LF_VIEWSHED_DISTANCE, 3, "distance")

/// GROUND    least height above ground, 0 or more, at which a target would be visible and not below
///           pitch_low_deg (the def's target plays no part; the other limits and the counts are those of
///           targets on the ground, without pitch_low_deg, which raises heights instead of excluding them, as
///           in GDAL); NAN where a void is in the way of the line, unless voids let it pass, and for a
///           pitch_low_deg of 90 or more
/// DEM       the same above datum
/// ANGLE     degrees above level at which a visible target appears, with curvature; NAN where it is not
///           visible
/// DISTANCE  metres on the map to a visible target; NAN where it is not visible
typedef enum lf_viewshed_mode {
#define LF_VIEWSHED_ENUM(name, value, word) name = value,
    LF_VIEWSHED_LIST(LF_VIEWSHED_ENUM)
#undef LF_VIEWSHED_ENUM
} lf_viewshed_mode;

/// The name of a mode, such as "angle"; "?" for an unknown value. Static text. Threads: any.
static inline const char *lf_viewshed_mode_name(lf_viewshed_mode mode) {
    LF_NAME_OF(mode, LF_VIEWSHED_LIST, LF_NAME_CASE_3);
}

/// A value for each sample.
/// row_step  bytes, a multiple of 4; otherwise as lf_viewshed_visible
LF_API lf_status lf_viewshed_values(const lf_ground *ground, const lf_viewshed_def *def,
                                    const lf_observer *observer, lf_viewshed_mode mode, lf_window window,
                                    float *values, ptrdiff_t row_step, lf_viewshed_stats *stats,
                                    lf_error *error);

/// How many of the observers see each sample; UINT32_MAX for voids.
/// observers  count of them, 0 or more; above ground only where there is ground: `where` of the error is the
///            offending one. Those on a grid whose range does not reach the window are not examined. With a range that reaches a
///            small part of the window, each is computed by one thread, else each by all
///            They are taken by place, neighbours one after the other, for which 16 bytes each are allocated
/// row_step   bytes, a multiple of 4; otherwise as lf_viewshed_visible
LF_API lf_status lf_viewshed_count(const lf_ground *ground, const lf_viewshed_def *def,
                                   const lf_observer *observers, int64_t observer_count, lf_window window,
                                   uint32_t *counts, ptrdiff_t row_step, lf_viewshed_stats *stats,
                                   lf_error *error);

/// Which observers see each sample: bit k % 8 of its byte in plane k / 8 is set if observer k sees it.
/// planes  (observer_count + 7) / 8 planes, one after the other, of window.columns x window.rows packed bytes
/// Otherwise as lf_viewshed_count.
LF_API lf_status lf_viewshed_who(const lf_ground *ground, const lf_viewshed_def *def,
                                 const lf_observer *observers, int64_t observer_count, lf_window window,
                                 uint8_t *planes, lf_viewshed_stats *stats, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Siting: which of many places cover most.
//
// One place after the other is chosen, each time the one that adds most (greedy maximum coverage). No choice
// of as many places covers more than 1 / (1 - 1/e) = 1.58 times as much, and lf_site_stats has a limit for
// the case at hand, which is as a rule far lower.
// ---------------------------------------------------------------------------------------------------

#define LF_SITE_GUARANTEE 0.6321205588285577 ///< 1 - 1/e

/// Definition of a siting; start from lf_site_def_default().
typedef struct lf_site_def {
    size_t size;                   ///< stamped by the default function
    lf_viewshed_def view;          ///< viewsheds of the candidates, with the host
    const lf_observer *candidates; ///< as the observers of lf_viewshed_count
    int64_t candidate_count;       ///< 1 or more
    lf_window window;              ///< samples to cover; 0 x 0 (default): the whole lattice
    /// What each sample of the window counts, row after row, packed; samples of 0 or less and NAN count nothing. Finite. NULL
    /// (default): 1 each.
    const float *weights;
    /// A sample is covered when so many places see it, and in part before: by 1 / overlap for each. 1 (default) .. 255.
    int overlap;
    int64_t most; ///< places to choose, 1 or more
    size_t
        memory; ///< bytes for viewsheds that are kept; those that do not fit are computed again. 1e9 by default
} lf_site_def;

static inline lf_site_def lf_site_def_default(void) {
    lf_site_def def = {sizeof(lf_site_def), lf_viewshed_def_default(), NULL, 0, {0, 0, 0, 0}, NULL, 1, 1,
                       1000000000};
    return def;
}

/// A place that was chosen.
typedef struct lf_site {
    int64_t candidate; ///< its index
    double gain;       ///< what it added: samples, or their weight
    double covered;    ///< what it and all before it cover
} lf_site;

typedef struct lf_site_stats {
    double
        total; ///< what could be covered if everything were seen: samples that are no void, or their weight
    double limit;      ///< no choice of `most` candidates covers more than this
    int64_t viewsheds; ///< that were computed
    int64_t gains;     ///< that were evaluated
    size_t bytes;      ///< most memory taken by viewsheds that were kept
} lf_site_stats;

/// Choose the places that cover most.
/// sites  space for def->most; in the order of the choice. The same as of a greedy choice that evaluates every candidate each time:
///        of equal ones the first
/// count  how many were chosen: fewer than def->most where no other adds anything
/// stats  optional
/// error  optional; `where` is the offending candidate
/// Errors: as lf_viewshed_count. Allocates the scratch memory of viewsheds, def->memory at most, 64 bytes per candidate, and for each
/// sample 1/8 byte, with weights 12 and with an overlap 1 more; freed at the end. Same answer for any tasks. Threads: any number at once.
LF_API lf_status lf_site_choose(const lf_ground *ground, const lf_site_def *def, lf_site *sites,
                                int64_t *count, lf_site_stats *stats, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Horizons of points, and sun exposure, on grids.
//
// Directions are azimuths: degrees, clockwise from north (+y). On a projected map true north is elsewhere,
// and turns from place to place: suns of lf_sun_at and azimuths by compass have to be converted by
// lf_compass_to_map (landfall/io.h) for the place, or for parts of a window that are small enough. On a map
// in metres a direction is the straight line that leaves the point so; on degrees (rules.units) it is the
// straight line on the map whose first step has that azimuth on the ellipsoid, and distances along it are
// counted by the metres that a degree has at the point.
// ---------------------------------------------------------------------------------------------------

/// The horizon in one direction.
typedef struct lf_horizon {
    /// LF_REASON_ANSWERED, or LF_REASON_NONE: no ground in that direction; elevation is then -90, distance
    /// 0.
    lf_reason reason;
    double elevation_deg; ///< above level at the point, apparent (with curvature); may be negative
    double distance;      ///< metres on the map to the nearest place that makes it
    lf_vec3 point;        ///< that place, on the ground
    bool hole;            ///< there is a void in that direction within range, which may be higher
} lf_horizon;

/// The skyline of a point in a direction: the least upper bound, over the ground beyond the point and within
/// range, of the angle under which it appears; exact for this direction, not for the nearest cell. Ground at
/// the distance d and the height g appears under the slope (g - from.z) / d - coefficient * d / (2 * radius).
/// What lies at the point itself counts only as the limit of what is near it: from below ground everything is
/// hidden, and the elevation is 90. Of several places under the same slope, but for rounding (1e-12 of it and
/// of the heights' share in it), the nearest is reported.
/// rules        curvature, units and ellipsoid are used; NULL: the default
/// from         finite, z above datum. Columns and rows that are whole but for rounding are taken as whole,
///              as in lf_sight_between
/// azimuth_deg  finite
/// range        metres, > 0; INFINITY: to the border, or half a turn on a grid that wraps
/// horizon      written only on success; slopes to 1e-12 of themselves or of the heights' share in them
/// cursor       counters, or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_horizon_at(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 from,
                               double azimuth_deg, double range, lf_horizon *horizon, lf_cursor *cursor);

/// Many directions of one point: bit for bit what lf_horizon_at gives for each.
/// azimuths_deg, horizons  count of each
/// tasks                   parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT; nothing is written then. Allocates nothing.
LF_API lf_status lf_horizon_around(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 from,
                                   const double *azimuths_deg, int64_t count, double range,
                                   lf_horizon *horizons, const lf_tasks *tasks);

/// Definition of maps; start from lf_horizon_def_default().
typedef struct lf_horizon_def {
    size_t size;            ///< stamped by the default function
    lf_host host;           ///< tasks for all cores, progress
    lf_sight_rules rules;   ///< curvature, units, ellipsoid and voids are used
    double height;          ///< of the points above the ground of their samples; finite, 0 by default
    double range;           ///< metres, > 0; INFINITY by default
    lf_lattice lattice;     ///< of the points
    lf_target_on target_on; ///< what points stand on
    const lf_vec2 *places;  ///< of the points, as in lf_viewshed_def
} lf_horizon_def;

static inline lf_horizon_def lf_horizon_def_default(void) {
    lf_horizon_def def = {sizeof(lf_horizon_def),
                          {NULL, NULL, NULL, NULL},
                          lf_sight_rules_default(),
                          0,
                          LF_INFINITY,
                          {{{0, 0}, {0, 0}, {0, 0}}, 0, 0},
                          LF_TARGET_TOP,
                          NULL};
    return def;
}

/// The horizon's elevation in one direction for every sample of a window: that of lf_horizon_at at the
/// sample, at the height of its ground + def.height, rounded to float. -90: no ground in that direction; NAN
/// for voids.
/// azimuth_deg  finite
/// window       within the grid, 1 x 1 or more
/// degrees      window.columns x window.rows, `row_step` bytes from row to row (0: packed; may be negative)
/// error        optional
/// Errors: LF_BAD_ARGUMENT (named), LF_CANCELLED; what has been written then is some of the samples. LF_NO_MEMORY, LF_TOO_LARGE.
/// On a grid it allocates nothing; on other grounds heights of the window's samples, with the host's allocator.
/// Same bits for any number of threads.
LF_API lf_status lf_horizon_map(const lf_ground *ground, const lf_horizon_def *def, double azimuth_deg,
                                lf_window window, float *degrees, ptrdiff_t row_step, lf_error *error);

/// The fraction of the sky visible from each sample of a window: the mean, over so many azimuths (0, 360 /
/// directions, ...), of cos^2 of the horizon's elevation, horizons below level counted as level; NAN for
/// voids.
/// directions  1 .. 720
/// share       0 .. 1 each; window, row_step, errors and memory as in lf_horizon_map
LF_API lf_status lf_sky_view(const lf_ground *ground, const lf_horizon_def *def, int directions,
                             lf_window window, float *share, ptrdiff_t row_step, lf_error *error);

/// A direction to the sun, or to any far light, and how long it counts.
typedef struct lf_sun {
    double azimuth_deg;  ///< finite
    double altitude_deg; ///< -90 < altitude <= 90, above level at each sample, as it appears
    double hours;        ///< finite, >= 0; for lf_sun_hours only
} lf_sun;

/// Sun exposure: an lf_visibility for each sample of a window. LF_VISIBILITY_VISIBLE: lit, no ground within
/// range is strictly above the line to the sun; LF_VISIBILITY_HIDDEN: in shade; LF_VISIBILITY_UNKNOWN:
/// nothing known is above it, but it passes over a void lower than the grid's highest height (with the rules'
/// LF_VOIDS_UNKNOWN; LF_VOIDS_STOP makes that shade, LF_VOIDS_PASS light); LF_VISIBILITY_VOID: no ground. At
/// the distance d the line is d * tan(altitude) + coefficient * d^2 / (2 * radius) above its sample, exact
/// for the doubles that the direction is converted to. With curvature a sun below level still lights summits,
/// but no sample from which the line to it passes, at any distance, below both datum and the grid's lowest
/// height: there the planet is in the way, although no ground is known. On a flat one nothing is lit from
/// below level.
/// window  within the grid, 1 x 1 or more
/// lit     window.columns x window.rows bytes, `row_step` bytes from row to row (0: packed; may be negative)
/// error   optional
/// Errors and memory as in lf_horizon_map. Same bits for any number of threads.
LF_API lf_status lf_sun_shade(const lf_ground *ground, const lf_horizon_def *def, lf_sun sun,
                              lf_window window, uint8_t *lit, ptrdiff_t row_step, lf_error *error);

/// Hours of sun of each sample of a window: the sum, in their order, of the hours of those suns by which
/// lf_sun_shade finds it lit; NAN for voids.
/// suns   count of them; 0: no sun
/// hours  written only on success; window and row_step as in lf_horizon_map
/// error  optional; `where` is the index of the offending sun
/// Errors: LF_BAD_ARGUMENT (named), LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED.
/// Allocates 9 bytes per sample of the window with the host's allocator, and heights as lf_horizon_map does. Same
/// bits for any number of threads.
LF_API lf_status lf_sun_hours(const lf_ground *ground, const lf_horizon_def *def, const lf_sun *suns,
                              int64_t count, lf_window window, float *hours, ptrdiff_t row_step,
                              lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Total viewshed: how much is seen from every sample of a grid
//
// From each sample the ground is sampled along so many azimuths, at every column (or row, whichever the
// azimuth crosses more often). Each of these places stands for the part of its sector around it. What the
// azimuth crosses between two of them can hide what is behind. That is an approximation;
// lf_total_check says how good, by exact viewsheds of some samples. The end of the longest line is confirmed
// by an exact line of sight.
// ---------------------------------------------------------------------------------------------------

/// Definition of a total viewshed; start from lf_total_def_default().
typedef struct lf_total_def {
    size_t size;          ///< stamped by the default function
    lf_host host;         ///< tasks for all cores, progress
    lf_sight_rules rules; ///< curvature, units and ellipsoid are used; a void is not seen and does not block
    double observer_height; ///< above each sample, metres: finite; 1.75 by default
    double target_height;   ///< above the ground seen, metres: finite; 0 by default
    double range;           ///< metres, finite, > 0; 10000 by default
    int azimuths;           ///< 4 .. 3600; 360 by default: 0, 360 / azimuths, ...
} lf_total_def;

static inline lf_total_def lf_total_def_default(void) {
    lf_total_def def = {
        sizeof(lf_total_def), {NULL, NULL, NULL, NULL}, lf_sight_rules_default(), 1.75, 0, 10000, 360};
    return def;
}

/// What is computed for each sample of a window; NULL: not computed. NAN for voids.
typedef struct lf_total_maps {
    float *area; ///< visible area, square metres on the map
    float *open; ///< share of the azimuths in which the farthest ground within range is seen
    float *mean; ///< mean distance of the visible area, metres
    /// Metres to the farthest visible place, confirmed by an exact line of sight: where that is blocked, the farthest of the next azimuth
    /// counts. 0: none is confirmed.
    float *longest;
    double *end_x, *end_y; ///< and that place on the map; both or none, and only with `longest`
    float *
        inside; ///< share of the circle of the range that is on the grid: where below 1, area counts less than all
    ptrdiff_t stride; ///< elements from row to row of all maps: 0 for packed, or no less than window.columns
} lf_total_maps;

/// Total viewshed of the samples of a window.
/// ground  a grid (others have no samples). Where it wraps around the globe, lines end at its seam
/// window  within the grid, 1 x 1 samples or more
/// maps    at least one
/// error   optional
/// Errors: LF_BAD_ARGUMENT (named), LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED (what has been written means nothing then).
/// Allocates 4 bytes per sample of the window and of its surroundings within range, and 12 bytes per column of the window and
/// azimuth for each worker. Same bits for any tasks and any instruction set. Threads: any number at once.
LF_API lf_status lf_total_viewshed(const lf_ground *ground, const lf_total_def *def, lf_window window,
                                   const lf_total_maps *maps, lf_error *error);

/// Relative errors of the visible area.
typedef struct lf_total_errors {
    int64_t samples; ///< compared
    double mean;     ///< of their relative errors
    double most95;   ///< 95 percent are not above this
    double worst;    ///< the largest
} lf_total_errors;

/// Compare the visible area of some samples of a window, which are chosen at random, with that of their exact viewsheds
/// (lf_viewshed_visible; each visible sample counts as its cell).
/// area    of the window, as lf_total_viewshed wrote it, rows `stride` elements apart (0: packed)
/// count   1 or more; samples may be chosen twice. Voids are not counted
/// seed    other seeds choose other samples
/// errors  written only on success; all 0 where every chosen sample is a void
/// Errors: as lf_total_viewshed. Allocates a byte per sample of the window that the range reaches, and lf_viewshed_bytes.
LF_API lf_status lf_total_check(const lf_ground *ground, const lf_total_def *def, lf_window window,
                                const float *area, ptrdiff_t stride, int64_t count, uint64_t seed,
                                lf_total_errors *errors, lf_error *error);

#ifdef __cplusplus
}
#endif
/// landfall/store.h: ground and models in a file, `.lf`, that is mapped into memory and queried in place.
///
/// docs/formats/lf.md describes the format, in enough detail to read it in another language.


#ifdef __cplusplus
extern "C" {
#endif

/// Contents of a file: identifier, value, name.
#define LF_STORE_KIND_LIST(X)     \
    X(LF_STORE_GRID, 1, "grid")   \
    X(LF_STORE_MESH, 2, "mesh")   \
    X(LF_STORE_GROUP, 3, "group") \
    X(LF_STORE_MODEL, 4, "model") \
    X(LF_STORE_GLOBE, 5, "globe")

typedef enum lf_store_kind {
#define LF_STORE_KIND_ENUM(name, value, word) name = value,
    LF_STORE_KIND_LIST(LF_STORE_KIND_ENUM)
#undef LF_STORE_KIND_ENUM
} lf_store_kind;

/// The name of the kind of a file, such as "grid"; "?" for any other value. Static text. Threads: any.
static inline const char *lf_store_kind_name(lf_store_kind kind) {
    LF_NAME_OF(kind, LF_STORE_KIND_LIST, LF_NAME_CASE_3);
}

/// What to write; start from lf_store_def_default() and set one of grid, mesh, group, model and globe.
typedef struct lf_store_def {
    size_t size;             ///< stamped by the default function
    lf_host host;            ///< hooks of the caller
    const lf_grid *grid;     ///< a grid to store, or NULL
    const lf_mesh *mesh;     ///< without removed polygons: see lf_mesh_compact
    const lf_group *group;   ///< of grids, meshes, models (they become meshes) and boxes
    const lf_model *model;   ///< the model
    const char *crs;         ///< WKT2 of x, y and heights, or NULL
    const char *parameters;  ///< one line that describes how it was made, or NULL
    double xy_unit;          ///< metres per unit of x and y in the source; 1 by default. Information only
    double z_unit;           ///< likewise of its heights
    bool point;              ///< the pixels of the source were points. Information only
    bool degrees;            ///< x and y are longitude and latitude
    lf_ellipsoid ellipsoid;  ///< of these; WGS84 by default
    const lf_globe *globe;   ///< all tiles of its provider are written, with the ellipsoid of the globe
    const lf_pixels *pixels; ///< of a grid: the pixels that its samples came from, or NULL. Information only
} lf_store_def;

static inline lf_store_def lf_store_def_default(void) {
    lf_store_def def = {sizeof(lf_store_def),
                        {NULL, NULL, NULL, NULL},
                        NULL,
                        NULL,
                        NULL,
                        NULL,
                        NULL,
                        NULL,
                        1,
                        1,
                        false,
                        false,
                        {6378137.0, 1 / 298.257223563},
                        NULL,
                        NULL};
    return def;
}

/// Write a file. It is written beside its target and renamed at the end: whatever happens, the target is the old file or the
/// complete new one.
/// path   of the target
/// def    exactly one of grid, mesh, group, model and globe; texts without control characters
/// error  optional; names the path and what failed
/// Errors: LF_BAD_ARGUMENT, LF_UNSUPPORTED (a machine that is not little-endian), LF_NO_MEMORY, LF_IO_FAILED, LF_CANCELLED.
/// Allocates a row of samples, or the polygons of a mesh. Threads: any; no other thread may edit the object.
LF_API lf_status lf_store_write(const char *path, const lf_store_def *def, lf_error *error);

/// An open file and its contents.
typedef struct lf_store lf_store;

/// Description of a file. Texts are valid until the file is closed.
typedef struct lf_store_info {
    lf_store_kind kind;     ///< which kind
    int major, minor;       ///< version of the format
    uint64_t bytes;         ///< of the file
    uint64_t hash;          ///< of the content: equal for equal ground
    const char *producer;   ///< such as "landfall 0.1.0"
    const char *parameters; ///< "" when there are none
    const char *crs;        ///< NULL when there is none
    double xy_unit, z_unit; ///< metres per unit of x and y, and of heights
    bool point, degrees;    ///< do pixels stand for points? is the CRS in degrees?
    lf_ellipsoid ellipsoid; ///< the reference ellipsoid
    const lf_grid *
        terrain; ///< of a group: the first grid in its own place, whose samples are targets of viewsheds; or NULL
} lf_store_info;

/// Open a file: map it and check header, table and sizes. Grids and meshes are queried in place, so that this takes about a
/// millisecond for any size; models, and meshes that were written after an edit, with a quadtree or by an older version, are
/// rebuilt from their polygons, meshes always with the nested grid (see lf_mesh_index). Small sections are compared with
/// their checksums now; blocks of grids and meshes and tiles of globes when a query first needs them.
/// After a mismatch every query of that ground returns LF_BAD_FORMAT: no damaged byte is part of a result. Files of format
/// 1.0 have no such checksums and are compared as a whole here. If the file is truncated while it is open, a query beyond
/// its new end raises SIGBUS.
/// check  read everything and compare checksums too
/// store  written only on success; close it with lf_store_close
/// error  optional; names the path and what is wrong
/// Errors: LF_IO_FAILED, LF_BAD_FORMAT, LF_UNSUPPORTED (a newer format, or a required section that is unknown),
/// LF_NO_MEMORY, and those of lf_mesh_create and lf_model_create. Threads: any.
LF_API lf_status lf_store_open(const char *path, const lf_host *host, bool check, lf_store **store,
                               lf_error *error);

/// Close a file with its grids, grounds and models; NULL is accepted. Threads: no other thread may use it.
LF_API void lf_store_close(lf_store *store);

/// Describe a file. Allocates nothing. Threads: any number at once.
LF_API lf_store_info lf_store_describe(const lf_store *store);

/// The contents of a file, NULL if it is of another kind. Grids cannot be edited. The ground is that of a grid, mesh, group
/// or globe.
/// Allocates nothing. Threads: any number at once.
LF_API const lf_grid *lf_store_grid(const lf_store *store);
LF_API const lf_mesh *lf_store_mesh(const lf_store *store);
LF_API const lf_group *lf_store_group(const lf_store *store);
LF_API const lf_model *lf_store_model(const lf_store *store);
LF_API const lf_ground *lf_store_ground(const lf_store *store);

/// The globe of a file; NULL if it is of another kind. At first only its roots are loaded. Loading changes it: threads as
/// with any globe. Allocates nothing.
LF_API lf_globe *lf_store_globe(const lf_store *store);

/// The pixels that the samples of a grid came from. False without that information: pixels are then those of a raster with
/// north up. False, with nothing written, if the file has no grid. Allocates nothing. Threads: any number at once.
LF_API bool lf_store_pixels(const lf_store *store, lf_pixels *pixels);

/// The number of voids of a grid, or of all tiles of a globe; 0 for meshes, groups and models; -1 for a globe without that
/// information (of an old version, or damaged). Allocates nothing. Threads: any number at once.
LF_API int64_t lf_store_voids(const lf_store *store);

/// The polygons of a mesh or a model, in the mapped file; none (a count of 0) for other kinds, and where they are damaged. The
/// first call reads and checks all of a mesh. Allocates nothing. Threads: any number at once.
LF_API lf_polygons lf_store_polygons(const lf_store *store);

#ifdef __cplusplus
}
#endif


#endif
/*
MIT License

Copyright (c) 2026 the landfall authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
