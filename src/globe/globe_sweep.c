/// Moving spheres and boxes over a globe: the cells under each piece of the way, as curved patches; and the walls between
/// neighbours of different heights.
#include "globe/globe.h"
#include "ground/sweep.h"

/// Pieces of the way are so many times as long as the object is wide, or as so many samples are apart; and at most so many.
#define SWEEP_LONG 4
#define SWEEP_SAMPLES 16
#define SWEEP_MOST_PIECES 100000

/// Degrees beyond a border, to be over the neighbour.
#define SWEEP_BESIDE 1e-9

typedef struct globe_sweep {
    const lf__globe_face *face;
    const lf_globe *globe;
    lf__sweeping *sweep;
    double low, high; ///< heights that the object can reach on this piece
} globe_sweep;

/// One cell of a tile, or the part of it that shows.
typedef struct globe_sweep_cell {
    const lf_globe *globe;
    lf__tile_cell cell;
} globe_sweep_cell;

static lf_vec3 globe_cell_at(const void *user, double lon, double lat) {
    const globe_sweep_cell *c = user;
    lf_geodetic place = {lon, lat, lf__tile_cell_height(&c->cell, lon, lat)};
    return lf_ellipsoid_to_centred(&c->globe->ellipsoid, place);
}

/// Bounds of the second derivatives of the position, by degrees.
static lf__sweep_patch patch_of(const globe_sweep_cell *c) {
    const double *h = c->cell.h;
    double u = c->cell.width * LF__DEGREE, v = c->cell.height * LF__DEGREE, square = LF__DEGREE * LF__DEGREE;
    double by_u = fmax(fabs(h[1] - h[0]), fabs(h[3] - h[2])) / u,
           by_v = fmax(fabs(h[2] - h[0]), fabs(h[3] - h[1])) / v;
    double twist = fabs((h[3] - h[2]) - (h[1] - h[0])) / (u * v);
    double radius = c->globe->ellipsoid.radius * (1 + 4 * c->globe->ellipsoid.flattening);
    radius += fmax(fmax(fabs(h[0]), fabs(h[1])), fmax(fabs(h[2]), fabs(h[3])));
    return (lf__sweep_patch){globe_cell_at, c, (radius + 2 * by_u) * square,
                             (radius + by_u + by_v + twist) * square, (radius + 2 * by_v) * square};
}

/// The wall below a border, where the neighbour is lower.
static void sweep_wall(const globe_sweep *g, const globe_sweep_cell *c, const lf_geodetic ends[2],
                       double east, double north) {
    lf_vec3 corners[4];
    bool lower = false;
    for (int k = 0; k < 2; k++) {
        lf_globe_elevation there;
        double own = lf__tile_cell_height(&c->cell, ends[k].lon_deg, ends[k].lat_deg), down = own;
        double lat = fmin(fmax(ends[k].lat_deg + north * SWEEP_BESIDE, -90), 90);
        lf_globe_height(g->globe, ends[k].lon_deg + east * SWEEP_BESIDE, lat, &there, NULL);
        if (there.reason == LF_REASON_ANSWERED && there.height < own - 1e-6)
            down = there.height, lower = true;
        lf_geodetic top = {ends[k].lon_deg, ends[k].lat_deg, own}, foot = {top.lon_deg, top.lat_deg, down};
        corners[k] = lf_ellipsoid_to_centred(&g->globe->ellipsoid, top);
        corners[3 - k] = lf_ellipsoid_to_centred(&g->globe->ellipsoid, foot);
    }
    double length = lf_vec3_length(lf_vec3_sub(corners[1], corners[0]));
    if (lower)
        lf__sweep_flat(g->sweep, corners, 0.125 * length * length / g->globe->least_radius);
}

static void sweep_walls(const globe_sweep *g, const globe_sweep_cell *c, lf_geodetic_box part,
                        lf_geodetic_box shown) {
    const lf_geodetic sw = {part.west, part.south, 0}, se = {part.east, part.south, 0},
                      nw = {part.west, part.north, 0}, ne = {part.east, part.north, 0};
    if (part.west <= shown.west)
        sweep_wall(g, c, (lf_geodetic[2]){sw, nw}, -1, 0);
    if (part.east >= shown.east)
        sweep_wall(g, c, (lf_geodetic[2]){se, ne}, 1, 0);
    if (part.south <= shown.south && part.south > -90)
        sweep_wall(g, c, (lf_geodetic[2]){sw, se}, 0, -1);
    if (part.north >= shown.north && part.north < 90)
        sweep_wall(g, c, (lf_geodetic[2]){nw, ne}, 0, 1);
}

static void sweep_grid_cells(const globe_sweep *g, const lf__tile *tile, lf_geodetic_box shown,
                             lf__cells cells) {
    for (int32_t row = cells.r0; row <= cells.r1; row++)
        for (int32_t column = cells.c0; column <= cells.c1; column++) {
            globe_sweep_cell c = {.globe = g->globe};
            lf__tile_cell_at(tile, column, row, &c.cell);
            const double *h = c.cell.h;
            lf_geodetic_box part = {fmax(c.cell.west, shown.west), fmax(c.cell.south, shown.south),
                                    fmin(c.cell.west + c.cell.width, shown.east),
                                    fmin(c.cell.south + c.cell.height, shown.north)};
            double low = fmin(fmin(h[0], h[1]), fmin(h[2], h[3])),
                   high = fmax(fmax(h[0], h[1]), fmax(h[2], h[3]));
            if (c.cell.hole || part.west >= part.east || part.south >= part.north || low > g->high)
                continue;
            g->sweep->element =
                (lf__sweep_element){(int64_t)row * tile->columns + column, 0, lf_tile_pack(tile->key), 1};
            g->sweep->kind = LF_HIT_CELL;
            lf__sweep_patch patch = patch_of(&c);
            if (high >= g->low)
                lf__sweep_curved(g->sweep, &patch,
                                 (lf_box){{part.west, part.south, 0}, {part.east, part.north, 0}});
            sweep_walls(g, &c, part, shown);
        }
}

static void sweep_tin(const globe_sweep *g, const lf__tile *tile, lf__cells buckets) {
    const lf__tin *tin = &tile->tin;
    g->sweep->kind = LF_HIT_TRIANGLE;
    for (int32_t r = buckets.r0; r <= buckets.r1; r++)
        for (int32_t i = buckets.c0; i <= buckets.c1; i++) {
            int64_t bucket = (int64_t)r * lf__tile_across(tile) + i;
            for (uint32_t k = tin->starts[bucket]; k < tin->starts[bucket + 1]; k++) {
                const uint32_t *c = tin->corners + 3 * (int64_t)tin->listed[k];
                lf_vec3 corners[3];
                for (int n = 0; n < 3; n++)
                    corners[n] = lf_vec3_add(tin->centre, tin->points[c[n]]);
                g->sweep->element = (lf__sweep_element){tin->listed[k], 0, lf_tile_pack(tile->key), 1};
                lf__sweep_triangle(g->sweep, corners, 0);
            }
        }
}

static bool area_clip(lf_geodetic_box a, lf_geodetic_box b, lf_geodetic_box *both) {
    *both = (lf_geodetic_box){fmax(a.west, b.west), fmax(a.south, b.south), fmin(a.east, b.east),
                              fmin(a.north, b.north)};
    return both->west <= both->east && both->south <= both->north;
}

/// A child, loaded where that is allowed.
static lf__tile *sweep_child(const globe_sweep *g, lf__tile *tile, int quarter) {
    lf__tile *child = tile->child[quarter];
    lf_globe *loader = g->face->finest ? g->face->globe : NULL;
    if (!child && loader && lf__tile_has_child(tile, quarter) &&
        lf__globe_fetch(loader, tile, lf__tile_child(tile->key, quarter), true, &child) != LF__FETCHED)
        child = NULL;
    if (child && loader)
        child->stamp = loader->frame; // in use
    return child;
}

/// A tile, and the tile whose surface shows where it has none.
static void sweep_tile(const globe_sweep *g, lf__tile *tile, const lf__tile *surface, lf_geodetic_box part) {
    surface = tile->kind != LF__TILE_NONE ? tile : surface;
    double middle = 0.5 * (tile->area.west + tile->area.east),
           half = 0.5 * (tile->area.south + tile->area.north);
    for (int k = 0; k < 4; k++) {
        lf_geodetic_box quarter = {k & 1 ? middle : tile->area.west, k & 2 ? half : tile->area.south,
                                   k & 1 ? tile->area.east : middle, k & 2 ? tile->area.north : half};
        lf_geodetic_box both;
        if (!area_clip(part, quarter, &both))
            continue;
        lf__tile *child = sweep_child(g, tile, k);
        if (child) {
            sweep_tile(g, child, surface, both);
        } else if (surface) {
            lf__cells cells = lf__tile_cells(surface, both.west, both.south, both.east, both.north);
            if (surface->kind == LF__TILE_TIN)
                sweep_tin(g, surface, cells);
            else
                sweep_grid_cells(g, surface, quarter, cells);
        }
    }
}

/// The map around a piece of the way.
static lf_geodetic_box piece_area(const lf_globe *globe, lf_geodetic middle, double reach) {
    double angle =
        reach / fmax(globe->least_radius + fmin(middle.height, 0) - reach, 0.25 * globe->least_radius);
    double lat = angle / LF__DEGREE * 1.01 + 1e-9,
           sine = sin(fmin(angle * 1.01, 1.5)) / cos(middle.lat_deg * LF__DEGREE);
    double lon = sine < 1 && fabs(middle.lat_deg) + lat < 90 ? asin(sine) / LF__DEGREE * 1.01 + 1e-9 : 180;
    return (lf_geodetic_box){middle.lon_deg - lon, fmax(middle.lat_deg - lat, -90), middle.lon_deg + lon,
                             fmin(middle.lat_deg + lat, 90)};
}

static void sweep_piece_of_way(globe_sweep *g, double from, double to) {
    const lf__sweep_mover *m = &g->sweep->mover;
    double own = lf_vec3_length(g->sweep->reach) + g->sweep->tolerance;
    double half = 0.5 * (to - from) * lf_vec3_length(m->motion), low = LF_INFINITY, high = -LF_INFINITY;
    lf_geodetic middle = lf_ellipsoid_to_geodetic(&g->globe->ellipsoid,
                                                  lf_vec3_along(m->centre, 0.5 * (from + to), m->motion));
    low = middle.height - half - own - 1e-3, high = middle.height + half + own + 1e-3;
    g->low = low, g->high = high;
    lf_geodetic_box area = piece_area(g->globe, middle, half + own);
    for (int64_t i = 0; i < g->globe->root_count; i++) {
        lf__tile *root = lf__globe_tile(g->globe, i);
        for (int turn = -1; turn <= 1; turn++) {
            lf_geodetic_box part, turned = area;
            turned.west += 360 * turn;
            turned.east += 360 * turn;
            if (area_clip(turned, root->area, &part))
                sweep_tile(g, root, NULL, part);
        }
    }
}

void lf__globe_sweep(const void *object, lf__sweeping *sweep) {
    globe_sweep g = {.face = object, .globe = lf__globe_face_globe(object), .sweep = sweep};
    if (!(sweep->layers & 1u))
        return;
    double length = lf_vec3_length(sweep->mover.motion),
           spacing = lf__globe_spacing(object, sweep->mover.centre);
    double piece =
        fmax(SWEEP_LONG * lf_vec3_length(sweep->reach), SWEEP_SAMPLES * (spacing > 0 ? spacing : 1));
    double count = fmin(fmax(ceil(length / piece), 1), SWEEP_MOST_PIECES);
    lf__globe_face_begin(g.face);
    for (double k = 0; k < count && k / count <= sweep->end; k++)
        sweep_piece_of_way(&g, k / count, (k + 1) / count);
    lf__globe_face_end(g.face);
    if (sweep->found)
        sweep->hit->level = lf_tile_unpack(sweep->hit->user).level;
}
