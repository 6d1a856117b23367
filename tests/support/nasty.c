#include "nasty.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *grown(void *old, int64_t count, size_t each) {
    void *fresh = realloc(old, (size_t)count * each);
    assert_non_null(fresh);
    return fresh;
}

static int64_t add_vertex(nasty_mesh *mesh, double x, double y, double z) {
    if (mesh->vertex_count == mesh->vertex_space) {
        mesh->vertex_space = mesh->vertex_space * 2 + 64;
        mesh->vertices = grown(mesh->vertices, mesh->vertex_space, sizeof *mesh->vertices);
    }
    mesh->vertices[mesh->vertex_count] = (lf_vec3){x, y, z};
    return mesh->vertex_count++;
}

static void add_polygon(nasty_mesh *mesh, const int64_t *corners, int64_t count) {
    if (mesh->polygon_count == mesh->polygon_space) {
        mesh->polygon_space = mesh->polygon_space * 2 + 64;
        mesh->starts = grown(mesh->starts, mesh->polygon_space + 1, sizeof *mesh->starts);
        mesh->starts[0] = 0;
    }
    int64_t start = mesh->starts[mesh->polygon_count];
    if (start + count > mesh->corner_space) {
        mesh->corner_space = (start + count) * 2;
        mesh->corners = grown(mesh->corners, mesh->corner_space, sizeof *mesh->corners);
    }
    memcpy(mesh->corners + start, corners, (size_t)count * sizeof *corners);
    mesh->starts[++mesh->polygon_count] = start + count;
}

/// A triangle turned and flipped at random.
static void add_triangle(nasty_mesh *mesh, int64_t a, int64_t b, int64_t c, test_random *random) {
    int64_t corners[5] = {a, b, c, a, b};
    int64_t *first = corners + test_random_below(random, 3);
    int64_t flipped[3] = {first[2], first[1], first[0]};
    add_polygon(mesh, test_random_below(random, 2) ? first : flipped, 3);
}

/// A quad as one polygon or as two triangles with either diagonal.
static void add_quad(nasty_mesh *mesh, const int64_t q[4], test_random *random) {
    int64_t reversed[4] = {q[3], q[2], q[1], q[0]};
    switch (test_random_below(random, 4)) {
    case 0:
        add_polygon(mesh, q, 4);
        break;
    case 1:
        add_polygon(mesh, reversed, 4);
        break;
    case 2:
        add_triangle(mesh, q[0], q[1], q[2], random);
        add_triangle(mesh, q[0], q[2], q[3], random);
        break;
    default:
        add_triangle(mesh, q[0], q[1], q[3], random);
        add_triangle(mesh, q[1], q[2], q[3], random);
    }
}

static double real(test_random *random, double reach) {
    return test_random_between(random, -reach, reach);
}

static double whole(test_random *random, int64_t reach) {
    return (double)(test_random_below(random, 2 * reach + 1) - reach);
}

static int64_t add_vec(nasty_mesh *mesh, lf_vec3 v) {
    return add_vertex(mesh, v.x, v.y, v.z);
}

static void add_soup_triangle(nasty_mesh *mesh, double reach, double size, test_random *random) {
    lf_vec3 at = nasty_real_vec(reach, random);
    int64_t v[3];
    for (int i = 0; i < 3; i++)
        v[i] = add_vec(mesh, lf_vec3_add(at, nasty_real_vec(size, random)));
    add_triangle(mesh, v[0], v[1], v[2], random);
}

static void make_soup(nasty_mesh *mesh, int64_t size, test_random *random) {
    for (int64_t i = 0; i < size; i++)
        add_soup_triangle(mesh, 100, test_random_below(random, 10) ? 10 : 80, random);
}

/// Triangles over a square of samples with whole coordinates, sheared at random, up to `rise` high.
static void make_grid(nasty_mesh *mesh, int64_t size, int64_t rise, test_random *random) {
    int64_t side = 1;
    while (2 * side * side < size)
        side++;
    double shear = whole(random, 1);
    double step = (double)(1 + test_random_below(random, 3));
    int64_t base = mesh->vertex_count;
    for (int64_t j = 0; j <= side; j++)
        for (int64_t i = 0; i <= side; i++)
            add_vertex(mesh, step * (double)i + shear * (double)j, step * (double)j,
                       rise ? whole(random, rise) : shear * (double)(i + j));
    for (int64_t j = 0; j < side; j++)
        for (int64_t i = 0; i < side; i++) {
            int64_t p = base + j * (side + 1) + i, q = p + side + 1;
            bool other = test_random_below(random, 2);
            add_triangle(mesh, p, p + 1, other ? q : q + 1, random);
            add_triangle(mesh, q, q + 1, other ? p + 1 : p, random);
        }
}

/// Needles: the third corner is beside the line of the other two by a share of 1e-9 down to nothing but rounding.
static void make_slivers(nasty_mesh *mesh, int64_t size, test_random *random) {
    for (int64_t i = 0; i < size; i++) {
        lf_vec3 a = nasty_real_vec(100, random), d = nasty_real_vec(100, random);
        double along = real(random, 1.5);
        double beside = test_random_below(random, 4) ? pow(10, -9 - real(random, 6)) * 100 : 0;
        lf_vec3 c = lf_vec3_add(lf_vec3_along(a, along, d), nasty_real_vec(beside, random));
        int64_t v[3] = {add_vec(mesh, a), add_vec(mesh, lf_vec3_add(a, d)), add_vec(mesh, c)};
        add_triangle(mesh, v[0], v[1], v[2], random);
    }
}

/// A few planes; each triangle several times, turned and flipped, and others that overlap it.
static void make_stacked(nasty_mesh *mesh, int64_t size, test_random *random) {
    while (mesh->polygon_count < size) {
        double slope_x = whole(random, 1), slope_y = whole(random, 1), height = 4 * whole(random, 1);
        int64_t v[3];
        for (int i = 0; i < 3; i++) {
            double x = whole(random, 8), y = whole(random, 8);
            v[i] = add_vertex(mesh, x, y, height + slope_x * x + slope_y * y);
        }
        for (int64_t copies = 1 + test_random_below(random, 5); copies > 0; copies--)
            add_triangle(mesh, v[0], v[1], v[2], random);
    }
}

static void make_floors(nasty_mesh *mesh, int64_t size, test_random *random) {
    int64_t side = 1;
    while (4 * side * side < size)
        side++;
    for (int64_t floor = 0; floor < 4; floor++) {
        int64_t base = mesh->vertex_count;
        for (int64_t j = 0; j <= side; j++)
            for (int64_t i = 0; i <= side; i++)
                add_vertex(mesh, (double)(2 * i), (double)(2 * j), (double)(3 * floor));
        for (int64_t j = 0; j < side; j++)
            for (int64_t i = 0; i < side; i++) {
                int64_t p = base + j * (side + 1) + i;
                int64_t quad[4] = {p, p + 1, p + side + 2, p + side + 1};
                if (test_random_below(random, 4) || (floor == 0 && i == 0 && j == 0))
                    add_quad(mesh, quad, random);
            }
    }
}

static void make_walls(nasty_mesh *mesh, int64_t size, test_random *random) {
    while (mesh->polygon_count < size) {
        double x = whole(random, 10), y = whole(random, 10), z = whole(random, 4);
        double dx = whole(random, 4), dy = whole(random, 4), dz = 1 + (double)test_random_below(random, 4);
        if (dx == 0 && dy == 0)
            continue;
        bool lying = test_random_below(random, 4) == 0;
        double ux = lying ? -dy : 0, uy = lying ? dx : 0, uz = lying ? 0 : dz;
        int64_t quad[4] = {add_vertex(mesh, x, y, z), add_vertex(mesh, x + dx, y + dy, z),
                           add_vertex(mesh, x + dx + ux, y + dy + uy, z + uz),
                           add_vertex(mesh, x + ux, y + uy, z + uz)};
        add_quad(mesh, quad, random);
    }
}

static void make_boxes(nasty_mesh *mesh, int64_t size, test_random *random) {
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    while (mesh->polygon_count < size) {
        double low[3], high[3];
        for (int i = 0; i < 3; i++) {
            low[i] = whole(random, 12);
            high[i] = low[i] + 1 + (double)test_random_below(random, 6);
        }
        int64_t base = mesh->vertex_count;
        for (int i = 0; i < 8; i++)
            add_vertex(mesh, i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]);
        for (int f = 0; f < 6; f++) {
            int64_t quad[4] = {base + faces[f][0], base + faces[f][1], base + faces[f][2],
                               base + faces[f][3]};
            add_quad(mesh, quad, random);
        }
    }
}

static void make_mixed(nasty_mesh *mesh, int64_t size, test_random *random) {
    for (int64_t i = 0; i < size; i++) {
        static const double sizes[4] = {1e-6, 1e-3, 10, 1e8};
        add_soup_triangle(mesh, 10, sizes[test_random_below(random, 4)], random);
    }
}

/// Triangles round a corner, each sharing an edge with the next.
static void make_fans(nasty_mesh *mesh, int64_t size, test_random *random) {
    static const double ring[8][2] = {{4, 0}, {3, 3}, {0, 4}, {-3, 3}, {-4, 0}, {-3, -3}, {0, -4}, {3, -3}};
    while (mesh->polygon_count < size) {
        double x = whole(random, 12), y = whole(random, 12), z = whole(random, 6);
        double scale = (double)(1 + test_random_below(random, 2));
        bool tilted = test_random_below(random, 2);
        int64_t hub = add_vertex(mesh, x, y, z), rim[8];
        for (int i = 0; i < 8; i++)
            rim[i] = add_vertex(mesh, x + scale * ring[i][0], y + scale * ring[i][1],
                                z + (tilted ? whole(random, 3) : 0));
        for (int i = 0; i < 8; i++)
            add_triangle(mesh, hub, rim[i], rim[(i + 1) % 8], random);
    }
}

static int by_angle(const void *left, const void *right) {
    const double *a = left, *b = right;
    double angle_a = atan2(a[1], a[0]), angle_b = atan2(b[1], b[0]);
    return angle_a < angle_b ? -1 : angle_a > angle_b;
}

/// Whole steps and their opposites, sorted by angle, close to a convex polygon; it is laid into a plane that two
/// whole vectors span. Parallel steps leave corners in the middle of a side.
static void add_ngon(nasty_mesh *mesh, test_random *random) {
    double steps[16][2];
    int64_t half = 2 + test_random_below(random, 6), corners[16];
    for (int64_t i = 0; i < half; i++) {
        do {
            steps[2 * i][0] = whole(random, 3);
            steps[2 * i][1] = whole(random, 3);
        } while (steps[2 * i][0] == 0 && steps[2 * i][1] == 0);
        steps[2 * i + 1][0] = -steps[2 * i][0];
        steps[2 * i + 1][1] = -steps[2 * i][1];
    }
    qsort(steps, (size_t)(2 * half), sizeof steps[0], by_angle);
    lf_vec3 at = nasty_whole_vec(20, random), u = nasty_whole_vec(2, random), v = nasty_whole_vec(2, random);
    double i = 0, j = 0;
    for (int64_t k = 0; k < 2 * half; k++) {
        corners[k] =
            add_vertex(mesh, at.x + i * u.x + j * v.x, at.y + i * u.y + j * v.y, at.z + i * u.z + j * v.z);
        i += steps[k][0];
        j += steps[k][1];
    }
    add_polygon(mesh, corners, 2 * half);
}

static void make_ngons(nasty_mesh *mesh, int64_t size, test_random *random) {
    while (mesh->polygon_count < size)
        add_ngon(mesh, random);
}

/// Polygons over a grid, with corners up to a third of a millimetre off the plane: the fan of triangles is the surface.
static void make_bent(nasty_mesh *mesh, int64_t size, test_random *random) {
    static const double ring[5][2] = {{0, 0}, {4, -1}, {7, 2}, {5, 6}, {1, 5}};
    while (mesh->polygon_count < size) {
        lf_vec3 at = nasty_whole_vec(24, random), slope = nasty_whole_vec(2, random);
        int64_t count = 4 + test_random_below(random, 2), corners[5], reversed[5];
        for (int64_t i = 0; i < count; i++) {
            double x = ring[i][0], y = ring[i][1], off = test_random_between(random, -0.0003, 0.0003);
            corners[i] = add_vertex(mesh, at.x + x, at.y + y, at.z / 4 + slope.x * x + slope.y * y + off);
            reversed[count - 1 - i] = corners[i];
        }
        add_polygon(mesh, test_random_below(random, 2) ? corners : reversed, count);
    }
}

/// A grid, and among its triangles some that are points, repeat a corner, or lie on a line.
static void make_degenerate(nasty_mesh *mesh, int64_t size, test_random *random) {
    make_grid(mesh, size - size / 3, 2, random);
    while (mesh->polygon_count < size) {
        int64_t a = test_random_below(random, mesh->vertex_count),
                b = test_random_below(random, mesh->vertex_count);
        lf_vec3 p = mesh->vertices[a], q = mesh->vertices[b];
        int64_t middle = add_vertex(mesh, (p.x + q.x) / 2, (p.y + q.y) / 2, (p.z + q.z) / 2);
        int64_t kinds[3][3] = {{a, a, a}, {a, b, a}, {a, middle, b}};
        int64_t *chosen = kinds[test_random_below(random, 3)];
        add_triangle(mesh, chosen[0], chosen[1], chosen[2], random);
    }
}

static void make_near_zero(nasty_mesh *mesh, int64_t size, test_random *random) {
    static const double values[8] = {0, 1e-55, -3e-55, 1e-30, 1, -1, 3, -2};
    while (mesh->polygon_count < size) {
        int64_t v[3];
        for (int i = 0; i < 3; i++) {
            double p[3];
            for (int k = 0; k < 3; k++)
                p[k] = values[test_random_below(random, 8)];
            v[i] = add_vertex(mesh, p[0], p[1], p[2]);
        }
        add_triangle(mesh, v[0], v[1], v[2], random);
    }
}

static void shift_all(nasty_mesh *mesh, double far, test_random *random) {
    lf_vec3 offset = {far, test_random_below(random, 2) ? -far : far / 2,
                      test_random_below(random, 2) ? far : 0};
    for (int64_t i = 0; i < mesh->vertex_count; i++)
        mesh->vertices[i] = lf_vec3_add(mesh->vertices[i], offset);
}

static void fill(nasty_mesh *mesh, int64_t size, test_random *random) {
    switch (mesh->kind) {
    case NASTY_SOUP:
    case NASTY_FAR_SOUP:
        make_soup(mesh, size, random);
        break;
    case NASTY_GRID:
    case NASTY_FAR_GRID:
        make_grid(mesh, size, 3, random);
        break;
    case NASTY_FLAT_GRID:
        make_grid(mesh, size, 0, random);
        break;
    case NASTY_SLIVERS:
        make_slivers(mesh, size, random);
        break;
    case NASTY_STACKED:
        make_stacked(mesh, size, random);
        break;
    case NASTY_FLOORS:
        make_floors(mesh, size, random);
        break;
    case NASTY_WALLS:
        make_walls(mesh, size, random);
        break;
    case NASTY_BOXES:
        make_boxes(mesh, size, random);
        break;
    case NASTY_MIXED:
        make_mixed(mesh, size, random);
        break;
    case NASTY_FANS:
        make_fans(mesh, size, random);
        break;
    case NASTY_NGONS:
        make_ngons(mesh, size, random);
        break;
    case NASTY_BENT:
        make_bent(mesh, size, random);
        break;
    case NASTY_DEGENERATE:
        make_degenerate(mesh, size, random);
        break;
    default:
        make_near_zero(mesh, size, random);
    }
}

static void mark_polygons(nasty_mesh *mesh, bool sided, test_random *random) {
    static const uint32_t masks[5] = {1, 2, 3, 4, 0x80000000u};
    mesh->users = grown(NULL, mesh->polygon_count, sizeof *mesh->users);
    mesh->layers = grown(NULL, mesh->polygon_count, sizeof *mesh->layers);
    mesh->sides = grown(NULL, mesh->polygon_count, sizeof *mesh->sides);
    for (int64_t i = 0; i < mesh->polygon_count; i++) {
        mesh->users[i] = test_random_bits(random);
        mesh->layers[i] = masks[test_random_below(random, 5)];
        mesh->sides[i] = sided && test_random_below(random, 2) ? 1 : 2;
    }
}

void nasty_mesh_cut(nasty_mesh *mesh) {
    int64_t count = mesh->starts[mesh->polygon_count] - 2 * mesh->polygon_count;
    mesh->triangles = grown(NULL, 3 * count, sizeof *mesh->triangles);
    mesh->owners = grown(NULL, count, sizeof *mesh->owners);
    mesh->first_triangle = grown(NULL, mesh->polygon_count + 1, sizeof *mesh->first_triangle);
    for (int64_t p = 0; p < mesh->polygon_count; p++) {
        const int64_t *corner = mesh->corners + mesh->starts[p];
        mesh->first_triangle[p] = mesh->triangle_count;
        for (int64_t i = 1; i + 1 < mesh->starts[p + 1] - mesh->starts[p]; i++) {
            uint32_t *triangle = mesh->triangles + 3 * mesh->triangle_count;
            triangle[0] = (uint32_t)corner[0];
            triangle[1] = (uint32_t)corner[i];
            triangle[2] = (uint32_t)corner[i + 1];
            mesh->owners[mesh->triangle_count++] = p;
        }
    }
    mesh->first_triangle[mesh->polygon_count] = mesh->triangle_count;
}

void nasty_mesh_make(nasty_mesh *mesh, nasty_mesh_kind kind, int64_t size, bool sided, test_random *random) {
    static const char *const names[] = {
#define NASTY_TEXT(name, text) text,
        NASTY_MESH_LIST(NASTY_TEXT)
#undef NASTY_TEXT
    };
    *mesh = (nasty_mesh){.name = names[kind], .kind = kind};
    fill(mesh, size, random);
    if (kind == NASTY_FAR_GRID)
        shift_all(mesh, 1e7, random);
    if (kind == NASTY_FAR_SOUP)
        shift_all(mesh, 1e9, random);
    mesh->box = exact_box(mesh->vertices, mesh->vertex_count);
    if (test_random_below(random, 2))
        add_vertex(mesh, 2 * mesh->box.high.x + 99, 2 * mesh->box.low.y - 99, 2 * mesh->box.high.z + 99);
    mark_polygons(mesh, sided, random);
    nasty_mesh_cut(mesh);
}

void nasty_mesh_free(nasty_mesh *mesh) {
    void *all[] = {mesh->vertices, mesh->starts,    mesh->corners, mesh->users,         mesh->layers,
                   mesh->sides,    mesh->triangles, mesh->owners,  mesh->first_triangle};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
    *mesh = (nasty_mesh){0};
}

lf_polygons nasty_mesh_polygons(const nasty_mesh *mesh) {
    lf_polygons polygons = {mesh->vertices,      mesh->vertex_count, mesh->starts, mesh->corners,
                            mesh->polygon_count, mesh->users,        mesh->layers, mesh->sides};
    return polygons;
}

void nasty_mesh_triangle(const nasty_mesh *mesh, int64_t triangle, lf_vec3 corners[3]) {
    for (int i = 0; i < 3; i++)
        corners[i] = mesh->vertices[mesh->triangles[3 * triangle + i]];
}

exact_hull *nasty_mesh_hull(const nasty_mesh *mesh, lf_vec3 down) {
    int64_t count = mesh->starts[mesh->polygon_count];
    lf_vec3 *used = test_space(count, sizeof *used);
    for (int64_t i = 0; i < count; i++)
        used[i] = mesh->vertices[mesh->corners[i]];
    exact_hull *hull = exact_hull_make(used, count, down);
    free(used);
    return hull;
}

lf_vec3 nasty_gravity(test_random *random) {
    lf_vec3 g = nasty_real_vec(9, random);
    if (test_random_below(random, 3))
        g = (lf_vec3){trunc(g.x / 3), trunc(g.y / 3), trunc(g.z / 3)};
    if (g.x == 0 && g.y == 0 && g.z == 0)
        g.x = 9.80665;
    return g;
}
