#include "frame_pixels.h"
#include <math.h>
#include <stdlib.h>

#define NEAREST 1e-3 ///< metres: what is nearer is cut off
#define CORNERS 9    ///< of a triangle clipped by five planes, and one

static const lf_vec3 light = {-0.45, -0.55, 0.7};

int64_t pixels_height(const lf_eye *eye, int64_t width) {
    return (int64_t)((double)width * tan(0.5 * eye->upright) / tan(0.5 * eye->across) + 0.5);
}

static void paint_sky(pixels *picture) {
    for (int64_t y = 0; y < picture->height; y++) {
        float t = (float)y / (float)picture->height;
        for (int64_t x = 0; x < picture->width; x++) {
            float *at = picture->paint + 3 * (y * picture->width + x);
            at[0] = 0.62f + 0.30f * t;
            at[1] = 0.74f + 0.20f * t;
            at[2] = 0.90f + 0.07f * t;
        }
    }
}

bool pixels_open(pixels *picture, const lf_eye *eye, int64_t width, int64_t height) {
    *picture = (pixels){.eye = *eye, .width = 2 * width, .height = 2 * height};
    picture->forward = lf_vec3_unit(eye->forward);
    picture->right = lf_vec3_unit(lf_vec3_cross(picture->forward, eye->up));
    picture->up = lf_vec3_cross(picture->right, picture->forward);
    picture->across = tan(0.5 * eye->across);
    picture->upright = tan(0.5 * eye->upright);
    size_t samples = (size_t)picture->width * (size_t)picture->height;
    picture->nearness = calloc(samples, sizeof(float));
    picture->paint = calloc(3 * samples, sizeof(float));
    if (picture->nearness && picture->paint) {
        paint_sky(picture);
        return true;
    }
    pixels_close(picture);
    return false;
}

void pixels_close(pixels *picture) {
    free(picture->paint);
    free(picture->nearness);
    picture->paint = picture->nearness = NULL;
}

// ---------------------------------------------------------------------------------------------------
// Triangles
// ---------------------------------------------------------------------------------------------------

/// How light a surface is, seen from wherever it is seen.
static float brightness(lf_vec3 normal, lf_vec3 towards) {
    if (lf_vec3_dot(normal, towards) > 0)
        normal = lf_vec3_scale(normal, -1);
    double lit = lf_vec3_dot(normal, light);
    return (float)(0.42 + 0.18 * normal.z + (lit > 0 ? 0.45 * lit : 0));
}

/// Keep the part of a polygon for which a . p >= b.
static int clip(const lf_vec3 *in, int count, lf_vec3 a, double b, lf_vec3 *out) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        lf_vec3 p = in[i], q = in[(i + 1) % count];
        double u = lf_vec3_dot(a, p) - b, v = lf_vec3_dot(a, q) - b;
        if (u >= 0)
            out[kept++] = p;
        if ((u >= 0) != (v >= 0))
            out[kept++] = lf_vec3_along(p, u / (u - v), lf_vec3_sub(q, p));
    }
    return kept;
}

/// Clip to what the eye sees: x to the right, y up, z ahead. Returns the number of corners, in a.
static int clip_to_view(const pixels *picture, lf_vec3 *a, lf_vec3 *b) {
    double near = picture->eye.nearest > NEAREST ? picture->eye.nearest : NEAREST;
    int count = clip(a, 3, (lf_vec3){0, 0, 1}, near, b);
    count = clip(b, count, (lf_vec3){1, 0, picture->across}, 0, a);
    count = clip(a, count, (lf_vec3){-1, 0, picture->across}, 0, b);
    count = clip(b, count, (lf_vec3){0, 1, picture->upright}, 0, a);
    count = clip(a, count, (lf_vec3){0, -1, picture->upright}, 0, b);
    for (int i = 0; i < count; i++)
        a[i] = b[i];
    return count;
}

static void paint_sample(pixels *picture, int64_t sample, float nearness, const lf_paint *colour) {
    if (nearness <= picture->nearness[sample])
        return;
    float *at = picture->paint + 3 * sample;
    float cover = colour->opacity < 1 ? colour->opacity : 1;
    at[0] += cover * (colour->red - at[0]);
    at[1] += cover * (colour->green - at[1]);
    at[2] += cover * (colour->blue - at[2]);
    if (cover >= 1)
        picture->nearness[sample] = nearness;
}

static double twice_area(lf_vec3 a, lf_vec3 b, double x, double y) {
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

/// Fill a triangle of the screen; z is the nearness, which is even there.
static void fill(pixels *picture, lf_vec3 a, lf_vec3 b, lf_vec3 c, const lf_paint *colour) {
    double area = twice_area(a, b, c.x, c.y);
    if (area == 0)
        return;
    double low_x = fmax(0, ceil(fmin(a.x, fmin(b.x, c.x)) - 0.5));
    double high_x = fmin((double)picture->width - 1, floor(fmax(a.x, fmax(b.x, c.x)) - 0.5));
    double low_y = fmax(0, ceil(fmin(a.y, fmin(b.y, c.y)) - 0.5));
    double high_y = fmin((double)picture->height - 1, floor(fmax(a.y, fmax(b.y, c.y)) - 0.5));
    for (int64_t y = (int64_t)low_y; (double)y <= high_y; y++)
        for (int64_t x = (int64_t)low_x; (double)x <= high_x; x++) {
            double px = (double)x + 0.5, py = (double)y + 0.5;
            double u = twice_area(b, c, px, py) / area, v = twice_area(c, a, px, py) / area;
            if (u >= 0 && v >= 0 && u + v <= 1)
                paint_sample(picture, y * picture->width + x, (float)(u * a.z + v * b.z + (1 - u - v) * c.z),
                             colour);
        }
}

static lf_vec3 on_screen(const pixels *picture, lf_vec3 p) {
    double x = p.x / (p.z * picture->across), y = p.y / (p.z * picture->upright);
    return (lf_vec3){0.5 * (1 + x) * (double)picture->width, 0.5 * (1 - y) * (double)picture->height,
                     1 / p.z};
}

void pixels_triangle(pixels *picture, const lf_scene_triangle *triangle) {
    lf_vec3 a[CORNERS + 3], b[CORNERS + 3];
    const lf_vec3 *c = triangle->corners;
    lf_vec3 normal = lf_vec3_unit(lf_vec3_cross(lf_vec3_sub(c[1], c[0]), lf_vec3_sub(c[2], c[0])));
    float bright = brightness(normal, lf_vec3_sub(c[0], picture->eye.at));
    lf_paint colour = {triangle->colour.red * bright, triangle->colour.green * bright,
                       triangle->colour.blue * bright, triangle->colour.opacity};
    for (int i = 0; i < 3; i++) {
        lf_vec3 way = lf_vec3_sub(c[i], picture->eye.at);
        a[i] = (lf_vec3){lf_vec3_dot(way, picture->right), lf_vec3_dot(way, picture->up),
                         lf_vec3_dot(way, picture->forward)};
    }
    int count = clip_to_view(picture, a, b);
    for (int i = 0; i < count; i++)
        a[i] = on_screen(picture, a[i]);
    for (int i = 2; i < count; i++)
        fill(picture, a[0], a[i - 1], a[i], &colour);
}

// ---------------------------------------------------------------------------------------------------
// Grounds
// ---------------------------------------------------------------------------------------------------

static lf_vec3 ray_through(const pixels *picture, int64_t x, int64_t y) {
    double across = (2 * ((double)x + 0.5) / (double)picture->width - 1) * picture->across;
    double upright = (1 - 2 * ((double)y + 0.5) / (double)picture->height) * picture->upright;
    lf_vec3 way = lf_vec3_along(picture->forward, across, picture->right);
    return lf_vec3_along(way, upright, picture->up);
}

/// Green in the lowlands, rock where it is steep or high.
static lf_paint ground_colour(const pixels *picture, const lf_hit *hit, double low, double high) {
    double t = high > low ? (hit->point.z - low) / (high - low) : 0.3;
    lf_colour tint = lf_ramp_colour(LF_RAMP_LAND, 0.1 + 0.8 * t);
    float bright = 1.1f * brightness(hit->normal, lf_vec3_sub(hit->point, picture->eye.at)) / 255;
    lf_paint colour = {(float)tint.red * bright, (float)tint.green * bright, (float)tint.blue * bright, 1};
    return colour;
}

void pixels_ground(pixels *picture, const lf_ground *ground) {
    lf_box box = lf_ground_box(ground);
    for (int64_t y = 0; y < picture->height; y++)
        for (int64_t x = 0; x < picture->width; x++) {
            int64_t sample = y * picture->width + x;
            lf_ray ray = lf_ray_towards(picture->eye.at, ray_through(picture, x, y));
            lf_hit hit;
            if (picture->nearness[sample] > 0)
                ray.t_max = 1 / (double)picture->nearness[sample];
            if (lf_ground_ray_first(ground, &ray, &hit, NULL) != LF_OK || hit.kind == LF_HIT_NONE ||
                hit.t <= 0)
                continue;
            lf_paint colour = ground_colour(picture, &hit, box.low.z, box.high.z);
            paint_sample(picture, sample, (float)(1 / hit.t), &colour);
        }
}

// ---------------------------------------------------------------------------------------------------
// The file
// ---------------------------------------------------------------------------------------------------

static uint8_t byte_of(float sum) {
    float value = sum / 4;
    return value >= 1 ? 255 : value > 0 ? (uint8_t)(255 * value + 0.5f) : 0;
}

lf_status pixels_write(const pixels *picture, const char *path, lf_error *error) {
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    def.width = picture->width / 2;
    def.height = picture->height / 2;
    uint8_t *image = malloc((size_t)(3 * def.width * def.height)), *at = image;
    lf_status status = image ? lf_canvas_create(&def, &canvas, error) : LF_NO_MEMORY;
    if (status != LF_OK) {
        free(image);
        return status;
    }
    for (int64_t y = 0; y < def.height; y++)
        for (int64_t x = 0; x < def.width; x++) {
            float sum[3] = {0, 0, 0};
            for (int s = 0; s < 4; s++)
                for (int k = 0; k < 3; k++)
                    sum[k] += picture->paint[3 * ((2 * y + s / 2) * picture->width + 2 * x + s % 2) + k];
            for (int k = 0; k < 3; k++)
                *at++ = byte_of(sum[k]);
        }
    status = lf_canvas_image(canvas, lf_canvas_area(canvas), image, def.width, def.height, 3);
    if (status == LF_OK)
        status = lf_canvas_write(canvas, path, error);
    lf_canvas_destroy(canvas);
    free(image);
    return status;
}
