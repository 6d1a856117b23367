/// web-native FOLDER TASK: the native side of ./run bench web, on one thread.
///
/// FOLDER/terrain.f32 has SIDE x SIDE samples, 30 m apart, rows from the north; FOLDER/TASK.f64 the questions. Prints the least seconds of
/// several turns, and writes the answers to FOLDER/TASK.native, as the package gives them.
#include <landfall/landfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS = 5 };

/// Processor time: one thread on a machine that others use too.
static double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static lf_grid *grid_of(const lf_map *map) {
    int64_t side = (int64_t)sqrt((double)(map->size / sizeof(float)));
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid = NULL;
    def.samples =
        (lf_samples){.type = LF_SAMPLE_FLOAT,
                     .values = (const char *)map->data + (size_t)(side - 1) * (size_t)side * sizeof(float),
                     .columns = side,
                     .rows = side,
                     .row_step = -(ptrdiff_t)((size_t)side * sizeof(float)),
                     .scale = 1,
                     .nodata = NAN};
    def.borrow = true;
    def.geotransform = (lf_geotransform){{0, 0}, {30, 0}, {0, 30}};
    return lf_grid_create(&def, &grid, NULL) == LF_OK ? grid : NULL;
}

/// The rays' t, NAN for a miss, as the package returns them.
static bool rays(const lf_ground *ground, const double *ask, int64_t count, double *t) {
    lf_hit *hits = malloc((size_t)count * sizeof *hits);
    bool fine = hits && lf_ground_ray_first_many(ground, (const lf_ray *)(const void *)ask, 0, count, hits, 0,
                                                 NULL) == LF_OK;
    for (int64_t k = 0; fine && k < count; k++)
        t[k] = hits[k].kind == LF_HIT_NONE ? (double)NAN : hits[k].t;
    free(hits);
    return fine;
}

/// One turn. The first number of a viewshed's question is its range, then x, y and the height of the observer.
static bool turn(const lf_ground *ground, const char *task, const lf_map *ask, void *out, size_t *size) {
    const double *n = ask->data;
    int64_t count = (int64_t)(ask->size / sizeof *n);
    if (strcmp(task, "heights") == 0) {
        *size = (size_t)(count / 3) * sizeof(double);
        return lf_ground_heights_many(ground, ask->data, 0, count / 3, LF_VERTICAL_DOWN, out, 0, NULL) ==
               LF_OK;
    }
    if (strcmp(task, "rays") == 0) {
        *size = (size_t)(count / 8) * sizeof(double);
        return rays(ground, n, count / 8, out);
    }
    if (strcmp(task, "sight") == 0) { // all first ends, then all second ones
        lf_sight_rules rules = lf_sight_rules_default();
        *size = (size_t)(count / 6);
        return lf_sight_verdicts(ground, &rules, ask->data, 0, (const lf_vec3 *)ask->data + count / 6, 0,
                                 count / 6, out, NULL) == LF_OK;
    }
    lf_viewshed_def def = lf_viewshed_def_default();
    def.range_max = n[0];
    def.rules.curvature.coefficient = 0.85714;
    lf_observer observer = {{n[1], n[2]}, n[3], false};
    lf_window window = lf_viewshed_window(ground, &def, observer.at);
    *size = (size_t)(window.columns * window.rows);
    lf_viewshed_stats stats;
    return lf_viewshed_visible(ground, &def, &observer, window,
                               (uint8_t *)out + (window.rows - 1) * window.columns,
                               -(ptrdiff_t)window.columns, &stats, NULL) == LF_OK;
}

int main(int count, char **words) {
    char path[3][4096];
    lf_map terrain, ask;
    if (count != 3)
        return 2;
    snprintf(path[0], sizeof path[0], "%s/terrain.f32", words[1]);
    snprintf(path[1], sizeof path[1], "%s/%s.f64", words[1], words[2]);
    snprintf(path[2], sizeof path[2], "%s/%s.native", words[1], words[2]);
    if (lf_map_open(path[0], &terrain, NULL) != LF_OK || lf_map_open(path[1], &ask, NULL) != LF_OK)
        return 2;
    lf_grid *grid = grid_of(&terrain);
    size_t size = 0, space = ask.size > terrain.size ? ask.size : terrain.size;
    void *out = malloc(space);
    double least = INFINITY;
    bool fine = grid && out;
    for (int k = 0; k < TURNS && fine; k++) {
        double began = now_seconds();
        fine = turn(lf_grid_ground(grid), words[2], &ask, out, &size);
        double took = now_seconds() - began;
        least = took < least ? took : least;
    }
    FILE *file = fine ? fopen(path[2], "wb") : NULL;
    fine = file && fwrite(out, 1, size, file) == size;
    fine = file && fclose(file) == 0 && fine;
    if (fine)
        printf("%s %.9f\n", lf_isa_name(lf_isa_best()), least);
    free(out);
    lf_grid_destroy(grid);
    lf_map_close(&ask);
    lf_map_close(&terrain);
    return fine ? 0 : 2;
}
