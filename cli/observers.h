/// Points that people name: --at, and files of points.
#ifndef CLI_OBSERVERS_H
#define CLI_OBSERVERS_H

#include "coordinates.h"
#include <landfall/io.h>

/// Points of the ground's system. Names live in `marks`; NULL where there is none.
typedef struct observers {
    lf_vec2 *at;
    double *heights;
    const char **names;
    int64_t count, room;
    lf_points *marks;
} observers;

/// The values of --at: X,Y[,H]; `height` where H is left out, or refused with `datum` where --eye is not given. Says what is wrong and returns false.
bool observers_from_options(const cli *run, const coordinates *coordinates, double height, bool datum,
                            observers *observers);

/// A file of points behind those there are. Those of a text are in the system of --crs, those of another file in its own.
bool observers_from_file(cli *run, const char *path, const loaded *ground, const coordinates *coordinates,
                         double height, bool datum, observers *observers);

void observers_free(observers *observers);

#endif
