/// A planet: continents, ranges and sea floors on a sphere, without a seam.
#include "base/base.h"
#include "samples/noise.h"
#include <landfall/make.h>

/// Noise in space, of noise in three planes.
static double noise_at(uint64_t seed, double x, double y, double z) {
    double a = lf__noise(seed, x + 0.37 * z, y - 0.41 * z).z;
    double b = lf__noise(seed + 1, y + 0.29 * x, z - 0.53 * x).z;
    double c = lf__noise(seed + 2, z + 0.61 * y, x - 0.23 * y).z;
    return (a + b + c) / 3;
}

static double octaves(uint64_t seed, const double at[3], double scale, int count) {
    double sum = 0, share = 1;
    for (int k = 0; k < count; k++, scale *= 2, share *= 0.5)
        sum += share * noise_at(seed + 16 * (uint64_t)k, scale * at[0], scale * at[1], scale * at[2]);
    return sum;
}

static float height_at(uint64_t seed, const double at[3]) {
    double land = octaves(seed, at, 1.5, 5), range = octaves(seed + 1000, at, 4, 6);
    range = range < 0 ? -range : range;
    double ridge = lf__smooth(0.25, 0, range), dry = lf__smooth(-0.02, 0.2, land);
    double height = 9000 * land - 900 + 5500 * dry * ridge + 250 * octaves(seed + 2000, at, 24, 4);
    return (float)lf__floor(lf__clamp(height, -10900, 8800));
}

lf_status lf_make_planet_row(uint64_t seed, int64_t columns, int64_t rows, int64_t row, float *values) {
    if (columns < 2 || rows < 2 || row < 0 || row >= rows || !values || columns > (int64_t)1 << 40 ||
        rows > (int64_t)1 << 40)
        return LF_BAD_ARGUMENT;
    double lat = 0.5 * ((double)row / (double)(rows - 1) - 0.5); // turns
    bool pole = row == 0 || row == rows - 1;
    double level = pole ? 0 : lf__cosine(lat), up = row == 0 ? -1 : pole ? 1 : lf__sine(lat);
    for (int64_t i = 0; i < columns; i++) {
        // Both ends are the same meridian, to the last bit.
        double lon = i == columns - 1 ? 0 : (double)i / (double)(columns - 1);
        const double at[3] = {level * lf__cosine(lon), level * lf__sine(lon), up};
        values[i] = height_at(seed, at);
    }
    return LF_OK;
}
