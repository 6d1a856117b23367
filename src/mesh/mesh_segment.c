/// Segments that the polygons of a mesh block, decided by signs of volumes.
#include "mesh/mesh.h"

typedef struct segment_search {
    const lf_mesh *mesh;
    const lf__segment *segment;
    uint32_t layers;
    bool found;
    double t;             ///< of the segment: the first blocked place, or the last
    double first, last_t; ///< the part of the segment that can still matter
} segment_search;

// ---------------------------------------------------------------------------------------------------
// One triangle
// ---------------------------------------------------------------------------------------------------

/// Is a point of a triangle's plane in the closed triangle? Decided in a projection with an area.
static bool segment_triangle_holds(const lf_vec3 c[3], lf_vec3 p) {
    for (int axis = 0; axis < 3; axis++) {
        lf_vec2 flat[4];
        for (int k = 0; k < 4; k++) {
            lf_vec3 v = k < 3 ? c[k] : p;
            flat[k] = axis == 0 ? (lf_vec2){v.x, v.y} : axis == 1 ? (lf_vec2){v.y, v.z} : (lf_vec2){v.z, v.x};
        }
        int turn = lf_orient2d(flat[0], flat[1], flat[2]);
        if (turn == 0)
            continue;
        return lf_orient2d(flat[0], flat[1], flat[3]) * turn >= 0 &&
               lf_orient2d(flat[1], flat[2], flat[3]) * turn >= 0 &&
               lf_orient2d(flat[2], flat[0], flat[3]) * turn >= 0;
    }
    return false;
}

/// Does the line through two points on different sides of a triangle's plane go through the closed triangle?
static bool segment_goes_through(const lf_vec3 c[3], lf_vec3 a, lf_vec3 b) {
    int s[3], low = 0, high = 0;
    for (int k = 0; k < 3; k++) {
        s[k] = lf_orient3d(a, b, c[k], c[(k + 1) % 3]);
        low = s[k] < low ? s[k] : low;
        high = s[k] > high ? s[k] : high;
    }
    return low == 0 || high == 0;
}

/// Where the plane is between two points, as a fraction of the way.
static double segment_plane_at(const lf_vec3 c[3], lf_vec3 a, lf_vec3 b) {
    lf_vec3 normal = lf_vec3_cross(lf_vec3_sub(c[1], c[0]), lf_vec3_sub(c[2], c[0]));
    double from = lf_vec3_dot(normal, lf_vec3_sub(a, c[0])), to = lf_vec3_dot(normal, lf_vec3_sub(b, c[0]));
    double t = from / (from - to);
    return t >= 0 && t <= 1 ? t : t > 1 ? 1 : 0;
}

static void segment_found_at(segment_search *p, double t) {
    bool better = !p->found || (p->segment->last ? t > p->t : t < p->t);
    p->t = better ? t : p->t;
    p->found = true;
    if (p->segment->any)
        p->last_t = -1;
    else if (p->segment->last)
        p->first = p->t - 1e-9;
    else
        p->last_t = p->t + 1e-9;
}

static void segment_try_triangle(void *user, uint32_t triangle) {
    segment_search *p = user;
    const lf_mesh *mesh = p->mesh;
    uint32_t layers = mesh->layers ? mesh->layers[lf__mesh_owner(mesh, triangle)] : 1;
    if (!(p->layers & layers) || (p->segment->any && p->found))
        return;
    lf_vec3 c[3];
    lf__mesh_triangle(mesh, triangle, c);
    int side[2] = {lf_orient3d(c[0], c[1], c[2], p->segment->ends[0]),
                   lf_orient3d(c[0], c[1], c[2], p->segment->ends[1])};
    if (side[0] * side[1] < 0 && segment_goes_through(c, p->segment->ends[0], p->segment->ends[1]))
        segment_found_at(p, segment_plane_at(c, p->segment->ends[0], p->segment->ends[1]));
    for (int k = 0; k < 2; k++)
        if (p->segment->joint[k] && side[k] == 0 && segment_triangle_holds(c, p->segment->ends[k]))
            segment_found_at(p, k);
}

// ---------------------------------------------------------------------------------------------------
// All triangles
// ---------------------------------------------------------------------------------------------------

/// Shorten part[0] .. part[1] to where the segment may be between low and high along an axis.
static bool segment_shorten(double a, double b, double low, double high, double part[2]) {
    double pad = 1e-14 * (fabs(a) + fabs(b) + fabs(low) + fabs(high)), d = b - a;
    low -= pad;
    high += pad;
    if (fabs(d) <= pad)
        return (a >= low || b >= low) && (a <= high || b <= high);
    double s = (low - a) / d, t = (high - a) / d;
    part[0] = fmax(part[0], fmin(s, t) - 1e-12);
    part[1] = fmin(part[1], fmax(s, t) + 1e-12);
    return part[0] <= part[1];
}

static bool segment_enters(void *user, const lf_box *box) {
    const segment_search *p = user;
    lf_vec3 a = p->segment->ends[0], b = p->segment->ends[1];
    double part[2] = {p->first, p->last_t};
    return part[0] <= part[1] && segment_shorten(a.x, b.x, box->low.x, box->high.x, part) &&
           segment_shorten(a.y, b.y, box->low.y, box->high.y, part) &&
           segment_shorten(a.z, b.z, box->low.z, box->high.z, part);
}

bool lf__mesh_segment(const lf_mesh *mesh, const lf__segment *segment, double t[2], lf_cursor *cursor) {
    segment_search p = {.mesh = mesh, .segment = segment, .layers = lf__cursor_layers(cursor), .last_t = 1};
    lf__bvh_visitor visitor = {segment_enters, segment_try_triangle, &p};
    lf__bvh_visit(mesh->tree, &visitor, cursor);
    t[0] = p.t;
    t[1] = 1 - p.t;
    return p.found;
}
