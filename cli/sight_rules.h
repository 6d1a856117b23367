/// What the commands about sight share: curvature and voids (--cc, --k, --radius, --holes, --freq), and observers (--at, files).
#ifndef CLI_SIGHT_RULES_H
#define CLI_SIGHT_RULES_H

#include "ground.h"
#include <landfall/io.h>
#include <landfall/sight.h>

/// The rules that the options ask for; what they leave open is NaN until the ground is known.
lf_sight_rules sight_rules_read(const cli *run);

/// Settle by the ground what was left open: the coefficient by its CRS, radius, degrees and ellipsoid. NULL: no ground, a flat earth.
void sight_rules_settle(const loaded *ground, lf_sight_rules *rules);

/// Both, for the ground of a run.
lf_sight_rules sight_rules_of(const cli *run);

/// Points of the ground's system. Names live in `marks`; NULL where there is none.
typedef struct observers {
    lf_vec2 *at;
    double *heights;
    const char **names;
    int64_t count;
    lf_points *marks;
} observers;

/// The values of --at: X,Y[,H]; --eye (2 by default) where H is left out. Prints what is wrong and returns false.
bool observers_from_options(const cli *run, double eye, observers *observers);

/// A file of points behind those there are. Those of a text are in the system of --crs, those of another file in its own.
bool observers_from_file(cli *run, const char *path, double eye, observers *observers);

/// Free the names.
void observers_free(observers *observers);

/// The point at a height above the ground, or with --datum at that height. False where there is no ground to stand on: the reason.
bool observer_stand(const cli *run, lf_vec2 at, double height, lf_vec3 *point, lf_reason *reason);

#endif
