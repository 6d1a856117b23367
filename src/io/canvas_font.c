/// The stroke font: every glyph is a few chains of lines and arcs, drawn with a round pen.
///
/// Units: capitals are 28 high, small letters 20, descenders go to -8. A path is a list of commands:
///   M x y       lift the pen and go there
///   L x y       straight line
///   h x y       quarter of an ellipse that leaves horizontally and arrives vertically
///   v x y       quarter of an ellipse that leaves vertically and arrives horizontally
///   q a b x y   parabola with the control point a, b
#include "io/canvas.h"

#define ROUND_O "M0 10 v8 20 h16 10 v8 0 h0 10"
#define LETTER_A "M1 16 v7 20 h14 13 L14 0 M14 12 L6 12 h0 6 v6 0 h14 6"
#define LETTER_E "M0 11 L16 11 v8 20 h0 10 v8 0 h15 5"
#define LETTER_U "M0 20 L0 8 v7 0 h15 8 M15 20 L15 0"
#define CAPITAL_A "M0 0 L10 28 L20 0 M3 9 L17 9"
#define CAPITAL_O "M0 14 v11 28 h22 14 v11 0 h0 14"
#define CAPITAL_U "M0 28 L0 9 v9 0 h18 9 L18 28"
#define MICRO "M0 -8 L0 20 M0 8 v7 0 h15 8 M15 20 L15 0"

/// In ascending order of code; the first is shown for everything that is not here.
static const lf__glyph glyphs[] = {
    {0, 20, "M0 0 L0 28 L14 28 L14 0 L0 0"},
    {' ', 10, ""},
    {'!', 10, "M1 28 L1 9 M1 0 L1 1"},
    {'"', 14, "M0 28 L0 20 M6 28 L6 20"},
    {'#', 28, "M5 0 L8 28 M14 0 L17 28 M0 9 L20 9 M2 19 L22 19"},
    {'$', 24, "M16 23 v8 26 h1 20 v8 14 h16 8 v8 2 h0 5 M8 -3 L8 31"},
    {'%', 32, "M0 22 v5 28 h10 22 v5 16 h0 22 M14 6 v19 12 h24 6 v19 0 h14 6 M21 28 L3 0"},
    {'&', 28, "M20 0 L5 18 q3 20 3 23 v8 28 h13 23 q13 19 7 15 q0 12 0 7 v8 0 q16 0 20 12"},
    {'\'', 8, "M0 28 L0 20"},
    {'(', 13, "M6 32 q0 24 0 13 q0 2 6 -6"},
    {')', 13, "M0 32 q6 24 6 13 q6 2 0 -6"},
    {'*', 20, "M6 28 L6 16 M1 25 L11 19 M11 25 L1 19"},
    {'+', 24, "M8 6 L8 22 M0 14 L16 14"},
    {',', 10, "M1 1 L1 0 L-1 -5"},
    {'-', 17, "M0 12 L9 12"},
    {'.', 10, "M1 0 L1 1"},
    {'/', 18, "M0 -3 L12 31"},
    {'0', 24, "M0 10 L0 18 v8 28 h16 18 L16 10 v8 0 h0 10"},
    {'1', 24, "M3 22 L10 28 L10 0"},
    {'2', 24, "M1 22 v8 28 h16 20 q16 16 12 12 L0 0 L16 0"},
    {'3', 24, "M1 23 v8 28 h15 22 v8 15 L6 15 M8 15 h16 8 v8 0 h0 5"},
    {'4', 24, "M12 0 L12 28 L0 8 L17 8"},
    {'5', 24, "M15 28 L3 28 L2 15 q4 18 8 18 h16 9 v8 0 h0 5"},
    {'6', 24, "M14 24 v9 28 h0 16 L0 9 v8 0 h16 9 v8 18 h0 9"},
    {'7', 24, "M0 28 L16 28 L6 0"},
    {'8', 24, "M1 22 v8 28 h15 22 v8 15 h1 22 M0 8 v8 15 h16 8 v8 0 h0 8"},
    {'9', 24, "M2 4 v7 0 h16 12 L16 19 v8 28 h0 19 v8 10 h16 19"},
    {':', 10, "M1 0 L1 1 M1 16 L1 17"},
    {';', 10, "M1 1 L1 0 L-1 -5 M1 16 L1 17"},
    {'<', 23, "M15 23 L0 14 L15 5"},
    {'=', 24, "M0 18 L16 18 M0 10 L16 10"},
    {'>', 23, "M0 23 L15 14 L0 5"},
    {'?', 22, "M1 23 v7 28 h14 22 q14 18 10 15 q7 12 7 9 M7 0 L7 1"},
    {'@', 35, "M19 18 L19 9 v23 5 h27 12 v14 28 h0 12 v14 -4 q19 -4 22 -2 M19 12 v13 18 h8 12 v13 6 h19 12"},
    {'A', 27, CAPITAL_A},
    {'B', 26, "M0 0 L0 28 L9 28 h16 21 v9 15 L0 15 M9 15 h18 7 v9 0 L0 0"},
    {'C', 26, "M19 22 v11 28 h0 14 v11 0 h19 6"},
    {'D', 28, "M0 0 L0 28 L8 28 h20 14 v8 0 L0 0"},
    {'E', 22, "M15 0 L0 0 L0 28 L15 28 M0 15 L13 15"},
    {'F', 21, "M0 0 L0 28 L15 28 M0 14 L12 14"},
    {'G', 28, "M19 22 v11 28 h0 14 v11 0 h20 9 L20 13 L12 13"},
    {'H', 26, "M0 0 L0 28 M18 0 L18 28 M0 15 L18 15"},
    {'I', 9, "M0 0 L0 28"},
    {'J', 20, "M12 28 L12 8 v6 0 h0 5"},
    {'K', 25, "M0 0 L0 28 M17 28 L0 11 M6 17 L18 0"},
    {'L', 20, "M0 28 L0 0 L14 0"},
    {'M', 31, "M0 0 L0 28 L11 8 L22 28 L22 0"},
    {'N', 27, "M0 0 L0 28 L18 0 L18 28"},
    {'O', 30, CAPITAL_O},
    {'P', 24, "M0 0 L0 28 L9 28 h17 20 v9 12 L0 12"},
    {'Q', 30, CAPITAL_O " M13 7 L21 -3"},
    {'R', 26, "M0 0 L0 28 L9 28 h17 20 v9 12 L0 12 M10 12 L18 0"},
    {'S', 25, "M16 23 v9 28 h1 21 v9 15 h17 7 v9 0 h0 5"},
    {'T', 25, "M0 28 L18 28 M9 28 L9 0"},
    {'U', 26, CAPITAL_U},
    {'V', 27, "M0 28 L10 0 L20 28"},
    {'W', 35, "M0 28 L7 0 L14 24 L21 0 L28 28"},
    {'X', 25, "M0 0 L18 28 M0 28 L18 0"},
    {'Y', 25, "M0 28 L9 13 L18 28 M9 13 L9 0"},
    {'Z', 25, "M0 28 L17 28 L0 0 L17 0"},
    {'[', 13, "M6 32 L0 32 L0 -6 L6 -6"},
    {'\\', 18, "M0 31 L12 -3"},
    {']', 13, "M0 32 L6 32 L6 -6 L0 -6"},
    {'^', 20, "M0 20 L6 28 L12 20"},
    {'_', 22, "M0 -4 L16 -4"},
    {'`', 12, "M0 28 L4 23"},
    {'a', 22, LETTER_A},
    {'b', 24, "M0 0 L0 29 M0 10 v8 20 h16 10 v8 0 h0 10"},
    {'c', 20, "M14 15 v8 20 h0 10 v8 0 h14 5"},
    {'d', 24, "M16 0 L16 29 M16 10 v8 20 h0 10 v8 0 h16 10"},
    {'e', 23, LETTER_E},
    {'f', 16, "M10 29 h4 23 L4 0 M0 20 L10 20"},
    {'g', 24, "M16 20 L16 -1 v8 -8 h1 -5 M16 10 v8 20 h0 10 v8 0 h16 10"},
    {'h', 23, "M0 0 L0 29 M0 12 v8 20 h15 12 L15 0"},
    {'i', 9, "M0 0 L0 20 M0 27 L0 28"},
    {'j', 12, "M4 20 L4 -3 v-1 -8 M4 27 L4 28"},
    {'k', 20, "M0 0 L0 29 M13 20 L0 8 M5 13 L14 0"},
    {'l', 12, "M0 29 L0 4 v4 0"},
    {'m', 32, "M0 0 L0 20 M0 13 v6 20 h12 13 L12 0 M12 13 v18 20 h24 13 L24 0"},
    {'n', 23, "M0 0 L0 20 M0 12 v8 20 h15 12 L15 0"},
    {'o', 24, ROUND_O},
    {'p', 24, "M0 -8 L0 20 M0 10 v8 20 h16 10 v8 0 h0 10"},
    {'q', 24, "M16 -8 L16 20 M16 10 v8 20 h0 10 v8 0 h16 10"},
    {'r', 16, "M0 0 L0 20 M0 11 v8 20 L10 20"},
    {'s', 20, "M13 16 v7 20 h1 15 v7 10 h13 5 v7 0 h0 4"},
    {'t', 17, "M4 27 L4 6 v9 0 L10 0 M0 20 L10 20"},
    {'u', 23, LETTER_U},
    {'v', 22, "M0 20 L8 0 L16 20"},
    {'w', 31, "M0 20 L6 0 L12 17 L18 0 L24 20"},
    {'x', 21, "M0 0 L14 20 M0 20 L14 0"},
    {'y', 22, "M0 20 L8 0 M16 20 L8 0 q5 -8 0 -8"},
    {'z', 21, "M0 20 L14 20 L0 0 L14 0"},
    {'{', 15, "M8 32 h4 28 L4 18 v0 13 h4 8 L4 -2 v8 -6"},
    {'|', 9, "M0 32 L0 -6"},
    {'}', 15, "M0 32 h4 28 L4 18 v8 13 h4 8 L4 -2 v0 -6"},
    {'~', 26, "M0 11 q1 16 5 16 q8 16 9 14 q10 11 13 11 q17 11 18 16"},
    {0x00a0, 10, ""},
    {0x00b0, 17, "M0 23 v5 28 h10 23 v5 18 h0 23"},
    {0x00b1, 24, "M8 10 L8 26 M0 18 L16 18 M0 3 L16 3"},
    {0x00b2, 15, "M0 27 v4 30 h8 26 q8 23 5 20 L0 15 L8 15"},
    {0x00b3, 15, "M0 28 v4 30 h8 26 v4 23 h8 19 v4 15 h0 17"},
    {0x00b5, 23, MICRO},
    {0x00b7, 10, "M1 13 L1 14"},
    {0x00c4, 27, CAPITAL_A " M5 33 L5 34 M15 33 L15 34"},
    {0x00d6, 30, CAPITAL_O " M6 33 L6 34 M16 33 L16 34"},
    {0x00d7, 21, "M0 6 L13 19 M0 19 L13 6"},
    {0x00dc, 26, CAPITAL_U " M4 33 L4 34 M14 33 L14 34"},
    {0x00df, 23, "M0 0 L0 21 v7 29 h14 22 q14 18 9 16 h15 7 v8 0 L6 0"},
    {0x00e4, 22, LETTER_A " M3 27 L3 28 M11 27 L11 28"},
    {0x00e8, 23, LETTER_E " M6 30 L10 25"},
    {0x00e9, 23, LETTER_E " M6 25 L10 30"},
    {0x00f6, 24, ROUND_O " M4 27 L4 28 M12 27 L12 28"},
    {0x00fc, 23, LETTER_U " M4 27 L4 28 M11 27 L11 28"},
    {0x0394, 28, "M0 0 L10 28 L20 0 L0 0"},
    {0x03b1, 26, "M18 20 q15 0 7 0 h0 10 v7 20 q14 20 18 0"},
    {0x03b8, 24, "M0 10 L0 18 v8 28 h16 18 L16 10 v8 0 h0 10 M0 14 L16 14"},
    {0x03bb, 22, "M1 29 q4 29 6 24 L16 0 M9 16 L0 0"},
    {0x03bc, 23, MICRO},
    {0x03c0, 26, "M0 20 L18 20 M4 20 L4 0 M14 20 L14 4 v18 0"},
    {0x03c3, 25, "M18 20 L8 20 h0 10 v8 0 h16 10 v8 20"},
    {0x03c6, 28, "M0 10 v10 20 h20 10 v10 0 h0 10 M10 -8 L10 27"},
    {0x2013, 24, "M0 12 L16 12"},
    {0x2014, 34, "M0 12 L26 12"},
    {0x2026, 27, "M1 0 L1 1 M9 0 L9 1 M17 0 L17 1"},
    {0x2190, 30, "M22 13 L0 13 M7 20 L0 13 L7 6"},
    {0x2191, 22, "M7 0 L7 26 M0 19 L7 26 L14 19"},
    {0x2192, 30, "M0 13 L22 13 M15 20 L22 13 L15 6"},
    {0x2193, 22, "M7 26 L7 0 M0 7 L7 0 L14 7"},
    {0x2212, 24, "M0 14 L16 14"},
    {0x221a, 28, "M0 13 L4 15 L9 0 L16 30 L22 30"},
    {0x221e, 36, "M14 13 v7 20 h0 13 v7 6 h14 13 v21 20 h28 13 v21 6 h14 13"},
    {0x2248, 26,
     "M0 15 q1 20 5 20 q8 20 9 18 q10 15 13 15 q17 15 18 20 M0 5 q1 10 5 10 q8 10 9 8 q10 5 13 5 q17 "
     "5 18 10"},
    {0x2260, 24, "M0 18 L16 18 M0 10 L16 10 M4 3 L12 25"},
    {0x2264, 23, "M15 26 L0 18 L15 10 M0 3 L15 3"},
    {0x2265, 23, "M0 26 L15 18 L0 10 M0 3 L15 3"},
};

enum { GLYPH_COUNT = sizeof glyphs / sizeof glyphs[0] };

const lf__glyph *lf__font_glyph(uint32_t code) {
    int low = 1, high = GLYPH_COUNT;
    while (low < high) {
        int middle = (low + high) / 2;
        if (glyphs[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < GLYPH_COUNT && glyphs[low].code == code ? &glyphs[low] : &glyphs[0];
}

/// The next whole number of a path.
static double path_number(const char **path) {
    int sign = 1, value = 0;
    while (**path == ' ')
        ++*path;
    if (**path == '-') {
        sign = -1;
        ++*path;
    }
    for (; **path >= '0' && **path <= '9'; ++*path)
        value = 10 * value + (**path - '0');
    return sign * value;
}

enum { ARC_STEPS = 6 };

/// The points of a curve after its start: quarter ellipses by sines of 15, 30 ... 90 degrees.
static int64_t curve_points(char command, lf_vec2 from, lf_vec2 control, lf_vec2 to, lf_vec2 *points) {
    static const double sine[ARC_STEPS + 1] = {
        0, 0.25881904510252074, 0.5, 0.7071067811865476, 0.8660254037844386, 0.9659258262890683, 1};
    for (int i = 1; i <= ARC_STEPS; i++) {
        double rise = sine[i], fall = 1 - sine[ARC_STEPS - i], t = i / (double)ARC_STEPS;
        double across = command == 'h' ? rise : fall, up = command == 'h' ? fall : rise;
        if (command == 'q')
            points[i - 1] = (lf_vec2){
                (1 - t) * (1 - t) * from.x + 2 * t * (1 - t) * control.x + t * t * to.x,
                (1 - t) * (1 - t) * from.y + 2 * t * (1 - t) * control.y + t * t * to.y,
            };
        else
            points[i - 1] = (lf_vec2){from.x + (to.x - from.x) * across, from.y + (to.y - from.y) * up};
    }
    return ARC_STEPS;
}

int64_t lf__font_points(const lf__glyph *glyph, lf_vec2 points[LF__GLYPH_POINTS]) {
    int64_t count = 0;
    const char *path = glyph->path;
    lf_vec2 at = {0, 0};
    while (*path && count + ARC_STEPS + 2 < LF__GLYPH_POINTS) {
        char command = *path++;
        if (command == ' ')
            continue;
        lf_vec2 control = {0, 0}, to;
        if (command == 'q') {
            control.x = path_number(&path);
            control.y = path_number(&path);
        }
        to.x = path_number(&path);
        to.y = path_number(&path);
        if (command == 'M' && count > 0)
            points[count++] = (lf_vec2){(double)NAN, (double)NAN};
        if (command == 'M' || command == 'L')
            points[count++] = to;
        else
            count += curve_points(command, at, control, to, points + count);
        at = to;
    }
    return count;
}
