/// Polygons into triangles, ear by ear.
///
/// The corners that are left are kept at the end of the caller's own array, the triangles grow from its
/// start: with k triangles cut off, 3k + (count - k) places are taken, which never exceeds 3 (count - 2)
/// before the last triangle, and that one takes the place of the last three corners.
#include "geom/geometry.h"

/// The corners left, as a ring. A number below 0 is ~corner: known to be no ear as long as its neighbours
/// stay. Cutting an ear only makes the polygon smaller, so a diagonal that was not inside does not come
/// inside.
typedef struct ring {
    const lf_vec3 *corners;
    lf__projection projection;
    int64_t *left; ///< count numbers
    int64_t count;
} ring;

static int64_t ring_place(const ring *ring, int64_t place) {
    return place < 0 ? place + ring->count : place >= ring->count ? place - ring->count : place;
}

static int64_t ring_corner(const ring *ring, int64_t place) {
    int64_t number = ring->left[ring_place(ring, place)];
    return number < 0 ? ~number : number;
}

static lf_vec2 ring_point(const ring *ring, int64_t place) {
    return lf__project(ring->corners[ring_corner(ring, place)], ring->projection.axis);
}

/// +1 when a, b, c turn in the direction of the polygon.
static int turn_of(const ring *ring, lf_vec2 a, lf_vec2 b, lf_vec2 c) {
    return lf_orient2d(a, b, c) * ring->projection.turn;
}

/// The neighbours of a place have changed: check it again.
static void ring_forget(ring *ring, int64_t place) {
    place = ring_place(ring, place);
    if (ring->left[place] < 0)
        ring->left[place] = ~ring->left[place];
}

/// Take a corner out: those before it move up, so that the ring's end stays where it is.
static void ring_remove(ring *ring, int64_t place) {
    for (int64_t i = place; i > 0; i--)
        ring->left[i] = ring->left[i - 1];
    ring->left++;
    ring->count--;
    if (ring->count > 0) {
        ring_forget(ring, place);
        ring_forget(ring, place - 1);
    }
}

// ---------------------------------------------------------------------------------------------------
// Crossings
// ---------------------------------------------------------------------------------------------------

static bool spans_apart(double a, double b, double c, double d) {
    double low = a < b ? a : b, high = a < b ? b : a;
    return (c < low && d < low) || (c > high && d > high);
}

/// Do two edges cross in a point inside both?
static bool edges_cross(lf_vec2 a, lf_vec2 b, lf_vec2 c, lf_vec2 d) {
    if (spans_apart(a.x, b.x, c.x, d.x) || spans_apart(a.y, b.y, c.y, d.y))
        return false;
    return lf_orient2d(a, b, c) * lf_orient2d(a, b, d) < 0 && lf_orient2d(c, d, a) * lf_orient2d(c, d, b) < 0;
}

static bool outline_crosses_itself(const ring *ring) {
    for (int64_t i = 0; i + 2 < ring->count; i++) {
        lf_vec2 a = ring_point(ring, i), b = ring_point(ring, i + 1);
        for (int64_t j = i + 2; j < ring->count; j++)
            if (edges_cross(a, b, ring_point(ring, j), ring_point(ring, j + 1)))
                return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------
// Ears
// ---------------------------------------------------------------------------------------------------

/// Does the outline leave the corner b into the angle a, b, c at another place where it passes through b?
/// Then it runs through the triangle although none of its corners lies there.
static bool passes_through_tip(const ring *ring, int64_t place, lf_vec2 a, lf_vec2 b, lf_vec2 c) {
    for (int64_t step = -1; step <= 1; step += 2) {
        lf_vec2 p = ring_point(ring, ring_place(ring, place + step));
        if (turn_of(ring, a, b, p) > 0 && turn_of(ring, b, c, p) > 0)
            return true;
    }
    return false;
}

/// Is the corner at a place an ear: a proper turn, and nothing else of the outline in its triangle?
static bool is_ear(const ring *ring, int64_t place) {
    lf_vec2 a = ring_point(ring, place - 1), b = ring_point(ring, place), c = ring_point(ring, place + 1);
    if (turn_of(ring, a, b, c) <= 0)
        return false;
    for (int64_t step = 2; step < ring->count - 1; step++) {
        int64_t other = ring_place(ring, place + step);
        lf_vec2 p = ring_point(ring, other);
        if (lf__vec2_same(p, b)) {
            if (passes_through_tip(ring, other, a, b, c))
                return false;
        } else if (!lf__vec2_same(p, a) && !lf__vec2_same(p, c)) {
            if (turn_of(ring, a, b, p) >= 0 && turn_of(ring, b, c, p) >= 0 && turn_of(ring, c, a, p) >= 0)
                return false;
        }
    }
    return true;
}

/// A corner that bounds nothing: a repeated one, or the tip of a spike.
static bool is_idle(const ring *ring, int64_t place) {
    lf_vec2 a = ring_point(ring, place - 1), b = ring_point(ring, place), c = ring_point(ring, place + 1);
    if (lf__vec2_same(a, b) || lf__vec2_same(b, c))
        return true;
    return lf__vec2_rises(a, b) != lf__vec2_rises(b, c) && lf_orient2d(a, b, c) == 0;
}

/// Take out idle corners, starting at a place and stepping back after each: its removal may leave another.
static void remove_idle(ring *ring, int64_t place, int64_t length) {
    while (ring->count > 2 && length > 0) {
        place = ring_place(ring, place);
        if (is_idle(ring, place)) {
            ring_remove(ring, place);
            place = ring_place(ring, place - 1);
            length++;
        } else {
            place++;
            length--;
        }
    }
}

/// The next ear at or after a place, or -1. Corners found to be none are marked.
static int64_t find_ear(ring *ring, int64_t start) {
    for (int64_t i = 0; i < ring->count; i++) {
        int64_t place = ring_place(ring, start + i);
        if (ring->left[place] < 0)
            continue;
        if (is_ear(ring, place))
            return place;
        ring->left[place] = ~ring->left[place];
    }
    return -1;
}

/// Once more without the marks: where an outline touches itself, a corner may become an ear later.
static int64_t find_ear_again(ring *ring, int64_t start) {
    int64_t place = find_ear(ring, start);
    if (place >= 0)
        return place;
    for (int64_t i = 0; i < ring->count; i++)
        ring_forget(ring, i);
    return find_ear(ring, start);
}

/// Without any ear: a straight corner can be spared. Only outlines that touch themselves come to this.
static bool remove_straight(ring *ring) {
    for (int64_t place = 0; place < ring->count; place++) {
        lf_vec2 a = ring_point(ring, place - 1), b = ring_point(ring, place), c = ring_point(ring, place + 1);
        if (lf_orient2d(a, b, c) == 0) {
            ring_remove(ring, place);
            return true;
        }
    }
    return false;
}

/// Cut an ear off and write its triangle, in this order: the triangle may take the place that the ring
/// gives up.
static void cut_ear(ring *ring, int64_t place, int64_t *triangle) {
    int64_t a = ring_corner(ring, place - 1), b = ring_corner(ring, place), c = ring_corner(ring, place + 1);
    ring_remove(ring, place);
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

int64_t lf_polygon_triangulate(const lf_vec3 *corners, int64_t count, int64_t *triangles) {
    if (count < 3)
        return 0;
    ring ring = {corners, lf__polygon_projection(corners, count), triangles + 2 * count - 6, count};
    for (int64_t i = 0; i < count; i++)
        ring.left[i] = i;
    remove_idle(&ring, 0, count);
    if (ring.count < 3)
        return 0;
    if (ring.projection.turn == 0 || outline_crosses_itself(&ring))
        return -1;
    int64_t written = 0, place = 0;
    while (ring.count >= 3) {
        place = find_ear_again(&ring, ring_place(&ring, place));
        if (place >= 0)
            cut_ear(&ring, place, triangles + 3 * written++);
        else if (!remove_straight(&ring))
            return -1;
        place = place < 0 ? 0 : place;
        remove_idle(&ring, place - 1, 2);
    }
    return written;
}
