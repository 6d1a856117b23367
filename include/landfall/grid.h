/// landfall/grid.h: heights on a regular raster, as ground.
///
/// A grid has posts, columns x rows of them, each with a height or a hole. Between posts there is one surface, chosen when
/// the grid is made, and every question reads that one. Asked through lf_ground, or here for what only a grid has.
#ifndef LANDFALL_GRID_H
#define LANDFALL_GRID_H

#include <landfall/ground.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The surface between posts: name, value, word, what it is. A cell (i, j) lies between the posts of columns i and i + 1 and
/// rows j and j + 1; seen with columns to the right and rows upwards, as x and y on a map.
/// Voids: a piece of the surface exists where all of its own corners have heights: a triangle its three, a bilinear patch its four, a level
/// square its one. A cell of triangles with one void keeps the triangle on the other side of its cut, unless the void is an end of the cut.
/// Sides and corners belong to a piece; what no piece covers is a hole for every question. So is a post that has a height but is a corner of no
/// piece: viewsheds, shade and horizons call it a hole as heights do, and only lf_grid_sample and lf_grid_read give its height.
#define LF_SURFACE_LIST(X)                                                                                  \
    X(LF_SURFACE_FALLING, 0, "falling", "two triangles a cell, cut from its upper left to its lower right") \
    X(LF_SURFACE_RISING, 1, "rising", "two triangles a cell, cut from its lower left to its upper right")   \
    X(LF_SURFACE_ALTERNATING, 2, "alternating", "falling where i + j is even, rising where it is odd")      \
    X(LF_SURFACE_BILINEAR, 3, "bilinear", "a bilinear patch a cell")                                        \
    X(LF_SURFACE_POINT, 4, "posts", "each post owns the level square around it; steps between are walls")

typedef enum lf_surface {
#define LF_SURFACE_ENUM(name, value, word, text) name = value,
    LF_SURFACE_LIST(LF_SURFACE_ENUM)
#undef LF_SURFACE_ENUM
} lf_surface;

/// The name of a surface, such as "falling"; "?" for a value that is none. Static text. Threads: any.
LF_API const char *lf_surface_name(lf_surface surface);

/// How the samples of a grid lie in memory.
typedef enum lf_sample_type {
    LF_SAMPLE_FLOAT,
    LF_SAMPLE_DOUBLE,
    LF_SAMPLE_INT16,
    LF_SAMPLE_UINT16
} lf_sample_type;

/// How a grid keeps its heights: name, value, word, what it is.
#define LF_CODEC_LIST(X)                                                                                   \
    X(LF_CODEC_RAW, 0, "raw", "as they are")                                                               \
    X(LF_CODEC_PACK, 1, "pack",                                                                            \
      "foretold from neighbours, the rest packed: smallest and quickest to decode")                        \
    X(LF_CODEC_MAXPLUS, 2, "maxplus", "maxima and differences: the bounds of small blocks need no memory") \
    X(LF_CODEC_HAAR, 3, "haar", "Haar wavelets, rounded band by band")                                     \
    X(LF_CODEC_D4, 4, "d4", "Daubechies-4 wavelets, rounded band by band")

typedef enum lf_codec {
#define LF_CODEC_ENUM(name, value, word, text) name = value,
    LF_CODEC_LIST(LF_CODEC_ENUM)
#undef LF_CODEC_ENUM
} lf_codec;

/// The name of a codec, such as "pack"; "?" for a value that is none. Static text. Threads: any.
LF_API const char *lf_codec_name(lf_codec codec);

/// Bands of wavelet coefficients in a compressed grid, coarsest first.
#define LF_CODEC_BANDS 5

/// Samples, row by row. The sample of column i and row j lies at values + j * row_step + i * column_step bytes; the height
/// there is sample * scale + offset, in doubles. A sample is a hole when it is NaN or infinite, when it equals `nodata`
/// (before scale and offset; a NaN nodata equals nothing more), or when its byte in the mask is 0.
typedef struct lf_samples {
    lf_sample_type type;
    const void *values;
    int64_t columns;       ///< >= 2
    int64_t rows;          ///< >= 2
    ptrdiff_t column_step; ///< bytes; 0: packed. May be negative, and must be a multiple of the sample's size
    ptrdiff_t row_step;    ///< bytes; 0: packed. Likewise
    double scale, offset;  ///< finite, scale not 0; 1 and 0 by default
    double nodata;         ///< NAN by default
    const uint8_t *mask;   ///< a byte per sample, 0: hole; or NULL
    ptrdiff_t mask_row_step; ///< bytes; 0: packed
} lf_samples;

/// Where the posts stand: post (i, j) at origin + i * per_column + j * per_row. The two vectors must not be parallel; the
/// second lies to the left of the first (a raster with north on top is given from its last row, with a negative row_step).
typedef struct lf_geotransform {
    lf_vec2 origin;
    lf_vec2 per_column; ///< 1,0 by default
    lf_vec2 per_row;    ///< 0,1 by default
} lf_geotransform;

/// Where column i and row j are; these need not be whole.
static inline lf_vec2 lf_placing_at(const lf_geotransform *geotransform, double i, double j) {
    lf_vec2 at = {geotransform->origin.x + i * geotransform->per_column.x + j * geotransform->per_row.x,
                  geotransform->origin.y + i * geotransform->per_column.y + j * geotransform->per_row.y};
    return at;
}

/// How to make a grid; start from lf_grid_def_default() and fill in the samples.
typedef struct lf_grid_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    lf_samples samples;
    bool borrow; ///< the caller's memory is used, and must stay as it is while the grid lives; else copied
    lf_geotransform geotransform;
    lf_surface surface;
    int leaf; ///< cells along a side of the smallest bounded squares: 1, 2, 4 .. 64; 0: chosen (default)
    bool
        extend; ///< level on, half a cell beyond the border posts: for area rasters; not with borrow. What is there goes by
    ///< the number of the nearest cell; where it meets a cell with the same number that cell comes first
    lf_codec
        codec; ///< how heights are kept. With any but raw samples are neither copied nor needed afterwards
    double
        max_error; ///< >= 0: no height of a compressed grid is off by more. 0: none is off at all, which only whole numbers
    ///< (before scale and offset, for samples of 16 bits) can be kept by
    int band_bits
        [LF_CODEC_BANDS]; ///< of wavelets, in place of max_error: bits per coefficient of each band, 2 .. 32; 0: by max_error
    double
        turn; ///< x and x + turn are the same place: 360 for longitudes; 0 (default): x does not go round. With columns
    ///< along x and rows along y only, which reach no farther than a turn
    bool
        repeated; ///< one more sample lies behind each row (and in the mask), which repeats the row's first. Needed to
    ///< borrow samples of a grid whose columns span the whole turn; ignored for others
} lf_grid_def;

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
                       false};
    return def;
}

typedef struct lf_grid lf_grid;

/// What a grid is made of.
typedef struct lf_grid_info {
    int64_t columns, rows; ///< posts
    int64_t hole_count;    ///< posts without a height
    lf_surface surface;
    lf_geotransform geotransform;
    bool extend;
    int leaf;
    double low, high;     ///< least and greatest height; low > high when there are only holes
    lf_box box;           ///< of the surface
    size_t bytes;         ///< all memory that the grid holds, borrowed samples not counted
    size_t pyramid_bytes; ///< of these, bounds
    lf_codec codec;
    size_t sample_bytes;  ///< of these, heights: samples, or blocks and their index
    double max_error;     ///< as asked for
    double largest_error; ///< what compressing did to any height at most, and edits may do
    double mean_square_error;
} lf_grid_info;

/// Make a grid. Heights beyond 1e30 are refused; holes are not.
/// A grid with a turn is asked for x of any convention (-118.5, 241.5, 601.5 for longitudes). Where its columns span the whole turn (columns, or
/// columns - 1 where the last repeats the first, are turn / spacing, to 1e-9 of it) it wraps: heights, rays, sight, horizons, light
/// and viewsheds go over the seam, and it has as many cells in a row as there are columns in a turn. An alternating surface needs
/// an even number of these to wrap. Moving spheres and boxes (lf_grid_sweep_sphere) do not cross the seam.
/// A compressed grid answers every question bit for bit as a grid of its decoded heights does, decoding as it goes. It has leaves of 2
/// cells, unless chosen; with max-plus of 16, and bounds within these come from the heights themselves.
/// def    samples, geotransform, surface. Beyond the heights a grid takes less than 1 byte per sample, and less than 3 with a leaf of
///        1 cell, which is faster for rays that are dense over the ground, as those of a camera
/// grid   written only on success; give it back with lf_grid_destroy
/// error  optional; `where` is the index of the offending sample (row * columns + column)
/// Errors: LF_BAD_ARGUMENT (named), LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED.
/// Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_grid_create(const lf_grid_def *def, lf_grid **grid, lf_error *error);

/// Give a grid back; NULL is fine. Threads: nobody else may be using it.
LF_API void lf_grid_destroy(lf_grid *grid);

/// The grid as a ground, for as long as the grid exists; NULL for NULL. Down is -z. An edit of the grid is seen at once.
/// Costs nothing. Threads: any.
LF_API const lf_ground *lf_grid_ground(const lf_grid *grid);

/// What a grid is made of. Allocates nothing. Threads: any number at once.
LF_API lf_grid_info lf_grid_describe(const lf_grid *grid);

/// How many columns a grid has in a turn where it wraps; 0 where it does not. Allocates nothing. Threads: any number at once.
LF_API int64_t lf_grid_round(const lf_grid *grid);

/// The height of a post; NAN for a hole, for a post that does not exist, and once the file of a stored grid was found damaged
/// (lf_grid_read tells that apart). Allocates nothing. Threads: any number at once.
LF_API double lf_grid_sample(const lf_grid *grid, int64_t column, int64_t row);

/// The heights of a rectangle of posts, row by row from its first post on; NAN for holes. Of a compressed grid this decodes each block no more
/// often than need be.
/// column, row     of the first post; the rectangle lies within the grid
/// heights         columns * rows of them are written
/// Errors: LF_BAD_ARGUMENT, LF_BAD_FORMAT (of a stored grid: the file is damaged). Allocates nothing. Threads: any number at once.
LF_API lf_status lf_grid_read(const lf_grid *grid, int64_t column, int64_t row, int64_t columns, int64_t rows,
                              double *heights);

/// Where a place of the world is on the grid, in columns and rows (fractions included), by the formula that all questions
/// use: with a, b, c, d the inverse of the geotransform's matrix, column = a * (x - origin.x) + b * (y - origin.y), and row likewise with
/// c and d. With a turn, an x that is more than half of it (and half the grid's width) from the grid's middle is first moved by whole turns
/// to where it is nearest to that. Exact answers are exact for the place so converted. Allocates nothing. Threads: any number at once.
LF_API lf_vec2 lf_grid_locate(const lf_grid *grid, lf_vec2 world);

/// A rectangle of posts, or of a raster's pixels.
typedef struct lf_window {
    int64_t column, row;   ///< the first
    int64_t columns, rows; ///< how many
} lf_window;

/// How the pixels of a raster file became the samples of a grid, so that results can lie on the same pixels.
typedef struct lf_pixels {
    double geotransform[6]; ///< from pixels of the file to x and y, as GDAL counts, in metres or degrees
    lf_window window;       ///< pixels of the file that are samples of the grid,
    int64_t columns, rows;  ///< of so many in the file
    bool transposed;        ///< rows of the file are columns of the grid
    bool flip_columns, flip_rows; ///< the grid counts them from the other end
    bool placed;                  ///< false: the file has no geotransform of its own
    bool nodata_given;            ///< the file names a number for no data,
    double nodata;                ///< this one, in the file's own units
} lf_pixels;

/// The window of all posts of a grid. Allocates nothing. Threads: any number at once.
LF_API lf_window lf_grid_window(const lf_grid *grid);

/// What an edit cost, in units that do not depend on the clock.
typedef struct lf_grid_edit_cost {
    int64_t
        posts; ///< read or written; of one that is edited the smallest blocks around it are read: no more than 64 x 64 posts
    int64_t
        nodes; ///< bounds computed anew: of the blocks that the rectangle touches, and of those that these are in
} lf_grid_edit_cost;

/// Set a rectangle of heights. Every answer is then that of a grid made of the new heights. Of a grid that wraps the first column is both
/// sides of the seam; where the grid is compressed that column cannot be edited, and where it is extended none can.
/// column, row  of the rectangle's first post
/// samples      the new ones, of any type, with their own scale, offset, nodata and mask; 1 x 1 or more
/// cost         optional
/// error        optional; `where` is the index of the offending sample
/// Errors: LF_BAD_ARGUMENT (the rectangle does not fit; a height that the grid's sample type cannot hold exactly
/// is refused, never rounded; holes can be put anywhere; borrowed samples cannot be edited; a
/// compressed grid takes heights within its largest error, and writes the blocks they are in anew), LF_NO_MEMORY. On an error nothing has changed.
/// Threads: nobody else may be using the grid.
LF_API lf_status lf_grid_edit(lf_grid *grid, int64_t column, int64_t row, const lf_samples *samples,
                              lf_grid_edit_cost *cost, lf_error *error);

/// What a moving thing touches first.
/// t       first contact along the motion, 0 .. 1. Conservative: never later than the thing touches the ground, and never earlier than
///         the same thing, larger by the tolerance all around, would; 0 when it is within the tolerance at its start
/// point   of the ground that is touched, within the tolerance of it
/// normal  from there to the thing, unit length
typedef struct lf_sweep_contact {
    bool touches;
    double t;
    lf_vec3 point;
    lf_vec3 normal;
    int64_t element; ///< -1 where nothing is touched
} lf_sweep_contact;

/// First contact of a sphere that moves in a straight line. The ground is the surface alone: a sphere below it is free.
/// centre, motion  finite; the centre runs from centre to centre + motion
/// radius          >= 0
/// tolerance       > 0, metres; on a bilinear cell with slopes of thousands at least a 2000th of its diagonal
/// contact         always written; t is 1 when nothing is touched, and after LF_BAD_ARGUMENT
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_grid_sweep_sphere(const lf_grid *grid, lf_vec3 centre, double radius, lf_vec3 motion,
                                      double tolerance, lf_sweep_contact *contact, lf_cursor *cursor);

/// First contact of a box that moves in a straight line without turning. pose and half say the box at its start: the points
/// pose(x) with |x| <= half in each axis, half > 0. Otherwise as lf_grid_sweep_sphere.
LF_API lf_status lf_grid_sweep_box(const lf_grid *grid, const lf_pose *pose, lf_vec3 half, lf_vec3 motion,
                                   double tolerance, lf_sweep_contact *contact, lf_cursor *cursor);

/// What a pyramid of bounds takes.
typedef struct lf_pyramid_size {
    int levels;
    int64_t nodes;
    int64_t bytes;
} lf_pyramid_size;

/// The pyramid over so many posts with leaves of `leaf` cells a side (1, 2, 4 .. 64); zeros when that cannot be.
/// Allocates nothing. Threads: any.
LF_API lf_pyramid_size lf_grid_pyramid_size(int64_t columns, int64_t rows, int leaf);

#ifdef __cplusplus
}
#endif
#endif
