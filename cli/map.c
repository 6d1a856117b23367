#include "map.h"
#include "commands.h"
#include "ground.h"
#include <math.h>

bool map_draw(const cli *run, const char *path, lf_figure_map_def *def) {
    const loaded *ground = &run->ground;
    lf_figure_page page = figure_page(run, path, options_integer(&run->given, "width", 960));
    lf_error error = {0};
    if (!(def->box.low.z <= def->box.high.z))
        return failed("-o %s: the raster is void: there is nothing to draw", path);
    def->grid = ground->grid;
    def->polygons = &ground->polygons;
    def->degrees = ground_in_degrees(ground);
    return succeeded(lf_figure_map(&page, def, &error), &error);
}

// ---- Overlays -----------------------------------------------------------------------------------

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
    overlay->values = lf_figure_overlay_of(overlay->raster.grid);
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
    return lf_figure_overlay_at(&map->overlay.values,
                                lf_geotransform_at(&map->geotransform, (double)column, (double)row));
}

int command_map(cli *run) {
    map_run map = {0};
    lf_figure_name name = {{255, 176, 0, 165}, "overlay"};
    lf_figure_layer layer = {.tint = paint, .user = &map, .ramp = LF_RAMP_EVEN, .unit = "", .name_count = 1};
    bool fine = ground_open(run, 0) && suits(run) && overlay_load(run, &run->ground, &map.overlay);
    if (fine) {
        lf_figure_map_def def = {.box = lf_ground_box(run->ground.ground),
                                 .contours = options_number(&run->given, "contours", 0)};
        if (map.overlay.raster.grid) {
            map.geotransform = lf_grid_describe(run->ground.grid).geotransform;
            layer.names = map.overlay.values.mask ? &name : NULL;
            layer.low = map.overlay.values.low;
            layer.high = map.overlay.values.high;
            def.layer = &layer;
        }
        fine = map_draw(run, options_value(&run->given, "output"), &def);
    }
    ground_free(&map.overlay.raster);
    return fine ? CLI_YES : CLI_ERROR;
}
