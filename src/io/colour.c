/// Colours, ramps of colours, and views.
#include <landfall/picture.h>

static uint8_t mix_byte(uint8_t a, uint8_t b, double t) {
    return (uint8_t)((double)a + ((double)b - (double)a) * t + 0.5);
}

lf_colour lf_colour_mix(lf_colour a, lf_colour b, double t) {
    t = t >= 1 ? 1 : t > 0 ? t : 0;
    lf_colour mixed = {mix_byte(a.red, b.red, t), mix_byte(a.green, b.green, t), mix_byte(a.blue, b.blue, t),
                       mix_byte(a.alpha, b.alpha, t)};
    return mixed;
}

lf_colour lf_colour_series(int64_t index) {
    static const uint32_t colours[8] = {0x2f6f9f, 0xd9822b, 0x3f8f6b, 0xb8475c,
                                        0x7a5ea8, 0x8a6d4b, 0x4fa3b5, 0x6b7380};
    return lf_colour_of(colours[(uint64_t)index % 8]);
}

typedef struct ramp {
    int count;
    uint32_t stops[9]; // at equal distances
} ramp;

/// EVEN was laid out in the OKLab colour space, with lightness in equal steps along a smooth turn of hue.
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

lf_view lf_view_fit(lf_rect area, lf_box box) {
    double wide = box.high.x - box.low.x, tall = box.high.y - box.low.y;
    if (!(wide > 0) && !(tall > 0))
        wide = tall = 1;
    double scale =
        fmin(wide > 0 ? area.width / wide : LF_INFINITY, tall > 0 ? area.height / tall : LF_INFINITY);
    double x = 0.5 * box.low.x + 0.5 * box.high.x, y = 0.5 * box.low.y + 0.5 * box.high.y;
    double half_wide = 0.5 * area.width / scale, half_tall = 0.5 * area.height / scale;
    lf_view view = {area, x - half_wide, x + half_wide, y - half_tall, y + half_tall};
    return view;
}

lf_vec2 lf_view_to_pixel(const lf_view *view, double x, double y) {
    lf_vec2 pixel = {view->area.x + (x - view->x_low) / (view->x_high - view->x_low) * view->area.width,
                     view->area.y + (view->y_high - y) / (view->y_high - view->y_low) * view->area.height};
    return pixel;
}

lf_vec2 lf_view_to_world(const lf_view *view, lf_vec2 pixel) {
    lf_vec2 world = {view->x_low + (pixel.x - view->area.x) / view->area.width * (view->x_high - view->x_low),
                     view->y_high -
                         (pixel.y - view->area.y) / view->area.height * (view->y_high - view->y_low)};
    return world;
}
