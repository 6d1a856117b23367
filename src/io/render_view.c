/// Where the eye is and what it sees through each place of a picture.
#include "io/render.h"
#include <string.h>

#define DEGREE 0.017453292519943295
#define PI 3.14159265358979323846
#define SAMPLES_ROUND 24 // heights along each way round a planet

lf_vec3 lf__render_units(const lf_render_def *view, lf_vec3 m) {
    return (lf_vec3){m.x / view->metres.x, m.y / view->metres.y, m.z / view->metres.z};
}

lf_vec3 lf__render_metres(const lf_render_def *view, lf_vec3 u) {
    return (lf_vec3){u.x * view->metres.x, u.y * view->metres.y, u.z * view->metres.z};
}

lf_vec3 lf__render_normal(const lf_render_def *view, lf_vec3 n) {
    return lf_vec3_unit(lf__render_units(view, n)); // normals scale the other way round
}

double lf__render_height(const lf_render_def *view, const lf_frame *frame, lf_vec3 point) {
    if (frame->kind == LF_FRAME_CENTRE && view->ellipsoid.radius > 0)
        return lf_ellipsoid_to_geodetic(&view->ellipsoid, lf_vec3_sub(point, frame->origin)).height;
    return lf_frame_to_local(frame, point).z;
}

// ---------------------------------------------------------------------------------------------------
// A good view
// ---------------------------------------------------------------------------------------------------

static bool plain(const lf_render_def *view) {
    return view->metres.x == 1 && view->metres.y == 1 && view->metres.z == 1;
}

static bool known(lf_vec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

/// Half the box's diagonal in the plane, in metres, and 1 at least of whatever there is.
static double reach_of(const lf_render_def *view, lf_box box) {
    lf_vec3 half = lf_vec3_scale(lf__render_metres(view, lf_vec3_sub(box.high, box.low)), 0.5);
    double reach = sqrt(half.x * half.x + half.y * half.y);
    return reach > 0 ? reach : fmax(half.z, 1);
}

/// The ground's height under a point, or the middle of its box.
static double ground_under(const lf_ground *ground, lf_vec3 at, lf_box box) {
    lf_hit hit;
    lf_vec3 above = {at.x, at.y, LF_INFINITY};
    if (lf_ground_height(ground, above, LF_VERTICAL_DOWN, &hit, NULL) == LF_OK && hit.kind != LF_HIT_NONE)
        return hit.point.z;
    return 0.5 * (box.low.z + box.high.z);
}

/// To three digits or so of what is seen: chosen numbers should be short.
static double shorten(double value, double reach) {
    double digits = 2 - floor(log10(reach)), scale = pow(10, fabs(digits));
    return digits >= 0 ? floor(value * scale + 0.5) / scale : floor(value / scale + 0.5) * scale;
}

/// From the south-east, high enough to see over the ranges, as near as the whole width allows.
static void choose_plane(const lf_ground *ground, double aspect, lf_render_def *view) {
    lf_box box = lf_ground_box(ground);
    double reach = reach_of(view, box);
    if (!known(view->look)) {
        lf_vec3 middle = lf_vec3_scale(lf_vec3_add(box.low, box.high), 0.5);
        middle.z = ground_under(ground, middle, box);
        view->look = middle;
    }
    if (known(view->eye))
        return;
    double narrow = fmin(1, aspect / 1.6); // tall pictures need more room
    double away = 1.04 * reach / (tan(0.5 * view->fov_deg * DEGREE) * narrow);
    double back = away * 0.90, lift = away * 0.38;
    lf_vec3 offset = {0.42 * back, -0.907 * back, lift};
    lf_vec3 eye = lf_vec3_add(view->look, lf__render_units(view, offset));
    eye.z = fmax(eye.z, box.high.z + 0.05 * reach / view->metres.z);
    eye.x = shorten(eye.x, reach / view->metres.x);
    eye.y = shorten(eye.y, reach / view->metres.y);
    eye.z = shorten(eye.z, reach / view->metres.z);
    view->eye = eye;
}

/// Round things are seen whole, from above a place at their side.
static void choose_round(const lf_ground *ground, double aspect, lf_render_def *view) {
    lf_box box = lf_ground_box(ground);
    lf_vec3 middle = lf_vec3_scale(lf_vec3_add(box.low, box.high), 0.5);
    double reach = 0.5 * lf_vec3_length(lf_vec3_sub(box.high, box.low));
    if (!known(view->look))
        view->look = middle;
    if (known(view->eye))
        return;
    double away = 0.75 * reach / (sin(0.5 * view->fov_deg * DEGREE) * fmin(1, 1 / aspect));
    lf_vec3 offset = {0.75 * away, -0.55 * away, 0.37 * away};
    view->eye = lf_vec3_add(view->look, offset);
}

/// Is local z world z?
static bool is_level(const lf_frame *frame) {
    return frame->kind == LF_FRAME_GRAVITY && frame->down.x == 0 && frame->down.y == 0 && frame->down.z < 0;
}

typedef struct range {
    double low, high;
} range;

static void take(range *range, double z) {
    range->low = fmin(range->low, z);
    range->high = fmax(range->high, z);
}

/// The box's corners in local coordinates: a bound of x and y, and of z where coordinates are only turned.
static void take_corners(const lf_frame *frame, lf_box box, range ranges[3]) {
    for (int k = 0; k < 8; k++) {
        lf_vec3 corner = {k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y,
                          k & 4 ? box.high.z : box.low.z};
        lf_vec3 local = lf_frame_to_local(frame, corner);
        take(&ranges[0], local.x);
        take(&ranges[1], local.y);
        take(&ranges[2], local.z);
    }
}

/// Heights of ground that goes round something: of a few hundred places, which is enough for colours.
static range sample_round(const lf_ground *ground, const lf_render_def *view, const lf_frame *frame,
                          const range ranges[3]) {
    range found = {LF_INFINITY, -LF_INFINITY};
    bool centre = frame->kind == LF_FRAME_CENTRE;
    for (int i = 0; i < SAMPLES_ROUND; i++)
        for (int j = 0; j < SAMPLES_ROUND; j++) {
            double turn = PI * (2.0 * i / SAMPLES_ROUND - 1), share = (j + 0.5) / SAMPLES_ROUND;
            double along =
                centre ? PI * (share - 0.5) : ranges[1].low + share * (ranges[1].high - ranges[1].low);
            lf_vec3 local = {turn, along, ranges[2].high};
            lf_hit hit;
            if (lf_ground_height(ground, lf_frame_to_world(frame, local), LF_VERTICAL_DOWN, &hit, NULL) ==
                    LF_OK &&
                hit.kind != LF_HIT_NONE)
                take(&found, lf__render_height(view, frame, hit.point));
        }
    return found;
}

static void settle_heights(const lf_ground *ground, lf_render_def *view) {
    lf_frame frame = lf_ground_frame(ground);
    range ranges[3] = {{LF_INFINITY, -LF_INFINITY}, {LF_INFINITY, -LF_INFINITY}, {LF_INFINITY, -LF_INFINITY}};
    take_corners(&frame, lf_ground_box(ground), ranges);
    range heights = frame.kind == LF_FRAME_GRAVITY ? ranges[2] : sample_round(ground, view, &frame, ranges);
    if (!(heights.low <= heights.high))
        heights = ranges[2];
    if (isnan(view->low))
        view->low = heights.low;
    if (isnan(view->high))
        view->high = heights.high;
    if (!(view->low < view->high))
        view->high = view->low + 1;
}

static lf_status check(const lf_render_def *d, lf_error *error) {
    if (!(d->fov_deg >= 1) || !(d->fov_deg <= 170))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "an opening of %g degrees: 1 to 170 are wanted",
                        d->fov_deg);
    if (!isfinite(d->sun_azimuth_deg) || !(d->sun_height_deg > 0) || !(d->sun_height_deg <= 90))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "the sun must stand above the horizon, by at most 90 degrees");
    if (!(d->shadows >= 0) || !(d->shadows <= 1) || !(d->haze >= 0) || !(d->haze <= 1))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "shadows or haze is not within 0 to 1");
    if (d->samples < 1 || d->samples > 8)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%d rays along a pixel: 1 to 8 are wanted", d->samples);
    if (!(d->metres.x > 0) || !(d->metres.y > 0) || !(d->metres.z > 0) || !known(d->metres))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the length of a unit is not above 0");
    if (!(d->ellipsoid.radius >= 0) || !isfinite(d->ellipsoid.radius) || !(d->ellipsoid.flattening >= 0) ||
        !(d->ellipsoid.flattening < 1))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the ellipsoid has radius %g and flattening %g",
                        d->ellipsoid.radius, d->ellipsoid.flattening);
    if (isinf(d->low) || isinf(d->high) || (d->low >= d->high))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the colours' low height is not below the high one");
    return LF_OK;
}

/// Nothing but things: there is nothing to choose a view by.
static lf_status settle_without_ground(lf_render_def *view, lf_error *error) {
    if (!known(view->eye) || !known(view->look))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "without ground, eye and look have to be given");
    view->low = isnan(view->low) ? 0 : view->low;
    view->high = isnan(view->high) ? view->low + 1 : view->high;
    return LF_OK;
}

static lf_status settle_on(const lf_ground *ground, double aspect, lf_render_def *view, lf_error *error) {
    lf_box box = lf_ground_box(ground);
    lf_frame frame = lf_ground_frame(ground);
    if (!(box.low.x <= box.high.x) || !(aspect > 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "there is no ground to look at");
    if (!is_level(&frame) && !plain(view))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "units are metres where down is not -z");
    if (is_level(&frame))
        choose_plane(ground, aspect, view);
    else
        choose_round(ground, aspect, view);
    settle_heights(ground, view);
    return LF_OK;
}

lf_status lf_render_settle(const lf_ground *ground, const lf_render_def *def, double aspect,
                           lf_render_def *view, lf_error *error) {
    lf_render_def full = lf_render_def_default();
    if (!view)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "view is NULL");
    lf_status status = lf__def_read(&full, sizeof full, def, error);
    if (status == LF_OK)
        status = check(&full, error);
    if (status == LF_OK)
        status = ground ? settle_on(ground, aspect, &full, error) : settle_without_ground(&full, error);
    if (status == LF_OK)
        *view = full;
    return status;
}

// ---------------------------------------------------------------------------------------------------
// The lens
// ---------------------------------------------------------------------------------------------------

lf_frame lf__render_frame(const lf_ground *ground) {
    return ground ? lf_ground_frame(ground) : lf_frame_default();
}

bool lf__lens_of(const lf_ground *ground, const lf_render_def *view, double width, double height,
                 lf__lens *lens) {
    lf_frame frame = lf__render_frame(ground);
    lf_vec3 way = lf__render_metres(view, lf_vec3_sub(view->look, view->eye));
    double length = lf_vec3_length(way);
    if (!(length > 0) || !isfinite(length))
        return false;
    lens->forward = lf_vec3_scale(way, 1 / length);
    lf_vec3 up = lf_vec3_scale(lf_frame_down(&frame, view->eye), -1);
    lf_vec3 right = lf_vec3_cross(lens->forward, up);
    if (lf_vec3_length(right) < 0.01) // straight down, or nearly: north is up
        right = lf_vec3_cross(lens->forward, lf_frame_north(&frame, view->eye));
    lens->right = lf_vec3_unit(right);
    lens->up = lf_vec3_cross(lens->right, lens->forward);
    lens->across = tan(0.5 * view->fov_deg * DEGREE);
    lens->width = width;
    lens->height = height;
    return true;
}

lf_vec3 lf__lens_through(const lf__lens *lens, double x, double y) {
    double half = 0.5 * lens->width, side = lens->across * (x - half) / half;
    double rise = lens->across * (0.5 * lens->height - y) / half;
    lf_vec3 along = lf_vec3_add(lens->forward,
                                lf_vec3_add(lf_vec3_scale(lens->right, side), lf_vec3_scale(lens->up, rise)));
    return lf_vec3_unit(along);
}
