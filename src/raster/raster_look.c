/// A look through the samples of a raster: nothing that cannot be a height, nothing that looks forgotten.
#include "raster/raster.h"
#include <cpl_string.h>
#include <math.h>

#define HIGHEST 1e30 // what a grid takes

/// What a pass over the samples finds.
typedef struct found {
    double low;        ///< lowest sample that is no hole
    int64_t low_count; ///< how often
    int64_t beyond;    ///< first sample whose height is beyond HIGHEST, or -1
    double beyond_is;
} found;

/// Sample i, counted through all rows.
static double sample_at(const lf_samples *samples, int64_t i) {
    int64_t line = samples->mask_row_step; // in samples
    i = i / samples->columns * line + i % samples->columns;
    switch (samples->type) {
    case LF_SAMPLE_FLOAT:
        return (double)((const float *)samples->values)[i];
    case LF_SAMPLE_DOUBLE:
        return ((const double *)samples->values)[i];
    case LF_SAMPLE_INT16:
        return (double)((const int16_t *)samples->values)[i];
    case LF_SAMPLE_UINT16:
        return (double)((const uint16_t *)samples->values)[i];
    }
    return (double)NAN;
}

static found look_through(const lf_samples *samples) {
    found found = {INFINITY, 0, -1, 0};
    double most = (HIGHEST - fabs(samples->offset)) / fabs(samples->scale);
    for (int64_t i = 0; i < samples->columns * samples->rows; i++) {
        double value = sample_at(samples, i);
        if (!isfinite(value) || value == samples->nodata ||
            (samples->mask &&
             !samples->mask[i / samples->columns * samples->mask_row_step + i % samples->columns]))
            continue;
        if (fabs(value) > most && found.beyond < 0) {
            found.beyond = i;
            found.beyond_is = value;
        }
        if (value < found.low) {
            found.low = value;
            found.low_count = 0;
        }
        found.low_count += value == found.low;
    }
    return found;
}

/// Numbers that files mean "nothing" by and that no ground has.
static bool looks_forgotten(double low) {
    static const double known[] = {-32768, -32767, -9999, -99999, -999999, -3.4028234663852886e38};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (low == known[i])
            return true;
    return false;
}

lf_status lf__raster_look(const lf__raster_source *source, lf_raster *raster, lf_error *error) {
    const char *path = source->gdal.path;
    found found = look_through(&raster->samples);
    char text[64];
    if (found.beyond >= 0) {
        CPLsnprintf(text, sizeof text, "%.9g", found.beyond_is);
        return lf__fail(
            error, LF_BAD_FORMAT, found.beyond,
            "%s: a sample is %s, which is no height; is it nodata that the file does not declare?", path,
            text);
    }
    if (source->band_count == 1 && !source->def->nodata_given && looks_forgotten(found.low)) {
        CPLsnprintf(text, sizeof text, "%.9g", found.low);
        lf__log(&raster->host, LF_LOG_WARNING,
                "%s: %lld samples are %s, as if that were nodata, but the file does not say so", path,
                (long long)found.low_count, text);
    }
    return LF_OK;
}
