/// Asking the nested grid: everything over a point is in one leaf.
#include "geom/expansion.h"
#include "mesh/mesh.h"
#include "mesh/question.h"

/// A gravity line on its way through a leaf.
typedef struct column {
    const lf_mesh *mesh;
    lf_vec3 point, local;
    lf_ray ray; ///< the same line, for exact answers
    uint32_t layers;
    bool down;
    uint64_t exact;
} column;

/// Is the point within the closed triangle, seen along gravity? Decided by exact signs.
static bool holds(column *c, uint32_t triangle) {
    const lf_mesh *mesh = c->mesh;
    const uint32_t *corner = mesh->corners + 3 * (size_t)triangle;
    bool left = false, right = false;
    c->exact++;
    for (int k = 0; k < 3; k++) {
        int side = lf_orient_line(c->point, mesh->frame.down, mesh->vertices[corner[k]],
                                  mesh->vertices[corner[k == 2 ? 0 : k + 1]]);
        left |= side > 0;
        right |= side < 0;
    }
    return left != right;
}

/// Where the gravity line meets a triangle that it is known to meet, along the ray and exactly; INFINITY when that is
/// behind its start.
static double exact_t(column *c, uint32_t triangle) {
    const lf_mesh *mesh = c->mesh;
    const uint32_t *corner = mesh->corners + 3 * (size_t)triangle;
    lf_vec3 points[3] = {mesh->vertices[corner[0]], mesh->vertices[corner[1]], mesh->vertices[corner[2]]};
    lf__line line = lf__line_of(&c->ray);
    lf__meeting meeting;
    c->exact++;
    if (!lf__meet(&line, points, &meeting, &c->exact))
        return INFINITY;
    return line.exponent == 0 ? meeting.t : ldexp(meeting.t, -line.exponent);
}

/// May this triangle be seen at all, and from the side that a look up or down would meet?
static bool accepts(const column *c, uint32_t triangle, uint32_t flags, bool down) {
    const lf_mesh *mesh = c->mesh;
    if (!mesh->layers && !mesh->sides)
        return (c->layers & 1u) != 0;
    int64_t polygon = lf__mesh_owner(mesh, triangle);
    bool from_behind = ((flags & LF__NEST_UNDER) != 0) == down;
    if (mesh->sides && mesh->sides[polygon] == 1 && from_behind)
        return false;
    return (c->layers & (mesh->layers ? mesh->layers[polygon] : 1u)) != 0;
}

/// The nearest so far. `distance` is from the point along the look, in metres; exact when `t` has been computed.
typedef struct nearest {
    uint32_t triangle;
    double distance, z;
    double t;    ///< along the ray, or NAN while distances have been enough
    bool behind; ///< something is on the other side
} nearest;

#define NOTHING UINT32_MAX

/// Is one meeting before another? Both t are exact.
static bool before(double t, uint32_t triangle, double other_t, uint32_t other) {
    return t < other_t || (t == other_t && triangle < other);
}

static void settle(column *c, nearest *n) {
    if (isnan(n->t))
        n->t = exact_t(c, n->triangle);
}

/// Take a triangle that holds the point into account. Distances by planes decide while they are farther apart than their
/// tolerance; else the exact test does.
static void consider(column *c, uint32_t triangle, nearest *n) {
    const lf__nest *nest = &c->mesh->nest;
    const lf__nest_plane *plane = &nest->planes[triangle];
    double z = lf__nest_height(nest, plane, c->local.x, c->local.y);
    double distance = c->down ? c->local.z - z : z - c->local.z, t = NAN, tolerance = nest->tolerance;
    if ((plane->flags & LF__NEST_STEEP) || fabs(distance) <= tolerance) {
        t = exact_t(c, triangle);
        distance = t * lf_vec3_length(c->ray.direction);
        z = c->local.z + (c->down ? -distance : distance);
    }
    bool behind = isnan(t) ? distance < 0 : isinf(t);
    if (!accepts(c, triangle, plane->flags, c->down != behind))
        return;
    if (behind) {
        n->behind = true;
        return;
    }
    bool nearer = n->triangle == NOTHING || distance < n->distance - 2 * tolerance;
    if (!nearer && distance <= n->distance + 2 * tolerance) {
        if (isnan(t))
            t = exact_t(c, triangle);
        settle(c, n);
        nearer = before(t, triangle, n->t, n->triangle);
    }
    if (nearer)
        *n = (nearest){triangle, distance, z, t, n->behind};
}

static void search(column *c, lf__nest_place place, nearest *n, lf_counters *cost) {
    const uint32_t *leaf = c->mesh->nest.words + place.cell;
    uint32_t count = leaf[1] & LF__NEST_COUNT;
    const uint32_t *triangles = leaf + 2 + 6 * (size_t)count;
    cost->cells++;
    cost->triangles += count;
    for (uint32_t first = 0; first < count; first += LF__NEST_LANES) {
        unsigned sure;
        for (unsigned maybe = c->mesh->nest_test(leaf, first, place.u, place.v, &sure); maybe;
             maybe &= maybe - 1) {
            unsigned lane = (unsigned)__builtin_ctz(maybe);
            uint32_t triangle = triangles[first + lane];
            if ((sure >> lane & 1) || holds(c, triangle))
                consider(c, triangle, n);
        }
    }
}

static lf_reason why_not(const column *c, uint32_t code, const nearest *n) {
    if (n->behind)
        return LF_REASON_NONE;
    if (code == LF__NEST_BORDER)
        return lf__hull_contains(&c->mesh->hull, c->point) ? LF_REASON_HOLE : LF_REASON_OUTSIDE;
    return code == LF__NEST_INSIDE ? LF_REASON_HOLE : LF_REASON_OUTSIDE;
}

/// From local to world: the transpose of the frame's rotation.
static lf_vec3 turn_back(const lf_vec3 rows[3], lf_vec3 v) {
    return lf_vec3_along(lf_vec3_along(lf_vec3_scale(rows[0], v.x), v.y, rows[1]), v.z, rows[2]);
}

/// The hit on a triangle at a distance along the look.
static void fill_hit(const column *c, const nearest *n, lf_hit *hit) {
    const lf_mesh *mesh = c->mesh;
    const lf__nest_plane *plane = &mesh->nest.planes[n->triangle];
    int64_t polygon = lf__mesh_owner(mesh, n->triangle);
    double flip = plane->flags & LF__NEST_UNDER ? -1 : 1;
    double length = flip / sqrt(1 + plane->gx * plane->gx + plane->gy * plane->gy);
    lf_vec3 normal = {-plane->gx * length, -plane->gy * length, length};
    *hit = (lf_hit){.kind = LF_HIT_TRIANGLE,
                    .reason = LF_REASON_ANSWERED,
                    .t = n->distance,
                    .point = {c->point.x, c->point.y, n->z},
                    .normal = normal,
                    .element = polygon,
                    .triangle = (int32_t)(n->triangle - lf__mesh_first(mesh, polygon)),
                    .user = mesh->users ? mesh->users[polygon] : 0,
                    .layers = mesh->layers ? mesh->layers[polygon] : 1};
    if (mesh->straight)
        return;
    const lf_vec3 *rows = mesh->frame.rows;
    hit->normal = turn_back(rows, normal);
    hit->point = lf_vec3_along(c->point, n->z - c->local.z, rows[2]);
}

void lf__nest_ask(const lf_mesh *mesh, lf_vec3 point, bool down, lf_hit *hit, lf_cursor *cursor) {
    column c = {.mesh = mesh, .point = point, .local = lf__mesh_local(mesh, point), .down = down};
    lf_counters cost = {.questions = 1};
    nearest n = {NOTHING, INFINITY, NAN, NAN, false};
    c.layers = lf__cursor_layers(cursor);
    c.ray = lf_ray_towards(point, down ? mesh->frame.down : lf_vec3_scale(mesh->frame.down, -1));
    lf__nest_place place = lf__nest_locate(&mesh->nest, c.local.x, c.local.y);
    uint32_t code = place.cell;
    if (place.cell >= LF__NEST_FIRST) {
        search(&c, place, &n, &cost);
        code = mesh->nest.words[place.cell + 1] >> LF__NEST_HULL_SHIFT;
    }
    if (n.triangle != NOTHING)
        fill_hit(&c, &n, hit);
    else
        *hit = lf__hit_none(LF_INFINITY, why_not(&c, code, &n));
    cost.exact = c.exact;
    lf__cursor_count(cursor, &cost);
}
