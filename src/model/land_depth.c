/// How deep a triangle is below faces of the ground.
///
/// Over the part of a triangle that is under one face, the depth is linear: it is greatest at a corner of that part. But another face may come
/// between. Then what is under that one, too, is cut off, and the rest, in convex parts, is asked again. Only faces that come between
/// at the deepest corner are cut off: most often there is none.
#include "model/land.h"
#include <math.h>

enum {
    CORNERS_MOST = 24,
    PARTS_MOST = 48,
    LIMITS_MOST = 6,
    STEPS_MOST = 4096 ///< for one triangle and one face; what is left then counts as if nothing came between
};

/// A convex part of the triangle.
typedef struct region {
    lf_vec3 corners[CORNERS_MOST];
    int count;
} region;

typedef struct search {
    const lf__face_view *view;
    const lf__land_wish *wish;
    lf__land_depth *best;
    region whole;
    const lf__face *face;             ///< at hand
    lf__face_limit cuts[LIMITS_MOST]; ///< what is under another face and nearer to it
    int cut_count;
    const region *asked; ///< whose deepest corner is looked at
    lf_vec3 corner;
    bool between; ///< the cuts are of a face that comes between there
    region parts[PARTS_MOST];
    int part_count;
} search;

// ---------------------------------------------------------------------------------------------------
// Regions
// ---------------------------------------------------------------------------------------------------

/// What is left where `side` times the limit is not negative.
static void keep(const region *from, const lf__face_limit *limit, double side, region *kept) {
    kept->count = 0;
    for (int i = 0; i < from->count; i++) {
        lf_vec3 p = from->corners[i], q = from->corners[(i + 1) % from->count];
        double at_p = side * lf__face_limit_at(limit, p), at_q = side * lf__face_limit_at(limit, q);
        if (at_p >= 0 && kept->count < CORNERS_MOST)
            kept->corners[kept->count++] = p;
        if (((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) && kept->count < CORNERS_MOST)
            kept->corners[kept->count++] = lf_vec3_along(p, at_p / (at_p - at_q), lf_vec3_sub(q, p));
    }
}

/// 0 a point, 1 a segment, 2 an area, as far as `blur` can tell; -1 nothing.
static int dimensions(const region *r, double blur) {
    double longest = 0, widest = 0;
    lf_vec3 far = {0, 0, 0};
    if (r->count == 0)
        return -1;
    for (int i = 1; i < r->count; i++) {
        lf_vec3 d = lf_vec3_sub(r->corners[i], r->corners[0]);
        double length = lf_vec3_length(d);
        if (length > longest)
            longest = length, far = d;
    }
    if (longest <= blur)
        return 0;
    for (int i = 1; i < r->count; i++) {
        lf_vec3 d = lf_vec3_sub(r->corners[i], r->corners[0]);
        widest = fmax(widest, lf_vec3_length(lf_vec3_cross(d, far)) / longest);
    }
    return widest <= blur ? 1 : 2;
}

static double deepest_corner(const search *s, const region *r, lf_vec3 *corner) {
    double depth = -LF_INFINITY;
    for (int i = 0; i < r->count; i++) {
        double at = lf__face_limit_at(&s->face->above, r->corners[i]);
        if (at > depth)
            depth = at, *corner = r->corners[i];
    }
    return depth;
}

// ---------------------------------------------------------------------------------------------------
// What comes between
// ---------------------------------------------------------------------------------------------------

static bool comes_first(const lf__face *a, const lf__face *b) {
    return a->part < b->part || (a->part == b->part && a->triangle < b->triangle);
}

/// The places of a region that are under a face and nearer to it than to the one at hand. Where both are in one place, the first hides
/// the second, which matters if it is a ceiling.
static void set_cuts(search *s, const lf__face *other) {
    const lf__face_limit *far = &s->face->above, *near = &other->above;
    double doubt = s->face->doubt + other->doubt;
    double least = !other->front_up && comes_first(other, s->face) ? -doubt : doubt;
    s->cut_count = 0;
    for (int k = 0; k < other->edge_count; k++) {
        s->cuts[s->cut_count] = other->edges[k];
        s->cuts[s->cut_count++].k += s->view->blur; // what is right under its border is under it
    }
    s->cuts[s->cut_count++] = (lf__face_limit){near->x, near->y, near->z, near->k + other->doubt};
    s->cuts[s->cut_count++] =
        (lf__face_limit){far->x - near->x, far->y - near->y, 0, far->k - near->k - least};
}

/// Does a face come between at the deepest corner, and over more than a border of the region?
static bool not_between(void *user, const lf__face *other) {
    search *s = user;
    region rooms[2] = {*s->asked};
    int now = 0;
    set_cuts(s, other);
    for (int k = 0; k < s->cut_count; k++)
        if (lf__face_limit_at(&s->cuts[k], s->corner) < -4 * (s->face->doubt + other->doubt))
            return true;
    for (int k = 0; k < s->cut_count && rooms[now].count > 0; k++, now = !now)
        keep(&rooms[now], &s->cuts[k], 1, &rooms[!now]);
    double blur = s->view->blur;
    s->between = dimensions(&rooms[now], blur) >= dimensions(s->asked, blur);
    return !s->between;
}

/// Is there a face between the deepest corner and the face at hand? Its cuts are then in the search.
static bool something_between(search *s, double depth) {
    lf__face_finder finder = {not_between, s};
    lf_box line = {s->corner, s->corner};
    line.high.z += depth;
    s->between = false;
    lf__faces_in(s->view, &line, &finder);
    return s->between;
}

/// Leave out what is within all cuts; the rest goes back to the parts.
static void cut_off(search *s, const region *from) {
    region rest = *from, outside, inside;
    int size = dimensions(from, s->view->blur);
    for (int k = 0; k < s->cut_count && rest.count > 0; k++) {
        keep(&rest, &s->cuts[k], -1, &outside);
        keep(&rest, &s->cuts[k], 1, &inside);
        if (dimensions(&outside, s->view->blur) >= size && s->part_count < PARTS_MOST)
            s->parts[s->part_count++] = outside;
        rest = inside;
    }
}

// ---------------------------------------------------------------------------------------------------
// Depth
// ---------------------------------------------------------------------------------------------------

static bool wanted(const search *s, double depth) {
    double known = s->best->depth;
    return depth > known + s->face->doubt && (known <= 0 || depth > s->wish->deeper);
}

static void settle(search *s, double depth) {
    lf_vec3 surface = s->corner;
    surface.z += depth;
    *s->best =
        (lf__land_depth){depth, lf__face_to_world(s->view, s->corner), lf__face_to_world(s->view, surface)};
}

/// The triangle cut to what is under the face, and not too far.
static void start(search *s) {
    const lf__face *face = s->face;
    lf__face_limit near = face->above;
    region room = s->whole, *first = &s->parts[0];
    near.k -= s->wish->reach;
    for (int k = 0; k < face->edge_count; k++) {
        keep(&room, &face->edges[k], 1, first);
        room = *first;
    }
    keep(&room, &face->above, 1, first);
    room = *first;
    keep(&room, &near, -1, first);
    // What only touches the face's border, seen from above, would be a matter of rounding.
    s->part_count = dimensions(first, s->view->blur) == dimensions(&s->whole, s->view->blur);
}

static bool look_at_face(void *user, const lf__face *face) {
    search *s = user;
    s->face = face;
    if (!face->front_up)
        return true;
    start(s);
    for (int step = 0; s->part_count > 0; step++) {
        region part = s->parts[--s->part_count];
        double depth = deepest_corner(s, &part, &s->corner);
        if (!wanted(s, depth))
            continue;
        s->asked = &part;
        if (step < STEPS_MOST && something_between(s, depth))
            cut_off(s, &part);
        else
            settle(s, depth);
    }
    return true;
}

void lf__land_depth_in_faces(const lf__face_view *view, const lf_vec3 corners[3], const lf__land_wish *wish,
                             lf__land_depth *best) {
    search s; // too large to be cleared for every triangle
    lf_box box = lf_box_empty();
    s.view = view, s.wish = wish, s.best = best;
    s.whole.count = 3;
    for (int c = 0; c < 3; c++) {
        s.whole.corners[c] = lf__face_to_view(view, corners[c]);
        box = lf_box_with(box, s.whole.corners[c]);
    }
    box.high.z += wish->reach;
    lf__face_finder finder = {look_at_face, &s};
    lf__faces_in(view, &box, &finder);
}
