#include "io/canvas.h"
#include <string.h>

static lf_status take_rows(lf_canvas *canvas) {
    lf_status status = lf__take_array(&canvas->allocator, canvas->width * canvas->height, sizeof(lf_colour),
                                      (void **)&canvas->pixels);
    if (status == LF_OK)
        status = lf__take_array(&canvas->allocator, canvas->width, sizeof(float), (void **)&canvas->cover);
    if (status == LF_OK)
        status =
            lf__take_array(&canvas->allocator, canvas->width + 1, sizeof(uint16_t), (void **)&canvas->marks);
    return status;
}

lf_status lf_canvas_create(const lf_canvas_def *given, lf_canvas **canvas, lf_error *error) {
    lf_canvas_def def = lf_canvas_def_default();
    if (!canvas)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "canvas is NULL");
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    if (def.width < 1 || def.width > LF__CANVAS_LIMIT || def.height < 1 || def.height > LF__CANVAS_LIMIT)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a canvas of %lld x %lld pixels: each must be 1 to %d",
                        (long long)def.width, (long long)def.height, LF__CANVAS_LIMIT);
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_canvas *fresh = lf__take(&allocator, sizeof *fresh, _Alignof(lf_canvas));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_canvas){.host = def.host, .allocator = allocator, .width = def.width, .height = def.height};
    fresh->clip = (lf__pixels){0, 0, def.width, def.height};
    fresh->sketch = (lf__sketch){.kept = def.keep_shapes, .background = def.background, .clip = fresh->clip};
    status = take_rows(fresh);
    if (status != LF_OK) {
        lf_canvas_destroy(fresh);
        return lf__fail_plain(error, status);
    }
    for (int64_t i = 0; i < def.width * def.height; i++)
        fresh->pixels[i] = def.background;
    memset(fresh->cover, 0, (size_t)def.width * sizeof(float));
    memset(fresh->marks, 0, (size_t)(def.width + 1) * sizeof(uint16_t));
    *canvas = fresh;
    return LF_OK;
}

void lf_canvas_destroy(lf_canvas *canvas) {
    if (!canvas)
        return;
    lf_allocator allocator = canvas->allocator;
    lf__sketch_free(canvas);
    lf__give_array(&allocator, canvas->marks, canvas->width + 1, sizeof(uint16_t));
    lf__give_array(&allocator, canvas->cover, canvas->width, sizeof(float));
    lf__give_array(&allocator, canvas->pixels, canvas->width * canvas->height, sizeof(lf_colour));
    lf__give(&allocator, canvas, sizeof *canvas, _Alignof(lf_canvas));
}

int64_t lf_canvas_width(const lf_canvas *canvas) {
    return canvas->width;
}

int64_t lf_canvas_height(const lf_canvas *canvas) {
    return canvas->height;
}

lf_rect lf_canvas_area(const lf_canvas *canvas) {
    lf_rect area = {0, 0, (double)canvas->width, (double)canvas->height};
    return area;
}

lf_colour lf_canvas_pixel(const lf_canvas *canvas, int64_t x, int64_t y) {
    lf_colour none = {0, 0, 0, 0};
    if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height)
        return none;
    return canvas->pixels[y * canvas->width + x];
}

void lf_canvas_set_pixel(lf_canvas *canvas, int64_t x, int64_t y, lf_colour colour) {
    if (x >= 0 && y >= 0 && x < canvas->width && y < canvas->height)
        canvas->pixels[y * canvas->width + x] = colour;
}

static int64_t held(double value, int64_t low, int64_t high) {
    return value >= (double)high ? high : value > (double)low ? (int64_t)value : low;
}

void lf_canvas_clip(lf_canvas *canvas, lf_rect area) {
    lf__pixels clip = {held(floor(area.x + 0.5), 0, canvas->width),
                       held(floor(area.y + 0.5), 0, canvas->height),
                       held(floor(area.x + area.width + 0.5), 0, canvas->width),
                       held(floor(area.y + area.height + 0.5), 0, canvas->height)};
    canvas->clip = clip;
}

bool lf__canvas_reach(const lf_canvas *canvas, lf_vec2 low, lf_vec2 high, lf__pixels *reach) {
    if (!lf__sensible(low.x) || !lf__sensible(low.y) || !lf__sensible(high.x) || !lf__sensible(high.y))
        return false;
    const lf__pixels *clip = &canvas->clip;
    reach->x0 = held(floor(low.x), clip->x0, clip->x1);
    reach->y0 = held(floor(low.y), clip->y0, clip->y1);
    reach->x1 = held(ceil(high.x), clip->x0, clip->x1);
    reach->y1 = held(ceil(high.y), clip->y0, clip->y1);
    return reach->x0 < reach->x1 && reach->y0 < reach->y1;
}

void lf__canvas_mix(lf_colour *pixel, lf_colour colour, float cover) {
    float over = cover * (float)colour.alpha / 255.0f;
    if (over <= 0)
        return;
    float under = (float)pixel->alpha / 255.0f * (1.0f - over);
    float whole = over + under;
    float share = over / whole;
    pixel->red = (uint8_t)((float)pixel->red + ((float)colour.red - (float)pixel->red) * share + 0.5f);
    pixel->green =
        (uint8_t)((float)pixel->green + ((float)colour.green - (float)pixel->green) * share + 0.5f);
    pixel->blue = (uint8_t)((float)pixel->blue + ((float)colour.blue - (float)pixel->blue) * share + 0.5f);
    pixel->alpha = whole >= 1.0f ? 255 : (uint8_t)(whole * 255.0f + 0.5f);
}

void lf__canvas_paint_row(lf_canvas *canvas, int64_t y, int64_t x0, int64_t x1, lf_colour colour) {
    lf_colour *row = canvas->pixels + y * canvas->width;
    for (int64_t x = x0; x < x1; x++) {
        if (canvas->cover[x] > 0)
            lf__canvas_mix(row + x, colour, canvas->cover[x] < 1 ? canvas->cover[x] : 1.0f);
        canvas->cover[x] = 0;
    }
}

/// How much of the pixel's side from i to i + 1 lies within low .. high.
static double overlap(int64_t i, double low, double high) {
    double from = low > (double)i ? low : (double)i;
    double to = high < (double)(i + 1) ? high : (double)(i + 1);
    return to > from ? to - from : 0;
}

void lf_canvas_fill_rect(lf_canvas *canvas, lf_rect rect, lf_colour colour) {
    lf_vec2 low = {rect.x, rect.y}, high = {rect.x + rect.width, rect.y + rect.height};
    lf__pixels reach;
    lf__sketch_rect(canvas, rect, colour);
    if (!(rect.width > 0) || !(rect.height > 0) || !lf__canvas_reach(canvas, low, high, &reach))
        return;
    for (int64_t y = reach.y0; y < reach.y1; y++) {
        double down = overlap(y, low.y, high.y);
        for (int64_t x = reach.x0; x < reach.x1; x++)
            canvas->cover[x] = (float)(down * overlap(x, low.x, high.x));
        lf__canvas_paint_row(canvas, y, reach.x0, reach.x1, colour);
    }
}
