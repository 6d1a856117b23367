/// Contact times of boxes with axes of their own, in closed form, and the methods that sample or bisect the
/// time.
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

/// Do two blocks share a point where they are, with a slack in metres?
static bool blocks_touch(const lf_moving_block *a, const lf_moving_block *b, double slack) {
    block_crossing now;
    start_crossing(&now, a, b, true, 0);
    now.slack += slack;
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

void lf__contact_steps(const lf_moving_box *a, const lf_moving_box *b, const lf_contact_rules *rules,
                       lf_contact_result *meeting) {
    *meeting = lf__no_meeting(rules->ahead);
    int64_t last = (int64_t)ceil(rules->ahead / rules->tick);
    for (int64_t i = 0; i <= last && !meeting->meets; i++) {
        double time = fmin((double)i * rules->tick, rules->ahead);
        lf_moving_block block_a = lf__block_at(a, time), block_b = lf__block_at(b, time);
        if (blocks_touch(&block_a, &block_b, 0)) {
            meeting->meets = true;
            meeting->time = time;
            meeting->point = lf_vec3_scale(lf_vec3_add(block_a.centre, block_b.centre), 0.5);
        }
    }
}

// ---------------------------------------------------------------------------------------------------
// Bisection
// ---------------------------------------------------------------------------------------------------

// The volumes that two boxes sweep in an interval of time are convex solids. Where these do not touch, no
// contact happens in that interval; where they do, both halves are tested, the earlier one first, down to a
// tick. Whether two solids touch is tested as Moore and Wilhelms do: is a vertex of one in the other, does an
// edge of one pass through a face of the other, is the middle of a face of one in the other; then the same
// with the two exchanged.

/// A box swept along a line is the Minkowski sum of four segments: it has at most 14 vertices, 24 edges and
/// 12 faces, each a parallelogram of two of the segments. A face is represented by its plane alone.
enum { SEGMENTS = 4, FACES = 12, EDGES = 32, VERTICES = 16 };

/// Points are classified as inside or outside with a slack of this share of the solid's coordinates.
#define SWEPT_SLACK 0x1p-42

typedef struct solid {
    lf_vec3 middle;
    lf_vec3 arms[SEGMENTS]; ///< half of each segment
    lf_plane faces[FACES];
    lf_vec3 centres[FACES]; ///< of the faces
    int face_count;
    lf_vec3 vertices[VERTICES]; ///< with a few that are inside
    lf_box box;
    double slack;
} solid;

static lf_vec3 swept_corner(const solid *it, unsigned signs) {
    lf_vec3 at = it->middle;
    for (int k = 0; k < SEGMENTS; k++)
        at = lf_vec3_along(at, signs >> k & 1 ? 1 : -1, it->arms[k]);
    return at;
}

/// The two faces spanned by two of the arms. The other arms shift them to the side they point to; those
/// within the face leave its middle unchanged.
static void add_faces(solid *it, int i, int j) {
    lf_vec3 normal = lf_vec3_cross(it->arms[i], it->arms[j]);
    double area = lf_vec3_length(normal);
    if (!(area > 1e-12 * lf_vec3_length(it->arms[i]) * lf_vec3_length(it->arms[j])))
        return;
    normal = lf_vec3_scale(normal, 1 / area);
    lf_vec3 out = {0, 0, 0};
    double reach = 0;
    for (int k = 0; k < SEGMENTS; k++) {
        double side = lf_vec3_dot(normal, it->arms[k]);
        reach += k == i || k == j ? 0 : fabs(side);
        if (k != i && k != j && fabs(side) > 1e-12 * lf_vec3_length(it->arms[k]))
            out = lf_vec3_along(out, side > 0 ? 1 : -1, it->arms[k]);
    }
    double middle = lf_vec3_dot(normal, it->middle);
    it->centres[it->face_count] = lf_vec3_add(it->middle, out);
    it->faces[it->face_count++] = (lf_plane){normal, middle + reach + it->slack};
    it->centres[it->face_count] = lf_vec3_sub(it->middle, out);
    it->faces[it->face_count++] = (lf_plane){lf_vec3_scale(normal, -1), reach - middle + it->slack};
}

/// What a box sweeps from one time to another. A rotating box is taken at half time, enlarged by how far any
/// of its points can move by rotation in the other half; a box is never thinner than its slack.
static void swept_solid_of(const lf_moving_box *box, double from, double to, solid *it) {
    double half = 0.5 * (to - from);
    lf_moving_block block = lf__block_at(box, from + half);
    double more = lf_vec3_length(box->spin) * half;
    more *= more > 0 ? lf__farthest_corner(box->box, box->pivot) : 0;
    lf_vec3 move = lf_vec3_scale(box->velocity, half);
    it->middle = block.centre;
    it->slack = SWEPT_SLACK * (fabs(block.centre.x) + fabs(block.centre.y) + fabs(block.centre.z) +
                               lf_vec3_length(block.half) + lf_vec3_length(move) + more);
    double least = it->slack > 0 ? it->slack : 0x1p-1000;
    const double sides[3] = {block.half.x, block.half.y, block.half.z};
    for (int k = 0; k < 3; k++)
        it->arms[k] = lf_vec3_scale(block.axes[k], fmax(sides[k] + more, least));
    it->arms[3] = move;
    it->face_count = 0;
    for (int i = 0; i < SEGMENTS; i++)
        for (int j = i + 1; j < SEGMENTS; j++)
            add_faces(it, i, j);
    it->box = lf_box_empty();
    for (unsigned i = 0; i < VERTICES; i++) {
        it->vertices[i] = swept_corner(it, i);
        it->box = lf_box_with(it->box, it->vertices[i]);
    }
}

static bool is_inside(const solid *it, lf_vec3 p) {
    for (int k = 0; k < it->face_count; k++)
        if (lf_vec3_dot(it->faces[k].normal, p) > it->faces[k].offset)
            return false;
    return true;
}

/// Does a segment pass through the solid? It is clipped to each face's half-space in turn (Cyrus and Beck).
static bool passes(const solid *it, lf_vec3 from, lf_vec3 to) {
    double first = 0, last = 1;
    for (int k = 0; k < it->face_count && first <= last; k++) {
        double start = lf_vec3_dot(it->faces[k].normal, from) - it->faces[k].offset;
        double end = lf_vec3_dot(it->faces[k].normal, to) - it->faces[k].offset;
        if (start > 0 && end > 0)
            return false;
        if (start > 0)
            first = fmax(first, start / (start - end) - 0x1p-40);
        else if (end > 0)
            last = fmin(last, start / (start - end) + 0x1p-40);
    }
    return first <= last;
}

/// Vertices, edges and faces of one in the other.
static bool swept_reaches(const solid *it, const solid *into) {
    for (int i = 0; i < VERTICES; i++)
        if (is_inside(into, it->vertices[i]))
            return true;
    for (unsigned i = 0; i < VERTICES; i++)
        for (int k = 0; k < SEGMENTS; k++)
            if (!(i >> k & 1) && passes(into, it->vertices[i], it->vertices[i | 1u << k]))
                return true;
    for (int k = 0; k < it->face_count; k++)
        if (is_inside(into, it->centres[k]))
            return true;
    return false;
}

static bool solids_touch(const solid *a, const solid *b) {
    double slack = a->slack + b->slack;
    lf_box wide = {{a->box.low.x - slack, a->box.low.y - slack, a->box.low.z - slack},
                   {a->box.high.x + slack, a->box.high.y + slack, a->box.high.z + slack}};
    return lf_box_overlap(wide, b->box) && (swept_reaches(b, a) || swept_reaches(a, b));
}

static bool sweeps_touch(const lf_moving_box *a, const lf_moving_box *b, double from, double to) {
    solid swept_a, swept_b;
    swept_solid_of(a, from, to, &swept_a);
    swept_solid_of(b, from, to, &swept_b);
    return solids_touch(&swept_a, &swept_b);
}

/// Size of the stack of intervals: each halving leaves one behind, and there are at most 2^20 ticks.
#define SWEPT_WAITING 64

void lf__contact_bisection(const lf_moving_box *a, const lf_moving_box *b, double from, double to,
                           const lf_contact_rules *rules, lf_contact_result *meeting) {
    struct {
        double from, to;
    } stack[SWEPT_WAITING];
    int depth = 0;
    stack[depth].from = from;
    stack[depth++].to = to;
    *meeting = lf__no_meeting(rules->ahead);
    while (depth > 0) {
        depth--;
        double first = stack[depth].from, last = stack[depth].to, middle = 0.5 * (first + last);
        if (!sweeps_touch(a, b, first, last))
            continue;
        if (last - first <= rules->tick || !(first < middle && middle < last) || depth + 2 > SWEPT_WAITING) {
            meeting->meets = true;
            meeting->time = first;
            lf_moving_block block_a = lf__block_at(a, first), block_b = lf__block_at(b, first);
            meeting->point = lf_vec3_scale(lf_vec3_add(block_a.centre, block_b.centre), 0.5);
            return;
        }
        stack[depth].from = middle;
        stack[depth++].to = last;
        stack[depth].from = first;
        stack[depth++].to = middle;
    }
}

void lf__contact_spheres_bisection(const lf_moving_box *a, const lf_moving_box *b,
                                   const lf_contact_rules *rules, lf_contact_result *meeting) {
    lf_moving_sphere around_a = lf__sphere_around(a), around_b = lf__sphere_around(b);
    double from, to;
    *meeting = lf__no_meeting(rules->ahead);
    if (!lf__spheres_stretch(&around_a, &around_b, &from, &to) || from > rules->ahead || to < 0)
        return;
    lf__contact_bisection(a, b, fmax(from, 0), fmin(to, rules->ahead), rules, meeting);
}
