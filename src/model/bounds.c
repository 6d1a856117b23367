/// Bounds of distances without a triangle: parts of the models in spheres, from the nodes of their fields or from all of them.
///
/// In every sphere there is something of the model, and all of the model is in one of them. So the distance is at least that of the two
/// nearest spheres, and at most that of the two whose far sides are nearest.
#include "base/base.h"
#include "model/field.h"

/// The level of fields that is looked at: 6 * 2^4 spheres at most.
enum { LEVEL = 4, PARTS_MOST = LF__FIELD_CHARTS << LEVEL };

/// Times the size of everything: what is lost on the way from one frame to another.
#define BLUR 0x1p-46

typedef struct ball {
    lf_vec3 centre;
    double radius;
} ball;

typedef struct parts {
    ball balls[PARTS_MOST];
    int count;
} parts;

/// A sphere around a capped cone: about the middle of its axis.
static ball around_node(const lf__field *field, const lf__field_node *node) {
    const lf__field_cone *cone = &field->cones[node->node];
    lf_vec3 axis = {(double)cone->axis[0], (double)cone->axis[1], (double)cone->axis[2]};
    double low = node->least * field->step, high = node->most * field->step, cosine = (double)cone->cosine;
    double middle = 0.5 * (low * cosine + high), square = high * high + middle * middle;
    // Farthest are the rims of the two caps and the top of the outer one.
    double outer = square - 2 * high * middle * cosine, top = high - middle;
    double inner = low * low + middle * middle - 2 * low * middle * cosine;
    double radius = sqrt(fmax(0, fmax(outer, fmax(inner, top * top))));
    axis = lf__field_from_chart(node->chart, axis);
    return (ball){lf_vec3_along(field->centre, middle, axis), radius * (1 + 1e-6) + 1e-6 * field->radius};
}

static void add_parts(const lf__field *field, const lf__field_node *node, parts *parts) {
    if (node->least > node->most)
        return;
    if (node->level == LEVEL || node->level == field->levels) {
        parts->balls[parts->count++] = around_node(field, node);
        return;
    }
    lf__field_node halves[2];
    lf__field_halves(field, node, halves);
    add_parts(field, &halves[0], parts);
    add_parts(field, &halves[1], parts);
}

/// Parts of a model, carried by a pose unless that is NULL.
static void find_parts(const lf_model *model, const lf_pose *pose, bool fields, parts *parts) {
    parts->count = 0;
    for (int chart = 0; fields && chart < LF__FIELD_CHARTS; chart++) {
        lf__field_node root = lf__field_root(model->field, chart);
        add_parts(model->field, &root, parts);
    }
    if (parts->count == 0)
        parts->balls[parts->count++] = (ball){model->centre, model->radius};
    for (int i = 0; pose && i < parts->count; i++)
        parts->balls[i].centre = lf_pose_to_world(pose, parts->balls[i].centre);
}

/// blur  what doubles can lose of a place, in metres
static void compare_parts(const parts *a, const parts *b, double blur, double *least, double *most) {
    *least = *most = LF_INFINITY;
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++) {
            lf_vec3 d = lf_vec3_sub(a->balls[i].centre, b->balls[k].centre);
            double distance = lf_vec3_length(d), reach = a->balls[i].radius + b->balls[k].radius + blur;
            *least = fmin(*least, distance * (1 - 1e-8) - reach);
            *most = fmin(*most, distance * (1 + 1e-8) + reach);
        }
    *least = fmax(*least, 0);
}

/// Everything is compared in a's frame, as lf_model_nearest does: far from the world's origin both poses are coarse, but what is between
/// them is not.
lf_status lf_model_distance_bounds(const lf_model_query *given, double *least, double *most) {
    lf_model_query copy;
    const lf_model_query *question;
    lf__model_pair_state state;
    parts a, b;
    if (!least || !most)
        return LF_BAD_ARGUMENT;
    lf_status status = lf__model_question_read(given, &copy, &question, &state);
    if (status != LF_OK)
        return status;
    bool fields = question->a->field && question->b->field;
    lf_pose between = lf_model_between(&question->pose_a, &question->pose_b);
    double size = question->a->reach + question->b->reach + lf_vec3_length(between.translation);
    find_parts(question->a, NULL, fields, &a);
    find_parts(question->b, &between, fields, &b);
    compare_parts(&a, &b, BLUR * size, least, most);
    return LF_OK;
}

lf_status lf_model_point_bounds(const lf_model *model, const lf_pose *pose, lf_vec3 point, double *least,
                                double *most) {
    if (!model || !least || !most || !(lf_vec3_length(point) <= 2 * LF__MODEL_LIMIT) ||
        (pose && !lf__model_pose_valid(pose)))
        return LF_BAD_ARGUMENT;
    lf_vec3 local = pose ? lf_pose_to_local(pose, point) : point;
    parts a = {{{local, 0}}, 1}, b;
    find_parts(model, NULL, model->field != NULL, &b);
    compare_parts(&a, &b, BLUR * (model->reach + lf_vec3_length(local)), least, most);
    return LF_OK;
}
