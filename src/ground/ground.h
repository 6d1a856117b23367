/// The one face over every kind of ground, from the inside.
#ifndef LF_GROUND_GROUND_H
#define LF_GROUND_GROUND_H

#include "query/query.h"
#include "ground/cone.h"
#include "ground/track.h"
#include <landfall/ground.h>

/// How `each` asks.
typedef enum lf__each {
    LF__EACH_RAY,        ///< as rays do
    LF__EACH_LINE,       ///< as gravity lines do: never edge-on
    LF__EACH_LINE_SIDES, ///< likewise, and one-sided elements from behind too
} lf__each;

/// A straight segment that ground may block, with what is needed of the answer.
typedef struct lf__segment {
    lf_vec3 ends[2];
    bool joint[2]; ///< this end lies within a longer line: ground that touches it blocks too
    bool any;      ///< any blocked place will do
    bool last;     ///< search from ends[1], and find the blocked place nearest to it
} lf__segment;

/// What a kind of ground can do. Arguments have been checked.
typedef struct lf__ground_kind_of {
    lf_ground_kind kind;
    lf_box (*box)(const void *thing);
    const lf_frame *(*frame)(const void *thing);
    bool (*takes_infinity)(const void *thing); ///< is down -z, so that "above everything" is a place?
    void (*height)(const void *thing, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor);
    /// A height without a cursor, the check of the point included (lf__ground_ask); or NULL.
    lf_status (*ask)(const void *thing, const lf_vec3 *point, bool down, lf_hit *hit);
    /// Many heights at once, as hits or as bare numbers (lf__hit_height): the same bits as one by one. NULL where there is
    /// nothing to gain.
    void (*height_many)(const void *thing, const lf_vec3 *points, size_t point_stride, int64_t count,
                        bool down, lf_hit *hits, size_t hit_stride);
    void (*heights_many)(const void *thing, const lf_vec3 *points, size_t point_stride, int64_t count,
                         bool down, double *heights, size_t height_stride);
    int64_t (*height_all)(const void *thing, lf_vec3 point, lf_hit *hits, int64_t capacity,
                          lf_cursor *cursor);
    bool (*weights)(const void *thing, lf_hit *hit);
    void (*ray_first)(const void *thing, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor);
    /// Many rays at once: the same bits as one by one. NULL where there is nothing to gain.
    void (*ray_first_many)(const void *thing, const lf_ray *rays, size_t ray_stride, int64_t count,
                           lf_hit *hits, size_t hit_stride);
    bool (*ray_any)(const void *thing, const lf_ray *ray, lf_cursor *cursor);
    int64_t (*ray_all)(const void *thing, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                       lf_cursor *cursor);

    // What walks, locales and groups are made of. These rays may have a t_min below 0, and -INFINITY.

    /// First element a gravity line meets: as ray_first, but never edge-on. false on a miss.
    bool (*line_first)(const void *thing, const lf_ray *line, lf_hit *hit, lf_cursor *cursor);
    /// Every element a ray meets, in no particular order; t counts in lengths of its direction.
    void (*each)(const void *thing, const lf_ray *ray, lf__each how, const lf__finder *finder,
                 lf_cursor *cursor);
    /// The corners of the triangle that a hit is on, from which its exact t can be found. NULL where a hit's t is all there is.
    void (*corners)(const void *thing, const lf_hit *hit, lf_vec3 corners[3]);
    /// Where the outlines of elements cross a track. Elements are flat between them, but for their bend.
    void (*cuts)(const void *thing, const lf__track *track, lf__cuts *cuts, lf_cursor *cursor);
    /// How an element that a track's line has met bends along the track: half the second derivative of its height, in metres
    /// along the line. NULL where everything is flat.
    double (*bend)(const void *thing, const lf_hit *hit, const lf__track *track);
    /// Everything there is, posed, into a cone.
    void (*spread)(const void *thing, const lf_pose *pose, lf__cone *cone);

    // What lines of sight, models and files need of one representation. NULL where a kind does not have it.

    /// The grid itself: lines over it are decided square by square.
    const struct lf_grid *(*grid)(const void *thing);
    /// The mesh itself.
    const struct lf_mesh *(*mesh)(const void *thing);
    /// The parts that it is made of, each a ground with a pose.
    const struct lf__group_part *(*parts)(const void *thing, int64_t *count);
    /// Does ground block a segment strictly between its ends? t: where, counted from ends[0] and from ends[1].
    bool (*segment)(const void *thing, const lf__segment *segment, double t[2], lf_cursor *cursor);

    /// Was the file that it lies in found damaged? Then nothing is told of it. NULL where there is no such file.
    bool (*damaged)(const void *thing);
} lf__ground_kind_of;

/// Part of every object that is a ground.
struct lf_ground {
    const lf__ground_kind_of *kind;
    const void *thing; ///< the object
    const lf_allocator *allocator; ///< its own
};

/// A status, or LF_BAD_FORMAT where the ground's file was found damaged: what every question ends with.
static inline lf_status lf__ground_told(const lf_ground *ground, lf_status status) {
    return status >= 0 && ground->kind->damaged && ground->kind->damaged(ground->thing) ? LF_BAD_FORMAT
                                                                                        : status;
}

/// The grid or mesh that a ground is; NULL for other kinds.
static inline const struct lf_grid *lf__ground_grid(const lf_ground *ground) {
    return ground->kind->grid ? ground->kind->grid(ground->thing) : NULL;
}

static inline const struct lf_mesh *lf__ground_mesh(const lf_ground *ground) {
    return ground->kind->mesh ? ground->kind->mesh(ground->thing) : NULL;
}

/// The parts of a group; NULL for other kinds.
static inline const struct lf__group_part *lf__ground_parts(const lf_ground *ground, int64_t *count) {
    return ground->kind->parts ? ground->kind->parts(ground->thing, count) : NULL;
}

/// Farther away than this nothing can be told from rounding.
#define LF__FARTHEST 1e30

/// The height of a hit in its ground's frame; NAN for a miss.
double lf__hit_height(const lf_frame *frame, const lf_hit *hit);

/// A height by the whole way: check the point, then ask.
lf_status lf__ground_ask(const lf_ground *ground, const lf_vec3 *point, bool down, lf_hit *hit,
                         lf_cursor *cursor);

/// May this point be asked for its height?
bool lf__ground_point_valid(const lf_ground *ground, lf_vec3 point, bool down);

/// Is there ground strictly below (above) a finite point? As height, but what is at the point itself does not count.
bool lf__ground_beyond(const lf_ground *ground, lf_vec3 point, bool down, lf_hit *hit, lf_cursor *cursor);

/// Is down -z, so that "above everything" is a place?
static inline bool lf__frame_is_plain(const lf_frame *frame) {
    return frame->kind == LF_FRAME_GRAVITY && frame->down.x == 0 && frame->down.y == 0 && frame->down.z < 0;
}

#endif
