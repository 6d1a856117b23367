/// Perspective pictures: a row of pixels is a batch of rays, and what these meet is a batch of rays to the sun.
#include "io/render.h"
#include <stdatomic.h>

/// How far from what it starts on a ray to the sun looks, by the distance from the eye.
#define SKIN 1e-4

/// Things that one can see through, one behind the other: more are left out.
#define LAYERS 16
#define BEHIND 1e-7 ///< where the next one may be, by the distance of the last

/// Rows between two reports of progress.
#define ROWS_A_ROUND 64

/// What one worker has in hand: a row of the picture.
typedef struct bench {
    lf_ray *rays, *to_sun;
    lf_hit *hits, *shades;
    lf__seen *seen;
    int64_t *which; ///< of the rays to the sun: whose they are
} bench;

typedef struct job {
    lf_canvas *canvas;
    const lf_ground *ground;
    lf_render_def view;
    lf__weather weather;
    lf__lens lens;
    lf_rect area;
    lf__pixels reach;
    int64_t first;  ///< row of this round, counted from reach.y0
    int64_t a_row;  ///< rays of a row
    bench *benches; ///< of the workers
    int workers;
    atomic_int status;
} job;

// ---------------------------------------------------------------------------------------------------
// Rays of a row
// ---------------------------------------------------------------------------------------------------

static lf_vec3 along_of(const job *job, int64_t x, int64_t y, int sample) {
    int n = job->view.samples;
    double px = (double)x + (sample % n + 0.5) / n - job->area.x,
           py = (double)y + (sample / n + 0.5) / n - job->area.y;
    return lf__lens_through(&job->lens, px, py);
}

static void aim(const job *job, int64_t y, bench *bench) {
    int samples = job->view.samples * job->view.samples;
    for (int64_t k = 0; k < job->a_row; k++) {
        lf_vec3 along = along_of(job, job->reach.x0 + k / samples, y, (int)(k % samples));
        bench->seen[k] = (lf__seen){.along = along, .sunlit = true, .through = 1};
        bench->rays[k] = lf_ray_towards(job->view.eye, lf__render_units(&job->view, along));
    }
}

/// The first thing along a ray that covers what is behind it; those before it are laid over what is seen.
static bool meet_thing(const job *job, lf_ray ray, lf__seen *seen, lf_render_thing *thing) {
    const lf_render_def *view = &job->view;
    for (int layer = 0; layer < LAYERS && view->things(view->things_user, &ray, thing); layer++) {
        if (thing->colour.alpha == 255)
            return true;
        if (seen)
            lf__weather_veil(&job->weather, &ray, thing, seen);
        ray.t_min = thing->t * (1 + BEHIND);
        if (!(ray.t_min < ray.t_max))
            break;
    }
    return false;
}

static lf_status ask_ground(const job *job, const lf_ray *rays, int64_t count, lf_hit *hits) {
    if (job->ground && count > 0)
        return lf_ground_ray_first_many(job->ground, rays, 0, count, hits, 0, NULL);
    for (int64_t k = 0; k < count; k++)
        hits[k] = (lf_hit){.kind = LF_HIT_NONE};
    return LF_OK;
}

/// What the rays meet first, ground or things.
static lf_status look(const job *job, bench *bench) {
    const lf_render_def *view = &job->view;
    lf_status status = ask_ground(job, bench->rays, job->a_row, bench->hits);
    for (int64_t k = 0; k < job->a_row && status == LF_OK; k++) {
        lf__seen *seen = &bench->seen[k];
        lf_hit *hit = &bench->hits[k];
        lf_render_thing thing;
        lf_ray ray = bench->rays[k];
        ray.t_max = hit->kind == LF_HIT_NONE ? LF_INFINITY : hit->t;
        seen->normal = lf__render_normal(view, hit->normal);
        if (view->things && meet_thing(job, ray, seen, &thing)) {
            *hit = (lf_hit){.kind = LF_HIT_TRIANGLE, .t = thing.t};
            hit->point = lf_vec3_add(ray.origin, lf_vec3_scale(ray.direction, thing.t));
            seen->thing = true;
            seen->colour = thing.colour;
            seen->normal = lf__render_normal(view, thing.normal);
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

/// Which of what is seen lies in shadow.
static lf_status find_shadows(const job *job, bench *bench) {
    const lf_render_def *view = &job->view;
    lf_vec3 to_sun = lf__render_units(view, job->weather.sun);
    int64_t count = 0;
    for (int64_t k = 0; k < job->a_row; k++) {
        const lf__seen *seen = &bench->seen[k];
        if (bench->hits[k].kind == LF_HIT_NONE || lf_vec3_dot(seen->normal, job->weather.sun) <= 0)
            continue;
        bench->to_sun[count] = lf_ray_towards(seen->point, to_sun);
        bench->to_sun[count].t_min = SKIN * seen->distance;
        bench->which[count++] = k;
    }
    lf_status status = ask_ground(job, bench->to_sun, count, bench->shades);
    for (int64_t i = 0; i < count && status == LF_OK; i++) {
        lf_render_thing thing;
        bool dark = bench->shades[i].kind != LF_HIT_NONE ||
                    (view->things && meet_thing(job, bench->to_sun[i], NULL, &thing));
        bench->seen[bench->which[i]].sunlit = !dark;
    }
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Pixels of a row
// ---------------------------------------------------------------------------------------------------

static uint8_t byte_of(double share) {
    return (uint8_t)(255 * fmin(1, fmax(0, share)) + 0.5);
}

static void paint_row(const job *job, int64_t y, const bench *bench) {
    int samples = job->view.samples * job->view.samples;
    lf_colour *row = job->canvas->pixels + y * job->canvas->width;
    for (int64_t x = job->reach.x0; x < job->reach.x1; x++) {
        lf_vec3 sum = {0, 0, 0};
        for (int s = 0; s < samples; s++) {
            int64_t k = (x - job->reach.x0) * samples + s;
            const lf__seen *seen = &bench->seen[k];
            bool sky = bench->hits[k].kind == LF_HIT_NONE;
            lf_vec3 colour =
                sky ? lf__weather_sky(&job->weather, seen->along) : lf__weather_shade(&job->weather, seen);
            sum = lf_vec3_add(sum, lf_vec3_add(seen->veil, lf_vec3_scale(colour, seen->through)));
        }
        sum = lf_vec3_scale(sum, 1.0 / samples);
        row[x] = (lf_colour){byte_of(sum.x), byte_of(sum.y), byte_of(sum.z), 255};
    }
}

static void draw_rows(void *user, int64_t first, int64_t last, int worker) {
    job *job = user;
    bench *bench = &job->benches[worker];
    for (int64_t i = first; i < last; i++) {
        int64_t y = job->reach.y0 + job->first + i;
        aim(job, y, bench);
        lf_status status = look(job, bench);
        if (status == LF_OK && job->view.shadows > 0)
            status = find_shadows(job, bench);
        if (status != LF_OK)
            atomic_store(&job->status, (int)status);
        else
            paint_row(job, y, bench);
    }
}

// ---------------------------------------------------------------------------------------------------
// The picture
// ---------------------------------------------------------------------------------------------------

static void give_benches(job *job) {
    const lf_allocator *allocator = &job->canvas->allocator;
    int64_t n = job->a_row;
    for (int i = 0; i < job->workers && job->benches; i++) {
        bench *bench = &job->benches[i];
        lf__give_array(allocator, bench->which, n, sizeof *bench->which);
        lf__give_array(allocator, bench->seen, n, sizeof *bench->seen);
        lf__give_array(allocator, bench->shades, n, sizeof *bench->shades);
        lf__give_array(allocator, bench->hits, n, sizeof *bench->hits);
        lf__give_array(allocator, bench->to_sun, n, sizeof *bench->to_sun);
        lf__give_array(allocator, bench->rays, n, sizeof *bench->rays);
    }
    lf__give_array(allocator, job->benches, job->workers, sizeof *job->benches);
}

static lf_status take_benches(job *job) {
    const lf_allocator *allocator = &job->canvas->allocator;
    int64_t n = job->a_row;
    lf_status status = lf__take_array(allocator, job->workers, sizeof *job->benches, (void **)&job->benches);
    for (int i = 0; i < job->workers && status == LF_OK; i++)
        job->benches[i] = (bench){0};
    for (int i = 0; i < job->workers && status == LF_OK; i++) {
        bench *bench = &job->benches[i];
        struct {
            void **array;
            size_t size;
        } wanted[] = {
            {(void **)&bench->rays, sizeof *bench->rays}, {(void **)&bench->to_sun, sizeof *bench->to_sun},
            {(void **)&bench->hits, sizeof *bench->hits}, {(void **)&bench->shades, sizeof *bench->shades},
            {(void **)&bench->seen, sizeof *bench->seen}, {(void **)&bench->which, sizeof *bench->which}};
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted && status == LF_OK; k++)
            status = lf__take_array(allocator, n, wanted[k].size, wanted[k].array);
    }
    return status;
}

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

lf_status lf_picture_render(lf_canvas *canvas, lf_rect area, const lf_ground *ground,
                            const lf_render_def *def, lf_error *error) {
    if (!canvas || !(area.width > 0) || !(area.height > 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "no canvas, or an area without pixels");
    job job = {.canvas = canvas, .ground = ground, .area = area};
    lf_status status = lf_render_settle(ground, def, area.width / area.height, &job.view, error);
    if (status != LF_OK)
        return status;
    if (!lf__lens_of(ground, &job.view, area.width, area.height, &job.lens))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the eye is where it looks at");
    lf_vec2 low = {floor(area.x + 0.5), floor(area.y + 0.5)};
    lf_vec2 high = {floor(area.x + area.width + 0.5), floor(area.y + area.height + 0.5)};
    if (!lf__canvas_reach(canvas, low, high, &job.reach))
        return LF_OK;
    job.weather = lf__weather_of(ground, &job.view);
    job.a_row = (job.reach.x1 - job.reach.x0) * job.view.samples * job.view.samples;
    job.workers = canvas->host.tasks && canvas->host.tasks->workers > 1 ? canvas->host.tasks->workers : 1;
    status = take_benches(&job);
    if (status == LF_OK)
        status = draw(&job);
    give_benches(&job);
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}
