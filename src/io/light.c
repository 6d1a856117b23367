#include "io/light.h"
#include <string.h>

#define DEGREE 0.017453292519943295
#define SHADOW_STEPS 400 // pixels that a shadow is at most long

static lf_status check_def(const lf_relief_def *def, lf_error *error) {
    if (!isfinite(def->sun_azimuth_deg) || !(def->sun_height_deg > 0) || !(def->sun_height_deg <= 90))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "the sun must stand above the horizon, by at most 90 degrees");
    if (!(def->exaggeration >= 0) || !(def->exaggeration <= 1e6) || !(def->strength >= 0) ||
        !(def->strength <= 1) || !(def->shadows >= 0) || !(def->shadows <= 1) || !(def->contours >= 0) ||
        !isfinite(def->contours))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "exaggeration, strength, shadows or contours is out of its bounds");
    if ((!isnan(def->low) && !isnan(def->high) && !(def->low < def->high)) || isinf(def->low) ||
        isinf(def->high))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the colours' low height is not below the high one");
    if (def->palette_count < 0 || (def->palette_count > 0 && !def->palette))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a palette of %lld colours",
                        (long long)def->palette_count);
    return LF_OK;
}

static lf_vec3 towards(double azimuth_deg, double height_deg) {
    double azimuth = azimuth_deg * DEGREE, height = height_deg * DEGREE;
    lf_vec3 unit = {sin(azimuth) * cos(height), cos(azimuth) * cos(height), sin(height)};
    return unit;
}

lf_status lf__scene_start(lf__scene *scene, lf_canvas *canvas, const lf_view *view, lf_relief_def *def,
                          const lf_relief_def *given, lf_error *error) {
    *scene = (lf__scene){.def = def};
    *def = lf_relief_def_default();
    if (!canvas || !view)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "canvas or view is NULL");
    lf_status status = lf__def_read(def, sizeof *def, given, error);
    if (status == LF_OK)
        status = check_def(def, error);
    if (status != LF_OK)
        return status;
    const lf_rect *area = &view->area;
    lf_vec2 low = {floor(area->x + 0.5), floor(area->y + 0.5)};
    lf_vec2 high = {floor(area->x + area->width + 0.5), floor(area->y + area->height + 0.5)};
    if (!(area->width > 0) || !(area->height > 0) || !isfinite(view->x_low) || !isfinite(view->x_high) ||
        !isfinite(view->y_low) || !isfinite(view->y_high) || !(view->x_low < view->x_high) ||
        !(view->y_low < view->y_high))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the view is empty or not finite");
    scene->sun = towards(def->sun_azimuth_deg, def->sun_height_deg);
    scene->fill[0] = towards(def->sun_azimuth_deg - 65, def->sun_height_deg);
    scene->fill[1] = towards(def->sun_azimuth_deg + 65, def->sun_height_deg);
    if (!lf__canvas_reach(canvas, low, high, &scene->place))
        return LF_OK; // nothing of it is on the canvas: a raster of no pixels
    scene->width = scene->place.x1 - scene->place.x0;
    scene->height = scene->place.y1 - scene->place.y0;
    scene->pixel =
        0.5 * ((view->x_high - view->x_low) / area->width + (view->y_high - view->y_low) / area->height);
    status =
        lf__take_array(&canvas->allocator, scene->width * scene->height, sizeof(float), (void **)&scene->z);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    for (int64_t i = 0; i < scene->width * scene->height; i++)
        scene->z[i] = (float)NAN;
    return LF_OK;
}

void lf__scene_end(lf__scene *scene, lf_canvas *canvas) {
    if (scene->z)
        lf__give_array(&canvas->allocator, scene->z, scene->width * scene->height, sizeof(float));
    scene->z = NULL;
}

void lf__scene_settle(lf__scene *scene) {
    float low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < scene->width * scene->height; i++) {
        low = scene->z[i] < low ? scene->z[i] : low;
        high = scene->z[i] > high ? scene->z[i] : high;
    }
    scene->top = high;
    scene->low = isnan(scene->def->low) ? (double)low : scene->def->low;
    scene->high = isnan(scene->def->high) ? (double)high : scene->def->high;
    if (!(scene->low < scene->high)) {
        scene->low -= 0.5;
        scene->high = scene->low + 1;
    }
}

lf_vec2 lf__scene_world(const lf__scene *scene, const lf_view *view, double x, double y) {
    lf_vec2 pixel = {(double)scene->place.x0 + x, (double)scene->place.y0 + y};
    return lf_view_to_world(view, pixel);
}

/// The height between four pixels' middles; NaN beside a hole.
static double between(const lf__scene *scene, double x, double y) {
    int64_t i = x > 0 ? (int64_t)x : 0, j = y > 0 ? (int64_t)y : 0;
    int64_t right = i + 1 < scene->width ? 1 : 0, down = j + 1 < scene->height ? scene->width : 0;
    const float *at = scene->z + j * scene->width + i;
    double s = fmax(x - (double)i, 0), t = fmax(y - (double)j, 0);
    double upper = (double)at[0] + ((double)at[right] - (double)at[0]) * s;
    double lower = (double)at[down] + ((double)at[down + right] - (double)at[down]) * s;
    return upper + (lower - upper) * t;
}

/// How far ground between here and the sun stands above the sun's ray, against how wide the sun's disc has grown
/// by then: the shadow's edge softens with distance.
double lf__scene_sunlit(const lf__scene *scene, int64_t x, int64_t y, double z) {
    double flat = sqrt(scene->sun.x * scene->sun.x + scene->sun.y * scene->sun.y);
    if (!(scene->def->shadows > 0) || flat < 1e-6)
        return 1;
    double dx = scene->sun.x / flat, dy = -scene->sun.y / flat;
    double rise = scene->sun.z / flat * scene->pixel / fmax(scene->def->exaggeration, 1e-9), worst = 0;
    for (int step = 1; step < SHADOW_STEPS; step++) {
        double ray = z + step * rise;
        if (ray > (double)scene->top)
            break;
        double at_x = (double)x + 0.5 + dx * step, at_y = (double)y + 0.5 + dy * step;
        if (!(at_x >= 0 && at_y >= 0 && at_x < (double)scene->width && at_y < (double)scene->height))
            break;
        double over = between(scene, at_x - 0.5, at_y - 0.5) - ray;
        if (over > 0)
            worst = fmax(worst, over / (rise * (0.6 + 0.05 * step)));
        if (worst >= 1)
            break;
    }
    return 1 - fmin(worst, 1);
}

double lf__scene_light(const lf__scene *scene, lf_vec3 normal, double sunlit) {
    double sun = fmax(0, lf_vec3_dot(normal, scene->sun));
    double fill = 0.5 * fmax(0, lf_vec3_dot(normal, scene->fill[0])) +
                  0.5 * fmax(0, lf_vec3_dot(normal, scene->fill[1]));
    double shade = 1 - scene->def->shadows * (1 - sunlit);
    double level = scene->sun.z > 0.05 ? scene->sun.z : 0.05;
    double direct = (0.72 * sun * shade + 0.28 * fill) / level;
    double sky = 0.5 + 0.5 * normal.z;
    return 0.85 * direct + 0.15 * sky;
}

lf_colour lf__scene_tint(const lf__scene *scene, double z) {
    return lf_ramp_colour(scene->def->ramp, (z - scene->low) / (scene->high - scene->low));
}

lf_colour lf__scene_lit(const lf__scene *scene, lf_colour colour, double light) {
    double strength = scene->def->strength;
    if (light < 1) {
        // What the sun does not reach is lit by the blue of the sky.
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
