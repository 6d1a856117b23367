// Walks over polygon ground against the definition, in rational numbers: every edge of every polygon cuts the
// way, and between two cuts every floor is followed exactly.
#include "exact.h"
#include "nasty.h"
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>

/// One place of the way in exact numbers, and a floor's heights at both ends of a piece.
typedef struct floor_piece {
    int64_t polygon;
    mpq_t first, last; ///< heights
} floor_piece;

typedef struct walker {
    const nasty_mesh *mesh;
    const exact_hull *hull;
    double ax, ay, bx, by; ///< the way
    mpq_t step, drop;
    mpq_t *cuts;
    int64_t cut_count, cut_space;
    floor_piece *floors;
    int64_t floor_count;
    bool along; ///< the way runs along an edge that is not parallel to an axis: doubles cannot stay on it
} walker;

typedef struct outcome {
    lf_walk_end end;
    lf_reason reason;
    int64_t polygon;
    double x, y, z, step;
    bool rim; ///< the reason was asked for on the border of the hull, where one bit decides
} outcome;

/// Scratch numbers: enough for the deepest expression below.
static mpq_t n[24];

static void numbers_start(void) {
    for (int i = 0; i < 24; i++)
        mpq_init(n[i]);
}

// ---------------------------------------------------------------------------------------------------
// Cuts
// ---------------------------------------------------------------------------------------------------

/// x, y of the way at t.
static void way_at(const walker *w, const mpq_t t, mpq_t x, mpq_t y) {
    mpq_set_d(n[20], w->ax);
    mpq_set_d(n[21], w->bx);
    mpq_sub(n[21], n[21], n[20]);
    mpq_mul(n[21], n[21], t);
    mpq_add(x, n[20], n[21]);
    mpq_set_d(n[20], w->ay);
    mpq_set_d(n[21], w->by);
    mpq_sub(n[21], n[21], n[20]);
    mpq_mul(n[21], n[21], t);
    mpq_add(y, n[20], n[21]);
}

/// (bx - ax) * (cy - ay) - (by - ay) * (cx - ax), all doubles taken exactly.
static void turn(double ax, double ay, double bx, double by, double cx, double cy, mpq_t out) {
    double from[4] = {bx, cy, by, cx}, to[4] = {ax, ay, ay, ax};
    for (int i = 0; i < 4; i++) {
        mpq_set_d(n[16 + i], from[i]);
        mpq_set_d(out, to[i]);
        mpq_sub(n[16 + i], n[16 + i], out);
    }
    mpq_mul(n[16], n[16], n[17]);
    mpq_mul(n[18], n[18], n[19]);
    mpq_sub(out, n[16], n[18]);
}

static void add_cut(walker *w, const mpq_t t) {
    if (mpq_sgn(t) <= 0 || mpq_cmp_ui(t, 1, 1) >= 0)
        return;
    assert_true(w->cut_count < w->cut_space);
    mpq_set(w->cuts[w->cut_count++], t);
}

/// Where on the way is the vertex v, which lies on its line?
static void add_vertex_cut(walker *w, lf_vec3 v) {
    bool by_x = w->ax != w->bx;
    mpq_set_d(n[0], by_x ? v.x : v.y);
    mpq_set_d(n[1], by_x ? w->ax : w->ay);
    mpq_set_d(n[2], by_x ? w->bx : w->by);
    mpq_sub(n[0], n[0], n[1]);
    mpq_sub(n[2], n[2], n[1]);
    mpq_div(n[0], n[0], n[2]);
    add_cut(w, n[0]);
}

static void cut_edge(walker *w, lf_vec3 c, lf_vec3 d) {
    turn(w->ax, w->ay, w->bx, w->by, c.x, c.y, n[0]);
    turn(w->ax, w->ay, w->bx, w->by, d.x, d.y, n[1]);
    int side_c = mpq_sgn(n[0]), side_d = mpq_sgn(n[1]);
    if (side_c * side_d > 0)
        return;
    if (side_c == 0)
        add_vertex_cut(w, c);
    if (side_d == 0)
        add_vertex_cut(w, d);
    if (side_c == 0 && side_d == 0 && w->ax != w->bx && w->ay != w->by && (c.x != d.x || c.y != d.y))
        w->along = true;
    if (side_c * side_d >= 0)
        return;
    turn(c.x, c.y, d.x, d.y, w->ax, w->ay, n[2]);
    turn(c.x, c.y, d.x, d.y, w->bx, w->by, n[3]);
    mpq_sub(n[3], n[2], n[3]);
    mpq_div(n[2], n[2], n[3]);
    add_cut(w, n[2]);
}

static int compare_numbers(const void *a, const void *b) {
    return mpq_cmp(*(const mpq_t *)a, *(const mpq_t *)b);
}

static void find_cuts(walker *w) {
    w->cut_count = 0;
    w->along = false;
    for (int64_t i = 0; i < w->mesh->triangle_count; i++) {
        lf_vec3 c[3];
        nasty_mesh_triangle(w->mesh, i, c);
        for (int k = 0; k < 3; k++)
            cut_edge(w, c[k], c[(k + 1) % 3]);
    }
    mpq_set_ui(w->cuts[w->cut_count++], 1, 1);
    qsort(w->cuts, (size_t)w->cut_count, sizeof w->cuts[0], compare_numbers);
}

// ---------------------------------------------------------------------------------------------------
// Floors
// ---------------------------------------------------------------------------------------------------

/// The sign of the turn a, b, (x, y), with x and y exact.
static int side_of(lf_vec3 a, lf_vec3 b, const mpq_t x, const mpq_t y) {
    mpq_set_d(n[10], a.x);
    mpq_set_d(n[11], a.y);
    mpq_set_d(n[12], b.x);
    mpq_set_d(n[13], b.y);
    mpq_sub(n[12], n[12], n[10]);
    mpq_sub(n[13], n[13], n[11]);
    mpq_sub(n[10], x, n[10]);
    mpq_sub(n[11], y, n[11]);
    mpq_mul(n[12], n[12], n[11]);
    mpq_mul(n[13], n[13], n[10]);
    return mpq_cmp(n[12], n[13]);
}

/// z of the plane of a triangle over (x, y).
static void plane_height(const lf_vec3 c[3], const mpq_t x, const mpq_t y, mpq_t z) {
    // z0 + ((z1 - z0) * turn(0, p, 2) + (z2 - z0) * turn(0, 1, p)) / turn(0, 1, 2), by differences to corner
    // 0.
    double parts[9] = {c[0].x, c[0].y, c[0].z, c[1].x, c[1].y, c[1].z, c[2].x, c[2].y, c[2].z};
    for (int i = 0; i < 9; i++)
        mpq_set_d(n[i], parts[i]);
    for (int i = 3; i < 9; i++)
        mpq_sub(n[i], n[i], n[i % 3]);
    mpq_sub(n[9], x, n[0]);
    mpq_sub(n[10], y, n[1]);
    mpq_mul(n[11], n[9], n[7]);
    mpq_mul(n[12], n[10], n[6]);
    mpq_sub(n[11], n[11], n[12]); // p x e2
    mpq_mul(n[12], n[3], n[10]);
    mpq_mul(n[13], n[4], n[9]);
    mpq_sub(n[12], n[12], n[13]); // e1 x p
    mpq_mul(n[13], n[3], n[7]);
    mpq_mul(n[14], n[4], n[6]);
    mpq_sub(n[13], n[13], n[14]); // e1 x e2
    mpq_mul(n[11], n[11], n[5]);
    mpq_mul(n[12], n[12], n[8]);
    mpq_add(n[11], n[11], n[12]);
    mpq_div(n[11], n[11], n[13]);
    mpq_add(z, n[2], n[11]);
}

/// Does the triangle lie over (x, y), and may one stand on it?
static bool stands_over(const walker *w, int64_t triangle, const lf_vec3 c[3], const mpq_t x, const mpq_t y) {
    turn(c[0].x, c[0].y, c[1].x, c[1].y, c[2].x, c[2].y, n[0]);
    int facing = mpq_sgn(n[0]);
    if (facing == 0 || (w->mesh->sides && w->mesh->sides[w->mesh->owners[triangle]] == 1 && facing < 0))
        return false;
    for (int k = 0; k < 3; k++)
        if (side_of(c[k], c[(k + 1) % 3], x, y) * facing < 0)
            return false;
    return true;
}

/// The floors that lie over one place, with their heights at two others.
static void find_floors(walker *w, const mpq_t at, const mpq_t first, const mpq_t last) {
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    w->floor_count = 0;
    for (int64_t i = 0; i < w->mesh->triangle_count; i++) {
        lf_vec3 c[3];
        nasty_mesh_triangle(w->mesh, i, c);
        way_at(w, at, x, y);
        int64_t polygon = w->mesh->owners[i];
        if (!stands_over(w, i, c, x, y) ||
            (w->floor_count > 0 && w->floors[w->floor_count - 1].polygon == polygon))
            continue;
        floor_piece *f = &w->floors[w->floor_count++];
        f->polygon = polygon;
        way_at(w, first, x, y);
        plane_height(c, x, y, f->first);
        way_at(w, last, x, y);
        plane_height(c, x, y, f->last);
    }
    mpq_clears(x, y, NULL);
}

/// height at a share of the piece
static void height_at(const floor_piece *f, const mpq_t share, mpq_t out) {
    mpq_sub(n[22], f->last, f->first);
    mpq_mul(n[22], n[22], share);
    mpq_add(out, f->first, n[22]);
}

// ---------------------------------------------------------------------------------------------------
// Walking
// ---------------------------------------------------------------------------------------------------

/// The highest floor not more than a step above `height` where the piece begins; NULL: none. higher: the lowest above.
static const floor_piece *choose(const walker *w, const mpq_t height, const floor_piece **higher) {
    const floor_piece *best = NULL;
    *higher = NULL;
    mpq_add(n[0], height, w->step);
    for (int64_t i = 0; i < w->floor_count; i++) {
        const floor_piece *f = &w->floors[i];
        if (mpq_cmp(f->first, n[0]) <= 0) {
            if (!best || mpq_cmp(f->first, best->first) > 0)
                best = f;
        } else if (!*higher || mpq_cmp(f->first, (*higher)->first) < 0) {
            *higher = f;
        }
    }
    return best;
}

/// The first share >= from at which `above` is more than 0 and at most a step over `below`. 0 < d counts from the
/// crossing on.
static bool comes_within(const walker *w, const floor_piece *below, const floor_piece *above,
                         const mpq_t from, mpq_t when) {
    height_at(below, from, n[0]);
    height_at(above, from, n[1]);
    mpq_sub(n[0], n[1], n[0]);               // d here
    mpq_sub(n[1], above->last, below->last); // d at the end
    mpq_set_ui(n[5], 1, 1);
    mpq_sub(n[5], n[5], from);
    if (mpq_sgn(n[0]) > 0 && mpq_cmp(n[0], w->step) <= 0) {
        mpq_set(when, from);
        return true;
    }
    const bool falls = mpq_cmp(n[0], w->step) > 0 && mpq_cmp(n[1], w->step) <= 0;
    const bool rises = mpq_sgn(n[0]) <= 0 && mpq_sgn(n[1]) > 0 && mpq_sgn(w->step) > 0;
    if (!falls && !rises)
        return false;
    if (falls)
        mpq_sub(n[2], n[0], w->step);
    else
        mpq_set(n[2], n[0]);
    mpq_sub(n[3], n[0], n[1]);
    mpq_div(n[2], n[2], n[3]);
    mpq_mul(n[2], n[2], n[5]);
    mpq_add(when, from, n[2]);
    return true;
}

/// Follow floors along a piece; returns the last one.
static const floor_piece *follow(const walker *w, const floor_piece *on) {
    mpq_t share, when, best_when, height, best_height;
    mpq_inits(share, when, best_when, height, best_height, NULL);
    for (;;) {
        const floor_piece *best = NULL;
        for (int64_t i = 0; i < w->floor_count; i++) {
            const floor_piece *f = &w->floors[i];
            if (f == on || !comes_within(w, on, f, share, when))
                continue;
            height_at(f, when, height);
            int order = best ? mpq_cmp(when, best_when) : -1;
            if (order < 0 || (order == 0 && mpq_cmp(height, best_height) > 0)) {
                best = f;
                mpq_set(best_when, when);
                mpq_set(best_height, height);
            }
        }
        if (!best)
            break;
        on = best;
        mpq_set(share, best_when);
    }
    mpq_clears(share, when, best_when, height, best_height, NULL);
    return on;
}

static void tell(const walker *w, outcome *o, const mpq_t t, const mpq_t height) {
    way_at(w, t, n[0], n[1]);
    o->x = mpq_get_d(n[0]);
    o->y = mpq_get_d(n[1]);
    o->z = mpq_get_d(height);
}

static void refuse(const walker *w, outcome *o, const floor_piece *lower, const floor_piece *higher,
                   const mpq_t middle, const mpq_t height) {
    if (lower || higher) {
        o->end = lower ? LF_WALK_STEP_DOWN : LF_WALK_STEP_UP;
        mpq_sub(n[0], lower ? lower->first : higher->first, height);
        o->step = mpq_get_d(n[0]);
        return;
    }
    way_at(w, middle, n[0], n[1]);
    lf_vec3 p = {mpq_get_d(n[0]), mpq_get_d(n[1]), 0};
    o->end = LF_WALK_NO_GROUND;
    bool within = exact_hull_contains(w->hull, p);
    o->reason = within ? LF_REASON_HOLE : LF_REASON_OUTSIDE;
    for (int i = 0; i < 4; i++) {
        lf_vec3 q = p;
        q.x = i & 1 ? nextafter(q.x, INFINITY) : nextafter(q.x, -INFINITY);
        q.y = i & 2 ? nextafter(q.y, INFINITY) : nextafter(q.y, -INFINITY);
        o->rim |= exact_hull_contains(w->hull, q) != within;
    }
}

/// The whole walk. from_z: finite.
static outcome exact_walk(walker *w, double from_z) {
    outcome o = {.end = LF_WALK_ARRIVED, .reason = LF_REASON_ANSWERED, .polygon = -1};
    mpq_t t, middle, height;
    mpq_inits(t, middle, height, NULL);
    const floor_piece *higher, *on;
    find_cuts(w);
    find_floors(w, t, t, t);
    mpq_set_d(height, from_z);
    on = choose(w, height, &higher);
    if (!on) {
        refuse(w, &o, NULL, NULL, t, height);
        if (w->floor_count > 0)
            o.reason = LF_REASON_NONE;
        o.polygon = -2;
        goto done;
    }
    mpq_set(height, on->first);
    o.polygon = on->polygon;
    for (int64_t i = 0; i < w->cut_count; i++) {
        if (mpq_equal(w->cuts[i], t))
            continue;
        mpq_add(middle, t, w->cuts[i]);
        mpq_div_2exp(middle, middle, 1);
        find_floors(w, middle, t, w->cuts[i]);
        on = choose(w, height, &higher);
        if (on)
            mpq_sub(n[0], height, on->first);
        if (!on || mpq_cmp(n[0], w->drop) > 0) {
            // The reason is that next to where the ground ends.
            mpq_sub(middle, middle, t);
            mpq_div_2exp(middle, middle, 20);
            mpq_add(middle, middle, t);
            refuse(w, &o, on, higher, middle, height);
            break;
        }
        on = follow(w, on);
        o.polygon = on->polygon;
        mpq_set(height, on->last);
        mpq_set(t, w->cuts[i]);
    }
    tell(w, &o, t, height);
done:
    mpq_clears(t, middle, height, NULL);
    return o;
}

// ---------------------------------------------------------------------------------------------------
// Comparing
// ---------------------------------------------------------------------------------------------------

static bool close_to(double a, double b) {
    return fabs(a - b) <= 1e-6 * (1 + fabs(b));
}

/// Without ground to start from, the reason is that of lf_ground_height, which other oracles oracle: here only whether it
/// is outside.
static bool same_reason(const outcome *a, const outcome *b) {
    if (a->rim || b->rim)
        return true;
    return a->polygon == -2 ? (a->reason == LF_REASON_OUTSIDE) == (b->reason == LF_REASON_OUTSIDE)
                            : a->reason == b->reason;
}

static bool same_outcome(const outcome *a, const outcome *b) {
    return a->end == b->end && same_reason(a, b) && (a->polygon == -2) == (b->polygon == -2) &&
           (a->polygon == -2 || (close_to(a->x, b->x) && close_to(a->y, b->y) && close_to(a->z, b->z))) &&
           close_to(a->step, b->step);
}

static outcome said(const lf_walk *walk) {
    return (outcome){.end = walk->end,
                     .reason = walk->reason,
                     .polygon = walk->ground.kind == LF_HIT_NONE ? -2 : walk->ground.element,
                     .x = walk->position.x,
                     .y = walk->position.y,
                     .z = walk->position.z,
                     .step = walk->step};
}

static void print_outcome(const char *who, const outcome *o) {
    printf("    %s: end %d reason %d polygon %lld at %.17g %.17g %.17g step %.17g\n", who, o->end, o->reason,
           (long long)o->polygon, o->x, o->y, o->z, o->step);
}

typedef struct tally {
    int64_t asked, unsure, along, wrong, ends[4];
} tally;

static double whole(test_random *random, double low, double high) {
    return floor(test_random_between(random, low, high + 1));
}

static lf_vec3 any_place(const nasty_mesh *mesh, test_random *random) {
    lf_box box = mesh->box;
    double dx = 0.1 * (box.high.x - box.low.x), dy = 0.1 * (box.high.y - box.low.y);
    lf_vec3 p = {test_random_between(random, box.low.x - dx, box.high.x + dx),
                 test_random_between(random, box.low.y - dy, box.high.y + dy), box.high.z + 1};
    if (test_random_below(random, 2))
        p.z = test_random_between(random, box.low.z, box.high.z + 1);
    if (test_random_below(random, 3) == 0) { // through lattice points, along grid lines
        p.x = whole(random, p.x, p.x);
        p.y = whole(random, p.y, p.y);
    } else if (test_random_below(random, 3) == 0) {
        lf_vec3 v = mesh->vertices[test_random_below(random, mesh->vertex_count)];
        p.x = v.x;
        p.y = v.y;
    }
    return p;
}

static void oracle_walk(walker *w, const lf_ground *ground, lf_vec3 from, lf_vec3 to, tally *count,
                        double step, double drop) {
    w->ax = from.x, w->ay = from.y, w->bx = to.x, w->by = to.y;
    if (from.x == to.x && from.y == to.y)
        return;
    lf_walker limits = {step, drop, 0};
    lf_walk walk;
    assert_int_equal(lf_ground_walk(ground, &limits, from, to, &walk, NULL, NULL), LF_OK);
    mpq_set_d(w->step, step);
    mpq_set_d(w->drop, drop);
    outcome expected = exact_walk(w, from.z), told = said(&walk);
    count->asked++;
    count->ends[expected.end]++;
    if (w->along) {
        count->along++;
        return;
    }
    if (same_outcome(&expected, &told))
        return;
    // Limits are allowed for to a nanometre and some roundings: where that decides, both are right.
    lf_box box = w->mesh->box;
    double size = fmax(fmax(fabs(box.low.x), fabs(box.high.x)), fmax(fabs(box.low.y), fabs(box.high.y)));
    size = fmax(size, fmax(fabs(box.low.z), fabs(box.high.z)));
    mpq_set_d(w->step, step + 3e-9 + 3e-14 * size);
    mpq_set_d(w->drop, drop + 3e-9 + 3e-14 * size);
    outcome other = exact_walk(w, from.z);
    if (!same_outcome(&expected, &other)) {
        count->unsure++;
        return;
    }
    if (count->wrong++ == 0) {
        printf("%s: from {%.17g, %.17g, %.17g} to {%.17g, %.17g} step %.17g drop %.17g\n", w->mesh->name,
               from.x, from.y, from.z, to.x, to.y, step, drop);
        print_outcome("expected", &expected);
        print_outcome("said", &told);
    }
}

static void try_mesh(nasty_mesh_kind kind, int64_t walks, test_random *random, tally *count) {
    nasty_mesh mesh;
    nasty_mesh_make(&mesh, kind, 30, test_random_below(random, 3) == 0, random);
    walker w = {.mesh = &mesh, .cut_space = 6 * mesh.triangle_count + 1};
    w.cuts = test_space(w.cut_space, sizeof *w.cuts);
    w.floors = test_space(mesh.polygon_count, sizeof *w.floors);
    for (int64_t i = 0; i < w.cut_space; i++)
        mpq_init(w.cuts[i]);
    for (int64_t i = 0; i < mesh.polygon_count; i++)
        mpq_inits(w.floors[i].first, w.floors[i].last, NULL);
    mpq_inits(w.step, w.drop, NULL);
    exact_hull *hull = nasty_mesh_hull(&mesh, (lf_vec3){0, 0, -1});
    w.hull = hull;
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = nasty_mesh_polygons(&mesh);
    lf_mesh *made;
    const lf_ground *ground;
    assert_int_equal(lf_mesh_create(&def, &made, NULL), LF_OK);
    ground = lf_mesh_ground(made);
    double tall = mesh.box.high.z - mesh.box.low.z;
    for (int64_t i = 0; i < walks; i++) {
        double step =
            test_random_below(random, 3) ? test_random_between(random, 0, 0.7 * tall) : whole(random, 0, 2);
        double drop =
            test_random_below(random, 3) ? test_random_between(random, 0, tall) : whole(random, 0, 2);
        oracle_walk(&w, ground, any_place(&mesh, random), any_place(&mesh, random), count, step, drop);
    }
    lf_mesh_destroy(made);
    exact_hull_free(hull);
    mpq_clears(w.step, w.drop, NULL);
    for (int64_t i = 0; i < mesh.polygon_count; i++)
        mpq_clears(w.floors[i].first, w.floors[i].last, NULL);
    for (int64_t i = 0; i < w.cut_space; i++)
        mpq_clear(w.cuts[i]);
    free(w.floors);
    free(w.cuts);
    nasty_mesh_free(&mesh);
}

// Enough walks of every end: which ones come is chance, so rounds go on until all of them have been checked.
static bool every_end_seen(const tally *all) {
    for (int i = 0; i < 4; i++) {
        if (all->ends[i] < 5)
            return false;
    }
    return true;
}

static void walks_are_those_of_the_definition(void **state) {
    (void)state;
    static const nasty_mesh_kind kinds[] = {NASTY_SOUP,   NASTY_GRID,       NASTY_FLAT_GRID, NASTY_STACKED,
                                            NASTY_FLOORS, NASTY_WALLS,      NASTY_BOXES,     NASTY_FANS,
                                            NASTY_NGONS,  NASTY_DEGENERATE, NASTY_FAR_GRID};
    test_random random = test_random_start(301);
    tally all = {0};
    numbers_start();
    int rounds = test_long() ? 40 : 2;
    for (int round = 0; round < rounds || (round < 60 && !every_end_seen(&all)); round++) {
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            tally count = {0};
            try_mesh(kinds[k], 25, &random, &count);
            all.asked += count.asked;
            all.unsure += count.unsure;
            all.along += count.along;
            all.wrong += count.wrong;
            for (int i = 0; i < 4; i++)
                all.ends[i] += count.ends[i];
        }
    }
    printf("%lld walks: %lld arrived, %lld without ground, %lld up, %lld down; %lld along edges, %lld "
           "unsure, %lld wrong\n",
           (long long)all.asked, (long long)all.ends[0], (long long)all.ends[1], (long long)all.ends[2],
           (long long)all.ends[3], (long long)all.along, (long long)all.unsure, (long long)all.wrong);
    assert_int_equal(all.wrong, 0);
    assert_true(all.unsure * 20 <= all.asked && all.along * 5 <= all.asked);
    assert_true(every_end_seen(&all));
    for (int i = 0; i < 24; i++)
        mpq_clear(n[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(walks_are_those_of_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
