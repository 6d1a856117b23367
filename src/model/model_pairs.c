/// Do two models touch, and which of their triangles do?
#include "base/base.h"
#include "model/model.h"
#include <string.h>

/// The same test as lf_pose_rigid, inlined, and a limit of the translation.
bool lf__model_pose_valid(const lf_pose *pose) {
    const lf_vec3 *r = pose->rows, t = pose->translation;
    double xx = lf_vec3_dot(r[0], r[0]) - 1, yy = lf_vec3_dot(r[1], r[1]) - 1,
           zz = lf_vec3_dot(r[2], r[2]) - 1;
    double xy = lf_vec3_dot(r[0], r[1]), yz = lf_vec3_dot(r[1], r[2]), zx = lf_vec3_dot(r[2], r[0]);
    bool straight = fabs(xx) <= 1e-9 && fabs(yy) <= 1e-9 && fabs(zz) <= 1e-9 && fabs(xy) <= 1e-9 &&
                    fabs(yz) <= 1e-9 && fabs(zx) <= 1e-9; // false for NaN
    bool near = fabs(t.x) <= LF__MODEL_LIMIT && fabs(t.y) <= LF__MODEL_LIMIT && fabs(t.z) <= LF__MODEL_LIMIT;
    return straight && near && lf_vec3_dot(lf_vec3_cross(r[0], r[1]), r[2]) > 0;
}

static inline lf_vec3 placed(const lf_pose *pose, lf_vec3 v) {
    return (lf_vec3){lf_vec3_dot(pose->rows[0], v) + pose->translation.x,
                     lf_vec3_dot(pose->rows[1], v) + pose->translation.y,
                     lf_vec3_dot(pose->rows[2], v) + pose->translation.z};
}

/// Do the spheres share no point? The margin of the radii covers rounding and poses that are not exactly
/// rigid.
static bool spheres_apart(const lf_model_query *query) {
    lf_vec3 a = placed(&query->pose_a, query->a->centre);
    lf_vec3 b = placed(&query->pose_b, query->b->centre);
    lf_vec3 d = lf_vec3_sub(a, b);
    double size = fabs(a.x) + fabs(a.y) + fabs(a.z) + fabs(b.x) + fabs(b.y) + fabs(b.z);
    double reach = (query->a->radius + query->b->radius) * (1 + 1e-8) + 0x1p-48 * size;
    return lf_vec3_dot(d, d) > reach * reach * (1 + 0x1p-40);
}

/// Fill the state of a query that has been checked.
static void model_pairs_settle(const lf_model_query *query, lf__model_pair_state *state) {
    state->apart = spheres_apart(query);
    if (!state->apart)
        state->between = lf__pose_between(&query->pose_a, &query->pose_b);
}

lf_status lf__model_query_read(const lf_model_query *given, lf_model_query *copy,
                               const lf_model_query **query, lf__model_pair_state *state) {
    if (!given)
        return LF_BAD_ARGUMENT;
    *query = given;
    if (given->size != sizeof *given) {
        *copy = lf_model_query_default();
        *query = copy;
        if (lf__def_read(copy, sizeof *copy, given, NULL) != LF_OK)
            return LF_BAD_ARGUMENT;
    }
    const lf_model_query *q = *query;
    if (!q->a || !q->b || q->limit < 0 || !lf__model_pose_valid(&q->pose_a) ||
        !lf__model_pose_valid(&q->pose_b))
        return LF_BAD_ARGUMENT;
    model_pairs_settle(q, state);
    return LF_OK;
}

/// Does the query use the fields? Trees are faster wherever both can answer; only fields know layers and
/// shells.
static bool by_fields(const lf_model_query *query) {
    return query->method == LF_MODEL_FIELD || query->method == LF_MODEL_SHELLS ||
           query->report != LF_MODEL_REPORT_ALL;
}

/// Are method and report valid, and can these models answer the query?
static bool answerable(const lf_model_query *query) {
    bool known = (int)query->method >= LF_MODEL_AUTO && query->method <= LF_MODEL_SHELLS &&
                 (int)query->report >= LF_MODEL_REPORT_ALL && query->report <= LF_MODEL_REPORT_SECTOR;
    if (!known || (query->method == LF_MODEL_TREE && query->report != LF_MODEL_REPORT_ALL))
        return false;
    return !by_fields(query) || (query->a->field && query->b->field);
}

// ---------------------------------------------------------------------------------------------------
// Queries
// ---------------------------------------------------------------------------------------------------

/// The filter. Unless it is unsure, the query is valid and is answered by the trees, and nothing else is
/// checked. Most models that are queried are far apart, and then nothing else is computed either.
static inline lf__poses model_poses_filter(const lf_model_query *q) {
    bool plain = q && q->size == sizeof *q && q->a && q->b && q->limit >= 0 &&
                 (unsigned)q->method <= LF_MODEL_TREE && q->report == LF_MODEL_REPORT_ALL;
    return plain ? q->a->apart(&q->pose_a, &q->pose_b, q->a->reach + q->b->reach) : LF__POSES_UNSURE;
}

static bool model_pairs_stop_at_once(void *user, uint32_t a, uint32_t b) {
    (void)user, (void)a, (void)b;
    return false;
}

static bool trees_touch(const lf_model_query *query, const lf_pose *between, lf_cursor *cursor) {
    lf__pair_finder finder = {model_pairs_stop_at_once, NULL, true};
    return lf__bvh_pairs(query->a->tree, query->b->tree, between, &finder, cursor);
}

/// Out of line, as everything after the filter, so that queries about models far apart save no registers for
/// it.
__attribute__((noinline)) static lf_status touch_near(const lf_model_query *query, bool *touching,
                                                      lf_cursor *cursor) {
    lf__model_pair_state state;
    model_pairs_settle(query, &state);
    *touching = !state.apart && trees_touch(query, &state.between, cursor);
    return LF_OK;
}

__attribute__((noinline)) static lf_status touch_unsure(const lf_model_query *given, bool *touching,
                                                        lf_cursor *cursor) {
    lf_model_query copy;
    const lf_model_query *query;
    lf__model_pair_state state;
    lf_status status = lf__model_query_read(given, &copy, &query, &state);
    if (status == LF_OK && !answerable(query))
        return LF_BAD_ARGUMENT;
    if (status == LF_OK && !state.apart)
        *touching = by_fields(query) ? lf__field_functions(query->a)->touch(query, &state.between, cursor)
                                     : trees_touch(query, &state.between, cursor);
    return status;
}

lf_status lf_model_touch(const lf_model_query *query, bool *touching, lf_cursor *cursor) {
    if (!touching)
        return LF_BAD_ARGUMENT;
    *touching = false;
    lf__poses poses = model_poses_filter(query);
    if (poses == LF__POSES_APART)
        return LF_OK;
    return poses == LF__POSES_NEAR ? touch_near(query, touching, cursor)
                                   : touch_unsure(query, touching, cursor);
}

static bool add_pair(void *user, uint32_t a, uint32_t b) {
    lf__pair_list *list = user;
    if (list->count < list->capacity)
        list->pairs[list->count] = (lf_model_pair){a, b};
    return ++list->count != list->limit;
}

static void find_by_trees(const lf_model_query *query, const lf_pose *between, lf__pair_list *list,
                          lf_cursor *cursor) {
    lf__pair_finder finder = {add_pair, list, query->limit == 1};
    lf__bvh_pairs(query->a->tree, query->b->tree, between, &finder, cursor);
}

__attribute__((noinline)) static lf_status pairs_near(const lf_model_query *query, lf__pair_list *list,
                                                      lf_cursor *cursor) {
    lf__model_pair_state state;
    model_pairs_settle(query, &state);
    if (!state.apart)
        find_by_trees(query, &state.between, list, cursor);
    return LF_OK;
}

__attribute__((noinline)) static lf_status pairs_unsure(const lf_model_query *given, lf__pair_list *list,
                                                        lf_cursor *cursor) {
    lf_model_query copy;
    const lf_model_query *query;
    lf__model_pair_state state;
    lf_status status = lf__model_query_read(given, &copy, &query, &state);
    if (status == LF_OK && (!answerable(query) || query->method == LF_MODEL_SHELLS))
        return LF_BAD_ARGUMENT;
    if (status != LF_OK || state.apart)
        return status;
    list->limit = query->limit;
    if (by_fields(query))
        return lf__field_functions(query->a)->pairs(query, &state.between, list, cursor);
    find_by_trees(query, &state.between, list, cursor);
    return LF_OK;
}

lf_status lf_model_pairs(const lf_model_query *query, lf_model_pair *pairs, int64_t capacity, int64_t *count,
                         lf_cursor *cursor) {
    if (count)
        *count = 0;
    if (!count || capacity < 0 || (capacity > 0 && !pairs))
        return LF_BAD_ARGUMENT;
    lf__poses poses = model_poses_filter(query);
    if (poses == LF__POSES_APART)
        return LF_OK;
    lf__pair_list list = {pairs, capacity, 0, 0};
    lf_status status;
    if (poses == LF__POSES_NEAR) {
        list.limit = query->limit;
        status = pairs_near(query, &list, cursor);
    } else {
        status = pairs_unsure(query, &list, cursor);
    }
    *count = list.count;
    return status == LF_OK && list.count > capacity ? LF_PARTIAL : status;
}
