/// Square rasters of heights: generated ones, and real ones of the SRTM mission.
#include "field.h"

#include <math.h>
#include <string.h>

static void take_heights(bench_field *field, const char *name, int64_t samples) {
    memset(field, 0, sizeof *field);
    snprintf(field->name, sizeof field->name, "%s %lld", name, (long long)samples);
    field->samples = samples;
    bench_memory_start(&field->memory, true);
    field->heights = field->memory.allocator.resize(&field->memory, NULL, 0,
                                                    (size_t)(samples * samples) * sizeof(float), 64);
    if (!field->heights)
        bench_stop("no memory for %s", field->name);
}

static void measure(bench_field *field) {
    field->low = field->high = field->heights[0];
    for (int64_t i = 0; i < field->samples * field->samples; i++) {
        field->low = field->heights[i] < field->low ? field->heights[i] : field->low;
        field->high = field->heights[i] > field->high ? field->heights[i] : field->high;
    }
}

void bench_field_landscape(bench_field *field, lf_landscape landscape, int64_t samples) {
    take_heights(field, lf_landscape_name(landscape), samples);
    lf_make_heights_def def = lf_make_heights_def_default();
    def.landscape = landscape;
    def.columns = samples;
    def.rows = samples;
    def.spacing = BENCH_SPACING;
    lf_error error = {LF_OK, -1, ""};
    if (lf_make_rows(&def, 0, samples, field->heights, &error) != LF_OK)
        bench_stop("%s: %s", field->name, error.text);
    measure(field);
}

void bench_field_rough(bench_field *field, int64_t samples) {
    take_heights(field, "rough", samples);
    bench_random random = {5};
    field->slope.x = 0.1;
    field->slope.y = 0.07;
    for (int64_t row = 0; row < samples; row++)
        for (int64_t column = 0; column < samples; column++) {
            double plane = BENCH_SPACING * (field->slope.x * (double)column + field->slope.y * (double)row);
            field->heights[row * samples + column] = (float)(plane + bench_random_between(&random, 0.0, 1.0));
        }
    measure(field);
}

/// Two bytes a sample, the higher first; the first row is the northernmost.
static void read_samples(bench_field *field, const unsigned char *bytes) {
    for (int64_t row = 0; row < field->samples; row++)
        for (int64_t column = 0; column < field->samples; column++) {
            const unsigned char *at = bytes + 2 * ((field->samples - 1 - row) * field->samples + column);
            int sample = at[0] << 8 | at[1];
            sample = sample >= 0x8000 ? sample - 0x10000 : sample;
            field->heights[row * field->samples + column] = sample == -0x8000 ? 0.0f : (float)sample;
        }
}

bool bench_field_hgt(bench_field *field, const char *name, const char *relative) {
    char path[4096];
    lf_map map;
    lf_error error = {LF_OK, -1, ""};
    if (!bench_data_path(name, relative, path, sizeof path))
        return false;
    if (lf_map_open(path, &map, &error) != LF_OK)
        bench_stop("%s", error.text);
    int64_t samples = (int64_t)(sqrt((double)map.size / 2.0) + 0.5);
    if (samples < 2 || (size_t)(2 * samples * samples) != map.size)
        bench_stop("%s: %zu bytes are no square of samples", path, map.size);
    take_heights(field, name, samples);
    read_samples(field, map.data);
    lf_map_close(&map);
    measure(field);
    return true;
}

void bench_field_close(bench_field *field) {
    field->memory.allocator.resize(&field->memory, field->heights,
                                   (size_t)(field->samples * field->samples) * sizeof(float), 0, 64);
    memset(field, 0, sizeof *field);
}

void bench_field_triangle(const bench_field *field, int64_t item, lf_vec3 corners[3]) {
    static const int places[2][3][2] = {{{0, 0}, {1, 0}, {0, 1}}, {{1, 0}, {1, 1}, {0, 1}}};
    int64_t cell = item / 2, column = cell % (field->samples - 1), row = cell / (field->samples - 1);
    for (int i = 0; i < 3; i++) {
        int64_t x = column + places[item % 2][i][0], y = row + places[item % 2][i][1];
        lf_vec3 corner = {BENCH_SPACING * (double)x, BENCH_SPACING * (double)y,
                          field->heights[y * field->samples + x]};
        corners[i] = corner;
    }
}

lf_grid *bench_field_grid(const bench_field *field) {
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    def.samples.values = field->heights;
    def.samples.columns = def.samples.rows = field->samples;
    def.borrow = true;
    def.geotransform = (lf_geotransform){{0, 0}, {BENCH_SPACING, 0}, {0, BENCH_SPACING}};
    if (lf_grid_create(&def, &grid, NULL) != LF_OK)
        bench_stop("the grid cannot be made");
    return grid;
}
