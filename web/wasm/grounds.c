/// The calls that JavaScript makes: the public API with flat arguments.
///
/// Numbers go in and out as arrays of doubles in the module's memory, objects as pointers. Every call that can fail returns NULL
/// or a negative lf_status; web_message has the reason.
#include "web.h"
#include <malloc.h>
#include <math.h>

static char message[512];
static lf_status last_status;

// ---------------------------------------------------------------------------------------------------
// Threads
// ---------------------------------------------------------------------------------------------------

#ifdef __EMSCRIPTEN_PTHREADS__
#include <pthread.h>
#include <stdatomic.h>

#define WEB_THREADS 16

/// The threads wait for loops; the thread that calls works along, as worker 0.
static struct {
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    int threads, busy;
    uint64_t loop; ///< counts loops
    lf_task *task;
    void *job;
    int64_t count, grain;
    _Atomic int64_t next;
} crew = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .begins = PTHREAD_COND_INITIALIZER, .ends = PTHREAD_COND_INITIALIZER};

static void work(int worker) {
    int64_t first;
    while ((first = atomic_fetch_add(&crew.next, crew.grain)) < crew.count)
        crew.task(crew.job, first, first + crew.grain < crew.count ? first + crew.grain : crew.count, worker);
}

static void *thread_main(void *worker) {
    uint64_t done = 0;
    pthread_mutex_lock(&crew.lock);
    for (;;) {
        while (crew.loop == done)
            pthread_cond_wait(&crew.begins, &crew.lock);
        done = crew.loop;
        pthread_mutex_unlock(&crew.lock);
        work((int)(intptr_t)worker);
        pthread_mutex_lock(&crew.lock);
        if (--crew.busy == 0)
            pthread_cond_signal(&crew.ends);
    }
    return NULL;
}

static void crew_run(void *user, int64_t count, int64_t grain, lf_task *task, void *job) {
    (void)user;
    pthread_mutex_lock(&crew.lock);
    crew.task = task, crew.job = job, crew.count = count, crew.grain = grain > 0 ? grain : 1;
    atomic_store(&crew.next, 0);
    crew.busy = crew.threads;
    crew.loop++;
    pthread_cond_broadcast(&crew.begins);
    pthread_mutex_unlock(&crew.lock);
    work(0);
    pthread_mutex_lock(&crew.lock);
    while (crew.busy > 0)
        pthread_cond_wait(&crew.ends, &crew.lock);
    pthread_mutex_unlock(&crew.lock);
}

static lf_tasks crew_tasks = {.run = crew_run};

const lf_tasks *web_tasks(void) {
    return crew.threads > 0 ? &crew_tasks : NULL;
}

/// Start threads, as many of `count` as there can be. Returns how many work in all.
WEB int web_threads(int count) {
    pthread_t thread;
    while (crew.threads < count - 1 && crew.threads < WEB_THREADS &&
           pthread_create(&thread, NULL, thread_main, (void *)(intptr_t)(crew.threads + 1)) == 0)
        crew.threads++;
    return crew_tasks.workers = crew.threads + 1;
}

#else

const lf_tasks *web_tasks(void) {
    return NULL;
}

WEB int web_threads(int count) {
    (void)count;
    return 1;
}

#endif

/// Called by JavaScript's progress function; returns 0 to cancel.
// clang-format off
EM_JS(int, web_report, (const char *stage, double done, double total), {
    return Module.progress && Module.progress(UTF8ToString(stage), done, total) === false ? 0 : 1;
});
// clang-format on

static bool report(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user;
    return web_report(stage, (double)done, (double)total) != 0;
}

const lf_progress web_progress = {NULL, report};

lf_status web_fail(lf_status status, const lf_error *error) {
    last_status = status;
    snprintf(message, sizeof message, "%s", error && error->text[0] ? error->text : lf_status_text(status));
    return status;
}

/// Bytes that are allocated at present.
WEB double web_memory(void) {
    return (double)mallinfo().uordblks;
}

WEB const char *web_message(void) {
    return message;
}

WEB int web_status(void) {
    return last_status;
}

WEB const char *web_status_name(int status) {
    return lf_status_name((lf_status)status);
}

WEB const char *web_reason_name(int reason) {
    return lf_reason_name((lf_reason)reason);
}

WEB const char *web_version(void) {
    static char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", LF_VERSION_MAJOR, LF_VERSION_MINOR, LF_VERSION_PATCH);
    return text;
}

WEB void web_destroy(web_ground *g) {
    if (!g)
        return;
    lf_group_destroy(g->group);
    if (!g->store)
        lf_globe_destroy(g->globe);
    web_tiles_destroy(g->tiles);
    lf_grid_destroy(g->grid);
    lf_mesh_destroy(g->mesh);
    lf_store_close(g->store);
    free(g->samples);
    free(g);
}

web_ground *web_new(void) {
    web_ground *g = calloc(1, sizeof *g);
    if (!g)
        web_fail(LF_NO_MEMORY, NULL);
    return g;
}

// ---------------------------------------------------------------------------------------------------
// Grounds
// ---------------------------------------------------------------------------------------------------

static size_t sample_size(int type) {
    return type == LF_SAMPLE_DOUBLE ? 8 : type == LF_SAMPLE_FLOAT ? 4 : 2;
}

/// A grid. The samples, row by row, were allocated by malloc and belong to the grid from here on, also after a failure.
/// transform: from column and row to x and y as in GDAL, but of sample centres: x0, dx/dcolumn, dx/drow, y0, dy/dcolumn, dy/drow.
WEB web_ground *web_grid(void *samples, int type, int columns, int rows, const double *transform,
                         double nodata, int surface, int degrees) {
    web_ground *g = web_new();
    lf_grid_def def = lf_grid_def_default();
    lf_error error = {0};
    if (!g) {
        free(samples);
        return NULL;
    }
    g->samples = samples;
    g->units = degrees ? LF_MAP_DEGREES : LF_MAP_METRES;
    def.host = web_host();
    def.samples = (lf_samples){.type = (lf_sample_type)type,
                               .values = samples,
                               .columns = columns,
                               .rows = rows,
                               .scale = 1,
                               .nodata = nodata};
    def.borrow = true;
    def.surface = (lf_surface)surface;
    def.leaf = 4; // a third of the bounds' memory, where memory is scarce; answers do not depend on it
    def.geotransform = (lf_geotransform){
        {transform[0], transform[3]}, {transform[1], transform[4]}, {transform[2], transform[5]}};
    if (degrees)
        def.turn = 360;
    if (transform[1] * transform[5] - transform[2] * transform[4] < 0 && rows > 1 && columns > 0) {
        g->north_up = true;
        def.geotransform.origin.x += (rows - 1) * transform[2];
        def.geotransform.origin.y += (rows - 1) * transform[5];
        def.geotransform.per_row.x = -transform[2];
        def.geotransform.per_row.y = -transform[5];
        ptrdiff_t row = (ptrdiff_t)(sample_size(type) * (size_t)columns);
        def.samples.row_step = -row;
        def.samples.values = (const char *)samples + row * (rows - 1);
    }
    // Columns around the whole earth need one sample more at the end of each row to be borrowed: such grids
    // copy.
    def.borrow = !(degrees && columns * fabs(transform[1]) > 359.9);
    lf_status status = lf_grid_create(&def, &g->grid, &error);
    if (status != LF_OK) {
        web_fail(status, &error);
        web_destroy(g);
        return NULL;
    }
    if (!def.borrow) {
        free(g->samples);
        g->samples = NULL;
    }
    g->raster = g->grid;
    g->ground = lf_grid_ground(g->grid);
    return g;
}

#define WEB_LATTICE 256 ///< cells along the longer side of a ground without samples of its own

void web_set_lattice(web_ground *g) {
    lf_box box = lf_ground_box(g->ground);
    double width = box.high.x - box.low.x, height = box.high.y - box.low.y;
    double step = fmax(width, height) / WEB_LATTICE;
    step = step > 0 && isfinite(step) ? step : 1;
    g->north_up = true;
    g->lattice = (lf_lattice){{{box.low.x, box.low.y}, {step, 0}, {0, step}},
                              (int64_t)(width / step) + 1,
                              (int64_t)(height / step) + 1};
}

/// A mesh of triangles: three doubles per vertex, three 32-bit numbers per triangle.
WEB web_ground *web_mesh(const double *vertices, int vertex_count, const uint32_t *triangles,
                         int triangle_count) {
    web_ground *g = web_new();
    if (!g)
        return NULL;
    int64_t *corners = malloc(sizeof *corners * 3 * (size_t)(triangle_count > 0 ? triangle_count : 1));
    lf_mesh_def def = lf_mesh_def_default();
    lf_error error = {0};
    lf_status status = corners ? LF_OK : LF_NO_MEMORY;
    for (int64_t k = 0; corners && k < 3 * (int64_t)triangle_count; k++)
        corners[k] = triangles[k];
    def.host = web_host();
    def.polygons = (lf_polygons){.vertices = (const lf_vec3 *)(const void *)vertices,
                                 .vertex_count = vertex_count,
                                 .corners = corners,
                                 .polygon_count = triangle_count};
    if (status == LF_OK)
        status = lf_mesh_create(&def, &g->mesh, &error);
    free(corners);
    if (status != LF_OK) {
        web_fail(status, &error);
        web_destroy(g);
        return NULL;
    }
    g->ground = lf_mesh_ground(g->mesh);
    web_set_lattice(g);
    return g;
}

/// A .lf file in the module's file system.
WEB web_ground *web_open(const char *path) {
    web_ground *g = web_new();
    lf_error error = {0};
    if (!g)
        return NULL;
    lf_status status = lf_store_open(path, NULL, true, &g->store, &error);
    if (status == LF_OK && !lf_store_ground(g->store)) {
        status = LF_BAD_FORMAT;
        snprintf(error.text, sizeof error.text, "the file holds a model, not a ground");
    }
    if (status != LF_OK) {
        web_fail(status, &error);
        web_destroy(g);
        return NULL;
    }
    lf_pixels pixels;
    g->ground = lf_store_ground(g->store);
    g->raster = lf_store_grid(g->store);
    g->globe = lf_store_globe(g->store);
    g->units = lf_store_describe(g->store).degrees ? LF_MAP_DEGREES : LF_MAP_METRES;
    if (g->raster && lf_store_pixels(g->store, &pixels))
        g->north_up = pixels.flip_rows && !pixels.transposed;
    if (!g->raster && !g->globe)
        web_set_lattice(g);
    return g;
}

/// Grounds and boxes as one ground. Each part: its ground (a pointer as a number, 0 for a box), 12 numbers of its pose (three rows
/// of the rotation, then the translation), 6 of its box (low, high), layers, user value: 21 numbers.
WEB web_ground *web_group(const double *numbers, int count) {
    web_ground *g = web_new();
    lf_group_part *parts = calloc((size_t)(count > 0 ? count : 1), sizeof *parts);
    lf_group_def def = lf_group_def_default();
    lf_error error = {0};
    lf_status status = g && parts ? LF_OK : LF_NO_MEMORY;
    for (int k = 0; status == LF_OK && k < count; k++) {
        const double *p = numbers + 21 * (size_t)k;
        const web_ground *of = (const web_ground *)(uintptr_t)p[0];
        parts[k].ground = of ? of->ground : NULL;
        memcpy(&parts[k].pose, p + 1, sizeof parts[k].pose);
        parts[k].box = (lf_box){{p[13], p[14], p[15]}, {p[16], p[17], p[18]}};
        parts[k].layers = (uint32_t)p[19];
        parts[k].user = (uint64_t)p[20];
    }
    static const double identity[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    def.parts = parts;
    def.part_count = count;
    if (status == LF_OK)
        status = lf_group_create(&def, &g->group, &error);
    free(parts);
    if (status != LF_OK) {
        web_fail(status, &error);
        web_destroy(g);
        return NULL;
    }
    g->ground = lf_group_ground(g->group);
    const web_ground *first = count > 0 ? (const web_ground *)(uintptr_t)numbers[0] : NULL;
    if (first && first->raster && memcmp(numbers + 1, identity, sizeof identity) == 0) {
        g->raster = first->raster;
        g->north_up = first->north_up;
        g->units = first->units;
    } else {
        web_set_lattice(g);
    }
    return g;
}

/// Move a part of a group: 12 numbers.
WEB int web_move(web_ground *g, int part, const double *pose) {
    lf_pose to;
    memcpy(&to, pose, sizeof to);
    lf_status status = lf_group_set_pose(g->group, part, &to);
    return status == LF_OK ? 0 : web_fail(status, NULL);
}

/// 17 numbers: box (6), columns, rows, sample centres as in web_grid (6, in the caller's order of rows), degrees, samples without
/// height, kind (1 grid, 2 globe, 0 others).
WEB void web_describe(const web_ground *g, double *out) {
    lf_box box = lf_ground_box(g->ground);

    memcpy(out, &box, 6 * sizeof *out);
    lf_lattice at = g->lattice;
    double holes = 0;
    if (g->raster) {
        lf_grid_info info = lf_grid_describe(g->raster);
        at = (lf_lattice){info.geotransform, info.columns, info.rows};
        holes = (double)info.hole_count;
    }
    const lf_geotransform *t = &at.geotransform;
    double flip = g->north_up ? -1 : 1, last = g->north_up ? (double)(at.rows - 1) : 0;
    double numbers[] = {(double)at.columns,
                        (double)at.rows,
                        t->origin.x + last * t->per_row.x,
                        t->per_column.x,
                        flip * t->per_row.x,
                        t->origin.y + last * t->per_row.y,
                        t->per_column.y,
                        flip * t->per_row.y,
                        g->units == LF_MAP_DEGREES,
                        holes,
                        g->globe                 ? 2
                        : g->raster && !g->group ? 1
                                                 : 0};
    memcpy(out + 6, numbers, sizeof numbers);
}

/// All heights of a grid, in the caller's order of rows; NAN for voids.
WEB int web_samples(const web_ground *g, double *heights) {
    lf_window all = lf_grid_window(g->raster);
    for (int64_t row = 0; row < all.rows; row++) {
        int64_t from = g->north_up ? all.rows - 1 - row : row;
        lf_status status = lf_grid_read(g->raster, 0, from, all.columns, 1, heights + row * all.columns);
        if (status != LF_OK)
            return web_fail(status, NULL);
    }
    return 0;
}

// ---------------------------------------------------------------------------------------------------
// Heights, rays, sweeps, walks
// ---------------------------------------------------------------------------------------------------

/// Heights below (or above) points of three numbers; NAN where there is none.
WEB int web_heights(const web_ground *g, const double *points, int count, int up, double *heights) {
    lf_status status =
        lf_ground_heights_many(g->ground, (const lf_vec3 *)(const void *)points, 0, count,
                               up ? LF_VERTICAL_UP : LF_VERTICAL_DOWN, heights, 0, web_tasks());
    return status == LF_OK ? 0 : web_fail(status, NULL);
}

/// kind, reason, t, point, normal, part, element, triangle, user value, layers.
void web_put_hit(const lf_hit *hit, double *out) {
    double numbers[WEB_HIT] = {(double)hit->kind, (double)hit->reason,  hit->t,
                               hit->point.x,      hit->point.y,         hit->point.z,
                               hit->normal.x,     hit->normal.y,        hit->normal.z,
                               (double)hit->part, (double)hit->element, (double)hit->triangle,
                               (double)hit->user, (double)hit->layers};
    memcpy(out, numbers, sizeof numbers);
}

/// The ground below (or above) one point, as a hit.
WEB int web_height_hit(const web_ground *g, const double *point, int up, double *out) {
    lf_hit hit;
    lf_status status = lf_ground_height(g->ground, (lf_vec3){point[0], point[1], point[2]},
                                        up ? LF_VERTICAL_UP : LF_VERTICAL_DOWN, &hit, NULL);
    web_put_hit(&hit, out);
    return status == LF_OK ? 0 : web_fail(status, NULL);
}

/// First hits of rays of eight numbers (origin, direction, t_min, t_max); WEB_HIT numbers each.
WEB int web_rays(const web_ground *g, const double *rays, int count, double *hits) {
    for (int k = 0; k < count; k++) {
        lf_hit hit;
        lf_status status =
            lf_ground_ray_first(g->ground, (const lf_ray *)(const void *)(rays + 8 * (size_t)k), &hit, NULL);
        if (status != LF_OK) {
            web_fail(status, NULL);
            snprintf(message, sizeof message,
                     "ray %d: origin and direction must be finite, the direction not zero, and 0 <= t_min <= "
                     "t_max",
                     k);
            return status;
        }
        web_put_hit(&hit, hits + WEB_HIT * (size_t)k);
    }
    return 0;
}

/// The same for batches that share work: only t of each, NAN for a miss.
WEB int web_rays_t(const web_ground *g, const double *rays, int count, double *t) {
    lf_hit *hits = malloc(sizeof *hits * (size_t)(count > 0 ? count : 1));
    if (!hits)
        return web_fail(LF_NO_MEMORY, NULL);
    lf_status status = lf_ground_ray_first_many(g->ground, (const lf_ray *)(const void *)rays, 0, count, hits,
                                                0, web_tasks());
    for (int k = 0; status == LF_OK && k < count; k++)
        t[k] = hits[k].kind == LF_HIT_NONE ? NAN : hits[k].t;
    free(hits);
    return status == LF_OK ? 0 : web_fail(status, NULL);
}

/// A sphere or a box: 12 numbers of the pose, half sides (3), radius, motion (3), tolerance.
WEB int web_sweep(const web_ground *g, const double *numbers, double *out) {
    lf_sweep sweep;
    lf_hit hit;
    memcpy(&sweep.pose, numbers, sizeof sweep.pose);
    sweep.half = (lf_vec3){numbers[12], numbers[13], numbers[14]};
    sweep.radius = numbers[15];
    sweep.motion = (lf_vec3){numbers[16], numbers[17], numbers[18]};
    sweep.tolerance = numbers[19];
    lf_status status = lf_ground_sweep(g->ground, &sweep, &hit, NULL);
    web_put_hit(&hit, out);
    return status == LF_OK ? 0 : web_fail(status, NULL);
}

/// from, to (3 each), step, drop, crack: end, reason, t, position (3), refused step, and the points of the path.
WEB int web_walk(const web_ground *g, const double *n, double *out, double *points, int capacity) {
    lf_walker walker = {n[6], n[7], n[8]};
    lf_walk walk;
    lf_path path = {(lf_vec3 *)(void *)points, capacity, 0};
    lf_status status = lf_ground_walk(g->ground, &walker, (lf_vec3){n[0], n[1], n[2]},
                                      (lf_vec3){n[3], n[4], n[5]}, &walk, &path, NULL);
    if (status < 0)
        return web_fail(status, NULL);
    double numbers[] = {(double)walk.end, (double)walk.reason, walk.t,    walk.position.x,
                        walk.position.y,  walk.position.z,     walk.step, (double)path.count};
    memcpy(out, numbers, sizeof numbers);
    return 0;
}
