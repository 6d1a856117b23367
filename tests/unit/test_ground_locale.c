#include "support.h"
#include <stdio.h>
#include <string.h>

typedef struct slab {
    double x0, x1, y0, y1, z;
} slab;

typedef struct piece {
    lf_mesh *mesh;
    const lf_ground *ground;
} piece;

static piece make_piece(const slab *slabs, int count) {
    lf_vec3 vertices[64];
    int64_t starts[17], corners[64];
    for (int i = 0; i < count; i++) {
        slab s = slabs[i];
        lf_vec3 c[4] = {{s.x0, s.y0, s.z}, {s.x1, s.y0, s.z}, {s.x1, s.y1, s.z}, {s.x0, s.y1, s.z}};
        memcpy(vertices + 4 * i, c, sizeof c);
        for (int k = 0; k < 4; k++)
            corners[4 * i + k] = 4 * i + k;
        starts[i] = 4 * i;
    }
    starts[count] = 4 * count;
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = (lf_polygons){.vertices = vertices,
                                 .vertex_count = 4 * count,
                                 .starts = starts,
                                 .corners = corners,
                                 .polygon_count = count};
    piece p;
    assert_int_equal(lf_mesh_create(&def, &p.mesh, NULL), LF_OK);
    p.ground = lf_mesh_ground(p.mesh);
    return p;
}

static void drop_piece(piece p) {
    lf_mesh_destroy(p.mesh);
}

static bool inside(const lf_ground *floor, const lf_ground *ceiling, double x, double y, double z) {
    lf_locale one = {"volume", floor, ceiling};
    lf_locales *locales;
    int64_t found, count;
    assert_int_equal(lf_locales_create(&one, 1, NULL, &locales, NULL), LF_OK);
    assert_int_equal(lf_locales_at(locales, (lf_vec3){x, y, z}, &found, 1, &count, NULL), LF_OK);
    lf_locales_destroy(locales);
    return count == 1;
}

static void floor_and_ceiling_in_one_ground(void **state) {
    (void)state;
    // A hall, and a yard without a roof that is made of two pieces.
    slab slabs[] = {{0, 10, 0, 10, 0}, {0, 10, 0, 10, 3}, {10, 15, 0, 10, 0}, {15, 20, 0, 10, 0}};
    piece p = make_piece(slabs, 4);
    assert_true(inside(p.ground, NULL, 5, 5, 1));
    assert_true(inside(p.ground, p.ground, 5, 5, 1));
    assert_false(inside(p.ground, NULL, 5, 5, 4));
    assert_false(inside(p.ground, NULL, 5, 5, -1));
    assert_false(inside(p.ground, NULL, 17, 5, 1));
    assert_false(inside(p.ground, NULL, 5, 11, 1));
    // Closed: on the floor, on the ceiling, at the side.
    assert_true(inside(p.ground, NULL, 5, 5, 0));
    assert_true(inside(p.ground, NULL, 5, 5, 3));
    assert_true(inside(p.ground, NULL, 10, 5, 1));
    // A floor is not its own ceiling, nor is its neighbour on a shared edge.
    assert_false(inside(p.ground, NULL, 17, 5, 0));
    assert_false(inside(p.ground, NULL, 15, 5, 0));
    drop_piece(p);
}

static void floor_and_ceiling_in_two_grounds(void **state) {
    (void)state;
    slab floors[] = {{0, 10, 0, 10, 0}}, ceilings[] = {{2, 12, 0, 10, 3}};
    piece f = make_piece(floors, 1), c = make_piece(ceilings, 1);
    assert_true(inside(f.ground, c.ground, 5, 5, 1));
    assert_true(inside(f.ground, c.ground, 5, 5, 0) && inside(f.ground, c.ground, 5, 5, 3));
    assert_false(inside(f.ground, c.ground, 1, 5, 1));  // no ceiling
    assert_false(inside(f.ground, c.ground, 11, 5, 1)); // no floor
    assert_false(inside(c.ground, f.ground, 5, 5, 1));  // the other way round
    drop_piece(f);
    drop_piece(c);
}

/// Hall, kitchen beside it, cellar below the hall; a narrow gap between hall and shed.
typedef struct house {
    piece hall, kitchen_floor, kitchen_ceiling, cellar, shed;
    lf_locales *locales;
} house;

static house make_house(void) {
    slab hall[] = {{0, 10, 0, 10, 0}, {0, 10, 0, 10, 3}},
         cellar[] = {{0, 10, 0, 10, -2.5}, {0, 10, 0, 10, 0}};
    slab kitchen_floor[] = {{10, 14, 0, 10, 0}}, kitchen_ceiling[] = {{10, 14, 0, 10, 2.5}};
    slab shed[] = {{-5, -1e-7, 0, 10, 0}, {-5, -1e-7, 0, 10, 2}};
    house h;
    h.hall = make_piece(hall, 2);
    h.kitchen_floor = make_piece(kitchen_floor, 1);
    h.kitchen_ceiling = make_piece(kitchen_ceiling, 1);
    h.cellar = make_piece(cellar, 2);
    h.shed = make_piece(shed, 2);
    char name[] = "hall"; // copied, so it may change afterwards
    lf_locale list[] = {{name, h.hall.ground, NULL},
                        {"kitchen", h.kitchen_floor.ground, h.kitchen_ceiling.ground},
                        {"cellar", h.cellar.ground, h.cellar.ground},
                        {"shed", h.shed.ground, NULL}};
    assert_int_equal(lf_locales_create(list, 4, NULL, &h.locales, NULL), LF_OK);
    name[0] = 'b';
    return h;
}

static void drop_house(house h) {
    lf_locales_destroy(h.locales);
    drop_piece(h.hall);
    drop_piece(h.kitchen_floor);
    drop_piece(h.kitchen_ceiling);
    drop_piece(h.cellar);
    drop_piece(h.shed);
}

static void names_and_places(void **state) {
    (void)state;
    house h = make_house();
    int64_t found[4], count;
    assert_string_equal(lf_locales_name(h.locales, 3), "shed");
    assert_string_equal(lf_locales_name(h.locales, 0), "hall");
    assert_null(lf_locales_name(h.locales, 4));
    assert_null(lf_locales_name(h.locales, -1));
    assert_int_equal(lf_locales_at(h.locales, (lf_vec3){0, NAN, 0}, found, 4, &count, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_locales_at(h.locales, (lf_vec3){0, 0, 0}, found, 4, NULL, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_locales_at(h.locales, (lf_vec3){5, 5, 1}, found, 4, &count, NULL), LF_OK);
    assert_true(count == 1 && found[0] == 0);
    assert_int_equal(lf_locales_at(h.locales, (lf_vec3){12, 5, 1}, found, 4, &count, NULL), LF_OK);
    assert_true(count == 1 && found[0] == 1);
    assert_int_equal(lf_locales_at(h.locales, (lf_vec3){10, 5, 1}, found, 4, &count, NULL), LF_OK);
    assert_true(count == 2 && found[0] == 0 && found[1] == 1); // a border belongs to both
    assert_int_equal(lf_locales_at(h.locales, (lf_vec3){10, 5, 0}, found, 1, &count, NULL), LF_PARTIAL);
    assert_true(count == 3 && found[0] == 0);
    assert_int_equal(lf_locales_at(h.locales, (lf_vec3){50, 5, 0}, found, 4, &count, NULL), LF_OK);
    assert_int_equal(count, 0);
    assert_int_equal(lf_locales_at(h.locales, (lf_vec3){NAN, 5, 0}, found, 4, &count, NULL), LF_BAD_ARGUMENT);
    drop_house(h);
}

static void assert_crossing(lf_crossing c, double t, int64_t locale, bool entering) {
    assert_true(fabs(c.t - t) < 1e-12);
    assert_int_equal(c.locale, locale);
    assert_int_equal(c.entering, entering);
}

static void moves_cross_borders(void **state) {
    (void)state;
    house h = make_house();
    lf_crossing c[8];
    int64_t count;
    // From the shed through the gap into the hall, on into the kitchen and out of the house.
    assert_int_equal(
        lf_locales_cross(h.locales, (lf_vec3){-4, 5, 1}, (lf_vec3){16, 5, 1}, c, 8, &count, NULL), LF_OK);
    assert_int_equal(count, 5);
    assert_crossing(c[0], (4 - 1e-7) / 20, 3, false);
    assert_crossing(c[1], 0.2, 0, true);
    assert_crossing(c[2], 0.7, 0, false);
    assert_crossing(c[3], 0.7, 1, true);
    assert_crossing(c[4], 0.9, 1, false);
    assert_true(fabs(c[4].point.x - 14) < 1e-12 && c[4].point.y == 5 && c[4].point.z == 1);
    assert_int_equal(
        lf_locales_cross(h.locales, (lf_vec3){-4, 5, 1}, (lf_vec3){16, 5, 1}, c, 2, &count, NULL),
        LF_PARTIAL);
    assert_int_equal(count, 5);
    assert_crossing(c[1], 0.2, 0, true);
    // Straight down through ceiling, floor and cellar.
    assert_int_equal(lf_locales_cross(h.locales, (lf_vec3){5, 5, 7}, (lf_vec3){5, 5, -3}, c, 8, &count, NULL),
                     LF_OK);
    assert_int_equal(count, 4);
    assert_crossing(c[0], 0.4, 0, true);
    assert_crossing(c[1], 0.7, 0, false);
    assert_crossing(c[2], 0.7, 2, true);
    assert_crossing(c[3], 0.95, 2, false);
    // Nowhere, and beside everything.
    assert_int_equal(lf_locales_cross(h.locales, (lf_vec3){5, 5, 1}, (lf_vec3){5, 5, 1}, c, 8, &count, NULL),
                     LF_OK);
    assert_int_equal(count, 0);
    assert_int_equal(
        lf_locales_cross(h.locales, (lf_vec3){5, 15, 1}, (lf_vec3){5, 35, 1}, c, 8, &count, NULL), LF_OK);
    assert_int_equal(count, 0);
    // Away from a border, and up to one.
    assert_int_equal(
        lf_locales_cross(h.locales, (lf_vec3){14, 5, 1}, (lf_vec3){16, 5, 1}, c, 8, &count, NULL), LF_OK);
    assert_int_equal(count, 1);
    assert_crossing(c[0], 0, 1, false);
    assert_int_equal(
        lf_locales_cross(h.locales, (lf_vec3){16, 5, 1}, (lf_vec3){14, 5, 1}, c, 8, &count, NULL), LF_OK);
    assert_int_equal(count, 1);
    assert_crossing(c[0], 1, 1, true);
    assert_int_equal(
        lf_locales_cross(h.locales, (lf_vec3){14, NAN, 1}, (lf_vec3){16, 5, 1}, c, 8, &count, NULL),
        LF_BAD_ARGUMENT);
    assert_int_equal(
        lf_locales_cross(h.locales, (lf_vec3){14, 0, 1}, (lf_vec3){16, 5, 1}, NULL, 8, &count, NULL),
        LF_BAD_ARGUMENT);
    drop_house(h);
}

static void bad_lists_are_refused(void **state) {
    (void)state;
    house h = make_house();
    lf_locales *locales = NULL;
    lf_error error;
    lf_locale twice[] = {{"a", h.hall.ground, NULL}, {"a", h.shed.ground, NULL}};
    assert_int_equal(lf_locales_create(twice, 2, NULL, &locales, &error), LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 1);
    lf_locale nameless[] = {{"", h.hall.ground, NULL}}, floorless[] = {{"a", NULL, h.hall.ground}};
    assert_int_equal(lf_locales_create(nameless, 1, NULL, &locales, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_locales_create(floorless, 1, NULL, &locales, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "floor is NULL"));
    assert_int_equal(lf_locales_create(twice, 0, NULL, &locales, &error), LF_BAD_ARGUMENT);
    assert_null(locales);
    lf_locales_destroy(NULL);
    drop_house(h);
}

enum { LOCALES = 1500 };

/// The crossings of all locales are those of each alone.
static void crosses_as_alone(const lf_locales *all, const lf_locale *list, int count, double span,
                             test_random *random_numbers) {
    test_random random = *random_numbers;
    lf_locales *alone;
    int64_t crossed = 0;
    for (int n = 0; n < 40; n++) {
        static lf_crossing crossings[4 * LOCALES], few[16];
        lf_vec3 a = {test_random_between(&random, 0, span), test_random_between(&random, 0, span),
                     test_random_between(&random, 0, 25)},
                b = {test_random_between(&random, 0, span), test_random_between(&random, 0, span),
                     test_random_between(&random, 0, 25)};
        int64_t total, sum = 0, one;
        assert_int_equal(lf_locales_cross(all, a, b, crossings, 4 * LOCALES, &total, NULL), LF_OK);
        for (int i = 0; i < count; i++) {
            assert_int_equal(lf_locales_create(&list[i], 1, NULL, &alone, NULL), LF_OK);
            assert_int_equal(lf_locales_cross(alone, a, b, few, 16, &one, NULL), LF_OK);
            for (int64_t c = 0, at = 0; c < one; c++, at++) {
                while (at < total && crossings[at].locale != i)
                    at++;
                assert_true(at < total && crossings[at].t == few[c].t &&
                            crossings[at].entering == few[c].entering);
            }
            sum += one;
            lf_locales_destroy(alone);
        }
        assert_int_equal(sum, total);
        for (int64_t c = 1; c < total; c++)
            assert_true(crossings[c - 1].t <= crossings[c].t);
        crossed += total;
    }
    assert_true(crossed > 100);
}

/// Many locales, found by a tree: those that hold a point by the definition of a box, and the crossings of each alone.
static void many_locales(void **state) {
    (void)state;
    enum { COUNT = LOCALES, SPAN = 40 };
    static slab floors[COUNT], ceilings[COUNT];
    static piece pieces[COUNT];
    static lf_locale list[COUNT];
    static char names[COUNT][16];
    test_random random = test_random_start(4646);
    lf_cursor *cursor;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    for (int i = 0; i < COUNT; i++) {
        double x = (double)test_random_below(&random, SPAN), y = (double)test_random_below(&random, SPAN),
               z = (double)test_random_below(&random, 20);
        floors[i] = (slab){x, x + (double)test_random_below(&random, 6) + 1, y,
                           y + (double)test_random_below(&random, 6) + 1, z};
        ceilings[i] = floors[i];
        ceilings[i].z += (double)test_random_below(&random, 4) + 1;
        pieces[i] = make_piece((slab[]){floors[i], ceilings[i]}, 2);
        snprintf(names[i], sizeof names[i], "locale %d", i);
        list[i] = (lf_locale){names[i], pieces[i].ground, NULL};
    }
    lf_locales *all, *alone;
    assert_int_equal(lf_locales_create(list, COUNT, NULL, &all, NULL), LF_OK);
    int64_t found[COUNT], count, held = 0, heights = 0;
    for (int n = 0; n < 1000; n++) {
        // Whole and half numbers: on borders, in corners and between.
        lf_vec3 p = {0.5 * (double)test_random_below(&random, 2 * SPAN),
                     0.5 * (double)test_random_below(&random, 2 * SPAN),
                     0.5 * (double)test_random_below(&random, 50)};
        lf_counters before = lf_cursor_counters(cursor);
        assert_int_equal(lf_locales_at(all, p, found, COUNT, &count, cursor), LF_OK);
        heights += (int64_t)(lf_cursor_counters(cursor).questions - before.questions);
        int64_t k = 0;
        for (int i = 0; i < COUNT; i++) {
            slab s = floors[i];
            if (p.x >= s.x0 && p.x <= s.x1 && p.y >= s.y0 && p.y <= s.y1 && p.z >= s.z &&
                p.z <= ceilings[i].z)
                assert_true(k < count && found[k] == i), k++;
        }
        assert_int_equal(k, count);
        held += count;
        int64_t few[2], more;
        lf_status status = lf_locales_at(all, p, few, 2, &more, NULL);
        assert_int_equal(status, count > 2 ? LF_PARTIAL : LF_OK);
        assert_int_equal(more, count);
        assert_memory_equal(few, found, (size_t)(count < 2 ? count : 2) * sizeof *few);
    }
    // A few heights per question, not thousands.
    assert_true(held > 500 && heights < 1000 * 60);
    crosses_as_alone(all, list, COUNT, SPAN, &random);
    // A name that is given twice.
    lf_error error;
    list[COUNT - 1].name = "locale 7";
    assert_int_equal(lf_locales_create(list, COUNT, NULL, &alone, &error), LF_BAD_ARGUMENT);
    assert_int_equal(error.where, COUNT - 1);
    assert_string_equal(error.text, "locales 7 and 1499: both are named locale 7");
    lf_locales_destroy(all);
    for (int i = 0; i < COUNT; i++)
        drop_piece(pieces[i]);
    lf_cursor_destroy(cursor);
}

static lf_status make_many_locales(const lf_host *host, void *user) {
    const house *h = user;
    static char names[40][16];
    lf_locale list[40];
    for (int i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        list[i] = (lf_locale){names[i], i % 2 ? h->hall.ground : h->shed.ground, NULL};
    }
    lf_locales *locales;
    lf_status status = lf_locales_create(list, 40, host, &locales, NULL);
    if (status == LF_OK)
        lf_locales_destroy(locales);
    return status;
}

static lf_status make_locales(const lf_host *host, void *user) {
    const house *h = user;
    lf_locale list[] = {{"hall", h->hall.ground, NULL}, {"shed", h->shed.ground, NULL}};
    lf_locales *locales;
    lf_status status = lf_locales_create(list, 2, host, &locales, NULL);
    if (status == LF_OK)
        lf_locales_destroy(locales);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    house h = make_house();
    test_out_of_memory(make_locales, &h);
    test_out_of_memory(make_many_locales, &h);
    drop_house(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floor_and_ceiling_in_one_ground),
        cmocka_unit_test(floor_and_ceiling_in_two_grounds),
        cmocka_unit_test(names_and_places),
        cmocka_unit_test(moves_cross_borders),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(many_locales),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
