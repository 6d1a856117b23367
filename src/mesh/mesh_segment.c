/// Segments that the polygons of a mesh block, decided by signs of volumes; and sweeps.
#include "ground/sweep.h"
#include "mesh/mesh.h"

typedef struct segment_search {
    const lf_mesh *mesh;
    const lf__segment *segment;
    uint32_t layers;
    bool found;
    double t;             ///< of the segment: the first blocked place, or the last
    double first, last_t; ///< the part of the segment that can still matter
} segment_search;

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
    double t;
    if (lf__segment_meets(p->segment, c, &t))
        segment_found_at(p, t);
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

// ---------------------------------------------------------------------------------------------------
// Sweeps
// ---------------------------------------------------------------------------------------------------

/// A sweep over a mesh.
typedef struct mesh_sweep_of {
    const lf_mesh *mesh;
    lf__sweeping *sweep;
} mesh_sweep_of;

static void mesh_sweep_triangle(void *user, uint32_t triangle) {
    const mesh_sweep_of *m = user;
    int64_t polygon = lf__mesh_owner(m->mesh, triangle);
    uint32_t layers = m->mesh->layers ? m->mesh->layers[polygon] : 1;
    if (!(m->sweep->layers & layers))
        return;
    lf_vec3 corners[3];
    lf__mesh_triangle(m->mesh, triangle, corners);
    lf_box box = lf_box_with(lf_box_with(lf_box_with(lf_box_empty(), corners[0]), corners[1]), corners[2]);
    if (!lf__sweep_comes_near(m->sweep, &box))
        return;
    m->sweep->element = (lf__sweep_element){polygon, (int32_t)(triangle - lf__mesh_first(m->mesh, polygon)),
                                            m->mesh->users ? m->mesh->users[polygon] : 0, layers};
    lf__sweep_triangle(m->sweep, corners, 0);
}

static bool mesh_sweep_enters(void *user, const lf_box *box) {
    return lf__sweep_comes_near(((const mesh_sweep_of *)user)->sweep, box);
}

void lf__mesh_sweep(const void *object, lf__sweeping *sweep) {
    mesh_sweep_of m = {object, sweep};
    lf__bvh_visitor visitor = {mesh_sweep_enters, mesh_sweep_triangle, &m};
    sweep->kind = LF_HIT_TRIANGLE;
    lf__bvh_visit(m.mesh->tree, &visitor, sweep->cursor);
}
