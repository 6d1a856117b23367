/// Halving the time: what two boxes sweep in a stretch of time are convex solids. Where these do not touch, nothing happens in that
/// time; where they do, both halves are looked at, the earlier one first, down to a tick.
///
/// Whether two solids touch is asked as Moore and Wilhelms do: is a vertex of one in the other, does an edge of one pass through a
/// face of the other, is the middle of a face of one in the other; then the same the other way round.
#include "contact/contact.h"

/// A box swept straight is a sum of four segments: it has at most 14 vertices, 24 edges and 12 faces, each a parallelogram of two of the
/// segments. A face is known by its plane alone.
enum { SEGMENTS = 4, FACES = 12, EDGES = 32, VERTICES = 16 };

/// Points are told inside from outside with a slack of this share of the solid's coordinates.
#define SLACK 0x1p-42

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

static lf_vec3 corner(const solid *it, unsigned signs) {
    lf_vec3 at = it->middle;
    for (int k = 0; k < SEGMENTS; k++)
        at = lf_vec3_along(at, signs >> k & 1 ? 1 : -1, it->arms[k]);
    return at;
}

/// The two faces that are made by two of the arms. The others go to the side they point to; those within the face leave its middle where
/// it is.
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

/// What a box sweeps from one time to another. One that turns is taken as it is half-way, larger by what any of its points can turn in
/// the other half; a box is never thinner than its slack.
static void sweep(const lf_moving_box *box, double from, double to, solid *it) {
    double half = 0.5 * (to - from);
    lf_moving_block block = lf__block_at(box, from + half);
    double more = lf_vec3_length(box->spin) * half;
    more *= more > 0 ? lf__farthest_corner(box->box, box->pivot) : 0;
    lf_vec3 move = lf_vec3_scale(box->velocity, half);
    it->middle = block.centre;
    it->slack = SLACK * (fabs(block.centre.x) + fabs(block.centre.y) + fabs(block.centre.z) +
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
        it->vertices[i] = corner(it, i);
        it->box = lf_box_with(it->box, it->vertices[i]);
    }
}

static bool is_inside(const solid *it, lf_vec3 p) {
    for (int k = 0; k < it->face_count; k++)
        if (lf_vec3_dot(it->faces[k].normal, p) > it->faces[k].offset)
            return false;
    return true;
}

/// Does a segment pass through the solid? Cut to each face's half-space in turn (Cyrus and Beck); some of it is left where an edge meets
/// a face.
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

/// One way round: vertices, edges and faces of one in the other.
static bool reaches(const solid *it, const solid *into) {
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
    return lf_box_overlap(wide, b->box) && (reaches(b, a) || reaches(a, b));
}

static bool sweeps_touch(const lf_moving_box *a, const lf_moving_box *b, double from, double to) {
    solid swept_a, swept_b;
    sweep(a, from, to, &swept_a);
    sweep(b, from, to, &swept_b);
    return solids_touch(&swept_a, &swept_b);
}

/// Room for stretches that wait: each halving leaves one behind, and there are at most 2^20 ticks.
#define WAITING 64

void lf__contact_bisection(const lf_moving_box *a, const lf_moving_box *b, double from, double to,
                           const lf_contact_rules *rules, lf_contact_result *meeting) {
    struct {
        double from, to;
    } stack[WAITING];
    int depth = 0;
    stack[depth].from = from;
    stack[depth++].to = to;
    *meeting = lf__no_meeting(rules->ahead);
    while (depth > 0) {
        depth--;
        double first = stack[depth].from, last = stack[depth].to, middle = 0.5 * (first + last);
        if (!sweeps_touch(a, b, first, last))
            continue;
        if (last - first <= rules->tick || !(first < middle && middle < last) || depth + 2 > WAITING) {
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
