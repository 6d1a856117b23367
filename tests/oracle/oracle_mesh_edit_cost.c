// What one edit of a large terrain costs, beside what making it cost: a thousandth at the most, counted.
#include "support.h"
#include <landfall/io.h>
#include <landfall/mesh.h>
#include <landfall/published.h>
#include <samples.h>
#include <stdlib.h>

/// An edit may do this share of the work of making the mesh.
#define SHARE 1000

typedef struct terrain {
    lf_polygon_file *file;
    lf_made_polygons *made;
    lf_polygons polygons;
} terrain;

/// A real island when there is one, and a landscape of as many polygons.
static bool open_terrain(terrain *t, bool real) {
    *t = (terrain){.file = NULL};
    const char *path = real ? test_data("mesh/oahu-enu.ply") : NULL;
    lf_polygon_file_def file_def = lf_polygon_file_def_default();
    if (path && lf_polygon_file_read(path, &file_def, &t->file, NULL) == LF_OK)
        t->polygons = lf_polygon_file_polygons(t->file);
    if (real)
        return t->file != NULL;
    lf_make_heights_def def = lf_make_heights_def_default();
    def.columns = 522;
    def.rows = 521;
    assert_int_equal(lf_make_landscape_polygons(&def, &t->made, NULL), LF_OK);
    t->polygons = lf_made_polygons_view(t->made);
    return true;
}

static void close_terrain(terrain *t) {
    lf_made_polygons_destroy(t->made);
    lf_polygon_file_close(t->file);
}

// ---------------------------------------------------------------------------------------------------
// Edits
// ---------------------------------------------------------------------------------------------------

typedef struct tally {
    int64_t edits, sum, worst;
} tally;

typedef struct site {
    const lf_polygons *polygons;
    lf_mesh *mesh;
    int64_t *numbers; ///< of the mesh, by polygon; -1: not there
    tally inner, border;
    int64_t rebuilt;
    test_random random;
} site;

static int64_t sum_of(const lf_mesh_work *work) {
    return work->vertices + work->triangles + work->cells + work->references + work->nodes;
}

static void apply(site *s, const lf_mesh_edit_def *def, lf_mesh_edit_result *edited, tally *to) {
    assert_int_equal(lf_mesh_edit(s->mesh, def, edited, NULL), LF_OK);
    int64_t work = sum_of(&edited->work);
    to->edits++;
    to->sum += work;
    to->worst = work > to->worst ? work : to->worst;
    s->rebuilt += edited->rebuilt;
}

static void remove_one(site *s, int64_t polygon, tally *to) {
    lf_mesh_edit_def def = lf_mesh_edit_def_default();
    lf_mesh_edit_result edited;
    def.remove = &s->numbers[polygon];
    def.remove_count = 1;
    apply(s, &def, &edited, to);
    s->numbers[polygon] = -1;
}

/// All polygons here are triangles.
static void add_one(site *s, int64_t polygon, double rise, tally *to) {
    static const int64_t corners[3] = {0, 1, 2};
    lf_mesh_edit_def def = lf_mesh_edit_def_default();
    lf_mesh_edit_result edited;
    lf_vec3 vertices[3];
    for (int k = 0; k < 3; k++) {
        vertices[k] = s->polygons->vertices[s->polygons->corners[3 * polygon + k]];
        vertices[k].z += rise;
    }
    def.add = (lf_polygons){.vertices = vertices, .vertex_count = 3, .corners = corners, .polygon_count = 1};
    apply(s, &def, &edited, to);
    s->numbers[polygon] = edited.first;
}

static void edit_anywhere(site *s) {
    int64_t polygon = test_random_below(&s->random, s->polygons->polygon_count);
    if (s->numbers[polygon] < 0)
        return;
    remove_one(s, polygon, &s->inner);
    if (test_random_below(&s->random, 4) > 0)
        add_one(s, polygon, test_random_between(&s->random, -1, 1), &s->inner);
}

static bool uses(const lf_polygons *polygons, int64_t polygon, int64_t vertex) {
    const int64_t *corner = polygons->corners + 3 * polygon;
    return corner[0] == vertex || corner[1] == vertex || corner[2] == vertex;
}

/// The vertex that is farthest in some direction, a corner of the hull: all polygons there go, and come again.
static void edit_border(site *s) {
    double angle = test_random_between(&s->random, 0, 6.28), most = -INFINITY;
    const lf_polygons *polygons = s->polygons;
    int64_t vertex = 0, around[64], count = 0;
    for (int64_t i = 0; i < 3 * polygons->polygon_count; i++) {
        lf_vec3 p = polygons->vertices[polygons->corners[i]];
        double far = cos(angle) * p.x + sin(angle) * p.y;
        if (far > most && s->numbers[i / 3] >= 0)
            most = far, vertex = polygons->corners[i];
    }
    for (int64_t i = 0; i < polygons->polygon_count && count < 64; i++)
        if (uses(polygons, i, vertex) && s->numbers[i] >= 0)
            around[count++] = i;
    for (int64_t i = 0; i < count; i++)
        remove_one(s, around[i], &s->border);
    for (int64_t i = 0; i < count && test_random_below(&s->random, 4) > 0; i++)
        add_one(s, around[i], 0, &s->border);
}

static void print(const char *what, const tally *t, int64_t built) {
    print_message("  %s: %lld edits, mean %.1f, worst %lld: 1/%lld of a build\n", what, (long long)t->edits,
                  (double)t->sum / (double)t->edits, (long long)t->worst, (long long)(built / t->worst));
}

static void edits_are_cheap(const char *name, bool real, const lf_mesh_index *index, uint64_t salt) {
    terrain t;
    if (!open_terrain(&t, real))
        return;
    lf_mesh_def def = lf_mesh_def_default();
    site s = {.polygons = &t.polygons, .random = test_random_start(salt)};
    def.polygons = t.polygons;
    def.index = index;
    assert_int_equal(lf_mesh_create(&def, &s.mesh, NULL), LF_OK);
    s.numbers = malloc((size_t)t.polygons.polygon_count * sizeof *s.numbers);
    assert_non_null(s.numbers);
    for (int64_t i = 0; i < t.polygons.polygon_count; i++)
        s.numbers[i] = i;
    lf_mesh_work built = lf_mesh_describe(s.mesh).built;
    for (int i = 0; i < 1500; i++)
        edit_anywhere(&s);
    for (int i = 0; i < 60; i++)
        edit_border(&s);
    int64_t all = sum_of(&built);
    print_message("%s: %lld polygons, built with %lld\n", name, (long long)t.polygons.polygon_count,
                  (long long)all);
    print("anywhere", &s.inner, all);
    print("border", &s.border, all);
    lf_mesh_work edited = lf_mesh_describe(s.mesh).edited;
    assert_int_equal(sum_of(&edited), s.inner.sum + s.border.sum);
    assert_true(s.inner.worst * SHARE <= all);
    assert_true(s.border.worst * SHARE <= all);
    assert_int_equal(s.rebuilt, 0);
    free(s.numbers);
    lf_mesh_destroy(s.mesh);
    close_terrain(&t);
}

static void island_nest(void **state) {
    (void)state;
    edits_are_cheap("island, nest", true, NULL, 0xc057);
}

static void island_quadtree(void **state) {
    (void)state;
    edits_are_cheap("island, quadtree", true, lf_quadtree_index(), 0xc058);
}

static void landscape_nest(void **state) {
    (void)state;
    edits_are_cheap("landscape, nest", false, NULL, 0xc059);
}

static void landscape_quadtree(void **state) {
    (void)state;
    edits_are_cheap("landscape, quadtree", false, lf_quadtree_index(), 0xc05a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(island_nest),
        cmocka_unit_test(island_quadtree),
        cmocka_unit_test(landscape_nest),
        cmocka_unit_test(landscape_quadtree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
