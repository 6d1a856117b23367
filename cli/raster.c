#include "raster.h"
#include "numbers.h"
#include "points.h"
#include <string.h>

/// What a raster can be asked to be.
typedef struct wishes {
    lf_raster_def file;
    lf_surface surface;
    bool extend;
} wishes;

// ---------------------------------------------------------------------------------------------------
// Options
// ---------------------------------------------------------------------------------------------------

static bool read_surface(const options *given, lf_surface *surface) {
    const char *word = options_value(given, "surface");
#define SURFACE(name, value, spelled, text)   \
    if (word && strcmp(word, spelled) == 0) { \
        *surface = name;                      \
        return true;                          \
    }
    LF_SURFACE_LIST(SURFACE)
#undef SURFACE
    if (word)
        message_usage("unknown surface \"%s\"", word);
    return !word;
}

static bool read_encoding(const options *given, lf_encoding *encoding) {
    const char *word = options_value(given, "encoding");
#define ENCODING(name, value, spelled, text)  \
    if (word && strcmp(word, spelled) == 0) { \
        *encoding = name;                     \
        return true;                          \
    }
    LF_ENCODING_LIST(ENCODING)
#undef ENCODING
    if (word)
        message_usage("unknown encoding \"%s\"", word);
    return !word;
}

/// A number, or "none": no number is a hole.
static bool read_nodata(const options *given, lf_raster_def *def) {
    const char *text = options_value(given, "nodata");
    def->nodata_given = text != NULL;
    if (!text || strcmp(text, "none") == 0)
        return true;
    return options_number(given, "nodata", &def->nodata);
}

static bool read_window(const options *given, lf_window *window) {
    const char *text = options_value(given, "window");
    row read;
    if (!text)
        return true;
    if (!row_from_option("window", text, (row_shape){4, 4, "COLUMN,ROW,COLUMNS,ROWS"}, &read))
        return false;
    for (int i = 0; i < 4; i++)
        if (!(read.numbers[i] >= (i < 2 ? 0 : 2) && read.numbers[i] <= 1e9) ||
            read.numbers[i] != (double)(int64_t)read.numbers[i]) {
            message_error("--window %s: whole numbers are wanted, the last two 2 or more", text);
            return false;
        }
    *window = (lf_window){(int64_t)read.numbers[0], (int64_t)read.numbers[1], (int64_t)read.numbers[2],
                          (int64_t)read.numbers[3]};
    return true;
}

static bool read_wishes(const cli *run, wishes *wishes) {
    const options *given = &run->given;
    bool foreign = run->command->telling != NULL;
    int64_t band = foreign ? 1 : 0; // gdal_viewshed takes the first of many
    lf_raster_def *def = &wishes->file;
    if (!options_integer(given, foreign ? "b" : "band", 1, INT32_MAX, &band) || !read_nodata(given, def) ||
        !options_number(given, "z-scale", &def->z_scale) || !read_encoding(given, &def->encoding) ||
        !read_surface(given, &wishes->surface) || !read_window(given, &def->window))
        return false;
    if (def->z_scale == 0) {
        message_error("--z-scale %s: anything but 0 is wanted", options_value(given, "z-scale"));
        return false;
    }
    if (band > 0 && def->encoding != LF_ENCODING_NONE) {
        message_usage("--band or --encoding, not both");
        return false;
    }
    def->band = (int)band;
    def->thin = foreign; // and rasters of one row
    def->z_unit = options_value(given, "z-unit");
    def->crs = options_value(given, "ground-crs");
    wishes->extend = options_has(given, "extend");
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Loading
// ---------------------------------------------------------------------------------------------------

static bool has_stray_options(const options *given) {
    static const char *const of_meshes[] = {"only", "gravity", "centre", "axis", "quadtree", "cut", "turn"};
    for (size_t i = 0; i < sizeof of_meshes / sizeof *of_meshes; i++)
        if (options_has(given, of_meshes[i])) {
            message_usage("--%s is for meshes, and GROUND is a raster", of_meshes[i]);
            return true;
        }
    return false;
}

/// Neither a mesh nor a raster: the message says what could have been.
static void complain(lf_status status, const lf_error *error) {
    if (status == LF_BAD_FORMAT && strstr(error->text, "no raster that GDAL reads"))
        message_error("%s, and no mesh: those end in ply, obj, stl, off, gltf, glb, dae or 3ds", error->text);
    else
        message_status(status, error);
}

/// Bits per band, "B,B,B,B,B".
static bool read_bits(const options *given, lf_grid_def *def) {
    const char *text = options_value(given, "quantise");
    row read;
    if (!text)
        return true;
    if (!row_from_option("quantise", text, (row_shape){LF_CODEC_BANDS, LF_CODEC_BANDS, "B,B,B,B,B"}, &read))
        return false;
    for (int k = 0; k < LF_CODEC_BANDS; k++) {
        double bits = read.numbers[k];
        if (!(bits >= 2 && bits <= 32) || bits != (double)(int)bits) {
            message_error("--quantise %s: whole numbers from 2 to 32 are wanted", text);
            return false;
        }
        def->band_bits[k] = (int)bits;
    }
    return true;
}

bool raster_codec(const options *given, lf_grid_def *def, bool *chosen) {
    const char *word = options_value(given, "codec");
    *chosen = word != NULL;
#define CODEC(name, value, spelled, text)     \
    if (word && strcmp(word, spelled) == 0) { \
        def->codec = name;                    \
        word = NULL;                          \
    }
    LF_CODEC_LIST(CODEC)
#undef CODEC
    if (word) {
        message_usage("unknown codec \"%s\"", word);
        return false;
    }
    if (!options_number(given, "max-error", &def->max_error) || !read_bits(given, def))
        return false;
    if (def->max_error < 0) {
        message_error("--max-error %s: 0 or more is wanted", options_value(given, "max-error"));
        return false;
    }
    bool raw = *chosen && def->codec == LF_CODEC_RAW;
    if (raw && (def->max_error > 0 || def->band_bits[0] > 0)) {
        message_usage("--codec raw loses nothing: no --max-error and no --quantise");
        return false;
    }
    return true;
}

/// Without a codec: pack where that loses nothing or may lose something, else raw.
static void choose_codec(lf_grid_def *def, bool chosen) {
    bool whole = def->samples.type == LF_SAMPLE_INT16 || def->samples.type == LF_SAMPLE_UINT16;
    if (!chosen)
        def->codec = whole || def->max_error > 0 ? LF_CODEC_PACK : LF_CODEC_RAW;
}

bool raster_load(cli *run, const char *path, loaded *loaded) {
    wishes wishes = {lf_raster_def_default(), LF_SURFACE_FALLING, false};
    lf_error error = {0};
    lf_grid_def kept = lf_grid_def_default();
    bool chosen;
    if (has_stray_options(&run->given) || !read_wishes(run, &wishes) ||
        !raster_codec(&run->given, &kept, &chosen))
        return false;
    wishes.file.host = run->host;
    if (run->host.allocator) // a disk, which says itself when it is full
        wishes.file.memory = PTRDIFF_MAX / 2;
    lf_status status = lf_raster_read(path, &wishes.file, &loaded->raster, &error);
    if (status != LF_OK) {
        complain(status, &error);
        return false;
    }
    loaded->about = lf_raster_describe(loaded->raster);
    lf_grid_def def = lf_raster_grid_def(loaded->raster);
    def.host = run->host;
    def.surface = wishes.surface;
    def.extend = wishes.extend;
    def.borrow = !wishes.extend; // an extended grid keeps a copy with a ring round it
    def.codec = kept.codec;
    def.max_error = kept.max_error;
    memcpy(def.band_bits, kept.band_bits, sizeof def.band_bits);
    if (run->command->run == command_build)
        choose_codec(&def, chosen);
    status = lf_grid_create(&def, &loaded->grid, &error);
    if (status == LF_OK)
        loaded->ground = lf_grid_ground(loaded->grid);
    if (status != LF_OK)
        message_status(status, &error);
    return status == LF_OK;
}
