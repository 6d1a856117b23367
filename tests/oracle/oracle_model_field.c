/// Distance fields against exact clipping: every triangle is cut to every sector in rational numbers, and what is left must be in the
/// sector's list, within its layer's distances, and within the bounds of every node above it.
#include "model/field.h"
#include "shapes.h"
#include <gmp.h>
#include <stdio.h>
#include <string.h>

enum { CORNERS = 8 };

typedef struct exact_polygon {
    mpq_t corner[CORNERS][3];
    int count;
} exact_polygon;

static mpq_t one, two, three;

static void polygon_init(exact_polygon *polygon) {
    for (int i = 0; i < CORNERS; i++)
        for (int k = 0; k < 3; k++)
            mpq_init(polygon->corner[i][k]);
    polygon->count = 0;
}

static void polygon_clear(exact_polygon *polygon) {
    for (int i = 0; i < CORNERS; i++)
        for (int k = 0; k < 3; k++)
            mpq_clear(polygon->corner[i][k]);
}

static void dot_of(mpq_t product, mpq_t *a, mpq_t *b) {
    mpq_mul(product, a[0], b[0]);
    for (int k = 1; k < 3; k++) {
        mpq_mul(three, a[k], b[k]);
        mpq_add(product, product, three);
    }
}

static void copy_corner(mpq_t *to, mpq_t *from) {
    for (int k = 0; k < 3; k++)
        mpq_set(to[k], from[k]);
}

/// a + t (b - a)
static void between(mpq_t *out, mpq_t *a, mpq_t *b, mpq_t t) {
    for (int k = 0; k < 3; k++) {
        mpq_sub(three, b[k], a[k]);
        mpq_mul(three, three, t);
        mpq_add(out[k], a[k], three);
    }
}

static void clip(exact_polygon *polygon, mpq_t *normal, exact_polygon *scratch) {
    mpq_t here, there, t;
    mpq_inits(here, there, t, NULL);
    scratch->count = 0;
    for (int i = 0; i < polygon->count; i++) {
        mpq_t *a = polygon->corner[i], *b = polygon->corner[(i + 1) % polygon->count];
        dot_of(here, normal, a);
        dot_of(there, normal, b);
        if (mpq_sgn(here) >= 0)
            copy_corner(scratch->corner[scratch->count++], a);
        if (mpq_sgn(here) * mpq_sgn(there) < 0) {
            mpq_sub(there, here, there);
            mpq_div(t, here, there);
            between(scratch->corner[scratch->count++], a, b, t);
        }
    }
    for (int i = 0; i < scratch->count; i++)
        copy_corner(polygon->corner[i], scratch->corner[i]);
    polygon->count = scratch->count;
    mpq_clears(here, there, t, NULL);
}

/// Squared distance of a segment from the origin.
static void segment_square(mpq_t square, mpq_t *a, mpq_t *b) {
    mpq_t d[3], p[3], t;
    mpq_init(t);
    for (int k = 0; k < 3; k++) {
        mpq_inits(d[k], p[k], NULL);
        mpq_sub(d[k], b[k], a[k]);
    }
    dot_of(one, d, d);
    dot_of(two, a, d);
    if (mpq_sgn(one) != 0) {
        mpq_div(t, two, one);
        mpq_neg(t, t);
        if (mpq_sgn(t) < 0)
            mpq_set_ui(t, 0, 1);
        if (mpq_cmp_ui(t, 1, 1) > 0)
            mpq_set_ui(t, 1, 1);
    }
    between(p, a, b, t);
    dot_of(square, p, p);
    for (int k = 0; k < 3; k++)
        mpq_clears(d[k], p[k], NULL);
    mpq_clear(t);
}

/// The least and the largest squared distance over the corners and edges, as doubles. The inside of a face can be nearer
/// than its edges; a sample point there is judged separately.
static void edge_distances(exact_polygon *polygon, double *least, double *most) {
    *least = INFINITY;
    *most = 0;
    for (int i = 0; i < polygon->count; i++) {
        segment_square(two, polygon->corner[i], polygon->corner[(i + 1) % polygon->count]);
        *least = fmin(*least, mpq_get_d(two));
        dot_of(one, polygon->corner[i], polygon->corner[i]);
        *most = fmax(*most, mpq_get_d(one));
    }
}

/// Mean of the corners, and points halfway to it: inside, and sometimes nearer than any edge.
static double inner_distance(exact_polygon *polygon) {
    double least = INFINITY;
    lf_vec3 mean = {0, 0, 0}, corners[CORNERS];
    for (int i = 0; i < polygon->count; i++) {
        corners[i] = (lf_vec3){mpq_get_d(polygon->corner[i][0]), mpq_get_d(polygon->corner[i][1]),
                               mpq_get_d(polygon->corner[i][2])};
        mean = lf_vec3_along(mean, 1.0 / polygon->count, corners[i]);
    }
    for (int i = 0; i < polygon->count; i++)
        for (double t = 0; t < 1; t += 0.125) {
            lf_vec3 p = lf_vec3_along(mean, t, lf_vec3_sub(corners[i], mean));
            least = fmin(least, lf_vec3_dot(p, p));
        }
    return least;
}

static void set_triangle(exact_polygon *polygon, const lf_model *model, int64_t triangle, int chart) {
    const lf__field *field = model->field;
    lf_vec3 t[3], centre = lf__field_to_chart(chart, field->centre);
    lf__model_corners(model, triangle, t);
    polygon->count = 3;
    for (int c = 0; c < 3; c++) {
        lf_vec3 v = lf__field_to_chart(chart, t[c]); // only swaps and signs: exact
        const double from[3] = {v.x, v.y, v.z}, to[3] = {centre.x, centre.y, centre.z};
        for (int k = 0; k < 3; k++) {
            mpq_set_d(polygon->corner[c][k], from[k]);
            mpq_set_d(one, to[k]);
            mpq_sub(polygon->corner[c][k], polygon->corner[c][k], one);
        }
    }
}

static void set_plane(mpq_t *normal, double x, double y, double z) {
    mpq_set_d(normal[0], x);
    mpq_set_d(normal[1], y);
    mpq_set_d(normal[2], z);
}

/// The layer of a sector that a triangle is in, or NULL.
static const lf__field_layer *find_layer(const lf__field *field, int64_t sector, uint32_t triangle) {
    for (uint32_t i = field->firsts[sector]; i < field->firsts[sector + 1]; i++)
        for (uint32_t k = field->layers[i].first; k < field->layers[i + 1].first; k++)
            if (field->triangles[k] == triangle)
                return &field->layers[i];
    return NULL;
}

/// The bounds of a sector and of every node above it hold these distances.
static bool pyramid_holds(const lf__field *field, int chart, uint32_t leaf, double least, double most) {
    lf__field_node node = lf__field_root(field, chart), halves[2];
    for (;;) {
        if (node.least * field->step > least || node.most * field->step < most)
            return false;
        if (node.level == field->levels)
            return node.node == leaf;
        lf__field_halves(field, &node, halves);
        node = halves[leaf >> (field->levels - node.level - 1) & 1];
    }
}

typedef struct tally {
    int64_t crossing, listed, wrong;
} tally;

static void judge_sector(const lf_model *model, int64_t triangle, int chart, int column, int row,
                         exact_polygon work[2], tally *sum) {
    const lf__field *field = model->field;
    const double *t = field->tangents;
    mpq_t normal[3];
    mpq_inits(normal[0], normal[1], normal[2], NULL);
    set_triangle(&work[0], model, triangle, chart);
    const double planes[4][3] = {
        {-t[column], 1, 0}, {t[column + 1], -1, 0}, {-t[row], 0, 1}, {t[row + 1], 0, -1}};
    for (int i = 0; i < 4 && work[0].count > 0; i++) {
        set_plane(normal, planes[i][0], planes[i][1], planes[i][2]);
        clip(&work[0], normal, &work[1]);
    }
    mpq_clears(normal[0], normal[1], normal[2], NULL);
    if (work[0].count == 0)
        return;
    double least, most;
    uint32_t leaf = lf__field_leaf(field, column, row);
    int64_t per_chart = lf__field_chart_sectors(field);
    const lf__field_layer *layer =
        find_layer(field, chart * per_chart + leaf - per_chart, (uint32_t)triangle);
    edge_distances(&work[0], &least, &most);
    least = fmin(least, inner_distance(&work[0]));
    sum->crossing++;
    bool fine = layer && (double)layer->low <= sqrt(least) && (double)layer->high >= sqrt(most) &&
                pyramid_holds(field, chart, leaf, sqrt(least), sqrt(most));
    if (!fine && sum->wrong++ == 0)
        fprintf(stderr, "wrong: triangle %lld in chart %d column %d row %d: %s, %.17g .. %.17g\n",
                (long long)triangle, chart, column, row, layer ? "distances" : "not listed", sqrt(least),
                sqrt(most));
}

static void judge_field(const lf_model *model, tally *sum) {
    const lf__field *field = model->field;
    exact_polygon work[2];
    polygon_init(&work[0]);
    polygon_init(&work[1]);
    for (int64_t i = 0; i < model->triangle_count; i++)
        for (int chart = 0; chart < LF__FIELD_CHARTS; chart++)
            for (int column = 0; column < field->sectors; column++)
                for (int row = 0; row < field->sectors; row++)
                    judge_sector(model, i, chart, column, row, work, sum);
    sum->listed += field->triangle_count;
    polygon_clear(&work[1]);
    polygon_clear(&work[0]);
}

static void against_clipping(void **state) {
    (void)state;
    test_random random = test_random_start(331);
    tally sum = {0, 0, 0};
    mpq_inits(one, two, three, NULL);
    int64_t rounds = test_long() ? 20 : 1;
    for (int64_t round = 0; round < rounds; round++)
        for (int kind = 0; kind < SHAPE_KINDS; kind++) {
            shape shape;
            lf_model_def def = lf_model_def_default();
            lf_model *model;
            shape_make(&shape, (shape_kind)kind, 12, &random);
            def.polygons = shape_polygons(&shape);
            def.field.sectors = 2 << test_random_below(&random, 3);
            def.field.layers = 1 + (int)test_random_below(&random, 4);
            def.field.centre = (lf_field_centre)test_random_below(&random, 4);
            def.field.at = shape.vertices[0]; // on the surface: everything there is at distance 0
            assert_int_equal(lf_model_create(&def, &model, NULL), LF_OK);
            judge_field(model, &sum);
            lf_model_destroy(model);
            shape_free(&shape);
        }
    printf("%lld crossings of triangles and sectors, %lld listed\n", (long long)sum.crossing,
           (long long)sum.listed);
    assert_int_equal(sum.wrong, 0);
    assert_true(sum.crossing > 1000);
    // Touching the border of a sector is crossing it here, within a billionth there: hardly more are listed.
    assert_true((double)sum.listed < 1.2 * (double)sum.crossing + 200);
    mpq_clears(one, two, three, NULL);
}

/// Charts are turns of each other, sectors cover everything, places and nodes fit.
static void directions(void **state) {
    (void)state;
    test_random random = test_random_start(332);
    for (int i = 0; i < 2000; i++) {
        lf_vec3 v;
        v.x = test_random_between(&random, -1, 1);
        v.y = test_random_between(&random, -1, 1);
        v.z = test_random_between(&random, -1, 1);
        int holding = 0;
        for (int chart = 0; chart < LF__FIELD_CHARTS; chart++) {
            lf_vec3 seen = lf__field_to_chart(chart, v), back = lf__field_from_chart(chart, seen);
            assert_memory_equal(&back, &v, sizeof v);
            holding += seen.x > 0 && fabs(seen.y) <= seen.x && fabs(seen.z) <= seen.x;
        }
        assert_int_equal(holding, 1);
    }
    for (int chart = 0; chart < LF__FIELD_CHARTS; chart++) {
        lf_vec3 x = lf__field_from_chart(chart, (lf_vec3){1, 0, 0}),
                y = lf__field_from_chart(chart, (lf_vec3){0, 1, 0}),
                z = lf__field_from_chart(chart, (lf_vec3){0, 0, 1});
        assert_true(lf_vec3_dot(lf_vec3_cross(x, y), z) == 1); // not mirrored
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions),
        cmocka_unit_test(against_clipping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
