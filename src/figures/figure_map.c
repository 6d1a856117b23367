/// Ground as a map: shaded relief, what lies over it, a key and a scale bar.
#include "base/base.h"
#include "figures.h"
#include <math.h>

#define MARGIN 24.0      // pixels around the map
#define KEY_WIDTH 90.0   // to the right of it
#define NAME_WIDTH 120.0 // where the key has names

#define RADIANS 0.017453292519943295 // of a degree
#define DEGREE_LENGTH 111320.0       // metres of a degree on the equator

lf_status lf_figure_write(const lf_figure_page *page, lf_figure_draw *draw, const void *content,
                          lf_error *error) {
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    def.host = page->host;
    def.width = page->width;
    def.height = page->height;
    lf_status status = lf_canvas_create(&def, &canvas, error);
    if (status == LF_OK)
        status = draw(canvas, content, error);
    if (status == LF_OK)
        status = lf_canvas_write(canvas, page->path, error);
    lf_canvas_destroy(canvas);
    return status;
}

lf_vec2 lf_figure_metres(bool degrees, lf_box box) {
    if (!degrees)
        return (lf_vec2){1, 1};
    double squeeze = cos(0.5 * (box.low.y + box.high.y) * RADIANS);
    return (lf_vec2){DEGREE_LENGTH * fmax(squeeze, 0.05), DEGREE_LENGTH};
}

/// A map that is being drawn.
typedef struct map_figure {
    const lf_figure_map_def *def;
    lf_map_axes view;
    lf_vec2 metres; ///< of a unit of x and y in the middle of the box
    lf_relief_def relief;
} map_figure;

static void draw_names(lf_canvas *canvas, const lf_map_axes *view, const lf_figure_layer *layer) {
    lf_text_style style = lf_text_style_default();
    style.vertical = LF_ALIGN_MIDDLE;
    for (int i = 0; i < layer->name_count; i++) {
        lf_rect patch = {view->area.x + view->area.width + 18, view->area.y + 8 + 28.0 * i, 18, 18};
        lf_vec2 at = {patch.x + 26, patch.y + 9};
        lf_canvas_fill_rect(canvas, patch, lf_colour_of(0xD8D8D4));
        lf_canvas_fill_rect(canvas, patch, layer->names[i].colour);
        lf_canvas_text(canvas, at, layer->names[i].text, &style);
    }
}

static void draw_key(lf_canvas *canvas, const map_figure *map) {
    const lf_map_axes *view = &map->view;
    const lf_figure_layer *layer = map->def->layer;
    lf_rect bar = {view->area.x + view->area.width + 18, view->area.y + 8, 14,
                   fmin(view->area.height - 16, 220)};
    if (layer && layer->names)
        draw_names(canvas, view, layer);
    else if (bar.height >= 60 && layer)
        lf_canvas_ramp_key(canvas, bar, layer->ramp, layer->low, layer->high, layer->unit);
    else if (bar.height >= 60)
        lf_canvas_ramp_key(canvas, bar, map->relief.ramp, map->relief.low, map->relief.high, "m");
}

static void draw_marks(lf_canvas *canvas, const lf_map_axes *view, const lf_figure_layer *layer) {
    for (int64_t i = 0; i < layer->mark_count; i++) {
        lf_vec2 at = lf_map_axes_to_pixel(view, layer->marks[i].x, layer->marks[i].y);
        lf_canvas_marker(canvas, at, LF_MARKER_DISC, 15, lf_colour_of(0xFFFFFF));
        lf_canvas_marker(canvas, at, LF_MARKER_DISC, 10, lf_colour_of(0xB3261E));
    }
}

/// Under a layer the ground is pale and grey.
static void choose_relief(map_figure *map) {
    const lf_figure_map_def *def = map->def;
    const lf_map_axes *view = &map->view;
    double low = def->box.low.z, high = def->box.high.z > low ? def->box.high.z : low + 1, range = high - low;
    double up = (view->y_high - view->y_low) / view->area.height;
    double pixel = 0.5 * ((view->x_high - view->x_low) / view->area.width + up);
    map->relief = lf_relief_def_default();
    map->relief.low = def->layer ? low - 4 * range : low;
    map->relief.high = def->layer ? high + 0.6 * range : high;
    map->relief.ramp = def->layer ? LF_RAMP_GREY : map->relief.ramp;
    map->relief.contours = def->contours;
    map->relief.palette = def->palette;
    map->relief.palette_count = def->palette_count;
    map->relief.exaggeration = pixel / (up * map->metres.y);
}

static lf_status draw_map(lf_canvas *canvas, const void *content, lf_error *error) {
    const map_figure *map = content;
    const lf_figure_map_def *def = map->def;
    const lf_map_axes *view = &map->view;
    const lf_figure_layer *layer = def->layer;
    if (def->background.alpha > 0)
        lf_canvas_fill_rect(canvas, view->area, def->background);
    lf_status status = def->grid ? lf_canvas_grid(canvas, view, def->grid, &map->relief, error)
                                 : lf_canvas_polygons(canvas, view, def->polygons, &map->relief, error);
    if (status == LF_OK && layer && def->grid)
        status = lf_canvas_tint(canvas, view, def->grid, layer->tint, layer->user);
    if (status != LF_OK)
        return status;
    if (layer)
        draw_marks(canvas, view, layer);
    if (!def->keyless)
        draw_key(canvas, map);
    if (!def->degrees) {
        lf_vec2 corner = {view->area.x + 12, view->area.y + view->area.height - 12};
        lf_canvas_scale_bar(canvas, view, corner, view->area.width / 4);
    }
    return LF_OK;
}

/// The box may be longer than four times its width: then it is shown narrower.
static lf_map_axes view_of(lf_box box, lf_vec2 metres, double inner) {
    double wide = (box.high.x - box.low.x) / (metres.y / metres.x), high = box.high.y - box.low.y;
    double tall = fmin(fmax(inner * high / wide, 40), 4 * inner);
    return (lf_map_axes){{MARGIN, MARGIN, fmin(inner, tall * wide / high), fmin(tall, inner * high / wide)},
                         box.low.x,
                         box.high.x,
                         box.low.y,
                         box.high.y};
}

lf_status lf_figure_map(const lf_figure_page *page, const lf_figure_map_def *def, lf_error *error) {
    double key = def->keyless ? 0 : def->layer && def->layer->names ? NAME_WIDTH : KEY_WIDTH;
    lf_figure_page own = *page;
    map_figure map = {.def = def, .metres = lf_figure_metres(def->degrees, def->box)};
    map.view = view_of(def->box, map.metres, (double)page->width - 2 * MARGIN - key);
    choose_relief(&map);
    own.height = (int64_t)(fmax(map.view.area.height, 40) + 2 * MARGIN);
    return lf_figure_write(&own, draw_map, &map, error);
}
