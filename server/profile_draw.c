/// Pictures of profiles: the ground under a line of sight, and the line.
#include "raster_out.h"
#include <math.h>
#include <string.h>

enum { WIDTH = 960, HEIGHT = 320, MARGIN = 12 };

/// Where distances and heights are in the picture.
typedef struct scale {
    double length, low, high;
} scale;

static scale find_scale(const lf_profile_point *points, int64_t count) {
    scale found = {points[count - 1].distance, INFINITY, -INFINITY};
    for (int64_t i = 0; i < count; i++) {
        double low = isnan(points[i].ground) ? points[i].line : fmin(points[i].ground, points[i].line);
        double high = isnan(points[i].ground) ? points[i].line : fmax(points[i].ground, points[i].line);
        found.low = fmin(found.low, low);
        found.high = fmax(found.high, high);
    }
    if (!(found.high > found.low))
        found.high = found.low + 1;
    if (!(found.length > 0))
        found.length = 1;
    return found;
}

static double column_of(const scale *scale, double distance) {
    return MARGIN + (WIDTH - 2 * MARGIN) * distance / scale->length;
}

static double row_of(const scale *scale, double height) {
    return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (height - scale->low) / (scale->high - scale->low);
}

static void add_point(text *out, double x, double y) {
    text_format(out, "%.2f,%.2f ", x, y);
}

void profile_svg(const lf_profile_point *points, int64_t count, reply *reply) {
    scale scale = find_scale(points, count);
    text *out = &reply->body;
    reply->type = "image/svg+xml";
    text_format(
        out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
        WIDTH, HEIGHT, WIDTH, HEIGHT);
    text_put(out, "<rect width=\"100%\" height=\"100%\" fill=\"#eef4fa\"/>\n");
    for (int64_t from = 0; from < count;) { // a polygon for each stretch without voids
        int64_t to = from;
        while (to < count && !isnan(points[to].ground))
            to++;
        if (to > from) {
            text_put(out, "<polygon fill=\"#7d8f69\" points=\"");
            for (int64_t i = from; i < to; i++)
                add_point(out, column_of(&scale, points[i].distance), row_of(&scale, points[i].ground));
            add_point(out, column_of(&scale, points[to - 1].distance), HEIGHT);
            add_point(out, column_of(&scale, points[from].distance), HEIGHT);
            text_put(out, "\"/>\n");
        }
        from = to + 1;
    }
    text_put(out, "<polyline fill=\"none\" stroke=\"#c0392b\" stroke-width=\"1.5\" points=\"");
    for (int64_t i = 0; i < count; i++)
        add_point(out, column_of(&scale, points[i].distance), row_of(&scale, points[i].line));
    text_format(out,
                "\"/>\n<text x=\"%d\" y=\"%d\" font-family=\"sans-serif\" font-size=\"11\">%.0f m</text>\n",
                MARGIN, MARGIN + 8, scale.high);
    text_format(out,
                "<text x=\"%d\" y=\"%d\" font-family=\"sans-serif\" font-size=\"11\" "
                "text-anchor=\"end\">%.0f m</text>\n</svg>\n",
                WIDTH - MARGIN, HEIGHT - 2, points[count - 1].distance);
}

/// Height of the ground or the line at a distance, between the points around it; NAN over voids.
static double at_distance(const lf_profile_point *points, int64_t count, double distance, bool line,
                          int64_t *hint) {
    while (*hint + 2 < count && points[*hint + 1].distance < distance)
        (*hint)++;
    const lf_profile_point *a = &points[*hint], *b = &points[*hint + 1 < count ? *hint + 1 : *hint];
    double t = b->distance > a->distance
                   ? fmin(fmax((distance - a->distance) / (b->distance - a->distance), 0), 1)
                   : 0;
    return line ? a->line + t * (b->line - a->line) : a->ground + t * (b->ground - a->ground);
}

void profile_png(const lf_profile_point *points, int64_t count, reply *reply) {
    scale scale = find_scale(points, count);
    uint8_t *pixels = memory_take(WIDTH * HEIGHT * 3);
    int64_t hints[2] = {0, 0};
    if (!pixels) {
        refuse(reply, 503, "out of memory");
        return;
    }
    for (int column = 0; column < WIDTH; column++) {
        double distance = (column + 0.5 - MARGIN) / (WIDTH - 2 * MARGIN) * scale.length;
        bool within = distance >= 0 && distance <= scale.length;
        double ground = within ? at_distance(points, count, distance, false, &hints[0]) : NAN;
        double line = within ? at_distance(points, count, distance, true, &hints[1]) : NAN;
        for (int row = 0; row < HEIGHT; row++) {
            static const uint8_t colours[3][3] = {{238, 244, 250}, {125, 143, 105}, {192, 57, 43}};
            int kind = row + 0.5 >= row_of(&scale, ground) ? 1 : 0;
            if (fabs(row + 0.5 - row_of(&scale, line)) < 1)
                kind = 2;
            memcpy(pixels + (row * WIDTH + column) * 3, colours[kind], 3);
        }
    }
    picture image = {pixels, WIDTH, HEIGHT, 3, NULL, 0, 4};
    if (!picture_write(&reply->body, &image))
        refuse(reply, 503, "out of memory");
    reply->type = "image/png";
    memory_free(pixels);
}
