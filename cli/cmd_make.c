#include "cli.h"
#include "numbers.h"
#include "points.h"
#include <landfall/io.h>
#include <landfall/picture.h>
#include <samples.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MARGIN 24.0 // pixels round a picture
#define LARGEST_SIZE 1e12
#define WATER 0xB9D3E0u // shows through the holes of the park, which are its lakes

/// What the ending of the file asks for.
typedef enum make_form { FORM_POLYGONS, FORM_HEIGHTS, FORM_PICTURE } make_form;

/// What one run of `landfall make` knows.
typedef struct make_run {
    cli *run;
    const char *path;
    make_form form;
    bool is_landscape; ///< heights is meant, else polygons
    lf_make_heights_def heights;
    lf_make_polygons_def polygons;
    int64_t width; ///< of a picture
} make_run;

// ---------------------------------------------------------------------------------------------------
// The question
// ---------------------------------------------------------------------------------------------------

static bool read_kind(make_run *make, const char *word) {
#define LANDSCAPE(name, value, spelled, text) \
    if (strcmp(word, spelled) == 0) {         \
        make->is_landscape = true;            \
        make->heights.landscape = name;       \
        return true;                          \
    }
#define MADE(name, value, spelled, count, text) \
    if (strcmp(word, spelled) == 0) {           \
        make->polygons.kind = name;             \
        return true;                            \
    }
    LF_LANDSCAPE_LIST(LANDSCAPE)
    LF_MADE_LIST(MADE)
    message_usage("unknown kind \"%s\"", word);
    return false;
}

static bool read_form(make_run *make) {
    static const struct {
        const char *ending;
        make_form form;
    } endings[] = {{".ply", FORM_POLYGONS},
                   {".obj", FORM_POLYGONS},
                   {".tif", FORM_HEIGHTS},
                   {".tiff", FORM_HEIGHTS},
                   {".png", FORM_PICTURE}};
    make->path = options_value(&make->run->given, "output");
    if (!make->path) {
        message_usage("-o FILE is missing");
        return false;
    }
    const char *ending = strrchr(make->path, '.');
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++) {
        if (strcasecmp(ending, endings[i].ending) == 0) {
            make->form = endings[i].form;
            return true;
        }
    }
    message_error("-o %s: the ending has to be .ply, .obj, .tif or .png", make->path);
    return false;
}

/// "N" or "N,M"
static bool read_size(make_run *make) {
    const char *text = options_value(&make->run->given, "size");
    row read;
    int most = make->is_landscape ? 2 : 1;
    if (!text)
        return true;
    if (!row_from_option("size", text, (row_shape){1, most, most == 2 ? "N[,M]" : "N"}, &read))
        return false;
    for (int i = 0; i < read.count; i++) {
        double number = read.numbers[i];
        if (!(number >= 1 && number <= LARGEST_SIZE) || number != (double)(int64_t)number) {
            message_error("--size %s: whole numbers from 1 to 1e12 are wanted", text);
            return false;
        }
    }
    make->heights.columns = make->polygons.polygon_count = (int64_t)read.numbers[0];
    make->heights.rows = (int64_t)read.numbers[read.count - 1];
    return true;
}

/// Options that only some kinds or forms have.
static bool check_meaning(const make_run *make) {
    static const char *const of_landscapes[] = {"step", "low", "high"};
    const options *given = &make->run->given;
    const char *word = given->arguments[0];
    for (size_t i = 0; i < sizeof of_landscapes / sizeof *of_landscapes; i++) {
        if (!make->is_landscape && options_has(given, of_landscapes[i])) {
            message_usage("--%s means nothing for %s", of_landscapes[i], word);
            return false;
        }
    }
    if (make->form != FORM_PICTURE && options_has(given, "width")) {
        message_usage("--width is for pictures (.png)");
        return false;
    }
    if (!make->is_landscape && make->form == FORM_HEIGHTS) {
        message_error("-o %s: %s is polygons, not heights; the ending has to be .ply, .obj or .png",
                      make->path, word);
        return false;
    }
    return true;
}

static bool read_question(make_run *make) {
    const options *given = &make->run->given;
    int64_t seed = 1;
    make->heights.host = make->polygons.host = make->run->host;
    if (!read_kind(make, given->arguments[0]) || !read_form(make) || !check_meaning(make) ||
        !read_size(make) || !options_integer(given, "seed", 0, INT64_MAX, &seed) ||
        !options_number(given, "step", &make->heights.spacing) ||
        !options_number(given, "low", &make->heights.low) ||
        !options_number(given, "high", &make->heights.high) ||
        !options_integer(given, "width", 100, 20000, &make->width))
        return false;
    make->heights.seed = make->polygons.seed = (uint64_t)seed;
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Pictures
// ---------------------------------------------------------------------------------------------------

/// A canvas as wide as wanted and as high as the box needs, and the view of the box on it.
static lf_status make_canvas(const make_run *make, lf_box box, lf_canvas **canvas, lf_map_view *view,
                             lf_error *error) {
    lf_canvas_def def = lf_canvas_def_default();
    double inner = (double)make->width - 2 * MARGIN;
    double aspect = (box.high.y - box.low.y) / (box.high.x - box.low.x);
    double high = aspect > 0 && aspect < 4 ? inner * aspect : inner;
    def.host = make->run->host;
    def.width = make->width;
    def.height = (int64_t)(high + 2 * MARGIN);
    lf_status status = lf_canvas_create(&def, canvas, error);
    if (status == LF_OK) {
        lf_rect area = {MARGIN, MARGIN, inner, (double)def.height - 2 * MARGIN};
        *view = lf_map_view_fit(area, box);
    }
    return status;
}

static lf_status finish_picture(const make_run *make, lf_canvas *canvas, const lf_map_view *view,
                                lf_error *error) {
    lf_vec2 corner = {view->area.x + 12, view->area.y + view->area.height - 12};
    lf_canvas_scale_bar(canvas, view, corner, view->area.width / 4);
    return lf_canvas_write(canvas, make->path, error);
}

static lf_status draw_heights(const make_run *make, lf_error *error) {
    lf_made_heights *made = NULL;
    lf_canvas *canvas = NULL;
    lf_relief_def relief = lf_relief_def_default();
    lf_map_view view;
    lf_status status = lf_make_heights(&make->heights, &made, error);
    if (status != LF_OK)
        return status;
    lf_heights heights = lf_made_heights_view(made);
    lf_box box = {{heights.x_low, heights.y_low, 0},
                  {heights.x_low + (double)(heights.columns - 1) * heights.spacing,
                   heights.y_low + (double)(heights.rows - 1) * heights.spacing, 0}};
    status = make_canvas(make, box, &canvas, &view, error);
    if (status == LF_OK)
        status = lf_canvas_relief(canvas, &view, &heights, &relief, error);
    if (status == LF_OK)
        status = finish_picture(make, canvas, &view, error);
    lf_canvas_destroy(canvas);
    lf_made_heights_destroy(made);
    return status;
}

static lf_box box_of(const lf_polygons *polygons) {
    lf_box box = lf_box_empty();
    for (int64_t i = 0; i < polygons->vertex_count; i++)
        box = lf_box_with(box, polygons->vertices[i]);
    return box;
}

static lf_status draw_polygons(const make_run *make, const lf_made_polygons *made, lf_error *error) {
    lf_polygons polygons = lf_made_polygons_view(made);
    lf_relief_def relief = lf_relief_def_default();
    lf_canvas *canvas = NULL;
    lf_map_view view;
    int64_t count = lf_made_polygons_name_count(made);
    lf_colour *palette = calloc((size_t)count + 1, sizeof(lf_colour));
    if (!palette)
        return LF_NO_MEMORY;
    for (int64_t i = 0; i < count; i++)
        palette[i] = lf_colour_named(lf_made_polygons_name(made, i));
    relief.palette = palette;
    relief.palette_count = count;
    lf_status status = make_canvas(make, box_of(&polygons), &canvas, &view, error);
    if (status == LF_OK && !make->is_landscape && make->polygons.kind == LF_MADE_PARK)
        lf_canvas_fill_rect(canvas, view.area, lf_colour_of(WATER));
    if (status == LF_OK)
        status = lf_canvas_polygons(canvas, &view, &polygons, &relief, error);
    if (status == LF_OK)
        status = finish_picture(make, canvas, &view, error);
    lf_canvas_destroy(canvas);
    free(palette);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Making
// ---------------------------------------------------------------------------------------------------

static lf_status write_polygons(const make_run *make, const lf_made_polygons *made, lf_error *error) {
    lf_polygons polygons = lf_made_polygons_view(made);
    return lf_polygon_file_write(make->path, &polygons, &make->run->host, error);
}

static lf_status make_polygons(const make_run *make, lf_error *error) {
    lf_made_polygons *made = NULL;
    lf_status status = make->is_landscape ? lf_make_landscape_polygons(&make->heights, &made, error)
                                          : lf_make_polygons(&make->polygons, &made, error);
    if (status == LF_OK)
        status =
            make->form == FORM_PICTURE ? draw_polygons(make, made, error) : write_polygons(make, made, error);
    lf_made_polygons_destroy(made);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Planets
// ---------------------------------------------------------------------------------------------------

#define WGS84_TEXT                                                                                          \
    "GEOGCRS[\"WGS 84\",DATUM[\"World Geodetic System 1984\",ELLIPSOID[\"WGS 84\",6378137,298.257223563]]," \
    "CS[ellipsoidal,2],AXIS[\"latitude\",north],AXIS[\"longitude\",east],"                                  \
    "ANGLEUNIT[\"degree\",0.0174532925199433]]"

static lf_status write_planet(const cli *run, const char *path, int64_t rows, uint64_t seed,
                              lf_error *error) {
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid = NULL;
    int64_t columns = 2 * rows - 1;
    double step = 180.0 / (double)(rows - 1);
    float *heights = malloc((size_t)columns * (size_t)rows * sizeof *heights);
    if (!heights)
        return LF_NO_MEMORY;
    lf_status status = LF_OK;
    for (int64_t j = 0; j < rows && status == LF_OK; j++)
        status = lf_make_planet_row(seed, columns, rows, j, heights + j * columns);
    def.host = run->host;
    def.samples.values = heights;
    def.samples.columns = columns;
    def.samples.rows = rows;
    def.geotransform = (lf_geotransform){{-180, -90}, {step, 0}, {0, step}};
    if (status == LF_OK)
        status = lf_grid_create(&def, &grid, error);
    if (status == LF_OK)
        status = lf_grid_write(path, grid, WGS84_TEXT, 1, &run->host, error);
    lf_grid_destroy(grid);
    free(heights);
    return status;
}

/// A raster of a whole planet: N rows from pole to pole, 2 N - 1 columns.
static int make_planet(cli *run) {
    const char *path = options_value(&run->given, "output");
    int64_t rows = 181, seed = 1;
    lf_error error = {0};
    if (!path)
        return message_usage("-o FILE is missing");
    if (!options_integer(&run->given, "size", 3, 20001, &rows) ||
        !options_integer(&run->given, "seed", 0, INT64_MAX, &seed))
        return CLI_ERROR;
    lf_status status = write_planet(run, path, rows, (uint64_t)seed, &error);
    progress_clear();
    return status == LF_OK ? CLI_YES : message_status(status, &error);
}

int command_make(cli *run) {
    if (strcmp(run->given.arguments[0], "planet") == 0)
        return make_planet(run);
    make_run make = {.run = run,
                     .heights = lf_make_heights_def_default(),
                     .polygons = lf_make_polygons_def_default(),
                     .width = 960};
    lf_error error = {0};
    lf_status status;
    if (!read_question(&make))
        return CLI_ERROR;
    if (make.is_landscape && make.form == FORM_HEIGHTS)
        status = lf_make_heights_file(&make.heights, make.path, &error);
    else if (make.is_landscape && make.form == FORM_PICTURE)
        status = draw_heights(&make, &error);
    else
        status = make_polygons(&make, &error);
    return status == LF_OK ? CLI_YES : message_status(status, &error);
}
