/// GeoTIFF files as most elevation data comes in them, read without GDAL, whose loading takes longer than most questions. A file with
/// anything that is not understood here is left to GDAL, and so is one that is damaged: GDAL has the message.
///
/// Understood are little-endian files, classic or Big, of one band of 16-bit integers or of floats, in tiles or strips, uncompressed or by
/// DEFLATE, with a predictor or none, placed by a pixel scale and one tie point, in one of the systems of `find_system`.
#define _GNU_SOURCE // pread
#include "raster/geotiff.h"
#include "base/base.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_ENTRIES 64      // of a directory
#define MOST_DIRECTORIES 64  // overviews follow the image
#define MOST_KEYS 32         // of the CRS
#define MOST_TEXT 65536      // bytes of metadata
#define MOST_BLOCK (1 << 28) // bytes of a strip or tile

// ---------------------------------------------------------------------------------------------------
// Bytes of the file
// ---------------------------------------------------------------------------------------------------

bool lf__geotiff_bytes(const lf__geotiff *tiff, uint64_t at, void *bytes, size_t count) {
    char *to = bytes;
    if (at > tiff->file_bytes || count > tiff->file_bytes - at)
        return false;
    while (count > 0) {
        ssize_t got = pread(tiff->file, to, count, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        at += (uint64_t)got;
        count -= (size_t)got;
    }
    return true;
}

static uint64_t number_at(const uint8_t *bytes, int size) {
    uint64_t value = 0;
    for (int i = size - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static double double_at(const uint8_t *bytes) {
    uint64_t bits = number_at(bytes, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// ---------------------------------------------------------------------------------------------------
// Directories
// ---------------------------------------------------------------------------------------------------

/// An entry of a directory: so many numbers of a type, in the entry itself or elsewhere in the file.
typedef struct entry {
    int tag, type;
    uint64_t count;
    uint64_t at; ///< in the file
} entry;

typedef struct directory {
    entry entries[MOST_ENTRIES];
    int count;
    uint64_t next; ///< where the next directory is; 0: none
} directory;

static int size_of_type(int type) {
    static const int sizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
    return type > 0 && type < (int)(sizeof sizes / sizeof *sizes) ? sizes[type] : 0;
}

static bool read_directory(const lf__geotiff *tiff, uint64_t at, directory *directory) {
    int wide = tiff->big ? 8 : 4, head = tiff->big ? 8 : 2, each = tiff->big ? 20 : 12;
    uint8_t bytes[MOST_ENTRIES * 20 + 8];
    if (!lf__geotiff_bytes(tiff, at, bytes, (size_t)head))
        return false;
    uint64_t count = number_at(bytes, head);
    if (count < 1 || count > MOST_ENTRIES ||
        !lf__geotiff_bytes(tiff, at + (uint64_t)head, bytes, (size_t)count * (size_t)each + (size_t)wide))
        return false;
    directory->count = (int)count;
    for (int i = 0; i < directory->count; i++) {
        const uint8_t *from = bytes + (ptrdiff_t)i * each;
        entry *e = &directory->entries[i];
        *e = (entry){(int)number_at(from, 2), (int)number_at(from + 2, 2), number_at(from + 4, wide), 0};
        uint64_t size = (uint64_t)size_of_type(e->type);
        if (size == 0 || e->count < 1 || e->count > tiff->file_bytes / size)
            return false;
        uint64_t own = at + (uint64_t)head + (uint64_t)i * (uint64_t)each + 4 + (uint64_t)wide;
        e->at = e->count * size <= (uint64_t)wide ? own : number_at(from + 4 + wide, wide);
    }
    directory->next = number_at(bytes + count * (uint64_t)each, wide);
    return true;
}

static const entry *find_entry(const directory *directory, int tag) {
    for (int i = 0; i < directory->count; i++)
        if (directory->entries[i].tag == tag)
            return &directory->entries[i];
    return NULL;
}

/// Whole numbers of an entry (types short, long and long8) from number `first` on.
static bool read_numbers(const lf__geotiff *tiff, const entry *e, uint64_t first, uint64_t count,
                         uint64_t *numbers) {
    int size = size_of_type(e->type);
    uint8_t bytes[4096];
    if (e->type != 3 && e->type != 4 && e->type != 16)
        return false;
    if (first > e->count || count > e->count - first)
        return false;
    for (uint64_t done = 0; done < count;) {
        uint64_t part =
            sizeof bytes / (uint64_t)size < count - done ? sizeof bytes / (uint64_t)size : count - done;
        if (!lf__geotiff_bytes(tiff, e->at + (first + done) * (uint64_t)size, bytes,
                               (size_t)part * (size_t)size))
            return false;
        for (uint64_t i = 0; i < part; i++)
            numbers[done + i] = number_at(bytes + i * (uint64_t)size, size);
        done += part;
    }
    return true;
}

/// The only number of an entry, or `usual` without one.
static bool read_one(const lf__geotiff *tiff, const directory *directory, int tag, uint64_t usual,
                     uint64_t *value) {
    const entry *e = find_entry(directory, tag);
    *value = usual;
    return !e || (e->count == 1 && read_numbers(tiff, e, 0, 1, value));
}

static bool read_doubles(const lf__geotiff *tiff, const entry *e, uint64_t most, double *values) {
    uint8_t bytes[8 * MOST_KEYS];
    if (e->type != 12 || e->count > most || e->count > MOST_KEYS ||
        !lf__geotiff_bytes(tiff, e->at, bytes, (size_t)e->count * 8))
        return false;
    for (uint64_t i = 0; i < e->count; i++)
        values[i] = double_at(bytes + 8 * i);
    return true;
}

static void free_text(const lf__geotiff *tiff, const entry *e, char *text) {
    if (text)
        lf__free(&tiff->allocator, text, (size_t)e->count + 1, 1);
}

/// A text with a zero at its end; NULL when it is too long. Free it with free_text.
static char *read_text(const lf__geotiff *tiff, const entry *e) {
    char *text = e->type == 2 && e->count <= MOST_TEXT
                     ? lf__allocate(&tiff->allocator, (size_t)e->count + 1, 1)
                     : NULL;
    if (text && !lf__geotiff_bytes(tiff, e->at, text, (size_t)e->count)) {
        free_text(tiff, e, text);
        return NULL;
    }
    if (text)
        text[e->count] = '\0';
    return text;
}

/// Whether everything in the directory of the image is read here, or has no meaning for heights.
static bool all_known(const directory *directory) {
    static const int known[] = {
        254, 256, 257, 258, 259, 262, 266,   273,   274,   277,   278,   279,   284,
        317, 322, 323, 324, 325, 339, 33550, 33922, 34735, 34736, 34737, 42112, 42113, // read here
        269, 270, 271, 272, 282, 283, 285,   296,   305,   306,   315,   316,   33432, // texts, size of paper
    };
    for (int i = 0; i < directory->count; i++) {
        bool found = false;
        for (size_t k = 0; k < sizeof known / sizeof *known && !found; k++)
            found = directory->entries[i].tag == known[k];
        if (!found || (i > 0 && directory->entries[i].tag <= directory->entries[i - 1].tag))
            return false;
    }
    return true;
}

/// Whether all other directories are overviews: other images and masks are for GDAL.
static bool overviews_only(const lf__geotiff *tiff, uint64_t next) {
    directory directory;
    for (int i = 0; next != 0; i++) {
        uint64_t kind;
        if (i == MOST_DIRECTORIES || !read_directory(tiff, next, &directory) ||
            !read_one(tiff, &directory, 254, 0, &kind) || kind != 1)
            return false;
        next = directory.next;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------
// The image
// ---------------------------------------------------------------------------------------------------

static bool read_type(lf__geotiff *tiff, const directory *image) {
    uint64_t bits, format, compression, predictor;
    if (!read_one(tiff, image, 258, 1, &bits) || !read_one(tiff, image, 339, 1, &format) ||
        !read_one(tiff, image, 259, 1, &compression) || !read_one(tiff, image, 317, 1, &predictor))
        return false;
    if (format == 3 && (bits == 32 || bits == 64))
        tiff->type = bits == 32 ? LF_SAMPLE_FLOAT : LF_SAMPLE_DOUBLE;
    else if (bits == 16 && (format == 1 || format == 2))
        tiff->type = format == 1 ? LF_SAMPLE_UINT16 : LF_SAMPLE_INT16;
    else
        return false;
    tiff->item = (int)bits / 8;
    tiff->deflate = compression == 8 || compression == 32946;
    tiff->predictor = (int)predictor;
    bool fits = predictor == 1 ||
                (tiff->deflate && ((predictor == 2 && tiff->item == 2) || (predictor == 3 && format == 3)));
    return fits && (tiff->deflate || compression == 1);
}

uint64_t lf__geotiff_block_bytes(const lf__geotiff *tiff, int64_t k) {
    int64_t above = k / tiff->across * tiff->block_rows;
    int64_t rows =
        tiff->strips && tiff->rows - above < tiff->block_rows ? tiff->rows - above : tiff->block_rows;
    return (uint64_t)(rows * tiff->block_columns * tiff->item);
}

/// Whether all blocks are in the file. One that was never written has no place.
static bool check_blocks(const lf__geotiff *tiff, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        uint64_t at = tiff->offsets[k], bytes = tiff->counts[k];
        if (at == 0 || bytes == 0 || at > tiff->file_bytes || bytes > tiff->file_bytes - at)
            return false;
        if (tiff->deflate ? bytes > MOST_BLOCK : bytes != lf__geotiff_block_bytes(tiff, k))
            return false;
    }
    return true;
}

/// Strips are tiles as wide as the image.
static bool read_blocks(lf__geotiff *tiff, const directory *image) {
    uint64_t wide = (uint64_t)tiff->columns, high;
    bool tiles = find_entry(image, 322) != NULL;
    if (tiles ? !read_one(tiff, image, 322, 0, &wide) || !read_one(tiff, image, 323, 0, &high)
              : !read_one(tiff, image, 278, (uint64_t)tiff->rows, &high))
        return false;
    if (!tiles && high > (uint64_t)tiff->rows)
        high = (uint64_t)tiff->rows;
    if (wide < 1 || high < 1 || wide > INT32_MAX || high > INT32_MAX ||
        wide * high > (uint64_t)(MOST_BLOCK / tiff->item))
        return false;
    tiff->strips = !tiles;
    tiff->block_columns = (int64_t)wide;
    tiff->block_rows = (int64_t)high;
    tiff->across = (tiff->columns + tiff->block_columns - 1) / tiff->block_columns;
    uint64_t count = (uint64_t)(tiff->across * ((tiff->rows + tiff->block_rows - 1) / tiff->block_rows));
    const entry *offsets = find_entry(image, tiles ? 324 : 273),
                *counts = find_entry(image, tiles ? 325 : 279);
    if (!offsets || !counts || offsets->count != count || counts->count != count || count > SIZE_MAX / 32)
        return false;
    tiff->block_count = (int64_t)count;
    if (lf__allocate_array(&tiff->allocator, 2 * tiff->block_count, sizeof *tiff->offsets,
                           (void **)&tiff->offsets) != LF_OK)
        return false;
    tiff->counts = tiff->offsets + count;
    if (!read_numbers(tiff, offsets, 0, count, tiff->offsets) ||
        !read_numbers(tiff, counts, 0, count, tiff->counts))
        return false;
    return check_blocks(tiff, (int64_t)count);
}

static bool read_image(lf__geotiff *tiff, const directory *image) {
    uint64_t columns, rows, value;
    // Tag and the only value that is understood, which is also meant without the tag.
    static const uint64_t fixed[][2] = {{254, 0}, {266, 1}, {274, 1}, {277, 1}, {284, 1}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (!read_one(tiff, image, (int)fixed[i][0], fixed[i][1], &value) || value != fixed[i][1])
            return false;
    if (!read_one(tiff, image, 262, 0, &value) || value != 1) // black is 0
        return false;
    if (!read_one(tiff, image, 256, 0, &columns) || !read_one(tiff, image, 257, 0, &rows) || columns < 1 ||
        rows < 1 || columns > INT32_MAX || rows > INT32_MAX)
        return false;
    tiff->columns = (int64_t)columns;
    tiff->rows = (int64_t)rows;
    return read_type(tiff, image) && read_blocks(tiff, image);
}

// ---------------------------------------------------------------------------------------------------
// Where it is
// ---------------------------------------------------------------------------------------------------

static bool read_place(lf__geotiff *tiff, const directory *image) {
    const entry *scale = find_entry(image, 33550), *tie = find_entry(image, 33922);
    double s[3], t[6], *place = tiff->place;
    if (!scale || !tie || scale->count != 3 || tie->count != 6 || !read_doubles(tiff, scale, 3, s) ||
        !read_doubles(tiff, tie, 6, t))
        return false;
    if (!(s[0] > 0) || !(s[1] > 0))
        return false;
    place[1] = s[0];
    place[2] = place[4] = 0;
    place[5] = -s[1];
    place[0] = t[3] - t[0] * place[1];
    place[3] = t[4] - t[1] * place[5];
    if (tiff->point) {
        place[0] -= place[1] * 0.5 + place[2] * 0.5;
        place[3] -= place[4] * 0.5 + place[5] * 0.5;
    }
    // Others look like a file that is not placed.
    return !(place[0] == 0 && place[1] == 1 && place[3] == 0 && place[5] == 1);
}

/// Keys of the CRS: a number, or numbers and texts beside the list.
typedef struct geokeys {
    bool none; ///< there is no list of keys, and no system
    int raster, model, geographic, projected, angle_unit, length_unit;
    double semi_major, inverse_flattening; ///< 0: none
    char citation[128];
} geokeys;

static bool take_key(const uint64_t *key, const double *doubles, uint64_t double_count, const char *text,
                     size_t text_length, geokeys *keys) {
    uint64_t id = key[0], where = key[1], count = key[2], value = key[3];
    int *number = id == 1024   ? &keys->model
                  : id == 1025 ? &keys->raster
                  : id == 2048 ? &keys->geographic
                  : id == 2054 ? &keys->angle_unit
                  : id == 3072 ? &keys->projected
                  : id == 3076 ? &keys->length_unit
                               : NULL;
    double *real = id == 2057 ? &keys->semi_major : id == 2059 ? &keys->inverse_flattening : NULL;
    if (number && where == 0 && count == 1 && value > 0)
        *number = (int)value;
    else if (real && where == 34736 && count == 1 && value < double_count)
        *real = doubles[value];
    else if (where == 34737 && count >= 2 && value <= text_length && count <= text_length - value &&
             text[value + count - 1] == '|' && (id == 1026 || id == 2049 || id == 3073)) {
        if (id == 1026 && count <= sizeof keys->citation)
            memcpy(keys->citation, text + value, (size_t)count - 1);
    } else {
        return false;
    }
    return true;
}

static bool read_keys(lf__geotiff *tiff, const directory *image, geokeys *keys) {
    uint64_t numbers[4 * (MOST_KEYS + 1)];
    double doubles[MOST_KEYS];
    const entry *list = find_entry(image, 34735), *reals = find_entry(image, 34736),
                *texts = find_entry(image, 34737);
    memset(keys, 0, sizeof *keys);
    keys->none = !list && !reals && !texts;
    if (keys->none)
        return true;
    if (!list || list->count < 4 || list->count > sizeof numbers / sizeof *numbers ||
        !read_numbers(tiff, list, 0, list->count, numbers) ||
        (reals && !read_doubles(tiff, reals, MOST_KEYS, doubles)))
        return false;
    if (numbers[0] != 1 || numbers[1] != 1 || numbers[2] > 1 || numbers[3] > MOST_KEYS ||
        list->count != 4 * (numbers[3] + 1))
        return false;
    for (uint64_t i = 2; i <= numbers[3]; i++)
        if (numbers[4 * i] <= numbers[4 * i - 4])
            return false;
    char *text = texts ? read_text(tiff, texts) : NULL;
    bool fine = !texts || text;
    for (uint64_t i = 1; i <= numbers[3] && fine; i++)
        fine = take_key(numbers + 4 * i, doubles, reals ? reals->count : 0, text ? text : "",
                        text ? strlen(text) : 0, keys);
    free_text(tiff, texts, text);
    return fine;
}

#define WGS84 298.257223563
#define SEMI_MAJOR 6378137.0

/// The system that the keys name, as GDAL would understand them.
static bool find_system(lf__geotiff *tiff, const geokeys *keys) {
    if (keys->none) {
        tiff->kind = LF_CRS_NONE;
        tiff->inverse_flattening = WGS84;
        return true;
    }
    if (keys->model == 0) { // a local system in metres, as GDAL writes it
        if (keys->geographic || keys->projected || keys->angle_unit || keys->length_unit != 9001 ||
            !keys->citation[0] || keys->semi_major != 0 || strchr(keys->citation, '"') ||
            strchr(keys->citation, '|'))
            return false;
        tiff->kind = LF_CRS_ENGINEERING;
        tiff->inverse_flattening = WGS84;
        return lf__geotiff_local_crs(keys->citation, tiff->crs, sizeof tiff->crs);
    }
    bool degrees = keys->model == 2;
    int code = degrees ? keys->geographic : keys->projected;
    if ((keys->model != 1 && keys->model != 2) ||
        (degrees ? keys->projected || keys->length_unit : keys->length_unit != 9001) ||
        (!degrees && keys->geographic) || (keys->angle_unit && keys->angle_unit != 9102))
        return false;
    lf__geotiff_system system;
    if (!lf__geotiff_find(code, &system) || system.degrees != degrees ||
        (keys->semi_major != 0 && keys->semi_major != SEMI_MAJOR) ||
        (keys->inverse_flattening != 0 && keys->inverse_flattening != system.inverse_flattening))
        return false;
    tiff->kind = degrees ? LF_CRS_DEGREES : LF_CRS_PROJECTED;
    tiff->inverse_flattening = system.inverse_flattening;
    snprintf(tiff->crs, sizeof tiff->crs, "EPSG:%d", code);
    return true;
}

// ---------------------------------------------------------------------------------------------------
// What the numbers mean
// ---------------------------------------------------------------------------------------------------

/// The text that begins a line, and what follows it; NULL: the line begins with another.
static const char *after(const char *line, const char *begins) {
    size_t length = strlen(begins);
    return strncmp(line, begins, length) == 0 ? line + length : NULL;
}

/// One item of metadata, on a line as GDAL writes it. Names and descriptions have no meaning for heights; a unit has; what else belongs to
/// the band could change them.
static bool read_item(lf__geotiff *tiff, const char *line, const char **next) {
    const char *name = after(line, "  <Item name=\""), *rest = name ? name + strcspn(name, "\"<>&\n") : NULL,
               *role = NULL, *value;
    if (!rest || rest == name || *rest != '"')
        return false;
    static const char *const meant[] = {"AREA_OR_POINT\"", "NBITS\"", "PIXELTYPE\""};
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (after(name, meant[i]))
            return false;
    const char *units = strstr(name, "#units"); // axes in degrees
    if (units && units < rest)
        return false;
    if ((value = after(rest, "\" sample=\"0\" role=\"")))
        role = value;
    else if (!(value = after(rest, "\" sample=\"0\">")) && !(value = after(rest, "\">")))
        return false;
    bool unit = role && after(role, "unittype\">");
    if (role && !unit && !after(role, "description\">"))
        return false;
    if (role)
        value = strchr(role, '>') + 1;
    const char *end = value + strcspn(value, "<>");
    *next = after(end, "</Item>\n");
    if (!*next || (unit && ((size_t)(end - value) >= sizeof tiff->unit || tiff->unit[0] ||
                            memchr(value, '&', (size_t)(end - value)))))
        return false;
    if (unit)
        memcpy(tiff->unit, value, (size_t)(end - value));
    return true;
}

static bool read_metadata(lf__geotiff *tiff, const directory *image) {
    const entry *e = find_entry(image, 42112);
    if (!e)
        return true;
    char *text = read_text(tiff, e);
    const char *line = text ? after(text, "<GDALMetadata>\n") : NULL;
    while (line && strcmp(line, "</GDALMetadata>\n") != 0)
        if (!read_item(tiff, line, &line))
            line = NULL;
    free_text(tiff, e, text);
    return line != NULL;
}

static bool read_nodata(lf__geotiff *tiff, const directory *image) {
    const entry *e = find_entry(image, 42113);
    tiff->nodata = (double)NAN;
    if (!e)
        return true;
    char *text = read_text(tiff, e);
    bool nan = text && (strcmp(text, "nan") == 0 || strcmp(text, "NaN") == 0);
    bool fine = nan;
    if (text && !nan)
        fine = lf_number_read(text, text + strlen(text), &tiff->nodata) == text + strlen(text) &&
               isfinite(tiff->nodata) && fabs(tiff->nodata) < 1e38;
    if (fine && !nan && tiff->item == 2) {
        double low = tiff->type == LF_SAMPLE_INT16 ? INT16_MIN : 0,
               high = tiff->type == LF_SAMPLE_INT16 ? INT16_MAX : UINT16_MAX;
        fine = tiff->nodata >= low && tiff->nodata <= high && tiff->nodata == floor(tiff->nodata);
    }
    if (fine && !nan && tiff->type == LF_SAMPLE_FLOAT)
        tiff->nodata = (double)(float)tiff->nodata;
    tiff->nodata_given = fine && (!nan || tiff->item > 2);
    free_text(tiff, e, text);
    return fine && (!nan || tiff->item > 2);
}

bool lf__geotiff_alone(const char *path) {
    static const char *const endings[] = {".aux.xml", ".msk", ".aux"};
    static const char *const settings[] = {"GTIFF_POINT_GEO_IGNORE", "GDAL_GEOREF_SOURCES",
                                           "GTIFF_SRS_SOURCE", "GTIFF_LINEAR_UNITS"};
    char beside[4096];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        struct stat found;
        int length = snprintf(beside, sizeof beside, "%s%s", path, endings[i]);
        if (length < 0 || (size_t)length >= sizeof beside || stat(beside, &found) == 0)
            return false;
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (getenv(settings[i]))
            return false;
    return true;
}

static bool read_head(lf__geotiff *tiff, uint64_t *first) {
    static const uint16_t one = 1;
    uint8_t head[16];
    bool little = *(const uint8_t *)&one == 1;
    if (!little || !lf__geotiff_bytes(tiff, 0, head, 8) || head[0] != 'I' || head[1] != 'I')
        return false;
    uint64_t version = number_at(head + 2, 2);
    tiff->big = version == 43;
    if (tiff->big && (!lf__geotiff_bytes(tiff, 0, head, 16) || number_at(head + 4, 4) != 8))
        return false;
    *first = tiff->big ? number_at(head + 8, 8) : number_at(head + 4, 4);
    return version == 42 || version == 43;
}

bool lf__geotiff_open(const char *path, lf__geotiff *tiff) {
    directory image;
    geokeys keys;
    struct stat found;
    uint64_t first;
    *tiff = (lf__geotiff){
        .file = open(path, O_RDONLY | O_CLOEXEC), .driver = "GTiff", .allocator = lf__allocator_of(NULL)};
    bool fine = tiff->file >= 0 && fstat(tiff->file, &found) == 0 && S_ISREG(found.st_mode);
    if (fine)
        tiff->file_bytes = (uint64_t)found.st_size;
    fine = fine && read_head(tiff, &first) && read_directory(tiff, first, &image) && all_known(&image) &&
           lf__geotiff_alone(path) && overviews_only(tiff, image.next) && read_image(tiff, &image) &&
           read_keys(tiff, &image, &keys) && find_system(tiff, &keys) &&
           (keys.raster == 0 || keys.raster == 1 || keys.raster == 2);
    tiff->point = fine && keys.raster == 2;
    fine = fine && read_place(tiff, &image) && read_metadata(tiff, &image) && read_nodata(tiff, &image);
    if (!fine)
        lf__geotiff_close(tiff);
    return fine;
}

bool lf__plain_open(const char *path, lf__geotiff *tiff) {
    return lf__hgt_open(path, tiff) || lf__geotiff_open(path, tiff);
}

bool lf__geotiff_open_pixels(const char *path, const lf__geotiff_shape *shape, lf__geotiff *tiff) {
    directory image;
    struct stat found;
    uint64_t first, columns, rows, samples, planar, compression, predictor, bits;
    *tiff = (lf__geotiff){.file = open(path, O_RDONLY | O_CLOEXEC), .allocator = lf__allocator_of(NULL)};
    bool fine = tiff->file >= 0 && fstat(tiff->file, &found) == 0 && S_ISREG(found.st_mode);
    if (fine)
        tiff->file_bytes = (uint64_t)found.st_size;
    fine = fine && read_head(tiff, &first) && read_directory(tiff, first, &image) &&
           read_one(tiff, &image, 256, 0, &columns) && read_one(tiff, &image, 257, 0, &rows) &&
           read_one(tiff, &image, 277, 1, &samples) && read_one(tiff, &image, 284, 1, &planar) &&
           read_one(tiff, &image, 259, 1, &compression) && read_one(tiff, &image, 317, 1, &predictor);
    const entry *e = fine ? find_entry(&image, 258) : NULL;
    fine = fine && e && e->count == samples && columns == (uint64_t)shape->width &&
           rows == (uint64_t)shape->height && samples == (uint64_t)shape->bands &&
           (samples == 1 || planar == 1) && (compression == 1 || compression == 8) && predictor == 1;
    for (uint64_t k = 0; k < (fine ? samples : 0); k++)
        fine = fine && read_numbers(tiff, e, k, 1, &bits) && bits == 8 * (uint64_t)shape->item;
    tiff->columns = shape->width;
    tiff->rows = shape->height;
    tiff->item = shape->item * shape->bands;
    tiff->predictor = 1;
    tiff->deflate = fine && compression == 8;
    fine = fine && read_blocks(tiff, &image);
    if (!fine)
        lf__geotiff_close(tiff);
    return fine;
}

void lf__geotiff_close(lf__geotiff *tiff) {
    if (tiff->file >= 0)
        close(tiff->file);
    lf__free_array(&tiff->allocator, tiff->offsets, 2 * tiff->block_count, sizeof *tiff->offsets);
    *tiff = (lf__geotiff){.file = -1};
}
