#include "commands.h"
#include "plots.h"
#include <figures.h>
#include <samples.h>
#include <string.h>

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

// ---- Making -------------------------------------------------------------------------------------

static lf_status make_polygons(const make_run *make, lf_error *error) {
    lf_made_polygons *made = NULL;
    lf_polygons polygons = {0};
    bool park = !make->is_landscape && make->polygons.kind == LF_MADE_PARK;
    lf_status status = make->is_landscape ? lf_make_landscape_polygons(&make->heights, &made, error)
                                          : lf_make_polygons(&make->polygons, &made, error);
    if (status == LF_OK)
        polygons = lf_made_polygons_view(made);
    if (status == LF_OK)
        status = path_ends(make->path, ".png")
                     ? lf_figure_made(&make->page, made, park, error)
                     : lf_polygon_file_write(make->path, &polygons, &make->run->host, error);
    lf_made_polygons_destroy(made);
    return status;
}

// ---- A city as a world --------------------------------------------------------------------------

static lf_status write_text(const cli *run, const char *path, const char *text, lf_error *error) {
    lf_text_file *file = NULL;
    lf_status status = lf_text_file_create(path, &run->host, &file, error);
    if (status != LF_OK)
        return status;
    lf_text_file_write(file, text, strlen(text));
    return lf_text_file_commit(file, error);
}

/// The path of a part: beside the world file, and named after it.
static const char *part_path(const char *path, size_t stem, const char *rest) {
    char *text = allocate(stem + strlen(rest) + 1, 1);
    memcpy(text, path, stem);
    memcpy(text + stem, rest, strlen(rest));
    return text;
}

/// The world file comes last: it names only files that are there.
static lf_status make_city(const make_run *make, lf_error *error) {
    const char *path = make->path, *name = path_name(path);
    size_t stem = strlen(path) - strlen(".world.json");
    const char *own = part_path(name, strlen(name) - strlen(".world.json"), "");
    int64_t count = make->polygons.polygon_count > 0 ? make->polygons.polygon_count : 600;
    lf_made_city *city = NULL;
    lf_status status = lf_make_city(make->polygons.seed, count, own, &make->run->host, &city, error);
    if (status != LF_OK)
        return status;
    lf_city_parts parts = lf_made_city_parts(city);
    status = lf_heights_write(part_path(path, stem, "-hills.tif"), &parts.hills, &make->run->host, error);
    if (status == LF_OK)
        status = lf_polygon_file_write(part_path(path, stem, "-bridge.ply"), &parts.bridge, &make->run->host,
                                       error);
    if (status == LF_OK)
        status = write_text(make->run, part_path(path, stem, "-buildings.geojson"), parts.buildings, error);
    if (status == LF_OK)
        status = write_text(make->run, path, parts.world, error);
    lf_made_city_destroy(city);
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
        status = lf_make_planet_file(make.heights.seed, rows, make.path, &run->host, &error);
    else if (path_ends(make.path, ".world.json"))
        status = make_city(&make, &error);
    else if (!make.is_landscape || polygons)
        status = make_polygons(&make, &error);
    else
        status = picture ? lf_figure_landscape(&make.page, &make.heights, &error)
                         : lf_make_heights_file(&make.heights, make.path, &error);
    return succeeded(status, &error) ? CLI_YES : CLI_ERROR;
}
