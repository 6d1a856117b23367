/// Maps of rasters: shaded relief, and colours laid over it. Light is shared with maps of polygons.
#include "picture/picture.h"

#define DEGREE 0.017453292519943295
#define SHADOW_STEPS 400 // length of the longest shadow, pixels
#define TINT_SAMPLES 6   // samples along each side of a pixel that are read at most

// ---------------------------------------------------------------------------------------------------
// Light
// ---------------------------------------------------------------------------------------------------

static lf_status check_def(const lf_relief_def *def, lf_error *error) {
    if (!isfinite(def->sun_azimuth_deg) || !(def->sun_height_deg > 0) || !(def->sun_height_deg <= 90))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "sun_height_deg must be above 0 and at most 90, sun_azimuth_deg finite");
    if (!(def->exaggeration >= 0) || !(def->exaggeration <= 1e6) || !(def->strength >= 0) ||
        !(def->strength <= 1) || !(def->shadows >= 0) || !(def->shadows <= 1) || !(def->contours >= 0) ||
        !isfinite(def->contours))
        return lf__fail(
            error, LF_BAD_ARGUMENT, -1,
            "exaggeration must be from 0 to 1e6, strength and shadows from 0 to 1, contours at least 0");
    if ((!isnan(def->low) && !isnan(def->high) && !(def->low < def->high)) || isinf(def->low) ||
        isinf(def->high))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "low must be below high, both finite");
    if (def->palette_count < 0 || (def->palette_count > 0 && !def->palette))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "palette is NULL, or palette_count %lld is negative",
                        (long long)def->palette_count);
    return LF_OK;
}

static lf_vec3 towards(double azimuth_deg, double height_deg) {
    double azimuth = azimuth_deg * DEGREE, height = height_deg * DEGREE;
    lf_vec3 unit = {sin(azimuth) * cos(height), cos(azimuth) * cos(height), sin(height)};
    return unit;
}

lf_status lf__relief_begin(lf__relief *relief, lf_canvas *canvas, const lf_map_axes *axes, lf_relief_def *def,
                           const lf_relief_def *given, lf_error *error) {
    *relief = (lf__relief){.def = def};
    *def = lf_relief_def_default();
    if (!canvas || !axes)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "canvas or axes is NULL");
    lf_status status = lf__def_read(def, sizeof *def, given, error);
    if (status == LF_OK)
        status = check_def(def, error);
    if (status != LF_OK)
        return status;
    const lf_rect *area = &axes->area;
    if (!(area->width > 0) || !(area->height > 0) || !isfinite(axes->x_low) || !isfinite(axes->x_high) ||
        !isfinite(axes->y_low) || !isfinite(axes->y_high) || !(axes->x_low < axes->x_high) ||
        !(axes->y_low < axes->y_high))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "axes: low must be below high, all finite, and the area not empty");
    relief->sun = towards(def->sun_azimuth_deg, def->sun_height_deg);
    relief->fill[0] = towards(def->sun_azimuth_deg - 65, def->sun_height_deg);
    relief->fill[1] = towards(def->sun_azimuth_deg + 65, def->sun_height_deg);
    if (!lf__canvas_reach(canvas, *area, &relief->place))
        return LF_OK; // nothing of it is on the canvas
    relief->width = relief->place.x1 - relief->place.x0;
    relief->height = relief->place.y1 - relief->place.y0;
    relief->pixel =
        0.5 * ((axes->x_high - axes->x_low) / area->width + (axes->y_high - axes->y_low) / area->height);
    status = lf__allocate_array(&canvas->allocator, relief->width * relief->height, sizeof(float),
                                (void **)&relief->z);
    if (status == LF_OK)
        status = lf__layer_begin(&relief->layer, relief->place);
    if (status != LF_OK) {
        lf__free_array(&canvas->allocator, relief->z, relief->width * relief->height, sizeof(float));
        return lf__fail_plain(error, status);
    }
    for (int64_t i = 0; i < relief->width * relief->height; i++)
        relief->z[i] = (float)NAN;
    return LF_OK;
}

void lf__relief_end(lf__relief *relief, lf_canvas *canvas) {
    lf__layer_end(&relief->layer, canvas);
    lf__free_array(&canvas->allocator, relief->z, relief->width * relief->height, sizeof(float));
}

void lf__relief_range(lf__relief *relief) {
    float low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < relief->width * relief->height; i++) {
        low = relief->z[i] < low ? relief->z[i] : low;
        high = relief->z[i] > high ? relief->z[i] : high;
    }
    relief->top = high;
    relief->low = isnan(relief->def->low) ? (double)low : relief->def->low;
    relief->high = isnan(relief->def->high) ? (double)high : relief->def->high;
    if (!(relief->low < relief->high)) {
        relief->low -= 0.5;
        relief->high = relief->low + 1;
    }
}

/// Bilinear between the centres of four pixels; NaN beside no data.
static double between(const lf__relief *relief, double x, double y) {
    int64_t i = x > 0 ? (int64_t)x : 0, j = y > 0 ? (int64_t)y : 0;
    int64_t right = i + 1 < relief->width ? 1 : 0, down = j + 1 < relief->height ? relief->width : 0;
    const float *at = relief->z + j * relief->width + i;
    double s = fmax(x - (double)i, 0), t = fmax(y - (double)j, 0);
    double upper = (double)at[0] + ((double)at[right] - (double)at[0]) * s;
    double lower = (double)at[down] + ((double)at[down + right] - (double)at[down]) * s;
    return upper + (lower - upper) * t;
}

/// Compares how far ground stands above the ray to the sun with the width of the sun's disc at that distance, so that the edges of
/// shadows soften with distance.
double lf__relief_sunlit(const lf__relief *relief, int64_t x, int64_t y, double z) {
    double flat = sqrt(relief->sun.x * relief->sun.x + relief->sun.y * relief->sun.y);
    if (!(relief->def->shadows > 0) || flat < 1e-6)
        return 1;
    double dx = relief->sun.x / flat, dy = -relief->sun.y / flat;
    double rise = relief->sun.z / flat * relief->pixel / fmax(relief->def->exaggeration, 1e-9), worst = 0;
    for (int step = 1; step < SHADOW_STEPS; step++) {
        double ray = z + step * rise;
        if (ray > (double)relief->top)
            break;
        double at_x = (double)x + 0.5 + dx * step, at_y = (double)y + 0.5 + dy * step;
        if (!(at_x >= 0 && at_y >= 0 && at_x < (double)relief->width && at_y < (double)relief->height))
            break;
        double over = between(relief, at_x - 0.5, at_y - 0.5) - ray;
        if (over > 0)
            worst = fmax(worst, over / (rise * (0.6 + 0.05 * step)));
        if (worst >= 1)
            break;
    }
    return 1 - fmin(worst, 1);
}

double lf__relief_light(const lf__relief *relief, lf_vec3 normal, double sunlit) {
    double sun = fmax(0, lf_vec3_dot(normal, relief->sun));
    double fill = 0.5 * fmax(0, lf_vec3_dot(normal, relief->fill[0])) +
                  0.5 * fmax(0, lf_vec3_dot(normal, relief->fill[1]));
    double shade = 1 - relief->def->shadows * (1 - sunlit);
    double level = relief->sun.z > 0.05 ? relief->sun.z : 0.05;
    double direct = (0.72 * sun * shade + 0.28 * fill) / level;
    double sky = 0.5 + 0.5 * normal.z;
    return 0.85 * direct + 0.15 * sky;
}

lf_colour lf__relief_tint(const lf__relief *relief, double z) {
    return lf_ramp_colour(relief->def->ramp, (z - relief->low) / (relief->high - relief->low));
}

lf_colour lf__relief_lit(const lf__relief *relief, lf_colour colour, double light) {
    double strength = relief->def->strength;
    if (light < 1) {
        // Shadows are lit by the blue sky.
        double dark = strength * (1 - light);
        double keep[3] = {1 - 0.88 * dark, 1 - 0.82 * dark, 1 - 0.66 * dark};
        colour.red = (uint8_t)((double)colour.red * keep[0] + 0.5);
        colour.green = (uint8_t)((double)colour.green * keep[1] + 0.5);
        colour.blue = (uint8_t)((double)colour.blue * keep[2] + 0.5);
        return colour;
    }
    lf_colour warm = {255, 252, 240, colour.alpha};
    return lf_colour_mix(colour, warm, fmin(0.8, 1.1 * strength * (light - 1)));
}

// ---------------------------------------------------------------------------------------------------
// Relief
// ---------------------------------------------------------------------------------------------------

/// Samples of a grid, or an array of heights.
typedef struct field {
    const lf_heights *heights; ///< or NULL
    const lf_grid *grid;       ///< or NULL
    int64_t columns, rows;
    double beyond; ///< samples that the ground reaches beyond its border
} field;

typedef struct relief_job {
    lf__relief relief;
    lf_canvas *canvas;
    const lf_map_axes *axes;
    field field;
    lf_vec2 span; ///< samples that a pixel covers each way
} relief_job;

static double sample_at(const field *field, int64_t i, int64_t j) {
    if (field->grid)
        return lf_grid_sample(field->grid, i, j);
    return (double)field->heights->values[j * field->heights->stride + i];
}

/// Bilinear between four samples; NaN when any of them is no data or outside.
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
    double a = sample_at(field, i, j), b = sample_at(field, i + right, j);
    double c = sample_at(field, i, j + up), d = sample_at(field, i + right, j + up);
    double low = a + (b - a) * s, high = c + (d - c) * s;
    return low + (high - low) * t;
}

/// The mean over a pixel that covers `span` samples each way; NaN when more than half of them are no data.
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

static lf_vec2 sample_place(const field *field, lf_vec2 world) {
    if (field->grid)
        return lf_grid_locate(field->grid, world);
    lf_vec2 place = {(world.x - field->heights->x_low) / field->heights->spacing,
                     (world.y - field->heights->y_low) / field->heights->spacing};
    return place;
}

static void sample_rows(void *user, int64_t first, int64_t last, int worker) {
    relief_job *job = user;
    (void)worker;
    bool several = job->span.x > 1.5 || job->span.y > 1.5;
    for (int64_t y = first; y < last; y++)
        for (int64_t x = 0; x < job->relief.width; x++) {
            lf_vec2 pixel = {(double)(job->relief.place.x0 + x) + 0.5,
                             (double)(job->relief.place.y0 + y) + 0.5};
            lf_vec2 at = sample_place(&job->field, lf__map_axes_to_world(job->axes, pixel));
            job->relief.z[y * job->relief.width + x] =
                (float)(several ? height_mean(&job->field, at.x, at.y, job->span)
                                : height_between(&job->field, at.x, at.y));
        }
}

/// The height at a pixel, or another one where there is none.
static double near(const lf__relief *relief, int64_t x, int64_t y, double instead) {
    if (x < 0 || y < 0 || x >= relief->width || y >= relief->height)
        return instead;
    double z = (double)relief->z[y * relief->width + x];
    return z == z ? z : instead;
}

/// Slope by the mean of central differences over three rows and columns, after Horn.
static lf_vec3 normal_at(const lf__relief *relief, int64_t x, int64_t y, double z, double *steepness) {
    double west = 0, east = 0, south = 0, north = 0;
    for (int64_t k = -1; k <= 1; k++) {
        double weight = k == 0 ? 2 : 1;
        west += weight * near(relief, x - 1, y + k, z);
        east += weight * near(relief, x + 1, y + k, z);
        north += weight * near(relief, x + k, y - 1, z);
        south += weight * near(relief, x + k, y + 1, z);
    }
    double scale = 1.0 / (8.0 * relief->pixel);
    double along = (east - west) * scale, up = (north - south) * scale;
    *steepness = sqrt(along * along + up * up);
    lf_vec3 normal = {-along * relief->def->exaggeration, -up * relief->def->exaggeration, 1};
    return lf_vec3_scale(normal, 1.0 / lf_vec3_length(normal));
}

/// How much of a pixel a contour line covers; every fifth line is stronger.
static double contour_cover(const lf__relief *relief, double z, double steepness) {
    double step = relief->def->contours, per_pixel = steepness * relief->pixel;
    if (!(step > 0) || !(per_pixel > 0) || per_pixel > 0.5 * step)
        return 0;
    double line = floor(z / step + 0.5), distance = fabs(z - line * step) / per_pixel;
    bool strong = fmod(fabs(line), 5) < 0.5;
    return fmin(1, fmax(0, (strong ? 1.3 : 1.0) - distance)) * (strong ? 0.55 : 0.32);
}

static void shade_rows(void *user, int64_t first, int64_t last, int worker) {
    static const lf_colour brown = {92, 64, 44, 255};
    relief_job *job = user;
    lf__relief *relief = &job->relief;
    (void)worker;
    for (int64_t y = first; y < last; y++)
        for (int64_t x = 0; x < relief->width; x++) {
            double z = (double)relief->z[y * relief->width + x], steepness;
            if (z != z) {
                lf__layer_set(&relief->layer, x, y, relief->def->no_data);
                continue;
            }
            lf_vec3 normal = normal_at(relief, x, y, z, &steepness);
            double light = lf__relief_light(relief, normal, lf__relief_sunlit(relief, x, y, z));
            // Haze in the valleys: less contrast than on peaks.
            double high = fmin(1, fmax(0, (z - relief->low) / (relief->high - relief->low)));
            lf_colour colour =
                lf__relief_lit(relief, lf__relief_tint(relief, z), 1 + (light - 1) * (0.75 + 0.25 * high));
            lf__colour_over(&colour, brown, (float)contour_cover(relief, z, steepness));
            lf__layer_set(&relief->layer, x, y, colour);
        }
}

static lf_status check_heights(const lf_heights *heights, lf_error *error) {
    if (!heights || !heights->values || heights->columns < 1 || heights->rows < 1 ||
        heights->stride < heights->columns)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "heights: no values, rows or columns, or a stride below the columns");
    if (!(heights->spacing > 0) || !isfinite(heights->spacing) || !isfinite(heights->x_low) ||
        !isfinite(heights->y_low))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "heights: x_low, y_low and spacing must be finite, spacing above 0");
    return LF_OK;
}

/// How many samples a pixel of the map covers.
static lf_vec2 span_of(const field *field, const lf_map_axes *axes) {
    lf_vec2 origin = {axes->x_low, axes->y_low}, at = sample_place(field, origin);
    lf_vec2 east = {axes->x_high, axes->y_low}, north = {axes->x_low, axes->y_high};
    lf_vec2 a = sample_place(field, east), b = sample_place(field, north);
    double wide = axes->area.width, high = axes->area.height;
    lf_vec2 span = {fabs(a.x - at.x) / wide + fabs(b.x - at.x) / high,
                    fabs(a.y - at.y) / wide + fabs(b.y - at.y) / high};
    return span;
}

static lf_status draw_field(relief_job *job, const lf_relief_def *given, lf_error *error) {
    lf_relief_def def;
    lf_canvas *canvas = job->canvas;
    lf_status status = lf__relief_begin(&job->relief, canvas, job->axes, &def, given, error);
    if (status != LF_OK || job->relief.width == 0)
        return status;
    job->span = span_of(&job->field, job->axes);
    lf__run(canvas->host.tasks, job->relief.height, 8, sample_rows, job);
    lf__relief_range(&job->relief);
    lf__run(canvas->host.tasks, job->relief.height, 8, shade_rows, job);
    lf__relief_end(&job->relief, canvas);
    return LF_OK;
}

lf_status lf_canvas_relief(lf_canvas *canvas, const lf_map_axes *axes, const lf_heights *heights,
                           const lf_relief_def *def, lf_error *error) {
    relief_job job = {.canvas = canvas, .axes = axes};
    lf_status status = check_heights(heights, error);
    if (status != LF_OK)
        return status;
    job.field = (field){heights, NULL, heights->columns, heights->rows, 0};
    return draw_field(&job, def, error);
}

lf_status lf_canvas_grid(lf_canvas *canvas, const lf_map_axes *axes, const lf_grid *grid,
                         const lf_relief_def *def, lf_error *error) {
    relief_job job = {.canvas = canvas, .axes = axes};
    if (!grid)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "grid is NULL");
    lf_grid_info info = lf_grid_describe(grid);
    bool reaches = info.extend || info.surface == LF_SURFACE_POINT;
    job.field = (field){NULL, grid, info.columns, info.rows, reaches ? 0.5 : 0};
    lf_status status = draw_field(&job, def, error);
    // Reading single samples reports no errors: a read of the grid tells whether its file is damaged.
    double sample;
    if (status == LF_OK && lf_grid_read(grid, 0, 0, 1, 1, &sample) == LF_BAD_FORMAT)
        status = lf__fail(error, LF_BAD_FORMAT, -1, "the file of the grid is damaged");
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Tint
// ---------------------------------------------------------------------------------------------------

typedef struct tint_job {
    lf__layer layer;
    const lf_map_axes *axes;
    const lf_grid *grid;
    int64_t columns, rows;
    int wide, high; ///< samples of a pixel
    lf_tint *tint;
    void *user;
} tint_job;

/// Sums over the samples of a pixel; colours are weighted by alpha.
typedef struct sums {
    double red, green, blue, alpha;
} sums;

static void add_sample(const tint_job *job, lf_vec2 pixel, sums *sums) {
    lf_vec2 place = lf_grid_locate(job->grid, lf__map_axes_to_world(job->axes, pixel));
    double column = floor(place.x + 0.5), row = floor(place.y + 0.5);
    if (!(column >= 0) || !(row >= 0) || column >= (double)job->columns || row >= (double)job->rows)
        return;
    lf_colour colour = job->tint(job->user, (int64_t)column, (int64_t)row);
    sums->red += colour.red * (double)colour.alpha;
    sums->green += colour.green * (double)colour.alpha;
    sums->blue += colour.blue * (double)colour.alpha;
    sums->alpha += colour.alpha;
}

static lf_colour pixel_tint(const tint_job *job, int64_t x, int64_t y) {
    sums sums = {0, 0, 0, 0};
    lf_colour none = {0, 0, 0, 0};
    for (int b = 0; b < job->high; b++)
        for (int a = 0; a < job->wide; a++) {
            lf_vec2 pixel = {(double)x + (a + 0.5) / job->wide, (double)y + (b + 0.5) / job->high};
            add_sample(job, pixel, &sums);
        }
    if (!(sums.alpha > 0))
        return none;
    lf_colour mean = {(uint8_t)(sums.red / sums.alpha + 0.5), (uint8_t)(sums.green / sums.alpha + 0.5),
                      (uint8_t)(sums.blue / sums.alpha + 0.5),
                      (uint8_t)(sums.alpha / (job->wide * job->high) + 0.5)};
    return mean;
}

static void tint_rows(void *user, int64_t first, int64_t last, int worker) {
    tint_job *job = user;
    const lf__pixels *place = &job->layer.place;
    (void)worker;
    for (int64_t y = first; y < last; y++)
        for (int64_t x = 0; x < place->x1 - place->x0; x++)
            lf__layer_set(&job->layer, x, y, pixel_tint(job, place->x0 + x, place->y0 + y));
}

/// Samples that a pixel of the map covers along its sides.
static int samples_of(const lf_map_axes *axes, const lf_grid *grid, double dx, double dy) {
    lf_vec2 corner = {axes->area.x, axes->area.y}, next = {axes->area.x + dx, axes->area.y + dy};
    lf_vec2 a = lf_grid_locate(grid, lf__map_axes_to_world(axes, corner));
    lf_vec2 b = lf_grid_locate(grid, lf__map_axes_to_world(axes, next));
    double count = fmax(fabs(b.x - a.x), fabs(b.y - a.y));
    return count >= TINT_SAMPLES ? TINT_SAMPLES : count > 1 ? (int)ceil(count) : 1;
}

lf_status lf_canvas_tint(lf_canvas *canvas, const lf_map_axes *axes, const lf_grid *grid, lf_tint *tint,
                         void *user) {
    if (!canvas || !axes || !grid || !tint)
        return LF_BAD_ARGUMENT;
    lf_grid_info info = lf_grid_describe(grid);
    tint_job job = {.axes = axes, .grid = grid, .columns = info.columns, .rows = info.rows};
    lf__pixels reach;
    if (!lf__canvas_reach(canvas, axes->area, &reach))
        return LF_OK;
    lf_status status = lf__layer_begin(&job.layer, reach);
    if (status != LF_OK)
        return status;
    job.wide = samples_of(axes, grid, 1, 0);
    job.high = samples_of(axes, grid, 0, 1);
    job.tint = tint;
    job.user = user;
    lf__run(canvas->host.tasks, reach.y1 - reach.y0, 8, tint_rows, &job);
    lf__layer_end(&job.layer, canvas);
    return LF_OK;
}
