/// Luo's test of a camera against the highest of the samples around it.
#include "globe/globe.h"
#include <landfall/published.h>

/// Arithmetic that counts what it does, for the step of Table 1 that is being made.
typedef struct counting {
    const lf_globe *globe;
    double snap;
    lf_luo_operations steps[LF_LUO_STEPS];
    lf_luo_operations *now;
} counting;

static double square(counting *c, double a) {
    c->now->squares++;
    return a * a;
}

static double square_root(counting *c, double a) {
    c->now->square_roots++;
    return sqrt(a);
}

static double quotient(counting *c, double a, double b) {
    c->now->divisions++;
    return a / b;
}

static double arc_sine(counting *c, double a) {
    c->now->arc_sines++;
    return asin(a);
}

static double arc_tangent(counting *c, double a) {
    c->now->arc_tangents++;
    return atan(a);
}

static double difference(counting *c, double a, double b) {
    c->now->subtractions++;
    return a - b;
}

static bool at_most(counting *c, double a, double b) {
    c->now->comparisons++;
    return a <= b;
}

/// What the table leaves out: sums within the root, degrees, the half of the globe, levels of tiles, places of samples.
static double left_out(counting *c, int operations, double result) {
    c->now->left_out += operations;
    return result;
}

/// Place and radius by the formula of the sphere. What it calls L, in a space whose y is up, is our
/// longitude, and B our latitude. Its arc tangent knows half the globe: the other half is told by the sign of x.
static lf_geodetic to_sphere(counting *c, lf_vec3 p) {
    c->now = &c->steps[LF_LUO_PLACE];
    double radius = square_root(c, left_out(c, 2, square(c, p.x) + square(c, p.y) + square(c, p.z)));
    double share = quotient(c, p.z, radius);
    double latitude = arc_sine(c, left_out(c, 2, fmin(fmax(share, -1), 1)));
    double slope = quotient(c, p.y, p.x);
    double longitude = arc_tangent(c, left_out(c, 1, isnan(slope) ? 0 : slope)); // NaN: over a pole
    longitude = left_out(c, 2, signbit(p.x) ? longitude + copysign(LF__PI, p.y) : longitude);
    return (lf_geodetic){left_out(c, 1, longitude / LF__DEGREE), left_out(c, 1, latitude / LF__DEGREE),
                         difference(c, radius, c->globe->ellipsoid.radius)};
}

/// The finest of all loaded tiles that hold the place: four comparisons with each.
static const lf__tile *finest_holding(counting *c, lf_geodetic place) {
    const lf__tile *found = NULL;
    c->now = &c->steps[LF_LUO_TILE];
    for (int64_t i = 0; i < c->globe->tiles.count; i++) {
        const lf__tile *tile = lf__globe_tile(c->globe, i);
        // All four, whatever the first says: that is what the paper counts.
        int within = at_most(c, tile->area.west, place.lon_deg) + at_most(c, place.lon_deg, tile->area.east) +
                     at_most(c, tile->area.south, place.lat_deg) +
                     at_most(c, place.lat_deg, tile->area.north);
        c->now->tiles++;
        if (within < 4)
            continue;
        c->now->left_out++;
        if (tile->kind == LF__TILE_GRID && (!found || tile->key.level > found->key.level))
            found = tile;
    }
    return found;
}

/// Is a place on the line of samples at 0, or on that at 1, where it goes on to the next sample?
static bool is_on(counting *c, double share, int32_t *sample) {
    c->now->left_out += 3; // two comparisons and a subtraction
    bool on_first = share <= c->snap, on_second = !on_first && share >= 1 - c->snap;
    *sample += on_second;
    return on_first || on_second;
}

/// The highest of the one, two or four samples around: none, one or three comparisons.
static double highest_sample(counting *c, const lf__tile *tile, lf_geodetic place) {
    c->now = &c->steps[LF_LUO_HEIGHT];
    double u = quotient(c, left_out(c, 1, place.lon_deg - tile->west), tile->per_column);
    double v = quotient(c, left_out(c, 1, place.lat_deg - tile->south), tile->per_row);
    lf__cells cell = lf__tile_cells(tile, place.lon_deg, place.lat_deg, place.lon_deg, place.lat_deg);
    int32_t c0 = cell.c0, r0 = cell.r0;
    bool on_column = is_on(c, left_out(c, 1, u - cell.c0), &c0),
         on_row = is_on(c, left_out(c, 1, v - cell.r0), &r0);
    double highest = (double)tile->heights[(int64_t)r0 * tile->columns + c0];
    for (int k = 1; k < 4; k++) {
        if ((k & 1 && on_column) || (k & 2 && on_row))
            continue;
        double sample = (double)tile->heights[(int64_t)(r0 + (k >> 1)) * tile->columns + c0 + (k & 1)];
        highest = !isnan(sample) && !at_most(c, sample, highest) ? sample : highest;
    }
    return highest;
}

double lf_luo_height(const lf_globe *globe, const lf_globe_elevation *ground) {
    if (!globe || !ground || ground->reason != LF_REASON_ANSWERED)
        return LF_NAN;
    const lf__tile *tile = lf__globe_find(globe, ground->tile);
    double highest = ground->height;
    for (int k = 0; tile && k < ground->sample_count; k++)
        highest = fmax(highest, tile->kind == LF__TILE_GRID ? (double)tile->heights[ground->samples[k]]
                                                            : tile->tin.heights[ground->samples[k]]);
    return tile ? highest : LF_NAN;
}

static void operations_add(lf_luo_operations *sum, const lf_luo_operations *more) {
    sum->squares += more->squares;
    sum->square_roots += more->square_roots;
    sum->divisions += more->divisions;
    sum->arc_sines += more->arc_sines;
    sum->arc_tangents += more->arc_tangents;
    sum->subtractions += more->subtractions;
    sum->comparisons += more->comparisons;
    sum->tiles += more->tiles;
    sum->left_out += more->left_out;
}

lf_status lf_luo_collides(const lf_globe *globe, lf_vec3 position, double snap, lf_globe_elevation *ground,
                          lf_luo_operations *operations, bool *collides) {
    if (!globe || !collides || !lf_vec3_finite(position) || lf_vec3_length(position) == 0 ||
        !(snap >= 0 && snap <= 0.5))
        return LF_BAD_ARGUMENT;
    counting c = {.globe = globe, .snap = snap};
    lf_geodetic place = to_sphere(&c, position);
    const lf__tile *tile = finest_holding(&c, place);
    double height = tile ? highest_sample(&c, tile, place) : LF_NAN;
    c.now = &c.steps[LF_LUO_COMPARE];
    *collides = at_most(&c, place.height, height);
    if (ground) {
        *ground = (lf_globe_elevation){.reason = !tile           ? LF_REASON_OUTSIDE
                                                 : isnan(height) ? LF_REASON_HOLE
                                                                 : LF_REASON_ANSWERED,
                                       .height = height,
                                       .ceiling = LF_INFINITY,
                                       .element = -1};
        if (tile) {
            ground->tile = tile->key;
            ground->resolution = tile->resolution;
        }
    }
    for (int k = 0; operations && k < LF_LUO_STEPS; k++)
        operations_add(&operations[k], &c.steps[k]);
    return lf__globe_told(globe, LF_OK);
}
