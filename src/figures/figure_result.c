/// The numbers of a result over the relief of its raster: by names of a few values, or by a ramp from the least to the
/// greatest.
#include "base/base.h"
#include "figures.h"
#include <math.h>

/// A result that is being drawn.
typedef struct result_figure {
    const lf_result_def *def;
    lf_figure_layer layer;
} result_figure;

/// The number of a sample in the first band; NaN outside the window, and for no data.
static double number_at(const lf_result_def *def, int64_t column, int64_t row) {
    const lf_window *window = &def->window;
    int64_t i = column - window->column, j = row - window->row;
    if (i < 0 || j < 0 || i >= window->columns || j >= window->rows)
        return LF_NAN;
    int64_t at = j * window->columns + i;
    double value = def->type == LF_RESULT_BYTE     ? ((const uint8_t *)def->values)[at]
                   : def->type == LF_RESULT_UINT32 ? ((const uint32_t *)def->values)[at]
                   : def->type == LF_RESULT_FLOAT  ? (double)((const float *)def->values)[at]
                                                   : ((const double *)def->values)[at];
    return def->nodata_given && value == def->nodata ? LF_NAN : value;
}

static lf_colour paint(void *user, int64_t column, int64_t row) {
    const result_figure *figure = user;
    const lf_figure_layer *layer = &figure->layer;
    double value = number_at(figure->def, column, row);
    lf_colour none = {0, 0, 0, 0};
    if (isnan(value))
        return none;
    if (layer->names)
        return value < layer->name_count ? layer->names[(int)value].colour : none;
    return lf_colour_fade(lf_ramp_colour(layer->ramp, (value - layer->low) / (layer->high - layer->low)),
                          0.8);
}

/// The ramp goes from the least number to the greatest.
static void find_range(const lf_result_def *def, lf_figure_layer *layer) {
    layer->low = LF_INFINITY;
    layer->high = -LF_INFINITY;
    for (int64_t j = 0; j < def->window.rows; j++)
        for (int64_t i = 0; i < def->window.columns; i++) {
            double value = number_at(def, def->window.column + i, def->window.row + j);
            layer->low = fmin(layer->low, value);
            layer->high = fmax(layer->high, value);
        }
    if (!(layer->low <= layer->high))
        layer->low = layer->high = 0;
    if (!(layer->high > layer->low))
        layer->high = layer->low + 1;
}

/// The window's part of the world.
static lf_box box_of(const lf_grid *grid, const lf_window *window) {
    lf_grid_info info = lf_grid_describe(grid);
    lf_box box = lf_box_empty();
    if (window->columns < 2 || window->rows < 2)
        return info.box;
    for (int k = 0; k < 4; k++) {
        double i = (double)(window->column + (k % 2 ? window->columns - 1 : 0));
        double j = (double)(window->row + (k / 2 ? window->rows - 1 : 0));
        lf_vec2 at = lf_geotransform_at(&info.geotransform, i, j);
        box = lf_box_with(box, (lf_vec3){at.x, at.y, info.box.low.z});
    }
    box.high.z = info.box.high.z;
    return box;
}

lf_status lf_figure_result(const lf_figure_page *page, const lf_figure_map_def *map,
                           const lf_result_def *result, lf_error *error) {
    result_figure figure = {.def = result, .layer = *map->layer};
    lf_figure_map_def own = *map;
    figure.layer.tint = paint;
    figure.layer.user = &figure;
    figure.layer.ramp = LF_RAMP_EVEN;
    if (!figure.layer.names)
        find_range(result, &figure.layer);
    own.box = box_of(map->grid, &result->window);
    own.layer = &figure.layer;
    return lf_figure_map(page, &own, error);
}
