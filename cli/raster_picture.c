/// A raster as shaded relief.
#include "raster.h"
#include <landfall/picture.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#define MARGIN 24.0            // pixels round the map
#define KEY_WIDTH 90.0         // to the right of it
#define DEGREE_LENGTH 111320.0 // metres of a degree on the equator

/// How many units of x are as long as one of y, and how many metres one of y has.
typedef struct shape {
    double x_per_y;
    double metres;
} shape;

static shape shape_of(const loaded *ground, lf_box box) {
    if (!ground_in_degrees(ground))
        return (shape){1, 1};
    double lat = 0.5 * (box.low.y + box.high.y), squeeze = cos(lat * 0.017453292519943295);
    return (shape){1 / fmax(squeeze, 0.05), DEGREE_LENGTH};
}

static lf_status draw_key(lf_canvas *canvas, const lf_view *view, const lf_relief_def *relief) {
    lf_rect bar = {view->area.x + view->area.width + 18, view->area.y + 8, 14,
                   fmin(view->area.height - 16, 220)};
    if (bar.height >= 60)
        lf_picture_ramp_key(canvas, bar, relief->ramp, relief->low, relief->high, "m");
    return LF_OK;
}

/// A canvas as wide as wanted and as high as the map needs; the box fills its area, x squeezed where degrees are.
static lf_status draw(cli *run, const loaded *ground, const char *path, int64_t width, lf_error *error) {
    lf_grid_info grid = lf_grid_describe(ground->grid);
    shape shape = shape_of(ground, grid.box);
    double inner = (double)width - 2 * MARGIN - KEY_WIDTH;
    double wide = (grid.box.high.x - grid.box.low.x) / shape.x_per_y, high = grid.box.high.y - grid.box.low.y;
    double tall = fmin(fmax(inner * high / wide, 40), 4 * inner);
    lf_canvas_def def = lf_canvas_def_default();
    lf_relief_def relief = lf_relief_def_default();
    lf_canvas *canvas = NULL;
    def.host = run->host;
    def.width = width;
    def.height = (int64_t)(tall + 2 * MARGIN);
    lf_status status = lf_canvas_create(&def, &canvas, error);
    if (status != LF_OK)
        return status;
    // The box may be longer than four times its width: then it is shown narrower.
    double used = fmin(inner, tall * wide / high);
    lf_view view = {{MARGIN, MARGIN, used, fmin(tall, inner * high / wide)},
                    grid.box.low.x,
                    grid.box.high.x,
                    grid.box.low.y,
                    grid.box.high.y};
    double pixel = 0.5 * ((view.x_high - view.x_low) / view.area.width + high / view.area.height);
    relief.exaggeration = pixel / (high / view.area.height * shape.metres);
    relief.low = grid.low;
    relief.high = grid.high > grid.low ? grid.high : grid.low + 1;
    status = lf_picture_grid(canvas, &view, ground->grid, &relief, error);
    if (status == LF_OK)
        status = draw_key(canvas, &view, &relief);
    if (status == LF_OK && shape.metres == 1) {
        lf_vec2 corner = {view.area.x + 12, view.area.y + view.area.height - 12};
        lf_picture_scale_bar(canvas, &view, corner, view.area.width / 4);
    }
    if (status == LF_OK)
        status = lf_canvas_write_png(canvas, path, error);
    lf_canvas_destroy(canvas);
    return status;
}

int raster_picture(cli *run, const loaded *ground, const char *path) {
    const char *ending = strrchr(path, '.');
    int64_t width = 960;
    lf_error error = {0};
    lf_grid_info grid = lf_grid_describe(ground->grid);
    if (!options_integer(&run->given, "width", 200, 20000, &width))
        return CLI_ERROR;
    if (!ending || strcasecmp(ending, ".png") != 0)
        return message_error("-o %s: the ending has to be .png", path);
    if (grid.low > grid.high)
        return message_error("-o %s: there are only holes, and nothing to draw", path);
    lf_status status = draw(run, ground, path, width, &error);
    return status == LF_OK ? CLI_YES : message_status(status, &error);
}
