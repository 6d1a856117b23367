/// The calls that JavaScript makes: the public API with flat arguments.
///
/// Numbers go in and out as arrays of doubles in the module's memory, objects as pointers. Every call that can fail returns NULL
/// or a negative lf_status; web_message has the reason.
#include <emscripten.h>
#include <landfall.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEB EMSCRIPTEN_KEEPALIVE

/// A ground with what it is made of; destroyed together.
typedef struct web_ground {
    const lf_ground *ground;
    lf_grid *grid;
    lf_mesh *mesh;
    lf_store *store;
    lf_group *group;
    const lf_grid *raster; ///< of a grid or of a stored grid; NULL for other grounds
    lf_map_units units;
    bool north_up; ///< rows of the caller are counted from the top
    void *samples; ///< of a grid: borrowed by it, freed with it
} web_ground;

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

static const lf_tasks *tasks(void) {
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

static const lf_tasks *tasks(void) {
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

static const lf_progress progress = {NULL, report};

static lf_status fail(lf_status status, const lf_error *error) {
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
    lf_grid_destroy(g->grid);
    lf_mesh_destroy(g->mesh);
    lf_store_close(g->store);
    free(g->samples);
    free(g);
}

static web_ground *web_new(void) {
    web_ground *g = calloc(1, sizeof *g);
    if (!g)
        fail(LF_NO_MEMORY, NULL);
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
    def.host = (lf_host){.progress = &progress, .tasks = tasks()};
    def.samples = (lf_samples){.type = (lf_sample_type)type,
                               .values = samples,
                               .columns = columns,
                               .rows = rows,
                               .scale = 1,
                               .nodata = nodata};
    def.borrow = true;
    def.surface = (lf_surface)surface;
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
        fail(status, &error);
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
    def.host = (lf_host){.progress = &progress, .tasks = tasks()};
    def.polygons = (lf_polygons){.vertices = (const lf_vec3 *)(const void *)vertices,
                                 .vertex_count = vertex_count,
                                 .corners = corners,
                                 .polygon_count = triangle_count};
    if (status == LF_OK)
        status = lf_mesh_create(&def, &g->mesh, &error);
    free(corners);
    if (status != LF_OK) {
        fail(status, &error);
        web_destroy(g);
        return NULL;
    }
    g->ground = lf_mesh_ground(g->mesh);
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
        snprintf(error.text, sizeof error.text, "the file holds a model or a globe, not a ground");
    }
    if (status != LF_OK) {
        fail(status, &error);
        web_destroy(g);
        return NULL;
    }
    lf_pixels pixels;
    g->ground = lf_store_ground(g->store);
    g->raster = lf_store_grid(g->store);
    if (g->raster && lf_store_pixels(g->store, &pixels)) {
        g->north_up = pixels.flip_rows && !pixels.transposed;
        g->units = lf_store_describe(g->store).degrees ? LF_MAP_DEGREES : LF_MAP_METRES;
    }
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
    def.parts = parts;
    def.part_count = count;
    if (status == LF_OK)
        status = lf_group_create(&def, &g->group, &error);
    free(parts);
    if (status != LF_OK) {
        fail(status, &error);
        web_destroy(g);
        return NULL;
    }
    g->ground = lf_group_ground(g->group);
    return g;
}

/// Move a part of a group: 12 numbers.
WEB int web_move(web_ground *g, int part, const double *pose) {
    lf_pose to;
    memcpy(&to, pose, sizeof to);
    lf_status status = lf_group_set_pose(g->group, part, &to);
    return status == LF_OK ? 0 : fail(status, NULL);
}

/// 16 numbers: box (6), columns, rows, sample centres as in web_grid (6, in the caller's order of rows), degrees, samples without height.
WEB void web_describe(const web_ground *g, double *out) {
    lf_box box = lf_ground_box(g->ground);
    memset(out, 0, 16 * sizeof *out);
    memcpy(out, &box, 6 * sizeof *out);
    if (g->raster) {
        lf_grid_info info = lf_grid_describe(g->raster);
        const lf_geotransform *at = &info.geotransform;
        double flip = g->north_up ? -1 : 1, last = g->north_up ? (double)(info.rows - 1) : 0;
        double numbers[] = {(double)info.columns,   (double)info.rows,    at->origin.x + last * at->per_row.x,
                            at->per_column.x,       flip * at->per_row.x, at->origin.y + last * at->per_row.y,
                            at->per_column.y,       flip * at->per_row.y, g->units == LF_MAP_DEGREES,
                            (double)info.hole_count};
        memcpy(out + 6, numbers, sizeof numbers);
    }
}

/// All heights of a grid, in the caller's order of rows; NAN for voids.
WEB int web_samples(const web_ground *g, double *heights) {
    lf_window all = lf_grid_window(g->raster);
    for (int64_t row = 0; row < all.rows; row++) {
        int64_t from = g->north_up ? all.rows - 1 - row : row;
        lf_status status = lf_grid_read(g->raster, 0, from, all.columns, 1, heights + row * all.columns);
        if (status != LF_OK)
            return fail(status, NULL);
    }
    return 0;
}

// ---------------------------------------------------------------------------------------------------
// Heights, rays, sweeps, walks
// ---------------------------------------------------------------------------------------------------

/// Heights below (or above) points of three numbers; NAN where there is none.
WEB int web_heights(const web_ground *g, const double *points, int count, int up, double *heights) {
    lf_status status = lf_ground_heights_many(g->ground, (const lf_vec3 *)(const void *)points, 0, count,
                                              up ? LF_VERTICAL_UP : LF_VERTICAL_DOWN, heights, 0, tasks());
    return status == LF_OK ? 0 : fail(status, NULL);
}

#define WEB_HIT 14

/// kind, reason, t, point, normal, part, element, triangle, user value, layers.
static void put_hit(const lf_hit *hit, double *out) {
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
    put_hit(&hit, out);
    return status == LF_OK ? 0 : fail(status, NULL);
}

/// First hits of rays of eight numbers (origin, direction, t_min, t_max); WEB_HIT numbers each.
WEB int web_rays(const web_ground *g, const double *rays, int count, double *hits) {
    for (int k = 0; k < count; k++) {
        lf_hit hit;
        lf_status status =
            lf_ground_ray_first(g->ground, (const lf_ray *)(const void *)(rays + 8 * (size_t)k), &hit, NULL);
        if (status != LF_OK) {
            fail(status, NULL);
            snprintf(message, sizeof message,
                     "ray %d: origin and direction must be finite, the direction not zero, and 0 <= t_min <= "
                     "t_max",
                     k);
            return status;
        }
        put_hit(&hit, hits + WEB_HIT * (size_t)k);
    }
    return 0;
}

/// The same for batches that share work: only t of each, NAN for a miss.
WEB int web_rays_t(const web_ground *g, const double *rays, int count, double *t) {
    lf_hit *hits = malloc(sizeof *hits * (size_t)(count > 0 ? count : 1));
    if (!hits)
        return fail(LF_NO_MEMORY, NULL);
    lf_status status =
        lf_ground_ray_first_many(g->ground, (const lf_ray *)(const void *)rays, 0, count, hits, 0, tasks());
    for (int k = 0; status == LF_OK && k < count; k++)
        t[k] = hits[k].kind == LF_HIT_NONE ? NAN : hits[k].t;
    free(hits);
    return status == LF_OK ? 0 : fail(status, NULL);
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
    put_hit(&hit, out);
    return status == LF_OK ? 0 : fail(status, NULL);
}

/// from, to (3 each), step, drop, crack: end, reason, t, position (3), refused step, and the points of the path.
WEB int web_walk(const web_ground *g, const double *n, double *out, double *points, int capacity) {
    lf_walker walker = {n[6], n[7], n[8]};
    lf_walk walk;
    lf_path path = {(lf_vec3 *)(void *)points, capacity, 0};
    lf_status status = lf_ground_walk(g->ground, &walker, (lf_vec3){n[0], n[1], n[2]},
                                      (lf_vec3){n[3], n[4], n[5]}, &walk, &path, NULL);
    if (status < 0)
        return fail(status, NULL);
    double numbers[] = {(double)walk.end, (double)walk.reason, walk.t,    walk.position.x,
                        walk.position.y,  walk.position.z,     walk.step, (double)path.count};
    memcpy(out, numbers, sizeof numbers);
    return 0;
}

// ---------------------------------------------------------------------------------------------------
// Sight
// ---------------------------------------------------------------------------------------------------

/// Rules of sight from four numbers: curvature coefficient, earth radius, what voids do, frequency.
static lf_sight_rules rules_of(const web_ground *g, const double *numbers) {
    lf_sight_rules rules = lf_sight_rules_default();
    rules.curvature = (lf_curvature){numbers[0], numbers[1]};
    rules.voids = (lf_void_policy)numbers[2];
    rules.frequency_mhz = numbers[3];
    rules.units = g->units;
    return rules;
}

/// The point above the topmost ground, as a reason: 0 is an answer.
WEB int web_observer(const web_ground *g, double x, double y, double above, double *point) {
    lf_vec3 at = {0, 0, 0};
    lf_reason reason = LF_REASON_NONE;
    lf_status status = lf_sight_observer(g->ground, (lf_vec2){x, y}, above, &at, &reason);
    memcpy(point, &at, sizeof at);
    return status == LF_OK ? (int)reason : fail(status, NULL);
}

/// One line in detail: verdict, t, point (3), length, clearance, clearance_t, raise, raise_t, fresnel, fresnel_t.
WEB int web_sight(const web_ground *g, const double *numbers, const double *ends, double *out) {
    lf_sight_rules rules = rules_of(g, numbers);
    lf_sight s;
    rules.detail = true;
    lf_status status = lf_sight_between(g->ground, &rules, (lf_vec3){ends[0], ends[1], ends[2]},
                                        (lf_vec3){ends[3], ends[4], ends[5]}, &s, NULL);
    if (status != LF_OK)
        return fail(status, NULL);
    double all[] = {(double)s.verdict, s.t,           s.point.x, s.point.y, s.point.z, s.length,
                    s.clearance,       s.clearance_t, s.raise,   s.raise_t, s.fresnel, s.fresnel_t};
    memcpy(out, all, sizeof all);
    return 0;
}

/// Verdicts of lines; with `same` all begin at the first of a.
WEB int web_verdicts(const web_ground *g, const double *numbers, const double *a, int same, const double *b,
                     int count, uint8_t *verdicts) {
    lf_sight_rules rules = rules_of(g, numbers);
    lf_status status =
        lf_sight_verdicts(g->ground, &rules, (const lf_vec3 *)(const void *)a, same ? LF_STRIDE_SAME : 0,
                          (const lf_vec3 *)(const void *)b, 0, count, verdicts, tasks());
    return status == LF_OK ? 0 : fail(status, NULL);
}

/// A profile; returns how many points there are, of which at most capacity are written (t, distance, ground, line).
WEB int web_profile(const web_ground *g, const double *numbers, const double *ends, int steps, double *points,
                    int capacity) {
    lf_sight_rules rules = rules_of(g, numbers);
    int64_t count = 0;
    lf_status status = lf_sight_profile(g->ground, &rules, (lf_vec3){ends[0], ends[1], ends[2]},
                                        (lf_vec3){ends[3], ends[4], ends[5]}, steps,
                                        (lf_profile_point *)(void *)points, capacity, &count);
    return status < 0 ? fail(status, NULL) : (int)count;
}

/// The definition of a viewshed: rules (4), target, range (2), azimuths (2), pitches (2).
static lf_viewshed_def viewshed_of(const web_ground *g, const double *n) {
    lf_viewshed_def def = lf_viewshed_def_default();
    def.host = (lf_host){.progress = &progress, .tasks = tasks()};
    def.rules = rules_of(g, n);
    def.target = n[4];
    def.range_min = n[5];
    def.range_max = n[6];
    def.azimuth_from_deg = n[7];
    def.azimuth_to_deg = n[8];
    def.pitch_low_deg = n[9];
    def.pitch_high_deg = n[10];
    return def;
}

/// A window in the caller's order of rows as the grid counts.
static lf_window window_of(const web_ground *g, const double *n) {
    lf_window window = {(int64_t)n[0], (int64_t)n[1], (int64_t)n[2], (int64_t)n[3]};
    if (g->north_up)
        window.row = lf_grid_window(g->raster).rows - window.row - window.rows;
    return window;
}

static void put_window(const web_ground *g, lf_window window, double *n) {
    if (g->north_up)
        window.row = lf_grid_window(g->raster).rows - window.row - window.rows;
    double numbers[] = {(double)window.column, (double)window.row, (double)window.columns,
                        (double)window.rows};
    memcpy(n, numbers, sizeof numbers);
}

/// First byte of the grid's first row in a result in the caller's order, and the step to its next row.
static void *rows_of(const web_ground *g, void *data, lf_window window, size_t item, ptrdiff_t *step) {
    ptrdiff_t row = (ptrdiff_t)(item * (size_t)window.columns);
    *step = g->north_up ? -row : row;
    return g->north_up ? (char *)data + row * (ptrdiff_t)(window.rows - 1) : data;
}

/// The window that an observer's range reaches.
WEB void web_viewshed_window(const web_ground *g, const double *def, double x, double y, double *window) {
    lf_viewshed_def d = viewshed_of(g, def);
    put_window(g, lf_viewshed_window(lf_grid_ground(g->raster), &d, (lf_vec2){x, y}), window);
}

static void put_stats(const lf_viewshed_stats *stats, double *out) {
    for (int k = 0; k < 5; k++)
        out[k] = (double)stats->counts[k];
    out[5] = (double)stats->walked;
}

/// mode -1: a byte per sample (lf_visibility); otherwise a float (lf_viewshed_mode). observer: x, y, height, above datum or not.
WEB int web_viewshed(const web_ground *g, const double *def, const double *observer, int mode,
                     const double *window, void *result, double *stats) {
    lf_viewshed_def d = viewshed_of(g, def);
    lf_observer o = {{observer[0], observer[1]}, observer[2], observer[3] != 0};
    lf_window w = window_of(g, window);
    lf_viewshed_stats s;
    lf_error error = {0};
    ptrdiff_t step;
    void *rows = rows_of(g, result, w, mode < 0 ? 1 : sizeof(float), &step);
    lf_status status = mode < 0
                           ? lf_viewshed_visible(lf_grid_ground(g->raster), &d, &o, w, rows, step, &s, &error)
                           : lf_viewshed_values(lf_grid_ground(g->raster), &d, &o, (lf_viewshed_mode)mode, w,
                                                rows, step, &s, &error);
    if (status != LF_OK)
        return fail(status, &error);
    put_stats(&s, stats);
    return 0;
}

/// How many of the observers (4 numbers each) see each sample.
WEB int web_viewshed_count(const web_ground *g, const double *def, const double *observers, int count,
                           const double *window, uint32_t *counts, double *stats) {
    lf_viewshed_def d = viewshed_of(g, def);
    lf_window w = window_of(g, window);
    lf_observer *list = malloc(sizeof *list * (size_t)(count > 0 ? count : 1));
    lf_viewshed_stats s;
    lf_error error = {0};
    ptrdiff_t step;
    if (!list)
        return fail(LF_NO_MEMORY, NULL);
    for (int k = 0; k < count; k++) {
        const double *n = observers + 4 * (size_t)k;
        list[k] = (lf_observer){{n[0], n[1]}, n[2], n[3] != 0};
    }
    void *rows = rows_of(g, counts, w, sizeof *counts, &step);
    lf_status status =
        lf_viewshed_count(lf_grid_ground(g->raster), &d, list, count, w, rows, step, &s, &error);
    free(list);
    if (status != LF_OK)
        return fail(status, &error);
    put_stats(&s, stats);
    return 0;
}

// ---------------------------------------------------------------------------------------------------
// Horizon and sun
// ---------------------------------------------------------------------------------------------------

/// Horizons around a point: elevation, distance, x, y, z of each azimuth; elevation -90 and distance 0 where there is no ground.
WEB int web_horizon(const web_ground *g, const double *numbers, const double *from, double range,
                    const double *azimuths, int count, double *out) {
    lf_sight_rules rules = rules_of(g, numbers);
    for (int k = 0; k < count; k++) {
        lf_horizon h;
        lf_status status = lf_horizon_at(lf_grid_ground(g->raster), &rules,
                                         (lf_vec3){from[0], from[1], from[2]}, azimuths[k], range, &h, NULL);
        if (status != LF_OK)
            return fail(status, NULL);
        double *o = out + 5 * (size_t)k;
        o[0] = h.elevation_deg, o[1] = h.distance, o[2] = h.point.x, o[3] = h.point.y, o[4] = h.point.z;
    }
    return 0;
}

/// Which samples of a window the sun lights: lf_visibility.
WEB int web_shade(const web_ground *g, const double *numbers, double azimuth, double altitude,
                  const double *window, uint8_t *lit) {
    lf_horizon_def def = lf_horizon_def_default();
    lf_window w = window_of(g, window);
    lf_error error = {0};
    ptrdiff_t step;
    void *rows = rows_of(g, lit, w, 1, &step);
    def.host = (lf_host){.progress = &progress, .tasks = tasks()};
    def.rules = rules_of(g, numbers);
    lf_status status =
        lf_sun_shade(lf_grid_ground(g->raster), &def, (lf_sun){azimuth, altitude, 0}, w, rows, step, &error);
    return status == LF_OK ? 0 : fail(status, &error);
}

/// Hours of sun of each sample of a window: suns of three numbers (azimuth, altitude, hours).
WEB int web_sun_hours(const web_ground *g, const double *numbers, const double *suns, int count,
                      const double *window, float *hours) {
    lf_horizon_def def = lf_horizon_def_default();
    lf_window w = window_of(g, window);
    lf_error error = {0};
    ptrdiff_t step;
    void *rows = rows_of(g, hours, w, sizeof *hours, &step);
    def.host = (lf_host){.progress = &progress, .tasks = tasks()};
    def.rules = rules_of(g, numbers);
    lf_status status = lf_sun_hours(lf_grid_ground(g->raster), &def, (const lf_sun *)(const void *)suns,
                                    count, w, rows, step, &error);
    return status == LF_OK ? 0 : fail(status, &error);
}
