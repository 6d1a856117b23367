/// The camera of perspective pictures: a good position where none is given, and the direction through each pixel.
#include "picture/picture.h"

#define DEGREE 0.017453292519943295
#define PI 3.14159265358979323846
#define SAMPLES_ROUND 24 // heights along each direction around a planet

lf_vec3 lf__render_units(const lf_render_def *def, lf_vec3 m) {
    return (lf_vec3){m.x / def->metres.x, m.y / def->metres.y, m.z / def->metres.z};
}

lf_vec3 lf__render_metres(const lf_render_def *def, lf_vec3 u) {
    return (lf_vec3){u.x * def->metres.x, u.y * def->metres.y, u.z * def->metres.z};
}

lf_vec3 lf__render_normal(const lf_render_def *def, lf_vec3 n) {
    return lf_vec3_unit(lf__render_units(def, n)); // normals scale by the inverse
}

double lf__render_height(const lf_render_def *def, const lf_frame *frame, lf_vec3 point) {
    if (frame->kind == LF_FRAME_CENTRE && def->ellipsoid.radius > 0)
        return lf_ellipsoid_to_geodetic(&def->ellipsoid, lf_vec3_sub(point, frame->origin)).height;
    return lf_frame_to_local(frame, point).z;
}

// ---------------------------------------------------------------------------------------------------
// A good position
// ---------------------------------------------------------------------------------------------------

static bool plain(const lf_render_def *def) {
    return def->metres.x == 1 && def->metres.y == 1 && def->metres.z == 1;
}

static bool known(lf_vec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

/// Half the diagonal of the box in the plane, in metres; above 0.
static double reach_of(const lf_render_def *def, lf_box box) {
    lf_vec3 half = lf_vec3_scale(lf__render_metres(def, lf_vec3_sub(box.high, box.low)), 0.5);
    double reach = sqrt(half.x * half.x + half.y * half.y);
    return reach > 0 ? reach : fmax(half.z, 1);
}

/// The height of the ground at a point, or the middle of its box.
static double ground_under(const lf_ground *ground, lf_vec3 at, lf_box box) {
    lf_hit hit;
    lf_vec3 above = {at.x, at.y, LF_INFINITY};
    if (lf_ground_height(ground, above, LF_VERTICAL_DOWN, &hit, NULL) == LF_OK && hit.kind != LF_HIT_NONE)
        return hit.point.z;
    return 0.5 * (box.low.z + box.high.z);
}

/// Round to about three digits: chosen numbers should be short.
static double shorten(double value, double reach) {
    double digits = 2 - floor(log10(reach)), scale = pow(10, fabs(digits));
    return digits >= 0 ? floor(value * scale + 0.5) / scale : floor(value / scale + 0.5) * scale;
}

/// From the south-east, high enough to see over ridges, as near as the whole width allows.
static void choose_plane(const lf_ground *ground, double aspect, lf_render_def *def) {
    lf_box box = lf_ground_box(ground);
    double reach = reach_of(def, box);
    if (!known(def->target)) {
        lf_vec3 middle = lf_vec3_scale(lf_vec3_add(box.low, box.high), 0.5);
        middle.z = ground_under(ground, middle, box);
        def->target = middle;
    }
    if (known(def->eye))
        return;
    double narrow = fmin(1, aspect / 1.6); // tall pictures need more distance
    double away = 1.04 * reach / (tan(0.5 * def->fov_deg * DEGREE) * narrow);
    double back = away * 0.90, lift = away * 0.38;
    lf_vec3 offset = {0.42 * back, -0.907 * back, lift};
    lf_vec3 eye = lf_vec3_add(def->target, lf__render_units(def, offset));
    eye.z = fmax(eye.z, box.high.z + 0.05 * reach / def->metres.z);
    eye.x = shorten(eye.x, reach / def->metres.x);
    eye.y = shorten(eye.y, reach / def->metres.y);
    eye.z = shorten(eye.z, reach / def->metres.z);
    def->eye = eye;
}

/// A round ground is seen whole, obliquely from above.
static void choose_round(const lf_ground *ground, double aspect, lf_render_def *def) {
    lf_box box = lf_ground_box(ground);
    lf_vec3 middle = lf_vec3_scale(lf_vec3_add(box.low, box.high), 0.5);
    double reach = 0.5 * lf_vec3_length(lf_vec3_sub(box.high, box.low));
    if (!known(def->target))
        def->target = middle;
    if (known(def->eye))
        return;
    double away = 0.75 * reach / (sin(0.5 * def->fov_deg * DEGREE) * fmin(1, 1 / aspect));
    lf_vec3 offset = {0.75 * away, -0.55 * away, 0.37 * away};
    def->eye = lf_vec3_add(def->target, offset);
}

/// Is local z world z?
static bool is_level(const lf_frame *frame) {
    return frame->kind == LF_FRAME_GRAVITY && frame->down.x == 0 && frame->down.y == 0 && frame->down.z < 0;
}

typedef struct range {
    double low, high;
} range;

static void widen(range *range, double z) {
    range->low = fmin(range->low, z);
    range->high = fmax(range->high, z);
}

/// The box's corners in local coordinates: a bound of x and y, and of z where coordinates are only turned.
static void widen_by_corners(const lf_frame *frame, lf_box box, range ranges[3]) {
    for (int k = 0; k < 8; k++) {
        lf_vec3 corner = {k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y,
                          k & 4 ? box.high.z : box.low.z};
        lf_vec3 local = lf_frame_to_local(frame, corner);
        widen(&ranges[0], local.x);
        widen(&ranges[1], local.y);
        widen(&ranges[2], local.z);
    }
}

/// Heights of a round ground from a few hundred points, which is enough for colours.
static range sample_round(const lf_ground *ground, const lf_render_def *def, const lf_frame *frame,
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
                widen(&found, lf__render_height(def, frame, hit.point));
        }
    return found;
}

static void resolve_heights(const lf_ground *ground, lf_render_def *def) {
    lf_frame frame = lf_ground_frame(ground);
    range ranges[3] = {{LF_INFINITY, -LF_INFINITY}, {LF_INFINITY, -LF_INFINITY}, {LF_INFINITY, -LF_INFINITY}};
    widen_by_corners(&frame, lf_ground_box(ground), ranges);
    range heights = frame.kind == LF_FRAME_GRAVITY ? ranges[2] : sample_round(ground, def, &frame, ranges);
    if (!(heights.low <= heights.high))
        heights = ranges[2];
    if (isnan(def->low))
        def->low = heights.low;
    if (isnan(def->high))
        def->high = heights.high;
    if (!(def->low < def->high))
        def->high = def->low + 1;
}

static lf_status check(const lf_render_def *d, lf_error *error) {
    if (!(d->fov_deg >= 1) || !(d->fov_deg <= 170))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "fov_deg %g: must be from 1 to 170", d->fov_deg);
    if (!isfinite(d->sun_azimuth_deg) || !(d->sun_height_deg > 0) || !(d->sun_height_deg <= 90))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "sun_height_deg must be above 0 and at most 90, sun_azimuth_deg finite");
    if (!(d->shadows >= 0) || !(d->shadows <= 1) || !(d->haze >= 0) || !(d->haze <= 1))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "shadows and haze must be from 0 to 1");
    if (d->samples < 1 || d->samples > 8)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "samples %d: must be from 1 to 8", d->samples);
    if (!(d->metres.x > 0) || !(d->metres.y > 0) || !(d->metres.z > 0) || !known(d->metres))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "metres: each must be finite and above 0");
    if (!(d->ellipsoid.radius >= 0) || !isfinite(d->ellipsoid.radius) || !(d->ellipsoid.flattening >= 0) ||
        !(d->ellipsoid.flattening < 1))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "ellipsoid of radius %g and flattening %g: radius must be finite and at least 0, "
                        "flattening from 0 to below 1",
                        d->ellipsoid.radius, d->ellipsoid.flattening);
    if (isinf(d->low) || isinf(d->high) || (d->low >= d->high))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "low must be below high, both finite");
    return LF_OK;
}

/// Objects alone: there is no ground to choose a position by.
static lf_status resolve_without_ground(lf_render_def *def, lf_error *error) {
    if (!known(def->eye) || !known(def->target))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "eye and target: must be set where there is no ground");
    def->low = isnan(def->low) ? 0 : def->low;
    def->high = isnan(def->high) ? def->low + 1 : def->high;
    return LF_OK;
}

static lf_status resolve_on(const lf_ground *ground, double aspect, lf_render_def *def, lf_error *error) {
    lf_box box = lf_ground_box(ground);
    lf_frame frame = lf_ground_frame(ground);
    if (!(box.low.x <= box.high.x) || !(aspect > 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the ground is empty, or aspect is not above 0");
    if (!is_level(&frame) && !plain(def))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "metres: must be 1, 1, 1 where down is not -z");
    if (is_level(&frame))
        choose_plane(ground, aspect, def);
    else
        choose_round(ground, aspect, def);
    resolve_heights(ground, def);
    return LF_OK;
}

lf_status lf_render_resolve(const lf_ground *ground, const lf_render_def *def, double aspect,
                            lf_render_def *resolved, lf_error *error) {
    lf_render_def full = lf_render_def_default();
    if (!resolved)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "resolved is NULL");
    lf_status status = lf__def_read(&full, sizeof full, def, error);
    if (status == LF_OK)
        status = check(&full, error);
    if (status == LF_OK)
        status = ground ? resolve_on(ground, aspect, &full, error) : resolve_without_ground(&full, error);
    if (status == LF_OK)
        *resolved = full;
    return status;
}

// ---------------------------------------------------------------------------------------------------
// The lens
// ---------------------------------------------------------------------------------------------------

lf_frame lf__render_frame(const lf_ground *ground) {
    return ground ? lf_ground_frame(ground) : lf_frame_default();
}

bool lf__lens_of(const lf_ground *ground, const lf_render_def *def, double width, double height,
                 lf__lens *lens) {
    lf_frame frame = lf__render_frame(ground);
    lf_vec3 way = lf__render_metres(def, lf_vec3_sub(def->target, def->eye));
    double length = lf_vec3_length(way);
    if (!(length > 0) || !isfinite(length))
        return false;
    lens->forward = lf_vec3_scale(way, 1 / length);
    lf_vec3 up = lf_vec3_scale(lf_frame_down(&frame, def->eye), -1);
    lf_vec3 right = lf_vec3_cross(lens->forward, up);
    if (lf_vec3_length(right) < 0.01) // straight down, or nearly: north is up
        right = lf_vec3_cross(lens->forward, lf_frame_north(&frame, def->eye));
    lens->right = lf_vec3_unit(right);
    lens->up = lf_vec3_cross(lens->right, lens->forward);
    lens->across = tan(0.5 * def->fov_deg * DEGREE);
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
