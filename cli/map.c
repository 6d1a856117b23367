#include "map.h"
#include "commands.h"
#include "ground.h"
#include <math.h>
#include <string.h>

// ---- Ground that is neither a raster nor polygons -----------------------------------------------

#define LATTICE_MOST 4096 // samples along a side
#define BEYOND_GROUND 1e5 // metres above and below an ellipsoid: all ground lies between

/// Longitudes and latitudes of the tiles of a globe, found from the roots down until there are many.
static void globe_extent(lf_globe *globe, lf_box *box) {
    lf_globe_info info = lf_globe_describe(globe);
    lf_tile_key tiles[64];
    int count = 0;
    for (int i = 0; i < info.root_columns * info.root_rows && count < 16; i++)
        tiles[count++] = (lf_tile_key){0, i % info.root_columns, i / info.root_columns};
    for (int level = 0; level + 1 < info.level_count; level++) {
        lf_tile_key finer[64];
        int found = 0;
        for (int i = 0; i < 4 * count; i++) {
            lf_tile_key key = {level + 1, 2 * tiles[i / 4].column + i % 2, 2 * tiles[i / 4].row + i % 4 / 2};
            bool there = false;
            if (lf_globe_load(globe, key, &there) == LF_OK && there)
                finer[found++] = key;
        }
        if (found == 0)
            break;
        memcpy(tiles, finer, sizeof tiles);
        count = found;
        if (count > 16)
            break;
    }
    *box = lf_box_empty();
    for (int i = 0; i < count; i++) {
        double across = 360.0 / info.root_columns / (1 << tiles[i].level),
               up = 180.0 / info.root_rows / (1 << tiles[i].level);
        lf_vec3 corner = {-180 + across * tiles[i].column, -90 + up * tiles[i].row, 0};
        *box = lf_box_with(lf_box_with(*box, corner), (lf_vec3){corner.x + across, corner.y + up, 0});
    }
}

/// A row of a lattice: the topmost heights at its places, NaN where there is none.
typedef struct lattice_row {
    const cli *run;
    double low, high; ///< above and below all ground
    int64_t count;
    lf_vec3 *at; ///< z is not used
    double *heights;
    lf_ray *rays;
    lf_hit *hits;
} lattice_row;

/// Along the plumb lines. (A height would also have to find out why there is none.)
static lf_status ask_rays(const lattice_row *row) {
    const lf_ellipsoid *ellipsoid = row->run->ground.globe ? &row->run->coordinates.ellipsoid : NULL;
    for (int64_t i = 0; i < row->count; i++) {
        lf_vec3 from = row->at[i], to = from;
        from.z = row->high;
        to.z = row->low;
        if (ellipsoid) {
            from = lf_ellipsoid_to_centred(ellipsoid, (lf_geodetic){from.x, from.y, from.z});
            to = lf_ellipsoid_to_centred(ellipsoid, (lf_geodetic){to.x, to.y, to.z});
        }
        row->rays[i] = lf_ray_between(from, to);
    }
    lf_status status = lf_ground_ray_first_many(row->run->ground.ground, row->rays, 0, row->count, row->hits,
                                                0, &row->run->tasks);
    for (int64_t i = 0; i < row->count && status == LF_OK; i++) {
        const lf_hit *hit = &row->hits[i];
        row->heights[i] = hit->kind == LF_HIT_NONE ? LF_NAN
                          : ellipsoid              ? lf_ellipsoid_to_geodetic(ellipsoid, hit->point).height
                                                   : hit->point.z;
    }
    return status;
}

static lf_status ask_row(const lattice_row *row) {
    const loaded *ground = &row->run->ground;
    lf_globe_elevation found;
    lf_status status = LF_OK;
    if (!ground->globe || ground->world)
        return ask_rays(row);
    for (int64_t i = 0; i < row->count && status == LF_OK; i++) { // one ground: no ray is needed
        status = lf_globe_height_finest(ground->globe, row->at[i].x, row->at[i].y, &found);
        row->heights[i] = found.reason == LF_REASON_ANSWERED ? found.height : LF_NAN;
    }
    return status;
}

/// Heights of the topmost ground on a lattice with about a sample per pixel, as a grid. box: what is drawn; its heights are written.
static bool sample_ground(const cli *run, lf_box *box, lf_grid **grid) {
    bool globe = run->ground.globe != NULL;
    lf_vec2 metres = lf_figure_metres(globe, *box);
    lf_vec2 size = {box->high.x - box->low.x, box->high.y - box->low.y};
    int64_t columns = options_integer(&run->given, "width", 960);
    columns = columns < LATTICE_MOST ? columns : LATTICE_MOST;
    double tall = (double)columns * (size.y * metres.y) / (size.x * metres.x);
    int64_t rows = (int64_t)fmax(2, fmin(LATTICE_MOST, tall));
    double *heights = allocate((size_t)(columns * rows), sizeof *heights);
    lattice_row row = {run,
                       globe ? -BEYOND_GROUND : box->low.z - 1,
                       globe ? BEYOND_GROUND : box->high.z + 1,
                       columns,
                       allocate((size_t)columns, sizeof(lf_vec3)),
                       NULL,
                       allocate((size_t)columns, sizeof(lf_ray)),
                       allocate((size_t)columns, sizeof(lf_hit))};
    lf_grid_def def = lf_grid_def_default();
    def.host = run->host;
    def.borrow = true;
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = heights;
    def.samples.columns = columns;
    def.samples.rows = rows;
    def.geotransform = (lf_geotransform){
        {box->low.x, box->low.y}, {size.x / (double)(columns - 1), 0}, {0, size.y / (double)(rows - 1)}};
    lf_status status = LF_OK;
    lf_error error = {0};
    for (int64_t j = 0; j < rows && status == LF_OK; j++) {
        for (int64_t i = 0; i < columns; i++) {
            lf_vec2 at = lf_geotransform_at(&def.geotransform, (double)i, (double)j);
            row.at[i] = (lf_vec3){at.x, fmin(at.y, box->high.y), 0};
        }
        row.heights = heights + j * columns;
        status = progress_interrupted() ? LF_CANCELLED : ask_row(&row);
    }
    if (status == LF_OK)
        status = lf_grid_create(&def, grid, &error);
    if (status == LF_OK) {
        lf_grid_info info = lf_grid_describe(*grid);
        box->low.z = info.low;
        box->high.z = info.high;
    }
    return succeeded(status, &error);
}

bool map_draw(const cli *run, const char *path, lf_figure_map_def *def) {
    const loaded *ground = &run->ground;
    lf_figure_page page = figure_page(run, path, options_integer(&run->given, "width", 960));
    lf_error error = {0};
    lf_grid *sampled = NULL;
    double n[ROW_NUMBERS];
    if (!ground->grid && ground->globe)
        globe_extent(ground->globe, &def->box);
    if (options_numbers(&run->given, "bounds", 0, n) == 4) {
        if (!(n[0] < n[2] && n[1] < n[3]))
            return refused("--bounds %s: expected WEST,SOUTH,EAST,NORTH with an area",
                           options_value(&run->given, "bounds"));
        def->box.low.x = n[0], def->box.low.y = n[1], def->box.high.x = n[2], def->box.high.y = n[3];
    }
    bool plain = !def->layer && def->contours == 0;
    if (!ground->grid && !(plain && ground->polygons.polygon_count > 0) &&
        !sample_ground(run, &def->box, &sampled))
        return false;
    def->grid = sampled ? sampled : ground->grid;
    def->polygons = &ground->polygons;
    def->degrees = ground_in_degrees(ground) || ground->globe;
    bool fine = def->box.low.z <= def->box.high.z
                    ? succeeded(lf_figure_map(&page, def, &error), &error)
                    : failed("-o %s: all of it is void: there is nothing to draw", path);
    lf_grid_destroy(sampled);
    return fine;
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
    lf_figure_map_def def;
} map_run;

static lf_colour paint(void *user, int64_t column, int64_t row) {
    const map_run *map = user;
    lf_geotransform geotransform = lf_grid_describe(map->def.grid).geotransform;
    return lf_figure_overlay_at(&map->overlay.values,
                                lf_geotransform_at(&geotransform, (double)column, (double)row));
}

int command_map(cli *run) {
    map_run map = {0};
    lf_figure_name name = {{255, 176, 0, 165}, "overlay"};
    lf_figure_layer layer = {.tint = paint, .user = &map, .ramp = LF_RAMP_EVEN, .unit = "", .name_count = 1};
    bool fine = ground_open(run, 0) && overlay_load(run, &run->ground, &map.overlay);
    if (fine) {
        map.def.box = lf_ground_box(run->ground.ground);
        map.def.contours = options_number(&run->given, "contours", 0);
        if (map.overlay.raster.grid) {
            layer.names = map.overlay.values.mask ? &name : NULL;
            layer.low = map.overlay.values.low;
            layer.high = map.overlay.values.high;
            map.def.layer = &layer;
        }
        fine = map_draw(run, options_value(&run->given, "output"), &map.def);
    }
    ground_free(&map.overlay.raster);
    return fine ? CLI_YES : CLI_ERROR;
}
