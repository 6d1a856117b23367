/// The path of a camera: as it was given, and as it was flown.
#ifndef CLI_CAMERA_H
#define CLI_CAMERA_H

#include "answer.h"
#include <landfall/camera.h>

/// A line of the path that was given.
typedef struct path_stop {
    double time; ///< seconds
    lf_geodetic place;
    lf_vec3 position;
} path_stop;

/// A frame of the path that was flown, as it is written.
typedef struct path_frame {
    unsigned has;
    double time;             ///< seconds, as a clock shows them
    double path_time;        ///< of the path: behind the clock where the camera was held
    lf_geodetic place, goal; ///< of the camera, and of the path
    double ground;           ///< below it; NAN where there is none
    lf_camera_result result;
    const char *did; ///< names joined by +
    field_span acts; ///< the same as a list
} path_frame;

typedef struct camera_path {
    path_stop *stops;
    int64_t stop_count, stop_capacity;
    path_frame *frames;
    int64_t frame_count, frame_capacity;
} camera_path;

/// State of one run of `landfall camera`.
typedef struct camera_run {
    cli *run;
    lf_globe *globe;
    lf_ellipsoid ellipsoid;
    camera_path path;
    lf_camera camera;
    bool centred;  ///< the path has earth-centred metres
    int64_t tiles; ///< that may come before a frame; 0: all that are needed
    double raised; ///< metres above the path, to be reduced again
} camera_run;

/// Read the path from a file. Prints what is wrong and returns false.
bool camera_path_read(camera_run *c, const char *name);

/// The position of the path at a time within it, and the stop before it.
lf_vec3 camera_path_at(const camera_run *c, double time, int64_t *stop);

#endif
