/// A raster as shaded relief.
#include "file_output.h"
#include "map.h"
#include "raster.h"

int raster_picture(cli *run, const loaded *ground, const char *path) {
    int64_t width = 960;
    lf_error error = {0};
    lf_grid_info grid = lf_grid_describe(ground->grid);
    if (!options_integer(&run->given, "width", 200, 20000, &width))
        return CLI_ERROR;
    if (!path_ends(path, ".png"))
        return message_error("-o %s: the ending has to be .png", path);
    if (grid.low > grid.high)
        return message_error("-o %s: there are only holes, and nothing to draw", path);
    map_def def = {.box = grid.box, .width = width, .path = path};
    lf_status status = map_draw(run, ground, &def, &error);
    return status == LF_OK ? CLI_YES : message_status(status, &error);
}
