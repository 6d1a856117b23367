/// Filled shapes and images.
#include "io/canvas.h"

#define SUB_ROWS 16 // per row of pixels; the marks hold 16 places per pixel, so a pixel has 256 samples

bool lf__points_bounds(const lf_vec2 *points, int64_t count, lf_vec2 *low, lf_vec2 *high) {
    *low = (lf_vec2){LF_INFINITY, LF_INFINITY};
    *high = (lf_vec2){-LF_INFINITY, -LF_INFINITY};
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(points[i].x) || !isfinite(points[i].y))
            continue;
        low->x = points[i].x < low->x ? points[i].x : low->x;
        low->y = points[i].y < low->y ? points[i].y : low->y;
        high->x = points[i].x > high->x ? points[i].x : high->x;
        high->y = points[i].y > high->y ? points[i].y : high->y;
    }
    return low->x <= high->x;
}

/// Flip the sample from which on an edge, crossed at x, changes inside to outside.
static void mark(lf_canvas *canvas, const lf__pixels *reach, double x) {
    double place = ceil((x - (double)reach->x0) * 16.0 - 0.5);
    int64_t last = (reach->x1 - reach->x0) * 16;
    int64_t sample = place >= (double)last ? last : place > 0 ? (int64_t)place : 0;
    if (sample < last)
        canvas->marks[reach->x0 + sample / 16] ^= (uint16_t)(1u << (sample % 16));
}

static void mark_crossings(lf_canvas *canvas, const lf__pixels *reach, const lf_vec2 *corners, int64_t count,
                           double y) {
    for (int64_t i = 0; i < count; i++) {
        lf_vec2 a = corners[i], b = corners[i + 1 < count ? i + 1 : 0];
        if ((a.y <= y) == (b.y <= y))
            continue;
        mark(canvas, reach, a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y)));
    }
}

/// Turn flips into inside and outside, and add the share that is inside to each pixel's cover.
static void sweep(lf_canvas *canvas, const lf__pixels *reach) {
    uint32_t inside = 0;
    for (int64_t x = reach->x0; x < reach->x1; x++) {
        uint32_t bits = canvas->marks[x];
        canvas->marks[x] = 0;
        bits ^= bits << 1;
        bits ^= bits << 2;
        bits ^= bits << 4;
        bits ^= bits << 8;
        bits = (inside ? ~bits : bits) & 0xffffu;
        inside = bits >> 15;
        canvas->cover[x] += (float)__builtin_popcount(bits) * (1.0f / (16 * SUB_ROWS));
    }
}

void lf_canvas_fill_polygon(lf_canvas *canvas, const lf_vec2 *corners, int64_t count, lf_colour colour) {
    lf__sketch_polygon(canvas, corners, count, colour);
    lf_vec2 low, high;
    lf__pixels reach;
    if (count < 3)
        return;
    for (int64_t i = 0; i < count; i++)
        if (!lf__sensible(corners[i].x) || !lf__sensible(corners[i].y))
            return;
    lf__points_bounds(corners, count, &low, &high);
    if (!lf__canvas_reach(canvas, low, high, &reach))
        return;
    for (int64_t y = reach.y0; y < reach.y1; y++) {
        for (int sub = 0; sub < SUB_ROWS; sub++) {
            mark_crossings(canvas, &reach, corners, count, (double)y + (sub + 0.5) / SUB_ROWS);
            sweep(canvas, &reach);
        }
        lf__canvas_paint_row(canvas, y, reach.x0, reach.x1, colour);
    }
}

void lf_canvas_fill_circle(lf_canvas *canvas, lf_vec2 centre, double radius, lf_colour colour) {
    lf__sketch_circle(canvas, centre, radius, colour);
    if (!(radius > 0))
        return;
    lf_vec2 low = {centre.x - radius - 1, centre.y - radius - 1};
    lf_vec2 high = {centre.x + radius + 1, centre.y + radius + 1};
    lf__pixels reach;
    if (!lf__canvas_reach(canvas, low, high, &reach))
        return;
    for (int64_t y = reach.y0; y < reach.y1; y++) {
        double dy = (double)y + 0.5 - centre.y;
        for (int64_t x = reach.x0; x < reach.x1; x++) {
            double dx = (double)x + 0.5 - centre.x;
            double share = radius + 0.5 - sqrt(dx * dx + dy * dy);
            canvas->cover[x] = (float)(share > 1 ? 1 : share > 0 ? share : 0);
        }
        lf__canvas_paint_row(canvas, y, reach.x0, reach.x1, colour);
    }
}

typedef struct image {
    const uint8_t *pixels;
    int64_t width, height;
    int channels;
} image;

static int64_t cell_of(double at, int64_t count) {
    return at <= 0 ? 0 : at >= (double)(count - 1) ? count - 1 : (int64_t)at;
}

/// The mean of the image's pixels between two places of it; of at least one pixel.
static lf_colour image_mean(const image *image, double u0, double v0, double u1, double v1) {
    int64_t i0 = cell_of(u0, image->width), i1 = cell_of(ceil(u1) - 1, image->width);
    int64_t j0 = cell_of(v0, image->height), j1 = cell_of(ceil(v1) - 1, image->height);
    if (u1 - u0 <= 1)
        i0 = i1 = cell_of(floor(0.5 * (u0 + u1)), image->width);
    if (v1 - v0 <= 1)
        j0 = j1 = cell_of(floor(0.5 * (v0 + v1)), image->height);
    double sum[4] = {0, 0, 0, 0}, count = 0;
    for (int64_t j = j0; j <= j1; j++)
        for (int64_t i = i0; i <= i1; i++) {
            const uint8_t *from = image->pixels + (j * image->width + i) * image->channels;
            double alpha = image->channels == 4 ? from[3] : 255;
            for (int k = 0; k < 3; k++)
                sum[k] += from[k] * alpha;
            sum[3] += alpha;
            count += 1;
        }
    double weight = sum[3] > 0 ? 1.0 / sum[3] : 0;
    lf_colour mean = {(uint8_t)(sum[0] * weight + 0.5), (uint8_t)(sum[1] * weight + 0.5),
                      (uint8_t)(sum[2] * weight + 0.5), (uint8_t)(sum[3] / count + 0.5)};
    return mean;
}

void lf_canvas_image(lf_canvas *canvas, lf_rect place, const uint8_t *pixels, int64_t width, int64_t height,
                     int channels) {
    image image = {pixels, width, height, channels};
    lf_vec2 low = {floor(place.x + 0.5), floor(place.y + 0.5)};
    lf_vec2 high = {floor(place.x + place.width + 0.5), floor(place.y + place.height + 0.5)};
    lf__pixels reach;
    if (!pixels || width < 1 || height < 1 || (channels != 3 && channels != 4) || !(low.x < high.x) ||
        !(low.y < high.y) || !lf__canvas_reach(canvas, low, high, &reach))
        return;
    double across = (double)width / (high.x - low.x), down = (double)height / (high.y - low.y);
    for (int64_t y = reach.y0; y < reach.y1; y++)
        for (int64_t x = reach.x0; x < reach.x1; x++) {
            double u = ((double)x - low.x) * across, v = ((double)y - low.y) * down;
            lf_colour colour = image_mean(&image, u, v, u + across, v + down);
            lf__canvas_mix(&canvas->pixels[y * canvas->width + x], colour, 1.0f);
        }
}
