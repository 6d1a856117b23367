/// `landfall info --as model`: a file as a shape, with a distance field and its six charts.
#include "commands.h"
#include "ground.h"
#include <landfall/picture.h>
#include <landfall/published.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------
// Charts: the paper's Figure 6, the largest distances on the six charts in greys, and below them their
// transforms
// ---------------------------------------------------------------------------------------------------

#define MARGIN 24.0
#define HEAD 68.0 // pixels above the charts, with the title
#define GAP 10.0  // between charts
#define FOOT 44.0

#define PAPER 0xFFFFFFu
#define INK 0x262B33u
#define NOTHING 0x1B2A41u // a sector with nothing in it

/// Images of all charts.
typedef struct charts {
    const lf_model *model;
    lf_canvas *canvas;
    int sectors;
    double radius, side;
    int strongest; ///< difference, in magnitude; the root's own number aside
    uint8_t *image;
} charts;

static void put(charts *c, int column, int row, lf_colour colour) {
    // Rows of pictures start at the top, those of charts below.
    uint8_t *pixel = c->image + 3 * ((size_t)(c->sectors - 1 - row) * (size_t)c->sectors + (size_t)column);
    pixel[0] = colour.red;
    pixel[1] = colour.green;
    pixel[2] = colour.blue;
}

static lf_colour grey(double share) {
    return lf_colour_mix(lf_colour_of(0x000000u), lf_colour_of(0xFFFFFFu), fmin(fmax(share, 0), 1));
}

/// Negative differences are red and positive ones green; small ones are black. Their roots, so that small ones are seen.
static lf_colour difference_colour(const charts *c, int difference) {
    double share = c->strongest > 0 ? sqrt(fmin(1, fabs((double)difference) / c->strongest)) : 0;
    return lf_colour_mix(lf_colour_of(0x000000u), lf_colour_of(difference < 0 ? 0xF05040u : 0x3CC86Eu),
                         share);
}

static void paint_chart(charts *c, int chart, bool transform, lf_rect area) {
    for (int row = 0; row < c->sectors; row++)
        for (int column = 0; column < c->sectors; column++) {
            lf_field_sector sector;
            if (lf_funfzig_sector(c->model, chart, column, row, &sector) != LF_OK)
                continue;
            bool root = column == 0 && row == 0;
            lf_colour colour =
                sector.triangle_count == 0 ? lf_colour_of(NOTHING) : grey(sector.most / c->radius);
            if (transform)
                colour = root ? grey(sector.difference / 32767.0) : difference_colour(c, sector.difference);
            put(c, column, row, colour);
        }
    lf_canvas_image(c->canvas, area, c->image, c->sectors, c->sectors, 3);
}

static void write_text(charts *c, lf_vec2 at, const char *text, double height, double weight) {
    lf_text_style style = lf_text_style_default();
    style.colour = lf_colour_of(INK);
    style.height = height;
    style.bold = weight > 1;
    lf_canvas_text(c->canvas, at, text, &style);
}

static void paint(charts *c, const char *title) {
    static const char *const names[6] = {"+x", "+y", "+z", "-x", "-y", "-z"};
    char text[200];
    snprintf(text, sizeof text, "%s: distances from the centre", title);
    write_text(c, (lf_vec2){MARGIN, MARGIN + 12}, text, 22, 1.5);
    snprintf(text, sizeof text, "six charts of %d x %d sectors; below, what is stored", c->sectors,
             c->sectors);
    write_text(c, (lf_vec2){MARGIN, MARGIN + 36}, text, 16, 1);
    for (int chart = 0; chart < 6; chart++) {
        double x = MARGIN + chart * (c->side + GAP);
        paint_chart(c, chart, false, (lf_rect){x, HEAD + 8, c->side, c->side});
        paint_chart(c, chart, true, (lf_rect){x, HEAD + 8 + c->side + GAP, c->side, c->side});
        write_text(c, (lf_vec2){x, HEAD + 8 + 2 * c->side + GAP + 24}, names[chart], 16, 1);
    }
}

static int strongest_difference(const lf_model *model, int sectors) {
    int strongest = 0;
    for (int chart = 0; chart < 6; chart++)
        for (int i = 1; i < sectors * sectors; i++) {
            lf_field_sector sector;
            if (lf_funfzig_sector(model, chart, i % sectors, i / sectors, &sector) == LF_OK &&
                abs(sector.difference) > strongest)
                strongest = abs(sector.difference);
        }
    return strongest;
}

static lf_status draw_charts(const lf_model *model, const char *title, int64_t width, const char *path,
                             lf_error *error) {
    lf_field_stats stats;
    lf_status status = lf_funfzig_stats(model, &stats);
    if (status != LF_OK)
        return status;
    charts c = {.model = model,
                .sectors = stats.sectors,
                .radius = stats.radius,
                .side = floor(((double)width - 2 * MARGIN - 5 * GAP) / 6),
                .strongest = strongest_difference(model, stats.sectors)};
    lf_canvas_def def = lf_canvas_def_default();
    def.width = width;
    def.height = (int64_t)(HEAD + 8 + 2 * c.side + GAP + FOOT);
    def.background = lf_colour_of(PAPER);
    status = lf_canvas_create(&def, &c.canvas, error);
    if (status != LF_OK)
        return status;
    c.image = allocate(3 * (size_t)c.sectors * (size_t)c.sectors, 1);
    paint(&c, title);
    status = lf_canvas_write(c.canvas, path, error);
    lf_canvas_destroy(c.canvas);
    return status;
}

// ---- Facts --------------------------------------------------------------------------------------

typedef struct model_about {
    const char *file;
    lf_model_info info;
    lf_field_stats field;
} model_about;

#define FACT(name, type, member, unit) \
    { name, type, offsetof(model_about, member), unit }
#define COUNT(name, member) FACT(name, FIELD_INTEGER, member, NULL)

static const field box_fields[] = {
    FACT("low", FIELD_VECTOR, info.box.low, "m"), FACT("high", FIELD_VECTOR, info.box.high, "m"), {NULL}};

static const field distance_fields[] = {FACT("centre", FIELD_VECTOR, field.centre, "m"),
                                        FACT("radius", FIELD_NUMBER, field.radius, "m"),
                                        COUNT("sectors", field.sector_count),
                                        COUNT("filled", field.filled_count),
                                        COUNT("layers", field.layer_count),
                                        COUNT("entries", field.entry_count),
                                        FACT("thickness", FIELD_NUMBER, field.thickness, "m"),
                                        COUNT("pyramid_bytes", field.pyramid_bytes),
                                        COUNT("in_full", field.full_bytes),
                                        COUNT("as_quadtree", field.quadtree_bytes),
                                        COUNT("field_bytes", field.bytes),
                                        {NULL}};

const field model_fields[] = {FACT("file", FIELD_TEXT, file, NULL),
                              COUNT("vertices", info.vertex_count),
                              COUNT("polygons", info.polygon_count),
                              COUNT("triangles", info.triangle_count),
                              COUNT("flat", info.flat_count),
                              FACT("closed", FIELD_TRUTH, info.closed, NULL),
                              COUNT("open_edges", info.open_count),
                              {"box", FIELD_GROUP, .fields = box_fields},
                              {"field", FIELD_GROUP, .fields = distance_fields},
                              COUNT("tree_bytes", info.tree_bytes),
                              COUNT("bytes", info.bytes),
                              {NULL}};

int info_model(cli *run) {
    const char *path = run->given.arguments[0], *picture = options_value(&run->given, "output");
    model_about about = {.file = path};
    lf_field_def def = model_field(&run->given);
    lf_model *model = NULL;
    lf_error error = {0};
    if (!model_load(run, path, &def, &model))
        return CLI_ERROR;
    about.info = lf_model_describe(model);
    lf_status status = lf_funfzig_stats(model, &about.field);
    if (status == LF_OK && picture)
        status =
            draw_charts(model, path_name(path), options_integer(&run->given, "width", 960), picture, &error);
    lf_model_destroy(model);
    if (!succeeded(status, &error))
        return CLI_ERROR;
    if (run->json)
        answer_json(&run->out, model_fields, &about, true);
    else
        answer_facts(&run->out, model_fields, &about, 16);
    return CLI_YES;
}
