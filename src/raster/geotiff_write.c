/// Results as GeoTIFF without GDAL, in blocks of 256 x 256 pixels with all bands: bytes packed as PackBits, other numbers by DEFLATE, both as GDAL
/// would write them with the usual options. What these cannot say is for GDAL.
#define _GNU_SOURCE // ftello
#include "base/base.h"
#include "raster/geotiff.h"
#include "raster/raster.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MOST_TAGS 24
#define MOST_BANDS 64
#define BIG_BYTES \
    2000000000.0 // from which on offsets have 64 bits, whatever compression saves: packed blocks may be a
                 // little larger

// ---------------------------------------------------------------------------------------------------
// Metadata
// ---------------------------------------------------------------------------------------------------

/// Write a text as XML; GDAL reads values as if they were escaped `times` = 2 times.
static void write_escaped(FILE *file, const char *text, size_t length, int times) {
    for (size_t i = 0; i < length; i++) {
        const char *name = text[i] == '&'   ? "amp;"
                           : text[i] == '<' ? "lt;"
                           : text[i] == '>' ? "gt;"
                           : text[i] == '"' ? "quot;"
                                            : NULL;
        if (name)
            fprintf(file, "&%s%s", times > 1 ? "amp;" : "", name);
        else
            fputc(text[i], file);
    }
}

/// An item of the file or, with a role, of a band.
static void write_item(FILE *file, const char *name, int band, const char *role, const char *value) {
    size_t length = strcspn(name, "=");
    fputs("  <Item name=\"", file);
    write_escaped(file, name, length, 1);
    if (role)
        fprintf(file, "\" sample=\"%d\" role=\"%s", band, role);
    fputs("\">", file);
    write_escaped(file, value, strlen(value), 2);
    fputs("</Item>\n", file);
}

static void write_metadata(FILE *file, const lf_result_def *def) {
    fputs("<GDALMetadata>\n", file);
    for (int64_t i = 0; i < def->metadata_count; i++) {
        size_t length = strcspn(def->metadata[i], "=");
        write_item(file, def->metadata[i], 0, NULL, def->metadata[i] + length + 1);
    }
    for (int band = 0; band < def->band_count; band++) {
        if (def->band_names)
            write_item(file, "DESCRIPTION", band, "description", def->band_names[band]);
        if (def->unit)
            write_item(file, "UNITTYPE", band, "unittype", def->unit);
    }
    fputs("</GDALMetadata>\n", file);
    fputc(0, file);
}

// ---------------------------------------------------------------------------------------------------
// The file
// ---------------------------------------------------------------------------------------------------

/// A file being written: its directories come last.
typedef struct tiff_file {
    lf__geotiff_blocks blocks;
    bool big;      ///< offsets have 64 bits
    uint64_t link; ///< where the place of the next directory belongs
    uint8_t tags[MOST_TAGS][20];
    int tag_count;
} tiff_file;

static void write_bytes(tiff_file *out, const void *bytes, size_t count) {
    fwrite(bytes, 1, count, out->blocks.file);
    out->blocks.at += count;
}

/// Start a tag, in ascending order; returns where its values go, as many bytes as an offset has.
static uint8_t *start_tag(tiff_file *out, uint16_t tag, uint16_t type, uint64_t count) {
    uint8_t *to = out->tags[out->tag_count++];
    memset(to, 0, sizeof out->tags[0]);
    memcpy(to, &tag, 2);
    memcpy(to + 2, &type, 2);
    memcpy(to + 4, &count, out->big ? 8 : 4); // little-endian: see suits()
    return to + (out->big ? 12 : 8);
}

/// Values beside the directory begin at an even place.
static void start_beside(tiff_file *out, uint8_t *to) {
    if (out->blocks.at % 2)
        write_bytes(out, "", 1);
    memcpy(to, &out->blocks.at, out->big ? 8 : 4);
}

/// Add a tag, its values (in the byte order of the machine, which is that of the file) in it or before the directory.
static void add_tag(tiff_file *out, uint16_t tag, uint16_t type, uint64_t count, const void *values) {
    size_t bytes = (size_t)count * (type == 2 ? 1U : type == 3 ? 2U : type == 4 ? 4U : 8U);
    uint8_t *to = start_tag(out, tag, type, count);
    if (bytes <= (out->big ? 8U : 4U)) {
        memcpy(to, values, bytes);
        return;
    }
    start_beside(out, to);
    write_bytes(out, values, bytes);
}

static void add_short(tiff_file *out, uint16_t tag, uint16_t value) {
    add_tag(out, tag, 3, 1, &value);
}

static void add_long(tiff_file *out, uint16_t tag, uint32_t value) {
    add_tag(out, tag, 4, 1, &value);
}

/// The same number for each band.
static void add_shorts(tiff_file *out, uint16_t tag, uint16_t value, int count) {
    uint16_t values[MOST_BANDS];
    for (int k = 0; k < count; k++)
        values[k] = value;
    add_tag(out, tag, 3, (uint64_t)count, values);
}

static void add_offsets(tiff_file *out, uint16_t tag, const uint64_t *numbers, int64_t count) {
    if (out->big) {
        add_tag(out, tag, 16, (uint64_t)count, numbers);
        return;
    }
    uint8_t *to = start_tag(out, tag, 4, (uint64_t)count);
    if (count == 1) {
        memcpy(to, numbers, 4);
        return;
    }
    start_beside(out, to);
    for (int64_t k = 0; k < count; k++)
        write_bytes(out, &numbers[k], 4);
}

/// A pixel scale and the tie point of the first pixel: its corner, or its middle where pixels are points.
static void add_place(tiff_file *out, const double place[6], bool point) {
    double half = point ? 0.5 : 0;
    const double scale[3] = {place[1], -place[5], 0};
    const double tie[6] = {0, 0, 0, place[0] + half * place[1], place[3] + half * place[5], 0};
    add_tag(out, 33550, 12, 3, scale);
    add_tag(out, 33922, 12, 6, tie);
}

static void add_metadata(tiff_file *out, const lf_result_def *def) {
    if (def->metadata_count == 0 && !def->band_names && !def->unit)
        return;
    uint8_t *to = start_tag(out, 42112, 2, 0);
    start_beside(out, to);
    uint64_t start = out->blocks.at;
    write_metadata(out->blocks.file, def);
    out->blocks.at = (uint64_t)ftello(out->blocks.file);
    uint64_t count = out->blocks.at - start;
    memcpy(to - (out->big ? 8 : 4), &count, out->big ? 8 : 4);
}

static void write_directory(tiff_file *out) {
    uint64_t count = (uint64_t)out->tag_count, none = 0, start;
    size_t wide = out->big ? 8 : 4, head = out->big ? 8 : 2, each = out->big ? 20 : 12;
    if (out->blocks.at % 2)
        write_bytes(out, "", 1);
    start = out->blocks.at;
    write_bytes(out, &count, head);
    for (int k = 0; k < out->tag_count; k++)
        write_bytes(out, out->tags[k], each);
    fseeko(out->blocks.file, (off_t)out->link, SEEK_SET);
    fwrite(&start, wide, 1, out->blocks.file);
    fseeko(out->blocks.file, (off_t)out->blocks.at, SEEK_SET);
    out->link = out->blocks.at;
    write_bytes(out, &none, wide);
    out->tag_count = 0;
}

/// What the image and its halved copies have in common.
static void write_level(tiff_file *out, int number, const lf__geotiff_key_list *keys) {
    const lf__geotiff_result *result = out->blocks.result;
    const lf__geotiff_level *level = &out->blocks.levels[number];
    const lf_result_def *def = result->def;
    int bands = def->band_count;
    char software[64], nodata[LF_NUMBER_SIZE];
    snprintf(software, sizeof software, "landfall %s", lf_version());
    if (number > 0)
        add_long(out, 254, 1);
    add_long(out, 256, (uint32_t)level->width);
    add_long(out, 257, (uint32_t)level->height);
    add_shorts(out, 258, (uint16_t)(8 * result->item), bands);
    add_short(out, 259, (uint16_t)out->blocks.packing);
    add_short(out, 262, 1);
    add_short(out, 277, (uint16_t)bands);
    add_short(out, 284, 1);
    if (number == 0)
        add_tag(out, 305, 2, strlen(software) + 1, software);
    add_short(out, 322, LF__GEOTIFF_BLOCK);
    add_short(out, 323, LF__GEOTIFF_BLOCK);
    add_offsets(out, 324, level->offsets, level->across * level->down);
    add_offsets(out, 325, level->byte_counts, level->across * level->down);
    if (bands > 1)
        add_shorts(out, 338, 0, bands - 1);
    add_shorts(out, 339, def->type >= LF_RESULT_FLOAT ? 3 : 1, bands);
    if (result->place && number == 0)
        add_place(out, result->place, result->raster->info.point);
    if (keys->count > 0 && number == 0)
        add_tag(out, 34735, 3, (uint64_t)(keys->count + 1) * 4, keys->numbers);
    if (keys->double_count > 0 && number == 0)
        add_tag(out, 34736, 12, (uint64_t)keys->double_count, keys->doubles);
    if (keys->text[0] && number == 0)
        add_tag(out, 34737, 2, strlen(keys->text) + 1, keys->text);
    if (number == 0)
        add_metadata(out, def);
    if (def->nodata_given) {
        lf_number_write(def->nodata, nodata);
        add_tag(out, 42113, 2, strlen(nodata) + 1, nodata);
    }
    write_directory(out);
}

// ---------------------------------------------------------------------------------------------------
// What is written here
// ---------------------------------------------------------------------------------------------------

/// How the usual options, or those of tiles of a result, pack it; 0: other options, which are for GDAL.
static lf__geotiff_packing packing_of(const lf_result_def *def, int *effort) {
    static const char *const plain[] = {"TILED=YES", "BIGTIFF=IF_SAFER", "COMPRESS=DEFLATE", "ZLEVEL=1"};
    *effort = def->options || def->type >= LF_RESULT_FLOAT ? 1 : 6;
    if (!def->options)
        return def->type == LF_RESULT_BYTE ? LF__GEOTIFF_PACKBITS : LF__GEOTIFF_DEFLATE;
    if (def->option_count != 2 && def->option_count != 4)
        return 0;
    for (int64_t i = 0; i < def->option_count; i++)
        if (strcmp(def->options[i], plain[i]) != 0)
            return 0;
    return def->option_count == 2 ? LF__GEOTIFF_PLAIN : LF__GEOTIFF_DEFLATE;
}

/// Whether GDAL would write the same.
static bool suits(const lf__geotiff_result *result) {
    static const uint16_t one = 1;
    const lf_result_def *def = result->def;
    const double *place = result->place;
    bool little = *(const uint8_t *)&one == 1;
    int effort;
    if (!little || def->band_count > MOST_BANDS || !packing_of(def, &effort) || result->width > INT32_MAX ||
        result->height > INT32_MAX)
        return false;
    if (def->type == LF_RESULT_BYTE &&
        (def->band_count == 3 || def->band_count == 4)) // GDAL makes these colours
        return false;
    for (int64_t i = 0; i < def->metadata_count; i++)
        if (!strchr(def->metadata[i], '=') || STARTS_WITH_CI(def->metadata[i], "TIFFTAG_") ||
            STARTS_WITH_CI(def->metadata[i], "AREA_OR_POINT"))
            return false;
    return (!place || (place[2] == 0 && place[4] == 0 && place[1] > 0 && place[5] < 0)) &&
           (!def->tiles || lf__geotiff_tiles_plain(result));
}

/// Levels: halved copies down to 256 pixels along the longer side.
static lf_status start_levels(lf__geotiff_blocks *blocks, const lf_allocator *allocator) {
    const lf__geotiff_result *result = blocks->result;
    int64_t wide = result->width, high = result->height, longest = wide > high ? wide : high;
    lf_status status = LF_OK;
    for (int k = 0; k < LF__GEOTIFF_LEVELS && status == LF_OK; k++) {
        if (k > 0 && (!result->def->overviews || (longest >> k) * 2 <= LF__GEOTIFF_BLOCK))
            break;
        int64_t across = (wide + LF__GEOTIFF_BLOCK - 1) / LF__GEOTIFF_BLOCK,
                down = (high + LF__GEOTIFF_BLOCK - 1) / LF__GEOTIFF_BLOCK;
        lf__geotiff_level *level = &blocks->levels[k];
        status = lf__allocate_array(allocator, 2 * across * down, sizeof(uint64_t), (void **)&level->offsets);
        if (status != LF_OK)
            break;
        *level =
            (lf__geotiff_level){wide, high, across, down, level->offsets, level->offsets + across * down};
        blocks->level_count++;
        wide = (wide + 1) / 2;
        high = (high + 1) / 2;
    }
    return status;
}

static void free_levels(const lf__geotiff_blocks *blocks, const lf_allocator *allocator) {
    for (int k = 0; k < blocks->level_count; k++) {
        const lf__geotiff_level *level = &blocks->levels[k];
        lf__free_array(allocator, level->offsets, 2 * level->across * level->down, sizeof(uint64_t));
    }
}

/// Everything of an open file.
static lf_status write_file(tiff_file *out, const lf__geotiff_key_list *keys, lf_error *error) {
    static const uint8_t small[8] = {'I', 'I', 42}, big[16] = {'I', 'I', 43, 0, 8};
    const lf__geotiff_result *result = out->blocks.result;
    double pixel = (double)result->item * result->def->band_count;
    double bytes = (double)result->width * (double)result->height * pixel;
    out->big = bytes * (result->def->overviews ? 4.0 / 3 : 1) > BIG_BYTES;
    out->link = out->big ? 8 : 4;
    write_bytes(out, out->big ? big : small, out->big ? 16 : 8);
    lf_status status = lf__geotiff_write_blocks(&out->blocks, error);
    for (int k = 0; k < out->blocks.level_count && status == LF_OK; k++)
        write_level(out, k, keys);
    return status;
}

bool lf__geotiff_write(const char *path, const lf__geotiff_result *result, lf_status *status,
                       lf_error *error) {
    lf__geotiff_key_list keys;
    if (!suits(result) || !lf__geotiff_keys(result->raster, &keys))
        return false;
    lf_allocator allocator = lf__allocator_of(&result->def->host);
    tiff_file out = {.blocks = {.result = result}};
    out.blocks.packing = packing_of(result->def, &out.blocks.effort);
    *status = start_levels(&out.blocks, &allocator);
    if (*status != LF_OK)
        lf__fail_plain(error, *status);
    else
        out.blocks.file = fopen(path, "wb");
    bool fine = out.blocks.file != NULL;
    if (fine) {
        *status = write_file(&out, &keys, error);
        fine = !ferror(out.blocks.file);
        fine = fclose(out.blocks.file) == 0 && fine;
    }
    if (!fine && *status == LF_OK)
        *status = lf__fail(error, LF_IO_FAILED, -1, "%s: %s", result->path, strerror(errno));
    free_levels(&out.blocks, &allocator);
    return true;
}
