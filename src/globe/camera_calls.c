/// The camera's public face: arguments are checked here, and only here.
#include "globe/camera.h"
#include "globe/globe.h"
#include <string.h>

const char *lf_camera_act_name(lf_camera_act act) {
    switch (act) {
#define WORD(name, bit, word, why) \
    case name:                     \
        return word;
        LF_CAMERA_ACT_LIST(WORD)
#undef WORD
    }
    return "?";
}

const char *lf_camera_act_reason(lf_camera_act act) {
    switch (act) {
#define WHY(name, bit, word, why) \
    case name:                    \
        return why;
        LF_CAMERA_ACT_LIST(WHY)
#undef WHY
    }
    return "?";
}

/// A position that is finite, not in the globe's core, where down is no direction, and not so far out that nothing can be told.
static bool position_valid(const lf_ellipsoid *ellipsoid, lf_vec3 position) {
    double square = lf_vec3_dot(position, position),
           low = 0.5 * ellipsoid->radius * (1 - ellipsoid->flattening);
    return square >= low * low && square <= 1e12 * ellipsoid->radius * ellipsoid->radius;
}

static bool camera_valid(const lf_camera *camera, const lf_globe *globe, lf__camera_land *land) {
    if (!camera || !globe || camera->size != sizeof *camera)
        return false;
    *land = lf__camera_land_of(globe);
    // A sum times 0 is 0, unless something in it is infinite or no number.
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
