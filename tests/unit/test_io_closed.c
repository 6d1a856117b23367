// A closed body that is read stays closed: whatever its polygons are like, their outlines cancel edge by
// edge.
#include "files.h"
#include "support.h"
#include <landfall/io.h>
#include <landfall/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 14, TUBE = 9, VERTICES = AROUND * TUBE, FACES = VERTICES };

/// A ring-shaped body of quads, some joined to polygons of six corners.
typedef struct body {
    lf_vec3 vertices[VERTICES];
    int64_t corners[FACES][6];
    int sizes[FACES];
    int face_count;
} body;

static int64_t vertex_at(int i, int k) {
    return (i % AROUND) * TUBE + k % TUBE;
}

/// Corners are shifted by up to `rough`, in steps that floats hold exactly.
static void make_body(body *b, double rough, test_random *random) {
    b->face_count = 0;
    for (int i = 0; i < AROUND; i++)
        for (int k = 0; k < TUBE; k++) {
            double u = 6.283185307179586 * i / AROUND, v = 6.283185307179586 * k / TUBE, r = 10 + 4 * cos(v);
            double at[3] = {r * cos(u), r * sin(u), 4 * sin(v)};
            for (int axis = 0; axis < 3; axis++)
                at[axis] = round(64 * (at[axis] + test_random_between(random, -rough, rough))) / 64;
            b->vertices[vertex_at(i, k)] = (lf_vec3){at[0], at[1], at[2]};
        }
    for (int i = 0; i < AROUND; i++)
        for (int k = 0; k < TUBE; k++) {
            bool join = k + 1 < TUBE && test_random_below(random, 3) == 0;
            int64_t *c = b->corners[b->face_count];
            int n = 0;
            c[n++] = vertex_at(i, k);
            c[n++] = vertex_at(i + 1, k);
            c[n++] = vertex_at(i + 1, k + 1);
            if (join)
                c[n++] = vertex_at(i + 1, k + 2), c[n++] = vertex_at(i, k + 2);
            c[n++] = vertex_at(i, k + 1);
            b->sizes[b->face_count++] = n;
            k += join;
        }
}

static const char *write_body(const body *b, const char *name) {
    static char text[1 << 17];
    const char *ending = strrchr(name, '.') + 1;
    bool obj = strcmp(ending, "obj") == 0, ply = strcmp(ending, "ply") == 0;
    int used = 0;
    if (ply)
        used += sprintf(text,
                        "ply\nformat ascii 1.0\nelement vertex %d\nproperty double x\nproperty double y\n"
                        "property double z\nelement face %d\nproperty list uchar int vertex_indices\n"
                        "end_header\n",
                        VERTICES, b->face_count);
    else if (!obj)
        used += sprintf(text, "OFF\n%d %d 0\n", VERTICES, b->face_count);
    for (int i = 0; i < VERTICES; i++)
        used += sprintf(text + used, "%s%.9g %.9g %.9g\n", obj ? "v " : "", b->vertices[i].x,
                        b->vertices[i].y, b->vertices[i].z);
    for (int f = 0; f < b->face_count; f++) {
        used += obj ? sprintf(text + used, "f") : sprintf(text + used, "%d", b->sizes[f]);
        for (int k = 0; k < b->sizes[f]; k++)
            used += sprintf(text + used, " %d", (int)b->corners[f][k] + obj);
        used += sprintf(text + used, "\n");
    }
    return test_text_file(name, text);
}

/// Each edge is gone along as often one way as the other.
static void outlines_cancel(const lf_polygons *p) {
    int *ways = calloc((size_t)(p->vertex_count * p->vertex_count), sizeof *ways);
    assert_non_null(ways);
    for (int64_t i = 0; i < p->polygon_count; i++)
        for (int64_t k = p->starts[i]; k < p->starts[i + 1]; k++) {
            int64_t next = k + 1 < p->starts[i + 1] ? k + 1 : p->starts[i];
            ways[p->corners[k] * p->vertex_count + p->corners[next]]++;
            ways[p->corners[next] * p->vertex_count + p->corners[k]]--;
        }
    for (int64_t k = 0; k < p->vertex_count * p->vertex_count; k++)
        assert_int_equal(ways[k], 0);
    free(ways);
}

static void count_warnings(void *user, lf_log_level level, const char *text) {
    int *crossed = user;
    *crossed += level == LF_LOG_WARNING && strstr(text, "outlines cross") != NULL;
}

static void bent_bodies_stay_closed(void **state) {
    (void)state;
    static const char *const names[] = {"body.obj", "body.ply", "body.off"};
    test_random random = test_random_start(1501);
    int crossed = 0;
    lf_log log = {&crossed, count_warnings};
    for (int round = 0; round < (test_long() ? 1500 : 150); round++) {
        static body b;
        make_body(&b, round % 5, &random);
        lf_polygon_file_def def = lf_polygon_file_def_default();
        lf_polygon_file *file;
        lf_error error = {0};
        def.host.log = &log;
        if (lf_polygon_file_read(write_body(&b, names[round % 3]), &def, &file, &error) != LF_OK)
            fail_msg("%s", error.text);
        lf_polygons polygons = lf_polygon_file_polygons(file);
        assert_int_equal(lf_polygon_file_describe(file).dropped_count, 0);
        outlines_cancel(&polygons);
        lf_polygon_file_close(file);
    }
    assert_true(crossed > 20); // bodies with such polygons, each with its warning
}

/// The fault as it was reported: a quad whose corners go up and down so that, seen along its normal, its outline crosses.
static void crossing_quad_keeps_its_area(void **state) {
    (void)state;
    int crossed = 0;
    lf_log log = {&crossed, count_warnings};
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file;
    def.host.log = &log;
    const char *path =
        test_text_file("quad.obj", "v 0 0 0\nv 1 0 3\nv 0 0.5 0\nv 1 0.6 0\nv 5 5 5\nf 1 2 3 4\nf 5 5 1\n");
    assert_int_equal(lf_polygon_file_read(path, &def, &file, NULL), LF_OK);
    lf_polygons polygons = lf_polygon_file_polygons(file);
    assert_int_equal(polygons.polygon_count, 2);
    assert_int_equal(lf_polygon_file_describe(file).dropped_count, 1);
    assert_int_equal(crossed, 1);
    lf_polygon_file_close(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bent_bodies_stay_closed),
        cmocka_unit_test(crossing_quad_keeps_its_area),
    };
    return cmocka_run_group_tests_name("io_closed", tests, test_folder_make, test_folder_remove);
}
