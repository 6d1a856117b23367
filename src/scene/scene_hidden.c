/// Boxes that ground hides from an eye.
#include "globe/globe.h"
#include "ground/ground.h"
#include "ground/group.h"
#include "mesh/mesh.h"
#include "scene/cull.h"
#include <landfall/sight.h>
#include <math.h>

// ---------------------------------------------------------------------------------------------------
// Hidden by a grid
// ---------------------------------------------------------------------------------------------------

// A line to a lower point at the same map position runs lower everywhere, so only the top of the box matters.
// On the map, all lines from the eye to the box cross every barrier in front of the box: a straight line at a
// fixed depth, as wide as the box appears. A barrier whose lowest ground is above the highest line over it
// hides everything. One barrier is rarely enough for a wide box, so the width is halved until each part has
// its own, at the depth where its middle line is deepest in the ground; a part whose middle line is clear
// ends the search.

#define DEPTH 6            ///< how often a width is halved
#define LAST (1 - 0x1p-20) ///< barriers stand before the box

/// All lines from an eye to a box, on the map: at depth d along `ahead` they are d * slope to the side.
typedef struct lines {
    const lf_ground *ground;
    lf_vec3 eye;
    lf_vec2 ahead;
    double spacing; ///< of the ground's samples
    double depth;   ///< of the box's nearest point
    double top;     ///< height at that depth of the highest line
    lf_cursor *cursor;
} lines;

static lf_vec2 line_place_at(const lines *l, double depth, double slope) {
    lf_vec2 place = {l->eye.x + depth * (l->ahead.x - slope * l->ahead.y),
                     l->eye.y + depth * (l->ahead.y + slope * l->ahead.x)};
    return place;
}

/// Is all ground of a barrier, at a part of the depth, higher than every line?
static bool barrier_hides(const lines *l, double part, double low, double high) {
    double depth = part * l->depth, line = l->eye.z + part * (l->top - l->eye.z);
    double least = l->ground->kind->least(l->ground->object, line_place_at(l, depth, low),
                                          line_place_at(l, depth, high));
    return least > line + 0x1p-40 * (fabs(l->eye.z) + fabs(l->top) + fabs(line));
}

/// Where is the middle line deepest in the ground? False when it is not blocked.
static bool deepest_part(const lines *l, double slope, double *part) {
    lf_sight_rules rules = lf_sight_rules_default();
    lf_sight sight;
    rules.detail = true;
    lf_vec2 place = line_place_at(l, l->depth, slope);
    lf_vec3 end = {place.x, place.y, l->top};
    if (lf_sight_between(l->ground, &rules, l->eye, end, &sight, l->cursor) != LF_OK ||
        sight.verdict != LF_VERDICT_BLOCKED)
        return false;
    *part = fmin(sight.clearance_t, LAST);
    return *part > 0;
}

/// The deepest point is often at the edge of an obstacle, so barriers a cell or two beside it are tried as
/// well.
static bool barrier_near(const lines *l, double part, double low, double high) {
    static const double cells[5] = {0, 1, -1, 2, -2};
    double cell = l->spacing / l->depth;
    for (int k = 0; k < 5; k++) {
        double beside = part + cells[k] * cell;
        if (beside > 0 && beside <= LAST && barrier_hides(l, beside, low, high))
            return true;
    }
    return false;
}

static bool all_lines_hidden(const lines *l, double low, double high, int halvings) {
    double part, middle = 0.5 * low + 0.5 * high;
    if (!deepest_part(l, middle, &part))
        return false;
    if (barrier_near(l, part, low, high))
        return true;
    return halvings > 0 && all_lines_hidden(l, low, middle, halvings - 1) &&
           all_lines_hidden(l, middle, high, halvings - 1);
}

/// The lines to a box: false when the box reaches beside the eye.
static bool lines_to(const lf_box *box, lines *l, double slopes[2]) {
    lf_vec3 way = lf_vec3_sub(lf_box_centre(*box), l->eye);
    double length = sqrt(way.x * way.x + way.y * way.y), farthest = 0;
    if (!(length > 0))
        return false;
    l->ahead = (lf_vec2){way.x / length, way.y / length};
    l->depth = INFINITY;
    slopes[0] = INFINITY;
    slopes[1] = -INFINITY;
    for (int k = 0; k < 4; k++) {
        double x = (k & 1 ? box->high.x : box->low.x) - l->eye.x;
        double y = (k & 2 ? box->high.y : box->low.y) - l->eye.y;
        double depth = x * l->ahead.x + y * l->ahead.y, side = y * l->ahead.x - x * l->ahead.y;
        if (!(depth > 0x1p-30 * length))
            return false;
        slopes[0] = fmin(slopes[0], side / depth);
        slopes[1] = fmax(slopes[1], side / depth);
        l->depth = fmin(l->depth, depth);
        farthest = fmax(farthest, depth);
    }
    // Widened by the rounding error; the same for the depth.
    double doubt = 0x1p-40 * (1 + fabs(slopes[0]) + fabs(slopes[1]));
    slopes[0] -= doubt;
    slopes[1] += doubt;
    l->depth *= 1 - 0x1p-40;
    double rise = box->high.z - l->eye.z;
    l->top = rise > 0 ? box->high.z : l->eye.z + rise * (l->depth / farthest) * (1 - 0x1p-40);
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Hidden by boxes, polygons and globes
// ---------------------------------------------------------------------------------------------------

// What lies behind a convex body, seen from a point, is convex: a box is there if its corners are.

static lf_vec3 corner_of_box(const lf_box *box, int k) {
    return (lf_vec3){k & 1 ? box->high.x : box->low.x, k & 2 ? box->high.y : box->low.y,
                     k & 4 ? box->high.z : box->low.z};
}

/// Does a line pass through the inside of a box, strictly between its ends and by more than rounding?
static bool line_through(const lf_box *box, lf_vec3 from, lf_vec3 to) {
    const double low[3] = {box->low.x, box->low.y, box->low.z},
                 high[3] = {box->high.x, box->high.y, box->high.z}, a[3] = {from.x, from.y, from.z},
                 b[3] = {to.x, to.y, to.z};
    double enter = 0, leave = 1;
    for (int k = 0; k < 3; k++) {
        double doubt = 0x1p-40 * (fabs(low[k]) + fabs(high[k]) + fabs(a[k]) + fabs(b[k])), step = b[k] - a[k];
        double near = (step > 0 ? low[k] + doubt : high[k] - doubt) - a[k],
               far = (step > 0 ? high[k] - doubt : low[k] + doubt) - a[k];
        if (step == 0 && !(a[k] > low[k] + doubt && a[k] < high[k] - doubt))
            return false;
        enter = step != 0 ? fmax(enter, near / step) : enter;
        leave = step != 0 ? fmin(leave, far / step) : leave;
    }
    return enter > 0x1p-40 && leave < 1 - 0x1p-40 && leave - enter > 0x1p-40;
}

static double corner_span(lf_vec3 a) {
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/// All that a box is seen by: its corners, in the coordinates of a part.
typedef struct seen_box {
    lf_vec3 eye, corners[8];
} seen_box;

static seen_box box_seen_from(lf_vec3 eye, const lf_box *box) {
    seen_box seen = {.eye = eye};
    for (int k = 0; k < 8; k++)
        seen.corners[k] = corner_of_box(box, k);
    return seen;
}

static seen_box seen_in_part(const lf_pose *pose, const seen_box *seen) {
    seen_box local = {.eye = lf_pose_to_local(pose, seen->eye)};
    for (int k = 0; k < 8; k++)
        local.corners[k] = lf_pose_to_local(pose, seen->corners[k]);
    return local;
}

static bool box_hides(const lf_box *box, const seen_box *seen) {
    for (int k = 0; k < 8; k++)
        if (!line_through(box, seen->eye, seen->corners[k]))
            return false;
    return true;
}

/// The sign of the volume of three vectors; 0: too small to tell. size: of the coordinates that they are differences of.
static int volume_sign(lf_vec3 a, lf_vec3 b, lf_vec3 c, double size) {
    double volume = lf_vec3_dot(lf_vec3_cross(a, b), c), la = lf_vec3_length(a), lb = lf_vec3_length(b),
           lc = lf_vec3_length(c);
    double doubt = 0x1p-40 * la * lb * lc + 0x1p-46 * size * (la * lb + lb * lc + la * lc);
    return volume > doubt ? 1 : volume < -doubt ? -1 : 0;
}

/// Polygons with more corners hide nothing.
#define HIDING_CORNERS 16

/// Does a polygon hide everything? All lines pass on the same side of each of its edges, it is convex as the eye sees it, and everything is behind the planes of
/// all its triangles.
static bool polygon_hides(const lf_mesh *mesh, int64_t polygon, const seen_box *seen) {
    int64_t count = lf__mesh_corner_count(mesh, polygon), first = lf__mesh_first(mesh, polygon);
    lf_vec3 ring[HIDING_CORNERS], to[8];
    double size = corner_span(seen->eye);
    if (count < 3 || count > HIDING_CORNERS)
        return false;
    for (int64_t t = first + 1; t < first + count - 2;
         t++) // of a model other triangles than a fan are possible
        if (mesh->corners[3 * t] != mesh->corners[3 * first] ||
            mesh->corners[3 * t + 1] != mesh->corners[3 * t - 1])
            return false;
    for (int64_t i = 0; i < count; i++) {
        lf_vec3 corner = lf__mesh_corner(mesh, polygon, i);
        size = fmax(size, corner_span(corner));
        ring[i] = lf_vec3_sub(corner, seen->eye);
    }
    for (int k = 0; k < 8; k++) {
        size = fmax(size, corner_span(seen->corners[k]));
        to[k] = lf_vec3_sub(seen->corners[k], seen->eye);
    }
    int side = volume_sign(ring[0], ring[1], to[0], size);
    for (int64_t i = 0; i < count && side != 0; i++) {
        lf_vec3 a = ring[i], b = ring[(i + 1) % count];
        for (int k = 0; k < 8; k++)
            if (volume_sign(a, b, to[k], size) != side)
                return false;
        for (int64_t j = 0; j < count; j++)
            if (j != i && j != (i + 1) % count && volume_sign(a, b, ring[j], size) != side)
                return false;
    }
    for (int64_t i = 1; i + 1 < count && side != 0;
         i++) { // the eye is before the plane: so is what is behind it not
        lf_vec3 u = lf_vec3_sub(ring[i], ring[0]), v = lf_vec3_sub(ring[i + 1], ring[0]);
        int front = volume_sign(u, v, lf_vec3_scale(ring[0], -1), size);
        for (int k = 0; k < 8; k++)
            if (front == 0 || volume_sign(u, v, lf_vec3_sub(to[k], ring[0]), size) != -front)
                return false;
    }
    return side != 0;
}

/// Does the part of a ground that a line has met hide everything?
static bool met_hides(const lf_ground *ground, const lf_hit *hit, seen_box seen) {
    int64_t numbers[2] = {hit->part, hit->inner};
    for (int depth = 0; depth < 2 && lf__ground_group(ground); depth++) {
        const lf_group *group = lf__ground_group(ground);
        if (numbers[depth] < 0 || numbers[depth] >= group->count)
            return false;
        const lf__group_part *part = &group->parts[numbers[depth]];
        seen = part->identity ? seen : seen_in_part(&part->pose, &seen);
        if (part->is_box)
            return box_hides(&part->own, &seen);
        if (!part->ground)
            return false;
        ground = part->ground;
    }
    const lf_mesh *mesh = lf__ground_mesh(ground);
    return mesh && hit->element >= 0 && hit->element < mesh->polygon_count &&
           polygon_hides(mesh, hit->element, &seen);
}

/// Is everything behind an ellipsoid around the origin, or in it?
static bool core_hides(lf_vec3 axes, const seen_box *seen) {
    lf_vec3 eye = {seen->eye.x / axes.x, seen->eye.y / axes.y, seen->eye.z / axes.z};
    for (int k = 0; k < 8; k++) {
        lf_vec3 p = seen->corners[k], d = {p.x / axes.x - eye.x, p.y / axes.y - eye.y, p.z / axes.z - eye.z};
        double dd = lf_vec3_dot(d, d), t = dd > 0 ? -lf_vec3_dot(eye, d) / dd : 0;
        lf_vec3 near = lf_vec3_along(eye, fmin(fmax(t, 0), 1), d);
        if (!(lf_vec3_dot(near, near) < 1 - 1e-9))
            return false;
    }
    return lf_vec3_dot(eye, eye) > 1 + 1e-9;
}

static bool globe_hides(const lf_ground *globe, const lf_pose *pose, const seen_box *seen) {
    lf_vec3 axes;
    seen_box local = pose ? seen_in_part(pose, seen) : *seen;
    return lf__globe_face_core(lf__ground_globe(globe), &axes) && core_hides(axes, &local);
}

#define BOX_HALVINGS 4 ///< of a box, along its longest side

/// By one of the polygons or boxes that the lines to the corners and to the middle meet first; else each half by itself.
static bool objects_hide(const lf_ground *ground, lf_vec3 eye, const lf_box *box, int halvings,
                         lf_cursor *cursor) {
    seen_box seen = box_seen_from(eye, box);
    lf_hit last = {.part = -1};
    for (int k = 0; k < 9; k++) {
        lf_ray ray = lf_ray_between(eye, k < 8 ? seen.corners[k] : lf_box_centre(*box));
        lf_hit hit;
        if (!lf__ray_valid(&ray))
            return false;
        ground->kind->ray_first(ground->object, &ray, &hit, cursor);
        if (hit.kind == LF_HIT_NONE)
            return false; // a line to it is clear
        bool same = k > 0 && hit.part == last.part && hit.inner == last.inner && hit.element == last.element;
        if (!same && met_hides(ground, &hit, seen))
            return true;
        last = hit;
    }
    if (halvings == 0)
        return false;
    lf_vec3 size = lf_vec3_sub(box->high, box->low), middle = lf_box_centre(*box);
    lf_box first = *box, second = *box;
    if (size.x >= size.y && size.x >= size.z)
        first.high.x = second.low.x = middle.x;
    else if (size.y >= size.z)
        first.high.y = second.low.y = middle.y;
    else
        first.high.z = second.low.z = middle.z;
    return objects_hide(ground, eye, &first, halvings - 1, cursor) &&
           objects_hide(ground, eye, &second, halvings - 1, cursor);
}

/// By one of the grids of a group, by its globe, or by other parts.
static bool group_hides(const lf_group *group, lf_vec3 eye, const lf_box *box, lf_cursor *cursor) {
    bool hidden = false;
    for (int64_t i = 0, left = group->grid_count; left > 0 && !hidden; i++) {
        const lf__group_part *part = &group->parts[i];
        left -= part->has_grid;
        if (part->has_grid && part->identity)
            lf__box_hidden(part->ground, eye, *box, &hidden, cursor);
    }
    seen_box seen = box_seen_from(eye, box);
    hidden = hidden || (group->globe &&
                        globe_hides(group->globe, group->globe_there ? NULL : &group->globe_pose, &seen));
    return hidden || objects_hide(&group->ground, eye, box, BOX_HALVINGS, cursor);
}

lf_status lf__box_hidden(const lf_ground *ground, lf_vec3 eye, lf_box box, bool *hidden, lf_cursor *cursor) {
    double slopes[2];
    if (!ground || !hidden || !(fabs(eye.x) <= 1e30) || !(fabs(eye.y) <= 1e30) || !(fabs(eye.z) <= 1e30) ||
        lf_box_is_empty(box) || !lf_vec3_finite(box.low) || !lf_vec3_finite(box.high))
        return LF_BAD_ARGUMENT;
    *hidden = false;
    ground = lf__ground_itself(ground);
    if (lf__ground_group(ground)) {
        *hidden = group_hides(lf__ground_group(ground), eye, &box, cursor);
        return lf__ground_status(ground, LF_OK);
    }
    if (lf__ground_globe(ground)) {
        seen_box seen = box_seen_from(eye, &box);
        *hidden = globe_hides(ground, NULL, &seen);
        return LF_OK;
    }
    if (lf__ground_mesh(ground)) {
        *hidden = objects_hide(ground, eye, &box, BOX_HALVINGS, cursor);
        return lf__ground_status(ground, LF_OK);
    }
    if (!ground->kind->least)
        return LF_OK;
    lines l = {.ground = ground, .eye = eye, .cursor = cursor};
    l.spacing = ground->kind->spacing(ground->object, eye);
    if (!(l.spacing > 0))
        return LF_OK;
    *hidden = lines_to(&box, &l, slopes) && all_lines_hidden(&l, slopes[0], slopes[1], DEPTH);
    return lf__ground_status(ground, LF_OK);
}
