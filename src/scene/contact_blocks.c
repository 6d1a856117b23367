/// Boxes with axes of their own: fifteen axes can separate two of them, three of each and nine products of two edges.
///
/// Along each axis both are intervals; they overlap during a stretch of time that is known in closed form. The blocks touch while
/// they overlap along all fifteen.
#include "scene/contact.h"

/// Intervals are widened by this share of the coordinates: more than all roundings on the way.
#define SLACK 0x1p-44

/// Two edges as parallel as this make no axis of their own.
#define PARALLEL 1e-18

lf_vec3 lf__turned(lf_vec3 a, lf_vec3 spin, double time) {
    double speed = lf_vec3_length(spin);
    if (!(speed > 0))
        return a;
    lf_vec3 axis = lf_vec3_unit(spin), across = lf_vec3_cross(axis, a);
    double s = sin(speed * time), c = cos(speed * time), along = lf_vec3_dot(axis, a) * (1 - c);
    lf_vec3 turned = lf_vec3_scale(a, c);
    return lf_vec3_along(lf_vec3_along(turned, s, across), along, axis);
}

lf_moving_block lf__block_at(const lf_moving_box *box, double time) {
    static const lf_vec3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    lf_moving_block block;
    bool turns = !lf__is_zero(box->spin);
    lf_vec3 centre = lf_box_centre(box->box);
    block.half = lf_vec3_sub(box->box.high, centre);
    if (turns)
        centre = lf_vec3_add(box->pivot, lf__turned(lf_vec3_sub(centre, box->pivot), box->spin, time));
    block.centre = lf_vec3_along(centre, time, box->velocity);
    for (int k = 0; k < 3; k++)
        block.axes[k] = turns ? lf__turned(units[k], box->spin, time) : units[k];
    block.velocity = box->velocity;
    return block;
}

double lf__farthest_corner(lf_box box, lf_vec3 from) {
    lf_vec3 low = lf_vec3_sub(box.low, from), high = lf_vec3_sub(box.high, from);
    lf_vec3 far = {fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)),
                   fmax(fabs(low.z), fabs(high.z))};
    return lf_vec3_length(far);
}

/// Half the length of a block's shadow on an axis.
static inline double reach(const lf_moving_block *block, lf_vec3 axis) {
    return block->half.x * fabs(lf_vec3_dot(block->axes[0], axis)) +
           block->half.y * fabs(lf_vec3_dot(block->axes[1], axis)) +
           block->half.z * fabs(lf_vec3_dot(block->axes[2], axis));
}

/// Two blocks and the stretch of time in which they may still touch.
typedef struct crossing {
    const lf_moving_block *a, *b;
    lf_vec3 way;   ///< from a's centre to b's
    lf_vec3 speed; ///< how it changes
    double slack;
    double from, to;
    lf_vec3 normal; ///< of the axis that was last to overlap
} crossing;

static double size_of(const lf_moving_block *block) {
    return fabs(block->centre.x) + fabs(block->centre.y) + fabs(block->centre.z) + block->half.x +
           block->half.y + block->half.z;
}

static crossing crossing_of(const lf_moving_block *a, const lf_moving_block *b, double ahead) {
    crossing now = {a,
                    b,
                    lf_vec3_sub(b->centre, a->centre),
                    lf_vec3_sub(b->velocity, a->velocity),
                    SLACK * (size_of(a) + size_of(b)),
                    0,
                    ahead,
                    {0, 0, 0}};
    return now;
}

/// Cut the stretch to the time in which the shadows on one axis overlap; false: nothing is left. The axis need not be unit, but not
/// longer than 1.
static inline bool cut(crossing *now, lf_vec3 axis) {
    double distance = lf_vec3_dot(now->way, axis), speed = lf_vec3_dot(now->speed, axis);
    double sum = reach(now->a, axis) + reach(now->b, axis) + now->slack;
    if (speed == 0)
        return fabs(distance) <= sum;
    double one = (sum - distance) / speed, two = (-sum - distance) / speed;
    double from = one < two ? one : two, to = one < two ? two : one;
    from -= 0x1p-50 * fabs(from);
    to += 0x1p-50 * fabs(to);
    if (from > now->from) {
        now->from = from;
        now->normal = distance > 0 ? axis : lf_vec3_scale(axis, -1);
    }
    now->to = to < now->to ? to : now->to;
    return now->from <= now->to;
}

static bool cut_all(crossing *now) {
    for (int k = 0; k < 3; k++)
        if (!cut(now, now->a->axes[k]) || !cut(now, now->b->axes[k]))
            return false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            lf_vec3 axis = lf_vec3_cross(now->a->axes[i], now->b->axes[j]);
            if (lf_vec3_dot(axis, axis) > PARALLEL && !cut(now, axis))
                return false;
        }
    return true;
}

bool lf__blocks_touch(const lf_moving_block *a, const lf_moving_block *b, double slack) {
    crossing now = crossing_of(a, b, 0);
    now.slack += slack;
    now.speed = (lf_vec3){0, 0, 0};
    return cut_all(&now);
}

/// The corner of b that is farthest back along the normal, moved into a where the corner of a is nearer.
static lf_vec3 place_of(const lf_moving_block *block, lf_vec3 towards, double time) {
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

static bool is_usable(const lf_moving_block *block) {
    if (!block || !lf__contact_usable(block->centre) || !lf__contact_usable(block->half) ||
        !lf__contact_usable(block->velocity))
        return false;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            if (!(fabs(lf_vec3_dot(block->axes[i], block->axes[j]) - (i == j)) <= 4e-9))
                return false;
    return block->half.x >= 0 && block->half.y >= 0 && block->half.z >= 0;
}

lf_status lf_contact_blocks(const lf_moving_block *a, const lf_moving_block *b, double ahead,
                            lf_meeting *meeting) {
    if (!meeting || !is_usable(a) || !is_usable(b) || !(ahead >= 0))
        return LF_BAD_ARGUMENT;
    crossing now = crossing_of(a, b, ahead);
    *meeting = lf__no_meeting(ahead);
    if (!cut_all(&now))
        return LF_OK;
    meeting->meets = true;
    meeting->time = now.from;
    meeting->normal = now.from > 0 ? lf_vec3_unit(now.normal) : (lf_vec3){0, 0, 0};
    lf_vec3 one = place_of(a, meeting->normal, now.from);
    lf_vec3 two = place_of(b, lf_vec3_scale(meeting->normal, -1), now.from);
    meeting->point = lf_vec3_scale(lf_vec3_add(one, two), 0.5);
    return LF_OK;
}

void lf__contact_steps(const lf_moving_box *a, const lf_moving_box *b, const lf_contact_rules *rules,
                       lf_meeting *meeting) {
    *meeting = lf__no_meeting(rules->ahead);
    int64_t last = (int64_t)ceil(rules->ahead / rules->tick);
    for (int64_t i = 0; i <= last && !meeting->meets; i++) {
        double time = fmin((double)i * rules->tick, rules->ahead);
        lf_moving_block block_a = lf__block_at(a, time), block_b = lf__block_at(b, time);
        if (lf__blocks_touch(&block_a, &block_b, 0)) {
            meeting->meets = true;
            meeting->time = time;
            meeting->point = lf_vec3_scale(lf_vec3_add(block_a.centre, block_b.centre), 0.5);
        }
    }
}
