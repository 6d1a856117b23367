/// The picture of docs/internals/scene.md: a solid of two bars, turned as a whole, turned bar by bar, and the boxes around them.
///
///     transforms transforms.png
///
/// Grey is the solid as it was made. Thin lines are the boxes of the bars, thick ones that of the solid; the dashed one is what turning
/// the box of the solid, instead of its bars, would have given.
#include <landfall/landfall.h>
#include <landfall/picture.h>
#include <stdio.h>

#define ANGLE 0.6

typedef struct drawing {
    lf_canvas *canvas;
    lf_map_axes view;
    lf_colour colour;
} drawing;

static bool draw_triangle(void *user, const lf_scene_triangle *triangle) {
    const drawing *d = user;
    lf_vec2 corners[3];
    for (int i = 0; i < 3; i++)
        corners[i] = lf_map_axes_to_pixel(&d->view, triangle->corners[i].x, triangle->corners[i].y);
    lf_stroke seam = lf_stroke_solid(d->colour, 0.8); // closes the seams between anti-aliased triangles
    lf_canvas_fill_polygon(d->canvas, corners, 3, d->colour);
    lf_canvas_outline(d->canvas, corners, 3, &seam);
    return true;
}

static void draw_box(const drawing *d, lf_box box, lf_stroke stroke) {
    lf_vec2 a = lf_map_axes_to_pixel(&d->view, box.low.x, box.low.y),
            b = lf_map_axes_to_pixel(&d->view, box.high.x, box.high.y);
    const lf_vec2 corners[4] = {a, {b.x, a.y}, b, {a.x, b.y}};
    lf_canvas_outline(d->canvas, corners, 4, &stroke);
}

/// A solid of two bars; `parts` gets the bars.
static lf_status make_solid(lf_scene *scene, lf_part *top, lf_part parts[2]) {
    lf_object_def object_def = lf_object_def_default();
    lf_object object;
    lf_status status = lf_object_create(scene, &object_def, &object, top, NULL);
    for (int i = 0; i < 2 && status == LF_OK; i++) {
        lf_transform place = lf_translation(i ? 3 : -3, i ? 1 : -1, 0);
        lf_part_def def = lf_part_def_default();
        def.shape.kind = LF_SHAPE_RECTANGLE;
        def.shape.size = (lf_vec3){4, 1, 1};
        def.transforms = &place;
        def.transform_count = 1;
        status = lf_part_add(scene, *top, &def, &parts[i], NULL);
    }
    return status;
}

/// The box of a box's corners, turned: what one must not take for the box of the solid.
static lf_box turned_box(lf_box box) {
    lf_pose turn;
    lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 0, 1}, ANGLE, &turn);
    lf_box turned = lf_box_empty();
    for (int i = 0; i < 4; i++) {
        lf_vec3 corner = {i & 1 ? box.high.x : box.low.x, i & 2 ? box.high.y : box.low.y, 0};
        turned = lf_box_with(turned, lf_pose_to_world(&turn, corner));
    }
    return turned;
}

static lf_status draw_panel(lf_scene *scene, drawing *d, lf_transform_origin about, const char *title) {
    lf_part top, parts[2];
    lf_box before, after;
    lf_status status = make_solid(scene, &top, parts);
    if (status != LF_OK)
        return status;
    d->colour = lf_colour_of(0xdadde2);
    lf_part_triangles(scene, top, 16, draw_triangle, d);
    lf_part_box(scene, top, &before);
    lf_transform turn = lf_turning(about, 0, 0, 1, ANGLE);
    status = lf_part_transform(scene, top, &turn);
    d->colour = lf_colour_of(0x4a7ab5);
    lf_part_triangles(scene, top, 16, draw_triangle, d);
    lf_stroke dashed = {lf_colour_of(0xb0463c), 2, 8, 7};
    draw_box(d, turned_box(before), dashed);
    for (int i = 0; i < 2; i++) {
        lf_part_box(scene, parts[i], &after);
        draw_box(d, after, lf_stroke_solid(lf_colour_of(0x2b3a4f), 1));
    }
    lf_part_box(scene, top, &after);
    draw_box(d, after, lf_stroke_solid(lf_colour_of(0x2b3a4f), 3));
    lf_text_style style = lf_text_style_default();
    style.horizontal = LF_ALIGN_MIDDLE;
    lf_canvas_text(d->canvas, (lf_vec2){d->view.area.x + 0.5 * d->view.area.width, d->view.area.y + 24},
                   title, &style);
    printf("%s: %.2f by %.2f, by the turned box %.2f by %.2f\n", title, after.high.x - after.low.x,
           after.high.y - after.low.y, turned_box(before).high.x - turned_box(before).low.x,
           turned_box(before).high.y - turned_box(before).low.y);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: transforms PICTURE.png\n");
        return 2;
    }
    lf_scene *scene = NULL;
    lf_canvas *canvas = NULL;
    lf_error error = {LF_OK, -1, ""};
    lf_canvas_def def = lf_canvas_def_default();
    def.width = 960;
    def.height = 480;
    lf_status status = lf_scene_create(NULL, &scene, &error);
    if (status == LF_OK)
        status = lf_canvas_create(&def, &canvas, &error);
    static const char *const titles[2] = {"LF_TRANSFORM_ABOUT_WHOLE", "LF_TRANSFORM_ABOUT_EACH"};
    for (int i = 0; i < 2 && status == LF_OK; i++) {
        lf_rect area = {480.0 * i + 10, 10, 460, 460};
        drawing d = {canvas, lf_map_axes_fit(area, (lf_box){{-6, -6, 0}, {6, 6, 0}}), {0, 0, 0, 255}};
        status = draw_panel(scene, &d, i ? LF_TRANSFORM_ABOUT_EACH : LF_TRANSFORM_ABOUT_WHOLE, titles[i]);
    }
    if (status == LF_OK)
        status = lf_canvas_write(canvas, argv[1], &error);
    if (status != LF_OK)
        fprintf(stderr, "transforms: %s %s\n", lf_status_text(status), error.text);
    lf_canvas_destroy(canvas);
    lf_scene_destroy(scene);
    return status == LF_OK ? 0 : 2;
}
