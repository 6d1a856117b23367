/// Text in the stroke font. Heights are fitted to whole pixels, so that bars and bows stay crisp in small print.
#include "io/canvas.h"
#include <string.h>

/// How units of the font become pixels.
typedef struct layout {
    double scale;       ///< pixels per unit across
    double knots_at[4]; ///< units up: descender, baseline, small letters, capitals
    double knots_to[4]; ///< and where these land, in pixels
    double pen;         ///< width of the strokes
    double tracking;    ///< further pixels from glyph to glyph
} layout;

static layout layout_of(double height, double weight) {
    layout layout = {.scale = height * (0.6 / 28.0), .knots_at = {-8, 0, 20, 28}};
    for (int i = 0; i < 4; i++)
        layout.knots_to[i] = floor(layout.scale * layout.knots_at[i] + 0.5);
    layout.pen = fmax(0.08 * height * weight, 0.9);
    layout.tracking = 0.012 * height + fmax(0, 0.8 * (layout.pen - 0.08 * height));
    return layout;
}

static double layout_up(const layout *layout, double y) {
    int i = y < 0 ? 0 : y < 20 ? 1 : 2;
    double t = (y - layout->knots_at[i]) / (layout->knots_at[i + 1] - layout->knots_at[i]);
    return layout->knots_to[i] + t * (layout->knots_to[i + 1] - layout->knots_to[i]);
}

/// The next character of UTF-8 text; 1 (which the font does not have) for bytes that are none.
static uint32_t next_character(const char **text) {
    const unsigned char *bytes = (const unsigned char *)*text;
    uint32_t first = bytes[0];
    int more = first < 0x80                    ? 0
               : first >= 0xc2 && first < 0xe0 ? 1
               : first >= 0xe0 && first < 0xf0 ? 2
               : first >= 0xf0 && first < 0xf5 ? 3
                                               : -1;
    ++*text;
    if (more <= 0)
        return more == 0 ? first : 1;
    uint32_t code = first & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 1;
        code = code << 6 | (bytes[i] & 0x3fu);
    }
    *text += more;
    return code;
}

/// What comes behind the newline; NULL when this is the last line.
static const char *next_line(const char *text) {
    const char *end = strchr(text, '\n');
    return end ? end + 1 : NULL;
}

/// Pixels of one line, up to a newline or the end; the side bearing after the last glyph does not count.
static double line_width(const layout *layout, const char *text) {
    double width = 0;
    while (*text && *text != '\n')
        width += lf__font_glyph(next_character(&text))->advance * layout->scale + layout->tracking;
    return fmax(0, width - 8 * layout->scale - layout->tracking);
}

double lf_text_width(const char *text, double height) {
    double widest = 0;
    if (!text || !(height > 0) || !(height <= 1000))
        return 0;
    layout layout = layout_of(height, 1);
    for (const char *line = text; line; line = next_line(line))
        widest = fmax(widest, line_width(&layout, line));
    return widest;
}

/// Place a point that lies `right` and `up` of the start of a line.
static lf_vec2 placed(lf_vec2 origin, int quarter_turns, double right, double up) {
    switch (((quarter_turns % 4) + 4) % 4) {
    case 1:
        return (lf_vec2){origin.x - up, origin.y - right};
    case 2:
        return (lf_vec2){origin.x - right, origin.y + up};
    case 3:
        return (lf_vec2){origin.x + up, origin.y + right};
    default:
        return (lf_vec2){origin.x + right, origin.y - up};
    }
}

/// A line of text in a colour, from its first glyph on; `pen` is wider than the layout's for the halo.
typedef struct line {
    const char *text;
    lf_vec2 origin;
    double pen;
    lf_colour colour;
} line;

static void draw_line(lf_canvas *canvas, const line *line, int quarter_turns, const layout *layout) {
    const char *text = line->text;
    double right = 0;
    while (*text && *text != '\n') {
        const lf__glyph *glyph = lf__font_glyph(next_character(&text));
        lf_vec2 points[LF__GLYPH_POINTS];
        int64_t count = lf__font_points(glyph, points);
        for (int64_t i = 0; i < count; i++)
            if (points[i].x == points[i].x)
                points[i] = placed(line->origin, quarter_turns, right + points[i].x * layout->scale,
                                   layout_up(layout, points[i].y));
        lf__canvas_stroke(canvas, points, count, line->pen, line->colour);
        right += glyph->advance * layout->scale + layout->tracking;
    }
}

/// Keep a line as text: its baseline is where the glyphs' is.
static void sketch_line(lf_canvas *canvas, const line *line, const lf_text_style *style,
                        const layout *layout) {
    double width = line_width(layout, line->text);
    double along = style->horizontal == LF_ALIGN_START    ? 0
                   : style->horizontal == LF_ALIGN_MIDDLE ? width / 2
                                                          : width;
    lf__sketch_text(canvas, placed(line->origin, style->quarter_turns, along, 0), line->text,
                    strcspn(line->text, "\n"), style);
}

/// Where the first glyph of a line starts: aligned, and the baseline on the middle of a row of pixels.
static lf_vec2 line_origin(lf_vec2 at, const char *line, int number, const lf_text_style *style,
                           const layout *layout) {
    double width = line_width(layout, line), capital = layout->knots_to[3];
    double back = style->horizontal == LF_ALIGN_START    ? 0
                  : style->horizontal == LF_ALIGN_MIDDLE ? width / 2
                                                         : width;
    double drop = style->vertical == LF_ALIGN_END      ? 0
                  : style->vertical == LF_ALIGN_MIDDLE ? capital / 2
                                                       : capital;
    lf_vec2 origin = placed(at, style->quarter_turns, -back, -drop - number * style->height);
    if (style->quarter_turns % 2 == 0)
        origin.y = floor(origin.y) + 0.5;
    else
        origin.x = floor(origin.x) + 0.5;
    return origin;
}

void lf_canvas_text(lf_canvas *canvas, lf_vec2 at, const char *text, const lf_text_style *style) {
    if (!text || !(style->height >= 4) || !(style->height <= 1000) || !lf__sensible(at.x) ||
        !lf__sensible(at.y))
        return;
    layout layout = layout_of(style->height, style->weight > 0 ? style->weight : 1);
    for (int pass = style->halo.alpha > 0 ? 0 : 1; pass < 2; pass++) {
        int number = 0;
        line line = {text, at, layout.pen, style->colour};
        if (pass == 0) {
            line.pen += fmax(3, 0.24 * style->height);
            line.colour = style->halo;
        }
        for (; line.text; line.text = next_line(line.text)) {
            line.origin = line_origin(at, line.text, number++, style, &layout);
            if (pass == 1)
                sketch_line(canvas, &line, style, &layout);
            canvas->sketch.inside++;
            draw_line(canvas, &line, style->quarter_turns, &layout);
            canvas->sketch.inside--;
        }
    }
}
