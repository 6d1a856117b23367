/// Raster files from which tiles of a globe are cut.
#include "base/base.h"
#include "raster/raster.h"
#include <math.h>
#include <string.h>

#define MOST_FETCHERS 64 // more threads wait for the disk
#define DEFAULT_MEMORY ((size_t)256 << 20)

/// One file: in memory, or read window by window.
typedef struct raster_file {
    const char *path;
    size_t path_bytes;
    lf_raster_def def;
    lf_grid *grid; ///< NULL: window by window
    lf_raster *raster;
    int64_t columns, rows; ///< samples
    lf__raster_turn turn;  ///< how pixels become samples
} raster_file;

struct lf_globe_rasters {
    lf_host host;
    lf_allocator allocator;
    raster_file *sources;
    lf_globe_raster *given;
    int64_t count;
    lf_ellipsoid ellipsoid;
    lf_tiler *cutter;
};

static lf_status create_grid(lf_raster *raster, lf_grid **grid, lf_error *error) {
    lf_grid_def def = lf_raster_grid_def(raster);
    def.borrow = true;
    def.surface = LF_SURFACE_BILINEAR;
    def.leaf = 64;
    return lf_grid_create(&def, grid, error);
}

static lf_status copy_heights(const lf_grid *grid, lf_window w, float *heights) {
    double row[512];
    for (int64_t j = 0; j < w.rows; j++)
        for (int64_t i = 0; i < w.columns; i += 512) {
            int64_t part = w.columns - i < 512 ? w.columns - i : 512;
            lf_status status = lf_grid_read(grid, w.column + i, w.row + j, part, 1, row);
            if (status != LF_OK)
                return status;
            for (int64_t k = 0; k < part; k++)
                heights[j * w.columns + i + k] = (float)row[k];
        }
    return LF_OK;
}

/// The pixels of a window of samples.
static lf_window window_pixels(const raster_file *s, lf_window w) {
    const lf__raster_turn *turn = &s->turn;
    int64_t column = turn->flip_columns ? s->columns - w.column - w.columns : w.column;
    int64_t row = turn->flip_rows ? s->rows - w.row - w.rows : w.row;
    return turn->transposed ? (lf_window){row, column, w.rows, w.columns}
                            : (lf_window){column, row, w.columns, w.rows};
}

/// A raster has at least two samples in each direction; a window at its border may have a single one.
static lf_window at_least_two(lf_window w) {
    if (w.columns == 1) {
        w.columns = 2;
        w.column -= w.column > 0;
    }
    if (w.rows == 1) {
        w.rows = 2;
        w.row -= w.row > 0;
    }
    return w;
}

static lf_status read_window(void *user, lf_window w, float *heights, lf_error *error) {
    const raster_file *s = user;
    if (s->grid)
        return copy_heights(s->grid, w, heights);
    lf_raster_def def = s->def;
    lf_raster *raster = NULL;
    lf_grid *grid = NULL;
    lf_window wide = at_least_two(w);
    def.window = window_pixels(s, wide);
    def.host.progress = NULL; // progress is reported for tiles
    def.host.tasks = NULL;    // which are cut by several threads
    lf_status status = lf_raster_read(s->path, &def, &raster, error);
    if (status == LF_OK)
        status = create_grid(raster, &grid, error);
    if (status == LF_OK)
        status = copy_heights(grid, (lf_window){w.column - wide.column, w.row - wide.row, w.columns, w.rows},
                              heights);
    lf_grid_destroy(grid);
    lf_raster_close(raster);
    return status;
}

/// Read four pixels of a file: its geotransform as if these were all, without reading the rest.
static lf_status read_corner(raster_file *s, lf_window pixels, lf_geotransform *geotransform,
                             lf_raster_info *info, lf_error *error) {
    lf_raster_def def = s->def;
    lf_raster *raster = NULL;
    def.window = pixels;
    lf_status status = lf_raster_read(s->path, &def, &raster, error);
    if (status == LF_OK) {
        *geotransform = lf_raster_grid_def(raster).geotransform;
        *info = lf_raster_describe(raster);
        info->crs = info->crs_name = info->format = info->stored = NULL;
        s->turn = raster->turn;
        s->columns = s->turn.transposed ? s->turn.rows : s->turn.columns;
        s->rows = s->turn.transposed ? s->turn.columns : s->turn.rows;
    }
    lf_raster_close(raster);
    return status;
}

static lf_status check_degrees(const raster_file *s, const lf_raster_info *info,
                               const lf_geotransform *geotransform, lf_error *error) {
    bool degrees = info->kind == LF_CRS_DEGREES || (info->kind == LF_CRS_NONE && info->georeferenced);
    if (!degrees || geotransform->per_column.y != 0 || geotransform->per_row.x != 0 ||
        !(geotransform->per_column.x > 0) || !(geotransform->per_row.y > 0))
        return lf__fail(error, LF_BAD_FORMAT, -1,
                        "%.200s: a globe needs rasters in longitude and latitude, north up", s->path);
    return LF_OK;
}

/// The ellipsoid is that of the finest file, of the first of these where there are several.
static void add_raster(lf_globe_rasters *all, int64_t i, const lf_geotransform *geotransform,
                       const lf_raster_info *info) {
    raster_file *s = &all->sources[i];
    bool finest = true;
    for (int64_t k = 0; k < i; k++)
        finest &= geotransform->per_row.y < all->given[k].per_row;
    if (finest)
        all->ellipsoid = info->ellipsoid;
    all->given[i] = (lf_globe_raster){geotransform->origin.x,
                                      geotransform->origin.y,
                                      geotransform->per_column.x,
                                      geotransform->per_row.y,
                                      s->columns,
                                      s->rows,
                                      s,
                                      read_window,
                                      s->path};
}

static lf_status open_whole(lf_globe_rasters *all, int64_t i, lf_error *error) {
    raster_file *s = &all->sources[i];
    lf_status status = lf_raster_read(s->path, &s->def, &s->raster, error);
    if (status == LF_OK)
        status = create_grid(s->raster, &s->grid, error);
    if (status != LF_OK)
        return status;
    lf_raster_info info = lf_raster_describe(s->raster);
    lf_grid_info grid = lf_grid_describe(s->grid);
    s->columns = grid.columns;
    s->rows = grid.rows;
    add_raster(all, i, &grid.geotransform, &info);
    return check_degrees(s, &info, &grid.geotransform, error);
}

/// The first call finds how pixels become samples, the second where the first sample is.
static lf_status open_by_windows(lf_globe_rasters *all, int64_t i, lf_error *error) {
    raster_file *s = &all->sources[i];
    lf_geotransform geotransform;
    lf_raster_info info;
    lf_status status = read_corner(s, (lf_window){0, 0, 2, 2}, &geotransform, &info, error);
    if (status == LF_OK)
        status = read_corner(s, window_pixels(s, (lf_window){0, 0, 2, 2}), &geotransform, &info, error);
    if (status != LF_OK)
        return status;
    add_raster(all, i, &geotransform, &info);
    return check_degrees(s, &info, &geotransform, error);
}

/// Read the whole file when it fits into memory (else LF_TOO_LARGE), otherwise window by window.
static lf_status open_raster(lf_globe_rasters *all, int64_t i, const char *path, lf_error *error) {
    raster_file *s = &all->sources[i];
    s->path_bytes = strlen(path) + 1;
    char *copy = lf__allocate(&all->allocator, s->path_bytes, 1);
    if (!copy)
        return lf__fail_plain(error, LF_NO_MEMORY);
    memcpy(copy, path, s->path_bytes);
    s->path = copy;
    lf_status status = open_whole(all, i, error);
    if (status != LF_TOO_LARGE)
        return status;
    s->def.memory = 0;
    s->def.host.log = NULL; // it has been logged already
    return open_by_windows(all, i, error);
}

/// Tiles are cut by as many threads as the host has.
static int fetchers_of(const lf_globe_rasters *all) {
    int workers = all->host.tasks ? all->host.tasks->workers : 1;
    return workers < 1 ? 1 : workers < MOST_FETCHERS ? workers : MOST_FETCHERS;
}

static lf_status open_rasters(lf_globe_rasters *all, const char *const *paths, int64_t count,
                              const lf_raster_def *def, int cells, lf_error *error) {
    size_t memory = def->memory ? def->memory : DEFAULT_MEMORY;
    lf_status status =
        lf__allocate_array(&all->allocator, count, sizeof *all->sources, (void **)&all->sources);
    if (status == LF_OK)
        status = lf__allocate_array(&all->allocator, count, sizeof *all->given, (void **)&all->given);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    all->count = count;
    memset(all->sources, 0, (size_t)count * sizeof *all->sources);
    for (int64_t i = 0; i < count; i++)
        all->sources[i].def = *def;
    for (int64_t i = 0; i < count && status == LF_OK; i++) {
        all->sources[i].def.memory = memory / 2 / (size_t)count + 1; // 0 would be no limit
        status = open_raster(all, i, paths[i], error);
    }
    if (status != LF_OK)
        return status;
    lf_tiler_def cut = lf_tiler_def_default();
    cut.host = all->host;
    cut.rasters = all->given;
    cut.raster_count = count;
    cut.cells = cells;
    cut.memory = memory / 2;
    cut.threads = fetchers_of(all);
    return lf_tiler_create(&cut, &all->cutter, error);
}

lf_status lf_globe_rasters_open(const char *const *paths, int64_t count, const lf_raster_def *given,
                                int cells, lf_globe_rasters **rasters, lf_error *error) {
    lf_raster_def def = lf_raster_def_default();
    if (!paths || count < 1 || !rasters)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "paths or rasters is NULL, or count %lld is below 1",
                        (long long)count);
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    if (def.window.columns != 0 || def.window.rows != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "def.window must be empty: a globe is made of whole rasters");
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_globe_rasters *all = lf__allocate(&allocator, sizeof *all, _Alignof(lf_globe_rasters));
    if (!all)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *all = (lf_globe_rasters){.host = def.host, .allocator = allocator};
    status = open_rasters(all, paths, count, &def, cells, error);
    if (status != LF_OK) {
        lf_globe_rasters_close(all);
        return status;
    }
    *rasters = all;
    return LF_OK;
}

void lf_globe_rasters_close(lf_globe_rasters *all) {
    if (!all)
        return;
    lf_allocator allocator = all->allocator;
    lf_tiler_destroy(all->cutter);
    for (int64_t i = all->sources ? all->count - 1 : -1; i >= 0; i--) {
        lf_grid_destroy(all->sources[i].grid);
        lf_raster_close(all->sources[i].raster);
        lf__free(&allocator, (void *)all->sources[i].path, all->sources[i].path_bytes, 1);
    }
    lf__free_array(&allocator, all->given, all->count, sizeof *all->given);
    lf__free_array(&allocator, all->sources, all->count, sizeof *all->sources);
    lf__free(&allocator, all, sizeof *all, _Alignof(lf_globe_rasters));
}

lf_globe_def lf_globe_rasters_def(const lf_globe_rasters *all) {
    lf_globe_def def = lf_globe_def_default();
    def.host = all->host;
    def.ellipsoid = all->ellipsoid;
    def.provider = lf_tiler_provider(all->cutter, &def.level_count);
    def.fetchers = fetchers_of(all);
    return def;
}
