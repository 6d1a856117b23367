/// Compressed grids and .lf files: what they take, how fast they open, how fast they answer.
#include "store.h"
#include <gdal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64] = "/tmp/landfall-bench-XXXXXX";

const char *store_path(const char *name) {
    static char paths[4][160];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

double store_file_bytes(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 ? (double)about.st_size : 0;
}

void store_grounds_open(store_grounds *g, const bench_field *field) {
    *g = (store_grounds){.samples = field->samples};
    for (int k = 0; k <= STORE_CODECS; k++) {
        lf_grid_def def = lf_grid_def_default();
        lf_error error;
        double start = bench_clock();
        def.samples.values = field->heights;
        def.samples.columns = def.samples.rows = field->samples;
        def.geotransform = (lf_geotransform){{0, 0}, {BENCH_SPACING, 0}, {0, BENCH_SPACING}};
        def.codec = k < STORE_CODECS ? (lf_codec)k : LF_CODEC_MAXPLUS;
        def.max_error = k == 0 ? 0 : STORE_ERROR;
        def.leaf = k < STORE_CODECS ? 0 : 2;
        if (lf_grid_create(&def, &g->grids[k], &error) != LF_OK)
            bench_stop("no grid: %s", error.text);
        g->grounds[k] = lf_grid_ground(g->grids[k]);
        if (k == 0)
            g->build_seconds = bench_clock() - start;
    }
}

void store_grounds_close(store_grounds *g) {
    for (int k = 0; k <= STORE_CODECS; k++) {
        lf_grid_destroy(g->grids[k]);
    }
}

void store_opening(const store_grounds *g, bench_report *report) {
    static const char *const heads[] = {"codec", "file MB", "write s", "open ms", "checked ms", NULL};
    bench_table table;
    char title[160];
    double open_raw = 0;
    snprintf(title, sizeof title, "Opening %lld x %lld samples; building the raw grid takes %.3f s",
             (long long)g->samples, (long long)g->samples, g->build_seconds);
    bench_table_start(&table, title, heads);
    for (int k = 0; k < STORE_CODECS; k++) {
        lf_store_def def = lf_store_def_default();
        lf_error error;
        lf_store *store;
        const char *path = store_path("open.lf");
        double times[4] = {bench_clock()};
        def.grid = g->grids[k];
        if (lf_store_write(path, &def, &error) != LF_OK)
            bench_stop("%s", error.text);
        times[1] = bench_clock();
        for (int turn = 0; turn < 20; turn++) {
            if (lf_store_open(path, NULL, false, &store, &error) != LF_OK)
                bench_stop("%s", error.text);
            lf_store_close(store);
        }
        times[2] = bench_clock();
        if (lf_store_open(path, NULL, true, &store, &error) != LF_OK)
            bench_stop("%s", error.text);
        times[3] = bench_clock();
        lf_store_close(store);
        if (k == 0)
            open_raw = (times[2] - times[1]) / 20;
        bench_table_row(&table);
        bench_table_cell(&table, "%s", lf_codec_name((lf_codec)k));
        bench_table_cell(&table, "%.1f", store_file_bytes(path) / 1e6);
        bench_table_cell(&table, "%.3f", times[1] - times[0]);
        bench_table_cell(&table, "%.3f", (times[2] - times[1]) / 20 * 1e3);
        bench_table_cell(&table, "%.1f", (times[3] - times[2]) * 1e3);
        unlink(path);
    }
    bench_table_end(&table, report);
    bench_bar(report, "opening against building", g->build_seconds / open_raw, 100);
}

int main(int argc, char **argv) {
    bench_report report;
    bench_field field;
    store_grounds grounds;
    bench_report_start(&report, argc, argv,
                       "Compressed grids and .lf files, against GeoTIFF through GDAL; one thread.");
    printf("landfall %s (%s)\n%s\none thread, processor time\n", lf_version(), lf_isa_name(lf_isa_best()),
           bench_machine());
    if (!mkdtemp(folder))
        bench_stop("no folder for files");
    GDALAllRegister();
    bench_field_landscape(&field, LF_LANDSCAPE_MOUNTAINS, report.large ? 8193 : report.quick ? 513 : 2049);
    store_grounds_open(&grounds, &field);
    store_sizes(&grounds, &field, &report);
    store_real_sizes(&report);
    store_opening(&grounds, &report);
    store_asking(&grounds, &field, &report);
    store_against_gdal(&grounds, &field, &report);
    store_grounds_close(&grounds);
    bench_field_close(&field);
    rmdir(folder);
    return bench_report_end(&report);
}
