#include "map.h"
#include "commands.h"
#include "ground.h"
#include <math.h>

#define MARGIN 24.0      // pixels around the map
#define KEY_WIDTH 90.0   // to the right of it
#define NAME_WIDTH 120.0 // where the key has names

/// How many units of x are as long as one of y, and how many metres one of y has.
typedef struct shape {
    double x_per_y;
    double metres;
} shape;

static shape shape_of(const loaded *ground, lf_box box) {
    lf_vec2 metres = ground_metres(ground, box);
    return (shape){metres.y / metres.x, metres.y};
}

// ---- Beside the map -----------------------------------------------------------------------------

static void draw_names(lf_canvas *canvas, const lf_map_view *view, const map_layer *layer) {
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

static void draw_key(lf_canvas *canvas, const lf_map_view *view, const lf_relief_def *relief,
                     const map_layer *layer) {
    lf_rect bar = {view->area.x + view->area.width + 18, view->area.y + 8, 14,
                   fmin(view->area.height - 16, 220)};
    if (layer && layer->names)
        draw_names(canvas, view, layer);
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

// ---- The map ------------------------------------------------------------------------------------

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
    double key = def->layer && def->layer->names ? NAME_WIDTH : KEY_WIDTH;
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

// ---- Overlays -----------------------------------------------------------------------------------

static void find_numbers(overlay *overlay) {
    const lf_grid *grid = overlay->raster.grid;
    overlay->low = LF_INFINITY;
    overlay->high = -LF_INFINITY;
    for (int64_t j = 0; j < overlay->rows; j++)
        for (int64_t i = 0; i < overlay->columns; i++) {
            double value = lf_grid_sample(grid, i, j);
            if (isnan(value) || value == 0)
                continue;
            overlay->low = fmin(overlay->low, value);
            overlay->high = fmax(overlay->high, value);
        }
    overlay->mask = !(overlay->low < overlay->high);
}

bool overlay_load(cli *run, const loaded *ground, overlay *overlay) {
    const char *path = options_value(&run->given, "overlay");
    if (!path)
        return true;
    cli plain = *run; // --band, --nodata and their like are the ground's
    plain.given = (options){.arguments = &path, .argument_count = 1, .dashes = run->given.dashes};
    if (!raster_load(&plain, path, &overlay->raster))
        return false;
    bool degrees = ground_in_degrees(&overlay->raster);
    lf_grid_info info = lf_grid_describe(overlay->raster.grid);
    lf_box box = ground->globe ? info.box : lf_ground_box(ground->ground), mine = info.box;
    double sample;
    const char *why = NULL;
    overlay->columns = info.columns;
    overlay->rows = info.rows;
    find_numbers(overlay);
    lf_status status =
        lf_grid_read(overlay->raster.grid, 0, 0, 1, 1, &sample); // samples have no status of their own
    if (ground->globe && !degrees)
        why = "expected a raster in degrees on a globe";
    else if (ground->grid && ground_in_degrees(ground) != degrees)
        why = "one of it and the ground is in degrees, the other in metres";
    else if (mine.low.x > box.high.x || mine.high.x < box.low.x || mine.low.y > box.high.y ||
             mine.high.y < box.low.y)
        why = "lies outside the ground";
    else if (status != LF_OK)
        why = lf_status_text(status);
    if (why)
        message_error("--overlay %s: %s", path, why);
    return !why;
}

lf_colour overlay_at(const overlay *overlay, lf_vec2 at) {
    lf_colour none = {0, 0, 0, 0}, mask = {255, 176, 0, 165};
    lf_vec2 place = lf_grid_locate(overlay->raster.grid, at);
    double i = floor(place.x + 0.5), j = floor(place.y + 0.5);
    if (!(i >= 0 && j >= 0 && i < (double)overlay->columns && j < (double)overlay->rows))
        return none;
    double value = lf_grid_sample(overlay->raster.grid, (int64_t)i, (int64_t)j);
    if (isnan(value) || value == 0)
        return none;
    if (overlay->mask)
        return mask;
    double share = (value - overlay->low) / (overlay->high - overlay->low);
    return lf_colour_fade(lf_ramp_colour(LF_RAMP_EVEN, share), 0.75);
}

// ---- The command --------------------------------------------------------------------------------

/// State of one run of `landfall map`.
typedef struct map_run {
    overlay overlay;
    lf_geotransform geotransform; ///< of a raster
} map_run;

/// Can this ground be drawn in this way?
static bool suits(const cli *run) {
    const char *name = run->given.arguments[0];
    lf_box box = lf_ground_box(run->ground.ground);
    bool over = options_has(&run->given, "contours") || options_has(&run->given, "overlay");
    if (!(box.low.z <= box.high.z))
        message_error("%s: is void: there is nothing to draw", name);
    else if (!run->ground.grid && run->ground.polygons.polygon_count == 0)
        message_error("%s: holds a group: expected a raster or a mesh", name);
    else if (!run->ground.grid && over)
        message_error("%s: holds a mesh: --contours and --overlay need a raster", name);
    else
        return true;
    return false;
}

static lf_colour paint(void *user, int64_t column, int64_t row) {
    const map_run *map = user;
    return overlay_at(&map->overlay, lf_placing_at(&map->geotransform, (double)column, (double)row));
}

int command_map(cli *run) {
    map_run map = {0};
    lf_error error = {0};
    map_name name = {{255, 176, 0, 165}, "overlay"};
    map_layer layer = {.tint = paint, .user = &map, .ramp = LF_RAMP_EVEN, .unit = "", .name_count = 1};
    bool fine = ground_open(run, 0) && suits(run) && overlay_load(run, &run->ground, &map.overlay);
    if (fine) {
        map_def def = {.box = lf_ground_box(run->ground.ground),
                       .contours = options_number(&run->given, "contours", 0),
                       .width = options_integer(&run->given, "width", 960),
                       .path = options_value(&run->given, "output")};
        if (map.overlay.raster.grid) {
            map.geotransform = lf_grid_describe(run->ground.grid).geotransform;
            layer.names = map.overlay.mask ? &name : NULL;
            layer.low = map.overlay.low;
            layer.high = map.overlay.high;
            def.layer = &layer;
        }
        fine = succeeded(map_draw(run, &run->ground, &def, &error), &error);
    }
    ground_free(&map.overlay.raster);
    return fine ? CLI_YES : CLI_ERROR;
}
