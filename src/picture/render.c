/// Perspective pictures: a row of pixels is a batch of rays, and the points that they hit are a batch of rays to the sun.
#include "picture/picture.h"
#include <landfall/scene.h>
#include <stdatomic.h>

/// Where rays to the sun start, as a share of the distance from the eye, so that they do not hit their own surface.
#define SKIN 1e-4

/// Transparent objects one behind the other; more are left out.
#define LAYERS 16
#define BEHIND 1e-7 ///< where the next one may be, by the distance of the last

/// Rows between two reports of progress.
#define ROWS_A_ROUND 64

#define DEGREE 0.017453292519943295

/// Thickness of the haze at full strength, over the size of the ground.
#define THICKEST 2.2

/// Light that the ground reflects onto the dark sides of objects.
#define REFLECTED 0.28

/// Brightness from which on light is softened.
#define KNEE 0.7

static const lf_vec3 zenith = {0.33, 0.52, 0.80}, horizon = {0.82, 0.88, 0.93}, glow = {1.0, 0.93, 0.80};
static const lf_vec3 depth = {0.50, 0.60, 0.71}; // below the horizon, beside the ground
static const lf_vec3 night = {0.02, 0.03, 0.06}, shallow = {0.52, 0.68, 0.78}, deep = {0.13, 0.25, 0.42};
static const lf_vec3 sunlight = {1.0, 0.96, 0.88}, skylight = {0.58, 0.70, 0.90}, rock = {0.47, 0.44, 0.41};

/// Light and air.
typedef struct weather {
    const lf_render_def *def;
    lf_frame frame;
    lf_vec3 sun;  ///< unit, in metres
    lf_vec3 over; ///< unit: up at the target
    double thick; ///< haze per metre
    double space; ///< 0 in air .. 1 far above a round ground
} weather;

/// What a ray shows. Colours are three numbers 0 .. 1.
typedef struct surface {
    lf_vec3 point;  ///< units of the ground
    lf_vec3 normal; ///< unit, in metres, towards the eye
    lf_vec3 along;  ///< direction of the ray: unit, in metres
    double distance;
    bool object;      ///< not ground: `colour` is its colour
    lf_colour colour; ///< of an object
    bool sunlit;
    lf_vec3 veil;   ///< the light of transparent objects before it
    double through; ///< the share that they let through
} surface;

// ---------------------------------------------------------------------------------------------------
// Colours of ground, objects and sky
// ---------------------------------------------------------------------------------------------------

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

/// Bright light approaches white slowly, as on film, and keeps its shades.
static double soften(double light) {
    return light < KNEE ? light : 1 - (1 - KNEE) * exp((KNEE - light) / (1 - KNEE));
}

static lf_vec3 three(lf_colour colour) {
    return (lf_vec3){colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0};
}

static weather weather_of(const lf_ground *ground, const lf_render_def *def) {
    weather weather = {.def = def, .frame = lf__render_frame(ground)};
    lf_box box = ground ? lf_ground_box(ground) : lf_box_with(lf_box_empty(), def->eye);
    double azimuth = def->sun_azimuth_deg * DEGREE, height = def->sun_height_deg * DEGREE;
    bool round = weather.frame.kind == LF_FRAME_CENTRE;
    lf_vec3 where = round ? def->eye : def->target; // the centre of a planet has no up
    lf_vec3 up = lf_vec3_scale(lf_frame_down(&weather.frame, where), -1);
    lf_vec3 north = lf_frame_north(&weather.frame, where), east = lf_vec3_cross(north, up);
    weather.over = up;
    weather.sun = lf_vec3_add(lf_vec3_scale(up, sin(height)),
                              lf_vec3_add(lf_vec3_scale(north, cos(azimuth) * cos(height)),
                                          lf_vec3_scale(east, sin(azimuth) * cos(height))));
    double size = lf_vec3_length(lf__render_metres(def, lf_vec3_sub(box.high, box.low)));
    double far = lf_vec3_length(lf__render_metres(def, lf_vec3_sub(def->target, def->eye)));
    if (round) {
        double radius =
            0.5 * fmax(box.high.z - box.low.z, fmax(box.high.x - box.low.x, box.high.y - box.low.y));
        double away = lf_vec3_length(lf_vec3_sub(def->eye, weather.frame.origin));
        weather.space = step(1.02, 1.25, away / fmax(radius, 1e-9));
    }
    weather.thick = (1 - weather.space) * THICKEST * def->haze * def->haze / fmax(fmax(size, far), 1e-9);
    return weather;
}

static lf_vec3 sky_colour(const weather *weather, lf_vec3 along) {
    double rise = lf_vec3_dot(along, weather->over), towards = fmax(0, lf_vec3_dot(along, weather->sun));
    lf_vec3 sky =
        rise < 0 ? mix(horizon, depth, step(0, 0.9, -rise)) : mix(horizon, zenith, step(-0.05, 0.55, rise));
    return mix(mix(sky, glow, 0.55 * pow(towards, 24)), night, weather->space);
}

/// Bare ground: the ramp by height, rock where it is steep, and paint over both.
static lf_vec3 ground_colour(const weather *weather, const surface *seen, lf_vec3 up) {
    const lf_render_def *def = weather->def;
    bool planet = weather->frame.kind == LF_FRAME_CENTRE && def->ellipsoid.radius > 0;
    double z = lf__render_height(def, &weather->frame, seen->point);
    double low = planet && def->high > 0 ? fmax(def->low, 0) : def->low;
    lf_vec3 colour = three(lf_ramp_colour(def->ramp, (z - low) / (def->high - low)));
    if (def->low < low && z < low)
        colour = mix(shallow, deep, fmin(1, sqrt((low - z) / (low - def->low))));
    double steep = step(0.80, 0.62, fabs(lf_vec3_dot(seen->normal, up)));
    if (def->ramp == LF_RAMP_LAND)
        colour = mix(colour, rock, 0.65 * steep);
    if (def->paint) {
        lf_colour paint = def->paint(def->paint_user, seen->point);
        colour = mix(colour, three(paint), paint.alpha / 255.0);
    }
    return colour;
}

static lf_vec3 shaded_colour(const weather *weather, const surface *seen) {
    lf_vec3 up = lf_vec3_scale(lf_frame_down(&weather->frame, seen->point), -1);
    lf_vec3 colour = seen->object ? three(seen->colour) : ground_colour(weather, seen, up);
    double sun = fmax(0, lf_vec3_dot(seen->normal, weather->sun));
    double shade = seen->sunlit ? 1 : 1 - weather->def->shadows;
    double level = fmax(0.25, lf_vec3_dot(weather->over, weather->sun));
    lf_vec3 direct = lf_vec3_scale(sunlight, 0.78 * shade * fmin(sun / level, 1.7));
    double bounced = seen->object ? REFLECTED : 0;
    lf_vec3 sky = lf_vec3_scale(skylight, 0.20 + bounced + 0.16 * lf_vec3_dot(seen->normal, up));
    colour = times(colour, lf_vec3_add(direct, sky));
    colour = (lf_vec3){soften(colour.x), soften(colour.y), soften(colour.z)};
    double clear = exp(-weather->thick * seen->distance);
    lf_vec3 level_way =
        lf_vec3_sub(seen->along, lf_vec3_scale(weather->over, lf_vec3_dot(seen->along, weather->over)));
    double flat = lf_vec3_length(level_way);
    lf_vec3 air = sky_colour(weather, flat > 0.05 ? lf_vec3_scale(level_way, 1 / flat) : seen->along);
    return mix(air, colour, clear);
}

/// Lay a transparent object over what is behind it. It is lit as if nothing shaded it.
static void add_veil(const weather *weather, const lf_ray *ray, const lf_render_object *object,
                     surface *seen) {
    surface one = {.along = seen->along, .distance = object->t, .object = true, .sunlit = true};
    one.point = lf_vec3_add(ray->origin, lf_vec3_scale(ray->direction, object->t));
    one.colour = object->colour;
    one.normal = lf__render_normal(weather->def, object->normal);
    if (lf_vec3_dot(one.normal, one.along) > 0)
        one.normal = lf_vec3_scale(one.normal, -1);
    double share = object->colour.alpha / 255.0;
    lf_vec3 colour = lf_vec3_scale(shaded_colour(weather, &one), seen->through * share);
    seen->veil = lf_vec3_add(seen->veil, colour);
    seen->through *= 1 - share;
}

/// A ray through a pixel, what it hits, and a ray to the sun. The rays to the sun of a row are packed: `number` is the ray that
/// they belong to.
typedef struct sample {
    lf_ray ray, to_sun;
    lf_hit hit, shade;
    surface seen;
    int64_t number;
} sample;

typedef struct job {
    lf_canvas *canvas;
    const lf_ground *ground;
    lf_render_def def;
    weather weather;
    lf__lens lens;
    lf_rect area;
    lf__pixels reach;
    int64_t first;   ///< row of this round, counted from reach.y0
    int64_t a_row;   ///< rays of a row
    sample *samples; ///< a row for each worker
    lf__layer layer;
    atomic_int status;
} job;

// ---------------------------------------------------------------------------------------------------
// Rays of a row
// ---------------------------------------------------------------------------------------------------

static lf_vec3 direction_of(const job *job, int64_t x, int64_t y, int sample) {
    int n = job->def.samples;
    double px = (double)x + (sample % n + 0.5) / n - job->area.x,
           py = (double)y + (sample / n + 0.5) / n - job->area.y;
    return lf__lens_through(&job->lens, px, py);
}

static void aim(const job *job, int64_t y, sample *row) {
    int samples = job->def.samples * job->def.samples;
    for (int64_t k = 0; k < job->a_row; k++) {
        lf_vec3 along = direction_of(job, job->reach.x0 + k / samples, y, (int)(k % samples));
        row[k].seen = (surface){.along = along, .sunlit = true, .through = 1};
        row[k].ray = lf_ray_towards(job->def.eye, lf__render_units(&job->def, along));
    }
}

/// Find the first opaque object along a ray; transparent ones before it become a veil.
static bool hit_object(const job *job, lf_ray ray, surface *seen, lf_render_object *object) {
    const lf_render_def *def = &job->def;
    for (int layer = 0; layer < LAYERS && def->objects(def->objects_user, &ray, object); layer++) {
        if (object->colour.alpha == 255)
            return true;
        if (seen)
            add_veil(&job->weather, &ray, object, seen);
        ray.t_min = object->t * (1 + BEHIND);
        if (!(ray.t_min < ray.t_max))
            break;
    }
    return false;
}

/// Find the first hits of the rays, on ground or objects.
static lf_status find_hits(const job *job, sample *row) {
    const lf_render_def *def = &job->def;
    lf_status status = LF_OK;
    for (int64_t k = 0; k < job->a_row; k++)
        row[k].hit = (lf_hit){.kind = LF_HIT_NONE};
    if (job->ground)
        status = lf_ground_ray_first_many(job->ground, &row->ray, sizeof *row, job->a_row, &row->hit,
                                          sizeof *row, NULL);
    for (int64_t k = 0; k < job->a_row && status == LF_OK; k++) {
        surface *seen = &row[k].seen;
        lf_hit *hit = &row[k].hit;
        lf_render_object object;
        lf_ray ray = row[k].ray;
        ray.t_max = hit->kind == LF_HIT_NONE ? LF_INFINITY : hit->t;
        seen->normal = lf__render_normal(def, hit->normal);
        if (def->objects && hit_object(job, ray, seen, &object)) {
            *hit = (lf_hit){.kind = LF_HIT_TRIANGLE, .t = object.t};
            hit->point = lf_vec3_add(ray.origin, lf_vec3_scale(ray.direction, object.t));
            seen->object = true;
            seen->colour = object.colour;
            seen->normal = lf__render_normal(def, object.normal);
        }
        if (hit->kind == LF_HIT_NONE)
            continue;
        seen->point = hit->point;
        seen->distance = hit->t;
        if (lf_vec3_dot(seen->normal, seen->along) > 0)
            seen->normal = lf_vec3_scale(seen->normal, -1);
    }
    return status;
}

/// Find which of the hits lie in shadow.
static lf_status find_shadows(const job *job, sample *row) {
    lf_vec3 to_sun = lf__render_units(&job->def, job->weather.sun);
    lf_status status = LF_OK;
    int64_t count = 0;
    for (int64_t k = 0; k < job->a_row; k++) {
        const surface *seen = &row[k].seen;
        if (row[k].hit.kind == LF_HIT_NONE || lf_vec3_dot(seen->normal, job->weather.sun) <= 0)
            continue;
        row[count].to_sun = lf_ray_towards(seen->point, to_sun);
        row[count].to_sun.t_min = SKIN * seen->distance;
        row[count].shade = (lf_hit){.kind = LF_HIT_NONE};
        row[count++].number = k;
    }
    if (job->ground && count > 0)
        status = lf_ground_ray_first_many(job->ground, &row->to_sun, sizeof *row, count, &row->shade,
                                          sizeof *row, NULL);
    for (int64_t i = 0; i < count && status == LF_OK; i++) {
        lf_render_object object;
        bool dark = row[i].shade.kind != LF_HIT_NONE ||
                    (job->def.objects && hit_object(job, row[i].to_sun, NULL, &object));
        row[row[i].number].seen.sunlit = !dark;
    }
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Pixels of a row
// ---------------------------------------------------------------------------------------------------

static uint8_t byte_of(double share) {
    return (uint8_t)(255 * fmin(1, fmax(0, share)) + 0.5);
}

static void paint_row(job *job, int64_t y, const sample *row) {
    int samples = job->def.samples * job->def.samples;
    for (int64_t x = 0; x < job->reach.x1 - job->reach.x0; x++) {
        lf_vec3 sum = {0, 0, 0};
        for (const sample *at = row + x * samples; at < row + (x + 1) * samples; at++) {
            const surface *seen = &at->seen;
            lf_vec3 colour = at->hit.kind == LF_HIT_NONE ? sky_colour(&job->weather, seen->along)
                                                         : shaded_colour(&job->weather, seen);
            sum = lf_vec3_add(sum, lf_vec3_add(seen->veil, lf_vec3_scale(colour, seen->through)));
        }
        sum = lf_vec3_scale(sum, 1.0 / samples);
        lf_colour mean = {byte_of(sum.x), byte_of(sum.y), byte_of(sum.z), 255};
        lf__layer_set(&job->layer, x, y, mean);
    }
}

static void draw_rows(void *user, int64_t first, int64_t last, int worker) {
    job *job = user;
    sample *row = job->samples + worker * job->a_row;
    for (int64_t i = first; i < last; i++) {
        int64_t y = job->first + i;
        aim(job, job->reach.y0 + y, row);
        lf_status status = find_hits(job, row);
        if (status == LF_OK && job->def.shadows > 0)
            status = find_shadows(job, row);
        if (status != LF_OK)
            atomic_store(&job->status, (int)status);
        else
            paint_row(job, y, row);
    }
}

// ---------------------------------------------------------------------------------------------------
// The picture
// ---------------------------------------------------------------------------------------------------

static lf_status draw(job *job) {
    int64_t rows = job->reach.y1 - job->reach.y0;
    for (job->first = 0; job->first < rows; job->first += ROWS_A_ROUND) {
        int64_t left = rows - job->first;
        if (!lf__report(&job->canvas->host, "render", job->first, rows))
            return LF_CANCELLED;
        lf__run(job->canvas->host.tasks, left < ROWS_A_ROUND ? left : ROWS_A_ROUND, 1, draw_rows, job);
        if (atomic_load(&job->status) != LF_OK)
            return (lf_status)atomic_load(&job->status);
    }
    lf__report(&job->canvas->host, "render", rows, rows);
    return LF_OK;
}

lf_status lf_canvas_render(lf_canvas *canvas, lf_rect area, const lf_ground *ground, const lf_render_def *def,
                           lf_error *error) {
    if (!canvas || !(area.width > 0) || !(area.height > 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "canvas is NULL, or the area is empty");
    job job = {.canvas = canvas, .ground = ground, .area = area};
    lf_status status = lf_render_resolve(ground, def, area.width / area.height, &job.def, error);
    if (status != LF_OK)
        return status;
    if (!lf__lens_of(ground, &job.def, area.width, area.height, &job.lens))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "eye and target must not be the same point");
    if (!lf__canvas_reach(canvas, area, &job.reach))
        return LF_OK;
    int64_t workers = canvas->host.tasks && canvas->host.tasks->workers > 1 ? canvas->host.tasks->workers : 1;
    job.weather = weather_of(ground, &job.def);
    job.a_row = (job.reach.x1 - job.reach.x0) * job.def.samples * job.def.samples;
    status = lf__allocate_array(&canvas->allocator, workers * job.a_row, sizeof *job.samples,
                                (void **)&job.samples);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    status = lf__layer_begin(&job.layer, job.reach);
    if (status == LF_OK) {
        status = draw(&job);
        lf__layer_end(&job.layer, canvas);
    }
    lf__free_array(&canvas->allocator, job.samples, workers * job.a_row, sizeof *job.samples);
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}

// ---------------------------------------------------------------------------------------------------
// Scenes
// ---------------------------------------------------------------------------------------------------

bool lf_render_scene(void *scene, const lf_ray *ray, lf_render_object *object) {
    lf_hit hit;
    lf_part_info part;
    if (lf_scene_ray_first(scene, ray, &hit, NULL) != LF_OK || hit.kind == LF_HIT_NONE ||
        lf_part_describe(scene, lf_scene_part_of(scene, hit.part), &part) != LF_OK)
        return false;
    object->t = hit.t;
    object->normal = hit.normal;
    object->colour = (lf_colour){byte_of(part.colour.red), byte_of(part.colour.green),
                                 byte_of(part.colour.blue), byte_of(part.colour.opacity)};
    return true;
}
