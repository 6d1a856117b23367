/// Tiles of SRTM (.hgt) without GDAL: squares of 1201 or 3601 samples of 16 bits, the high byte first, named by their lower left corner.
/// They are described as an uncompressed GeoTIFF whose bytes are swapped, with what GDAL says about them.
#define _GNU_SOURCE // stat
#include "raster/geotiff.h"
#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STRIP_ROWS 16

/// So many digits; negative: something else.
static int digits(const char *text, int count) {
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (!isdigit((unsigned char)text[i]))
            return -1;
        value = 10 * value + (text[i] - '0');
    }
    return value;
}

/// N57E011.hgt: the corner in degrees. False: another name.
static bool read_name(const char *path, int *south, int *west) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strlen(name) != 11 || strcmp(name + 7, ".hgt") != 0 || !strchr("NS", name[0]) ||
        !strchr("EW", name[3]))
        return false;
    int latitude = digits(name + 1, 2), longitude = digits(name + 4, 3);
    *south = name[0] == 'S' ? -latitude : latitude;
    *west = name[3] == 'W' ? -longitude : longitude;
    return latitude >= 0 && longitude >= 0 && latitude <= 90 && longitude <= 180;
}

static bool list_strips(lf__geotiff *tiff) {
    tiff->strips = true;
    tiff->across = 1;
    tiff->block_columns = tiff->columns;
    tiff->block_rows = STRIP_ROWS;
    tiff->block_count = (tiff->rows + STRIP_ROWS - 1) / STRIP_ROWS;
    void *numbers = NULL;
    if (lf__allocate_array(&tiff->allocator, 2 * tiff->block_count, sizeof *tiff->offsets, &numbers) != LF_OK)
        return false;
    tiff->offsets = numbers;
    tiff->counts = tiff->offsets + tiff->block_count;
    uint64_t at = 0;
    for (int64_t k = 0; k < tiff->block_count; k++) {
        tiff->offsets[k] = at;
        tiff->counts[k] = lf__geotiff_block_bytes(tiff, k);
        at += tiff->counts[k];
    }
    return true;
}

bool lf__hgt_open(const char *path, lf__geotiff *tiff) {
    static const uint16_t one = 1; // its first byte is 1 where the low byte is the first
    struct stat found;
    int south, west;
    *tiff = (lf__geotiff){.file = -1, .allocator = lf__allocator_of(NULL)};
    if (!read_name(path, &south, &west) || !lf__geotiff_alone(path))
        return false;
    tiff->file = open(path, O_RDONLY | O_CLOEXEC);
    bool fine = tiff->file >= 0 && fstat(tiff->file, &found) == 0 && S_ISREG(found.st_mode);
    if (fine)
        tiff->file_bytes = (uint64_t)found.st_size;
    int64_t side = tiff->file_bytes == 2 * 1201 * 1201 ? 1201 : 3601;
    fine = fine && tiff->file_bytes == (uint64_t)(2 * side * side);
    tiff->driver = "SRTMHGT";
    tiff->type = LF_SAMPLE_INT16;
    tiff->item = 2;
    tiff->predictor = 1;
    tiff->swapped = *(const uint8_t *)&one == 1;
    tiff->columns = tiff->rows = side;
    double step = 1.0 / (double)(side - 1), half = 0.5 / (double)(side - 1);
    const double place[6] = {west - half, step, 0, south + 1 + half, 0, -step};
    memcpy(tiff->place, place, sizeof place);
    tiff->point = true;
    tiff->kind = LF_CRS_DEGREES;
    snprintf(tiff->crs, sizeof tiff->crs, "EPSG:4326");
    snprintf(tiff->unit, sizeof tiff->unit, "m");
    tiff->nodata_given = true;
    tiff->nodata = INT16_MIN;
    lf__geotiff_system system;
    fine = fine && lf__geotiff_find(4326, &system) && list_strips(tiff);
    if (fine)
        tiff->inverse_flattening = system.inverse_flattening;
    else
        lf__geotiff_close(tiff);
    return fine;
}
