/// Contact tests of watches: how far instances and parts reach, and when their boxes and shapes touch.
#include "scene/watch.h"

// ---------------------------------------------------------------------------------------------------
// Reach
// ---------------------------------------------------------------------------------------------------

uint32_t lf__thing_part(const lf_scene *scene, lf_thing thing) {
    return lf_part_is_none(thing.part) ? lf__instance_at(scene, thing.instance.index)->top : thing.part.index;
}

bool lf__thing_lives(const lf_scene *scene, lf_thing thing) {
    if (!lf__instance_find(scene, thing.instance))
        return false;
    return lf_part_is_none(thing.part) || lf__part_find(scene, thing.part);
}

int lf__thing_compare(lf_thing a, lf_thing b) {
    const uint32_t first[4] = {a.instance.index, a.part.generation ? a.part.index + 1 : 0,
                               a.instance.generation, a.part.generation};
    const uint32_t second[4] = {b.instance.index, b.part.generation ? b.part.index + 1 : 0,
                                b.instance.generation, b.part.generation};
    for (int i = 0; i < 4; i++)
        if (first[i] != second[i])
            return first[i] < second[i] ? -1 : 1;
    return 0;
}

/// How far the farthest corner of a box is from a point.
static double farthest_corner_of(lf_box box, lf_vec3 p) {
    double x = fmax(fabs(box.low.x - p.x), fabs(box.high.x - p.x));
    double y = fmax(fabs(box.low.y - p.y), fabs(box.high.y - p.y));
    double z = fmax(fabs(box.low.z - p.z), fabs(box.high.z - p.z));
    return hypot(hypot(x, y), z);
}

/// The state of a part at the end of the last step, with its current shape.
typedef struct lf__before {
    lf_vec3 turn[3];
    lf_vec3 shift; ///< from the instance's translation then
    bool turned;   ///< its orientation has changed since
    bool rigid;    ///< it moved rigidly with the instance, about the instance's origin
} lf__before;

static lf__before part_before(const lf_scene *scene, const lf__part *part) {
    const lf__instance *instance = lf__instance_at(scene, part->instance);
    lf__before before = {.shift = part->shift, .rigid = true};
    memcpy(before.turn, part->turn, sizeof before.turn);
    // The same products as in the last step: the same bits where only the instance's pose has changed.
    lf_vec3 turn[3], shift = lf__rows_point(instance->old_pose.rows, part->maps.shift);
    lf__rows_product(instance->old_pose.rows, part->maps.turn, turn);
    if (instance->fresh) { // it was placed there in this step
        memcpy(before.turn, turn, sizeof turn);
        before.shift = shift;
    } else if (part->changed == scene->steps) {
        memcpy(before.turn, part->old_turn, sizeof before.turn);
        before.shift = part->old_shift;
        before.rigid = lf__rows_same(turn, before.turn) && shift.x == before.shift.x &&
                       shift.y == before.shift.y && shift.z == before.shift.z;
    }
    before.turned = !lf__rows_same(before.turn, part->turn);
    return before;
}

static lf_box cube(lf_vec3 centre, double radius) {
    lf_vec3 half = {radius, radius, radius};
    return (lf_box){lf_vec3_sub(centre, half), lf_vec3_add(centre, half)};
}

/// What a part that has rotated since the last step can have reached, in either direction; empty for one that
/// has not.
static lf_box turning_reach(const lf_scene *scene, const lf__part *part, lf_box now) {
    const lf__instance *instance = lf__instance_at(scene, part->instance);
    if (part->changed != scene->steps && !instance->fresh)
        return lf_box_empty();
    lf__before before = part_before(scene, part);
    if (!before.turned)
        return lf_box_empty();
    lf_vec3 from = instance->old_pose.translation, to = instance->pose.translation;
    if (!before.rigid) {
        from = lf_vec3_add(from, before.shift);
        to = lf_vec3_add(to, part->shift);
    }
    double radius = farthest_corner_of(now, to) * (1 + 1e-12);
    return lf_box_union(cube(from, radius), cube(to, radius));
}

/// A little wider, to cover rounding errors.
static lf_box padded(lf_box box) {
    double most = fmax(fmax(fabs(box.low.x), fabs(box.high.x)), fmax(fabs(box.low.y), fabs(box.high.y)));
    double pad = 1e-12 * fmax(most, fmax(fabs(box.low.z), fabs(box.high.z)));
    lf_vec3 by = {pad, pad, pad};
    return (lf_box){lf_vec3_sub(box.low, by), lf_vec3_add(box.high, by)};
}

static double tamed(double x) {
    return fmin(fmax(x, -1e60), 1e60);
}

/// All that a part's box can reach: in the last step, and in the next `ahead` seconds.
static lf_box part_reach(const lf_scene *scene, uint32_t index, double ahead) {
    const lf__part *part = lf__part_at(scene, index);
    const lf__instance *instance = lf__instance_at(scene, part->instance);
    lf_box now = lf__part_box_now(scene, part);
    if (lf_box_is_empty(now))
        return now;
    lf_box reach = lf_box_union(now, lf__part_box_before(scene, part));
    reach = lf_box_union(reach, turning_reach(scene, part, now));
    if (ahead > 0) {
        lf_vec3 velocity = lf__part_velocity(scene, part), spin = instance->spin;
        if (spin.x != 0 || spin.y != 0 || spin.z != 0) {
            lf_vec3 pivot = instance->pose.translation;
            now = cube(pivot, farthest_corner_of(now, pivot) * (1 + 1e-12));
            reach = lf_box_union(reach, now);
        }
        reach = lf_box_union(reach, lf__box_moved(now, lf_vec3_scale(velocity, ahead)));
    }
    reach.low = (lf_vec3){tamed(reach.low.x), tamed(reach.low.y), tamed(reach.low.z)};
    reach.high = (lf_vec3){tamed(reach.high.x), tamed(reach.high.y), tamed(reach.high.z)};
    return padded(reach);
}

lf_box lf__thing_reach(const lf_scene *scene, lf_thing thing, double ahead) {
    uint32_t top = lf__thing_part(scene, thing);
    lf_box reach = part_reach(scene, top, ahead);
    bool parts_go = ahead > 0 && lf__instance_at(scene, thing.instance.index)->part_velocities > 0;
    if (!parts_go && lf__part_at(scene, top)->changed != scene->steps)
        return reach;
    for (uint32_t i = top; i != LF__NO_INDEX; i = lf__part_after(scene, i, top))
        if (lf__part_at(scene, i)->form.kind != LF_SHAPE_SOLID)
            reach = lf_box_union(reach, part_reach(scene, i, ahead));
    return reach;
}

// ---------------------------------------------------------------------------------------------------
// Boxes
// ---------------------------------------------------------------------------------------------------

/// When does a line f, from `start` at s = 0 to `end` at s = 1, come to 0 or below, and when does it leave?
/// Narrows [first, last].
static void narrow(double start, double end, double *first, double *last) {
    if (start <= 0 && end <= 0)
        return;
    if (start > 0 && end > 0) {
        *first = LF_INFINITY;
        return;
    }
    double cross = start / (start - end);
    if (start > 0)
        *first = fmax(*first, cross);
    else
        *last = fmin(*last, cross);
}

/// Each side of a box moves linearly: whether and when they meet follows from six lines.
static double step_contact(lf_box a0, lf_box a1, lf_box b0, lf_box b1) {
    if (lf_box_overlap(a0, b0))
        return 0;
    double first = 0, last = 1;
    narrow(a0.low.x - b0.high.x, a1.low.x - b1.high.x, &first, &last);
    narrow(b0.low.x - a0.high.x, b1.low.x - a1.high.x, &first, &last);
    narrow(a0.low.y - b0.high.y, a1.low.y - b1.high.y, &first, &last);
    narrow(b0.low.y - a0.high.y, b1.low.y - a1.high.y, &first, &last);
    narrow(a0.low.z - b0.high.z, a1.low.z - b1.high.z, &first, &last);
    narrow(b0.low.z - a0.high.z, b1.low.z - a1.high.z, &first, &last);
    // Rounding of two crossings must not separate boxes that touch for an instant.
    if (first <= last * (1 + 4e-16))
        return first;
    return lf_box_overlap(a1, b1) ? 1 : LF_INFINITY;
}

static lf_moving_box moving(const lf_scene *scene, const lf__part *part) {
    const lf__instance *instance = lf__instance_at(scene, part->instance);
    lf_moving_box box = {lf__part_box_now(scene, part), lf__part_velocity(scene, part), instance->spin,
                         instance->pose.translation};
    return box;
}

static double ahead_contact(const lf__watch_test *test, const lf__part *a, const lf__part *b) {
    lf_moving_box first = moving(test->scene, a), second = moving(test->scene, b);
    const lf_contact_method *method = test->watch->def.method;
    lf_contact_result meeting;
    lf_status status = method ? method->boxes(&first, &second, test->span, test->watch->tick, &meeting)
                              : lf_contact_boxes(&first, &second, test->span, &meeting);
    if (status != LF_OK || !meeting.meets)
        return LF_INFINITY;
    return meeting.time;
}

static lf_box test_widened(lf_box box, double gap) {
    lf_vec3 by = {gap, gap, gap};
    return (lf_box){lf_vec3_sub(box.low, by), lf_vec3_add(box.high, by)};
}

double lf__test_boxes(const lf__watch_test *test, uint32_t a, uint32_t b) {
    const lf_scene *scene = test->scene;
    const lf__part *first = lf__part_at(scene, a), *second = lf__part_at(scene, b);
    if (lf_box_is_empty(first->box) || lf_box_is_empty(second->box))
        return LF_INFINITY;
    lf_box now_a = lf__part_box_now(scene, first), now_b = lf__part_box_now(scene, second);
    if (test->mode == LF__TEST_NOW)
        return lf_box_overlap(test_widened(now_a, test->gap), now_b) ? 0 : LF_INFINITY;
    if (test->mode == LF__TEST_AHEAD)
        return ahead_contact(test, first, second);
    double share =
        step_contact(lf__part_box_before(scene, first), now_a, lf__part_box_before(scene, second), now_b);
    return share <= 1 ? share * test->span : LF_INFINITY;
}

/// How far a part's box reaches in a test.
static lf_box test_reach(const lf__watch_test *test, uint32_t index) {
    if (test->mode == LF__TEST_NOW)
        return test_widened(lf__part_box_now(test->scene, lf__part_at(test->scene, index)), test->gap);
    return part_reach(test->scene, index, test->mode == LF__TEST_AHEAD ? test->span : 0);
}

/// Collect the shapes of a thing whose boxes can come near a box.
static lf_status test_collect_shapes(lf__watch_test *test, uint32_t top, lf_box near, lf__array *shapes) {
    lf_scene *scene = test->scene;
    shapes->count = 0;
    for (uint32_t i = top; i != LF__NO_INDEX; i = lf__part_after(scene, i, top)) {
        if (!lf__work(scene, 4))
            return LF_CANCELLED;
        if (lf__part_at(scene, i)->form.kind == LF_SHAPE_SOLID || !lf_box_overlap(test_reach(test, i), near))
            continue;
        lf_status status = lf__array_reserve(shapes, &scene->allocator, 1, sizeof(uint32_t));
        if (status != LF_OK)
            return status;
        ((uint32_t *)shapes->items)[shapes->count++] = i;
    }
    return LF_OK;
}

static lf_box near_thing(const lf__watch_test *test, lf_thing thing) {
    if (test->mode == LF__TEST_NOW)
        return test_reach(test, lf__thing_part(test->scene, thing));
    return lf__thing_reach(test->scene, thing, test->mode == LF__TEST_AHEAD ? test->span : 0);
}

/// Collect the shapes that can come near each other in the scene's two lists.
static lf_status test_collect(lf__watch_test *test) {
    lf_scene *scene = test->scene;
    lf_status status = test_collect_shapes(test, lf__thing_part(scene, test->a), near_thing(test, test->b),
                                           &scene->shapes_a);
    if (status == LF_OK)
        status = test_collect_shapes(test, lf__thing_part(scene, test->b), near_thing(test, test->a),
                                     &scene->shapes_b);
    return status;
}

lf_status lf__test_parts(lf__watch_test *test) {
    lf_scene *scene = test->scene;
    test->time = LF_INFINITY;
    test->part_a = test->part_b = LF__NO_INDEX;
    lf_status status = test_collect(test);
    if (status != LF_OK)
        return status;
    const uint32_t *a = scene->shapes_a.items, *b = scene->shapes_b.items;
    for (int64_t i = 0; i < scene->shapes_a.count; i++) {
        if (!lf__work(scene, 4 * scene->shapes_b.count))
            return LF_CANCELLED;
        for (int64_t j = 0; j < scene->shapes_b.count; j++) {
            double time = lf__test_boxes(test, a[i], b[j]);
            if (time < test->time) {
                test->time = time;
                test->part_a = a[i];
                test->part_b = b[j];
            }
        }
    }
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Shapes
// ---------------------------------------------------------------------------------------------------

/// The number of facets of circles where a round shape meets one that is not convex.
#define SHAPES_FACETS 32

/// Enlarged by this factor, facets enclose the round shape: 1 / cos(pi / 32), for both angles of a sphere,
/// and a margin.
#define SHAPES_STRETCH 1.00970

/// A convex body, and space for the points of shapes that have none.
typedef struct body {
    lf_body body;
    lf_vec3 points[8];
} body;

/// The rotation between two orientations, as an axis whose length is the angle; zero where it is not a
/// rotation.
static lf_vec3 rotation_between(const lf_vec3 from[3], const lf_vec3 to[3], lf_vec3 rows[3]) {
    lf_vec3 inverse[3], none = {0, 0, 0};
    lf_pose turn = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    memcpy(rows, turn.rows, sizeof turn.rows);
    if (lf__rows_same(from, to) || !lf__rows_inverse(from, inverse))
        return none;
    lf__rows_product(to, inverse, turn.rows);
    if (!lf_pose_rigid(&turn))
        return none;
    lf_vec3 twist = {turn.rows[2].y - turn.rows[1].z, turn.rows[0].z - turn.rows[2].x,
                     turn.rows[1].x - turn.rows[0].y};
    double sine = 0.5 * lf_vec3_length(twist);
    double cosine = 0.5 * (turn.rows[0].x + turn.rows[1].y + turn.rows[2].z - 1);
    double angle = atan2(sine, cosine);
    // Half a turn within one step has no unique direction: shapes then count as rotated from the start.
    if (!(sine > 1e-12) || angle > 3.1)
        return none;
    memcpy(rows, turn.rows, sizeof turn.rows);
    return lf_vec3_scale(twist, angle / (2 * sine));
}

/// The motion of a shape in a test.
typedef struct lf__motion {
    lf_vec3 rows[3]; ///< orientation at the start
    lf_vec3 at;      ///< position of its origin at the start
    lf_vec3 velocity, spin, pivot;
} lf__motion;

static void start_of_step(const lf__watch_test *test, const lf__part *part, lf__motion *motion) {
    const lf__instance *instance = lf__instance_at(test->scene, part->instance);
    lf__before before = part_before(test->scene, part);
    lf_vec3 turn[3], back[3], place = instance->old_pose.translation,
                              old_at = lf_vec3_add(place, before.shift);
    lf_vec3 angle = rotation_between(before.turn, part->turn, turn);
    lf__rows_transpose(turn, back);
    lf__rows_product(back, part->turn, motion->rows);
    motion->spin = lf_vec3_scale(angle, 1 / test->span);
    // A part that moved with its instance rotated about the instance's origin; one that moved by itself,
    // about its own.
    bool together = before.rigid && lf_vec3_dot(angle, angle) > 0;
    lf_vec3 way = together ? lf_vec3_sub(instance->pose.translation, place) : lf_vec3_sub(motion->at, old_at);
    motion->velocity = lf_vec3_scale(way, 1 / test->span);
    motion->pivot = together ? place : old_at;
    motion->at = old_at;
}

static lf__motion part_motion(const lf__watch_test *test, const lf__part *part) {
    const lf__instance *instance = lf__instance_at(test->scene, part->instance);
    lf__motion motion = {.at = lf_vec3_add(instance->pose.translation, part->shift)};
    memcpy(motion.rows, part->turn, sizeof motion.rows);
    motion.pivot = motion.at;
    if (test->mode == LF__TEST_STEP) {
        start_of_step(test, part, &motion);
    } else if (test->mode == LF__TEST_AHEAD) {
        motion.velocity = lf__part_velocity(test->scene, part);
        motion.spin = instance->spin;
        motion.pivot = instance->pose.translation;
    }
    return motion;
}

static void make_body(const lf__watch_test *test, const lf__part *part, body *made) {
    lf__motion motion = part_motion(test, part);
    const lf__form *form = &part->form;
    lf_vec3 half = lf_vec3_scale(form->size, 0.5);
    lf_body *b = &made->body;
    *b = (lf_body){.kind = LF_BODY_POINTS,
                   .radius = form->radius,
                   .half = half.z,
                   .translation = motion.at,
                   .velocity = motion.velocity,
                   .spin = motion.spin,
                   .pivot = motion.pivot};
    memcpy(b->rows, motion.rows, sizeof b->rows);
    if (form->kind == LF_SHAPE_SPHERE) {
        b->kind = LF_BODY_SPHERE;
    } else if (form->kind == LF_SHAPE_CYLINDER) {
        b->kind = LF_BODY_CYLINDER;
    } else if (form->kind == LF_SHAPE_MODEL) {
        b->points = lf__model_vertices(form->model, &b->count);
    } else if (form->vertices) {
        b->points = form->vertices;
        b->count = form->vertex_count;
    } else {
        b->points = made->points;
        b->count = form->kind == LF_SHAPE_BOX ? 8 : 4;
        double z = form->kind == LF_SHAPE_BOX ? half.z : 0;
        for (int i = 0; i < b->count; i++)
            made->points[i] = (lf_vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? z : -z};
    }
}

static double bodies_contact(const lf__watch_test *test, const lf__part *a, const lf__part *b) {
    body first, second;
    make_body(test, a, &first);
    make_body(test, b, &second);
    if (test->mode == LF__TEST_NOW) {
        double distance;
        bool within =
            lf_body_distance(&first.body, &second.body, &distance) == LF_OK && distance <= test->gap;
        return within ? 0 : LF_INFINITY;
    }
    lf_contact_result meeting;
    if (lf_contact_bodies(&first.body, &second.body, test->span, &meeting) != LF_OK || !meeting.meets)
        return LF_INFINITY;
    return meeting.time;
}

/// Is the shape always convex, so that the convex body equals the shape?
static bool is_convex(const lf__part *part) {
    lf_shape_kind kind = part->form.kind;
    return kind == LF_SHAPE_RECTANGLE || kind == LF_SHAPE_BOX || kind == LF_SHAPE_SPHERE ||
           kind == LF_SHAPE_CYLINDER;
}

/// The moving model of a shape: rotated by the instance, or, for a caller's own model, by all transforms.
static lf_moving_model moving_model(const lf__watch_test *test, const lf__part *part, const lf_model *model) {
    lf__motion motion = part_motion(test, part);
    lf_moving_model moves = {.model = model,
                             .pose = {.translation = motion.at},
                             .velocity = motion.velocity,
                             .spin = motion.spin,
                             .pivot = motion.pivot};
    if (model == part->form.model) {
        memcpy(moves.pose.rows, motion.rows, sizeof moves.pose.rows);
        return moves;
    }
    // rows = pose maps.turn, and the model has maps.turn in it already.
    lf_vec3 inverse[3];
    moves.pose = lf__instance_at(test->scene, part->instance)->pose;
    moves.pose.translation = motion.at;
    if (!lf__rows_same(motion.rows, part->turn) && lf__rows_inverse(part->turn, inverse)) {
        lf_vec3 back[3];
        lf__rows_product(motion.rows, inverse, back);
        lf__rows_product(back, moves.pose.rows, moves.pose.rows);
    }
    return moves;
}

/// Is a corner of one model inside the other, which is closed?
static bool lies_inside(const lf_moving_model *inner, const lf_moving_model *outer) {
    if (!lf_model_describe(outer->model).closed)
        return false;
    lf_vec3 corners[3];
    lf_relation relation;
    lf_model_triangle(inner->model, 0, corners, NULL);
    lf_vec3 at = lf_pose_to_world(&inner->pose, corners[0]);
    return lf_model_point_inside(outer->model, &outer->pose, at, &relation, NULL) == LF_OK &&
           relation != LF_RELATION_OUTSIDE;
}

static lf_status models_contact(const lf__watch_test *test, lf__part *a, lf__part *b, double *time) {
    const lf_model *model_a, *model_b;
    *time = LF_INFINITY;
    lf_status status = lf__part_solid(test->scene, a, SHAPES_FACETS, SHAPES_STRETCH, &model_a);
    if (status == LF_OK)
        status = lf__part_solid(test->scene, b, SHAPES_FACETS, SHAPES_STRETCH, &model_b);
    if (status != LF_OK)
        return status;
    lf_cursor cursor = lf__work_cursor(test->scene);
    lf_moving_model first = moving_model(test, a, model_a), second = moving_model(test, b, model_b);
    if (test->mode == LF__TEST_NOW) {
        lf_model_query ray_query = lf_model_query_default();
        ray_query.a = model_a, ray_query.b = model_b;
        ray_query.pose_a = first.pose, ray_query.pose_b = second.pose;
        // The same tolerance as for contacts of moving models.
        double size = lf_model_describe(model_a).radius + lf_model_describe(model_b).radius;
        bool within = false;
        if (lf_model_within(&ray_query, fmax(test->gap, 1e-6 * size), &within, &cursor) == LF_OK && within)
            *time = 0;
    } else {
        lf_contact_result meeting;
        if (lf_contact_models(&first, &second, test->span, &meeting, &cursor) == LF_OK && meeting.meets)
            *time = meeting.time;
    }
    if (*time > 0 && (lies_inside(&first, &second) || lies_inside(&second, &first)))
        *time = 0;
    return lf__work_of(test->scene, &cursor) ? LF_OK : LF_CANCELLED;
}

lf_status lf__test_shapes(lf__watch_test *test) {
    lf_scene *scene = test->scene;
    bool exact = test->watch->def.precision == LF_WATCH_MODEL;
    test->time = LF_INFINITY;
    test->part_a = test->part_b = LF__NO_INDEX;
    lf_status status = test_collect(test);
    for (int64_t i = 0; i < scene->shapes_a.count && status == LF_OK; i++)
        for (int64_t j = 0; j < scene->shapes_b.count && status == LF_OK; j++) {
            if (!lf__work(scene, 4))
                return LF_CANCELLED;
            uint32_t a = ((uint32_t *)scene->shapes_a.items)[i], b = ((uint32_t *)scene->shapes_b.items)[j];
            if (!lf_box_overlap(test_reach(test, a), test_reach(test, b)))
                continue;
            lf__part *first = lf__part_at(scene, a), *second = lf__part_at(scene, b);
            double time = LF_INFINITY;
            scene->pair_tests++;
            lf__work(scene, 64);
            if (exact && !(is_convex(first) && is_convex(second)))
                status = models_contact(test, first, second, &time);
            else
                time = bodies_contact(test, first, second);
            if (status == LF_OK && time < test->time)
                test->time = time, test->part_a = a, test->part_b = b;
        }
    return status;
}
