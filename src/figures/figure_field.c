/// The distance field of a model: the largest distances on its six charts in greys, and below them their transforms.
/// Figure 6 of the paper.
#include "base/base.h"
#include "figures.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MARGIN 24.0
#define HEAD 76.0 // pixels above the charts, with the title
#define GAP 10.0  // between charts
#define FOOT 44.0

/// Charts that are being drawn.
typedef struct field_figure {
    const lf_model *model;
    const char *title;
    int sectors;
    double radius, side;
    int strongest;  ///< difference, in magnitude; the root's own number aside
    uint8_t *image; ///< of one chart
} field_figure;

static lf_colour grey(double share) {
    return lf_ramp_colour(LF_RAMP_GREY, fmin(fmax(share, 0), 1));
}

/// A distance in grey, blue where nothing is in the sector. Of a transform negative differences are red and positive
/// ones green, by their roots, so that small ones are seen.
static lf_colour colour_of(const field_figure *figure, const lf_field_sector *sector, bool transform,
                           bool root) {
    if (!transform)
        return sector->triangle_count == 0 ? lf_colour_of(0x1B2A41u) : grey(sector->most / figure->radius);
    if (root)
        return grey(sector->difference / 32767.0);
    double strongest = figure->strongest > 0 ? figure->strongest : 1;
    return lf_colour_mix(lf_colour_of(0x000000u),
                         lf_colour_of(sector->difference < 0 ? 0xF05040u : 0x3CC86Eu),
                         sqrt(fmin(1, fabs((double)sector->difference) / strongest)));
}

static void draw_chart(const field_figure *figure, lf_canvas *canvas, int chart, bool transform, lf_vec2 at) {
    int sectors = figure->sectors;
    for (int row = 0; row < sectors; row++)
        for (int column = 0; column < sectors; column++) {
            lf_field_sector sector;
            if (lf_funfzig_sector(figure->model, chart, column, row, &sector) != LF_OK)
                continue;
            lf_colour colour = colour_of(figure, &sector, transform, column == 0 && row == 0);
            // Rows of pictures start at the top, those of charts below.
            uint8_t *pixel = figure->image + 3 * ((ptrdiff_t)(sectors - 1 - row) * sectors + column);
            pixel[0] = colour.red;
            pixel[1] = colour.green;
            pixel[2] = colour.blue;
        }
    lf_canvas_image(canvas, (lf_rect){at.x, at.y, figure->side, figure->side}, figure->image, sectors,
                    sectors, 3);
}

static lf_status draw_field(lf_canvas *canvas, const void *content, lf_error *error) {
    static const char *const names[6] = {"+x", "+y", "+z", "-x", "-y", "-z"};
    const field_figure *figure = content;
    lf_text_style plain = lf_text_style_default(), bold = plain;
    char text[200];
    (void)error;
    plain.height = 16;
    bold.height = 22;
    bold.bold = true;
    snprintf(text, sizeof text, "%s: distances from the centre", figure->title);
    lf_canvas_text(canvas, (lf_vec2){MARGIN, MARGIN + 12}, text, &bold);
    snprintf(text, sizeof text, "six charts of %d x %d sectors; below, what is stored", figure->sectors,
             figure->sectors);
    lf_canvas_text(canvas, (lf_vec2){MARGIN, MARGIN + 36}, text, &plain);
    for (int chart = 0; chart < 6; chart++) {
        double x = MARGIN + chart * (figure->side + GAP), below = HEAD + figure->side + GAP;
        draw_chart(figure, canvas, chart, false, (lf_vec2){x, HEAD});
        draw_chart(figure, canvas, chart, true, (lf_vec2){x, below});
        lf_canvas_text(canvas, (lf_vec2){x, below + figure->side + 24}, names[chart], &plain);
    }
    return LF_OK;
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

lf_status lf_figure_field(const lf_figure_page *page, const lf_model *model, const char *title,
                          lf_error *error) {
    lf_field_stats stats;
    lf_figure_page own = *page;
    lf_allocator allocator = lf__allocator_of(&page->host);
    lf_status status = lf_funfzig_stats(model, &stats);
    if (status != LF_OK)
        return status;
    field_figure figure = {.model = model,
                           .title = title,
                           .sectors = stats.sectors,
                           .radius = stats.radius,
                           .side = floor(((double)page->width - 2 * MARGIN - 5 * GAP) / 6),
                           .strongest = strongest_difference(model, stats.sectors)};
    int64_t pixels = (int64_t)stats.sectors * stats.sectors;
    own.height = (int64_t)(HEAD + 2 * figure.side + GAP + FOOT);
    status = lf__allocate_array(&allocator, pixels, 3, (void **)&figure.image);
    if (status == LF_OK)
        status = lf_figure_write(&own, draw_field, &figure, error);
    lf__free_array(&allocator, figure.image, pixels, 3);
    return status;
}
