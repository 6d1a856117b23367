/// Questions to compressed grids.
#include "store.h"
#include <gdal.h>
#include <landfall/sight.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { LINES = 20000, POINTS = 100000, MANY = 1000000, ALL = STORE_CODECS + 1 };

typedef struct asker {
    const lf_ground *ground;
    lf_cursor *cursor;
    const lf_vec3 *points;
    const lf_ray *rays;
    double sum; ///< of answers, to compare
} asker;

static void ask_heights(void *user) {
    asker *a = user;
    a->sum = 0;
    for (int k = 0; k < POINTS; k++) {
        lf_hit hit;
        lf_ground_height(a->ground, a->points[k], LF_VERTICAL_DOWN, &hit, a->cursor);
        a->sum += hit.point.z;
    }
}

static void ask_rays(void *user) {
    asker *a = user;
    a->sum = 0;
    for (int k = 0; k < LINES; k++) {
        lf_hit hit;
        lf_ground_ray_first(a->ground, &a->rays[k], &hit, a->cursor);
        a->sum += hit.kind == LF_HIT_NONE ? 0 : 1;
    }
}

static void ask_sight(void *user) {
    asker *a = user;
    const lf_sight_rules rules = lf_sight_rules_default();
    a->sum = 0;
    for (int k = 0; k < LINES; k++) {
        const lf_ray *ray = &a->rays[k];
        lf_verdict verdict = LF_VERDICT_UNKNOWN;
        lf_vec3 to = lf_vec3_add(ray->origin, ray->direction);
        if (lf_sight_verdict(a->ground, &rules, ray->origin, to, &verdict, a->cursor) != LF_OK)
            bench_stop("no verdict");
        a->sum += verdict == LF_VERDICT_BLOCKED;
    }
}

/// Points along a walk, and lines between places some metres over the ground.
static void make_questions(const bench_field *field, lf_vec3 *points, int count, lf_ray *rays) {
    bench_random random = {7};
    double extent = bench_field_extent(field);
    for (int k = 0; k < count; k++)
        points[k] = (lf_vec3){bench_random_between(&random, 0, extent),
                              bench_random_between(&random, 0, extent), 1e5};
    for (int k = 0; k < LINES; k++) {
        lf_vec3 ends[2];
        for (int e = 0; e < 2; e++) {
            int64_t i = (int64_t)bench_random_between(&random, 0, (double)field->samples);
            int64_t j = (int64_t)bench_random_between(&random, 0, (double)field->samples);
            ends[e] = (lf_vec3){BENCH_SPACING * (double)i, BENCH_SPACING * (double)j,
                                (double)field->heights[j * field->samples + i] + 20};
        }
        rays[k] = lf_ray_between(ends[0], ends[1]);
    }
}

void store_asking(const store_grounds *g, const bench_field *field, bench_report *report) {
    static const char *const heads[] = {"kept as",     "height ns",        "ray ns", "sight ns",
                                        "sight / raw", "decoded % a line", NULL};
    static const char *const names[ALL] = {"raw", "pack", "maxplus", "haar", "d4", "maxplus, bounds in full"};
    static void (*const works[3])(void *) = {ask_heights, ask_rays, ask_sight};
    lf_vec3 *points = bench_take(POINTS, sizeof *points);
    lf_ray *rays = bench_take(LINES, sizeof *rays);
    asker askers[ALL];
    bench_times times[3];
    double decoded[ALL];
    bench_table table;
    make_questions(field, points, POINTS, rays);
    for (int k = 0; k < ALL; k++) {
        askers[k] = (asker){.ground = g->grounds[k], .points = points, .rays = rays};
        if (lf_cursor_create(NULL, &askers[k].cursor) != LF_OK)
            bench_stop("no cursor");
    }
    for (int w = 0; w < 3; w++) {
        bench_contestant contestants[ALL];
        for (int k = 0; k < ALL; k++)
            contestants[k] = (bench_contestant){names[k], NULL, works[w], &askers[k]};
        bench_race(contestants, ALL, report->quick ? 1 : report->rounds, true, &times[w]);
        if (askers[LF_CODEC_MAXPLUS].sum != askers[STORE_CODECS].sum)
            bench_stop("max-plus gives two answers");
    }
    bench_table_start(
        &table,
        "Questions one by one, with a cursor: random points; lines between places 20 m over the ground",
        heads);
    for (int k = 0; k < ALL; k++) {
        lf_cursor_reset(askers[k].cursor);
        ask_sight(&askers[k]);
        decoded[k] = 100.0 * (double)lf_cursor_counters(askers[k].cursor).decoded / LINES /
                     ((double)g->samples * (double)g->samples);
        bench_table_row(&table);
        bench_table_cell(&table, "%s", names[k]);
        bench_table_cell(&table, "%.0f", times[0].seconds[k] / POINTS * 1e9);
        bench_table_cell(&table, "%.0f", times[1].seconds[k] / LINES * 1e9);
        bench_table_cell(&table, "%.0f", times[2].seconds[k] / LINES * 1e9);
        bench_table_cell(&table, "%.2f", times[2].seconds[0] / times[2].seconds[k]);
        bench_table_cell(&table, "%.3f", decoded[k]);
        lf_cursor_destroy(askers[k].cursor);
    }
    bench_table_end(&table, report);
    bench_bar(report, "sight on pack against raw", times[2].seconds[0] / times[2].seconds[LF_CODEC_PACK],
              0.6);
    bench_bar(report, "sight on maxplus, its own bounds",
              times[2].seconds[STORE_CODECS] / times[2].seconds[LF_CODEC_MAXPLUS], 0.7);
    bench_bar(report, "decoded below 5 % a line (pack)", 5 / decoded[LF_CODEC_PACK], 1);
    free(rays);
    free(points);
}

// ---------------------------------------------------------------------------------------------------
// GDAL
// ---------------------------------------------------------------------------------------------------

typedef struct reader {
    const lf_ground *ground;
    GDALRasterBandH band;
    int64_t samples;
    const lf_vec3 *points;
    double *heights;
    bool many;
} reader;

static void read_ours(void *user) {
    reader *r = user;
    if (r->many) {
        lf_ground_heights_many(r->ground, r->points, 0, MANY, LF_VERTICAL_DOWN, r->heights, 0, NULL);
        return;
    }
    for (int k = 0; k < MANY; k++) {
        lf_hit hit;
        lf_ground_height(r->ground, r->points[k], LF_VERTICAL_DOWN, &hit, NULL);
        r->heights[k] = hit.point.z;
    }
}

/// The four samples around a place, and between them as the falling cell says.
static void read_gdal(void *user) {
    reader *r = user;
    for (int k = 0; k < MANY; k++) {
        double x = r->points[k].x / BENCH_SPACING, y = r->points[k].y / BENCH_SPACING;
        int i = (int)x, j = (int)y;
        double u = x - i, v = y - j;
        float h[4];
        if (GDALRasterIO(r->band, GF_Read, i, j, 2, 2, h, 2, 2, GDT_Float32, 0, 0) != CE_None)
            bench_stop("GDAL reads nothing");
        r->heights[k] =
            u + v <= 1 ? (double)h[0] + u * (double)(h[1] - h[0]) + v * (double)(h[2] - h[0])
                       : (double)h[3] + (1 - u) * (double)(h[2] - h[3]) + (1 - v) * (double)(h[1] - h[3]);
    }
}

void store_against_gdal(const store_grounds *g, const bench_field *field, bench_report *report) {
    static const char *const heads[] = {"who", "ns a height", "ratio", NULL};
    const char *path = store_path("warm.tif");
    const char *const options[] = {"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3", NULL};
    int samples = (int)g->samples;
    lf_vec3 *points = bench_take(MANY, sizeof *points);
    lf_ray *rays = bench_take(LINES, sizeof *rays);
    make_questions(field, points, MANY, rays);
    GDALDatasetH data = GDALCreate(GDALGetDriverByName("GTiff"), path, samples, samples, 1, GDT_Float32,
                                   (char **)(uintptr_t)options);
    if (!data || GDALRasterIO(GDALGetRasterBand(data, 1), GF_Write, 0, 0, samples, samples, field->heights,
                              samples, samples, GDT_Float32, 0, 0) != CE_None)
        bench_stop("no GeoTIFF");
    GDALClose(data);
    GDALSetCacheMax64((GIntBig)4 << 30);
    data = GDALOpen(path, GA_ReadOnly);
    reader readers[3] = {{g->grounds[LF_CODEC_PACK], NULL, g->samples, points, bench_take(MANY, 8), true},
                         {g->grounds[LF_CODEC_PACK], NULL, g->samples, points, bench_take(MANY, 8), false},
                         {NULL, GDALGetRasterBand(data, 1), g->samples, points, bench_take(MANY, 8), false}};
    bench_contestant contestants[3] = {{"pack, as a batch", NULL, read_ours, &readers[0]},
                                       {"pack, one by one", NULL, read_ours, &readers[1]},
                                       {"GDALRasterIO", NULL, read_gdal, &readers[2]}};
    bench_times times;
    bench_table table;
    bench_race(contestants, 3, report->quick ? 1 : report->rounds, true, &times);
    for (int k = 0; k < MANY; k++)
        if (!(fabs(readers[0].heights[k] - readers[2].heights[k]) <= STORE_ERROR + 0.01))
            bench_stop("landfall says %g and GDAL %g", readers[0].heights[k], readers[2].heights[k]);
    bench_table_start(&table, "Heights at random places, without a cursor, against a warm tiled GeoTIFF",
                      heads);
    for (int k = 0; k < 3; k++) {
        bench_table_row(&table);
        bench_table_cell(&table, "%s", contestants[k].name);
        bench_table_cell(&table, "%.0f", times.seconds[k] / MANY * 1e9);
        bench_table_cell(&table, "%.1f", times.ratio[k]);
        free(readers[k].heights);
    }
    bench_table_end(&table, report);
    bench_bar(report, "heights as a batch against GDAL", times.seconds[2] / times.seconds[0], 5);
    bench_bar(report, "heights one by one against GDAL", times.seconds[2] / times.seconds[1], 1);
    GDALClose(data);
    unlink(path);
    free(rays);
    free(points);
}
