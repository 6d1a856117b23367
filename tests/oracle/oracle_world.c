// Worlds of a grid, meshes, models, boxes and groups in groups against all their polygons, one by one, in
// long doubles. Where rounding could decide, a question is passed over, and counted.
#include "nasty.h"
#include "small_planet.h"
#include "sweeps.h"
#include <landfall/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 9,
    BOXES = 60,
    SHAPES = 3,
    MODELS = 12,
    TRIANGLES = 40000,
    PARTS = 1 + BOXES + SHAPES + MODELS + 1
};

typedef struct vec {
    long double x, y, z;
} vec;

/// A triangle as it stands in the world, and what a hit of it names.
typedef struct facet {
    vec c[3];
    int64_t part, element;
    uint32_t inner, layers;
} facet;

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
    facet *facets;
    int64_t count;
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

static vec carry(const lf_pose *pose, vec p) {
    const lf_vec3 *r = pose->rows;
    return (vec){(long double)r[0].x * p.x + (long double)r[0].y * p.y + (long double)r[0].z * p.z +
                     pose->translation.x,
                 (long double)r[1].x * p.x + (long double)r[1].y * p.y + (long double)r[1].z * p.z +
                     pose->translation.y,
                 (long double)r[2].x * p.x + (long double)r[2].y * p.y + (long double)r[2].z * p.z +
                     pose->translation.z};
}

static void add_facet(world *w, const lf_pose *const *poses, const lf_vec3 c[3], facet name) {
    assert_true(w->count < TRIANGLES);
    for (int k = 0; k < 3; k++) {
        vec p = {c[k].x, c[k].y, c[k].z};
        for (int i = 0; poses[i]; i++)
            p = carry(poses[i], p);
        name.c[k] = p;
    }
    w->facets[w->count++] = name;
}

static void add_shape(world *w, const lf_pose *const *poses, const nasty_mesh *m, facet name) {
    for (int64_t i = 0; i < m->triangle_count; i++) {
        lf_vec3 c[3];
        for (int k = 0; k < 3; k++)
            c[k] = m->vertices[m->triangles[3 * i + k]];
        name.element = m->owners[i];
        add_facet(w, poses, c, name);
    }
}

static void add_box(world *w, const lf_pose *const *poses, lf_box b, facet name) {
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    lf_vec3 v[8];
    for (int i = 0; i < 8; i++)
        v[i] = (lf_vec3){i & 1 ? b.high.x : b.low.x, i & 2 ? b.high.y : b.low.y, i & 4 ? b.high.z : b.low.z};
    for (int f = 0; f < 6; f++)
        for (int k = 0; k < 2; k++) {
            const lf_vec3 c[3] = {v[faces[f][0]], v[faces[f][1 + k]], v[faces[f][2 + k]]};
            name.element = f;
            add_facet(w, poses, c, name);
        }
}

/// Samples 4 m apart from (-16, -16); cells cut from their upper left to their lower right.
static void add_grid(world *w, const lf_pose *const *poses) {
    for (int j = 0; j + 1 < SIDE; j++)
        for (int i = 0; i + 1 < SIDE; i++) {
            lf_vec3 c[4];
            for (int k = 0; k < 4; k++) {
                int x = i + (k & 1), y = j + (k >> 1);
                c[k] = (lf_vec3){-16 + 4.0 * x, -16 + 4.0 * y, (double)w->heights[y * SIDE + x]};
            }
            facet name = {.part = 0, .element = j * (SIDE - 1) + i, .layers = 1};
            add_facet(w, poses, (lf_vec3[3]){c[0], c[1], c[2]}, name);
            add_facet(w, poses, (lf_vec3[3]){c[1], c[3], c[2]}, name);
        }
}

static void list_facets(world *w) {
    w->count = 0;
    for (int64_t i = 0; i < PARTS; i++) {
        const lf_group_part *part = &w->parts[i];
        const lf_pose *poses[] = {&part->pose, NULL, NULL};
        facet name = {.part = i, .layers = part->layers ? part->layers : 1};
        if (i == 0 && w->grid_there)
            add_grid(w, poses);
        else if (!part->ground)
            add_box(w, poses, part->box, name);
        else if (i <= BOXES + SHAPES && i > 0)
            add_shape(w, poses, &w->shapes[i - 1 - BOXES], name);
        else if (i < PARTS - 1 && i > 0)
            add_shape(w, poses, &w->model_shape, name);
    }
    for (int64_t k = 0; k < 3; k++) {
        const lf_pose *poses[] = {&w->inner_parts[k].pose, &w->parts[PARTS - 1].pose, NULL};
        facet name = {.part = PARTS - 1, .inner = (uint32_t)k, .layers = 1};
        if (w->inner_parts[k].ground)
            add_shape(w, poses, &w->shapes[0], name);
        else
            add_box(w, poses, w->inner_parts[k].box, name);
    }
}

// ---------------------------------------------------------------------------------------------------
// Worlds
// ---------------------------------------------------------------------------------------------------

static lf_box any_box(test_random *random) {
    lf_vec3 half = {any(random, 0.1, 2), any(random, 0.1, 2), any(random, 0.1, 4)};
    return (lf_box){lf_vec3_scale(half, -1), half};
}

static void make_shapes(world *w, test_random *random) {
    static const nasty_mesh_kind kinds[] = {NASTY_SOUP, NASTY_FLOORS, NASTY_BOXES};
    for (int i = 0; i < SHAPES; i++) {
        nasty_mesh_make(&w->shapes[i], kinds[i], 30, false, random);
        lf_polygons polygons = nasty_mesh_polygons(&w->shapes[i]);
        polygons.layers = NULL, polygons.users = NULL, polygons.sides = NULL;
        lf_mesh_def def = lf_mesh_def_default();
        def.polygons = polygons;
        assert_int_equal(lf_mesh_create(&def, &w->meshes[i], NULL), LF_OK);
    }
    nasty_mesh_make(&w->model_shape, NASTY_BOXES, 12, false, random);
    lf_model_def def = lf_model_def_default();
    def.polygons = nasty_mesh_polygons(&w->model_shape);
    def.polygons.layers = NULL, def.polygons.users = NULL, def.polygons.sides = NULL;
    assert_int_equal(lf_model_create(&def, &w->model, NULL), LF_OK);
}

static void make_grid(world *w, test_random *random) {
    lf_grid_def def = lf_grid_def_default();
    for (int i = 0; i < SIDE * SIDE; i++)
        w->heights[i] = (float)any(random, -3, 3);
    def.samples.values = w->heights;
    def.samples.columns = def.samples.rows = SIDE;
    def.geotransform.origin = (lf_vec2){-16, -16};
    def.geotransform.per_column = (lf_vec2){4, 0};
    def.geotransform.per_row = (lf_vec2){0, 4};
    assert_int_equal(lf_grid_create(&def, &w->grid, NULL), LF_OK);
}

static lf_group *make_group(const lf_group_part *parts, int64_t count) {
    lf_group_def def = lf_group_def_default();
    lf_group *group;
    lf_error error = {0};
    def.parts = parts;
    def.part_count = count;
    if (lf_group_create(&def, &group, &error) != LF_OK)
        fail_msg("%s", error.text);
    return group;
}

/// Part 0 is the grid, or the globe; the rest stand around the origin, carried by `outer`.
static void open_world(world *w, const lf_ground *globe, const lf_pose *outer, test_random *random) {
    *w = (world){.facets = malloc(TRIANGLES * sizeof(facet)), .grid_there = !globe, .outer = *outer};
    assert_non_null(w->facets);
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
    w->inner = make_group(w->inner_parts, 3);
    w->parts[PARTS - 1].ground = lf_group_ground(w->inner);
    w->group = make_group(w->parts, PARTS);
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
    free(w->facets);
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

static vec sub(vec a, vec b) {
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static long double dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec of(lf_vec3 v) {
    return (vec){v.x, v.y, v.z};
}

/// What a line meets: the first facet, and whether rounding could have changed that.
typedef struct answer {
    long double t, next; ///< of the first and of the next other polygon
    const facet *first;
    bool doubtful;
} answer;

static void meet(const facet *f, vec o, vec d, long double last, long double blur, answer *a) {
    vec e = sub(f->c[1], f->c[0]), g = sub(f->c[2], f->c[0]), p = cross(d, g), s = sub(o, f->c[0]),
        q = cross(s, e);
    long double area = sqrtl(dot(cross(e, g), cross(e, g))), det = dot(e, p), size = area * sqrtl(dot(d, d));
    if (area == 0)
        return;
    if (fabsl(det) < 1e-9L * size) { // edge-on: only near it does it matter
        long double off = fabsl(dot(s, cross(e, g))) / area;
        a->doubtful |= off < 100 * blur;
        return;
    }
    long double u = dot(s, p) / det, v = dot(d, q) / det, t = dot(g, q) / det, w = 1 - u - v;
    long double least = fminl(u, fminl(v, w)), tilt = size / fabsl(det);
    long double slack = blur * tilt * (sqrtl(dot(e, e)) + sqrtl(dot(g, g))) / area;
    if (least < -slack || t < -blur || t > last + blur)
        return;
    long double along = blur * tilt / sqrtl(dot(d, d));
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
    for (int64_t i = 0; i < w->count; i++)
        if (w->facets[i].layers & layers)
            meet(&w->facets[i], of(from), of(d), last, 2e-13L * size / 1000 + 2e-15L * size, &a);
    return a;
}

static long double to_segment(vec p, vec a, vec b) {
    vec d = sub(b, a), s = sub(p, a);
    long double t = dot(d, d) > 0 ? fminl(fmaxl(dot(s, d) / dot(d, d), 0), 1) : 0;
    vec off = {s.x - t * d.x, s.y - t * d.y, s.z - t * d.z};
    return sqrtl(dot(off, off));
}

static long double to_facet(const facet *f, vec p) {
    vec e = sub(f->c[1], f->c[0]), g = sub(f->c[2], f->c[0]), n = cross(e, g), s = sub(p, f->c[0]);
    long double nn = dot(n, n), best = INFINITY;
    for (int k = 0; k < 3; k++)
        best = fminl(best, to_segment(p, f->c[k], f->c[(k + 1) % 3]));
    if (nn == 0)
        return best;
    bool over = true;
    for (int k = 0; k < 3; k++)
        over = over && dot(cross(sub(f->c[(k + 1) % 3], f->c[k]), sub(p, f->c[k])), n) >= 0;
    return over ? fminl(best, fabsl(dot(s, n)) / sqrtl(nn)) : best;
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
        vec at = of(lf_vec3_along(p, hit.t * k / STEPS, motion));
        nearest = INFINITY;
        for (int64_t i = 0; i < w->count; i++)
            nearest = fminl(nearest, to_facet(&w->facets[i], at));
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
            lf_group *group = make_group(&part, 1);
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
    lf_group *group = make_group(&part, 1);
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
