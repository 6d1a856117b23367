/// landfall/globe.h: a planet of tiles in longitude and latitude, at several levels of detail, of which as many are in memory
/// as there is space for.
///
/// Tiles form a quadtree: level 0 is `root_columns` x `root_rows` tiles over 360 x 180 degrees, and each tile has four children, half as
/// wide and high. Tiles are counted from the west (-180) and from the south (-90). A tile is a regular grid of samples, between which the
/// height is bilinear in longitude and latitude, or a TIN, whose triangles are flat in space.
///
/// The ground at a place is that of the finest loaded tile that is there. Where two neighbours do not fit, because one is coarser or their
/// borders differ, the step between them is a wall that rays meet. Positions are earth-centred (lf_ellipsoid_to_centred), metres.
#ifndef LANDFALL_GLOBE_H
#define LANDFALL_GLOBE_H

#include <landfall/grid.h>
#include <landfall/ground.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// Tiles, and who brings them
// ---------------------------------------------------------------------------------------------------

#define LF_GLOBE_LEVELS 26 ///< levels are 0 .. 25: of 17 samples a side, 2 cm apart

/// Which tile.
typedef struct lf_tile_key {
    int32_t level;  ///< 0 is coarsest
    int32_t column; ///< from -180 eastwards, 0 <= column < root_columns * 2^level
    int32_t row;    ///< from -90 northwards, 0 <= row < root_rows * 2^level
} lf_tile_key;

/// A rectangle of longitude and latitude.
typedef struct lf_geodetic_box {
    double west, south, east, north; ///< degrees; west < east, at most 360 apart
} lf_geodetic_box;

/// The area of a tile of a globe with so many tiles at level 0 (lf_globe_def): also within `fetch`, where there is no globe yet.
/// key  in range
static inline lf_geodetic_box lf_tile_area(int root_columns, int root_rows, lf_tile_key key) {
    double width = ldexp(360.0 / root_columns, -key.level), height = ldexp(180.0 / root_rows, -key.level);
    lf_geodetic_box area = {key.column * width - 180, key.row * height - 90, (key.column + 1) * width - 180,
                            (key.row + 1) * height - 90};
    return area;
}

/// What a provider says of a tile.
typedef enum lf_tile_state {
    LF_TILE_READY,  ///< here it is
    LF_TILE_ABSENT, ///< there is no such tile, and none beneath it unless `children` says so
    LF_TILE_LATER,  ///< on its way: ask again with the next update. Not an answer where waiting is asked for
    LF_TILE_FAILED  ///< cannot be read: taken for absent, and said in the log
} lf_tile_state;

/// Which children there are: bit 0 south-west, 1 south-east, 2 north-west, 3 north-east.
#define LF_TILE_CHILDREN_ALL 0xfu
#define LF_TILE_CHILDREN_UNKNOWN 0x10u ///< the provider's `fetch` has to be asked

/// A tile as a provider gives it. Start from zero: everything that is left 0 is as plain as can be. Pointers stay valid until `release`.
typedef struct lf_tile {
    /// Grid: heights in metres, row by row from the south-west sample on; NAN is a hole. columns = 0: no grid.
    const float *heights;
    int32_t columns, rows; ///< samples, 2 .. 4097 each
    /// Where samples stand: sample (i, j) at longitude west + i * per_column, latitude south + j * per_row, held at +-90 where that is beyond a
    /// pole (so that the last row can be nearer). They must cover the tile. per_column = 0: on the tile's borders and evenly between.
    double west, south, per_column, per_row; ///< degrees: of sample (0, 0), and from sample to sample

    /// TIN: vertices, corners of triangles (counter-clockwise seen from above). triangle_count = 0: none.
    const lf_geodetic *vertices;
    const int64_t *corners;               ///< 3 per triangle, each 0 <= corner < vertex_count
    int64_t vertex_count, triangle_count; ///< how many

    /// Bounds of this tile and of all finer ones beneath it, where the source knows them.
    bool bounded;
    double low, high; ///< least and greatest height, metres

    uint32_t children; ///< see above; 0: it is the finest
    void *owner;       ///< the provider's own, for release
} lf_tile;

/// Who brings tiles: a file, a folder, an engine. Called by creation, update, load and the finest-there-is questions only, on the
/// thread that calls these.
typedef struct lf_globe_provider {
    void *user; ///< passed to the callbacks
    /// Bring a tile. wait: LF_TILE_LATER is not an answer. tile is zeroed before; written where the state is READY, and its `children` also
    /// where it is ABSENT (finer tiles may exist where coarser ones do not). detail: space for a remark where it failed.
    lf_tile_state (*fetch)(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail);
    /// Take a READY tile back: it has been copied. NULL: nothing to do.
    void (*release)(void *user, lf_tile *tile);
} lf_globe_provider;

/// How to make a globe; start from lf_globe_def_default() and name a provider.
typedef struct lf_globe_def {
    size_t size;                ///< stamped by the default function
    lf_host host;               ///< hooks of the caller
    lf_ellipsoid ellipsoid;     ///< WGS84 by default; a sphere has flattening 0
    lf_globe_provider provider; ///< its user must outlive the globe
    int root_columns;           ///< 1 .. 16; 2 by default
    int root_rows;              ///< 1 .. 8; 1 by default
    int level_count;            ///< finest level + 1, 1 .. LF_GLOBE_LEVELS; all of them by default
    size_t budget;              ///< bytes of tiles in memory; 64 MiB by default
} lf_globe_def;

static inline lf_globe_def lf_globe_def_default(void) {
    lf_globe_def def = {sizeof(lf_globe_def),
                        {NULL, NULL, NULL, NULL},
                        {6378137.0, 1.0 / 298.257223563},
                        {NULL, NULL, NULL},
                        2,
                        1,
                        LF_GLOBE_LEVELS,
                        (size_t)64 << 20};
    return def;
}

typedef struct lf_globe lf_globe;

/// Make a globe. Its root tiles are fetched at once (waiting), and stay.
/// globe  written only on success; destroy it with lf_globe_destroy
/// error  optional
/// Errors: LF_BAD_ARGUMENT (named), LF_BAD_FORMAT (a root tile that cannot be), LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_globe_create(const lf_globe_def *def, lf_globe **globe, lf_error *error);

/// Destroy a globe; NULL is allowed. Threads: no other thread may be using it.
LF_API void lf_globe_destroy(lf_globe *globe);

/// What a globe is made of, and what of it is loaded.
typedef struct lf_globe_info {
    lf_ellipsoid ellipsoid;                   ///< the reference ellipsoid
    int root_columns, root_rows, level_count; ///< tiles across and up at level 0, and number of levels
    int64_t tile_count;                       ///< loaded tiles
    int finest;                               ///< finest level among them
    size_t bytes;                             ///< of them
    size_t budget;                            ///< bytes
    int64_t fetch_count;                      ///< tiles ever asked of the provider
    int64_t evict_count;                      ///< tiles ever given up for others
    bool bounded;                             ///< every loaded tile came with bounds of what is beneath it
    double low;                               ///< lower bound of the roots, as high
    double
        high; ///< upper bound of the roots; -INFINITY, INFINITY where they are not bounded and have children
} lf_globe_info;

/// The globe as a ground, for as long as the globe exists; NULL for NULL: what of it is loaded, at any time. World coordinates are earth-centred; gravity lines run towards
/// the centre (on an ellipsoid, that is up to its flattening in radians off the plumb line: 0.19 degrees on Earth). Hits have the tile as user value.
/// Costs nothing. Threads: any.
LF_API const lf_ground *lf_globe_ground(const lf_globe *globe);

/// The same, but the finest there is, however long it takes: queries load what they need, and unload it where it is beyond the globe's budget.
/// No answer depends on what happens to be loaded, but for t in its last bits. A walk over a file of tiles, say, meets the same steps at every start.
/// Threads: any number at once may query, one waits for the other; nobody else may load into the globe meanwhile. A query that finds no memory
/// has the reason LF_REASON_NOT_LOADED. Otherwise as lf_globe_elevation.
LF_API const lf_ground *lf_globe_ground_finest(lf_globe *globe);

/// What a globe is made of. Allocates nothing. Threads: any number at once.
LF_API lf_globe_info lf_globe_describe(const lf_globe *globe);

// ---------------------------------------------------------------------------------------------------
// Loading
// ---------------------------------------------------------------------------------------------------

/// Who is looking, and where it is heading; start from lf_globe_view_default().
typedef struct lf_globe_view {
    size_t size;      ///< stamped by the default function
    lf_vec3 position; ///< earth-centred
    lf_vec3 velocity; ///< metres per second
    double ahead;     ///< seconds that are looked ahead along the velocity; 2 by default
    double
        detail; ///< a tile is refined where its resolution exceeds the distance times this; 1/256 by default, 0: no finer than roots
    int64_t most; ///< tiles fetched by one update at most; 64 by default
} lf_globe_view;

static inline lf_globe_view lf_globe_view_default(void) {
    lf_globe_view view = {sizeof(lf_globe_view), {0, 0, 0}, {0, 0, 0}, 2, 1.0 / 256, 64};
    return view;
}

/// What an update did.
typedef struct lf_globe_change {
    int64_t fetched; ///< tiles that came
    int64_t evicted; ///< tiles that went
    int64_t waiting; ///< tiles that are requested and on their way, or beyond `most`
    int64_t refused; ///< tiles that are requested and for which there is no space in the budget
    int64_t wanted;  ///< tiles that this view wants, loaded ones included
} lf_globe_change;

/// Load what a view wants, nearest first: the tiles under the position and under where it is heading before all others. Tiles that are not
/// wanted go, longest unused first, where space is needed; roots stay, and no tile goes before its children. The parent of a loaded tile is always loaded.
/// change  optional
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY (the globe is whole, with what it had or a part of what is requested).
/// Threads: no other thread may be using the globe.
LF_API lf_status lf_globe_update(lf_globe *globe, const lf_globe_view *view, lf_globe_change *change);

/// Load one tile and all above it, waiting. It counts as wanted until the next update.
/// there  optional; false when the provider has no such tile
/// Errors: LF_BAD_ARGUMENT (no such key), LF_NO_MEMORY, LF_TOO_LARGE (no space in the budget). Threads: as lf_globe_update.
LF_API lf_status lf_globe_load(lf_globe *globe, lf_tile_key key, bool *there);

/// Load every tile down to a level that has a part of an area, waiting.
/// level  finest wanted
/// Errors: as lf_globe_load. Threads: as lf_globe_update.
LF_API lf_status lf_globe_load_area(lf_globe *globe, lf_geodetic_box area, int level);

/// Give up every tile but the roots. Threads: as lf_globe_update.
LF_API void lf_globe_unload(lf_globe *globe);

/// Change the budget. What is beyond it goes with the next update. Threads: as lf_globe_update.
LF_API void lf_globe_set_budget(lf_globe *globe, size_t bytes);

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

/// The ground at a place.
typedef struct lf_globe_elevation {
    lf_reason
        reason; ///< LF_REASON_ANSWERED, HOLE, OUTSIDE (no tile there), NOT_LOADED (only finer tiles, none of them loaded)
    double height; ///< metres above the ellipsoid, on the surface; NAN without an answer
    double
        ceiling; ///< nothing is higher here, in no finer tile either: the height where the finest is loaded, else the bound of the tile
                 ///< whose finer ones are missing; INFINITY where the source gives none
    bool coarser;     ///< there are, or may be, finer tiles here that are not loaded
    lf_tile_key tile; ///< that the height is of
    double
        resolution; ///< metres between its samples along a meridian (of a TIN: the width of a square of the area of its mean triangle)
    int32_t sample_count; ///< 1: on a sample, 2: on a line between two, 4: in a cell; 3: in a triangle
    int64_t samples[4];   ///< row * columns + column; of a TIN its vertices
    int64_t element;      ///< cell (row * columns + column of its south-west sample) or triangle
    int32_t probes;       ///< tiles looked for: no more than levels + 1
} lf_globe_elevation;

/// The ground at a place, on the finest tile that is loaded there.
/// lon_deg  finite; any turn
/// lat_deg  in [-90, 90]
/// ground   always written when the arguments are valid
/// On the border of two tiles or cells: that to the north and east; at +-90 there is one height, whatever the longitude.
/// Accuracy: within 1e-12 of the largest height of the cell in magnitude, for the place as it is given.
/// cursor   counters (cells: tiles looked for), or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_globe_height(const lf_globe *globe, double lon_deg, double lat_deg,
                                 lf_globe_elevation *ground, lf_cursor *cursor);

/// The same on the finest tile there is, however long it takes: loads it, and all above it, waiting. The answer never depends on what was loaded.
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY, LF_TOO_LARGE (a way down to the finest tile is beyond the budget); after the last two the ground is that of
/// the finest tile that could be loaded.
/// Threads: no other thread may be using the globe.
LF_API lf_status lf_globe_height_finest(lf_globe *globe, double lon_deg, double lat_deg,
                                        lf_globe_elevation *ground);

/// The unit normal of the surface at a place, upwards, earth-centred; the ellipsoid's where there is no ground.
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_globe_normal(const lf_globe *globe, double lon_deg, double lat_deg, lf_vec3 *normal);

// ---------------------------------------------------------------------------------------------------
// Sight
// ---------------------------------------------------------------------------------------------------

/// Sight between two positions.
typedef struct lf_globe_sight {
    bool clear;    ///< is it visible?
    double t;      ///< blocked: where the line first goes below ground, 0 .. 1; clear: 1
    lf_vec3 point; ///< of the straight line there
    double length; ///< metres
    lf_hit hit;    ///< what blocks it
} lf_globe_sight;

/// Can a see b, over the finest tiles there are? The line is straight in space, but for refraction. Blocked by ground more than 1 mm above
/// it strictly between its ends; ends within 1 cm of the ground are left out. The same both ways. (Over what is loaded:
/// lf_sight_between with lf_globe_ground.)
/// a, b        earth-centred, finite
/// refraction  share of the earth's curvature by which the air bends light, -1 .. 1: 0 none, 1/7 usual light, 1/4 radio
/// Loads what it needs, as queries of lf_globe_ground_finest do.
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Threads: no other thread may be using the globe.
LF_API lf_status lf_globe_sight_finest(lf_globe *globe, lf_vec3 a, lf_vec3 b, double refraction,
                                       lf_globe_sight *sight, lf_cursor *cursor);

/// A tile's key as one number, for lf_hit.user, and back.
static inline uint64_t lf_tile_pack(lf_tile_key key) {
    return (uint64_t)(uint32_t)key.level << 58 | (uint64_t)(uint32_t)key.column << 29 | (uint32_t)key.row;
}
static inline lf_tile_key lf_tile_unpack(uint64_t packed) {
    lf_tile_key key = {(int32_t)(packed >> 58), (int32_t)(packed >> 29 & 0x1fffffff),
                       (int32_t)(packed & 0x1fffffff)};
    return key;
}

// ---------------------------------------------------------------------------------------------------
// Tiles from rasters
// ---------------------------------------------------------------------------------------------------

/// A raster in longitude and latitude that tiles are cut from. Sample (i, j) stands at west + i * per_column, south + j * per_row.
typedef struct lf_globe_raster {
    double west, south;         ///< degrees, of sample (0, 0)
    double per_column, per_row; ///< degrees, > 0
    int64_t columns, rows;      ///< 2 or more each
    void *user;                 ///< passed to the callbacks
    /// Heights of a window, row by row from its south-west sample; NAN for holes.
    lf_status (*read)(void *user, lf_window window, float *heights, lf_error *error);
    const char *name; ///< optional: used in messages, must outlive the cutter; NULL: "raster" and its index
} lf_globe_raster;

/// How to cut tiles; start from lf_tiler_def_default().
typedef struct lf_tiler_def {
    size_t size;                    ///< stamped by the default function
    lf_host host;                   ///< hooks of the caller
    const lf_globe_raster *rasters; ///< copied; their users must outlive the cutter
    int64_t raster_count;           ///< 1 or more
    int cells;                      ///< cells along a side of a tile, about: 2 .. 1024; 64 by default
    size_t memory;                  ///< bytes of raster kept at a time; 64 MiB by default
} lf_tiler_def;

static inline lf_tiler_def lf_tiler_def_default(void) {
    lf_tiler_def def = {sizeof(lf_tiler_def), {NULL, NULL, NULL, NULL}, NULL, 0, 64, (size_t)64 << 20};
    return def;
}

/// Tiles cut from rasters as they are asked for.
///
/// The finest rasters count first. A raster that goes all around (its columns times their width are 360 degrees within half a column, or
/// more of them repeat the first) is joined at its seam, wherever that is; one whose last row is on a pole, or at most one and a half rows
/// from it, is closed there: the pole has the mean height of that row. Cell sizes written with few digits are snapped: to a whole number of columns
/// around (the first column stays where it is), and to rows that begin and end at the poles, or half a row or a row from them, where that moves
/// no row by more than half of one. What is changed by more than a thousandth of a cell is logged, and so is every gap that a raster all around leaves at
/// its seam or at a pole and that no other raster fills. The finest tiles over a raster have its own samples, so that heights there are the bilinear ones of the raster itself, up to the borders of the tiles that
/// have part of a finer raster. Where a raster has holes or ends within one of its tiles, the rest of that tile is filled from coarser rasters: their bilinear
/// heights at this raster's samples, and bilinear between these. Tiles over finer rasters have samples on their borders and evenly between, with heights sampled from the
/// same surface.
typedef struct lf_tiler lf_tiler;

/// Make a cutter. Errors: LF_BAD_ARGUMENT (named), LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_tiler_create(const lf_tiler_def *def, lf_tiler **cutter, lf_error *error);

/// Destroy a tiler; NULL is allowed. Threads: no other thread may be using it.
LF_API void lf_tiler_destroy(lf_tiler *cutter);

/// The provider of its tiles, valid as long as the tiler exists. They have no bounds of finer tiles (a file of them does, see lf_store_def).
/// level_count  optional: how many levels there are, for lf_globe_def
/// Allocates nothing. Threads: one at a time.
LF_API lf_globe_provider lf_tiler_provider(lf_tiler *cutter, int *level_count);

#ifdef __cplusplus
}
#endif
#endif
