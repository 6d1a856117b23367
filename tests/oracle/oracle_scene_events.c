/// Events of watches against all pairs, one by one: sampled densely on their way, and by lines that are solved in long doubles.
#include "scenes.h"
#include <math.h>
#include <string.h>

#define THINGS 12
#define PARTS 3
#define SAMPLES 64

/// What the oracle knows of a thing: where its boxes were and are.
typedef struct thing {
    lf_instance instance;
    bool lives;
    int boxes;
    lf_part parts[PARTS];
    lf_box before[PARTS], now[PARTS];
    lf_vec3 velocity;
} thing;

/// And of a pair, for one watch.
typedef struct pair {
    bool touching, predicted;
    double moment;
} pair;

typedef struct world {
    lf_scene *scene;
    lf_watch_precision level;
    lf_watch all;
    lf_watch direct[THINGS][THINGS];
    thing things[THINGS];
    pair pairs[THINGS][THINGS];
    double dt, ahead, slack;
} world;

static lf_box between(lf_box a, lf_box b, double s) {
    lf_box box = {lf_vec3_along(lf_vec3_scale(a.low, 1 - s), s, b.low),
                  lf_vec3_along(lf_vec3_scale(a.high, 1 - s), s, b.high)};
    return box;
}

static lf_box wider(lf_box box, double by) {
    lf_vec3 v = {by, by, by};
    return (lf_box){lf_vec3_sub(box.low, v), lf_vec3_add(box.high, v)};
}

/// The first s in [0, 1] at which two boxes touch whose sides move evenly; above 1: never.
static double first_touch(lf_box a0, lf_box a1, lf_box b0, lf_box b1) {
    const double *p[4] = {&a0.low.x, &a1.low.x, &b0.low.x, &b1.low.x};
    long double first = 0, last = 1;
    for (int k = 0; k < 3; k++)
        for (int side = 0; side < 2; side++) { // a's low under b's high, and the other way round
            long double start =
                side ? (long double)p[2][k] - p[0][3 + k] : (long double)p[0][k] - p[2][3 + k];
            long double end = side ? (long double)p[3][k] - p[1][3 + k] : (long double)p[1][k] - p[3][3 + k];
            if (start > 0 && end > 0)
                return 2;
            if (start > 0)
                first = fmaxl(first, start / (start - end));
            else if (end > 0)
                last = fminl(last, start / (start - end));
        }
    return first <= last ? (double)first : 2;
}

/// Over all pairs of boxes of two things.
static double touch_on_way(const thing *a, const thing *b) {
    double first = 2;
    for (int i = 0; i < a->boxes; i++)
        for (int j = 0; j < b->boxes; j++)
            first = fmin(first, first_touch(a->before[i], a->now[i], b->before[j], b->now[j]));
    return first;
}

static bool touch_at(const thing *a, const thing *b, double s, double slack) {
    for (int i = 0; i < a->boxes; i++)
        for (int j = 0; j < b->boxes; j++)
            if (lf_box_overlap(wider(between(a->before[i], a->now[i], s), slack),
                               between(b->before[j], b->now[j], s)))
                return true;
    return false;
}

static lf_box later(lf_box box, lf_vec3 velocity, double t) {
    return (lf_box){lf_vec3_along(box.low, t, velocity), lf_vec3_along(box.high, t, velocity)};
}

/// Seconds until they touch if they go on; INFINITY: not within `ahead`.
static double touch_ahead(const thing *a, const thing *b, double ahead) {
    double first = 2;
    for (int i = 0; i < a->boxes; i++)
        for (int j = 0; j < b->boxes; j++)
            first = fmin(first, first_touch(a->now[i], later(a->now[i], a->velocity, ahead), b->now[j],
                                            later(b->now[j], b->velocity, ahead)));
    return first <= 1 ? first * ahead : LF_INFINITY;
}

static bool touch_then(const thing *a, const thing *b, double t, double slack) {
    for (int i = 0; i < a->boxes; i++)
        for (int j = 0; j < b->boxes; j++)
            if (lf_box_overlap(wider(later(a->now[i], a->velocity, t), slack),
                               later(b->now[j], b->velocity, t)))
                return true;
    return false;
}

/// The events of one pair for one watch in the step, in order; gives how many.
static int events_of(const lf_event *events, int64_t count, lf_watch watch, const thing *a, const thing *b,
                     lf_event *own) {
    int found = 0;
    for (int64_t i = 0; i < count; i++)
        if (events[i].watch.index == watch.index && events[i].a.instance.index == a->instance.index &&
            events[i].b.instance.index == b->instance.index) {
            assert_true(found < 4);
            own[found++] = events[i];
        }
    return found;
}

/// The contact of the step. Gives the event after those that it has used.
static int oracle_step(world *w, const thing *a, const thing *b, pair *p, const lf_event *own, int count) {
    double start = lf_scene_describe(w->scene).time - w->dt;
    int used = 0;
    bool now = touch_at(a, b, 1, 0);
    double on_way = p->touching ? 2 : touch_on_way(a, b);
    bool begun = used < count && own[used].kind == LF_EVENT_BEGIN;
    if (!p->touching) {
        if (begun) { // where it says they touch, they do
            double s = (own[used].time - start) / w->dt;
            assert_true(s >= -1e-9 && s <= 1 + 1e-9);
            assert_true(touch_at(a, b, s, 1e-9) && (on_way > 1 || fabs(s - on_way) <= 1e-6));
            for (int i = 0; i <= SAMPLES; i++)
                assert_true((double)i / SAMPLES >= s - 1e-9 || !touch_at(a, b, (double)i / SAMPLES, 0));
            used++;
        } else { // where it says nothing, nothing is to be seen
            for (int i = 0; i <= SAMPLES; i++)
                assert_false(touch_at(a, b, (double)i / SAMPLES, 0));
            assert_true(on_way > 1 || !touch_at(a, b, on_way, -1e-9));
        }
        p->touching = begun;
        p->predicted = p->predicted && !begun; // it came true, however short the contact was
    }
    if (p->touching && !now) {
        assert_true(used < count && own[used].kind == LF_EVENT_END);
        used++;
        p->touching = false;
        if (begun)
            return used;
    } else {
        assert_true(used == count || own[used].kind != LF_EVENT_END);
    }
    return used;
}

static int oracle_ahead(world *w, const thing *a, const thing *b, pair *p, const lf_event *own, int count,
                        int used) {
    double time = lf_scene_describe(w->scene).time;
    if (p->touching || w->ahead == 0) {
        p->predicted = false;
        return used;
    }
    double span = p->predicted ? w->ahead * (1 + w->slack) : w->ahead, wait = touch_ahead(a, b, 2 * w->ahead);
    bool told = used < count && own[used].kind == LF_EVENT_PREDICTED;
    bool cleared = used < count && own[used].kind == LF_EVENT_CLEARED;
    bool sure = fabs(wait - span) > 1e-6 &&
                touch_then(a, b, wait < LF_INFINITY ? wait : 0, -1e-9) == (wait < LF_INFINITY);
    if (told) {
        assert_true(own[used].wait <= span + 1e-9 && touch_then(a, b, own[used].wait, 1e-9));
        assert_true(!sure || fabs(own[used].wait - wait) < 1e-6);
        if (p->predicted)
            assert_true(fabs(own[used].time - p->moment) > fmax(w->slack * w->ahead, 0.5 * w->dt) - 1e-9);
        p->moment = own[used].time;
    }
    if (sure) {
        bool wanted = wait <= span;
        if (!wanted)
            assert_true(!told && cleared == p->predicted);
        if (wanted && !p->predicted)
            assert_true(told);
        if (wanted && p->predicted &&
            fabs(time + wait - p->moment) > fmax(w->slack * w->ahead, 0.5 * w->dt) + 1e-6)
            assert_true(told);
        assert_false(wanted && cleared);
    }
    p->predicted = (p->predicted || told) && !cleared;
    return used + (told || cleared);
}

static void oracle_pair(world *w, int i, int j, const lf_event *events, int64_t count) {
    thing *a = &w->things[i], *b = &w->things[j];
    lf_event own[4], again[4];
    int found = events_of(events, count, w->all, a, b, own);
    // Two watches that ask for the same tell the same, however they find it out.
    assert_int_equal(events_of(events, count, w->direct[i][j], a, b, again), found);
    for (int e = 0; e < found; e++)
        assert_true(own[e].kind == again[e].kind && fabs(own[e].time - again[e].time) < 1e-9);
    pair *p = &w->pairs[i][j];
    if (!a->lives || !b->lives) {
        bool told = p->touching || p->predicted;
        assert_int_equal(found, told);
        assert_true(found == 0 || own[0].kind == (p->touching ? LF_EVENT_END : LF_EVENT_CLEARED));
        *p = (pair){false, false, 0};
        return;
    }
    int used = oracle_step(w, a, b, p, own, found);
    used = oracle_ahead(w, a, b, p, own, found, used);
    assert_int_equal(used, found);
}

static lf_vec3 random_vector(test_random *random, double most) {
    double x = test_random_between(random, -most, most), y = test_random_between(random, -most, most);
    return (lf_vec3){x, y, test_random_between(random, -most, most)};
}

static void read_boxes(world *w, thing *t, lf_box *boxes) {
    if (w->level == LF_WATCH_BOXES)
        assert_int_equal(lf_part_box(w->scene, test_top(w->scene, t->instance), &boxes[0]), LF_OK);
    else
        for (int p = 0; p < PARTS; p++)
            assert_int_equal(lf_part_box(w->scene, t->parts[p], &boxes[p]), LF_OK);
}

static void make_thing(world *w, test_random *random, thing *t) {
    lf_vec3 size = {test_random_between(random, 0.1, 2), test_random_between(random, 0.1, 2), 1};
    t->instance = test_box(w->scene, size, random_vector(random, 8), random_vector(random, 3));
    t->lives = true;
    t->boxes = w->level == LF_WATCH_BOXES ? 1 : PARTS;
    lf_part top = test_top(w->scene, t->instance);
    lf_part_info info;
    lf_part_describe(w->scene, top, &info);
    t->parts[0] = info.first;
    for (int p = 1; p < PARTS; p++)
        t->parts[p] = test_part(w->scene, top, p == 1 ? LF_SHAPE_SPHERE : LF_SHAPE_CYLINDER,
                                (lf_vec3){0.5, 0.5, 0.5}, random_vector(random, 2));
    read_boxes(w, t, t->before);
}

static void change(world *w, test_random *random, thing *t) {
    lf_vec3 v = random_vector(random, 4), zero = {0, 0, 0};
    lf_transform move = lf_translation(0.1 * v.x, 0.1 * v.y, 0.1 * v.z);
    switch (test_random_below(random, 12)) {
    case 0:
        lf_instance_set_motion(w->scene, t->instance, LF_MOTION_CARRIED, v, zero, 0);
        break;
    case 1:
        lf_instance_set_motion(w->scene, t->instance, LF_MOTION_MEASURED, zero, zero, 0);
        break;
    case 2:
        lf_instance_move(w->scene, t->instance, v);
        break;
    case 3:
        lf_part_transform(w->scene, t->parts[test_random_below(random, PARTS)], &move);
        break;
    case 4:
        lf_instance_scale(w->scene, t->instance, (lf_vec3){1, exp(0.1 * v.y), 1});
        break;
    default: // most of the time things go on
        break;
    }
}

/// Things turn back at the walls, so that something happens.
static void turn_back(world *w, thing *t) {
    lf_instance_info info;
    assert_int_equal(lf_instance_describe(w->scene, t->instance, &info), LF_OK);
    lf_vec3 p = info.pose.translation, v = info.velocity, zero = {0, 0, 0};
    if (info.motion != LF_MOTION_CARRIED || (fabs(p.x) < 10 && fabs(p.y) < 10 && fabs(p.z) < 10))
        return;
    v.x = p.x > 10 ? -fabs(v.x) : p.x < -10 ? fabs(v.x) : v.x;
    v.y = p.y > 10 ? -fabs(v.y) : p.y < -10 ? fabs(v.y) : v.y;
    v.z = p.z > 10 ? -fabs(v.z) : p.z < -10 ? fabs(v.z) : v.z;
    lf_instance_set_motion(w->scene, t->instance, LF_MOTION_CARRIED, v, zero, 0);
}

/// Does an event have to come before another? By time, then by watch, then by the two instances, then by kind.
static bool comes_before(const lf_event *p, const lf_event *q) {
    const uint32_t first[4] = {p->watch.index, p->a.instance.index, p->b.instance.index, (uint32_t)p->kind};
    const uint32_t second[4] = {q->watch.index, q->a.instance.index, q->b.instance.index, (uint32_t)q->kind};
    if (p->time != q->time)
        return p->time < q->time;
    for (int k = 0; k < 4; k++)
        if (first[k] != second[k])
            return first[k] < second[k];
    return false;
}

/// Every event against every later one, and the time that its kind has.
static void oracle_order(const lf_event *events, int64_t count, double now, double dt) {
    for (int64_t i = 0; i < count; i++) {
        const lf_event *event = &events[i];
        if (event->kind == LF_EVENT_BEGIN)
            assert_true(event->time >= now - dt - 1e-9 && event->time <= now + 1e-9);
        else if (event->kind == LF_EVENT_PREDICTED)
            assert_true(event->time >= now);
        else
            assert_true(event->time == now);
        for (int64_t j = i + 1; j < count; j++)
            assert_true(comes_before(event, &events[j]));
    }
}

static void one_step(world *w, test_random *random) {
    for (int i = 0; i < THINGS; i++)
        if (w->things[i].lives) {
            turn_back(w, &w->things[i]);
            if (lf_scene_describe(w->scene).steps >
                0) // on its first way a thing has the form it has at the end
                change(w, random, &w->things[i]);
            if (test_random_below(random, 400) == 0) {
                assert_int_equal(lf_instance_remove(w->scene, w->things[i].instance), LF_OK);
                w->things[i].lives = false;
            }
        }
    int64_t count;
    const lf_event *events = test_step(w->scene, w->dt, &count);
    oracle_order(events, count, lf_scene_describe(w->scene).time, w->dt);
    for (int i = 0; i < THINGS; i++)
        if (w->things[i].lives) {
            lf_instance_info info;
            lf_instance_describe(w->scene, w->things[i].instance, &info);
            w->things[i].velocity = info.velocity;
            read_boxes(w, &w->things[i], w->things[i].now);
        }
    int64_t told = 0;
    for (int i = 0; i < THINGS; i++)
        for (int j = i + 1; j < THINGS; j++)
            oracle_pair(w, i, j, events, count);
    for (int64_t i = 0; i < count; i++)
        told += events[i].a.instance.index < events[i].b.instance.index;
    assert_int_equal(told, count);
    for (int i = 0; i < THINGS; i++)
        memcpy(w->things[i].before, w->things[i].now, sizeof w->things[i].now);
}

static void run_world(test_random *random, lf_watch_precision level, double ahead) {
    world w = {.scene = test_scene(),
               .level = level,
               .dt = test_random_between(random, 0.05, 0.5),
               .ahead = ahead,
               .slack = 0.25};
    for (int i = 0; i < THINGS; i++)
        make_thing(&w, random, &w.things[i]);
    lf_watch_def def = lf_watch_def_default();
    def.precision = level;
    def.ahead = ahead;
    assert_int_equal(lf_watch_create(w.scene, &def, &w.all, NULL), LF_OK);
    def.a.kind = def.b.kind = LF_WATCH_FILTER_INSTANCE;
    for (int i = 0; i < THINGS; i++)
        for (int j = i + 1; j < THINGS; j++) {
            def.a.instance = w.things[i].instance;
            def.b.instance = w.things[j].instance;
            assert_int_equal(lf_watch_create(w.scene, &def, &w.direct[i][j], NULL), LF_OK);
        }
    for (int step = 0; step < 120; step++)
        one_step(&w, random);
    lf_scene_stats stats = lf_scene_describe(w.scene);
    assert_true(stats.sleeping_pairs > 0);
    lf_scene_destroy(w.scene);
}

static void events_of_boxes(void **state) {
    (void)state;
    test_random random = test_random_start(831);
    for (int64_t round = 0; round < test_rounds(4); round++) {
        run_world(&random, LF_WATCH_BOXES, 0);
        run_world(&random, LF_WATCH_BOXES, test_random_between(&random, 0.2, 3));
    }
}

static void events_of_parts(void **state) {
    (void)state;
    test_random random = test_random_start(832);
    for (int64_t round = 0; round < test_rounds(3); round++)
        run_world(&random, LF_WATCH_PARTS, test_random_between(&random, 0.2, 3));
}

/// A ball that turns and grows with its instance, and what is known of it.
typedef struct ball {
    lf_instance instance;
    lf_vec3 before, now;
    double radius;
} ball;

/// The least distance of two points that move evenly, and when.
static double least_distance(const ball *a, const ball *b, double *s) {
    lf_vec3 from = lf_vec3_sub(a->before, b->before), to = lf_vec3_sub(a->now, b->now),
            way = lf_vec3_sub(to, from);
    double square = lf_vec3_dot(way, way);
    *s = square > 0 ? fmin(fmax(-lf_vec3_dot(from, way) / square, 0), 1) : 0;
    return lf_vec3_length(lf_vec3_along(from, *s, way));
}

static void oracle_balls(const ball *a, const ball *b, bool *touching, const lf_event *events, int64_t count,
                         uint32_t watch) {
    int begun = 0, ended = 0;
    double begin = 0, s;
    for (int64_t i = 0; i < count; i++)
        if (events[i].watch.index == watch && events[i].a.instance.index == a->instance.index &&
            events[i].b.instance.index == b->instance.index) {
            begun += events[i].kind == LF_EVENT_BEGIN;
            ended += events[i].kind == LF_EVENT_END;
            if (events[i].kind == LF_EVENT_BEGIN)
                begin = 1 + events[i].wait; // steps are of one second
        }
    double reach = a->radius + b->radius, slack = 4e-6 * reach;
    double least = least_distance(a, b, &s), now = lf_vec3_length(lf_vec3_sub(a->now, b->now));
    assert_true(begun <= 1 && ended <= 1 && !(*touching && begun));
    if (!*touching && least < reach - slack)
        assert_int_equal(begun, 1);
    if (!*touching && least > reach + slack)
        assert_int_equal(begun, 0);
    if (begun) { // when it says they touch, they do
        lf_vec3 at_a = lf_vec3_along(lf_vec3_scale(a->before, 1 - begin), begin, a->now);
        lf_vec3 at_b = lf_vec3_along(lf_vec3_scale(b->before, 1 - begin), begin, b->now);
        double then = lf_vec3_length(lf_vec3_sub(at_a, at_b)),
               start = lf_vec3_length(lf_vec3_sub(a->before, b->before));
        assert_true(then <= reach + slack && (then >= reach - slack || start <= reach + slack));
    }
    *touching = (*touching || begun) && !ended;
    if (now < reach - slack)
        assert_true(*touching);
    if (now > reach + slack)
        assert_false(*touching);
}

static void events_of_balls(void **state) {
    (void)state;
    enum { COUNT = 8, WATCHES = 2 };
    test_random random = test_random_start(833);
    ball balls[COUNT];
    bool touching[WATCHES][COUNT][COUNT] = {0};
    lf_scene *scene = test_scene();
    for (int i = 0; i < COUNT; i++) {
        balls[i].radius = test_random_between(&random, 0.5, 2);
        double d = 2 * balls[i].radius;
        lf_object object = test_object(scene, LF_SHAPE_SPHERE, (lf_vec3){d, d, d});
        balls[i].before = random_vector(&random, 5);
        balls[i].instance = test_instance(scene, object, balls[i].before, (lf_vec3){0, 0, 0});
    }
    lf_watch_def def = lf_watch_def_default();
    def.precision = LF_WATCH_CONVEX;
    assert_int_equal(lf_watch_create(scene, &def, NULL, NULL), LF_OK);
    def.precision = LF_WATCH_MODEL;
    assert_int_equal(lf_watch_create(scene, &def, NULL, NULL), LF_OK);
    for (int64_t step = 0; step < test_rounds(150); step++) {
        for (int i = 0; i < COUNT; i++) {
            lf_vec3 aim = random_vector(&random, 5),
                    by = lf_vec3_scale(lf_vec3_sub(aim, balls[i].before), 0.3);
            lf_instance_move(scene, balls[i].instance, by);
            lf_instance_turn(scene, balls[i].instance, (lf_vec3){1, aim.x, aim.y}, 1);
            lf_instance_info info;
            lf_instance_describe(scene, balls[i].instance, &info);
            balls[i].now = info.pose.translation;
        }
        int64_t count;
        const lf_event *events = test_step(scene, 1, &count);
        oracle_order(events, count, lf_scene_describe(scene).time, 1);
        for (uint32_t w = 0; w < WATCHES; w++)
            for (int i = 0; i < COUNT; i++)
                for (int j = i + 1; j < COUNT; j++)
                    oracle_balls(&balls[i], &balls[j], &touching[w][i][j], events, count, w);
        for (int i = 0; i < COUNT; i++)
            balls[i].before = balls[i].now;
    }
    lf_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(events_of_boxes), cmocka_unit_test(events_of_parts),
                                       cmocka_unit_test(events_of_balls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
