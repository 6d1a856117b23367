/// Made polygons: flat, convex, the right way up, as many as asked for, without cracks, the same bits everywhere.
#include "fnv.h"
#include "support.h"
#include <samples.h>
#include <stdlib.h>
#include <string.h>

static lf_made_polygons *make(lf_made_kind kind, uint64_t seed, int64_t count) {
    lf_make_polygons_def def = lf_make_polygons_def_default();
    lf_made_polygons *made = NULL;
    lf_error error;
    def.kind = kind;
    def.seed = seed;
    def.polygon_count = count;
    if (lf_make_polygons(&def, &made, &error) != LF_OK)
        fail_msg("%s", error.text);
    return made;
}

enum { MOST_CORNERS = 32 };

static int64_t corners_of(const lf_polygons *polygons, int64_t i, lf_vec3 *corners) {
    int64_t count = polygons->starts[i + 1] - polygons->starts[i];
    assert_true(count >= 3 && count <= MOST_CORNERS);
    for (int64_t k = 0; k < count; k++)
        corners[k] = polygons->vertices[polygons->corners[polygons->starts[i] + k]];
    return count;
}

static const char *name_of(const lf_made_polygons *made, int64_t i) {
    return lf_made_polygons_name(made, (int64_t)lf_made_polygons_view(made).users[i]);
}

/// Every polygon is sound; what one walks on faces up, what is a wall is upright.
static void check_polygons(const lf_made_polygons *made, bool has_floors) {
    static const char *const floors[] = {"meadow", "path",    "floor",    "bridge",   "ramp",
                                         "roof",   "infield", "apron",    "track",    "stand",
                                         "plaza",  "street",  "pavement", "mountains"};
    lf_polygons polygons = lf_made_polygons_view(made);
    for (int64_t i = 0; i < polygons.polygon_count; i++) {
        lf_vec3 corners[MOST_CORNERS];
        int64_t count = corners_of(&polygons, i, corners), at;
        lf_polygon_fault fault = lf_polygon_check(corners, count, 1e-9, &at);
        if (fault != LF_POLYGON_FINE)
            fail_msg("polygon %lld (%s): fault %d at corner %lld", (long long)i, name_of(made, i), (int)fault,
                     (long long)at);
        lf_vec3 area = lf_polygon_area(corners, count);
        for (size_t k = 0; has_floors && k < sizeof floors / sizeof floors[0]; k++)
            if (strcmp(name_of(made, i), floors[k]) == 0)
                assert_true(area.z > 0.01 * lf_vec3_length(area));
        if (strcmp(name_of(made, i), "wall") == 0)
            assert_true(fabs(area.z) < 1e-9 * lf_vec3_length(area));
    }
}

static void polygons_are_sound(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < (test_long() ? 100 : 3); seed++) {
        lf_made_polygons *park = make(LF_MADE_PARK, seed * 977 + test_seed() % 977, 0);
        assert_int_equal(lf_made_polygons_view(park).polygon_count, 13346);
        check_polygons(park, true);
        lf_made_polygons_destroy(park);
        lf_made_polygons *city = make(LF_MADE_CITY, seed, 3000);
        check_polygons(city, true);
        lf_made_polygons_destroy(city);
    }
    lf_made_polygons_destroy(NULL);
}

static void counts_are_met(void **state) {
    (void)state;
    for (int64_t count = 4000; count < 40000; count = count * 2 + 7) {
        lf_made_polygons *park = make(LF_MADE_PARK, 3, count);
        int64_t made = lf_made_polygons_view(park).polygon_count;
        if (llabs(made - count) > count / 100)
            fail_msg("%lld polygons, not %lld", (long long)made, (long long)count);
        check_polygons(park, true);
        lf_made_polygons_destroy(park);
        lf_made_polygons *city = make(LF_MADE_CITY, 3, count);
        assert_true(llabs(lf_made_polygons_view(city).polygon_count - count) < 600);
        lf_made_polygons_destroy(city);
    }
}

/// The bits of every kind, recorded once.
static void bits_are_those_recorded(void **state) {
    (void)state;
    static const uint64_t recorded[4] = {0x768421de20da1c1e, 0xb0036637ccb93e7a, 0x4e63f62f440535c5,
                                         0x5a50b3d7b5b5b0e6};
    for (int kind = 0; kind < 4; kind++) {
        lf_made_polygons *made = make((lf_made_kind)kind, 1, 0);
        lf_polygons polygons = lf_made_polygons_view(made);
        uint64_t hash =
            test_fnv(TEST_FNV, polygons.vertices, (size_t)polygons.vertex_count * sizeof(lf_vec3));
        hash = test_fnv(hash, polygons.corners,
                        (size_t)polygons.starts[polygons.polygon_count] * sizeof(int64_t));
        hash = test_fnv(hash, polygons.users, (size_t)polygons.polygon_count * sizeof(uint64_t));
        if (hash != recorded[kind])
            fail_msg("%s: 0x%llx", lf_made_name((lf_made_kind)kind), (unsigned long long)hash);
        lf_made_polygons_destroy(made);
    }
}

typedef struct edge {
    int64_t from, to;
} edge;

static int compare_edges(const void *a, const void *b) {
    const edge *p = a, *q = b;
    if (p->from != q->from)
        return p->from < q->from ? -1 : 1;
    return (p->to > q->to) - (p->to < q->to);
}

/// The directed edges of the polygons with these names, in order.
static edge *sorted_edges(const lf_made_polygons *made, const char *const *names, size_t name_count,
                          int64_t *count) {
    lf_polygons polygons = lf_made_polygons_view(made);
    edge *edges = malloc((size_t)polygons.starts[polygons.polygon_count] * sizeof *edges);
    *count = 0;
    for (int64_t i = 0; i < polygons.polygon_count; i++) {
        bool wanted = name_count == 0;
        for (size_t k = 0; k < name_count; k++)
            wanted = wanted || strcmp(name_of(made, i), names[k]) == 0;
        for (int64_t k = polygons.starts[i]; wanted && k < polygons.starts[i + 1]; k++) {
            int64_t next = k + 1 < polygons.starts[i + 1] ? k + 1 : polygons.starts[i];
            edges[(*count)++] = (edge){polygons.corners[k], polygons.corners[next]};
        }
    }
    qsort(edges, (size_t)*count, sizeof *edges, compare_edges);
    return edges;
}

/// Edges that no neighbour walks the other way; each directed edge may occur only once.
static int64_t open_edges(const edge *edges, int64_t count, edge *open) {
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        edge back = {edges[i].to, edges[i].from};
        assert_true(i == 0 || compare_edges(&edges[i - 1], &edges[i]) != 0);
        if (!bsearch(&back, edges, (size_t)count, sizeof back, compare_edges))
            open[found++] = edges[i];
    }
    return found;
}

static void models_are_closed(void **state) {
    (void)state;
    for (int kind = LF_MADE_SPHERE; kind <= LF_MADE_KNOT; kind++) {
        lf_made_polygons *made = make((lf_made_kind)kind, 1, 3000);
        lf_polygons polygons = lf_made_polygons_view(made);
        int64_t count;
        edge *edges = sorted_edges(made, NULL, 0, &count), *open = malloc((size_t)count * sizeof *open);
        assert_int_equal(open_edges(edges, count, open), 0);
        // Seen from outside: the volume is positive, and near that of a ball or of a tube.
        double volume = 0;
        for (int64_t i = 0; i < polygons.polygon_count; i++) {
            lf_vec3 c[MOST_CORNERS];
            corners_of(&polygons, i, c);
            volume += lf_vec3_dot(c[0], lf_vec3_cross(c[1], c[2])) / 6;
        }
        assert_true(kind == LF_MADE_SPHERE ? fabs(volume - 4.18) < 0.05 : volume > 1.2 && volume < 2.6);
        check_polygons(made, false);
        free(open);
        free(edges);
        lf_made_polygons_destroy(made);
    }
}

/// The park's ground hangs together: an open edge lies on the border, on a shore, or under the velodrome.
static void the_meadow_has_no_cracks(void **state) {
    (void)state;
    static const char *const ground[] = {"meadow", "path", "floor"};
    lf_made_polygons *made = make(LF_MADE_PARK, 1, 0);
    lf_polygons polygons = lf_made_polygons_view(made);
    int64_t count, found, border = 0, inner = 0;
    edge *edges = sorted_edges(made, ground, 3, &count), *open = malloc((size_t)count * sizeof *open);
    found = open_edges(edges, count, open);
    for (int64_t i = 0; i < found; i++) {
        lf_vec3 a = polygons.vertices[open[i].from], b = polygons.vertices[open[i].to];
        bool outside = (a.x == 0 && b.x == 0) || (a.x == 400 && b.x == 400) || (a.y == 0 && b.y == 0) ||
                       (a.y == 300 && b.y == 300);
        // Floors above the ground have edges of their own.
        if (a.z > 10.5 && !outside)
            continue;
        border += outside;
        inner += !outside;
        if (!outside && a.z < 10) {
            // Where the ground is open, another open edge goes on: shores are closed curves.
            bool goes_on = false;
            for (int64_t k = 0; k < found; k++)
                goes_on = goes_on || open[k].from == open[i].to;
            assert_true(goes_on);
        }
    }
    assert_true(border > 150 && inner > 50);
    free(open);
    free(edges);
    lf_made_polygons_destroy(made);
}

/// The heights of all polygons of the park over a point, counted; by brute force.
static int heights_over(const lf_made_polygons *made, double x, double y, double *low, double *high) {
    lf_polygons polygons = lf_made_polygons_view(made);
    int found = 0;
    *low = LF_INFINITY;
    *high = -LF_INFINITY;
    for (int64_t i = 0; i < polygons.polygon_count; i++) {
        lf_vec3 c[MOST_CORNERS];
        int64_t count = corners_of(&polygons, i, c);
        lf_vec3 area = lf_polygon_area(c, count);
        bool inside = fabs(area.z) > 1e-9;
        for (int64_t k = 0; k < count && inside; k++) {
            lf_vec3 a = c[k], b = c[(k + 1) % count];
            inside = ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)) * area.z >= 0;
        }
        if (!inside)
            continue;
        double z = c[0].z - ((x - c[0].x) * area.x + (y - c[0].y) * area.y) / area.z;
        *low = z < *low ? z : *low;
        *high = z > *high ? z : *high;
        found++;
    }
    return found;
}

static void the_park_has_water_bridges_and_storeys(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 4; seed++) {
        lf_made_polygons *made = make(LF_MADE_PARK, seed, 0);
        double low, high;
        assert_int_equal(heights_over(made, 134.1, 175.3, &low, &high), 0);                 // the lake
        assert_int_equal(heights_over(made, 322.2, 74.1, &low, &high), 0);                  // the pond
        assert_int_equal(heights_over(made, 134.123, 152 - 0.06 * 65.877, &low, &high), 1); // over the lake
        assert_true(low > 6 && low < 9);
        assert_int_equal(heights_over(made, 236.1, 154.3, &low, &high), 2); // over the avenue
        assert_true(high - low > 3);
        assert_int_equal(heights_over(made, 315.3, 207.7, &low, &high), 4); // floors and roof
        assert_true(low == 10 && high > 20.8);
        assert_true(heights_over(made, 150.3, 62.2, &low, &high) >= 1); // in the velodrome
        test_random random = test_random_start(611 + seed);
        for (int i = 0; i < (test_long() ? 2000 : 40);
             i++) { // dry land has ground everywhere, but for the lakes
            double x = test_random_between(&random, 1, 399), y = test_random_between(&random, 1, 299);
            bool lakes =
                (x > 60 && x < 210 && y > 110 && y < 230) || (x > 275 && x < 370 && y > 40 && y < 110);
            if (!lakes)
                assert_true(heights_over(made, x, y, &low, &high) > 0);
        }
        lf_made_polygons_destroy(made);
    }
}

static void names_are_there(void **state) {
    (void)state;
    lf_made_polygons *made = make(LF_MADE_PARK, 1, 0);
    static const char *const wanted[] = {"meadow", "path", "floor", "bridge", "rail",  "stairs", "wall",
                                         "ramp",   "roof", "track", "stand",  "plaza", "tree",   "infield"};
    int64_t names = lf_made_polygons_name_count(made);
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        bool there = false;
        for (int64_t i = 0; i < names; i++)
            there = there || strcmp(lf_made_polygons_name(made, i), wanted[k]) == 0;
        assert_true(there);
    }
    assert_null(lf_made_polygons_name(made, names));
    assert_null(lf_made_polygons_name(made, -1));
    lf_polygons polygons = lf_made_polygons_view(made);
    int64_t sizes[MOST_CORNERS] = {0};
    for (int64_t i = 0; i < polygons.polygon_count; i++) {
        assert_true(polygons.users[i] < (uint64_t)names);
        sizes[polygons.starts[i + 1] - polygons.starts[i]]++;
    }
    assert_true(sizes[3] > 1000 && sizes[4] > 1000 && sizes[6] > 50 && sizes[8] > 20);
    assert_string_equal(lf_made_name(LF_MADE_PARK), "park");
    assert_string_equal(lf_made_name((lf_made_kind)9), "?");
    lf_made_polygons_destroy(made);
}

static void a_landscape_as_triangles(void **state) {
    (void)state;
    lf_make_heights_def def = lf_make_heights_def_default();
    lf_made_polygons *one = NULL, *three = NULL;
    lf_made_heights *heights = NULL;
    lf_tasks tasks = test_tasks(3);
    lf_error error;
    def.columns = 40;
    def.rows = 30;
    def.first_row = 5;
    assert_int_equal(lf_make_landscape_polygons(&def, &one, NULL), LF_OK);
    assert_int_equal(lf_make_heights(&def, &heights, NULL), LF_OK);
    def.host.tasks = &tasks;
    assert_int_equal(lf_make_landscape_polygons(&def, &three, NULL), LF_OK);
    lf_polygons a = lf_made_polygons_view(one), b = lf_made_polygons_view(three);
    lf_heights view = lf_made_heights_view(heights);
    assert_true(a.polygon_count == 2 * 39 * 29 && a.vertex_count == 1200);
    assert_memory_equal(a.vertices, b.vertices, 1200 * sizeof(lf_vec3));
    assert_memory_equal(a.corners, b.corners, 6 * 39 * 29 * sizeof(int64_t));
    for (int64_t i = 0; i < 1200; i++)
        assert_true(a.vertices[i].z == (double)view.values[i] &&
                    a.vertices[i].y == (double)(5 + i / 40) * 30);
    check_polygons(one, true);
    int64_t count;
    edge *edges = sorted_edges(one, NULL, 0, &count), *open = malloc((size_t)count * sizeof *open);
    assert_int_equal(open_edges(edges, count, open), 2 * (39 + 29));
    free(open);
    free(edges);
    lf_made_heights_destroy(heights);
    lf_made_polygons_destroy(one);
    lf_made_polygons_destroy(three);
    def.rows = 1;
    assert_int_equal(lf_make_landscape_polygons(&def, &one, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_make_landscape_polygons(&def, NULL, &error), LF_BAD_ARGUMENT);
    def.columns = def.rows = (int64_t)1 << 40;
    assert_int_equal(lf_make_landscape_polygons(&def, &one, &error), LF_TOO_LARGE);
}

static void bad_wishes_are_named(void **state) {
    (void)state;
    lf_make_polygons_def def = lf_make_polygons_def_default();
    lf_made_polygons *made = NULL;
    lf_error error;
    def.polygon_count = 3999;
    assert_int_equal(lf_make_polygons(&def, &made, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "3999"));
    def.polygon_count = -1;
    assert_int_equal(lf_make_polygons(&def, &made, &error), LF_BAD_ARGUMENT);
    def.polygon_count = 0;
    def.kind = (lf_made_kind)12;
    assert_int_equal(lf_make_polygons(&def, &made, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_make_polygons(NULL, &made, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_make_polygons(&def, NULL, &error), LF_BAD_ARGUMENT);
    assert_null(made);
}

static lf_status make_one(const lf_host *host, void *user) {
    lf_make_polygons_def def = lf_make_polygons_def_default();
    lf_made_polygons *made = NULL;
    def.host = *host;
    def.kind = *(lf_made_kind *)user;
    def.polygon_count = 4000;
    lf_status status = lf_make_polygons(&def, &made, NULL);
    lf_made_polygons_destroy(made);
    return status;
}

static lf_status make_landscape(const lf_host *host, void *user) {
    lf_make_heights_def def = lf_make_heights_def_default();
    lf_made_polygons *made = NULL;
    (void)user;
    def.host = *host;
    def.columns = def.rows = 8;
    lf_status status = lf_make_landscape_polygons(&def, &made, NULL);
    lf_made_polygons_destroy(made);
    return status;
}

static void out_of_memory_is_an_answer(void **state) {
    (void)state;
    for (lf_made_kind kind = LF_MADE_PARK; kind <= LF_MADE_KNOT; kind++)
        test_out_of_memory(make_one, &kind);
    test_out_of_memory(make_landscape, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_are_sound),       cmocka_unit_test(counts_are_met),
        cmocka_unit_test(bits_are_those_recorded),  cmocka_unit_test(models_are_closed),
        cmocka_unit_test(the_meadow_has_no_cracks), cmocka_unit_test(the_park_has_water_bridges_and_storeys),
        cmocka_unit_test(names_are_there),          cmocka_unit_test(a_landscape_as_triangles),
        cmocka_unit_test(bad_wishes_are_named),     cmocka_unit_test(out_of_memory_is_an_answer),
    };
    return cmocka_run_group_tests_name("make polygons", tests, NULL, NULL);
}
