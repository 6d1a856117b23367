/// A path of a camera: what was asked for, and what became of it.
#ifndef CLI_CAMERA_PATH_H
#define CLI_CAMERA_PATH_H

#include "cli.h"
#include <landfall/camera.h>

/// A moment of the path that was given.
typedef struct path_stop {
    double time; ///< seconds
    lf_geodetic place;
    lf_vec3 position;
} path_stop;

/// A frame of the path that was flown.
typedef struct path_frame {
    double time;      ///< seconds, as a clock shows them
    double path_time; ///< of the path: behind the clock where the camera was held
    lf_geodetic place, wanted;
    double ground; ///< below it; NAN where there is none
    lf_camera_result result;
} path_frame;

typedef struct camera_path {
    path_stop *stops;
    int64_t stop_count, stop_room;
    path_frame *frames;
    int64_t frame_count, frame_room;
    double clearance;
} camera_path;

/// Read a file of lines TIME,LON,LAT,HEIGHT, or TIME,X,Y,Z where `centred`. Says what is wrong and returns false.
bool camera_path_read(camera_path *path, const char *name, bool centred, const lf_ellipsoid *ellipsoid);
void camera_path_free(camera_path *path);

/// The position of the path at a time within it, and the stop before it.
lf_vec3 camera_path_at(const camera_path *path, const lf_ellipsoid *ellipsoid, double time, int64_t *stop);

/// Room for one more frame, zeroed; NULL without memory, and that has been said.
path_frame *camera_path_frame(camera_path *path);

/// The path that was flown as a plot, .png, .svg or .pdf. Says what is wrong and returns false.
bool camera_path_plot(cli *run, const camera_path *path, const char *name);

#endif
