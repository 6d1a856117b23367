#include "sight/glance.h"

/// Half a unit in the last place.
#define UNIT 0x1p-53

/// A place in a square, and when the line is there.
typedef struct spot {
    double t, u, v;
} spot;

static spot spot_at(const lf__sight_line *line, double i, double j, double t) {
    double u = line->at.x + t * line->way.x - i, v = line->at.y + t * line->way.y - j;
    return (spot){t, u < 0 ? 0 : u > 1 ? 1 : u, v < 0 ? 0 : v > 1 ? 1 : v};
}

static void add(lf__glance *glance, double t, double height) {
    glance->t[glance->count] = t;
    glance->height[glance->count++] = height;
}

/// On the sides of a square every surface is this.
static double height_at(const lf__grid_corners *h, spot p) {
    double low = h->h00 + p.u * (h->h10 - h->h00), high = h->h01 + p.u * (h->h11 - h->h01);
    return low + p.v * (high - low);
}

/// Where a diagonal lies between two places, on which `a` and `b` have opposite signs.
static void add_diagonal(lf__glance *glance, spot in, spot out, const double sides[2], const double ends[2]) {
    if (!(sides[0] * sides[1] < 0))
        return;
    double part = sides[0] / (sides[0] - sides[1]), u = in.u + part * (out.u - in.u);
    add(glance, in.t + part * (out.t - in.t), ends[0] + u * (ends[1] - ends[0]));
}

bool lf__glance_from_post(const lf_grid *grid, const lf__sight_line *line) {
    double x = line->at.x, y = line->at.y;
    if (!(x >= 0 && y >= 0 && x < (double)grid->columns && y < (double)grid->rows && x == floor(x) &&
          y == floor(y)))
        return false;
    int64_t i = (int64_t)x, j = (int64_t)y;
    return !lf__grid_hole(grid, i, j) && line->z0 >= lf__grid_height(grid, i, j);
}

bool lf__glance_at(const lf_grid *grid, const lf__sight_line *line, const lf__sight_block *square,
                   bool from_post, lf__glance *glance) {
    int64_t i = grid->first + square->bx, j = grid->first + square->by;
    if (grid->surface == LF_SURFACE_POINT || !lf__grid_is_real(grid, i, j) ||
        (!(square->first > 0) && !from_post) || !(square->last < line->end) || lf__grid_gap(grid, i, j))
        return false;
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    spot in = spot_at(line, (double)i, (double)j, square->first),
         out = spot_at(line, (double)i, (double)j, square->last);
    glance->count = 0;
    if (in.t > 0)
        add(glance, in.t, height_at(&h, in));
    add(glance, out.t, height_at(&h, out));
    glance->solid = glance->count;
    bool patch = grid->surface == LF_SURFACE_BILINEAR, falls = patch || lf__grid_falls(grid, i, j);
    // A patch lies between the two ways to cut it into triangles.
    if (falls)
        add_diagonal(glance, in, out, (double[2]){in.u + in.v - 1, out.u + out.v - 1},
                     (double[2]){h.h01, h.h10});
    if (patch || !falls)
        add_diagonal(glance, in, out, (double[2]){in.u - in.v, out.u - out.v}, (double[2]){h.h00, h.h11});
    if (!patch)
        glance->solid = glance->count;
    double size = fabs(h.h00) + fabs(h.h10) + fabs(h.h01) + fabs(h.h11);
    double beside = 256 * UNIT * (fabs(line->at.x) + fabs(line->at.y) + (double)(i + j) + 2);
    glance->slack = 16 * UNIT * size + beside * lf__glance_steepest(grid);
    return true;
}

static void shorten(double at, double way, double low, lf__sight_block *square) {
    if (way == 0)
        return;
    double a = (low - at) / way, b = (low + 1 - at) / way;
    square->first = fmax(square->first, fmin(a, b));
    square->last = fmin(square->last, fmax(a, b));
}

bool lf__glance_within(const lf_grid *grid, const lf__sight_line *line, lf__sight_block *square) {
    square->first = 0;
    square->last = line->end;
    shorten(line->at.x, line->way.x, (double)(grid->first + square->bx) + grid->shift, square);
    shorten(line->at.y, line->way.y, (double)(grid->first + square->by) + grid->shift, square);
    return square->first > 0 && square->first <= square->last;
}
