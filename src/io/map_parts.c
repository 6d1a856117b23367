/// What goes with a map: colours by name, a scale bar, a key to a ramp.
#include "io/canvas.h"
#include <string.h>

lf_colour lf_picture_name_colour(const char *name) {
    static const struct {
        const char *name;
        uint32_t rgb;
    } known[] = {
        {"meadow", 0xa9bf8a}, {"path", 0xe3d6b8},     {"floor", 0xd9d4ca},     {"bridge", 0xc9a27c},
        {"rail", 0x8a6a4e},   {"wall", 0xb9b3a8},     {"roof", 0xb5694f},      {"stairs", 0xc9c0b2},
        {"ramp", 0xcfc6b4},   {"plaza", 0xd8c9b0},    {"tree", 0x5f8a58},      {"track", 0xd2a679},
        {"apron", 0x9fb4c4},  {"infield", 0x97b67c},  {"stand", 0xd5d7da},     {"street", 0xb4b4b2},
        {"kerb", 0xd0cec8},   {"pavement", 0xdedad0}, {"terrain", 0xa9bf8a},   {"water", 0x9fc3d6},
        {"sphere", 0x8fa9c4}, {"knot", 0xc99a6b},     {"mountains", 0xcab597}, {"hills", 0xa9bf8a},
        {"dunes", 0xe3cf9d},  {"rough", 0xc7bda8},
    };
    if (!name)
        return lf_colour_of(0xbfbfbf);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i].name) == 0)
            return lf_colour_of(known[i].rgb);
    uint64_t sum = 0;
    for (const char *c = name; *c; c++)
        sum = sum * 31 + (unsigned char)*c;
    return lf_colour_series((int64_t)(sum % 8));
}

/// The greatest of 1, 2 and 5 times a power of ten that is not above a length.
static double round_length(double most) {
    double power = 1;
    for (int i = 0; i < 40 && power * 10 <= most; i++)
        power *= 10;
    for (int i = 0; i < 40 && power > most; i++)
        power /= 10;
    return 5 * power <= most ? 5 * power : 2 * power <= most ? 2 * power : power;
}

static void length_text(double metres, char *text, size_t capacity) {
    bool kilo = metres >= 1000;
    double value = kilo ? metres / 1000 : metres;
    int decimals = 0;
    for (double v = value; decimals < 6 && v < 0.999999; v *= 10)
        decimals++;
    lf_number_text(value, decimals, text, capacity);
    size_t used = strlen(text);
    if (used + 4 < capacity)
        memcpy(text + used, kilo ? " km" : " m", kilo ? 4 : 3);
}

void lf_picture_scale_bar(lf_canvas *canvas, const lf_view *view, lf_vec2 at, double width) {
    double pixels_per_metre = view->area.width / (view->x_high - view->x_low);
    if (!(pixels_per_metre > 0) || !isfinite(pixels_per_metre) || !(width >= 8) || !(width < 1e6))
        return;
    double length = round_length(width / pixels_per_metre), pixels = floor(length * pixels_per_metre + 0.5);
    double x = floor(at.x), y = floor(at.y);
    lf_colour ink = {38, 43, 51, 255}, paper = {255, 255, 255, 255};
    lf_canvas_fill_rect(canvas, (lf_rect){x - 2, y - 8, pixels + 4, 10}, lf_colour_fade(paper, 0.8));
    for (int part = 0; part < 4; part++) {
        lf_rect box = {x + floor(part * pixels / 4), y - 6,
                       floor((part + 1) * pixels / 4) - floor(part * pixels / 4), 6};
        lf_canvas_fill_rect(canvas, box, part % 2 ? paper : ink);
    }
    char text[40];
    lf_text_style style = lf_text_style_default();
    length_text(length, text, sizeof text);
    style.height = 15;
    style.halo = lf_colour_fade(paper, 0.8);
    lf_canvas_text(canvas, (lf_vec2){x, y - 12}, text, &style);
}

void lf_picture_ramp_key(lf_canvas *canvas, lf_rect area, lf_ramp ramp, double low, double high,
                         const char *label) {
    bool upright = area.height > area.width;
    double length = floor(upright ? area.height : area.width);
    lf_ticks ticks = lf_ticks_of(low, high, (int)fmin(fmax(length / 60, 2), 12));
    if (!(area.width > 0) || !(area.height > 0) || !(length < 1e6) || ticks.count == 0)
        return;
    for (double i = 0; i < length; i++) {
        lf_rect slice = {upright ? area.x : area.x + i, upright ? area.y + length - 1 - i : area.y,
                         upright ? area.width : 1, upright ? 1 : area.height};
        lf_canvas_fill_rect(canvas, slice, lf_ramp_colour(ramp, (i + 0.5) / length));
    }
    lf_text_style style = lf_text_style_default();
    style.height = 15;
    style.horizontal = upright ? LF_ALIGN_START : LF_ALIGN_MIDDLE;
    style.vertical = upright ? LF_ALIGN_MIDDLE : LF_ALIGN_START;
    lf_colour ink = {98, 106, 117, 255};
    for (int i = 0; i < ticks.count; i++) {
        char text[40];
        double value = ticks.first + i * ticks.step,
               at = floor((value - low) / (high - low) * (length - 1) + 0.5);
        lf_number_text(value, ticks.decimals, text, sizeof text);
        lf_rect tick = {upright ? area.x + area.width : area.x + at,
                        upright ? area.y + length - 1 - at : area.y + area.height, upright ? 5 : 1,
                        upright ? 1 : 5};
        lf_canvas_fill_rect(canvas, tick, ink);
        lf_vec2 place = {upright ? tick.x + 9 : tick.x, upright ? tick.y + 1 : tick.y + 9};
        lf_canvas_text(canvas, place, text, &style);
    }
    style.horizontal = LF_ALIGN_START;
    style.vertical = LF_ALIGN_END;
    lf_canvas_text(canvas, (lf_vec2){area.x, area.y - 9}, label, &style);
}
