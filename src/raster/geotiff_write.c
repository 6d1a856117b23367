/// Results of bytes as GeoTIFF without GDAL: tiles of 256 x 256 pixels, packed as PackBits. Everything else is for GDAL.
#include "base/base.h"
#include "raster/geotiff.h"
#include "raster/raster.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TILE 256
#define PACKED_ROW (TILE + TILE / 128) // at most
#define MOST_TILES 1000000             // so that offsets stay below 2^32
#define MOST_TAGS 24

// ---------------------------------------------------------------------------------------------------
// The CRS as keys
// ---------------------------------------------------------------------------------------------------

/// The code of a CRS: of "EPSG:..." or of WKT2 that ends with it; 0 without one.
static int code_of(const char *crs) {
    size_t length = strlen(crs), digits = 0;
    bool text = STARTS_WITH(crs, "PROJCRS[") || STARTS_WITH(crs, "GEOGCRS[");
    const char *end = crs + length - (text && length > 2 ? 2 : 0);
    if (text ? strcmp(end, "]]") != 0 || strstr(crs, "CS[ellipsoidal,3]") : !STARTS_WITH(crs, "EPSG:"))
        return 0;
    int code = 0;
    for (int unit = 1; digits < 5 && end > crs && end[-1] >= '0' && end[-1] <= '9'; digits++, unit *= 10)
        code += unit * (*--end - '0');
    const char *before = text ? ",ID[\"EPSG\"," : "EPSG:";
    size_t size = strlen(before);
    bool fits =
        (size_t)(end - crs) >= size && memcmp(end - size, before, size) == 0 && (text || end - size == crs);
    return fits && code > 0 && code < 32767 + 32767 ? code : 0;
}

/// The name of a local system in metres as GDAL has it; false for others.
static bool local_name(const char *crs, char name[128]) {
    static const char begin[] = "ENGCRS[\"";
    char same[512];
    const char *first = crs + sizeof begin - 1, *end = STARTS_WITH(crs, begin) ? strchr(first, '"') : NULL;
    if (!end || end == first || end - first >= 127 || memchr(first, '|', (size_t)(end - first)))
        return false;
    memcpy(name, first, (size_t)(end - first));
    name[end - first] = '\0';
    return lf__geotiff_local_crs(name, same, sizeof same) && strcmp(same, crs) == 0;
}

/// Keys of a CRS, as GDAL writes them.
typedef struct geokeys {
    uint16_t numbers[4 * 8]; ///< a head and a key in each four of them
    int count;               ///< of keys
    double doubles[2];
    int double_count;
    char text[130];
} geokeys;

static void add_key(geokeys *keys, uint16_t id, uint16_t where, uint16_t count, uint16_t value) {
    const uint16_t key[4] = {id, where, count, value};
    keys->count++;
    memcpy(keys->numbers + (ptrdiff_t)4 * keys->count, key, sizeof key);
    keys->numbers[3] = (uint16_t)keys->count;
}

static void add_number(geokeys *keys, uint16_t id, int value) {
    add_key(keys, id, 0, 1, (uint16_t)value);
}

static void add_name(geokeys *keys, uint16_t id, const char *name) {
    size_t before = strlen(keys->text);
    int length = snprintf(keys->text + before, sizeof keys->text - before, "%s|", name);
    add_key(keys, id, 34737, (uint16_t)length, (uint16_t)before);
}

/// Earth's axis in metres and the inverse flattening follow the numbers of the keys.
static void add_ellipsoid(geokeys *keys, double inverse_flattening) {
    keys->doubles[0] = inverse_flattening;
    keys->doubles[1] = 6378137;
    keys->double_count = 2;
    add_key(keys, 2057, 34736, 1, 1);
    add_key(keys, 2059, 34736, 1, 0);
}

/// The keys of a raster's CRS; none without one. False: GDAL knows more about it.
static bool make_keys(const lf_raster *raster, geokeys *keys) {
    const lf_raster_info *info = &raster->info;
    lf__geotiff_system system;
    char name[128];
    *keys = (geokeys){.numbers = {1, 1, 0, 0}};
    if (!raster->crs)
        return !info->point;
    if (local_name(raster->crs, name)) {
        add_number(keys, 1025, info->point ? 2 : 1);
        add_name(keys, 1026, name);
        add_number(keys, 3076, 9001);
        return true;
    }
    if (!lf__geotiff_find(code_of(raster->crs), &system) ||
        info->kind != (system.degrees ? LF_CRS_DEGREES : LF_CRS_PROJECTED) || info->xy_unit != 1)
        return false;
    add_number(keys, 1024, system.degrees ? 2 : 1);
    add_number(keys, 1025, info->point ? 2 : 1);
    if (system.degrees)
        add_number(keys, 2048, system.code);
    else
        add_name(keys, 1026, system.name);
    add_name(keys, 2049, system.datum);
    add_number(keys, 2054, 9102);
    if (system.degrees) {
        add_ellipsoid(keys, system.inverse_flattening);
        return true;
    }
    add_number(keys, 3072, system.code);
    add_number(keys, 3076, 9001);
    return true;
}

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

/// An item of the file or, with a role, of its band.
static void write_item(FILE *file, const char *name, size_t length, const char *role, const char *value) {
    fputs("  <Item name=\"", file);
    write_escaped(file, name, length, 1);
    if (role)
        fprintf(file, "\" sample=\"0\" role=\"%s", role);
    fputs("\">", file);
    write_escaped(file, value, strlen(value), 2);
    fputs("</Item>\n", file);
}

static void write_metadata(FILE *file, const lf_result_def *def) {
    fputs("<GDALMetadata>\n", file);
    for (int64_t i = 0; i < def->metadata_count; i++) {
        size_t length = strcspn(def->metadata[i], "=");
        write_item(file, def->metadata[i], length, NULL, def->metadata[i] + length + 1);
    }
    if (def->band_names)
        write_item(file, "DESCRIPTION", 11, "description", def->band_names[0]);
    if (def->unit)
        write_item(file, "UNITTYPE", 8, "unittype", def->unit);
    fputs("</GDALMetadata>\n", file);
    fputc(0, file);
}

// ---------------------------------------------------------------------------------------------------
// Pixels
// ---------------------------------------------------------------------------------------------------

#define WORD ((int)sizeof(uint64_t))

/// Bytes of a row from `i` on that equal its byte `i`, at most 128; rows have a word more than their bytes.
static int run_length(const uint8_t *row, int i) {
    int most = TILE - i < 128 ? TILE - i : 128;
    uint64_t same = row[i] * 0x0101010101010101u, word;
    for (int run = 0; run < most; run += WORD) {
        memcpy(&word, row + i + run, sizeof word);
        if (word == same)
            continue;
        run += __builtin_ctzll(word ^ same) / 8; // little-endian: see suits()
        return run < most ? run : most;
    }
    return most;
}

/// Pack a row: runs of one byte, and bytes as they are; returns the bytes written.
static size_t pack_row(const uint8_t *row, uint8_t *packed) {
    size_t used = 0;
    for (int i = 0; i < TILE;) {
        int run = run_length(row, i);
        if (run > 2) {
            packed[used++] = (uint8_t)(257 - run);
            packed[used++] = row[i];
            i += run;
            continue;
        }
        size_t head = used++;
        int count = 0;
        while (count < 128 && i < TILE && !(i + 2 < TILE && row[i] == row[i + 1] && row[i] == row[i + 2])) {
            packed[used++] = row[i++];
            count++;
        }
        packed[head] = (uint8_t)(count - 1);
    }
    return used;
}

/// The pixels of a result, as they are in memory.
typedef struct pixel_source {
    const uint8_t *first;
    int64_t width, height, across, down;
} pixel_source;

/// Whether all bytes of a whole row are the same.
static bool is_plain(const uint8_t *row) {
    uint64_t same = row[0] * 0x0101010101010101u, differs = 0, words[TILE / WORD];
    memcpy(words, row, TILE);
    for (int k = 0; k < TILE / WORD; k++)
        differs |= words[k] ^ same;
    return differs == 0;
}

/// Rows of pixels that are fetched ahead: those of a tile are far apart.
#define AHEAD 8

static size_t pack_tile(const pixel_source *source, int64_t left, int64_t top, uint8_t *packed) {
    size_t used = 0;
    uint8_t row[TILE + WORD];
    int64_t wide = source->width - left < TILE ? source->width - left : TILE;
    bool whole = source->across == 1 && wide == TILE;
    memset(row, 0, sizeof row);
    for (int64_t y = top; y < top + TILE; y++) {
        const uint8_t *from = source->first + y * source->down + left * source->across;
        for (int k = 0; k < TILE && whole && y + AHEAD < source->height; k += LF__CACHE_LINE)
            __builtin_prefetch(from + AHEAD * source->down + k);
        if (whole && y < source->height && is_plain(from)) {
            memset(row, from[0], TILE); // the last row is repeated below the raster
            memcpy(packed + used, (const uint8_t[4]){129, from[0], 129, from[0]}, 4);
            used += 4;
            continue;
        }
        if (y < source->height && source->across == 1)
            memcpy(row, from, (size_t)wide);
        else if (y < source->height)
            for (int64_t x = 0; x < wide; x++)
                row[x] = from[x * source->across];
        used += pack_row(row, packed + used);
    }
    return used;
}

// ---------------------------------------------------------------------------------------------------
// The file
// ---------------------------------------------------------------------------------------------------

/// A file being written: its directory comes last.
typedef struct tiff_file {
    FILE *file;
    uint32_t at; ///< bytes so far
    uint8_t tags[MOST_TAGS][12];
    int tag_count;
} tiff_file;

static void write_bytes(tiff_file *out, const void *bytes, size_t count) {
    fwrite(bytes, 1, count, out->file);
    out->at += (uint32_t)count;
}

/// Add a tag, its values (in the byte order of the machine, which is that of the file) in it or before the directory. Tags come in
/// ascending order.
static void add_tag(tiff_file *out, uint16_t tag, uint16_t type, uint32_t count, const void *values) {
    uint8_t *to = out->tags[out->tag_count++];
    size_t bytes = count * (type == 2 ? 1U : type == 3 ? 2U : type == 4 ? 4U : 8U);
    memset(to, 0, 12);
    memcpy(to, &tag, 2);
    memcpy(to + 2, &type, 2);
    memcpy(to + 4, &count, 4);
    if (bytes <= 4) {
        memcpy(to + 8, values, bytes);
        return;
    }
    if (out->at % 2)
        write_bytes(out, "", 1);
    memcpy(to + 8, &out->at, 4);
    write_bytes(out, values, bytes);
}

static void add_short(tiff_file *out, uint16_t tag, uint16_t value) {
    add_tag(out, tag, 3, 1, &value);
}

static void add_long(tiff_file *out, uint16_t tag, uint32_t value) {
    add_tag(out, tag, 4, 1, &value);
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
    uint32_t start = out->at;
    if (def->metadata_count == 0 && !def->band_names && !def->unit)
        return;
    uint8_t *to = out->tags[out->tag_count++];
    write_metadata(out->file, def);
    out->at = (uint32_t)ftell(out->file);
    uint32_t count = out->at - start;
    memcpy(to, (const uint16_t[2]){42112, 2}, 4);
    memcpy(to + 4, (const uint32_t[2]){count, start}, 8);
}

static void write_directory(tiff_file *out) {
    uint16_t count = (uint16_t)out->tag_count;
    uint32_t none = 0, start;
    if (out->at % 2)
        write_bytes(out, "", 1);
    start = out->at;
    write_bytes(out, &count, 2);
    write_bytes(out, out->tags, 12 * (size_t)out->tag_count);
    write_bytes(out, &none, 4);
    fseek(out->file, 4, SEEK_SET);
    fwrite(&start, 4, 1, out->file);
}

static void write_tags(tiff_file *out, const lf__geotiff_result *result, const uint32_t *offsets,
                       uint32_t tiles, const geokeys *keys) {
    const lf_result_def *def = result->def;
    char software[64], nodata[LF_NUMBER_SIZE];
    snprintf(software, sizeof software, "landfall %s", lf_version());
    add_long(out, 256, (uint32_t)result->width);
    add_long(out, 257, (uint32_t)result->height);
    add_short(out, 258, 8);
    add_short(out, 259, 32773);
    add_short(out, 262, 1);
    add_short(out, 277, 1);
    add_short(out, 284, 1);
    add_tag(out, 305, 2, (uint32_t)strlen(software) + 1, software);
    add_short(out, 322, TILE);
    add_short(out, 323, TILE);
    add_tag(out, 324, 4, tiles, offsets);
    add_tag(out, 325, 4, tiles, offsets + tiles);
    add_short(out, 339, 1);
    if (result->place)
        add_place(out, result->place, result->raster->info.point);
    if (keys->count > 0)
        add_tag(out, 34735, 3, (uint32_t)(keys->count + 1) * 4, keys->numbers);
    if (keys->double_count > 0)
        add_tag(out, 34736, 12, (uint32_t)keys->double_count, keys->doubles);
    if (keys->text[0])
        add_tag(out, 34737, 2, (uint32_t)strlen(keys->text) + 1, keys->text);
    add_metadata(out, def);
    if (def->nodata_given) {
        lf_number_write(def->nodata, nodata);
        add_tag(out, 42113, 2, (uint32_t)strlen(nodata) + 1, nodata);
    }
}

static lf_status write_pixels(tiff_file *out, const lf__geotiff_result *result, uint32_t *offsets,
                              uint32_t tiles, lf_error *error) {
    const pixel_source source = {result->first, result->width, result->height, result->across, result->down};
    uint8_t packed[TILE * PACKED_ROW];
    uint32_t k = 0;
    for (int64_t top = 0; top < result->height; top += TILE) {
        for (int64_t left = 0; left < result->width; left += TILE, k++) {
            offsets[k] = out->at;
            offsets[tiles + k] = (uint32_t)pack_tile(&source, left, top, packed);
            write_bytes(out, packed, offsets[tiles + k]);
        }
        if (!lf__report(&result->def->host, "write",
                        top + TILE < result->height ? top + TILE : result->height, result->height))
            return lf__fail_plain(error, LF_CANCELLED);
    }
    return LF_OK;
}

/// Whether GDAL would write the same with the usual options.
static bool suits(const lf__geotiff_result *result) {
    static const uint16_t one = 1;
    const lf_result_def *def = result->def;
    const double *place = result->place;
    bool little = *(const uint8_t *)&one == 1;
    if (!little || def->type != LF_RESULT_BYTE || def->band_count != 1 || def->options || def->tiles ||
        def->overviews)
        return false;
    for (int64_t i = 0; i < def->metadata_count; i++)
        if (!strchr(def->metadata[i], '=') || STARTS_WITH_CI(def->metadata[i], "TIFFTAG_") ||
            STARTS_WITH_CI(def->metadata[i], "AREA_OR_POINT"))
            return false;
    int64_t tiles = ((result->width + TILE - 1) / TILE) * ((result->height + TILE - 1) / TILE);
    return tiles <= MOST_TILES / 64 &&
           (!place || (place[2] == 0 && place[4] == 0 && place[1] > 0 && place[5] < 0));
}

bool lf__geotiff_write(const char *path, const lf__geotiff_result *result, lf_status *status,
                       lf_error *error) {
    geokeys keys;
    if (!suits(result) || !make_keys(result->raster, &keys))
        return false;
    const lf_host *host = &result->def->host;
    lf_allocator allocator = lf__allocator_of(host);
    int64_t tiles = ((result->width + TILE - 1) / TILE) * ((result->height + TILE - 1) / TILE);
    uint32_t *offsets = NULL;
    *status = lf__allocate_array(&allocator, 2 * tiles, sizeof *offsets, (void **)&offsets);
    if (*status != LF_OK) {
        lf__fail_plain(error, *status);
        return true;
    }
    tiff_file out = {.file = fopen(path, "wb")};
    bool fine = out.file != NULL;
    if (fine) {
        write_bytes(&out, "II*\0\0\0\0", 8);
        *status = write_pixels(&out, result, offsets, (uint32_t)tiles, error);
        write_tags(&out, result, offsets, (uint32_t)tiles, &keys);
        write_directory(&out);
        fine = !ferror(out.file);
        fine = fclose(out.file) == 0 && fine;
    }
    if (!fine && *status == LF_OK)
        *status = lf__fail(error, LF_IO_FAILED, -1, "%s: %s", result->path, strerror(errno));
    lf__free_array(&allocator, offsets, 2 * tiles, sizeof *offsets);
    return true;
}
