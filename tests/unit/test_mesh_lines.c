/// A terrain with so many top cells that lines of empty ones are kept: what they say is what the exact fallback says, before and
/// after edits.
#include "files.h"
#include "mesh/mesh.h"
#include "support.h"
#include <landfall/ground.h>
#include <landfall/store.h>
#include <stdio.h>
#include <stdlib.h>

/// The ground is an angle, ARM wide, along two sides of a square: between its arms the hull is cut across.
enum { SIDE = 420, ARM = 100, POINTS = 4000 };

static lf_mesh *make_angle(void) {
    int64_t corner_count = (int64_t)SIDE + 1, count = 0;
    lf_vec3 *vertices = calloc((size_t)(corner_count * corner_count), sizeof *vertices);
    int64_t *corners = calloc(6 * (size_t)SIDE * SIDE, sizeof *corners);
    assert_true(vertices && corners);
    for (int64_t i = 0; i < corner_count * corner_count; i++)
        vertices[i] = (lf_vec3){(double)(i % corner_count), (double)(i / corner_count), (double)(i % 7)};
    for (int64_t y = 0; y < SIDE; y++)
        for (int64_t x = 0; x < SIDE; x++) {
            int64_t low = y * corner_count + x, high = low + corner_count;
            const int64_t both[6] = {low, low + 1, high, low + 1, high + 1, high};
            for (int k = 0; k < 6 && (x < ARM || y < ARM); k++)
                corners[count++] = both[k];
        }
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh = NULL;
    def.polygons = (lf_polygons){.vertices = vertices,
                                 .vertex_count = corner_count * corner_count,
                                 .corners = corners,
                                 .polygon_count = count / 3};
    assert_int_equal(lf_mesh_create(&def, &mesh, NULL), LF_OK);
    free(corners);
    free(vertices);
    return mesh;
}

/// Top cells with a code; a code that is not LF__NEST_BORDER is what the cell says.
static int64_t cells_with(const lf_mesh *mesh, uint32_t code) {
    const lf__nest *nest = &mesh->nest;
    int64_t count = 0;
    for (size_t i = 0; i < (size_t)(nest->columns * nest->rows); i++) {
        uint32_t found = lf__nest_code(nest, i);
        count += found == code;
        assert_true(found == LF__NEST_BORDER ||
                    nest->top[i] == (found == LF__NEST_CROSSED ? LF__NEST_BORDER : found));
    }
    return count;
}

static void use_kernels(lf_mesh *mesh, const lf__nest_kernels *kernels) {
    mesh->nest_kernels = kernels;
    lf__mesh_choose_path(mesh);
}

/// Every way gives the same answer; how many of them were holes and how many outside.
static void compare(lf_mesh *mesh, test_random *random, int64_t *holes, int64_t *outside) {
    const lf__nest_kernels *kinds[] = {mesh->nest_kernels, lf__nest_kernels_for(LF_ISA_SCALAR)};
    const lf_ground *ground;
    lf_cursor *cursor;
    ground = lf_mesh_ground(mesh);
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    *holes = *outside = 0;
    for (int i = 0; i < POINTS; i++) {
        lf_vec3 point = {test_random_between(random, -1, SIDE + 1), test_random_between(random, -1, SIDE + 1),
                         100};
        lf_hit carefully, hit, many;
        assert_int_equal(lf_ground_height(ground, point, LF_VERTICAL_DOWN, &carefully, cursor), LF_OK);
        for (int k = 0; k < 2; k++) {
            use_kernels(mesh, kinds[k]);
            assert_int_equal(lf_ground_height(ground, point, LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
            assert_int_equal(lf_ground_height_many(ground, &point, 0, 1, LF_VERTICAL_DOWN, &many, 0, NULL),
                             LF_OK);
            assert_true(hit.kind == carefully.kind && hit.reason == carefully.reason);
            assert_true(many.kind == hit.kind && many.reason == hit.reason);
            assert_true(hit.element == carefully.element && many.element == hit.element);
        }
        use_kernels(mesh, kinds[0]);
        *holes += hit.reason == LF_REASON_HOLE;
        *outside += hit.reason == LF_REASON_OUTSIDE;
    }
    lf_cursor_destroy(cursor);
}

/// A triangle of ground with a corner here.
static int64_t add_triangle(lf_mesh *mesh, double x, double y) {
    const lf_vec3 vertices[3] = {{x, y, 1}, {x + 3, y, 1}, {x, y + 3, 1}};
    const int64_t corners[3] = {0, 1, 2};
    lf_mesh_edit_def def = lf_mesh_edit_def_default();
    lf_mesh_edit_result edited;
    def.add = (lf_polygons){.vertices = vertices, .vertex_count = 3, .corners = corners, .polygon_count = 1};
    assert_int_equal(lf_mesh_edit(mesh, &def, &edited, NULL), LF_OK);
    return edited.first;
}

static int64_t ground_at(const lf_mesh *mesh, double x, double y) {
    lf_vec3 point = {x, y, 100};
    lf_hit hit;
    lf__nest_query(mesh, &point, true, &hit, NULL);
    return hit.element;
}

/// A file with all these codes is not taken for damaged, and gives the same answers.
static void compare_stored(const lf_mesh *mesh, test_random *random) {
    lf_store_def def = lf_store_def_default();
    lf_store *store;
    const char *path = test_path("lines.lf");
    def.mesh = mesh;
    assert_int_equal(lf_store_write(path, &def, NULL), LF_OK);
    for (int checked = 0; checked < 2; checked++) {
        assert_int_equal(lf_store_open(path, NULL, checked, &store, NULL), LF_OK);
        for (int i = 0; i < POINTS; i++) {
            lf_vec3 point = {test_random_between(random, -1, SIDE + 1),
                             test_random_between(random, -1, SIDE + 1), 100};
            lf_hit hit, stored;
            assert_int_equal(lf_ground_height(lf_mesh_ground(mesh), point, LF_VERTICAL_DOWN, &hit, NULL),
                             LF_OK);
            assert_int_equal(lf_ground_height(lf_store_ground(store), point, LF_VERTICAL_DOWN, &stored, NULL),
                             LF_OK);
            assert_memory_equal(&hit, &stored, sizeof hit);
        }
        lf_store_close(store);
    }
    remove(path);
}

static void lines_say_what_is_there(void **state) {
    (void)state;
    test_random random = test_random_start(47);
    lf_mesh *mesh = make_angle();
    int64_t holes, outside, more_holes, less_outside;
    assert_true(cells_with(mesh, LF__NEST_INSIDE) > 1600 && cells_with(mesh, LF__NEST_OUTSIDE) > 1600);
    assert_true(cells_with(mesh, LF__NEST_CROSSED) > 100);
    compare(mesh, &random, &holes, &outside);
    assert_true(holes > 0 && outside > 0);
    compare_stored(mesh, &random);

    // In the hole; then in the corner that was outside, so that the hull grows over all of it.
    int64_t first = add_triangle(mesh, 150, 150);
    assert_int_equal(ground_at(mesh, 151, 151), first);
    compare(mesh, &random, &holes, &outside);
    assert_true(cells_with(mesh, LF__NEST_OUTSIDE) > 1600);
    int64_t second = add_triangle(mesh, SIDE - 5, SIDE - 5);
    assert_int_equal(ground_at(mesh, SIDE - 4, SIDE - 4), second);
    compare(mesh, &random, &more_holes, &less_outside);
    assert_true(more_holes > holes && less_outside < outside);

    lf_mesh_edit_def def = lf_mesh_edit_def_default();
    const int64_t remove[] = {first, second};
    def.remove = remove;
    def.remove_count = 2;
    assert_int_equal(lf_mesh_edit(mesh, &def, NULL, NULL), LF_OK);
    assert_int_equal(ground_at(mesh, 151, 151), -1);
    compare(mesh, &random, &holes, &outside);
    assert_true(outside > less_outside);
    lf_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_say_what_is_there)};
    return cmocka_run_group_tests_name("mesh: lines of empty cells", tests, NULL, NULL);
}
