/// The types of samples: what is read as what, which value is nodata, and what becomes of integers and colours in memory.
#include "base/base.h"
#include "raster/raster.h"
#include <cpl_string.h>
#include <math.h>
#include <string.h>

#define EXACT_FLOAT 16777216.0 // 2^24: all integers up to here are floats

#define EXACT_DOUBLE 9007199254740992.0 // 2^53

lf_status lf__raster_type_of(const lf__raster_source *source, bool narrow, lf__raster_type *type,
                             lf_error *error) {
    const lf__geotiff *plain = source->plain;
    *type = (lf__raster_type){.band_count = source->band_count};
    if (plain) {
        type->kept = plain->type;
        type->item = (size_t)plain->item;
        return LF_OK;
    }
    GDALDataType stored = GDALGetRasterDataType(source->bands[0]);
    const char *pixels = GDALGetMetadataItem(source->bands[0], "PIXELTYPE", "IMAGE_STRUCTURE");
    int bits = GDALGetDataTypeSizeBits(stored);
    bool integers = GDALDataTypeIsInteger(stored);
    if (GDALDataTypeIsComplex(stored) || bits == 0)
        return lf__fail(error, LF_UNSUPPORTED, -1, "%s: its samples are %s, which are no heights",
                        source->gdal.path, GDALGetDataTypeName(stored));
    type->signed_bytes = bits == 8 && pixels && EQUAL(pixels, "SIGNEDBYTE");
    if (source->band_count > 1) {
        type->kept = LF_SAMPLE_FLOAT;
        type->requested = GDT_Byte;
    } else if (integers && bits <= 16) {
        bool negative = GDALDataTypeIsSigned(stored) || type->signed_bytes;
        type->kept = negative ? LF_SAMPLE_INT16 : LF_SAMPLE_UINT16;
        type->requested = negative ? GDT_Int16 : GDT_UInt16;
    } else {
        type->narrow = integers && bits == 32 && narrow;
        type->wide = integers && bits > 32;
        bool small = bits <= 32 && (!integers || type->narrow);
        type->kept = small ? LF_SAMPLE_FLOAT : LF_SAMPLE_DOUBLE;
        type->requested = type->narrow || type->wide ? stored : small ? GDT_Float32 : GDT_Float64;
    }
    type->item = type->kept == LF_SAMPLE_DOUBLE ? 8 : type->kept == LF_SAMPLE_FLOAT ? 4 : 2;
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Nodata
// ---------------------------------------------------------------------------------------------------

/// The nodata value that the file names.
static double file_nodata(const lf__raster_source *source, int *has) {
    const lf__geotiff *plain = source->plain;
    if (!plain)
        return GDALGetRasterNoDataValue(source->bands[0], has);
    *has = plain->nodata_given;
    return plain->nodata;
}

/// 64-bit integers: as a double their nodata value could be confused with its neighbours.
static void find_wide_nodata(const lf__raster_source *source, lf__raster_type *type) {
    int has = FALSE;
    if (source->def->nodata_given)
        return;
    if (GDALDataTypeIsSigned(type->requested))
        type->nodata_bits = GDALGetRasterNoDataValueAsInt64(source->bands[0], &has);
    else
        type->nodata_bits = (int64_t)GDALGetRasterNoDataValueAsUInt64(source->bands[0], &has);
    type->has_nodata_bits = has != 0;
}

void lf__raster_nodata(const lf__raster_source *source, lf__raster_type *type, lf_raster *raster) {
    const lf_raster_def *def = source->def;
    int has = def->nodata_given && !isnan(def->nodata);
    double value = def->nodata_given ? def->nodata : (double)NAN;
    raster->nodata = def->nodata;
    if (!def->nodata_given && source->band_count == 1)
        raster->nodata = file_nodata(source, &has);
    raster->nodata_given = has != 0;
    if (!def->nodata_given && has && !type->wide)
        value = raster->nodata;
    if (type->wide)
        find_wide_nodata(source, type);
    type->nodata = value;
    // Of narrow integers voids become NaN while they are read; floats meet the nearest float.
    raster->samples.nodata = type->narrow                    ? (double)NAN
                             : type->kept == LF_SAMPLE_FLOAT ? (double)(float)value
                                                             : value;
}

// ---------------------------------------------------------------------------------------------------
// Conversion in place
// ---------------------------------------------------------------------------------------------------

static char *item_at(const lf__raster_items *items, int64_t x, int64_t y, size_t item) {
    return (char *)items->values + (items->first + x * items->step_x + y * items->step_y) * (int64_t)item;
}

static float convert_colours(const char *item) {
    const uint8_t *at = (const uint8_t *)item;
    return (float)(at[0] * 65536 + at[1] * 256 + at[2]);
}

/// A 32-bit integer as a float; false where it is not exact.
static bool convert_narrow(const lf__raster_type *type, char *item) {
    uint32_t bits;
    memcpy(&bits, item, sizeof bits);
    double number = GDALDataTypeIsSigned(type->requested) ? (double)(int32_t)bits : (double)bits;
    bool is_void = number == type->nodata;
    float value = is_void ? NAN : (float)number;
    memcpy(item, &value, sizeof value);
    return is_void || fabs(number) <= EXACT_FLOAT;
}

/// A 64-bit integer as a double; false where it does not fit, and then it is left as it is.
static bool convert_wide(const lf__raster_type *type, char *item) {
    int64_t bits;
    memcpy(&bits, item, sizeof bits);
    double value = GDALDataTypeIsSigned(type->requested) ? (double)bits : (double)(uint64_t)bits;
    bool is_void = type->has_nodata_bits && bits == type->nodata_bits;
    if (!is_void && fabs(value) > EXACT_DOUBLE)
        return false;
    value = is_void ? (double)NAN : value;
    memcpy(item, &value, sizeof value);
    return true;
}

/// One item; false where it cannot be kept as this type.
static bool convert_item(const lf__raster_type *type, char *item) {
    if (type->narrow)
        return convert_narrow(type, item);
    if (type->wide)
        return convert_wide(type, item);
    if (type->band_count > 1) {
        float value = convert_colours(item);
        memcpy(item, &value, sizeof value);
        return true;
    }
    int16_t value;
    memcpy(&value, item, sizeof value);
    value = (int16_t)(value > 127 ? value - 256 : value);
    memcpy(item, &value, sizeof value);
    return true;
}

static lf_status refuse_item(const lf__raster_type *type, const char *item, int64_t x, int64_t y,
                             const char *path, lf_error *error) {
    int64_t bits = 0;
    if (type->narrow)
        return lf__fail_plain(error, LF_UNSUPPORTED);
    memcpy(&bits, item, sizeof bits);
    return lf__fail(error, LF_UNSUPPORTED, -1, "%s: %lld at column %lld, row %lld is beyond 2^53", path,
                    (long long)bits, (long long)x, (long long)y);
}

lf_status lf__raster_convert(const lf__raster_type *type, const lf__raster_items *items,
                             const lf_window *block, const char *path, lf_error *error) {
    if (!type->narrow && !type->wide && !type->signed_bytes && type->band_count == 1)
        return LF_OK;
    for (int64_t y = block->row; y < block->row + block->rows; y++)
        for (int64_t x = block->column; x < block->column + block->columns; x++) {
            char *item = item_at(items, x, y, type->item);
            if (!convert_item(type, item))
                return refuse_item(type, item, x, y, path, error);
        }
    return LF_OK;
}
