// The oracle for grids, checked by cases that can be worked out by hand.
#include "exact.h"
#include "exact_grid.h"
#include "exact_number.h"
#include "nasty_grid.h"

static const double quad[4] = {0, 1, 2, 5}; // h00 h10 h01 h11

static exact_grid two_by_two(const double *heights, lf_surface surface) {
    return (exact_grid){2, 2, heights, surface, false};
}

static int64_t meet(const exact_grid *grid, lf_vec3 origin, lf_vec3 along, const exact_grid_hit **hits) {
    lf_ray ray = lf_ray_towards(origin, along);
    return exact_grid_meet(grid, &ray, hits);
}

static void numbers_compare(void **state) {
    (void)state;
    exact_number a, b, roots[2];
    exact_number *all[4] = {&a, &b, &roots[0], &roots[1]};
    for (int i = 0; i < 4; i++)
        exact_number_init(all[i]);
    mpq_t p, q, r;
    mpq_inits(p, q, r, NULL);
    mpq_set_d(p, 1);
    mpq_set_d(q, -2);
    mpq_set_d(r, -1); // t^2 - 2t - 1: 1 -+ sqrt 2
    assert_int_equal(exact_roots(p, q, r, roots), 2);
    assert_true(fabs(exact_number_get(&roots[0]) - (1 - sqrt(2))) < 1e-15);
    assert_true(fabs(exact_number_get(&roots[1]) - (1 + sqrt(2))) < 1e-15);
    assert_int_equal(exact_number_compare(&roots[0], &roots[1]), -1);
    mpq_set_d(q, -4);
    mpq_set_d(r, 2); // 2 -+ sqrt 2: the lower one is less than 1 + sqrt 2, by 2 sqrt 2 - 1
    exact_number_copy(&a, &roots[1]);
    exact_number_copy(&b, &roots[0]);
    assert_int_equal(exact_roots(p, q, r, roots), 2);
    assert_int_equal(exact_number_compare(&roots[0], &a), -1);
    assert_int_equal(exact_number_compare(&roots[1], &a), 1);
    assert_int_equal(exact_number_compare(&roots[0], &b), 1);
    mpq_set_d(p, 1); // sqrt 8 = 2 sqrt 2, written differently
    mpq_set_d(q, 0);
    mpq_set_d(r, -8);
    assert_int_equal(exact_roots(p, q, r, roots), 2);
    exact_number_copy(&a, &roots[1]);
    mpq_set_d(p, 0.25);
    mpq_set_d(r, -2);
    assert_int_equal(exact_roots(p, q, r, roots), 2);
    assert_int_equal(exact_number_compare(&roots[1], &a), 0);
    assert_int_equal(exact_number_compare(&roots[0], &a), -1);
    mpq_set_d(r, 2);
    assert_int_equal(exact_roots(p, q, r, roots), 0);
    mpq_set_d(r, 0);
    assert_int_equal(exact_roots(p, q, r, roots), 1);
    mpq_set_d(p, 0);
    assert_int_equal(exact_roots(p, q, r, roots), -1);
    for (int i = 0; i < 4; i++)
        exact_number_clear(all[i]);
    mpq_clears(p, q, r, NULL);
}

static void heights_of_a_cell(void **state) {
    (void)state;
    // At (1/4, 1/2): falling below its diagonal, rising above its own.
    const double expected[3] = {0 + 0.25 * 1 + 0.5 * 2, 0 + 0.5 * 2 + 0.25 * 3, 0.25 + 1 + 0.125 * 2};
    const lf_surface surfaces[3] = {LF_SURFACE_FALLING, LF_SURFACE_RISING, LF_SURFACE_BILINEAR};
    for (int i = 0; i < 3; i++) {
        exact_grid grid = two_by_two(quad, surfaces[i]);
        exact_grid_height height = exact_grid_at(&grid, 0.25, 0.5, 2);
        assert_int_equal(height.reason, LF_REASON_ANSWERED);
        assert_true(height.height == expected[i] && height.distance == 2 - expected[i]);
        assert_int_equal(height.side, 1);
        assert_int_equal(height.hit->triangle, i == 1 ? 1 : 0);
        assert_true(exact_grid_at(&grid, 1, 1, 5).height == 5);
        assert_int_equal(exact_grid_at(&grid, 1, 1, 5).side, 0);
        assert_int_equal(exact_grid_at(&grid, 1, nextafter(1, 2), 5).reason, LF_REASON_OUTSIDE);
        assert_int_equal(exact_grid_at(&grid, -1e-300, 0, 5).reason, LF_REASON_OUTSIDE);
    }
    exact_grid falling = two_by_two(quad, LF_SURFACE_FALLING);
    assert_int_equal(exact_grid_at(&falling, 0.5, 0.5, 5).hit->triangle, 0);
    assert_int_equal(exact_grid_at(&falling, 0.5, nextafter(0.5, 1), 5).hit->triangle, 1);
}

static void samples_and_walls(void **state) {
    (void)state;
    const exact_grid_hit *hits;
    exact_grid grid = two_by_two(quad, LF_SURFACE_POINT);
    assert_true(exact_grid_at(&grid, 0.5, 0.5, 9).height == 5);
    assert_int_equal(exact_grid_at(&grid, 0.5, 0.5, 9).hit->element, 3);
    assert_true(exact_grid_at(&grid, -0.5, -0.5, 9).height == 0);
    assert_int_equal(exact_grid_at(&grid, -0.6, 0, 9).reason, LF_REASON_OUTSIDE);
    // Level at 3 along the row 1: the wall of sample 3 on its low-column side, and nothing else.
    assert_int_equal(meet(&grid, (lf_vec3){-3, 1, 3}, (lf_vec3){1, 0, 0}, &hits), 1);
    assert_int_equal(hits[0].element, 3);
    assert_int_equal(hits[0].triangle, 1);
    assert_true(hits[0].t == 3.5 && hits[0].normal.x == -1);
    // Down in the plane of two walls: the square of sample 1 at its edge, and both walls where they are
    // entered.
    assert_int_equal(meet(&grid, (lf_vec3){0.5, 0, 9}, (lf_vec3){0, 0, -1}, &hits), 3);
    assert_int_equal(hits[0].element, 1);
    assert_int_equal(hits[0].triangle, 0);
    assert_int_equal(hits[1].triangle, 1);
    assert_true(hits[1].t == 8 && hits[1].same_as_last && hits[2].t == 9 && hits[2].element == 0);
}

static void holes_and_rings(void **state) {
    (void)state;
    const double heights[6] = {1, 1, NAN, 1, 1, 1};
    exact_grid grid = {3, 2, heights, LF_SURFACE_RISING, false};
    assert_int_equal(exact_grid_at(&grid, 1, 0.5, 2).reason, LF_REASON_ANSWERED);
    // The cell beside the void keeps the triangle that does not have it as a corner, diagonal included.
    assert_int_equal(exact_grid_at(&grid, nextafter(1, 2), 0.5, 2).hit->triangle, 1);
    assert_int_equal(exact_grid_at(&grid, 1.5, 0.5, 2).hit->triangle, 1);
    assert_int_equal(exact_grid_at(&grid, nextafter(1.5, 2), 0.5, 2).reason, LF_REASON_HOLE);
    assert_int_equal(exact_grid_at(&grid, 2, 1, 2).reason, LF_REASON_ANSWERED);
    assert_false(exact_grid_bare(&grid, 2, 1));
    assert_true(exact_grid_bare(&grid, 2, 0));
    grid.surface = LF_SURFACE_FALLING;
    assert_int_equal(exact_grid_at(&grid, 2, 1, 2).reason, LF_REASON_HOLE);
    assert_true(exact_grid_bare(&grid, 2, 1)); // a height that no piece has as a corner
    grid.surface = LF_SURFACE_RISING;
    assert_int_equal(exact_grid_at(&grid, -0.5, 0, 2).reason, LF_REASON_OUTSIDE);
    grid.extend = true;
    assert_int_equal(exact_grid_at(&grid, -0.5, 0, 2).reason, LF_REASON_ANSWERED);
    assert_int_equal(exact_grid_at(&grid, -0.5, 0, 2).hit->element, 0);
    assert_int_equal(exact_grid_at(&grid, -0.5, nextafter(-0.5, -1), 2).reason, LF_REASON_OUTSIDE);
    assert_int_equal(exact_grid_at(&grid, 2.5, 1.5, 2).reason, LF_REASON_ANSWERED);
    assert_int_equal(exact_grid_at(&grid, 2.5, 0.5, 2).reason, LF_REASON_HOLE);
}

static void patches_are_met_twice(void **state) {
    (void)state;
    const double saddle[4] = {0, 0, 0, 1}; // u * v
    const exact_grid_hit *hits;
    exact_grid grid = two_by_two(saddle, LF_SURFACE_BILINEAR);
    // Along the other diagonal u (1 - u): level at 3/16 it is met at 1/4 and 3/4, at 1/4 touched, above not
    // at all.
    lf_vec3 along = {1, -1, 0};
    assert_int_equal(meet(&grid, (lf_vec3){0, 1, 0.1875}, along, &hits), 2);
    assert_true(hits[0].t == 0.25 && hits[1].t == 0.75 && hits[0].v == 0.75);
    assert_int_equal(meet(&grid, (lf_vec3){-1, 2, 0.25}, along, &hits), 1);
    assert_true(hits[0].t == 1.5);
    assert_int_equal(meet(&grid, (lf_vec3){0, 1, nextafter(0.25, 1)}, along, &hits), 0);
    assert_int_equal(meet(&grid, (lf_vec3){0, 1, nextafter(0.25, 0)}, along, &hits), 2);
    // A ruling: at u = 1/2, height v / 2.
    assert_int_equal(meet(&grid, (lf_vec3){0.5, -1, -0.5}, (lf_vec3){0, 1, 0.5}, &hits), 1);
    assert_true(hits[0].t == 1);
    // Irrational roots: u (1 - u) = 1/8.
    assert_int_equal(meet(&grid, (lf_vec3){0, 1, 0.125}, along, &hits), 2);
    assert_true(fabs(hits[0].t - (0.5 - sqrt(0.125))) < 1e-16);
}

static void triangles_in_their_planes(void **state) {
    (void)state;
    const exact_grid_hit *hits;
    const double level[6] = {1, 1, 1, 1, 1, 1};
    exact_grid grid = {3, 2, level, LF_SURFACE_ALTERNATING, false};
    assert_int_equal(meet(&grid, (lf_vec3){-1, 0.25, 1}, (lf_vec3){1, 0, 0}, &hits), 4);
    assert_true(hits[0].t == 1 && hits[0].element == 0 && hits[0].triangle == 0);
    assert_true(hits[1].t == 1.75 && hits[1].element == 0 && hits[1].triangle == 1);
    assert_true(hits[2].t == 2 && hits[2].element == 1 && hits[2].triangle == 1);
    assert_true(hits[3].t == 2.25 && hits[3].element == 1 && hits[3].triangle == 0);
    // Down through the sample between the cells, where both diagonals end: all four triangles.
    // corner.
    assert_int_equal(meet(&grid, (lf_vec3){1, 0, 2}, (lf_vec3){0, 0, -1}, &hits), 4);
    assert_true(hits[3].same_as_last && hits[3].element == 1 && hits[3].triangle == 1);
}

/// The pieces of a triangulated cell as corners in space: falling and rising, low and high.
static void corners_of(const exact_grid *grid, int64_t i, int64_t j, int triangle, lf_vec3 corners[3]) {
    static const int samples[4][3][2] = {{{0, 0}, {1, 0}, {0, 1}},
                                         {{1, 0}, {1, 1}, {0, 1}},
                                         {{0, 0}, {1, 0}, {1, 1}},
                                         {{0, 0}, {1, 1}, {0, 1}}};
    bool rising =
        grid->surface == LF_SURFACE_RISING || (grid->surface == LF_SURFACE_ALTERNATING && (i + j) % 2 != 0);
    for (int k = 0; k < 3; k++) {
        int64_t column = i + samples[2 * rising + triangle][k][0],
                row = j + samples[2 * rising + triangle][k][1];
        corners[k] = (lf_vec3){(double)column, (double)row, grid->heights[row * grid->columns + column]};
    }
}

/// One ray over triangles by the oracle for triangles in space, which knows nothing of grids.
static int64_t oracle_by_triangles(const exact_grid *grid, const lf_ray *ray) {
    const exact_grid_hit *hits;
    int64_t count = exact_grid_meet(grid, ray, &hits), met = 0;
    for (int64_t element = 0; element < (grid->columns - 1) * (grid->rows - 1); element++)
        for (int triangle = 0; triangle < 2; triangle++) {
            lf_vec3 corners[3];
            int64_t i = element % (grid->columns - 1), j = element / (grid->columns - 1), found = 0;
            corners_of(grid, i, j, triangle, corners);
            exact_meeting meeting = {.met = false};
            if (!isnan(corners[0].z) && !isnan(corners[1].z) && !isnan(corners[2].z))
                meeting = exact_ray_triangle(ray, corners);
            while (found < count && (hits[found].element != element || hits[found].triangle != triangle))
                found++;
            assert_int_equal(found < count, meeting.met);
            if (!meeting.met)
                continue;
            met++;
            assert_true(hits[found].t == meeting.t);
            if (meeting.facing != 0)
                assert_true(fabs(hits[found].u - meeting.u) < 1e-15 &&
                            fabs(hits[found].v - meeting.v) < 1e-15);
        }
    assert_int_equal(met, count);
    return met;
}

static void triangles_by_another_oracle(void **state) {
    (void)state;
    test_random random = test_random_start(4002);
    int64_t met = 0;
    for (int64_t round = 0; round < 3 * NASTY_RELIEFS; round++) {
        nasty_grid grid;
        nasty_grid_make(&grid, (nasty_relief)(round / 3), (lf_surface)(round % 3), 3, &random);
        exact_grid exact = nasty_grid_exact(&grid);
        exact.extend = false;
        for (int64_t i = 0; i < NASTY_LINES; i++) {
            lf_ray ray = nasty_grid_ray((nasty_line)i, &grid, &random);
            lf_ray local = nasty_grid_local_ray(&grid, &ray);
            met += oracle_by_triangles(&exact, &local);
        }
        nasty_grid_free(&grid);
    }
    assert_true(met > 100);
}

/// A square or a wall in space as two triangles.
static bool meets_rectangle(const lf_ray *ray, const lf_vec3 c[4], double *t) {
    const lf_vec3 first[3] = {c[0], c[1], c[2]}, second[3] = {c[0], c[2], c[3]};
    exact_meeting a = exact_ray_triangle(ray, first), b = exact_ray_triangle(ray, second);
    *t = fmin(a.met ? a.t : LF_INFINITY, b.met ? b.t : LF_INFINITY);
    return a.met || b.met;
}

/// The corners of a sample's square (0) or of a wall on one of its sides; false when there is no such wall.
static bool rectangle_of(const exact_grid *grid, int64_t sample, int side, lf_vec3 c[4]) {
    static const int steps[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    int64_t i = sample % grid->columns, j = sample / grid->columns;
    int64_t column = i + steps[side][0], row = j + steps[side][1];
    double x = (double)i, y = (double)j, top = grid->heights[sample];
    if (isnan(top) || column < 0 || row < 0 || column >= grid->columns || row >= grid->rows)
        return false;
    double foot = grid->heights[row * grid->columns + column];
    double along_x = steps[side][0] ? 0 : 0.5, along_y = steps[side][1] ? 0 : 0.5;
    double middle_x = x + 0.5 * steps[side][0], middle_y = y + 0.5 * steps[side][1];
    c[0] = (lf_vec3){middle_x - along_x, middle_y - along_y, top};
    c[1] = (lf_vec3){middle_x + along_x, middle_y + (side ? along_y : -0.5), top};
    c[2] = (lf_vec3){middle_x + along_x, middle_y + along_y, side ? foot : top};
    c[3] = (lf_vec3){middle_x - along_x, middle_y + (side ? -along_y : 0.5), side ? foot : top};
    return side == 0 || foot < top;
}

static void samples_by_another_oracle(void **state) {
    (void)state;
    test_random random = test_random_start(4003);
    int64_t met = 0, walls = 0;
    for (int64_t round = 0; round < 2 * NASTY_RELIEFS * NASTY_LINES; round++) {
        nasty_grid grid;
        const exact_grid_hit *hits;
        nasty_grid_make(&grid, (nasty_relief)(round % NASTY_RELIEFS), LF_SURFACE_POINT, 2, &random);
        exact_grid exact = nasty_grid_exact(&grid);
        lf_ray ray = nasty_grid_ray((nasty_line)(round / NASTY_RELIEFS / 2), &grid, &random);
        lf_ray local = nasty_grid_local_ray(&grid, &ray);
        int64_t count = exact_grid_meet(&exact, &local, &hits), expected = 0;
        for (int64_t piece = 0; piece < 5 * exact.columns * exact.rows; piece++) {
            lf_vec3 corners[4];
            double t;
            if (!rectangle_of(&exact, piece / 5, (int)(piece % 5), corners) ||
                !meets_rectangle(&local, corners, &t))
                continue;
            int64_t found = 0;
            while (found < count && (hits[found].element != piece / 5 || hits[found].triangle != piece % 5))
                found++;
            assert_true(found < count && hits[found].t == t);
            expected++;
            walls += piece % 5 != 0;
        }
        assert_int_equal(count, expected);
        met += count;
        nasty_grid_free(&grid);
    }
    assert_true(met > 100 && walls > 20);
}

/// A patch over four samples in one plane is that plane.
static void patches_by_another_surface(void **state) {
    (void)state;
    test_random random = test_random_start(4004);
    int64_t met = 0;
    for (int64_t round = 0; round < 3 * NASTY_LINES; round++) {
        nasty_grid grid;
        nasty_grid_make(&grid, NASTY_RELIEF_PLANE, LF_SURFACE_BILINEAR, 2, &random);
        double heights[36];
        int64_t columns = 2 + round % 3, rows = 2 + round % 4;
        for (int64_t i = 0; i < columns * rows; i++)
            heights[i] = 3 * (double)(i % columns) - 2 * (double)(i / columns);
        exact_grid patches = {columns, rows, heights, LF_SURFACE_BILINEAR, false}, triangles = patches;
        triangles.surface = LF_SURFACE_RISING;
        lf_ray ray = nasty_grid_ray((nasty_line)(round / 3), &grid, &random);
        lf_ray local = nasty_grid_local_ray(&grid, &ray);
        const exact_grid_hit *hits;
        int64_t count = exact_grid_meet(&patches, &local, &hits);
        double t = count ? hits[0].t : 0;
        int64_t element = count ? hits[0].element : 0;
        assert_int_equal(exact_grid_meet(&triangles, &local, &hits) > 0, count > 0);
        if (count > 0)
            assert_true(hits[0].t == t && hits[0].element == element);
        met += count;
        nasty_grid_free(&grid);
    }
    assert_true(met > 0);
}

/// The filter in doubles leaves nothing out.
static void filtered_and_not(void **state) {
    (void)state;
    test_random random = test_random_start(4001);
    int64_t met = 0;
    for (int64_t round = 0; round < 5 * NASTY_RELIEFS; round++) {
        nasty_grid grid;
        nasty_grid_make(&grid, (nasty_relief)(round / 5), (lf_surface)(round % 5), 3, &random);
        exact_grid exact = nasty_grid_exact(&grid);
        for (int64_t i = 0; i < NASTY_LINES; i++) {
            lf_ray ray = nasty_grid_ray((nasty_line)i, &grid, &random);
            lf_ray local = nasty_grid_local_ray(&grid, &ray);
            const exact_grid_hit *hits;
            int64_t slowly = exact_grid_meet_by(&exact, &local, false, &hits);
            assert_int_equal(exact_grid_meet(&exact, &local, &hits), slowly);
            met += slowly > 0;
        }
        nasty_grid_free(&grid);
    }
    assert_true(met > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_compare),           cmocka_unit_test(heights_of_a_cell),
        cmocka_unit_test(samples_and_walls),         cmocka_unit_test(holes_and_rings),
        cmocka_unit_test(patches_are_met_twice),     cmocka_unit_test(triangles_in_their_planes),
        cmocka_unit_test(filtered_and_not),          cmocka_unit_test(triangles_by_another_oracle),
        cmocka_unit_test(samples_by_another_oracle), cmocka_unit_test(patches_by_another_surface),
    };
    return cmocka_run_group_tests_name("support: exact grid", tests, NULL, NULL);
}
