// Worlds of a grid, meshes, models, boxes and groups in groups against all their polygons, one by one, in
// long doubles. Where rounding could decide, a question is passed over, and counted.
#include "small_planet.h"
#include "sweeps.h"
#include "worlds.h"
#include <stdio.h>
#include <string.h>

enum {
    SIDE = 9,
    BOXES = 60,
    SHAPES = 3,
    MODELS = 12,
    TRIANGLES = 40000,
    PARTS = 1 + BOXES + SHAPES + MODELS + 1
};

typedef struct world {
    float heights[SIDE * SIDE];
    lf_grid *grid;
    nasty_mesh shapes[SHAPES];
    lf_mesh *meshes[SHAPES];
    lf_model *model;
    nasty_mesh model_shape;
    lf_group *inner, *group;
    lf_group_part parts[PARTS], inner_parts[3];
    const lf_ground *ground;
    lf_pose outer; ///< of a globe: where all of it stands
    facets facets;
    bool grid_there;
} world;

typedef struct tally {
    int64_t questions, hits, doubtful, wrong;
} tally;

static double any(test_random *random, double low, double high) {
    return test_random_between(random, low, high);
}

static lf_vec3 any_vector(test_random *random, double size) {
    lf_vec3 v = {any(random, -size, size), any(random, -size, size), 0};
    v.z = any(random, -size, size);
    return v;
}

static lf_pose any_pose(test_random *random, double reach) {
    lf_pose pose;
    assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, any_vector(random, 1), any(random, -3, 3), &pose),
                     LF_OK);
    if (test_random_below(random, 3) == 0)
        pose = lf_pose_identity();
    pose.translation = any_vector(random, reach);
    return pose;
}

// ---------------------------------------------------------------------------------------------------
// Polygons as they stand
// ---------------------------------------------------------------------------------------------------

/// Samples 4 m apart from (-16, -16).
static facets_grid grid_of(const world *w) {
    return (facets_grid){w->heights, SIDE, -16, 4};
}

static void list_facets(world *w) {
    facets_grid grid = grid_of(w);
    w->facets.count = 0;
    for (int64_t i = 0; i < PARTS; i++) {
        const lf_group_part *part = &w->parts[i];
        const lf_pose *poses[] = {&part->pose, NULL, NULL};
        facet name = {.part = i, .layers = part->layers ? part->layers : 1};
        if (i == 0 && w->grid_there)
            facets_add_grid(&w->facets, poses, &grid, name);
        else if (!part->ground)
            facets_add_box(&w->facets, poses, part->box, name);
        else if (i <= BOXES + SHAPES && i > 0)
            facets_add_shape(&w->facets, poses, &w->shapes[i - 1 - BOXES], name);
        else if (i < PARTS - 1 && i > 0)
            facets_add_shape(&w->facets, poses, &w->model_shape, name);
    }
    for (int64_t k = 0; k < 3; k++) {
        const lf_pose *poses[] = {&w->inner_parts[k].pose, &w->parts[PARTS - 1].pose, NULL};
        facet name = {.part = PARTS - 1, .inner = (uint32_t)k, .layers = 1};
        if (w->inner_parts[k].ground)
            facets_add_shape(&w->facets, poses, &w->shapes[0], name);
        else
            facets_add_box(&w->facets, poses, w->inner_parts[k].box, name);
    }
}

// ---------------------------------------------------------------------------------------------------
// Worlds
// ---------------------------------------------------------------------------------------------------

static lf_box any_box(test_random *random) {
    return world_any_box(random, (lf_vec3){2, 2, 4});
}

static void make_shapes(world *w, test_random *random) {
    static const nasty_mesh_kind kinds[] = {NASTY_SOUP, NASTY_FLOORS, NASTY_BOXES};
    for (int i = 0; i < SHAPES; i++) {
        nasty_mesh_make(&w->shapes[i], kinds[i], 30, false, random);
        w->meshes[i] = world_mesh(&w->shapes[i]);
    }
    nasty_mesh_make(&w->model_shape, NASTY_BOXES, 12, false, random);
    w->model = world_model(&w->model_shape);
}

static void make_grid(world *w, test_random *random) {
    facets_grid grid = grid_of(w);
    for (int i = 0; i < SIDE * SIDE; i++)
        w->heights[i] = (float)any(random, -3, 3);
    w->grid = world_grid(&grid);
}

/// Part 0 is the grid, or the globe; the rest stand around the origin, carried by `outer`.
static void open_world(world *w, const lf_ground *globe, const lf_pose *outer, test_random *random) {
    *w = (world){.grid_there = !globe, .outer = *outer};
    facets_open(&w->facets, TRIANGLES);
    make_shapes(w, random);
    make_grid(w, random);
    for (int64_t i = 0; i < PARTS; i++) {
        lf_group_part *part = &w->parts[i];
        lf_pose pose = any_pose(random, 14);
        *part = (lf_group_part){.pose = lf_pose_then(&pose, outer)};
        if (i == 0) {
            part->ground = globe ? globe : lf_grid_ground(w->grid);
            part->pose = lf_pose_identity();
        } else if (i <= BOXES) {
            part->box = any_box(random);
            part->layers = test_random_below(random, 4) == 0 ? 2 : 0;
        } else if (i <= BOXES + SHAPES) {
            part->ground = lf_mesh_ground(w->meshes[i - 1 - BOXES]);
        } else if (i < PARTS - 1) {
            part->ground = lf_model_ground(w->model);
            part->layers = i % 2 ? 4 : 0;
        }
    }
    for (int k = 0; k < 3; k++) {
        w->inner_parts[k] = (lf_group_part){.pose = any_pose(random, 5), .box = any_box(random)};
        w->inner_parts[k].ground = k == 1 ? lf_mesh_ground(w->meshes[0]) : NULL;
    }
    w->inner = world_group(w->inner_parts, 3);
    w->parts[PARTS - 1].ground = lf_group_ground(w->inner);
    w->group = world_group(w->parts, PARTS);
    w->ground = lf_group_ground(w->group);
    list_facets(w);
}

static void close_world(world *w) {
    lf_group_destroy(w->group);
    lf_group_destroy(w->inner);
    lf_model_destroy(w->model);
    nasty_mesh_free(&w->model_shape);
    for (int i = 0; i < SHAPES; i++) {
        lf_mesh_destroy(w->meshes[i]);
        nasty_mesh_free(&w->shapes[i]);
    }
    lf_grid_destroy(w->grid);
    facets_close(&w->facets);
}

/// Parts move: some far, most a little.
static void stir(world *w, test_random *random) {
    for (int64_t i = 1; i < PARTS; i++) {
        lf_group_part *part = &w->parts[i];
        lf_pose pose = any_pose(random, 14);
        if (test_random_below(random, 3) == 0)
            continue;
        part->pose = lf_pose_then(&pose, &w->outer);
        assert_int_equal(lf_group_set_pose(w->group, i, &part->pose), LF_OK);
    }
    lf_group_part *one = &w->inner_parts[2];
    one->pose = any_pose(random, 9);
    assert_int_equal(lf_group_set_pose(w->inner, 2, &one->pose), LF_OK);
    assert_int_equal(lf_group_update(w->group), LF_OK);
    list_facets(w);
}

// ---------------------------------------------------------------------------------------------------
// Brute force
// ---------------------------------------------------------------------------------------------------

/// What a line meets: the first facet, and whether rounding could have changed that.
typedef struct answer {
    long double t, next; ///< of the first and of the next other polygon
    const facet *first;
    bool doubtful;
} answer;

static void meet(const facet *f, world_point o, world_point d, long double last, long double blur,
                 answer *a) {
    world_point e = world_less(f->c[1], f->c[0]), g = world_less(f->c[2], f->c[0]), p = world_cross(d, g),
                s = world_less(o, f->c[0]), q = world_cross(s, e);
    long double area = sqrtl(world_dot(world_cross(e, g), world_cross(e, g))), det = world_dot(e, p),
                size = area * sqrtl(world_dot(d, d));
    if (area == 0)
        return;
    if (fabsl(det) < 1e-9L * size) { // edge-on: only near it does it matter
        long double off = fabsl(world_dot(s, world_cross(e, g))) / area;
        a->doubtful |= off < 100 * blur;
        return;
    }
    long double u = world_dot(s, p) / det, v = world_dot(d, q) / det, t = world_dot(g, q) / det,
                w = 1 - u - v;
    long double least = fminl(u, fminl(v, w)), tilt = size / fabsl(det);
    long double slack = blur * tilt * (sqrtl(world_dot(e, e)) + sqrtl(world_dot(g, g))) / area;
    if (least < -slack || t < -blur || t > last + blur)
        return;
    long double along = blur * tilt / sqrtl(world_dot(d, d));
    bool near_end = fabsl(t) < along || fabsl(t - last) < along, on_edge = least < slack;
    if ((near_end || on_edge) && t < a->next + along) {
        a->doubtful = true;
        return;
    }
    bool same = a->first && a->first->part == f->part && a->first->inner == f->inner &&
                a->first->element == f->element;
    if (t < a->t) {
        a->next = a->first && !same ? a->t : a->next;
        a->t = t;
        a->first = f;
    } else if (!same) {
        a->next = fminl(a->next, t);
    }
}

static answer brute(const world *w, lf_vec3 from, lf_vec3 d, double last, uint32_t layers) {
    answer a = {.t = INFINITY, .next = INFINITY};
    long double size =
        fabsl((long double)from.x) + fabsl((long double)from.y) + fabsl((long double)from.z) + 100;
    for (int64_t i = 0; i < w->facets.count; i++)
        if (w->facets.list[i].layers & layers)
            meet(&w->facets.list[i], world_point_of(from), world_point_of(d), last,
                 2e-13L * size / 1000 + 2e-15L * size, &a);
    return a;
}

// ---------------------------------------------------------------------------------------------------
// Comparing
// ---------------------------------------------------------------------------------------------------

static void complain(tally *tally, const char *what, lf_vec3 p, const lf_hit *hit, const answer *a) {
    if (tally->wrong++ < 3)
        printf("%s from {%.17g, %.17g, %.17g}: kind %d t %.17g part %lld inner %u element %lld; expected t "
               "%.17Lg part %lld inner "
               "%u element %lld\n",
               what, p.x, p.y, p.z, hit->kind, hit->t, (long long)hit->part, hit->inner,
               (long long)hit->element, a->t, a->first ? (long long)a->first->part : -1,
               a->first ? a->first->inner : 0, a->first ? (long long)a->first->element : -1);
}

static bool is_hit(const lf_hit *hit, const answer *a, double per_t, double slack) {
    if (!a->first)
        return hit->kind == LF_HIT_NONE;
    if (hit->kind == LF_HIT_NONE || fabsl(hit->t - a->t * per_t) > slack * (1 + fabsl(a->t)))
        return false;
    bool named =
        hit->part == a->first->part && hit->inner == a->first->inner && hit->element == a->first->element;
    return named || a->next - a->t <= 1e-7L * (1 + a->t);
}

static void oracle_ray(const world *w, lf_vec3 p, lf_vec3 q, uint32_t layers, lf_cursor *cursor,
                       tally *tally) {
    lf_ray ray = lf_ray_between(p, q);
    lf_hit hit, all[4];
    bool blocked;
    int64_t count;
    answer a = brute(w, p, ray.direction, 1, layers);
    lf_cursor_set_layers(cursor, layers);
    assert_int_equal(lf_ground_ray_first(w->ground, &ray, &hit, cursor), LF_OK);
    assert_int_equal(lf_ground_ray_any(w->ground, &ray, &blocked, cursor), LF_OK);
    assert_true(lf_ground_ray_all(w->ground, &ray, all, 4, &count, cursor) >= 0);
    assert_true(blocked == (hit.kind != LF_HIT_NONE) && (count > 0) == blocked);
    if (count > 0)
        assert_true(all[0].t == hit.t && all[0].part == hit.part && all[0].inner == hit.inner &&
                    all[0].element == hit.element);
    if (layers == UINT32_MAX) {
        lf_hit many;
        assert_int_equal(lf_ground_ray_first_many(w->ground, &ray, 0, 1, &many, 0, NULL), LF_OK);
        assert_memory_equal(&many, &hit, sizeof hit);
    }
    tally->questions++;
    tally->doubtful += a.doubtful;
    tally->hits += a.first != NULL;
    if (!a.doubtful && !is_hit(&hit, &a, 1, 1e-9))
        complain(tally, "ray", p, &hit, &a);
}

static void oracle_height(const world *w, lf_vec3 p, tally *tally) {
    for (int look = 0; look < 2; look++) {
        answer a = brute(w, p, (lf_vec3){0, 0, look ? 1 : -1}, INFINITY, UINT32_MAX);
        lf_hit hit;
        assert_int_equal(lf_ground_height(w->ground, p, look ? LF_VERTICAL_UP : LF_VERTICAL_DOWN, &hit, NULL),
                         LF_OK);
        tally->questions++;
        tally->doubtful += a.doubtful;
        if (!a.doubtful && !is_hit(&hit, &a, 1, 1e-9))
            complain(tally, look ? "up" : "down", p, &hit, &a);
    }
}

/// Both ends are over the grid and above it, so that a line is below ground only behind a polygon.
static void oracle_sight(const world *w, lf_vec3 p, lf_vec3 q, test_random *random, tally *tally) {
    lf_sight_rules rules = lf_sight_rules_default();
    lf_sight sight;
    lf_verdict verdict;
    rules.layers = test_random_below(random, 2) ? UINT32_MAX : ~2u;
    p.z = any(random, 3.1, 14), q.z = any(random, 3.1, 14);
    answer a = brute(w, p, lf_vec3_sub(q, p), 1, rules.layers);
    assert_int_equal(lf_sight_between(w->ground, &rules, p, q, &sight, NULL), LF_OK);
    assert_int_equal(lf_sight_verdict(w->ground, &rules, p, q, &verdict, NULL), LF_OK);
    assert_int_equal(verdict, sight.verdict);
    assert_int_equal(lf_sight_verdict(w->ground, &rules, q, p, &verdict, NULL), LF_OK);
    assert_int_equal(verdict, sight.verdict);
    tally->questions++;
    tally->doubtful += a.doubtful;
    bool right = (sight.verdict == LF_VERDICT_BLOCKED) == (a.first != NULL) &&
                 (!a.first || fabsl(sight.t - a.t) < 1e-9L);
    lf_hit hit = {.t = sight.t, .part = -1};
    if (!a.doubtful && !right)
        complain(tally, "sight", p, &hit, &a);
}

/// Until the contact no polygon is nearer than the radius, and there one is.
static void oracle_sweep(const world *w, lf_vec3 p, lf_vec3 q, double radius, tally *tally) {
    enum { STEPS = 24 };
    lf_vec3 motion = lf_vec3_sub(q, p);
    lf_hit hit;
    double tolerance = 1e-4;
    assert_int_equal(sweep_sphere(w->ground, p, radius, motion, tolerance, &hit, NULL), LF_OK);
    bool fine = hit.t >= 0 && hit.t <= 1;
    long double nearest = INFINITY;
    for (int k = 0; k <= STEPS && fine; k++) {
        world_point at = world_point_of(lf_vec3_along(p, hit.t * k / STEPS, motion));
        nearest = INFINITY;
        for (int64_t i = 0; i < w->facets.count; i++)
            nearest = fminl(nearest, facet_distance(&w->facets.list[i], at));
        fine = nearest >= radius - 1e-9L || (hit.kind != LF_HIT_NONE && hit.t == 0);
    }
    fine = fine && (hit.kind == LF_HIT_NONE ? hit.t == 1 : nearest <= radius + tolerance + 1e-9L);
    tally->questions++;
    tally->hits += hit.kind != LF_HIT_NONE && hit.t > 0;
    answer none = {.t = nearest};
    if (!fine)
        complain(tally, "sweep", p, &hit, &none);
}

static void report(const char *name, const tally *t) {
    printf("%s: %lld questions, %lld hits, %lld doubtful, %lld wrong\n", name, (long long)t->questions,
           (long long)t->hits, (long long)t->doubtful, (long long)t->wrong);
    assert_int_equal(t->wrong, 0);
    assert_true(t->doubtful * 3 < t->questions && t->hits * 20 > t->questions);
}

static void worlds_on_a_plane(void **state) {
    (void)state;
    test_random random = test_random_start(9101);
    lf_pose here = lf_pose_identity();
    lf_cursor *cursor;
    tally rays = {0}, heights = {0}, sights = {0}, sweeps = {0};
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    for (int64_t round = 0; round < test_rounds(6); round++) {
        world w;
        open_world(&w, NULL, &here, &random);
        for (int i = 0; i < 160; i++) {
            lf_vec3 p = any_vector(&random, 15.9), q = any_vector(&random, 15.9);
            if (i % 40 == 39)
                stir(&w, &random);
            oracle_ray(&w, p, q, i % 3 ? UINT32_MAX : (uint32_t)test_random_below(&random, 8), cursor, &rays);
            oracle_height(&w, p, &heights);
            oracle_sight(&w, p, q, &random, &sights);
            if (i % 8 == 0)
                oracle_sweep(&w, p, q, any(&random, 0, 1), &sweeps);
        }
        heights.hits = sights.hits = rays.hits;
        close_world(&w);
    }
    lf_cursor_destroy(cursor);
    report("rays", &rays);
    report("heights", &heights);
    report("sight", &sights);
    report("sweeps", &sweeps);
}

// ---------------------------------------------------------------------------------------------------
// On a globe
// ---------------------------------------------------------------------------------------------------

/// The nearer of the globe alone and all polygons.
static void oracle_on_globe(const world *w, const lf_ground *globe, lf_vec3 p, lf_vec3 q, tally *tally) {
    lf_ray ray = lf_ray_between(p, q);
    lf_hit alone, hit;
    answer a = brute(w, p, ray.direction, 1, UINT32_MAX);
    assert_int_equal(lf_ground_ray_first(globe, &ray, &alone, NULL), LF_OK);
    assert_int_equal(lf_ground_ray_first(w->ground, &ray, &hit, NULL), LF_OK);
    tally->questions++;
    tally->doubtful += a.doubtful;
    tally->hits += a.first != NULL;
    if (a.doubtful || (alone.kind != LF_HIT_NONE && fabsl(alone.t - a.t) < 1e-6L))
        return;
    bool ground_first = alone.kind != LF_HIT_NONE && alone.t < a.t;
    bool right = ground_first ? memcmp(&hit, &alone, sizeof hit) == 0 : is_hit(&hit, &a, 1, 1e-7);
    if (!right)
        complain(tally, "on a globe", p, &hit, &a);
    lf_sight_rules rules = lf_sight_rules_default();
    lf_sight sight, over_globe;
    assert_int_equal(lf_sight_between(w->ground, &rules, p, q, &sight, NULL), LF_OK);
    assert_int_equal(lf_sight_between(globe, &rules, p, q, &over_globe, NULL), LF_OK);
    bool blocked = a.first != NULL || over_globe.verdict == LF_VERDICT_BLOCKED;
    if ((sight.verdict == LF_VERDICT_BLOCKED) != blocked)
        complain(tally, "sight on a globe", p, &hit, &a);
}

/// A sphere that falls, or drifts, onto the globe stops where it comes within the tolerance of the surface, and never deeper.
static void oracle_globe_sweep(const lf_globe *globe, const lf_ellipsoid *ellipsoid, const lf_pose *outer,
                               test_random *random, tally *tally) {
    enum { AROUND = 24 };
    double radius = any(random, 0.5, 30), tolerance = 1e-2;
    lf_vec3 p =
        lf_pose_to_world(outer, (lf_vec3){any(random, -40, 40), any(random, -40, 40), any(random, 40, 500)});
    lf_vec3 motion =
        lf_pose_turn_to_world(outer, (lf_vec3){any(random, -90, 90), any(random, -90, 90), -1500});
    lf_hit hit;
    assert_int_equal(sweep_sphere(lf_globe_ground(globe), p, radius, motion, tolerance, &hit, NULL), LF_OK);
    lf_vec3 at = lf_vec3_along(p, hit.t, motion);
    lf_geodetic place = lf_ellipsoid_to_geodetic(ellipsoid, at),
                foot = lf_ellipsoid_to_geodetic(ellipsoid, hit.point);
    lf_globe_elevation ground;
    tally->questions++;
    lf_globe_height(globe, place.lon_deg, place.lat_deg, &ground, NULL);
    if (hit.kind == LF_HIT_NONE || hit.t == 0)
        return;
    tally->hits++;
    bool fine = lf_vec3_length(lf_vec3_sub(at, hit.point)) <= radius + tolerance + 1e-6;
    lf_globe_height(globe, foot.lon_deg, foot.lat_deg, &ground, NULL);
    fine = fine && ground.reason == LF_REASON_ANSWERED && foot.height <= ground.height + tolerance;
    for (int i = 0; i < AROUND * AROUND && fine; i++) { // the surface around it
        lf_pose level;
        lf_ellipsoid_pose(ellipsoid, (lf_geodetic){place.lon_deg, place.lat_deg, 0}, 0, 0, 0, &level);
        double x = radius * (2.0 * (i % AROUND) / (AROUND - 1) - 1),
               y = radius * (2.0 * (i / AROUND) / (AROUND - 1) - 1);
        lf_geodetic beside =
            lf_ellipsoid_to_geodetic(ellipsoid, lf_pose_to_world(&level, (lf_vec3){x, y, 0}));
        lf_globe_height(globe, beside.lon_deg, beside.lat_deg, &ground, NULL);
        beside.height = ground.height;
        if (ground.reason == LF_REASON_ANSWERED)
            fine =
                lf_vec3_length(lf_vec3_sub(lf_ellipsoid_to_centred(ellipsoid, beside), at)) >= radius - 1e-6;
    }
    answer none = {.t = 0};
    if (!fine)
        complain(tally, "sweep on a globe", p, &hit, &none);
}

/// Over a smooth sphere, refraction extends the view to sqrt(2 k R h) from each end, up to terms that h / R is small against.
static void refraction_on_a_globe(void **state) {
    (void)state;
    lf_ellipsoid sphere = {6371008.8, 0};
    small_planet *planet = small_planet_make(sphere, 1, SMALL_PLANET_ROLLING, 0, 5);
    lf_globe *globe = small_planet_globe(planet, (size_t)1 << 24);
    double base = small_planet_height(planet, 0, 0);
    const double coefficients[] = {0, 1, 0.85714, 0.75, 0.5};
    for (int c = 0; c < 5; c++)
        for (int k = 0; k < 2; k++) {
            lf_sight_rules rules = lf_sight_rules_default();
            double factor = coefficients[c] == 0 ? 1 : 1 / coefficients[c], h[2] = {30, 400};
            double reach = sqrt(2 * factor * sphere.radius * h[0]) + sqrt(2 * factor * sphere.radius * h[1]);
            double angle = reach * (k ? 1.002 : 0.998) / sphere.radius * 180 / 3.14159265358979323846;
            lf_vec3 a = lf_ellipsoid_to_centred(&sphere, (lf_geodetic){179.9, 10, base + h[0]});
            lf_geodetic to = lf_geodesic_from(&sphere, (lf_geodetic){179.9, 10, 0}, 60,
                                              angle * 3.14159265358979323846 / 180 * sphere.radius, NULL);
            to.height = base + h[1];
            lf_vec3 b = lf_ellipsoid_to_centred(&sphere, to);
            lf_group_part part = {.ground = lf_globe_ground(globe), .pose = lf_pose_identity()};
            lf_group *group = world_group(&part, 1);
            lf_verdict alone, grouped;
            rules.curvature.coefficient = coefficients[c];
            assert_int_equal(lf_sight_verdict(lf_globe_ground(globe), &rules, a, b, &alone, NULL), LF_OK);
            assert_int_equal(lf_sight_verdict(lf_group_ground(group), &rules, a, b, &grouped, NULL), LF_OK);
            assert_int_equal(alone, k ? LF_VERDICT_BLOCKED : LF_VERDICT_CLEAR);
            assert_int_equal(grouped, alone);
            lf_group_destroy(group);
        }
    lf_globe_destroy(globe);
    small_planet_free(planet);
}

static void worlds_on_a_globe(void **state) {
    (void)state;
    test_random random = test_random_start(9102);
    small_planet *planet = small_planet_make(lf_ellipsoid_wgs84(), 2, SMALL_PLANET_ROLLING, 400, 77);
    lf_globe *globe = small_planet_globe(planet, (size_t)1 << 24);
    const lf_geodetic places[] = {{12.3, 45.6, 0}, {180, -7, 0}, {-180, 33, 0},
                                  {0, 90, 0},      {77, -90, 0}, {-91, 0, 0}};
    tally tally = {0}, sweeps = {0};
    for (int64_t round = 0; round < test_rounds(6); round++) {
        lf_geodetic at = places[round % 6];
        lf_globe_elevation ground;
        lf_pose outer;
        world w;
        lf_globe_height(globe, at.lon_deg, at.lat_deg, &ground, NULL);
        at.height = (ground.reason == LF_REASON_ANSWERED ? ground.height : 0) + any(&random, 0, 12);
        assert_int_equal(lf_ellipsoid_pose(&planet->ellipsoid, at, any(&random, 0, 360),
                                           any(&random, -20, 20), any(&random, -20, 20), &outer),
                         LF_OK);
        open_world(&w, lf_globe_ground(globe), &outer, &random);
        for (int i = 0; i < 100; i++) {
            lf_vec3 p = any_vector(&random, 20), q = any_vector(&random, 20);
            if (i == 50)
                stir(&w, &random);
            p = lf_pose_to_world(&outer, p), q = lf_pose_to_world(&outer, q);
            oracle_on_globe(&w, lf_globe_ground(globe), p, q, &tally);
            if (i % 10 == 0)
                oracle_globe_sweep(globe, &planet->ellipsoid, &outer, &random, &sweeps);
        }
        close_world(&w);
    }
    report("globe", &tally);
    report("globe: sweeps", &sweeps);
    lf_globe_destroy(globe);
    small_planet_free(planet);
}

// ---------------------------------------------------------------------------------------------------
// A single part
// ---------------------------------------------------------------------------------------------------

static void same_bits(const lf_ground *alone, double size, test_random *random) {
    lf_group_part part = {.ground = alone, .pose = lf_pose_identity()};
    lf_group *group = world_group(&part, 1);
    const lf_ground *grouped = lf_group_ground(group);
    for (int i = 0; i < 200; i++) {
        lf_vec3 p = any_vector(random, size), q = any_vector(random, size);
        lf_ray ray = lf_ray_between(p, q);
        lf_hit a[8], b[8];
        int64_t m, n;
        lf_sight_rules rules = lf_sight_rules_default();
        lf_sight s = {.t = 0}, t = {.t = 0};
        rules.detail = true;
        memset(a, 0, sizeof a), memset(b, 0, sizeof b);
        for (int look = 0; look < 2; look++) {
            lf_ground_height(alone, p, (lf_vertical)look, &a[0], NULL);
            lf_ground_height(grouped, p, (lf_vertical)look, &b[0], NULL);
            assert_memory_equal(&a[0], &b[0], sizeof a[0]);
        }
        lf_ground_ray_first(alone, &ray, &a[0], NULL);
        lf_ground_ray_first(grouped, &ray, &b[0], NULL);
        assert_memory_equal(&a[0], &b[0], sizeof a[0]);
        lf_ground_ray_all(alone, &ray, a, 8, &m, NULL);
        lf_ground_ray_all(grouped, &ray, b, 8, &n, NULL);
        assert_int_equal(m, n);
        assert_memory_equal(a, b, (size_t)(m < 8 ? m : 8) * sizeof a[0]);
        assert_int_equal(lf_sight_between(alone, &rules, p, q, &s, NULL),
                         lf_sight_between(grouped, &rules, p, q, &t, NULL));
        assert_memory_equal(&s, &t, sizeof s);
        lf_status first = sweep_sphere(alone, p, 0.3, lf_vec3_sub(q, p), 1e-3, &a[0], NULL);
        assert_int_equal(first, sweep_sphere(grouped, p, 0.3, lf_vec3_sub(q, p), 1e-3, &b[0], NULL));
        assert_memory_equal(&a[0], &b[0], sizeof a[0]);
    }
    lf_group_destroy(group);
}

static void a_world_of_one_part_is_the_part(void **state) {
    (void)state;
    test_random random = test_random_start(9103);
    lf_pose here = lf_pose_identity();
    world w;
    open_world(&w, NULL, &here, &random);
    same_bits(lf_grid_ground(w.grid), 16, &random);
    same_bits(lf_mesh_ground(w.meshes[1]), 8, &random);
    same_bits(lf_model_ground(w.model), 8, &random);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_on_a_plane), cmocka_unit_test(worlds_on_a_globe),
        cmocka_unit_test(refraction_on_a_globe), cmocka_unit_test(a_world_of_one_part_is_the_part)};
    return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
