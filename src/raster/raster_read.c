/// Rasters from files and from .lf stores: band, window, samples and what they mean.
#include "raster/raster.h"
#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Checks of the samples
// ---------------------------------------------------------------------------------------------------

#define HIGHEST 1e30 // highest that a grid accepts

/// What a pass over the samples finds.
typedef struct sample_scan {
    double low;        ///< lowest sample that is not void
    int64_t low_count; ///< how often
    int64_t beyond;    ///< first sample whose height is beyond HIGHEST, or -1
    double beyond_is;
    int64_t voids;
} sample_scan;

/// Sample i, counted through all rows with their repeated sample.
static double sample_at(const lf_samples *samples, int64_t i) {
    switch (samples->type) {
    case LF_SAMPLE_FLOAT:
        return (double)((const float *)samples->values)[i];
    case LF_SAMPLE_DOUBLE:
        return ((const double *)samples->values)[i];
    case LF_SAMPLE_INT16:
        return (double)((const int16_t *)samples->values)[i];
    case LF_SAMPLE_UINT16:
        return (double)((const uint16_t *)samples->values)[i];
    }
    return (double)NAN;
}

/// Whether nothing in some floats is to be noted: all are heights, and higher than the lowest so far.
static bool nothing_in_floats(const float *values, int64_t count, float nodata, float low, float most) {
    int32_t noted[16] = {0};
    int64_t i = 0;
    for (; i + 16 <= count; i += 16)
        for (int k = 0; k < 16; k++)
            noted[k] |= !(fabsf(values[i + k]) <= most) | (values[i + k] == nodata) | (values[i + k] <= low);
    for (; i < count; i++)
        noted[0] |= !(fabsf(values[i]) <= most) | (values[i] == nodata) | (values[i] <= low);
    for (int k = 1; k < 16; k++)
        noted[0] |= noted[k];
    return !noted[0];
}

/// The same for 16-bit integers, of which all are heights but nodata.
static bool nothing_in_integers(const int16_t *values, int64_t count, int16_t nodata, int16_t low) {
    int16_t noted[16] = {0};
    int64_t i = 0;
    for (; i + 16 <= count; i += 16)
        for (int k = 0; k < 16; k++)
            noted[k] = (int16_t)(noted[k] | (values[i + k] == nodata) | (values[i + k] <= low));
    for (; i < count; i++)
        noted[0] = (int16_t)(noted[0] | (values[i] == nodata) | (values[i] <= low));
    for (int k = 1; k < 16; k++)
        noted[0] = (int16_t)(noted[0] | noted[k]);
    return !noted[0];
}

/// Whether a quick pass shows that nothing in columns first .. last - 1 of a row is to be noted.
static bool nothing_in_row(const lf_samples *samples, int64_t row, int64_t first, int64_t last, double most,
                           const sample_scan *scan) {
    int64_t i = row * samples->mask_row_step + first;
    if (samples->mask || !(scan->low <= most)) // nothing has been found yet
        return false;
    if (samples->type == LF_SAMPLE_FLOAT && most <= HIGHEST && most >= 1) {
        float limit = nextafterf((float)most, 0);
        return nothing_in_floats((const float *)samples->values + i, last - first, (float)samples->nodata,
                                 (float)scan->low, limit);
    }
    if (samples->type != LF_SAMPLE_INT16 || most < INT16_MAX + 1)
        return false;
    bool has = samples->nodata >= INT16_MIN && samples->nodata <= INT16_MAX &&
               samples->nodata == floor(samples->nodata);
    return nothing_in_integers((const int16_t *)samples->values + i, last - first,
                               has ? (int16_t)samples->nodata : (int16_t)scan->low, (int16_t)scan->low);
}

/// Add columns first .. last - 1 of a row.
static void scan_row(const lf_samples *samples, int64_t row, int64_t first, int64_t last, sample_scan *scan) {
    double most = (HIGHEST - fabs(samples->offset)) / fabs(samples->scale);
    if (nothing_in_row(samples, row, first, last, most, scan))
        return;
    for (int64_t column = first; column < last; column++) {
        int64_t i = row * samples->mask_row_step + column; // steps are in samples
        double value = sample_at(samples, i);
        if (!isfinite(value) || value == samples->nodata || (samples->mask && !samples->mask[i])) {
            scan->voids++;
            continue;
        }
        if (fabs(value) > most && scan->beyond < 0) {
            scan->beyond = row * samples->columns + column;
            scan->beyond_is = value;
        }
        if (value < scan->low) {
            scan->low = value;
            scan->low_count = 0;
        }
        scan->low_count += value == scan->low;
    }
}

#define DROP_SAMPLES ((int64_t)1 << 20) // between two calls of lf_raster_keep.drop

static sample_scan scan_samples(const lf_raster *raster, const lf_raster_keep *keep) {
    const lf_samples *samples = &raster->samples;
    int64_t drop_rows = DROP_SAMPLES / samples->columns + 1;
    sample_scan scan = {INFINITY, 0, -1, 0, 0};
    lf_window whole;
    int64_t count;
    const lf_window *parts = lf__raster_part_list(raster, &whole, &count);
    for (int64_t k = 0; k < count; k++) {
        int64_t end = parts[k].column + parts[k].columns;
        for (int64_t row = parts[k].row; row < parts[k].row + parts[k].rows; row++) {
            scan_row(samples, row, parts[k].column, end < samples->columns ? end : samples->columns, &scan);
            if (keep && keep->drop && row % drop_rows == drop_rows - 1)
                keep->drop(keep->user);
        }
    }
    return scan;
}

bool lf__raster_has_voids(const lf_raster *raster) {
    return scan_samples(raster, NULL).voids > 0;
}

/// Numbers that files use for "no data" and that no ground has.
static bool looks_like_nodata(double low) {
    static const double known[] = {-32768, -32767, -9999, -99999, -999999, -3.4028234663852886e38};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (low == known[i])
            return true;
    return false;
}

lf_status lf__raster_look(const lf__raster_source *source, lf_raster *raster, lf_error *error) {
    const char *path = source->gdal.path;
    sample_scan sample_scan = scan_samples(raster, source->def->keep);
    char text[64];
    if (sample_scan.beyond >= 0) {
        CPLsnprintf(text, sizeof text, "%.9g", sample_scan.beyond_is);
        return lf__fail(
            error, LF_BAD_FORMAT, sample_scan.beyond,
            "%s: a sample is %s, which is no height; is it nodata that the file does not declare?", path,
            text);
    }
    if (source->band_count == 1 && !source->def->nodata_given && looks_like_nodata(sample_scan.low)) {
        CPLsnprintf(text, sizeof text, "%.9g", sample_scan.low);
        lf__log(&raster->host, LF_LOG_WARNING,
                "%s: %lld samples are %s, as if that were nodata, but the file does not say so", path,
                (long long)sample_scan.low_count, text);
    }
    return LF_OK;
}

static lf_status check_raster_def(const lf_raster_def *def, lf_error *error) {
    const lf_window *window = &def->window;
    if (def->keep && (def->reach || def->thin))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "keep: not with reach or thin");
    if (def->band < 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "band %d: bands count from 1", def->band);
    if (def->encoding != LF_ENCODING_NONE && def->encoding != LF_ENCODING_TERRAIN_RGB &&
        def->encoding != LF_ENCODING_TERRARIUM)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "encoding %d: expected %d to %d", (int)def->encoding,
                        (int)LF_ENCODING_NONE, (int)LF_ENCODING_TERRARIUM);
    if (def->encoding != LF_ENCODING_NONE && def->band != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "band %d: an encoding uses the bands 1, 2 and 3",
                        def->band);
    if (!isfinite(def->z_scale) || def->z_scale == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "z_scale %g: must be finite and not 0", def->z_scale);
    if (window->column < 0 || window->row < 0 || window->columns < 0 || window->rows < 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "window %lld,%lld,%lld,%lld: must not be negative",
                        (long long)window->column, (long long)window->row, (long long)window->columns,
                        (long long)window->rows);
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

/// The requested band, or the only one besides transparency.
static lf_status choose_band(lf__raster_source *source, lf_raster *raster, lf_error *error) {
    if (source->plain) {
        source->band_count = raster->info.band_count = raster->info.band = 1;
        return LF_OK;
    }
    const char *path = source->gdal.path;
    int count = GDALGetRasterCount(source->dataset), band = source->def->band;
    raster->info.band_count = count;
    if (source->def->encoding != LF_ENCODING_NONE)
        return choose_colours(source, count, error);
    if (band > count)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s: band %d: file has %d band%s", path, band, count,
                        count == 1 ? "" : "s");
    if (band == 0 && count > 1 && !(count == 2 && is_alpha(source->dataset, 2)))
        return lf__fail(
            error, LF_BAD_FORMAT, -1,
            "%s: has %d bands: name the one with heights by band or, for coded heights, an encoding", path,
            count);
    GDALRasterBandH chosen = GDALGetRasterBand(source->dataset, band ? band : 1);
    if (band == 0 && GDALGetRasterColorTable(chosen))
        return lf__fail(error, LF_BAD_FORMAT, -1,
                        "%s: its band is a table of colours, not heights; name band 1 to read it anyway",
                        path);
    source->bands[0] = chosen;
    source->band_count = 1;
    raster->info.band = band ? band : 1;
    return LF_OK;
}

static lf_status choose_window(lf__raster_source *source, lf_error *error) {
    int64_t columns = source->columns, rows = source->rows;
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
        return lf__fail(error, LF_BAD_FORMAT, -1, "%s: %lld x %lld pixels: at least 2 x 2 are needed",
                        source->gdal.path, (long long)window->columns, (long long)window->rows);
    return LF_OK;
}

/// GDAL reads the masked pixels of a bare LERC file as zeros without mentioning the mask.
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
                    "%s: %llu of its pixels are masked, which GDAL reads as 0; nodata 0 makes them void",
                    source->gdal.path, (unsigned long long)(all - valid));
}

// ---------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------

static void describe_format(const lf__raster_source *source, lf_raster *raster) {
    static const char *const types[] = {[LF_SAMPLE_FLOAT] = "Float32",
                                        [LF_SAMPLE_DOUBLE] = "Float64",
                                        [LF_SAMPLE_INT16] = "Int16",
                                        [LF_SAMPLE_UINT16] = "UInt16"};
    const lf__geotiff *plain = source->plain;
    const char *driver =
        plain ? plain->driver : GDALGetDriverShortName(GDALGetDatasetDriver(source->dataset));
    const char *stored =
        plain ? types[plain->type] : GDALGetDataTypeName(GDALGetRasterDataType(source->bands[0]));
    snprintf(raster->format, sizeof raster->format, "%s", driver);
    snprintf(raster->stored, sizeof raster->stored, "%s", stored);
}

static lf_status read_raster(lf__raster_source *source, lf_raster *raster, lf_error *error) {
    lf_status status = choose_band(source, raster, error);
    if (status == LF_OK)
        status = choose_window(source, error);
    if (status == LF_OK && !source->plain)
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
    source->gdal.text[0] =
        '\0'; // what failed so far did no harm, and must not explain what fails from here on
    status = lf__raster_samples(source, raster, error);
    return status == LF_OK ? lf__raster_look(source, raster, error) : status;
}

static void free_text(lf_raster *raster, char **text) {
    if (*text)
        lf__free(&raster->allocator, *text, strlen(*text) + 1, LF__CACHE_LINE);
    *text = NULL;
}

/// Free everything that was read.
static void clear_raster(lf_raster *raster) {
    lf__raster_free_samples(raster);
    lf__free_array(&raster->allocator, raster->parts, raster->part_capacity, sizeof *raster->parts);
    raster->parts = NULL;
    raster->part_capacity = 0;
    free_text(raster, &raster->crs_name);
    free_text(raster, &raster->crs);
    raster->info = (lf_raster_info){0};
    raster->around = raster->repeated = false;
}

/// Read a file without GDAL. LF_IO_FAILED: GDAL has to read it, and nothing of it has been kept.
static lf_status read_without_gdal(const char *path, const lf_raster_def *def, lf_raster *raster,
                                   lf_error *error) {
    lf__geotiff tiff;
    if (!def->crs_code || def->crs || def->band > 1 || def->encoding != LF_ENCODING_NONE ||
        !lf__plain_open(path, &tiff))
        return LF_IO_FAILED;
    lf__raster_source source = {
        .def = def, .plain = &tiff, .columns = tiff.columns, .rows = tiff.rows, .gdal.path = path};
    lf_status status = read_raster(&source, raster, error);
    lf__geotiff_close(&tiff);
    if (status == LF_IO_FAILED)
        clear_raster(raster);
    return status;
}

static lf_status read_by_gdal(const char *path, const lf_raster_def *def, lf_raster *raster,
                              lf_error *error) {
    lf__raster_source source = {.def = def};
    GDALAllRegister();
    lf__gdal_begin(&source.gdal, path, &raster->host);
    // A VRT may contain a program, which must not run.
    CPLSetThreadLocalConfigOption("GDAL_VRT_ENABLE_PYTHON", "NO");
    // GDAL's own threads have no handler of errors: what fails there would be printed by GDAL, and not
    // reported.
    CPLSetThreadLocalConfigOption("GDAL_NUM_THREADS", "1");
    // Uncompressed samples need no copy in GDAL's cache.
    CPLSetThreadLocalConfigOption("GTIFF_DIRECT_IO", "YES");
    lf_status status = lf__gdal_open(&source.gdal, &source.dataset, error);
    if (status == LF_OK) {
        source.columns = GDALGetRasterXSize(source.dataset);
        source.rows = GDALGetRasterYSize(source.dataset);
        status = read_raster(&source, raster, error);
    }
    if (source.dataset)
        GDALClose(source.dataset);
    CPLSetThreadLocalConfigOption("GTIFF_DIRECT_IO", NULL);
    CPLSetThreadLocalConfigOption("GDAL_NUM_THREADS", NULL);
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
        status = check_raster_def(&def, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_raster *made = lf__allocate(&allocator, sizeof *made, LF__CACHE_LINE);
    if (!made)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *made = (lf_raster){.host = def.host,
                        .allocator = allocator,
                        .samples = lf_grid_def_default().samples,
                        .partial_low = def.partial_low,
                        .partial_high = def.partial_high};
    status = read_without_gdal(path, &def, made, error);
    if (status == LF_IO_FAILED)
        status = read_by_gdal(path, &def, made, error);
    if (status == LF_OK)
        *raster = made;
    else
        lf_raster_close(made);
    return status;
}

void lf__raster_free_samples(lf_raster *raster) {
    if (raster->partial) {
        lf__sparse_give(raster->mask, raster->mask_bytes);
        lf__sparse_give(raster->values, raster->value_bytes);
    } else if (!raster->kept) {
        lf__free(&raster->allocator, raster->mask, raster->mask_bytes, LF__CACHE_LINE);
        lf__free(&raster->allocator, raster->values, raster->value_bytes, LF__CACHE_LINE);
    }
    raster->mask = NULL;
    raster->values = NULL;
    raster->samples.values = NULL;
    raster->partial = false;
    raster->part_count = 0;
}

void lf_raster_close(lf_raster *raster) {
    if (!raster)
        return;
    lf_allocator allocator = raster->allocator;
    clear_raster(raster);
    lf__free(&allocator, raster, sizeof *raster, LF__CACHE_LINE);
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
    def.partial = raster->partial || (raster->part_capacity > 0 && !raster->values); // while parts are chosen
    def.parts = raster->parts;
    def.part_count = raster->part_count;
    def.partial_low = raster->partial_low;
    def.partial_high = raster->partial_high;
    return def;
}

// ---------------------------------------------------------------------------------------------------
// The raster that a stored grid was built from
// ---------------------------------------------------------------------------------------------------

lf_pixels lf_raster_pixels(const lf_raster *raster) {
    const lf__raster_turn *turn = &raster->turn;
    lf_pixels pixels = {.window = turn->window,
                        .columns = turn->columns,
                        .rows = turn->rows,
                        .transposed = turn->transposed,
                        .flip_columns = turn->flip_columns,
                        .flip_rows = turn->flip_rows,
                        .georeferenced = raster->info.georeferenced,
                        .nodata_given = raster->nodata_given,
                        .nodata = raster->nodata_given ? raster->nodata : 0};
    memcpy(pixels.geotransform, turn->place, sizeof pixels.geotransform);
    return pixels;
}

static void restore_pixels(lf_raster *raster, const lf_pixels *pixels) {
    raster->turn = (lf__raster_turn){.window = pixels->window,
                                     .columns = pixels->columns,
                                     .rows = pixels->rows,
                                     .transposed = pixels->transposed,
                                     .flip_columns = pixels->flip_columns,
                                     .flip_rows = pixels->flip_rows};
    memcpy(raster->turn.place, pixels->geotransform, sizeof raster->turn.place);
    raster->info.georeferenced = pixels->georeferenced;
    raster->nodata_given = pixels->nodata_given;
    raster->nodata = pixels->nodata;
}

/// The kind and name of a CRS from WKT2 as files hold it, without GDAL; false for other texts.
static bool read_wkt(const char *text, lf_crs_kind *kind, char *name, size_t capacity) {
    static const struct {
        const char *begins;
        lf_crs_kind kind;
    } forms[] = {
        {"PROJCRS[\"", LF_CRS_PROJECTED}, {"GEOGCRS[\"", LF_CRS_DEGREES}, {"ENGCRS[\"", LF_CRS_ENGINEERING}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!STARTS_WITH(text, forms[i].begins))
            continue;
        const char *first = text + strlen(forms[i].begins), *end = strchr(first, '"');
        if (!end || end == first || end[1] == '"' || (size_t)(end - first) >= capacity)
            return false;
        memcpy(name, first, (size_t)(end - first));
        name[end - first] = '\0';
        *kind = forms[i].kind;
        return true;
    }
    return false;
}

/// The kind and name of a CRS, from its text; a text that is not a CRS is kept without a name.
static lf_status restore_crs(lf_raster *raster, const char *text) {
    char name[256] = "unnamed";
    raster->info.kind = LF_CRS_ENGINEERING;
    if (!read_wkt(text, &raster->info.kind, name, sizeof name)) {
        lf__gdal gdal;
        lf__gdal_begin(&gdal, "", &raster->host);
        OGRSpatialReferenceH system = lf__crs_from_text(text);
        const char *found = system ? OSRGetName(system) : NULL;
        if (system && OSRIsGeographic(system))
            raster->info.kind = LF_CRS_DEGREES;
        else if (system && OSRIsProjected(system))
            raster->info.kind = LF_CRS_PROJECTED;
        if (found && *found)
            CPLStrlcpy(name, found, sizeof name);
        OSRDestroySpatialReference(system);
        lf__gdal_end(&gdal);
    }
    lf_status status = lf__raster_text(raster, text, &raster->crs);
    return status == LF_OK ? lf__raster_text(raster, name, &raster->crs_name) : status;
}

static lf_status fill_from_store(lf_raster *raster, const lf_store *store) {
    lf_store_info info = lf_store_describe(store);
    lf_grid_info grid = lf_grid_describe(lf_store_grid(store));
    lf_pixels pixels;
    lf_store_pixels(store, &pixels);
    restore_pixels(raster, &pixels);
    raster->samples.columns = grid.columns;
    raster->samples.rows = grid.rows;
    raster->geotransform = grid.geotransform;
    raster->info.point = info.point;
    raster->info.ellipsoid = info.ellipsoid;
    raster->info.xy_unit = info.xy_unit;
    raster->info.z_unit = info.z_unit;
    raster->info.z_unit_known = true;
    snprintf(raster->format, sizeof raster->format, "landfall");
    snprintf(raster->stored, sizeof raster->stored, "%s", lf_codec_name(grid.codec));
    lf_status status = info.crs ? restore_crs(raster, info.crs) : LF_OK;
    if (info.degrees)
        raster->info.kind = LF_CRS_DEGREES;
    return status;
}

lf_status lf_raster_from_store(const lf_store *store, const lf_host *host, lf_raster **raster,
                               lf_error *error) {
    if (!store || !raster || !lf_store_grid(store))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "store or raster is NULL, or the file holds no grid");
    lf_allocator allocator = lf__allocator_of(host);
    lf_raster *made = lf__allocate(&allocator, sizeof *made, LF__CACHE_LINE);
    if (!made)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *made = (lf_raster){.host = host ? *host : (lf_host){NULL, NULL, NULL, NULL},
                        .allocator = allocator,
                        .samples = lf_grid_def_default().samples,
                        .partial_low = LF_INFINITY,
                        .partial_high = -LF_INFINITY};
    lf_status status = fill_from_store(made, store);
    if (status != LF_OK) {
        lf_raster_close(made);
        return lf__fail_plain(error, status);
    }
    *raster = made;
    return LF_OK;
}
