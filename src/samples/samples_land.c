/// The gentler landscapes, and what all of them share.
#include "base/base.h"
#include "samples/landscape.h"
#include <math.h>
#include <string.h>

const char *lf_landscape_name(lf_landscape landscape) {
    switch (landscape) {
#define WORD(name, value, word, text) \
    case name:                        \
        return word;
        LF_LANDSCAPE_LIST(WORD)
#undef WORD
    }
    return "?";
}

double lf__hills(const lf__land *land, double x, double y) {
    double sum = 0, length = 2400, height = 0.5, total = 0;
    for (int octave = 0; octave < 6 && length >= 2 * land->spacing; octave++) {
        sum += height * lf__noise(land->seed + 128 + (uint64_t)octave, x / length, y / length).z;
        total += height;
        length *= 0.5;
        height *= 0.36;
    }
    double z = total > 0 ? 0.5 + 0.62 * sum / total : 0.5;
    return lf__clamp(z, 0, 1);
}

/// The plane takes seven tenths of the height, the noise at each post the rest.
double lf__rough(const lf__land *land, double x, double y) {
    int64_t i = lf__floor(x / land->spacing + 0.5), j = lf__floor(y / land->spacing + 0.5);
    double across = land->width > 0 ? (x - land->x_low) / land->width : 0;
    double up = land->depth > 0 ? (y - land->y_low) / land->depth : 0;
    return lf__clamp(0.35 * (across + up) + 0.3 * lf__unit(lf__hash(land->seed + 192, i, j)), 0, 1);
}

/// Dunes march east: a long back to the wind, a short steep front, crests bent by slow noise.
double lf__dunes(const lf__land *land, double x, double y) {
    double bend = lf__noise(land->seed + 224, x / 900, y / 700).z;
    double finer = lf__noise(land->seed + 225, x / 260, y / 330).z;
    double phase = (x + 210 * bend + 46 * finer) / 420;
    double t = phase - (double)lf__floor(phase);
    double wave = t < 0.72 ? lf__smooth(0, 0.72, t) : 1 - lf__smooth(0.72, 1, t);
    double size = 0.55 + 0.45 * lf__noise(land->seed + 226, x / 1500, y / 1100).z;
    double base = 0.5 + 0.5 * lf__noise(land->seed + 227, x / 5200, y / 5200).z;
    return lf__clamp(0.3 * base + 0.62 * wave * size, 0, 1);
}

double lf__land_height(const lf__land *land, double x, double y) {
    double share = 0;
    switch (land->kind) {
    case LF_LANDSCAPE_MOUNTAINS:
        share = lf__mountains(land, x, y);
        break;
    case LF_LANDSCAPE_HILLS:
        share = lf__hills(land, x, y);
        break;
    case LF_LANDSCAPE_ROUGH:
        share = lf__rough(land, x, y);
        break;
    case LF_LANDSCAPE_DUNES:
        share = lf__dunes(land, x, y);
        break;
    }
    return land->low + (land->high - land->low) * share;
}

static lf_status check(const lf_make_heights_def *def, lf_error *error) {
    const int64_t most = (int64_t)1 << 40;
    if (def->landscape < LF_LANDSCAPE_MOUNTAINS || def->landscape > LF_LANDSCAPE_DUNES)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "there is no landscape number %d", (int)def->landscape);
    if (def->columns < 1 || def->rows < 1 || def->columns > most || def->rows > most)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld columns and %lld rows: each must be 1 to 2^40",
                        (long long)def->columns, (long long)def->rows);
    if (def->first_column < -most || def->first_column > most || def->first_row < -most ||
        def->first_row > most)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "first column %lld, first row %lld: beyond 2^40",
                        (long long)def->first_column, (long long)def->first_row);
    if (!(def->spacing >= 0.01) || !(def->spacing <= 100000))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the spacing is not within 0.01 to 100000 metres");
    if (isinf(def->low) || isinf(def->high) || fabs(def->low) > 1e9 || fabs(def->high) > 1e9 ||
        def->low >= def->high)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "low must be below high, both within 1e9 metres");
    return LF_OK;
}

lf_status lf__land_read(const lf_make_heights_def *given, lf_make_heights_def *def, lf__land *land,
                        lf_error *error) {
    static const double own_high[] = {4000, 400, 500, 120};
    *def = lf_make_heights_def_default();
    lf_status status = lf__def_read(def, sizeof *def, given, error);
    if (status == LF_OK)
        status = check(def, error);
    if (status != LF_OK)
        return status;
    double low = isnan(def->low) ? 0 : def->low;
    double high = isnan(def->high) ? low + own_high[def->landscape] : def->high;
    if (isnan(def->low) && high <= low)
        low = high - own_high[def->landscape];
    *land = (lf__land){.kind = def->landscape, .spacing = def->spacing, .low = low, .high = high};
    land->seed = lf__hash(0x6c616e6466616c6cu, (int64_t)def->seed, (int64_t)def->landscape);
    land->x_low = (double)def->first_column * def->spacing;
    land->y_low = (double)def->first_row * def->spacing;
    land->width = (double)(def->columns - 1) * def->spacing;
    land->depth = (double)(def->rows - 1) * def->spacing;
    return LF_OK;
}
