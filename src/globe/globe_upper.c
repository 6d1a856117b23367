/// Upper bounds of the ground of a globe in an area, whatever is loaded: what a camera must clear.
#include "globe/camera.h"
#include "globe/globe.h"

#define FEW_CELLS 16      // cells that are examined one by one
#define FEW_TRIANGLES 256 // triangles likewise
#define SMALL 1000.0      // metres: only over smaller areas planes of triangles give better bounds
#define ROUNDING 1e-7     // metres

static double upper_higher(double a, double b) {
    return a > b ? a : b;
}

static double lower(double a, double b) {
    return a < b ? a : b;
}

static double upper_share(double value) {
    return lower(upper_higher(value, 0), 1);
}

/// The part of a bilinear cell within an area is highest in one of its four corners.
static double upper_of_cell(const lf__tile *tile, int32_t column, int32_t row, lf_geodetic_box area) {
    lf__tile_cell p;
    lf__tile_cell_at(tile, column, row, &p);
    if (p.hole)
        return -LF_INFINITY;
    double wide = 1 / p.width, high_side = 1 / p.height;
    double west = upper_share((area.west - p.west) * wide), east = upper_share((area.east - p.west) * wide);
    double south = upper_share((area.south - p.south) * high_side),
           north = upper_share((area.north - p.south) * high_side);
    double high = -LF_INFINITY;
    for (int k = 0; k < 2; k++) {
        double u = k ? east : west;
        double low_side = p.h[0] + u * (p.h[1] - p.h[0]), rise = p.h[2] + u * (p.h[3] - p.h[2]) - low_side;
        high = upper_higher(high, low_side + (rise > 0 ? north : south) * rise);
    }
    return high + ROUNDING;
}

/// The line along the ellipsoid's normal at a place, relative to the centre of a tile.
typedef struct plumb {
    lf_vec3 origin, up;
} plumb;

static plumb plumb_at(const lf_globe *globe, const lf__tile *tile, double lon, double lat) {
    lf__sincos s_lat = lf__sincos_deg(lat), s_lon = lf__sincos_deg(lon);
    lf_vec3 foot = lf_ellipsoid_to_centred(&globe->ellipsoid, (lf_geodetic){lon, lat, 0});
    return (plumb){lf_vec3_sub(foot, tile->tin.centre),
                   {s_lat.cos * s_lon.cos, s_lat.cos * s_lon.sin, s_lat.sin}};
}

/// Do all of four points in a triangle's plane lie beyond one of its edges, by more than `slack`? The
/// corners' order does not matter.
static bool beyond_an_edge(const lf_vec3 corners[3], lf_vec3 normal, const lf_vec3 points[4], double slack) {
    for (int k = 0; k < 3; k++) {
        lf_vec3 a = corners[k], edge = lf_vec3_unit(lf_vec3_sub(corners[(k + 1) % 3], a));
        lf_vec3 inner = lf_vec3_cross(normal, edge);
        double side = lf_vec3_dot(inner, lf_vec3_sub(corners[(k + 2) % 3], a)) < 0 ? -1 : 1,
               most = -LF_INFINITY;
        for (int i = 0; i < 4; i++)
            most = upper_higher(most, side * lf_vec3_dot(inner, lf_vec3_sub(points[i], a)));
        if (most < -slack)
            return true;
    }
    return false;
}

/// The extension of a triangle beyond its edges, as a part of itself and in metres: those on a tile's
/// southern or northern border cover the area between a straight edge and the parallel. Applied to all
/// triangles, it is negligible for those that are small compared with the globe.
static double upper_reach_of(const lf_globe *globe, const lf_vec3 corners[3], double *metres) {
    double longest = 0;
    for (int k = 0; k < 3; k++)
        longest = upper_higher(longest, lf_vec3_length(lf_vec3_sub(corners[k], corners[(k + 1) % 3])));
    lf_vec3 across = lf_vec3_cross(lf_vec3_sub(corners[1], corners[0]), lf_vec3_sub(corners[2], corners[0]));
    double away = longest * longest / (3 * globe->least_radius), altitude = lf_vec3_length(across) / longest;
    *metres = lower(away, LF__TIN_REACH * longest);
    return away < LF__TIN_REACH * altitude ? away / altitude : LF__TIN_REACH;
}

/// A triangle over a small area: its plane is highest over one of the area's corners, except for the
/// curvature of the globe. Never more than its own highest corner.
static double upper_of_triangle(const lf_globe *globe, const lf__tile *tile, int64_t triangle,
                                const plumb lines[4], double bend) {
    const lf__tin *tin = &tile->tin;
    const uint32_t *c = tin->corners + 3 * triangle;
    const lf_vec3 corners[3] = {tin->points[c[0]], tin->points[c[1]], tin->points[c[2]]};
    double corner = upper_higher(tin->heights[c[0]], upper_higher(tin->heights[c[1]], tin->heights[c[2]])),
           metres;
    double reach = upper_reach_of(globe, corners, &metres);
    corner += reach * (corner - lower(tin->heights[c[0]], lower(tin->heights[c[1]], tin->heights[c[2]])));
    lf_vec3 normal = lf__tin_normal(tile, triangle), points[4];
    double high = -LF_INFINITY;
    for (int k = 0; k < 4; k++) {
        double across = lf_vec3_dot(normal, lines[k].up);
        if (!(across > 0.01)) // a wall
            return corner;
        double height = lf_vec3_dot(normal, lf_vec3_sub(corners[0], lines[k].origin)) / across;
        points[k] = lf_vec3_along(lines[k].origin, height, lines[k].up);
        high = upper_higher(high, height);
    }
    if (beyond_an_edge(corners, normal, points, bend + 10 * ROUNDING + metres))
        return -LF_INFINITY;
    return lower(corner, high + bend + ROUNDING);
}

static double upper_of_tin(const lf_globe *globe, const lf__tile *tile, lf_geodetic_box area,
                           lf__cells cells) {
    double bound =
        (double)lf__tile_bound_of(tile, cells).high + LF__TIN_REACH * (tile->own_high - tile->own_low);
    double metres =
        LF__DEGREE * (globe->ellipsoid.radius + upper_higher(fabs(tile->own_low), fabs(tile->own_high)));
    double size = metres * upper_higher(area.east - area.west, area.north - area.south);
    if (!(size <= SMALL) || cells.c1 - cells.c0 > 1 || cells.r1 - cells.r0 > 1)
        return bound;
    plumb lines[4];
    for (int k = 0; k < 4; k++)
        lines[k] = plumb_at(globe, tile, k & 1 ? area.east : area.west, k & 2 ? area.north : area.south);
    // Slopes are held to 100 by the wall's limit, and a plane departs from the globe by size^2 / radius,
    // times 1 + slope^2.
    double bend = 1e4 * size * size / globe->least_radius, high = -LF_INFINITY;
    int64_t looked = 0;
    for (int32_t r = cells.r0; r <= cells.r1; r++)
        for (int32_t i = cells.c0; i <= cells.c1; i++) {
            int64_t bucket = (int64_t)r * lf__tile_across(tile) + i;
            for (uint32_t k = tile->tin.starts[bucket]; k < tile->tin.starts[bucket + 1]; k++) {
                if (looked++ >= FEW_TRIANGLES)
                    return bound;
                high = upper_higher(high, upper_of_triangle(globe, tile, tile->tin.listed[k], lines, bend));
            }
        }
    return lower(high, bound);
}

static int32_t upper_cell_at(double at, int32_t count) {
    return at >= count ? count - 1 : at > 0 ? (int32_t)at : 0;
}

/// An area in cells of a tile. Places next to a line between two cells may be rounded to either: both have
/// the same height there.
typedef struct cell_area {
    double x0, y0, x1, y1;
    lf__cells cells;
} cell_area;

static cell_area in_cells(const lf__tile *tile, lf_geodetic_box area) {
    double across = tile->columns_per_degree, up = tile->rows_per_degree;
    cell_area in = {(area.west - tile->west) * across,
                    (area.south - tile->south) * up,
                    (area.east - tile->west) * across,
                    (area.north - tile->south) * up,
                    {0, 0, 0, 0}};
    int32_t columns = lf__tile_across(tile), rows = lf__tile_up(tile);
    in.cells = (lf__cells){upper_cell_at(in.x0, columns), upper_cell_at(in.y0, rows),
                           upper_cell_at(in.x1, columns), upper_cell_at(in.y1, rows)};
    return in;
}

/// As upper_of_cell, for tiles all of whose rows are a whole row apart.
static double upper_of_plain_cell(const lf__tile *tile, const cell_area *in, int32_t column, int32_t row) {
    const float *s = tile->heights + (int64_t)row * tile->columns + column, *n = s + tile->columns;
    double h0 = (double)s[0], h1 = (double)s[1], h2 = (double)n[0], h3 = (double)n[1];
    double south = upper_share(in->y0 - row), north = upper_share(in->y1 - row), high = -LF_INFINITY;
    double sides[2] = {upper_share(in->x0 - column), upper_share(in->x1 - column)};
    for (int k = 0; k < 2; k++) {
        double low_side = h0 + sides[k] * (h1 - h0), rise = h2 + sides[k] * (h3 - h2) - low_side;
        high = upper_higher(high, low_side + (rise > 0 ? north : south) * rise);
    }
    return h0 + h1 + h2 + h3 == h0 + h1 + h2 + h3 ? high + ROUNDING : -LF_INFINITY; // NaN in a void
}

static double upper_of_surface(const lf_globe *globe, const lf__tile *tile, lf_geodetic_box area) {
    if (tile->kind == LF__TILE_TIN)
        return upper_of_tin(globe, tile, area,
                            lf__tile_cells(tile, area.west, area.south, area.east, area.north));
    cell_area in = in_cells(tile, area);
    lf__cells cells = in.cells;
    if ((int64_t)(cells.c1 - cells.c0 + 1) * (cells.r1 - cells.r0 + 1) > FEW_CELLS)
        return (double)lf__tile_bound_of(tile, cells).high;
    double high = -LF_INFINITY;
    for (int32_t r = cells.r0; r <= cells.r1; r++)
        for (int32_t c = cells.c0; c <= cells.c1; c++)
            high = upper_higher(high, tile->plain ? upper_of_plain_cell(tile, &in, c, r)
                                                  : upper_of_cell(tile, c, r, area));
    return high;
}

/// Which quarters an area touches: bits 0 and 1 west and east, 2 and 3 south and north. Borders belong to
/// both sides.
static unsigned sides_touched(const lf__tile *tile, lf_geodetic_box area) {
    double lon = 0.5 * (tile->area.west + tile->area.east), lat = 0.5 * (tile->area.south + tile->area.north);
    return (unsigned)(area.west <= lon) | (unsigned)(area.east >= lon) << 1 |
           (unsigned)(area.south <= lat) << 2 | (unsigned)(area.north >= lat) << 3;
}

static bool quarter_touched(unsigned sides, int quarter) {
    return (sides >> (quarter & 1) & 1) && (sides >> (2 + (quarter >> 1)) & 1);
}

/// The part of an area that touches a quarter of a tile.
static lf_geodetic_box part_in(const lf__tile *tile, int quarter, lf_geodetic_box area) {
    double lon = 0.5 * (tile->area.west + tile->area.east), lat = 0.5 * (tile->area.south + tile->area.north);
    return (lf_geodetic_box){quarter & 1 ? upper_higher(area.west, lon) : area.west,
                             quarter & 2 ? upper_higher(area.south, lat) : area.south,
                             quarter & 1 ? area.east : lower(area.east, lon),
                             quarter & 2 ? area.north : lower(area.north, lat)};
}

static void take_surface(const lf_globe *globe, const lf__tile *surface, lf_geodetic_box part,
                         lf__ceiling *ceiling) {
    double high = surface ? upper_of_surface(globe, surface, part) : -LF_INFINITY;
    if (high > ceiling->high) {
        ceiling->high = high;
        ceiling->coarser = false;
    }
}

/// A quarter of a tile that is not loaded: the bound of what is missing there, or the ground itself.
static void at_quarter(const lf_globe *globe, const lf__tile *tile, int quarter, const lf__tile *surface,
                       lf_geodetic_box part, lf__ceiling *ceiling) {
    bool missing = lf__tile_has_child(tile, quarter);
    if (missing && isfinite(tile->high)) {
        if (tile->high > ceiling->high) {
            ceiling->high = tile->high;
            ceiling->coarser = true;
        }
        return;
    }
    ceiling->unproven = ceiling->unproven || missing;
    take_surface(globe, surface, part, ceiling);
}

/// Go down to what is loaded. `surface` is the nearest tile above with one: it is the ground where a tile has none.
static void descend(const lf_globe *globe, const lf__tile *tile, const lf__tile *surface,
                    lf_geodetic_box area, lf__ceiling *ceiling) {
    for (;;) {
        if (tile->kind != LF__TILE_NONE)
            surface = tile;
        double more = tile->kind == LF__TILE_TIN ? LF__TIN_REACH * (tile->own_high - tile->own_low) : 0;
        if (!(tile->high + more > ceiling->high))
            return;                                              // no tile below it is higher
        if (tile->children == 0 && tile->loaded_children == 0) { // the finest there is
            take_surface(globe, surface, area, ceiling);
            return;
        }
        unsigned sides = sides_touched(tile, area);
        int only = -1, count = 0;
        for (int quarter = 0; quarter < 4; quarter++)
            if (quarter_touched(sides, quarter)) {
                only = quarter;
                count++;
            }
        if (count == 1 && tile->child[only]) { // the usual case
            tile = tile->child[only];
            continue;
        }
        for (int quarter = 0; quarter < 4; quarter++) {
            if (!quarter_touched(sides, quarter))
                continue;
            lf_geodetic_box part = part_in(tile, quarter, area);
            if (tile->child[quarter])
                descend(globe, tile->child[quarter], surface, part, ceiling);
            else
                at_quarter(globe, tile, quarter, surface, part, ceiling);
        }
        return;
    }
}

/// Is an area within a tile, and not on its border?
static bool upper_within(const lf__tile *tile, lf_geodetic_box area) {
    return area.west > tile->area.west && area.east < tile->area.east && area.south > tile->area.south &&
           area.north < tile->area.north;
}

/// A fine tile that contains an area: found by key, as a camera is mostly over tiles of the finest level or
/// one of the next; NULL: start from the roots. The tile is checked, so the key may be off by rounding.
static const lf__tile *near_start(const lf_globe *globe, lf_geodetic_box area) {
    double column = (area.west + 180) * globe->per_width[0], row = (area.south + 90) * globe->per_height[0];
    for (int level = globe->finest; level >= 0 && level > globe->finest - 3; level--) {
        double many = (double)((int64_t)1 << level);
        const lf__tile *tile =
            lf__globe_find(globe, (lf_tile_key){level, (int32_t)(column * many), (int32_t)(row * many)});
        while (tile && !upper_within(tile, area))
            tile = tile->parent;
        if (tile)
            return tile;
    }
    return NULL;
}

static void upper_of_roots(const lf_globe *globe, lf_geodetic_box area, lf__ceiling *ceiling) {
    const lf__tile *start = near_start(globe, area);
    if (start) {
        const lf__tile *surface = start;
        while (surface && surface->kind == LF__TILE_NONE)
            surface = surface->parent;
        descend(globe, start, surface, area, ceiling);
        return;
    }
    for (int64_t i = 0; i < globe->root_count; i++) {
        const lf__tile *root = lf__globe_tile(globe, i);
        lf_geodetic_box part = {upper_higher(area.west, root->area.west),
                                upper_higher(area.south, root->area.south), lower(area.east, root->area.east),
                                lower(area.north, root->area.north)};
        if (part.west <= part.east && part.south <= part.north)
            descend(globe, root, NULL, part, ceiling);
    }
}

lf__ceiling lf__globe_upper(const lf_globe *globe, lf_geodetic_box area) {
    lf__ceiling ceiling = {-LF_INFINITY, false, false};
    if (area.west >= -180 && area.east < 180) { // the usual case
        upper_of_roots(globe, area, &ceiling);
        return ceiling;
    }
    double shift = lf__globe_turn(area.west) - area.west;
    area.west += shift;
    area.east = fmin(area.east + shift, area.west + 360);
    upper_of_roots(globe, (lf_geodetic_box){area.west, area.south, fmin(area.east, 180), area.north},
                   &ceiling);
    if (area.east >= 180)
        upper_of_roots(globe, (lf_geodetic_box){-180, area.south, area.east - 360, area.north}, &ceiling);
    return ceiling;
}

void lf__globe_camera_ground(const lf_globe *globe, double lon, double lat, lf_globe_elevation *ground,
                             lf_vec3 *normal) {
    lf_globe_height(globe, lon, lat, ground, NULL);
    lf_globe_normal(globe, lon, lat, normal);
    if (ground->coarser && isfinite(ground->ceiling)) { // there a constant bound applies
        lf__sincos s_lat = lf__sincos_deg(lat), s_lon = lf__sincos_deg(lon);
        *normal = (lf_vec3){s_lat.cos * s_lon.cos, s_lat.cos * s_lon.sin, s_lat.sin};
    }
}

#undef ROUNDING
