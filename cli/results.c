#include "results.h"
#include "ground.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---- Facts --------------------------------------------------------------------------------------

void facts_text(facts *facts, const char *name, const char *text) {
    if (facts->count == FACTS_MOST)
        return;
    snprintf(facts->texts[facts->count], FACT_SIZE, "LANDFALL_%s=%s", name, text);
    facts->list[facts->count] = facts->texts[facts->count];
    facts->count++;
}

void facts_number(facts *facts, const char *name, double value) {
    char text[NUMBER_SIZE + 1] = "inf";
    if (isfinite(value))
        text[number_write(text, value)] = '\0';
    facts_text(facts, name, text);
}

void facts_start(facts *facts, const cli *run, const lf_sight_rules *rules) {
    static const char *const policies[] = {"unknown", "pass", "stop"};
    facts->count = 0;
    facts_text(facts, "VERSION", lf_version());
    facts_text(facts, "COMMAND", run->command->name);
    facts_number(facts, "CC", rules->curvature.coefficient);
    facts_number(facts, "RADIUS", rules->curvature.radius);
    facts_text(facts, "HOLES", policies[rules->voids]);
}

// ---- Before the computation ---------------------------------------------------------------------

void result_note(const cli *run, lf_window window, size_t bytes) {
    char text[160], megabytes[40];
    if (run->quiet)
        return;
    lf_number_text((double)bytes / 1e6,
                   bytes < 1000000     ? 3
                   : bytes < 100000000 ? 1
                                       : 0,
                   megabytes, sizeof megabytes);
    snprintf(text, sizeof text, "%lld x %lld samples, %s MB of memory besides the raster",
             (long long)window.columns, (long long)window.rows, megabytes);
    message_note(text);
}

// ---- Writing ------------------------------------------------------------------------------------

bool result_may_replace(void *user, const char *path) {
    const char *input;
    return !run_files_reads(user, path, &input);
}

#define ON_DISK ((size_t)4 << 20) // larger blocks are beside the file: memory does not grow with the result

/// What `landfall build` makes of a raster of the result; `host` allocates on a disk.
static lf_status store_raster(const cli *run, const char *from, const char *path, const lf_host *host,
                              lf_error *error) {
    lf_raster_def file = lf_raster_def_default();
    lf_raster *raster = NULL;
    lf_grid *grid = NULL;
    char parameters[80];
    file.host = *host;
    file.memory = PTRDIFF_MAX / 2;
    file.z_unit = "m"; // numbers as they are, whatever they count
    lf_status status = lf_raster_read(from, &file, &raster, error);
    if (status != LF_OK)
        return status;
    lf_grid_def def = lf_raster_grid_def(raster);
    bool whole = def.samples.type == LF_SAMPLE_INT16 || def.samples.type == LF_SAMPLE_UINT16;
    def.codec = whole ? LF_CODEC_PACK : LF_CODEC_RAW;
    status = lf_grid_create(&def, &grid, error);
    if (status == LF_OK) {
        lf_raster_info about = lf_raster_describe(raster);
        lf_pixels pixels = lf_raster_pixels(raster);
        lf_store_def store = lf_store_def_default();
        snprintf(parameters, sizeof parameters, "%s", run->command->name);
        store.host = *host;
        store.grid = grid;
        store.pixels = &pixels;
        store.crs = about.crs;
        store.parameters = parameters;
        store.xy_unit = about.xy_unit;
        store.z_unit = about.z_unit;
        store.point = about.point;
        store.degrees = about.kind == LF_CRS_DEGREES;
        store.ellipsoid = about.ellipsoid;
        status = lf_store_write(path, &store, error);
    }
    lf_grid_destroy(grid);
    lf_raster_close(raster);
    return status;
}

/// A result as a .lf file, by way of a GeoTIFF beside it.
static lf_status write_store(const cli *run, const char *path, lf_result_def *def, lf_error *error) {
    static const char *const plain[] = {"TILED=YES", "BIGTIFF=IF_SAFER"};
    char *file = allocate(strlen(path) + 5, 1), *folder = allocate(strlen(path) + 2, 1);
    size_t length = (size_t)(path_name(path) - path);
    lf_disk *disk = NULL;
    snprintf(file, strlen(path) + 5, "%s.tif", path);
    memcpy(folder, length > 0 ? path : ".", length > 0 ? length : 1);
    def->overviews = false; // the file has bounds of all levels
    def->options = plain;
    def->option_count = 2;
    lf_status status = lf_disk_open(folder, ON_DISK, &disk, error);
    if (status != LF_OK)
        return status;
    status = ground_write_result(&run->ground, file, def, error);
    if (status == LF_OK) {
        lf_host host = run->host;
        host.allocator = lf_disk_allocator(disk);
        status = store_raster(run, file, path, &host, error);
        unlink(file);
    }
    lf_disk_close(disk);
    return status;
}

int result_write(cli *run, lf_result_def *def, const facts *facts, const lf_figure_layer *look) {
    const options *given = &run->given;
    const char *path = options_value(given, "output");
    lf_error error = {0};
    def->host = run->host;
    def->format = options_value(given, "format");
    def->option_count = options_count(given, "co");
    def->options = def->option_count > 0 ? options_list(given, "co") : NULL;
    def->metadata = (const char *const *)facts->list;
    def->metadata_count = facts->count;
    def->may_replace = result_may_replace;
    def->may_replace_user = run;
    bool picture = path_ends(path, ".png") && !def->format;
    lf_figure_page page = figure_page(run, path, options_integer(given, "width", 960));
    lf_grid_info grid = lf_grid_describe(run->ground.grid);
    if (picture && grid.low > grid.high)
        return message_error("-o %s: the raster is void: there is nothing to draw", path);
    lf_figure_map_def map = {
        .grid = run->ground.grid, .degrees = ground_map_in_degrees(&run->ground), .layer = look};
    bool stored = path_ends(path, ".lf") && !def->format;
    if (stored && def->band_count > 1)
        return message_error("-o %s: a .lf file has one band, this result %d: expected a .tif", path,
                             def->band_count);
    if (stored && def->option_count > 0)
        return message_error("--co %s: applies to files that GDAL writes, not to a .lf file",
                             def->options[0]);
    lf_status status = picture  ? lf_figure_result(&page, &map, def, &error)
                       : stored ? write_store(run, path, def, &error)
                                : ground_write_result(&run->ground, path, def, &error);
    return succeeded(status, &error) ? CLI_YES : CLI_ERROR;
}
