/// Ground that comes from files and goes to files: heights to a GeoTIFF, back as a raster, compressed into a .lf file that
/// opens at once, and a result on the raster's own pixels.
///
///     keep FOLDER
#include <landfall/io.h>
#include <landfall/landfall.h>
#include <samples.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 128 };

static char path[3][512];

static lf_status write_heights(lf_error *error) {
    lf_make_heights_def make = lf_make_heights_def_default();
    lf_made_heights *made = NULL;
    make.columns = make.rows = SIDE;
    lf_status status = lf_make_heights(&make, &made, error);
    if (status == LF_OK) {
        lf_heights heights = lf_made_heights_view(made);
        printf("%lld x %lld heights\n", (long long)heights.columns, (long long)heights.rows);
        status = lf_heights_write(path[0], &heights, NULL, error);
    }
    lf_made_heights_destroy(made);
    return status;
}

/// No height off by more than 10 cm.
static lf_status compress(const lf_raster *raster, lf_error *error) {
    lf_grid_def def = lf_raster_grid_def(raster);
    lf_store_def keep = lf_store_def_default();
    lf_grid *grid = NULL;
    def.codec = LF_CODEC_PACK;
    def.max_error = 0.1;
    lf_status status = lf_grid_create(&def, &grid, error);
    if (status == LF_OK) {
        keep.grid = grid;
        keep.crs = lf_raster_describe(raster).crs;
        keep.parameters = "keep.c";
        status = lf_store_write(path[1], &keep, error);
    }
    lf_grid_destroy(grid);
    return status;
}

static lf_status ask_store(lf_error *error) {
    lf_store *store = NULL;
    lf_hit hit;
    lf_status status = lf_store_open(path[1], NULL, true, &store, error);
    if (status != LF_OK)
        return status;
    lf_store_info info = lf_store_describe(store);
    lf_grid_info grid = lf_grid_describe(lf_store_grid(store));
    lf_box box = lf_ground_box(lf_store_ground(store));
    lf_vec3 middle = {0.5 * (box.low.x + box.high.x), 0.5 * (box.low.y + box.high.y), LF_INFINITY};
    status = lf_ground_height(lf_store_ground(store), middle, LF_VERTICAL_DOWN, &hit, NULL);
    if (status == LF_OK)
        printf("a %s of %.1f bytes a sample, off by %.2f m at most; in its middle the ground is at %.0f m\n",
               lf_store_kind_name(info.kind), (double)info.bytes / (SIDE * SIDE), grid.largest_error,
               hit.point.z);
    lf_store_close(store);
    return status;
}

/// What lies above 2000 m, as a raster of bytes.
static lf_status write_result(const lf_raster *raster, lf_error *error) {
    lf_grid_def def = lf_raster_grid_def(raster);
    lf_result_def result = lf_result_def_default();
    lf_grid *grid = NULL;
    uint8_t *high = calloc((size_t)SIDE * SIDE, 1);
    lf_status status = high ? lf_grid_create(&def, &grid, error) : LF_NO_MEMORY;
    for (int64_t i = 0; status == LF_OK && i < (int64_t)SIDE * SIDE; i++)
        high[i] = lf_grid_sample(grid, i % SIDE, i / SIDE) > 2000;
    result.type = LF_RESULT_BYTE;
    result.values = high;
    result.window = (lf_window){0, 0, SIDE, SIDE};
    if (status == LF_OK)
        status = lf_result_write(path[2], raster, &result, error);
    lf_grid_destroy(grid);
    free(high);
    return status;
}

int main(int count, char **words) {
    static const char *const names[] = {"keep.tif", "keep.lf", "keep-high.tif"};
    lf_raster_def def = lf_raster_def_default();
    lf_raster *raster = NULL;
    lf_error error = {0};
    for (int i = 0; i < 3; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", count > 1 ? words[1] : ".", names[i]);
    lf_status status = write_heights(&error);
    if (status == LF_OK)
        status = lf_raster_read(path[0], &def, &raster, &error);
    if (status == LF_OK)
        status = compress(raster, &error);
    if (status == LF_OK)
        status = ask_store(&error);
    if (status == LF_OK)
        status = write_result(raster, &error);
    lf_raster_close(raster);
    if (status != LF_OK)
        fprintf(stderr, "keep: %s\n", error.text[0] ? error.text : lf_status_text(status));
    return status == LF_OK ? 0 : 2;
}
