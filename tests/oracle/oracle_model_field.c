/// Distance fields against exact clipping: every triangle is cut to every sector in rational numbers, and what is left must be in the
/// sector's list, within its layer's distances, and within the bounds of every node above it.
#include "published/funfzig_field.h"
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

/// The least and the largest squared distance over the corners and edges, as doubles.
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

static void cross_of(mpq_t *product, mpq_t *a, mpq_t *b) {
    for (int k = 0; k < 3; k++) {
        mpq_mul(one, a[(k + 1) % 3], b[(k + 2) % 3]);
        mpq_mul(two, a[(k + 2) % 3], b[(k + 1) % 3]);
        mpq_sub(product[k], one, two);
    }
}

static void difference_of(mpq_t *difference, mpq_t *a, mpq_t *b) {
    for (int k = 0; k < 3; k++)
        mpq_sub(difference[k], a[k], b[k]);
}

/// Is a point of the plane of a convex polygon within it? normal as its corners turn. Nothing is within one that has no area.
static bool covers(exact_polygon *polygon, mpq_t *point, mpq_t *normal, mpq_t (*scratch)[3]) {
    bool inside = true, area = false;
    for (int i = 0; i < polygon->count && inside; i++) {
        mpq_t *a = polygon->corner[i], *b = polygon->corner[(i + 1) % polygon->count];
        difference_of(scratch[0], b, a);
        difference_of(scratch[1], point, a);
        cross_of(scratch[2], scratch[0], scratch[1]);
        dot_of(one, scratch[2], normal);
        inside = mpq_sgn(one) >= 0;
        area = area || mpq_sgn(one) > 0;
    }
    return inside && area;
}

/// Squared distance of the foot of the perpendicular from the origin, where it is within the polygon; else infinite. normal is that of the
/// triangle that the polygon is a part of.
static double face_distance(exact_polygon *polygon, mpq_t *normal) {
    mpq_t foot[3], scratch[3][3], share;
    double square = INFINITY;
    mpq_init(share);
    for (int k = 0; k < 3; k++)
        mpq_inits(foot[k], scratch[0][k], scratch[1][k], scratch[2][k], NULL);
    dot_of(one, normal, normal);
    dot_of(two, normal, polygon->corner[0]);
    if (mpq_sgn(one) != 0) {
        mpq_div(share, two, one);
        for (int k = 0; k < 3; k++)
            mpq_mul(foot[k], normal[k], share);
        if (covers(polygon, foot, normal, scratch)) {
            dot_of(one, foot, foot);
            square = mpq_get_d(one);
        }
    }
    for (int k = 0; k < 3; k++)
        mpq_clears(foot[k], scratch[0][k], scratch[1][k], scratch[2][k], NULL);
    mpq_clear(share);
    return square;
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
    int64_t bounds, loose; ///< of sectors; those that are wider than they need be
} tally;

/// What the triangles that cross one sector have told of it.
typedef struct sector_truth {
    double least, most;
    int64_t count;
} sector_truth;

/// Where a sector is.
typedef struct place {
    int chart, column, row;
} place;

/// Cut a triangle to a sector. false: nothing is left; else the distances of what is.
static bool cut(const lf_model *model, int64_t triangle, place at, exact_polygon work[2], double *least,
                double *most) {
    const double *t = model->field->tangents;
    mpq_t normal[3], sides[2][3];
    for (int k = 0; k < 3; k++)
        mpq_inits(normal[k], sides[0][k], sides[1][k], NULL);
    set_triangle(&work[0], model, triangle, at.chart);
    difference_of(sides[0], work[0].corner[1], work[0].corner[0]);
    difference_of(sides[1], work[0].corner[2], work[0].corner[0]);
    const double planes[4][3] = {
        {-t[at.column], 1, 0}, {t[at.column + 1], -1, 0}, {-t[at.row], 0, 1}, {t[at.row + 1], 0, -1}};
    for (int i = 0; i < 4 && work[0].count > 0; i++) {
        set_plane(normal, planes[i][0], planes[i][1], planes[i][2]);
        clip(&work[0], normal, &work[1]);
    }
    if (work[0].count > 0) {
        edge_distances(&work[0], least, most);
        cross_of(normal, sides[0], sides[1]);
        *least = sqrt(fmin(*least, face_distance(&work[0], normal)));
        *most = sqrt(*most);
    }
    for (int k = 0; k < 3; k++)
        mpq_clears(normal[k], sides[0][k], sides[1][k], NULL);
    return work[0].count > 0;
}

static void oracle_triangle(const lf_model *model, int64_t triangle, place at, exact_polygon work[2],
                            sector_truth *truth, tally *sum) {
    const lf__field *field = model->field;
    double least = INFINITY, most = 0;
    if (!cut(model, triangle, at, work, &least, &most))
        return;
    uint32_t leaf = lf__field_leaf(field, at.column, at.row);
    int64_t per_chart = lf__field_chart_sectors(field);
    const lf__field_layer *layer =
        find_layer(field, at.chart * per_chart + leaf - per_chart, (uint32_t)triangle);
    *truth = (sector_truth){fmin(truth->least, least), fmax(truth->most, most), truth->count + 1};
    sum->crossing++;
    bool fine = layer && (double)layer->low <= least && (double)layer->high >= most &&
                pyramid_holds(field, at.chart, leaf, least, most);
    if (!fine && sum->wrong++ == 0)
        fprintf(stderr, "wrong: triangle %lld in chart %d column %d row %d: %s, %.17g .. %.17g\n",
                (long long)triangle, at.chart, at.column, at.row, layer ? "distances" : "not listed", least,
                most);
}

/// Bounds that hold everything are easy to make. Where the very triangles are listed that cross, these may be a step wider at each end,
/// and what the slack of cutting adds.
static void oracle_width(const lf_model *model, place at, const sector_truth *truth, tally *sum) {
    lf_field_sector sector;
    double slack = 2 * model->field->step;
    assert_int_equal(lf_funfzig_sector(model, at.chart, at.column, at.row, &sector), LF_OK);
    if (sector.triangle_count != truth->count || truth->count == 0)
        return;
    sum->bounds++;
    sum->loose += sector.least < truth->least - slack || sector.most > truth->most + slack;
}

static void oracle_field(const lf_model *model, tally *sum) {
    const lf__field *field = model->field;
    exact_polygon work[2];
    polygon_init(&work[0]);
    polygon_init(&work[1]);
    for (int i = 0; i < LF__FIELD_CHARTS * lf__field_chart_sectors(field); i++) {
        place at = {i / (int)lf__field_chart_sectors(field), i % field->sectors,
                    i / field->sectors % field->sectors};
        sector_truth truth = {INFINITY, 0, 0};
        for (int64_t k = 0; k < model->triangle_count; k++)
            oracle_triangle(model, k, at, work, &truth, sum);
        oracle_width(model, at, &truth, sum);
    }
    sum->listed += field->triangle_count;
    polygon_clear(&work[1]);
    polygon_clear(&work[0]);
}

static void against_clipping(void **state) {
    (void)state;
    test_random random = test_random_start(331);
    tally sum = {0, 0, 0, 0, 0};
    mpq_inits(one, two, three, NULL);
    int64_t rounds = test_long() ? 20 : 1;
    for (int64_t round = 0; round < rounds; round++)
        for (int kind = 0; kind < SHAPE_KINDS; kind++) {
            shape shape;
            lf_model_def def = lf_model_def_default();
            lf_model *model;
            shape_make(&shape, (shape_kind)kind, 12, &random);
            def.polygons = shape_polygons(&shape);
            def.field.functions = lf_funfzig_field();
            def.field.sectors = 2 << test_random_below(&random, 3);
            def.field.layers = 1 + (int)test_random_below(&random, 4);
            def.field.centre = (lf_field_centre)test_random_below(&random, 4);
            def.field.at = shape.vertices[0]; // on the surface: everything there is at distance 0
            assert_int_equal(lf_model_create(&def, &model, NULL), LF_OK);
            oracle_field(model, &sum);
            lf_model_destroy(model);
            shape_free(&shape);
        }
    printf("%lld crossings of triangles and sectors, %lld listed; bounds of %lld sectors, %lld loose\n",
           (long long)sum.crossing, (long long)sum.listed, (long long)sum.bounds, (long long)sum.loose);
    assert_int_equal(sum.wrong, 0);
    assert_true(sum.crossing > 1000);
    // Touching the border of a sector is crossing it here, within a billionth there: hardly more are listed.
    assert_true((double)sum.listed < 1.2 * (double)sum.crossing + 200);
    // A triangle that nearly lies in a border is longer with the slack; such are rare.
    assert_true(sum.bounds > 50 && 100 * sum.loose <= sum.bounds);
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
