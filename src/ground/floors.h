/// The floors over one piece of a way: surfaces that lie all along it, and how high they are. All but bilinear patches are
/// flat; those bend, and their height along the way is quadratic.
#ifndef LF_GROUND_FLOORS_H
#define LF_GROUND_FLOORS_H

#include "base/array.h"
#include "ground/ground.h"

#define LF__FLOORS_ROOM 32

typedef struct lf__floor {
    lf_hit hit;
    double t;    ///< of the line that met it
    double bend; ///< its height is that of the hit's plane and bend * (t - this t)^2
} lf__floor;

/// Floors; the first few need no memory.
typedef struct lf__floors {
    lf_allocator allocator;
    lf__floor few[LF__FLOORS_ROOM];
    lf__array many; ///< of lf__floor, once there are more
    int64_t count;
    bool failed;             ///< no memory
    const lf_ground *ground; ///< being asked, and along what
    const lf__track *track;
    double t;
} lf__floors;

/// The floor of a hit of the line at t.
lf__floor lf__floor_of(const lf_ground *ground, const lf__track *track, double t, const lf_hit *hit);

void lf__floors_start(lf__floors *floors, const lf_allocator *allocator);
void lf__floors_free(lf__floors *floors);

/// Everything that the gravity line at t of a track meets, looking down.
lf_status lf__floors_ask(lf__floors *floors, const lf_ground *ground, const lf__track *track, double t,
                         lf_cursor *cursor);

const lf__floor *lf__floors_list(const lf__floors *floors);

/// How high a floor is at t, in metres along gravity, counted as the track counts: along a gravity vector from the
/// segment itself, else from the centre or the axis.
double lf__floor_height(const lf__track *track, const lf__floor *floor, double t);

/// When does one floor, from t_first on up to t_last, first lie more than `low` but not more than `high` above another?
/// false: never.
typedef struct lf__floor_race {
    const lf__track *track;
    const lf__floor *below, *above;
    double low, high;
} lf__floor_race;

bool lf__floor_first_within(const lf__floor_race *race, double t_first, double t_last, double *t);

#endif
