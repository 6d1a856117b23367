/// Queries of any ground: check the arguments, then call the function table.
#include "ground/ground.h"
#include <stdatomic.h>

lf_frame lf_ground_frame(const lf_ground *ground) {
    return *ground->kind->frame(ground->object);
}

lf_box lf_ground_box(const lf_ground *ground) {
    return ground->kind->box(ground->object);
}

bool lf__ground_point_valid(const lf_ground *ground, lf_vec3 point, bool down) {
    if (!(fabs(point.x) <= LF__FARTHEST && fabs(point.y) <= LF__FARTHEST))
        return false;
    return fabs(point.z) <= LF__FARTHEST ||
           (point.z == LF_INFINITY && down && ground->kind->takes_infinity(ground->object));
}

static bool ground_direction_valid(lf_vertical vertical) {
    return vertical == LF_VERTICAL_DOWN || vertical == LF_VERTICAL_UP;
}

__attribute__((noinline)) lf_status lf__ground_height_checked(const lf_ground *ground, const lf_vec3 *point,
                                                              bool down, lf_hit *hit, lf_cursor *cursor) {
    if (!lf__ground_point_valid(ground, *point, down))
        return lf__hit_refused(hit);
    ground->kind->height(ground->object, point, down, hit, cursor);
    return lf__ground_status(ground, LF_OK);
}

/// Apart, because only a function that takes no address of its arguments can hand them on as they lie.
static __attribute__((noinline)) lf_status height_otherwise(const lf_ground *ground, lf_vec3 point,
                                                            lf_vertical vertical, lf_hit *hit,
                                                            lf_cursor *cursor) {
    return lf__ground_height_checked(ground, &point, vertical == LF_VERTICAL_DOWN, hit, cursor);
}

lf_status lf_ground_height(const lf_ground *ground, lf_vec3 point, lf_vertical vertical, lf_hit *hit,
                           lf_cursor *cursor) {
    if (__builtin_expect(!ground || !hit || !ground_direction_valid(vertical), 0))
        return lf__hit_refused(hit);
    if (__builtin_expect(!cursor && ground->ask, 1))
        return ground->ask(ground->object, point, vertical, hit);
    return height_otherwise(ground, point, vertical, hit, cursor);
}

lf_status lf_ground_weights(const lf_ground *ground, lf_hit *hit) {
    if (!ground || !hit || hit->kind == LF_HIT_NONE || !lf_vec3_finite(hit->point))
        return LF_BAD_ARGUMENT;
    return lf__ground_status(ground, ground->kind->weights(ground->object, hit) ? LF_OK : LF_BAD_ARGUMENT);
}

lf_status lf_ground_height_all(const lf_ground *ground, lf_vec3 point, lf_hit *hits, int64_t capacity,
                               int64_t *count, lf_cursor *cursor) {
    if (count)
        *count = 0;
    if (!ground || !count || capacity < 0 || (capacity > 0 && !hits) ||
        !lf__ground_point_valid(ground, point, true))
        return LF_BAD_ARGUMENT;
    *count = ground->kind->height_all(ground->object, point, hits, capacity, cursor);
    return lf__ground_status(ground, *count > capacity ? LF_PARTIAL : LF_OK);
}

lf_status lf_ground_ray_first(const lf_ground *ground, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    if (!ground || !hit || !lf__ray_valid(ray))
        return lf__hit_refused(hit);
    ground->kind->ray_first(ground->object, ray, hit, cursor);
    return lf__ground_status(ground, LF_OK);
}

lf_status lf_ground_ray_any(const lf_ground *ground, const lf_ray *ray, bool *blocked, lf_cursor *cursor) {
    if (blocked)
        *blocked = false;
    if (!ground || !blocked || !lf__ray_valid(ray))
        return LF_BAD_ARGUMENT;
    *blocked = ground->kind->ray_any(ground->object, ray, cursor);
    return lf__ground_status(ground, LF_OK);
}

lf_status lf_ground_ray_all(const lf_ground *ground, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                            int64_t *count, lf_cursor *cursor) {
    if (count)
        *count = 0;
    if (!ground || !count || capacity < 0 || (capacity > 0 && !hits) || !lf__ray_valid(ray))
        return LF_BAD_ARGUMENT;
    *count = ground->kind->ray_all(ground->object, ray, hits, capacity, cursor);
    return lf__ground_status(ground, *count > capacity ? LF_PARTIAL : LF_OK);
}

// ---------------------------------------------------------------------------------------------------
// Many queries at once
// ---------------------------------------------------------------------------------------------------

/// Queries per task: enough to outweigh the cost of scheduling.
#define GROUND_SHARE 256

/// Queries and results, each with a stride in bytes.
typedef struct ground_batch {
    const lf_ground *ground;
    const char *questions;
    size_t question_stride;
    char *answers;
    size_t answer_stride;
    bool down;
    atomic_bool refused; ///< a question is not valid
} ground_batch;

static const void *batch_query(const ground_batch *b, int64_t i) {
    return b->questions + (size_t)i * b->question_stride;
}

static void *batch_result(const ground_batch *b, int64_t i) {
    return b->answers + (size_t)i * b->answer_stride;
}

static void batch_hits(void *job, int64_t first, int64_t last, int worker) {
    const ground_batch *b = job;
    const lf__ground_kind_of *kind = b->ground->kind;
    (void)worker;
    if (kind->height_many) {
        kind->height_many(b->ground->object, batch_query(b, first), b->question_stride, last - first, b->down,
                          batch_result(b, first), b->answer_stride);
        return;
    }
    for (int64_t i = first; i < last; i++)
        kind->height(b->ground->object, batch_query(b, i), b->down, batch_result(b, i), NULL);
}

double lf__hit_height(const lf_frame *frame, const lf_hit *hit) {
    if (hit->kind == LF_HIT_NONE)
        return (double)NAN;
    return lf__frame_is_down_z(frame) ? hit->point.z : lf_frame_to_local(frame, hit->point).z;
}

static void batch_heights(void *job, int64_t first, int64_t last, int worker) {
    const ground_batch *b = job;
    const lf__ground_kind_of *kind = b->ground->kind;
    (void)worker;
    if (kind->heights_many) {
        kind->heights_many(b->ground->object, batch_query(b, first), b->question_stride, last - first,
                           b->down, batch_result(b, first), b->answer_stride);
        return;
    }
    const lf_frame *frame = kind->frame(b->ground->object);
    for (int64_t i = first; i < last; i++) {
        lf_hit hit;
        kind->height(b->ground->object, batch_query(b, i), b->down, &hit, NULL);
        *(double *)batch_result(b, i) = lf__hit_height(frame, &hit);
    }
}

static void batch_rays(void *job, int64_t first, int64_t last, int worker) {
    const ground_batch *b = job;
    const lf__ground_kind_of *kind = b->ground->kind;
    (void)worker;
    if (kind->ray_first_many) {
        kind->ray_first_many(b->ground->object, batch_query(b, first), b->question_stride, last - first,
                             batch_result(b, first), b->answer_stride);
        return;
    }
    for (int64_t i = first; i < last; i++)
        kind->ray_first(b->ground->object, batch_query(b, i), batch_result(b, i), NULL);
}

/// Questions per task of checking them, which takes about a nanosecond for each.
#define GROUND_CHECKED 16384

/// Are all points of a share valid? Most are in the usual range, which is tested without branches.
static void batch_check_points(void *job, int64_t first, int64_t last, int worker) {
    ground_batch *b = job;
    bool near = true;
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        const lf_vec3 *p = batch_query(b, i);
        near &= (fabs(p->x) <= LF__FARTHEST) & (fabs(p->y) <= LF__FARTHEST) & (fabs(p->z) <= LF__FARTHEST);
    }
    for (int64_t i = first; !near && i < last; i++)
        if (!lf__ground_point_valid(b->ground, *(const lf_vec3 *)batch_query(b, i), b->down)) {
            atomic_store_explicit(&b->refused, true, memory_order_relaxed);
            return;
        }
}

/// Rays are read from memory once, so far ahead, in bytes.
#define GROUND_AHEAD 1024

/// The same of rays.
static void batch_check_rays(void *job, int64_t first, int64_t last, int worker) {
    ground_batch *b = job;
    bool usual = true;
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        const lf_ray *ray = batch_query(b, i);
        const lf_vec3 *o = &ray->origin, *d = &ray->direction;
        __builtin_prefetch((const char *)ray + GROUND_AHEAD);
        usual &= (fabs(o->x) <= LF__FARTHEST) & (fabs(o->y) <= LF__FARTHEST) & (fabs(o->z) <= LF__FARTHEST) &
                 (fabs(d->x) <= DBL_MAX) & (fabs(d->y) <= DBL_MAX) & (fabs(d->z) <= DBL_MAX) &
                 ((d->x != 0) | (d->y != 0) | (d->z != 0)) & (ray->t_min >= 0) & (ray->t_min <= DBL_MAX) &
                 (ray->t_min <= ray->t_max);
    }
    for (int64_t i = first; !usual && i < last; i++)
        if (!lf__ray_valid(batch_query(b, i))) {
            atomic_store_explicit(&b->refused, true, memory_order_relaxed);
            return;
        }
}

/// Nothing is written unless all questions are valid, so all are checked before the first is answered.
static bool batch_valid(ground_batch *b, int64_t count, lf_task *check, const lf_tasks *tasks) {
    lf__run(tasks, count, GROUND_CHECKED, check, b);
    return !atomic_load_explicit(&b->refused, memory_order_relaxed);
}

static lf_status batch_run_points(ground_batch *b, int64_t count, lf_vertical vertical, lf_task *share,
                                  const lf_tasks *tasks) {
    b->down = vertical == LF_VERTICAL_DOWN;
    if (!b->ground || count < 0 || (count > 0 && (!b->questions || !b->answers)) ||
        b->answer_stride == LF_STRIDE_SAME || !ground_direction_valid(vertical) ||
        !batch_valid(b, count, batch_check_points, tasks))
        return LF_BAD_ARGUMENT;
    lf__run(tasks, count, GROUND_SHARE, share, b);
    return lf__ground_status(b->ground, LF_OK);
}

static ground_batch batch_of(const lf_ground *ground, const void *questions, size_t question_stride,
                             void *answers, size_t answer_stride) {
    return (ground_batch){.ground = ground,
                          .questions = questions,
                          .question_stride = question_stride,
                          .answers = answers,
                          .answer_stride = answer_stride};
}

lf_status lf_ground_height_many(const lf_ground *ground, const lf_vec3 *points, size_t point_stride,
                                int64_t count, lf_vertical vertical, lf_hit *hits, size_t hit_stride,
                                const lf_tasks *tasks) {
    ground_batch b = batch_of(ground, points, lf__stride(point_stride, sizeof *points), hits,
                              hit_stride ? hit_stride : sizeof *hits);
    return batch_run_points(&b, count, vertical, batch_hits, tasks);
}

lf_status lf_ground_heights_many(const lf_ground *ground, const lf_vec3 *points, size_t point_stride,
                                 int64_t count, lf_vertical vertical, double *heights, size_t height_stride,
                                 const lf_tasks *tasks) {
    ground_batch b = batch_of(ground, points, lf__stride(point_stride, sizeof *points), heights,
                              height_stride ? height_stride : sizeof *heights);
    return batch_run_points(&b, count, vertical, batch_heights, tasks);
}

lf_status lf_ground_ray_first_many(const lf_ground *ground, const lf_ray *rays, size_t ray_stride,
                                   int64_t count, lf_hit *hits, size_t hit_stride, const lf_tasks *tasks) {
    if (!ground || count < 0 || (count > 0 && (!rays || !hits)) || hit_stride == LF_STRIDE_SAME)
        return LF_BAD_ARGUMENT;
    ground_batch b = batch_of(ground, rays, lf__stride(ray_stride, sizeof *rays), hits,
                              hit_stride ? hit_stride : sizeof *hits);
    if (!batch_valid(&b, count, batch_check_rays, tasks))
        return LF_BAD_ARGUMENT;
    lf__run(tasks, count, GROUND_SHARE, batch_rays, &b);
    return lf__ground_status(ground, LF_OK);
}

// ---------------------------------------------------------------------------------------------------
// Ground strictly beyond a point
// ---------------------------------------------------------------------------------------------------

typedef struct beyond_nearest {
    lf_hit *hit;
    bool any;
} beyond_nearest;

static bool beyond_comes_before(const lf_hit *a, const lf_hit *b) {
    if (a->t != b->t)
        return a->t < b->t;
    return a->part != b->part ? a->part < b->part : a->element < b->element;
}

static void beyond_keep_nearest(void *user, const lf_hit *hit) {
    beyond_nearest *n = user;
    if (hit->t > 0 && (!n->any || beyond_comes_before(hit, n->hit))) {
        *n->hit = *hit;
        n->any = true;
    }
}

bool lf__ground_beyond(const lf_ground *ground, lf_vec3 point, bool down, lf_hit *hit, lf_cursor *cursor) {
    lf_frame frame = lf_ground_frame(ground);
    lf_ray ray;
    double length;
    *hit = lf__hit_none(LF_INFINITY, LF_REASON_NONE);
    if (!lf__gravity_ray(&frame, point, down, &ray, &length))
        return false;
    beyond_nearest n = {hit, false};
    lf__finder finder = {beyond_keep_nearest, &n};
    ground->kind->each(ground->object, &ray, LF__EACH_LINE, &finder, cursor);
    if (n.any)
        hit->t *= length;
    return n.any;
}

// ---------------------------------------------------------------------------------------------------
// Cones of directions
// ---------------------------------------------------------------------------------------------------

lf__cone lf__cone_start(lf_vec3 apex, lf_vec3 along) {
    return (lf__cone){.apex = apex, .along = along, .empty = true};
}

/// Seen from above, does q lie to the left (+1) or right (-1) of the line from the apex through p; 0: on it.
static int cone_side(const lf__cone *cone, lf_vec3 p, lf_vec3 q) {
    return -lf_orient_line(cone->apex, cone->along, p, q);
}

/// Are p and q, on one line with the apex, on different sides of it?
static bool cone_opposite(const lf__cone *cone, lf_vec3 p, lf_vec3 q) {
    lf_vec3 a = lf_vec3_sub(p, cone->apex), b = lf_vec3_sub(q, cone->apex), d = cone->along;
    double dd = lf_vec3_dot(d, d);
    a = lf_vec3_along(a, -lf_vec3_dot(a, d) / dd, d);
    b = lf_vec3_along(b, -lf_vec3_dot(b, d) / dd, d);
    return !(lf_vec3_dot(a, b) > 0);
}

/// Would adding this point change nothing?
static bool cone_holds(const lf__cone *cone, lf_vec3 p) {
    if (cone->whole)
        return true;
    if (cone->empty)
        return false;
    // The cone is narrower than half a turn: between its borders is left of the right one and right of the
    // left one.
    int right = cone_side(cone, cone->right, p), left = cone_side(cone, cone->left, p);
    if (right < 0 || left > 0)
        return false;
    if (right == 0 && left == 0)
        return !cone_opposite(cone, cone->right, p);
    return true;
}

/// Does the line of gravity through p go through the apex?
static bool at_apex(const lf__cone *cone, lf_vec3 p) {
    lf_vec3 from = lf_vec3_sub(p, cone->apex);
    lf_vec3 turn = lf_vec3_cross(from, cone->along);
    return turn.x == 0 && turn.y == 0 && turn.z == 0;
}

void lf__cone_add(lf__cone *cone, lf_vec3 p) {
    if (cone->whole)
        return;
    if (at_apex(cone, p)) {
        cone->whole = true;
        return;
    }
    if (cone->empty) {
        cone->left = cone->right = p;
        cone->empty = false;
        return;
    }
    if (cone_holds(cone, p))
        return;
    // Opposite to something in the cone, or reaching around to it: the apex lies between points.
    int right = cone_side(cone, cone->right, p), left = cone_side(cone, cone->left, p);
    if (right >= 0 && left > 0)
        cone->whole = right == 0 && cone_opposite(cone, cone->right, p);
    else if (right < 0 && left <= 0)
        cone->whole = left == 0 && cone_opposite(cone, cone->left, p);
    else
        cone->whole = true; // right of the right border and left of the left one: behind
    if (cone->whole)
        return;
    if (left > 0)
        cone->left = p;
    else
        cone->right = p;
}

bool lf__spreading_enters(void *user, const lf_box *box) {
    const lf__spreading *s = user;
    for (int i = 0; i < 8; i++) {
        lf_vec3 corner = {i & 1 ? box->low.x : box->high.x, i & 2 ? box->low.y : box->high.y,
                          i & 4 ? box->low.z : box->high.z};
        if (!cone_holds(s->cone, lf_pose_to_world(s->pose, corner)))
            return true;
    }
    return false;
}
