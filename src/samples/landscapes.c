/// Landscapes and a planet: heights as functions of position, rows of them in parallel, whole rasters and
/// files.
#include "base/base.h"
#include "samples/sample_parts.h"
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Noise
// ---------------------------------------------------------------------------------------------------

/// Taylor's series of sin(2 pi t) on a quarter turn either way; the next term is below 1e-16.
static double quarter_sine(double t) {
    double a = 6.283185307179586 * t, s = a * a;
    double sum = 1.0 / 51090942171709440000.0; // 1 / 21!
    sum = 1.0 / 121645100408832000.0 - s * sum;
    sum = 1.0 / 355687428096000.0 - s * sum;
    sum = 1.0 / 1307674368000.0 - s * sum;
    sum = 1.0 / 6227020800.0 - s * sum;
    sum = 1.0 / 39916800.0 - s * sum;
    sum = 1.0 / 362880.0 - s * sum;
    sum = 1.0 / 5040.0 - s * sum;
    sum = 1.0 / 120.0 - s * sum;
    sum = 1.0 / 6.0 - s * sum;
    return a * (1.0 - s * sum);
}

double lf__sine(double turns) {
    double t = turns - (double)lf__floor(turns + 0.5);
    if (t > 0.25)
        t = 0.5 - t;
    else if (t < -0.25)
        t = -0.5 - t;
    return quarter_sine(t);
}

double lf__cosine(double turns) {
    return lf__sine(turns - (double)lf__floor(turns) + 0.25);
}

/// Sixteen directions around the circle.
static const double gradient_x[16] = {1.0,  0.9238795325112867,  0.7071067811865476,  0.3826834323650898,
                                      0.0,  -0.3826834323650898, -0.7071067811865476, -0.9238795325112867,
                                      -1.0, -0.9238795325112867, -0.7071067811865476, -0.3826834323650898,
                                      0.0,  0.3826834323650898,  0.7071067811865476,  0.9238795325112867};

lf__slope lf__noise(uint64_t seed, double x, double y) {
    int64_t i = lf__floor(x), j = lf__floor(y);
    double u = x - (double)i, v = y - (double)j, value[4], gx[4], gy[4];
    for (int k = 0; k < 4; k++) {
        int64_t right = k & 1, up = k >> 1;
        unsigned direction = (unsigned)(lf__hash(seed, i + right, j + up) >> 60);
        gx[k] = gradient_x[direction];
        gy[k] = gradient_x[(direction + 12) & 15];
        value[k] = gx[k] * (u - (double)right) + gy[k] * (v - (double)up);
    }
    double s = u * u * u * (u * (u * 6 - 15) + 10), ds = 30 * u * u * (u * (u - 2) + 1);
    double t = v * v * v * (v * (v * 6 - 15) + 10), dt = 30 * v * v * (v * (v - 2) + 1);
    double low = value[0] + s * (value[1] - value[0]), high = value[2] + s * (value[3] - value[2]);
    double gx_low = gx[0] + s * (gx[1] - gx[0]) + ds * (value[1] - value[0]);
    double gx_high = gx[2] + s * (gx[3] - gx[2]) + ds * (value[3] - value[2]);
    double gy_low = gy[0] + s * (gy[1] - gy[0]), gy_high = gy[2] + s * (gy[3] - gy[2]);
    // Unit gradients keep |value| below 0.7072, so this stays within 1.
    lf__slope slope = {1.414 * (low + t * (high - low)), 1.414 * (gx_low + t * (gx_high - gx_low)),
                       1.414 * (gy_low + t * (gy_high - gy_low) + dt * (high - low))};
    return slope;
}

/// Sine and cosine of an angle in turns, to about 1e-05: enough for a landscape, and several times faster.
static void fast_sine_cosine(double turns, double *sine, double *cosine) {
    double t = turns - (double)lf__floor(turns + 0.5), s = t * t;
    *sine = t * (6.2831607 + s * (-41.3367821 + s * (81.4467147 + s * (-74.9030857 + s * (33.5357062)))));
    *cosine = 0.9999992 +
              s * (-19.7389782 + s * (64.9285878 + s * (-85.2708436 + s * (58.7869408 + s * (-21.0654294)))));
}

lf__slope lf__gullies(uint64_t seed, double x, double y, double across_x, double across_y) {
    int64_t i = lf__floor(x), j = lf__floor(y);
    double cosines = 0, sines = 0, weights = 0;
    for (int64_t b = j - 1; b <= j + 1; b++)
        for (int64_t a = i - 1; a <= i + 1; a++) {
            // A pivot in the middle half of each cell: pivots beyond the neighbouring cells are outside the
            // kernel.
            uint64_t bits = lf__hash(seed, a, b);
            double px = x - (double)a - 0.25 - 0.5 * (double)(int32_t)(bits >> 40) * 0x1p-24;
            double py = y - (double)b - 0.25 - 0.5 * (double)(int32_t)(bits >> 16 & 0xffffff) * 0x1p-24;
            double near = 1 - (px * px + py * py) * (1 / (1.25 * 1.25));
            if (near <= 0)
                continue;
            double weight = near * near * near, sine, cosine;
            fast_sine_cosine(px * across_x + py * across_y, &sine, &cosine);
            cosines += weight * cosine;
            sines += weight * sine;
            weights += weight;
        }
    double scale = weights > 0 ? 1 / weights : 0;
    lf__slope slope = {cosines * scale, -6.283185307179586 * sines * scale * across_x,
                       -6.283185307179586 * sines * scale * across_y};
    return slope;
}

// ---------------------------------------------------------------------------------------------------
// Mountains: a warped ridged multifractal for the ranges, gullies down its slopes for what water has carved
// ---------------------------------------------------------------------------------------------------

#define RANGE_LENGTH 11000.0 // metres from ridge to ridge of the largest ranges

/// Noise number `layer` with cells of a length in metres. Layers are rotated against each other, so that the
/// lattice of the noise does not show as lines along the axes.
static lf__slope layer_noise(const lf__land *land, int layer, double x, double y, double length) {
    double cosine = layer % 2 ? 0.8 : 0.28, sine = layer % 2 ? 0.6 : 0.96;
    double u = (cosine * x + sine * y) / length, v = (cosine * y - sine * x) / length;
    lf__slope n = lf__noise(land->seed + (uint64_t)layer, u, v);
    lf__slope turned = {n.z, (cosine * n.dx - sine * n.dy) / length, (sine * n.dx + cosine * n.dy) / length};
    return turned;
}

/// The ranges: noise folded at zero gives crests, a little rounded; two octaves of unfolded noise make spurs
/// and saddles.
static lf__slope ranges(const lf__land *land, double x, double y) {
    lf__slope n = layer_noise(land, 16, x, y, RANGE_LENGTH);
    double fold = sqrt(n.z * n.z + 0.003), crest = 1 - fold, slope = -1.25 * n.z / fold;
    lf__slope sum = {1.25 * crest - 0.25, slope * n.dx, slope * n.dy};
    double length = 0.43 * RANGE_LENGTH, height = 0.34;
    for (int octave = 1; octave < 3; octave++) {
        n = layer_noise(land, 16 + octave, x, y, length);
        sum.z += height * n.z;
        sum.dx += height * n.dx;
        sum.dy += height * n.dy;
        height *= 0.4;
        length *= 0.45;
    }
    return sum;
}

/// What water has carved: gullies, from which each finer set runs off to both sides.
static double carve(const lf__land *land, double x, double y, lf__slope ground) {
    double length = 2800, depth = 0.12, sum = 0;
    double dx = ground.dx, dy = ground.dy;
    for (int octave = 0; octave < 5 && length > 3 * land->spacing; octave++) {
        double steep = sqrt(dx * dx + dy * dy);
        double even = 1 / (steep + 5e-5);
        lf__slope gully =
            lf__gullies(land->seed + 64 + (uint64_t)octave, x / length, y / length, -dy * even, dx * even);
        double share = depth * lf__clamp(steep * 6500, 0, 1);
        sum += share * gully.z;
        dx += 0.8 * share * gully.dx / length;
        dy += 0.8 * share * gully.dy / length;
        length *= 0.52;
        depth *= 0.44;
    }
    return sum;
}

/// Limit a value to 0 .. 1 without a kink: the ends are never reached exactly.
static double soft_limits(double v) {
    if (v < 0.16)
        return 0.16 * 0.16 / (0.32 - v);
    return v > 0.75 ? 1 - 0.25 * 0.25 / (v - 0.5) : v;
}

/// The mountains as a share of low .. high, within 0 .. 1; the other landscapes likewise.
static double mountains_share(const lf__land *land, double x, double y) {
    lf__slope warp_x = layer_noise(land, 1, x, y, 6000), warp_y = layer_noise(land, 2, x, y, 6000);
    double wx = x + 1100 * warp_x.z, wy = y + 1100 * warp_y.z;
    lf__slope ground = ranges(land, wx, wy);
    double massif = layer_noise(land, 3, x, y, 34000).z;
    double z = 0.27 + 0.27 * massif + 0.44 * ground.z + 0.46 * carve(land, wx, wy, ground);
    double rough = 0, length = 220, height = 0.003;
    for (int octave = 0; octave < 2 && length >= 2 * land->spacing; octave++) {
        rough += height * layer_noise(land, 96 + octave, x, y, length).z;
        length *= 0.5;
        height *= 0.55;
    }
    // Rivers and glaciers flatten the low ground: gentle slopes below, steep ones above.
    double t = soft_limits(z + rough);
    return t * (0.3 + t * (1.1 - 0.4 * t));
}

// ---------------------------------------------------------------------------------------------------
// The smoother landscapes
// ---------------------------------------------------------------------------------------------------

LF__ENUM_NAME(lf_landscape_name, lf_landscape, LF_LANDSCAPE_LIST, LF_NAME_CASE_4)

static double hills_share(const lf__land *land, double x, double y) {
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

/// The plane takes seven tenths of the height, the noise at each sample the rest.
static double rough_share(const lf__land *land, double x, double y) {
    int64_t i = lf__floor(x / land->spacing + 0.5), j = lf__floor(y / land->spacing + 0.5);
    double across = land->width > 0 ? (x - land->x_low) / land->width : 0;
    double up = land->depth > 0 ? (y - land->y_low) / land->depth : 0;
    return lf__clamp(0.35 * (across + up) + 0.3 * lf__unit(lf__hash(land->seed + 192, i, j)), 0, 1);
}

/// Dunes face east: a long slope to the wind, a short steep front, crests curved by slow noise.
static double dunes_share(const lf__land *land, double x, double y) {
    double slow = lf__noise(land->seed + 224, x / 900, y / 700).z;
    double finer = lf__noise(land->seed + 225, x / 260, y / 330).z;
    double phase = (x + 210 * slow + 46 * finer) / 420;
    double t = phase - (double)lf__floor(phase);
    double wave = t < 0.72 ? lf__smooth(0, 0.72, t) : 1 - lf__smooth(0.72, 1, t);
    double size = 0.55 + 0.45 * lf__noise(land->seed + 226, x / 1500, y / 1100).z;
    double base = 0.5 + 0.5 * lf__noise(land->seed + 227, x / 5200, y / 5200).z;
    return lf__clamp(0.3 * base + 0.62 * wave * size, 0, 1);
}

/// The height in metres at (x, y).
static double land_height(const lf__land *land, double x, double y) {
    double share = 0;
    switch (land->kind) {
    case LF_LANDSCAPE_MOUNTAINS:
        share = mountains_share(land, x, y);
        break;
    case LF_LANDSCAPE_HILLS:
        share = hills_share(land, x, y);
        break;
    case LF_LANDSCAPE_ROUGH:
        share = rough_share(land, x, y);
        break;
    case LF_LANDSCAPE_DUNES:
        share = dunes_share(land, x, y);
        break;
    }
    return land->low + (land->high - land->low) * share;
}

static lf_status check_heights_def(const lf_make_heights_def *def, lf_error *error) {
    const int64_t most = (int64_t)1 << 40;
    if (def->landscape < LF_LANDSCAPE_MOUNTAINS || def->landscape > LF_LANDSCAPE_DUNES)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "landscape %d: expected %d to %d", (int)def->landscape,
                        (int)LF_LANDSCAPE_MOUNTAINS, (int)LF_LANDSCAPE_DUNES);
    if (def->columns < 1 || def->rows < 1 || def->columns > most || def->rows > most)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld columns and %lld rows: each must be 1 to 2^40",
                        (long long)def->columns, (long long)def->rows);
    if (def->first_column < -most || def->first_column > most || def->first_row < -most ||
        def->first_row > most)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "first column %lld, first row %lld: each must be within -2^40 to 2^40",
                        (long long)def->first_column, (long long)def->first_row);
    if (!(def->spacing >= 0.01) || !(def->spacing <= 100000))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "spacing %g: expected 0.01 to 100000 metres",
                        def->spacing);
    if (isinf(def->low) || isinf(def->high) || fabs(def->low) > 1e9 || fabs(def->high) > 1e9 ||
        def->low >= def->high)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "low %g, high %g: low must be below high, both within 1e9 metres", def->low,
                        def->high);
    return LF_OK;
}

lf_status lf__land_read(const lf_make_heights_def *given, lf_make_heights_def *def, lf__land *land,
                        lf_error *error) {
    static const double own_high[] = {4000, 400, 500, 120};
    *def = lf_make_heights_def_default();
    lf_status status = lf__def_read(def, sizeof *def, given, error);
    if (status == LF_OK)
        status = check_heights_def(def, error);
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

// ---------------------------------------------------------------------------------------------------
// Rows, rasters and files
// ---------------------------------------------------------------------------------------------------

#define BAND_ROWS 64 // between two progress reports

typedef struct rows_job {
    const lf_make_heights_def *def;
    const lf__land *land;
    int64_t first_row;
    float *values;
} rows_job;

static void make_rows(void *user, int64_t first, int64_t last, int worker) {
    const rows_job *job = user;
    (void)worker;
    for (int64_t row = first; row < last; row++) {
        float *values = job->values + row * job->def->columns;
        double y = (double)(job->def->first_row + job->first_row + row) * job->def->spacing;
        for (int64_t column = 0; column < job->def->columns; column++) {
            double x = (double)(job->def->first_column + column) * job->def->spacing;
            values[column] = (float)land_height(job->land, x, y);
        }
    }
}

lf_status lf_make_rows(const lf_make_heights_def *given, int64_t first_row, int64_t row_count, float *values,
                       lf_error *error) {
    lf_make_heights_def def;
    lf__land land;
    lf_status status = lf__land_read(given, &def, &land, error);
    if (status != LF_OK)
        return status;
    size_t bytes;
    if (first_row < 0 || row_count < 0 || row_count > def.rows || first_row > def.rows - row_count || !values)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "rows %lld to %lld: the window has rows 0 to %lld, and values must not be NULL",
                        (long long)first_row, (long long)first_row + (long long)row_count,
                        (long long)def.rows);
    if (row_count > 0 && !lf__size_array(row_count, (size_t)def.columns * sizeof(float), &bytes))
        return lf__fail_plain(error, LF_TOO_LARGE);
    for (int64_t done = 0; done < row_count; done += BAND_ROWS) {
        int64_t rows = row_count - done < BAND_ROWS ? row_count - done : BAND_ROWS;
        rows_job job = {&def, &land, first_row + done, values + done * def.columns};
        lf__run(def.host.tasks, rows, 1, make_rows, &job);
        if (!lf__report(&def.host, "make", done + rows, row_count))
            return lf__fail_plain(error, LF_CANCELLED);
    }
    return LF_OK;
}

struct lf_made_heights {
    lf_allocator allocator;
    lf_heights heights;
    float *values;
};

void lf_made_heights_destroy(lf_made_heights *made) {
    if (!made)
        return;
    lf_allocator allocator = made->allocator;
    lf__free_array(&allocator, made->values, made->heights.columns * made->heights.rows, sizeof(float));
    lf__free(&allocator, made, sizeof *made, _Alignof(lf_made_heights));
}

lf_heights lf_made_heights_view(const lf_made_heights *made) {
    return made->heights;
}

lf_status lf_make_heights(const lf_make_heights_def *given, lf_made_heights **made, lf_error *error) {
    lf_make_heights_def def;
    lf__land land;
    if (!made)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "made is NULL");
    lf_status status = lf__land_read(given, &def, &land, error);
    if (status != LF_OK)
        return status;
    int64_t count;
    if (__builtin_mul_overflow(def.columns, def.rows, &count))
        return lf__fail_plain(error, LF_TOO_LARGE);
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_made_heights *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_made_heights));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_made_heights){.allocator = allocator};
    status = lf__allocate_array(&allocator, count, sizeof(float), (void **)&fresh->values);
    fresh->heights = (lf_heights){.values = fresh->values,
                                  .columns = def.columns,
                                  .rows = def.rows,
                                  .stride = def.columns,
                                  .x_low = land.x_low,
                                  .y_low = land.y_low,
                                  .spacing = def.spacing};
    if (status != LF_OK)
        lf__fail_plain(error, status);
    else
        status = lf_make_rows(&def, 0, def.rows, fresh->values, error);
    if (status != LF_OK) {
        lf_made_heights_destroy(fresh);
        return status;
    }
    *made = fresh;
    return LF_OK;
}

static lf_status made_rows(void *user, int64_t first, int64_t count, float *values, lf_error *error) {
    return lf_make_rows(user, first, count, values, error);
}

lf_status lf_make_heights_file(const lf_make_heights_def *given, const char *path, lf_error *error) {
    lf_make_heights_def def;
    lf__land land;
    lf_status status = lf__land_read(given, &def, &land, error);
    if (status != LF_OK)
        return status;
    if (!path)
        return lf__fail(error, LF_UNSUPPORTED, -1,
                        "path is NULL: expected a path that ends in .tif or .tiff");
    lf_heights heights = {.columns = def.columns,
                          .rows = def.rows,
                          .x_low = land.x_low,
                          .y_low = land.y_low,
                          .spacing = def.spacing,
                          .read = made_rows,
                          .user = &def};
    lf_host host = def.host;
    def.host.progress = NULL; // the writer reports the progress of the whole file
    return lf_heights_write(path, &heights, &host, error);
}

// ---------------------------------------------------------------------------------------------------
// The planet: continents, ranges and sea floors on a sphere, without a seam
// ---------------------------------------------------------------------------------------------------

/// Noise in space, from noise in three planes.
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

lf_status lf_make_planet_file(uint64_t seed, int64_t rows, const char *path, const lf_host *host,
                              lf_error *error) {
    lf_allocator allocator = lf__allocator_of(host);
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid = NULL;
    float *heights = NULL;
    if (rows < 3 || rows > 20001)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "rows is %lld: expected 3 to 20001", (long long)rows);
    int64_t columns = 2 * rows - 1;
    double step = 180.0 / (double)(rows - 1);
    lf_status status = lf__allocate_array(&allocator, columns * rows, sizeof *heights, (void **)&heights);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    for (int64_t j = 0; j < rows && status == LF_OK; j++)
        status = lf_make_planet_row(seed, columns, rows, j, heights + j * columns);
    def.host = *host;
    def.borrow = true;
    def.samples.values = heights;
    def.samples.columns = columns;
    def.samples.rows = rows;
    def.geotransform = (lf_geotransform){{-180, -90}, {step, 0}, {0, step}};
    if (status == LF_OK)
        status = lf_grid_create(&def, &grid, error);
    if (status == LF_OK)
        status = lf_grid_write(path, grid, "OGC:CRS84", 1, host, error);
    lf_grid_destroy(grid);
    lf__free_array(&allocator, heights, columns * rows, sizeof *heights);
    return status;
}
