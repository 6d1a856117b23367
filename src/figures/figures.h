/// figures.h: drawings of answers, each written to one file: maps, profiles of lines, skylines, quadtrees and distance
/// fields. For the command. Not installed.
#ifndef LF_FIGURES_H
#define LF_FIGURES_H

#include <landfall/model.h>
#include <landfall/picture.h>
#include <landfall/published.h>
#include <landfall/sight.h>

/// The file that a figure becomes.
typedef struct lf_figure_page {
    lf_host host;
    const char *path;      ///< .png, .svg or .pdf
    int64_t width, height; ///< pixels; the height is not used where the content decides it
} lf_figure_page;

/// Draws on a canvas.
typedef lf_status lf_figure_draw(lf_canvas *canvas, const void *content, lf_error *error);

/// Create a canvas, draw, and write the file beside its place.
/// Errors: those of lf_canvas_create, `draw` and lf_canvas_write.
lf_status lf_figure_write(const lf_figure_page *page, lf_figure_draw *draw, const void *content,
                          lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Maps
// ---------------------------------------------------------------------------------------------------

/// A name in the key of a map, and its colour.
typedef struct lf_figure_name {
    lf_colour colour;
    const char *text;
} lf_figure_name;

/// What lies over the relief.
typedef struct lf_figure_layer {
    lf_tint *tint;
    void *user;
    const lf_figure_name *names; ///< the key; or NULL: the ramp is
    int name_count;
    lf_ramp ramp; ///< from low to high
    double low, high;
    const char *unit;
    const lf_vec2 *marks; ///< observers
    int64_t mark_count;
} lf_figure_layer;

/// Ground from above: a grid, or polygons (these without contours and layers).
typedef struct lf_figure_map_def {
    const lf_grid *grid;          ///< or NULL
    const lf_polygons *polygons;  ///< where there is no grid
    lf_box box;                   ///< the part of the world; z: the heights that colours are chosen for
    lf_vec2 metres;               ///< length of a unit of x and of y: 1, or that of degrees
    const lf_figure_layer *layer; ///< or NULL: heights alone
    double contours;              ///< metres between contour lines; 0: none
    bool keyless;                 ///< no key beside the map
    const lf_colour *palette;     ///< of polygons by their user value; or NULL
    int64_t palette_count;
    lf_colour background; ///< behind the ground; alpha 0: none
} lf_figure_map_def;

lf_status lf_figure_map(const lf_figure_page *page, const lf_figure_map_def *def, lf_error *error);

/// The first band of a result over the grid of a map. Of the map's layer names, unit and marks are used; the ramp, its
/// range and the box are the result's.
lf_status lf_figure_result(const lf_figure_page *page, const lf_figure_map_def *map,
                           const lf_result_def *result, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Sight
// ---------------------------------------------------------------------------------------------------

/// The ground under a line of sight.
typedef struct lf_figure_profile_def {
    const lf_profile_point *samples;
    int64_t count;
    double from, to; ///< heights of the ends
    const lf_sight *sight;
    const lf_sight_rules *rules;
} lf_figure_profile_def;

lf_status lf_figure_profile(const lf_figure_page *page, const lf_figure_profile_def *def, lf_error *error);

/// The skyline of a point.
typedef struct lf_figure_skyline_def {
    lf_vec3 from;
    const double *azimuths;
    const lf_horizon *horizons;
    int64_t count;
    const lf_sight_rules *rules;
} lf_figure_skyline_def;

/// A polar plot in a square page: north at the top, the zenith in the middle, level or below at the rim.
lf_status lf_figure_skyline(const lf_figure_page *page, const lf_figure_skyline_def *def, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Published structures
// ---------------------------------------------------------------------------------------------------

/// The leaves of a mesh's quadtree, the lighter, the more polygons they have.
/// most  polygons that a leaf should have: white
lf_status lf_figure_quadtree(const lf_figure_page *page, const lf_mesh *mesh, int64_t most, const char *title,
                             const char *subtitle, lf_error *error);

/// The six charts of a model's distance field, and below them their transforms.
lf_status lf_figure_field(const lf_figure_page *page, const lf_model *model, const char *title,
                          lf_error *error);

#endif
