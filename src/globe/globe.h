/// What the files of the globe share.
#ifndef LF_GLOBE_GLOBE_H
#define LF_GLOBE_GLOBE_H

#include "base/containers.h"
#include "base/system.h"
#include "geom/geometry.h"
#include "ground/ground.h"
#include "query/query.h"
#include <landfall/globe.h>
#include <stdatomic.h>

// ---------------------------------------------------------------------------------------------------
// A globe as ground: what of it is loaded, or the finest there is
// ---------------------------------------------------------------------------------------------------

typedef struct lf__globe_face {
    lf_globe *globe;
    bool finest; ///< the finest there is, else what is loaded
} lf__globe_face;

/// Begin and end a query. Where it may load tiles, queries wait for one another, and at the end tiles beyond
/// the budget are dropped. Otherwise both do nothing. Between them only the calls below and const queries are
/// allowed.
void lf__globe_face_begin(const lf__globe_face *face);
void lf__globe_face_end(const lf__globe_face *face);

/// The globe of a face.
static inline const lf_globe *lf__globe_face_globe(const lf__globe_face *face) {
    return face->globe;
}

/// The first hit of a ray; false: none, with the reason in the hit (LF_REASON_NOT_LOADED: no memory to load tiles).
/// Begins and ends its own query.
bool lf__globe_face_first(const lf__globe_face *face, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor);

/// Line of sight between two positions. Begins and ends its own query.
void lf__globe_face_sight(const lf__globe_face *face, lf_vec3 a, lf_vec3 b, double refraction,
                          lf_globe_sight *sight, lf_cursor *cursor);

/// An ellipsoid around the centre, as its half axes, that is inside the loaded surface everywhere: no line passes through it that does not meet the surface
/// before. False: none is known, because the surface may have gaps, or tiles that are not loaded would change it.
bool lf__globe_face_core(const lf__globe_face *face, lf_vec3 *half_axes);

/// The ground at the place of a position. Begins and ends its own query.
void lf__globe_face_ground(const lf__globe_face *face, lf_vec3 position, lf_globe_elevation *ground);

typedef enum lf__globe_tile_kind {
    LF__TILE_NONE, ///< no surface of its own: there are only finer tiles
    LF__TILE_GRID,
    LF__TILE_TIN,
} lf__globe_tile_kind;

/// Bounds of the heights of a tile's cells: blocks of 2^k x 2^k cells, for k from the base on.
#define LF__TILE_BASE 2 ///< log2 of cells along a side of the smallest blocks of a grid

typedef struct lf__tile_bound {
    float low, high; ///< low > high: no ground
} lf__tile_bound;

/// Triangles on the southern and northern border of a tile reach beyond their edges, up to so much of
/// themselves: see tin.c.
#define LF__TIN_REACH 0.1

/// A triangle's corners in space, relative to the centre of its tile.
typedef struct lf__tin {
    lf_vec3 *points;   ///< vertices
    lf_vec3 *ups;      ///< the ellipsoid's normals there
    double *heights;   ///< of vertices
    uint32_t *corners; ///< three per triangle
    uint32_t *starts;  ///< of buckets in `listed`, and one more
    uint32_t *listed;  ///< triangles, bucket by bucket
    lf_vec3 centre;
    int64_t vertex_count, triangle_count;
} lf__tin;

/// A loaded tile. Its parent is loaded, too. The fields that a query at a place needs come first: two cache lines.
typedef struct lf__tile {
    lf_geodetic_box area;
    // Cells: those of a grid of samples, or the buckets of a TIN.
    double west, south;
    double columns_per_degree, rows_per_degree; ///< one over the spacing

    float *heights;        ///< of a grid
    int32_t columns, rows; ///< samples: cells + 1
    lf__globe_tile_kind kind;
    uint32_t children; ///< those that exist, as far as known; see lf_tile
    int loaded_children;
    bool plain;             ///< a grid without rows beyond a pole
    bool open;              ///< its surface has gaps, or may have: voids, triangles, a root without a surface
    double low, high;       ///< of this surface and all below it; infinite where unknown
    lf__tile_bound *bounds; ///< all levels, the base first, row by row
    struct lf__tile *parent;

    struct lf__tile *child[4];
    double per_column, per_row; ///< degrees
    int bound_base;             ///< log2 of cells of the base: LF__TILE_BASE, and 0 for a TIN
    bool bounded;
    lf_tile_key key;
    double own_low, own_high;       ///< of this surface
    double loaded_low, loaded_high; ///< of this surface and what is loaded beneath it
    double resolution;
    lf_vec3 centre; ///< of a sphere around it, for distances
    double radius;
    lf__tin tin;

    // What the last update decided, and how long that holds; see globe_update.c.
    bool required, refined; ///< by it; its children are required too
    double own_due,
        due; ///< the travel at which this must be decided again: for itself, and for it or any tile below it
    int64_t loaded_at; ///< the frame when a call that waits for tiles last asked for it; score is then 0
    int64_t stamp;     ///< the last frame that required or used it; see lf__tile_used
    double score; ///< of that update: lower is more urgent; of a required tile when it was last asked for
    size_t bytes;
    int64_t index; ///< among the loaded
} lf__tile;

/// What an update goes by.
typedef struct lf__globe_view {
    lf_globe_update_rules rules;
    lf_vec3 ahead;        ///< the predicted position
    lf_geodetic below[2]; ///< the position and the predicted position, as places
} lf__globe_view;

struct lf_globe {
    lf_ground ground, finest_ground;
    lf_host host;
    lf_allocator allocator;
    lf_ellipsoid ellipsoid;
    lf_globe_provider provider;
    int root_columns, root_rows, level_count;
    int fetchers; ///< threads that may call the provider at once
    double widths[LF_GLOBE_LEVELS + 1], heights[LF_GLOBE_LEVELS + 1];       ///< degrees of a tile, by level,
    double per_width[LF_GLOBE_LEVELS + 1], per_height[LF_GLOBE_LEVELS + 1]; ///< and one over these
    double least_radius;                                                    ///< of curvature, metres: b^2 / a
    double warp; ///< bound of the change of the meridian's radius of curvature, metres per radian
    size_t budget, bytes;
    int64_t frame;
    int64_t updated;     ///< the frame of the last update; queries that load have frames of their own
    lf__globe_view view; ///< of that update; its detail is NaN before the first
    double
        travel; ///< metres that the viewer or its predicted position have moved, whichever moved farther, in all updates
    int64_t required_count; ///< of loaded tiles
    int64_t fetch_count, evict_count;

    lf__table table; ///< from packed keys to lf__tile *
    lf__array tiles; ///< of lf__tile *, the roots first
    int64_t root_count;
    int64_t open_count;                 ///< loaded tiles that are `open`
    int64_t per_level[LF_GLOBE_LEVELS]; ///< loaded tiles
    int finest;
    lf_frame frame_of_ground;
    lf__globe_face loaded, all; ///< what grounds made of it refer to
    lf__mutex one_at_a_time;    ///< grounds that load
    const _Atomic int
        *failure; ///< of a file: an lf_status, once a tile was damaged or could not be read; or NULL
    _Atomic(const void *)
        fetcher; ///< the thread that is in a callback of the provider (lf__globe_reentered); or NULL
};

/// A status, or LF_BAD_FORMAT where the globe's file was found damaged, or the failure to read it.
static inline lf_status lf__globe_told(const lf_globe *globe, lf_status status) {
    int failure = globe->failure ? atomic_load_explicit(globe->failure, memory_order_relaxed) : LF_OK;
    return status >= 0 && failure != LF_OK ? (lf_status)failure : status;
}

/// Is the calling thread in a callback of the globe's provider? Loading would then change what the interrupted
/// call holds pointers to.
bool lf__globe_reentered(const lf_globe *globe);

/// The last frame in which a tile was required or used.
static inline int64_t lf__tile_used(const lf_globe *globe, const lf__tile *tile) {
    return tile->required && tile->stamp < globe->updated ? globe->updated : tile->stamp;
}

/// A call that waits for tiles asks for this one.
static inline void lf__tile_ask(const lf_globe *globe, lf__tile *tile) {
    tile->stamp = tile->loaded_at = globe->frame;
    tile->score = 0;
}

static inline lf__tile *lf__globe_tile(const lf_globe *globe, int64_t index) {
    return ((lf__tile **)globe->tiles.items)[index];
}

// ---------------------------------------------------------------------------------------------------
// Keys and places
// ---------------------------------------------------------------------------------------------------

/// Longitude in [-180, 180).
static inline double lf__globe_turn(double lon_deg) {
    if (lon_deg >= -180 && lon_deg < 180)
        return lon_deg;
    double turned = remainder(lon_deg, 360);
    return turned >= 180 ? -180 : turned;
}

bool lf__globe_key_valid(const lf_globe *globe, lf_tile_key key);

/// The tile of a level over a place whose longitude is in [-180, 180).
lf_tile_key lf__globe_key_at(const lf_globe *globe, int level, double lon, double lat);

/// The loaded tile of a key, or NULL.
lf__tile *lf__globe_find(const lf_globe *globe, lf_tile_key key);

/// The quarter of its parent that a tile is: bit 0 east, bit 1 north.
static inline int lf__tile_quarter(lf_tile_key key) {
    return (key.column & 1) | (key.row & 1) << 1;
}

static inline lf_tile_key lf__tile_child(lf_tile_key key, int quarter) {
    return (lf_tile_key){key.level + 1, 2 * key.column + (quarter & 1), 2 * key.row + (quarter >> 1)};
}

static inline lf_tile_key lf__tile_parent(lf_tile_key key) {
    return (lf_tile_key){key.level - 1, key.column >> 1, key.row >> 1};
}

/// May there be a child in a quarter?
static inline bool lf__tile_has_child(const lf__tile *tile, int quarter) {
    return tile->children & (1u << quarter);
}

// ---------------------------------------------------------------------------------------------------
// Tiles
// ---------------------------------------------------------------------------------------------------

/// Make a tile of what a provider gave. Errors: LF_BAD_FORMAT (named), LF_NO_MEMORY, LF_TOO_LARGE.
lf_status lf__tile_make(const lf_globe *globe, lf_tile_key key, const lf_tile *given, lf__tile **tile,
                        lf_error *error);
void lf__tile_free(const lf_globe *globe, lf__tile *tile);

/// The parts of a TIN. `tile` has its area; cells and bounds are written too.
lf_status lf__tin_make(const lf_globe *globe, const lf_tile *given, lf__tile *tile, lf_error *error);
void lf__tin_free(const lf_globe *globe, lf__tile *tile);

/// Cells along the two sides.
static inline int32_t lf__tile_across(const lf__tile *tile) {
    return tile->columns - 1;
}
static inline int32_t lf__tile_up(const lf__tile *tile) {
    return tile->rows - 1;
}

/// Levels and blocks of the bounds over so many cells, and how many there are in all.
int64_t lf__bound_blocks(int32_t across, int32_t up, int base);
void lf__bound_fill(lf__tile *tile); ///< the base is there: make the rest

/// A rectangle of cells, both ends belong to it.
typedef struct lf__cells {
    int32_t c0, r0, c1, r1;
} lf__cells;

/// Low and high of a rectangle of cells of a tile, in whole blocks.
lf__tile_bound lf__tile_bound_of(const lf__tile *tile, lf__cells cells);

/// Which cells hold a rectangle of longitude and latitude, which is held within the tile.
lf__cells lf__tile_cells(const lf__tile *tile, double west, double south, double east, double north);

/// One cell of a grid: heights at its south-west, south-east, north-west, north-east corner, and where it is.
typedef struct lf__tile_cell {
    double h[4];
    double west, south, width, height; ///< degrees
    bool hole;
} lf__tile_cell;

void lf__tile_cell_at(const lf__tile *tile, int32_t column, int32_t row, lf__tile_cell *patch);

/// The height of a patch, and its slopes per degree.
static inline double lf__tile_cell_height(const lf__tile_cell *p, double lon, double lat) {
    double u = (lon - p->west) / p->width, v = (lat - p->south) / p->height;
    double south = p->h[0] + u * (p->h[1] - p->h[0]), north = p->h[2] + u * (p->h[3] - p->h[2]);
    return south + v * (north - south);
}

/// Where the line along the ellipsoid's normal through a place meets a TIN: the highest triangle, or -1.
int64_t lf__tin_height(const lf_globe *globe, const lf__tile *tile, double lon, double lat, double *height,
                       lf_vec3 *normal);

/// The first triangle of some buckets that a ray meets; -1: none.
int64_t lf__tin_meet(const lf__tile *tile, lf__cells buckets, const lf_ray *ray, double *t);

/// The unit normal of a triangle, upwards.
lf_vec3 lf__tin_normal(const lf__tile *tile, int64_t triangle);

// ---------------------------------------------------------------------------------------------------
// The loaded ones
// ---------------------------------------------------------------------------------------------------

/// What became of a fetch.
typedef enum lf__fetch {
    LF__FETCHED,
    LF__FETCH_NONE, ///< it does not exist, or cannot be read
    LF__FETCH_LATER,
    LF__FETCH_NO_MEMORY,
} lf__fetch;

/// Fetch a tile whose parent is loaded (or which is a root) and add it. If it does not exist, the parent's
/// mask of children is updated.
lf__fetch lf__globe_fetch(lf_globe *globe, lf__tile *parent, lf_tile_key key, bool wait, lf__tile **tile);

/// Unload a tile without loaded children.
void lf__globe_drop(lf_globe *globe, lf__tile *tile);

/// Bring the bytes within the budget: unload tiles that this frame does not require, longest unused first;
/// then, where `score` is finite, required ones with a higher score. true: the bytes are within the budget.
bool lf__globe_make_space(lf_globe *globe, double score);

/// The finest loaded tile over a place (longitude normalized) that has a surface; NULL: none. `probes` counts
/// lookups; `finest`, optional: the finest loaded tile, with a surface or without.
lf__tile *lf__globe_over(const lf_globe *globe, double lon, double lat, int32_t *probes, lf__tile **finest);

/// Load the tiles over a place (longitude normalized) down to the finest. within_budget: other tiles are
/// unloaded for them, and where that is not enough the status is LF_TOO_LARGE.
lf_status lf__globe_load_over(lf_globe *globe, double lon, double lat, bool within_budget);

/// The ground of a place on a tile with a surface.
void lf__tile_ground(const lf_globe *globe, const lf__tile *tile, double lon, double lat,
                     lf_globe_elevation *ground);

/// The tile of a key for a query of a face (lf__globe_face), loaded where that is allowed; or NULL.
const lf__tile *lf__globe_face_tile(const lf__globe_face *face, lf_tile_key key);

// ---------------------------------------------------------------------------------------------------
// Searching along a line
// ---------------------------------------------------------------------------------------------------

/// The area of a tile.
static inline lf_geodetic_box lf__globe_tile_area(const lf_globe *globe, lf_tile_key key) {
    return lf_tile_area(globe->root_columns, globe->root_rows, key);
}

/// What a ray searches for.
typedef enum lf__globe_surface {
    LF__GLOBE_SURFACE, ///< the ground as it is loaded
    LF__GLOBE_CEILING, ///< where finer tiles are missing: the bound of the tile above them, as a level slab over the
                       ///< missing quarter
    LF__GLOBE_FINEST ///< the finest tiles: loads on its way. Only where the globe may be changed
} lf__globe_surface;

/// A line against the ground.
typedef struct lf__search {
    const lf_globe *globe;
    lf_globe *loader; ///< the same, where tiles may be fetched; or NULL
    lf_ray ray;
    double lift; ///< the ground is higher by so much,
    double sag;  ///< and the line by sag * t * (1 - t)
    lf__globe_surface surface;
    lf_counters cost;
    int64_t stretches; ///< examined so far
    bool no_memory;
} lf__search;

/// The first hit of a ray with the ground, from above or from below, `lift` metres higher than it is: |lift| < radius / 4.
/// surface is LF__GLOBE_SURFACE or LF__GLOBE_CEILING. t is within 1 mm of where the ray meets the ground, and no hit is
/// missed; a ray that passes within 0.1 mm may be called a hit. After LF_BAD_ARGUMENT the hit is a miss at INFINITY.
lf_status lf__globe_ray_first(const lf_globe *globe, const lf_ray *ray, double lift,
                              lf__globe_surface surface, lf_hit *hit, lf_cursor *cursor);

/// The same on the finest tiles, whatever is loaded. Tiles are fetched where the bounds of coarser ones do not decide.
lf_status lf__globe_ray_finest(lf_globe *globe, const lf_ray *ray, double lift, lf_hit *hit,
                               lf_cursor *cursor);

/// As lf_globe_sight_finest, over what is loaded.
lf_status lf__globe_sight_between(const lf_globe *globe, lf_vec3 a, lf_vec3 b, double refraction,
                                  lf_globe_sight *found, lf_cursor *cursor);

/// What is added to the straight line's height.
static inline double lf__search_extra(const lf__search *s, double t) {
    return s->sag * t * (1 - t) - s->lift;
}

/// The first hit. false: none.
bool lf__search_first(lf__search *search, lf_hit *hit);

/// A position on the line.
typedef struct lf__stop {
    double t;
    lf_geodetic place;   ///< height: of the straight line
    lf__sincos lat, lon; ///< of the place
    double slope;        ///< of that height by t
} lf__stop;

/// A stretch of the line, and its height above the ellipsoid less the lift.
typedef struct lf__stretch_on {
    lf__stop a, b, middle;
    double length;    ///< metres
    double low, high; ///< of the line there
    double deep;      ///< the least height of the straight line
    double angle; ///< radians: bound of the angle between normals of the ellipsoid on it and in its middle
    bool wide;    ///< too long for that bound
    lf_geodetic_box area; ///< that contains it on the map
} lf__stretch_on;

/// How a stretch relates to the ground under it.
typedef struct lf__stretch_ground {
    lf__search *search;
    const lf__stretch_on *on;
    bool last;
    bool above, below;   ///< there is ground that is wholly below, above it
    bool meets;          ///< there is ground that it may hit
    bool large;          ///< it is too long to decide
    bool polar;          ///< a pole is under it
    int64_t pieces;      ///< that were examined: 1 where there is a single cell or slab
    lf__tile_cell patch; ///< the last of these
    int64_t tins;        ///< TINs among them
    bool tin_met;        ///< a triangle is met,
    double tin_t;        ///< there
} lf__stretch_ground;

/// Examine all ground under a stretch that is not too wide. last: it will not be cut again.
void lf__stretch_examine(lf__search *search, const lf__stretch_on *on, bool last, lf__stretch_ground *look);

// Entries of the ground's function table.
bool lf__globe_touches(const void *object, const lf__land_body *body, const lf_pose *pose, lf_cursor *cursor);
double lf__globe_spacing(const void *object, lf_vec3 point);
void lf__globe_sweep(const void *object, lf__sweeping *sweep);

void lf__globe_init_grounds(lf_globe *globe);

// ---------------------------------------------------------------------------------------------------
// Tilers: rasters that tiles are cut from
// ---------------------------------------------------------------------------------------------------

#define LF__CUT_BLOCK 256 ///< samples along a side of the blocks that rasters are read in

/// A block of a raster in memory.
typedef struct lf__cut_block {
    int64_t raster, column, row; ///< of the block; raster -1: unused
    int64_t stamp, next;         ///< when it was used last; the next block with the same hash, or -1
    int64_t users;               ///< how many cuttings use it: then it stays
    lf_status status;            ///< of reading it
    lf_error error;
    float *heights;
    lf__mutex reading; ///< held while it is read
} lf__cut_block;

/// A raster, and how it closes around the globe.
typedef struct lf__cut_raster {
    lf_globe_raster given; ///< its cell size snapped, see lf__cut_snap
    int64_t number;        ///< its index as it was given
    int64_t period;        ///< columns of 360 degrees; 0: it does not span them
    bool closed[2];        ///< south, north: the pole is closed
    bool on_pole[2];       ///< there is a row on it
    double pole[2];        ///< its height
    int level;             ///< tiles of this level have its samples
} lf__cut_raster;

struct lf_tiler {
    lf_host host;
    lf_allocator allocator;
    lf__cut_raster *rasters; ///< finest first
    int64_t raster_count;
    int cells, level_count;
    lf__cut_block *blocks;
    int64_t block_count, clock;
    int64_t *heads;  ///< of the lists of blocks with the same hash, or -1; as many as blocks
    lf__mutex guard; ///< of the lists, and of who uses which block
    int64_t mutexes; ///< that have been created: the guard, then those of blocks
};

/// The cutting of one tile. Several threads may cut at once, each with its own.
typedef struct lf__cutting {
    lf_tiler *tiler;
    lf__cut_block *last; ///< the block in use, or NULL
    lf_status status;    ///< of reading; the first that failed
    lf_error error;
} lf__cutting;

/// Blocks that no cutting uses may be replaced: call it at the end of each.
void lf__cut_end(lf__cutting *cut);

/// Snap the cell size of a raster, written with too few digits, to whole turns and to the poles; logs what
/// was changed. Then check its latitudes.
lf_status lf__cut_snap(lf_tiler *cutter, int64_t index, lf_error *error);

/// Log the gaps that rasters of 360 degrees leave at the seam and at the poles, unless another raster fills them.
void lf__cut_report_gaps(const lf_tiler *cutter);

/// Find out how a snapped raster closes; poles are read.
lf_status lf__cut_open(lf__cutting *cut, int64_t index, lf_error *error);

/// The height of a sample: any column where the raster spans 360 degrees; rows -1 and `rows` are the closed poles.
/// NAN: void.
double lf__cut_value(lf__cutting *cut, int64_t raster, int64_t column, int64_t row);

/// The bilinear height at a place by all rasters from `first` on: of the finest that has one. NAN: none.
double lf__cut_sample(lf__cutting *cut, int64_t first, double lon, double lat);

/// The area of a raster, turned so that it meets another one if it can; false: they share no area.
bool lf__cut_meets(const lf__cut_raster *raster, lf_geodetic_box area, double *west);

#endif
