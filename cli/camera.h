/// The path of a camera: as it was given, and as it was flown.
#ifndef CLI_CAMERA_H
#define CLI_CAMERA_H

#include "answer.h"
#include <figures.h>
#include <landfall/camera.h>

/// A frame of the path that was flown, as it is written.
typedef struct path_frame {
    unsigned has;
    double path_time;  ///< of the path: behind the clock where the camera was held
    lf_geodetic place; ///< without a globe: X, Y, Z
    lf_figure_flight_frame heights;
    lf_camera_result result;
    const char *did; ///< names joined by +
    field_span acts; ///< the same as a list
} path_frame;

typedef struct camera_path {
    lf_camera_path given;
    lf_camera_stop *stops;
    lf_geodetic *places; ///< of the stops, as they were given
    int64_t stop_capacity, place_capacity;
    path_frame *frames;
    int64_t frame_count, frame_capacity;
} camera_path;

/// State of one run of `landfall camera`.
typedef struct camera_run {
    cli *run;
    const lf_ground *ground;
    lf_globe *globe; ///< that the ground is or has; NULL: places are X, Y, Z
    lf_ellipsoid ellipsoid;
    camera_path path;
    lf_camera camera;
    bool centred; ///< the path has earth-centred metres
} camera_run;

/// Read the path from a file. Prints what is wrong and returns false.
bool camera_path_read(camera_run *c, const char *name);

#endif
