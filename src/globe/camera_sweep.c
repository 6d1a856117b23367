/// Cameras against everything but the globe: the sphere of the clearance, swept along the path.
#include "globe/camera.h"
#include "ground/group.h"
#include "ground/sweep.h"

// The path is straight, or nearly so: a stretch of it is swept along its chord, with a sphere that is larger
// by how far the stretch may be off its chord. Where that meets nothing, nothing is met; where it does, the
// stretch is cut in two, until the difference does not matter.
//
// A sphere that touches something at its start cannot be swept away from it. So the camera is kept a margin
// farther away than its clearance, and after each contact the path is swept with a sphere that is smaller by
// two tolerances than before: where one piece ended with a contact, the next begins without.

#define MARGIN \
    0.008 // metres beyond the clearance, less than LF__FLIGHT_SKIN; less where there is no space for it
#define CAMERA_SLACK 2e-6 // metres by which a camera may be too near before it moves away
#define TOUCH 1e-7        // tolerance of a sphere at rest
#define LEAST_TOLERANCE 5e-7
#define MOST_TOLERANCE 1e-4
#define OFF_AHEAD 0.01   // metres that a path further ahead than the frame may be off its chord
#define MOST_SWEEPS 5000 // of a step; the rest counts as ground
#define DEEPEST_CUT 40
#define MOST_DOUBLINGS 40
#define RATE_HALVINGS 6  // of the interval of rates
#define NEAR_HALVINGS 60 // of the interval of distances, at most

/// Does a sphere at rest touch anything?
static bool touches_world(const lf__camera_land *land, lf_vec3 centre, double radius, lf_hit *hit) {
    lf_sweep sphere = lf_sweep_sphere(centre, fmax(radius, 0), (lf_vec3){0, 0, 0});
    sphere.tolerance = TOUCH;
    return lf__sweep_sphere(land->world, &sphere, land->layers, !land->face, hit);
}

/// A piece that ended with a contact does not meet it again.
static double radius_of(const lf__flight *flight, int piece) {
    int contacts = flight->contacts[piece] + (piece + 1 < flight->piece_count);
    return fmax(flight->clearance + flight->margin - 2 * (contacts + 1) * flight->tolerance, 0);
}

static void set_margin(lf__flight *flight, double margin) {
    flight->margin = margin;
    flight->tolerance = fmin(fmax(margin / 32, LEAST_TOLERANCE), MOST_TOLERANCE);
}

// ---------------------------------------------------------------------------------------------------
// Along the path
// ---------------------------------------------------------------------------------------------------

/// A piece of a path, raised at a rate.
typedef struct stretch {
    lf__flight *flight;
    int piece;
    double rate, bend;
    lf__encounter *first;
} stretch;

static lf_vec3 stretch_at(const stretch *s, double time) {
    lf_vec3 position = lf__flight_at(s->flight, time);
    return s->rate > 0 ? lf__land_raised(s->flight->land, position, s->rate * time) : position;
}

static bool stretch_meets(const stretch *s, double a, double b, int cuts) {
    lf__flight *flight = s->flight;
    double off = s->bend * (b - a) * (b - a) / 8;
    double enough = a < flight->skin_time ? 0.5 * flight->tolerance : OFF_AHEAD;
    lf_vec3 from = stretch_at(s, a);
    lf_sweep sphere =
        lf_sweep_sphere(from, radius_of(flight, s->piece) + off, lf_vec3_sub(stretch_at(s, b), from));
    sphere.tolerance = flight->tolerance;
    lf_hit hit;
    flight->bounds++;
    if (isfinite(off) &&
        !lf__sweep_sphere(flight->land->world, &sphere, flight->land->layers, !flight->land->face, &hit))
        return false;
    if (off > enough && cuts < DEEPEST_CUT && flight->bounds < MOST_SWEEPS) {
        double middle = 0.5 * a + 0.5 * b;
        return stretch_meets(s, a, middle, cuts + 1) || stretch_meets(s, middle, b, cuts + 1);
    }
    s->first->at.time = isfinite(off) ? a + hit.t * (b - a) : a;
    s->first->swept = true;
    s->first->hit = isfinite(off) ? hit : (lf_hit){.part = -1, .element = -1};
    return true;
}

bool lf__flight_world_first(lf__flight *flight, double from, double to, double rate, lf__encounter *first) {
    for (int i = 0; i < flight->piece_count; i++) {
        const lf_camera_piece *piece = &flight->pieces[i];
        double begin = fmax(from, piece->start);
        double end = i + 1 < flight->piece_count ? fmin(to, piece[1].start) : to;
        if (begin > end || (begin == end && i + 1 < flight->piece_count))
            continue;
        stretch s = {flight, i, rate, lf__flight_bend(flight, piece, rate, end), first};
        if (stretch_meets(&s, begin, end, 0))
            return true;
    }
    return false;
}

bool lf__flight_world_clear(lf__flight *flight, double to) {
    double off = lf__flight_bend(flight, flight->pieces, 0, to) * to * to / 8;
    lf_vec3 from = lf__flight_at(flight, 0);
    set_margin(flight, MARGIN);
    lf_sweep sphere =
        lf_sweep_sphere(from, flight->clearance + MARGIN + off, lf_vec3_sub(lf__flight_at(flight, to), from));
    lf_hit hit;
    sphere.tolerance = flight->tolerance;
    flight->bounds++;
    return isfinite(off) &&
           !lf__sweep_sphere(flight->land->world, &sphere, flight->land->layers, !flight->land->face, &hit);
}

double lf__flight_world_rate(lf__flight *flight, double to, double low, double limit,
                             const lf__encounter *first) {
    lf__encounter met = *first;
    double bad = low, good, time = fmax(first->at.time, 1e-9 * to);
    lf_box box = lf_ground_box(flight->land->world);
    // No rate beyond this one makes sense: it leads over everything until the first contact.
    limit = fmin(limit, lf_vec3_length(lf_vec3_sub(box.high, box.low)) / time);
    good = low + (flight->clearance + LF__FLIGHT_SKIN) / time;
    for (int i = 0;; i++) {
        good = fmin(good, limit);
        if (!lf__flight_world_first(flight, 0, to, good, &met))
            break;
        if (!(good < limit) || i == MOST_DOUBLINGS)
            return LF_INFINITY;
        bad = good;
        good *= 2;
    }
    for (int i = 0; i < RATE_HALVINGS && good - bad > good / 64; i++) {
        double middle = 0.5 * (bad + good);
        if (lf__flight_world_first(flight, 0, to, middle, &met))
            bad = middle;
        else
            good = middle;
    }
    return good;
}

double lf__flight_world_free(const lf__flight *flight, lf_vec3 position, lf_vec3 motion) {
    lf_sweep sphere = lf_sweep_sphere(position, radius_of(flight, 0), motion);
    lf_hit hit;
    sphere.tolerance = flight->tolerance;
    return lf__sweep_sphere(flight->land->world, &sphere, flight->land->layers, !flight->land->face, &hit)
               ? hit.t
               : 1;
}

// ---------------------------------------------------------------------------------------------------
// At rest
// ---------------------------------------------------------------------------------------------------

/// Is the back of terrain above a camera, and nothing below it? Terrain is a grid, or a mesh that is not part of a world, where
/// it could be the ceiling of a hall. With a globe there is ground below everything.
static bool below_world(const lf__flight *flight, lf_vec3 position, lf__nearness *near) {
    const lf__camera_land *land = flight->land;
    lf_cursor cursor = {.layers = land->layers};
    lf_hit below;
    if (land->face || !land->world->kind->height)
        return false;
    land->world->kind->height(land->world->object, &position, false, &near->hit, &cursor);
    lf_vec3 up = lf__land_up(land, position);
    bool terrain = near->hit.kind == LF_HIT_CELL ||
                   (near->hit.kind == LF_HIT_TRIANGLE && !lf__ground_group(land->world));
    if (!terrain || !(lf_vec3_dot(near->hit.normal, up) > 0))
        return false;
    land->world->kind->height(land->world->object, &position, true, &below, &cursor);
    if (below.kind != LF_HIT_NONE && below.t > 0)
        return false;
    near->lack = near->hit.t + flight->clearance;
    near->away = up;
    near->free = near->lack + LF__FLIGHT_SKIN; // what it passes through is the ground itself
    return near->hit.t > CAMERA_SLACK;
}

/// The largest radius of a sphere at rest that touches nothing, between one that does not and one that does.
static double clear_radius(const lf__camera_land *land, lf_vec3 position, double low, double high,
                           lf_hit *hit) {
    for (int i = 0; i < NEAR_HALVINGS && high - low > CAMERA_SLACK / 4; i++) {
        double middle = 0.5 * (low + high);
        if (touches_world(land, position, middle, hit))
            high = middle;
        else
            low = middle;
    }
    touches_world(land, position, high, hit);
    return low;
}

/// How far a camera can go that is too near: with a sphere that has space enough at its start.
static double free_away(const lf__flight *flight, lf_vec3 position, const lf__nearness *near,
                        double distance) {
    double wanted = near->lack + LF__FLIGHT_SKIN, ahead = distance > 1e-5 ? 0 : fmin(1e-5, 0.5 * wanted);
    lf_sweep sphere = lf_sweep_sphere(lf_vec3_along(position, ahead, near->away), 0.5 * distance,
                                      lf_vec3_scale(near->away, wanted - ahead));
    lf_hit hit;
    sphere.tolerance = fmax(distance / 64, TOUCH);
    bool met =
        lf__sweep_sphere(flight->land->world, &sphere, flight->land->layers, !flight->land->face, &hit);
    return met ? fmax(0, ahead + hit.t * (wanted - ahead)) : wanted;
}

bool lf__flight_world_near(lf__flight *flight, lf_vec3 position, lf__nearness *near) {
    const lf__camera_land *land = flight->land;
    double clearance = flight->clearance, least = fmax(clearance - CAMERA_SLACK, 0);
    set_margin(flight, MARGIN);
    if (below_world(flight, position, near))
        return true;
    if (!touches_world(land, position, clearance + MARGIN, &near->hit))
        return false;
    if (!touches_world(land, position, least, &near->hit)) {
        set_margin(flight, clear_radius(land, position, least, clearance + MARGIN, &near->hit) - clearance);
        return false;
    }
    double distance = least > 0 && !touches_world(land, position, 0, &near->hit)
                          ? clear_radius(land, position, 0, least, &near->hit)
                          : 0;
    near->lack = clearance - distance;
    near->away = near->hit.normal;
    near->free = free_away(flight, position, near, distance);
    return true;
}

#undef MARGIN
