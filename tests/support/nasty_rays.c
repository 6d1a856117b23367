#include "nasty.h"

const char *nasty_ray_name(nasty_ray_kind kind) {
    static const char *const names[] = {
#define NASTY_TEXT(name, text) text,
        NASTY_RAY_LIST(NASTY_TEXT)
#undef NASTY_TEXT
    };
    return names[kind];
}

static lf_vec3 vertex(const nasty_mesh *mesh, test_random *random) {
    // of a triangle, so that every vertex asked for is part of something
    int64_t corner = test_random_below(random, 3 * mesh->triangle_count);
    return mesh->vertices[mesh->triangles[corner]];
}

static void triangle(const nasty_mesh *mesh, test_random *random, lf_vec3 corners[3]) {
    nasty_mesh_triangle(mesh, test_random_below(random, mesh->triangle_count), corners);
}

static double whole(test_random *random, int64_t reach) {
    return (double)(test_random_below(random, 2 * reach + 1) - reach);
}

lf_vec3 nasty_real_vec(double reach, test_random *random) {
    double x = test_random_between(random, -reach, reach), y = test_random_between(random, -reach, reach);
    return (lf_vec3){x, y, test_random_between(random, -reach, reach)};
}

lf_vec3 nasty_whole_vec(int64_t reach, test_random *random) {
    double x = whole(random, reach), y = whole(random, reach);
    return (lf_vec3){x, y, whole(random, reach)};
}

lf_vec3 nasty_box_vec(lf_box box, test_random *random) {
    double x = test_random_between(random, box.low.x, box.high.x),
           y = test_random_between(random, box.low.y, box.high.y);
    return (lf_vec3){x, y, test_random_between(random, box.low.z, box.high.z)};
}

/// A direction of small whole numbers, not zero.
static lf_vec3 whole_direction(test_random *random) {
    lf_vec3 d = nasty_whole_vec(3, random);
    if (d.x == 0 && d.y == 0 && d.z == 0)
        d.z = -1;
    return d;
}

static lf_vec3 axis_direction(test_random *random) {
    double sign = test_random_below(random, 2) ? 1 : -1;
    int64_t axis = test_random_below(random, 3);
    return (lf_vec3){axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
}

/// Quarters of the corners: exact for whole coordinates; on corners, edges and inside.
static lf_vec3 quarter_point(const lf_vec3 c[3], test_random *random) {
    int64_t b = test_random_below(random, 5), a = test_random_below(random, 5 - b);
    double wa = (double)a / 4, wb = (double)b / 4, wc = (double)(4 - a - b) / 4;
    return (lf_vec3){wa * c[0].x + wb * c[1].x + wc * c[2].x, wa * c[0].y + wb * c[1].y + wc * c[2].y,
                     wa * c[0].z + wb * c[1].z + wc * c[2].z};
}

static lf_vec3 surface_point(const nasty_mesh *mesh, test_random *random) {
    lf_vec3 corners[3];
    triangle(mesh, random, corners);
    return quarter_point(corners, random);
}

/// In the mesh's box or a little beside it.
static lf_vec3 anywhere(const nasty_mesh *mesh, test_random *random) {
    lf_vec3 size = lf_vec3_sub(mesh->box.high, mesh->box.low);
    lf_vec3 margin = {size.x * 0.25 + 1, size.y * 0.25 + 1, size.z * 0.25 + 1};
    lf_box box = {lf_vec3_sub(mesh->box.low, margin), lf_vec3_add(mesh->box.high, margin)};
    return nasty_box_vec(box, random);
}

/// The next double up or down. A nudged zero would be a denormal, far below what exact predicates promise: 1e-40
/// instead.
static double nudged(double value, test_random *random) {
    double side = test_random_below(random, 2) ? 1 : -1;
    return value != 0 ? nextafter(value, side * INFINITY) : side * 1e-40;
}

lf_vec3 nasty_nudge(lf_vec3 v, test_random *random) {
    int64_t axis = test_random_below(random, 3);
    double *part = axis == 0 ? &v.x : axis == 1 ? &v.y : &v.z;
    *part = nudged(*part, random);
    return v;
}

/// A ray whose point at t is `at`.
static lf_ray through(lf_vec3 at, lf_vec3 direction, double t) {
    return lf_ray_towards(lf_vec3_along(at, -t, direction), direction);
}

static lf_vec3 not_zero(lf_vec3 d) {
    return d.x == 0 && d.y == 0 && d.z == 0 ? (lf_vec3){1, 0, 0} : d;
}

static lf_ray random_ray(const nasty_mesh *mesh, test_random *random) {
    lf_vec3 from = anywhere(mesh, random);
    lf_vec3 to = test_random_below(random, 3) ? surface_point(mesh, random) : anywhere(mesh, random);
    lf_ray ray = lf_ray_towards(from, not_zero(lf_vec3_sub(to, from)));
    if (test_random_below(random, 4) == 0) {
        ray.t_min = test_random_between(random, 0, 1.2);
        ray.t_max = ray.t_min + test_random_between(random, 0, 1.2);
    }
    return ray;
}

static lf_ray along_edge(const nasty_mesh *mesh, test_random *random) {
    lf_vec3 c[3];
    triangle(mesh, random, c);
    lf_vec3 edge = not_zero(lf_vec3_sub(c[1], c[0]));
    lf_ray ray = through(c[0], edge, whole(random, 3) * 0.5);
    if (test_random_below(random, 2))
        ray.t_max = 0.5 * (double)test_random_below(random, 8);
    return ray;
}

/// Whole multiples of two edges give origin and direction: exact for whole coordinates.
static lf_ray in_plane(const nasty_mesh *mesh, test_random *random) {
    lf_vec3 c[3];
    triangle(mesh, random, c);
    lf_vec3 ab = lf_vec3_sub(c[1], c[0]), ac = lf_vec3_sub(c[2], c[0]);
    lf_vec3 origin =
        lf_vec3_along(lf_vec3_along(c[0], whole(random, 4) * 0.5, ab), whole(random, 4) * 0.5, ac);
    lf_vec3 d = lf_vec3_add(lf_vec3_scale(ab, whole(random, 3)), lf_vec3_scale(ac, whole(random, 3)));
    lf_ray ray = lf_ray_towards(origin, not_zero(d));
    if (test_random_below(random, 3) == 0)
        ray.t_min = 0.25 * (double)test_random_below(random, 8);
    if (test_random_below(random, 3) == 0)
        ray.t_max = ray.t_min + 0.25 * (double)test_random_below(random, 8);
    return ray;
}

static lf_ray from_far(const nasty_mesh *mesh, test_random *random) {
    lf_vec3 at = test_random_below(random, 2) ? vertex(mesh, random) : surface_point(mesh, random);
    lf_vec3 away = nasty_real_vec(1e7, random);
    if (test_random_below(random, 2))
        away = lf_vec3_scale(whole_direction(random), 0x1p23);
    lf_vec3 from = lf_vec3_add(at, away);
    return lf_ray_towards(from, not_zero(lf_vec3_sub(at, from)));
}

static lf_ray grazing(const nasty_mesh *mesh, test_random *random) {
    lf_ray ray = in_plane(mesh, random);
    double tilt = pow(10, test_random_between(random, -16, -3));
    lf_vec3 off = whole_direction(random);
    if (test_random_below(random, 2))
        ray.direction = not_zero(lf_vec3_along(ray.direction, tilt, off));
    else
        ray.origin = lf_vec3_along(ray.origin, tilt, off);
    ray.t_max = LF_INFINITY;
    return ray;
}

/// The same line with a longer or shorter direction; only a power of two leaves it exactly the same.
static lf_ray scaled(lf_ray ray, double factor) {
    ray.direction = lf_vec3_scale(ray.direction, factor);
    ray.t_min = ray.t_min / factor;
    ray.t_max = ray.t_max / factor;
    return ray;
}

static lf_ray any_exact(const nasty_mesh *mesh, test_random *random) {
    return nasty_ray_make((nasty_ray_kind)test_random_below(random, NASTY_FROM_FAR), mesh, random);
}

static lf_ray reversed(const nasty_mesh *mesh, test_random *random) {
    lf_ray ray = any_exact(mesh, random);
    ray.direction = lf_vec3_scale(ray.direction, -1);
    return ray;
}

static lf_ray with_small_part(const nasty_mesh *mesh, test_random *random) {
    lf_vec3 at = surface_point(mesh, random), axis = axis_direction(random);
    lf_ray ray = through(at, axis, whole(random, 8));
    double small = test_random_below(random, 2) ? 1e-55 : -1e-20;
    double *parts[3] = {&ray.direction.x, &ray.direction.y, &ray.direction.z};
    for (int i = 0; i < 3; i++)
        if (*parts[i] == 0 && test_random_below(random, 2))
            *parts[i] = small;
    return ray;
}

static lf_ray nudged_ray(const nasty_mesh *mesh, test_random *random) {
    lf_ray ray = any_exact(mesh, random);
    switch (test_random_below(random, 4)) {
    case 0:
        ray.origin = nasty_nudge(ray.origin, random);
        break;
    case 1:
        ray.direction = nasty_nudge(ray.direction, random);
        break;
    case 2:
        ray.t_max = ray.t_max < LF_INFINITY && ray.t_max > ray.t_min ? nextafter(ray.t_max, 0) : ray.t_max;
        break;
    default:
        if (ray.t_min < ray.t_max)
            ray.t_min = ray.t_min > 0 ? nextafter(ray.t_min, LF_INFINITY) : ray.t_max > 1e-40 ? 1e-40 : 0;
    }
    return ray;
}

/// Through a corner, an edge or any point of one triangle.
static lf_ray at_triangle(nasty_ray_kind kind, const nasty_mesh *mesh, test_random *random) {
    lf_vec3 c[3];
    triangle(mesh, random, c);
    lf_vec3 at = quarter_point(c, random);
    lf_vec3 direction = kind == NASTY_AXIS ? axis_direction(random) : whole_direction(random);
    double t = kind == NASTY_ENDS_ON || kind == NASTY_STARTS_ON ? 2
               : kind == NASTY_ON_SURFACE                       ? 0
                                                                : whole(random, 12);
    if (kind == NASTY_AT_VERTEX)
        at = c[0];
    if (kind == NASTY_AT_EDGE)
        at = lf_vec3_scale(lf_vec3_add(c[0], c[1]), 0.5);
    lf_ray ray = through(at, direction, kind == NASTY_AXIS ? t : fabs(t));
    if (kind == NASTY_ENDS_ON)
        ray.t_max = t;
    if (kind == NASTY_STARTS_ON)
        ray.t_min = t;
    return ray;
}

static lf_ray between_vertices(const nasty_mesh *mesh, test_random *random) {
    lf_vec3 a = vertex(mesh, random), b = vertex(mesh, random);
    lf_ray ray = lf_ray_between(a, b);
    ray.direction = not_zero(ray.direction);
    return ray;
}

lf_ray nasty_ray_make(nasty_ray_kind kind, const nasty_mesh *mesh, test_random *random) {
    bool by_two = test_random_below(random, 2);
    switch (kind) {
    case NASTY_AT_VERTEX:
    case NASTY_AT_EDGE:
    case NASTY_AXIS:
    case NASTY_ON_SURFACE:
    case NASTY_ENDS_ON:
    case NASTY_STARTS_ON:
        return at_triangle(kind, mesh, random);
    case NASTY_ALONG_EDGE:
        return along_edge(mesh, random);
    case NASTY_BETWEEN_VERTICES:
        return between_vertices(mesh, random);
    case NASTY_IN_PLANE:
        return in_plane(mesh, random);
    case NASTY_FROM_FAR:
        return from_far(mesh, random);
    case NASTY_REVERSED:
        return reversed(mesh, random);
    case NASTY_TINY:
        return scaled(any_exact(mesh, random), by_two ? 0x1p-100 : 1e-30);
    case NASTY_HUGE:
        return scaled(any_exact(mesh, random), by_two ? 0x1p100 : 1e30);
    case NASTY_GRAZING:
        return grazing(mesh, random);
    case NASTY_NUDGED:
        return nudged_ray(mesh, random);
    case NASTY_SMALL_PART:
        return with_small_part(mesh, random);
    default:
        return random_ray(mesh, random);
    }
}

static lf_vec3 border_point(const nasty_mesh *mesh, test_random *random) {
    double x = test_random_below(random, 2) ? mesh->box.low.x : mesh->box.high.x;
    lf_vec3 p = surface_point(mesh, random);
    p.x = test_random_below(random, 2) ? x : nudged(x, random);
    return p;
}

lf_vec3 nasty_point_make(const nasty_mesh *mesh, lf_vec3 down, test_random *random) {
    lf_vec3 p;
    switch (test_random_below(random, 6)) {
    case 0:
        return anywhere(mesh, random);
    case 1:
        return surface_point(mesh, random);
    case 2:
        return nasty_nudge(surface_point(mesh, random), random);
    case 3:
        p = border_point(mesh, random);
        break;
    case 4:
        p = vertex(mesh, random);
        break;
    default:
        p = surface_point(mesh, random);
    }
    return lf_vec3_along(p, whole(random, 8) * 0.5, down);
}
