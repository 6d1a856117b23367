/// samples.h: generated terrain and models, for the command, tests, benchmarks and examples. Not installed.
///
/// Everything is computed from a seed by integer hashing and + - * / sqrt alone: the same seed gives the same
/// bits on every machine, for any number of threads.
#ifndef LF_SAMPLES_H
#define LF_SAMPLES_H

#include <landfall/io.h>
#include <landfall/mesh.h>

// ---------------------------------------------------------------------------------------------------
// Landscapes: heights on a raster
// ---------------------------------------------------------------------------------------------------

/// Every landscape: identifier, value, name (as the command spells it), text.
#define LF_LANDSCAPE_LIST(X)                                                                   \
    X(LF_LANDSCAPE_MOUNTAINS, 0, "mountains", "alpine ridges and valleys, 0 to 4000 m")        \
    X(LF_LANDSCAPE_HILLS, 1, "hills", "gentle rounded hills, 0 to 400 m")                      \
    X(LF_LANDSCAPE_ROUGH, 2, "rough", "a tilted plane with noise at every sample, 0 to 500 m") \
    X(LF_LANDSCAPE_DUNES, 3, "dunes", "crescents of sand, 0 to 120 m")

typedef enum lf_landscape {
#define LF_LANDSCAPE_ENUM(id, value, name, text) id = value,
    LF_LANDSCAPE_LIST(LF_LANDSCAPE_ENUM)
#undef LF_LANDSCAPE_ENUM
} lf_landscape;

/// The name of a landscape, such as "mountains"; "?" for any other value.
/// Static text. Allocates nothing. Threads: any.
const char *lf_landscape_name(lf_landscape landscape);

/// A window of an endless landscape; start from lf_make_heights_def_default(). The height at (x, y) depends
/// on the landscape, the seed, the spacing (which sets its finest detail) and low and high, not on the
/// window: any two windows agree where they overlap. Only "rough" depends on the window: its plane rises from
/// low at the south-west to high at the north-east corner, less the noise.
typedef struct lf_make_heights_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    lf_landscape landscape; ///< mountains by default
    uint64_t seed;          ///< 1 by default
    int64_t columns, rows;  ///< 1024 x 1024 by default; each 1 .. 2^40
    int64_t first_column;   ///< column and row of the endless raster where the window starts; 0 by default,
    int64_t first_row;      ///< within -2^40 .. 2^40
    double spacing;         ///< metres between samples, 30 by default; 0.01 .. 100000
    double low, high;       ///< metres that all heights stay within; NaN: the landscape's own
} lf_make_heights_def;

static inline lf_make_heights_def lf_make_heights_def_default(void) {
    lf_make_heights_def def = {sizeof(lf_make_heights_def),
                               {NULL, NULL, NULL, NULL},
                               LF_LANDSCAPE_MOUNTAINS,
                               1,
                               1024,
                               1024,
                               0,
                               0,
                               30.0,
                               (double)NAN,
                               (double)NAN};
    return def;
}

/// Make rows of a landscape. Rows are independent of each other: some of them have the same bits as when all
/// are made.
/// def        see above; runs on the host's tasks
/// first_row  of the window: 0 <= first_row, first_row + row_count <= def->rows
/// row_count  >= 0
/// values     space for row_count * def->columns heights, row after row from the south
/// error      optional
/// Errors: LF_BAD_ARGUMENT, LF_TOO_LARGE, LF_CANCELLED (values are then undefined). Allocates nothing.
/// Threads: any.
lf_status lf_make_rows(const lf_make_heights_def *def, int64_t first_row, int64_t row_count, float *values,
                       lf_error *error);

/// A whole window of heights in memory.
typedef struct lf_made_heights lf_made_heights;

/// Make a whole window of a landscape.
/// made   written only on success; free it with lf_made_heights_destroy
/// Errors as lf_make_rows, and LF_NO_MEMORY. Allocates with the host's allocator. Threads: any.
lf_status lf_make_heights(const lf_make_heights_def *def, lf_made_heights **made, lf_error *error);

/// Free heights; NULL is accepted.
void lf_made_heights_destroy(lf_made_heights *made);

/// The heights, valid until they are destroyed. x_low is first_column * spacing, y_low likewise.
/// Allocates nothing. Threads: any.
lf_heights lf_made_heights_view(const lf_made_heights *made);

/// Make a window of a landscape directly into a file, a band of rows at a time: it may be larger than memory.
/// path   .tif or .tiff: a GeoTIFF as lf_heights_write writes it
/// Errors as lf_make_rows and lf_heights_write. Allocates one band. Threads: any.
lf_status lf_make_heights_file(const lf_make_heights_def *def, const char *path, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Polygons
// ---------------------------------------------------------------------------------------------------

/// Generated polygons and the names of their groups. All are convex and flat within 1e-9 m; floors are
/// counter-clockwise seen from above, walls from outside.
typedef struct lf_made_polygons lf_made_polygons;

/// Free polygons; NULL is accepted.
void lf_made_polygons_destroy(lf_made_polygons *made);

/// The polygons, valid until they are destroyed. `users` is the number of the polygon's name.
/// Allocates nothing. Threads: any.
lf_polygons lf_made_polygons_view(const lf_made_polygons *made);

/// The number of names. Allocates nothing. Threads: any.
int64_t lf_made_polygons_name_count(const lf_made_polygons *made);

/// The name number 0 <= index < name count, such as "meadow" or "bridge"; NULL beyond.
/// Valid until the polygons are destroyed. Allocates nothing. Threads: any.
const char *lf_made_polygons_name(const lf_made_polygons *made, int64_t index);

/// A landscape as triangles: two per cell of the raster, cut along alternating diagonals.
/// def    columns and rows each >= 2
/// made   written only on success; free it with lf_made_polygons_destroy
/// Errors: as lf_make_heights. Allocates with the host's allocator. Threads: any.
lf_status lf_make_landscape_polygons(const lf_make_heights_def *def, lf_made_polygons **made,
                                     lf_error *error);

/// One row of the heights of a generated planet, in whole metres: samples from longitude -180 to 180, both
/// included, and from pole to pole.
/// columns, rows  of the whole raster, 2 .. 2^40
/// row            0 is the south pole
/// values         space for `columns` heights
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
lf_status lf_make_planet_row(uint64_t seed, int64_t columns, int64_t rows, int64_t row, float *values);

/// A generated planet as a GeoTIFF of longitudes and latitudes: 2 * rows - 1 columns.
/// rows  from pole to pole, 3 .. 20001
/// path  .tif or .tiff
/// Errors: as lf_make_planet_row and lf_grid_write. Allocates all of it with the host's allocator. Threads: any.
lf_status lf_make_planet_file(uint64_t seed, int64_t rows, const char *path, const lf_host *host,
                              lf_error *error);

/// Every kind of generated polygons: identifier, value, name (as the command spells it), default count, text.
#define LF_MADE_LIST(X)                                                                                    \
    X(LF_MADE_PARK, 0, "park", 13346,                                                                      \
      "a park: rolling meadow, lakes as holes, paths, bridges, a three-storey building, a velodrome")      \
    X(LF_MADE_CITY, 1, "city", 20000, "a city: streets, kerbs and blocks of houses with many-sided roofs") \
    X(LF_MADE_SPHERE, 2, "sphere", 5000, "a ball of triangles, radius 1")                                  \
    X(LF_MADE_KNOT, 3, "knot", 8192, "a closed trefoil knot of triangles, about 3 across")

typedef enum lf_made_kind {
#define LF_MADE_ENUM(id, value, name, count, text) id = value,
    LF_MADE_LIST(LF_MADE_ENUM)
#undef LF_MADE_ENUM
} lf_made_kind;

/// The name of a kind, such as "park"; "?" for any other value.
/// Static text. Allocates nothing. Threads: any.
const char *lf_made_name(lf_made_kind kind);

/// What to make; start from lf_make_polygons_def_default().
typedef struct lf_make_polygons_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    lf_made_kind kind; ///< the park by default
    uint64_t seed;     ///< 1 by default; sphere and knot do not depend on it
    /// how many: exact for the park (at least 4,000), approximate for the others; 0: the default of the
    /// kind; at most 2^31
    int64_t polygon_count;
} lf_make_polygons_def;

static inline lf_make_polygons_def lf_make_polygons_def_default(void) {
    lf_make_polygons_def def = {sizeof(lf_make_polygons_def), {NULL, NULL, NULL, NULL}, LF_MADE_PARK, 1, 0};
    return def;
}

/// Make polygons.
/// made   written only on success; free it with lf_made_polygons_destroy
/// error  optional
/// Errors: LF_BAD_ARGUMENT (kind or count, by value), LF_TOO_LARGE, LF_NO_MEMORY, LF_CANCELLED.
/// Allocates with the host's allocator. Threads: any.
lf_status lf_make_polygons(const lf_make_polygons_def *def, lf_made_polygons **made, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// A city as a world
// ---------------------------------------------------------------------------------------------------

/// A generated city on hills: what a world file and its parts hold. In metres of a local map, from 0,0.
typedef struct lf_made_city lf_made_city;

/// Its parts, valid until it is destroyed.
typedef struct lf_city_parts {
    lf_heights hills;      ///< with the valley of a river; NAME-hills.tif in the world file
    lf_polygons bridge;    ///< over the river, in the middle of the city; NAME-bridge.ply
    const char *buildings; ///< GeoJSON with the fields height and levels; NAME-buildings.geojson
    int64_t building_count;
    const char *world; ///< the world file
} lf_city_parts;

/// Make a city.
/// building_count  about how many, 1 .. 1000000
/// name            that the names of the parts begin with, at most 60 bytes
/// made            written only on success; free it with lf_made_city_destroy
/// Errors: LF_BAD_ARGUMENT, LF_TOO_LARGE, LF_NO_MEMORY, LF_CANCELLED. Allocates with the host's allocator. Threads: any.
lf_status lf_make_city(uint64_t seed, int64_t building_count, const char *name, const lf_host *host,
                       lf_made_city **made, lf_error *error);

/// Free a city; NULL is accepted.
void lf_made_city_destroy(lf_made_city *city);

lf_city_parts lf_made_city_parts(const lf_made_city *city);

#endif
