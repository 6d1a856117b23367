/// A globe as ground: what of it is loaded, or the finest there is. Gravity lines run towards the centre.
#include "globe/globe.h"
#include "ground/ground.h"

/// Ways over a globe are taken in pieces so long, metres, or in so many where that is too many: the surface is curved, and on a piece it is
/// taken for a plane and its bend.
#define PIECE 1.0
#define MOST_PIECES 100000

/// Behind a meeting the next is looked for so far on, metres. A ray that runs within a wall between two tiles meets it at every such step, or,
/// by rounding, at every few: after some in a row it is taken to where it leaves the wall.
#define BEHIND 1e-3
#define FEW_STEPS 100
#define MOST_IN_A_ROW 16
#define MOST_MEETINGS 100000

static lf_box box(const void *thing) {
    const lf_globe *globe = lf__globe_face_globe(thing);
    double high = -LF_INFINITY;
    lf__globe_face_begin(thing);
    for (int64_t i = 0; i < globe->root_count; i++)
        high = fmax(high, lf__globe_tile(globe, i)->high);
    lf__globe_face_end(thing);
    double r = globe->ellipsoid.radius + fmax(fmin(high, 0.25 * globe->least_radius), 0);
    return (lf_box){{-r, -r, -r}, {r, r, r}};
}

static const lf_frame *frame(const void *thing) {
    return &lf__globe_face_globe(thing)->frame_of_ground;
}

static bool takes_infinity(const void *thing) {
    (void)thing;
    return false;
}

/// Why there is no ground on the line through a point.
static lf_reason why_not(const lf__globe_face *face, lf_vec3 point) {
    lf_globe_elevation ground;
    lf__globe_face_ground(face, point, &ground);
    return ground.reason == LF_REASON_ANSWERED ? LF_REASON_NONE : ground.reason;
}

static void height(const void *thing, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor) {
    lf_ray ray;
    double length;
    bool line = lf__gravity_ray(frame(thing), *point, down, &ray, &length);
    if (line && lf__globe_face_first(thing, &ray, hit, cursor)) {
        hit->t *= length;
        return;
    }
    bool no_memory = line && hit->reason == LF_REASON_NOT_LOADED;
    lf__hit_nothing(hit, no_memory ? LF_REASON_NOT_LOADED : why_not(thing, *point));
}

static void ray_first(const void *thing, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    lf__globe_face_first(thing, ray, hit, cursor);
}

static bool ray_any(const void *thing, const lf_ray *ray, lf_cursor *cursor) {
    lf_hit hit;
    return lf__globe_face_first(thing, ray, &hit, cursor);
}

static bool line_first(const void *thing, const lf_ray *line, lf_hit *hit, lf_cursor *cursor) {
    return lf__globe_face_first(thing, line, hit, cursor);
}

/// A ray within a wall.
typedef struct run {
    const void *thing;
    const lf_ray *ray;
    double step; ///< of t, as long as BEHIND
    lf_cursor *cursor;
} run;

/// Is a hit one of a wall, and next to t?
static bool is_next(const run *r, const lf_hit *hit, double t) {
    return hit->triangle == 2 && hit->t <= t + FEW_STEPS * r->step;
}

static bool still_within(const run *r, double t) {
    lf_ray spot = *r->ray;
    lf_hit hit;
    spot.t_min = t;
    spot.t_max = fmin(t + FEW_STEPS * r->step, spot.t_max);
    return lf__globe_face_first(r->thing, &spot, &hit, r->cursor) && is_next(r, &hit, t);
}

/// The end of a run, to a step: steps that double until they are beyond it, then halving.
static double leaves(const run *r, double t) {
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

static void each(const void *thing, const lf_ray *ray, lf__each how, const lf__finder *finder,
                 lf_cursor *cursor) {
    lf_ray rest = *ray;
    run r = {thing, ray, BEHIND / lf_vec3_length(ray->direction), cursor};
    int in_a_row = 0;
    (void)how;
    for (int64_t i = 0; i < MOST_MEETINGS && rest.t_min <= rest.t_max; i++) {
        lf_hit hit;
        if (!lf__globe_face_first(thing, &rest, &hit, cursor))
            return;
        finder->found(finder->user, &hit);
        in_a_row = is_next(&r, &hit, rest.t_min) ? in_a_row + 1 : 0;
        rest.t_min = hit.t + r.step;
        if (in_a_row == MOST_IN_A_ROW)
            rest.t_min = leaves(&r, hit.t), in_a_row = 0;
    }
}

typedef struct list {
    lf_hit *hits;
    int64_t capacity, count;
} list;

static void keep(void *user, const lf_hit *hit) {
    list *l = user;
    if (l->count < l->capacity)
        l->hits[l->count] = *hit;
    l->count++;
}

static int64_t ray_all(const void *thing, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                       lf_cursor *cursor) {
    list l = {hits, capacity, 0};
    lf__finder finder = {keep, &l};
    each(thing, ray, LF__EACH_RAY, &finder, cursor);
    return l.count;
}

/// From above everything down to the centre.
static int64_t height_all(const void *thing, lf_vec3 point, lf_hit *hits, int64_t capacity,
                          lf_cursor *cursor) {
    lf_ray ray;
    double length;
    if (!lf__gravity_ray(frame(thing), point, true, &ray, &length))
        return 0;
    ray.t_min = -LF_INFINITY;
    int64_t count = ray_all(thing, &ray, hits, capacity, cursor);
    for (int64_t i = 0; i < count && i < capacity; i++)
        hits[i].t *= length;
    return count;
}

static void weights_in(const lf__tile *tile, lf_geodetic place, lf_hit *hit) {
    double lon = lf__globe_turn(place.lon_deg);
    lf__cells cell = lf__tile_cells(tile, lon, place.lat_deg, lon, place.lat_deg);
    lf__patch patch;
    lf__tile_patch(tile, cell.c0, cell.r0, &patch);
    hit->u = fmin(fmax((lon - patch.west) / patch.width, 0), 1);
    hit->v = fmin(fmax((place.lat_deg - patch.south) / patch.height, 0), 1);
}

/// How far a hit is along the two sides of its cell.
static bool weights(const void *thing, lf_hit *hit) {
    lf_geodetic place = lf_ellipsoid_to_geodetic(&lf__globe_face_globe(thing)->ellipsoid, hit->point);
    lf__globe_face_begin(thing);
    const lf__tile *tile = lf__globe_face_tile(thing, lf_tile_unpack(hit->user));
    bool there = tile != NULL;
    if (there && tile->kind == LF__TILE_GRID)
        weights_in(tile, place, hit);
    lf__globe_face_end(thing);
    return there;
}

// ---------------------------------------------------------------------------------------------------
// Ways
// ---------------------------------------------------------------------------------------------------

static double piece_of(const lf__track *track) {
    double length = lf_vec3_length(lf_vec3_sub(track->end, track->start));
    return fmax(length > 0 ? PIECE / length : 1, 1.0 / MOST_PIECES);
}

static void cuts(const void *thing, const lf__track *track, lf__cuts *wanted, lf_cursor *cursor) {
    double step = piece_of(track);
    (void)thing;
    (void)cursor;
    if (track->still)
        return;
    double at = floor(wanted->after / step) + 1;
    for (int64_t k = 0; k <= wanted->capacity && (at + (double)k) * step < 1; k++)
        if ((at + (double)k) * step > wanted->after)
            lf__cuts_offer(wanted, (at + (double)k) * step);
}

/// How much higher the ground is than the plane of a hit, at another line of the track.
static bool above_plane(const lf__globe_face *face, const lf_hit *hit, const lf__track *track, double t,
                        double *above) {
    lf_ray line = lf__track_line(track, t);
    lf_hit there;
    if (!lf__globe_face_first(face, &line, &there, NULL))
        return false;
    lf_vec3 r = lf__track_r(track, t);
    *above = -lf_vec3_dot(hit->normal, lf_vec3_sub(hit->point, there.point)) / lf_vec3_dot(hit->normal, r) *
             lf_vec3_length(r);
    return fabs(*above) < 1; // else there is a wall between
}

static double bend(const void *thing, const lf_hit *hit, const lf__track *track) {
    lf_vec3 way = lf_vec3_sub(track->end, track->start);
    double length = lf_vec3_length(way), step = fmin(0.25 * piece_of(track), 0.25), sides[2];
    if (!(length > 0))
        return 0;
    // Where on the way the hit is: towards a centre, as far as its line meets the way.
    double t = lf_vec3_dot(lf_vec3_sub(hit->point, track->start), way) / (length * length);
    t = fmin(fmax(t, step), 1 - step);
    lf_ray line = lf__track_line(track, t);
    lf_hit here;
    if (!lf__globe_face_first(thing, &line, &here, NULL) ||
        !above_plane(thing, &here, track, t - step, &sides[0]) ||
        !above_plane(thing, &here, track, t + step, &sides[1]))
        return 0;
    return 0.5 * (sides[0] + sides[1]) / (step * step);
}

static void spread(const void *thing, const lf_pose *pose, lf__cone *cone) {
    lf_box b = box(thing);
    for (int k = 0; k < 8; k++) {
        lf_vec3 corner = {k & 1 ? b.high.x : b.low.x, k & 2 ? b.high.y : b.low.y, k & 4 ? b.high.z : b.low.z};
        lf__cone_add(cone, lf_pose_to_world(pose, corner));
    }
}

static bool damaged(const void *thing) {
    return lf__globe_told(lf__globe_face_globe(thing), LF_OK) != LF_OK;
}

/// The first blocked place from the end where the search starts; lines of sight are straight in space.
static bool segment_blocked(const void *thing, const lf__segment *segment, double t[2], lf_cursor *cursor) {
    lf_globe_sight found;
    bool last = segment->last;
    if (!(lf__cursor_layers(cursor) & 1u))
        return false;
    lf__globe_face_sight(thing, segment->ends[last], segment->ends[!last], &found, cursor);
    t[last] = found.t;
    t[!last] = 1 - found.t;
    return !found.clear;
}

static const lf__ground_kind_of globe_kind = {
    .kind = LF_GROUND_GLOBE,
    .box = box,
    .frame = frame,
    .takes_infinity = takes_infinity,
    .height = height,
    .height_all = height_all,
    .weights = weights,
    .ray_first = ray_first,
    .ray_any = ray_any,
    .ray_all = ray_all,
    .line_first = line_first,
    .each = each,
    .cuts = cuts,
    .bend = bend,
    .spread = spread,
    .touches = lf__globe_touches,
    .spacing = lf__globe_spacing,
    .segment = segment_blocked,
    .damaged = damaged,
};

void lf__globe_init_grounds(lf_globe *globe) {
    globe->ground = (lf_ground){&globe_kind, &globe->loaded, &globe->allocator};
    globe->finest_ground = (lf_ground){&globe_kind, &globe->all, &globe->allocator};
}

const lf_ground *lf_globe_ground(const lf_globe *globe) {
    return globe ? &globe->ground : NULL;
}

const lf_ground *lf_globe_ground_finest(lf_globe *globe) {
    return globe ? &globe->finest_ground : NULL;
}
