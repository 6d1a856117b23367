/// A globe as a ground: what of it is loaded, or the finest there is. Gravity lines run towards the centre.
#include "globe/globe.h"
#include "ground/ground.h"

// ---------------------------------------------------------------------------------------------------
// Queries to a globe that is a ground
// ---------------------------------------------------------------------------------------------------

// The finest tiles must be loaded to be queried, and loading changes a globe. Grounds may be queried by any
// number of threads, so those that load take turns. What they answer does not depend on these turns. A query
// from a callback of the provider neither waits nor loads: it finds nothing, and its status is
// LF_BAD_ARGUMENT.

static bool loads(const lf__globe_face *face) {
    return face->finest && !lf__globe_reentered(face->globe);
}

static bool refuses(const lf__globe_face *face) {
    return face->finest && lf__globe_reentered(face->globe);
}

static void lock(const lf__globe_face *face) {
    if (loads(face))
        lf__mutex_lock(&face->globe->one_at_a_time);
}

static void unlock(const lf__globe_face *face) {
    if (loads(face))
        lf__mutex_unlock(&face->globe->one_at_a_time);
}

void lf__globe_face_begin(const lf__globe_face *face) {
    lock(face);
    if (loads(face))
        face->globe->frame++; // tiles fetched from here on stay until the end
}

void lf__globe_face_end(const lf__globe_face *face) {
    if (loads(face)) {
        face->globe->frame++;
        lf__globe_make_space(face->globe, LF_INFINITY);
    }
    unlock(face);
}

bool lf__globe_face_first(const lf__globe_face *face, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    lf__search search = {.globe = face->globe,
                         .loader = face->finest ? face->globe : NULL,
                         .ray = *ray,
                         .surface = face->finest ? LF__GLOBE_FINEST : LF__GLOBE_SURFACE};
    *hit = lf__hit_none(ray->t_max, refuses(face) ? LF_REASON_NOT_LOADED : LF_REASON_NONE);
    if (refuses(face))
        return false;
    lf__globe_face_begin(face);
    bool met = (lf__cursor_layers(cursor) & 1u) && lf__search_first(&search, hit);
    lf__globe_face_end(face);
    lf__cursor_count(cursor, &search.cost);
    if (!met && search.no_memory)
        hit->reason = LF_REASON_NOT_LOADED;
    return met;
}

void lf__globe_face_sight(const lf__globe_face *face, lf_vec3 a, lf_vec3 b, double refraction,
                          lf_globe_sight *sight, lf_cursor *cursor) {
    lock(face);
    if (face->finest) // refused in a callback of the provider
        lf_globe_sight_finest(face->globe, a, b, refraction, sight, cursor);
    else
        lf__globe_sight_between(face->globe, a, b, refraction, sight, cursor);
    unlock(face);
}

void lf__globe_face_ground(const lf__globe_face *face, lf_vec3 position, lf_globe_elevation *ground) {
    lf_geodetic place = lf_ellipsoid_to_geodetic(&face->globe->ellipsoid, position);
    double lon = fabs(place.lat_deg) == 90 ? 0 : lf__globe_turn(place.lon_deg);
    lf__globe_face_begin(face);
    lf_status status = refuses(face)  ? LF_BAD_ARGUMENT
                       : face->finest ? lf__globe_load_over(face->globe, lon, place.lat_deg, false)
                                      : LF_OK;
    lf_globe_height(face->globe, lon, place.lat_deg, ground, NULL);
    if (status != LF_OK)
        ground->reason = LF_REASON_NOT_LOADED;
    lf__globe_face_end(face);
}

const lf__tile *lf__globe_face_tile(const lf__globe_face *face, lf_tile_key key) {
    const lf__tile *tile = lf__globe_find(face->globe, key);
    if (tile || !loads(face) || !lf__globe_key_valid(face->globe, key))
        return tile;
    lf_geodetic_box area = lf__globe_tile_area(face->globe, key);
    lf__globe_load_over(face->globe, 0.5 * (area.west + area.east), 0.5 * (area.south + area.north), false);
    return lf__globe_find(face->globe, key);
}

// ---------------------------------------------------------------------------------------------------
// The functions of the ground
// ---------------------------------------------------------------------------------------------------

/// Tracks over a globe are cut into pieces of this length, metres, but at most this many: the surface is
/// curved, and on a piece it is approximated by a plane and its curvature.
#define PIECE 1.0
#define MOST_PIECES 100000

/// The search for the next hit starts this far behind a hit, metres. A ray that runs within a wall between
/// two tiles hits it at every such step, or, by rounding, at every few: after some in a row the search
/// continues where the ray leaves the wall.
#define BEHIND 1e-3
#define FEW_STEPS 100
#define MOST_IN_A_ROW 16
#define MOST_MEETINGS 100000

static lf_box globe_ground_box(const void *object) {
    const lf_globe *globe = lf__globe_face_globe(object);
    double high = -LF_INFINITY;
    lf__globe_face_begin(object);
    for (int64_t i = 0; i < globe->root_count; i++)
        high = fmax(high, lf__globe_tile(globe, i)->high);
    lf__globe_face_end(object);
    double r = globe->ellipsoid.radius + fmax(fmin(high, 0.25 * globe->least_radius), 0);
    return (lf_box){{-r, -r, -r}, {r, r, r}};
}

static const lf_frame *globe_ground_frame(const void *object) {
    return &lf__globe_face_globe(object)->frame_of_ground;
}

static bool globe_ground_takes_infinity(const void *object) {
    (void)object;
    return false;
}

/// The reason for a miss on the line through a point.
static lf_reason globe_ground_reason(const lf__globe_face *face, lf_vec3 point) {
    lf_globe_elevation ground;
    lf__globe_face_ground(face, point, &ground);
    return ground.reason == LF_REASON_ANSWERED ? LF_REASON_NONE : ground.reason;
}

static void globe_ground_height(const void *object, const lf_vec3 *point, bool down, lf_hit *hit,
                                lf_cursor *cursor) {
    lf_ray ray;
    double length;
    bool line = lf__gravity_ray(globe_ground_frame(object), *point, down, &ray, &length);
    if (line && lf__globe_face_first(object, &ray, hit, cursor)) {
        hit->t *= length;
        return;
    }
    bool no_memory = line && hit->reason == LF_REASON_NOT_LOADED;
    lf__hit_nothing(hit, no_memory ? LF_REASON_NOT_LOADED : globe_ground_reason(object, *point));
}

static void globe_ground_ray_first(const void *object, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    lf__globe_face_first(object, ray, hit, cursor);
}

static bool globe_ground_ray_any(const void *object, const lf_ray *ray, lf_cursor *cursor) {
    lf_hit hit;
    return lf__globe_face_first(object, ray, &hit, cursor);
}

static bool globe_ground_line_first(const void *object, const lf_ray *line, lf_hit *hit, lf_cursor *cursor) {
    return lf__globe_face_first(object, line, hit, cursor);
}

/// A ray within a wall.
typedef struct globe_wall_run {
    const void *object;
    const lf_ray *ray;
    double step; ///< of t, as long as BEHIND
    lf_cursor *cursor;
} globe_wall_run;

/// Is a hit one of a wall, and next to t?
static bool is_next(const globe_wall_run *r, const lf_hit *hit, double t) {
    return hit->triangle == 2 && hit->t <= t + FEW_STEPS * r->step;
}

static bool still_within(const globe_wall_run *r, double t) {
    lf_ray spot = *r->ray;
    lf_hit hit;
    spot.t_min = t;
    spot.t_max = fmin(t + FEW_STEPS * r->step, spot.t_max);
    return lf__globe_face_first(r->object, &spot, &hit, r->cursor) && is_next(r, &hit, t);
}

/// The end of a run, to a step: steps that double until they are beyond it, then halving.
static double leaves(const globe_wall_run *r, double t) {
    double low = t, reach = r->step, last = r->ray->t_max;
    for (int i = 0; i < 64 && low + reach < last && still_within(r, low + reach); i++, reach *= 2)
        low += reach;
    double high = fmin(low + reach, last);
    for (int i = 0; i < 64 && high - low > r->step; i++) {
        double middle = 0.5 * low + 0.5 * high;
        *(still_within(r, middle) ? &low : &high) = middle;
    }
    return high;
}

static void globe_ground_each(const void *object, const lf_ray *ray, lf__each how, const lf__finder *finder,
                              lf_cursor *cursor) {
    lf_ray rest = *ray;
    globe_wall_run r = {object, ray, BEHIND / lf_vec3_length(ray->direction), cursor};
    int in_a_row = 0;
    (void)how;
    for (int64_t i = 0; i < MOST_MEETINGS && rest.t_min <= rest.t_max; i++) {
        lf_hit hit;
        if (!lf__globe_face_first(object, &rest, &hit, cursor))
            return;
        finder->found(finder->user, &hit);
        in_a_row = is_next(&r, &hit, rest.t_min) ? in_a_row + 1 : 0;
        rest.t_min = hit.t + r.step;
        if (in_a_row == MOST_IN_A_ROW)
            rest.t_min = leaves(&r, hit.t), in_a_row = 0;
    }
}

typedef struct globe_hit_list {
    lf_hit *hits;
    int64_t capacity, count;
} globe_hit_list;

static void globe_ground_keep(void *user, const lf_hit *hit) {
    globe_hit_list *l = user;
    if (l->count < l->capacity)
        l->hits[l->count] = *hit;
    l->count++;
}

static int64_t globe_ground_ray_all(const void *object, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                                    lf_cursor *cursor) {
    globe_hit_list l = {hits, capacity, 0};
    lf__finder finder = {globe_ground_keep, &l};
    globe_ground_each(object, ray, LF__EACH_RAY, &finder, cursor);
    return l.count;
}

/// From above all ground down to the centre.
static int64_t globe_ground_height_all(const void *object, lf_vec3 point, lf_hit *hits, int64_t capacity,
                                       lf_cursor *cursor) {
    lf_ray ray;
    double length;
    if (!lf__gravity_ray(globe_ground_frame(object), point, true, &ray, &length))
        return 0;
    ray.t_min = -LF_INFINITY;
    int64_t count = globe_ground_ray_all(object, &ray, hits, capacity, cursor);
    for (int64_t i = 0; i < count && i < capacity; i++)
        hits[i].t *= length;
    return count;
}

static void weights_in(const lf__tile *tile, lf_geodetic place, lf_hit *hit) {
    double lon = lf__globe_turn(place.lon_deg);
    lf__cells cell = lf__tile_cells(tile, lon, place.lat_deg, lon, place.lat_deg);
    lf__tile_cell patch;
    lf__tile_cell_at(tile, cell.c0, cell.r0, &patch);
    hit->u = fmin(fmax((lon - patch.west) / patch.width, 0), 1);
    hit->v = fmin(fmax((place.lat_deg - patch.south) / patch.height, 0), 1);
}

/// The position of a hit along the two sides of its cell.
static bool globe_ground_weights(const void *object, lf_hit *hit) {
    lf_geodetic place = lf_ellipsoid_to_geodetic(&lf__globe_face_globe(object)->ellipsoid, hit->point);
    lf__globe_face_begin(object);
    const lf__tile *tile = lf__globe_face_tile(object, lf_tile_unpack(hit->user));
    bool there = tile != NULL;
    if (there && tile->kind == LF__TILE_GRID)
        weights_in(tile, place, hit);
    lf__globe_face_end(object);
    return there;
}

// ---------------------------------------------------------------------------------------------------
// Tracks
// ---------------------------------------------------------------------------------------------------

static double globe_ground_piece_of(const lf__track *track) {
    double length = lf_vec3_length(lf_vec3_sub(track->end, track->start));
    return fmax(length > 0 ? PIECE / length : 1, 1.0 / MOST_PIECES);
}

static void globe_ground_cuts(const void *object, const lf__track *track, lf__cuts *wanted,
                              lf_cursor *cursor) {
    double step = globe_ground_piece_of(track);
    (void)object;
    (void)cursor;
    if (track->still)
        return;
    double at = floor(wanted->after / step) + 1;
    for (int64_t k = 0; k <= wanted->capacity && (at + (double)k) * step < 1; k++)
        if ((at + (double)k) * step > wanted->after)
            lf__cuts_offer(wanted, (at + (double)k) * step);
}

/// How much higher the ground is than the plane of a hit, at another line of the track.
static bool globe_ground_above_plane(const lf__globe_face *face, const lf_hit *hit, const lf__track *track,
                                     double t, double *above) {
    lf_ray line = lf__track_line(track, t);
    lf_hit there;
    if (!lf__globe_face_first(face, &line, &there, NULL))
        return false;
    lf_vec3 r = lf__track_r(track, t);
    *above = -lf_vec3_dot(hit->normal, lf_vec3_sub(hit->point, there.point)) / lf_vec3_dot(hit->normal, r) *
             lf_vec3_length(r);
    return fabs(*above) < 1; // else there is a wall between
}

static double globe_ground_second_derivative(const void *object, const lf_hit *hit, const lf__track *track) {
    lf_vec3 way = lf_vec3_sub(track->end, track->start);
    double length = lf_vec3_length(way), step = fmin(0.25 * globe_ground_piece_of(track), 0.25), sides[2];
    if (!(length > 0))
        return 0;
    // The hit's parameter on the track: towards a centre, where its line meets the track.
    double t = lf_vec3_dot(lf_vec3_sub(hit->point, track->start), way) / (length * length);
    t = fmin(fmax(t, step), 1 - step);
    lf_ray line = lf__track_line(track, t);
    lf_hit here;
    if (!lf__globe_face_first(object, &line, &here, NULL) ||
        !globe_ground_above_plane(object, &here, track, t - step, &sides[0]) ||
        !globe_ground_above_plane(object, &here, track, t + step, &sides[1]))
        return 0;
    return 0.5 * (sides[0] + sides[1]) / (step * step);
}

static void globe_ground_spread(const void *object, const lf_pose *pose, lf__cone *cone) {
    lf_box b = globe_ground_box(object);
    for (int k = 0; k < 8; k++) {
        lf_vec3 corner = {k & 1 ? b.high.x : b.low.x, k & 2 ? b.high.y : b.low.y, k & 4 ? b.high.z : b.low.z};
        lf__cone_add(cone, lf_pose_to_world(pose, corner));
    }
}

static lf_status globe_ground_failure(const void *object) {
    return refuses(object) ? LF_BAD_ARGUMENT : lf__globe_told(lf__globe_face_globe(object), LF_OK);
}

/// The first blocked place from the end where the search starts; lines of sight are straight in space.
static bool globe_ground_segment(const void *object, const lf__segment *segment, double t[2],
                                 lf_cursor *cursor) {
    lf_globe_sight found;
    bool last = segment->last;
    if (!(lf__cursor_layers(cursor) & 1u))
        return false;
    lf_vec3 way = lf_vec3_sub(segment->ends[1], segment->ends[0]);
    double square = lf_vec3_dot(way, way);
    double refraction =
        square > 0 ? segment->rise * 2 * lf__globe_face_globe(object)->ellipsoid.radius / square : 0;
    lf__globe_face_sight(object, segment->ends[last], segment->ends[!last], refraction, &found, cursor);
    t[last] = found.t;
    t[!last] = 1 - found.t;
    return !found.clear;
}

static const lf__globe_face *globe_ground_itself(const void *object) {
    return object;
}

static const lf__ground_kind_of globe_kind = {
    .box = globe_ground_box,
    .frame = globe_ground_frame,
    .takes_infinity = globe_ground_takes_infinity,
    .height = globe_ground_height,
    .height_all = globe_ground_height_all,
    .weights = globe_ground_weights,
    .ray_first = globe_ground_ray_first,
    .ray_any = globe_ground_ray_any,
    .ray_all = globe_ground_ray_all,
    .line_first = globe_ground_line_first,
    .each = globe_ground_each,
    .cuts = globe_ground_cuts,
    .bend = globe_ground_second_derivative,
    .spread = globe_ground_spread,
    .touches = lf__globe_touches,
    .spacing = lf__globe_spacing,
    .globe = globe_ground_itself,
    .segment = globe_ground_segment,
    .sweep = lf__globe_sweep,
    .failure = globe_ground_failure,
};

void lf__globe_init_grounds(lf_globe *globe) {
    globe->ground = lf__ground_of(&globe_kind, &globe->loaded, &globe->allocator);
    globe->finest_ground = lf__ground_of(&globe_kind, &globe->all, &globe->allocator);
}

const lf_ground *lf_globe_ground(const lf_globe *globe) {
    return globe ? &globe->ground : NULL;
}

const lf_ground *lf_globe_ground_finest(lf_globe *globe) {
    return globe ? &globe->finest_ground : NULL;
}

#undef MOST_PIECES
