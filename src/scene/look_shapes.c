/// Looks at two things by their shapes: as convex bodies, or as they are.
#include "scene/watch.h"

/// Into how many facets circles are cut where a round shape meets one that is not convex.
#define FACETS 32

/// So much larger, round shapes lie inside their facets: 1 / cos(pi / 32), for both angles of a sphere, and some for rounding.
#define STRETCH 1.00970

/// A convex body, and room for the points of those that have none.
typedef struct body {
    lf_body body;
    lf_vec3 points[8];
} body;

/// The rotation that takes one turn to another, as an axis whose length is the angle; zero where that is no rotation.
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
    // Half a turn within one step has no direction of its own: shapes are then taken as turned already.
    if (!(sine > 1e-12) || angle > 3.1)
        return none;
    memcpy(rows, turn.rows, sizeof turn.rows);
    return lf_vec3_scale(twist, angle / (2 * sine));
}

static void start_of_step(const lf__look *look, const lf__part *part, lf__motion *motion) {
    const lf__instance *instance = lf__instance_at(look->scene, part->instance);
    lf__before before = lf__part_before(look->scene, part);
    lf_vec3 turn[3], back[3], place = instance->old_pose.translation,
                              old_at = lf_vec3_add(place, before.shift);
    lf_vec3 angle = rotation_between(before.turn, part->turn, turn);
    lf__rows_transpose(turn, back);
    lf__rows_product(back, part->turn, motion->rows);
    motion->spin = lf_vec3_scale(angle, 1 / look->span);
    // What went with its instance turned about the instance's origin; what moved by itself, about its own.
    bool together = before.rigid && lf_vec3_dot(angle, angle) > 0;
    lf_vec3 way = together ? lf_vec3_sub(instance->pose.translation, place) : lf_vec3_sub(motion->at, old_at);
    motion->velocity = lf_vec3_scale(way, 1 / look->span);
    motion->pivot = together ? place : old_at;
    motion->at = old_at;
}

lf__motion lf__part_motion(const lf__look *look, const lf__part *part) {
    const lf__instance *instance = lf__instance_at(look->scene, part->instance);
    lf__motion motion = {.at = lf_vec3_add(instance->pose.translation, part->shift)};
    memcpy(motion.rows, part->turn, sizeof motion.rows);
    motion.pivot = motion.at;
    if (look->mode == LF__LOOK_STEP) {
        start_of_step(look, part, &motion);
    } else if (look->mode == LF__LOOK_AHEAD) {
        motion.velocity = lf__part_velocity(look->scene, part);
        motion.spin = instance->spin;
        motion.pivot = instance->pose.translation;
    }
    return motion;
}

static void make_body(const lf__look *look, const lf__part *part, body *made) {
    lf__motion motion = lf__part_motion(look, part);
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

static double bodies_contact(const lf__look *look, const lf__part *a, const lf__part *b) {
    body first, second;
    make_body(look, a, &first);
    make_body(look, b, &second);
    if (look->mode == LF__LOOK_NOW) {
        double distance;
        bool within =
            lf_body_distance(&first.body, &second.body, &distance) == LF_OK && distance <= look->gap;
        return within ? 0 : LF_INFINITY;
    }
    lf_contact_result meeting;
    if (lf_contact_bodies(&first.body, &second.body, look->span, &meeting) != LF_OK || !meeting.meets)
        return LF_INFINITY;
    return meeting.time;
}

/// Convex by what it is, so that the convex body is the shape.
static bool is_convex(const lf__part *part) {
    lf_shape_kind kind = part->form.kind;
    return kind == LF_SHAPE_RECTANGLE || kind == LF_SHAPE_BOX || kind == LF_SHAPE_SPHERE ||
           kind == LF_SHAPE_CYLINDER;
}

/// Where a shape's model stands: turned as the instance is, or, for a caller's own model, as all transforms say.
static lf_moving_model moving_model(const lf__look *look, const lf__part *part, const lf_model *model) {
    lf__motion motion = lf__part_motion(look, part);
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
    moves.pose = lf__instance_at(look->scene, part->instance)->pose;
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

static lf_status models_contact(const lf__look *look, lf__part *a, lf__part *b, double *time) {
    const lf_model *model_a, *model_b;
    *time = LF_INFINITY;
    lf_status status = lf__part_solid(look->scene, a, FACETS, STRETCH, &model_a);
    if (status == LF_OK)
        status = lf__part_solid(look->scene, b, FACETS, STRETCH, &model_b);
    if (status != LF_OK)
        return status;
    lf_cursor cursor = lf__work_cursor(look->scene);
    lf_moving_model first = moving_model(look, a, model_a), second = moving_model(look, b, model_b);
    if (look->mode == LF__LOOK_NOW) {
        lf_model_query question = lf_model_query_default();
        question.a = model_a, question.b = model_b;
        question.pose_a = first.pose, question.pose_b = second.pose;
        // As near as a contact on the way counts as one.
        double size = lf_model_describe(model_a).radius + lf_model_describe(model_b).radius;
        bool within = false;
        if (lf_model_within(&question, fmax(look->gap, 1e-6 * size), &within, &cursor) == LF_OK && within)
            *time = 0;
    } else {
        lf_contact_result meeting;
        if (lf_contact_models(&first, &second, look->span, &meeting, &cursor) == LF_OK && meeting.meets)
            *time = meeting.time;
    }
    if (*time > 0 && (lies_inside(&first, &second) || lies_inside(&second, &first)))
        *time = 0;
    return lf__work_of(look->scene, &cursor) ? LF_OK : LF_CANCELLED;
}

lf_status lf__look_shapes(lf__look *look) {
    lf_scene *scene = look->scene;
    bool exact = look->watch->def.level == LF_WATCH_MODEL;
    look->time = LF_INFINITY;
    look->part_a = look->part_b = LF__NOWHERE;
    lf_status status = lf__look_gather(look);
    for (int64_t i = 0; i < scene->shapes_a.count && status == LF_OK; i++)
        for (int64_t j = 0; j < scene->shapes_b.count && status == LF_OK; j++) {
            if (!lf__work(scene, 4))
                return LF_CANCELLED;
            uint32_t a = ((uint32_t *)scene->shapes_a.items)[i], b = ((uint32_t *)scene->shapes_b.items)[j];
            if (!lf_box_overlap(lf__look_reach(look, a), lf__look_reach(look, b)))
                continue;
            lf__part *first = lf__part_at(scene, a), *second = lf__part_at(scene, b);
            double time = LF_INFINITY;
            scene->pair_tests++;
            lf__work(scene, 64);
            if (exact && !(is_convex(first) && is_convex(second)))
                status = models_contact(look, first, second, &time);
            else
                time = bodies_contact(look, first, second);
            if (status == LF_OK && time < look->time)
                look->time = time, look->part_a = a, look->part_b = b;
        }
    return status;
}
