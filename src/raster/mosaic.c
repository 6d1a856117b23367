/// Many rasters as one: a VRT of tiles on one grid of pixels.
#include "base/base.h"
#include "base/containers.h"
#include "raster/raster.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOSAIC_OFF 0.01        // pixels that a tile may be beside the grid of the first
#define MOSAIC_SIDE 2147483647 // pixels, at most, of GDAL

/// A tile as it is placed.
typedef struct mosaic_tile {
    int64_t column, row, columns, rows; ///< from the first pixel of the first tile on
} mosaic_tile;

/// What all tiles have in common.
typedef struct mosaic_form {
    double place[6];
    GDALDataType type;
    int bands, block[2];
    bool has_nodata;
    double nodata, scale, offset;
    char unit[40], point[16];
    OGRSpatialReferenceH crs; ///< NULL: none
} mosaic_form;

typedef struct mosaic {
    lf_allocator allocator;
    const lf_raster_def *def;
    const char *const *paths;
    int64_t count;
    mosaic_tile *tiles;
    mosaic_form form;
    lf__array text; ///< of chars
    lf_status status;
} mosaic;

static void mosaic_add(mosaic *m, const char *text) {
    int64_t length = (int64_t)strlen(text);
    if (m->status == LF_OK)
        m->status = lf__array_reserve(&m->text, &m->allocator, length, 1);
    if (m->status != LF_OK)
        return;
    memcpy((char *)m->text.items + m->text.count, text, (size_t)length);
    m->text.count += length;
}

static void mosaic_add_escaped(mosaic *m, const char *text) {
    char *escaped = CPLEscapeString(text, -1, CPLES_XML);
    mosaic_add(m, escaped);
    VSIFree(escaped);
}

// ---------------------------------------------------------------------------------------------------
// What the tiles are
// ---------------------------------------------------------------------------------------------------

static lf_status mosaic_describe(lf__gdal *gdal, GDALDatasetH dataset, mosaic_form *form, lf_error *error) {
    int has = FALSE, bands = GDALGetRasterCount(dataset);
    if (GDALGetGeoTransform(dataset, form->place) != CE_None)
        return lf__fail(error, LF_BAD_FORMAT, -1, "%s: has no geotransform: tiles need one", gdal->path);
    if (form->place[2] != 0 || form->place[4] != 0 || !(form->place[1] > 0) || !(form->place[5] < 0))
        return lf__fail(error, LF_BAD_FORMAT, -1,
                        "%s: is rotated or not north up: expected tiles that are not", gdal->path);
    GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
    form->bands = bands;
    form->type = GDALGetRasterDataType(band);
    form->nodata = GDALGetRasterNoDataValue(band, &has);
    form->has_nodata = has;
    form->scale = GDALGetRasterScale(band, NULL);
    form->offset = GDALGetRasterOffset(band, NULL);
    GDALGetBlockSize(band, &form->block[0], &form->block[1]);
    const char *unit = GDALGetRasterUnitType(band),
               *point = GDALGetMetadataItem(dataset, "AREA_OR_POINT", NULL);
    snprintf(form->unit, sizeof form->unit, "%s", unit ? unit : "");
    snprintf(form->point, sizeof form->point, "%s", point ? point : "");
    form->crs = GDALGetSpatialRef(dataset);
    if (!(GDALGetMaskFlags(band) & (GMF_ALL_VALID | GMF_NODATA)))
        return lf__fail(error, LF_UNSUPPORTED, -1,
                        "%s: has a mask: tiles of a mosaic have a nodata value instead", gdal->path);
    return LF_OK;
}

static bool mosaic_same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/// In what a tile differs from the first; NULL: in nothing. `texts` has both sides of it.
static const char *mosaic_difference(const mosaic_form *a, const mosaic_form *b, char texts[2][64]) {
    texts[0][0] = texts[1][0] = 0;
    if (!a->crs != !b->crs || (a->crs && !OSRIsSame(a->crs, b->crs))) {
        snprintf(texts[0], sizeof texts[0], "%s", a->crs ? OSRGetName(a->crs) : "none");
        snprintf(texts[1], sizeof texts[1], "%s", b->crs ? OSRGetName(b->crs) : "none");
        return "CRS";
    }
    for (int k = 1; k < 6; k += 4)
        if (fabs(a->place[k] - b->place[k]) > 1e-9 * fabs(a->place[k])) {
            CPLsnprintf(texts[0], sizeof texts[0], "%.12g", a->place[k]);
            CPLsnprintf(texts[1], sizeof texts[1], "%.12g", b->place[k]);
            return "spacing";
        }
    if (a->type != b->type) {
        snprintf(texts[0], sizeof texts[0], "%s", GDALGetDataTypeName(a->type));
        snprintf(texts[1], sizeof texts[1], "%s", GDALGetDataTypeName(b->type));
        return "type";
    }
    const double numbers[][2] = {
        {a->bands, b->bands},
        {a->has_nodata ? a->nodata : LF_INFINITY, b->has_nodata ? b->nodata : LF_INFINITY},
        {a->scale, b->scale},
        {a->offset, b->offset}};
    static const char *const names[] = {"number of bands", "nodata value", "scale", "offset"};
    for (int k = 0; k < 4; k++)
        if (!mosaic_same_number(numbers[k][0], numbers[k][1])) {
            for (int side = 0; side < 2; side++)
                if (numbers[k][side] == LF_INFINITY)
                    snprintf(texts[side], sizeof texts[side], "none");
                else
                    CPLsnprintf(texts[side], sizeof texts[side], "%.17g", numbers[k][side]);
            return names[k];
        }
    if (strcmp(a->unit, b->unit) == 0)
        return NULL;
    snprintf(texts[0], sizeof texts[0], "%s", *a->unit ? a->unit : "none");
    snprintf(texts[1], sizeof texts[1], "%s", *b->unit ? b->unit : "none");
    return "unit";
}

/// Where a tile begins, in pixels of the first.
static lf_status mosaic_place(mosaic *m, int64_t index, const mosaic_form *form, GDALDatasetH dataset,
                              lf_error *error) {
    const double *first = m->form.place;
    double x = (form->place[0] - first[0]) / first[1], y = (form->place[3] - first[3]) / first[5];
    double off = fmax(fabs(x - round(x)), fabs(y - round(y)));
    if (!(off <= MOSAIC_OFF) || !(fmax(fabs(x), fabs(y)) < MOSAIC_SIDE))
        return lf__fail(error, LF_BAD_FORMAT, index,
                        "%.100s: its pixels are %.3g beside those of %.100s: expected tiles on one grid",
                        m->paths[index], off, m->paths[0]);
    m->tiles[index] = (mosaic_tile){(int64_t)round(x), (int64_t)round(y), GDALGetRasterXSize(dataset),
                                    GDALGetRasterYSize(dataset)};
    return LF_OK;
}

static lf_status mosaic_look(mosaic *m, int64_t index, lf_error *error) {
    lf__gdal gdal;
    GDALDatasetH dataset = NULL;
    mosaic_form form = {.bands = 0};
    lf__gdal_begin(&gdal, m->paths[index], &m->def->host);
    lf_status status = lf__gdal_open(&gdal, &dataset, error);
    if (status == LF_OK)
        status = mosaic_describe(&gdal, dataset, &form, error);
    if (status == LF_OK && index == 0) {
        m->form = form;
        m->form.crs = form.crs ? OSRClone(form.crs) : NULL;
    }
    char texts[2][64];
    const char *what = status == LF_OK ? mosaic_difference(&m->form, &form, texts) : NULL;
    if (what)
        status = lf__fail(error, LF_BAD_FORMAT, index, "%.80s: %s %s where %.80s has %s: tiles must be alike",
                          m->paths[index], what, texts[1], m->paths[0], texts[0]);
    if (status == LF_OK)
        status = mosaic_place(m, index, &form, dataset, error);
    if (dataset)
        GDALClose(dataset);
    lf__gdal_end(&gdal);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Gaps
// ---------------------------------------------------------------------------------------------------

/// Is every pixel of a row, from `from` to before `to`, in a tile?
static bool mosaic_row_full(const mosaic *m, int64_t row, int64_t from, int64_t to) {
    while (from < to) {
        int64_t reach = from;
        for (int64_t k = 0; k < m->count; k++) {
            const mosaic_tile *t = &m->tiles[k];
            if (row >= t->row && row < t->row + t->rows && t->column <= from &&
                t->column + t->columns > reach)
                reach = t->column + t->columns;
        }
        if (reach == from)
            return false;
        from = reach;
    }
    return true;
}

/// Rows between two borders of tiles are alike: one after each border is enough.
static bool mosaic_full(const mosaic *m, const mosaic_tile *all) {
    for (int64_t k = 0; k < m->count; k++)
        for (int end = 0; end < 2; end++) {
            int64_t row = m->tiles[k].row + (end ? m->tiles[k].rows : 0);
            if (row < all->row + all->rows &&
                !mosaic_row_full(m, row, all->column, all->column + all->columns))
                return false;
        }
    return true;
}

static mosaic_tile mosaic_extent(const mosaic *m) {
    int64_t low[2] = {0, 0}, high[2] = {0, 0};
    for (int64_t k = 0; k < m->count; k++) {
        const mosaic_tile *t = &m->tiles[k];
        low[0] = t->column < low[0] ? t->column : low[0];
        low[1] = t->row < low[1] ? t->row : low[1];
        high[0] = t->column + t->columns > high[0] ? t->column + t->columns : high[0];
        high[1] = t->row + t->rows > high[1] ? t->row + t->rows : high[1];
    }
    return (mosaic_tile){low[0], low[1], high[0] - low[0], high[1] - low[1]};
}

// ---------------------------------------------------------------------------------------------------
// The text
// ---------------------------------------------------------------------------------------------------

static void mosaic_add_band(mosaic *m, int band, const mosaic_tile *all) {
    const mosaic_form *f = &m->form;
    const char *type = GDALGetDataTypeName(f->type);
    mosaic_add(m, CPLSPrintf("<VRTRasterBand dataType=\"%s\" band=\"%d\">\n", type, band));
    if (f->has_nodata)
        mosaic_add(m, CPLSPrintf("<NoDataValue>%.17g</NoDataValue>\n", f->nodata));
    if (*f->unit) {
        mosaic_add(m, "<UnitType>");
        mosaic_add_escaped(m, f->unit);
        mosaic_add(m, "</UnitType>\n");
    }
    if (f->scale != 1 || f->offset != 0)
        mosaic_add(m, CPLSPrintf("<Offset>%.17g</Offset><Scale>%.17g</Scale>\n", f->offset, f->scale));
    for (int64_t k = 0; k < m->count; k++) {
        const mosaic_tile *t = &m->tiles[k];
        const char *kind = f->has_nodata ? "ComplexSource" : "SimpleSource";
        bool relative = m->paths[k][0] != '/' && !strchr(m->paths[k], ':');
        mosaic_add(m, CPLSPrintf("<%s><SourceFilename relativeToVRT=\"%d\" shared=\"0\">", kind, relative));
        mosaic_add_escaped(m, m->paths[k]);
        mosaic_add(
            m,
            CPLSPrintf("</SourceFilename><SourceBand>%d</SourceBand><SourceProperties RasterXSize=\"%lld\" "
                       "RasterYSize=\"%lld\" DataType=\"%s\" BlockXSize=\"%d\" BlockYSize=\"%d\"/>",
                       band, (long long)t->columns, (long long)t->rows, type, f->block[0], f->block[1]));
        mosaic_add(m,
                   CPLSPrintf("<SrcRect xOff=\"0\" yOff=\"0\" xSize=\"%lld\" ySize=\"%lld\"/><DstRect "
                              "xOff=\"%lld\" yOff=\"%lld\" xSize=\"%lld\" ySize=\"%lld\"/>",
                              (long long)t->columns, (long long)t->rows, (long long)(t->column - all->column),
                              (long long)(t->row - all->row), (long long)t->columns, (long long)t->rows));
        if (f->has_nodata)
            mosaic_add(m, CPLSPrintf("<NODATA>%.17g</NODATA>", f->nodata));
        mosaic_add(m, CPLSPrintf("</%s>\n", kind));
    }
    mosaic_add(m, "</VRTRasterBand>\n");
}

static void mosaic_add_all(mosaic *m, const mosaic_tile *all) {
    const mosaic_form *f = &m->form;
    double place[6];
    memcpy(place, f->place, sizeof place);
    place[0] += (double)all->column * place[1];
    place[3] += (double)all->row * place[5];
    mosaic_add(m, CPLSPrintf("<VRTDataset rasterXSize=\"%lld\" rasterYSize=\"%lld\">\n",
                             (long long)all->columns, (long long)all->rows));
    char *wkt = NULL;
    static const char *const options[] = {"FORMAT=WKT2_2019", NULL};
    if (f->crs && OSRExportToWktEx(f->crs, &wkt, options) == OGRERR_NONE && wkt) {
        mosaic_add(m, "<SRS dataAxisToSRSAxisMapping=\"");
        int axes = 0;
        const int *order = OSRGetDataAxisToSRSAxisMapping(f->crs, &axes);
        for (int k = 0; k < axes; k++)
            mosaic_add(m, CPLSPrintf("%s%d", k ? "," : "", order[k]));
        mosaic_add(m, "\">");
        mosaic_add_escaped(m, wkt);
        mosaic_add(m, "</SRS>\n");
    }
    VSIFree(wkt);
    mosaic_add(m, CPLSPrintf("<GeoTransform>%.17g, %.17g, %.17g, %.17g, %.17g, %.17g</GeoTransform>\n",
                             place[0], place[1], place[2], place[3], place[4], place[5]));
    if (*f->point)
        mosaic_add(m, CPLSPrintf("<Metadata><MDI key=\"AREA_OR_POINT\">%s</MDI></Metadata>\n", f->point));
    for (int band = 1; band <= f->bands; band++)
        mosaic_add_band(m, band, all);
    mosaic_add(m, "</VRTDataset>\n");
}

static lf_status mosaic_make(mosaic *m, const char *vrt, lf_error *error) {
    lf_status status = lf__allocate_array(&m->allocator, m->count, sizeof *m->tiles, (void **)&m->tiles);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    for (int64_t k = 0; k < m->count && status == LF_OK; k++)
        status = lf__report(&m->def->host, "tiles", k, m->count) ? mosaic_look(m, k, error)
                                                                 : lf__fail_plain(error, LF_CANCELLED);
    if (status != LF_OK)
        return status;
    mosaic_tile all = mosaic_extent(m);
    if (all.columns > MOSAIC_SIDE || all.rows > MOSAIC_SIDE)
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld x %lld pixels: GDAL has at most %d along a side",
                        (long long)all.columns, (long long)all.rows, MOSAIC_SIDE);
    if (m->def->nodata_given) {
        m->form.has_nodata = !isnan(m->def->nodata);
        m->form.nodata = m->def->nodata;
    }
    if (!m->form.has_nodata && !mosaic_full(m, &all)) {
        if (m->form.type != GDT_Float32 && m->form.type != GDT_Float64)
            return lf__fail(error, LF_BAD_FORMAT, -1,
                            "%.100s: the tiles leave gaps, and have no nodata value for them: give one",
                            m->paths[0]);
        m->form.has_nodata = true;
        m->form.nodata = LF_NAN;
    }
    mosaic_add_all(m, &all);
    mosaic_add(m, "");
    if (m->status == LF_OK)
        m->status = lf__array_reserve(&m->text, &m->allocator, 1, 1);
    if (m->status != LF_OK)
        return lf__fail_plain(error, m->status);
    ((char *)m->text.items)[m->text.count] = 0;
    lf__gdal gdal;
    lf__gdal_begin(&gdal, vrt, &m->def->host);
    status = lf__result_vrt_write(vrt, m->text.items, &gdal, error);
    lf__gdal_end(&gdal);
    return status;
}

lf_status lf_mosaic_write(const char *const *paths, int64_t count, const char *vrt,
                          const lf_raster_def *given, lf_error *error) {
    lf_raster_def def = lf_raster_def_default();
    if (!paths || count < 1 || !vrt)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "paths or vrt is NULL, or count %lld is below 1",
                        (long long)count);
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    GDALAllRegister();
    mosaic m = {.allocator = lf__allocator_of(&def.host), .def = &def, .paths = paths, .count = count};
    status = mosaic_make(&m, vrt, error);
    lf__array_free(&m.text, &m.allocator, 1);
    lf__free_array(&m.allocator, m.tiles, count, sizeof *m.tiles);
    if (m.form.crs)
        OSRDestroySpatialReference(m.form.crs);
    return status;
}

#undef MOSAIC_SIDE
#undef MOSAIC_OFF
