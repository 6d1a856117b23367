/// Which tiles are loaded: around a viewer, by key, by area.
#include "globe/globe.h"

/// A request for a tile that is missing under a loaded one; the lowest score comes first.
typedef struct wish {
    lf_tile_key key;
    double score;
} wish;

typedef struct updating {
    lf_globe *globe;
    const lf__globe_view *view;
    lf__globe_view before; ///< of the update before
    bool all;              ///< decide about all tiles again
    bool scored;           ///< all required tiles have the scores of this update
    lf__array wishes;      ///< a heap
    lf_globe_change change;
    lf_status status;
} updating;

// ---------------------------------------------------------------------------------------------------
// A heap of requests
// ---------------------------------------------------------------------------------------------------

static bool globe_update_comes_first(const wish *a, const wish *b) {
    if (a->score != b->score)
        return a->score < b->score;
    return lf_tile_pack(a->key) < lf_tile_pack(b->key);
}

static bool wish_before(const void *items, int64_t i, int64_t j) {
    const wish *wishes = items;
    return globe_update_comes_first(&wishes[j], &wishes[i]); // the heap has the last one in front
}

static void wish_swap(void *items, int64_t i, int64_t j) {
    wish *wishes = items, kept = wishes[i];
    wishes[i] = wishes[j];
    wishes[j] = kept;
}

static void globe_update_push(updating *u, wish w) {
    if (lf__array_reserve(&u->wishes, &u->globe->allocator, 1, sizeof w) != LF_OK) {
        u->status = LF_NO_MEMORY;
        return;
    }
    lf__heap heap = {u->wishes.items, wish_before, wish_swap};
    ((wish *)u->wishes.items)[u->wishes.count] = w;
    lf__heap_up(&heap, u->wishes.count++);
}

static wish globe_update_pop(updating *u) {
    lf__heap heap = {u->wishes.items, wish_before, wish_swap};
    wish *wishes = u->wishes.items, first = wishes[0];
    wishes[0] = wishes[--u->wishes.count];
    lf__heap_down(&heap, u->wishes.count);
    return first;
}

// ---------------------------------------------------------------------------------------------------
// Which tiles are required
// ---------------------------------------------------------------------------------------------------

/// To the sphere around a tile; negative inside.
static double globe_update_distance_to(const lf__tile *tile, lf_vec3 p) {
    return lf_vec3_length(lf_vec3_sub(p, tile->centre)) - tile->radius;
}

static bool lies_in(lf_geodetic place, lf_geodetic_box area) {
    double lon = lf__globe_turn(place.lon_deg);
    return lon >= area.west && lon <= area.east && place.lat_deg >= area.south && place.lat_deg <= area.north;
}

static bool looks_all_round(const lf__globe_view *view) {
    lf_vec3 f = view->rules.forward;
    return f.x == 0 && f.y == 0 && f.z == 0;
}

/// Is a point of the sphere around a tile in the cone of view from a position?
static bool in_view(const lf__globe_view *view, const lf__tile *tile, lf_vec3 position) {
    lf_vec3 to = lf_vec3_sub(tile->centre, position), forward = lf_vec3_unit(view->rules.forward);
    double distance = lf_vec3_length(to);
    if (!(distance > tile->radius))
        return true;
    double angle = atan2(lf_vec3_length(lf_vec3_cross(to, forward)), lf_vec3_dot(to, forward));
    return angle - asin(tile->radius / distance) <= 0.5 * view->rules.field;
}

static bool is_viewed(const lf__globe_view *view, const lf__tile *tile) {
    return looks_all_round(view) || in_view(view, tile, view->rules.position) ||
           in_view(view, tile, view->ahead) || lies_in(view->below[0], tile->area) ||
           lies_in(view->below[1], tile->area);
}

/// The distance of the viewer, or of its predicted position, which counts as much.
static double distance_of(const lf__globe_view *view, const lf__tile *tile) {
    return fmin(globe_update_distance_to(tile, view->rules.position),
                globe_update_distance_to(tile, view->ahead));
}

/// Below 1 the children of a tile are required.
static double need_of(const lf__globe_view *view, const lf__tile *tile) {
    if (!is_viewed(view, tile))
        return LF_INFINITY;
    double resolution = tile->kind == LF__TILE_NONE ? LF_INFINITY : tile->resolution;
    return isinf(resolution) ? 0 : fmax(distance_of(view, tile), 0) * view->rules.detail / resolution;
}

/// Tiles under the position come first, coarse ones first; then the others by need.
static double score_of(const lf_globe *globe, const lf__globe_view *view, const lf__tile *parent,
                       int quarter) {
    lf_geodetic_box area = lf__globe_tile_area(globe, lf__tile_child(parent->key, quarter));
    double path = lies_in(view->below[0], area) ? 0 : lies_in(view->below[1], area) ? 100 : 200;
    return path + parent->key.level + (path < 200 ? 0 : need_of(view, parent) * LF_GLOBE_LEVELS);
}

// ---------------------------------------------------------------------------------------------------
// Deciding again only where that may have changed
// ---------------------------------------------------------------------------------------------------

// Whether a tile is refined depends on its distance alone, as long as the viewer looks all round. When it is
// decided, the distance that is left to the other decision is added to the travel so far: before that much
// travel nothing can change. Each tile also has the least such number of all tiles below it, so that an
// update goes only to those that are due, and to those with missing children, which it asks for again.

/// Travel beyond which everything is decided again: sums of small steps would be rounded too much.
#define FARTHEST_TRAVEL 1e9

/// Distances are known up to this many metres, and this share of them.
#define DISTANCE_ERROR 1e-6
#define DISTANCE_SHARE 1e-9

static bool decide(const updating *u, lf__tile *tile) {
    const lf__globe_view *view = u->view;
    if (view->rules.detail == 0) {
        tile->own_due = LF_INFINITY;
        return false;
    }
    double limit = tile->kind == LF__TILE_NONE ? LF_INFINITY : tile->resolution / view->rules.detail;
    double distance = distance_of(view, tile);
    double left = fabs(limit - distance) - DISTANCE_ERROR - DISTANCE_SHARE * (limit + fabs(distance));
    tile->own_due = isinf(limit) ? LF_INFINITY : left > 0 ? u->globe->travel + left : -LF_INFINITY;
    return need_of(view, tile) < 1;
}

static void globe_update_enter(updating *u, lf__tile *tile, double score) {
    tile->required = true;
    tile->refined = false;
    tile->own_due = tile->due = -LF_INFINITY;
    tile->stamp = u->globe->frame;
    tile->score = score;
    u->globe->required_count++;
}

/// The tiles below a tile are no longer required: they were last by the update before, with the score of then.
static void globe_update_leave(updating *u, lf__tile *parent) {
    for (int k = 0; k < 4; k++) {
        lf__tile *tile = parent->child[k];
        if (!tile || !tile->required)
            continue;
        if (tile->loaded_at < u->globe->updated)
            tile->score = score_of(u->globe, &u->before, parent, k);
        tile->stamp = lf__tile_used(u->globe, tile);
        tile->required = false;
        u->globe->required_count--;
        u->change.wanted--;
        globe_update_leave(u, tile);
    }
    parent->refined = false;
}

/// Mark the required tiles below a required tile, where that may have changed; request the missing ones.
static void globe_update_want(updating *u, lf__tile *tile) {
    if (!u->all && tile->due > u->globe->travel)
        return;
    bool refine = u->all || tile->own_due <= u->globe->travel ? decide(u, tile) : tile->refined;
    if (tile->refined && !refine)
        globe_update_leave(u, tile);
    tile->refined = refine;
    tile->due = tile->own_due;
    for (int k = 0; k < 4 && refine; k++) {
        lf__tile *child = tile->child[k];
        if (!child && !lf__tile_has_child(tile, k))
            continue;
        if (!child) {
            u->change.wanted++;
            tile->due = -LF_INFINITY;
            globe_update_push(u, (wish){lf__tile_child(tile->key, k), score_of(u->globe, u->view, tile, k)});
            continue;
        }
        if (!child->required) {
            u->change.wanted++;
            globe_update_enter(u, child, score_of(u->globe, u->view, tile, k));
        }
        globe_update_want(u, child);
        tile->due = fmin(tile->due, child->due);
    }
}

/// The scores of all required tiles, which are needed only when some of them must go.
static void globe_update_scores(const updating *u, const lf__tile *parent) {
    for (int k = 0; k < 4; k++)
        if (parent->child[k] && parent->child[k]->required) {
            parent->child[k]->score = score_of(u->globe, u->view, parent, k);
            globe_update_scores(u, parent->child[k]);
        }
}

/// Unload tiles that are not required, then required ones with a higher score.
static bool globe_update_fits(updating *u, double score) {
    if (lf__globe_make_space(u->globe, LF_INFINITY))
        return true;
    for (int64_t i = 0; i < u->globe->root_count && !u->scored; i++)
        globe_update_scores(u, lf__globe_tile(u->globe, i));
    u->scored = true;
    return lf__globe_make_space(u->globe, score);
}

/// Fetch one tile; false: no more can be fetched.
static bool fulfil(updating *u, lf__tile *parent, const wish *w) {
    lf__tile *tile;
    switch (lf__globe_fetch(u->globe, parent, w->key, false, &tile)) {
    case LF__FETCH_NO_MEMORY:
        u->status = LF_NO_MEMORY;
        return false;
    case LF__FETCH_LATER:
        u->change.waiting++;
        return true;
    case LF__FETCH_NONE:
        u->change.wanted--;
        return true;
    case LF__FETCHED:
        break;
    }
    globe_update_enter(u, tile, w->score);
    int64_t gone = u->globe->evict_count;
    bool fits = globe_update_fits(u, w->score);
    u->change.evicted += u->globe->evict_count - gone;
    if (!fits) {
        lf__globe_drop(u->globe, tile);
        u->change.refused++;
        return false;
    }
    u->change.fetched++;
    globe_update_want(u, tile);
    return true;
}

static void fetch_wishes(updating *u) {
    bool space = true;
    int64_t asked = 0;
    while (u->wishes.count > 0 && u->status == LF_OK) {
        wish w = globe_update_pop(u);
        lf__tile *parent = lf__globe_find(u->globe, lf__tile_parent(w.key));
        if (!parent) // unloaded for a nearer tile
            continue;
        if (!space)
            u->change.refused++;
        else if (asked >= u->view->rules.most)
            u->change.waiting++;
        else
            space = fulfil(u, parent, &w);
        asked++;
    }
}

/// How far the viewer or its predicted position have moved since the last update; infinite where decisions do not depend on
/// that alone.
static double moved_since(const lf__globe_view *before, const lf__globe_view *now) {
    if (!(before->rules.detail == now->rules.detail) || !looks_all_round(before) || !looks_all_round(now))
        return LF_INFINITY;
    return fmax(lf_vec3_length(lf_vec3_sub(now->rules.position, before->rules.position)),
                lf_vec3_length(lf_vec3_sub(now->ahead, before->ahead)));
}

static void mark_tiles(updating *u) {
    lf_globe *globe = u->globe;
    double moved = moved_since(&u->before, u->view);
    u->all = !(globe->travel + moved < FARTHEST_TRAVEL);
    globe->travel = u->all ? 0 : globe->travel + moved;
    u->change.wanted = globe->required_count;
    for (int64_t i = 0; i < globe->root_count; i++) {
        lf__tile *root = lf__globe_tile(globe, i);
        if (!root->required) {
            u->change.wanted++;
            globe_update_enter(u, root, root->score);
        }
        globe_update_want(u, root);
    }
    globe->updated = globe->frame;
}

lf_status lf_globe_update(lf_globe *globe, const lf_globe_update_rules *given, lf_globe_change *change) {
    lf_globe_update_rules rules = lf_globe_update_rules_default();
    if (!globe || !given || lf__def_read(&rules, sizeof rules, given, NULL) != LF_OK ||
        !lf_vec3_finite(rules.position) || !lf_vec3_finite(rules.velocity) || !isfinite(rules.ahead) ||
        !(rules.detail >= 0) || rules.most < 0 || !lf_vec3_finite(rules.forward) || !(rules.field > 0) ||
        lf__globe_reentered(globe))
        return LF_BAD_ARGUMENT;
    updating u = {.globe = globe, .view = &globe->view, .before = globe->view};
    globe->view.rules = rules;
    globe->view.ahead = lf_vec3_along(rules.position, rules.ahead, rules.velocity);
    globe->view.below[0] = lf_ellipsoid_to_geodetic(&globe->ellipsoid, rules.position);
    globe->view.below[1] = lf_ellipsoid_to_geodetic(&globe->ellipsoid, globe->view.ahead);
    globe->frame++;
    mark_tiles(&u);
    int64_t gone = globe->evict_count;
    lf__globe_make_space(globe, LF_INFINITY);
    u.change.evicted += globe->evict_count - gone;
    fetch_wishes(&u);
    lf__array_free(&u.wishes, &globe->allocator, sizeof(wish));
    if (change)
        *change = u.change;
    return lf__globe_told(globe, u.status);
}

// ---------------------------------------------------------------------------------------------------
// What is drawn
// ---------------------------------------------------------------------------------------------------

typedef struct drawing {
    const lf_globe *globe;
    lf_globe_drawn *tiles;
    int64_t capacity, count;
} drawing;

static void describe_drawn(const lf__tile *tile, uint32_t quarters, lf_globe_drawn *drawn) {
    lf_vec3 by = {tile->radius, tile->radius, tile->radius};
    *drawn = (lf_globe_drawn){.key = tile->key,
                              .box = {lf_vec3_sub(tile->centre, by), lf_vec3_add(tile->centre, by)},
                              .resolution = tile->resolution,
                              .quarters = quarters};
    if (tile->tin.triangle_count > 0) {
        drawn->origin = tile->tin.centre;
        drawn->vertices = tile->tin.points;
        drawn->corners = tile->tin.corners;
        drawn->vertex_count = tile->tin.vertex_count;
        drawn->triangle_count = tile->tin.triangle_count;
    } else {
        drawn->heights = tile->heights;
        drawn->columns = tile->columns;
        drawn->rows = tile->rows;
        drawn->west = tile->west;
        drawn->south = tile->south;
        drawn->per_column = tile->per_column;
        drawn->per_row = tile->per_row;
    }
}

/// Required by the last update, or loaded since.
static bool is_drawn(const lf_globe *globe, const lf__tile *tile) {
    return tile->required || tile->loaded_at >= globe->updated;
}

/// Is anything drawn of a tile or below it?
static bool draws(const lf_globe *globe, const lf__tile *tile) {
    bool any = tile->kind != LF__TILE_NONE;
    for (int k = 0; k < 4 && !any; k++)
        any = tile->child[k] && is_drawn(globe, tile->child[k]) && draws(globe, tile->child[k]);
    return any;
}

/// List a tile, with the quarters that nothing finer covers, and the finer ones.
static void list_drawn(drawing *d, const lf__tile *tile) {
    uint32_t quarters = LF_TILE_CHILDREN_ALL;
    for (int k = 0; k < 4; k++)
        if (tile->child[k] && is_drawn(d->globe, tile->child[k]) && draws(d->globe, tile->child[k]))
            quarters &= ~(1u << k);
    if (quarters && tile->kind != LF__TILE_NONE) {
        if (d->count < d->capacity)
            describe_drawn(tile, quarters, &d->tiles[d->count]);
        d->count++;
    }
    for (int k = 0; k < 4; k++)
        if (!(quarters >> k & 1))
            list_drawn(d, tile->child[k]);
}

lf_status lf_globe_draw_list(const lf_globe *globe, lf_globe_drawn *tiles, int64_t capacity, int64_t *count) {
    if (count)
        *count = 0;
    if (!globe || !count || capacity < 0 || (capacity > 0 && !tiles))
        return LF_BAD_ARGUMENT;
    drawing d = {globe, tiles, capacity, 0};
    for (int64_t i = 0; i < globe->root_count; i++)
        list_drawn(&d, lf__globe_tile(globe, i));
    *count = d.count;
    return lf__globe_told(globe, d.count > capacity ? LF_PARTIAL : LF_OK);
}

// ---------------------------------------------------------------------------------------------------
// By key and area
// ---------------------------------------------------------------------------------------------------

/// Load one child, waiting for it. NULL where it does not exist.
static lf_status load_child(lf_globe *globe, lf__tile *parent, int quarter, lf__tile **child) {
    *child = parent->child[quarter];
    if (!*child && lf__tile_has_child(parent, quarter)) {
        lf__fetch fetched = lf__globe_fetch(globe, parent, lf__tile_child(parent->key, quarter), true, child);
        if (fetched == LF__FETCH_NO_MEMORY)
            return LF_NO_MEMORY;
        if (fetched != LF__FETCHED)
            *child = NULL;
        if (*child) {
            (*child)->stamp = globe->frame;
            if (!lf__globe_make_space(globe, LF_INFINITY)) {
                lf__globe_drop(globe, *child);
                *child = NULL;
                return LF_TOO_LARGE;
            }
        }
    }
    if (*child)
        lf__tile_ask(globe, *child);
    return LF_OK;
}

lf_status lf_globe_load(lf_globe *globe, lf_tile_key key, bool *there) {
    if (!globe || !lf__globe_key_valid(globe, key) || lf__globe_reentered(globe))
        return LF_BAD_ARGUMENT;
    int32_t up = key.level;
    lf__tile *tile = lf__globe_find(globe, (lf_tile_key){0, key.column >> up, key.row >> up});
    for (int level = 1; level <= key.level && tile; level++) {
        lf_tile_key next = {level, key.column >> (up - level), key.row >> (up - level)};
        tile->stamp = globe->frame;
        lf_status status = load_child(globe, tile, lf__tile_quarter(next), &tile);
        if (status != LF_OK)
            return status;
    }
    if (there)
        *there = tile != NULL;
    return lf__globe_told(globe, LF_OK);
}

static bool globe_update_meets(lf_geodetic_box a, lf_geodetic_box b) {
    for (int turn = -1; turn <= 1; turn++)
        if (a.west + 360 * turn <= b.east && b.west <= a.east + 360 * turn && a.south <= b.north &&
            b.south <= a.north)
            return true;
    return false;
}

static lf_status load_beneath(lf_globe *globe, lf__tile *tile, const lf_geodetic_box *area, int level) {
    tile->stamp = globe->frame;
    if (tile->key.level >= level)
        return LF_OK;
    for (int k = 0; k < 4; k++) {
        if (!globe_update_meets(*area, lf__globe_tile_area(globe, lf__tile_child(tile->key, k))))
            continue;
        lf__tile *child;
        lf_status status = load_child(globe, tile, k, &child);
        if (status == LF_OK && child)
            status = load_beneath(globe, child, area, level);
        if (status != LF_OK)
            return status;
    }
    return LF_OK;
}

lf_status lf_globe_load_area(lf_globe *globe, lf_geodetic_box area, int level) {
    if (!globe || level < 0 || !(area.west <= area.east && area.east - area.west <= 360) ||
        !(area.south <= area.north) || !(fabs(area.west) <= 360) || !(fabs(area.east) <= 540) ||
        lf__globe_reentered(globe))
        return LF_BAD_ARGUMENT;
    for (int64_t i = 0; i < globe->root_count; i++) {
        lf__tile *root = lf__globe_tile(globe, i);
        if (!globe_update_meets(area, root->area))
            continue;
        lf_status status = load_beneath(globe, root, &area, level);
        if (status != LF_OK)
            return status;
    }
    return lf__globe_told(globe, LF_OK);
}

void lf_globe_unload(lf_globe *globe) {
    if (lf__globe_reentered(globe))
        return;
    // From the finest level up, so that no tile goes before its children.
    for (int level = globe->finest; level > 0; level--)
        for (int64_t i = globe->tiles.count - 1; i >= globe->root_count; i--)
            if (lf__globe_tile(globe, i)->key.level == level)
                lf__globe_drop(globe, lf__globe_tile(globe, i));
}

void lf_globe_set_budget(lf_globe *globe, size_t bytes) {
    globe->budget = bytes;
}
