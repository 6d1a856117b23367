/// Colours of ground, things and sky: tints by height, bare rock where it is steep, sun and sky light, haze.
#include "io/render.h"

#define DEGREE 0.017453292519943295

/// Of the haze at full strength, over the ground's own size.
#define THICKEST 2.2

/// Light on the dark sides of things that the ground about them throws back.
#define THROWN_BACK 0.28

/// How bright things are before they are softened.
#define KNEE 0.7

static const lf_vec3 zenith = {0.33, 0.52, 0.80}, horizon = {0.82, 0.88, 0.93}, glow = {1.0, 0.93, 0.80};
static const lf_vec3 depth = {0.50, 0.60, 0.71}; // what is seen below the horizon, beside the ground
static const lf_vec3 night = {0.02, 0.03, 0.06}, shallow = {0.52, 0.68, 0.78}, deep = {0.13, 0.25, 0.42};
static const lf_vec3 sunlight = {1.0, 0.96, 0.88}, skylight = {0.58, 0.70, 0.90}, rock = {0.47, 0.44, 0.41};

static lf_vec3 mix(lf_vec3 a, lf_vec3 b, double t) {
    return lf_vec3_add(lf_vec3_scale(a, 1 - t), lf_vec3_scale(b, t));
}

static lf_vec3 times(lf_vec3 a, lf_vec3 b) {
    return (lf_vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static double step(double from, double to, double x) {
    double t = fmin(1, fmax(0, (x - from) / (to - from)));
    return t * t * (3 - 2 * t);
}

/// As film does it: what is brighter than it can hold comes near white slowly, and keeps its form.
static double soften(double light) {
    return light < KNEE ? light : 1 - (1 - KNEE) * exp((KNEE - light) / (1 - KNEE));
}

static lf_vec3 three(lf_colour colour) {
    return (lf_vec3){colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0};
}

lf__weather lf__weather_of(const lf_ground *ground, const lf_render_def *view) {
    lf__weather weather = {.view = view, .frame = lf__render_frame(ground)};
    lf_box box = ground ? lf_ground_box(ground) : lf_box_with(lf_box_empty(), view->eye);
    double azimuth = view->sun_azimuth_deg * DEGREE, height = view->sun_height_deg * DEGREE;
    bool round = weather.frame.kind == LF_FRAME_CENTRE;
    lf_vec3 where = round ? view->eye : view->look; // whoever looks at a planet's middle has no up there
    lf_vec3 up = lf_vec3_scale(lf_frame_down(&weather.frame, where), -1);
    lf_vec3 north = lf_frame_north(&weather.frame, where), east = lf_vec3_cross(north, up);
    weather.over = up;
    weather.sun = lf_vec3_add(lf_vec3_scale(up, sin(height)),
                              lf_vec3_add(lf_vec3_scale(north, cos(azimuth) * cos(height)),
                                          lf_vec3_scale(east, sin(azimuth) * cos(height))));
    double size = lf_vec3_length(lf__render_metres(view, lf_vec3_sub(box.high, box.low)));
    double far = lf_vec3_length(lf__render_metres(view, lf_vec3_sub(view->look, view->eye)));
    if (round) {
        double radius =
            0.5 * fmax(box.high.z - box.low.z, fmax(box.high.x - box.low.x, box.high.y - box.low.y));
        double away = lf_vec3_length(lf_vec3_sub(view->eye, weather.frame.origin));
        weather.space = step(1.02, 1.25, away / fmax(radius, 1e-9));
    }
    weather.thick = (1 - weather.space) * THICKEST * view->haze * view->haze / fmax(fmax(size, far), 1e-9);
    return weather;
}

lf_vec3 lf__weather_sky(const lf__weather *weather, lf_vec3 along) {
    double rise = lf_vec3_dot(along, weather->over), towards = fmax(0, lf_vec3_dot(along, weather->sun));
    lf_vec3 sky =
        rise < 0 ? mix(horizon, depth, step(0, 0.9, -rise)) : mix(horizon, zenith, step(-0.05, 0.55, rise));
    return mix(mix(sky, glow, 0.55 * pow(towards, 24)), night, weather->space);
}

/// Bare ground: the ramp by height, rock where it is steep, and paint over both.
static lf_vec3 ground_colour(const lf__weather *weather, const lf__seen *seen, lf_vec3 up) {
    const lf_render_def *view = weather->view;
    bool planet = weather->frame.kind == LF_FRAME_CENTRE && view->ellipsoid.radius > 0;
    double z = lf__render_height(view, &weather->frame, seen->point);
    double low = planet && view->high > 0 ? fmax(view->low, 0) : view->low;
    lf_vec3 colour = three(lf_ramp_colour(view->ramp, (z - low) / (view->high - low)));
    if (view->low < low && z < low)
        colour = mix(shallow, deep, fmin(1, sqrt((low - z) / (low - view->low))));
    double steep = step(0.80, 0.62, fabs(lf_vec3_dot(seen->normal, up)));
    if (view->ramp == LF_RAMP_LAND)
        colour = mix(colour, rock, 0.65 * steep);
    if (view->paint) {
        lf_colour paint = view->paint(view->paint_user, seen->point);
        colour = mix(colour, three(paint), paint.alpha / 255.0);
    }
    return colour;
}

lf_vec3 lf__weather_shade(const lf__weather *weather, const lf__seen *seen) {
    lf_vec3 up = lf_vec3_scale(lf_frame_down(&weather->frame, seen->point), -1);
    lf_vec3 colour = seen->thing ? three(seen->colour) : ground_colour(weather, seen, up);
    double sun = fmax(0, lf_vec3_dot(seen->normal, weather->sun));
    double shade = seen->sunlit ? 1 : 1 - weather->view->shadows;
    double level = fmax(0.25, lf_vec3_dot(weather->over, weather->sun));
    lf_vec3 direct = lf_vec3_scale(sunlight, 0.78 * shade * fmin(sun / level, 1.7));
    double bounced = seen->thing ? THROWN_BACK : 0;
    lf_vec3 sky = lf_vec3_scale(skylight, 0.20 + bounced + 0.16 * lf_vec3_dot(seen->normal, up));
    colour = times(colour, lf_vec3_add(direct, sky));
    colour = (lf_vec3){soften(colour.x), soften(colour.y), soften(colour.z)};
    double clear = exp(-weather->thick * seen->distance);
    lf_vec3 level_way =
        lf_vec3_sub(seen->along, lf_vec3_scale(weather->over, lf_vec3_dot(seen->along, weather->over)));
    double flat = lf_vec3_length(level_way);
    lf_vec3 air = lf__weather_sky(weather, flat > 0.05 ? lf_vec3_scale(level_way, 1 / flat) : seen->along);
    return mix(air, colour, clear);
}

void lf__weather_veil(const lf__weather *weather, const lf_ray *ray, const lf_render_thing *thing,
                      lf__seen *seen) {
    lf__seen one = {.along = seen->along, .distance = thing->t, .thing = true, .sunlit = true};
    one.point = lf_vec3_add(ray->origin, lf_vec3_scale(ray->direction, thing->t));
    one.colour = thing->colour;
    one.normal = lf__render_normal(weather->view, thing->normal);
    if (lf_vec3_dot(one.normal, one.along) > 0)
        one.normal = lf_vec3_scale(one.normal, -1);
    double share = thing->colour.alpha / 255.0;
    lf_vec3 colour = lf_vec3_scale(lf__weather_shade(weather, &one), seen->through * share);
    seen->veil = lf_vec3_add(seen->veil, colour);
    seen->through *= 1 - share;
}
