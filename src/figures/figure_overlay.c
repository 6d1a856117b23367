/// Rasters of results painted on ground, and maps of generated ground.
#include "base/base.h"
#include "figures.h"
#include <math.h>

#define WATER 0xB9D3E0u // shows through the holes of the park, which are its lakes

// ---------------------------------------------------------------------------------------------------
// Overlays
// ---------------------------------------------------------------------------------------------------

lf_figure_overlay lf_figure_overlay_of(const lf_grid *grid) {
    lf_figure_overlay overlay = {grid, LF_INFINITY, -LF_INFINITY, false};
    lf_grid_info info = lf_grid_describe(grid);
    for (int64_t j = 0; j < info.rows; j++)
        for (int64_t i = 0; i < info.columns; i++) {
            double value = lf_grid_sample(grid, i, j);
            if (isnan(value) || value == 0)
                continue;
            overlay.low = fmin(overlay.low, value);
            overlay.high = fmax(overlay.high, value);
        }
    overlay.mask = !(overlay.low < overlay.high);
    return overlay;
}

lf_colour lf_figure_overlay_at(const lf_figure_overlay *overlay, lf_vec2 at) {
    lf_colour none = {0, 0, 0, 0}, mask = {255, 176, 0, 165};
    lf_window all = lf_grid_window(overlay->grid);
    lf_vec2 place = lf_grid_locate(overlay->grid, at);
    double i = floor(place.x + 0.5), j = floor(place.y + 0.5);
    if (!(i >= 0 && j >= 0 && i < (double)all.columns && j < (double)all.rows))
        return none;
    double value = lf_grid_sample(overlay->grid, (int64_t)i, (int64_t)j);
    if (isnan(value) || value == 0)
        return none;
    if (overlay->mask)
        return mask;
    double share = (value - overlay->low) / (overlay->high - overlay->low);
    return lf_colour_fade(lf_ramp_colour(LF_RAMP_EVEN, share), 0.75);
}

// ---------------------------------------------------------------------------------------------------
// Generated ground
// ---------------------------------------------------------------------------------------------------

lf_status lf_figure_landscape(const lf_figure_page *page, const lf_make_heights_def *made_def,
                              lf_error *error) {
    lf_made_heights *made = NULL;
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid = NULL;
    lf_status status = lf_make_heights(made_def, &made, error);
    if (status == LF_OK) {
        lf_heights heights = lf_made_heights_view(made);
        def.host = page->host;
        def.borrow = true;
        def.samples.values = heights.values;
        def.samples.columns = heights.columns;
        def.samples.rows = heights.rows;
        def.geotransform =
            (lf_geotransform){{heights.x_low, heights.y_low}, {heights.spacing, 0}, {0, heights.spacing}};
        status = lf_grid_create(&def, &grid, error);
    }
    if (status == LF_OK) {
        lf_figure_map_def map = {.grid = grid, .box = lf_grid_describe(grid).box, .keyless = true};
        status = lf_figure_map(page, &map, error);
    }
    lf_grid_destroy(grid);
    lf_made_heights_destroy(made);
    return status;
}

lf_status lf_figure_made(const lf_figure_page *page, const lf_made_polygons *made, bool lakes,
                         lf_error *error) {
    lf_allocator allocator = lf__allocator_of(&page->host);
    lf_polygons polygons = lf_made_polygons_view(made);
    int64_t count = lf_made_polygons_name_count(made);
    lf_colour *palette = NULL;
    lf_status status = lf__allocate_array(&allocator, count + 1, sizeof *palette, (void **)&palette);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    for (int64_t i = 0; i < count; i++)
        palette[i] = lf_colour_named(lf_made_polygons_name(made, i));
    lf_figure_map_def map = {.polygons = &polygons,
                             .box = lf_box_empty(),
                             .keyless = true,
                             .palette = palette,
                             .palette_count = count,
                             .background = lf_colour_fade(lf_colour_of(WATER), lakes ? 1 : 0)};
    for (int64_t i = 0; i < polygons.vertex_count; i++)
        map.box = lf_box_with(map.box, polygons.vertices[i]);
    status = lf_figure_map(page, &map, error);
    lf__free_array(&allocator, palette, count + 1, sizeof *palette);
    return status;
}
