#include "grid_oracle.h"
#include "brute.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void grid_bench_plain(bool plain) {
    static char outside[32];
    const char *word = getenv("LANDFALL_ISA");
    if (plain) {
        snprintf(outside, sizeof outside, "%s", word ? word : "");
        setenv("LANDFALL_ISA", "scalar", 1);
    } else {
        setenv("LANDFALL_ISA", outside, 1);
    }
}

static void make_place(const nasty_grid *nasty, grid_place *place) {
    lf_error error = {0};
    lf_status status = lf_grid_create(&nasty->def, &place->grid, &error);
    if (status != LF_OK)
        fail_msg("no grid of %s, %lld x %lld: %s", nasty->name, (long long)nasty->def.samples.columns,
                 (long long)nasty->def.samples.rows, error.text);
    place->ground = lf_grid_ground(place->grid);
}

void grid_bench_open(grid_bench *bench, const nasty_grid *nasty) {
    *bench = (grid_bench){.nasty = *nasty, .exact = nasty_grid_exact(nasty)};
    grid_bench_plain(true);
    make_place(nasty, &bench->plain);
    grid_bench_plain(false);
    make_place(nasty, &bench->best);
    assert_int_equal(lf_cursor_create(NULL, &bench->cursor), LF_OK);
    bench->space = 5 * (bench->exact.columns + 1) * (bench->exact.rows + 1);
    bench->hits = test_space(bench->space, sizeof *bench->hits);
    bench->other_hits = test_space(bench->space, sizeof *bench->other_hits);
}

static void drop_place(grid_place *place) {
    lf_grid_destroy(place->grid);
}

void grid_bench_close(grid_bench *bench) {
    free(bench->other_hits);
    free(bench->hits);
    lf_cursor_destroy(bench->cursor);
    drop_place(&bench->best);
    drop_place(&bench->plain);
    nasty_grid_free(&bench->nasty);
}

/// Within so many units of the truth's last place; the truth itself may be off by one.
static bool close_in_ulps(double said, double truth, double of) {
    double unit = nextafter(fabs(of), LF_INFINITY) - fabs(of);
    return fabs(said - truth) <= (GRID_JUDGE_ULPS + 1) * unit;
}

static double largest(lf_vec3 v) {
    return fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z));
}

/// An expected normal, from columns and rows to the world: the gradients of column and row are (a, b) and (c, d).
static lf_vec3 world_normal(const nasty_grid *nasty, lf_vec3 local) {
    return lf_vec3_unit(
        (lf_vec3){local.x * nasty->a + local.y * nasty->c, local.x * nasty->b + local.y * nasty->d, local.z});
}

/// What patches may be off for places that are rounded by `slack`.
static double normal_slack(const nasty_grid *nasty, const exact_grid_hit *expected, double slack) {
    lf_vec3 n = expected->normal;
    double turn = fabs(nasty->a) + fabs(nasty->b) + fabs(nasty->c) + fabs(nasty->d);
    lf_vec3 world = {n.x * nasty->a + n.y * nasty->c, n.x * nasty->b + n.y * nasty->d, n.z};
    double off = expected->bend * slack + (expected->bend > 0 ? 1e-15 * expected->most : 0);
    return 1e-12 + off * turn / lf_vec3_length(world);
}

static const char *oracle_labels(const grid_bench *bench, const exact_grid_hit *expected,
                                 const lf_hit *said) {
    lf_vec2 column = bench->nasty.def.geotransform.per_column, row = bench->nasty.def.geotransform.per_row;
    double resolution = sqrt(fabs(column.x * row.y - column.y * row.x));
    if (said->kind != LF_HIT_CELL || said->reason != LF_REASON_ANSWERED)
        return "kind or reason of a hit";
    if (said->element != expected->element)
        return "another element";
    if (said->triangle != expected->triangle)
        return "another triangle";
    if (said->part != 0 || said->level != 0 || said->user != 0 || said->layers != 1)
        return "part, level, user or layers of a hit";
    if (!oracle_close_to(said->resolution, resolution, 1e-14))
        return "resolution is off";
    return NULL;
}

/// Normal and weights; slack: what places are rounded by.
static const char *oracle_shape(const grid_bench *bench, const exact_grid_hit *expected, const lf_hit *said,
                                double slack) {
    lf_vec3 normal = world_normal(&bench->nasty, expected->normal);
    if (!(largest(lf_vec3_sub(said->normal, normal)) <= normal_slack(&bench->nasty, expected, slack)))
        return "normal is off";
    if (bench->exact.surface == LF_SURFACE_POINT || expected->ring)
        return NULL;
    if (!(fabs(said->u - expected->u) <= slack && fabs(said->v - expected->v) <= slack))
        return "u and v are off";
    return NULL;
}

static const char *oracle_ray_hit(const grid_bench *bench, const lf_ray *ray, const exact_grid_hit *expected,
                                  const lf_hit *said) {
    const char *fault = oracle_labels(bench, expected, said);
    if (fault)
        return fault;
    if (!close_in_ulps(said->t, expected->t, expected->t))
        return "t is off";
    if (said->t < ray->t_min || said->t > ray->t_max)
        return "t is not in the ray's interval";
    if (signbit(said->t))
        return "t is minus zero";
    lf_vec3 point = lf_vec3_along(ray->origin, expected->t, ray->direction);
    double reach = largest(ray->origin) + fabs(expected->t) * largest(ray->direction);
    if (!(largest(lf_vec3_sub(said->point, point)) <= 4e-15 * reach))
        return "point is not on the ray";
    lf_ray local = nasty_grid_local_ray(&bench->nasty, ray);
    double way = fabs(expected->t) * fmax(fabs(local.direction.x), fabs(local.direction.y));
    double slack = 1e-12 + 4e-15 * (way + fmax(fabs(local.origin.x), fabs(local.origin.y)));
    return oracle_shape(bench, expected, said, slack);
}

static void print_vec(const char *name, lf_vec3 v) {
    fprintf(stderr, "    %s {%a, %a, %a} = {%.17g, %.17g, %.17g}\n", name, v.x, v.y, v.z, v.x, v.y, v.z);
}

void grid_bench_print(const grid_bench *bench) {
    const exact_grid *exact = &bench->exact;
    const lf_grid_def *def = &bench->nasty.def;
    const lf_geotransform *geotransform = &def->geotransform;
    fprintf(
        stderr,
        "    %s, %lld x %lld, %s, extend %d, leaf %d, borrow %d; origin %a %a, per column %a %a, per row %a "
        "%a; sample type %d, scale %a, offset %a\n",
        bench->nasty.name, (long long)exact->columns, (long long)exact->rows, lf_surface_name(exact->surface),
        exact->extend, def->leaf, def->borrow, geotransform->origin.x, geotransform->origin.y,
        geotransform->per_column.x, geotransform->per_column.y, geotransform->per_row.x,
        geotransform->per_row.y, (int)def->samples.type, def->samples.scale, def->samples.offset);
    for (int64_t row = 0; row < exact->rows && exact->columns * exact->rows <= 64; row++) {
        fprintf(stderr, "    row %lld:", (long long)row);
        for (int64_t column = 0; column < exact->columns; column++)
            fprintf(stderr, " %.17g,", exact->heights[row * exact->columns + column]);
        fprintf(stderr, "\n");
    }
}

static void print_expected(const grid_bench *bench, const lf_ray *local) {
    const exact_grid_hit *hits;
    int64_t count = exact_grid_meet(&bench->exact, local, &hits);
    fprintf(stderr, "    exact: %lld meetings\n", (long long)count);
    for (int64_t i = 0; i < count && i < 12; i++)
        fprintf(stderr, "    exact %lld: t %a = %.17g element %lld triangle %d u %.17g v %.17g ring %d%s\n",
                (long long)i, hits[i].t, hits[i].t, (long long)hits[i].element, hits[i].triangle, hits[i].u,
                hits[i].v, hits[i].ring, hits[i].same_as_last ? " (same t)" : "");
}

int64_t grid_oracle_count(grid_oracle *oracle, const char *what) {
    oracle->wrong++;
    for (int i = 0; i < GRID_JUDGE_FAULTS; i++) {
        if (!oracle->faults[i])
            oracle->faults[i] = what;
        if (strcmp(oracle->faults[i], what) == 0)
            return ++oracle->fault_counts[i];
    }
    return oracle->wrong;
}

void grid_oracle_wrong(grid_oracle *oracle, const grid_bench *bench, const lf_ray *ray, const char *what,
                       const lf_hit *said) {
    if (grid_oracle_count(oracle, what) > 1)
        return;
    lf_ray local = nasty_grid_local_ray(&bench->nasty, ray);
    fprintf(stderr, "%s: WRONG: %s\n", oracle->name, what);
    grid_bench_print(bench);
    print_vec("origin", ray->origin);
    print_vec("direction", ray->direction);
    fprintf(stderr, "    t %a .. %a\n", ray->t_min, ray->t_max);
    print_vec("local origin", local.origin);
    print_vec("local direction", local.direction);
    print_expected(bench, &local);
    if (!said)
        return;
    fprintf(stderr, "    said: kind %d reason %d t %a = %.17g element %lld triangle %d u %.17g v %.17g\n",
            (int)said->kind, (int)said->reason, said->t, said->t, (long long)said->element,
            (int)said->triangle, said->u, said->v);
    print_vec("said point", said->point);
    print_vec("said normal", said->normal);
}

void grid_oracle_close(const grid_oracle *oracle, int64_t at_least) {
    fprintf(stderr, "%s: %lld questions, %lld hits, %lld misses, %lld meetings, %lld ties, %lld wrong\n",
            oracle->name, (long long)oracle->questions, (long long)oracle->hits, (long long)oracle->misses,
            (long long)oracle->meetings, (long long)oracle->ties, (long long)oracle->wrong);
    for (int i = 0; i < GRID_JUDGE_FAULTS && oracle->faults[i]; i++)
        fprintf(stderr, "    %lld x %s\n", (long long)oracle->fault_counts[i], oracle->faults[i]);
    assert_int_equal(oracle->wrong, 0);
    assert_true(oracle->questions >= at_least);
}

static checked_ray ask_ray(const grid_bench *bench, const lf_ground *ground, const lf_ray *ray,
                           lf_hit *hits) {
    checked_ray said = {.all = hits};
    assert_int_equal(lf_ground_ray_first(ground, ray, &said.first, NULL), LF_OK);
    assert_int_equal(lf_ground_ray_any(ground, ray, &said.any, NULL), LF_OK);
    assert_int_equal(lf_ground_ray_all(ground, ray, hits, bench->space, &said.count, NULL), LF_OK);
    return said;
}

static const char *oracle_nothing(const lf_ray *ray, const checked_ray *said) {
    if (said->first.kind != LF_HIT_NONE)
        return "first: a hit where there is none";
    if (said->first.t != ray->t_max || said->first.element != -1 || said->first.reason != LF_REASON_NONE)
        return "first: a miss with wrong fields";
    if (said->any)
        return "any: yes where there is nothing";
    return said->count != 0 ? "all: hits where there are none" : NULL;
}

/// Pieces of a ring share labels with others: the hit must be that of one of them.
static const char *oracle_alike(const grid_bench *bench, const lf_ray *ray, const exact_grid_hit *expected,
                                int64_t count, const lf_hit *said) {
    const char *fault = oracle_ray_hit(bench, ray, expected, said);
    for (int64_t i = 1; fault && i < count && expected[i].alike; i++)
        if (!oracle_ray_hit(bench, ray, &expected[i], said))
            return NULL;
    return fault;
}

static const char *oracle_all(const grid_bench *bench, const lf_ray *ray, const exact_grid_hit *expected,
                              int64_t count, const checked_ray *said) {
    int64_t first = 0;
    if (said->count != count)
        return said->count < count ? "all: too few" : "all: too many";
    for (int64_t i = 0; i < count; i++) {
        if (!expected[i].alike)
            first = i;
        if (oracle_alike(bench, ray, &expected[first], count - first, &said->all[i]))
            return "all: one of them is wrong, or out of order";
        if (i > 0 && said->all[i].t < said->all[i - 1].t)
            return "all: t falls";
    }
    return NULL;
}

/// Too little space: the first hits, in order, and nothing behind them.
static void check_partial(grid_oracle *oracle, grid_bench *bench, const lf_ray *ray,
                          const checked_ray *said) {
    int64_t capacity = said->count / 2, count = -1;
    lf_hit *hits = bench->other_hits;
    hits[capacity].element = -77;
    lf_status status = lf_ground_ray_all(bench->best.ground, ray, hits, capacity, &count, NULL);
    bool fine = status == (said->count > capacity ? LF_PARTIAL : LF_OK) && count == said->count &&
                hits[capacity].element == -77;
    for (int64_t i = 0; i < capacity; i++)
        fine = fine && oracle_same_hit(&hits[i], &said->all[i]);
    if (!fine)
        grid_oracle_wrong(oracle, bench, ray, "all: wrong with too little space", NULL);
}

/// A cursor that does not look at layer 0 sees nothing, one that does sees the same.
static void check_layers(grid_oracle *oracle, grid_bench *bench, const lf_ray *ray, const lf_hit *first) {
    lf_hit seen, unseen;
    lf_cursor_set_layers(bench->cursor, 0x80000001u);
    assert_int_equal(lf_ground_ray_first(bench->best.ground, ray, &seen, bench->cursor), LF_OK);
    lf_cursor_set_layers(bench->cursor, ~1u);
    assert_int_equal(lf_ground_ray_first(bench->best.ground, ray, &unseen, bench->cursor), LF_OK);
    if (!oracle_same_hit(&seen, first))
        grid_oracle_wrong(oracle, bench, ray, "another answer with a cursor", &seen);
    if (unseen.kind != LF_HIT_NONE)
        grid_oracle_wrong(oracle, bench, ray, "a hit in a layer that is not looked at", &unseen);
}

lf_hit grid_oracle_ray(grid_oracle *oracle, grid_bench *bench, const lf_ray *ray) {
    lf_ray local = nasty_grid_local_ray(&bench->nasty, ray);
    const exact_grid_hit *expected;
    int64_t count = exact_grid_meet(&bench->exact, &local, &expected);
    checked_ray said = ask_ray(bench, bench->best.ground, ray, bench->hits);
    grid_bench_plain(true);
    checked_ray plain = ask_ray(bench, bench->plain.ground, ray, bench->other_hits);
    grid_bench_plain(false);
    oracle->questions++;
    oracle->meetings += count;
    *(count ? &oracle->hits : &oracle->misses) += 1;
    oracle->ties += count > 1 && expected[1].same_as_last;
    const char *fault = NULL;
    if (count == 0)
        fault = oracle_nothing(ray, &said);
    else if (said.first.kind == LF_HIT_NONE)
        fault = "first: a miss where there is a hit";
    else
        fault = oracle_alike(bench, ray, expected, count, &said.first);
    if (fault)
        grid_oracle_wrong(oracle, bench, ray, fault, &said.first);
    if (count > 0 && !said.any)
        grid_oracle_wrong(oracle, bench, ray, "any: no where there is something", NULL);
    exact_grid_meet(&bench->exact, &local, &expected); // what is wrong has been printed, and overwritten them
    fault = oracle_all(bench, ray, expected, count, &said);
    if (fault)
        grid_oracle_wrong(oracle, bench, ray, fault, said.count ? said.all : NULL);
    if (said.count > 0 && !oracle_same_hit(&said.first, &said.all[0]))
        grid_oracle_wrong(oracle, bench, ray, "first is not the first of all", &said.first);
    if (!oracle_same_answers(&said, &plain))
        grid_oracle_wrong(oracle, bench, ray, "another answer on plain instructions", &plain.first);
    if (oracle->questions % 8 == 0)
        check_partial(oracle, bench, ray, &said);
    if (oracle->questions % 8 == 1)
        check_layers(oracle, bench, ray, &said.first);
    return said.first;
}

/// Normal and weights of a height, which may be those of any piece with its label.
static const char *oracle_slope(const grid_bench *bench, lf_vec2 local, const exact_grid_height *expected,
                                const lf_hit *said) {
    lf_hit weighed = *said;
    if (lf_ground_weights(bench->best.ground, &weighed) != LF_OK)
        return "height: no weights";
    double slack = 1e-12 + 1e-15 * fmax(fabs(local.x), fabs(local.y));
    const char *fault = NULL;
    for (int64_t i = 0; i < expected->alike_count; i++) {
        fault = oracle_shape(bench, &expected->hit[i], &weighed, slack);
        if (!fault)
            break;
    }
    return fault;
}

static const char *oracle_height_hit(const grid_bench *bench, lf_vec3 point,
                                     const exact_grid_height *expected, const lf_hit *said) {
    const char *fault = oracle_labels(bench, expected->hit, said);
    if (fault)
        return fault;
    if (said->point.x != point.x || said->point.y != point.y)
        return "height: x or y is not the one that was asked for";
    double most = 0;
    for (int64_t i = 0; i < expected->alike_count; i++)
        most = fmax(most, expected->hit[i].most);
    if (!close_in_ulps(said->point.z, expected->height, most))
        return "height is off";
    lf_vec2 local = nasty_grid_local(&bench->nasty, point.x, point.y);
    if (local.x == floor(local.x) && local.y == floor(local.y) && said->point.z != expected->height)
        return "height: not the sample's at a sample";
    double unit = nextafter(most, LF_INFINITY) - most;
    if (isinf(point.z) ? said->t != 0
                       : !(fabs(said->t - expected->distance) <= 5 * unit + 1e-15 * expected->distance))
        return "height: t is off";
    if (signbit(said->t) || (expected->side == 0 && said->t != 0))
        return "height: t is below or minus zero, or not zero on the ground";
    return oracle_slope(bench, local, expected, said);
}

static const char *oracle_look(const grid_bench *bench, lf_vec3 point, const exact_grid_height *expected,
                               lf_vertical look, const lf_hit *said) {
    bool found = expected->reason == LF_REASON_ANSWERED &&
                 (look == LF_VERTICAL_DOWN ? expected->side >= 0 : expected->side <= 0);
    if (found && said->kind == LF_HIT_NONE)
        return "height: a miss where there is ground";
    if (found)
        return oracle_height_hit(bench, point, expected, said);
    if (said->kind != LF_HIT_NONE)
        return "height: ground where there is none";
    lf_reason reason = expected->reason == LF_REASON_ANSWERED ? LF_REASON_NONE : expected->reason;
    if (said->reason != reason)
        return "height: another reason";
    return said->element != -1 || said->t != LF_INFINITY ? "height: a miss with wrong fields" : NULL;
}

/// All heights: the one there is, with t below zero above the point.
static const char *oracle_heights(const grid_bench *bench, lf_vec3 point, const exact_grid_height *expected,
                                  const lf_hit said[2]) {
    lf_hit hit = {0};
    int64_t count = -1;
    if (lf_ground_height_all(bench->best.ground, point, &hit, 1, &count, NULL) != LF_OK)
        return "heights: no answer";
    if (count != (expected->reason == LF_REASON_ANSWERED))
        return "heights: wrong count";
    if (count == 0)
        return NULL;
    lf_hit match = said[expected->side >= 0 ? 0 : 1];
    if (expected->side < 0 && match.t != 0)
        match.t = -match.t;
    match.u = hit.u;
    match.v = hit.v;
    return oracle_same_hit(&match, &hit) ? NULL : "heights: not what the looks say";
}

void grid_oracle_height(grid_oracle *oracle, grid_bench *bench, lf_vec3 point, lf_hit hits[2]) {
    lf_vec2 local = nasty_grid_local(&bench->nasty, point.x, point.y);
    exact_grid_height expected =
        exact_grid_at(&bench->exact, local.x, local.y, isinf(point.z) ? 1e300 : point.z);
    lf_vec2 place = lf_grid_locate(bench->best.grid, (lf_vec2){point.x, point.y});
    lf_ray line = {point, {0, 0, -1}, 0, LF_INFINITY};
    oracle->questions++;
    *(expected.reason == LF_REASON_ANSWERED ? &oracle->hits : &oracle->misses) += 1;
    if (place.x != local.x || place.y != local.y)
        grid_oracle_wrong(oracle, bench, &line, "place: not by its formula", NULL);
    for (int look = 0; look < (isinf(point.z) ? 1 : 2); look++) {
        lf_vertical way = look ? LF_VERTICAL_UP : LF_VERTICAL_DOWN;
        lf_hit plain;
        assert_int_equal(lf_ground_height(bench->best.ground, point, way, &hits[look], NULL), LF_OK);
        grid_bench_plain(true);
        assert_int_equal(lf_ground_height(bench->plain.ground, point, way, &plain, NULL), LF_OK);
        grid_bench_plain(false);
        const char *fault = oracle_look(bench, point, &expected, way, &hits[look]);
        if (fault)
            grid_oracle_wrong(oracle, bench, &line, fault, &hits[look]);
        if (!oracle_same_hit(&plain, &hits[look]))
            grid_oracle_wrong(oracle, bench, &line, "height: another answer on plain instructions", &plain);
    }
    const char *fault = oracle_heights(bench, point, &expected, hits);
    if (fault)
        grid_oracle_wrong(oracle, bench, &line, fault, &hits[0]);
}
