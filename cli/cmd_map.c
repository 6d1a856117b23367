#include "file_output.h"
#include "map.h"
#include "overlay.h"

/// What one run of `landfall map` knows.
typedef struct map_run {
    cli *run;
    loaded ground;
    overlay overlay;
    lf_geotransform geotransform; ///< of a raster
    map_def def;
} map_run;

static bool read_question(map_run *map) {
    const options *given = &map->run->given;
    map->def.path = options_value(given, "output");
    map->def.width = 960;
    if (!map->def.path) {
        message_usage("-o FILE is missing");
        return false;
    }
    if (!path_ends(map->def.path, ".png")) {
        message_error("-o %s: the ending has to be .png", map->def.path);
        return false;
    }
    if (!options_integer(given, "width", 200, 20000, &map->def.width) ||
        !options_number(given, "contours", &map->def.contours))
        return false;
    if (map->def.contours >= 0)
        return true;
    message_error("--contours %s: 0 or more is wanted", options_value(given, "contours"));
    return false;
}

/// Can this ground be drawn in this way?
static bool suits(const map_run *map) {
    const char *name = map->run->given.arguments[0];
    lf_box box = lf_ground_box(map->ground.ground);
    if (!(box.low.z <= box.high.z)) {
        message_error("%s: there are only holes, and nothing to draw", name);
        return false;
    }
    if (!map->ground.grid && map->ground.polygons.polygon_count == 0) {
        message_error("%s: holds a group: expected a raster or a mesh", name);
        return false;
    }
    if (!map->ground.grid && (map->def.contours > 0 || options_has(&map->run->given, "overlay"))) {
        message_error("%s: --contours and --overlay are for rasters", name);
        return false;
    }
    return true;
}

static lf_colour paint(void *user, int64_t column, int64_t row) {
    const map_run *map = user;
    return overlay_at(&map->overlay, lf_placing_at(&map->geotransform, (double)column, (double)row));
}

static int draw(map_run *map) {
    lf_error error = {0};
    map_word word = {{255, 176, 0, 165}, "overlay"};
    map_layer layer = {.tint = paint, .user = map, .ramp = LF_RAMP_EVEN, .unit = ""};
    map->def.box = lf_ground_box(map->ground.ground);
    if (overlay_there(&map->overlay)) {
        map->geotransform = lf_grid_describe(map->ground.grid).geotransform;
        layer.words = map->overlay.mask ? &word : NULL;
        layer.word_count = 1;
        layer.low = map->overlay.low;
        layer.high = map->overlay.high;
        map->def.layer = &layer;
    }
    lf_status status = map_draw(map->run, &map->ground, &map->def, &error);
    return status == LF_OK ? CLI_YES : message_status(status, &error);
}

int command_map(cli *run) {
    map_run map = {.run = run};
    int status = CLI_ERROR;
    if (read_question(&map) && ground_load(run, &map.ground) && suits(&map) &&
        overlay_load(run, &map.ground, &map.overlay))
        status = draw(&map);
    overlay_free(&map.overlay);
    ground_free(&map.ground);
    return status;
}
