/// Times of contact against dense sampling, and, where there is a closed form, against rational numbers.
#include "contact/contact.h"
#include "support.h"
#include <gmp.h>
#include <landfall/published.h>
#include <stdlib.h>

/// Numbers of one test: whole ones make exact touching common.
typedef struct maker {
    test_random random;
    bool whole;
} maker;

static double number(maker *make, double low, double high) {
    double at = test_random_between(&make->random, low, high);
    return make->whole ? floor(at) : at;
}

static lf_vec3 vector(maker *make, double most) {
    return (lf_vec3){number(make, -most, most), number(make, -most, most), number(make, -most, most)};
}

static lf_moving_box moving_box(maker *make, double most) {
    lf_vec3 low = vector(make, most);
    lf_box box = {low, {low.x + number(make, 0, 3), low.y + number(make, 0, 3), low.z + number(make, 0, 3)}};
    lf_vec3 velocity = vector(make, 4);
    if (test_random_below(&make->random, 3) == 0)
        velocity.x = velocity.z = 0;
    return (lf_moving_box){box, velocity, {0, 0, 0}, {0, 0, 0}};
}

// ---------------------------------------------------------------------------------------------------
// Aligned boxes in rational numbers
// ---------------------------------------------------------------------------------------------------

/// (far - near) / (speed - other)
static void fraction(mpq_t out, double far, double near, double speed, double other) {
    mpq_t number;
    mpq_init(number);
    mpq_set_d(out, far);
    mpq_set_d(number, near);
    mpq_sub(out, out, number);
    mpq_t below;
    mpq_init(below);
    mpq_set_d(below, speed);
    mpq_set_d(number, other);
    mpq_sub(below, below, number);
    mpq_div(out, out, below);
    mpq_clear(below);
    mpq_clear(number);
}

static void raise_to(mpq_t most, const mpq_t value) {
    if (mpq_cmp(value, most) > 0)
        mpq_set(most, value);
}

static void lower_to(mpq_t least, const mpq_t value) {
    if (mpq_cmp(value, least) < 0)
        mpq_set(least, value);
}

/// Whether and when, without rounding.
static bool meet_exactly(const lf_moving_box *a, const lf_moving_box *b, double ahead, mpq_t from) {
    const double *low_a = &a->box.low.x, *high_a = &a->box.high.x, *low_b = &b->box.low.x,
                 *high_b = &b->box.high.x;
    const double *speed_a = &a->velocity.x, *speed_b = &b->velocity.x;
    bool never = false;
    mpq_t to, one, two;
    mpq_inits(to, one, two, NULL);
    mpq_set_d(to, ahead);
    mpq_set_ui(from, 0, 1);
    for (int k = 0; k < 3; k++) {
        if (speed_a[k] == speed_b[k]) {
            never |= low_a[k] > high_b[k] || low_b[k] > high_a[k];
            continue;
        }
        fraction(one, low_b[k], high_a[k], speed_a[k], speed_b[k]);
        fraction(two, high_b[k], low_a[k], speed_a[k], speed_b[k]);
        if (mpq_cmp(one, two) > 0)
            mpq_swap(one, two);
        raise_to(from, one);
        lower_to(to, two);
    }
    never |= mpq_cmp(from, to) > 0;
    mpq_clears(to, one, two, NULL);
    return !never;
}

/// The same, asked of rational numbers; aims at each other's corners half of the time.
static void aligned_boxes(void **state) {
    (void)state;
    maker make = {test_random_start(1), false};
    mpq_t from;
    mpq_init(from);
    int64_t met = 0;
    for (int64_t i = 0; i < test_rounds(20000); i++) {
        make.whole = i % 2;
        lf_moving_box a = moving_box(&make, 8), b = moving_box(&make, 8);
        double ahead = make.whole ? number(&make, 0, 6) : number(&make, 0, 3);
        lf_contact_result meeting;
        assert_int_equal(lf_contact_boxes(&a, &b, ahead, &meeting), LF_OK);
        bool meets = meet_exactly(&a, &b, ahead, from);
        assert_int_equal(meeting.meets, meets);
        met += meets;
        if (!meets) {
            assert_true(meeting.time == ahead);
            continue;
        }
        double right = mpq_get_d(from);
        assert_true(fabs(meeting.time - right) <= 8 * 0x1p-53 * right);
    }
    assert_true(met > 0);
    mpq_clear(from);
}

/// Corners that meet exactly, and miss by one unit in the last place.
static void grazing_boxes(void **state) {
    (void)state;
    maker make = {test_random_start(2), false};
    mpq_t from;
    mpq_init(from);
    for (int64_t i = 0; i < test_rounds(5000); i++) {
        lf_moving_box a = moving_box(&make, 8), b = moving_box(&make, 8);
        double t = test_random_between(&make.random, 0.1, 2);
        // b's low corner comes to a's high corner at t, up to rounding
        lf_vec3 target = lf_vec3_along(a.box.high, t, lf_vec3_sub(a.velocity, b.velocity));
        lf_vec3 size = lf_vec3_sub(b.box.high, b.box.low);
        b.box.low = target;
        b.box.high = lf_vec3_add(target, size);
        lf_contact_result meeting;
        assert_int_equal(lf_contact_boxes(&a, &b, 3, &meeting), LF_OK);
        assert_int_equal(meeting.meets, meet_exactly(&a, &b, 3, from));
    }
    mpq_clear(from);
}

// ---------------------------------------------------------------------------------------------------
// Spheres in rational numbers
// ---------------------------------------------------------------------------------------------------

static void set_difference(mpq_t out, double a, double b) {
    mpq_t other;
    mpq_init(other);
    mpq_set_d(out, a);
    mpq_set_d(other, b);
    mpq_sub(out, out, other);
    mpq_clear(other);
}

/// a t^2 + 2 b t + c
typedef struct rational_quadratic {
    mpq_t a, b, c;
} rational_quadratic;

static void add_product(mpq_t sum, const mpq_t x, const mpq_t y) {
    mpq_t product;
    mpq_init(product);
    mpq_mul(product, x, y);
    mpq_add(sum, sum, product);
    mpq_clear(product);
}

static void make_quadratic(const lf_moving_sphere *s, const lf_moving_sphere *t, rational_quadratic *q) {
    mpq_t p, w;
    mpq_inits(q->a, q->b, q->c, p, w, NULL);
    for (int k = 0; k < 3; k++) {
        set_difference(p, (&t->centre.x)[k], (&s->centre.x)[k]);
        set_difference(w, (&t->velocity.x)[k], (&s->velocity.x)[k]);
        add_product(q->a, w, w);
        add_product(q->b, p, w);
        add_product(q->c, p, p);
    }
    set_difference(p, s->radius, -t->radius);
    mpq_mul(p, p, p);
    mpq_sub(q->c, q->c, p);
    mpq_clears(p, w, NULL);
}

/// Is the quadratic at most 0 somewhere in [0, ahead]? At the ends, or at the vertex between them.
static bool spheres_meet_exactly(const rational_quadratic *q, double ahead) {
    mpq_t t, value, vertex;
    mpq_inits(t, value, vertex, NULL);
    bool meets = mpq_sgn(q->c) <= 0;
    mpq_set_d(t, ahead);
    mpq_set(value, q->c);
    add_product(value, q->b, t);
    add_product(value, q->b, t);
    mpq_mul(t, t, t);
    add_product(value, q->a, t);
    meets |= mpq_sgn(value) <= 0;
    if (mpq_sgn(q->a) > 0) {
        mpq_div(vertex, q->b, q->a);
        mpq_neg(vertex, vertex);
        mpq_set_d(t, ahead);
        bool inside = mpq_sgn(vertex) >= 0 && mpq_cmp(vertex, t) <= 0;
        mpq_set(value, q->c);
        add_product(value, q->b, vertex);
        meets |= inside && mpq_sgn(value) <= 0;
    }
    mpq_clears(t, value, vertex, NULL);
    return meets;
}

static void spheres(void **state) {
    (void)state;
    maker make = {test_random_start(3), false};
    for (int64_t i = 0; i < test_rounds(10000); i++) {
        make.whole = i % 2;
        lf_moving_sphere a = {vector(&make, 6), number(&make, 0, 4), vector(&make, 3)};
        lf_moving_sphere b = {vector(&make, 6), number(&make, 0, 4), vector(&make, 3)};
        double ahead = number(&make, 0, 5);
        lf_contact_result meeting;
        rational_quadratic q;
        assert_int_equal(lf_contact_spheres(&a, &b, ahead, &meeting), LF_OK);
        make_quadratic(&a, &b, &q);
        assert_int_equal(meeting.meets, spheres_meet_exactly(&q, ahead));
        if (meeting.meets && meeting.time > 0) { // the distance at that time
            double distance = lf_vec3_length(lf_vec3_sub(lf_vec3_along(a.centre, meeting.time, a.velocity),
                                                         lf_vec3_along(b.centre, meeting.time, b.velocity)));
            assert_true(fabs(distance - a.radius - b.radius) < 1e-6);
        }
        mpq_clears(q.a, q.b, q.c, NULL);
    }
}

// ---------------------------------------------------------------------------------------------------
// Blocks and what turns, by sampling
// ---------------------------------------------------------------------------------------------------

static lf_vec3 some_direction(maker *make) {
    lf_vec3 way;
    do {
        way = (lf_vec3){test_random_between(&make->random, -1, 1), test_random_between(&make->random, -1, 1),
                        test_random_between(&make->random, -1, 1)};
    } while (lf_vec3_length(way) < 0.1);
    return lf_vec3_unit(way);
}

static lf_moving_block moving_block(maker *make) {
    lf_pose pose;
    lf_pose_turn((lf_vec3){0, 0, 0}, some_direction(make), test_random_between(&make->random, 0, 6), &pose);
    lf_moving_block block = {vector(make, 6),
                             {number(make, 0, 2), number(make, 0, 2), number(make, 0, 2)},
                             {pose.rows[0], pose.rows[1], pose.rows[2]},
                             vector(make, 4)};
    return block;
}

/// A block as a body of eight points.
static lf_body body_of(const lf_moving_block *block, lf_vec3 points[8]) {
    lf_body body = {.kind = LF_BODY_POINTS,
                    .points = points,
                    .count = 8,
                    .rows = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                    .velocity = block->velocity};
    for (int i = 0; i < 8; i++) {
        lf_vec3 at = block->centre;
        at = lf_vec3_along(at, i & 1 ? block->half.x : -block->half.x, block->axes[0]);
        at = lf_vec3_along(at, i & 2 ? block->half.y : -block->half.y, block->axes[1]);
        points[i] = lf_vec3_along(at, i & 4 ? block->half.z : -block->half.z, block->axes[2]);
    }
    return body;
}

/// How far apart two bodies are at some time, at least.
static double gap_at(const lf_body *a, const lf_body *b, double time) {
    lf__posed posed_a, posed_b;
    lf__pose_body(a, time, &posed_a);
    lf__pose_body(b, time, &posed_b);
    return lf__find_gap(&posed_a, &posed_b, 0).least;
}

enum { SAMPLES = 40 };

/// No sample before the meeting touches; at the meeting they are as near as promised.
static void oracle(const lf_body *a, const lf_body *b, double ahead, const lf_contact_result *meeting,
                   double near) {
    double until = meeting->meets ? meeting->time : ahead;
    for (int i = 0; i < SAMPLES; i++)
        assert_true(gap_at(a, b, until * i / SAMPLES) > 0 || until * i / SAMPLES >= until);
    if (meeting->meets)
        assert_true(gap_at(a, b, meeting->time) <= near);
    else
        assert_true(gap_at(a, b, ahead) > 0);
}

static void blocks(void **state) {
    (void)state;
    maker make = {test_random_start(4), false};
    for (int64_t i = 0; i < test_rounds(2000); i++) {
        lf_moving_block a = moving_block(&make), b = moving_block(&make);
        lf_vec3 points_a[8], points_b[8];
        lf_contact_result meeting, other;
        double ahead = number(&make, 0.1, 3);
        assert_int_equal(lf_contact_blocks(&a, &b, ahead, &meeting), LF_OK);
        lf_body body_a = body_of(&a, points_a), body_b = body_of(&b, points_b);
        oracle(&body_a, &body_b, ahead, &meeting, 1e-9);
        assert_int_equal(lf_contact_bodies(&body_a, &body_b, ahead, &other), LF_OK);
        if (meeting.meets) {
            assert_true(other.meets);
            assert_true(other.time <= meeting.time + 1e-9);
        }
    }
}

/// A box with spin as a body that turns.
static lf_body turning_body(const lf_moving_box *box, lf_vec3 points[8]) {
    lf_vec3 centre = lf_box_centre(box->box);
    lf_moving_block block = {
        centre, lf_vec3_sub(box->box.high, centre), {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, box->velocity};
    lf_body body = body_of(&block, points);
    body.spin = box->spin;
    body.pivot = box->pivot;
    return body;
}

static lf_moving_box spinning_box(maker *make) {
    lf_moving_box box = moving_box(make, 6);
    box.velocity = vector(make, 2);
    if (test_random_below(&make->random, 3) > 0)
        box.spin = vector(make, 3);
    box.pivot = test_random_below(&make->random, 2) ? lf_box_centre(box.box) : vector(make, 6);
    return box;
}

static double size_of(const lf_moving_box *box) {
    return lf_vec3_length(lf_vec3_sub(box->box.high, box->box.low));
}

static void turning_boxes(void **state) {
    (void)state;
    maker make = {test_random_start(5), false};
    for (int64_t i = 0; i < test_rounds(1500); i++) {
        lf_moving_box a = spinning_box(&make), b = spinning_box(&make);
        lf_vec3 points_a[8], points_b[8];
        lf_contact_result meeting;
        double ahead = number(&make, 0.1, 3);
        assert_int_equal(lf_contact_boxes(&a, &b, ahead, &meeting), LF_OK);
        lf_body body_a = turning_body(&a, points_a), body_b = turning_body(&b, points_b);
        oracle(&body_a, &body_b, ahead, &meeting, 1.01e-6 * (size_of(&a) + size_of(&b)));
    }
}

static void predict(lf_gottstein_contact_kind kind, const lf_moving_box *a, const lf_moving_box *b,
                    double ahead, lf_contact_result *meeting) {
    assert_int_equal(lf_gottstein_contact(kind)->boxes(a, b, ahead, 1.0 / 16, meeting), LF_OK);
}

/// Gottstein's methods: when they may be early, when late, and what they may not miss.
static void methods(void **state) {
    (void)state;
    maker make = {test_random_start(6), false};
    for (int64_t i = 0; i < test_rounds(800); i++) {
        lf_moving_box a = spinning_box(&make), b = spinning_box(&make);
        lf_contact_result exact, steps, round, halved, both;
        double ahead = number(&make, 0.1, 3);
        assert_int_equal(lf_contact_boxes(&a, &b, ahead, &exact), LF_OK);
        predict(LF_GOTTSTEIN_STEPS, &a, &b, ahead, &steps);
        predict(LF_GOTTSTEIN_SPHERES, &a, &b, ahead, &round);
        predict(LF_GOTTSTEIN_BISECTION, &a, &b, ahead, &halved);
        predict(LF_GOTTSTEIN_SPHERES_BISECTION, &a, &b, ahead, &both);
        if (steps.meets) { // what is seen at a tick is there
            assert_true(exact.meets && round.meets && halved.meets && both.meets);
            assert_true(exact.time <= steps.time + 1e-9);
            assert_true(round.time <= steps.time && halved.time <= steps.time && both.time <= steps.time);
        }
        bool turns = !lf__is_zero(a.spin) || !lf__is_zero(b.spin);
        if (exact.meets && !turns) {
            assert_true(round.meets && halved.meets && both.meets);
            assert_true(round.time <= exact.time + 1e-9);
            assert_true(halved.time <= exact.time + 1e-9 && both.time <= exact.time + 1e-9);
        }
        assert_true(!both.meets || round.meets);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_boxes), cmocka_unit_test(grazing_boxes), cmocka_unit_test(spheres),
        cmocka_unit_test(blocks),        cmocka_unit_test(turning_boxes), cmocka_unit_test(methods),
    };
    return cmocka_run_group_tests_name("oracle_scene_contact", tests, NULL, NULL);
}
