#include "commands.h"
#include "plots.h"
#include <samples.h>
#include <string.h>

#define WATER 0xB9D3E0u // shows through the holes of the park, which are its lakes

/// State of one run of `landfall make`.
typedef struct make_run {
    cli *run;
    const char *path;
    bool is_landscape; ///< `heights` is used, else `polygons`
    lf_make_heights_def heights;
    lf_make_polygons_def polygons;
    lf_figure_page page; ///< of a picture
} make_run;

static void read_question(make_run *make) {
    const options *given = &make->run->given;
    const char *kind = given->arguments[0];
    double n[ROW_NUMBERS];
    int count = options_numbers(given, "size", 0, n);
#define LANDSCAPE(name, value, spelled, text) \
    if (strcmp(kind, spelled) == 0) {         \
        make->is_landscape = true;            \
        make->heights.landscape = name;       \
    }
#define MADE(name, value, spelled, count, text) \
    if (strcmp(kind, spelled) == 0)             \
        make->polygons.kind = name;
    LF_LANDSCAPE_LIST(LANDSCAPE)
    LF_MADE_LIST(MADE)
    make->heights.host = make->polygons.host = make->run->host;
    if (count > 0) {
        make->heights.columns = make->polygons.polygon_count = (int64_t)n[0];
        make->heights.rows = (int64_t)n[count - 1];
    }
    make->heights.seed = make->polygons.seed = (uint64_t)options_integer(given, "seed", 1);
    make->heights.spacing = options_number(given, "step", make->heights.spacing);
    make->heights.low = options_number(given, "low", make->heights.low);
    make->heights.high = options_number(given, "high", make->heights.high);
}

// ---- Pictures -----------------------------------------------------------------------------------

static lf_status draw_heights(const make_run *make, lf_error *error) {
    lf_made_heights *made = NULL;
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid = NULL;
    lf_status status = lf_make_heights(&make->heights, &made, error);
    if (status == LF_OK) {
        lf_heights heights = lf_made_heights_view(made);
        def.host = make->run->host;
        def.borrow = true;
        def.samples.values = heights.values;
        def.samples.columns = heights.columns;
        def.samples.rows = heights.rows;
        def.geotransform =
            (lf_geotransform){{heights.x_low, heights.y_low}, {heights.spacing, 0}, {0, heights.spacing}};
        status = lf_grid_create(&def, &grid, error);
    }
    if (status == LF_OK) {
        lf_figure_map_def map = {
            .grid = grid, .box = lf_grid_describe(grid).box, .metres = {1, 1}, .keyless = true};
        status = lf_figure_map(&make->page, &map, error);
    }
    lf_grid_destroy(grid);
    lf_made_heights_destroy(made);
    return status;
}

static lf_status draw_polygons(const make_run *make, const lf_made_polygons *made, lf_error *error) {
    lf_polygons polygons = lf_made_polygons_view(made);
    bool park = !make->is_landscape && make->polygons.kind == LF_MADE_PARK;
    int64_t count = lf_made_polygons_name_count(made);
    lf_colour *palette = allocate((size_t)count + 1, sizeof(lf_colour));
    for (int64_t i = 0; i < count; i++)
        palette[i] = lf_colour_named(lf_made_polygons_name(made, i));
    lf_figure_map_def map = {.polygons = &polygons,
                             .box = lf_box_empty(),
                             .metres = {1, 1},
                             .keyless = true,
                             .palette = palette,
                             .palette_count = count,
                             .background = lf_colour_fade(lf_colour_of(WATER), park ? 1 : 0)};
    for (int64_t i = 0; i < polygons.vertex_count; i++)
        map.box = lf_box_with(map.box, polygons.vertices[i]);
    return lf_figure_map(&make->page, &map, error);
}

// ---- Making -------------------------------------------------------------------------------------

static lf_status make_polygons(const make_run *make, lf_error *error) {
    lf_made_polygons *made = NULL;
    lf_polygons polygons = {0};
    lf_status status = make->is_landscape ? lf_make_landscape_polygons(&make->heights, &made, error)
                                          : lf_make_polygons(&make->polygons, &made, error);
    if (status == LF_OK)
        polygons = lf_made_polygons_view(made);
    if (status == LF_OK)
        status = path_ends(make->path, ".png")
                     ? draw_polygons(make, made, error)
                     : lf_polygon_file_write(make->path, &polygons, &make->run->host, error);
    lf_made_polygons_destroy(made);
    return status;
}

// ---- Planets ------------------------------------------------------------------------------------

static lf_status write_planet(const cli *run, const char *path, int64_t rows, uint64_t seed,
                              lf_error *error) {
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid = NULL;
    int64_t columns = 2 * rows - 1;
    double step = 180.0 / (double)(rows - 1);
    float *heights = allocate((size_t)columns * (size_t)rows, sizeof *heights);
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
        status = lf_grid_write(path, grid, "OGC:CRS84", 1, &run->host, error);
    lf_grid_destroy(grid);
    return status;
}

int command_make(cli *run) {
    const options *given = &run->given;
    make_run make = {
        .run = run,
        .path = options_value(given, "output"),
        .heights = lf_make_heights_def_default(),
        .polygons = lf_make_polygons_def_default(),
        .page = figure_page(run, options_value(given, "output"), options_integer(given, "width", 960))};
    lf_error error = {0};
    lf_status status;
    bool planet = strcmp(given->arguments[0], "planet") == 0;
    int64_t rows = options_integer(given, "size", 181);
    if (planet && (rows < 3 || rows > 20001))
        return message_usage("--size %s: expected a whole number from 3 to 20001 for a planet",
                             options_value(given, "size"));
    read_question(&make);
    bool picture = path_ends(make.path, ".png"),
         polygons = path_ends(make.path, ".ply") || path_ends(make.path, ".obj");
    if (planet) // rows from pole to pole, and 2 rows - 1 columns
        status = write_planet(run, make.path, rows, make.heights.seed, &error);
    else if (!make.is_landscape || polygons)
        status = make_polygons(&make, &error);
    else
        status =
            picture ? draw_heights(&make, &error) : lf_make_heights_file(&make.heights, make.path, &error);
    return succeeded(status, &error) ? CLI_YES : CLI_ERROR;
}
