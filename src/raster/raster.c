/// Rasters from files: the order in which things are found out.
#include "raster/raster.h"
#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static lf_status check_def(const lf_raster_def *def, lf_error *error) {
    const lf_window *window = &def->window;
    if (def->band < 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "band %d: bands count from 1", def->band);
    if (def->encoding != LF_ENCODING_NONE && def->encoding != LF_ENCODING_TERRAIN_RGB &&
        def->encoding != LF_ENCODING_TERRARIUM)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "encoding %d is none", (int)def->encoding);
    if (def->encoding != LF_ENCODING_NONE && def->band != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "band %d: an encoding takes the bands 1, 2 and 3",
                        def->band);
    if (!isfinite(def->z_scale) || def->z_scale == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "z_scale is 0 or not finite");
    if (window->column < 0 || window->row < 0 || window->columns < 0 || window->rows < 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a window with a negative number");
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Bands and window
// ---------------------------------------------------------------------------------------------------

static bool is_alpha(GDALDatasetH dataset, int band) {
    return GDALGetRasterColorInterpretation(GDALGetRasterBand(dataset, band)) == GCI_AlphaBand;
}

static lf_status choose_colours(lf__raster_source *source, int count, lf_error *error) {
    for (int i = 0; i < LF__RASTER_BANDS && i < count; i++) {
        source->bands[i] = GDALGetRasterBand(source->dataset, i + 1);
        if (GDALGetRasterDataType(source->bands[i]) != GDT_Byte)
            count = 0;
    }
    source->band_count = LF__RASTER_BANDS;
    if (count >= LF__RASTER_BANDS)
        return LF_OK;
    return lf__fail(error, LF_BAD_FORMAT, -1,
                    "%s: heights are coded in three bands of bytes, which it does not have",
                    source->gdal.path);
}

/// The band that was asked for, or the only one there is besides transparency.
static lf_status choose_band(lf__raster_source *source, lf_raster *raster, lf_error *error) {
    const char *path = source->gdal.path;
    int count = GDALGetRasterCount(source->dataset), band = source->def->band;
    raster->info.band_count = count;
    if (source->def->encoding != LF_ENCODING_NONE)
        return choose_colours(source, count, error);
    if (band > count)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s: there is no band %d, the last is %d", path, band,
                        count);
    if (band == 0 && count > 1 && !(count == 2 && is_alpha(source->dataset, 2)))
        return lf__fail(error, LF_BAD_FORMAT, -1,
                        "%s: has %d bands: say which are heights, by band or, for coded heights, by encoding",
                        path, count);
    GDALRasterBandH chosen = GDALGetRasterBand(source->dataset, band ? band : 1);
    if (band == 0 && GDALGetRasterColorTable(chosen))
        return lf__fail(error, LF_BAD_FORMAT, -1,
                        "%s: its band is a table of colours, not heights; name band 1 to take it anyway",
                        path);
    source->bands[0] = chosen;
    source->band_count = 1;
    raster->info.band = band ? band : 1;
    return LF_OK;
}

static lf_status choose_window(lf__raster_source *source, lf_error *error) {
    int64_t columns = GDALGetRasterXSize(source->dataset), rows = GDALGetRasterYSize(source->dataset);
    lf_window *window = &source->window;
    *window = source->def->window;
    if (window->columns == 0 && window->rows == 0 && window->column == 0 && window->row == 0)
        *window = (lf_window){0, 0, columns, rows};
    if (window->column > columns - window->columns || window->row > rows - window->rows)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "%s: has %lld x %lld pixels, the window ends at %lld, %lld", source->gdal.path,
                        (long long)columns, (long long)rows, (long long)(window->column + window->columns),
                        (long long)(window->row + window->rows));
    int64_t least = source->def->thin ? 1 : 2;
    if (window->columns < least || window->rows < least)
        return lf__fail(error, LF_BAD_FORMAT, -1, "%s: %lld x %lld pixels are no ground: 2 x 2 are the least",
                        source->gdal.path, (long long)window->columns, (long long)window->rows);
    return LF_OK;
}

/// GDAL reads the masked pixels of a bare LERC file as zeros and keeps quiet about the mask.
static lf_status check_lerc(const lf__raster_source *source, lf_error *error) {
    unsigned char head[34] = {0};
    uint32_t version, rows, columns, valid;
    VSILFILE *file = source->def->nodata_given ? NULL : VSIFOpenL(source->gdal.path, "rb");
    size_t got = file ? VSIFReadL(head, 1, sizeof head, file) : 0;
    if (file)
        VSIFCloseL(file);
    if (got < sizeof head || memcmp(head, "Lerc2 ", 6) != 0)
        return LF_OK;
    memcpy(&version, head + 6, 4);
    const unsigned char *at = head + (version >= 3 ? 14 : 10); // a checksum came with version 3
    memcpy(&rows, at, 4);
    memcpy(&columns, at + 4, 4);
    memcpy(&valid, at + (version >= 4 ? 12 : 8), 4); // values per pixel came with version 4
    uint64_t all = (uint64_t)rows * columns;
    if (valid >= all)
        return LF_OK;
    return lf__fail(error, LF_BAD_FORMAT, -1,
                    "%s: %llu of its pixels are masked, which GDAL reads as 0; nodata 0 makes holes of them",
                    source->gdal.path, (unsigned long long)(all - valid));
}

// ---------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------

static void describe_format(const lf__raster_source *source, lf_raster *raster) {
    const char *driver = GDALGetDriverShortName(GDALGetDatasetDriver(source->dataset));
    const char *stored = GDALGetDataTypeName(GDALGetRasterDataType(source->bands[0]));
    snprintf(raster->format, sizeof raster->format, "%s", driver);
    snprintf(raster->stored, sizeof raster->stored, "%s", stored);
}

static lf_status read_dataset(lf__raster_source *source, lf_raster *raster, lf_error *error) {
    lf_status status = choose_band(source, raster, error);
    if (status == LF_OK)
        status = choose_window(source, error);
    if (status == LF_OK)
        status = check_lerc(source, error);
    if (status == LF_OK)
        status = lf__raster_crs(source, raster, error);
    if (status == LF_OK)
        status = lf__raster_z_unit(source, raster, error);
    if (status == LF_OK)
        status = lf__raster_place(source, raster, error);
    if (status != LF_OK)
        return status;
    describe_format(source, raster);
    status = lf__raster_samples(source, raster, error);
    return status == LF_OK ? lf__raster_look(source, raster, error) : status;
}

static lf_status open_and_read(const char *path, const lf_raster_def *def, lf_raster *raster,
                               lf_error *error) {
    lf__raster_source source = {.def = def};
    GDALAllRegister();
    lf__gdal_begin(&source.gdal, path, &raster->host);
    // A VRT may carry a program; no file gets to run one here.
    CPLSetThreadLocalConfigOption("GDAL_VRT_ENABLE_PYTHON", "NO");
    lf_status status = lf__gdal_open(&source.gdal, &source.dataset, error);
    if (status == LF_OK)
        status = read_dataset(&source, raster, error);
    if (source.dataset)
        GDALClose(source.dataset);
    CPLSetThreadLocalConfigOption("GDAL_VRT_ENABLE_PYTHON", NULL);
    lf__gdal_end(&source.gdal);
    return status;
}

lf_status lf_raster_read(const char *path, const lf_raster_def *given, lf_raster **raster, lf_error *error) {
    lf_raster_def def = lf_raster_def_default();
    if (!path || !raster)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path or raster is NULL");
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status == LF_OK)
        status = check_def(&def, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_raster *made = lf__take(&allocator, sizeof *made, LF__CACHE_LINE);
    if (!made)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *made = (lf_raster){.host = def.host, .allocator = allocator, .samples = lf_grid_def_default().samples};
    status = open_and_read(path, &def, made, error);
    if (status == LF_OK)
        *raster = made;
    else
        lf_raster_close(made);
    return status;
}

static void give_text(lf_raster *raster, char *text) {
    if (text)
        lf__give(&raster->allocator, text, strlen(text) + 1, LF__CACHE_LINE);
}

void lf_raster_close(lf_raster *raster) {
    if (!raster)
        return;
    lf_allocator allocator = raster->allocator;
    lf__give(&allocator, raster->mask, raster->mask_bytes, LF__CACHE_LINE);
    lf__give(&allocator, raster->values, raster->value_bytes, LF__CACHE_LINE);
    give_text(raster, raster->crs_name);
    give_text(raster, raster->crs);
    lf__give(&allocator, raster, sizeof *raster, LF__CACHE_LINE);
}

lf_raster_info lf_raster_describe(const lf_raster *raster) {
    lf_raster_info info = raster->info;
    info.format = raster->format;
    info.stored = raster->stored;
    info.crs = raster->crs;
    info.crs_name = raster->crs_name;
    info.bytes = sizeof *raster + raster->value_bytes + raster->mask_bytes;
    return info;
}

lf_grid_def lf_raster_grid_def(const lf_raster *raster) {
    lf_grid_def def = lf_grid_def_default();
    def.host = raster->host;
    def.samples = raster->samples;
    def.geotransform = raster->geotransform;
    def.turn = raster->around ? 360 : 0;
    def.repeated = raster->repeated;
    def.borrow = true;
    return def;
}
