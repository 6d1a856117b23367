/// Colours for numbers and names, ticks, numbers as text, map views, scale bars and keys.
#include "picture/picture.h"
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Colours
// ---------------------------------------------------------------------------------------------------

void lf__colour_over(lf_colour *under, lf_colour colour, float cover) {
    float over = cover * (float)colour.alpha / 255.0f;
    if (over <= 0)
        return;
    float whole = over + (float)under->alpha / 255.0f * (1.0f - over), share = over / whole;
    under->red = (uint8_t)((float)under->red + ((float)colour.red - (float)under->red) * share + 0.5f);
    under->green =
        (uint8_t)((float)under->green + ((float)colour.green - (float)under->green) * share + 0.5f);
    under->blue = (uint8_t)((float)under->blue + ((float)colour.blue - (float)under->blue) * share + 0.5f);
    under->alpha = whole >= 1.0f ? 255 : (uint8_t)(whole * 255.0f + 0.5f);
}

lf_colour lf__colour_series(int64_t index) {
    static const uint32_t colours[8] = {0x2f6f9f, 0xd9822b, 0x3f8f6b, 0xb8475c,
                                        0x7a5ea8, 0x8a6d4b, 0x4fa3b5, 0x6b7380};
    return lf_colour_of(colours[(uint64_t)index % 8]);
}

typedef struct ramp {
    int count;
    uint32_t stops[9]; // at equal distances
} ramp;

/// EVEN has equal steps of lightness in the OKLab colour space, along a smooth change of hue.
static const ramp ramps[] = {
    [LF_RAMP_GREY] = {2, {0x000000, 0xffffff}},
    [LF_RAMP_LAND] = {8, {0x7d9878, 0x9bae88, 0xbec29d, 0xd8ceab, 0xcab597, 0xb5a38e, 0xc8c2ba, 0xf7f7f5}},
    [LF_RAMP_EVEN] = {9,
                      {0x280d46, 0x252973, 0x044d87, 0x08708f, 0x0a8f94, 0x13b093, 0x6acb82, 0xbade78,
                       0xfaed9e}},
    [LF_RAMP_BOTH] = {7, {0x24508c, 0x5b8cbf, 0xaecbe2, 0xf5f3ef, 0xeeb9a0, 0xcd6a55, 0x8e2436}},
    [LF_RAMP_HEAT] = {6, {0xfdf4e3, 0xfbd9a6, 0xf5ae6c, 0xe37a4a, 0xbb433a, 0x7a1c30}},
};

lf_colour lf_ramp_colour(lf_ramp kind, double t) {
    lf_colour none = {0, 0, 0, 0};
    if (t != t)
        return none;
    const ramp *ramp = &ramps[kind >= LF_RAMP_GREY && kind <= LF_RAMP_HEAT ? kind : LF_RAMP_GREY];
    double place = (t >= 1 ? 1 : t > 0 ? t : 0) * (ramp->count - 1);
    int below = (int)place < ramp->count - 2 ? (int)place : ramp->count - 2;
    return lf_colour_mix(lf_colour_of(ramp->stops[below]), lf_colour_of(ramp->stops[below + 1]),
                         place - below);
}

lf_colour lf_colour_named(const char *name) {
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
    return lf__colour_series((int64_t)(sum % 8));
}

// ---------------------------------------------------------------------------------------------------
// Ticks and numbers
// ---------------------------------------------------------------------------------------------------

static double power_of_ten(int exponent) {
    double power = 1;
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent) && i < 400; i++)
        power *= 10;
    return exponent < 0 ? 1 / power : power;
}

lf_ticks lf_ticks_of(double low, double high, int about) {
    lf_ticks ticks = {0, 0, 0, 0};
    double span = high - low;
    if (!isfinite(span) || !(span > 0) || !(span >= 1e-12 * fmax(fabs(low), fabs(high))) || span < 1e-280)
        return ticks;
    about = about < 1 ? 1 : about > 100 ? 100 : about;
    int exponent = (int)floor(log10(span / about));
    double step = power_of_ten(exponent), rough = span / about / step;
    step *= rough <= 1.000001 ? 1 : rough <= 2 ? 2 : rough <= 5 ? 5 : 10;
    double first = ceil(low / step - 1e-9), last = floor(high / step + 1e-9);
    ticks.first = first * step;
    ticks.step = step;
    ticks.count = last >= first ? (int)(last - first) + 1 : 0;
    exponent += rough > 5 ? 1 : 0;
    ticks.decimals = exponent < 0 ? (exponent > -15 ? -exponent : 15) : 0;
    return ticks;
}

/// Print with a decimal point, whatever the locale.
static void print(char *text, size_t capacity, const char *format, ...) LF_PRINTF(3, 4);

static void print(char *text, size_t capacity, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    lf__format(text, capacity, format, arguments);
    va_end(arguments);
}

void lf_number_text(double value, int decimals, char *text, size_t capacity) {
    if (!text || capacity == 0)
        return;
    decimals = decimals < 0 ? 0 : decimals > 15 ? 15 : decimals;
    if (isnan(value) || isinf(value))
        print(text, capacity, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    else if (fabs(value) >= 1e15)
        print(text, capacity, "%.*e", decimals, value);
    else
        print(text, capacity, "%.*f", decimals, fabs(value) * power_of_ten(decimals) < 0.5 ? 0 : value);
}

// ---------------------------------------------------------------------------------------------------
// Maps
// ---------------------------------------------------------------------------------------------------

lf_map_axes lf_map_axes_fit(lf_rect area, lf_box box) {
    double wide = box.high.x - box.low.x, tall = box.high.y - box.low.y;
    if (!(wide > 0) && !(tall > 0))
        wide = tall = 1;
    double scale =
        fmin(wide > 0 ? area.width / wide : LF_INFINITY, tall > 0 ? area.height / tall : LF_INFINITY);
    double x = 0.5 * box.low.x + 0.5 * box.high.x, y = 0.5 * box.low.y + 0.5 * box.high.y;
    double half_wide = 0.5 * area.width / scale, half_tall = 0.5 * area.height / scale;
    lf_map_axes axes = {area, x - half_wide, x + half_wide, y - half_tall, y + half_tall};
    return axes;
}

lf_vec2 lf__map_axes_to_world(const lf_map_axes *axes, lf_vec2 pixel) {
    lf_vec2 world = {axes->x_low + (pixel.x - axes->area.x) / axes->area.width * (axes->x_high - axes->x_low),
                     axes->y_high -
                         (pixel.y - axes->area.y) / axes->area.height * (axes->y_high - axes->y_low)};
    return world;
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

void lf_canvas_scale_bar(lf_canvas *canvas, const lf_map_axes *axes, lf_vec2 at, double width) {
    double pixels_per_metre = axes->area.width / (axes->x_high - axes->x_low);
    if (!(pixels_per_metre > 0) || !isfinite(pixels_per_metre) || !(width >= 8) || !(width < 1e6))
        return;
    double length = round_length(width / pixels_per_metre), pixels = floor(length * pixels_per_metre + 0.5);
    double x = floor(at.x), y = floor(at.y);
    lf_colour ink = {38, 43, 51, 255}, paper = {255, 255, 255, 255};
    lf_canvas_fill_rect(canvas, (lf_rect){x - 2, y - 8, pixels + 4, 10}, lf_colour_fade(paper, 0.8));
    lf_canvas_fill_rect(canvas, (lf_rect){x, y - 6, pixels, 6}, ink);
    for (int part = 1; part < 4; part += 2) {
        double from = floor(part * pixels / 4), to = floor((part + 1) * pixels / 4) - (part == 3 ? 1 : 0);
        lf_canvas_fill_rect(canvas, (lf_rect){x + from, y - 5, to - from, 4}, paper);
    }
    char text[40];
    lf_text_style style = lf_text_style_default();
    length_text(length, text, sizeof text);
    style.height = 15;
    style.halo = lf_colour_fade(paper, 0.8);
    lf_canvas_text(canvas, (lf_vec2){x, y - 12}, text, &style);
}

void lf_canvas_ramp_key(lf_canvas *canvas, lf_rect area, lf_ramp ramp, double low, double high,
                        const char *label) {
    bool upright = area.height > area.width;
    double length = floor(upright ? area.height : area.width);
    lf_ticks ticks = lf_ticks_of(low, high, (int)fmin(fmax(length / (upright ? 32 : 60), 2), 12));
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
