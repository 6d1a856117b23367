/// The leaves of a mesh's quadtree as squares in greys: Figure 4 of the paper.
#include "base/base.h"
#include "figures.h"
#include <math.h>

#define MARGIN 24.0
#define HEAD 64.0    // pixels above the map, with the title
#define FOOT 36.0    // and below it, with the key
#define OVERLAP 0.3  // pixels by which leaves are larger than they are, so that nothing shows between them
#define OUTLINED 6.0 // pixels that a square needs to be outlined

/// A picture that is being drawn.
typedef struct quadtree_figure {
    const lf_mesh *mesh;
    int64_t most;
    const char *title, *subtitle;
    lf_frame frame;
    lf_canvas *canvas;
    lf_map_axes view;
    lf_box box; ///< of all leaves, as they are drawn
} quadtree_figure;

/// The corners of a leaf on the plane, in order around it: seen along gravity; unrolled around a centre or an axis,
/// where angles count for as much as they are long.
static void flat_corners(const quadtree_figure *figure, const lf_quadtree_leaf *leaf, lf_vec2 corners[4]) {
    const lf_frame *frame = &figure->frame;
    bool axis = frame->kind == LF_FRAME_AXIS_IN || frame->kind == LF_FRAME_AXIS_OUT;
    double scale = axis ? fabs(lf_frame_to_local(frame, leaf->corners[0]).z) : 1;
    for (int k = 0; k < 4; k++) {
        lf_vec3 local = lf_frame_to_local(frame, leaf->corners[k]);
        corners[k] = (lf_vec2){local.x, local.y};
        if (frame->kind != LF_FRAME_GRAVITY)
            corners[k] = (lf_vec2){scale * (k == 1 || k == 2 ? leaf->high.x : leaf->low.x),
                                   k < 2 ? leaf->low.y : leaf->high.y};
    }
}

static bool measure_leaf(void *user, const lf_quadtree_leaf *leaf) {
    quadtree_figure *figure = user;
    lf_vec2 corners[4];
    flat_corners(figure, leaf, corners);
    for (int k = 0; k < 4; k++)
        figure->box = lf_box_with(figure->box, (lf_vec3){corners[k].x, corners[k].y, 0});
    return true;
}

/// Larger squares have an outline, which fades with their size.
static bool draw_leaf(void *user, const lf_quadtree_leaf *leaf) {
    const quadtree_figure *figure = user;
    lf_vec2 shape[4], middle = {0, 0};
    flat_corners(figure, leaf, shape);
    for (int k = 0; k < 4; k++) {
        shape[k] = lf_map_axes_to_pixel(&figure->view, shape[k].x, shape[k].y);
        middle = (lf_vec2){middle.x + 0.25 * shape[k].x, middle.y + 0.25 * shape[k].y};
    }
    double side = fmin(hypot(shape[1].x - shape[0].x, shape[1].y - shape[0].y),
                       hypot(shape[3].x - shape[0].x, shape[3].y - shape[0].y));
    double grow = side > 0 ? 1 + 2 * OVERLAP / side : 1;
    for (int k = 0; k < 4; k++)
        shape[k] =
            (lf_vec2){middle.x + grow * (shape[k].x - middle.x), middle.y + grow * (shape[k].y - middle.y)};
    double share = figure->most > 0 ? (double)leaf->polygon_count / (double)figure->most : 1;
    lf_canvas_fill_polygon(figure->canvas, shape, 4, lf_ramp_colour(LF_RAMP_GREY, fmin(share, 1)));
    lf_stroke stroke = lf_stroke_solid(lf_colour_fade(lf_colour_of(0x10131A), fmin(0.8, 0.02 * side)), 1);
    if (side > OUTLINED)
        lf_canvas_outline(figure->canvas, shape, 4, &stroke);
    return true;
}

static lf_status draw_quadtree(lf_canvas *canvas, const void *content, lf_error *error) {
    quadtree_figure figure = *(const quadtree_figure *)content;
    lf_rect area = figure.view.area;
    lf_text_style style = lf_text_style_default();
    (void)error;
    figure.canvas = canvas;
    lf_quadtree_walk(figure.mesh, draw_leaf, &figure);
    style.height = 22;
    style.bold = true;
    lf_canvas_text(canvas, (lf_vec2){area.x, MARGIN + 12}, figure.title, &style);
    style = lf_text_style_default();
    style.height = 16;
    style.colour = lf_colour_fade(style.colour, 0.75);
    lf_canvas_text(canvas, (lf_vec2){area.x, MARGIN + 34}, figure.subtitle, &style);
    lf_rect key = {area.x, area.y + area.height + 25, fmin(240, area.width / 2), 10};
    lf_canvas_ramp_key(canvas, key, LF_RAMP_GREY, 0, (double)(figure.most > 0 ? figure.most : 1),
                       "polygons in a leaf");
    if (figure.frame.kind == LF_FRAME_GRAVITY)
        lf_canvas_scale_bar(canvas, &figure.view, (lf_vec2){area.x + area.width * 0.75, key.y + 10},
                            area.width / 4);
    return LF_OK;
}

lf_status lf_figure_quadtree(const lf_figure_page *page, const lf_mesh *mesh, int64_t most, const char *title,
                             const char *subtitle, lf_error *error) {
    lf_figure_page own = *page;
    quadtree_figure figure = {.mesh = mesh,
                              .most = most,
                              .title = title,
                              .subtitle = subtitle,
                              .frame = lf_mesh_describe(mesh).frame,
                              .box = lf_box_empty()};
    lf_quadtree_walk(mesh, measure_leaf, &figure);
    double inner = (double)page->width - 2 * MARGIN;
    double aspect = (figure.box.high.y - figure.box.low.y) / (figure.box.high.x - figure.box.low.x);
    double high = floor(aspect > 0.05 && aspect < 4 ? inner * aspect : inner);
    own.height = (int64_t)(high + HEAD + FOOT + MARGIN);
    figure.view = lf_map_axes_fit((lf_rect){MARGIN, HEAD + 4, inner, high}, figure.box);
    return lf_figure_write(&own, draw_quadtree, &figure, error);
}
