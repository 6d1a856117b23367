/// `landfall info --quadtree`: the published statistics of a mesh's quadtree, and its picture.
#include "commands.h"
#include <landfall/picture.h>
#include <landfall/published.h>
#include <math.h>
#include <stdio.h>

// ---- The picture: the paper's Figure 4, leaves as squares in greys ------------------------------

/// What to draw of a quadtree.
typedef struct quadtree_picture {
    const lf_mesh *mesh;
    int64_t most;  ///< polygons that a leaf should have: white
    int64_t width; ///< pixels
    const char *title, *subtitle;
    lf_host host;
} quadtree_picture;

#define MARGIN 24.0
#define HEAD 64.0    // pixels above the map, with the title
#define FOOT 36.0    // and below it, with the key
#define FINER 3      // image rows and columns per pixel
#define OUTLINED 6.0 // pixels that a square needs to be outlined

#define PAPER 0xFFFFFFu
#define INK 0x262B33u
#define EMPTY 0x10131Au // no polygon
#define DARK 0x343A44u  // one
#define LIGHT 0xF4F3EEu // as many as a leaf should have

/// A picture being drawn: an image of the squares, finer than the canvas.
typedef struct drawing {
    const quadtree_picture *picture;
    lf_frame frame;
    lf_canvas *canvas;
    lf_map_view view;
    lf_box box; ///< of all leaves, as they are drawn
    uint8_t *image;
    int64_t columns, rows;
} drawing;

/// The corners of a leaf on the plane, in order around it: seen along gravity; unrolled around a centre
/// or an axis, where angles count for as much as they are long.
static void flat_corners(const drawing *d, const lf_quadtree_leaf *leaf, lf_vec2 corners[4]) {
    bool axis = d->frame.kind == LF_FRAME_AXIS_IN || d->frame.kind == LF_FRAME_AXIS_OUT;
    double scale = axis ? fabs(lf_frame_to_local(&d->frame, leaf->corners[0]).z) : 1;
    for (int k = 0; k < 4; k++) {
        lf_vec3 local = lf_frame_to_local(&d->frame, leaf->corners[k]);
        corners[k] = (lf_vec2){local.x, local.y};
        if (d->frame.kind != LF_FRAME_GRAVITY)
            corners[k] = (lf_vec2){scale * (k == 1 || k == 2 ? leaf->high.x : leaf->low.x),
                                   k < 2 ? leaf->low.y : leaf->high.y};
    }
}

static lf_colour colour_of(const drawing *d, int64_t count) {
    int64_t most = d->picture->most;
    if (count == 0)
        return lf_colour_of(EMPTY);
    double share = most > 1 ? (double)(count - 1) / (double)(most - 1) : 1;
    return lf_colour_mix(lf_colour_of(DARK), lf_colour_of(LIGHT), pow(fmin(share, 1), 0.9));
}

static bool measure_leaf(void *user, const lf_quadtree_leaf *leaf) {
    drawing *d = user;
    lf_vec2 corners[4];
    flat_corners(d, leaf, corners);
    for (int k = 0; k < 4; k++)
        d->box = lf_box_with(d->box, (lf_vec3){corners[k].x, corners[k].y, 0});
    return true;
}

/// The part of a row of the image that a convex shape covers: pixels whose middle is within. Neighbours share edges, so that
/// every pixel is covered once.
static void cover_row(const drawing *d, const lf_vec2 shape[4], int64_t row, lf_colour colour) {
    double y = (double)row + 0.5, first = INFINITY, last = -INFINITY;
    for (int k = 0; k < 4; k++) {
        lf_vec2 a = shape[k], b = shape[(k + 1) % 4];
        if ((a.y <= y) == (b.y <= y))
            continue;
        double x = a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y));
        first = fmin(first, x);
        last = fmax(last, x);
    }
    if (!(first < last))
        return;
    int64_t from = (int64_t)fmax(0, ceil(first - 0.5)),
            to = (int64_t)fmin((double)d->columns, ceil(last - 0.5));
    for (int64_t x = from; x < to; x++) {
        uint8_t *pixel = d->image + 3 * (row * d->columns + x);
        pixel[0] = colour.red;
        pixel[1] = colour.green;
        pixel[2] = colour.blue;
    }
}

static bool paint_leaf(void *user, const lf_quadtree_leaf *leaf) {
    const drawing *d = user;
    lf_vec2 shape[4];
    double low = INFINITY, high = -INFINITY;
    flat_corners(d, leaf, shape);
    for (int k = 0; k < 4; k++) {
        lf_vec2 pixel = lf_map_view_to_pixel(&d->view, shape[k].x, shape[k].y);
        shape[k] = (lf_vec2){(pixel.x - d->view.area.x) * FINER, (pixel.y - d->view.area.y) * FINER};
        low = fmin(low, shape[k].y);
        high = fmax(high, shape[k].y);
    }
    int64_t last = (int64_t)fmin((double)d->rows - 1, floor(high));
    for (int64_t row = (int64_t)fmax(0, floor(low)); row <= last; row++)
        cover_row(d, shape, row, colour_of(d, leaf->polygon_count));
    return true;
}

/// Larger squares have an outline, which fades with their size.
static bool outline_leaf(void *user, const lf_quadtree_leaf *leaf) {
    const drawing *d = user;
    lf_vec2 shape[4];
    flat_corners(d, leaf, shape);
    for (int k = 0; k < 4; k++)
        shape[k] = lf_map_view_to_pixel(&d->view, shape[k].x, shape[k].y);
    double side = fmin(hypot(shape[1].x - shape[0].x, shape[1].y - shape[0].y),
                       hypot(shape[3].x - shape[0].x, shape[3].y - shape[0].y));
    lf_stroke stroke = lf_stroke_solid(lf_colour_fade(lf_colour_of(EMPTY), fmin(0.8, 0.02 * side)), 1);
    if (side > OUTLINED)
        lf_canvas_outline(d->canvas, shape, 4, &stroke);
    return true;
}

/// A row of little squares from no polygon to as many as a leaf should have.
static void draw_key(const drawing *d) {
    lf_text_style style = lf_text_style_default();
    int64_t most = d->picture->most < 1 ? 1 : d->picture->most, steps = most < 16 ? most : 16;
    double y = d->view.area.y + d->view.area.height + 18, side = 14;
    style.colour = lf_colour_of(INK);
    style.height = 16;
    style.vertical = LF_ALIGN_MIDDLE;
    const char *label = "polygons in a leaf";
    double x = d->view.area.x;
    lf_canvas_text(d->canvas, (lf_vec2){x, y + side / 2}, label, &style);
    x += lf_text_width(label, style.height) + 14;
    lf_canvas_text(d->canvas, (lf_vec2){x, y + side / 2}, "0", &style);
    x += lf_text_width("0", style.height) + 8;
    for (int64_t i = 0; i <= steps; i++)
        lf_canvas_fill_rect(d->canvas, (lf_rect){x + (double)i * side, y, side, side},
                            colour_of(d, i * most / steps));
    lf_vec2 frame[4] = {{x, y},
                        {x + (double)(steps + 1) * side, y},
                        {x + (double)(steps + 1) * side, y + side},
                        {x, y + side}};
    lf_stroke stroke = lf_stroke_solid(lf_colour_fade(lf_colour_of(INK), 0.6), 1);
    lf_canvas_outline(d->canvas, frame, 4, &stroke);
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)most);
    lf_canvas_text(d->canvas, (lf_vec2){frame[1].x + 8, y + side / 2}, text, &style);
}

static void draw_title(const drawing *d) {
    lf_text_style style = lf_text_style_default();
    style.colour = lf_colour_of(INK);
    style.height = 22;
    style.bold = true;
    lf_canvas_text(d->canvas, (lf_vec2){d->view.area.x, MARGIN + 12}, d->picture->title, &style);
    style.height = 16;
    style.bold = false;
    style.colour = lf_colour_fade(style.colour, 0.75);
    lf_canvas_text(d->canvas, (lf_vec2){d->view.area.x, MARGIN + 34}, d->picture->subtitle, &style);
}

/// A canvas of the given width, as high as the leaves need, and an image for the leaves.
static lf_status prepare(drawing *d, lf_error *error) {
    lf_canvas_def def = lf_canvas_def_default();
    double inner = (double)d->picture->width - 2 * MARGIN;
    double aspect = (d->box.high.y - d->box.low.y) / (d->box.high.x - d->box.low.x);
    double high = floor(aspect > 0.05 && aspect < 4 ? inner * aspect : inner);
    def.host = d->picture->host;
    def.width = d->picture->width;
    def.height = (int64_t)(high + HEAD + FOOT + MARGIN);
    def.background = lf_colour_of(PAPER);
    lf_status status = lf_canvas_create(&def, &d->canvas, error);
    if (status != LF_OK)
        return status;
    d->view = lf_map_view_fit((lf_rect){MARGIN, HEAD + 4, inner, high}, d->box);
    d->columns = (int64_t)ceil(d->view.area.width * FINER);
    d->rows = (int64_t)ceil(d->view.area.height * FINER);
    d->image = allocate((size_t)(3 * d->columns * d->rows + 3), 1);
    for (int64_t i = 0; i < 3 * d->columns * d->rows; i++)
        d->image[i] = 255;
    return LF_OK;
}

static lf_status draw(const quadtree_picture *picture, const char *path, lf_error *error) {
    drawing d = {.picture = picture, .frame = lf_mesh_describe(picture->mesh).frame, .box = lf_box_empty()};
    lf_quadtree_walk(picture->mesh, measure_leaf, &d);
    lf_status status = prepare(&d, error);
    if (status == LF_OK) {
        lf_quadtree_walk(picture->mesh, paint_leaf, &d);
        lf_canvas_image(d.canvas, d.view.area, d.image, d.columns, d.rows, 3);
        lf_quadtree_walk(picture->mesh, outline_leaf, &d);
        draw_title(&d);
        draw_key(&d);
        lf_vec2 corner = {d.view.area.x + d.view.area.width * 0.75, d.view.area.y + d.view.area.height + 32};
        if (d.frame.kind == LF_FRAME_GRAVITY)
            lf_canvas_scale_bar(d.canvas, &d.view, corner, d.view.area.width / 4);
        status = lf_canvas_write(d.canvas, path, error);
    }
    lf_canvas_destroy(d.canvas);
    return status;
}

// ---- The table ----------------------------------------------------------------------------------

#define TREES 5

enum { DEFAULT = 1 };

/// One tree of the table.
typedef struct tree {
    unsigned has;
    lf_quadtree_def def;
    lf_quadtree_stats stats;
} tree;

#define COUNT(name, type, member, forms, columns) \
    { name, type, offsetof(tree, member), NULL, forms, .width = columns }

const field quadtree_fields[] = {
    COUNT("max_polygons", FIELD_INTEGER, def.max_polygons, 0, 12),
    COUNT("max_depth", FIELD_INT, def.max_depth, 0, 11),
    COUNT("nodes", FIELD_INTEGER, stats.node_count, 0, 11),
    COUNT("leaves", FIELD_INTEGER, stats.leaf_count, IN_JSON, 0),
    COUNT("references", FIELD_INTEGER, stats.reference_count, IN_JSON, 0),
    COUNT("most_polygons", FIELD_INTEGER, stats.most_polygons, IN_JSON, 0),
    COUNT("depth", FIELD_INT, stats.depth, IN_JSON, 0),
    COUNT("bytes", FIELD_INTEGER, stats.bytes, 0, 11),
    {"tests", FIELD_NUMBER, offsetof(tree, stats.tests), "polygons", .width = 7, .decimals = 1},
    {"few_area", FIELD_NUMBER, offsetof(tree, stats.few_area), NULL, IN_JSON},
    {"default", FIELD_NAME, 0, NULL, IN_TEXT, DEFAULT, .width = 9},
    {NULL}};

/// State of one run of `landfall info --quadtree`.
typedef struct quadtree_run {
    const char *file, *cut;
    double turn;
    field_span quadtrees;
} quadtree_run;

static const field all_fields[] = {{"file", FIELD_TEXT, offsetof(quadtree_run, file)},
                                   {"cut", FIELD_TEXT, offsetof(quadtree_run, cut)},
                                   {"turn", FIELD_NUMBER, offsetof(quadtree_run, turn)},
                                   {"quadtrees", FIELD_LIST, offsetof(quadtree_run, quadtrees),
                                    .fields = quadtree_fields, .size = sizeof(tree)},
                                   {NULL}};

static lf_status draw_default(cli *run, const lf_mesh *mesh, const lf_quadtree_def *def,
                              const lf_quadtree_stats *stats, lf_error *error) {
    char subtitle[160], tests[NUMBER_FIXED_SIZE];
    tests[number_write_fixed(tests, stats->tests, 1)] = '\0';
    snprintf(subtitle, sizeof subtitle, "quadtree %lld/%d, cut %s: %lld nodes, %.20s containment tests",
             (long long)def->max_polygons, def->max_depth, lf_quadtree_cut_name(def->cut),
             (long long)stats->node_count, tests);
    quadtree_picture picture = {mesh,
                                def->max_polygons,
                                options_integer(&run->given, "width", 960),
                                path_name(run->given.arguments[0]),
                                subtitle,
                                run->host};
    return draw(&picture, options_value(&run->given, "output"), error);
}

/// Build one tree of the table, and draw it when it is the default, the last.
static lf_status build(cli *run, int number, tree *tree, lf_error *error) {
    static const int published[TREES - 1][2] = {{400, 5}, {16, 12}, {12, 12}, {8, 14}}; // the paper's Table 4
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh = NULL;
    lf_quadtree_def tree_def = lf_quadtree_def_default();
    lf_quadtree_stats stats = {0};
    bool last = number == TREES - 1;
    def.host = run->host;
    def.polygons = lf_polygon_file_polygons(run->ground.file);
    def.frame = lf_mesh_describe(run->ground.mesh).frame;
    def.index = lf_quadtree_index();
    def.index_def = &tree_def;
    tree_def.cut = (lf_quadtree_cut)options_choice(&run->given, "cut", LF_QUADTREE_CUT_MIDDLE);
    tree_def.turn = options_has(&run->given, "turn");
    if (!last) {
        tree_def.max_polygons = published[number][0];
        tree_def.max_depth = published[number][1];
    }
    lf_status status = lf_mesh_create(&def, &mesh, error);
    if (status == LF_OK)
        status = lf_quadtree_describe(mesh, &stats);
    if (status == LF_OK && last && options_has(&run->given, "output"))
        status = draw_default(run, mesh, &tree_def, &stats, error);
    lf_mesh_destroy(mesh);
    *tree = (struct tree){last ? DEFAULT : 0, tree_def, stats};
    return status;
}

int info_quadtree(cli *run) {
    tree trees[TREES];
    quadtree_run all = {.file = run->given.arguments[0], .quadtrees = {trees, TREES}};
    lf_error error = {0};
    lf_status status = LF_OK;
    all.cut =
        lf_quadtree_cut_name((lf_quadtree_cut)options_choice(&run->given, "cut", LF_QUADTREE_CUT_MIDDLE));
    for (int i = 0; i < TREES && status == LF_OK; i++)
        status = build(run, i, &trees[i], &error);
    if (!succeeded(status, &error))
        return CLI_ERROR;
    all.turn = trees[0].stats.turn;
    if (run->json)
        answer_json(&run->out, all_fields, &all, true);
    else
        answer_table(&run->out, quadtree_fields, trees, TREES, sizeof *trees);
    return CLI_YES;
}
