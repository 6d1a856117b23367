/// Mountains: a warped ridged multifractal for the ranges, gullies that run down its slopes for what water has done.
#include "samples/landscape.h"
#include <math.h>

#define RANGE_LENGTH 11000.0 // metres from ridge to ridge of the largest ranges

/// Noise number `layer` with cells of a length in metres. Layers are turned against each other, so that the lattice of
/// the noise does not show as lines along the axes.
static lf__slope layer_noise(const lf__land *land, int layer, double x, double y, double length) {
    double cosine = layer % 2 ? 0.8 : 0.28, sine = layer % 2 ? 0.6 : 0.96;
    double u = (cosine * x + sine * y) / length, v = (cosine * y - sine * x) / length;
    lf__slope n = lf__noise(land->seed + (uint64_t)layer, u, v);
    lf__slope turned = {n.z, (cosine * n.dx - sine * n.dy) / length, (sine * n.dx + cosine * n.dy) / length};
    return turned;
}

/// The ranges: noise folded at zero gives crests, a little rounded; two octaves of plain noise make spurs and saddles.
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

/// Hold a value within 0 .. 1 without a kink: the ends are never quite reached.
static double soft_limits(double v) {
    if (v < 0.16)
        return 0.16 * 0.16 / (0.32 - v);
    return v > 0.75 ? 1 - 0.25 * 0.25 / (v - 0.5) : v;
}

double lf__mountains(const lf__land *land, double x, double y) {
    lf__slope bend = layer_noise(land, 1, x, y, 6000), turn = layer_noise(land, 2, x, y, 6000);
    double wx = x + 1100 * bend.z, wy = y + 1100 * turn.z;
    lf__slope ground = ranges(land, wx, wy);
    double massif = layer_noise(land, 3, x, y, 34000).z;
    double z = 0.27 + 0.27 * massif + 0.44 * ground.z + 0.46 * carve(land, wx, wy, ground);
    double rough = 0, length = 220, height = 0.003;
    for (int octave = 0; octave < 2 && length >= 2 * land->spacing; octave++) {
        rough += height * layer_noise(land, 96 + octave, x, y, length).z;
        length *= 0.5;
        height *= 0.55;
    }
    // Rivers and glaciers have levelled the low ground: gentle below, steep above.
    double t = soft_limits(z + rough);
    return t * (0.3 + t * (1.1 - 0.4 * t));
}
