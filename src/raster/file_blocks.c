/// The blocks in which a raster is decoded. A mosaic (VRT) has blocks of its own, which cut those of its files: what is read at once ends
/// where a file ends, and where its blocks do, or they are decoded once more for the next.
#include "raster/raster.h"
#include <cpl_string.h>
#include <math.h>
#include <string.h>

/// The number of an attribute of the first element of that name; 0 where there is none.
static int64_t attribute_of(const char *xml, const char *element, const char *name) {
    const char *from = strstr(xml, element), *end = from ? strchr(from, '>') : NULL;
    double value = 0;
    from = end ? strstr(from, name) : NULL;
    if (!from || from >= end || !lf_number_read(from + strlen(name), end, &value))
        return 0;
    return isfinite(value) && fabs(value) < 1e9 ? (int64_t)floor(value) : 0;
}

/// The blocks of the first file of a mosaic, if it is a GeoTIFF. What GDAL says about other files is dropped.
static void open_first_file(lf__raster_source *source, lf__file_blocks *blocks) {
    static const char *const drivers[] = {"GTiff", NULL};
    int wide = 0, high = 0;
    char **files = GDALGetFileList(source->dataset);
    bool said = source->gdal.text[0] != '\0';
    GDALDatasetH first = CSLCount(files) > 1
                             ? GDALOpenEx(files[1], GDAL_OF_RASTER | GDAL_OF_READONLY, drivers, NULL, NULL)
                             : NULL;
    if (first && GDALGetRasterCount(first) > 0)
        GDALGetBlockSize(GDALGetRasterBand(first, 1), &wide, &high);
    if (first)
        GDALClose(first);
    if (!said)
        source->gdal.text[0] = '\0';
    CSLDestroy(files);
    blocks->wide = wide;
    blocks->high = high;
}

/// As the first file of a mosaic says: the others are taken to be as large, and side by side with it.
static bool mosaic_blocks(lf__raster_source *source, lf__file_blocks *blocks) {
    const char *xml = CSLFetchNameValue(GDALGetMetadata(source->bands[0], "vrt_sources"), "source_0");
    if (!xml)
        return false;
    *blocks = (lf__file_blocks){attribute_of(xml, "<DstRect", " xOff=\""),
                                attribute_of(xml, "<DstRect", " yOff=\""),
                                attribute_of(xml, "<DstRect", " xSize=\""),
                                attribute_of(xml, "<DstRect", " ySize=\""),
                                0,
                                0};
    bool whole = blocks->columns > 0 && blocks->rows > 0 &&
                 attribute_of(xml, "<SrcRect", " xSize=\"") == blocks->columns &&
                 attribute_of(xml, "<SrcRect", " ySize=\"") == blocks->rows &&
                 attribute_of(xml, "<SrcRect", " xOff=\"") == 0 &&
                 attribute_of(xml, "<SrcRect", " yOff=\"") == 0;
    if (whole)
        open_first_file(source, blocks);
    return blocks->wide > 0 && blocks->high > 0;
}

lf__file_blocks lf__file_blocks_of(lf__raster_source *source) {
    lf__file_blocks blocks;
    // What keeps blocks between runs of a program has them as GDAL says.
    bool mosaics = !source->def->keep || source->def->keep->drop;
    if (!source->plain && mosaics && mosaic_blocks(source, &blocks))
        return blocks;
    int wide = 0, high = 0;
    if (source->plain)
        wide = (int)source->plain->block_columns, high = (int)source->plain->block_rows;
    else
        GDALGetBlockSize(source->bands[0], &wide, &high);
    return (lf__file_blocks){0, 0, INT64_MAX / 4, INT64_MAX / 4, wide > 0 ? wide : 1, high > 0 ? high : 1};
}

int64_t lf__file_pixels(int64_t at, int64_t end, int64_t first, int64_t count, int64_t size) {
    int64_t inside = (at - first) % count;
    inside += inside < 0 ? count : 0;
    int64_t next = (inside / size + 1) * size;
    next = at - inside + (next < count ? next : count);
    return (next < end ? next : end) - at;
}
