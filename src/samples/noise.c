#include "samples/noise.h"

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

/// Sixteen directions round the circle.
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

/// Sine and cosine of an angle in turns, to about 1e-05: plenty for a landscape, and several times quicker.
static void quick_turn(double turns, double *sine, double *cosine) {
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
            // A pivot in the middle half of each cell: those beyond the neighbours are out of the kernel's
            // reach.
            uint64_t bits = lf__hash(seed, a, b);
            double px = x - (double)a - 0.25 - 0.5 * (double)(int32_t)(bits >> 40) * 0x1p-24;
            double py = y - (double)b - 0.25 - 0.5 * (double)(int32_t)(bits >> 16 & 0xffffff) * 0x1p-24;
            double near = 1 - (px * px + py * py) * (1 / (1.25 * 1.25));
            if (near <= 0)
                continue;
            double weight = near * near * near, sine, cosine;
            quick_turn(px * across_x + py * across_y, &sine, &cosine);
            cosines += weight * cosine;
            sines += weight * sine;
            weights += weight;
        }
    double scale = weights > 0 ? 1 / weights : 0;
    lf__slope slope = {cosines * scale, -6.283185307179586 * sines * scale * across_x,
                       -6.283185307179586 * sines * scale * across_y};
    return slope;
}
