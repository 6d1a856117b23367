/// The planes of triangles, and whether doubles are good enough for them.
#include "mesh/nest_build.h"

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
    // A gradient is a quotient of two differences of two products. It is off by this much, times the way from
    // the plane's corner across the triangle.
    double gradient = 2 * rise * run / area, wrong = (0x1p-49 * run * run + 4 * run * place) / area;
    double bent = gradient * wrong + 4 * (rise + run) * place / area;
    double error =
        bent * 2 * run + gradient * (place + 0x1p-50 * run) + 0x1p-50 * (fabs(a.z) + rise) + 2 * place;
    // The way from the grid's middle may be long. It is rounded along x and y, and so are c, which may be
    // twice as large as the product of way and gradient, and the first sum: five roundings. That must not
    // show beside the triangle's own coordinates.
    double steepest = lf__nest_larger(fabs(plane->gx), fabs(plane->gy));
    double rounded = 6 * 0x1p-53 * steepest * nest->span;
    return error + rounded < nest->tolerance &&
           rounded < 0.5e-10 + 1e-14 * lf__nest_larger(fabs(a.x), fabs(a.y)) && bent < 1e-10 * (1 + gradient);
}

/// a - b, and what rounding took from it.
static double difference(double a, double b, double *rest) {
    double d = a - b, back = a - d;
    *rest = (a - (d + back)) + (back - b);
    return d;
}

/// Its height over the grid's middle, rounded once.
static double height_in_the_middle(const lf__nest *nest, const lf__nest_plane *plane, lf_vec3 a) {
    double rest[4];
    double x = difference(a.x, nest->middle_x, &rest[0]), y = difference(a.y, nest->middle_y, &rest[1]);
    double by_x = plane->gx * x, by_y = plane->gy * y;
    double first = difference(a.z, by_x, &rest[2]), height = difference(first, by_y, &rest[3]);
    double lost =
        fma(plane->gx, x, -by_x) + plane->gx * rest[0] + fma(plane->gy, y, -by_y) + plane->gy * rest[1];
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
