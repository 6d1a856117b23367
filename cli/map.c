#include "map.h"
#include <math.h>

#define MARGIN 24.0      // pixels round the map
#define KEY_WIDTH 90.0   // to the right of it
#define WORD_WIDTH 120.0 // where the key has words

/// How many units of x are as long as one of y, and how many metres one of y has.
typedef struct shape {
    double x_per_y;
    double metres;
} shape;

static shape shape_of(const loaded *ground, lf_box box) {
    lf_vec2 metres = ground_metres(ground, box);
    return (shape){metres.y / metres.x, metres.y};
}

// ---------------------------------------------------------------------------------------------------
// Beside the map
// ---------------------------------------------------------------------------------------------------

static void draw_words(lf_canvas *canvas, const lf_map_view *view, const map_layer *layer) {
    lf_text_style style = lf_text_style_default();
    style.vertical = LF_ALIGN_MIDDLE;
    for (int i = 0; i < layer->word_count; i++) {
        lf_rect patch = {view->area.x + view->area.width + 18, view->area.y + 8 + 28.0 * i, 18, 18};
        lf_vec2 at = {patch.x + 26, patch.y + 9};
        lf_canvas_fill_rect(canvas, patch, lf_colour_of(0xD8D8D4));
        lf_canvas_fill_rect(canvas, patch, layer->words[i].colour);
        lf_canvas_text(canvas, at, layer->words[i].text, &style);
    }
}

static void draw_key(lf_canvas *canvas, const lf_map_view *view, const lf_relief_def *relief,
                     const map_layer *layer) {
    lf_rect bar = {view->area.x + view->area.width + 18, view->area.y + 8, 14,
                   fmin(view->area.height - 16, 220)};
    if (layer && layer->words)
        draw_words(canvas, view, layer);
    else if (bar.height >= 60 && layer)
        lf_canvas_ramp_key(canvas, bar, layer->ramp, layer->low, layer->high, layer->unit);
    else if (bar.height >= 60)
        lf_canvas_ramp_key(canvas, bar, relief->ramp, relief->low, relief->high, "m");
}

static void draw_marks(lf_canvas *canvas, const lf_map_view *view, const map_layer *layer) {
    for (int64_t i = 0; i < layer->mark_count; i++) {
        lf_vec2 at = lf_map_view_to_pixel(view, layer->marks[i].x, layer->marks[i].y);
        lf_canvas_marker(canvas, at, LF_MARKER_DISC, 15, lf_colour_of(0xFFFFFF));
        lf_canvas_marker(canvas, at, LF_MARKER_DISC, 10, lf_colour_of(0xB3261E));
    }
}

// ---------------------------------------------------------------------------------------------------
// The map
// ---------------------------------------------------------------------------------------------------

/// Under a layer the ground is pale and grey.
static void choose_relief(const loaded *ground, const map_def *def, lf_relief_def *relief) {
    lf_box box = lf_ground_box(ground->ground);
    double high = box.high.z > box.low.z ? box.high.z : box.low.z + 1, range = high - box.low.z;
    relief->low = box.low.z;
    relief->high = high;
    relief->contours = def->contours;
    if (def->layer) {
        relief->ramp = LF_RAMP_GREY;
        relief->low = box.low.z - 4 * range;
        relief->high = high + 0.6 * range;
    }
}

/// The box may be longer than four times its width: then it is shown narrower.
static lf_map_view view_of(lf_box box, shape shape, double inner) {
    double wide = (box.high.x - box.low.x) / shape.x_per_y, high = box.high.y - box.low.y;
    double tall = fmin(fmax(inner * high / wide, 40), 4 * inner);
    return (lf_map_view){{MARGIN, MARGIN, fmin(inner, tall * wide / high), fmin(tall, inner * high / wide)},
                         box.low.x,
                         box.high.x,
                         box.low.y,
                         box.high.y};
}

static lf_status draw_all(lf_canvas *canvas, const lf_map_view *view, const loaded *ground,
                          const map_def *def, lf_error *error) {
    lf_relief_def relief = lf_relief_def_default();
    const map_layer *layer = def->layer;
    shape shape = shape_of(ground, def->box);
    double up = (view->y_high - view->y_low) / view->area.height;
    double pixel = 0.5 * ((view->x_high - view->x_low) / view->area.width + up);
    choose_relief(ground, def, &relief);
    relief.exaggeration = pixel / (up * shape.metres);
    lf_status status = ground->grid ? lf_canvas_grid(canvas, view, ground->grid, &relief, error)
                                    : lf_canvas_polygons(canvas, view, &ground->polygons, &relief, error);
    if (status == LF_OK && layer && ground->grid)
        status = lf_canvas_tint(canvas, view, ground->grid, layer->tint, layer->user);
    if (status != LF_OK)
        return status;
    if (layer)
        draw_marks(canvas, view, layer);
    draw_key(canvas, view, &relief, layer);
    if (shape.metres == 1) {
        lf_vec2 corner = {view->area.x + 12, view->area.y + view->area.height - 12};
        lf_canvas_scale_bar(canvas, view, corner, view->area.width / 4);
    }
    return LF_OK;
}

lf_status map_draw(cli *run, const loaded *ground, const map_def *def, lf_error *error) {
    lf_canvas_def canvas_def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    double key = def->layer && def->layer->words ? WORD_WIDTH : KEY_WIDTH;
    lf_map_view view = view_of(def->box, shape_of(ground, def->box), (double)def->width - 2 * MARGIN - key);
    canvas_def.host = run->host;
    canvas_def.width = def->width;
    canvas_def.height = (int64_t)(fmax(view.area.height, 40) + 2 * MARGIN);
    lf_status status = lf_canvas_create(&canvas_def, &canvas, error);
    if (status == LF_OK)
        status = draw_all(canvas, &view, ground, def, error);
    if (status == LF_OK)
        status = lf_canvas_write(canvas, def->path, error);
    lf_canvas_destroy(canvas);
    return status;
}
