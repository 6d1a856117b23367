#include "overlay.h"
#include "raster.h"
#include <math.h>
#include <string.h>

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
    if (ground->grid && ground_in_degrees(ground) != ground_in_degrees(&overlay->raster)) {
        message_error("--overlay %s: degrees and metres do not lie on each other", path);
        return false;
    }
    if (ground->globe && !ground_in_degrees(&overlay->raster)) {
        message_error("--overlay %s: on a globe a raster in degrees is wanted", path);
        return false;
    }
    lf_grid_info info = lf_grid_describe(overlay->raster.grid);
    lf_box box = ground->globe ? info.box : lf_ground_box(ground->ground), mine = info.box;
    if (mine.low.x > box.high.x || mine.high.x < box.low.x || mine.low.y > box.high.y ||
        mine.high.y < box.low.y) {
        message_error("--overlay %s: it lies beside the ground", path);
        return false;
    }
    overlay->columns = info.columns;
    overlay->rows = info.rows;
    find_numbers(overlay);
    double post;
    lf_status status =
        lf_grid_read(overlay->raster.grid, 0, 0, 1, 1, &post); // posts have no status of their own
    if (status != LF_OK)
        message_error("--overlay %s: %s", path, lf_status_text(status));
    return status == LF_OK;
}

void overlay_free(overlay *overlay) {
    ground_free(&overlay->raster);
}

bool overlay_there(const overlay *overlay) {
    return overlay->raster.grid != NULL;
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
