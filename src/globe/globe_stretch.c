/// How a stretch of a line relates to the ground under it: above, below, or may it hit it?
///
/// The quadtree is descended only where bounds do not decide, and where the stretch is short compared with
/// the tiles: a long one is better cut in two first.
#include "globe/globe.h"

/// The error of heights, metres: the rounding of places.
#define ROUNDING 1e-8

/// A raised line counts as straight within this, metres.
#define DRIFT 1e-4

/// Beyond this latitude short stretches have many longitudes under them.
#define NEAR_POLE 89.99

static void stretch_classify(lf__stretch_ground *look, double low, double high) {
    if (look->on->low > high + ROUNDING)
        look->above = true;
    else if (look->on->high < low - ROUNDING)
        look->below = true;
    else
        look->meets = true;
}

/// Heights of a cell over a part of it: at the corners of that part, for it is bilinear.
static void classify_part(lf__stretch_ground *look, const lf__tile_cell *p, lf_geodetic_box part) {
    double west = fmax(part.west, p->west), east = fmin(part.east, p->west + p->width);
    double south = fmax(part.south, p->south), north = fmin(part.north, p->south + p->height);
    double h[4] = {lf__tile_cell_height(p, west, south), lf__tile_cell_height(p, east, south),
                   lf__tile_cell_height(p, west, north), lf__tile_cell_height(p, east, north)};
    stretch_classify(look, fmin(fmin(h[0], h[1]), fmin(h[2], h[3])),
                     fmax(fmax(h[0], h[1]), fmax(h[2], h[3])));
}

static double stretch_held(double x, double low, double high) {
    return fmin(fmax(x, low), high);
}

/// A position of the line, raised along the normal as the search requires.
static lf_vec3 raised(const lf__search *s, const lf__stop *stop) {
    lf_vec3 up = {stop->lat.cos * stop->lon.cos, stop->lat.cos * stop->lon.sin, stop->lat.sin};
    return lf_vec3_along(lf_vec3_along(s->ray.origin, stop->t, s->ray.direction),
                         lf__search_extra(s, stop->t), up);
}

/// Bound of the distance of the raised line from its chord: normals turn, and it may be curved.
static double stretch_drift(const lf__search *s, const lf__stretch_on *on) {
    double from = lf__search_extra(s, on->a.t), to = lf__search_extra(s, on->b.t), gap = on->b.t - on->a.t;
    double bow = 0.25 * fabs(s->sag) * gap * gap;
    return (fmax(fabs(from), fabs(to)) + bow) * on->angle * on->angle + fabs(to - from) * on->angle + bow;
}

/// The first triangle that a stretch hits. Triangles stay in place; the line is raised or lowered.
static bool meets_triangle(const lf__stretch_ground *look, const lf__tile *tile, lf__cells buckets,
                           double *t) {
    const lf__search *s = look->search;
    const lf__stretch_on *on = look->on;
    lf_ray ray = s->ray;
    double start = on->a.t, gap = on->b.t - start;
    ray.t_min = fmax(start - 1e-3 * gap, s->ray.t_min);
    ray.t_max = fmin(on->b.t + 1e-3 * gap, s->ray.t_max);
    if ((s->lift == 0 && s->sag == 0) || !(gap > 0))
        return lf__tin_meet(tile, buckets, &ray, t) >= 0;
    ray.origin = raised(s, &on->a);
    ray.direction = lf_vec3_sub(raised(s, &on->b), ray.origin);
    ray.t_min = (ray.t_min - start) / gap;
    ray.t_max = (ray.t_max - start) / gap;
    if (lf__tin_meet(tile, buckets, &ray, t) < 0)
        return false;
    *t = start + *t * gap;
    return true;
}

/// The side of a TIN that a stop of the line is on, at the nearest place of the part.
static void tell_side(lf__stretch_ground *look, const lf__tile *tile, const lf__stop *stop,
                      lf_geodetic_box part) {
    const lf__search *s = look->search;
    lf_geodetic place = stop->place;
    double lon = place.lon_deg + 360 * round((0.5 * (part.west + part.east) - place.lon_deg) / 360), height;
    lf_vec3 normal;
    if (lf__tin_height(s->globe, tile, stretch_held(lon, part.west, part.east),
                       stretch_held(place.lat_deg, part.south, part.north), &height, &normal) < 0)
        return;
    bool is_above = place.height + lf__search_extra(s, stop->t) > height;
    look->above |= is_above;
    look->below |= !is_above;
}

/// Is a stop over a window, or on its border, as far as places are rounded? A pole is so whatever its longitude.
static bool is_in(const lf__search *s, const lf__stop *stop, lf_geodetic_box window) {
    double lon =
        stop->place.lon_deg + 360 * round((0.5 * (window.west + window.east) - stop->place.lon_deg) / 360);
    double lat = stop->place.lat_deg, slack = 1e-12 + 4e-8 / (s->globe->least_radius * LF__DEGREE);
    if (lat < window.south - slack || lat > window.north + slack)
        return false;
    double wide = slack / fmax(stop->lat.cos, 1e-12);
    return fabs(lat) == 90 || (lon >= window.west - wide && lon <= window.east + wide);
}

/// The side of a TIN that a stretch is on, by its ends and its middle where they are over it. false: none is.
static bool tell_sides(lf__stretch_ground *look, const lf__tile *tile, lf_geodetic_box window) {
    const lf__stop *stops[3] = {&look->on->a, &look->on->middle, &look->on->b};
    bool told = false;
    for (int k = 0; k < 3; k++)
        if (is_in(look->search, stops[k], window)) {
            tell_side(look, tile, stops[k], window);
            told = true;
        }
    return told;
}

/// A TIN under a short stretch: either a triangle is hit, exactly, or the part over it lies on one side.
static void at_triangles(lf__stretch_ground *look, const lf__tile *tile, lf__cells buckets,
                         lf_geodetic_box window, lf_geodetic_box part) {
    double t;
    if (!look->last && stretch_drift(look->search, look->on) > DRIFT) {
        look->large = true;
        return;
    }
    if (meets_triangle(look, tile, buckets, &t)) {
        look->tin_t = look->tin_met ? fmin(look->tin_t, t) : t;
        look->tin_met = true;
        return;
    }
    if (tell_sides(look, tile, window))
        return;
    if (look->last) {
        tell_side(look, tile, &look->on->middle, part);
        return;
    }
    // It touches the window between these three, or only by its bounds: the bounds of the ground decide.
    lf__tile_bound bound = lf__tile_bound_of(tile, buckets);
    double more = LF__TIN_REACH * (tile->own_high - tile->own_low);
    look->pieces += 2;
    if (bound.low <= bound.high)
        stretch_classify(look, (double)bound.low - more, (double)bound.high + more);
}

/// The cells of a part of a tile, without those wholly outside the window, where another tile is the surface.
static lf__cells cells_seen(const lf__tile *tile, lf_geodetic_box window, lf_geodetic_box part) {
    lf__cells cells = lf__tile_cells(tile, part.west, part.south, part.east, part.north);
    double x = 1e-9 * tile->per_column, y = 1e-9 * tile->per_row;
    lf__cells seen =
        lf__tile_cells(tile, window.west + x, window.south + y, window.east - x, window.north - y);
    cells.c0 = cells.c0 < seen.c0 ? seen.c0 : cells.c0 > seen.c1 ? seen.c1 : cells.c0;
    cells.r0 = cells.r0 < seen.r0 ? seen.r0 : cells.r0 > seen.r1 ? seen.r1 : cells.r0;
    cells.c1 = cells.c1 > seen.c1 ? seen.c1 : cells.c1 < cells.c0 ? cells.c0 : cells.c1;
    cells.r1 = cells.r1 > seen.r1 ? seen.r1 : cells.r1 < cells.r0 ? cells.r0 : cells.r1;
    return cells;
}

/// The surface of a tile over a part of the window in which it is the surface.
static void at_surface(lf__stretch_ground *look, const lf__tile *tile, lf_geodetic_box window,
                       lf_geodetic_box part) {
    lf__cells cells = cells_seen(tile, window, part);
    look->search->cost.cells++;
    if (cells.r1 - cells.r0 > 1 || (cells.c1 - cells.c0 > 1 && !look->polar)) {
        lf__tile_bound bound = lf__tile_bound_of(tile, cells);
        look->pieces += 2;
        if (bound.low <= bound.high)
            stretch_classify(look, (double)bound.low, (double)bound.high);
        return;
    }
    if (tile->kind == LF__TILE_TIN) {
        look->tins++;
        at_triangles(look, tile, cells, window, part);
        return;
    }
    for (int32_t r = cells.r0; r <= cells.r1; r++)
        for (int32_t c = cells.c0; c <= cells.c1; c++) {
            lf__tile_cell patch;
            lf__tile_cell_at(tile, c, r, &patch);
            look->pieces++;
            if (patch.hole)
                continue;
            look->patch = patch;
            classify_part(look, &patch, part);
        }
}

/// The bound of a tile in place of a missing quarter.
static void at_slab(lf__stretch_ground *look, const lf__tile *tile, lf_geodetic_box area) {
    double h = tile->high;
    look->pieces++;
    look->patch = (lf__tile_cell){
        {h, h, h, h}, area.west, area.south, area.east - area.west, area.north - area.south, false};
    stretch_classify(look, h, h);
}

/// Bounds of all ground in a tile for this search.
static void outer(const lf__stretch_ground *look, const lf__tile *tile, double *low, double *high) {
    bool loaded = look->search->surface == LF__GLOBE_SURFACE;
    *low = loaded ? tile->loaded_low : tile->low;
    *high = loaded ? tile->loaded_high : tile->high;
}

static lf_geodetic_box quarter_area(const lf__tile *tile, int quarter) {
    lf_geodetic_box a = tile->area;
    double lon = 0.5 * (a.west + a.east), lat = 0.5 * (a.south + a.north);
    return (lf_geodetic_box){quarter & 1 ? lon : a.west, quarter & 2 ? lat : a.south,
                             quarter & 1 ? a.east : lon, quarter & 2 ? a.north : lat};
}

/// The part of an area within another; false: they do not touch.
static bool stretch_clip(lf_geodetic_box a, lf_geodetic_box b, lf_geodetic_box *part) {
    *part = (lf_geodetic_box){fmax(a.west, b.west), fmax(a.south, b.south), fmin(a.east, b.east),
                              fmin(a.north, b.north)};
    return part->west <= part->east && part->south <= part->north;
}

static lf__tile *child_of(lf__stretch_ground *look, lf__tile *tile, int quarter) {
    lf__search *search = look->search;
    lf__tile *child = tile->child[quarter];
    if (child && search->loader)
        child->stamp = search->loader->frame; // in use
    if (child || !search->loader || !lf__tile_has_child(tile, quarter))
        return child;
    lf__fetch fetched =
        lf__globe_fetch(search->loader, tile, lf__tile_child(tile->key, quarter), true, &child);
    search->no_memory |= fetched == LF__FETCH_NO_MEMORY;
    if (fetched != LF__FETCHED)
        return NULL;
    child->stamp = search->loader->frame;
    return child;
}

/// A tile, and the tile whose surface shows where it has none.
static void at_tile(lf__stretch_ground *look, lf__tile *tile, const lf__tile *surface, lf_geodetic_box part) {
    double low, high;
    look->search->cost.nodes++;
    outer(look, tile, &low, &high);
    if (low > high) {
        look->pieces += 2; // a void
        return;
    }
    // Bounds do not exclude voids: in the end only cells decide.
    if (!look->last && (look->on->low > high + ROUNDING || look->on->high < low - ROUNDING)) {
        look->pieces += 2;
        stretch_classify(look, low, high);
        return;
    }
    const lf_geodetic_box *whole = &look->on->area;
    // Around a pole every stretch, however short, has many longitudes under it.
    if ((!look->polar && whole->east - whole->west > tile->area.east - tile->area.west) ||
        whole->north - whole->south > tile->area.north - tile->area.south) {
        look->large = true;
        return;
    }
    surface = tile->kind == LF__TILE_NONE ? surface : tile;
    if (tile->children == 0) {
        if (surface)
            at_surface(look, surface, tile->area, part);
        return;
    }
    for (int k = 0; k < 4 && !look->large; k++) {
        lf_geodetic_box whole_quarter = quarter_area(tile, k), quarter;
        if (!stretch_clip(part, whole_quarter, &quarter))
            continue;
        lf__tile *child = child_of(look, tile, k);
        if (child)
            at_tile(look, child, surface, quarter);
        else if (look->search->surface == LF__GLOBE_CEILING && lf__tile_has_child(tile, k))
            at_slab(look, tile, whole_quarter);
        else if (surface)
            at_surface(look, surface, whole_quarter, quarter);
        else
            look->pieces += 2;
    }
}

void lf__stretch_examine(lf__search *search, const lf__stretch_on *on, bool last, lf__stretch_ground *look) {
    *look = (lf__stretch_ground){.search = search, .on = on, .last = last};
    look->polar = on->area.south < -NEAR_POLE || on->area.north > NEAR_POLE;
    for (int64_t i = 0; i < search->globe->root_count; i++) {
        lf__tile *root = lf__globe_tile(search->globe, i);
        for (int turn = -1; turn <= 1 && !look->large; turn++) {
            lf_geodetic_box part, turned = on->area;
            turned.west += 360 * turn;
            turned.east += 360 * turn;
            if (stretch_clip(turned, root->area, &part))
                at_tile(look, root, NULL, part);
        }
    }
}

#undef ROUNDING
