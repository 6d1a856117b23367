/// Two knots come closer until they touch; and a cursor that says what the answers cost.
///
///     touch
#include <landfall/landfall.h>
#include <landfall/published.h>
#include <samples.h>
#include <stdio.h>

static lf_status make_knot(lf_model **model) {
    lf_make_polygons_def make = lf_make_polygons_def_default();
    lf_model_def def = lf_model_def_default();
    lf_made_polygons *made = NULL;
    make.kind = LF_MADE_KNOT;
    make.polygon_count = 2000;
    lf_status status = lf_make_polygons(&make, &made, NULL);
    if (status == LF_OK) {
        def.polygons = lf_made_polygons_view(made);
        def.field.sectors = 16; // a distance field besides the tree
        def.field.functions = lf_funfzig_field();
        status = lf_model_create(&def, model, NULL);
    }
    lf_made_polygons_destroy(made);
    return status;
}

/// What is known at one distance, by both ways.
static lf_status look(lf_model_query *question, lf_cursor *cursor, bool *touching) {
    lf_model_distance nearest;
    bool by_field;
    question->method = LF_MODEL_FIELD;
    lf_status status = lf_model_touch(question, &by_field, NULL);
    question->method = LF_MODEL_TREE;
    if (status == LF_OK)
        status = lf_model_touch(question, touching, cursor);
    if (status == LF_OK)
        status = lf_model_nearest(question, &nearest, NULL);
    if (status == LF_OK)
        printf("%.2f apart: %s, by field and by tree%s; the distance is %.4f\n",
               question->pose_b.translation.x, *touching ? "they touch" : "they do not touch",
               by_field == *touching ? "" : " DIFFERENT", nearest.distance);
    return status;
}

int main(void) {
    lf_model *knot = NULL;
    lf_cursor *cursor = NULL;
    lf_model_query question = lf_model_query_default();
    bool touching = false;
    int64_t pairs = 0;
    lf_status status = make_knot(&knot);
    if (status == LF_OK)
        status = lf_cursor_create(NULL, &cursor);
    question.a = question.b = knot;
    for (double x = 4; status == LF_OK && !touching && x > 0; x -= 0.5) {
        question.pose_b.translation.x = x;
        status = look(&question, cursor, &touching);
    }
    if (status == LF_OK && touching)
        status = lf_model_pairs(&question, NULL, 0, &pairs, NULL);
    if (status == LF_OK || status == LF_PARTIAL) {
        lf_counters cost = lf_cursor_counters(cursor);
        printf(
            "%lld pairs of triangles touch; to see that one does, the tree looked into %llu pairs of boxes\n",
            (long long)pairs, (unsigned long long)cost.nodes);
        status = LF_OK;
    }
    lf_cursor_destroy(cursor);
    lf_model_destroy(knot);
    if (status != LF_OK)
        fprintf(stderr, "touch: %s\n", lf_status_text(status));
    return status == LF_OK ? 0 : 2;
}
