/// Results as rasters by GDAL, on the pixels of the file that the samples came from.
#include "base/base.h"
#include "raster/raster.h"
#include <cpl_conv.h>
#include <cpl_string.h>
#include <math.h>
#include <string.h>

#define STRIPE_ROWS 256 // between two reports of progress

/// A result being written: the image is the samples in the orientation of the file.
typedef struct result_writer {
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
} result_writer;

// ---------------------------------------------------------------------------------------------------
// The request
// ---------------------------------------------------------------------------------------------------

/// The samples that are pixels of the file: a file of one row was duplicated to two.
static lf_window result_pixels(const lf_raster *raster) {
    const lf_window *read = &raster->turn.window;
    bool turned = raster->turn.transposed;
    return (lf_window){0, 0, turned ? read->rows : read->columns, turned ? read->columns : read->rows};
}

static lf_status check_result_def(const lf_result_def *def, const lf_raster *raster, lf_error *error) {
    const lf_window *window = &def->window;
    lf_window all = result_pixels(raster);
    if (!def->values && !def->tiles)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "def.values is NULL");
    for (int64_t k = 0; k < def->tile_count; k++) {
        const lf_window *w = &def->tiles[k].window;
        if (!def->tiles[k].path || w->column < window->column || w->row < window->row || w->columns < 1 ||
            w->rows < 1 || w->column + w->columns > window->column + window->columns ||
            w->row + w->rows > window->row + window->rows)
            return lf__fail(error, LF_BAD_ARGUMENT, k, "tile %lld: must have a path and be within the window",
                            (long long)k);
    }
    if ((int)def->type < LF_RESULT_BYTE || (int)def->type > LF_RESULT_DOUBLE)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "result type %d: expected %d to %d", (int)def->type,
                        (int)LF_RESULT_BYTE, (int)LF_RESULT_DOUBLE);
    if (def->band_count < 1 || def->band_count > 65535)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%d bands: expected 1 to 65535", def->band_count);
    if (window->column < 0 || window->row < 0 || window->columns < 1 || window->rows < 1 ||
        window->column > all.columns - window->columns || window->row > all.rows - window->rows)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "a window of %lld x %lld samples from %lld, %lld is not within %lld x %lld samples",
                        (long long)window->columns, (long long)window->rows, (long long)window->column,
                        (long long)window->row, (long long)all.columns, (long long)all.rows);
    if (def->metadata_count < 0 || def->option_count < 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "metadata_count %lld, option_count %lld: must not be negative",
                        (long long)def->metadata_count, (long long)def->option_count);
    return LF_OK;
}

static GDALDataType result_type(lf_result_type type, int64_t *item) {
    static const GDALDataType types[] = {GDT_Byte, GDT_UInt32, GDT_Float32, GDT_Float64};
    static const int64_t items[] = {1, 4, 4, 8};
    *item = items[type];
    return types[type];
}

lf__result_image lf__result_image_of(const lf_raster *raster, lf_window window) {
    const lf__raster_turn *turn = &raster->turn;
    lf_window all = result_pixels(raster);
    int64_t last_column = all.columns - window.column - window.columns;
    int64_t last_row = all.rows - window.row - window.rows;
    int64_t skip_column = turn->flip_columns ? last_column : window.column;
    int64_t skip_row = turn->flip_rows ? last_row : window.row;
    return (lf__result_image){turn->window.column + (turn->transposed ? skip_row : skip_column),
                              turn->window.row + (turn->transposed ? skip_column : skip_row),
                              turn->transposed ? window.rows : window.columns,
                              turn->transposed ? window.columns : window.rows};
}

/// From samples back to pixels.
static void lay_out(result_writer *result_writer) {
    const lf__raster_turn *turn = &result_writer->raster->turn;
    const lf_window *window = &result_writer->def->window;
    int64_t row_step =
        result_writer->def->row_step ? result_writer->def->row_step : window->columns * result_writer->item;
    lf__result_image image = lf__result_image_of(result_writer->raster, *window);
    GSpacing column_step = turn->flip_columns ? -result_writer->item : result_writer->item;
    GSpacing line_step = turn->flip_rows ? -row_step : row_step;
    result_writer->first = result_writer->def->values; // NULL: files of tiles
    if (result_writer->first)
        result_writer->first += (turn->flip_columns ? (window->columns - 1) * result_writer->item : 0) +
                                (turn->flip_rows ? (window->rows - 1) * row_step : 0);
    result_writer->band_step =
        result_writer->def->band_step ? result_writer->def->band_step : window->rows * row_step;
    result_writer->across = turn->transposed ? line_step : column_step;
    result_writer->down = turn->transposed ? column_step : line_step;
    result_writer->width = image.width;
    result_writer->height = image.height;
    double x = (double)image.column, y = (double)image.row;
    memcpy(result_writer->place, turn->place, sizeof result_writer->place);
    result_writer->place[0] += x * result_writer->place[1] + y * result_writer->place[2];
    result_writer->place[3] += x * result_writer->place[4] + y * result_writer->place[5];
}

// ---------------------------------------------------------------------------------------------------
// The driver
// ---------------------------------------------------------------------------------------------------

static bool driver_has(GDALDriverH driver, const char *ability) {
    const char *value = GDALGetMetadataItem(driver, ability, NULL);
    return value && EQUAL(value, "YES");
}

static bool can_write(GDALDriverH driver) {
    return driver_has(driver, GDAL_DCAP_RASTER) &&
           (driver_has(driver, GDAL_DCAP_CREATE) || driver_has(driver, GDAL_DCAP_CREATECOPY));
}

static bool has_ending(GDALDriverH driver, const char *ending) {
    const char *list = GDALGetMetadataItem(driver, GDAL_DMD_EXTENSIONS, NULL);
    char **endings = list ? CSLTokenizeString2(list, " ", 0) : NULL;
    bool found = CSLFindString(endings, ending) >= 0;
    CSLDestroy(endings);
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

static lf_status choose_driver(result_writer *result_writer, const char *path, lf_error *error) {
    const char *format = result_writer->def->format;
    if (format) {
        result_writer->driver = GDALGetDriverByName(format);
        if (!result_writer->driver)
            return lf__fail(error, LF_BAD_ARGUMENT, -1, "\"%s\": not a format that GDAL knows", format);
        if (!can_write(result_writer->driver))
            return lf__fail(error, LF_UNSUPPORTED, -1, "GDAL writes no rasters in the format %s", format);
        return LF_OK;
    }
    const char *ending = CPLGetExtension(path);
    result_writer->driver = *ending ? driver_for(ending) : NULL;
    if (result_writer->driver)
        return LF_OK;
    return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s: no raster format has this ending: .tif is usual", path);
}

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

static bool set_result_crs(const result_writer *result_writer, GDALDatasetH dataset) {
    if (!result_writer->raster->crs)
        return true;
    OGRSpatialReferenceH system = lf__crs_from_text(result_writer->raster->crs);
    bool fine = system && GDALSetSpatialRef(dataset, system) == CE_None;
    OSRDestroySpatialReference(system);
    return fine;
}

static bool set_metadata(const result_writer *result_writer, GDALDatasetH dataset) {
    const lf_result_def *def = result_writer->def;
    char **items = CSLSetNameValue(NULL, "TIFFTAG_SOFTWARE", CPLSPrintf("landfall %s", lf_version()));
    for (int64_t i = 0; i < def->metadata_count; i++)
        items = CSLAddString(items, def->metadata[i]);
    if (result_writer->raster->info.point)
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

/// Whether to write a geotransform: the file has one, or the caller gives one, or it is a part of a file
/// without one, which is otherwise lost.
static bool is_placed(const result_writer *result_writer) {
    const lf_window *window = &result_writer->def->window;
    lf_window all = result_pixels(result_writer->raster);
    return result_writer->raster->info.georeferenced || result_writer->def->geotransform ||
           window->columns < all.columns || window->rows < all.rows;
}

static bool describe_dataset(const result_writer *result_writer, GDALDatasetH dataset) {
    double place[6];
    memcpy(place, result_writer->def->geotransform ? result_writer->def->geotransform : result_writer->place,
           sizeof place);
    if (is_placed(result_writer) && GDALSetGeoTransform(dataset, place) != CE_None)
        return false;
    return set_result_crs(result_writer, dataset) && set_metadata(result_writer, dataset);
}

static lf_status write_result_bands(const result_writer *result_writer, GDALDatasetH dataset,
                                    lf_error *error) {
    int64_t total = result_writer->height * result_writer->def->band_count;
    for (int band = 0; band < result_writer->def->band_count; band++) {
        const uint8_t *from = result_writer->first + band * result_writer->band_step;
        for (int64_t top = 0; top < result_writer->height; top += STRIPE_ROWS) {
            int64_t count =
                result_writer->height - top < STRIPE_ROWS ? result_writer->height - top : STRIPE_ROWS;
            // GDAL has one parameter for reading and writing: it does not write to this memory.
            void *numbers = (void *)(uintptr_t)(from + top * result_writer->down);
            if (GDALRasterIOEx(GDALGetRasterBand(dataset, band + 1), GF_Write, 0, (int)top,
                               (int)result_writer->width, (int)count, numbers, (int)result_writer->width,
                               (int)count, result_writer->type, result_writer->across, result_writer->down,
                               NULL) != CE_None)
                return lf__gdal_fail(&result_writer->gdal, LF_IO_FAILED, "GDAL could not write it", error);
            // Whole blocks of one band are complete, and GDAL can drop them. Blocks of several bands may be
            // interleaved.
            if (result_writer->def->band_count == 1 &&
                GDALFlushRasterCache(GDALGetRasterBand(dataset, 1)) != CE_None)
                return lf__gdal_fail(&result_writer->gdal, LF_IO_FAILED, "GDAL could not write it", error);
            if (!lf__report(&result_writer->def->host, "write", band * result_writer->height + top + count,
                            total))
                return lf__fail_plain(error, LF_CANCELLED);
        }
    }
    return LF_OK;
}

static char **driver_options(const result_writer *result_writer) {
    char **list = NULL;
    const lf_result_def *def = result_writer->def;
    for (int64_t i = 0; i < def->option_count; i++)
        list = CSLAddString(list, def->options[i]);
    if (!def->options && EQUAL(GDALGetDriverShortName(result_writer->driver), "GTiff")) {
        list = CSLSetNameValue(list, "TILED", "YES");
        // Bytes are mostly long runs of one value: DEFLATE would take as long as a viewshed.
        list = CSLSetNameValue(list, "COMPRESS", def->type == LF_RESULT_BYTE ? "PACKBITS" : "DEFLATE");
        // Fractions hardly repeat: more effort takes five times as long, and saves a hundredth. With
        // NUM_THREADS the order of the blocks in the file would depend on the threads.
        if (def->type >= LF_RESULT_FLOAT)
            list = CSLSetNameValue(list, "ZLEVEL", "1");
        list = CSLSetNameValue(list, "BIGTIFF", "IF_SAFER");
    }
    return list;
}

static lf_status close_dataset(const result_writer *result_writer, GDALDatasetH dataset, lf_status status,
                               lf_error *error) {
    if (!dataset)
        return status;
    GDALFlushCache(dataset);
    GDALClose(dataset);
    if (status == LF_OK && result_writer->gdal.text[0])
        return lf__gdal_fail(&result_writer->gdal, LF_IO_FAILED, "GDAL could not write it", error);
    return status;
}

/// Fill a new dataset of the driver, or one in memory.
static lf_status fill_dataset(const result_writer *result_writer, GDALDatasetH dataset, lf_error *error) {
    if (!dataset || !describe_dataset(result_writer, dataset))
        return lf__gdal_fail(&result_writer->gdal, LF_IO_FAILED, "GDAL could not create it", error);
    return write_result_bands(result_writer, dataset, error);
}

/// The numbers of tiles: in a VRT of their files, or copied.
static lf_status write_tiles(const result_writer *result_writer, GDALDatasetH dataset, lf_error *error) {
    const lf_result_def *def = result_writer->def;
    bool vrt = EQUAL(GDALGetDriverShortName(result_writer->driver), "VRT");
    lf__result_tiles tiles = {result_writer->raster,
                              def->tiles,
                              def->tile_count,
                              result_writer->type,
                              lf__result_image_of(result_writer->raster, def->window),
                              vrt ? result_writer->gdal.path : NULL,
                              &def->host};
    GDALDatasetH described =
        GDALCreate(GDALGetDriverByName("VRT"), "", (int)result_writer->width, (int)result_writer->height,
                   def->band_count, result_writer->type, NULL);
    bool fine = described && describe_dataset(result_writer, described);
    lf_allocator allocator = lf__allocator_of(&def->host);
    lf__array bytes = {0};
    if (fine && lf__result_vrt(described, &tiles, &allocator, &bytes) != LF_OK)
        fine = false;
    const char *text = fine ? bytes.items : NULL;
    GDALDatasetH from = text && !vrt ? GDALOpen(text, GA_ReadOnly) : NULL;
    lf_status status = LF_OK;
    if (!text || !(vrt || (from && dataset && describe_dataset(result_writer, dataset))))
        status = lf__gdal_fail(&result_writer->gdal, LF_IO_FAILED, "GDAL could not create it", error);
    else if (vrt)
        status = lf__result_vrt_write(result_writer->folder.inside, text, &result_writer->gdal, error);
    else
        status = lf__result_copy(from, dataset, &tiles, &result_writer->gdal, error);
    if (from)
        GDALClose(from);
    if (described)
        GDALClose(described);
    lf__array_free(&bytes, &allocator, 1);
    return status;
}

/// Many drivers cannot write a file piece by piece: they copy one from memory.
static lf_status copy_dataset(result_writer *result_writer, GDALDatasetH from, char **options,
                              lf_error *error) {
    GDALDatasetH copy =
        GDALCreateCopy(result_writer->driver, result_writer->folder.inside, from, FALSE, options, NULL, NULL);
    if (!copy)
        return lf__gdal_fail(&result_writer->gdal, LF_IO_FAILED, "GDAL could not create it", error);
    return close_dataset(result_writer, copy, LF_OK, error);
}

static lf_status write_result(result_writer *result_writer, lf_error *error) {
    const lf_result_def *def = result_writer->def;
    if (def->tiles && EQUAL(GDALGetDriverShortName(result_writer->driver), "VRT"))
        return write_tiles(result_writer, NULL, error);
    bool direct = driver_has(result_writer->driver, GDAL_DCAP_CREATE);
    GDALDriverH driver = direct ? result_writer->driver : GDALGetDriverByName("MEM");
    char **options = driver_options(result_writer);
    GDALDatasetH dataset =
        GDALCreate(driver, direct ? result_writer->folder.inside : "", (int)result_writer->width,
                   (int)result_writer->height, result_writer->def->band_count, result_writer->type,
                   direct ? options : NULL);
    lf_status status =
        def->tiles ? write_tiles(result_writer, dataset, error) : fill_dataset(result_writer, dataset, error);
    bool wide = def->overviews && direct && EQUAL(GDALGetDriverShortName(result_writer->driver), "GTiff");
    if (status == LF_OK && wide && !lf__result_overviews(dataset, def->type >= LF_RESULT_FLOAT))
        status = lf__gdal_fail(&result_writer->gdal, LF_IO_FAILED, "GDAL could not write overviews", error);
    if (status == LF_OK && !direct)
        status = copy_dataset(result_writer, dataset, options, error);
    status = close_dataset(result_writer, dataset, status, error);
    CSLDestroy(options);
    return status;
}

/// Formats like AAIGrid support only square pixels, north up, and write others wrongly without an error. A
/// format without any geotransform is the choice of the caller.
static lf_status check_result_place(const result_writer *result_writer, lf_error *error) {
    double found[6];
    const double *expected =
        result_writer->def->geotransform ? result_writer->def->geotransform : result_writer->place;
    GDALDatasetH dataset =
        is_placed(result_writer) ? GDALOpen(result_writer->folder.inside, GA_ReadOnly) : NULL;
    bool placed = dataset && GDALGetGeoTransform(dataset, found) == CE_None;
    double pixel = fabs(expected[1]) + fabs(expected[2]) + fabs(expected[4]) + fabs(expected[5]);
    for (int corner = 0; corner < 4 && placed; corner++) {
        double x = corner % 2 ? (double)result_writer->width : 0,
               y = corner / 2 ? (double)result_writer->height : 0;
        for (int k = 0; k < 6 && placed; k += 3) {
            double off = found[k] - expected[k] + x * (found[k + 1] - expected[k + 1]) +
                         y * (found[k + 2] - expected[k + 2]);
            placed = fabs(off) <= 0.01 * pixel;
        }
        if (!placed) {
            lf__fail(error, LF_UNSUPPORTED, -1,
                     "%s: the format %s cannot store the geotransform of this raster",
                     result_writer->gdal.path, GDALGetDriverShortName(result_writer->driver));
            GDALClose(dataset);
            return LF_UNSUPPORTED;
        }
    }
    if (dataset)
        GDALClose(dataset);
    return LF_OK;
}

/// Whether the file becomes a GeoTIFF, which may need no GDAL.
static bool is_geotiff(const char *path, const lf_result_def *def) {
    return def->format ? strcmp(def->format, "GTiff") == 0
                       : lf__path_ends(path, ".tif") || lf__path_ends(path, ".tiff");
}

/// Write what needs no GDAL; false: it does.
static bool write_without_gdal(const result_writer *result_writer, lf_status *status, lf_error *error) {
    const lf_result_def *def = result_writer->def;
    const double *place = def->geotransform ? def->geotransform : result_writer->place;
    lf__geotiff_result result = {result_writer->folder.path,
                                 result_writer->raster,
                                 def,
                                 result_writer->first,
                                 result_writer->width,
                                 result_writer->height,
                                 result_writer->across,
                                 result_writer->down,
                                 result_writer->band_step,
                                 (int)result_writer->item,
                                 is_placed(result_writer) ? place : NULL};
    return lf__geotiff_write(result_writer->folder.inside, &result, status, error);
}

static lf_status start_gdal(result_writer *result_writer, const char *path, lf_error *error) {
    GDALAllRegister();
    lf__gdal_begin(&result_writer->gdal, path, &result_writer->def->host);
    return choose_driver(result_writer, path, error);
}

/// Write to the folder, without GDAL where it is not needed.
static lf_status write_to_folder(result_writer *result_writer, const char *path, lf_error *error) {
    bool gdal = !is_geotiff(path, result_writer->def);
    lf_status status = gdal ? start_gdal(result_writer, path, error) : LF_OK;
    if (status == LF_OK)
        status = lf__folder_open(&result_writer->folder, path, &result_writer->def->host, error);
    if (status == LF_OK && !gdal && !write_without_gdal(result_writer, &status, error)) {
        gdal = true;
        status = start_gdal(result_writer, path, error);
    }
    if (status == LF_OK && gdal)
        status = write_result(result_writer, error);
    if (status == LF_OK && gdal)
        status = check_result_place(result_writer, error);
    if (gdal)
        lf__gdal_end(&result_writer->gdal);
    return status;
}

/// A raster without samples on a lattice, its pixels around them, the last row first as in most files.
static lf_status make_bare(const lf_result_def *def, lf_raster *bare, lf_error *error) {
    const lf_lattice *l = &def->lattice;
    lf_vec2 pc = l->geotransform.per_column, pr = l->geotransform.per_row, o = l->geotransform.origin;
    double last = (double)(l->rows - 1);
    if (l->columns < 1 || l->rows < 1 || !(pc.x * pr.y - pc.y * pr.x > 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "raster is NULL, and lattice: %lld x %lld samples: must have an area",
                        (long long)l->columns, (long long)l->rows);
    *bare = (lf_raster){.host = def->host,
                        .allocator = lf__allocator_of(&def->host),
                        .info = {.georeferenced = true},
                        .geotransform = l->geotransform,
                        .crs = (char *)(uintptr_t)def->crs};
    bare->samples.columns = l->columns;
    bare->samples.rows = l->rows;
    bare->turn = (lf__raster_turn){.place = {o.x + last * pr.x - 0.5 * pc.x + 0.5 * pr.x, pc.x, -pr.x,
                                             o.y + last * pr.y - 0.5 * pc.y + 0.5 * pr.y, pc.y, -pr.y},
                                   .window = {0, 0, l->columns, l->rows},
                                   .columns = l->columns,
                                   .rows = l->rows,
                                   .flip_rows = true};
    return LF_OK;
}

lf_status lf_result_write(const char *path, const lf_raster *raster, const lf_result_def *given,
                          lf_error *error) {
    lf_result_def def = lf_result_def_default();
    if (!path)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path is NULL");
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    lf_raster bare;
    if (status == LF_OK && !raster) {
        status = make_bare(&def, &bare, error);
        raster = &bare;
    }
    if (status == LF_OK && def.window.columns == 0 && def.window.rows == 0)
        def.window = result_pixels(raster);
    if (status == LF_OK)
        status = check_result_def(&def, raster, error);
    if (status != LF_OK)
        return status;
    result_writer result_writer = {.raster = raster, .def = &def};
    result_writer.type = result_type(def.type, &result_writer.item);
    lay_out(&result_writer);
    status = write_to_folder(&result_writer, path, error);
    if (status == LF_OK)
        status = lf__folder_commit(&result_writer.folder, def.may_replace, def.may_replace_user, error);
    lf__folder_abort(&result_writer.folder);
    return status;
}
