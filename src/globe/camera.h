/// What the camera's files share.
#ifndef LF_GLOBE_CAMERA_H
#define LF_GLOBE_CAMERA_H

#include "globe/flight.h"

/// As the public calls of these names, over any land; arguments have been checked, and result is not optional.
void lf__camera_step(lf_camera *camera, const lf__camera_land *land, double dt, lf_camera_result *result);
void lf__camera_move(lf_camera *camera, const lf__camera_land *land, lf_vec3 to, lf_camera_result *result);
void lf__camera_check(const lf_camera *camera, const lf__camera_land *land, lf_vec3 to,
                      lf_camera_contact *contact);
void lf__camera_aim(lf_camera *camera, lf_vec3 to, double dt);

#endif
