/// A compressed grid as ground: every question is asked of a view of it, which has a place for decoded tiles.
#include "grid/packed.h"
#include "grid/grid_ground.h"

typedef struct asking {
    const lf_grid *grid, *view;
    lf_cursor *cursor;
    lf__grid_room room;
} asking;

static const void *begin(asking *a, const void *thing, lf_cursor *cursor) {
    a->grid = thing;
    a->cursor = cursor;
    a->view = lf__grid_open(thing, cursor, &a->room);
    return a->view;
}

static void end(asking *a) {
    lf__grid_close(a->grid, a->view, a->cursor);
}

static lf_box box(const void *thing) {
    return lf__grid_kind.box(thing);
}

static const lf_frame *frame(const void *thing) {
    return lf__grid_kind.frame(thing);
}

static bool takes_infinity(const void *thing) {
    return lf__grid_kind.takes_infinity(thing);
}

/// A cursor may come back to the same tiles; without one no more is decoded than the one cell needs.
static void height(const void *thing, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor) {
    asking a;
    if (cursor) {
        lf__grid_kind.height(begin(&a, thing, cursor), point, down, hit, cursor);
        end(&a);
    } else if (!lf__packed_ask_inside(thing, point, down, hit)) {
        lf__grid_kind.height(lf__grid_open_single(thing, &a.room), point, down, hit, NULL);
    }
}

static void heights_many(const void *thing, const lf_vec3 *points, size_t point_stride, int64_t count,
                         bool down, double *heights, size_t height_stride) {
    lf__heights_batch batch = {points, point_stride, count, down, heights, height_stride};
    lf__packed_heights_many(thing, &batch);
}

static int64_t height_all(const void *thing, lf_vec3 point, lf_hit *hits, int64_t capacity,
                          lf_cursor *cursor) {
    asking a;
    int64_t count = lf__grid_kind.height_all(begin(&a, thing, cursor), point, hits, capacity, cursor);
    end(&a);
    return count;
}

static bool weights(const void *thing, lf_hit *hit) {
    asking a;
    bool there = lf__grid_kind.weights(begin(&a, thing, NULL), hit);
    end(&a);
    return there;
}

static void ray_first(const void *thing, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    asking a;
    lf__grid_kind.ray_first(begin(&a, thing, cursor), ray, hit, cursor);
    end(&a);
}

static void ray_first_many(const void *thing, const lf_ray *rays, size_t ray_stride, int64_t count,
                           lf_hit *hits, size_t hit_stride) {
    asking a;
    lf__grid_kind.ray_first_many(begin(&a, thing, NULL), rays, ray_stride, count, hits, hit_stride);
    end(&a);
}

static bool ray_any(const void *thing, const lf_ray *ray, lf_cursor *cursor) {
    asking a;
    bool any = lf__grid_kind.ray_any(begin(&a, thing, cursor), ray, cursor);
    end(&a);
    return any;
}

static int64_t ray_all(const void *thing, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                       lf_cursor *cursor) {
    asking a;
    int64_t count = lf__grid_kind.ray_all(begin(&a, thing, cursor), ray, hits, capacity, cursor);
    end(&a);
    return count;
}

static bool line_first(const void *thing, const lf_ray *line, lf_hit *hit, lf_cursor *cursor) {
    asking a;
    bool any = lf__grid_kind.line_first(begin(&a, thing, cursor), line, hit, cursor);
    end(&a);
    return any;
}

static void each(const void *thing, const lf_ray *ray, lf__each how, const lf__finder *finder,
                 lf_cursor *cursor) {
    asking a;
    lf__grid_kind.each(begin(&a, thing, cursor), ray, how, finder, cursor);
    end(&a);
}

static void cuts(const void *thing, const lf__track *track, lf__cuts *wanted, lf_cursor *cursor) {
    asking a;
    lf__grid_kind.cuts(begin(&a, thing, cursor), track, wanted, cursor);
    end(&a);
}

static double bend(const void *thing, const lf_hit *hit, const lf__track *track) {
    asking a;
    double bends = lf__grid_kind.bend(begin(&a, thing, NULL), hit, track);
    end(&a);
    return bends;
}

static void spread(const void *thing, const lf_pose *pose, lf__cone *cone) {
    asking a;
    lf__grid_kind.spread(begin(&a, thing, NULL), pose, cone);
    end(&a);
}

const lf__ground_kind_of lf__packed_kind = {
    .kind = LF_GROUND_GRID,
    .box = box,
    .frame = frame,
    .takes_infinity = takes_infinity,
    .height = height,
    .height_all = height_all,
    .weights = weights,
    .ray_first = ray_first,
    .heights_many = heights_many,
    .ray_first_many = ray_first_many,
    .ray_any = ray_any,
    .ray_all = ray_all,
    .line_first = line_first,
    .each = each,
    .cuts = cuts,
    .bend = bend,
    .spread = spread,
    .touches = lf__grid_touches,
    .depth = lf__grid_depth,
    .faces = lf__grid_faces,
    .spacing = lf__grid_spacing,
    .least = lf__grid_least,
    .grid = lf__grid_of_ground,
};
