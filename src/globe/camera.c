/// Cameras that keep clear of the ground of a globe: one step, one move, one check.
#include "globe/camera.h"
#include "base/base.h"
#include "geom/geometry.h"
#include "globe/globe.h"
#include <string.h>

// A step chooses a rate. The path of the velocities is fixed; free is how fast the camera rises above it. The
// least constant rate that clears all ground ahead is the steepest line from the camera to the ground's
// outline: a taut string over the hills. That is the look-ahead. Where even the highest permitted rate does
// not clear the path within the frame, the camera covers less of the path in the same time.

#define HALVINGS 12 // of the interval, in the search for the part of the path that can be covered

/// What a step works on.
typedef struct camera_step {
    lf__flight flight;
    lf_camera_result result;
    double dt, limit;
} camera_step;

static void tell_contact(camera_step *s, const lf__moment *at, bool met) {
    lf_camera_contact *contact = &s->result.contact;
    const lf__camera_land *land = s->flight.land;
    contact->met = met;
    contact->time = at->time;
    contact->geodetic = at->place;
    land->ground(land->user, at->place.lon_deg, at->place.lat_deg, &contact->ground, &contact->normal);
}

/// The depth that the movement would reach below the ground, or below its upper bound where it is not known.
static void tell_depth(camera_step *s) {
    lf__moment deepest;
    double depth = lf__flight_depth(&s->flight, s->dt, &deepest);
    if (!(depth > 0))
        return;
    lf_globe_elevation ground;
    lf_vec3 normal;
    s->flight.land->ground(s->flight.land->user, deepest.place.lon_deg, deepest.place.lat_deg, &ground,
                           &normal);
    if (ground.reason == LF_REASON_ANSWERED && !ground.coarser)
        depth = ground.height + s->flight.clearance - deepest.place.height;
    s->result.contact.depth = fmax(depth, 0);
}

/// Deflect the velocity of the last piece from a moment on, so that it leads along the ground. False: it does
/// not lead into the ground.
static bool slide(camera_step *s, const lf__moment *at) {
    lf__flight *flight = &s->flight;
    lf_camera_piece *last = &flight->pieces[flight->piece_count - 1];
    lf_globe_elevation ground;
    lf_vec3 normal;
    flight->land->ground(flight->land->user, at->place.lon_deg, at->place.lat_deg, &ground, &normal);
    double into = lf_vec3_dot(last->velocity, normal);
    if (!(into * s->dt < -1e-3)) // a millimetre: raising will do
        return false;
    lf_camera_piece next = *last;
    next.start = at->time;
    next.from = lf__flight_at(flight, at->time);
    next.velocity = lf_vec3_along(last->velocity, -into, normal);
    if (at->time > last->start) {
        if (flight->piece_count == LF_CAMERA_PIECES)
            return false;
        last++;
        flight->piece_count++;
    }
    *last = next;
    s->result.did |= LF_CAMERA_SLID;
    return true;
}

/// Deflect the path until its velocity leads into no ground. The first contact counts in full; afterwards the
/// camera is on the ground, and the height that it can be raised by counts too.
static void slide_along(camera_step *s, const lf__moment *first) {
    lf__moment at = *first;
    for (int i = 0; i < LF_CAMERA_PIECES && slide(s, &at); i++) {
        double rise = isfinite(s->limit) ? s->limit : 0;
        if (!lf__flight_first(&s->flight, at.time, s->dt, rise, &at))
            return;
    }
}

/// Can this part of the path be covered within the frame? Then `rate` is the rate at which the camera must rise.
static bool can_go(camera_step *s, double share, double *rate) {
    lf__moment where;
    double by_way = lf__flight_rate(&s->flight, share * s->dt, &where);
    if (!isfinite(by_way) || !(share * by_way <= s->limit))
        return false;
    *rate = share * by_way;
    return true;
}

/// The largest part of the path that can be covered, by bisection; 0 when it is negligible.
static double share_to_go(camera_step *s, double *rate) {
    double low = 0, high = 1;
    *rate = 0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        if (can_go(s, middle, rate))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void hold(camera_step *s) {
    lf_camera_result *result = &s->result;
    lf__moment deepest;
    double needed, most = lf__flight_depth(&s->flight, s->dt, &deepest) + LF__FLIGHT_SKIN;
    result->did |= LF_CAMERA_HELD;
    result->share = share_to_go(s, &needed);
    // It rises as fast as permitted, but not above the highest ground on its path.
    result->raise_rate = fmin(s->limit, fmax(needed, most / s->dt));
}

/// Below ground at the start: straight up, or with its own velocity where that is faster.
static void recover(camera_step *s, double lack) {
    lf_camera_result *result = &s->result;
    const lf_ellipsoid *ellipsoid = &s->flight.land->ellipsoid;
    double wanted = lack + LF__FLIGHT_SKIN;
    double own = lf__place_of(ellipsoid, lf__flight_at(&s->flight, s->dt)).height -
                 lf__place_of(ellipsoid, result->from).height;
    result->did |= LF_CAMERA_RECOVERING | LF_CAMERA_HELD;
    result->share = 0;
    result->raise_rate = fmin(wanted, fmax(s->limit * s->dt, own)) / s->dt;
    result->frames = (int64_t)fmin(ceil(wanted / (s->limit * s->dt)), 1e15);
    if (result->frames < 1)
        result->frames = 1;
    lf__moment start = {0, lf__place_of(ellipsoid, result->from)};
    tell_contact(s, &start, true);
    result->contact.depth = lack;
}

/// Decide how the camera clears the ground on its path.
static void respond(camera_step *s, double look_ahead) {
    lf_camera_result *result = &s->result;
    lf__moment worst, first;
    double lack = lf__flight_start(&s->flight);
    if (lack > 2e-6) { // metres: more than the rounding of a camera that is just clear
        recover(s, lack);
        return;
    }
    double rate = lf__flight_rate(&s->flight, s->dt + look_ahead, &worst);
    if (!(rate > 0))
        return;
    double within = rate;
    if (worst.time > s->dt || look_ahead > 0)
        within = lf__flight_rate(&s->flight, s->dt, &first);
    if (within > 0 && lf__flight_first(&s->flight, 0, s->dt, 0, &first)) {
        tell_contact(s, &first, true);
        tell_depth(s);
        slide_along(s, &first);
        if (result->did & LF_CAMERA_SLID) {
            rate = lf__flight_rate(&s->flight, s->dt + look_ahead, &worst);
            within = lf__flight_rate(&s->flight, s->dt, &first);
        }
    } else {
        tell_contact(s, &worst, false);
    }
    if (within > 0)
        result->did |= LF_CAMERA_RAISED;
    if (rate > within)
        result->did |= LF_CAMERA_AHEAD;
    result->raise_rate = fmin(rate, s->limit);
    if (within > s->limit || isinf(within))
        hold(s);
}

lf_vec3 lf_camera_at(const lf_camera_result *result, const lf_ellipsoid *ellipsoid, double time) {
    lf__flight flight = {.piece_count = result->piece_count};
    memcpy(flight.pieces, result->pieces, sizeof flight.pieces);
    time = fmin(fmax(time, 0), result->duration);
    if (result->share == 0 && result->raise_rate == 0)
        return result->from;
    lf_vec3 position = lf__flight_at(&flight, result->share * time);
    if (result->raise_rate == 0)
        return position;
    lf_geodetic place = lf__place_of(ellipsoid, position);
    place.height += result->raise_rate * time;
    return lf_ellipsoid_to_centred(ellipsoid, place);
}

static void camera_finish(camera_step *s, lf_camera *camera) {
    lf_camera_result *result = &s->result;
    if (s->flight.coarser && result->did)
        result->did |= LF_CAMERA_COARSE;
    if (s->flight.unproven)
        result->did |= LF_CAMERA_UNPROVEN;
    result->raised = result->raise_rate * s->dt;
    result->bounds = s->flight.bounds;
    result->piece_count = s->flight.piece_count;
    memcpy(result->pieces, s->flight.pieces, sizeof result->pieces);
    camera->position = lf_camera_at(result, &s->flight.land->ellipsoid, s->dt);
}

static camera_step step_start(const lf_camera *camera, const lf__camera_land *land, double dt) {
    camera_step s = {.dt = dt, .limit = camera->raise_limit};
    s.flight = (lf__flight){.land = land, .clearance = camera->clearance, .skin_time = dt, .piece_count = 1};
    s.result = (lf_camera_result){.share = 1, .from = camera->position, .duration = dt};
    return s;
}

/// The velocity after a step: that of the piece that the camera has reached, less the fall that raising has
/// cancelled. Otherwise a fall that is only held up by raising would grow without end.
static void bend_velocity(camera_step *s, lf_camera *camera) {
    lf_camera_result *result = &s->result;
    int last = s->flight.piece_count - 1;
    while (last > 0 && s->flight.pieces[last].start > result->share * s->dt)
        last--;
    if (last > 0 || ((result->did & LF_CAMERA_SLID) && result->share > 0))
        camera->velocity = s->flight.pieces[last].velocity;
    if (!(result->raise_rate > 0))
        return;
    lf_geodetic place = lf__place_of(&s->flight.land->ellipsoid, camera->position);
    lf__sincos lat = lf__sincos_deg(place.lat_deg), lon = lf__sincos_deg(place.lon_deg);
    lf_vec3 up = {lat.cos * lon.cos, lat.cos * lon.sin, lat.sin};
    double fall = -lf_vec3_dot(camera->velocity, up);
    if (fall > 0) {
        double taken = fmin(fall, result->raise_rate);
        camera->velocity = lf_vec3_along(camera->velocity, taken, up);
        if (taken > 0.01 * result->raise_rate) // less is invisible
            result->did |= LF_CAMERA_SLID;
    }
}

void lf__camera_step(lf_camera *camera, const lf__camera_land *land, double dt, lf_camera_result *result) {
    camera_step s = step_start(camera, land, dt);
    lf_vec3 velocity = lf_vec3_along(camera->velocity, dt, camera->acceleration);
    lf_vec3 turn = lf_vec3_along(camera->turn, dt, camera->turn_acceleration);
    s.flight.pieces[0] = (lf_camera_piece){0, camera->position, velocity, turn};
    respond(&s, camera->look_ahead);
    camera_finish(&s, camera);
    double share = s.result.share;
    camera->turn = lf_vec3_along(camera->turn, share * dt, camera->turn_acceleration);
    camera->velocity = lf_vec3_along(camera->velocity, share * dt, camera->acceleration);
    bend_velocity(&s, camera);
    *result = s.result;
}

/// The velocities that lead from one position to another.
static lf_camera_piece way_between(lf_vec3 from, lf_vec3 to, double dt) {
    lf_vec3 a = lf_vec3_unit(from), b = lf_vec3_unit(to), axis = lf_vec3_cross(a, b);
    double s = lf_vec3_length(axis), c = lf_vec3_dot(a, b), angle = atan2(s, c);
    if (!(s > 1e-300)) { // the same direction, or straight through the centre: any axis will do
        axis = lf_vec3_cross(a, fabs(a.z) < 0.7 ? (lf_vec3){0, 0, 1} : (lf_vec3){1, 0, 0});
        angle = c < 0 ? acos(-1.0) : 0;
    }
    lf_camera_piece piece = {.from = from};
    piece.turn = lf_vec3_scale(lf_vec3_unit(axis), angle / dt);
    lf_vec3 turned = lf__flight_turned(from, lf_vec3_scale(piece.turn, dt));
    piece.velocity = lf_vec3_scale(lf_vec3_sub(to, turned), 1 / dt);
    return piece;
}

void lf__camera_aim(lf_camera *camera, lf_vec3 to, double dt) {
    lf_camera_piece piece = way_between(camera->position, to, dt);
    camera->velocity = piece.velocity;
    camera->turn = piece.turn;
    camera->acceleration = camera->turn_acceleration = (lf_vec3){0, 0, 0};
}

/// A camera that does not move: only the ground below it is checked.
static bool meets_at(const lf_camera *camera, const lf__camera_land *land, lf_camera_contact *contact) {
    double depth;
    contact->met = false;
    contact->geodetic = lf__place_of(&land->ellipsoid, camera->position);
    if (lf__flight_clear(land, contact->geodetic, camera->clearance, &depth))
        return false;
    *contact = (lf_camera_contact){.met = true, .geodetic = contact->geodetic, .depth = depth};
    land->ground(land->user, contact->geodetic.lon_deg, contact->geodetic.lat_deg, &contact->ground,
                 &contact->normal);
    return true;
}

static bool camera_meets(camera_step *s, const lf_camera *camera, lf_vec3 to) {
    lf__moment first;
    lf_camera_contact contact;
    s->flight.pieces[0] = way_between(s->result.from, to, s->dt);
    if (meets_at(camera, s->flight.land, &contact)) {
        s->result.contact = contact;
        return true;
    }
    if (!lf__flight_first(&s->flight, 0, s->dt, 0, &first))
        return false;
    tell_contact(s, &first, true);
    tell_depth(s);
    return true;
}

void lf__camera_check(const lf_camera *camera, const lf__camera_land *land, lf_vec3 to,
                      lf_camera_contact *contact) {
    if (to.x == camera->position.x && to.y == camera->position.y && to.z == camera->position.z) {
        meets_at(camera, land, contact);
        return;
    }
    camera_step s = step_start(camera, land, 1);
    camera_meets(&s, camera, to);
    *contact = s.result.contact;
}

void lf__camera_move(lf_camera *camera, const lf__camera_land *land, lf_vec3 to, lf_camera_result *result) {
    camera_step s = step_start(camera, land, 1);
    bool met = camera_meets(&s, camera, to);
    if (met && s.result.contact.time == 0) { // from below the ground it may be moved to any position above it
        lf_camera there = *camera;
        lf_camera_contact contact;
        there.position = to;
        lf__camera_check(&there, land, to, &contact);
        met = contact.met;
    }
    if (met) {
        s.result.did |= LF_CAMERA_STOPPED;
        s.result.share = 0;
    }
    camera_finish(&s, camera);
    if (!met)
        camera->position = to;
    *result = s.result;
}

// ---------------------------------------------------------------------------------------------------
// Public calls: arguments are checked here, and only here
// ---------------------------------------------------------------------------------------------------

/// A position that is finite, not near the globe's centre, where down is undefined, and not so far out that
/// rounding exceeds the terrain.
static bool position_valid(const lf_ellipsoid *ellipsoid, lf_vec3 position) {
    double square = lf_vec3_dot(position, position),
           low = 0.5 * ellipsoid->radius * (1 - ellipsoid->flattening);
    return square >= low * low && square <= 1e12 * ellipsoid->radius * ellipsoid->radius;
}

static bool camera_valid(const lf_camera *camera, const lf_globe *globe, lf__camera_land *land) {
    if (!camera || !globe || camera->size != sizeof *camera)
        return false;
    *land = lf__camera_land_of(globe);
    // A sum times 0 is 0, unless a term is infinite or NaN.
    lf_vec3 sum = lf_vec3_add(lf_vec3_add(camera->velocity, camera->turn),
                              lf_vec3_add(camera->acceleration, camera->turn_acceleration));
    return position_valid(&land->ellipsoid, camera->position) && (sum.x + sum.y + sum.z) * 0 == 0 &&
           camera->clearance >= 0 && isfinite(camera->clearance) && camera->raise_limit > 0 &&
           camera->look_ahead >= 0 && isfinite(camera->look_ahead);
}

lf_status lf_camera_step(lf_camera *camera, const lf_globe *globe, double dt, lf_camera_result *result) {
    lf__camera_land land;
    lf_camera_result own;
    if (!camera_valid(camera, globe, &land) || !(dt > 0) || !isfinite(dt))
        return LF_BAD_ARGUMENT;
    lf__camera_step(camera, &land, dt, result ? result : &own);
    return lf__globe_told(globe, LF_OK);
}

lf_status lf_camera_move(lf_camera *camera, const lf_globe *globe, lf_vec3 to, lf_camera_result *result) {
    lf__camera_land land;
    lf_camera_result own;
    if (!camera_valid(camera, globe, &land) || !position_valid(&land.ellipsoid, to))
        return LF_BAD_ARGUMENT;
    lf__camera_move(camera, &land, to, result ? result : &own);
    return lf__globe_told(globe, LF_OK);
}

lf_status lf_camera_check(const lf_camera *camera, const lf_globe *globe, lf_vec3 to,
                          lf_camera_contact *contact) {
    lf__camera_land land;
    if (contact)
        *contact = (lf_camera_contact){0};
    if (!contact || !camera_valid(camera, globe, &land) || !position_valid(&land.ellipsoid, to))
        return LF_BAD_ARGUMENT;
    lf__camera_check(camera, &land, to, contact);
    return lf__globe_told(globe, LF_OK);
}

lf_status lf_camera_aim(lf_camera *camera, lf_vec3 to, double dt) {
    if (!camera || camera->size != sizeof *camera || !lf_vec3_finite(camera->position) ||
        !lf_vec3_finite(to) || !(lf_vec3_length(camera->position) > 0) || !(lf_vec3_length(to) > 0) ||
        !(dt > 0) || !isfinite(dt))
        return LF_BAD_ARGUMENT;
    lf__camera_aim(camera, to, dt);
    return LF_OK;
}

#undef HALVINGS
