/// landfall/globe.h: a planet of tiles in longitude and latitude, at several levels of detail, loaded on demand.
///
/// Tiles form a quadtree: level 0 has `root_columns` x `root_rows` tiles over 360 x 180 degrees, and each tile has four
/// children of half its width and height. Columns are counted from the west (-180), rows from the south (-90). A tile is
/// a regular grid of samples with heights bilinear in longitude and latitude between them, or a TIN of triangles that
/// are flat in space.
///
/// The ground at a place is that of the finest loaded tile there. Where neighbouring tiles do not fit, because one is
/// coarser or their borders differ, the step between them is a wall that rays hit. Positions are earth-centred
/// (lf_ellipsoid_to_centred), in metres.
#ifndef LANDFALL_GLOBE_H
#define LANDFALL_GLOBE_H

#include <landfall/grid.h>
#include <landfall/ground.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// Tiles and their provider
// ---------------------------------------------------------------------------------------------------

#define LF_GLOBE_LEVELS 26 ///< levels are 0 .. 25; at level 25 tiles of 17 x 17 samples are 2 cm apart

/// Identifies a tile.
typedef struct lf_tile_key {
    int32_t level;  ///< 0 is coarsest
    int32_t column; ///< from -180 eastwards, 0 <= column < root_columns * 2^level
    int32_t row;    ///< from -90 northwards, 0 <= row < root_rows * 2^level
} lf_tile_key;

/// A rectangle of longitude and latitude.
typedef struct lf_geodetic_box {
    double west, south, east, north; ///< degrees; west < east, at most 360 apart
} lf_geodetic_box;

/// The area of a tile of a globe with so many tiles at level 0 (lf_globe_def). It needs no globe, for use in `fetch`.
/// key  in range
static inline lf_geodetic_box lf_tile_area(int root_columns, int root_rows, lf_tile_key key) {
    double width = ldexp(360.0 / root_columns, -key.level), height = ldexp(180.0 / root_rows, -key.level);
    lf_geodetic_box area = {key.column * width - 180, key.row * height - 90, (key.column + 1) * width - 180,
                            (key.row + 1) * height - 90};
    return area;
}

/// Result of lf_globe_provider.fetch.
typedef enum lf_tile_state {
    LF_TILE_READY,  ///< the tile was written
    LF_TILE_ABSENT, ///< there is no such tile, and no finer one below it unless `children` has bits set
    LF_TILE_LATER,  ///< not available yet: ask again at the next update. Counts as failed if `wait` is set
    LF_TILE_FAILED  ///< cannot be read: logged, and treated as absent
} lf_tile_state;

/// Which children exist: bit 0 south-west, 1 south-east, 2 north-west, 3 north-east.
#define LF_TILE_CHILDREN_ALL 0xfu      ///< all four
#define LF_TILE_CHILDREN_UNKNOWN 0x10u ///< `fetch` is called to find out

/// A tile as a provider returns it. It is zeroed before `fetch`; fields that stay 0 mean the simplest case. The globe copies
/// what it needs: pointers must stay valid until `release` is called for the tile, or, without `release`, until the next
/// call of `fetch`.
typedef struct lf_tile {
    /// Grid: heights in metres, row by row from the south-west sample; NAN is a void. columns = 0: no grid.
    const float *heights;
    int32_t columns, rows; ///< samples, 2 .. 4097 each
    /// Positions of the samples: sample (i, j) is at longitude west + i * per_column and latitude south + j * per_row,
    /// limited to +-90 (so that the last row may be closer). They must cover the tile. per_column = 0: the outermost
    /// samples are on the borders of the tile, the others evenly between.
    double west, south, per_column, per_row; ///< degrees

    /// TIN: vertices, and corners of triangles (counter-clockwise seen from above). triangle_count = 0: no TIN.
    const lf_geodetic *vertices;
    const int64_t *corners;               ///< 3 per triangle, each 0 <= corner < vertex_count
    int64_t vertex_count, triangle_count; ///< how many

    /// Whether low and high bound this tile and all finer tiles below it.
    bool bounded;
    double low, high; ///< least and greatest height, metres

    uint32_t children; ///< LF_TILE_CHILDREN bits; 0: there are no finer tiles
    void *owner;       ///< any value of the provider, for release
} lf_tile;

/// A source of tiles: a file, a folder, an engine. Its functions are called on the calling thread, by lf_globe_create,
/// lf_globe_update, lf_globe_load, lf_globe_load_area, queries of the finest tiles and lf_store_write, which may call them on
/// several threads (lf_globe_def.fetchers). They may query the loaded ground of
/// their globe (lf_globe_height, lf_globe_normal, lf_globe_ground). Calls that load return LF_BAD_ARGUMENT there, also
/// queries of lf_globe_ground_finest; lf_globe_unload and lf_globe_destroy are ignored.
typedef struct lf_globe_provider {
    void *user; ///< passed to the callbacks
    /// Fetch a tile.
    /// wait    true: LF_TILE_LATER counts as failed
    /// tile    zeroed before the call; to be written for LF_TILE_READY, and its `children` also for LF_TILE_ABSENT
    ///         (finer tiles may exist where coarser ones do not)
    /// detail  space for a message for LF_TILE_FAILED
    lf_tile_state (*fetch)(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail);
    /// Free a tile that was LF_TILE_READY, after it has been copied. NULL: nothing to do.
    void (*release)(void *user, lf_tile *tile);
} lf_globe_provider;

/// How to make a globe; start from lf_globe_def_default() and set the provider.
typedef struct lf_globe_def {
    size_t size;                ///< stamped by the default function
    lf_host host;               ///< hooks of the caller
    lf_ellipsoid ellipsoid;     ///< WGS84 by default; a sphere has flattening 0
    lf_globe_provider provider; ///< its user must outlive the globe
    int root_columns;           ///< 1 .. 16; 2 by default
    int root_rows;              ///< 1 .. 8; 1 by default
    int level_count;            ///< finest level + 1, 1 .. LF_GLOBE_LEVELS; all of them by default
    size_t budget;              ///< bytes of tiles in memory; 64 MiB by default
    /// How many threads may call `fetch` and `release` of the provider at once, 1 or more; 1 by default. Only lf_store_write with
    /// tasks calls them from several; then `release` is needed.
    int fetchers;
} lf_globe_def;

static inline lf_globe_def lf_globe_def_default(void) {
    lf_globe_def def = {sizeof(lf_globe_def),
                        {NULL, NULL, NULL, NULL},
                        {6378137.0, 1.0 / 298.257223563},
                        {NULL, NULL, NULL},
                        2,
                        1,
                        LF_GLOBE_LEVELS,
                        (size_t)64 << 20,
                        1};
    return def;
}

/// A globe.
typedef struct lf_globe lf_globe;

/// Create a globe. Its root tiles are fetched at once, with `wait`, and stay loaded.
/// globe  written only on success; destroy it with lf_globe_destroy
/// error  optional
/// Errors: LF_BAD_ARGUMENT (named), LF_BAD_FORMAT (no valid root tile), LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_globe_create(const lf_globe_def *def, lf_globe **globe, lf_error *error);

/// Destroy a globe; NULL is accepted. Ignored in callbacks of its provider. Threads: no other thread may use it.
LF_API void lf_globe_destroy(lf_globe *globe);

/// Description of a globe and of its loaded tiles.
typedef struct lf_globe_info {
    lf_ellipsoid ellipsoid;                   ///< the reference ellipsoid
    int root_columns, root_rows, level_count; ///< tiles across and up at level 0, and number of levels
    int64_t tile_count;                       ///< loaded tiles
    int finest;                               ///< finest level of the loaded tiles
    size_t bytes;                             ///< of the loaded tiles
    size_t budget;                            ///< bytes
    int64_t fetch_count;                      ///< calls of `fetch` since creation
    int64_t evict_count;                      ///< tiles unloaded for others since creation
    bool bounded;                             ///< every loaded tile has bounds of the finer tiles below it
    double low;                               ///< lower bound of the roots, as high
    /// Upper bound of the roots; -INFINITY, INFINITY where they are not bounded and have children.
    double high;
} lf_globe_info;

/// The loaded tiles of a globe as a ground, valid as long as the globe; NULL for NULL. World coordinates are earth-centred;
/// gravity lines run towards the centre (on an ellipsoid that differs from the plumb line by up to its flattening in
/// radians: 0.19 degrees on Earth). The user value of a hit is the tile (lf_tile_unpack). Costs nothing. Threads: any.
LF_API const lf_ground *lf_globe_ground(const lf_globe *globe);

/// The finest tiles of a globe as a ground: queries load what they need, waiting for it, and then unload what exceeds the
/// budget. Results do not depend on what is loaded, except for the last bits of t: a walk over a file of tiles meets the
/// same steps each time. Results without memory have the reason LF_REASON_NOT_LOADED.
/// Threads: any number may query at once and take turns; no other thread may load into the globe meanwhile.
LF_API const lf_ground *lf_globe_ground_finest(lf_globe *globe);

/// Describe a globe. Allocates nothing. Threads: any number at once.
LF_API lf_globe_info lf_globe_describe(const lf_globe *globe);

// ---------------------------------------------------------------------------------------------------
// Loading
// ---------------------------------------------------------------------------------------------------

/// What lf_globe_update loads; start from lf_globe_update_rules_default().
typedef struct lf_globe_update_rules {
    size_t size;      ///< stamped by the default function
    lf_vec3 position; ///< of the viewer, earth-centred
    /// Of the viewer, earth-centred, metres per second: the difference of positions over time.
    lf_vec3 velocity;
    double ahead; ///< seconds: tiles at position + ahead * velocity are loaded too; 2 by default
    /// A tile is refined where its resolution exceeds the distance times this; 1/256 by default, 0: no
    /// finer than roots.
    double detail;
    int64_t most; ///< largest number of tiles that an update fetches; 64 by default
    /// Direction of view, earth-centred, any length; zero, the default: all round. Otherwise tiles outside of the view are not
    /// refined, except those below the viewer and below its predicted position, which a camera needs.
    lf_vec3 forward;
    double
        field; ///< whole angle of the cone that is viewed, radians, > 0; that around the picture. 2 by default
} lf_globe_update_rules;

static inline lf_globe_update_rules lf_globe_update_rules_default(void) {
    lf_globe_update_rules rules = {
        sizeof(lf_globe_update_rules), {0, 0, 0}, {0, 0, 0}, 2, 1.0 / 256, 64, {0, 0, 0}, 2};
    return rules;
}

/// Result of an update.
typedef struct lf_globe_change {
    int64_t fetched; ///< tiles loaded
    int64_t evicted; ///< tiles unloaded
    int64_t waiting; ///< requested tiles that are not available yet (LF_TILE_LATER), or beyond `most`
    int64_t refused; ///< requested tiles for which the budget has no space
    int64_t wanted;  ///< tiles that these rules require, loaded ones included
} lf_globe_change;

/// Load the tiles that a viewer requires: first those under its position and its predicted position, then the others,
/// nearest first. Tiles that are not required are unloaded when space is needed, least recently used first; roots stay,
/// and no tile is unloaded before its children. The parent of a loaded tile is always loaded.
/// It costs in proportion to the tiles that are loaded, unloaded or asked for again, and to those whose distance comes near its limit: not to
/// their number, unless the viewer has a direction of view, or `detail` has changed.
/// change  optional; written only on success
/// Errors: LF_BAD_ARGUMENT (also from a callback of the provider), LF_NO_MEMORY (the globe stays valid, with some of the
/// requested tiles). Threads: no other thread may use the globe.
LF_API lf_status lf_globe_update(lf_globe *globe, const lf_globe_update_rules *rules,
                                 lf_globe_change *change);

/// A tile to draw. Pointers are valid until the globe next loads or unloads a tile.
typedef struct lf_globe_drawn {
    lf_tile_key key;   ///< which tile
    lf_box box;        ///< that contains its surface, earth-centred
    double resolution; ///< metres between its samples, as in lf_globe_elevation
    /// Which quarters of it are to be drawn, bits as those of LF_TILE_CHILDREN: finer tiles of the list are over the others.
    uint32_t quarters;
    /// Grid, as in lf_tile: sample (i, j) is at west + i * per_column and south + j * per_row, limited to +-90. columns = 0: none.
    const float *heights;
    int32_t columns, rows;                   ///< samples
    double west, south, per_column, per_row; ///< degrees
    /// TIN: vertices less `origin`, which is earth-centred, and three corners for each triangle. triangle_count = 0: none.
    lf_vec3 origin;
    const lf_vec3 *vertices;              ///< metres from the origin
    const uint32_t *corners;              ///< 3 per triangle
    int64_t vertex_count, triangle_count; ///< how many
} lf_globe_drawn;

/// The tiles that show the globe as the last update left it: of the loaded tiles the finest that its rules required. Every place
/// with ground is in a quarter of exactly one of them. Coarse tiles come before those below them.
/// tiles     space for capacity of them
/// count     how many there are; when more than capacity, the first are written and LF_PARTIAL is returned
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once, while nothing is loaded.
LF_API lf_status lf_globe_draw_list(const lf_globe *globe, lf_globe_drawn *tiles, int64_t capacity,
                                    int64_t *count);

/// Load a tile and all above it, waiting for them. It counts as required until the next update.
/// there  optional; false when the provider has no such tile
/// Errors: LF_BAD_ARGUMENT (no such key; from a callback of the provider), LF_NO_MEMORY, LF_TOO_LARGE (beyond the
/// budget). Threads: as lf_globe_update.
LF_API lf_status lf_globe_load(lf_globe *globe, lf_tile_key key, bool *there);

/// Load every tile that meets an area, down to a level, waiting for them.
/// level  the finest level to load
/// Errors: as lf_globe_load. Threads: as lf_globe_update.
LF_API lf_status lf_globe_load_area(lf_globe *globe, lf_geodetic_box area, int level);

/// Unload every tile but the roots. Ignored in callbacks of the provider. Threads: as lf_globe_update.
LF_API void lf_globe_unload(lf_globe *globe);

/// Set the budget, in bytes. The next update unloads what exceeds it. Threads: as lf_globe_update.
LF_API void lf_globe_set_budget(lf_globe *globe, size_t bytes);

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

/// Result of a height query of a globe.
typedef struct lf_globe_elevation {
    /// LF_REASON_ANSWERED, HOLE, OUTSIDE (no tile there), NOT_LOADED (only finer tiles, none of them
    /// loaded).
    lf_reason reason;
    double height; ///< metres above the ellipsoid, on the surface; NAN without an answer
    /// Nothing is higher here, in no finer tile either: the height where the finest is loaded, else the
    /// bound of the tile whose finer ones are missing; INFINITY where the source gives none.
    double ceiling;
    bool coarser;     ///< there are, or may be, finer tiles here that are not loaded
    lf_tile_key tile; ///< the tile of the height
    /// Metres between its samples along a meridian (of a TIN: the width of a square of the area of its mean
    /// triangle).
    double resolution;
    int32_t sample_count; ///< 1: on a sample, 2: on a line between two, 4: in a cell; 3: in a triangle
    int64_t samples[4];   ///< row * columns + column; of a TIN its vertices
    int64_t element;      ///< cell (row * columns + column of its south-west sample) or triangle
    int32_t probes;       ///< lookups of tiles: at most levels + 1
} lf_globe_elevation;

/// The height of the ground at a place, on the finest tile that is loaded there.
/// lon_deg  finite; taken modulo 360
/// lat_deg  in [-90, 90]
/// ground   always written; after LF_BAD_ARGUMENT its height is NAN and its reason LF_REASON_NONE
/// On the border of two tiles or cells the one to the north and east counts; at +-90 the longitude makes no difference.
/// Accuracy: within 1e-12 of the largest height of the cell in magnitude, for the place as it is given.
/// cursor   counters (cells: lookups of tiles), or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_globe_height(const lf_globe *globe, double lon_deg, double lat_deg,
                                 lf_globe_elevation *ground, lf_cursor *cursor);

/// The height of the ground at a place, on the finest tile that exists there: it and all above it are loaded, waiting for
/// them. The result does not depend on what was loaded before.
/// ground   as for lf_globe_height
/// Errors: LF_BAD_ARGUMENT (also from a callback of the provider), LF_NO_MEMORY, LF_TOO_LARGE (the tiles down to the finest
/// exceed the budget); after the last two the ground is that of the finest tile that could be loaded.
/// Threads: no other thread may use the globe.
LF_API lf_status lf_globe_height_finest(lf_globe *globe, double lon_deg, double lat_deg,
                                        lf_globe_elevation *ground);

/// The unit normal of the surface at a place, upwards, earth-centred; that of the ellipsoid where there is no ground.
/// normal  always written; zero after LF_BAD_ARGUMENT
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_globe_normal(const lf_globe *globe, double lon_deg, double lat_deg, lf_vec3 *normal);

// ---------------------------------------------------------------------------------------------------
// Sight
// ---------------------------------------------------------------------------------------------------

/// A line of sight over a globe.
typedef struct lf_globe_sight {
    bool clear;    ///< not blocked
    double t;      ///< blocked: where the line first goes below ground, 0 .. 1; clear: 1
    lf_vec3 point; ///< of the straight line there
    double length; ///< metres
    lf_hit hit;    ///< where it is blocked
} lf_globe_sight;

/// Can a see b, over the finest tiles? The line is straight in space, apart from refraction. It is blocked by ground more
/// than 1 mm above it strictly between its ends; the parts within 1 cm of the ground at its ends do not count. The verdict
/// is the same both ways. lf_sight_between with lf_globe_ground_finest returns the same verdict, and with lf_globe_ground
/// that of the loaded tiles; this call also returns the hit that blocks, and fails with LF_NO_MEMORY where tiles cannot be
/// loaded.
/// a, b        earth-centred, finite
/// refraction  curvature of light as a fraction of the earth's, -1 .. 1: 0 none, 1/7 visible light, 1/4 radio
/// sight       always written; after LF_BAD_ARGUMENT it is not clear, with t 0
/// Loads what it needs, as queries of lf_globe_ground_finest do.
/// Errors: LF_BAD_ARGUMENT (also from a callback of the provider), LF_NO_MEMORY. Threads: no other thread may use the globe.
LF_API lf_status lf_globe_sight_finest(lf_globe *globe, lf_vec3 a, lf_vec3 b, double refraction,
                                       lf_globe_sight *sight, lf_cursor *cursor);

/// A tile's key as one number, for lf_hit.user, and back.
static inline uint64_t lf_tile_pack(lf_tile_key key) {
    return (uint64_t)(uint32_t)key.level << 58 | (uint64_t)(uint32_t)key.column << 29 | (uint32_t)key.row;
}
/// The tile of a packed number.
static inline lf_tile_key lf_tile_unpack(uint64_t packed) {
    lf_tile_key key = {(int32_t)(packed >> 58), (int32_t)(packed >> 29 & 0x1fffffff),
                       (int32_t)(packed & 0x1fffffff)};
    return key;
}

// ---------------------------------------------------------------------------------------------------
// Tiles from rasters
// ---------------------------------------------------------------------------------------------------

/// A raster in longitude and latitude to cut tiles from. Sample (i, j) is at west + i * per_column, south + j * per_row.
typedef struct lf_globe_raster {
    double west, south;         ///< degrees, of sample (0, 0)
    double per_column, per_row; ///< degrees, > 0
    int64_t columns, rows;      ///< 2 or more each
    void *user;                 ///< passed to the callbacks
    /// Read the heights of a window, row by row from its south-west sample; NAN for voids.
    lf_status (*read)(void *user, lf_window window, float *heights, lf_error *error);
    const char *name; ///< optional: used in messages, must outlive the tiler; NULL: "raster" and its index
} lf_globe_raster;

/// How to cut tiles; start from lf_tiler_def_default().
typedef struct lf_tiler_def {
    size_t size;                    ///< stamped by the default function
    lf_host host;                   ///< hooks of the caller
    const lf_globe_raster *rasters; ///< copied; their users must outlive the tiler
    int64_t raster_count;           ///< 1 or more
    int cells;     ///< approximate number of cells along a side of a tile: 2 .. 1024; 64 by default
    size_t memory; ///< bytes of raster kept at a time; 64 MiB by default
    /// How many threads may call the provider's functions at once, 1 .. 1024; 1 by default. With several of them the same
    /// applies to `read` of the rasters.
    int threads;
} lf_tiler_def;

static inline lf_tiler_def lf_tiler_def_default(void) {
    lf_tiler_def def = {sizeof(lf_tiler_def), {NULL, NULL, NULL, NULL}, NULL, 0, 64, (size_t)64 << 20, 1};
    return def;
}

/// Cuts tiles from rasters on demand.
///
/// Finer rasters take precedence. A raster that spans 360 degrees (to half a column, or with columns that repeat the first)
/// is joined at its seam, wherever that is. One whose last row is on a pole, or at most one and a half rows from it, is
/// closed there: the pole has the mean height of that row. Rounded cell sizes are corrected: to a whole number of columns
/// around (the first column stays in place), and to rows that begin and end at the poles, or half a row or one row from
/// them, if no row moves by more than half of one. Corrections of more than a thousandth of a cell are logged, and so is
/// every gap at a seam or pole that no other raster fills.
///
/// The finest tiles over a raster have its own samples, so that heights there are bilinear in the raster itself, up to the
/// borders of tiles that contain part of a finer raster. Where a raster has voids or ends within a tile, the rest of the
/// tile is filled from coarser rasters: their bilinear heights at this raster's samples, and bilinear between these. Tiles
/// over finer rasters have samples on their borders and evenly between, taken from the same surface.
typedef struct lf_tiler lf_tiler;

/// Create a tiler.
/// tiler  written only on success; free it with lf_tiler_destroy
/// error  optional
/// Errors: LF_BAD_ARGUMENT (named), LF_NO_MEMORY. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_tiler_create(const lf_tiler_def *def, lf_tiler **tiler, lf_error *error);

/// Destroy a tiler; NULL is accepted. Globes of it must have been destroyed. Threads: no other thread may use it.
LF_API void lf_tiler_destroy(lf_tiler *tiler);

/// The provider of its tiles, valid as long as the tiler. They have no bounds of finer tiles (those of a .lf file do, see
/// lf_store_def).
/// level_count  optional: the number of levels, for lf_globe_def
/// Allocates nothing. Threads: any. The provider: as many at once as the tiler's `threads`.
LF_API lf_globe_provider lf_tiler_provider(lf_tiler *tiler, int *level_count);

#ifdef __cplusplus
}
#endif
#endif
