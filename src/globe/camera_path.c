/// A camera on a path of positions: it starts above the ground, follows the path as far as the ground allows, and comes
/// down to it again.
#include "globe/camera.h"
#include <string.h>

lf_vec3 lf_camera_at(const lf_camera_result *result, const lf_ground *ground, double time) {
    lf__camera_land land;
    lf__camera_land_find(ground, UINT32_MAX, &land);
    return lf__camera_at(result, &land, time);
}

#define MOST_UPDATES 64 // of the globe before a frame, until all needed tiles have come
#define LEAST_AHEAD 2   // seconds ahead for which tiles are loaded, at least
#define NEGLIGIBLE 0.01 // metres above the path that are given up at once

static bool path_valid(const lf_camera_path *path) {
    return path && path->stops && path->stop_count >= 2 && path->tiles >= 0;
}

static bool stops_valid(const lf_camera_path *path) {
    for (int64_t i = 0; i < path->stop_count; i++) {
        const lf_camera_stop *stop = &path->stops[i];
        if (!lf_vec3_finite(stop->position) || !(fabs(stop->time) <= LF_CAMERA_LATEST) ||
            (i > 0 && !(stop->time - stop[-1].time >= LF_CAMERA_SHORTEST)))
            return false;
    }
    return true;
}

/// The index of the stop before a time: 0 .. stop_count - 2.
static int64_t stop_before(const lf_camera_path *path, double time) {
    int64_t low = 0, high = path->stop_count - 1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (path->stops[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static lf_vec3 path_at(const lf_camera_path *path, const lf__camera_land *land, double time, int64_t *stop) {
    int64_t low = stop_before(path, time);
    const lf_camera_stop *a = &path->stops[low], *b = a + 1;
    if (stop)
        *stop = low;
    if (time <= a->time)
        return a->position;
    if (time >= b->time)
        return b->position;
    // On the way that a camera takes which aims there.
    lf_camera camera = lf_camera_default();
    camera.position = a->position;
    lf__camera_aim(&camera, land, b->position, b->time - a->time);
    lf_camera_result way = {.share = 1, .from = a->position, .duration = b->time - a->time, .piece_count = 1};
    way.pieces[0] = (lf_camera_piece){0, a->position, camera.velocity, camera.turn};
    return lf__camera_at(&way, land, time - a->time);
}

lf_vec3 lf_camera_path_at(const lf_camera_path *path, const lf_ground *ground, double time, int64_t *stop) {
    lf__camera_land land;
    lf__camera_land_find(ground, UINT32_MAX, &land);
    return path_at(path, &land, time, stop);
}

/// Load tiles: some, or all that are needed where the camera is and where it is heading.
static lf_status load_tiles(const lf_camera *camera, lf_globe *globe, int64_t tiles) {
    if (!globe)
        return LF_OK;
    lf_globe_update_rules view = lf_globe_update_rules_default();
    lf_globe_change change;
    view.position = camera->position;
    view.velocity = lf_vec3_add(camera->velocity, lf_vec3_cross(camera->turn, camera->position));
    view.ahead = fmax(camera->look_ahead, LEAST_AHEAD);
    if (tiles > 0)
        view.most = tiles;
    for (int i = 0; i < MOST_UPDATES; i++) {
        lf_status status = lf_globe_update(globe, &view, &change);
        if (status != LF_OK || tiles > 0 || change.fetched == 0)
            return status;
    }
    return LF_OK;
}

lf_status lf_camera_path_begin(lf_camera *camera, const lf_ground *ground, const lf_camera_path *path,
                               lf_camera_frame *frame) {
    if (!camera || !ground || !frame || !path_valid(path) || !stops_valid(path))
        return LF_BAD_ARGUMENT;
    lf_camera moved = *camera;
    lf_camera_contact contact;
    lf_camera_frame first = {.time = path->stops[0].time,
                             .path_time = path->stops[0].time,
                             .goal = path->stops[0].position,
                             .result = {.share = 1, .from = path->stops[0].position}};
    moved.position = first.goal;
    lf_status status = lf_camera_check(&moved, ground, moved.position, &contact); // is it a position?
    if (status == LF_OK)
        status = load_tiles(&moved, path->globe, path->tiles);
    if (status == LF_OK)
        status = lf_camera_check(&moved, ground, moved.position, &contact);
    if (status != LF_OK)
        return status;
    if (contact.met) {
        first.result.did = LF_CAMERA_RECOVERING;
        first.result.contact = contact;
    }
    if (contact.met && contact.hit.kind == LF_HIT_NONE) { // no frame before this one could have raised it
        lf__camera_land land;
        lf__camera_land_find(ground, moved.layers, &land);
        lf_geodetic place = contact.geodetic;
        first.raised = contact.depth + LF__FLIGHT_SKIN;
        place.height += first.raised;
        moved.position = lf_ellipsoid_to_centred(&land.ellipsoid, place);
        first.result.raised = first.raised;
    }
    *camera = moved;
    *frame = first;
    return LF_OK;
}

/// How high above the path to aim. Down again only where it was not raised just before, or it would rise and sink in
/// turn.
static double height_left(const lf_camera *camera, const lf_camera_frame *frame, double dt) {
    if (frame->result.raise_rate > 0)
        return frame->raised;
    double left = frame->raised * fmax(0, 1 - dt / fmax(camera->look_ahead, dt));
    return fmax(left < NEGLIGIBLE ? 0 : left, frame->raised - camera->raise_limit * dt);
}

/// Where the frame ends on the path. Frames are as long as the path's own steps, also where the camera is behind; but
/// they end where those end. dt is the length of the path's step.
static double frame_end(const lf_camera_path *path, double path_time, double *dt) {
    const lf_camera_stop *stop = &path->stops[stop_before(path, path_time)];
    double last = path->stops[path->stop_count - 1].time;
    *dt = stop[1].time - stop->time;
    return path_time == stop->time ? stop[1].time : fmin(path_time + *dt, last);
}

/// A position of the path, so much higher.
static lf_vec3 raised_goal(const lf__camera_land *land, lf_vec3 goal, double height) {
    if (!land->face)
        return lf__land_raised(land, goal, height);
    lf_geodetic place = lf_ellipsoid_to_geodetic(&land->ellipsoid, goal);
    place.height += height;
    return lf_ellipsoid_to_centred(&land->ellipsoid, place);
}

lf_status lf_camera_path_step(lf_camera *camera, const lf_ground *ground, const lf_camera_path *path,
                              lf_camera_frame *frame) {
    if (!camera || !ground || !frame || !path_valid(path) || frame->arrived ||
        !(frame->path_time >= path->stops[0].time &&
          frame->path_time < path->stops[path->stop_count - 1].time))
        return LF_BAD_ARGUMENT;
    lf__camera_land land;
    lf__camera_land_find(ground, camera->layers, &land);
    double dt, end = frame_end(path, frame->path_time, &dt), step = end - frame->path_time;
    lf_vec3 next = path_at(path, &land, end, NULL), to = next;
    double left = height_left(camera, frame, dt);
    if (frame->raised > 0)
        to = raised_goal(&land, next, left);
    lf_camera moved = *camera;
    lf_camera_result result;
    lf_status status = lf_camera_aim(&moved, ground, to, step);
    if (status == LF_OK)
        status = load_tiles(&moved, path->globe, path->tiles);
    if (status == LF_OK)
        status = lf_camera_step(&moved, ground, step, &result);
    if (status != LF_OK)
        return status;
    bool free = result.did == 0 && left == 0;
    if (free)
        moved.position = next; // as given, to the last bit
    *camera = moved;
    frame->time += step;
    frame->path_time = result.share < 1 ? frame->path_time + result.share * step : end;
    frame->goal = path_at(path, &land, frame->path_time, NULL);
    frame->raised =
        free ? 0 : fmax(0, lf__land_height(&land, moved.position) - lf__land_height(&land, frame->goal));
    frame->arrived = frame->path_time >= path->stops[path->stop_count - 1].time;
    frame->result = result;
    return LF_OK;
}
