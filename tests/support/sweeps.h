/// Sweeps with all arguments in a row.
#ifndef TEST_SWEEPS_H
#define TEST_SWEEPS_H

#include <landfall/ground.h>

static inline lf_status sweep_sphere(const lf_ground *ground, lf_vec3 centre, double radius, lf_vec3 motion,
                                     double tolerance, lf_hit *hit, lf_cursor *cursor) {
    lf_sweep sweep = lf_sweep_sphere(centre, radius, motion);
    sweep.tolerance = tolerance;
    return lf_ground_sweep(ground, &sweep, hit, cursor);
}

static inline lf_status sweep_box(const lf_ground *ground, const lf_pose *pose, lf_vec3 half, lf_vec3 motion,
                                  double tolerance, lf_hit *hit, lf_cursor *cursor) {
    lf_sweep sweep = lf_sweep_box(*pose, half, motion);
    sweep.tolerance = tolerance;
    return lf_ground_sweep(ground, &sweep, hit, cursor);
}

#endif
