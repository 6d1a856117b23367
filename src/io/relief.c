/// Shaded relief of a raster of heights.
#include "io/light.h"

/// Posts with heights: those of a grid, or plain values.
typedef struct field {
    const lf_heights *heights; ///< or NULL
    const lf_grid *grid;       ///< or NULL
    int64_t columns, rows;
    double beyond; ///< posts that the ground reaches beyond its border
} field;

typedef struct job {
    lf__scene scene;
    lf_canvas *canvas;
    const lf_view *view;
    field field;
    lf_vec2 span; ///< posts that a pixel covers each way
} job;

static double post_at(const field *field, int64_t i, int64_t j) {
    if (field->grid)
        return lf_grid_sample(field->grid, i, j);
    return (double)field->heights->values[j * field->heights->stride + i];
}

/// Between four posts; NaN when any of them is a hole, or outside.
static double height_between(const field *field, double u, double v) {
    double last_u = (double)(field->columns - 1), last_v = (double)(field->rows - 1);
    if (!(u >= -field->beyond) || !(v >= -field->beyond) || u > last_u + field->beyond ||
        v > last_v + field->beyond)
        return (double)NAN;
    u = fmin(fmax(u, 0), last_u);
    v = fmin(fmax(v, 0), last_v);
    int64_t i = (int64_t)u, j = (int64_t)v;
    i = i < field->columns - 1 ? i : field->columns > 1 ? field->columns - 2 : 0;
    j = j < field->rows - 1 ? j : field->rows > 1 ? field->rows - 2 : 0;
    int64_t right = field->columns > 1 ? 1 : 0, up = field->rows > 1 ? 1 : 0;
    double s = u - (double)i, t = v - (double)j;
    double a = post_at(field, i, j), b = post_at(field, i + right, j);
    double c = post_at(field, i, j + up), d = post_at(field, i + right, j + up);
    double low = a + (b - a) * s, high = c + (d - c) * s;
    return low + (high - low) * t;
}

/// The mean over a pixel that covers `span` posts each way; holes do not count while there is anything else.
static double height_mean(const field *field, double u, double v, lf_vec2 span) {
    int wide = (int)fmin(ceil(span.x), 8), high = (int)fmin(ceil(span.y), 8);
    double sum = 0, count = 0;
    wide = wide > 0 ? wide : 1;
    high = high > 0 ? high : 1;
    for (int b = 0; b < high; b++)
        for (int a = 0; a < wide; a++) {
            double z = height_between(field, u + span.x * ((a + 0.5) / wide - 0.5),
                                      v + span.y * ((b + 0.5) / high - 0.5));
            if (z == z) {
                sum += z;
                count += 1;
            }
        }
    return 2 * count >= wide * high ? sum / count : (double)NAN;
}

static lf_vec2 place_of(const field *field, lf_vec2 world) {
    if (field->grid)
        return lf_grid_locate(field->grid, world);
    lf_vec2 place = {(world.x - field->heights->x_low) / field->heights->spacing,
                     (world.y - field->heights->y_low) / field->heights->spacing};
    return place;
}

static void sample_rows(void *user, int64_t first, int64_t last, int worker) {
    job *job = user;
    (void)worker;
    bool several = job->span.x > 1.5 || job->span.y > 1.5;
    for (int64_t y = first; y < last; y++)
        for (int64_t x = 0; x < job->scene.width; x++) {
            lf_vec2 world = lf__scene_world(&job->scene, job->view, (double)x + 0.5, (double)y + 0.5);
            lf_vec2 at = place_of(&job->field, world);
            job->scene.z[y * job->scene.width + x] =
                (float)(several ? height_mean(&job->field, at.x, at.y, job->span)
                                : height_between(&job->field, at.x, at.y));
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

/// How many posts a pixel of the view covers.
static lf_vec2 span_of(const field *field, const lf_view *view) {
    lf_vec2 origin = {view->x_low, view->y_low}, at = place_of(field, origin);
    lf_vec2 east = {view->x_high, view->y_low}, north = {view->x_low, view->y_high};
    lf_vec2 a = place_of(field, east), b = place_of(field, north);
    double wide = view->area.width, high = view->area.height;
    lf_vec2 span = {fabs(a.x - at.x) / wide + fabs(b.x - at.x) / high,
                    fabs(a.y - at.y) / wide + fabs(b.y - at.y) / high};
    return span;
}

static lf_status draw_field(job *job, const lf_relief_def *given, lf_error *error) {
    lf_relief_def def;
    lf_canvas *canvas = job->canvas;
    lf_status status = lf__scene_start(&job->scene, canvas, job->view, &def, given, error);
    if (status != LF_OK || job->scene.width == 0)
        return status;
    job->span = span_of(&job->field, job->view);
    lf__run(canvas->host.tasks, job->scene.height, 8, sample_rows, job);
    lf__scene_settle(&job->scene);
    lf__run(canvas->host.tasks, job->scene.height, 8, shade_rows, job);
    lf__scene_end(&job->scene, canvas);
    return LF_OK;
}

lf_status lf_picture_relief(lf_canvas *canvas, const lf_view *view, const lf_heights *heights,
                            const lf_relief_def *def, lf_error *error) {
    job job = {.canvas = canvas, .view = view};
    lf_status status = check_heights(heights, error);
    if (status != LF_OK)
        return status;
    job.field = (field){heights, NULL, heights->columns, heights->rows, 0};
    return draw_field(&job, def, error);
}

lf_status lf_picture_grid(lf_canvas *canvas, const lf_view *view, const lf_grid *grid,
                          const lf_relief_def *def, lf_error *error) {
    job job = {.canvas = canvas, .view = view};
    if (!grid)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "grid is NULL");
    lf_grid_info info = lf_grid_describe(grid);
    bool reaches = info.extend || info.surface == LF_SURFACE_POINT;
    job.field = (field){NULL, grid, info.columns, info.rows, reaches ? 0.5 : 0};
    lf_status status = draw_field(&job, def, error);
    // Posts by themselves have no status: a grid of a damaged file tells when it is read.
    double post;
    if (status == LF_OK && lf_grid_read(grid, 0, 0, 1, 1, &post) == LF_BAD_FORMAT)
        status = lf__fail(error, LF_BAD_FORMAT, -1, "the file of the grid is damaged");
    return status;
}
