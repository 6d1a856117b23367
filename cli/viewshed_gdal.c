/// `landfall viewshed -ox X -oy Y SOURCE RESULT`: the synopsis of gdal_viewshed, with the same meanings and defaults.
#include "commands.h"
#include "ground.h"
#include "results.h"
#include <landfall/sight.h>
#include <math.h>
#include <string.h>

#define EARTH_RADIUS 6378137.0 // as in gdal_viewshed, and of a planet its semi-major axis

typedef enum gdal_mode { GDAL_NORMAL, GDAL_DEM, GDAL_GROUND } gdal_mode;

/// State of one run.
typedef struct gdal_run {
    cli *run;
    lf_grid_info grid;
    gdal_mode mode;
    double x, y, eye, target, most, coefficient;
    double visible, hidden, outside, nodata;
    lf_pixels pixels;      ///< of the file
    int64_t columns, rows; ///< samples that are pixels of it: of a file of one row the grid has two
    int64_t column, row;   ///< of the observer's sample, perhaps outside the raster
    bool beside;           ///< then -oz is above datum
    lf_viewshed_def def;
    lf_window window;
    uint8_t *bytes;  ///< NORMAL
    float *numbers;  ///< DEM and GROUND, as they come
    double *heights; ///< and as they are written
} gdal_run;

// ---- The question -------------------------------------------------------------------------------

/// A value of the result; bytes hold 0 to 255.
static bool read_value(const gdal_run *gdal, const char *name, double *value) {
    const options *given = &gdal->run->given;
    *value = options_number(given, name, *value);
    if (gdal->mode != GDAL_NORMAL || (*value >= 0 && *value <= 255 && *value == floor(*value)))
        return true;
    return refused("-%s %s: expected a whole number from 0 to 255", name, options_value(given, name));
}

static bool read_question(gdal_run *gdal) {
    const options *given = &gdal->run->given;
    gdal->mode = (gdal_mode)options_choice(given, "om", GDAL_NORMAL);
    gdal->x = options_number(given, "ox", 0);
    gdal->y = options_number(given, "oy", 0);
    gdal->eye = options_number(given, "oz", 2);
    gdal->target = options_number(given, "tz", 0);
    gdal->most = options_number(given, "md", 0);
    gdal->coefficient = options_number(given, "cc", LF_NAN);
    gdal->nodata = options_number(given, "a_nodata", -1);
    gdal->visible = 255;
    if (gdal->mode == GDAL_NORMAL && gdal->nodata > 255)
        gdal->nodata = 0; // as it is there
    return read_value(gdal, "vv", &gdal->visible) && read_value(gdal, "iv", &gdal->hidden) &&
           read_value(gdal, "ov", &gdal->outside);
}

// ---- Position and rules -------------------------------------------------------------------------

#define MOST_PIXELS 2147483647.0 // away from the raster

/// The pixel that the observer is in. Rows of the file count from the north; without a geotransform pixels are counted from the first, as GDAL
/// does, and their edges are whole numbers.
static bool find_sample(gdal_run *gdal) {
    double unit = gdal->run->ground.about.xy_unit;
    lf_vec2 world = {gdal->x * unit, gdal->y * unit}, place = lf_grid_locate(gdal->run->ground.grid, world);
    double column = floor(place.x + 0.5), down = floor((double)gdal->rows - 0.5 - place.y);
    const options *given = &gdal->run->given;
    if (!gdal->pixels.georeferenced) {
        column = floor(gdal->x) - (double)gdal->pixels.window.column;
        down = floor(gdal->y) - (double)gdal->pixels.window.row;
    }
    if (!(fabs(column) <= MOST_PIXELS && fabs(down) <= MOST_PIXELS))
        return failed("-ox %s -oy %s: the observer is too far from %s", options_value(given, "ox"),
                      options_value(given, "oy"), given->arguments[0]);
    gdal->column = (int64_t)column;
    gdal->row = gdal->rows - 1 - (int64_t)down;
    gdal->beside = column < 0 || column >= (double)gdal->columns || down < 0 || down >= (double)gdal->rows;
    if (gdal->beside && !gdal->run->quiet)
        message_note("the observer is beside the raster: -oz is its height above datum");
    return true;
}

/// Length of a step in the map's own units.
static double step_length(lf_vec2 step) {
    return sqrt(step.x * step.x + step.y * step.y);
}

static void find_span(double middle, double reach, int64_t count, int64_t *first, int64_t *length) {
    double start = fmax(0, floor(middle - reach)), stop = fmin((double)count, ceil(middle + reach) + 1);
    *first = (int64_t)start;
    *length = (int64_t)(stop - start);
}

/// The part of the raster that gdal_viewshed would write.
static bool find_window(gdal_run *gdal, double most) {
    const lf_geotransform *geotransform = &gdal->grid.geotransform;
    const options *given = &gdal->run->given;
    int64_t down, height;
    gdal->window = (lf_window){0, 0, gdal->columns, gdal->rows};
    if (!(most > 0))
        return true;
    find_span((double)gdal->column, most / step_length(geotransform->per_column), gdal->columns,
              &gdal->window.column, &gdal->window.columns);
    find_span((double)(gdal->rows - 1 - gdal->row), most / step_length(geotransform->per_row), gdal->rows,
              &down, &height);
    gdal->window.row = gdal->rows - down - height;
    gdal->window.rows = height;
    if (gdal->window.columns > 0 && height > 0)
        return true;
    return failed("-md %s: no part of %s is so near to -ox %s -oy %s", options_value(given, "md"),
                  given->arguments[0], options_value(given, "ox"), options_value(given, "oy"));
}

static void find_rules(gdal_run *gdal) {
    lf_viewshed_def *def = &gdal->def;
    const loaded *ground = &gdal->run->ground;
    double radius = ground->about.crs ? ground->about.ellipsoid.radius : EARTH_RADIUS;
    bool earth = fabs(radius - EARTH_RADIUS) <= 0.05 * EARTH_RADIUS;
    *def = lf_viewshed_def_default();
    def->host = gdal->run->host;
    def->rules.curvature.radius = radius;
    double usual = !ground->about.crs ? 0 : earth ? 0.85714 : 1.0; // without a CRS the earth is flat there
    def->rules.curvature.coefficient = isnan(gdal->coefficient) ? usual : gdal->coefficient;
    def->rules.units = ground_in_degrees(ground) ? LF_MAP_DEGREES : LF_MAP_METRES;
    def->rules.ellipsoid = ground->about.ellipsoid;
    def->rules.voids = LF_VOIDS_PASS;
    def->target = gdal->target * fabs(ground->about.z_unit);
    // What is out of range is decided in the map's units below; here it only saves time.
    if (gdal->most > 0 && def->rules.units == LF_MAP_METRES)
        def->range_max = gdal->most * ground->about.xy_unit * (1 + 1e-9);
}

// ---- The computation ----------------------------------------------------------------------------

/// Is a sample farther than -md?
static bool too_far(const gdal_run *gdal, int64_t column, int64_t row, double most) {
    const lf_geotransform *geotransform = &gdal->grid.geotransform;
    double i = (double)(column - gdal->column), j = (double)(row - gdal->row);
    lf_vec2 way = {i * geotransform->per_column.x + j * geotransform->per_row.x,
                   i * geotransform->per_column.y + j * geotransform->per_row.y};
    return most > 0 && step_length(way) > most;
}

static double byte_value(const gdal_run *gdal, uint8_t seen) {
    switch (seen) {
    case LF_VISIBILITY_VISIBLE:
        return gdal->visible;
    case LF_VISIBILITY_VOID:
        return gdal->nodata >= 0 ? gdal->nodata : gdal->hidden;
    case LF_VISIBILITY_BEYOND:
        return gdal->outside;
    default:
        return gdal->hidden;
    }
}

static void settle(gdal_run *gdal, double most) {
    double unit = fabs(gdal->run->ground.about.z_unit);
    for (int64_t j = 0; j < gdal->window.rows; j++)
        for (int64_t i = 0; i < gdal->window.columns; i++) {
            int64_t at = j * gdal->window.columns + i;
            bool far = too_far(gdal, gdal->window.column + i, gdal->window.row + j, most);
            if (gdal->mode == GDAL_NORMAL)
                gdal->bytes[at] = (uint8_t)(far ? gdal->outside : byte_value(gdal, gdal->bytes[at]));
            else if (far || !isfinite(gdal->numbers[at]))
                gdal->heights[at] = !far && gdal->nodata >= 0 ? gdal->nodata : gdal->outside;
            else
                gdal->heights[at] = (double)gdal->numbers[at] / unit;
        }
}

static lf_status compute(gdal_run *gdal, lf_error *error) {
    lf_observer observer = {
        lf_geotransform_at(&gdal->grid.geotransform, (double)gdal->column, (double)gdal->row),
        gdal->eye * fabs(gdal->run->ground.about.z_unit), gdal->beside};
    const lf_grid *grid = gdal->run->ground.grid;
    if (gdal->mode == GDAL_NORMAL)
        return lf_viewshed_visible(lf_grid_ground(grid), &gdal->def, &observer, gdal->window, gdal->bytes, 0,
                                   NULL, error);
    return lf_viewshed_values(lf_grid_ground(grid), &gdal->def, &observer,
                              gdal->mode == GDAL_DEM ? LF_VIEWSHED_DEM : LF_VIEWSHED_GROUND, gdal->window,
                              gdal->numbers, 0, NULL, error);
}

static void make_space(gdal_run *gdal) {
    size_t samples = (size_t)gdal->window.columns * (size_t)gdal->window.rows;
    bool normal = gdal->mode == GDAL_NORMAL;
    result_note(gdal->run, gdal->window,
                samples * (normal ? 1 : 12) +
                    lf_viewshed_bytes(lf_grid_ground(gdal->run->ground.grid), &gdal->def, gdal->window));
    gdal->bytes = allocate(normal ? samples : 0, 1);
    gdal->numbers = allocate(normal ? 0 : samples, sizeof(float));
    gdal->heights = allocate(normal ? 0 : samples, sizeof(double));
}

static lf_status write_result(gdal_run *gdal, lf_error *error) {
    static facts facts;
    const options *given = &gdal->run->given;
    const char *format = options_value(given, "f"), *path = given->arguments[1];
    lf_result_def def = lf_result_def_default();
    def.host = gdal->run->host;
    def.type = gdal->mode == GDAL_NORMAL ? LF_RESULT_BYTE : LF_RESULT_DOUBLE;
    def.values = gdal->mode == GDAL_NORMAL ? (const void *)gdal->bytes : (const void *)gdal->heights;
    def.window = gdal->window;
    def.nodata_given = gdal->nodata >= 0;
    def.nodata = gdal->nodata;
    def.format = format ? format : options_value(given, "of");
    if (!def.format && !strrchr(path, '.'))
        def.format = "GTiff";
    def.option_count = options_count(given, "co");
    def.options = def.option_count > 0 ? options_list(given, "co") : NULL;
    facts_start(&facts, gdal->run, &gdal->def.rules);
    facts_number(&facts, "X", gdal->x);
    facts_number(&facts, "Y", gdal->y);
    facts_number(&facts, "EYE", gdal->eye);
    facts_number(&facts, "TARGET", gdal->target);
    facts_number(&facts, "RANGE_MAX", gdal->most > 0 ? gdal->most : LF_INFINITY);
    def.metadata = (const char *const *)facts.list;
    def.metadata_count = facts.count;
    // GDAL places parts of a raster without a geotransform by their pixels. All of it needs no place: that is
    // the same.
    double north = (double)(gdal->pixels.window.row + gdal->rows - gdal->window.row - gdal->window.rows);
    double place[6] = {(double)(gdal->pixels.window.column + gdal->window.column), 1, 0, north, 0, 1};
    bool part = gdal->window.columns < gdal->columns || gdal->window.rows < gdal->rows;
    def.geotransform = gdal->pixels.georeferenced || !part ? NULL : place;
    def.may_replace = result_may_replace;
    def.may_replace_user = gdal->run;
    return ground_write_result(&gdal->run->ground, path, &def, error);
}

static void find_pixels(gdal_run *gdal) {
    gdal->grid = lf_grid_describe(gdal->run->ground.grid);
    if (gdal->run->ground.raster)
        gdal->pixels = lf_raster_pixels(gdal->run->ground.raster);
    else
        lf_store_pixels(gdal->run->ground.store, &gdal->pixels);
    bool turned = gdal->pixels.transposed;
    gdal->columns = turned ? gdal->pixels.window.rows : gdal->pixels.window.columns;
    gdal->rows = turned ? gdal->pixels.window.columns : gdal->pixels.window.rows;
}

int command_gdal_viewshed(cli *run) {
    gdal_run gdal = {.run = run};
    lf_error error = {0};
    if (!read_question(&gdal) || !ground_open(run, 0))
        return CLI_ERROR;
    double most = gdal.most * run->ground.about.xy_unit;
    find_pixels(&gdal);
    if (!find_sample(&gdal) || !find_window(&gdal, most))
        return CLI_ERROR;
    find_rules(&gdal);
    make_space(&gdal);
    lf_status status = compute(&gdal, &error);
    if (status == LF_OK) {
        settle(&gdal, most);
        status = write_result(&gdal, &error);
    }
    return succeeded(status, &error) ? CLI_YES : CLI_ERROR;
}
