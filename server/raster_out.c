#include "raster_out.h"
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <gdal_alg.h>
#include <landfall/picture.h>
#include <math.h>
#include <ogr_api.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

// ---- PNG ----------------------------------------------------------------------------------------

static void png_bytes(png_structp png, png_bytep bytes, size_t count) {
    text_add(png_get_io_ptr(png), bytes, count);
}

static void png_flush_nothing(png_structp png) {
    (void)png;
}

static void write_head(png_structp png, png_infop info, const picture *image) {
    int type = image->palette         ? PNG_COLOR_TYPE_PALETTE
               : image->channels == 1 ? PNG_COLOR_TYPE_GRAY
               : image->channels == 3 ? PNG_COLOR_TYPE_RGB
                                      : PNG_COLOR_TYPE_RGBA;
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8, type,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, image->level);
    png_set_filter(png, 0, image->palette ? PNG_FILTER_NONE : PNG_FILTER_SUB);
    if (image->palette) {
        png_color colours[256];
        png_byte alphas[256];
        for (int i = 0; i < image->colours; i++) {
            colours[i] = (png_color){image->palette[i][0], image->palette[i][1], image->palette[i][2]};
            alphas[i] = image->palette[i][3];
        }
        png_set_PLTE(png, info, colours, image->colours);
        png_set_tRNS(png, info, alphas, image->colours, NULL);
    }
    png_write_info(png, info);
}

bool picture_write(text *out, const picture *image) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool fine = info != NULL;
    if (fine && setjmp(png_jmpbuf(png)) == 0) {
        png_set_write_fn(png, out, png_bytes, png_flush_nothing);
        write_head(png, info, image);
        for (int64_t row = 0; row < image->height; row++)
            png_write_row(png, image->pixels + row * image->width * image->channels);
        png_write_end(png, NULL);
    } else {
        fine = false;
    }
    png_destroy_write_struct(&png, &info);
    return fine && !out->failed;
}

// ---- Places of pixels ---------------------------------------------------------------------------

/// GDAL's geotransform of a window with its northern row first.
static void window_transform(const window_values *values, double transform[6]) {
    lf_geotransform place = lf_grid_describe(values->dataset->grid).geotransform;
    lf_window window = values->window;
    lf_vec2 corner =
        lf_geotransform_at(&place, (double)window.column - 0.5, (double)(window.row + window.rows) - 0.5);
    transform[0] = corner.x;
    transform[1] = place.per_column.x;
    transform[2] = -place.per_row.x;
    transform[3] = corner.y;
    transform[4] = place.per_column.y;
    transform[5] = -place.per_row.y;
}

void window_edges(const window_values *values, double edges[4]) {
    double t[6], columns = (double)values->window.columns, rows = (double)values->window.rows;
    window_transform(values, t);
    edges[0] = edges[1] = INFINITY;
    edges[2] = edges[3] = -INFINITY;
    for (int k = 0; k < 4; k++) {
        double i = k & 1 ? columns : 0, j = k & 2 ? rows : 0;
        double x = t[0] + i * t[1] + j * t[2], y = t[3] + i * t[4] + j * t[5];
        edges[0] = fmin(edges[0], x);
        edges[1] = fmin(edges[1], y);
        edges[2] = fmax(edges[2], x);
        edges[3] = fmax(edges[3], y);
    }
}

void window_headers(const window_values *values, reply *reply) {
    double edges[4];
    window_edges(values, edges);
    reply_header(reply, "X-Landfall-Bounds", "%.10g,%.10g,%.10g,%.10g", edges[0], edges[1], edges[2],
                 edges[3]);
    reply_header(reply, "X-Landfall-Coordinates", "%s",
                 values->dataset->degrees     ? "degrees"
                 : values->dataset->projected ? "projected"
                                              : "local");
    reply_header(reply, "X-Landfall-Dataset", "%s", values->dataset->name);
    reply_header(reply, "Access-Control-Expose-Headers", "X-Landfall-Bounds, X-Landfall-Coordinates");
}

bool window_png(const window_values *values, const uint8_t (*palette)[4], int colours, reply *reply) {
    lf_window window = values->window;
    uint8_t *pixels = memory_take((size_t)(window.columns * window.rows));
    if (!pixels)
        return refuse(reply, 503, "out of memory");
    for (int64_t row = 0; row < window.rows; row++)
        memcpy(pixels + row * window.columns, values->bytes + (window.rows - 1 - row) * window.columns,
               (size_t)window.columns);
    picture image = {pixels, window.columns, window.rows, 1, palette, colours, 2};
    bool fine = picture_write(&reply->body, &image);
    memory_free(pixels);
    reply->type = "image/png";
    window_headers(values, reply);
    return fine || refuse(reply, 503, "out of memory");
}

bool ramp_png(const window_values *values, double low, double high, reply *reply) {
    lf_window window = values->window;
    uint8_t palette[256][4] = {{0}};
    uint8_t *bytes = memory_take((size_t)(window.columns * window.rows));
    if (!bytes)
        return refuse(reply, 503, "out of memory");
    for (int i = 1; i < 256; i++) {
        lf_colour colour = lf_ramp_colour(LF_RAMP_EVEN, (i - 1) / 254.0);
        uint8_t entry[4] = {colour.red, colour.green, colour.blue, colour.alpha};
        memcpy(palette[i], entry, 4);
    }
    double scale = high > low ? 254 / (high - low) : 0;
    for (int64_t i = 0; i < window.columns * window.rows; i++) {
        double value = ((double)values->floats[i] - low) * scale;
        bytes[i] = (uint8_t)(isnan(value) ? 0 : 1 + fmin(fmax(value, 0), 254));
    }
    window_values painted = *values;
    painted.bytes = bytes;
    bool fine = window_png(&painted, (const uint8_t(*)[4])palette, 256, reply);
    reply_header(reply, "X-Landfall-Range", "%.10g,%.10g", low, high);
    memory_free(bytes);
    return fine;
}

// ---- GDAL ---------------------------------------------------------------------------------------

/// A raster in memory of a driver, with the values of a window.
static GDALDatasetH make_raster(const window_values *values, const char *driver, const char *path) {
    lf_window window = values->window;
    GDALDataType type = values->bytes ? GDT_Byte : GDT_Float32;
    char **options = strcmp(driver, "GTiff") == 0
                         ? CSLSetNameValue(CSLSetNameValue(NULL, "COMPRESS", "DEFLATE"), "TILED", "YES")
                         : NULL;
    GDALDriverH found = GDALGetDriverByName(driver);
    GDALDatasetH made =
        found ? GDALCreate(found, path, (int)window.columns, (int)window.rows, 1, type, options) : NULL;
    CSLDestroy(options);
    if (!made)
        return NULL;
    double transform[6];
    size_t size = values->bytes ? 1 : sizeof(float);
    const char *first = values->bytes ? (const char *)values->bytes : (const char *)values->floats;
    window_transform(values, transform);
    GDALSetGeoTransform(made, transform);
    if (values->dataset->crs)
        GDALSetProjection(made, values->dataset->crs);
    GDALRasterBandH band = GDALGetRasterBand(made, 1);
    if (values->floats)
        GDALSetRasterNoDataValue(band, NAN);
    if (values->unit)
        GDALSetRasterUnitType(band, values->unit);
    CPLErr error = CE_None;
    for (int64_t row = 0; row < window.rows && error == CE_None;
         row++) // GDAL's first row is the northern one
        error = GDALRasterIO(
            band, GF_Write, 0, (int)row, (int)window.columns, 1,
            (void *)(uintptr_t)(first + (size_t)((window.rows - 1 - row) * window.columns) * size),
            (int)window.columns, 1, type, 0, 0);
    if (error != CE_None) {
        GDALClose(made);
        return NULL;
    }
    return made;
}

bool geotiff_write(const window_values *values, reply *reply) {
    static atomic_uint_fast64_t counter;
    char path[64];
    vsi_l_offset size = 0;
    snprintf(path, sizeof path, "/vsimem/landfall-%llu.tif",
             (unsigned long long)atomic_fetch_add(&counter, 1));
    GDALDatasetH made = make_raster(values, "GTiff", path);
    if (made)
        GDALClose(made);
    const void *bytes = made ? VSIGetMemFileBuffer(path, &size, 0) : NULL;
    if (bytes)
        text_add(&reply->body, bytes, (size_t)size);
    VSIUnlink(path);
    reply->type = "image/tiff";
    window_headers(values, reply);
    return bytes || refuse(reply, 500, "GeoTIFF: cannot be written");
}

/// A ring of GDAL's polygons, in longitude and latitude.
static bool write_ring(json *out, const site *site, OGRGeometryH ring, reply *reply) {
    int count = OGR_G_GetPointCount(ring);
    lf_vec3 *points = memory_take((size_t)(count + 1) * sizeof *points);
    if (!points)
        return refuse(reply, 503, "out of memory");
    for (int i = 0; i < count; i++)
        points[i] = (lf_vec3){OGR_G_GetX(ring, i), OGR_G_GetY(ring, i), 0};
    bool fine = site_out(site, points, count, reply);
    put_open(out, NULL, '[');
    for (int i = 0; i < count; i++) {
        put_open(out, NULL, '[');
        put_number(out, NULL, points[i].x);
        put_number(out, NULL, points[i].y);
        put_close(out, ']');
    }
    put_close(out, ']');
    memory_free(points);
    return fine;
}

static bool write_polygons(const site *site, OGRLayerH layer, reply *reply) {
    json out = {&reply->body, &json_compact, 0, false};
    bool fine = true;
    reply->type = "application/geo+json";
    put_open(&out, NULL, '{');
    put_text(&out, "type", "Feature");
    put_open(&out, "properties", '{');
    api_source(&out, site->dataset);
    put_close(&out, '}');
    put_open(&out, "geometry", '{');
    put_text(&out, "type", "MultiPolygon");
    put_open(&out, "coordinates", '[');
    OGR_L_ResetReading(layer);
    for (OGRFeatureH feature; fine && (feature = OGR_L_GetNextFeature(layer)); OGR_F_Destroy(feature)) {
        OGRGeometryH polygon = OGR_F_GetGeometryRef(feature);
        put_open(&out, NULL, '[');
        for (int i = 0; fine && i < OGR_G_GetGeometryCount(polygon); i++)
            fine = write_ring(&out, site, OGR_G_GetGeometryRef(polygon, i), reply);
        put_close(&out, ']');
    }
    put_close(&out, ']');
    put_close(&out, '}');
    put_close(&out, '}');
    return fine;
}

bool polygons_write(const window_values *values, const site *site, reply *reply) {
    int64_t count = values->window.columns * values->window.rows;
    uint8_t *mask = memory_take((size_t)count);
    if (!mask)
        return refuse(reply, 503, "out of memory");
    for (int64_t i = 0; i < count; i++)
        mask[i] = values->bytes[i] == 1;
    window_values seen = *values;
    seen.bytes = mask;
    GDALDatasetH raster = make_raster(&seen, "MEM", "");
    GDALDriverH driver = GDALGetDriverByName("Memory");
    GDALDatasetH vectors = driver ? GDALCreate(driver, "", 0, 0, 0, GDT_Unknown, NULL) : NULL;
    OGRLayerH layer = vectors ? GDALDatasetCreateLayer(vectors, "visible", NULL, wkbPolygon, NULL) : NULL;
    bool fine = raster && layer;
    if (fine) {
        GDALRasterBandH band = GDALGetRasterBand(raster, 1);
        fine = GDALPolygonize(band, band, layer, -1, NULL, NULL, NULL) == CE_None &&
               write_polygons(site, layer, reply);
    }
    if (vectors)
        GDALClose(vectors);
    if (raster)
        GDALClose(raster);
    memory_free(mask);
    return fine || (reply->status >= 400 ? false : refuse(reply, 500, "polygons: cannot be made"));
}
