// Rasters full of voids: every question against exact arithmetic, and all questions against each other, on
// all five surfaces, plain and compressed, with scalar and with vector instructions. A piece of the surface
// exists where all of its own corners have heights, and a sample that no piece has as a corner is a void
// everywhere.
#include "horizon_oracle.h"
#include "twin.h"
#include "viewshed_scene.h"
#include <landfall/ground.h>
#include <stdlib.h>
#include <string.h>

static bool one_in(test_random *random, int64_t count) {
    return test_random_below(random, count) == 0;
}

// ---------------------------------------------------------------------------------------------------
// Rasters
// ---------------------------------------------------------------------------------------------------

/// A sample as it lies in memory. Void numbers are as high or as low as the type allows: nobody may take them for heights.
static void set_sample(nasty_grid *n, int64_t k, double height) {
    lf_samples *s = &n->def.samples;
    double value = isnan(height) ? s->nodata : height;
    if (s->type == LF_SAMPLE_INT16)
        ((int16_t *)n->values)[k] = (int16_t)value;
    else if (s->type == LF_SAMPLE_UINT16)
        ((uint16_t *)n->values)[k] = (uint16_t)value;
    else if (s->type == LF_SAMPLE_FLOAT)
        ((float *)n->values)[k] = (float)value;
    else
        ((double *)n->values)[k] = value;
}

static double any_nodata(lf_sample_type type, test_random *random) {
    bool high = one_in(random, 2);
    if (type == LF_SAMPLE_INT16)
        return high ? 32767 : -32768;
    if (type == LF_SAMPLE_UINT16)
        return high ? 65535 : 9;
    return one_in(random, 2) ? (double)NAN : high ? 0x1p100 : -0x1p100;
}

/// Whole heights at whole places, and voids: from a few to more than half.
static void make_raster(nasty_grid *n, lf_surface surface, test_random *random) {
    int64_t columns = 2 + test_random_below(random, 9), rows = 2 + test_random_below(random, 9);
    int64_t range = one_in(random, 2) ? 3 : 8, share = 1 + test_random_below(random, 12);
    *n = (nasty_grid){
        .name = "voids", .relief = NASTY_RELIEF_TIES, .def = lf_grid_def_default(), .a = 1, .d = 1};
    n->def.samples.type = (lf_sample_type)test_random_below(random, 4);
    n->def.samples.columns = columns;
    n->def.samples.rows = rows;
    n->def.samples.nodata = any_nodata(n->def.samples.type, random);
    n->def.surface = surface;
    n->def.extend = surface != LF_SURFACE_POINT && one_in(random, 3);
    n->def.borrow = !n->def.extend && one_in(random, 2);
    n->def.leaf = 1 << test_random_below(random, 4);
    n->heights = test_space(columns * rows, sizeof *n->heights);
    n->values_bytes = (size_t)(columns * rows) * sizeof(double);
    n->values = test_space(columns * rows, sizeof(double));
    n->def.samples.values = n->values;
    for (int64_t k = 0; k < columns * rows; k++) {
        bool is_void = test_random_below(random, 24) < 2 * share;
        n->heights[k] = is_void ? (double)NAN : (double)test_random_below(random, range);
        set_sample(n, k, n->heights[k]);
    }
}

/// The same heights once more, compressed without loss.
static grid_place make_packed(const nasty_grid *n, test_random *random) {
    grid_place place;
    lf_grid_def def = n->def;
    lf_error error = {0};
    def.borrow = false;
    def.leaf = 0;
    def.codec = one_in(random, 2) ? LF_CODEC_PACK : LF_CODEC_MAXPLUS;
    if (lf_grid_create(&def, &place.grid, &error) != LF_OK)
        fail_msg("no compressed grid: %s", error.text);
    for (int64_t k = 0; k < def.samples.columns * def.samples.rows; k++) {
        double kept = lf_grid_sample(place.grid, k % def.samples.columns, k / def.samples.columns);
        assert_true(kept == n->heights[k] || (isnan(kept) && isnan(n->heights[k])));
    }
    place.ground = lf_grid_ground(place.grid);
    return place;
}

typedef struct raster {
    viewshed_scene scene; ///< its bench has the plain and the best grid
    grid_place packed;
    const lf_grid *grids[3];
    const lf_ground *grounds[3];
    int64_t columns, rows, count;
    grid_oracle *oracle;
} raster;

static void raster_open(raster *r, grid_oracle *oracle, lf_surface surface, test_random *random) {
    nasty_grid nasty;
    make_raster(&nasty, surface, random);
    *r = (raster){.oracle = oracle};
    grid_bench_open(&r->scene.bench, &nasty);
    r->packed = make_packed(&nasty, random);
    const grid_place *places[3] = {&r->scene.bench.plain, &r->scene.bench.best, &r->packed};
    for (int g = 0; g < 3; g++) {
        r->grids[g] = places[g]->grid;
        r->grounds[g] = places[g]->ground;
    }
    r->columns = nasty.def.samples.columns;
    r->rows = nasty.def.samples.rows;
    r->count = r->columns * r->rows;
}

static void raster_close(raster *r) {
    lf_grid_destroy(r->packed.grid);
    grid_bench_close(&r->scene.bench);
}

static void wrong(const raster *r, lf_vec2 place, const char *what) {
    lf_ray line = {{place.x, place.y, 0}, {0, 0, -1}, 0, LF_INFINITY};
    grid_oracle_wrong(r->oracle, &r->scene.bench, &line, what, NULL);
}

// ---------------------------------------------------------------------------------------------------
// Places
// ---------------------------------------------------------------------------------------------------

/// Samples, middles of edges and of cells, and anywhere; also beyond the border.
static lf_vec2 any_place(const raster *r, test_random *random) {
    lf_vec2 at = {test_random_between(random, -0.6, (double)r->columns - 0.4),
                  test_random_between(random, -0.6, (double)r->rows - 0.4)};
    int64_t how = test_random_below(random, 4);
    if (how < 2)
        at = (lf_vec2){rint(2 * at.x) / 2, rint(2 * at.y) / 2};
    at = (lf_vec2){rint(0x1p20 * at.x) / 0x1p20, rint(0x1p20 * at.y) / 0x1p20}; // sight sets places on steps
    if (how == 2) // on the one or the other diagonal
        at.y = floor(at.y) + (one_in(random, 2) ? at.x - floor(at.x) : 1 - (at.x - floor(at.x)));
    return at;
}

/// A place has ground for all questions or for none, and for none by the same reason.
static void oracle_place(raster *r, lf_vec2 at) {
    exact_grid_height truth = exact_grid_at(&r->scene.bench.exact, at.x, at.y, 100);
    lf_hit hits[2];
    r->oracle->questions++;
    grid_oracle_height(r->oracle, &r->scene.bench, (lf_vec3){at.x, at.y, 100}, hits);
    truth = exact_grid_at(&r->scene.bench.exact, at.x, at.y, 100);
    bool ground = truth.reason == LF_REASON_ANSWERED;
    *(ground ? &r->oracle->hits : &r->oracle->misses) += 1;
    for (int g = 0; g < 3; g++) {
        lf_vec3 above = {at.x, at.y, 100}, stand;
        lf_ray down = {above, {0, 0, -1}, 0, LF_INFINITY};
        lf_walker walker = lf_walker_default(1);
        lf_sight_rules rules = lf_sight_rules_default();
        lf_walk walk;
        lf_hit hit;
        lf_reason reason;
        double height;
        lf_profile_point profile[2];
        int64_t count;
        const lf_ground *on = r->grounds[g];
        assert_int_equal(lf_ground_height(on, above, LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
        if (hit.reason != truth.reason || (ground && hit.point.z != hits[0].point.z))
            wrong(r, at, "height: not what the definition says");
        assert_int_equal(lf_ground_heights_many(on, &above, 0, 1, LF_VERTICAL_DOWN, &height, 0, NULL), LF_OK);
        if (ground ? height != hits[0].point.z : !isnan(height))
            wrong(r, at, "heights of many: not what one has");
        assert_int_equal(lf_ground_ray_first(on, &down, &hit, NULL), LF_OK);
        if ((hit.kind != LF_HIT_NONE) != ground)
            wrong(r, at, "ray: not where heights are");
        assert_int_equal(lf_sight_observer(on, at, 0, &stand, &reason), LF_OK);
        if (reason != truth.reason)
            wrong(r, at, "stand: another reason");
        assert_int_equal(lf_ground_walk(on, &walker, above, above, &walk, NULL, NULL), LF_OK);
        if (walk.end != (ground ? LF_WALK_ARRIVED : LF_WALK_NO_GROUND) || walk.reason != truth.reason)
            wrong(r, at, "walk: starts where no ground is, or not where it is");
        assert_int_equal(lf_sight_profile(on, &rules, above, above, 1, profile, 2, &count), LF_OK);
        if (isnan(profile[0].ground) == ground)
            wrong(r, at, "profile: not where heights are");
    }
}

// ---------------------------------------------------------------------------------------------------
// Samples
// ---------------------------------------------------------------------------------------------------

/// All maps of one grid.
typedef struct maps {
    uint8_t seen[121], lit[121];
    float ground[121], horizon[121], sky[121], hours[121];
    uint32_t counts[121];
} maps;

static void ask_maps(const lf_grid *grid, const lf_viewshed_def *view, const lf_observer *observer,
                     const lf_horizon_def *def, lf_sun sun, maps *m) {
    lf_window all = lf_grid_window(grid);
    memset(m, 0, sizeof *m);
    assert_int_equal(lf_viewshed_visible(lf_grid_ground(grid), view, observer, all, m->seen, 0, NULL, NULL),
                     LF_OK);
    assert_int_equal(lf_viewshed_values(lf_grid_ground(grid), view, observer, LF_VIEWSHED_GROUND, all,
                                        m->ground, 0, NULL, NULL),
                     LF_OK);
    assert_int_equal(
        lf_viewshed_count(lf_grid_ground(grid), view, observer, 1, all, m->counts, 0, NULL, NULL), LF_OK);
    assert_int_equal(lf_sun_shade(lf_grid_ground(grid), def, sun, all, m->lit, 0, NULL), LF_OK);
    assert_int_equal(lf_sun_hours(lf_grid_ground(grid), def, &sun, 1, all, m->hours, 0, NULL), LF_OK);
    assert_int_equal(lf_horizon_map(lf_grid_ground(grid), def, sun.azimuth_deg, all, m->horizon, 0, NULL),
                     LF_OK);
    assert_int_equal(lf_sky_view(lf_grid_ground(grid), def, 3, all, m->sky, 0, NULL), LF_OK);
}

/// A sample without a surface is a void in every map; one with a surface in none, but for what a void hides.
static const char *oracle_sample(const raster *r, const maps *m, int64_t k) {
    bool bare = exact_grid_bare(&r->scene.bench.exact, k % r->columns, k / r->columns);
    if (bare != (m->seen[k] == LF_VISIBILITY_VOID))
        return "viewshed: another class of voids";
    if (bare != (m->counts[k] == UINT32_MAX))
        return "counts: another class of voids";
    if (bare && !isnan(m->ground[k]))
        return "target heights: a number for a void";
    if (bare != (m->lit[k] == LF_VISIBILITY_VOID))
        return "shade: another class of voids";
    if (bare != isnan(m->hours[k]) || bare != isnan(m->horizon[k]) || bare != isnan(m->sky[k]))
        return "horizon, sky or hours: another class of voids";
    return NULL;
}

/// Maps against the definition, sample by sample, and against the verdicts of single lines.
static void oracle_truth(raster *r, const maps *m, const lf_horizon_def *def, lf_sun sun) {
    const grid_bench *bench = &r->scene.bench;
    for (int64_t k = 0; k < r->count; k++) {
        lf_vec2 at = {(double)(k % r->columns), (double)(k / r->columns)};
        viewshed_truth truth = viewshed_truth_of(&r->scene, k);
        if (m->seen[k] != truth.target.seen)
            wrong(r, at, "viewshed: not the verdict of the definition");
        if (truth.target.seen == LF_VISIBILITY_VOID)
            continue;
        horizon_eye eye = horizon_eye_over(bench, k, def->height);
        if (!(horizon_light(bench, &def->rules, eye, sun, def->range, true) >> m->lit[k] & 1))
            wrong(r, at, "shade: not what the definition says");
        horizon_truth skyline = horizon_truth_of(bench, &def->rules, eye, sun.azimuth_deg, def->range, true);
        double low = skyline.may_be_none ? -90 : skyline.low_deg, high = fmax(skyline.high_deg, low);
        if (!((double)m->horizon[k] >= low - 1e-4 && (double)m->horizon[k] <= high + 1e-4))
            wrong(r, at, "horizon: not what the definition says");
        lf_sight sight;
        lf_vec3 a = r->scene.eye, b = {at.x, at.y, bench->exact.heights[k] + r->scene.def.target};
        assert_int_equal(lf_sight_between(r->grounds[k % 3], &r->scene.def.rules, a, b, &sight, NULL), LF_OK);
        lf_visibility single = sight.verdict == LF_VERDICT_CLEAR     ? LF_VISIBILITY_VISIBLE
                               : sight.verdict == LF_VERDICT_BLOCKED ? LF_VISIBILITY_HIDDEN
                                                                     : LF_VISIBILITY_UNKNOWN;
        if (truth.beside && single != m->seen[k])
            wrong(r, at, "viewshed: not the verdict of a single line");
    }
}

static void oracle_maps(raster *r, test_random *random) {
    static maps one, other;
    viewshed_scene *scene = &r->scene;
    lf_vec2 from = {(double)test_random_below(random, r->columns),
                    (double)test_random_below(random, r->rows)};
    scene->count = r->count;
    scene->def = lf_viewshed_def_default();
    scene->def.rules.voids = (lf_void_policy)test_random_below(random, 3);
    scene->def.target = (double)test_random_below(random, 3);
    scene->observer = (lf_observer){from, (double)(1 + test_random_below(random, 10)), true};
    scene->eye = (lf_vec3){from.x, from.y, scene->observer.height};
    scene->place = from;
    lf_horizon_def def = lf_horizon_def_default();
    def.rules.voids = scene->def.rules.voids;
    def.height = (double)test_random_below(random, 2);
    lf_sun sun = {one_in(random, 2) ? 45.0 * (double)test_random_below(random, 8)
                                    : test_random_between(random, 0, 360),
                  test_random_between(random, 5, 60), 1};
    ask_maps(r->grids[1], &scene->def, &scene->observer, &def, sun, &one);
    for (int64_t k = 0; k < r->count; k++) {
        const char *fault = oracle_sample(r, &one, k);
        if (fault)
            wrong(r, (lf_vec2){(double)(k % r->columns), (double)(k / r->columns)}, fault);
    }
    oracle_truth(r, &one, &def, sun);
    for (int g = 0; g < 3; g += 2) {
        grid_bench_plain(g == 0);
        ask_maps(r->grids[g], &scene->def, &scene->observer, &def, sun, &other);
        if (g == 0)
            grid_bench_plain(false);
        if (memcmp(&one, &other, sizeof one) != 0)
            wrong(r, from,
                  g ? "maps: compressing makes a difference" : "maps: instructions make a difference");
    }
}

// ---------------------------------------------------------------------------------------------------
// Lines
// ---------------------------------------------------------------------------------------------------

static bool same_hit(const lf_hit *a, const lf_hit *b) {
    return a->kind == b->kind && a->t == b->t && a->element == b->element && a->triangle == b->triangle;
}

static void oracle_rays(raster *r, test_random *random) {
    grid_bench *bench = &r->scene.bench;
    for (int line = 0; line < NASTY_LINES; line++) {
        lf_ray ray = nasty_grid_ray((nasty_line)line, &bench->nasty, random);
        lf_hit said = grid_oracle_ray(r->oracle, bench, &ray), other;
        for (int g = 0; g < 3; g++) {
            assert_int_equal(lf_ground_ray_first(r->grounds[g], &ray, &other, NULL), LF_OK);
            if (!same_hit(&said, &other))
                grid_oracle_wrong(r->oracle, bench, &ray, "ray: compressing makes a difference", &other);
            assert_int_equal(lf_ground_ray_first_many(r->grounds[g], &ray, 0, 1, &other, 0, NULL), LF_OK);
            if (!same_hit(&said, &other))
                grid_oracle_wrong(r->oracle, bench, &ray, "rays of many: not what one has", &other);
        }
    }
}

static void oracle_lines(raster *r, test_random *random) {
    grid_bench *bench = &r->scene.bench;
    lf_cursor_destroy(bench->cursor); // oracles of rays leave filters in it
    assert_int_equal(lf_cursor_create(NULL, &bench->cursor), LF_OK);
    for (int kind = 0; kind < NASTY_SIGHTS; kind++) {
        nasty_sight asked =
            nasty_sight_make((nasty_sight_kind)kind, &bench->nasty, bench->best.ground, random);
        asked.rules.detail = true;
        lf_sight said = sight_oracle_line(r->oracle, bench, &asked), other;
        assert_int_equal(lf_sight_between(r->packed.ground, &asked.rules, asked.a, asked.b, &other, NULL),
                         LF_OK);
        if (!sight_oracle_same(&said, &other))
            sight_oracle_wrong(r->oracle, bench, &asked, "sight: compressing makes a difference", &other);
    }
}

// ---------------------------------------------------------------------------------------------------
// A mesh of the same pieces
// ---------------------------------------------------------------------------------------------------

/// The same walk and the same rays over polygons that are made from the definition.
static void oracle_mesh(raster *r, test_random *random) {
    const exact_grid *exact = &r->scene.bench.exact;
    twin_shape shape = {exact->surface, exact->columns, exact->rows, 0, 0, 0, {1, 1}};
    twin twin;
    if (exact->surface == LF_SURFACE_BILINEAR || exact->extend)
        return;
    twin_make_of(&twin, &shape, exact->heights);
    for (int k = 0; k < 12 && twin.polygon_ground; k++) {
        lf_vec3 from = {test_random_between(random, 0, (double)(r->columns - 1)),
                        test_random_between(random, 0, (double)(r->rows - 1)), 100};
        lf_vec3 to = {test_random_between(random, 0, (double)(r->columns - 1)),
                      test_random_between(random, 0, (double)(r->rows - 1)), 0};
        lf_walker walker = {one_in(random, 2) ? 20 : 1.5, one_in(random, 2) ? 20 : 1.5, 0};
        lf_walk walks[2];
        lf_ray ray = {from, {to.x - from.x, to.y - from.y, -100}, 0, LF_INFINITY};
        lf_hit hits[2];
        for (int w = 0; w < 2; w++) {
            const lf_ground *on = w ? twin.polygon_ground : r->grounds[k % 3];
            assert_int_equal(lf_ground_walk(on, &walker, from, to, &walks[w], NULL, NULL), LF_OK);
            assert_int_equal(lf_ground_ray_first(on, &ray, &hits[w], NULL), LF_OK);
        }
        r->oracle->questions++;
        // What is outside of a raster is a void of its mesh where that is not convex, and the other way
        // round.
        if (walks[0].end != walks[1].end || !(fabs(walks[0].t - walks[1].t) <= 1e-9) ||
            !(fabs(walks[0].position.z - walks[1].position.z) <= 1e-6))
            wrong(r, (lf_vec2){from.x, from.y}, "walk: a mesh of the same pieces is walked differently");
        if ((hits[0].kind == LF_HIT_NONE) != (hits[1].kind == LF_HIT_NONE) ||
            !(hits[0].kind == LF_HIT_NONE || fabs(hits[0].t - hits[1].t) <= 1e-9))
            wrong(r, (lf_vec2){from.x, from.y}, "ray: a mesh of the same pieces is met differently");
    }
    twin_free(&twin);
}

static void all_questions_have_the_same_voids(void **state) {
    (void)state;
    test_random random = test_random_start(17);
    grid_oracle oracle = {.name = "voids"};
    for (int64_t round = 0; round < 5 * test_rounds(24); round++) {
        raster r;
        raster_open(&r, &oracle, (lf_surface)(round % 5), &random);
        for (int64_t k = 0; k < r.count; k++)
            oracle_place(&r, (lf_vec2){(double)(k % r.columns), (double)(k / r.columns)});
        for (int k = 0; k < 40; k++)
            oracle_place(&r, any_place(&r, &random));
        oracle_rays(&r, &random);
        oracle_lines(&r, &random);
        oracle_maps(&r, &random);
        oracle_mesh(&r, &random);
        raster_close(&r);
    }
    grid_oracle_close(&oracle, 10000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_questions_have_the_same_voids),
    };
    return cmocka_run_group_tests_name("oracle: voids", tests, NULL, NULL);
}
