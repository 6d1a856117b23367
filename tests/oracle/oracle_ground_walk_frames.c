// Walks in every frame against a walker that takes many small steps and asks for all heights at each.
//
// Such a walker can step over what is narrower than its steps, so it may go farther: then the place where the
// library stopped is looked at closely.
#include "support.h"
#include <stdio.h>
#include <stdlib.h>

#define TRIANGLES 400
#define SAMPLES 1500
#define SLACK 2e-9

typedef struct scene {
    const char *name;
    lf_frame frame;
    lf_vec3 vertices[3 * TRIANGLES];
    int64_t corners[3 * TRIANGLES];
    lf_mesh *mesh;
    const lf_ground *ground;
} scene;

typedef struct walker {
    const scene *scene;
    lf_walker limits;
    lf_vec3 from, to;
} walker;

static double any(test_random *random, double low, double high) {
    return test_random_between(random, low, high);
}

/// A place about 10 m up in the frame; `spread` metres around it.
static lf_vec3 place_in(const scene *s, test_random *random, double spread) {
    lf_vec3 local = {any(random, -spread, spread), any(random, -spread, spread), any(random, 9, 11)};
    if (s->frame.kind == LF_FRAME_CENTRE)
        local = (lf_vec3){0.1 * local.x, 0.1 * local.y, local.z};
    else if (s->frame.kind == LF_FRAME_AXIS_IN)
        local = (lf_vec3){0.1 * local.x, local.y, local.z};
    else if (s->frame.kind == LF_FRAME_AXIS_OUT)
        local = (lf_vec3){0.1 * local.x, local.y, -local.z};
    return lf_frame_to_world(&s->frame, local);
}

static void make_scene(scene *s, test_random *random) {
    for (int i = 0; i < TRIANGLES; i++) {
        lf_vec3 middle = place_in(s, random, 14);
        for (int k = 0; k < 3; k++) {
            lf_vec3 off = {any(random, -6, 6), any(random, -6, 6), any(random, -6, 6)};
            // Mostly level: little of the offset is along gravity.
            lf_vec3 down = lf_frame_down(&s->frame, middle);
            off = lf_vec3_along(off, -0.8 * lf_vec3_dot(off, down), down);
            s->vertices[3 * i + k] = lf_vec3_add(middle, off);
            s->corners[3 * i + k] = 3 * i + k;
        }
    }
    lf_mesh_def def = lf_mesh_def_default();
    def.frame = s->frame;
    def.polygons = (lf_polygons){.vertices = s->vertices,
                                 .vertex_count = 3 * TRIANGLES,
                                 .corners = s->corners,
                                 .polygon_count = TRIANGLES};
    assert_int_equal(lf_mesh_create(&def, &s->mesh, NULL), LF_OK);
    s->ground = lf_mesh_ground(s->mesh);
}

/// How high a point is: what grows upwards by a metre per metre.
static double height_of(const lf_frame *frame, lf_vec3 p) {
    lf_vec3 from = lf_vec3_sub(p, frame->origin);
    if (frame->kind == LF_FRAME_GRAVITY)
        return -lf_vec3_dot(lf_vec3_unit(frame->down), p);
    if (frame->kind != LF_FRAME_CENTRE) {
        lf_vec3 axis = lf_vec3_unit(frame->down);
        from = lf_vec3_along(from, -lf_vec3_dot(from, axis), axis);
    }
    return frame->kind == LF_FRAME_AXIS_OUT ? -lf_vec3_length(from) : lf_vec3_length(from);
}

/// The highest ground not more than a step above a height, at t; false: none.
static bool ground_at(const walker *w, double t, double height, double *found) {
    lf_vec3 p = lf_vec3_along(w->from, t, lf_vec3_sub(w->to, w->from));
    lf_hit hits[TRIANGLES];
    int64_t count;
    bool any_found = false;
    assert_int_equal(lf_ground_height_all(w->scene->ground, p, hits, TRIANGLES, &count, NULL), LF_OK);
    for (int64_t i = 0; i < count; i++) {
        double h = height_of(&w->scene->frame, p) - hits[i].t;
        if (h <= height + w->limits.step + SLACK && (!any_found || h > *found)) {
            *found = h;
            any_found = true;
        }
    }
    return any_found;
}

static bool permitted(const walker *w, double t, double height, double *found) {
    return ground_at(w, t, height, found) && height - *found <= w->limits.drop + SLACK;
}

/// Small steps; returns the t of the last that was permitted, -1 without ground to start from. `limit`: how far to go.
static double sampled(const walker *w, double limit, double *height) {
    double from = height_of(&w->scene->frame, w->from), last = 0;
    if (!ground_at(w, 0, from, height))
        return -1;
    for (int i = 1; i <= SAMPLES && last < limit; i++) {
        double t = fmin(limit, (double)i / SAMPLES), next = 0;
        if (!permitted(w, t, *height, &next))
            break;
        *height = next;
        last = t;
    }
    return last;
}

typedef struct tally {
    int64_t asked, ends[4], narrow, unsure, wrong;
} tally;

/// The library stopped where small steps did not: is there, next to that place, a place without permitted ground?
static bool blocked_beyond(const walker *w, const lf_walk *walk) {
    double height = height_of(&w->scene->frame, walk->position), next;
    for (int i = 1; i <= 200; i++)
        if (!permitted(w, walk->t + 1e-9 * i * i, height, &next))
            return true;
    return false;
}

static void oracle_walk(const walker *w, tally *count) {
    lf_walk walk;
    assert_int_equal(lf_ground_walk(w->scene->ground, &w->limits, w->from, w->to, &walk, NULL, NULL), LF_OK);
    double height = 0, reached = sampled(w, 1, &height);
    bool none = walk.ground.kind == LF_HIT_NONE;
    const char *fault = NULL;
    count->asked++;
    count->ends[walk.end]++;
    if (none || reached < 0)
        fault = none == (reached < 0) ? NULL : "only one of them finds a start";
    else if (fabs(height_of(&w->scene->frame, walk.position) -
                  height_of(&w->scene->frame, walk.ground.point)) > 1e-9)
        fault = "the position is not on the ground";
    else if (walk.t + 2.0 / SAMPLES < reached) {
        fault = blocked_beyond(w, &walk) ? NULL : "it stopped where it need not";
        count->narrow++;
    } else if (walk.t > reached + 2.0 / SAMPLES) {
        // Small steps can also miss the narrow thing that leads on: then both went different ways.
        count->unsure++;
    } else if (walk.end == LF_WALK_ARRIVED &&
               fabs(height_of(&w->scene->frame, walk.position) - height) > 1e-6) {
        count->unsure++;
    }
    if (fault && count->wrong++ == 0)
        printf("%s: %s: from {%.17g, %.17g, %.17g} to {%.17g, %.17g, %.17g} step %.17g drop %.17g: t %.17g, "
               "by small "
               "steps %.17g\n",
               w->scene->name, fault, w->from.x, w->from.y, w->from.z, w->to.x, w->to.y, w->to.z,
               w->limits.step, w->limits.drop, walk.t, reached);
}

/// Of all scenes: fifty walks are too few to measure a share of one in fifty.
static int64_t all_asked, all_unsure;

static void walk_scene(const char *name, lf_frame frame, uint64_t salt) {
    test_random random = test_random_start(salt);
    scene *s = malloc(sizeof *s);
    assert_non_null(s);
    s->name = name;
    s->frame = frame;
    make_scene(s, &random);
    tally count = {0};
    for (int i = 0; i < (test_long() ? 2000 : 50); i++) {
        lf_vec3 from = place_in(s, &random, 10), to = place_in(s, &random, 10);
        walker w = {s,
                    {any(&random, 0, 3), any(&random, 0, 4), 0},
                    from,
                    lf_vec3_along(from, any(&random, 0.1, 1), lf_vec3_sub(to, from))};
        oracle_walk(&w, &count);
    }
    printf("%s: %lld walks: %lld arrived, %lld without ground, %lld up, %lld down; %lld narrow, %lld unsure, "
           "%lld wrong\n",
           name, (long long)count.asked, (long long)count.ends[0], (long long)count.ends[1],
           (long long)count.ends[2], (long long)count.ends[3], (long long)count.narrow,
           (long long)count.unsure, (long long)count.wrong);
    assert_int_equal(count.wrong, 0);
    assert_true(count.ends[0] * 10 >= count.asked);
    all_asked += count.asked;
    all_unsure += count.unsure;
    lf_mesh_destroy(s->mesh);
    free(s);
}

static void along_gravity(void **state) {
    (void)state;
    lf_frame frame = lf_frame_default();
    walk_scene("gravity -z", frame, 401);
    assert_int_equal(lf_frame_gravity((lf_vec3){1, 2, -3}, &frame), LF_OK);
    walk_scene("gravity 1,2,-3", frame, 402);
}

static void towards_a_centre(void **state) {
    (void)state;
    lf_frame frame;
    assert_int_equal(lf_frame_centre((lf_vec3){100, -50, 20}, &frame), LF_OK);
    walk_scene("centre", frame, 403);
}

static void towards_and_away_from_an_axis(void **state) {
    (void)state;
    lf_frame frame;
    assert_int_equal(lf_frame_axis((lf_vec3){3, 2, 1}, (lf_vec3){1, 1, 2}, true, &frame), LF_OK);
    walk_scene("axis in", frame, 404);
    assert_int_equal(lf_frame_axis((lf_vec3){3, 2, 1}, (lf_vec3){1, -1, 2}, false, &frame), LF_OK);
    walk_scene("axis out", frame, 405);
}

static void few_walks_are_unsure(void **state) {
    (void)state;
    assert_true(all_asked >= 250 && all_unsure * 50 <= all_asked);
}

static void ways_without_a_down_are_refused(void **state) {
    (void)state;
    test_random random = test_random_start(406);
    scene *s = malloc(sizeof *s);
    assert_non_null(s);
    lf_walker limits = lf_walker_default(1);
    lf_walk walk;
    s->name = "refused";
    assert_int_equal(lf_frame_centre((lf_vec3){0, 0, 0}, &s->frame), LF_OK);
    make_scene(s, &random);
    lf_vec3 a = {10, 0, 0}, b = {-5, 0, 0}, c = {4, 0, 0};
    assert_int_equal(lf_ground_walk(s->ground, &limits, a, b, &walk, NULL, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_walk(s->ground, &limits, a, c, &walk, NULL, NULL),
                     LF_OK); // straight down: nowhere
    assert_true(walk.end == LF_WALK_ARRIVED || walk.ground.kind == LF_HIT_NONE);
    limits.step = INFINITY;
    assert_int_equal(lf_ground_walk(s->ground, &limits, a, c, &walk, NULL, NULL), LF_BAD_ARGUMENT);
    lf_mesh_destroy(s->mesh);
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(along_gravity),
        cmocka_unit_test(towards_a_centre),
        cmocka_unit_test(towards_and_away_from_an_axis),
        cmocka_unit_test(few_walks_are_unsure),
        cmocka_unit_test(ways_without_a_down_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
