#include "tiles.h"
#include "reach.h"
#include "tile_copy.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/// Memory of the program, GDAL and its cache, besides that of a tile; and what putting the tiles together takes at the end.
#define FIXED_BYTES 7.5e7
#define LEAST_BYTES 1.2e8
#define CACHE_MEGABYTES "32"
#define POOL_FILES "16" // of tiles that GDAL keeps open at a time

/// Besides its value: mask, bounds and voids of a sample; and the pages at the ends of a row of a part.
#define BOUND_BYTES 3.0
#define ROW_BYTES 12288.0

#define HEIGHT_SIDE \
    512 // samples: what is read at once for the least and greatest height, or a multiple of it

#define DEFAULT_BYTES 1e9 // where several processes work, and --memory is not given
#define TILES_PER_PROCESS 8

const crew *run_crew;

// ---- Small things -------------------------------------------------------------------------------

bool size_read(const char *text, double *bytes) {
    static const char *const units[] = {"", "K", "M", "G", "T"};
    const char *end = text + strlen(text), *rest;
    double factor = 1;
    if (number_read(text, end, bytes, &rest) != NUMBER_FINE)
        return false;
    size_t length = strlen(rest);
    double base = length == 3 && strcmp(rest + 1, "iB") == 0 ? 1024 : 1000;
    bool plain = length <= 1 || (length == 2 && rest[1] == 'B') || base == 1024;
    for (size_t k = 0; k < sizeof units / sizeof *units; k++, factor *= base)
        if (plain && strncmp(rest, units[k], 1) == 0) {
            *bytes *= factor;
            return *bytes > 0 && isfinite(*bytes);
        }
    return false;
}

bool check_size(const char *value, lf_error *why) {
    double bytes;
    snprintf(why->text, sizeof why->text, "expected a size such as 500M, 2G or 1.5GiB");
    return size_read(value, &bytes);
}

void tile_sums_add(tile_sums *sums, double number) {
    sums->numbers =
        reserve(sums->numbers, &sums->number_capacity, sums->number_count + 1, sizeof *sums->numbers);
    sums->numbers[sums->number_count++] = number;
}

bool tiles_silent(void) {
    return run_crew && run_crew->rank > 0;
}

/// True if it is so for all processes; the one that it is not for has printed why.
static bool all_agree(bool fine) {
    return run_crew ? run_crew->agree(fine) : fine;
}

static bool is_tiled(const cli *run) {
    return run_crew || options_has(&run->given, "memory") || options_has(&run->given, "tile");
}

static size_t item_bytes(lf_result_type type) {
    return type == LF_RESULT_BYTE ? 1 : type == LF_RESULT_DOUBLE ? 8 : 4;
}

static size_t result_bytes(const tile_job *job) {
    return item_bytes(job->result.type) * (size_t)job->result.band_count;
}

// ---- Which samples are read ---------------------------------------------------------------------

/// What is read next: a window, or nothing.
typedef struct wanted {
    tile_job *job;
    lf_window window;
    bool near; ///< with what is in range
} wanted;

/// The samples within range of a window, and a few more.
static lf_window around_of(const tile_job *job, lf_window w) {
    const cli *run = job->run;
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_geotransform place = lf_grid_describe(run->ground.grid).geotransform;
    int64_t low[2] = {w.column, w.row}, high[2] = {w.column + w.columns, w.row + w.rows};
    def.rules = sight_rules_of(run);
    def.range_max = job->range * 1.01;
    for (int k = 0; k < 4; k++) {
        lf_vec2 at = lf_geotransform_at(&place, (double)(k & 1 ? w.column + w.columns - 1 : w.column),
                                        (double)(k & 2 ? w.row + w.rows - 1 : w.row));
        lf_window one = lf_viewshed_window(lf_grid_ground(run->ground.grid), &def, at);
        int64_t from[2] = {one.column, one.row}, to[2] = {one.column + one.columns, one.row + one.rows};
        for (int axis = 0; axis < 2 && one.columns > 0; axis++) {
            low[axis] = from[axis] < low[axis] ? from[axis] : low[axis];
            high[axis] = to[axis] > high[axis] ? to[axis] : high[axis];
        }
    }
    return (lf_window){low[0] - 2, low[1] - 2, high[0] - low[0] + 4, high[1] - low[1] + 4};
}

static void reach_wanted(reach *reach, void *user) {
    wanted *wanted = user;
    lf_window w = wanted->window;
    if (w.columns == 0)
        return;
    if (wanted->near)
        w = around_of(wanted->job, w);
    reach_box(reach, (lf_vec2){(double)w.column, (double)w.row},
              (lf_vec2){(double)(w.column + w.columns - 1), (double)(w.row + w.rows - 1)});
    if (wanted->near && wanted->job->reach)
        wanted->job->reach(wanted->job, reach);
}

static void close_ground(tile_job *job) {
    cli *run = job->run;
    if (job->end)
        job->end(job);
    coordinates_end(&run->coordinates);
    ground_free(&run->ground);
    if (run->copy)
        tile_copy_drop(run->copy);
}

/// Read a window of the raster; a .lf file is opened once. `start`: the job starts with it.
static bool read_window(wanted *wanted, bool start) {
    tile_job *job = wanted->job;
    cli *run = job->run;
    if (!run->ground.store) {
        close_ground(job);
        run->reach = reach_wanted;
        run->reach_user = wanted;
        run->reach_sight = false;
        if (!ground_open(run, job->needs))
            return false;
        run->host.log = NULL; // what there is to say about the file has been said
    } else if (job->end) {
        job->end(job);
    }
    return !start || job->start(job);
}

// ---- Tiles --------------------------------------------------------------------------------------

static int64_t at_most(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/// Bytes that a tile of this size takes at most.
static double tile_bytes(const tile_job *job, int64_t columns, int64_t rows) {
    const cli *run = job->run;
    lf_window whole = lf_grid_window(run->ground.grid), w = job->window;
    // Towards a pole a range is more columns: both ends of the raster are tried.
    double most = 0;
    for (int k = 0; k < 2; k++) {
        lf_window tile = {w.column, k ? w.row + w.rows - at_most(rows, w.rows) : w.row,
                          at_most(columns, w.columns), at_most(rows, w.rows)};
        lf_window around = around_of(job, tile);
        // In the middle of the raster there is as much on the other side.
        double wide = (double)tile.columns + 2 * (double)(around.columns - tile.columns) + 2 * LF_GRID_PART;
        double high = (double)tile.rows + 2 * (double)(around.rows - tile.rows) + 2 * LF_GRID_PART;
        wide = fmin(wide, (double)whole.columns);
        high = fmin(high, (double)whole.rows);
        double held = run->ground.store ? 0 : sizeof(double) / 2.0 + BOUND_BYTES;
        if (!run->ground.store && strstr(run->ground.about.stored, "64"))
            held += sizeof(double) / 2.0;
        double bytes =
            (double)job->fixed_bytes + wide * high * (held + (double)job->around_bytes) + high * ROW_BYTES +
            (double)tile.columns * (double)tile.rows * (double)(job->sample_bytes + result_bytes(job));
        most = fmax(most, bytes);
    }
    return most;
}

/// A side of tiles that cut `samples` evenly.
static int64_t even_side(int64_t samples, int64_t side) {
    int64_t pieces = (samples + side - 1) / side, even = (samples + pieces - 1) / pieces;
    even = (even + LF_GRID_PART - 1) / LF_GRID_PART * LF_GRID_PART;
    return at_most(even, samples);
}

/// The largest tiles that fit, or those of --tile.
static bool choose_tiles(const tile_job *job, tile_run *tiles) {
    const options *given = &job->run->given;
    lf_window w = job->window;
    double n[ROW_NUMBERS], bytes = DEFAULT_BYTES;
    const char *memory = options_value(given, "memory");
    if (options_numbers(given, "tile", 0, n) == 2) {
        tiles->columns = at_most((int64_t)n[0], w.columns);
        tiles->rows = at_most((int64_t)n[1], w.rows);
        return true;
    }
    if (memory)
        size_read(memory, &bytes);
    int64_t longest = w.columns > w.rows ? w.columns : w.rows, low = 0, high = longest / LF_GRID_PART + 1;
    while (low < high) { // the largest number of parts along a side that fits
        int64_t middle = (low + high + 1) / 2, side = middle * LF_GRID_PART;
        if (FIXED_BYTES + tile_bytes(job, side, side) <= bytes)
            low = middle;
        else
            high = middle - 1;
    }
    double least = FIXED_BYTES + tile_bytes(job, LF_GRID_PART, LF_GRID_PART);
    if (low == 0 || bytes < LEAST_BYTES)
        return failed("--memory %s: a tile of %d x %d samples and what is within the range of %g m around it "
                      "take %.0f MB: expected more memory or a shorter range",
                      memory ? memory : "1G", LF_GRID_PART, LF_GRID_PART, job->range,
                      fmax(least, LEAST_BYTES) / 1e6);
    int64_t side = low * LF_GRID_PART;
    if (run_crew && run_crew->count > 1) { // enough tiles for all
        double share = sqrt((double)w.columns * (double)w.rows / (run_crew->count * TILES_PER_PROCESS));
        side = at_most(side, ((int64_t)(share / LF_GRID_PART) + 1) * LF_GRID_PART);
    }
    tiles->columns = even_side(w.columns, side);
    tiles->rows = even_side(w.rows, side);
    return true;
}

static void list_tiles(tile_job *job, tile_run *tiles) {
    lf_window w = job->window;
    int64_t across = (w.columns + tiles->columns - 1) / tiles->columns,
            down = (w.rows + tiles->rows - 1) / tiles->rows;
    tiles->count = across * down;
    tiles->tiles = allocate((size_t)tiles->count, sizeof *tiles->tiles);
    for (int64_t k = 0; k < tiles->count; k++) {
        int64_t column = k % across * tiles->columns, row = k / across * tiles->rows;
        lf_window one = {w.column + column, w.row + row, at_most(tiles->columns, w.columns - column),
                         at_most(tiles->rows, w.rows - row)};
        tiles->tiles[k].window = one;
        tiles->tiles[k].cost = job->cost ? job->cost(job, one) : (double)one.columns * (double)one.rows;
    }
}

static const tile *sorted_tiles;

static int compare_cost(const void *a, const void *b) {
    int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    double x = sorted_tiles[i].cost, y = sorted_tiles[j].cost;
    return x > y ? -1 : x < y ? 1 : i < j ? -1 : i > j;
}

/// Those that are left, the most expensive first: the last ones then end at about the same time.
static void order_tiles(tile_run *tiles) {
    tiles->order = allocate((size_t)tiles->count, sizeof *tiles->order);
    tiles->left = 0;
    for (int64_t k = 0; k < tiles->count; k++)
        if (!tiles->tiles[k].done)
            tiles->order[tiles->left++] = k;
    sorted_tiles = tiles->tiles;
    qsort(tiles->order, (size_t)tiles->left, sizeof *tiles->order, compare_cost);
}

// ---- Heights of the whole raster ----------------------------------------------------------------

/// The least and the greatest height, part by part: voids may be as high, and lines are as exact as the largest. Each process reads its
/// share of the parts.
static bool find_heights(tile_job *job, tile_run *tiles) {
    cli *run = job->run;
    lf_window whole = lf_grid_window(run->ground.grid);
    wanted wanted = {job, whole, false};
    tiles->low = LF_INFINITY;
    tiles->high = -LF_INFINITY;
    if (run->ground.store) {
        lf_grid_info info = lf_grid_describe(run->ground.grid);
        tiles->low = info.low;
        tiles->high = info.high;
        return true;
    }
    double bytes = DEFAULT_BYTES;
    if (options_has(&run->given, "memory"))
        size_read(options_value(&run->given, "memory"), &bytes);
    // Squares: blocks of the file at their borders are read twice, and of these a strip has more.
    int64_t side = (int64_t)sqrt((bytes - FIXED_BYTES) / (2 * (sizeof(double) + BOUND_BYTES)));
    side = at_most(side / HEIGHT_SIDE < 1 ? HEIGHT_SIDE : side / HEIGHT_SIDE * HEIGHT_SIDE, 8 * HEIGHT_SIDE);
    int64_t across = (whole.columns + side - 1) / side, down = (whole.rows + side - 1) / side;
    bool sweeps = run->sweeps, fine = true;
    tile_copy *copy = run_crew ? NULL : allocate(1, sizeof *copy); // other processes have none
    if (copy)
        tile_copy_start(copy, run);
    double range[2];
    if (copy && tile_copy_fill(copy, run, range)) {
        tiles->low = range[0];
        tiles->high = range[1];
        tile_copy_complete(copy);
        run->copy = copy;
        return true;
    }
    run->sweeps = true; // few bounds are enough, and sooner made
    for (int64_t k = 0; k < across * down && fine; k++) {
        int64_t i = k % across * side, j = k / across * side;
        if (run_crew && k % run_crew->count != run_crew->rank)
            continue;
        // A part of a raster begins two samples before what is asked for, and ends after as many.
        wanted.window = (lf_window){i + 2, j + 2, side - 4, side - 4};
        fine = progress_report(&run->bar, "heights", k, across * down) && read_window(&wanted, false);
        lf_grid_info info = fine ? lf_grid_describe(run->ground.grid) : (lf_grid_info){0};
        tiles->low = fmin(tiles->low, info.low);
        tiles->high = fmax(tiles->high, info.high);
        if (fine && copy)
            tile_copy_add(copy, run->ground.raster);
    }
    run->sweeps = sweeps;
    if (fine && copy) {
        tile_copy_complete(copy);
        run->copy = copy;
    }
    return fine;
}

// ---- Computing ----------------------------------------------------------------------------------

static bool write_tile(tile_job *job, tile_run *tiles, int64_t index, const void *values) {
    const cli *run = job->run;
    // Compressed where they stay, or come from other processes, perhaps over a network; others are read once,
    // by this one.
    static const char *const fast[] = {"TILED=YES", "BIGTIFF=IF_SAFER", "COMPRESS=DEFLATE", "ZLEVEL=1"};
    lf_result_def def = job->result;
    lf_error error = {0};
    bool kept = path_ends(options_value(&run->given, "output"), ".vrt");
    def.host = (lf_host){.tasks = run->host.tasks};
    def.values = values;
    def.window = tiles->tiles[index].window;
    def.format = "GTiff";
    def.options = fast;
    def.option_count = kept || run_crew ? 4 : 2;
    if (kept && options_count(&run->given, "co") > 0) {
        def.options = options_list(&run->given, "co");
        def.option_count = options_count(&run->given, "co");
    }
    return succeeded(ground_write_result(&run->ground, tile_path(tiles, index), &def, &error), &error);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool compute_tile(tile_job *job, tile_run *tiles, int64_t index) {
    wanted wanted = {job, tiles->tiles[index].window, true};
    lf_window w = wanted.window;
    tile_sums sums = {0};
    if (!read_window(&wanted, true))
        return false;
    // Not from allocate: it is freed here. malloc returns memory of this size to the system.
    void *values = calloc((size_t)w.columns * (size_t)w.rows, result_bytes(job));
    if (!values)
        return failed("out of memory");
    bool fine = job->compute(job, w, values, &sums) && write_tile(job, tiles, index, values);
    free(values);
    double start = seconds_now();
    fine = fine && manifest_done(job, tiles, index, &sums);
    tiles->manifest += seconds_now() - start;
    return fine;
}

/// For benchmarks: what the manifest takes of the time.
static void note_times(const tile_run *tiles) {
    char text[160];
    if (!getenv("LANDFALL_TIMES") || tiles_silent())
        return;
    snprintf(text, sizeof text, "%.6f s for the tiles, %.6f s of these for the manifest",
             seconds_now() - tiles->began, tiles->manifest);
    message_note(text);
}

static bool compute_left(tile_job *job, tile_run *tiles) {
    progress *bar = &job->run->bar;
    const lf_progress *hook = job->run->host.progress;
    bool fine = true;
    job->run->host.progress = NULL; // tiles are counted instead
    for (int64_t mine = 0;; mine++) {
        int64_t next = run_crew ? run_crew->next(tiles->left) : mine;
        if (next >= tiles->left)
            break;
        fine = progress_report(bar, "tiles", tiles->count - tiles->left + next, tiles->count) &&
               compute_tile(job, tiles, tiles->order[next]);
        if (!fine)
            break;
    }
    if (!fine && run_crew)
        run_crew->stop();
    job->run->host.progress = hook;
    close_ground(job);
    fine = all_agree(fine);
    // The result is written onto the pixels of the raster, of which no sample is needed.
    wanted nothing = {job, {0, 0, 0, 0}, false};
    fine = fine && read_window(&nothing, true);
    double start = seconds_now();
    fine = fine && manifest_read_done(job, tiles);
    tiles->manifest += seconds_now() - start;
    return fine;
}

/// Take over what an earlier run has done, or begin.
static bool begin(tile_job *job, tile_run *tiles) {
    bool found = false, first = !tiles_silent();
    double start = seconds_now();
    if (run_crew && !all_agree(manifest_compare(job)))
        return false;
    bool fine = !first || (manifest_open(job, tiles, &found) && (found || choose_tiles(job, tiles)));
    if (!all_agree(fine))
        return false;
    tiles->manifest += seconds_now() - start;
    if (run_crew)
        run_crew->share(&found, sizeof found);
    if (!found && !all_agree(find_heights(job, tiles)))
        return false;
    if (!found && run_crew) {
        double bounds[2] = {tiles->low, -tiles->high};
        run_crew->least(bounds, 2);
        tiles->low = bounds[0];
        tiles->high = -bounds[1];
    }
    start = seconds_now();
    if (!all_agree(!first || found || manifest_create(job, tiles)))
        return false;
    tiles->manifest += seconds_now() - start;
    if (run_crew) {
        double numbers[4] = {(double)tiles->columns, (double)tiles->rows, tiles->low, tiles->high};
        run_crew->share(numbers, sizeof numbers);
        tiles->columns = (int64_t)numbers[0];
        tiles->rows = (int64_t)numbers[1];
        tiles->low = numbers[2];
        tiles->high = numbers[3];
    }
    job->run->heights_known = true;
    job->run->partial_low = tiles->low;
    job->run->partial_high = tiles->high;
    wanted nothing = {job, {0, 0, 0, 0}, false};
    if (!all_agree(read_window(&nothing, true)))
        return false;
    list_tiles(job, tiles);
    start = seconds_now();
    fine = all_agree(manifest_read_done(job, tiles));
    tiles->manifest += seconds_now() - start;
    return fine;
}

static bool compute_tiled(tile_job *job) {
    cli *run = job->run;
    const char *path = options_value(&run->given, "output");
    tile_run *tiles = allocate(1, sizeof *tiles);
    double bytes = DEFAULT_BYTES;
    tiles->lock = tiles->log = -1;
    job->tiles = tiles;
    tiles->folder = allocate(strlen(path) + 8, 1);
    snprintf(tiles->folder, strlen(path) + 8, "%s.tiles", path);
    if (!path_ends(path, ".tif") && !path_ends(path, ".tiff") && !path_ends(path, ".vrt") &&
        !path_ends(path, ".lf"))
        return refused("-o %s: what is computed in tiles is a .tif, a .vrt or a .lf", path);
    if (!isfinite(job->range))
        return refused(
            "--range: missing: what is computed in tiles needs to know how much around them to read");
    if (options_has(&run->given, "memory"))
        size_read(options_value(&run->given, "memory"), &bytes);
    setenv("GDAL_CACHEMAX", CACHE_MEGABYTES, 0);
    setenv("GDAL_MAX_DATASET_POOL_SIZE", POOL_FILES, 0);
    run->memory = options_has(&run->given, "memory") ? (size_t)bytes : SIZE_MAX / 4;
    wanted nothing = {job, {0, 0, 0, 0}, false};
    tiles->began = seconds_now();
    if (!all_agree(read_window(&nothing, true)) || !begin(job, tiles))
        return false;
    order_tiles(tiles);
    if (!run->quiet && !tiles_silent()) {
        char text[160];
        snprintf(text, sizeof text, "%lld tiles of %lld x %lld samples, %lld done before",
                 (long long)tiles->count, (long long)tiles->columns, (long long)tiles->rows,
                 (long long)(tiles->count - tiles->left));
        message_note(text);
    }
    return compute_left(job, tiles);
}

bool tiles_compute(tile_job *job) {
    cli *run = job->run;
    if (is_tiled(run))
        return compute_tiled(job);
    if (!ground_open(run, job->needs) || !job->start(job))
        return false;
    size_t samples = (size_t)job->window.columns * (size_t)job->window.rows;
    result_note(run, job->window, samples * result_bytes(job) + job->scratch);
    job->values = allocate(samples, result_bytes(job));
    return job->compute(job, job->window, job->values, &job->sums);
}

int tiles_write(tile_job *job, const facts *facts, const lf_figure_layer *look) {
    lf_result_def def = job->result;
    tile_run *tiles = job->tiles;
    def.window = job->window;
    if (!tiles) {
        def.values = job->values;
        return result_write(job->run, &def, facts, look);
    }
    if (tiles_silent())
        return CLI_YES;
    lf_result_tile *list = allocate((size_t)tiles->count, sizeof *list);
    for (int64_t k = 0; k < tiles->count; k++)
        list[k] = (lf_result_tile){tiles->tiles[k].window, tile_path(tiles, k)};
    def.tiles = list;
    def.tile_count = tiles->count;
    def.overviews = true;
    int status = result_write(job->run, &def, facts, look);
    double start = seconds_now();
    if (status == CLI_YES && !path_ends(options_value(&job->run->given, "output"), ".vrt"))
        manifest_remove(tiles);
    tiles->manifest += seconds_now() - start;
    note_times(tiles);
    return status;
}
