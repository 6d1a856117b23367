/// Results whose numbers are in files of their own, one for each tile: a VRT of them, or a copy as one raster.
#include "base/base.h"
#include "base/containers.h"
#include "raster/raster.h"
#include <cpl_conv.h>
#include <cpl_string.h>
#include <string.h>

/// Pixels that are copied at once: whole blocks of a GeoTIFF, in which all bands may be together.
#define CHUNK_COLUMNS 4096
#define CHUNK_ROWS 256

/// Where the copies in overviews end: pixels along the longer side.
#define OVERVIEW_LEAST 256

// ---------------------------------------------------------------------------------------------------
// The text of a VRT
// ---------------------------------------------------------------------------------------------------

/// A text that grows.
typedef struct vrt_text {
    lf__array *bytes; ///< of chars
    const lf_allocator *allocator;
    lf_status status; ///< of the allocations
} vrt_text;

static void add_text(vrt_text *to, const char *text, size_t length) {
    if (to->status == LF_OK)
        to->status = lf__array_reserve(to->bytes, to->allocator, (int64_t)length, 1);
    if (to->status != LF_OK)
        return;
    memcpy((char *)to->bytes->items + to->bytes->count, text, length);
    to->bytes->count += (int64_t)length;
}

/// A path as the VRT has it: relative to its folder where it is a file, and without what XML does not allow.
static void add_path(vrt_text *to, const char *path, const char *beside) {
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    size_t folder = slash ? (size_t)(slash - beside) + 1 : 0;
    bool relative = beside && strncmp(path, beside, folder) == 0 && path[folder] != '/';
    const char *head = CPLSPrintf("<SimpleSource><SourceFilename relativeToVRT=\"%d\">", relative);
    char *escaped = CPLEscapeString(path + (relative ? folder : 0), -1, CPLES_XML);
    add_text(to, head, strlen(head));
    add_text(to, escaped, strlen(escaped));
    add_text(to, "</SourceFilename>", 17);
    VSIFree(escaped);
}

static void add_sources(vrt_text *to, const lf__result_tiles *tiles, int band) {
    for (int64_t k = 0; k < tiles->count; k++) {
        lf__result_image image = lf__result_image_of(tiles->raster, tiles->list[k].window);
        add_path(to, tiles->list[k].path, tiles->beside);
        const char *rest = CPLSPrintf(
            "<SourceBand>%d</SourceBand><SourceProperties RasterXSize=\"%lld\" RasterYSize=\"%lld\" "
            "DataType=\"%s\" BlockXSize=\"256\" BlockYSize=\"256\"/><SrcRect xOff=\"0\" yOff=\"0\" "
            "xSize=\"%lld\" ySize=\"%lld\"/><DstRect xOff=\"%lld\" yOff=\"%lld\" xSize=\"%lld\" "
            "ySize=\"%lld\"/></SimpleSource>\n",
            band, (long long)image.width, (long long)image.height, GDALGetDataTypeName(tiles->type),
            (long long)image.width, (long long)image.height, (long long)(image.column - tiles->image.column),
            (long long)(image.row - tiles->image.row), (long long)image.width, (long long)image.height);
        add_text(to, rest, strlen(rest));
    }
}

/// Put the sources into the bands of a text without any.
static void fill_bands(vrt_text *to, const char *bare, const lf__result_tiles *tiles) {
    const char *begin = "<VRTRasterBand", *end = "</VRTRasterBand>";
    int number = 1;
    for (const char *band; (band = strstr(bare, begin)); number++) {
        const char *close = strchr(band, '>');
        const char *last = close && close[-1] == '/' ? close - 1 : close ? strstr(close, end) : NULL;
        if (!last)
            break;
        add_text(to, bare, (size_t)(last - bare));
        if (last < close)
            add_text(to, ">", 1);
        add_sources(to, tiles, number);
        add_text(to, end, strlen(end));
        bare = last < close ? close + 1 : last + strlen(end);
    }
    add_text(to, bare, strlen(bare));
}

lf_status lf__result_vrt(GDALDatasetH described, const lf__result_tiles *tiles, const lf_allocator *allocator,
                         lf__array *text) {
    char **list = GDALGetMetadata(described, "xml:VRT");
    vrt_text to = {text, allocator, list && list[0] ? LF_OK : LF_IO_FAILED};
    if (to.status == LF_OK)
        fill_bands(&to, list[0], tiles);
    add_text(&to, "", 1);
    return to.status;
}

lf_status lf__result_vrt_write(const char *path, const char *text, const lf__gdal *gdal, lf_error *error) {
    VSILFILE *file = VSIFOpenL(path, "wb");
    size_t length = strlen(text);
    bool fine = file && VSIFWriteL(text, 1, length, file) == length;
    if (file && VSIFCloseL(file) != 0)
        fine = false;
    return fine ? LF_OK : lf__gdal_fail(gdal, LF_IO_FAILED, "it could not be written", error);
}

// ---------------------------------------------------------------------------------------------------
// One raster
// ---------------------------------------------------------------------------------------------------

static bool copy_chunk(GDALDatasetH from, GDALDatasetH to, const lf__result_image *chunk, GDALDataType type,
                       void *numbers) {
    int x = (int)chunk->column, y = (int)chunk->row, width = (int)chunk->width, height = (int)chunk->height;
    for (int band = 1; band <= GDALGetRasterCount(to); band++)
        if (GDALRasterIOEx(GDALGetRasterBand(from, band), GF_Read, x, y, width, height, numbers, width,
                           height, type, 0, 0, NULL) != CE_None ||
            GDALRasterIOEx(GDALGetRasterBand(to, band), GF_Write, x, y, width, height, numbers, width, height,
                           type, 0, 0, NULL) != CE_None)
            return false;
    return true;
}

lf_status lf__result_copy(GDALDatasetH from, GDALDatasetH to, const lf__result_tiles *tiles,
                          const lf__gdal *gdal, lf_error *error) {
    lf_allocator allocator = lf__allocator_of(tiles->host);
    const int64_t most = (int64_t)CHUNK_COLUMNS * CHUNK_ROWS;
    int64_t width = tiles->image.width, height = tiles->image.height;
    void *numbers = NULL;
    lf_status status = lf__allocate_array(&allocator, most, sizeof(double), &numbers);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    for (int64_t y = 0; y < height && status == LF_OK; y += CHUNK_ROWS) {
        for (int64_t x = 0; x < width && status == LF_OK; x += CHUNK_COLUMNS) {
            lf__result_image chunk = {x, y, width - x < CHUNK_COLUMNS ? width - x : CHUNK_COLUMNS,
                                      height - y < CHUNK_ROWS ? height - y : CHUNK_ROWS};
            if (!copy_chunk(from, to, &chunk, tiles->type, numbers))
                status = lf__gdal_fail(gdal, LF_IO_FAILED, "GDAL could not copy the tiles", error);
        }
        if (status == LF_OK && !lf__report(tiles->host, "write", y, height))
            status = lf__fail_plain(error, LF_CANCELLED);
    }
    lf__free_array(&allocator, numbers, most, sizeof(double));
    return status;
}

bool lf__result_overviews(GDALDatasetH dataset, bool average) {
    int levels[31], count = 0;
    int side = GDALGetRasterXSize(dataset) > GDALGetRasterYSize(dataset) ? GDALGetRasterXSize(dataset)
                                                                         : GDALGetRasterYSize(dataset);
    for (int factor = 2; side / factor * 2 > OVERVIEW_LEAST && count < 30; factor *= 2)
        levels[count++] = factor;
    return count == 0 || GDALBuildOverviews(dataset, average ? "AVERAGE" : "NEAREST", count, levels, 0, NULL,
                                            NULL, NULL) == CE_None;
}
