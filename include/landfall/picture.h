/// landfall/picture.h: a small picture canvas, maps, plots, PNG (library landfall-io).
///
/// Pixel coordinates: x to the right, y down, the pixel (i, j) is the square from (i, j) to (i + 1, j + 1). All
/// drawing is anti-aliased, clipped to the canvas, and never fails: a shape with a coordinate that is not finite, or
/// beyond 1e9, is left out. Drawing allocates nothing unless it says so. One thread per canvas.
#ifndef LANDFALL_PICTURE_H
#define LANDFALL_PICTURE_H

#include <landfall/io.h>
#include <landfall/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// Colours
// ---------------------------------------------------------------------------------------------------

/// sRGB, alpha not multiplied in: 255 covers, 0 is invisible.
typedef struct lf_colour {
    uint8_t red, green, blue, alpha;
} lf_colour;

/// The covering colour 0xRRGGBB.
static inline lf_colour lf_colour_of(uint32_t rgb) {
    lf_colour colour = {(uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8), (uint8_t)rgb, 255};
    return colour;
}

/// A colour at another opacity, 0 .. 1 (held there).
static inline lf_colour lf_colour_fade(lf_colour colour, double opacity) {
    colour.alpha = opacity >= 1 ? 255 : opacity > 0 ? (uint8_t)(255.0 * opacity + 0.5) : 0;
    return colour;
}

/// The way from a to b: a at 0, b at 1 (held there). Allocates nothing. Threads: any.
LF_API lf_colour lf_colour_mix(lf_colour a, lf_colour b, double t);

/// Eight quiet colours that are easy to tell apart, also for the colour-blind: for series in plots and groups in maps.
/// index  any number; taken modulo 8. Allocates nothing. Threads: any.
LF_API lf_colour lf_colour_series(int64_t index);

/// Colours for numbers.
typedef enum lf_ramp {
    LF_RAMP_GREY, ///< black to white
    LF_RAMP_LAND, ///< hypsometric tints: valley green, sand, rock, snow
    LF_RAMP_EVEN, ///< perceptually even, dark violet over teal to pale yellow: for any quantity
    LF_RAMP_BOTH, ///< blue over white to red: for what lies about a middle
    LF_RAMP_HEAT  ///< pale to dark red: for cost and density
} lf_ramp;

/// The colour of a ramp at t in 0 .. 1 (held there; NaN gives an invisible colour).
/// Allocates nothing. Threads: any.
LF_API lf_colour lf_ramp_colour(lf_ramp ramp, double t);

// ---------------------------------------------------------------------------------------------------
// The canvas
// ---------------------------------------------------------------------------------------------------

typedef struct lf_canvas_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    int64_t width, height; ///< pixels, each 1 .. 65500; 960 x 600 by default
    lf_colour background;  ///< white by default
    bool
        keep_shapes; ///< also keep shapes and text as they are drawn, for lf_canvas_write_svg; false by default
} lf_canvas_def;

static inline lf_canvas_def lf_canvas_def_default(void) {
    lf_canvas_def def = {
        sizeof(lf_canvas_def), {NULL, NULL, NULL, NULL}, 960, 600, {255, 255, 255, 255}, false};
    return def;
}

typedef struct lf_canvas lf_canvas;

/// Make a canvas.
/// canvas  written only on success; give it back with lf_canvas_destroy
/// error   optional
/// Errors: LF_BAD_ARGUMENT (width or height, by value), LF_NO_MEMORY, LF_TOO_LARGE.
/// Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_canvas_create(const lf_canvas_def *def, lf_canvas **canvas, lf_error *error);

/// Give a canvas back; NULL is fine.
LF_API void lf_canvas_destroy(lf_canvas *canvas);

/// Width and height in pixels.
LF_API int64_t lf_canvas_width(const lf_canvas *canvas);
LF_API int64_t lf_canvas_height(const lf_canvas *canvas);

/// The pixel in column x and row y; all zero outside.
LF_API lf_colour lf_canvas_pixel(const lf_canvas *canvas, int64_t x, int64_t y);

/// Set a pixel, alpha and all, without mixing; nothing happens outside.
LF_API void lf_canvas_set_pixel(lf_canvas *canvas, int64_t x, int64_t y, lf_colour colour);

/// A rectangle of pixels; nothing when width or height is not above 0.
typedef struct lf_rect {
    double x, y, width, height;
} lf_rect;

/// The whole canvas.
LF_API lf_rect lf_canvas_area(const lf_canvas *canvas);

/// Draw only inside a rectangle from now on (its edges rounded to whole pixels); the whole canvas at creation.
LF_API void lf_canvas_clip(lf_canvas *canvas, lf_rect area);

/// Write a canvas to a PNG file (RGBA when any pixel lets something through, else RGB).
/// path   written beside and renamed: the file is whole or not there
/// error  optional
/// Errors: LF_IO_FAILED names the path and the reason, LF_NO_MEMORY.
/// Allocates with the canvas's allocator (libpng with its own). Threads: one per canvas.
LF_API lf_status lf_canvas_write_png(const lf_canvas *canvas, const char *path, lf_error *error);

/// Write the shapes and the text drawn on a canvas to an SVG file. Single pixels, images, relief and polygon maps are not shapes, and
/// not in it.
/// canvas  made with keep_shapes
/// path    written beside and renamed: the file is whole or not there
/// error   optional
/// Errors: LF_BAD_ARGUMENT (no shapes were kept), LF_IO_FAILED names the path and the reason, LF_NO_MEMORY (now, or while a shape was
/// drawn). Allocates with the canvas's allocator. Threads: one per canvas.
LF_API lf_status lf_canvas_write_svg(const lf_canvas *canvas, const char *path, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Shapes
// ---------------------------------------------------------------------------------------------------

/// Fill a rectangle.
LF_API void lf_canvas_fill_rect(lf_canvas *canvas, lf_rect rect, lf_colour colour);

/// Fill a polygon, convex or not, by the even-odd rule. Fewer than three corners draw nothing.
LF_API void lf_canvas_fill_polygon(lf_canvas *canvas, const lf_vec2 *corners, int64_t count,
                                   lf_colour colour);

/// Fill a circle. radius > 0.
LF_API void lf_canvas_fill_circle(lf_canvas *canvas, lf_vec2 centre, double radius, lf_colour colour);

/// How lines are drawn. Ends and bends are round.
typedef struct lf_stroke {
    lf_colour colour;
    double width; ///< pixels, > 0
    double dash;  ///< length of a dash in pixels; 0: solid
    double gap;   ///< length of a gap
} lf_stroke;

/// A solid line.
static inline lf_stroke lf_stroke_solid(lf_colour colour, double width) {
    lf_stroke stroke = {colour, width, 0, 0};
    return stroke;
}

/// Draw a line.
LF_API void lf_canvas_line(lf_canvas *canvas, lf_vec2 a, lf_vec2 b, const lf_stroke *stroke);

/// Draw a chain of lines; a translucent one covers itself only once. NaN points break the chain.
LF_API void lf_canvas_polyline(lf_canvas *canvas, const lf_vec2 *points, int64_t count,
                               const lf_stroke *stroke);

/// Draw the outline of a polygon.
LF_API void lf_canvas_outline(lf_canvas *canvas, const lf_vec2 *corners, int64_t count,
                              const lf_stroke *stroke);

/// Draw an arrow from a to b, its head in proportion to the stroke's width.
LF_API void lf_canvas_arrow(lf_canvas *canvas, lf_vec2 a, lf_vec2 b, const lf_stroke *stroke);

typedef enum lf_marker {
    LF_MARKER_NONE,
    LF_MARKER_DISC,
    LF_MARKER_RING,
    LF_MARKER_SQUARE,
    LF_MARKER_DIAMOND,
    LF_MARKER_TRIANGLE,
    LF_MARKER_CROSS,
    LF_MARKER_PLUS
} lf_marker;

/// Draw a marker about `size` pixels across.
LF_API void lf_canvas_marker(lf_canvas *canvas, lf_vec2 centre, lf_marker marker, double size,
                             lf_colour colour);

/// Copy an RGB or RGBA image in, scaled to a rectangle (nearest pixel when enlarged, mean when reduced).
/// pixels  width * height pixels of `channels` (3 or 4) bytes, row after row from the top
/// Nothing is drawn for sizes below 1, other channel counts or a rectangle without area.
LF_API void lf_canvas_image(lf_canvas *canvas, lf_rect place, const uint8_t *pixels, int64_t width,
                            int64_t height, int channels);

// ---------------------------------------------------------------------------------------------------
// Text
// ---------------------------------------------------------------------------------------------------

typedef enum lf_align { LF_ALIGN_START, LF_ALIGN_MIDDLE, LF_ALIGN_END } lf_align;

/// How text is drawn; start from lf_text_style_default().
typedef struct lf_text_style {
    double height;       ///< pixels from line to line, 4 .. 1000; capitals are about 0.6 of it. 18 by default
    lf_colour colour;    ///< near-black by default
    lf_align horizontal; ///< which part of the text stands at the point; the start by default
    lf_align vertical;   ///< start: the top of capitals, middle: their middle, end: the baseline (default)
    int quarter_turns;   ///< counter-clockwise; 1 reads upwards
    double weight;       ///< thickness of the strokes, 1 is regular, 1.6 is bold
    lf_colour halo;      ///< a rim round the text, for busy grounds; invisible by default
} lf_text_style;

static inline lf_text_style lf_text_style_default(void) {
    lf_text_style style = {18.0, {38, 43, 51, 255}, LF_ALIGN_START, LF_ALIGN_END, 0, 1.0, {255, 255, 255, 0}};
    return style;
}

/// Draw a line of UTF-8 text in the built-in stroke font: ASCII, umlauts and the signs one meets in figures
/// (degree, micro, squared, cubed, plus-minus, times, middle dot, dashes, ellipsis, arrows, <= >= and a few
/// Greek letters). Other characters show as a small box, bytes that are no UTF-8 likewise; a newline starts a new line.
LF_API void lf_canvas_text(lf_canvas *canvas, lf_vec2 at, const char *text, const lf_text_style *style);

/// The width in pixels of the widest line of a text at a line height.
LF_API double lf_text_width(const char *text, double height);

/// Write a number for people: `decimals` (0 .. 15) digits after a point, whatever the locale says; "-" and no
/// negative zero; "inf", "-inf", "nan"; powers of ten (1.5e+20) beyond 1e15.
/// text  room for capacity bytes; cut off, with an end, where that is too short
LF_API void lf_number_text(double value, int decimals, char *text, size_t capacity);

// ---------------------------------------------------------------------------------------------------
// Views: from the world to pixels
// ---------------------------------------------------------------------------------------------------

/// A part of the world's plane on a part of the canvas; y up in the world, down on the canvas.
typedef struct lf_view {
    lf_rect area;         ///< pixels
    double x_low, x_high; ///< world, at the area's left and right edge
    double y_low, y_high; ///< world, at the area's lower and upper edge
} lf_view;

/// A box of the world shown as large as it fits in an area, at one scale for both axes, in the middle.
/// box  not empty; z is ignored. A box without extent is shown 1 m across.
LF_API lf_view lf_view_fit(lf_rect area, lf_box box);

/// World to pixels, and back.
LF_API lf_vec2 lf_view_to_pixel(const lf_view *view, double x, double y);
LF_API lf_vec2 lf_view_to_world(const lf_view *view, lf_vec2 pixel);

// ---------------------------------------------------------------------------------------------------
// Maps
// ---------------------------------------------------------------------------------------------------

/// How ground is lit and coloured; start from lf_relief_def_default().
typedef struct lf_relief_def {
    size_t size; ///< stamped by the default function
    lf_ramp ramp;
    double low, high;         ///< heights at the ramp's ends; NaN: those of the ground
    double sun_azimuth_deg;   ///< clockwise from north; 315 by default
    double sun_height_deg;    ///< above the horizon; 45 by default
    double exaggeration;      ///< of heights, for the light only; 1 by default
    double strength;          ///< of the light: 0 none, 1 full (default)
    double shadows;           ///< that ground casts on ground: 0 none, 1 full; 0.5 by default
    double contours;          ///< heights only: metres between contour lines; 0 (default) none
    lf_colour hole;           ///< invisible by default: what is on the canvas stays
    const lf_colour *palette; ///< polygons only: colour by user value, instead of the ramp; or NULL
    int64_t palette_count;    ///< users beyond it take the ramp
    lf_stroke edges;          ///< polygons only: their outlines; invisible by default
} lf_relief_def;

static inline lf_relief_def lf_relief_def_default(void) {
    lf_relief_def def = {sizeof(lf_relief_def),
                         LF_RAMP_LAND,
                         (double)NAN,
                         (double)NAN,
                         315.0,
                         45.0,
                         1.0,
                         1.0,
                         0.5,
                         0.0,
                         {0, 0, 0, 0},
                         NULL,
                         0,
                         {{0, 0, 0, 0}, 1.0, 0.0, 0.0}};
    return def;
}

/// Draw heights as shaded relief, seen from above.
/// view     which part of the world; posts beyond the raster are left as they are on the canvas
/// heights  valid
/// def      see above
/// error    optional
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY, LF_TOO_LARGE. Allocates rows of the view with the canvas's allocator.
/// Threads: one per canvas; runs on the tasks of the canvas's host.
LF_API lf_status lf_picture_relief(lf_canvas *canvas, const lf_view *view, const lf_heights *heights,
                                   const lf_relief_def *def, lf_error *error);

/// Draw a grid as shaded relief, seen from above; holes are left as they are on the canvas, or take def's colour for them.
/// grid  its heights are shown bilinear between posts, whatever its surface. Where x and y are degrees, exaggeration is to hold
///       what turns metres into units of the view
/// Otherwise as lf_picture_relief.
LF_API lf_status lf_picture_grid(lf_canvas *canvas, const lf_view *view, const lf_grid *grid,
                                 const lf_relief_def *def, lf_error *error);

/// The colour of a post; its alpha says how much of what lies under it is covered. Called from many threads at once.
typedef lf_colour lf_tint(void *user, int64_t column, int64_t row);

/// Lay colours over a map: each pixel takes that of the nearest post, or the mean of several where it covers them.
/// view  as for lf_picture_grid
/// grid  says where posts stand
/// Errors: LF_BAD_ARGUMENT for NULL. Allocates nothing. Threads: one per canvas; runs on the tasks of the canvas's host.
LF_API lf_status lf_picture_tint(lf_canvas *canvas, const lf_view *view, const lf_grid *grid, lf_tint *tint,
                                 void *user);

/// Draw polygons as a map, seen from above: the topmost covers, walls are not seen, holes stay as they are on
/// the canvas.
/// polygons  corners in range; concave ones are filled by the even-odd rule
/// Otherwise as lf_picture_relief.
LF_API lf_status lf_picture_polygons(lf_canvas *canvas, const lf_view *view, const lf_polygons *polygons,
                                     const lf_relief_def *def, lf_error *error);

/// Colours for the groups of made polygons, by their names ("meadow", "path", ...), quiet and natural.
/// name  any text; unknown names take a colour of lf_colour_series. NULL gives grey.
LF_API lf_colour lf_picture_name_colour(const char *name);

/// Draw a scale bar of a round length, at most `width` pixels long, its lower left corner at a point.
LF_API void lf_picture_scale_bar(lf_canvas *canvas, const lf_view *view, lf_vec2 at, double width);

/// Draw a key to a ramp: a bar with ticks and numbers from low to high (finite, low < high) and a label.
/// area  the bar alone; upright when it is taller than wide; numbers stand to its right or below
LF_API void lf_picture_ramp_key(lf_canvas *canvas, lf_rect area, lf_ramp ramp, double low, double high,
                                const char *label);

// ---------------------------------------------------------------------------------------------------
// Plots
// ---------------------------------------------------------------------------------------------------

/// What a series looks like.
typedef enum lf_series_kind {
    LF_SERIES_LINE,   ///< a line through the points
    LF_SERIES_POINTS, ///< markers only
    LF_SERIES_AREA,   ///< a line, and a tint down to the axis
    LF_SERIES_BARS,   ///< a bar per point from zero (or the axis) to y
    LF_SERIES_STEPS   ///< a staircase
} lf_series_kind;

typedef struct lf_series {
    const char *name; ///< in the legend; NULL: not there
    const double *x;  ///< count of each; NaN breaks a line
    const double *y;
    int64_t count;
    lf_series_kind kind;
    lf_marker marker; ///< none by default; points without one take discs
    lf_colour colour; ///< alpha 0: the next of lf_colour_series
    double width;     ///< of lines, pixels; 0: 2
    double dash;      ///< 0: solid
} lf_series;

/// An axis of a plot.
typedef struct lf_axis {
    const char *label; ///< or NULL
    double low, high;  ///< NaN: from the data, widened to round numbers
    bool logarithmic;  ///< powers of ten; points at or below 0 are left out
} lf_axis;

/// What to plot; start from lf_plot_def_default().
typedef struct lf_plot_def {
    size_t size;  ///< stamped by the default function
    lf_rect area; ///< on the canvas; no width: all of it
    const char *title;
    const char *subtitle;
    lf_axis x, y;
    const lf_series *series;
    int64_t series_count;
    bool one_scale;     ///< a metre is as long on x as on y
    double text_height; ///< 18 by default
} lf_plot_def;

static inline lf_plot_def lf_plot_def_default(void) {
    lf_plot_def def = {sizeof(lf_plot_def),
                       {0, 0, 0, 0},
                       NULL,
                       NULL,
                       {NULL, (double)NAN, (double)NAN, false},
                       {NULL, (double)NAN, (double)NAN, false},
                       NULL,
                       0,
                       false,
                       18.0};
    return def;
}

/// Draw a plot: axes with round ticks, a fine grid, labels, series, a legend where it is in nobody's way.
/// view   optional: where the data landed, to draw more into the plot (of logarithms on logarithmic axes)
/// error  optional
/// Errors: LF_BAD_ARGUMENT (low not below high, nothing above 0 on a logarithmic axis, area too small for the text).
/// Allocates nothing. Threads: one per canvas.
LF_API lf_status lf_canvas_plot(lf_canvas *canvas, const lf_plot_def *def, lf_view *view, lf_error *error);

/// Round numbers for the ticks of an axis from low to high.
typedef struct lf_ticks {
    double first, step; ///< first + i * step
    int count;          ///< 2 .. about wanted + 3
    int decimals;       ///< digits after the point that tell them apart
} lf_ticks;

/// About `wanted` (1 .. 100) ticks within low .. high (finite, low < high; else count is 0), a step of 1, 2 or 5
/// times a power of ten apart. Allocates nothing. Threads: any.
LF_API lf_ticks lf_ticks_of(double low, double high, int wanted);

// ---------------------------------------------------------------------------------------------------
// Ground as one sees it from somewhere: perspective pictures (library landfall-io).
//
// Every pixel is a few rays of the ground's own questions, so a picture shows what the answers are made of: nothing
// is thinned out or smoothed.
// ---------------------------------------------------------------------------------------------------

/// Paint for the ground at a point; its alpha says how much of the ground's own colour is covered. Called from many
/// threads at once.
typedef lf_colour lf_render_paint(void *user, lf_vec3 point);

/// A thing that stands on the ground, where a ray meets it.
typedef struct lf_render_thing {
    double t;         ///< along the ray
    lf_vec3 normal;   ///< unit length, towards either side
    lf_colour colour; ///< with an alpha below 255 one sees through it, and it casts no shadow
} lf_render_thing;

/// The first thing that a ray meets within its interval; false: none. Called from many threads at once.
typedef bool lf_render_things(void *user, const lf_ray *ray, lf_render_thing *thing);

/// What a ray meets first of a scene: an lf_render_things, with the scene as `user`.
/// scene  an lf_scene, up to date (lf_scene_update) and in the coordinates of the ground; its parts' opacity becomes alpha
/// Allocates nothing. Threads: any number at once.
LF_API bool lf_render_scene(void *scene, const lf_ray *ray, lf_render_thing *thing);

/// A view, and how it is lit; start from lf_render_def_default().
typedef struct lf_render_def {
    size_t size;       ///< stamped by the default function
    lf_vec3 eye, look; ///< where from and what at; NaN (default): a good view of the whole ground
    double fov_deg;    ///< from the left to the right edge of the picture, 1 .. 170; 40 by default
    lf_vec3
        metres;   ///< length of one unit of x, y and z: degrees have about 111,000, and a z of 2 doubles all
                  ///< heights. Only where down is -z; 1, 1, 1 by default
    lf_ramp ramp; ///< by height; the land's tints by default
    double low, high;       ///< heights at the ramp's ends; NaN: those of the ground
    double sun_azimuth_deg; ///< clockwise from north, where `look` is; 315 by default
    double sun_height_deg;  ///< above the horizon; 35 by default
    double shadows;         ///< that ground and things cast: 0 none, 1 full; 0.8 by default
    double haze;            ///< 0 none .. 1 thick; 0.35 by default
    int samples;            ///< rays along each side of a pixel, 1 .. 8; 2 by default
    lf_render_paint *paint; ///< or NULL
    void *paint_user;
    lf_render_things *things; ///< or NULL
    void *things_user;
    lf_ellipsoid
        ellipsoid; ///< that heights are measured from where ground goes round a centre; what is below is sea. Of
                   ///< radius 0, the default: heights are distances from the centre
} lf_render_def;

static inline lf_render_def lf_render_def_default(void) {
    lf_vec3 somewhere = {(double)NAN, (double)NAN, (double)NAN}, plain = {1.0, 1.0, 1.0};
    lf_render_def def = {sizeof(lf_render_def),
                         somewhere,
                         somewhere,
                         40.0,
                         plain,
                         LF_RAMP_LAND,
                         (double)NAN,
                         (double)NAN,
                         315.0,
                         35.0,
                         0.8,
                         0.35,
                         2,
                         NULL,
                         NULL,
                         NULL,
                         NULL,
                         {0.0, 0.0}};
    return def;
}

/// The view that a picture will have: what is NaN in a def is chosen.
/// ground  not empty, or NULL: things alone, down is -z
/// def     read; eye and look may be NaN where there is ground
/// aspect  width of the picture by its height, > 0
/// view    written only on success: def with eye, look, low and high settled
/// error   optional
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_render_settle(const lf_ground *ground, const lf_render_def *def, double aspect,
                                  lf_render_def *view, lf_error *error);

/// Draw ground, and what stands on it, as it is seen from a point.
/// canvas  the picture
/// area    the part of it that the view fills; what is outside the canvas or its clip is not drawn
/// ground  any kind, not empty, or NULL: things alone
/// def     see above
/// error   optional
/// Errors: LF_BAD_ARGUMENT names what is out of bounds, LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED (by the progress of the canvas's
/// host; what was drawn by then stays). Allocates rows of rays and hits per worker with the canvas's allocator.
/// Threads: one per canvas; runs on the tasks of the canvas's host.
LF_API lf_status lf_picture_render(lf_canvas *canvas, lf_rect area, const lf_ground *ground,
                                   const lf_render_def *def, lf_error *error);

#ifdef __cplusplus
}
#endif
#endif
