/// Contact times of boxes with axes of their own, in closed form.
#include "contact/contact.h"

// ---------------------------------------------------------------------------------------------------
// Boxes with axes of their own
// ---------------------------------------------------------------------------------------------------

// Fifteen axes can separate two boxes: three of each, and nine cross products of two edges. Along each axis
// both are intervals; they overlap during an interval of time that is known in closed form. The boxes touch
// while they overlap along all fifteen.

/// Intervals are widened by this share of the coordinates: more than all rounding errors.
#define BLOCK_SLACK 0x1p-43

/// The cross product of two edges as parallel as this is no axis.
#define BLOCK_PARALLEL 1e-12

lf_vec3 lf__turned(lf_vec3 a, lf_vec3 spin, double time) {
    double speed = lf_vec3_length(spin);
    if (!(speed > 0))
        return a;
    lf_vec3 axis = lf_vec3_unit(spin), across = lf_vec3_cross(axis, a);
    double s = sin(speed * time), c = cos(speed * time), along = lf_vec3_dot(axis, a) * (1 - c);
    lf_vec3 turned = lf_vec3_scale(a, c);
    return lf_vec3_along(lf_vec3_along(turned, s, across), along, axis);
}

double lf__farthest_corner(lf_box box, lf_vec3 from) {
    lf_vec3 low = lf_vec3_sub(box.low, from), high = lf_vec3_sub(box.high, from);
    lf_vec3 far = {fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)),
                   fmax(fabs(low.z), fabs(high.z))};
    return lf_vec3_length(far);
}

/// Two blocks and the interval of time in which they may still touch.
typedef struct block_crossing {
    const lf_moving_block *a, *b;
    double turn[3][3], spread[3][3]; ///< axes of a times axes of b, and their magnitudes
    double way_a[3], way_b[3];       ///< from a's centre to b's, along the axes of each
    double speed_a[3], speed_b[3];   ///< how it changes
    double half_a[3], half_b[3];
    double slack;
    double from, to;
    int axis;     ///< that was last to overlap: 0 to 2 of a, 3 to 5 of b, 6 + 3 i + j the product of two
    bool forward; ///< b is in the positive direction of it
} block_crossing;

static double block_size_of(const lf_moving_block *block) {
    return fabs(block->centre.x) + fabs(block->centre.y) + fabs(block->centre.z) + block->half.x +
           block->half.y + block->half.z;
}

static void start_crossing(block_crossing *now, const lf_moving_block *a, const lf_moving_block *b,
                           bool still, double ahead) {
    lf_vec3 way = lf_vec3_sub(b->centre, a->centre), speed = lf_vec3_sub(b->velocity, a->velocity);
    if (still)
        speed = (lf_vec3){0, 0, 0};
    now->a = a;
    now->b = b;
    for (int i = 0; i < 3; i++) {
        now->way_a[i] = lf_vec3_dot(way, a->axes[i]);
        now->way_b[i] = lf_vec3_dot(way, b->axes[i]);
        now->speed_a[i] = lf_vec3_dot(speed, a->axes[i]);
        now->speed_b[i] = lf_vec3_dot(speed, b->axes[i]);
        for (int j = 0; j < 3; j++) {
            now->turn[i][j] = lf_vec3_dot(a->axes[i], b->axes[j]);
            now->spread[i][j] = fabs(now->turn[i][j]);
        }
    }
    now->half_a[0] = a->half.x, now->half_a[1] = a->half.y, now->half_a[2] = a->half.z;
    now->half_b[0] = b->half.x, now->half_b[1] = b->half.y, now->half_b[2] = b->half.z;
    now->slack = BLOCK_SLACK * (block_size_of(a) + block_size_of(b));
    now->from = 0;
    now->to = ahead;
    now->axis = -1;
}

/// Clip the interval to the time in which the projections on one axis overlap; false: nothing is left. The
/// length of the axis is at most 1.
static inline bool block_cut(block_crossing *now, double way, double speed, double reach, int axis) {
    double sum = reach + now->slack;
    if (speed == 0)
        return fabs(way) <= sum;
    double inverse = 1 / speed, middle = -way * inverse, half = fabs(sum * inverse);
    double from = middle - half, to = middle + half, doubt = 0x1p-49 * (fabs(middle) + half);
    if (from - doubt > now->from) {
        now->from = from - doubt;
        now->axis = axis;
        now->forward = way > 0;
    }
    now->to = to + doubt < now->to ? to + doubt : now->to;
    return now->from <= now->to;
}

/// The cross product of one edge of each: a distance along it is a difference of two products.
static inline bool cut_product(block_crossing *now, int i, int j) {
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    if (1 - now->turn[i][j] * now->turn[i][j] <= BLOCK_PARALLEL)
        return true;
    double reach = now->half_a[i1] * now->spread[i2][j] + now->half_a[i2] * now->spread[i1][j] +
                   now->half_b[j1] * now->spread[i][j2] + now->half_b[j2] * now->spread[i][j1];
    double way = now->way_a[i2] * now->turn[i1][j] - now->way_a[i1] * now->turn[i2][j];
    double speed = now->speed_a[i2] * now->turn[i1][j] - now->speed_a[i1] * now->turn[i2][j];
    return block_cut(now, way, speed, reach, 6 + 3 * i + j);
}

static bool cut_all(block_crossing *now) {
    for (int k = 0; k < 3; k++) {
        const double *spread = now->spread[k];
        double reach_a = now->half_a[k] + now->half_b[0] * spread[0] + now->half_b[1] * spread[1] +
                         now->half_b[2] * spread[2];
        double reach_b = now->half_b[k] + now->half_a[0] * now->spread[0][k] +
                         now->half_a[1] * now->spread[1][k] + now->half_a[2] * now->spread[2][k];
        if (!block_cut(now, now->way_a[k], now->speed_a[k], reach_a, k) ||
            !block_cut(now, now->way_b[k], now->speed_b[k], reach_b, 3 + k))
            return false;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (!cut_product(now, i, j))
                return false;
    return true;
}

/// The direction of the axis that was last to overlap, from a to b.
static lf_vec3 block_normal_of(const block_crossing *now) {
    if (now->axis < 0)
        return (lf_vec3){0, 0, 0};
    int product = now->axis - 6;
    lf_vec3 axis = now->axis < 3   ? now->a->axes[now->axis]
                   : now->axis < 6 ? now->b->axes[now->axis - 3]
                                   : lf_vec3_cross(now->a->axes[product / 3], now->b->axes[product % 3]);
    return lf_vec3_unit(now->forward ? axis : lf_vec3_scale(axis, -1));
}

bool lf__blocks_touch(const lf_moving_block *a, const lf_moving_block *b) {
    block_crossing now;
    start_crossing(&now, a, b, true, 0);
    return cut_all(&now);
}

/// The corner, or the middle of an edge or face, that is farthest in a direction at some time.
static lf_vec3 block_place_of(const lf_moving_block *block, lf_vec3 towards, double time) {
    lf_vec3 at = lf_vec3_along(block->centre, time, block->velocity);
    const double half[3] = {block->half.x, block->half.y, block->half.z};
    for (int k = 0; k < 3; k++) {
        double side = lf_vec3_dot(block->axes[k], towards);
        // an axis across the normal has no preferred side: stay in the middle
        if (fabs(side) > 1e-9)
            at = lf_vec3_along(at, side > 0 ? half[k] : -half[k], block->axes[k]);
    }
    return at;
}

/// Is the dot product of two axes as expected? 0 or 1, to be combined without branches.
static inline int block_fit(lf_vec3 a, lf_vec3 b, double expected) {
    return fabs(lf_vec3_dot(a, b) - expected) <= 4e-9;
}

/// Without branches until the end: a NaN or an infinity fails the comparison that it enters.
static bool block_is_usable(const lf_moving_block *block) {
    if (!block)
        return false;
    const lf_vec3 *x = block->axes;
    int square = block_fit(x[0], x[0], 1) & block_fit(x[1], x[1], 1) & block_fit(x[2], x[2], 1) &
                 block_fit(x[0], x[1], 0) & block_fit(x[0], x[2], 0) & block_fit(x[1], x[2], 0);
    bool fine = (block->half.x >= 0) & (block->half.y >= 0) & (block->half.z >= 0);
    return square && fine && lf__contact_usable(block->centre) && lf__contact_usable(block->half) &&
           lf__contact_usable(block->velocity);
}

/// Surely never: not even the spheres around the two meet. Most pairs end here, before any axis is tested.
static bool stay_away(const lf_moving_block *a, const lf_moving_block *b, double ahead) {
    lf_vec3 way = lf_vec3_sub(b->centre, a->centre), speed = lf_vec3_sub(b->velocity, a->velocity);
    double pace = lf_vec3_dot(speed, speed), along = -lf_vec3_dot(way, speed);
    if (along > 0 && pace < 0x1p-900) // squares that have lost digits to underflow
        return false;
    double time = along > 0 ? (along < ahead * pace ? along / pace : ahead) : 0;
    lf_vec3 nearest = lf_vec3_along(way, time, speed);
    double reach = lf_vec3_length(a->half) + lf_vec3_length(b->half);
    // The rounding error of the position is a small share of all its terms.
    double size =
        block_size_of(a) + block_size_of(b) + time * (fabs(speed.x) + fabs(speed.y) + fabs(speed.z));
    double limit = reach + 1e-9 * (size + reach);
    double distance = lf_vec3_dot(nearest, nearest);
    return distance > limit * limit && isfinite(distance);
}

lf_status lf_contact_blocks(const lf_moving_block *a, const lf_moving_block *b, double ahead,
                            lf_contact_result *meeting) {
    if (!meeting || !block_is_usable(a) || !block_is_usable(b) || !(ahead >= 0))
        return LF_BAD_ARGUMENT;
    block_crossing now;
    *meeting = lf__no_meeting(ahead);
    if (stay_away(a, b, ahead))
        return LF_OK;
    start_crossing(&now, a, b, false, ahead);
    if (!cut_all(&now))
        return LF_OK;
    meeting->meets = true;
    meeting->time = now.from;
    meeting->normal = now.from > 0 ? block_normal_of(&now) : (lf_vec3){0, 0, 0};
    lf_vec3 one = block_place_of(a, meeting->normal, now.from);
    lf_vec3 two = block_place_of(b, lf_vec3_scale(meeting->normal, -1), now.from);
    meeting->point = lf_vec3_scale(lf_vec3_add(one, two), 0.5);
    return LF_OK;
}
