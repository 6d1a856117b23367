/// Grids as ground: one table of functions for uncompressed grids in memory, one for grids that are
/// compressed or come from a file.
///
/// Functions of the first table read the grid as it is. Those of the second check the blocks of the file that
/// a query can reach (guard.h), and read compressed samples through a view (packed.h), before they call the
/// same functions.
#include "grid/grid_query.h"
#include "grid/guard.h"
#include "grid/packed.h"

static lf_box grid_box(const void *object) {
    return ((const lf_grid *)object)->box;
}

static const lf_frame *grid_frame(const void *object) {
    return &((const lf_grid *)object)->frame;
}

static bool grid_takes_infinity(const void *object) {
    (void)object;
    return true; // down is always -z
}

static void grid_ray_first(const void *object, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    if (!lf__grid_first(object, ray, false, hit, cursor))
        *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
}

static bool grid_line_first(const void *object, const lf_ray *line, lf_hit *hit, lf_cursor *cursor) {
    return lf__grid_first(object, line, true, hit, cursor);
}

// ---------------------------------------------------------------------------------------------------
// Outlines
// ---------------------------------------------------------------------------------------------------

static void grid_crossing_piece(void *user, const lf__piece *piece) {
    lf__crossing *c = user;
    lf_vec3 corners[4];
    int count = lf__piece_outline(c->object, piece, corners);
    lf__track_cross(c->track, corners, c->cuts);
    if (count == 4) {
        lf_vec3 rest[3] = {corners[0], corners[2], corners[3]};
        lf__track_cross(c->track, rest, c->cuts);
    }
}

/// Outlines of the grid itself, or of one of its copies: the track is moved instead of the copy.
static void grid_copy_cuts(const lf_grid *grid, int64_t copy, const lf__track *track, lf__cuts *cuts,
                           lf_cursor *cursor) {
    lf__track moved = *track;
    double step = (double)copy * copysign(grid->turn, grid->geotransform.per_column.x);
    moved.start.x -= step;
    moved.end.x -= step;
    moved.x0.x -= step;
    lf__crossing c = lf__crossing_start(grid, copy == 0 ? track : &moved, cuts);
    lf__grid_visitor visitor = {lf__crossing_enters, grid_crossing_piece, &c};
    lf__grid_visit(grid, &visitor, cursor);
}

static void grid_cuts(const void *object, const lf__track *track, lf__cuts *cuts, lf_cursor *cursor) {
    const lf_grid *grid = object;
    lf_vec2 a = lf__grid_place(grid, track->start.x, track->start.y),
            b = lf__grid_place(grid, track->end.x, track->end.y);
    lf__grid_copies copies =
        lf__grid_copies_of(grid, a.x < b.x ? a.x : b.x, a.x < b.x ? b.x : a.x, b.x < a.x);
    for (int64_t k = copies.first; k <= copies.last; k++)
        grid_copy_cuts(grid, k, track, cuts, cursor);
}

/// F = z - h(x, y) is 0 on a patch, and its only second derivative that is not 0 is the mixed one by column
/// and row, the twist. Along x0 + t * x1 + s * r that gives s'' = 2 * twist * (columns per t) * (rows per t)
/// / (dF/ds). Returns half of it, in metres.
static double grid_second_derivative(const void *object, const lf_hit *hit, const lf__track *track) {
    const lf_grid *grid = object;
    if (grid->surface != LF_SURFACE_BILINEAR)
        return 0;
    lf_vec2 place = lf__grid_place_of_hit(grid, hit);
    lf__piece piece;
    if (!lf__grid_piece_of_hit(grid, hit, (lf_vec3){place.x, place.y, hit->point.z}, &piece))
        return 0;
    double twist = (piece.h[3] - piece.h[2]) - (piece.h[1] - piece.h[0]);
    double across = lf_vec3_dot(hit->normal, track->r0);
    lf_vec3 along = lf_vec3_along(track->x1, -lf_vec3_dot(hit->normal, track->x1) / across, track->r0);
    lf_vec2 d = lf__grid_turn(grid, along.x, along.y);
    return twist * d.x * d.y * hit->normal.z / across * lf_vec3_length(track->r0);
}

static void grid_spreading_piece(void *user, const lf__piece *piece) {
    lf__spreading *s = user;
    lf_vec3 corners[4];
    int count = lf__piece_outline(s->object, piece, corners);
    for (int i = 0; i < count; i++)
        lf__cone_add(s->cone, lf_pose_to_world(s->pose, corners[i]));
}

static void grid_spread(const void *object, const lf_pose *pose, lf__cone *cone) {
    lf__spreading s = {object, pose, cone};
    lf__grid_visitor visitor = {lf__spreading_enters, grid_spreading_piece, &s};
    lf__grid_visit(object, &visitor, NULL);
}

// ---------------------------------------------------------------------------------------------------
// Compressed grids and grids of files
// ---------------------------------------------------------------------------------------------------

typedef struct grid_opened {
    const lf_grid *grid, *view;
    lf_cursor *cursor;
    lf__grid_scratch space;
} grid_opened;

static const lf_grid *grid_open(grid_opened *opened, const lf_grid *grid, lf_cursor *cursor) {
    opened->grid = grid;
    opened->cursor = cursor;
    opened->view = lf__grid_open(grid, cursor, &opened->space);
    return opened->view;
}

static void grid_close(grid_opened *opened) {
    lf__grid_close(opened->grid, opened->view, opened->cursor);
}

/// Declares a view, which is the grid itself where it is not compressed, and closes it at the end of the
/// function.
#define GRID_VIEW(view, grid, cursor)                        \
    __attribute__((cleanup(grid_close))) grid_opened opened; \
    const lf_grid *view = grid_open(&opened, grid, cursor)

static void grid_touch_point(const lf_grid *grid, lf_vec3 point) {
    if (lf__guard_open(grid))
        lf__grid_touch_place(grid, lf__grid_place(grid, point.x, point.y));
}

/// A cursor may return to the same tiles; without one no more is decoded than the one cell needs.
static void grid_view_height(const void *object, const lf_vec3 *point, bool down, lf_hit *hit,
                             lf_cursor *cursor) {
    const lf_grid *grid = object;
    grid_opened opened;
    grid_touch_point(grid, *point);
    if (cursor || !grid->packed) {
        lf__grid_query_height(grid_open(&opened, grid, cursor), point, down, hit, cursor);
        grid_close(&opened);
    } else if (!lf__packed_query_inside(grid, point, down, hit)) {
        lf__grid_query_height(lf__grid_open_single(grid, &opened.space), point, down, hit, NULL);
    }
}

static void grid_view_heights_many(const void *object, const lf_vec3 *points, size_t point_stride,
                                   int64_t count, bool down, double *heights, size_t height_stride) {
    const lf_grid *grid = object;
    lf__heights_batch batch = {points, point_stride, count, down, heights, height_stride};
    lf__grid_touch_points(grid, points, point_stride, count);
    if (grid->packed)
        lf__packed_heights_many(grid, &batch);
    else
        lf__grid_heights_many(grid, points, point_stride, count, down, heights, height_stride);
}

static int64_t grid_view_height_all(const void *object, lf_vec3 point, lf_hit *hits, int64_t capacity,
                                    lf_cursor *cursor) {
    GRID_VIEW(view, object, cursor);
    grid_touch_point(object, point);
    return lf__grid_height_all(view, point, hits, capacity, cursor);
}

/// The element of the hit need not be near its point, so both are checked.
static bool grid_view_weights(const void *object, lf_hit *hit) {
    GRID_VIEW(view, object, NULL);
    int64_t columns = view->cell_columns;
    grid_touch_point(object, hit->point);
    lf__grid_touch_place(object,
                         (lf_vec2){(double)(hit->element % columns), (double)(hit->element / columns)});
    return lf__grid_weights(view, hit);
}

static void grid_view_ray_first(const void *object, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    GRID_VIEW(view, object, cursor);
    lf__grid_touch_ray(object, ray);
    grid_ray_first(view, ray, hit, cursor);
}

static void grid_view_ray_first_many(const void *object, const lf_ray *rays, size_t ray_stride, int64_t count,
                                     lf_hit *hits, size_t hit_stride) {
    GRID_VIEW(view, object, NULL);
    lf__grid_touch_rays(object, rays, ray_stride, count);
    lf__grid_first_many(view, rays, ray_stride, count, hits, hit_stride);
}

static bool grid_view_ray_any(const void *object, const lf_ray *ray, lf_cursor *cursor) {
    GRID_VIEW(view, object, cursor);
    lf__grid_touch_ray(object, ray);
    return lf__grid_any(view, ray, cursor);
}

static int64_t grid_view_ray_all(const void *object, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                                 lf_cursor *cursor) {
    GRID_VIEW(view, object, cursor);
    lf__grid_touch_ray(object, ray);
    return lf__grid_all(view, ray, hits, capacity, cursor);
}

static bool grid_view_line_first(const void *object, const lf_ray *line, lf_hit *hit, lf_cursor *cursor) {
    GRID_VIEW(view, object, cursor);
    lf__grid_touch_ray(object, line);
    return grid_line_first(view, line, hit, cursor);
}

static void grid_view_each(const void *object, const lf_ray *ray, lf__each how, const lf__finder *finder,
                           lf_cursor *cursor) {
    GRID_VIEW(view, object, cursor);
    lf__grid_touch_ray(object, ray);
    lf__grid_each(view, ray, how, finder, cursor);
}

/// Visits check the blocks that they enter.
static void grid_view_cuts(const void *object, const lf__track *track, lf__cuts *cuts, lf_cursor *cursor) {
    GRID_VIEW(view, object, cursor);
    grid_cuts(view, track, cuts, cursor);
}

static double grid_view_second_derivative(const void *object, const lf_hit *hit, const lf__track *track) {
    GRID_VIEW(view, object, NULL);
    grid_touch_point(object, hit->point);
    return grid_second_derivative(view, hit, track);
}

static void grid_view_spread(const void *object, const lf_pose *pose, lf__cone *cone) {
    GRID_VIEW(view, object, NULL);
    grid_spread(view, pose, cone);
}

static lf_status grid_view_failure(const void *object) {
    return lf__grid_status(object, LF_OK);
}

static const lf_grid *grid_of_ground(const void *object) {
    return object;
}

// ---------------------------------------------------------------------------------------------------
// Tables
// ---------------------------------------------------------------------------------------------------

static const lf__ground_kind_of grid_kind = {
    .box = grid_box,
    .frame = grid_frame,
    .takes_infinity = grid_takes_infinity,
    .height = lf__grid_query_height,
    .height_all = lf__grid_height_all,
    .weights = lf__grid_weights,
    .ray_first = grid_ray_first,
    .heights_many = lf__grid_heights_many,
    .ray_first_many = lf__grid_first_many,
    .ray_any = lf__grid_any,
    .ray_all = lf__grid_all,
    .line_first = grid_line_first,
    .each = lf__grid_each,
    .cuts = grid_cuts,
    .bend = grid_second_derivative,
    .spread = grid_spread,
    .touches = lf__grid_touches,
    .depth = lf__grid_depth,
    .faces = lf__grid_faces,
    .spacing = lf__grid_spacing,
    .least = lf__grid_least,
    .grid = grid_of_ground,
    .sweep = lf__grid_sweep,
};

static const lf__ground_kind_of grid_view_kind = {
    .box = grid_box,
    .frame = grid_frame,
    .takes_infinity = grid_takes_infinity,
    .height = grid_view_height,
    .height_all = grid_view_height_all,
    .weights = grid_view_weights,
    .ray_first = grid_view_ray_first,
    .heights_many = grid_view_heights_many,
    .ray_first_many = grid_view_ray_first_many,
    .ray_any = grid_view_ray_any,
    .ray_all = grid_view_ray_all,
    .line_first = grid_view_line_first,
    .each = grid_view_each,
    .cuts = grid_view_cuts,
    .bend = grid_view_second_derivative,
    .spread = grid_view_spread,
    .touches = lf__grid_touches,
    .depth = lf__grid_depth,
    .faces = lf__grid_faces,
    .spacing = lf__grid_spacing,
    .least = lf__grid_least,
    .grid = grid_of_ground,
    .sweep = lf__grid_sweep,
    .failure = grid_view_failure,
};

void lf__grid_init_ground(lf_grid *grid) {
    const lf__ground_kind_of *kind = grid->guard || grid->packed ? &grid_view_kind : &grid_kind;
    grid->ground = lf__ground_of(kind, grid, &grid->allocator);
}

const lf_ground *lf_grid_ground(const lf_grid *grid) {
    return grid ? &grid->ground : NULL;
}
