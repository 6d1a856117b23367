/// Results as rasters through GDAL, on the pixels of the file that the posts came from.
#include "base/size.h"
#include "raster/raster.h"
#include "raster/write_folder.h"
#include <cpl_conv.h>
#include <cpl_string.h>
#include <math.h>
#include <string.h>

#define STRIPE_ROWS 256 // between two reports of progress

/// A result being written: the image is what posts become when they are turned back.
typedef struct writer {
    const lf_raster *raster;
    const lf_result_def *def;
    lf__folder folder;
    lf__gdal gdal;
    GDALDriverH driver;
    GDALDataType type;
    int64_t item;          ///< bytes of a number
    int64_t width, height; ///< of the image
    GSpacing across, down; ///< bytes from pixel to pixel and from line to line
    GSpacing band_step;
    const uint8_t *first; ///< the number of the upper left pixel
    double place[6];
} writer;

// ---------------------------------------------------------------------------------------------------
// What is asked for
// ---------------------------------------------------------------------------------------------------

/// Posts that are pixels of the file: a file of one row became two.
static lf_window pixels_of(const lf_raster *raster) {
    const lf_window *read = &raster->turn.window;
    bool turned = raster->turn.transposed;
    return (lf_window){0, 0, turned ? read->rows : read->columns, turned ? read->columns : read->rows};
}

static lf_status check_def(const lf_result_def *def, const lf_raster *raster, lf_error *error) {
    const lf_window *window = &def->window;
    lf_window all = pixels_of(raster);
    if (!def->values)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a result without values");
    if ((int)def->type < LF_RESULT_BYTE || (int)def->type > LF_RESULT_DOUBLE)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "result type %d is none", (int)def->type);
    if (def->band_count < 1 || def->band_count > 65535)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%d bands: 1 to 65535 can be written", def->band_count);
    if (window->column < 0 || window->row < 0 || window->columns < 1 || window->rows < 1 ||
        window->column > all.columns - window->columns || window->row > all.rows - window->rows)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "a window of %lld x %lld posts from %lld, %lld is not within %lld x %lld posts",
                        (long long)window->columns, (long long)window->rows, (long long)window->column,
                        (long long)window->row, (long long)all.columns, (long long)all.rows);
    if (def->metadata_count < 0 || def->option_count < 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a negative number of texts");
    return LF_OK;
}

static GDALDataType type_of(lf_result_type type, int64_t *item) {
    static const GDALDataType types[] = {GDT_Byte, GDT_UInt32, GDT_Float32, GDT_Float64};
    static const int64_t items[] = {1, 4, 4, 8};
    *item = items[type];
    return types[type];
}

/// Turn posts back into pixels.
static void lay_out(writer *writer) {
    const lf__raster_turn *turn = &writer->raster->turn;
    const lf_window *window = &writer->def->window;
    int64_t row_step = writer->def->row_step ? writer->def->row_step : window->columns * writer->item;
    lf_window all = pixels_of(writer->raster);
    int64_t last_column = all.columns - window->column - window->columns;
    int64_t last_row = all.rows - window->row - window->rows;
    int64_t skip_column = turn->flip_columns ? last_column : window->column;
    int64_t skip_row = turn->flip_rows ? last_row : window->row;
    GSpacing column_step = turn->flip_columns ? -writer->item : writer->item;
    GSpacing line_step = turn->flip_rows ? -row_step : row_step;
    writer->first = (const uint8_t *)writer->def->values +
                    (turn->flip_columns ? (window->columns - 1) * writer->item : 0) +
                    (turn->flip_rows ? (window->rows - 1) * row_step : 0);
    writer->band_step = writer->def->band_step ? writer->def->band_step : window->rows * row_step;
    writer->across = turn->transposed ? line_step : column_step;
    writer->down = turn->transposed ? column_step : line_step;
    writer->width = turn->transposed ? window->rows : window->columns;
    writer->height = turn->transposed ? window->columns : window->rows;
    double x = (double)(turn->window.column + (turn->transposed ? skip_row : skip_column));
    double y = (double)(turn->window.row + (turn->transposed ? skip_column : skip_row));
    memcpy(writer->place, turn->place, sizeof writer->place);
    writer->place[0] += x * writer->place[1] + y * writer->place[2];
    writer->place[3] += x * writer->place[4] + y * writer->place[5];
}

// ---------------------------------------------------------------------------------------------------
// The driver
// ---------------------------------------------------------------------------------------------------

static bool has(GDALDriverH driver, const char *ability) {
    const char *word = GDALGetMetadataItem(driver, ability, NULL);
    return word && EQUAL(word, "YES");
}

static bool can_write(GDALDriverH driver) {
    return has(driver, GDAL_DCAP_RASTER) &&
           (has(driver, GDAL_DCAP_CREATE) || has(driver, GDAL_DCAP_CREATECOPY));
}

static bool has_ending(GDALDriverH driver, const char *ending) {
    const char *list = GDALGetMetadataItem(driver, GDAL_DMD_EXTENSIONS, NULL);
    char **words = list ? CSLTokenizeString2(list, " ", 0) : NULL;
    bool found = CSLFindString(words, ending) >= 0;
    CSLDestroy(words);
    return found;
}

static GDALDriverH driver_for(const char *ending) {
    GDALDriverH usual = GDALGetDriverByName("GTiff");
    if (usual && has_ending(usual, ending))
        return usual;
    for (int i = 0; i < GDALGetDriverCount(); i++) {
        GDALDriverH driver = GDALGetDriver(i);
        if (can_write(driver) && has_ending(driver, ending))
            return driver;
    }
    return NULL;
}

static lf_status choose_driver(writer *writer, const char *path, lf_error *error) {
    const char *format = writer->def->format;
    if (format) {
        writer->driver = GDALGetDriverByName(format);
        if (!writer->driver)
            return lf__fail(error, LF_BAD_ARGUMENT, -1, "\"%s\" is no format that GDAL knows", format);
        if (!can_write(writer->driver))
            return lf__fail(error, LF_UNSUPPORTED, -1, "GDAL writes no rasters in the format %s", format);
        return LF_OK;
    }
    const char *ending = CPLGetExtension(path);
    writer->driver = *ending ? driver_for(ending) : NULL;
    if (writer->driver)
        return LF_OK;
    return lf__fail(error, LF_BAD_ARGUMENT, -1,
                    "%s: its ending does not say what raster it should be: .tif is usual", path);
}

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

static bool set_system(const writer *writer, GDALDatasetH dataset) {
    if (!writer->raster->crs)
        return true;
    OGRSpatialReferenceH system = lf__crs_from_text(writer->raster->crs);
    bool fine = system && GDALSetSpatialRef(dataset, system) == CE_None;
    OSRDestroySpatialReference(system);
    return fine;
}

static bool set_words(const writer *writer, GDALDatasetH dataset) {
    const lf_result_def *def = writer->def;
    char **items = CSLSetNameValue(NULL, "TIFFTAG_SOFTWARE", CPLSPrintf("landfall %s", lf_version()));
    for (int64_t i = 0; i < def->metadata_count; i++)
        items = CSLAddString(items, def->metadata[i]);
    if (writer->raster->info.point)
        items = CSLSetNameValue(items, GDALMD_AREA_OR_POINT, GDALMD_AOP_POINT);
    bool fine = GDALSetMetadata(dataset, items, NULL) == CE_None;
    CSLDestroy(items);
    for (int band = 1; band <= def->band_count && fine; band++) {
        GDALRasterBandH handle = GDALGetRasterBand(dataset, band);
        if (def->nodata_given)
            fine = GDALSetRasterNoDataValue(handle, def->nodata) == CE_None;
        if (def->unit && fine)
            fine = GDALSetRasterUnitType(handle, def->unit) == CE_None;
        if (def->band_names)
            GDALSetDescription(handle, def->band_names[band - 1]);
    }
    return fine;
}

/// Where the file has a geotransform, or the caller, and where it is a part of a file without one: else nobody knows which.
static bool is_placed(const writer *writer) {
    const lf_window *window = &writer->def->window;
    lf_window all = pixels_of(writer->raster);
    return writer->raster->info.placed || writer->def->geotransform || window->columns < all.columns ||
           window->rows < all.rows;
}

static bool describe(const writer *writer, GDALDatasetH dataset) {
    double place[6];
    memcpy(place, writer->def->geotransform ? writer->def->geotransform : writer->place, sizeof place);
    if (is_placed(writer) && GDALSetGeoTransform(dataset, place) != CE_None)
        return false;
    return set_system(writer, dataset) && set_words(writer, dataset);
}

static lf_status write_bands(const writer *writer, GDALDatasetH dataset, lf_error *error) {
    int64_t total = writer->height * writer->def->band_count;
    for (int band = 0; band < writer->def->band_count; band++) {
        const uint8_t *from = writer->first + band * writer->band_step;
        for (int64_t top = 0; top < writer->height; top += STRIPE_ROWS) {
            int64_t count = writer->height - top < STRIPE_ROWS ? writer->height - top : STRIPE_ROWS;
            // GDAL takes the numbers as it would read them into: it does not write there.
            void *numbers = (void *)(uintptr_t)(from + top * writer->down);
            if (GDALRasterIOEx(GDALGetRasterBand(dataset, band + 1), GF_Write, 0, (int)top,
                               (int)writer->width, (int)count, numbers, (int)writer->width, (int)count,
                               writer->type, writer->across, writer->down, NULL) != CE_None)
                return lf__gdal_fail(&writer->gdal, LF_IO_FAILED, "GDAL could not write it", error);
            // Whole blocks of one band are done: GDAL need not keep them. Those of several may lie side by
            // side.
            if (writer->def->band_count == 1 &&
                GDALFlushRasterCache(GDALGetRasterBand(dataset, 1)) != CE_None)
                return lf__gdal_fail(&writer->gdal, LF_IO_FAILED, "GDAL could not write it", error);
            if (!lf__report(&writer->def->host, "write", band * writer->height + top + count, total))
                return lf__fail_plain(error, LF_CANCELLED);
        }
    }
    return LF_OK;
}

static char **driver_options(const writer *writer) {
    char **list = NULL;
    const lf_result_def *def = writer->def;
    for (int64_t i = 0; i < def->option_count; i++)
        list = CSLAddString(list, def->options[i]);
    if (!def->options && EQUAL(GDALGetDriverShortName(writer->driver), "GTiff")) {
        list = CSLSetNameValue(list, "TILED", "YES");
        list = CSLSetNameValue(list, "COMPRESS", "DEFLATE");
        list = CSLSetNameValue(list, "BIGTIFF", "IF_SAFER");
    }
    return list;
}

static lf_status close_dataset(const writer *writer, GDALDatasetH dataset, lf_status status,
                               lf_error *error) {
    if (!dataset)
        return status;
    GDALFlushCache(dataset);
    GDALClose(dataset);
    if (status == LF_OK && writer->gdal.text[0])
        return lf__gdal_fail(&writer->gdal, LF_IO_FAILED, "GDAL could not write it", error);
    return status;
}

/// A new dataset of the driver, or one in memory.
static lf_status fill_dataset(const writer *writer, GDALDatasetH dataset, lf_error *error) {
    if (!dataset || !describe(writer, dataset))
        return lf__gdal_fail(&writer->gdal, LF_IO_FAILED, "GDAL could not make it", error);
    return write_bands(writer, dataset, error);
}

/// Many drivers cannot make a file piece by piece: they copy one from memory.
static lf_status copy_dataset(writer *writer, GDALDatasetH from, char **options, lf_error *error) {
    GDALDatasetH copy =
        GDALCreateCopy(writer->driver, writer->folder.inside, from, FALSE, options, NULL, NULL);
    if (!copy)
        return lf__gdal_fail(&writer->gdal, LF_IO_FAILED, "GDAL could not make it", error);
    return close_dataset(writer, copy, LF_OK, error);
}

static lf_status write_dataset(writer *writer, lf_error *error) {
    bool direct = has(writer->driver, GDAL_DCAP_CREATE);
    GDALDriverH driver = direct ? writer->driver : GDALGetDriverByName("MEM");
    char **options = driver_options(writer);
    GDALDatasetH dataset =
        GDALCreate(driver, direct ? writer->folder.inside : "", (int)writer->width, (int)writer->height,
                   writer->def->band_count, writer->type, direct ? options : NULL);
    lf_status status = fill_dataset(writer, dataset, error);
    if (status == LF_OK && !direct)
        status = copy_dataset(writer, dataset, options, error);
    status = close_dataset(writer, dataset, status, error);
    CSLDestroy(options);
    return status;
}

/// Formats like AAIGrid know pixels that are square and north up only, and write others as something else without a word. A format that
/// keeps no geotransform at all is the caller's choice.
static lf_status check_place(const writer *writer, lf_error *error) {
    double found[6];
    const double *expected = writer->def->geotransform ? writer->def->geotransform : writer->place;
    GDALDatasetH dataset = is_placed(writer) ? GDALOpen(writer->folder.inside, GA_ReadOnly) : NULL;
    bool placed = dataset && GDALGetGeoTransform(dataset, found) == CE_None;
    double pixel = fabs(expected[1]) + fabs(expected[2]) + fabs(expected[4]) + fabs(expected[5]);
    for (int corner = 0; corner < 4 && placed; corner++) {
        double x = corner % 2 ? (double)writer->width : 0, y = corner / 2 ? (double)writer->height : 0;
        for (int k = 0; k < 6 && placed; k += 3) {
            double off = found[k] - expected[k] + x * (found[k + 1] - expected[k + 1]) +
                         y * (found[k + 2] - expected[k + 2]);
            placed = fabs(off) <= 0.01 * pixel;
        }
        if (!placed) {
            lf__fail(error, LF_UNSUPPORTED, -1,
                     "%s: the format %s cannot hold a raster that lies like this one", writer->gdal.path,
                     GDALGetDriverShortName(writer->driver));
            GDALClose(dataset);
            return LF_UNSUPPORTED;
        }
    }
    if (dataset)
        GDALClose(dataset);
    return LF_OK;
}

lf_status lf_result_write(const char *path, const lf_raster *raster, const lf_result_def *given,
                          lf_error *error) {
    lf_result_def def = lf_result_def_default();
    if (!path || !raster)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path or raster is NULL");
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status == LF_OK && def.window.columns == 0 && def.window.rows == 0)
        def.window = pixels_of(raster);
    if (status == LF_OK)
        status = check_def(&def, raster, error);
    if (status != LF_OK)
        return status;
    writer writer = {.raster = raster, .def = &def};
    writer.type = type_of(def.type, &writer.item);
    lay_out(&writer);
    GDALAllRegister();
    lf__gdal_begin(&writer.gdal, path, &def.host);
    status = choose_driver(&writer, path, error);
    if (status == LF_OK)
        status = lf__folder_open(&writer.folder, path, &def.host, error);
    if (status == LF_OK)
        status = write_dataset(&writer, error);
    if (status == LF_OK)
        status = check_place(&writer, error);
    if (status == LF_OK)
        status = lf__folder_commit(&writer.folder, def.may_replace, def.may_replace_user, error);
    lf__folder_abort(&writer.folder);
    lf__gdal_end(&writer.gdal);
    return status;
}
