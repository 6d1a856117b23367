/// Globes of tiles that JavaScript delivers, and cameras over any ground.
#include "web.h"
#include <math.h>

// ---------------------------------------------------------------------------------------------------
// Tiles
// ---------------------------------------------------------------------------------------------------

/// A tile that was delivered; it is freed when the globe has copied it.
typedef struct web_tile {
    lf_tile_key key;
    bool absent; ///< there is no such tile: kept, so that nobody asks again
    uint32_t children;
    lf_geodetic *vertices;
    int64_t *corners;
    int64_t vertex_count, triangle_count;
    struct web_tile *next;
} web_tile;

#define WEB_BUCKETS 1024
#define WEB_WANTED 256 ///< tiles that are asked for at a time

struct web_tiles {
    web_tile *buckets[WEB_BUCKETS];
    lf_tile_key wanted[WEB_WANTED];
    int wanted_count;
};

static bool same_key(lf_tile_key a, lf_tile_key b) {
    return a.level == b.level && a.column == b.column && a.row == b.row;
}

/// Where the pointer to a tile is; what it points to is NULL when there is no such tile.
static web_tile **find_tile(web_tiles *tiles, lf_tile_key key) {
    web_tile **at = &tiles->buckets[(uint32_t)(key.level * 7919 + key.column * 131 + key.row) % WEB_BUCKETS];
    while (*at && !same_key((*at)->key, key))
        at = &(*at)->next;
    return at;
}

static void remove_tile(web_tile **at) {
    web_tile *tile = *at;
    *at = tile->next;
    free(tile->vertices);
    free(tile->corners);
    free(tile);
}

void web_tiles_destroy(web_tiles *tiles) {
    for (int k = 0; tiles && k < WEB_BUCKETS; k++)
        while (tiles->buckets[k])
            remove_tile(&tiles->buckets[k]);
    free(tiles);
}

static lf_tile_state fetch_tile(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    web_tiles *tiles = user;
    const web_tile *found = *find_tile(tiles, key);
    if (!found) {
        if (wait)
            snprintf(detail->text, sizeof detail->text, "tile %d/%d/%d was not delivered", (int)key.level,
                     (int)key.column, (int)key.row);
        else if (tiles->wanted_count < WEB_WANTED)
            tiles->wanted[tiles->wanted_count++] = key;
        return wait ? LF_TILE_FAILED : LF_TILE_LATER;
    }
    tile->children = found->children;
    if (found->absent)
        return LF_TILE_ABSENT;
    tile->vertices = found->vertices;
    tile->corners = found->corners;
    tile->vertex_count = found->vertex_count;
    tile->triangle_count = found->triangle_count;
    tile->owner = (void *)(uintptr_t)found;
    return LF_TILE_READY;
}

static void release_tile(void *user, lf_tile *tile) {
    const web_tile *found = tile->owner;
    web_tile **at = find_tile(user, found->key);
    if (*at)
        remove_tile(at);
}

/// A globe without tiles: deliver its roots by web_globe_tile, then call web_globe_start.
WEB web_ground *web_globe(void) {
    web_ground *g = web_new();
    if (!g)
        return NULL;
    g->tiles = calloc(1, sizeof *g->tiles);
    if (!g->tiles) {
        web_fail(LF_NO_MEMORY, NULL);
        web_destroy(g);
        return NULL;
    }
    g->units = LF_MAP_DEGREES;
    return g;
}

/// Deliver a tile: key (level, column, row), which children there are, longitude, latitude and height of each vertex, three corners of
/// each triangle. Without triangles: there is no such tile.
WEB int web_globe_tile(web_ground *g, const double *key, const double *vertices, int vertex_count,
                       const uint32_t *corners, int triangle_count) {
    web_tile *tile = calloc(1, sizeof *tile);
    size_t vertex_bytes = sizeof(lf_geodetic) * (size_t)vertex_count,
           corner_count = 3 * (size_t)triangle_count;
    if (!tile)
        return web_fail(LF_NO_MEMORY, NULL);
    tile->key = (lf_tile_key){(int32_t)key[0], (int32_t)key[1], (int32_t)key[2]};
    tile->children = (uint32_t)key[3];
    tile->absent = triangle_count == 0;
    tile->vertices = malloc(vertex_bytes + 1);
    tile->corners = malloc(sizeof *tile->corners * corner_count + 1);
    if (!tile->vertices || !tile->corners) {
        free(tile->vertices);
        free(tile->corners);
        free(tile);
        return web_fail(LF_NO_MEMORY, NULL);
    }
    memcpy(tile->vertices, vertices, vertex_bytes);
    for (size_t k = 0; k < corner_count; k++)
        tile->corners[k] = corners[k];
    tile->vertex_count = vertex_count;
    tile->triangle_count = triangle_count;
    web_tile **at = find_tile(g->tiles, tile->key);
    if (*at)
        remove_tile(at);
    at = find_tile(g->tiles, tile->key); // the end of its list
    *at = tile;
    return 0;
}

/// Begin: the roots have been delivered.
WEB int web_globe_start(web_ground *g, int root_columns, int root_rows, int levels, double budget) {
    lf_globe_def def = lf_globe_def_default();
    lf_error error = {0};
    def.provider = (lf_globe_provider){g->tiles, fetch_tile, release_tile};
    def.root_columns = root_columns;
    def.root_rows = root_rows;
    def.level_count = levels;
    def.budget = (size_t)budget;
    lf_status status = lf_globe_create(&def, &g->globe, &error);
    if (status != LF_OK)
        return web_fail(status, &error);
    g->ground = lf_globe_ground(g->globe);
    return 0;
}

/// Load what a viewer needs: position, velocity, direction of view (3 each), seconds ahead, detail, most, field (4).
/// wanted  keys of tiles that are to be delivered, three numbers each, WEB_WANTED of them
/// change  fetched, evicted, waiting, refused
/// Returns how many are wanted.
WEB int web_globe_update(web_ground *g, const double *n, double *wanted, double *change) {
    lf_globe_update_rules rules = lf_globe_update_rules_default();
    lf_globe_change did;
    rules.position = (lf_vec3){n[0], n[1], n[2]};
    rules.velocity = (lf_vec3){n[3], n[4], n[5]};
    rules.forward = (lf_vec3){n[6], n[7], n[8]};
    rules.ahead = n[9];
    rules.detail = n[10];
    rules.most = (int64_t)n[11];
    rules.field = n[12];
    if (g->tiles)
        g->tiles->wanted_count = 0;
    lf_status status = lf_globe_update(g->globe, &rules, &did);
    if (status != LF_OK)
        return web_fail(status, NULL);
    change[0] = (double)did.fetched, change[1] = (double)did.evicted;
    change[2] = (double)did.waiting, change[3] = (double)did.refused;
    int count = g->tiles ? g->tiles->wanted_count : 0;
    for (int k = 0; k < count; k++) {
        wanted[3 * k] = g->tiles->wanted[k].level;
        wanted[3 * k + 1] = g->tiles->wanted[k].column;
        wanted[3 * k + 2] = g->tiles->wanted[k].row;
    }
    return count;
}

#define WEB_DRAWN 20

/// The tiles to draw, WEB_DRAWN numbers each: level, column, row, quarters, resolution; origin (3); addresses of vertices and corners,
/// how many of each; address of heights, columns, rows, west, south, per_column, per_row; 0. Returns how many there are; at most
/// capacity are written.
WEB int web_globe_drawn(const web_ground *g, double *out, int capacity) {
    lf_globe_drawn *tiles = malloc(sizeof *tiles * (size_t)(capacity > 0 ? capacity : 1));
    int64_t count = 0;
    if (!tiles)
        return web_fail(LF_NO_MEMORY, NULL);
    lf_status status = lf_globe_draw_list(g->globe, tiles, capacity, &count);
    for (int64_t k = 0; status >= 0 && k < count && k < capacity; k++) {
        const lf_globe_drawn *t = tiles + k;
        double numbers[WEB_DRAWN] = {t->key.level,
                                     t->key.column,
                                     t->key.row,
                                     t->quarters,
                                     t->resolution,
                                     t->origin.x,
                                     t->origin.y,
                                     t->origin.z,
                                     (double)(uintptr_t)t->vertices,
                                     (double)(uintptr_t)t->corners,
                                     (double)t->vertex_count,
                                     (double)t->triangle_count,
                                     (double)(uintptr_t)t->heights,
                                     t->columns,
                                     t->rows,
                                     t->west,
                                     t->south,
                                     t->per_column,
                                     t->per_row,
                                     0};
        memcpy(out + WEB_DRAWN * k, numbers, sizeof numbers);
    }
    free(tiles);
    return status < 0 ? web_fail(status, NULL) : (int)count;
}

/// The ground at a place: reason, height, level, column, row of its tile, resolution, whether finer tiles are missing, normal (3).
WEB int web_globe_at(const web_ground *g, double longitude, double latitude, double *out) {
    lf_globe_elevation e;
    lf_vec3 normal;
    lf_status status = lf_globe_height(g->globe, longitude, latitude, &e, NULL);
    if (status == LF_OK)
        status = lf_globe_normal(g->globe, longitude, latitude, &normal);
    if (status != LF_OK)
        return web_fail(status, NULL);
    double numbers[] = {(double)e.reason, e.height,  e.tile.level, e.tile.column, e.tile.row,
                        e.resolution,     e.coarser, normal.x,     normal.y,      normal.z};
    memcpy(out, numbers, sizeof numbers);
    return 0;
}

/// From longitude, latitude, height to earth-centred coordinates, or (back != 0) the other way round; in place.
WEB void web_centred(const web_ground *g, double *p, int back) {
    lf_ellipsoid ellipsoid = g->globe ? lf_globe_describe(g->globe).ellipsoid : lf_ellipsoid_wgs84();
    if (back) {
        lf_geodetic at = lf_ellipsoid_to_geodetic(&ellipsoid, (lf_vec3){p[0], p[1], p[2]});
        p[0] = at.lon_deg, p[1] = at.lat_deg, p[2] = at.height;
    } else {
        lf_vec3 at = lf_ellipsoid_to_centred(&ellipsoid, (lf_geodetic){p[0], p[1], p[2]});
        p[0] = at.x, p[1] = at.y, p[2] = at.z;
    }
}

// ---------------------------------------------------------------------------------------------------
// Cameras
// ---------------------------------------------------------------------------------------------------

/// Move a camera for a time step: position, velocity, turn (3 each, changed), clearance, raise limit, look ahead.
/// out  what was done (lf_camera_act bits), share, raised
WEB int web_camera_step(const web_ground *g, double *n, double dt, double *out) {
    lf_camera camera = lf_camera_default();
    lf_camera_result result;
    camera.position = (lf_vec3){n[0], n[1], n[2]};
    camera.velocity = (lf_vec3){n[3], n[4], n[5]};
    camera.turn = (lf_vec3){n[6], n[7], n[8]};
    camera.clearance = n[9];
    camera.raise_limit = n[10];
    camera.look_ahead = n[11];
    lf_status status = lf_camera_step(&camera, g->ground, dt, &result);
    if (status != LF_OK)
        return web_fail(status, NULL);
    lf_vec3 moved[3] = {camera.position, camera.velocity, camera.turn};
    memcpy(n, moved, sizeof moved);
    out[0] = result.did, out[1] = result.share, out[2] = result.raised;
    return 0;
}
