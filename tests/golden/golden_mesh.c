/// Golden answers of meshes and models.
#include "golden.h"
#include <stdlib.h>

#define SIDE 40

typedef struct surface {
    lf_vec3 vertices[SIDE * SIDE];
    int64_t corners[2 * (SIDE - 1) * (SIDE - 1) * 3];
    lf_polygons polygons;
} surface;

/// Triangles over a lattice whose points are moved about.
static surface *make_surface(uint64_t seed, double spacing) {
    golden_random random = {seed};
    float *heights = golden_heights(SIDE, SIDE, seed, false);
    surface *made = malloc(sizeof *made);
    if (!made)
        golden_ok(LF_NO_MEMORY, "make_surface");
    int64_t n = 0;
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            double x = golden_between(&random, -0.3, 0.3), y = golden_between(&random, -0.3, 0.3);
            volatile double px = (i + x) * spacing, py = (j + y) * spacing;
            made->vertices[j * SIDE + i] = (lf_vec3){px, py, (double)heights[j * SIDE + i]};
        }
    for (int j = 0; j + 1 < SIDE; j++)
        for (int i = 0; i + 1 < SIDE; i++) {
            int64_t a = j * SIDE + i, corners[6] = {a, a + 1, a + SIDE + 1, a, a + SIDE + 1, a + SIDE};
            for (int k = 0; k < 6; k++)
                made->corners[n++] = corners[k];
        }
    made->polygons = (lf_polygons){.vertices = made->vertices,
                                   .vertex_count = SIDE * SIDE,
                                   .corners = made->corners,
                                   .polygon_count = n / 3};
    free(heights);
    return made;
}

static void mesh_queries(const lf_ground *ground, golden_random *random) {
    for (int i = 0; i < 300; i++) {
        lf_hit hits[64];
        int64_t count = 0;
        lf_vec3 a = golden_point(random, 0, 28), b = golden_point(random, 0, 28);
        lf_ray ray = lf_ray_between(a, b);
        golden_ok(lf_ground_height(ground, (lf_vec3){a.x, a.y, LF_INFINITY}, LF_VERTICAL_DOWN, hits, NULL),
                  "lf_ground_height");
        golden_hit(hits);
        golden_ok(lf_ground_ray_all(ground, &ray, hits, 64, &count, NULL), "lf_ground_ray_all");
        for (int64_t k = 0; k < count && k < 64; k++)
            golden_hit(&hits[k]);
    }
}

static void mesh_walks(const lf_ground *ground, golden_random *random) {
    lf_walker walker = lf_walker_default(0.5);
    lf_footprint wheels = lf_footprint_wheels(1.3, 0.7);
    golden_group("mesh_walk", 0);
    for (int i = 0; i < 60; i++) {
        lf_walk walk;
        lf_vec3 a = golden_point(random, 1, 27), b = golden_point(random, 1, 27);
        a.z = LF_INFINITY;
        golden_ok(lf_ground_walk(ground, &walker, a, b, &walk, NULL, NULL), "lf_ground_walk");
        golden_whole((int64_t)walk.end);
        golden_vec3(walk.position);
    }
    golden_group("mesh_stand", 1e-12);
    for (int i = 0; i < 60; i++) {
        lf_stance stance;
        lf_vec3 a = golden_point(random, 2, 26);
        a.z = LF_INFINITY;
        golden_ok(lf_ground_stand(ground, &wheels, a, (lf_vec3){1, 0.3, 0}, &stance, NULL),
                  "lf_ground_stand");
        golden_vec3(stance.position);
        golden_real(stance.pitch);
        golden_real(stance.roll);
    }
}

void golden_meshes(void) {
    golden_random random = {21};
    surface *land = make_surface(22, 0.7);
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh = NULL;
    def.polygons = land->polygons;
    golden_ok(lf_mesh_create(&def, &mesh, NULL), "lf_mesh_create");
    golden_group("mesh", 0);
    mesh_queries(lf_mesh_ground(mesh), &random);
    mesh_walks(lf_mesh_ground(mesh), &random);
    lf_mesh_destroy(mesh);
    golden_group("mesh_centre", 0);
    golden_ok(lf_frame_centre((lf_vec3){14, 14, -60}, &def.frame), "lf_frame_centre");
    golden_ok(lf_mesh_create(&def, &mesh, NULL), "lf_mesh_create");
    for (int i = 0; i < 300; i++) {
        lf_hit hit;
        lf_vec3 a = golden_point(&random, 3, 26);
        a.z = 40;
        golden_ok(lf_ground_height(lf_mesh_ground(mesh), a, LF_VERTICAL_DOWN, &hit, NULL),
                  "lf_ground_height");
        golden_hit(&hit);
    }
    lf_mesh_destroy(mesh);
    free(land);
}

static void model_queries(const lf_model *a, const lf_model *b, golden_random *random) {
    lf_model_query query = lf_model_query_default();
    query.a = a;
    query.b = b;
    for (int i = 0; i < 30; i++) {
        static lf_model_pair pairs[4096];
        lf_model_distance nearest;
        int64_t count = 0;
        query.pose_b.translation = golden_point(random, -6, 6);
        golden_ok(lf_model_pairs(&query, pairs, 4096, &count, NULL), "lf_model_pairs");
        golden_whole(count);
        for (int64_t k = 0; k < count && k < 4096; k++)
            golden_whole(pairs[k].a * 10000 + pairs[k].b);
        query.pose_b.translation.z += 30;
        golden_ok(lf_model_nearest(&query, &nearest, NULL), "lf_model_nearest");
        golden_real(nearest.distance);
        golden_vec3(nearest.point_a);
        golden_vec3(nearest.point_b);
    }
}

void golden_models(void) {
    golden_random random = {31};
    surface *one = make_surface(32, 0.7), *two = make_surface(33, 0.61);
    lf_model_def def = lf_model_def_default();
    lf_model *a = NULL, *b = NULL;
    def.polygons = one->polygons;
    golden_ok(lf_model_create(&def, &a, NULL), "lf_model_create");
    def.polygons = two->polygons;
    golden_ok(lf_model_create(&def, &b, NULL), "lf_model_create");
    golden_group("model", 0);
    model_queries(a, b, &random);
    golden_group("model_point", 0);
    lf_pose pose = lf_pose_identity();
    for (int i = 0; i < 100; i++) {
        lf_model_distance nearest;
        golden_ok(lf_model_nearest_to(a, &pose, golden_point(&random, -3, 30), &nearest, NULL),
                  "lf_model_nearest_to");
        golden_real(nearest.distance);
        golden_vec3(nearest.point_a);
    }
    lf_model_destroy(a);
    lf_model_destroy(b);
    free(one);
    free(two);
}
