/// Shaded relief of a raster of heights.
#include "io/light.h"

typedef struct job {
    lf__scene scene;
    lf_canvas *canvas;
    const lf_view *view;
    const lf_heights *heights;
} job;

/// Between four posts; NaN when any of them is a hole, or outside.
static double height_between(const lf_heights *heights, double u, double v) {
    if (!(u >= 0) || !(v >= 0) || u > (double)(heights->columns - 1) || v > (double)(heights->rows - 1))
        return (double)NAN;
    int64_t i = (int64_t)u, j = (int64_t)v;
    i = i < heights->columns - 1 ? i : heights->columns > 1 ? heights->columns - 2 : 0;
    j = j < heights->rows - 1 ? j : heights->rows > 1 ? heights->rows - 2 : 0;
    int64_t right = heights->columns > 1 ? 1 : 0, up = heights->rows > 1 ? heights->stride : 0;
    const float *at = heights->values + j * heights->stride + i;
    double s = u - (double)i, t = v - (double)j;
    double low = (double)at[0] + ((double)at[right] - (double)at[0]) * s;
    double high = (double)at[up] + ((double)at[up + right] - (double)at[up]) * s;
    return low + (high - low) * t;
}

/// The mean over a pixel that covers `span` posts each way; holes do not count while there is anything else.
static double height_mean(const lf_heights *heights, double u, double v, double span) {
    int samples = (int)fmin(ceil(span), 8);
    double sum = 0, count = 0;
    for (int b = 0; b < samples; b++)
        for (int a = 0; a < samples; a++) {
            double z = height_between(heights, u + span * ((a + 0.5) / samples - 0.5),
                                      v + span * ((b + 0.5) / samples - 0.5));
            if (z == z) {
                sum += z;
                count += 1;
            }
        }
    return 2 * count >= samples * samples ? sum / count : (double)NAN;
}

static void sample_rows(void *user, int64_t first, int64_t last, int worker) {
    job *job = user;
    (void)worker;
    double span = job->scene.pixel / job->heights->spacing;
    for (int64_t y = first; y < last; y++)
        for (int64_t x = 0; x < job->scene.width; x++) {
            lf_vec2 world = lf__scene_world(&job->scene, job->view, (double)x + 0.5, (double)y + 0.5);
            double u = (world.x - job->heights->x_low) / job->heights->spacing;
            double v = (world.y - job->heights->y_low) / job->heights->spacing;
            job->scene.z[y * job->scene.width + x] =
                (float)(span > 1.5 ? height_mean(job->heights, u, v, span)
                                   : height_between(job->heights, u, v));
        }
}

/// The height at a pixel of the raster, or that of its middle neighbour where there is none.
static double near(const lf__scene *scene, int64_t x, int64_t y, double instead) {
    if (x < 0 || y < 0 || x >= scene->width || y >= scene->height)
        return instead;
    double z = (double)scene->z[y * scene->width + x];
    return z == z ? z : instead;
}

/// Slope by the mean of central differences over three rows and columns, the way of Horn.
static lf_vec3 normal_at(const lf__scene *scene, int64_t x, int64_t y, double z, double *steepness) {
    double west = 0, east = 0, south = 0, north = 0;
    for (int64_t k = -1; k <= 1; k++) {
        double weight = k == 0 ? 2 : 1;
        west += weight * near(scene, x - 1, y + k, z);
        east += weight * near(scene, x + 1, y + k, z);
        north += weight * near(scene, x + k, y - 1, z);
        south += weight * near(scene, x + k, y + 1, z);
    }
    double scale = 1.0 / (8.0 * scene->pixel);
    double along = (east - west) * scale, up = (north - south) * scale;
    *steepness = sqrt(along * along + up * up);
    lf_vec3 normal = {-along * scene->def->exaggeration, -up * scene->def->exaggeration, 1};
    return lf_vec3_scale(normal, 1.0 / lf_vec3_length(normal));
}

/// How much of a pixel a contour line covers; every fifth line is stronger.
static double contour_cover(const lf__scene *scene, double z, double steepness) {
    double step = scene->def->contours, per_pixel = steepness * scene->pixel;
    if (!(step > 0) || !(per_pixel > 0) || per_pixel > 0.5 * step)
        return 0;
    double line = floor(z / step + 0.5), distance = fabs(z - line * step) / per_pixel;
    bool strong = fmod(fabs(line), 5) < 0.5;
    return fmin(1, fmax(0, (strong ? 1.3 : 1.0) - distance)) * (strong ? 0.55 : 0.32);
}

static void shade_rows(void *user, int64_t first, int64_t last, int worker) {
    static const lf_colour brown = {92, 64, 44, 255};
    job *job = user;
    lf__scene *scene = &job->scene;
    (void)worker;
    for (int64_t y = first; y < last; y++)
        for (int64_t x = 0; x < scene->width; x++) {
            lf_colour *pixel =
                &job->canvas->pixels[(scene->place.y0 + y) * job->canvas->width + scene->place.x0 + x];
            double z = (double)scene->z[y * scene->width + x], steepness;
            if (z != z) {
                lf__canvas_mix(pixel, scene->def->hole, 1);
                continue;
            }
            lf_vec3 normal = normal_at(scene, x, y, z, &steepness);
            double light = lf__scene_light(scene, normal, lf__scene_sunlit(scene, x, y, z));
            // Far below lies haze: valleys have less contrast than peaks.
            double high = fmin(1, fmax(0, (z - scene->low) / (scene->high - scene->low)));
            lf_colour colour =
                lf__scene_lit(scene, lf__scene_tint(scene, z), 1 + (light - 1) * (0.75 + 0.25 * high));
            lf__canvas_mix(pixel, colour, 1);
            lf__canvas_mix(pixel, brown, (float)contour_cover(scene, z, steepness));
        }
}

static lf_status check_heights(const lf_heights *heights, lf_error *error) {
    if (!heights || !heights->values || heights->columns < 1 || heights->rows < 1 ||
        heights->stride < heights->columns)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "heights without values, rows or columns");
    if (!(heights->spacing > 0) || !isfinite(heights->spacing) || !isfinite(heights->x_low) ||
        !isfinite(heights->y_low))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "heights without a place: spacing must be above 0");
    return LF_OK;
}

lf_status lf_picture_relief(lf_canvas *canvas, const lf_view *view, const lf_heights *heights,
                            const lf_relief_def *given, lf_error *error) {
    lf_relief_def def;
    job job = {.canvas = canvas, .view = view, .heights = heights};
    lf_status status = check_heights(heights, error);
    if (status != LF_OK)
        return status;
    status = lf__scene_start(&job.scene, canvas, view, &def, given, error);
    if (status != LF_OK || job.scene.width == 0)
        return status;
    lf__run(canvas->host.tasks, job.scene.height, 8, sample_rows, &job);
    lf__scene_settle(&job.scene);
    lf__run(canvas->host.tasks, job.scene.height, 8, shade_rows, &job);
    lf__scene_end(&job.scene, canvas);
    return LF_OK;
}
