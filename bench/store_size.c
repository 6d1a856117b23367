/// Bytes a sample.
#include "store.h"
#include <cpl_string.h>
#include <gdal.h>
#include <landfall/io.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIFFS = 3 };

static const char *const tiff_names[TIFFS] = {"DEFLATE", "LERC", "ZSTD"};

/// Bytes of a GeoTIFF of the same samples, tiled 256 x 256, with the predictor for its type.
static double tiff_bytes(const lf_samples *s, int way, double max_error) {
    bool floats = s->type == LF_SAMPLE_FLOAT;
    const char *path = store_path("size.tif");
    char text[40];
    char **options = CSLSetNameValue(NULL, "TILED", "YES");
    options = CSLSetNameValue(options, "COMPRESS", tiff_names[way]);
    snprintf(text, sizeof text, "%g", max_error);
    if (way == 1)
        options = CSLSetNameValue(options, "MAX_Z_ERROR", text);
    else
        options = CSLSetNameValue(options, "PREDICTOR", floats ? "3" : "2");
    GDALDatasetH data = GDALCreate(GDALGetDriverByName("GTiff"), path, (int)s->columns, (int)s->rows, 1,
                                   floats ? GDT_Float32 : GDT_Int16, options);
    CSLDestroy(options);
    if (!data)
        return 0;
    CPLErr fault = GDALRasterIOEx(GDALGetRasterBand(data, 1), GF_Write, 0, 0, (int)s->columns, (int)s->rows,
                                  (void *)(uintptr_t)s->values, (int)s->columns, (int)s->rows,
                                  floats ? GDT_Float32 : GDT_Int16, s->column_step, s->row_step, NULL);
    GDALClose(data);
    double bytes = fault == CE_None ? store_file_bytes(path) : 0;
    unlink(path);
    return bytes;
}

static double lf_bytes(const lf_grid *grid) {
    lf_store_def def = lf_store_def_default();
    lf_error error;
    def.grid = grid;
    if (lf_store_write(store_path("size.lf"), &def, &error) != LF_OK)
        bench_stop("%s", error.text);
    double bytes = store_file_bytes(store_path("size.lf"));
    unlink(store_path("size.lf"));
    return bytes;
}

void store_sizes(const store_grounds *g, const bench_field *field, bench_report *report) {
    static const char *const heads[] = {"kept by",    "heights and index", "bounds",
                                        "whole file", "largest error",     NULL};
    double count = (double)g->samples * (double)g->samples;
    bench_table table;
    char title[160];
    snprintf(title, sizeof title, "Bytes a sample: mountains, %lld x %lld floats, an error of %g m allowed",
             (long long)g->samples, (long long)g->samples, STORE_ERROR);
    bench_table_start(&table, title, heads);
    for (int k = 0; k < STORE_CODECS; k++) {
        lf_grid_info info = lf_grid_describe(g->grids[k]);
        bench_table_row(&table);
        bench_table_cell(&table, "%s", lf_codec_name((lf_codec)k));
        bench_table_cell(&table, "%.3f", (double)info.sample_bytes / count);
        bench_table_cell(&table, "%.3f", (double)info.pyramid_bytes / count);
        bench_table_cell(&table, "%.3f", lf_bytes(g->grids[k]) / count);
        bench_table_cell(&table, "%.4f", info.largest_error);
    }
    // The others get heights that are rounded to steps of twice the error: as whole numbers, and as what LERC
    // does itself.
    int16_t *steps = bench_take((size_t)count, sizeof *steps);
    for (int64_t k = 0; k < (int64_t)count; k++)
        steps[k] = (int16_t)lround((double)field->heights[k] / (2 * STORE_ERROR));
    lf_samples s = {LF_SAMPLE_INT16, steps, g->samples, g->samples, 2, 2 * g->samples, 1, 0, LF_NAN, NULL, 0};
    for (int way = 0; way < TIFFS; way++) {
        double bytes = tiff_bytes(&s, way, 0);
        bench_table_row(&table);
        bench_table_cell(&table, "GeoTIFF %s", tiff_names[way]);
        bench_table_cell(&table, bytes > 0 ? "%.3f" : "not offered", bytes / count);
        bench_table_cell(&table, "-");
        bench_table_cell(&table, bytes > 0 ? "%.3f" : "-", bytes / count);
        bench_table_cell(&table, "%.4f", STORE_ERROR);
    }
    bench_table_end(&table, report);
    free(steps);
    lf_grid_info pack = lf_grid_describe(g->grids[LF_CODEC_PACK]),
                 maxplus = lf_grid_describe(g->grids[LF_CODEC_MAXPLUS]);
    bench_bar(report, "pack: 1.2 bytes a sample", 1.2 * count / (double)pack.sample_bytes, 1);
    bench_bar(report, "pack: bounds in 0.8 bytes", 0.8 * count / (double)pack.pyramid_bytes, 1);
    bench_bar(report, "maxplus: no more than the heights", 2 * count / (double)(maxplus.sample_bytes), 1);
    bench_bar(report, "maxplus: minima in 0.13 bytes", 0.13 * count / (double)maxplus.pyramid_bytes, 1);
}

void store_real_sizes(bench_report *report) {
    static const char *const names[] = {"N44W072.hgt",       "N57E011.hgt",     "N42E001.hgt.zip",
                                        "N43E007.hgt.zip",   "N48W125.hgt.zip", "S29W072.hgt.zip",
                                        "mt_everest_90m.tif"};
    static const char *const heads[] = {"raster",  "pack", "maxplus", "haar", "d4",
                                        "DEFLATE", "LERC", "ZSTD",    NULL};
    const char *data = getenv("LANDFALL_DATA");
    double sums[4 + TIFFS] = {0};
    bench_table table;
    if (!data || !*data) {
        printf("real rasters: skipped, LANDFALL_DATA is not set\n");
        return;
    }
    bench_table_start(
        &table, "Bytes a sample of real rasters, nothing lost: heights and index; whole GeoTIFF", heads);
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        char path[1024];
        lf_raster_def how = lf_raster_def_default();
        lf_raster *raster;
        snprintf(path, sizeof path, "%s/dem/%s", data, names[f]);
        if (lf_raster_read(path, &how, &raster, NULL) != LF_OK)
            continue;
        lf_grid_def def = lf_raster_grid_def(raster);
        double count = (double)def.samples.columns * (double)def.samples.rows, bytes[4 + TIFFS] = {0};
        for (int k = 0; k < 4; k++) {
            lf_grid *grid;
            lf_error error;
            def.codec = (lf_codec)(k + 1);
            if (report->quick && k >= 2 && count > 2e6)
                continue; // wavelets of this one take some seconds
            if (lf_grid_create(&def, &grid, &error) != LF_OK)
                bench_stop("%s: %s", names[f], error.text);
            bytes[k] = (double)lf_grid_describe(grid).sample_bytes;
            lf_grid_destroy(grid);
        }
        for (int way = 0; way < TIFFS; way++)
            bytes[4 + way] = tiff_bytes(&def.samples, way, 0);
        bench_table_row(&table);
        bench_table_cell(&table, "%s", names[f]);
        for (int k = 0; k < 4 + TIFFS; k++) {
            bench_table_cell(&table,
                             bytes[k] > 0 ? "%.3f"
                             : k < 4      ? "not quick"
                                          : "not offered",
                             bytes[k] / count);
            sums[k] += bytes[k];
        }
        lf_raster_close(raster);
    }
    bench_table_end(&table, report);
    bench_bar(report, "pack within 10 % of DEFLATE", 1.1 * sums[4] / sums[0], 1);
}
