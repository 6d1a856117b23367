/// A grid as ground.
#include "grid/grid_ground.h"
#include "grid/grid_question.h"

static lf_box box(const void *thing) {
    return ((const lf_grid *)thing)->box;
}

static const lf_frame *frame(const void *thing) {
    return &((const lf_grid *)thing)->frame;
}

static bool takes_infinity(const void *thing) {
    (void)thing;
    return true; // down is always -z
}

static void height(const void *thing, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor) {
    lf__grid_ask_height(thing, point, down, hit, cursor);
}

static int64_t height_all(const void *thing, lf_vec3 point, lf_hit *hits, int64_t capacity,
                          lf_cursor *cursor) {
    return lf__grid_height_all(thing, point, hits, capacity, cursor);
}

static bool weights(const void *thing, lf_hit *hit) {
    return lf__grid_weights(thing, hit);
}

static void ray_first(const void *thing, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    if (!lf__grid_first(thing, ray, false, hit, cursor))
        *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
}

static void heights_many(const void *thing, const lf_vec3 *points, size_t point_stride, int64_t count,
                         bool down, double *heights, size_t height_stride) {
    lf__grid_heights_many(thing, points, point_stride, count, down, heights, height_stride);
}

static void ray_first_many(const void *thing, const lf_ray *rays, size_t ray_stride, int64_t count,
                           lf_hit *hits, size_t hit_stride) {
    lf__grid_first_many(thing, rays, ray_stride, count, hits, hit_stride);
}

static bool ray_any(const void *thing, const lf_ray *ray, lf_cursor *cursor) {
    return lf__grid_any(thing, ray, cursor);
}

static int64_t ray_all(const void *thing, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                       lf_cursor *cursor) {
    return lf__grid_all(thing, ray, hits, capacity, cursor);
}

static bool line_first(const void *thing, const lf_ray *line, lf_hit *hit, lf_cursor *cursor) {
    return lf__grid_first(thing, line, true, hit, cursor);
}

static void each(const void *thing, const lf_ray *ray, lf__each how, const lf__finder *finder,
                 lf_cursor *cursor) {
    lf__grid_each(thing, ray, how != LF__EACH_RAY, finder, cursor);
}

// ---------------------------------------------------------------------------------------------------
// Outlines
// ---------------------------------------------------------------------------------------------------

static void crossing_piece(void *user, const lf__piece *piece) {
    lf__crossing *c = user;
    lf_vec3 corners[4];
    int count = lf__piece_outline(c->thing, piece, corners);
    lf__track_cross(c->track, corners, c->cuts);
    if (count == 4) {
        lf_vec3 rest[3] = {corners[0], corners[2], corners[3]};
        lf__track_cross(c->track, rest, c->cuts);
    }
}

/// Outlines of the grid itself, or of one of its copies, of which it is seen by moving the track.
static void cuts_of_copy(const lf_grid *grid, int64_t copy, const lf__track *track, lf__cuts *wanted,
                         lf_cursor *cursor) {
    lf__track moved = *track;
    double step = (double)copy * copysign(grid->turn, grid->geotransform.per_column.x);
    moved.start.x -= step;
    moved.end.x -= step;
    moved.x0.x -= step;
    lf__crossing c = lf__crossing_start(grid, copy == 0 ? track : &moved, wanted);
    lf__grid_visitor visitor = {lf__crossing_enters, crossing_piece, &c};
    lf__grid_visit(grid, &visitor, cursor);
}

static void cuts(const void *thing, const lf__track *track, lf__cuts *wanted, lf_cursor *cursor) {
    const lf_grid *grid = thing;
    lf_vec2 a = lf__grid_place(grid, track->start.x, track->start.y),
            b = lf__grid_place(grid, track->end.x, track->end.y);
    lf__grid_copies copies =
        lf__grid_copies_of(grid, a.x < b.x ? a.x : b.x, a.x < b.x ? b.x : a.x, b.x < a.x);
    for (int64_t k = copies.first; k <= copies.last; k++)
        cuts_of_copy(grid, k, track, wanted, cursor);
}

/// F = z - h(x, y) is 0 on a patch, and only its mixed derivative by column and row, the twist, is not constant. Along
/// x0 + t * x1 + s * r that makes s'' = 2 * twist * (columns per t) * (rows per t) / (dF/ds).
static double bend(const void *thing, const lf_hit *hit, const lf__track *track) {
    const lf_grid *grid = thing;
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

static void spreading_piece(void *user, const lf__piece *piece) {
    lf__spreading *s = user;
    lf_vec3 corners[4];
    int count = lf__piece_outline(s->thing, piece, corners);
    for (int i = 0; i < count; i++)
        lf__cone_add(s->cone, lf_pose_to_world(s->pose, corners[i]));
}

static void spread(const void *thing, const lf_pose *pose, lf__cone *cone) {
    lf__spreading s = {thing, pose, cone};
    lf__grid_visitor visitor = {lf__spreading_enters, spreading_piece, &s};
    lf__grid_visit(thing, &visitor, NULL);
}

const lf_grid *lf__grid_of_ground(const void *thing) {
    return thing;
}

const lf__ground_kind_of lf__grid_kind = {
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

void lf__grid_init_ground(lf_grid *grid) {
    const lf__ground_kind_of *kind = grid->guard    ? &lf__file_kind
                                     : grid->packed ? &lf__packed_kind
                                                    : &lf__grid_kind;
    grid->ground = (lf_ground){kind, grid, &grid->allocator};
}

const lf_ground *lf_grid_ground(const lf_grid *grid) {
    return grid ? &grid->ground : NULL;
}
