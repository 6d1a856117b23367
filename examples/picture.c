/// A picture of hills as one sees them from above, and which of a thousand trees are in it.
///
///     picture view.png
#include <landfall/landfall.h>
#include <landfall/picture.h>
#include <samples.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 180, TREES = 1000 };

static lf_status make_ground(lf_grid **grid, const lf_ground **ground) {
    lf_make_heights_def make = lf_make_heights_def_default();
    lf_grid_def def = lf_grid_def_default();
    lf_made_heights *made = NULL;
    make.landscape = LF_LANDSCAPE_HILLS;
    make.columns = make.rows = 256;
    lf_status status = lf_make_heights(&make, &made, NULL);
    if (status == LF_OK) {
        lf_heights heights = lf_made_heights_view(made);
        def.samples.values = heights.values;
        def.samples.columns = heights.columns;
        def.samples.rows = heights.rows;
        def.geotransform.per_column.x = def.geotransform.per_row.y = heights.spacing;
        status = lf_grid_create(&def, grid, NULL);
    }
    lf_made_heights_destroy(made);
    *ground = status == LF_OK ? lf_grid_ground(*grid) : NULL;
    return status;
}

/// Trees in rows, 8 m high, seen by somebody who stands among them and looks north; those beside the view and those behind
/// hills are culled.
static lf_status count_trees(const lf_ground *ground) {
    static lf_box boxes[TREES];
    static int64_t items[TREES];
    lf_cull_def def = lf_cull_def_default();
    lf_cull_rules rules = lf_cull_rules_default();
    lf_cull_result seen = {.items = items, .capacity = TREES};
    lf_view eye = lf_view_default();
    lf_cull *cull = NULL;
    for (int i = 0; i < TREES; i++) {
        lf_vec3 at = {100 + 230.0 * (i % 32), 100 + 230.0 * (i / 32), LF_INFINITY};
        lf_hit hit;
        lf_ground_height(ground, at, LF_VERTICAL_DOWN, &hit, NULL);
        boxes[i] = (lf_box){{at.x - 2, at.y - 2, hit.point.z}, {at.x + 2, at.y + 2, hit.point.z + 8}};
    }
    def.boxes = boxes;
    def.count = TREES;
    lf_reason reason;
    lf_status status = lf_sight_observer(ground, (lf_vec2){3800, 1000}, 2, &eye.at, &reason);
    rules.methods = LF_CULL_PLANES | LF_CULL_GROUND;
    rules.ground = ground;
    if (status == LF_OK)
        status = lf_cull_create(&def, &cull, NULL);
    if (status == LF_OK)
        status = lf_cull_query(cull, &eye, &rules, &seen, NULL);
    if (status == LF_OK)
        printf("%lld of %d trees may be seen\n", (long long)seen.count, TREES);
    lf_cull_destroy(cull);
    return status;
}

int main(int count, char **words) {
    lf_canvas_def canvas_def = lf_canvas_def_default();
    lf_render_def def = lf_render_def_default(), view;
    lf_canvas *canvas = NULL;
    lf_grid *grid = NULL;
    const lf_ground *ground = NULL;
    lf_error error = {0};
    canvas_def.width = WIDTH;
    canvas_def.height = HEIGHT;
    def.samples = 1;
    lf_status status = make_ground(&grid, &ground);
    if (status == LF_OK)
        status = lf_canvas_create(&canvas_def, &canvas, &error);
    if (status == LF_OK) // the eye is left to the library, which says where it put it
        status = lf_render_resolve(ground, &def, (double)WIDTH / HEIGHT, &view, &error);
    if (status == LF_OK)
        status = lf_canvas_render(canvas, lf_canvas_area(canvas), ground, &view, &error);
    if (status == LF_OK)
        status = lf_canvas_write(canvas, count > 1 ? words[1] : "view.png", &error);
    if (status == LF_OK)
        status = count_trees(ground);
    lf_canvas_destroy(canvas);
    lf_grid_destroy(grid);
    if (status != LF_OK)
        fprintf(stderr, "picture: %s\n", error.text[0] ? error.text : lf_status_text(status));
    return status == LF_OK ? 0 : 2;
}
