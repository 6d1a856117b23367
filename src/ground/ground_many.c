/// Many questions at once: check them all, then share them out.
#include "ground/ground.h"

/// Questions per share of a parallel loop: enough to outweigh the handing out.
#define SHARE 256

/// Questions and answers, each so many bytes apart.
typedef struct batch {
    const lf_ground *ground;
    const char *questions;
    size_t question_stride;
    char *answers;
    size_t answer_stride;
    bool down;
} batch;

static const void *question_at(const batch *b, int64_t i) {
    return b->questions + (size_t)i * b->question_stride;
}

static void *answer_at(const batch *b, int64_t i) {
    return b->answers + (size_t)i * b->answer_stride;
}

static void height_share(void *job, int64_t first, int64_t last, int worker) {
    const batch *b = job;
    const lf__ground_kind_of *kind = b->ground->kind;
    (void)worker;
    if (kind->height_many) {
        kind->height_many(b->ground->thing, question_at(b, first), b->question_stride, last - first, b->down,
                          answer_at(b, first), b->answer_stride);
        return;
    }
    for (int64_t i = first; i < last; i++)
        kind->height(b->ground->thing, question_at(b, i), b->down, answer_at(b, i), NULL);
}

double lf__hit_height(const lf_frame *frame, const lf_hit *hit) {
    if (hit->kind == LF_HIT_NONE)
        return (double)NAN;
    return lf__frame_is_plain(frame) ? hit->point.z : lf_frame_to_local(frame, hit->point).z;
}

static void lean_share(void *job, int64_t first, int64_t last, int worker) {
    const batch *b = job;
    const lf__ground_kind_of *kind = b->ground->kind;
    (void)worker;
    if (kind->heights_many) {
        kind->heights_many(b->ground->thing, question_at(b, first), b->question_stride, last - first, b->down,
                           answer_at(b, first), b->answer_stride);
        return;
    }
    const lf_frame *frame = kind->frame(b->ground->thing);
    for (int64_t i = first; i < last; i++) {
        lf_hit hit;
        kind->height(b->ground->thing, question_at(b, i), b->down, &hit, NULL);
        *(double *)answer_at(b, i) = lf__hit_height(frame, &hit);
    }
}

static void ray_share(void *job, int64_t first, int64_t last, int worker) {
    const batch *b = job;
    const lf__ground_kind_of *kind = b->ground->kind;
    (void)worker;
    if (kind->ray_first_many) {
        kind->ray_first_many(b->ground->thing, question_at(b, first), b->question_stride, last - first,
                             answer_at(b, first), b->answer_stride);
        return;
    }
    for (int64_t i = first; i < last; i++)
        kind->ray_first(b->ground->thing, question_at(b, i), answer_at(b, i), NULL);
}

/// May all points be asked? Most are plainly near, and that is seen without a branch.
static bool points_valid(const batch *b, int64_t count) {
    bool near = true;
    for (int64_t i = 0; i < count; i++) {
        const lf_vec3 *p = question_at(b, i);
        near &= (fabs(p->x) <= LF__FARTHEST) & (fabs(p->y) <= LF__FARTHEST) & (fabs(p->z) <= LF__FARTHEST);
    }
    for (int64_t i = 0; !near && i < count; i++)
        if (!lf__ground_point_valid(b->ground, *(const lf_vec3 *)question_at(b, i), b->down))
            return false;
    return true;
}

static lf_status ask_points(const batch *b, int64_t count, lf_vertical look, lf_task *share,
                            const lf_tasks *tasks) {
    if (!b->ground || count < 0 || (count > 0 && (!b->questions || !b->answers)) ||
        (look != LF_VERTICAL_DOWN && look != LF_VERTICAL_UP) || !points_valid(b, count))
        return LF_BAD_ARGUMENT;
    lf__run(tasks, count, SHARE, share, (void *)b);
    return lf__ground_told(b->ground, LF_OK);
}

lf_status lf_ground_height_many(const lf_ground *ground, const lf_vec3 *points, size_t point_stride,
                                int64_t count, lf_vertical look, lf_hit *hits, size_t hit_stride,
                                const lf_tasks *tasks) {
    batch b = {ground,
               (const char *)points,
               point_stride ? point_stride : sizeof *points,
               (char *)hits,
               hit_stride ? hit_stride : sizeof *hits,
               look == LF_VERTICAL_DOWN};
    return ask_points(&b, count, look, height_share, tasks);
}

lf_status lf_ground_heights_many(const lf_ground *ground, const lf_vec3 *points, size_t point_stride,
                                 int64_t count, lf_vertical look, double *heights, size_t height_stride,
                                 const lf_tasks *tasks) {
    batch b = {ground,
               (const char *)points,
               point_stride ? point_stride : sizeof *points,
               (char *)heights,
               height_stride ? height_stride : sizeof *heights,
               look == LF_VERTICAL_DOWN};
    return ask_points(&b, count, look, lean_share, tasks);
}

lf_status lf_ground_ray_first_many(const lf_ground *ground, const lf_ray *rays, size_t ray_stride,
                                   int64_t count, lf_hit *hits, size_t hit_stride, const lf_tasks *tasks) {
    if (!ground || count < 0 || (count > 0 && (!rays || !hits)))
        return LF_BAD_ARGUMENT;
    batch b = {ground,
               (const char *)rays,
               ray_stride ? ray_stride : sizeof *rays,
               (char *)hits,
               hit_stride ? hit_stride : sizeof *hits,
               false};
    for (int64_t i = 0; i < count; i++)
        if (!lf__ray_valid(question_at(&b, i)))
            return LF_BAD_ARGUMENT;
    lf__run(tasks, count, SHARE, ray_share, &b);
    return lf__ground_told(ground, LF_OK);
}
