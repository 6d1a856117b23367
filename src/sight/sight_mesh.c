/// Lines over polygons: pieces of a line against triangles, decided by signs of volumes.
#include "mesh/mesh.h"
#include "sight/pair.h"

/// A bent line is cut into pieces that are this much off at most, metres, and into no more than so many.
#define SAGITTA 0.0005
#define MOST_PIECES ((int64_t)1 << 20)

/// A straight piece of a line.
typedef struct piece {
    const lf_mesh *mesh;
    uint32_t layers;
    lf_vec3 ends[2];
    bool joint[2]; ///< an end within the line: ground that it lies on blocks too
    bool any, last;
    bool found;
    double t;             ///< of the piece, where first or last
    double first, last_t; ///< what still matters
    uint64_t exact;
} piece;

// ---------------------------------------------------------------------------------------------------
// One triangle
// ---------------------------------------------------------------------------------------------------

/// Is a point of a triangle's plane in the closed triangle? Seen from a side from which it has an area.
static bool holds(const lf_vec3 c[3], lf_vec3 p) {
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
static bool goes_through(const lf_vec3 c[3], lf_vec3 a, lf_vec3 b) {
    int s[3], low = 0, high = 0;
    for (int k = 0; k < 3; k++) {
        s[k] = lf_orient3d(a, b, c[k], c[(k + 1) % 3]);
        low = s[k] < low ? s[k] : low;
        high = s[k] > high ? s[k] : high;
    }
    return low == 0 || high == 0;
}

/// Where between two points the plane is.
static double share(const lf_vec3 c[3], lf_vec3 a, lf_vec3 b) {
    lf_vec3 normal = lf_vec3_cross(lf_vec3_sub(c[1], c[0]), lf_vec3_sub(c[2], c[0]));
    double from = lf_vec3_dot(normal, lf_vec3_sub(a, c[0])), to = lf_vec3_dot(normal, lf_vec3_sub(b, c[0]));
    double t = from / (from - to);
    return t >= 0 && t <= 1 ? t : t > 1 ? 1 : 0;
}

static void note(piece *p, double t) {
    bool better = !p->found || (p->last ? t > p->t : t < p->t);
    p->t = better ? t : p->t;
    p->found = true;
    if (p->any)
        p->last_t = -1;
    else if (p->last)
        p->first = p->t - 1e-9;
    else
        p->last_t = p->t + 1e-9;
}

static void try_triangle(void *user, uint32_t triangle) {
    piece *p = user;
    const lf_mesh *mesh = p->mesh;
    uint32_t layers = mesh->layers ? mesh->layers[lf__mesh_owner(mesh, triangle)] : 1;
    if (!(p->layers & layers) || (p->any && p->found))
        return;
    lf_vec3 c[3];
    lf__mesh_triangle(mesh, triangle, c);
    int side[2] = {lf_orient3d(c[0], c[1], c[2], p->ends[0]), lf_orient3d(c[0], c[1], c[2], p->ends[1])};
    if (side[0] * side[1] < 0 && goes_through(c, p->ends[0], p->ends[1]))
        note(p, share(c, p->ends[0], p->ends[1]));
    for (int k = 0; k < 2; k++)
        if (p->joint[k] && side[k] == 0 && holds(c, p->ends[k]))
            note(p, k);
}

// ---------------------------------------------------------------------------------------------------
// All of them
// ---------------------------------------------------------------------------------------------------

/// Shorten first .. last to where a piece may be between low and high along an axis.
static bool shorten(double a, double b, double low, double high, double part[2]) {
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

static bool enters(void *user, const lf_box *box) {
    const piece *p = user;
    lf_vec3 a = p->ends[0], b = p->ends[1];
    double part[2] = {p->first, p->last_t};
    return part[0] <= part[1] && shorten(a.x, b.x, box->low.x, box->high.x, part) &&
           shorten(a.y, b.y, box->low.y, box->high.y, part) &&
           shorten(a.z, b.z, box->low.z, box->high.z, part);
}

static bool piece_breaks(piece *p, lf_cursor *cursor) {
    lf__tree_visitor visitor = {enters, try_triangle, p};
    p->found = false;
    p->first = 0;
    p->last_t = 1;
    lf__tree_visit(p->mesh->tree, &visitor, cursor);
    return p->found;
}

int64_t lf__sight_pieces(const lf__sight_pair *pair) {
    double wanted = ceil(sqrt(fabs(pair->sag) / (4 * SAGITTA)));
    return wanted < 1 ? 1 : wanted > (double)MOST_PIECES ? MOST_PIECES : (int64_t)wanted;
}

void lf__sight_mesh(const lf_mesh *mesh, const lf__sight_pair *pair, const lf_pose *pose, lf__sight_want want,
                    lf__sight_answer *answer, lf_cursor *cursor) {
    int64_t count = lf__sight_pieces(pair);
    bool last = (want == LF__SIGHT_ANY_B) != pair->turned;
    piece p = {
        .mesh = mesh, .layers = lf__cursor_layers(cursor), .any = want != LF__SIGHT_FIRST, .last = last};
    *answer = (lf__sight_answer){LF_VERDICT_CLEAR, false, 1};
    for (int64_t k = 0; k < count; k++) {
        int64_t at = last ? count - 1 - k : k;
        for (int e = 0; e < 2; e++) {
            p.ends[e] = lf_pose_to_local(pose, lf__sight_pair_joint(pair, at + e, count));
            p.joint[e] = at + e > 0 && at + e < count;
        }
        if (!piece_breaks(&p, cursor))
            continue;
        double t = ((double)at + p.t) / (double)count;
        *answer = (lf__sight_answer){LF_VERDICT_BLOCKED, true, pair->turned ? 1 - t : t};
        return;
    }
}
