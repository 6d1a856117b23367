/// What the definitions say of horizons and of the sun, with the doubt that a rounded direction leaves.
#ifndef LF_TESTS_HORIZON_JUDGE_H
#define LF_TESTS_HORIZON_JUDGE_H

#include "sight_oracle.h"
#include <landfall/sight.h>

/// A point that looks round.
typedef struct horizon_eye {
    lf_vec3 from;
    lf_vec2 place; ///< in columns and rows
} horizon_eye;

/// A point over a sample: its place is exact.
horizon_eye horizon_eye_over(const grid_bench *bench, int64_t sample, double above);

/// The skyline in one direction.
typedef struct horizon_truth {
    double low_deg, high_deg; ///< of what may be said
    bool none, hole;          ///< no ground, or a hole, in that direction
    bool may_be_none, may_be_hole, may_be_ground, may_be_whole;
    exact_range slope; ///< of the direction as it is
} horizon_truth;

/// doubt  take in what the direction gives when it is turned by a bit
horizon_truth horizon_truth_of(const grid_bench *bench, const lf_sight_rules *rules, horizon_eye eye,
                               double azimuth, double range, bool doubt);

/// Which lf_visibility values the sun may have over a point: a set of bits 1 << value.
unsigned horizon_light(const grid_bench *bench, const lf_sight_rules *rules, horizon_eye eye, lf_sun sun,
                       double range, bool doubt);

/// Count a fault, and when it is the first of its kind print all that is needed to ask again.
void horizon_wrong(grid_oracle *oracle, const grid_bench *bench, const lf_sight_rules *rules, horizon_eye eye,
                   const double numbers[3], const char *what);

#endif
