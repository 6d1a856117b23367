/// landfall/grid.h: heights on a regular raster, as ground.
///
/// A grid has columns x rows samples, each a height or a void. The surface between samples is chosen when the
/// grid is created, and all queries use it: those of lf_ground, and those below that only grids have.
#ifndef LANDFALL_GRID_H
#define LANDFALL_GRID_H

#include <landfall/ground.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The surface between samples: constant, value, name, description. A cell (i, j) lies between the samples of
/// columns i and i + 1 and rows j and j + 1, with columns to the right and rows upwards, as x and y on a map.
/// Voids: a piece of the surface exists where all of its own corners have heights: a triangle its three, a
/// bilinear patch its four, a level square its one. A cell of triangles with one void keeps the triangle on
/// the other side of its diagonal, unless the void is an end of the diagonal. Sides and corners belong to a
/// piece; what no piece covers is void for every query. So is a sample that has a height but is a corner of
/// no piece: heights, viewsheds, shade and horizons treat it as void, and only lf_grid_sample and
/// lf_grid_read return its height.
#define LF_SURFACE_LIST(X)                                                                                  \
    X(LF_SURFACE_FALLING, 0, "falling", "two triangles a cell, cut from its upper left to its lower right") \
    X(LF_SURFACE_RISING, 1, "rising", "two triangles a cell, cut from its lower left to its upper right")   \
    X(LF_SURFACE_ALTERNATING, 2, "alternating", "falling where i + j is even, rising where it is odd")      \
    X(LF_SURFACE_BILINEAR, 3, "bilinear", "a bilinear patch a cell")                                        \
    X(LF_SURFACE_POINT, 4, "posts", "a level square around each sample; steps between squares are walls")

typedef enum lf_surface {
#define LF_SURFACE_ENUM(name, value, word, text) name = value,
    LF_SURFACE_LIST(LF_SURFACE_ENUM)
#undef LF_SURFACE_ENUM
} lf_surface;

/// The name of a surface, such as "falling"; "?" for an invalid value. Static text. Threads: any.
LF_API const char *lf_surface_name(lf_surface surface);

/// The type of the samples of a grid in memory.
typedef enum lf_sample_type {
    LF_SAMPLE_FLOAT,
    LF_SAMPLE_DOUBLE,
    LF_SAMPLE_INT16,
    LF_SAMPLE_UINT16
} lf_sample_type;

/// How a grid stores its heights: constant, value, name, description.
#define LF_CODEC_LIST(X)                                                                                   \
    X(LF_CODEC_RAW, 0, "raw", "as they are")                                                               \
    X(LF_CODEC_PACK, 1, "pack",                                                                            \
      "predicted from neighbours, residuals packed: smallest and fastest to decode")                       \
    X(LF_CODEC_MAXPLUS, 2, "maxplus", "maxima and differences: the bounds of small blocks need no memory") \
    X(LF_CODEC_HAAR, 3, "haar", "Haar wavelets, rounded band by band")                                     \
    X(LF_CODEC_D4, 4, "d4", "Daubechies-4 wavelets, rounded band by band")

typedef enum lf_codec {
#define LF_CODEC_ENUM(name, value, word, text) name = value,
    LF_CODEC_LIST(LF_CODEC_ENUM)
#undef LF_CODEC_ENUM
} lf_codec;

/// The name of a codec, such as "pack"; "?" for an invalid value. Static text. Threads: any.
LF_API const char *lf_codec_name(lf_codec codec);

/// Bands of wavelet coefficients in a tile of a compressed grid, coarsest first.
#define LF_CODEC_BANDS 5

/// Bands above these, of the means of 2 x 2, 4 x 4 or 8 x 8 tiles.
#define LF_CODEC_COARSE_BANDS 3

/// Samples, row by row. The sample of column i and row j is at values + j * row_step + i * column_step bytes;
/// its height is sample * scale + offset, in doubles. A sample is a void when it is NaN or infinite, when it
/// equals `nodata` (before scale and offset; a NaN nodata equals nothing), or when its byte in the mask is 0.
typedef struct lf_samples {
    lf_sample_type type;     ///< of the values
    const void *values;      ///< the numbers
    int64_t columns;         ///< >= 2
    int64_t rows;            ///< >= 2
    ptrdiff_t column_step;   ///< bytes; 0: contiguous. May be negative; must be a multiple of the sample size
    ptrdiff_t row_step;      ///< bytes; 0: contiguous. Likewise
    double scale, offset;    ///< finite, scale not 0; 1 and 0 by default
    double nodata;           ///< NAN by default
    const uint8_t *mask;     ///< a byte per sample, 0: void; or NULL
    ptrdiff_t mask_row_step; ///< bytes; 0: contiguous
} lf_samples;

/// The positions of samples: sample (i, j) is at origin + i * per_column + j * per_row. The second vector must
/// be to the left of the first, not parallel to it (a raster with north on top starts at its last row, with a
/// negative row_step).
typedef struct lf_geotransform {
    lf_vec2 origin;     ///< position of sample (0, 0)
    lf_vec2 per_column; ///< 1,0 by default
    lf_vec2 per_row;    ///< 0,1 by default
} lf_geotransform;

/// The position of column i and row j, which may be fractions.
static inline lf_vec2 lf_geotransform_at(const lf_geotransform *geotransform, double i, double j) {
    lf_vec2 at = {geotransform->origin.x + i * geotransform->per_column.x + j * geotransform->per_row.x,
                  geotransform->origin.y + i * geotransform->per_column.y + j * geotransform->per_row.y};
    return at;
}

/// A rectangle of samples, or of a raster's pixels.
typedef struct lf_window {
    int64_t column, row;   ///< the first
    int64_t columns, rows; ///< how many
} lf_window;

/// Keeps what has been compressed while a grid is created, so that the creation of the same grid continues after its process
/// ended. Called on the thread of lf_grid_create.
typedef struct lf_grid_keep {
    void *user; ///< passed to both
    /// The next record of an earlier creation, in the order in which they were saved; NULL: there is none, or no other. It stays
    /// valid until the next call.
    const void *(*load)(void *user, size_t *bytes);
    /// Keep a record. Returns false to end the creation (LF_IO_FAILED).
    bool (*save)(void *user, const void *record, size_t bytes);
} lf_grid_keep;

/// How to create a grid; start from lf_grid_def_default() and fill in the samples.
typedef struct lf_grid_def {
    size_t size;        ///< stamped by the default function
    lf_host host;       ///< hooks of the caller
    lf_samples samples; ///< the heights
    bool borrow; ///< use the caller's memory, which must not change while the grid exists; else it is copied
    lf_geotransform geotransform; ///< position of the samples on the map
    lf_surface surface;           ///< as in the definition
    int leaf; ///< cells along a side of the smallest bounded squares: 1, 2, 4 .. 64; 0: chosen (default)
    /// Extend the surface by half a cell at constant height outside of the border samples, for area rasters;
    /// not with borrow. Its elements are those of the nearest cells; at the border the cell comes first.
    bool extend;
    lf_codec codec; ///< how heights are stored; except for raw, samples are not used after creation
    /// >= 0, the largest error of a height of a compressed grid. 0: lossless, which requires whole numbers
    /// (before scale and offset, for samples of 16 bits).
    double max_error;
    /// For wavelets, instead of max_error: bits per coefficient of each band, 2 .. 32; 0: by max_error.
    int band_bits[LF_CODEC_BANDS];
    /// x and x + turn are the same place: 360 for longitudes; 0 (default): x is not periodic. Requires
    /// columns along x and rows along y, and columns within one turn.
    double turn;
    /// Each row (also of the mask) is followed by one more sample, which repeats the first of the row.
    /// Required to borrow the samples of a grid whose columns span the whole turn; ignored for others.
    bool repeated;
    /// Only the samples of `parts` are read, now and later; the others need not exist in memory. Queries within the
    /// parts have the answers of a grid of all samples, bit for bit; those that come closer than two samples to a border
    /// of a part that is not one of the grid have no meaningful answer. Requires borrow, codec raw and no extend.
    bool partial;
    const lf_window
        *parts; ///< each begins at multiples of LF_GRID_PART and ends one sample after one, or with the
                ///< grid, its repeated column included
    int64_t part_count; ///< 0: no surface at all, values may be NULL
    /// With partial: least and greatest height of all samples, also of those that are not read. Voids are then as high, and
    /// lines as exact, as on the whole grid. low > high (default): those of the parts.
    double partial_low;
    double partial_high; ///< the greatest of them
    /// With band_bits: bits per coefficient of coarser bands than a tile has, coarsest first, 2 .. 32. The last number is that of
    /// 2 x 2 tiles, and a 0 means that there is no such band and none before it: the means of these squares are exact.
    int coarse_bits[LF_CODEC_COARSE_BANDS];
    /// Wavelets, with a leaf of 32 cells: bounds of whole tiles come from the coefficients, as those within tiles do, and a file holds no
    /// bounds. It takes longer to open (each tile is read), and queries decode more.
    bool derived_bounds;
    /// Of compressed grids: what was compressed by an earlier creation from the same samples and def, or NULL.
    const lf_grid_keep *keep;
} lf_grid_def;

/// Parts of a grid consist of squares of this many cells.
#define LF_GRID_PART 64

static inline lf_grid_def lf_grid_def_default(void) {
    lf_grid_def def = {sizeof(lf_grid_def),
                       {NULL, NULL, NULL, NULL},
                       {LF_SAMPLE_FLOAT, NULL, 0, 0, 0, 0, 1, 0, LF_NAN, NULL, 0},
                       false,
                       {{0, 0}, {1, 0}, {0, 1}},
                       LF_SURFACE_FALLING,
                       0,
                       false,
                       LF_CODEC_RAW,
                       0,
                       {0, 0, 0, 0, 0},
                       0,
                       false,
                       false,
                       NULL,
                       0,
                       LF_INFINITY,
                       -LF_INFINITY,
                       {0, 0, 0},
                       false,
                       NULL};
    return def;
}

/// Heights on a raster, with a surface between them.
typedef struct lf_grid lf_grid;

/// The properties of a grid.
typedef struct lf_grid_info {
    int64_t columns, rows;        ///< samples
    int64_t hole_count;           ///< samples without a height
    lf_surface surface;           ///< as in the definition
    lf_geotransform geotransform; ///< position of the samples on the map
    bool extend;                  ///< as in the definition
    int leaf;                     ///< as in the definition
    double low, high;             ///< least and greatest height; low > high where all samples are voids
    lf_box box;                   ///< of the surface
    size_t bytes;                 ///< all memory of the grid, without borrowed samples
    size_t pyramid_bytes;         ///< of these, bounds
    lf_codec codec;               ///< as in the definition
    size_t sample_bytes;          ///< of these, heights: samples, or blocks and their index
    double max_error;             ///< as requested
    double largest_error;         ///< of any height by compression, and by edits
    double mean_square_error;     ///< of the compressed heights
} lf_grid_info;

/// Create a grid. Heights beyond 1e30 are rejected; voids are not. Queries of a grid with a turn accept x of
/// any convention (-118.5, 241.5, 601.5 for longitudes). Where its columns span the whole turn (columns, or
/// columns - 1 where the last repeats the first, equal turn / spacing within 1e-9) it wraps: heights, rays,
/// sight, horizons, light and viewsheds cross the seam, and a row has as many cells as there are columns in a
/// turn. An alternating surface needs an even number of these to wrap. Moving spheres and boxes
/// (lf_ground_sweep) do not cross the seam. A compressed grid answers every query with the same bits as
/// a grid of its decoded heights, decoding on demand. Its default leaf is 2 cells; with max-plus 16 cells,
/// and bounds within these come from the tiles. So they do for wavelets with a leaf of 32 cells: slower, and in less memory.
/// A grid of parts takes address space of the system for all of its bounds, but memory only for those of its parts.
/// def    samples, geotransform, surface. In addition to heights a grid takes less than 1 byte per sample, or
///        less than 3 with a leaf
///        of 1 cell, which is faster for rays that are dense over the ground, as those of a camera
/// grid   written only on success; free it with lf_grid_destroy
/// error  optional; `where` is the index of the offending sample (row * columns + column)
/// Errors: LF_BAD_ARGUMENT (named), LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED.
/// Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_grid_create(const lf_grid_def *def, lf_grid **grid, lf_error *error);

/// Destroy a grid; accepts NULL. Threads: no other thread may use the grid.
LF_API void lf_grid_destroy(lf_grid *grid);

/// The grid as a ground, valid while the grid exists; NULL for NULL. Down is -z. Edits of the grid take
/// effect at once. Allocates nothing. Threads: any.
LF_API const lf_ground *lf_grid_ground(const lf_grid *grid);

/// The properties of a grid. Allocates nothing. Threads: any number at once.
LF_API lf_grid_info lf_grid_describe(const lf_grid *grid);

/// The number of columns in a turn of a grid that wraps; 0 where it does not. Allocates nothing. Threads: any
/// number at once.
LF_API int64_t lf_grid_round(const lf_grid *grid);

/// The height of a sample; NAN for a void, for a sample that does not exist, and once the file of a stored
/// grid was found damaged (lf_grid_read reports that as an error). Allocates nothing. Threads: any number at
/// once.
LF_API double lf_grid_sample(const lf_grid *grid, int64_t column, int64_t row);

/// Read the heights of a rectangle of samples, row by row; NAN for voids. Decodes each tile of a compressed
/// grid as rarely as possible.
/// column, row     of the first sample; the rectangle must be within the grid
/// heights         space for columns * rows heights
/// Errors: LF_BAD_ARGUMENT, LF_BAD_FORMAT (of a stored grid: the file is damaged). Allocates nothing.
/// Threads: any number at once.
LF_API lf_status lf_grid_read(const lf_grid *grid, int64_t column, int64_t row, int64_t columns, int64_t rows,
                              double *heights);

/// Convert a place of the world to columns and rows (with fractions), by the formula that all queries use:
/// with a, b, c, d the inverse of the geotransform's matrix, column = a * (x - origin.x) + b * (y -
/// origin.y), and row likewise with c and d. With a turn, an x that is more than half a turn (and half the
/// grid's width) from the grid's middle is first moved by whole turns to the nearest copy. Exact answers are
/// exact for the converted place. Allocates nothing. Threads: any number at once.
LF_API lf_vec2 lf_grid_locate(const lf_grid *grid, lf_vec2 world);

/// How the pixels of a raster file became the samples of a grid, so that results can use the same pixels.
typedef struct lf_pixels {
    double geotransform[6];       ///< from pixels of the file to x and y, as in GDAL, in metres or degrees
    lf_window window;             ///< pixels of the file that are samples of the grid
    int64_t columns, rows;        ///< of the file
    bool transposed;              ///< rows of the file are columns of the grid
    bool flip_columns, flip_rows; ///< the grid counts from the other end
    bool georeferenced;           ///< false: the file has no geotransform of its own
    bool nodata_given;            ///< the file has a number for no data
    double nodata;                ///< that number, in the file's own units
} lf_pixels;

/// Where the targets of a viewshed, or the points of a map, lie. In the ground's own x and y; on a globe, and on groups with one, in
/// degrees of longitude (x) and latitude (y) on the rules' ellipsoid. For other coordinate reference systems see places of lf_viewshed_def.
typedef struct lf_lattice {
    lf_geotransform geotransform; ///< of the samples, as in lf_grid_def
    // The ground's own grid is the ground itself,
    // or the first grid in a group whose pose is the identity.
    int64_t columns, rows; ///< 1 or more each; both 0: the samples of the ground's own grid
} lf_lattice;

/// The window of all samples of a grid. Allocates nothing. Threads: any number at once.
LF_API lf_window lf_grid_window(const lf_grid *grid);

/// The cost of an edit, in units that do not depend on time.
typedef struct lf_grid_edit_cost {
    /// Samples read or written; an edit of one sample reads at most 64 x 64 samples around it.
    int64_t samples;
    /// Recomputed bounds: of the blocks that the rectangle touches, and of the blocks around these.
    int64_t nodes;
} lf_grid_edit_cost;

/// Set a rectangle of heights. Every answer is then that of a grid created from the new heights. The first
/// column of a grid that wraps is on both sides of the seam; where the grid is compressed that column cannot
/// be edited, and where it is extended none can.
/// column, row  of the rectangle's first sample
/// samples      the new ones, of any type, with their own scale, offset, nodata and mask; 1 x 1 or more
/// cost         optional
/// error        optional; `where` is the index of the offending sample
/// Errors: LF_BAD_ARGUMENT (the rectangle is outside of the grid; a height is not exact in the grid's sample
/// type, or for a compressed grid not within its max_error; the grid borrows its samples), LF_NO_MEMORY. Voids
/// are always accepted. On an error the grid is not changed. A compressed grid encodes the tiles of the
/// rectangle again.
/// Threads: no other thread may use the grid.
LF_API lf_status lf_grid_edit(lf_grid *grid, int64_t column, int64_t row, const lf_samples *samples,
                              lf_grid_edit_cost *cost, lf_error *error);

/// The size of a pyramid of bounds.
typedef struct lf_pyramid_size {
    int levels;    ///< number of levels
    int64_t nodes; ///< number of nodes
    int64_t bytes; ///< memory
} lf_pyramid_size;

/// The size of the pyramid of a grid with leaves of `leaf` cells a side (1, 2, 4 .. 64); zeros for invalid
/// arguments.
/// Allocates nothing. Threads: any.
LF_API lf_pyramid_size lf_grid_pyramid_size(int64_t columns, int64_t rows, int leaf);

#ifdef __cplusplus
}
#endif
#endif
