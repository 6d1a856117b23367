/// figures.h: drawings of answers, each written to one file: maps, profiles of lines, skylines, views, frames of
/// scenes, flights, quadtrees and distance fields; models from files; files of text. For the command. Not installed.
#ifndef LF_FIGURES_H
#define LF_FIGURES_H

#include <landfall/base.h>
#include <landfall/model.h>
#include <landfall/picture.h>
#include <landfall/published.h>
#include <landfall/scene.h>
#include <landfall/sight.h>
#include <samples.h>

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
    bool degrees;                 ///< x and y are longitude and latitude; else metres
    const lf_figure_layer *layer; ///< or NULL: heights alone
    double contours;              ///< metres between contour lines; 0: none
    bool keyless;                 ///< no key beside the map
    const lf_colour *palette;     ///< of polygons by their user value; or NULL
    int64_t palette_count;
    lf_colour background; ///< behind the ground; alpha 0: none
} lf_figure_map_def;

/// Metres of a unit of x and of y in the middle of a box: 1, or those of a degree of longitude (at least a 20th of one on
/// the equator) and of latitude.
lf_vec2 lf_figure_metres(bool degrees, lf_box box);

lf_status lf_figure_map(const lf_figure_page *page, const lf_figure_map_def *def, lf_error *error);

/// The first band of a result over the grid of a map. Of the map's layer names, unit and marks are used; the ramp, its
/// range and the box are the result's.
lf_status lf_figure_result(const lf_figure_page *page, const lf_figure_map_def *map,
                           const lf_result_def *result, lf_error *error);

/// A raster of results that is painted on ground: 0 and voids are left bare, one other number is a mask in one colour,
/// several are coloured by a ramp.
typedef struct lf_figure_overlay {
    const lf_grid *grid;
    double low, high; ///< of the numbers that are not 0
    bool mask;
} lf_figure_overlay;

/// Find the numbers of an overlay. Samples that cannot be read are voids.
lf_figure_overlay lf_figure_overlay_of(const lf_grid *grid);

/// The paint at a position of the overlay's map.
lf_colour lf_figure_overlay_at(const lf_figure_overlay *overlay, lf_vec2 at);

/// A map of generated heights, without a key.
lf_status lf_figure_landscape(const lf_figure_page *page, const lf_make_heights_def *def, lf_error *error);

/// A map of generated polygons in the colours of their names, without a key.
/// lakes  water shows through the holes
lf_status lf_figure_made(const lf_figure_page *page, const lf_made_polygons *made, bool lakes,
                         lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Views
// ---------------------------------------------------------------------------------------------------

/// A perspective view of ground.
/// globe  what the ground is of or stands on, or NULL. Where the ground is the globe's finest, the tiles that the view needs are loaded and drawn, and the target is
///        by default the point below the eye
/// def    its eye and target are set where they are NaN
lf_status lf_figure_view(const lf_figure_page *page, const lf_ground *ground, lf_globe *globe,
                         lf_render_def *def, lf_error *error);

/// Models that stand on ground, in a scene of their own.
typedef struct lf_figure_models lf_figure_models;

/// Where a model stands, in the ground's own units.
typedef struct lf_figure_model {
    const lf_model *model; ///< must outlive the scene
    lf_vec3 at;            ///< on a globe longitude, latitude and height
    bool stands;           ///< at.z is such that the foot of the model is on the lowest ground under it
    double heading_deg;    ///< of the model's +x, clockwise from north
    double scale;          ///< above 0
    bool y_up;             ///< the model's y points up, not its z
} lf_figure_model;

/// globe   what the ground is of, or NULL
/// metres  of one unit of x, y and z of the ground in the picture
lf_status lf_figure_models_create(const lf_host *host, const lf_ground *ground, lf_globe *globe,
                                  lf_vec3 metres, lf_figure_models **made, lf_error *error);
void lf_figure_models_destroy(lf_figure_models *models);

/// Find where a model stands: `at` becomes a point of the ground's. Errors: LF_BAD_ARGUMENT says why it cannot.
lf_status lf_figure_models_stand(const lf_figure_models *models, lf_figure_model *model, lf_error *error);

/// Add a model at a point of the ground's. The fourth after another has the same colour.
lf_status lf_figure_models_add(lf_figure_models *models, const lf_figure_model *model, lf_error *error);

/// The first model that a ray in the ground's coordinates meets. An lf_render_objects, with the models as `user`.
bool lf_figure_models_ray(void *models, const lf_ray *ray, lf_render_object *object);

/// A frame of a scene.
typedef struct lf_figure_scene_def {
    lf_scene *scene;                 ///< is brought up to date
    const lf_ground *const *grounds; ///< of the scene
    int64_t ground_count;
    const lf_view *eye; ///< or NULL: one that shows everything
    bool fine;          ///< shadows and haze
} lf_figure_scene_def;

/// The height of the page is that of the eye's angle.
/// drawn, culled  instances that may be visible, and the others, are added to these
lf_status lf_figure_scene(const lf_figure_page *page, const lf_figure_scene_def *def, int64_t *drawn,
                          int64_t *culled, lf_error *error);

/// A frame of a flight over a globe.
typedef struct lf_figure_flight_frame {
    double time;   ///< seconds
    double ground; ///< height of the ground below; NaN where there is none
    double given;  ///< height of the path
    double flown;  ///< height of the camera
    bool held;     ///< the camera was held back
} lf_figure_flight_frame;

/// Heights over time.
/// frames  count of them (1 or more), `step` bytes apart
lf_status lf_figure_flight(const lf_figure_page *page, const lf_figure_flight_frame *frames, int64_t count,
                           size_t step, lf_error *error);

/// The coverage by chosen places, in percent of what there is, with the limit that no choice exceeds.
lf_status lf_figure_coverage(const lf_figure_page *page, const lf_site *sites, int64_t count,
                             const lf_site_stats *stats, lf_error *error);

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

// ---------------------------------------------------------------------------------------------------
// Models from files, also those that a script names
// ---------------------------------------------------------------------------------------------------

/// Read a file of polygons, or a .lf file that holds some, as a model.
/// host, field  as in lf_model_def
/// Errors: those of lf_polygon_file_read, lf_store_open and lf_model_create; LF_BAD_FORMAT for a .lf file without polygons.
lf_status lf_model_file_read(const char *path, const lf_host *host, const lf_field_def *field,
                             lf_model **model, lf_error *error);

/// Find the file that a script names: a plain file in the folder of the script or below it, of a format that is one file
/// (.ply, .obj or .lf), and no link on the way.
/// path  gets the path, with space for `size` characters
/// Errors: LF_BAD_ARGUMENT, LF_IO_FAILED; their texts start with the name.
lf_status lf_model_file_beside(const char *script, const char *name, char *path, size_t size,
                               lf_error *error);

// ---------------------------------------------------------------------------------------------------
// A file of text that is written beside its place and renamed when it is complete
// ---------------------------------------------------------------------------------------------------

typedef struct lf_text_file lf_text_file;

/// Start writing what will become `path`. A symbolic link is followed; a device or a pipe is written directly.
/// host    optional
/// Errors: LF_IO_FAILED names the path and the system's reason, LF_NO_MEMORY, LF_TOO_LARGE.
lf_status lf_text_file_create(const char *path, const lf_host *host, lf_text_file **made, lf_error *error);

/// Append bytes; false after a failure, which the commit reports.
bool lf_text_file_write(lf_text_file *file, const char *bytes, size_t length);

/// Rename it to its place, or remove it where something failed; free it in any case.
/// Errors: LF_IO_FAILED.
lf_status lf_text_file_commit(lf_text_file *file, lf_error *error);

/// Free it instead: the file stays as it was.
void lf_text_file_discard(lf_text_file *file);

#endif
