/// Shapes for the model benchmark: generated ones, and real ones cut finer.
#include "model.h"

#include <landfall/io.h>
#include <math.h>
#include <samples.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// A shape on its way.
typedef struct builder {
    lf_vec3 *vertices;
    int64_t vertex_count, vertex_space;
    int64_t *corners;
    int64_t triangle_count, triangle_space;
} builder;

static void *more(void *block, int64_t *space, int64_t count, size_t item) {
    if (count <= *space)
        return block;
    *space = 2 * count;
    block = realloc(block, (size_t)*space * item);
    if (!block)
        bench_stop("out of memory");
    return block;
}

static int64_t add_vertex(builder *build, lf_vec3 v) {
    build->vertices = more(build->vertices, &build->vertex_space, build->vertex_count + 1, sizeof v);
    build->vertices[build->vertex_count] = v;
    return build->vertex_count++;
}

static void add_triangle(builder *build, int64_t a, int64_t b, int64_t c) {
    build->corners =
        more(build->corners, &build->triangle_space, build->triangle_count + 1, 3 * sizeof *build->corners);
    int64_t *corner = build->corners + 3 * build->triangle_count++;
    corner[0] = a, corner[1] = b, corner[2] = c;
}

/// Into the unit box, and to single precision.
static void finish(builder *build, model_shape *shape, const char *name) {
    lf_box box = lf_box_empty();
    memset(shape, 0, sizeof *shape);
    snprintf(shape->name, sizeof shape->name, "%s", name);
    for (int64_t i = 0; i < 3 * build->triangle_count; i++)
        box = lf_box_with(box, build->vertices[build->corners[i]]);
    lf_vec3 middle = lf_box_centre(box), size = lf_vec3_sub(box.high, box.low);
    double scale = 1 / fmax(size.x, fmax(size.y, size.z));
    shape->vertices = build->vertices;
    shape->vertex_count = build->vertex_count;
    shape->corners = build->corners;
    shape->triangle_count = build->triangle_count;
    shape->singles = bench_take(3 * (size_t)shape->vertex_count + 1, sizeof *shape->singles);
    shape->corners32 = bench_take(3 * (size_t)shape->triangle_count, sizeof *shape->corners32);
    for (int64_t i = 0; i < shape->vertex_count; i++) {
        lf_vec3 v = lf_vec3_scale(lf_vec3_sub(shape->vertices[i], middle), scale);
        float *single = shape->singles + 3 * i;
        single[0] = (float)v.x, single[1] = (float)v.y, single[2] = (float)v.z;
        lf_vec3 rounded = {single[0], single[1], single[2]};
        shape->vertices[i] = rounded;
    }
    for (int64_t i = 0; i < 3 * shape->triangle_count; i++)
        shape->corners32[i] = (uint32_t)shape->corners[i];
}

void model_shape_close(model_shape *shape) {
    free(shape->corners32);
    free(shape->singles);
    free(shape->corners);
    free(shape->vertices);
}

collider_shape model_shape_view(const model_shape *shape) {
    collider_shape view = {&shape->vertices->x, shape->singles, shape->vertex_count, shape->corners32,
                           shape->triangle_count};
    return view;
}

// ---------------------------------------------------------------------------------------------------
// A tree
// ---------------------------------------------------------------------------------------------------

static lf_vec3 random_vec(bench_random *random, double reach) {
    lf_vec3 v;
    v.x = bench_random_between(random, -reach, reach);
    v.y = bench_random_between(random, -reach, reach);
    v.z = bench_random_between(random, -reach, reach);
    return v;
}

/// Eight triangles from one end of a twig to the other.
static void add_twig(builder *build, lf_vec3 from, lf_vec3 to, double thick) {
    lf_vec3 along = lf_vec3_unit(lf_vec3_sub(to, from));
    lf_vec3 aside = fabs(along.z) < 0.9 ? (lf_vec3){0, 0, 1} : (lf_vec3){1, 0, 0};
    lf_vec3 u = lf_vec3_unit(lf_vec3_cross(along, aside)), v = lf_vec3_cross(along, u);
    int64_t first = build->vertex_count;
    for (int i = 0; i < 4; i++) {
        lf_vec3 out = lf_vec3_scale(i % 2 ? v : u, i < 2 ? thick : -thick);
        add_vertex(build, lf_vec3_add(from, out));
        add_vertex(build, lf_vec3_along(to, 0.5, out));
    }
    for (int64_t i = 0; i < 4; i++) {
        int64_t a = first + 2 * i, b = first + 2 * ((i + 1) % 4);
        add_triangle(build, a, b, b + 1);
        add_triangle(build, a, b + 1, a + 1);
    }
}

void model_shape_tree(model_shape *shape, int64_t triangles) {
    builder build = {NULL, 0, 0, NULL, 0, 0};
    bench_random random = {7};
    add_twig(&build, (lf_vec3){0, 0, -1}, (lf_vec3){0, 0, 0.6}, 0.06);
    while (build.triangle_count < triangles) {
        lf_vec3 root = {0, 0, bench_random_between(&random, -0.3, 0.6)};
        lf_vec3 way = random_vec(&random, 0.6);
        way.z = 0.6 * fabs(way.z);
        lf_vec3 tip = lf_vec3_add(root, way);
        add_twig(&build, root, tip, 0.02);
        for (int i = 0; i < 60 && build.triangle_count < triangles; i++) {
            lf_vec3 at = lf_vec3_along(root, bench_random_between(&random, 0.3, 1.1), way);
            at = lf_vec3_add(at, random_vec(&random, 0.08));
            int64_t a = add_vertex(&build, at);
            int64_t b = add_vertex(&build, lf_vec3_add(at, random_vec(&random, 0.05)));
            add_triangle(&build, a, b, add_vertex(&build, lf_vec3_add(at, random_vec(&random, 0.05))));
        }
    }
    finish(&build, shape, "tree");
}

// ---------------------------------------------------------------------------------------------------
// Polygons, as they are or cut finer
// ---------------------------------------------------------------------------------------------------

static void add_polygons(builder *build, const lf_polygons *polygons) {
    for (int64_t i = 0; i < polygons->vertex_count; i++)
        add_vertex(build, polygons->vertices[i]);
    for (int64_t i = 0; i < polygons->polygon_count; i++) {
        int64_t start = polygons->starts ? polygons->starts[i] : 3 * i;
        int64_t end = polygons->starts ? polygons->starts[i + 1] : 3 * i + 3;
        for (int64_t k = start + 1; k + 1 < end; k++)
            add_triangle(build, polygons->corners[start], polygons->corners[k], polygons->corners[k + 1]);
    }
}

/// Cut every triangle into four, or, where that would be too many, the first ones into two at their longest edges.
static void cut_finer(builder *build, int64_t triangles) {
    while (build->triangle_count < triangles) {
        int64_t count = build->triangle_count;
        for (int64_t i = 0; i < count && build->triangle_count < triangles; i++) {
            int64_t c[3];
            double most = -1;
            int longest = 0;
            memcpy(c, build->corners + 3 * i, sizeof c);
            for (int k = 0; k < 3; k++) {
                lf_vec3 d = lf_vec3_sub(build->vertices[c[(k + 1) % 3]], build->vertices[c[k]]);
                if (lf_vec3_dot(d, d) > most)
                    most = lf_vec3_dot(d, d), longest = k;
            }
            int64_t a = c[longest], b = c[(longest + 1) % 3], far = c[(longest + 2) % 3];
            lf_vec3 middle = lf_vec3_scale(lf_vec3_add(build->vertices[a], build->vertices[b]), 0.5);
            int64_t m = add_vertex(build, middle);
            int64_t *corner = build->corners + 3 * i;
            corner[0] = a, corner[1] = m, corner[2] = far;
            add_triangle(build, m, b, far);
        }
    }
}

void model_shape_knot(model_shape *shape, int64_t triangles) {
    lf_make_polygons_def def = lf_make_polygons_def_default();
    lf_made_polygons *made;
    lf_error error;
    builder build = {NULL, 0, 0, NULL, 0, 0};
    def.kind = LF_MADE_KNOT;
    def.polygon_count = triangles;
    if (lf_make_polygons(&def, &made, &error) != LF_OK)
        bench_stop("knot: %s", error.text);
    lf_polygons polygons = lf_made_polygons_view(made);
    add_polygons(&build, &polygons);
    lf_made_polygons_destroy(made);
    finish(&build, shape, "knot");
}

bool model_shape_file(model_shape *shape, const char *name, const char *relative, int64_t triangles) {
    const char *folder = getenv("LANDFALL_DATA");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder && *folder ? folder : "../shared/data", relative);
    if (access(path, R_OK) != 0) {
        printf("\n%s: left out, there is no %s (LANDFALL_DATA says where the real data is)\n", name, path);
        return false;
    }
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file;
    lf_error error;
    builder build = {NULL, 0, 0, NULL, 0, 0};
    if (lf_polygon_file_read(path, &def, &file, &error) != LF_OK)
        bench_stop("%s: %s", path, error.text);
    lf_polygons polygons = lf_polygon_file_polygons(file);
    add_polygons(&build, &polygons);
    lf_polygon_file_close(file);
    cut_finer(&build, triangles);
    finish(&build, shape, name);
    return true;
}
