/// The picture of docs/internals/grid.md: the blocks of a grid that a ray has to enter, over shaded relief.
///
///     visited visited.png
///
/// Blocks are computed here from the samples, by their definition: a block is entered where the ray, over it, is not
/// above the highest nor below the lowest of its samples; entered blocks are cut in four until they are single cells.
#include <landfall/io.h>
#include <landfall/landfall.h>
#include <landfall/picture.h>
#include <math.h>
#include <samples.h>
#include <stdio.h>

#define SIDE 257

typedef struct scene {
    float heights[SIDE * SIDE];
    lf_ray ray;
    lf_hit hit;
    lf_canvas *canvas;
    lf_map_axes view;
    int64_t blocks, cells;
} scene;

/// The part of the ray over a square, up to its hit; false where it is not over it.
static bool part_over(const scene *s, int64_t x, int64_t y, int64_t side, double part[2]) {
    const double o[2] = {s->ray.origin.x, s->ray.origin.y}, d[2] = {s->ray.direction.x, s->ray.direction.y};
    const double low[2] = {(double)x, (double)y};
    part[0] = 0;
    part[1] = s->hit.t;
    for (int k = 0; k < 2; k++) {
        double a = (low[k] - o[k]) / d[k], b = (low[k] + (double)side - o[k]) / d[k];
        part[0] = fmax(part[0], fmin(a, b));
        part[1] = fmin(part[1], fmax(a, b));
    }
    return part[0] <= part[1];
}

static bool enters(const scene *s, int64_t x, int64_t y, int64_t side) {
    double part[2], low = HUGE_VAL, high = -HUGE_VAL;
    if (!part_over(s, x, y, side, part))
        return false;
    for (int64_t j = y; j <= y + side; j++)
        for (int64_t i = x; i <= x + side; i++) {
            low = fmin(low, (double)s->heights[j * SIDE + i]);
            high = fmax(high, (double)s->heights[j * SIDE + i]);
        }
    double a = s->ray.origin.z + part[0] * s->ray.direction.z,
           b = s->ray.origin.z + part[1] * s->ray.direction.z;
    return fmin(a, b) <= high && fmax(a, b) >= low;
}

static void draw_block(scene *s, int64_t x, int64_t y, int64_t side) {
    if (!enters(s, x, y, side))
        return;
    lf_vec2 a = lf_map_axes_to_pixel(&s->view, (double)x, (double)y),
            b = lf_map_axes_to_pixel(&s->view, (double)(x + side), (double)(y + side));
    const lf_vec2 corners[4] = {a, {b.x, a.y}, b, {a.x, b.y}};
    lf_stroke stroke =
        lf_stroke_solid(lf_colour_fade(lf_colour_of(0x7a1f2b), side > 32 ? 0.9 : 0.7), side > 32 ? 2 : 1);
    s->blocks++;
    s->cells += side == 1;
    lf_canvas_fill_polygon(s->canvas, corners, 4,
                           lf_colour_fade(lf_colour_of(0xc8323c), side == 1 ? 0.9 : 0.1));
    lf_canvas_outline(s->canvas, corners, 4, &stroke);
    for (int k = 0; k < 4 && side > 1; k++)
        draw_block(s, x + (k & 1) * side / 2, y + (k >> 1) * side / 2, side / 2);
}

/// Mountains, and what a ray from one corner meets.
static lf_status make_scene(scene *s, lf_error *error) {
    lf_make_heights_def make = lf_make_heights_def_default();
    make.columns = make.rows = SIDE;
    lf_status status = lf_make_rows(&make, 0, SIDE, s->heights, error);
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid = NULL;
    const lf_ground *ground = NULL;
    def.samples.values = s->heights;
    def.samples.columns = def.samples.rows = SIDE;
    if (status == LF_OK)
        status = lf_grid_create(&def, &grid, error);
    if (status == LF_OK)
        ground = lf_grid_ground(grid);
    if (status == LF_OK) {
        lf_grid_info info = lf_grid_describe(grid);
        double range = info.high - info.low;
        s->ray = lf_ray_between((lf_vec3){4, 9, info.low + 0.8 * range},
                                (lf_vec3){252, 239, info.low + 0.25 * range});
        status = lf_ground_ray_first(ground, &s->ray, &s->hit, NULL);
    }
    lf_grid_destroy(grid);
    return status;
}

static lf_status draw(scene *s, const char *path, lf_error *error) {
    lf_canvas_def def = lf_canvas_def_default();
    def.width = def.height = 800;
    lf_relief_def relief = lf_relief_def_default();
    lf_heights heights = {s->heights, SIDE, SIDE, SIDE, 0, 0, 1, NULL, NULL};
    relief.exaggeration = 1.0 / 30; // samples are 30 m apart
    relief.shadows = 0;
    lf_status status = lf_canvas_create(&def, &s->canvas, error);
    if (status != LF_OK)
        return status;
    s->view = lf_map_axes_fit(lf_canvas_area(s->canvas), (lf_box){{0, 0, 0}, {SIDE - 1, SIDE - 1, 0}});
    status = lf_canvas_relief(s->canvas, &s->view, &heights, &relief, error);
    draw_block(s, 0, 0, SIDE - 1);
    lf_stroke line = lf_stroke_solid(lf_colour_of(0x10243f), 2.5);
    lf_vec2 from = lf_map_axes_to_pixel(&s->view, s->ray.origin.x, s->ray.origin.y),
            to = lf_map_axes_to_pixel(&s->view, s->hit.point.x, s->hit.point.y);
    lf_canvas_line(s->canvas, from, to, &line);
    lf_canvas_marker(s->canvas, to, LF_MARKER_DISC, 12, lf_colour_of(0x10243f));
    if (status == LF_OK)
        status = lf_canvas_write(s->canvas, path, error);
    lf_canvas_destroy(s->canvas);
    return status;
}

int main(int count, char **words) {
    static scene s;
    lf_error error = {0};
    if (count != 2) {
        fprintf(stderr, "usage: visited PNG\n");
        return 2;
    }
    lf_status status = make_scene(&s, &error);
    if (status == LF_OK && s.hit.kind != LF_HIT_NONE)
        status = draw(&s, words[1], &error);
    if (status != LF_OK) {
        fprintf(stderr, "visited: %s\n", error.text);
        return 1;
    }
    printf("%lld blocks, of these %lld cells, of %d cells\n", (long long)s.blocks, (long long)s.cells,
           (SIDE - 1) * (SIDE - 1));
    return 0;
}
