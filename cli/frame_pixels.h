/// A picture with depth: four samples to a pixel, each with the nearest thing so far.
#ifndef CLI_FRAME_PIXELS_H
#define CLI_FRAME_PIXELS_H

#include <landfall/landfall.h>
#include <landfall/picture.h>

typedef struct pixels {
    lf_eye eye;
    lf_vec3 forward, right, up; ///< unit vectors
    double across, upright;     ///< tangents of half the angles
    int64_t width, height;      ///< samples
    float *nearness;            ///< 1 / depth of each sample; 0: nothing yet
    float *paint;               ///< red, green, blue of each sample, 0 .. 1
} pixels;

/// The height of a picture of a width in which both angles of an eye have the same scale.
int64_t pixels_height(const lf_eye *eye, int64_t width);

/// An empty picture: sky. False without memory.
bool pixels_open(pixels *picture, const lf_eye *eye, int64_t width, int64_t height);
void pixels_close(pixels *picture);

/// Draw a triangle; one that lets something through does not hide what comes later.
void pixels_triangle(pixels *picture, const lf_scene_triangle *triangle);

/// Draw a ground wherever it is nearer than what is there: a ray for each sample.
void pixels_ground(pixels *picture, const lf_ground *ground);

/// Write the picture as a PNG file.
lf_status pixels_write(const pixels *picture, const char *path, lf_error *error);

#endif
