/// landfall/picture.h: pictures as PNG, SVG and PDF: shapes, text, plots, maps, perspective views (library landfall-io).
///
/// Create a canvas, draw on it, write it to a file:
///
///     lf_canvas_def def = lf_canvas_def_default();
///     lf_canvas *canvas;
///     lf_canvas_create(&def, &canvas, NULL);
///     lf_canvas_plot(canvas, &plot, NULL, NULL);
///     lf_canvas_write(canvas, "plot.pdf", NULL);
///     lf_canvas_destroy(canvas);
///
/// Pixel coordinates: x to the right, y down; the pixel (i, j) is the square from (i, j) to (i + 1, j + 1). Later shapes cover
/// earlier ones. Shapes are anti-aliased and clipped to the canvas; a shape with a coordinate that is not finite, or beyond 1e9
/// pixels (text and markers: 1e6), is left out. Shapes and text report no errors: when memory runs out, lf_canvas_write reports it. Cairo draws, and
/// allocates with malloc. Threads: one per canvas.
#ifndef LANDFALL_PICTURE_H
#define LANDFALL_PICTURE_H

#include <landfall/grid.h>
#include <landfall/ground.h>
#include <landfall/io.h>
#include <landfall/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// Colours
// ---------------------------------------------------------------------------------------------------

/// sRGB, not multiplied by alpha: alpha 255 is opaque, 0 is invisible.
typedef struct lf_colour {
    uint8_t red, green, blue, alpha; ///< 0 to 255; alpha 255 covers, 0 is invisible
} lf_colour;

/// The opaque colour 0xRRGGBB.
static inline lf_colour lf_colour_of(uint32_t rgb) {
    lf_colour colour = {(uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8), (uint8_t)rgb, 255};
    return colour;
}

/// A colour at another opacity, clamped to 0 .. 1.
static inline lf_colour lf_colour_fade(lf_colour colour, double opacity) {
    colour.alpha = opacity >= 1 ? 255 : opacity > 0 ? (uint8_t)(255.0 * opacity + 0.5) : 0;
    return colour;
}

/// One byte of a mixed colour, 0 <= t <= 1.
static inline uint8_t lf_colour_mix_byte(uint8_t a, uint8_t b, double t) {
    return (uint8_t)((double)a + ((double)b - (double)a) * t + 0.5);
}

/// Interpolate two colours: a at t = 0, b at t = 1; t is clamped.
static inline lf_colour lf_colour_mix(lf_colour a, lf_colour b, double t) {
    t = t >= 1 ? 1 : t > 0 ? t : 0;
    lf_colour mixed = {lf_colour_mix_byte(a.red, b.red, t), lf_colour_mix_byte(a.green, b.green, t),
                       lf_colour_mix_byte(a.blue, b.blue, t), lf_colour_mix_byte(a.alpha, b.alpha, t)};
    return mixed;
}

/// A natural colour for the groups of generated polygons, by their names ("meadow", "path", ...).
/// name  other names take one of eight distinct colours; NULL gives grey. Allocates nothing. Threads: any.
LF_API lf_colour lf_colour_named(const char *name);

/// Colours for numbers.
typedef enum lf_ramp {
    LF_RAMP_GREY, ///< black to white
    LF_RAMP_LAND, ///< hypsometric tints: valley green, sand, rock, snow
    LF_RAMP_EVEN, ///< perceptually even, dark violet over teal to pale yellow: for any quantity
    LF_RAMP_BOTH, ///< blue over white to red: for quantities around a middle value
    LF_RAMP_HEAT  ///< pale to dark red: for cost and density
} lf_ramp;

/// The colour of a ramp at t, clamped to 0 .. 1; invisible for NaN. Allocates nothing. Threads: any.
LF_API lf_colour lf_ramp_colour(lf_ramp ramp, double t);

// ---------------------------------------------------------------------------------------------------
// Canvas
// ---------------------------------------------------------------------------------------------------

/// How to make a canvas; start from lf_canvas_def_default().
typedef struct lf_canvas_def {
    size_t size;           ///< set by the default function
    lf_host host;          ///< hooks of the caller
    int64_t width, height; ///< pixels, each 1 .. 32767; 960 x 600 by default
    lf_colour background;  ///< white by default
} lf_canvas_def;

static inline lf_canvas_def lf_canvas_def_default(void) {
    lf_canvas_def def = {sizeof(lf_canvas_def), {NULL, NULL, NULL, NULL}, 960, 600, {255, 255, 255, 255}};
    return def;
}

/// A picture that is being drawn.
typedef struct lf_canvas lf_canvas;

/// Create a canvas.
/// canvas  written only on success; free it with lf_canvas_destroy
/// error   optional
/// Errors: LF_BAD_ARGUMENT (width or height), LF_NO_MEMORY, LF_UNSUPPORTED (cairo cannot be loaded). Threads: any.
LF_API lf_status lf_canvas_create(const lf_canvas_def *def, lf_canvas **canvas, lf_error *error);

/// Free a canvas; NULL is accepted.
LF_API void lf_canvas_destroy(lf_canvas *canvas);

/// A rectangle of pixels; empty when width or height is not above 0.
typedef struct lf_rect {
    double x, y, width, height; ///< upper left corner and size, pixels
} lf_rect;

/// The whole canvas: 0, 0, width, height.
LF_API lf_rect lf_canvas_area(const lf_canvas *canvas);

/// Write a canvas to a file. The ending of the path, in any case, selects the format:
///   .png  RGB, or RGBA when the background is not opaque
///   .svg  shapes and letters as vectors, maps and perspective views as embedded images; one unit per pixel
///   .pdf  likewise, with text that can be searched; 96 pixels per inch, dated 2000-01-01 so that the same picture is the same file
/// path   complete or absent: written beside its place and renamed
/// error  optional
/// Errors: LF_BAD_ARGUMENT (another ending), LF_IO_FAILED names the path and the reason, LF_NO_MEMORY (now, or while a shape was drawn).
LF_API lf_status lf_canvas_write(const lf_canvas *canvas, const char *path, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Shapes
// ---------------------------------------------------------------------------------------------------

/// Fill a rectangle.
LF_API void lf_canvas_fill_rect(lf_canvas *canvas, lf_rect rect, lf_colour colour);

/// Fill a polygon, convex or not, by the even-odd rule. Fewer than three corners draw nothing.
LF_API void lf_canvas_fill_polygon(lf_canvas *canvas, const lf_vec2 *corners, int64_t count,
                                   lf_colour colour);

/// How lines are drawn. Ends and corners are round.
typedef struct lf_stroke {
    lf_colour colour; ///< the colour
    double width;     ///< pixels, > 0, at most 10,000
    double dash;      ///< length of a dash in pixels; 0: solid
    double gap;       ///< length of a gap
} lf_stroke;

/// A solid line.
static inline lf_stroke lf_stroke_solid(lf_colour colour, double width) {
    lf_stroke stroke = {colour, width, 0, 0};
    return stroke;
}

/// Draw a chain of lines; a transparent one covers itself only once. NaN points break the chain.
LF_API void lf_canvas_polyline(lf_canvas *canvas, const lf_vec2 *points, int64_t count,
                               const lf_stroke *stroke);

/// Draw a line; nothing where an end is not within 1e9 pixels.
static inline void lf_canvas_line(lf_canvas *canvas, lf_vec2 a, lf_vec2 b, const lf_stroke *stroke) {
    lf_vec2 ends[2] = {a, b};
    if (fabs(a.x) <= 1e9 && fabs(a.y) <= 1e9 && fabs(b.x) <= 1e9 && fabs(b.y) <= 1e9)
        lf_canvas_polyline(canvas, ends, 2, stroke);
}

/// Draw the outline of a polygon.
LF_API void lf_canvas_outline(lf_canvas *canvas, const lf_vec2 *corners, int64_t count,
                              const lf_stroke *stroke);

/// Markers of points.
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

/// Draw a marker about `size` pixels across (a disc: its diameter).
LF_API void lf_canvas_marker(lf_canvas *canvas, lf_vec2 centre, lf_marker marker, double size,
                             lf_colour colour);

/// Draw an RGB or RGBA image, scaled to a rectangle: nearest pixel when enlarged, filtered when reduced.
/// area    its edges are rounded to whole pixels
/// pixels  width * height pixels of `channels` (3 or 4) bytes, row after row from the top; copied
/// Errors: LF_BAD_ARGUMENT (sizes outside 1 .. 32767, other channels, an empty area), LF_NO_MEMORY.
LF_API lf_status lf_canvas_image(lf_canvas *canvas, lf_rect area, const uint8_t *pixels, int64_t width,
                                 int64_t height, int channels);

// ---------------------------------------------------------------------------------------------------
// Text
// ---------------------------------------------------------------------------------------------------

/// Which part of a text is at its point.
typedef enum lf_align { LF_ALIGN_START, LF_ALIGN_MIDDLE, LF_ALIGN_END } lf_align;

/// How text is drawn; start from lf_text_style_default().
typedef struct lf_text_style {
    double height;       ///< pixels from line to line, 4 .. 1000; capitals are 0.6 of it. 18 by default
    lf_colour colour;    ///< near-black by default
    lf_align horizontal; ///< the part of the line that is at the point; its start by default
    lf_align vertical;   ///< start: the top of capitals, middle: their middle, end: the baseline (default)
    int quarter_turns;   ///< counter-clockwise; 1 reads upwards
    bool bold;           ///< false by default
    lf_colour halo;      ///< a rim around the letters, for text on maps; invisible by default
} lf_text_style;

static inline lf_text_style lf_text_style_default(void) {
    lf_text_style style = {18.0,  {38, 43, 51, 255}, LF_ALIGN_START, LF_ALIGN_END, 0,
                           false, {255, 255, 255, 0}};
    return style;
}

/// Draw UTF-8 text in DejaVu Sans, or the nearest font that fontconfig finds where that is not installed. A newline starts a
/// new line; bytes that are not UTF-8 show as U+FFFD; the bytes of a line from the 1024th on are left out.
LF_API void lf_canvas_text(lf_canvas *canvas, lf_vec2 at, const char *text, const lf_text_style *style);

/// Write a number for people: `decimals` (0 .. 15) digits after a decimal point, in any locale; no
/// negative zero; "inf", "-inf", "nan"; powers of ten (1.5e+20) from 1e15 on.
/// text  space for `capacity` bytes; cut off, with a terminating zero, where that is too short
LF_API void lf_number_text(double value, int decimals, char *text, size_t capacity);

// ---------------------------------------------------------------------------------------------------
// Plots
// ---------------------------------------------------------------------------------------------------

/// A rectangle of the map on a rectangle of the canvas; y is up on the map, down on the canvas.
typedef struct lf_map_axes {
    lf_rect area;         ///< pixels
    double x_low, x_high; ///< world, at the area's left and right edge
    double y_low, y_high; ///< world, at the area's lower and upper edge
} lf_map_axes;

/// Show a box of the world as large as it fits in an area, centred, at the same scale for both axes.
/// box  not empty; z is ignored. A box without extent is shown 1 m across.
LF_API lf_map_axes lf_map_axes_fit(lf_rect area, lf_box box);

/// Convert from the world to pixels.
static inline lf_vec2 lf_map_axes_to_pixel(const lf_map_axes *axes, double x, double y) {
    lf_vec2 pixel = {axes->area.x + (x - axes->x_low) / (axes->x_high - axes->x_low) * axes->area.width,
                     axes->area.y + (axes->y_high - y) / (axes->y_high - axes->y_low) * axes->area.height};
    return pixel;
}

/// How a series is drawn.
typedef enum lf_series_kind {
    LF_SERIES_LINE,   ///< a line through the points
    LF_SERIES_POINTS, ///< markers only
    LF_SERIES_AREA,   ///< a line, and a tint down to zero (or the axis)
    LF_SERIES_BARS,   ///< a bar per point from zero (or the axis) to y
    LF_SERIES_STEPS   ///< a staircase
} lf_series_kind;

/// A series of a plot.
typedef struct lf_series {
    const char *name;    ///< in the legend; NULL: not there
    const double *x;     ///< count of each; NaN breaks a line
    const double *y;     ///< likewise
    int64_t count;       ///< how many
    lf_series_kind kind; ///< which kind
    lf_marker marker;    ///< none by default; points without one take discs
    lf_colour colour;    ///< alpha 0: the next of eight distinct colours
    double width;        ///< of lines, pixels; 0: 2
    double dash;         ///< length of dashes, pixels; 0: solid
} lf_series;

/// An axis of a plot.
typedef struct lf_axis {
    const char *label; ///< or NULL
    double low, high;  ///< NaN: from the data, widened to round numbers
    bool logarithmic;  ///< powers of ten; points at or below 0 are left out
} lf_axis;

/// What to plot; start from lf_plot_def_default().
typedef struct lf_plot_def {
    size_t size;             ///< set by the default function
    lf_rect area;            ///< on the canvas; width 0: all of it
    const char *title;       ///< above the plot
    const char *subtitle;    ///< below the title
    lf_axis x, y;            ///< the axes
    const lf_series *series; ///< the series
    int64_t series_count;    ///< number of series
    bool one_scale;          ///< one unit is as long on x as on y
    double text_height;      ///< 18 by default
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

/// Draw a plot: axes with round ticks, a grid, labels, series, and a legend in the corner where it hides least.
/// axes   optional: the window of the data, to draw more into the plot (of logarithms on logarithmic axes)
/// error  optional
/// Errors: LF_BAD_ARGUMENT (low not below high, no value above 0 on a logarithmic axis, area too small for the text), LF_NO_MEMORY.
/// Allocates the points of a series with the canvas's allocator.
LF_API lf_status lf_canvas_plot(lf_canvas *canvas, const lf_plot_def *def, lf_map_axes *axes,
                                lf_error *error);

/// Round numbers for the ticks of an axis.
typedef struct lf_ticks {
    double first, step; ///< first + i * step
    int count;          ///< 2 .. about the requested number + 3
    int decimals;       ///< digits after the point that tell them apart
} lf_ticks;

/// About `about` (1 .. 100) ticks within low .. high (finite, low < high; else count is 0), a step of 1, 2 or 5
/// times a power of ten apart. Allocates nothing. Threads: any.
LF_API lf_ticks lf_ticks_of(double low, double high, int about);

// ---------------------------------------------------------------------------------------------------
// Maps
// ---------------------------------------------------------------------------------------------------

/// How ground is lit and coloured; start from lf_relief_def_default().
typedef struct lf_relief_def {
    size_t size;              ///< set by the default function
    lf_ramp ramp;             ///< colours for heights
    double low, high;         ///< heights at the ramp's ends; NaN: those of the visible ground
    double sun_azimuth_deg;   ///< clockwise from north; 315 by default
    double sun_height_deg;    ///< above the horizon, up to 90; 45 by default
    double exaggeration;      ///< of heights, for the light only; 1 by default
    double strength;          ///< of the light: 0 none, 1 full (default)
    double shadows;           ///< that ground casts on ground: 0 none, 1 full; 0.5 by default
    double contours;          ///< heights and grids only: metres between contour lines; 0 (default) none
    lf_colour no_data;        ///< where there is no ground; invisible by default
    const lf_colour *palette; ///< polygons only: colour by user value, instead of the ramp; or NULL
    int64_t palette_count;    ///< user values beyond it take the ramp
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

/// Draw an array of heights as shaded relief, seen from above.
/// axes     the window of the world; its area is rounded to whole pixels
/// heights  valid
/// def      see above
/// error    optional
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY, LF_TOO_LARGE. Allocates a height per pixel with the canvas's allocator.
/// Threads: one per canvas; runs on the tasks of the canvas's host.
LF_API lf_status lf_canvas_relief(lf_canvas *canvas, const lf_map_axes *axes, const lf_heights *heights,
                                  const lf_relief_def *def, lf_error *error);

/// Draw a grid as shaded relief, seen from above.
/// grid  its heights are shown bilinear between samples, whatever its surface. Where x and y are degrees, exaggeration must
///       convert metres to units of the axes
/// Otherwise as lf_canvas_relief.
LF_API lf_status lf_canvas_grid(lf_canvas *canvas, const lf_map_axes *axes, const lf_grid *grid,
                                const lf_relief_def *def, lf_error *error);

/// The colour of a sample of a grid. Called from several threads at once.
typedef lf_colour lf_tint(void *user, int64_t column, int64_t row);

/// Lay colours over a map: each pixel takes that of the nearest sample, or the mean of several where it covers them.
/// axes  as for lf_canvas_grid
/// grid  gives the positions of the samples
/// Errors: LF_BAD_ARGUMENT for NULL, LF_NO_MEMORY. Threads: one per canvas; runs on the tasks of the canvas's host.
LF_API lf_status lf_canvas_tint(lf_canvas *canvas, const lf_map_axes *axes, const lf_grid *grid,
                                lf_tint *tint, void *user);

/// Draw polygons as a map, seen from above: the topmost covers the others, walls are not visible.
/// polygons  corners in range; concave ones are filled by the even-odd rule
/// Otherwise as lf_canvas_relief.
LF_API lf_status lf_canvas_polygons(lf_canvas *canvas, const lf_map_axes *axes, const lf_polygons *polygons,
                                    const lf_relief_def *def, lf_error *error);

/// Draw a scale bar of a round length, at most `width` pixels long, with its lower left corner at a point.
LF_API void lf_canvas_scale_bar(lf_canvas *canvas, const lf_map_axes *axes, lf_vec2 at, double width);

/// Draw the key of a ramp: a bar with ticks and numbers from low to high (finite, low < high) and a label.
/// area  the bar alone; upright when it is taller than wide; numbers are at its right or below it
LF_API void lf_canvas_ramp_key(lf_canvas *canvas, lf_rect area, lf_ramp ramp, double low, double high,
                               const char *label);

// ---------------------------------------------------------------------------------------------------
// Perspective views
// ---------------------------------------------------------------------------------------------------

/// Paint on the ground at a point, over its own colour. Called from several threads at once.
typedef lf_colour lf_render_paint(void *user, lf_vec3 point);

/// The point of an object that a ray hits.
typedef struct lf_render_object {
    double t;         ///< along the ray
    lf_vec3 normal;   ///< unit length, towards either side
    lf_colour colour; ///< with an alpha below 255 the object is transparent and casts no shadow
} lf_render_object;

/// Find the first object that a ray hits within its interval; false: none. Called from several threads at once.
typedef bool lf_render_objects(void *user, const lf_ray *ray, lf_render_object *object);

/// The objects of a scene: an lf_render_objects with the scene as `user`.
/// scene  an lf_scene, up to date (lf_scene_update) and in the coordinates of the ground; the opacity of its parts becomes alpha
/// Allocates nothing. Threads: any number at once.
LF_API bool lf_render_scene(void *scene, const lf_ray *ray, lf_render_object *object);

/// Camera and light; start from lf_render_def_default().
typedef struct lf_render_def {
    size_t size;    ///< set by the default function
    lf_vec3 eye;    ///< position of the camera; NaN (default): the whole ground is shown
    lf_vec3 target; ///< the point in the centre of the picture; likewise
    double fov_deg; ///< from the left to the right edge of the picture, 1 .. 170; 40 by default
    /// Length of one unit of x, y and z: degrees have about 111,000, and a z of 2 doubles all heights. Only
    /// where down is -z; 1, 1, 1 by default.
    lf_vec3 metres;
    lf_ramp ramp;               ///< by height; LF_RAMP_LAND by default
    double low, high;           ///< heights at the ramp's ends; NaN: those of the ground
    double sun_azimuth_deg;     ///< clockwise from north, at the target; 315 by default
    double sun_height_deg;      ///< above the horizon, up to 90; 35 by default
    double shadows;             ///< that ground and objects cast: 0 none, 1 full; 0.8 by default
    double haze;                ///< 0 none .. 1 thick; 0.35 by default
    int samples;                ///< rays along each side of a pixel, 1 .. 8; 2 by default
    lf_render_paint *paint;     ///< or NULL
    void *paint_user;           ///< passed to paint
    lf_render_objects *objects; ///< or NULL
    void *objects_user;         ///< passed to objects
    /// That heights refer to on a round ground; below it is sea. Radius 0, the default: heights are
    /// distances from the centre.
    lf_ellipsoid ellipsoid;
} lf_render_def;

static inline lf_render_def lf_render_def_default(void) {
    lf_vec3 unset = {(double)NAN, (double)NAN, (double)NAN}, ones = {1.0, 1.0, 1.0};
    lf_render_def def = {sizeof(lf_render_def),
                         unset,
                         unset,
                         40.0,
                         ones,
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

/// Replace what is NaN in a def by the values that lf_canvas_render would choose.
/// ground    not empty, or NULL: objects alone, down is -z
/// def       read; eye and target may be NaN only with a ground
/// aspect    width of the picture by its height, > 0
/// resolved  written only on success: def with eye, target, low and high set
/// error     optional
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_render_resolve(const lf_ground *ground, const lf_render_def *def, double aspect,
                                   lf_render_def *resolved, lf_error *error);

/// Draw ground and objects in perspective. Every pixel is a few rays, as in lf_ground_ray_first: nothing is simplified.
/// area    the part of the canvas that the view fills
/// ground  any kind, not empty, or NULL: objects alone
/// def     see above
/// error   optional
/// Errors: LF_BAD_ARGUMENT names the field, LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED (by the progress of the canvas's
/// host; the rows drawn by then stay). Allocates a row of rays per worker with the canvas's allocator.
/// Threads: one per canvas; runs on the tasks of the canvas's host.
LF_API lf_status lf_canvas_render(lf_canvas *canvas, lf_rect area, const lf_ground *ground,
                                  const lf_render_def *def, lf_error *error);

#ifdef __cplusplus
}
#endif
#endif
