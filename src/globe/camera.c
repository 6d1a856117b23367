/// Cameras that keep clear of the ground: one step, one move, one check.
#include "globe/camera.h"
#include "base/base.h"
#include "geom/geometry.h"
#include "ground/group.h"
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
    bool free; ///< nothing of the world is near the path, as it was given, as far as it is looked at
} camera_step;

/// The ground of the globe at a place of its map.
static void ground_at(const camera_step *s, const lf_geodetic *place, lf_globe_elevation *ground,
                      lf_vec3 *normal) {
    lf__globe_camera_ground(s->flight.land->face->globe, place->lon_deg, place->lat_deg, ground, normal);
}

static void tell_contact(camera_step *s, const lf__encounter *met, bool within) {
    lf_camera_contact *contact = &s->result.contact;
    const lf__camera_land *land = s->flight.land;
    contact->met = within;
    contact->time = met->at.time;
    contact->position = lf__flight_at(&s->flight, met->at.time);
    if (!met->swept) {
        contact->geodetic = met->at.place;
        ground_at(s, &met->at.place, &contact->ground, &contact->normal);
        return;
    }
    contact->hit = met->hit;
    contact->normal = met->hit.normal;
    if (land->face)
        contact->geodetic = lf__place_of(&land->ellipsoid, contact->position);
}

/// The depth that the movement would reach below the ground, or below its upper bound where it is not known.
static void tell_depth(camera_step *s, const lf__encounter *met) {
    if (met->swept) {
        lf_vec3 rest = lf_vec3_sub(lf__flight_at(&s->flight, s->dt), lf__flight_at(&s->flight, met->at.time));
        s->result.contact.depth = fmax(0, -lf_vec3_dot(rest, met->hit.normal));
        return;
    }
    lf__moment deepest;
    double depth = lf__flight_depth(&s->flight, s->dt, &deepest);
    if (!(depth > 0))
        return;
    lf_globe_elevation ground;
    lf_vec3 normal;
    ground_at(s, &deepest.place, &ground, &normal);
    if (ground.reason == LF_REASON_ANSWERED && !ground.coarser)
        depth = ground.height + s->flight.clearance - deepest.place.height;
    s->result.contact.depth = fmax(depth, 0);
}

/// What is met first within the time from..to; the camera rises over the globe by `rise`.
static bool meets_first(camera_step *s, double from, double rise, lf__encounter *first) {
    lf__flight *flight = &s->flight;
    const lf__camera_land *land = flight->land;
    first->swept = false;
    bool met = land->face && lf__flight_first(flight, from, s->dt, rise, &first->at);
    lf__encounter other;
    if (land->world && lf__flight_world_first(flight, from, met ? first->at.time : s->dt, 0, &other)) {
        *first = other;
        met = true;
    }
    return met;
}

/// A velocity that leads into a surface, turned along it, and along the edge of that and the surface before it where it leads
/// into that one.
static lf_vec3 velocity_along(lf_vec3 velocity, lf_vec3 normal, const lf_vec3 *before) {
    lf_vec3 along = lf_vec3_along(velocity, -lf_vec3_dot(velocity, normal), normal);
    if (!before || !(lf_vec3_dot(along, *before) < 0))
        return along;
    lf_vec3 edge = lf_vec3_cross(normal, *before);
    double square = lf_vec3_dot(edge, edge);
    return square > 1e-12 ? lf_vec3_scale(edge, lf_vec3_dot(velocity, edge) / square) : (lf_vec3){0, 0, 0};
}

/// Deflect the velocity of the last piece from a moment on, so that it leads along the ground. False: it does
/// not lead into the ground. before: the normal of something of the world that it slides along already; or NULL.
static bool slide(camera_step *s, const lf__encounter *met, const lf_vec3 *before, lf_vec3 *normal) {
    lf__flight *flight = &s->flight;
    int last = flight->piece_count - 1;
    double time = met->at.time, rest = s->dt - time;
    lf_globe_elevation ground;
    if (met->swept)
        *normal = met->hit.normal;
    else
        ground_at(s, &met->at.place, &ground, normal);
    lf_vec3 velocity = lf_vec3_sub(flight->pieces[last].velocity, flight->nudges[last]), nudge = {0, 0, 0};
    double into = lf_vec3_dot(velocity, *normal);
    if (!(into * s->dt < -1e-3)) // a millimetre: raising will do
        return false;
    lf_camera_piece next = flight->pieces[last];
    next.start = time;
    next.from = lf__flight_at(flight, time);
    next.velocity = velocity_along(velocity, *normal, met->swept ? before : NULL);
    if (met->swept && rest > 1e-3 * s->dt) // back to the skin
        nudge = lf_vec3_scale(*normal, fmax(0, LF__FLIGHT_SKIN - flight->margin) / rest);
    int contacts = flight->contacts[last] + 1;
    if (time > flight->pieces[last].start) {
        if (flight->piece_count == LF_CAMERA_PIECES)
            return false;
        last = flight->piece_count++;
    }
    flight->contacts[last] = contacts;
    flight->nudges[last] = nudge;
    if (met->swept)
        next.velocity = lf_vec3_add(next.velocity, nudge);
    flight->pieces[last] = next;
    s->result.did |= LF_CAMERA_SLID;
    s->free = false;
    return true;
}

/// Deflect the path until its velocity leads into no ground. The first contact counts in full; afterwards the
/// camera is on the ground, and the height that it can be raised by counts too.
static void slide_along(camera_step *s, const lf__encounter *first) {
    lf__encounter met = *first;
    lf_vec3 normals[2];
    const lf_vec3 *before = NULL;
    double rise = isfinite(s->limit) ? s->limit : 0;
    for (int i = 0; i < LF_CAMERA_PIECES && slide(s, &met, before, &normals[i & 1]); i++) {
        before = met.swept ? &normals[i & 1] : NULL;
        if (!meets_first(s, met.at.time, rise, &met))
            return;
    }
}

/// The least rate that clears the path until a time, as lf__flight_rate: not more than `limit` for the world, or INFINITY.
static double rate_until(camera_step *s, double to, double limit, lf__encounter *where) {
    const lf__camera_land *land = s->flight.land;
    double rate = land->face ? lf__flight_rate(&s->flight, to, &where->at) : 0;
    where->swept = false;
    if (!land->world || isinf(rate) || rate > limit || (rate == 0 && s->free))
        return rate;
    lf__encounter met;
    if (!lf__flight_world_first(&s->flight, 0, to, rate, &met))
        return rate;
    *where = met;
    return lf__flight_world_rate(&s->flight, to, rate, limit, &met);
}

/// Can this part of the path be covered within the frame? Then `rate` is the rate at which the camera must rise.
static bool can_go(camera_step *s, double share, double *rate) {
    lf__encounter where;
    double by_way = rate_until(s, share * s->dt, s->limit / share, &where);
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

/// Nothing is overhead as far as the camera can rise in a time?
static bool sky_is_open(const camera_step *s, double time) {
    const lf__camera_land *land = s->flight.land;
    lf_box box = lf_ground_box(land->world);
    double height = fmin(s->limit * time, lf_vec3_length(lf_vec3_sub(box.high, box.low)));
    lf_vec3 up = lf__land_up(land, s->result.from);
    return lf__flight_world_free(&s->flight, s->result.from, lf_vec3_scale(up, height)) == 1;
}

/// The height by which a camera that cannot move on must rise to do so: the least up to `most` from which the path is free for a
/// while; `most` where there is none, as far as nothing is overhead.
static double height_to_go(camera_step *s, double most) {
    lf_vec3 from = s->result.from, up = lf__land_up(s->flight.land, from);
    lf_vec3 way = lf_vec3_sub(lf__flight_at(&s->flight, s->dt), from);
    double low = 0, high = most * lf__flight_world_free(&s->flight, from, lf_vec3_scale(up, most));
    for (int i = 0; i < HALVINGS / 2; i++) {
        double middle = 0.5 * (low + high), share = i == 0 ? high : middle;
        bool free = lf__flight_world_free(&s->flight, lf_vec3_along(from, share, up), way) > 0.01;
        if (i == 0 && !free)
            break;
        if (i > 0)
            *(free ? &high : &low) = middle;
    }
    return high;
}

static void hold(camera_step *s) {
    lf_camera_result *result = &s->result;
    lf__flight *flight = &s->flight;
    lf__moment deepest;
    lf__encounter met;
    double needed, most = 0;
    if (flight->land->face)
        most = lf__flight_depth(flight, s->dt, &deepest) + LF__FLIGHT_SKIN;
    result->did |= LF_CAMERA_HELD;
    result->share = share_to_go(s, &needed);
    // It rises as fast as permitted, but not above the highest ground on its path.
    double rate = fmin(s->limit, fmax(needed, most / s->dt));
    if (flight->land->world && result->share > 0) {
        if (rate > needed &&
            lf__flight_world_first(flight, 0, result->share * s->dt, rate / result->share, &met))
            rate = needed;
    } else if (flight->land->world) {
        double length = lf_vec3_length(lf_vec3_sub(lf__flight_at(flight, s->dt), result->from));
        double height = fmin(s->limit * s->dt, fmax(length + flight->clearance, rate * s->dt));
        rate = sky_is_open(s, s->dt) || rate > 0 ? height_to_go(s, height) / s->dt : 0;
    }
    result->raise_rate = rate;
}

/// Too near to something at the start: away from it.
static void retreat(camera_step *s, const lf__nearness *near) {
    lf_camera_result *result = &s->result;
    double most = s->limit * s->dt, wanted = near->lack + LF__FLIGHT_SKIN;
    result->did |= LF_CAMERA_RECOVERING | LF_CAMERA_HELD;
    result->share = 0;
    result->away = lf_vec3_scale(near->away, fmin(most, near->free) / s->dt);
    result->frames = (int64_t)fmax(1, fmin(ceil(wanted / most), 1e15));
    lf__encounter met = {.swept = true, .hit = near->hit};
    tell_contact(s, &met, true);
    result->contact.depth = near->lack;
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
    if (s->flight.land->world) { // not into what is overhead
        lf_vec3 up = lf__land_up(s->flight.land, result->from);
        result->raise_rate *=
            lf__flight_world_free(&s->flight, result->from, lf_vec3_scale(up, result->raise_rate * s->dt));
    }
    result->frames = (int64_t)fmin(ceil(wanted / (s->limit * s->dt)), 1e15);
    if (result->frames < 1)
        result->frames = 1;
    lf__encounter start = {.at = {0, lf__place_of(ellipsoid, result->from)}};
    tell_contact(s, &start, true);
    result->contact.depth = lack;
}

/// Is the camera below ground, or too near to something, at the start? Then it recovers. to: how far ahead the path is looked at.
static bool starts_badly(camera_step *s, double to) {
    lf__flight *flight = &s->flight;
    const lf__camera_land *land = flight->land;
    lf__nearness near;
    double lack = land->face ? lf__flight_start(flight) : 0;
    s->free = land->face && land->world && lf__flight_world_clear(flight, to);
    bool crowded = land->world && !s->free && lf__flight_world_near(flight, s->result.from, &near);
    if (lack > 2e-6) // metres: more than the rounding of a camera that is just clear
        recover(s, lack);
    else if (crowded)
        retreat(s, &near);
    return lack > 2e-6 || crowded;
}

/// The rate to rise at, of that which clears everything ahead and that which clears the frame. Where the limit does not clear what
/// is ahead, the camera rises at the limit, unless something is overhead.
static double rate_to_rise(camera_step *s, double rate, double within, double look_ahead) {
    lf__encounter met;
    if (!s->flight.land->world || (rate <= s->limit && isfinite(rate)))
        return fmin(rate, s->limit);
    bool useful = isfinite(s->limit) && sky_is_open(s, s->dt + look_ahead) &&
                  !lf__flight_world_first(&s->flight, 0, s->dt, s->limit, &met);
    return useful ? s->limit : within;
}

/// Decide how the camera clears the ground on its path.
static void respond(camera_step *s, double look_ahead) {
    lf_camera_result *result = &s->result;
    lf__encounter worst, first;
    double end = s->dt + look_ahead;
    if (starts_badly(s, end))
        return;
    double rate = rate_until(s, end, s->limit, &worst);
    if (!(rate > 0))
        return;
    double within = rate;
    if (worst.at.time > s->dt || look_ahead > 0)
        within = rate_until(s, s->dt, s->limit, &first);
    if (within > 0 && meets_first(s, 0, 0, &first)) {
        tell_contact(s, &first, true);
        tell_depth(s, &first);
        slide_along(s, &first);
        if (result->did & LF_CAMERA_SLID) {
            rate = rate_until(s, end, s->limit, &worst);
            within = rate_until(s, s->dt, s->limit, &first);
        }
    } else {
        tell_contact(s, &worst, false);
    }
    if (within > 0)
        result->did |= LF_CAMERA_RAISED;
    result->raise_rate = rate_to_rise(s, rate, within, look_ahead);
    if (rate > within && (!s->flight.land->world || result->raise_rate > within))
        result->did |= LF_CAMERA_AHEAD;
    if (within > s->limit || isinf(within))
        hold(s);
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
    camera->position = lf__camera_at(result, s->flight.land, s->dt);
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
        camera->velocity = lf_vec3_sub(s->flight.pieces[last].velocity, s->flight.nudges[last]);
    if (!(result->raise_rate > 0))
        return;
    lf_vec3 up = lf__land_up(s->flight.land, camera->position);
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
static lf_camera_piece way_between(const lf__camera_land *land, lf_vec3 from, lf_vec3 to, double dt) {
    lf_vec3 origin = land->frame->origin;
    lf_camera_piece piece = {.from = from};
    if (land->frame->kind == LF_FRAME_GRAVITY) {
        lf_vec3 way = lf_vec3_scale(lf_vec3_sub(to, from), 1 / dt), down = lf_vec3_unit(land->frame->down);
        piece.velocity = lf_vec3_scale(down, lf_vec3_dot(way, down));
        piece.turn = lf_vec3_sub(way, piece.velocity);
        return piece;
    }
    if (origin.x != 0 || origin.y != 0 || origin.z != 0) {
        lf_frame centred = *land->frame;
        centred.origin = (lf_vec3){0, 0, 0};
        lf__camera_land other = {.frame = &centred};
        piece = way_between(&other, lf_vec3_sub(from, origin), lf_vec3_sub(to, origin), dt);
        piece.from = from;
        return piece;
    }
    lf_vec3 a = lf_vec3_unit(from), b = lf_vec3_unit(to), axis = lf_vec3_cross(a, b);
    double s = lf_vec3_length(axis), c = lf_vec3_dot(a, b), angle = atan2(s, c);
    if (!(s > 1e-300)) { // the same direction, or straight through the centre: any axis will do
        axis = lf_vec3_cross(a, fabs(a.z) < 0.7 ? (lf_vec3){0, 0, 1} : (lf_vec3){1, 0, 0});
        angle = c < 0 ? acos(-1.0) : 0;
    }
    piece.turn = lf_vec3_scale(lf_vec3_unit(axis), angle / dt);
    lf_vec3 turned = lf__flight_turned(from, lf_vec3_scale(piece.turn, dt));
    piece.velocity = lf_vec3_scale(lf_vec3_sub(to, turned), 1 / dt);
    return piece;
}

void lf__camera_aim(lf_camera *camera, const lf__camera_land *land, lf_vec3 to, double dt) {
    lf_camera_piece piece = way_between(land, camera->position, to, dt);
    camera->velocity = piece.velocity;
    camera->turn = piece.turn;
    camera->acceleration = camera->turn_acceleration = (lf_vec3){0, 0, 0};
}

/// A camera that does not move: only the ground below it, and what is near, is checked.
static bool meets_at(camera_step *s) {
    lf_camera_contact *contact = &s->result.contact;
    const lf__camera_land *land = s->flight.land;
    lf_vec3 position = s->result.from;
    lf__nearness near;
    double depth;
    contact->met = false;
    contact->position = position;
    if (land->face)
        contact->geodetic = lf__place_of(&land->ellipsoid, position);
    if (land->face && !lf__flight_clear(land, contact->geodetic, s->flight.clearance, &depth)) {
        contact->met = true;
        contact->depth = depth;
        ground_at(s, &contact->geodetic, &contact->ground, &contact->normal);
    } else if (land->world && lf__flight_world_near(&s->flight, position, &near)) {
        contact->met = true;
        contact->depth = near.lack;
        contact->normal = near.away;
        contact->hit = near.hit;
    }
    return contact->met;
}

static bool camera_meets(camera_step *s, lf_vec3 to) {
    lf__encounter first;
    s->flight.pieces[0] = way_between(s->flight.land, s->result.from, to, s->dt);
    if (meets_at(s))
        return true;
    s->result.contact = (lf_camera_contact){0};
    if (!meets_first(s, 0, 0, &first))
        return false;
    tell_contact(s, &first, true);
    tell_depth(s, &first);
    return true;
}

static bool rests_at(const lf_camera *camera, lf_vec3 to) {
    return to.x == camera->position.x && to.y == camera->position.y && to.z == camera->position.z;
}

void lf__camera_check(const lf_camera *camera, const lf__camera_land *land, lf_vec3 to,
                      lf_camera_contact *contact) {
    bool rests = rests_at(camera, to);
    if (rests && !land->world) { // most often clear, which needs nothing else
        lf_geodetic place = lf__place_of(&land->ellipsoid, camera->position);
        double depth;
        if (lf__flight_clear(land, place, camera->clearance, &depth)) {
            contact->met = false;
            return;
        }
    }
    camera_step s = step_start(camera, land, 1);
    if (rests)
        meets_at(&s);
    else
        camera_meets(&s, to);
    *contact = s.result.contact;
}

void lf__camera_move(lf_camera *camera, const lf__camera_land *land, lf_vec3 to, lf_camera_result *result) {
    camera_step s = step_start(camera, land, 1);
    bool met = camera_meets(&s, to);
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
static bool position_valid(const lf__camera_land *land, lf_vec3 position) {
    const lf_ellipsoid *ellipsoid = &land->ellipsoid;
    double square = lf_vec3_dot(position, position),
           low = 0.5 * ellipsoid->radius * (1 - ellipsoid->flattening);
    if (land->face)
        return square >= low * low && square <= 1e12 * ellipsoid->radius * ellipsoid->radius;
    lf_vec3 down = square <= LF__FARTHEST ? lf_frame_down(land->frame, position) : (lf_vec3){0, 0, 0};
    return down.x != 0 || down.y != 0 || down.z != 0;
}

static bool camera_valid(const lf_camera *camera, const lf_ground *ground, lf__camera_land *land) {
    if (!camera || !ground || camera->size != sizeof *camera)
        return false;
    lf__camera_land_find(ground, camera->layers, land);
    // A sum times 0 is 0, unless a term is infinite or NaN.
    lf_vec3 sum = lf_vec3_add(lf_vec3_add(camera->velocity, camera->turn),
                              lf_vec3_add(camera->acceleration, camera->turn_acceleration));
    return position_valid(land, camera->position) && (sum.x + sum.y + sum.z) * 0 == 0 &&
           camera->clearance >= 0 && isfinite(camera->clearance) && camera->raise_limit > 0 &&
           camera->look_ahead >= 0 && isfinite(camera->look_ahead);
}

/// Begin and end a query of the land: a globe that loads is used by one thread at a time.
static bool land_begin(const lf__camera_land *land, const lf_ground *ground) {
    if (lf__ground_status(ground, LF_OK) != LF_OK)
        return false;
    if (land->face)
        lf__globe_face_begin(land->face);
    return true;
}

static lf_status land_end(const lf__camera_land *land, const lf_ground *ground) {
    if (land->face)
        lf__globe_face_end(land->face);
    return lf__ground_status(ground, LF_OK);
}

lf_status lf_camera_step(lf_camera *camera, const lf_ground *ground, double dt, lf_camera_result *result) {
    lf__camera_land land;
    lf_camera_result own;
    if (!camera_valid(camera, ground, &land) || !(dt > 0) || !isfinite(dt))
        return LF_BAD_ARGUMENT;
    if (!land_begin(&land, ground))
        return lf__ground_status(ground, LF_OK);
    lf__camera_step(camera, &land, dt, result ? result : &own);
    return land_end(&land, ground);
}

lf_status lf_camera_move(lf_camera *camera, const lf_ground *ground, lf_vec3 to, lf_camera_result *result) {
    lf__camera_land land;
    lf_camera_result own;
    if (!camera_valid(camera, ground, &land) || !position_valid(&land, to))
        return LF_BAD_ARGUMENT;
    if (!land_begin(&land, ground))
        return lf__ground_status(ground, LF_OK);
    lf__camera_move(camera, &land, to, result ? result : &own);
    return land_end(&land, ground);
}

lf_status lf_camera_check(const lf_camera *camera, const lf_ground *ground, lf_vec3 to,
                          lf_camera_contact *contact) {
    lf__camera_land land;
    if (contact)
        lf__clear(contact, sizeof *contact);
    if (!contact || !camera_valid(camera, ground, &land) ||
        (!rests_at(camera, to) && !position_valid(&land, to)))
        return LF_BAD_ARGUMENT;
    // A query loads only on the finest ground; elsewhere there is nothing to begin.
    bool loads = land.face && land.face->finest;
    if (loads && !land_begin(&land, ground))
        return lf__ground_status(ground, LF_OK);
    lf__camera_check(camera, &land, to, contact);
    return loads ? land_end(&land, ground) : lf__ground_status(ground, LF_OK);
}

lf_status lf_camera_aim(lf_camera *camera, const lf_ground *ground, lf_vec3 to, double dt) {
    if (!camera || !ground || camera->size != sizeof *camera || !lf_vec3_finite(camera->position) ||
        !lf_vec3_finite(to) || !(dt > 0) || !isfinite(dt))
        return LF_BAD_ARGUMENT;
    lf__camera_land land;
    lf__camera_land_find(ground, camera->layers, &land);
    lf_vec3 origin = land.frame->origin;
    if (land.frame->kind != LF_FRAME_GRAVITY &&
        (!(lf_vec3_length(lf_vec3_sub(camera->position, origin)) > 0) ||
         !(lf_vec3_length(lf_vec3_sub(to, origin)) > 0)))
        return LF_BAD_ARGUMENT;
    lf__camera_aim(camera, &land, to, dt);
    return LF_OK;
}

#undef HALVINGS
