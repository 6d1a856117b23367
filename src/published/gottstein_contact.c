/// Gottstein's ways to predict when two moving boxes touch: ticks, spheres around them, bisection of the time.
#include "base/base.h"
#include "contact/contact.h"
#include <landfall/published.h>

/// At most this many ticks are tested.
#define TICKS 0x1p20

/// How far ahead, and how fine.
typedef struct contact_span {
    double ahead, tick;
} contact_span;

/// A moving box at some time.
static lf_moving_block block_at(const lf_moving_box *box, double time) {
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

static void meet_in_steps(const lf_moving_box *a, const lf_moving_box *b, const contact_span *span,
                          lf_contact_result *meeting) {
    *meeting = lf__no_meeting(span->ahead);
    int64_t last = (int64_t)ceil(span->ahead / span->tick);
    for (int64_t i = 0; i <= last && !meeting->meets; i++) {
        double time = fmin((double)i * span->tick, span->ahead);
        lf_moving_block block_a = block_at(a, time), block_b = block_at(b, time);
        if (lf__blocks_touch(&block_a, &block_b)) {
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
    lf_moving_block block = block_at(box, from + half);
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

/// Tests only the times from `from` to `to`.
static void bisect(const lf_moving_box *a, const lf_moving_box *b, double from, double to,
                   const contact_span *span, lf_contact_result *meeting) {
    struct {
        double from, to;
    } stack[SWEPT_WAITING];
    int depth = 0;
    stack[depth].from = from;
    stack[depth++].to = to;
    *meeting = lf__no_meeting(span->ahead);
    while (depth > 0) {
        depth--;
        double first = stack[depth].from, last = stack[depth].to, middle = 0.5 * (first + last);
        if (!sweeps_touch(a, b, first, last))
            continue;
        if (last - first <= span->tick || !(first < middle && middle < last) || depth + 2 > SWEPT_WAITING) {
            meeting->meets = true;
            meeting->time = first;
            lf_moving_block block_a = block_at(a, first), block_b = block_at(b, first);
            meeting->point = lf_vec3_scale(lf_vec3_add(block_a.centre, block_b.centre), 0.5);
            return;
        }
        stack[depth].from = middle;
        stack[depth++].to = last;
        stack[depth].from = first;
        stack[depth++].to = middle;
    }
}

// ---------------------------------------------------------------------------------------------------
// Spheres
// ---------------------------------------------------------------------------------------------------

/// The sphere around a box, about what the box turns around.
static lf_moving_sphere sphere_around(const lf_moving_box *box) {
    lf_vec3 centre = lf__is_zero(box->spin) ? lf_box_centre(box->box) : box->pivot;
    return (lf_moving_sphere){centre, lf__farthest_corner(box->box, centre) * (1 + 1e-15), box->velocity};
}

// ---------------------------------------------------------------------------------------------------
// The methods
// ---------------------------------------------------------------------------------------------------

/// Check the arguments; where there are too many ticks, make them longer.
static bool read_span(const lf_moving_box *a, const lf_moving_box *b, contact_span *span,
                      const lf_contact_result *meeting) {
    if (!meeting || !lf__contact_pair_usable(a, b) || !(span->ahead >= 0) || !isfinite(span->ahead) ||
        !(span->tick > 0))
        return false;
    span->tick = fmax(span->tick, span->ahead / TICKS);
    return true;
}

static lf_status by_steps(const lf_moving_box *a, const lf_moving_box *b, double ahead, double tick,
                          lf_contact_result *meeting) {
    contact_span span = {ahead, tick};
    if (!read_span(a, b, &span, meeting))
        return LF_BAD_ARGUMENT;
    meet_in_steps(a, b, &span, meeting);
    return LF_OK;
}

static lf_status by_spheres(const lf_moving_box *a, const lf_moving_box *b, double ahead, double tick,
                            lf_contact_result *meeting) {
    (void)tick;
    if (!meeting || !lf__contact_pair_usable(a, b) || !(ahead >= 0))
        return LF_BAD_ARGUMENT;
    lf_moving_sphere around_a = sphere_around(a), around_b = sphere_around(b);
    lf__spheres_meet(&around_a, &around_b, ahead, meeting);
    meeting->normal = (lf_vec3){0, 0, 0};
    return LF_OK;
}

static lf_status by_bisection(const lf_moving_box *a, const lf_moving_box *b, double ahead, double tick,
                              lf_contact_result *meeting) {
    contact_span span = {ahead, tick};
    if (!read_span(a, b, &span, meeting))
        return LF_BAD_ARGUMENT;
    bisect(a, b, 0, ahead, &span, meeting);
    return LF_OK;
}

static lf_status by_spheres_bisection(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                                      double tick, lf_contact_result *meeting) {
    contact_span span = {ahead, tick};
    if (!read_span(a, b, &span, meeting))
        return LF_BAD_ARGUMENT;
    lf_moving_sphere around_a = sphere_around(a), around_b = sphere_around(b);
    double from, to;
    *meeting = lf__no_meeting(ahead);
    if (lf__spheres_stretch(&around_a, &around_b, &from, &to) && from <= ahead && to >= 0)
        bisect(a, b, fmax(from, 0), fmin(to, ahead), &span, meeting);
    return LF_OK;
}

const lf_contact_method *lf_gottstein_contact(lf_gottstein_contact_kind kind) {
    static const lf_contact_method methods[] = {{"steps", by_steps},
                                                {"spheres", by_spheres},
                                                {"bisection", by_bisection},
                                                {"spheres-bisection", by_spheres_bisection}};
    return (size_t)kind < sizeof methods / sizeof *methods ? &methods[kind] : NULL;
}
