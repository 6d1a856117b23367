/// Where the pixels of a raster lie, and how they are flipped or transposed to become samples of a grid.
#include "raster/raster.h"
#include <cpl_string.h>
#include <math.h>
#include <string.h>

/// Some drivers return this geotransform for "unknown".
static bool is_default(const double place[6]) {
    return place[0] == 0 && place[1] == 1 && place[2] == 0 && place[3] == 0 && place[4] == 0 && place[5] == 1;
}

/// The geotransform of GDAL. A file without one starts at 0, 0, row by row from the north, with its pixel
/// centres at whole numbers.
static lf_status find_transform(lf__raster_source *source, bool *georeferenced, double place[6],
                                lf_error *error) {
    GDALDatasetH dataset = source->dataset;
    if (source->plain) {
        memcpy(place, source->plain->place, sizeof source->plain->place);
        *georeferenced = true;
        return LF_OK;
    }
    int points = GDALGetGCPCount(dataset);
    *georeferenced = GDALGetGeoTransform(dataset, place) == CE_None && !is_default(place);
    if (*georeferenced)
        return LF_OK;
    if (points > 0) {
        *georeferenced = GDALGCPsToGeoTransform(points, GDALGetGCPs(dataset), place, FALSE);
        if (*georeferenced)
            return LF_OK;
        return lf__fail(
            error, LF_BAD_FORMAT, -1,
            "%s: is georeferenced by %d control points that fit no straight raster; warp it first",
            source->gdal.path, points);
    }
    double rows = (double)source->rows;
    double whole[6] = {-0.5, 1, 0, rows - 0.5, 0, -1};
    for (int i = 0; i < 6; i++)
        place[i] = whole[i];
    return LF_OK;
}

static void swap_doubles(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

/// Choose what becomes columns and rows such that columns run as eastwards and rows as northwards as
/// possible: the second vector is then to the left of the first.
static void choose_orientation(lf__raster_source *source, const double place[6]) {
    source->transposed = fabs(place[2] * place[4]) > fabs(place[1] * place[5]);
    double east = source->transposed ? place[2] : place[1];
    double north = source->transposed ? place[4] : place[5];
    source->flip_columns = east < 0;
    source->flip_rows = north < 0;
}

/// The sample (0, 0) and the steps, from the geotransform of the pixels and the orientation.
static lf_geotransform samples_geotransform(const lf__raster_source *source, const double place[6],
                                            double unit) {
    const lf_window *window = &source->window;
    lf_vec2 step_x = {place[1] * unit, place[4] * unit}, step_y = {place[2] * unit, place[5] * unit};
    int64_t columns = source->transposed ? window->rows : window->columns;
    int64_t rows = source->transposed ? window->columns : window->rows;
    // The pixel that becomes sample (0, 0), in pixels along the future columns and rows.
    double first_column = source->flip_columns ? (double)(columns - 1) : 0;
    double first_row = source->flip_rows ? (double)(rows - 1) : 0;
    double x = (double)window->column + 0.5 + (source->transposed ? first_row : first_column);
    double y = (double)window->row + 0.5 + (source->transposed ? first_column : first_row);
    lf_vec2 column = source->transposed ? step_y : step_x, row = source->transposed ? step_x : step_y;
    double sign_column = source->flip_columns ? -1 : 1, sign_row = source->flip_rows ? -1 : 1;
    lf_geotransform geotransform = {
        {(place[0] + x * place[1] + y * place[2]) * unit, (place[3] + x * place[4] + y * place[5]) * unit},
        {sign_column * column.x + 0.0, sign_column * column.y + 0.0}, // + 0.0: no minus zero
        {sign_row * row.x + 0.0, sign_row * row.y + 0.0}};
    return geotransform;
}

/// Columns of the file to the west of those that were read, and how many there are in all.
static int64_t columns_before(const lf__raster_source *source, int64_t *all) {
    const lf_window *window = &source->window;
    bool transposed = source->transposed;
    int64_t first = transposed ? window->row : window->column,
            count = transposed ? window->rows : window->columns;
    *all = transposed ? source->rows : source->columns;
    return source->flip_columns ? *all - first - count : first;
}

/// Longitudes wrap. Columns of a file that span 360 degrees, to half a column, are set to exactly that: a
/// spacing written with few digits would leave a gap at the seam, or an overlap.
static void close_longitudes(const lf__raster_source *source, lf_raster *raster) {
    lf_geotransform *geotransform = &raster->geotransform;
    double spacing = geotransform->per_column.x;
    int64_t all, before = columns_before(source, &all);
    raster->around = raster->info.kind == LF_CRS_DEGREES && raster->info.georeferenced &&
                     geotransform->per_column.y == 0 && geotransform->per_row.x == 0;
    double beyond = ((double)all * spacing - 360) / spacing; // columns
    if (beyond > 1.5)                                        // more than 360 degrees, some of it twice
        raster->around = false;
    bool once = fabs(beyond) <= 0.5, twice = !once && fabs(beyond - 1) <= 0.5;
    if (!raster->around || all < 3 || !(once || twice))
        return;
    bool whole = (source->transposed ? source->window.rows : source->window.columns) == all;
    raster->repeated = once && whole;
    double columns = (double)(once ? all : all - 1), off = columns * spacing - 360;
    if (fabs(off) <= 1e-9 * spacing)
        return;
    geotransform->per_column.x = 360 / columns;
    geotransform->origin.x += (double)before * (geotransform->per_column.x - spacing);
    char text[120];
    CPLsnprintf(text, sizeof text, "%.9g to %.9g: %.0f columns are 360 degrees, not %.9g", spacing,
                360 / columns, columns, columns * spacing);
    if (whole && fabs(off) > 1e-4 * spacing) // logged once, not for every window
        lf__log(&raster->host, LF_LOG_NOTE, "%s: column spacing changed from %s", source->gdal.path, text);
}

static void keep_orientation(const lf__raster_source *source, const double place[6], lf_raster *raster) {
    raster->turn = (lf__raster_turn){.window = source->window,
                                     .columns = source->columns,
                                     .rows = source->rows,
                                     .transposed = source->transposed,
                                     .flip_columns = source->flip_columns,
                                     .flip_rows = source->flip_rows};
    for (int i = 0; i < 6; i++)
        raster->turn.place[i] = place[i] * raster->info.xy_unit;
}

/// Whether numbers look like longitudes and latitudes, for files without a CRS.
static bool looks_like_degrees(const lf_geotransform *geotransform, int64_t columns, int64_t rows) {
    double right = geotransform->origin.x + (double)(columns - 1) * geotransform->per_column.x;
    double top = geotransform->origin.y + (double)(rows - 1) * geotransform->per_row.y;
    return geotransform->origin.x >= -180.5 && right <= 360.5 && geotransform->origin.y >= -90.5 &&
           top <= 90.5 && geotransform->per_column.x < 0.5 && geotransform->per_row.y < 0.5;
}

static void log_remarks(const lf__raster_source *source, const lf_raster *raster) {
    const char *path = source->gdal.path;
    const lf_window *window = &source->window;
    bool long_lat = looks_like_degrees(&raster->geotransform, window->columns, window->rows);
    if (!raster->info.georeferenced)
        lf__log(&raster->host, LF_LOG_NOTE, "%s: does not say where it is: x and y count pixels, as metres",
                path);
    else if (raster->info.kind == LF_CRS_NONE && long_lat)
        lf__log(&raster->host, LF_LOG_WARNING,
                "%s: names no CRS; x and y are read as metres, but look like degrees (EPSG:4326?)", path);
}

lf_status lf__raster_place(lf__raster_source *source, lf_raster *raster, lf_error *error) {
    double place[6];
    const char *pixels =
        source->plain ? NULL : GDALGetMetadataItem(source->dataset, GDALMD_AREA_OR_POINT, NULL);
    lf_status status = find_transform(source, &raster->info.georeferenced, place, error);
    if (status != LF_OK)
        return status;
    raster->info.point = source->plain ? source->plain->point : pixels && EQUAL(pixels, GDALMD_AOP_POINT);
    for (int i = 0; i < 3 && source->swapped && raster->info.georeferenced; i++)
        swap_doubles(&place[i], &place[3 + i]);
    double size = fabs(place[1]) + fabs(place[2]) + fabs(place[4]) + fabs(place[5]);
    double area = fabs(place[1] * place[5] - place[2] * place[4]);
    // Also false when anything is NaN or infinite.
    if (!(area > 1e-12 * size * size) || !isfinite(size) || !isfinite(place[0]) || !isfinite(place[3])) {
        char text[120];
        CPLsnprintf(text, sizeof text, "%.9g %.9g %.9g %.9g", place[1], place[2], place[4], place[5]);
        return lf__fail(error, LF_BAD_FORMAT, -1, "%s: its pixels (%s) have no area", source->gdal.path,
                        text);
    }
    choose_orientation(source, place);
    raster->geotransform = samples_geotransform(source, place, raster->info.xy_unit);
    close_longitudes(source, raster);
    keep_orientation(source, place, raster);
    log_remarks(source, raster);
    return LF_OK;
}
