#include "brute.h"
#include <stdio.h>
#include <string.h>

/// The exact meeting of the question's ray with one triangle of the mesh, as far as the question's rules let it.
static exact_meeting meet(const brute_question *question, int64_t triangle) {
    exact_meeting none = {false, 0, 0, NAN, NAN};
    const nasty_mesh *mesh = question->mesh;
    int64_t polygon = mesh->owners[triangle];
    if (!question->by_triangle && !(mesh->layers[polygon] & question->layers))
        return none;
    lf_vec3 corners[3];
    nasty_mesh_triangle(mesh, triangle, corners);
    if (!exact_may_meet(&question->ray, corners))
        return none;
    exact_meeting meeting = exact_ray_triangle(&question->ray, corners);
    bool one_sided = !question->by_triangle && !question->both_sides && mesh->sides[polygon] == 1;
    if ((one_sided && meeting.facing >= 0) || (question->across && meeting.facing == 0))
        return none;
    return meeting;
}

int brute_order(const brute_question *question, double t, int64_t triangle, double other_t, int64_t other) {
    if (t < other_t - 1e-14 * fabs(other_t) || t > other_t + 1e-14 * fabs(other_t))
        return t < other_t ? -1 : 1;
    lf_vec3 first[3], second[3];
    nasty_mesh_triangle(question->mesh, triangle, first);
    nasty_mesh_triangle(question->mesh, other, second);
    return exact_order(&question->ray, first, &question->ray, second);
}

void brute_ask(const brute_question *question, brute_answer *answer) {
    const nasty_mesh *mesh = question->mesh;
    answer->count = 0;
    answer->first_t = LF_INFINITY;
    answer->first = -1;
    for (int64_t i = 0; i < mesh->triangle_count; i++) {
        exact_meeting meeting = meet(question, i);
        if (!meeting.met)
            continue;
        int64_t element = question->by_triangle ? i : mesh->owners[i];
        brute_hit *last = answer->count ? &answer->hits[answer->count - 1] : NULL;
        brute_hit fresh = {element, meeting.t, i};
        if (!last || last->element != element)
            answer->hits[answer->count++] = fresh;
        else if (brute_order(question, fresh.t, i, last->t, last->triangle) < 0)
            *last = fresh;
    }
    for (int64_t i = 0; i < answer->count; i++) {
        const brute_hit *hit = &answer->hits[i],
                        *best = answer->first < 0 ? NULL : &answer->hits[answer->first];
        if (!best || brute_order(question, hit->t, hit->triangle, best->t, best->triangle) < 0)
            answer->first = i;
        answer->first_t = fmin(answer->first_t, hit->t);
    }
}

static const brute_hit *expected_hit(const brute_answer *answer, int64_t element) {
    for (int64_t i = 0; i < answer->count; i++)
        if (answer->hits[i].element == element)
            return &answer->hits[i];
    return NULL;
}

bool oracle_close_to(double a, double b, double tolerance) {
    return a == b || fabs(a - b) <= tolerance * fabs(b);
}

static double largest(lf_vec3 v) {
    return fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z));
}

static bool near(lf_vec3 a, lf_vec3 b, double tolerance) {
    return largest(lf_vec3_sub(a, b)) <= tolerance;
}

/// How far a height may be off; nothing for rays.
static double oracle_slack(const brute_question *question, const lf_vec3 c[3]) {
    double extent = largest(c[0]) + largest(c[1]) + largest(c[2]) + largest(question->ray.origin);
    return question->across ? BRUTE_HEIGHT_TOLERANCE + BRUTE_EXTENT_TOLERANCE * extent : 0;
}

/// Where the hit is said to be, three ways: point, ray at t, barycentrics.
static const char *oracle_place(const brute_question *question, const lf_hit *hit, const lf_vec3 c[3],
                                double t) {
    lf_vec3 on_ray = lf_vec3_along(question->ray.origin, t, question->ray.direction);
    lf_vec3 ab = lf_vec3_sub(c[1], c[0]), ac = lf_vec3_sub(c[2], c[0]);
    lf_vec3 by_weights = lf_vec3_along(lf_vec3_along(c[0], hit->u, ab), hit->v, ac);
    double reach = largest(c[0]) + largest(question->ray.origin) + fabs(t) * largest(question->ray.direction);
    double slack = oracle_slack(question, c);
    if (!near(hit->point, on_ray, 1e-12 * reach + slack))
        return "point is not on the ray";
    if (!(hit->u >= 0 && hit->v >= 0 && hit->u + hit->v <= 1 + 1e-12))
        return "barycentrics are not in the triangle";
    if (!near(by_weights, on_ray, slack + 1e-12 * reach + 1e-9 * (largest(ab) + largest(ac))))
        return "barycentrics give another point";
    return NULL;
}

static const char *oracle_labels(const brute_question *question, const lf_hit *hit) {
    const nasty_mesh *mesh = question->mesh;
    if (hit->kind != LF_HIT_TRIANGLE || hit->reason != LF_REASON_ANSWERED)
        return "kind or reason of a hit";
    if (hit->part != 0 || hit->level != 0 || hit->resolution != 0)
        return "part, level or resolution is not 0";
    if (question->by_triangle)
        return hit->element < 0 || hit->element >= mesh->triangle_count ? "no such triangle" : NULL;
    if (hit->element < 0 || hit->element >= mesh->polygon_count)
        return "no such polygon";
    if (hit->triangle < 0 ||
        hit->triangle >= mesh->first_triangle[hit->element + 1] - mesh->first_triangle[hit->element])
        return "no such triangle in the polygon";
    if (hit->user != mesh->users[hit->element] || hit->layers != mesh->layers[hit->element])
        return "user or layers are not the polygon's";
    return NULL;
}

static int64_t triangle_of(const brute_question *question, const lf_hit *hit);

bool oracle_is_first(const brute_question *question, const brute_answer *expected, const lf_hit *hit) {
    const brute_hit *first = &expected->hits[expected->first];
    return hit->element == first->element && triangle_of(question, hit) == first->triangle;
}

bool oracle_in_order(const brute_question *question, const brute_answer *expected, const lf_hit *hit,
                     const lf_hit *next) {
    const brute_hit *a = expected_hit(expected, hit->element), *b = expected_hit(expected, next->element);
    if (!a || !b || !(hit->t <= next->t) || triangle_of(question, hit) != a->triangle ||
        triangle_of(question, next) != b->triangle)
        return false;
    int order = brute_order(question, a->t, a->triangle, b->t, b->triangle);
    return order < 0 || (order == 0 && a->element < b->element);
}

static int64_t triangle_of(const brute_question *question, const lf_hit *hit) {
    return question->by_triangle ? hit->element
                                 : question->mesh->first_triangle[hit->element] + hit->triangle;
}

double oracle_height_slack(const brute_question *question, const lf_hit *hit) {
    lf_vec3 corners[3];
    nasty_mesh_triangle(question->mesh, triangle_of(question, hit), corners);
    return oracle_slack(question, corners);
}

const char *oracle_hit(const brute_question *question, const lf_hit *hit, double t_scale) {
    const char *fault = oracle_labels(question, hit);
    if (fault)
        return fault;
    int64_t triangle = triangle_of(question, hit);
    exact_meeting meeting = meet(question, triangle);
    if (!meeting.met)
        return "that triangle is not met";
    lf_vec3 corners[3];
    nasty_mesh_triangle(question->mesh, triangle, corners);
    double slack = oracle_slack(question, corners);
    if (!oracle_close_to(hit->t, meeting.t * t_scale, BRUTE_T_TOLERANCE) &&
        !(fabs(hit->t - meeting.t * t_scale) <= slack))
        return "t is off";
    fault = oracle_place(question, hit, corners, meeting.t);
    if (fault)
        return fault;
    if (!near(hit->normal, exact_normal(corners), question->across ? 1e-9 : 1e-12))
        return "normal is off";
    return NULL;
}

static void oracle_miss(oracle *oracle, const brute_question *question, const checked_ray *said) {
    const lf_hit *hit = &said->first;
    if (hit->kind != LF_HIT_NONE)
        oracle_wrong(oracle, question, "first: a hit where there is none", hit);
    else if (hit->t != question->ray.t_max || hit->element != -1 || hit->reason == LF_REASON_ANSWERED)
        oracle_wrong(oracle, question, "first: a miss with wrong fields", hit);
    if (said->any)
        oracle_wrong(oracle, question, "any: yes where there is nothing", hit);
    if (said->count != 0)
        oracle_wrong(oracle, question, "all: hits where there are none", said->all);
}

static void oracle_first(oracle *oracle, const brute_question *question, const brute_answer *expected,
                         const checked_ray *said) {
    const lf_hit *hit = &said->first;
    if (!said->any)
        oracle_wrong(oracle, question, "any: no where there is something", hit);
    if (hit->kind == LF_HIT_NONE) {
        oracle_wrong(oracle, question, "first: a miss where there is a hit", hit);
        return;
    }
    const char *fault = oracle_hit(question, hit, 1);
    if (fault)
        oracle_wrong(oracle, question, fault, hit);
    else if (!oracle_close_to(hit->t, expected->first_t, BRUTE_T_TOLERANCE))
        oracle_wrong(oracle, question, "first: not the nearest", hit);
    else if (!oracle_is_first(question, expected, hit))
        oracle_wrong(oracle, question, "first: not the lowest of the nearest", hit);
    else if (hit->t < question->ray.t_min || hit->t > question->ray.t_max)
        oracle_wrong(oracle, question, "first: t is not in the ray's interval", hit);
    else if (signbit(hit->t))
        oracle_wrong(oracle, question, "first: t is minus zero", hit);
    if (said->count > 0 && !oracle_same_hit(hit, &said->all[0]))
        oracle_wrong(oracle, question, "first is not the first of all", hit);
}

static void print_vec(const char *name, lf_vec3 v) {
    fprintf(stderr, "    %s {%a, %a, %a}\n", name, v.x, v.y, v.z);
}

static void print_triangle(const brute_question *question, int64_t triangle) {
    const nasty_mesh *mesh = question->mesh;
    exact_meeting meeting = meet(question, triangle);
    int64_t polygon = mesh->owners[triangle];
    lf_vec3 c[3];
    nasty_mesh_triangle(mesh, triangle, c);
    fprintf(stderr, "    triangle %lld of polygon %lld, sides %d: met %d facing %d t %a u %a v %a\n",
            (long long)triangle, (long long)polygon, mesh->sides[polygon], meeting.met, meeting.facing,
            meeting.t, meeting.u, meeting.v);
    for (int k = 0; k < 3; k++)
        print_vec("corner", c[k]);
    print_vec("exact normal", exact_normal(c));
}

/// What should be among all hits and is not.
static void print_missing(const brute_question *question, const brute_answer *expected,
                          const checked_ray *said) {
    fprintf(stderr, "    %lld hits said, %lld exist\n", (long long)said->count, (long long)expected->count);
    for (int64_t i = 0; i < expected->count; i++) {
        int64_t element = expected->hits[i].element, found = 0;
        while (found < said->count && said->all[found].element != element)
            found++;
        if (found == said->count) {
            fprintf(stderr, "    missing: element %lld\n", (long long)element);
            print_triangle(question,
                           question->by_triangle ? element : question->mesh->first_triangle[element]);
        }
    }
}

static void oracle_all(oracle *oracle, const brute_question *question, const brute_answer *expected,
                       const checked_ray *said) {
    if (said->count != expected->count) {
        if (oracle_wrong(oracle, question, "all: wrong count", said->count ? said->all : NULL))
            print_missing(question, expected, said);
    }
    for (int64_t i = 0; i < said->count; i++) {
        const lf_hit *hit = &said->all[i];
        const brute_hit *match = expected_hit(expected, hit->element);
        const char *fault = match ? oracle_hit(question, hit, 1) : "all: element is not met";
        if (!fault && !oracle_close_to(hit->t, match->t, BRUTE_T_TOLERANCE))
            fault = "all: not where the element is entered first";
        if (!fault && i > 0 && !oracle_in_order(question, expected, &hit[-1], hit))
            fault = "all: out of order or twice";
        if (fault) {
            oracle_wrong(oracle, question, fault, hit);
            return;
        }
    }
}

void oracle_ray(oracle *oracle, const brute_question *question, const brute_answer *expected,
                const checked_ray *said) {
    oracle->questions++;
    oracle->meetings += expected->count;
    if (expected->count == 0) {
        oracle->misses++;
        oracle_miss(oracle, question, said);
        return;
    }
    oracle->hits++;
    oracle_first(oracle, question, expected, said);
    oracle_all(oracle, question, expected, said);
}

/// Count a kind of disagreement; how often it has been seen.
static int64_t count_fault(oracle *oracle, const char *what) {
    oracle->wrong++;
    for (int i = 0; i < JUDGE_FAULTS; i++) {
        if (!oracle->faults[i])
            oracle->faults[i] = what;
        if (strcmp(oracle->faults[i], what) == 0)
            return ++oracle->fault_counts[i];
    }
    return oracle->wrong;
}

bool oracle_wrong(oracle *oracle, const brute_question *question, const char *what, const lf_hit *hit) {
    if (count_fault(oracle, what) > 1)
        return false;
    const nasty_mesh *mesh = question->mesh;
    fprintf(stderr, "%s: WRONG: %s (mesh: %s, %lld triangles, layers %x)\n", oracle->name, what, mesh->name,
            (long long)mesh->triangle_count, (unsigned)question->layers);
    print_vec("origin", question->ray.origin);
    print_vec("direction", question->ray.direction);
    fprintf(stderr, "    t %a .. %a\n", question->ray.t_min, question->ray.t_max);
    if (hit)
        fprintf(stderr, "    said: kind %d reason %d t %a element %lld triangle %d u %a v %a\n",
                (int)hit->kind, (int)hit->reason, hit->t, (long long)hit->element, (int)hit->triangle, hit->u,
                hit->v);
    if (hit)
        print_vec("said point", hit->point);
    if (hit)
        print_vec("said normal", hit->normal);
    bool named = hit && hit->kind != LF_HIT_NONE;
    int64_t skip = named ? triangle_of(question, hit) : -1;
    if (named)
        print_triangle(question, skip);
    int printed = 0;
    for (int64_t i = 0; i < mesh->triangle_count && printed < 3; i++) {
        if (i == skip || !meet(question, i).met)
            continue;
        print_triangle(question, i);
        printed++;
    }
    return true;
}

void oracle_close(const oracle *oracle, int64_t at_least) {
    fprintf(stderr, "%s: %lld questions, %lld hits, %lld misses, %lld meetings, %lld wrong\n", oracle->name,
            (long long)oracle->questions, (long long)oracle->hits, (long long)oracle->misses,
            (long long)oracle->meetings, (long long)oracle->wrong);
    for (int i = 0; i < JUDGE_FAULTS && oracle->faults[i]; i++)
        fprintf(stderr, "%s: %lld times: %s\n", oracle->name, (long long)oracle->fault_counts[i],
                oracle->faults[i]);
    assert_int_equal(oracle->wrong, 0);
    assert_true(oracle->questions >= at_least);
    assert_true(oracle->hits >= at_least / 10 && oracle->misses >= at_least / 20);
}

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_vec(lf_vec3 a, lf_vec3 b) {
    return same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.z, b.z);
}

bool oracle_same_hit(const lf_hit *a, const lf_hit *b) {
    return a->kind == b->kind && a->reason == b->reason && same_bits(a->t, b->t) &&
           same_vec(a->point, b->point) && same_vec(a->normal, b->normal) && a->part == b->part &&
           a->element == b->element && a->triangle == b->triangle && a->level == b->level &&
           same_bits(a->u, b->u) && same_bits(a->v, b->v) && same_bits(a->resolution, b->resolution) &&
           a->user == b->user && a->layers == b->layers;
}

bool oracle_same_answers(const checked_ray *a, const checked_ray *b) {
    if (a->any != b->any || a->count != b->count || !oracle_same_hit(&a->first, &b->first))
        return false;
    for (int64_t i = 0; i < a->count; i++)
        if (!oracle_same_hit(&a->all[i], &b->all[i]))
            return false;
    return true;
}
