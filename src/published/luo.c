/// Luo's test of a camera against the highest of the samples around it.
#include "globe/globe.h"
#include <landfall/published.h>

/// The test, counting its operations.
typedef struct counting {
    const lf_globe *globe;
    double snap;
    lf_luo_operations done;
} counting;

/// Place and radius by the formula of the sphere. What it calls L, in a space whose y is up, is our
/// longitude, and B our latitude.
static lf_geodetic to_sphere(counting *c, lf_vec3 p) {
    double radius = sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
    lf_geodetic place = {atan2(p.y, p.x) / LF__DEGREE, asin(fmin(fmax(p.z / radius, -1), 1)) / LF__DEGREE,
                         radius - c->globe->ellipsoid.radius};
    c->done.squares += 3;
    c->done.square_roots++;
    c->done.divisions += 2; // of the two angles; that of the arc tangent is within it
    c->done.arc_sines++;
    c->done.arc_tangents++;
    c->done.subtractions++;
    return place;
}

/// The finest of all loaded tiles that hold the place: four comparisons with each.
static const lf__tile *finest_holding(counting *c, lf_geodetic place) {
    const lf__tile *found = NULL;
    for (int64_t i = 0; i < c->globe->tiles.count; i++) {
        const lf__tile *tile = lf__globe_tile(c->globe, i);
        bool holds = (place.lon_deg >= tile->area.west) & (place.lon_deg <= tile->area.east) &
                     (place.lat_deg >= tile->area.south) & (place.lat_deg <= tile->area.north);
        c->done.comparisons += 4;
        c->done.tiles++;
        if (holds && tile->kind == LF__TILE_GRID && (!found || tile->key.level > found->key.level))
            found = tile;
    }
    return found;
}

static bool is_on(double share, double snap) {
    return share <= snap || share >= 1 - snap;
}

/// The highest of the samples: none, one or three comparisons.
static double highest_sample(counting *c, const lf__tile *tile, lf_geodetic place) {
    double u = (place.lon_deg - tile->west) / tile->per_column;
    double v = (place.lat_deg - tile->south) / tile->per_row;
    c->done.divisions += 2;
    lf__cells cell = lf__tile_cells(tile, place.lon_deg, place.lat_deg, place.lon_deg, place.lat_deg);
    u -= cell.c0;
    v -= cell.r0;
    bool on_column = is_on(u, c->snap), on_row = is_on(v, c->snap);
    int32_t c0 = cell.c0 + (on_column && u > 0.5), r0 = cell.r0 + (on_row && v > 0.5);
    double highest = (double)tile->heights[(int64_t)r0 * tile->columns + c0];
    for (int k = 1; k < 4; k++) {
        if ((k & 1 && on_column) || (k & 2 && on_row))
            continue;
        double sample = (double)tile->heights[(int64_t)(r0 + (k >> 1)) * tile->columns + c0 + (k & 1)];
        c->done.comparisons++;
        highest = sample > highest || isnan(highest) ? sample : highest;
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
}

lf_status lf_luo_collides(const lf_globe *globe, lf_vec3 position, double snap, lf_globe_elevation *ground,
                          lf_luo_operations *operations, bool *collides) {
    if (!globe || !collides || !lf_vec3_finite(position) || lf_vec3_length(position) == 0 ||
        !(snap >= 0 && snap <= 0.5))
        return LF_BAD_ARGUMENT;
    counting c = {globe, snap, {0}};
    lf_geodetic place = to_sphere(&c, position);
    const lf__tile *tile = finest_holding(&c, place);
    double height = tile ? highest_sample(&c, tile, place) : LF_NAN;
    *collides = place.height <= height;
    c.done.comparisons++;
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
    if (operations)
        operations_add(operations, &c.done);
    return lf__globe_told(globe, LF_OK);
}
