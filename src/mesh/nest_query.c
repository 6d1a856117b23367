/// Planes of triangles, and queries of the nested grid: all ground over a point is in one leaf.
#include "geom/expansion.h"
#include "mesh/mesh.h"
#include "mesh/mesh_edit.h"

// ---------------------------------------------------------------------------------------------------
// Planes
// ---------------------------------------------------------------------------------------------------

/// Are doubles good enough for the plane of a triangle a, a + e, a + f: for heights, and for its normal?
static bool plane_is_good(const lf__nest *nest, const lf__nest_plane *plane, lf_vec3 a, lf_vec3 e,
                          lf_vec3 f) {
    bool straight = nest->mesh->straight;
    double area = fabs(e.x * f.y - e.y * f.x), far = fabs(a.x) + fabs(a.y);
    double run =
        lf__nest_larger(lf__nest_larger(fabs(e.x), fabs(e.y)), lf__nest_larger(fabs(f.x), fabs(f.y)));
    double rise = lf__nest_larger(fabs(e.z), fabs(f.z));
    // Turning a frame rounds x, y and z; else they are as given.
    double place = straight ? 0 : 0x1p-50 * (far + fabs(a.z));
    // A gradient is a quotient of two differences of two products. It is off by this much, times the distance
    // from the plane's corner across the triangle.
    double gradient = 2 * rise * run / area, wrong = (0x1p-49 * run * run + 4 * run * place) / area;
    double bent = gradient * wrong + 4 * (rise + run) * place / area;
    double error =
        bent * 2 * run + gradient * (place + 0x1p-50 * run) + 0x1p-50 * (fabs(a.z) + rise) + 2 * place;
    // The distance from the grid's middle may be long. It is rounded along x and y, and so are c, which may
    // be twice as large as the product of distance and gradient, and the first sum: five roundings. That must
    // not show beside the triangle's own coordinates.
    double steepest = lf__nest_larger(fabs(plane->gx), fabs(plane->gy));
    double rounded = 6 * 0x1p-53 * steepest * nest->span;
    return error + rounded < nest->tolerance &&
           rounded < 0.5e-10 + 1e-14 * lf__nest_larger(fabs(a.x), fabs(a.y)) && bent < 1e-10 * (1 + gradient);
}

/// a - b, and what rounding took from it.
static double rounded_difference(double a, double b, double *rest) {
    double d = a - b, back = a - d;
    *rest = (a - (d + back)) + (back - b);
    return d;
}

/// Its height over the grid's middle, rounded once.
static double height_in_the_middle(const lf__nest *nest, const lf__nest_plane *plane, lf_vec3 a) {
    double rest[4];
    double x = rounded_difference(a.x, nest->middle_x, &rest[0]),
           y = rounded_difference(a.y, nest->middle_y, &rest[1]);
    double by_x = plane->gx * x, by_y = plane->gy * y;
    double first = rounded_difference(a.z, by_x, &rest[2]),
           height = rounded_difference(first, by_y, &rest[3]);
    double lost = lf__fma(plane->gx, x, -by_x) + plane->gx * rest[0] + lf__fma(plane->gy, y, -by_y) +
                  plane->gy * rest[1];
    return height + (rest[2] + rest[3] - lost);
}

void lf__nest_plane_through(const lf__nest *nest, const lf_vec3 local[3], lf__nest_plane *plane) {
    lf_vec3 a = local[0], e = lf_vec3_sub(local[1], a), f = lf_vec3_sub(local[2], a);
    double area = e.x * f.y - e.y * f.x;
    plane->gx = (e.z * f.y - e.y * f.z) / area;
    plane->gy = (e.x * f.z - e.z * f.x) / area;
    plane->c = height_in_the_middle(nest, plane, a);
    // Where the sign of the area is wrong the triangle is so thin that its plane is not good enough.
    plane->up = (area < 0 ? -1 : 1) / sqrt(1 + plane->gx * plane->gx + plane->gy * plane->gy);
}

uint32_t lf__nest_make_plane(const lf__nest *nest, const lf_mesh *mesh, int64_t triangle,
                             lf__nest_plane *plane) {
    lf_vec3 world[3];
    lf__mesh_triangle(mesh, triangle, world);
    int facing = -lf_orient_line(world[0], mesh->frame.down, world[1], world[2]);
    *plane = (lf__nest_plane){0, 0, 0, 0};
    if (facing == 0)
        return LF__NEST_WALL;
    const lf_vec3 local[3] = {lf__mesh_local(mesh, world[0]), lf__mesh_local(mesh, world[1]),
                              lf__mesh_local(mesh, world[2])};
    lf_vec3 a = local[0], e = lf_vec3_sub(local[1], a), f = lf_vec3_sub(local[2], a);
    lf__nest_plane_through(nest, local, plane);
    bool good = plane_is_good(nest, plane, a, e, f) && (facing < 0) == (plane->up < 0);
    return (facing < 0 ? LF__NEST_UNDER : 0) | (good ? 0 : LF__NEST_STEEP);
}

// ---------------------------------------------------------------------------------------------------
// Queries
// ---------------------------------------------------------------------------------------------------

/// A gravity line through a leaf.
typedef struct nest_column {
    const lf_mesh *mesh;
    lf_vec3 point, local;
    lf_ray ray; ///< the same line, for exact answers
    uint32_t layers;
    bool down;
    uint64_t exact;
} nest_column;

/// Is the point within the closed triangle, seen along gravity? Decided by exact signs.
static bool nest_holds(nest_column *c, uint32_t triangle) {
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

/// Where the gravity line meets a triangle that it is known to meet, along the ray; INFINITY when that is behind its start.
static double exact_t(nest_column *c, uint32_t triangle) {
    lf_vec3 points[3];
    lf_ray scaled;
    int exponent;
    lf__meeting meeting;
    c->exact++;
    lf__mesh_triangle(c->mesh, triangle, points);
    if (!lf__meet(lf__line_of(&c->ray, &scaled, &exponent), points, &meeting, &c->exact))
        return INFINITY;
    return exponent == 0 ? meeting.t : ldexp(meeting.t, -exponent);
}

/// May this triangle be seen at all, and from the side that a query up or down meets?
static bool nest_accepts(const nest_column *c, uint32_t tagged, bool down) {
    const lf_mesh *mesh = c->mesh;
    if (!mesh->layers && !mesh->sides)
        return (c->layers & 1u) != 0;
    int64_t polygon = lf__mesh_owner(mesh, tagged & LF__NEST_NUMBER);
    bool from_behind = ((tagged & LF__NEST_UNDER) != 0) == down;
    if (mesh->sides && mesh->sides[polygon] == 1 && from_behind)
        return false;
    return (c->layers & (mesh->layers ? mesh->layers[polygon] : 1u)) != 0;
}

/// The nearest so far. `distance` is from the point along the query, in metres.
typedef struct nest_nearest {
    uint32_t triangle;
    double distance, z;
    double error; ///< z is closer than this to the exact one
    double t;     ///< along the ray, or NAN while the plane has been enough
    bool behind;  ///< something is on the other side
} nest_nearest;

/// Is a triangle before the nearest so far, by exact arithmetic? Both are ahead.
static bool nest_is_before(nest_column *c, uint32_t triangle, uint32_t other) {
    lf_vec3 first[3], second[3];
    c->exact++;
    lf__mesh_triangle(c->mesh, triangle, first);
    lf__mesh_triangle(c->mesh, other, second);
    int order = lf__meet_order(&c->ray, first, &c->ray, second);
    return order < 0 || (order == 0 && triangle < other);
}

/// How far the height of a plane over the point can be off. The point's own place is rounded where the frame is turned.
static double plane_error(const nest_column *c, const lf__nest_plane *plane) {
    if (c->mesh->straight)
        return c->mesh->nest.tolerance;
    double far = fabs(c->point.x) + fabs(c->point.y) + fabs(c->point.z);
    return c->mesh->nest.tolerance + 0x1p-49 * far * (1 + fabs(plane->gx) + fabs(plane->gy));
}

/// Take a triangle that holds the point into account. Heights by planes decide while they are farther apart than they can be off; else the exact test
/// does.
static void consider(nest_column *c, uint32_t tagged, nest_nearest *n) {
    uint32_t triangle = tagged & LF__NEST_NUMBER;
    lf__nest_plane scratch;
    const lf__nest_plane *plane = lf__nest_plane_of(c->mesh, triangle, &scratch);
    double z = lf__nest_height(&c->mesh->nest, plane, &c->local), error = plane_error(c, plane), t = NAN;
    double distance = c->down ? c->local.z - z : z - c->local.z;
    if ((tagged & LF__NEST_STEEP) || fabs(distance) <= error) {
        t = exact_t(c, triangle);
        distance = t * lf_vec3_length(c->ray.direction);
        z = c->local.z + (c->down ? -distance : distance);
        error = 4 * LF__MEET_ERROR * (fabs(distance) + fabs(c->local.z)) + c->mesh->nest.tolerance;
    }
    bool behind = isnan(t) ? distance < 0 : isinf(t);
    if (!nest_accepts(c, tagged, c->down != behind)) {
        // Ground at the point itself is on both sides.
        n->behind |= !behind && t == 0 && nest_accepts(c, tagged, !c->down);
        return;
    }
    if (behind) {
        n->behind = true;
        return;
    }
    double nearer_by = c->down ? z - n->z : n->z - z, doubt = error + n->error;
    bool nearer = n->triangle == LF__NEST_NOTHING || nearer_by > doubt;
    if (!nearer && nearer_by >= -doubt)
        nearer = nest_is_before(c, triangle, n->triangle & LF__NEST_NUMBER);
    if (nearer)
        *n = (nest_nearest){tagged, distance, z, error, t, n->behind};
}

static void nest_search(nest_column *c, lf__nest_place place, nest_nearest *n, lf_counters *cost) {
    const uint32_t *leaf = c->mesh->nest.words + place.cell;
    uint32_t count = leaf[1] & LF__NEST_COUNT, point = lf__nest_point(leaf, &place);
    const uint32_t *triangles = leaf + LF__NEST_HEAD + 3 * (size_t)count;
    cost->cells++;
    cost->triangles += count;
    for (uint32_t first = 0; first < count; first += LF__NEST_LANES) {
        unsigned sure, maybe = c->mesh->nest_kernels->test(leaf, first, point, &sure);
        if (maybe != sure)
            maybe = lf__nest_test_closer(leaf, first, point, maybe, &sure);
        for (; maybe; maybe &= maybe - 1) {
            unsigned lane = (unsigned)__builtin_ctz(maybe);
            uint32_t tagged = triangles[first + lane];
            if ((sure >> lane & 1) || nest_holds(c, tagged & LF__NEST_NUMBER))
                consider(c, tagged, n);
        }
    }
}

/// A cell that one triangle covers.
static void nest_take_covered(nest_column *c, uint32_t cell, nest_nearest *n, lf_counters *cost) {
    cost->cells++;
    cost->triangles++;
    consider(c, lf__nest_covering(cell), n);
}

static lf_reason nest_why_not(const nest_column *c, uint32_t code, bool behind) {
    if (behind)
        return LF_REASON_NONE;
    if (c->mesh->nest.doubted >> code & 1)
        return lf__hull_contains(&c->mesh->hull, c->point) ? LF_REASON_HOLE : LF_REASON_OUTSIDE;
    return code == LF__NEST_INSIDE ? LF_REASON_HOLE : LF_REASON_OUTSIDE;
}

/// From local to world: the transpose of the frame's rotation.
static lf_vec3 turn_back(const lf_vec3 rows[3], lf_vec3 v) {
    return lf_vec3_along(lf_vec3_along(lf_vec3_scale(rows[0], v.x), v.y, rows[1]), v.z, rows[2]);
}

/// Doubles were not enough for this triangle's plane: its hit is computed as that of a ray.
static void fill_steep(const nest_column *c, const nest_nearest *n, lf_hit *hit) {
    lf__mesh_query query = {.mesh = c->mesh, .ray = &c->ray};
    lf__bvh_meeting meeting = {n->t, n->triangle & LF__NEST_NUMBER, NULL};
    lf__mesh_hit_on_line(&query, &meeting, lf_vec3_length(c->ray.direction), hit);
}

/// From local coordinates to the world's.
static void to_world(const lf_mesh *mesh, const lf_vec3 *point, double local_z, lf_hit *hit) {
    if (mesh->straight || hit->kind == LF_HIT_NONE)
        return;
    hit->point = lf_vec3_along(*point, hit->point.z - local_z, mesh->frame.rows[2]);
    hit->normal = turn_back(mesh->frame.rows, hit->normal);
}

/// The exact fallback, for what the fast path leaves open: layers, sides, and everything that is close.
static __attribute__((noinline)) void query_exactly(const lf_mesh *mesh, const lf_vec3 *point, bool down,
                                                    lf_hit *hit, lf_cursor *cursor) {
    nest_column c = {.mesh = mesh, .point = *point, .local = lf__mesh_local(mesh, *point), .down = down};
    lf_counters cost = {.questions = 1};
    nest_nearest n = {LF__NEST_NOTHING, INFINITY, NAN, 0, NAN, false};
    lf__nest_place place = lf__nest_locate(&mesh->nest, c.local.x, c.local.y);
    uint32_t code = place.cell;
    c.layers = lf__cursor_layers(cursor);
    c.ray = lf_ray_towards(*point, down ? mesh->frame.down : lf_vec3_scale(mesh->frame.down, -1));
    if (lf__nest_is_covered(place.cell)) {
        nest_take_covered(&c, place.cell, &n, &cost);
        code = LF__NEST_INSIDE;
    } else if (place.cell >= LF__NEST_FIRST) {
        nest_search(&c, place, &n, &cost);
        code = mesh->nest.words[place.cell + 1] >> LF__NEST_HULL_SHIFT;
    }
    if (n.triangle == LF__NEST_NOTHING) {
        lf__hit_nothing(hit, nest_why_not(&c, code, n.behind));
    } else if (n.triangle & LF__NEST_STEEP) {
        fill_steep(&c, &n, hit);
    } else {
        lf__nest_fill(mesh, &c.local, n.triangle, n.z, hit);
        hit->t = n.distance;
        to_world(mesh, point, c.local.z, hit);
    }
    cost.exact = c.exact;
    lf__cursor_count(cursor, &cost);
}

lf_status lf__nest_exact(const lf_mesh *mesh, lf_vec3 local, lf_vertical vertical, lf_hit *hit) {
    if (!mesh->straight)
        return LF_PARTIAL;
    query_exactly(mesh, &local, vertical == LF_VERTICAL_DOWN, hit, NULL);
    return LF_OK;
}

lf_status lf__nest_empty(const lf_mesh *mesh, lf_vec3 local, lf_hit *hit) {
    if (!mesh->straight)
        return LF_PARTIAL;
    lf__hit_nothing(hit, lf__hull_contains(&mesh->hull, local) ? LF_REASON_HOLE : LF_REASON_OUTSIDE);
    return LF_OK;
}

lf_status lf__nest_beyond(const lf_mesh *mesh, lf_vec3 local, lf_vertical vertical, lf_hit *hit) {
    bool above_all = vertical == LF_VERTICAL_DOWN && mesh->straight && local.z == LF_INFINITY;
    if (!(fabs(local.x) <= LF__MESH_LIMIT && fabs(local.y) <= LF__MESH_LIMIT) ||
        !(fabs(local.z) <= LF__MESH_LIMIT || above_all))
        return mesh->straight ? lf__hit_refused(hit) : LF_PARTIAL;
    if (!above_all) {
        // Walls that an edit added may lie beyond the grid, and the hull with them.
        if (mesh->nest.doubted >> LF__NEST_OUTSIDE & 1)
            return lf__nest_exact(mesh, local, vertical, hit);
        lf__hit_nothing(hit, LF_REASON_OUTSIDE);
        return LF_OK;
    }
    lf_vec3 high = {local.x, local.y, mesh->box.high.z};
    mesh->nest_kernels->drop(mesh, high, vertical, hit);
    lf__mesh_from_infinity(hit);
    return LF_OK;
}

/// The fast path, where it applies.
static bool query_fast(const lf_mesh *mesh, const lf_vec3 *point, bool down, lf_hit *hit) {
    lf_vertical vertical = down ? LF_VERTICAL_DOWN : LF_VERTICAL_UP;
    if (mesh->straight)
        return mesh->nest_kernels->drop(mesh, *point, vertical, hit) == LF_OK;
    lf_vec3 local = lf__mesh_local(mesh, *point);
    // From farther away the rounding of local coordinates is more than the tolerance allows for.
    if (fabs(point->x) + fabs(point->y) + fabs(point->z) > mesh->nest.far ||
        mesh->nest_kernels->drop(mesh, local, vertical, hit) != LF_OK)
        return false;
    to_world(mesh, point, local.z, hit);
    return true;
}

void lf__nest_query(const lf_mesh *mesh, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor) {
    if (!cursor && !mesh->layers && !mesh->sides && mesh->nest.planes && query_fast(mesh, point, down, hit))
        return;
    if (!isinf(point->z)) {
        query_exactly(mesh, point, down, hit, cursor);
        return;
    }
    lf_vec3 high = {point->x, point->y, mesh->box.high.z};
    query_exactly(mesh, &high, down, hit, cursor);
    lf__mesh_from_infinity(hit);
}
