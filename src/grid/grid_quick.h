/// A line against the two triangles of a cell, where doubles can tell.
///
/// Seen from the triangle's right-angled corner, along its two sides x and y, every triangle of a grid is x >= 0, y >= 0, x + y <= 1, and its
/// plane is z = corner + rise_x * x + rise_y * y. Almost all questions are settled by this; what is in doubt goes to lf__piece_meet.
/// The two triangles are the two lanes of a vector, which every processor has. The root is computed to twice a double's digits
/// and then rounded. Nothing depends on the instruction set.
#ifndef LF_GRID_QUICK_H
#define LF_GRID_QUICK_H

#include "grid/piece.h"

/// Into the caller, whose instruction set may be a better one.
#define LF__QUICK_INLINE __attribute__((always_inline)) static inline

typedef enum lf__quick { LF__QUICK_MISS, LF__QUICK_HIT, LF__QUICK_DOUBT } lf__quick;

typedef double lf__pair __attribute__((vector_size(16)));
typedef int64_t lf__pair_bits __attribute__((vector_size(16)));

/// A line and the two triangles of a cell: its place seen from their corners, its direction, and the heights.
typedef struct lf__quick_case {
    lf__pair x, y, x_rest, y_rest; ///< rounded, and what that left
    lf__pair dx, dy;
    double z, dz;
    lf__pair corner, side_x, side_y; ///< heights of the corners and of the ends of their two sides
} lf__quick_case;

LF__QUICK_INLINE lf__pair lf__pair_of(double x) {
    return (lf__pair){x, x};
}

LF__QUICK_INLINE lf__pair lf__pair_size(lf__pair x) {
    return (lf__pair)((lf__pair_bits)x & INT64_MAX);
}

LF__QUICK_INLINE lf__pair lf__pair_sum(lf__pair a, lf__pair b, lf__pair *rest) {
    lf__pair sum = a + b, b_part = sum - a, a_part = sum - b_part;
    *rest = (a - a_part) + (b - b_part);
    return sum;
}

LF__QUICK_INLINE lf__pair lf__pair_product(lf__pair a, lf__pair b, lf__pair *rest) {
    const double splitter = 134217729.0; // 2^27 + 1
    lf__pair product = a * b, a_big = splitter * a, b_big = splitter * b;
    lf__pair a_high = a_big - (a_big - a), b_high = b_big - (b_big - b), a_low = a - a_high,
             b_low = b - b_high;
    *rest = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    return product;
}

/// Falling cells have their right-angled corners at (0, 0) and (1, 1), rising ones at (1, 0) and (0, 1).
LF__QUICK_INLINE void lf__quick_start(lf__quick_case *c, const lf__grid_corners *h, const lf_ray *line,
                                      int64_t i, int64_t j, bool falls) {
    double left = (double)i, low = (double)j, right = left + 1, high = low + 1;
    lf__pair at_x = falls ? (lf__pair){left, right} : (lf__pair){right, left}, at_y = {low, high};
    lf__pair turn_x = falls ? (lf__pair){1, -1} : (lf__pair){-1, 1}, turn_y = {1, -1};
    c->x = turn_x * lf__pair_sum(lf__pair_of(line->origin.x), -at_x, &c->x_rest);
    c->y = turn_y * lf__pair_sum(lf__pair_of(line->origin.y), -at_y, &c->y_rest);
    c->x_rest *= turn_x;
    c->y_rest *= turn_y;
    c->dx = turn_x * line->direction.x;
    c->dy = turn_y * line->direction.y;
    c->z = line->origin.z;
    c->dz = line->direction.z;
    c->corner = falls ? (lf__pair){h->h00, h->h11} : (lf__pair){h->h10, h->h01};
    c->side_x = falls ? (lf__pair){h->h10, h->h01} : (lf__pair){h->h00, h->h11};
    c->side_y = falls ? (lf__pair){h->h01, h->h10} : (lf__pair){h->h11, h->h00};
}

#define LF__QUICK_UNIT 0x1p-53
#define LF__QUICK_TINY 0x1p-1000

/// Verdicts by whether something is surely not so, and whether everything is surely so.
LF__QUICK_INLINE lf__quick lf__quick_verdict(bool surely_not, bool surely) {
    return surely_not ? LF__QUICK_MISS : surely ? LF__QUICK_HIT : LF__QUICK_DOUBT;
}

/// Does the line meet the triangles? Never wrong: in doubt it says so. errors[0] and [1] become the sums of magnitudes of which
/// the rounding of the equation's coefficients is a small multiple.
LF__QUICK_INLINE void lf__quick_decide(const lf__quick_case *c, double t_min, double t_max,
                                       lf__quick verdict[2], lf__pair sizes[2]) {
    lf__pair rise_x = c->side_x - c->corner, rise_y = c->side_y - c->corner;
    lf__pair x = rise_x * c->x, y = rise_y * c->y, dx = rise_x * c->dx, dy = rise_y * c->dy;
    // The height of the line over the plane is e0 + e1 * t.
    lf__pair e0 = c->z - c->corner - x - y, e1 = c->dz - dx - dy;
    sizes[0] = fabs(c->z) + lf__pair_size(c->corner) + lf__pair_size(x) + lf__pair_size(y);
    sizes[1] = fabs(c->dz) + lf__pair_size(dx) + lf__pair_size(dy);
    lf__pair error0 = 8 * LF__QUICK_UNIT * sizes[0] + LF__QUICK_TINY;
    lf__pair error1 = 6 * LF__QUICK_UNIT * sizes[1] + LF__QUICK_TINY;
    lf__pair_bits sign = (lf__pair_bits)e1 & INT64_MIN; // from here on e1 is positive
    e0 = (lf__pair)((lf__pair_bits)e0 ^ sign);
    e1 = lf__pair_size(e1);
    // Limits at the root, times e1: each is a difference of two products.
    lf__pair in_x = c->x * e1 - c->dx * e0, in_y = c->y * e1 - c->dy * e0;
    lf__pair rest = ((1 - c->x) - c->y) * e1 + (c->dx + c->dy) * e0;
    lf__pair far = 8 * LF__QUICK_UNIT * lf__pair_size(e0) + error0, steep = 8 * LF__QUICK_UNIT * e1 + error1;
    lf__pair doubt = (1 + lf__pair_size(c->x) + lf__pair_size(c->y)) * steep +
                     (lf__pair_size(c->dx) + lf__pair_size(c->dy)) * far;
    lf__pair begin = e0 + e1 * t_min, begin_doubt = far + steep * fabs(t_min);
    lf__pair end = e0 + e1 * t_max, end_doubt = far + steep * fabs(t_max);
    lf__pair_bits outside = (in_x < -doubt) | (in_y < -doubt) | (rest < -doubt);
    lf__pair_bits inside = (in_x > doubt) & (in_y > doubt) & (rest > doubt) & (e1 > error1);
    if (t_min != -LF_INFINITY) {
        outside |= begin > begin_doubt;
        inside &= begin < -begin_doubt;
    }
    if (t_max != LF_INFINITY) {
        outside |= end < -end_doubt;
        inside &= end > end_doubt;
    }
    outside &= e1 > error1;
    verdict[0] = lf__quick_verdict(outside[0] != 0, inside[0] != 0);
    verdict[1] = lf__quick_verdict(outside[1] != 0, inside[1] != 0);
}

/// The root for triangle k, within 4 ulp; false when that takes more digits still. e0 and e1 are the lanes now: sums of products whose
/// roundings are summed as well, which leaves about 2^-100 of the magnitudes.
LF__QUICK_INLINE bool lf__quick_root(const lf__quick_case *c, int k, const lf__pair sizes[2], double *t) {
    double corner = c->corner[k], side_x = c->side_x[k], side_y = c->side_y[k], rests[2];
    double rise_x = lf__two_sum(side_x, -corner, &rests[0]), rise_y = lf__two_sum(side_y, -corner, &rests[1]);
    lf__pair x = {c->x[k], c->dx[k]}, y = {c->y[k], c->dy[k]}, rest[5];
    lf__pair over = lf__pair_sum((lf__pair){c->z, c->dz}, (lf__pair){-corner, 0}, &rest[0]);
    lf__pair along_x = lf__pair_product(lf__pair_of(rise_x), x, &rest[1]);
    lf__pair along_y = lf__pair_product(lf__pair_of(rise_y), y, &rest[2]);
    over = lf__pair_sum(over, -along_x, &rest[3]);
    over = lf__pair_sum(over, -along_y, &rest[4]);
    lf__pair x_rest = {c->x_rest[k], 0}, y_rest = {c->y_rest[k], 0};
    lf__pair lost = rise_x * x_rest + rests[0] * x + rise_y * y_rest + rests[1] * y;
    over += ((rest[0] + rest[3]) + rest[4]) - ((rest[1] + rest[2]) + lost);
    *t = -over[0] / over[1];
    return sizes[0][k] * 0x1p-97 + LF__QUICK_TINY <= 0x1p-55 * fabs(over[0]) &&
           sizes[1][k] * 0x1p-97 + LF__QUICK_TINY <= 0x1p-55 * fabs(over[1]);
}

/// All of it for a cell. false: in doubt about one triangle at least.
LF__QUICK_INLINE bool lf__quick_meet(const lf__grid_corners *h, const lf_ray *line, int64_t i, int64_t j,
                                     bool falls, lf__quick verdict[2], double t[2]) {
    lf__quick_case c;
    lf__pair sizes[2];
    lf__quick_start(&c, h, line, i, j, falls);
    lf__quick_decide(&c, line->t_min, line->t_max, verdict, sizes);
    for (int k = 0; k < 2; k++) {
        if (verdict[k] == LF__QUICK_MISS)
            continue;
        if (verdict[k] == LF__QUICK_DOUBT || !lf__quick_root(&c, k, sizes, &t[k]))
            return false;
        t[k] = t[k] < line->t_min ? line->t_min : t[k] > line->t_max ? line->t_max : t[k];
    }
    return true;
}

#endif
