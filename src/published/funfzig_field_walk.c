/// Queries on two distance fields: spheres, then sectors as capped cones, halved where they meet, then
/// shells, then triangles.
#include "base/containers.h"
#include "geom/geometry.h"
#include "published/funfzig_field.h"
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------
// Capped cones
// ---------------------------------------------------------------------------------------------------

// Two convex shapes are apart when a direction exists in which all of one lies before all of the other. The
// extent of a capped cone in a direction has a closed form, so any guess of such a direction can be verified.
// The guesses come from the nearest points of the two axes, in the two cases of the paper: axes that are
// parallel (within an angle) and axes that are not. First come fast rejection and acceptance: by the
// cylinders around, and by spheres within. A guess that fails is improved a few times towards where the
// shapes are nearest; after that they count as meeting, which may be wrong but only costs time.

/// Below this sine squared, axes are parallel.
#define CONE_PARALLEL 1e-4

/// The number of times a direction is improved.
#define IMPROVEMENTS 3

/// A capped cone in space: all points whose distance from the apex is within low .. high, in directions
/// around the axis.
typedef struct lf__capped_cone {
    lf_vec3 apex, axis; ///< unit
    double cosine, sine;
    double low, high;
} lf__capped_cone;

/// How far a cone reaches in a direction of unit length, measured from its apex.
static double cone_reach(const lf__capped_cone *cone, lf_vec3 direction) {
    double along = lf_vec3_dot(direction, cone->axis);
    if (along >= cone->cosine)
        return cone->high;
    double across = sqrt(fmax(0, 1 - along * along));
    double best = along * cone->cosine + across * cone->sine;
    return best * (best > 0 ? cone->high : cone->low);
}

/// The point of a cone that is farthest in a direction of unit length, from its apex.
static lf_vec3 cone_farthest(const lf__capped_cone *cone, lf_vec3 direction) {
    double along = lf_vec3_dot(direction, cone->axis);
    if (along >= cone->cosine)
        return lf_vec3_scale(direction, cone->high);
    lf_vec3 side = lf_vec3_along(direction, -along, cone->axis);
    double across = lf_vec3_length(side);
    double best = along * cone->cosine + across * cone->sine;
    lf_vec3 border = lf_vec3_scale(cone->axis, cone->cosine);
    if (across > 0)
        border = lf_vec3_along(border, cone->sine / across, side);
    return lf_vec3_scale(border, best > 0 ? cone->high : cone->low);
}

static double cone_clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/// A pair of cones: w leads from a's apex to b's.
typedef struct cone_pair {
    const lf__capped_cone *a, *b;
    lf_vec3 w;
    double turn; ///< cosine between the axes
} cone_pair;

/// Where the axes of the cylinders around the cones come nearest: distances from the apexes. false: the axes
/// are parallel, and the points are only near.
static bool nearest_on_axes(const cone_pair *p, double *s, double *t) {
    double low_a = p->a->low * p->a->cosine, low_b = p->b->low * p->b->cosine;
    double along_a = lf_vec3_dot(p->w, p->a->axis), along_b = lf_vec3_dot(p->w, p->b->axis);
    double slope = 1 - p->turn * p->turn;
    bool parallel = slope < CONE_PARALLEL;
    if (parallel) { // the middle of the common interval, or the two ends that face each other
        double sign = p->turn > 0 ? 1 : -1;
        double start = along_a + sign * low_b, end = along_a + sign * p->b->high;
        double low = fmax(fmin(start, end), low_a), high = fmin(fmax(start, end), p->a->high);
        *s = cone_clamp(0.5 * (low + high), low_a, p->a->high);
    } else {
        *s = cone_clamp((along_a - p->turn * along_b) / slope, low_a, p->a->high);
    }
    *t = cone_clamp(p->turn * *s - along_b, low_b, p->b->high);
    *s = cone_clamp(p->turn * *t + along_a, low_a, p->a->high);
    return !parallel;
}

/// The gap between the two in a direction of unit length from a to b; above 0 they are apart.
static double cone_gap(const cone_pair *p, lf_vec3 direction) {
    return lf_vec3_dot(direction, p->w) - cone_reach(p->a, direction) -
           cone_reach(p->b, lf_vec3_scale(direction, -1));
}

/// A sphere within a capped cone: in the middle between the caps.
static double inner_sphere(const lf__capped_cone *cone, lf_vec3 *centre) {
    double middle = 0.5 * (cone->low + cone->high);
    *centre = lf_vec3_scale(cone->axis, middle);
    return fmin(0.5 * (cone->high - cone->low), middle * cone->sine);
}

static bool surely_meet(const cone_pair *p) {
    lf_vec3 a, b;
    double within = inner_sphere(p->a, &a) + inner_sphere(p->b, &b);
    lf_vec3 d = lf_vec3_sub(lf_vec3_add(p->w, b), a);
    return lf_vec3_dot(d, d) <= within * within;
}

/// The point nearest to the origin on the segment from x to y.
static lf_vec3 nearest_to_origin(lf_vec3 x, lf_vec3 y) {
    lf_vec3 d = lf_vec3_sub(y, x);
    double square = lf_vec3_dot(d, d);
    return square > 0 ? lf_vec3_along(x, cone_clamp(-lf_vec3_dot(x, d) / square, 0, 1), d) : x;
}

/// false only when the two share no point; true may be wrong.
static bool cones_meet(const lf__capped_cone *a, const lf__capped_cone *b, double slack) {
    cone_pair p = {a, b, lf_vec3_sub(b->apex, a->apex), lf_vec3_dot(a->axis, b->axis)};
    double s, t;
    bool exact = nearest_on_axes(&p, &s, &t) && a->cosine > 0 && b->cosine > 0;
    lf_vec3 between = lf_vec3_along(lf_vec3_along(p.w, t, b->axis), -s, a->axis);
    double distance = lf_vec3_length(between);
    if (exact && distance > a->high * a->sine + b->high * b->sine + slack)
        return false; // not even the cylinders meet
    if (surely_meet(&p))
        return true;
    for (int i = 0; i <= IMPROVEMENTS && distance > slack; i++) {
        lf_vec3 direction = lf_vec3_scale(between, 1 / distance);
        if (cone_gap(&p, direction) > slack)
            return false;
        lf_vec3 support = lf_vec3_sub(lf_vec3_add(p.w, cone_farthest(b, lf_vec3_scale(direction, -1))),
                                      cone_farthest(a, direction));
        between = nearest_to_origin(between, support);
        distance = lf_vec3_length(between);
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Two fields
// ---------------------------------------------------------------------------------------------------

/// Size of the stack: each step down leaves one pair behind, and the charts start with 36.
enum { FIELD_WALK_STACK = 36 + 4 * 16 + 4 };

typedef struct field_walk_node_pair {
    lf__field_node a, b;
} field_walk_node_pair;

static lf__capped_cone cone_of(const lf__field *field, const lf__field_node *node, const lf_pose *pose) {
    const lf__field_cone *from = &field->cones[node->node];
    lf_vec3 axis = {(double)from->axis[0], (double)from->axis[1], (double)from->axis[2]};
    axis = lf__field_from_chart(node->chart, axis);
    axis = lf_vec3_scale(axis, 1 / lf_vec3_length(axis)); // floats are not quite of unit length
    return (lf__capped_cone){.apex = pose ? lf_pose_to_world(pose, field->centre) : field->centre,
                             .axis = pose ? lf_pose_turn_to_world(pose, axis) : axis,
                             .cosine = (double)from->cosine,
                             .sine = (double)from->sine,
                             .low = node->least * field->step,
                             .high = node->most * field->step};
}

static bool is_empty(const lf__field_node *node) {
    return node->least > node->most;
}

// ---------------------------------------------------------------------------------------------------
// Shells and triangles
// ---------------------------------------------------------------------------------------------------

static lf_box field_walk_box_of(const lf_vec3 t[3]) {
    return lf_box_with(lf_box_with(lf_box_with(lf_box_empty(), t[0]), t[1]), t[2]);
}

typedef struct triangle_pair {
    uint32_t a, b;
    lf_vec3 p[3], q[3];
} triangle_pair;

/// A cache of the pairs of triangles tested last: neighbouring sectors hold the same triangles.
enum { LF__FIELD_TESTED = 512 };

typedef struct lf__field_tested {
    uint64_t pairs[LF__FIELD_TESTED]; ///< a in the upper half, b in the lower
    bool touch[LF__FIELD_TESTED];
} lf__field_tested;

/// What to do after a pair has been found.
typedef enum lf__field_action {
    LF__FIELD_CONTINUE,
    LF__FIELD_NEXT_LAYER,  ///< done with this pair of layers
    LF__FIELD_NEXT_SECTOR, ///< done with this pair of sectors
    LF__FIELD_STOP
} lf__field_action;

typedef struct lf__field_walk {
    const lf_model *model_a, *model_b;
    const lf__field *a, *b;
    const lf_pose *pose; ///< of b, seen from a
    bool shells_only;    ///< stop at the first shells that meet
    bool once;           ///< skip pairs that are in the cache: the finder removes the remaining duplicates
    lf__field_action (*found)(void *user, uint32_t a, uint32_t b);
    void *user;
    double slack;
    lf__field_tested *tested; ///< NULL until there are triangles to test
    lf_counters cost; ///< nodes: cones tested; cells: shells tested; triangles: pairs of triangles compared;
                      ///< exact: those tested exactly
} lf__field_walk;

/// Do two triangles touch? `again` when the answer was in the cache.
static bool test_pair(lf__field_walk *walk, const triangle_pair *pair, bool *again) {
    uint64_t key = (uint64_t)pair->a << 32 | pair->b;
    lf__field_tested *tested = walk->tested;
    size_t place = (size_t)(key * 0x9e3779b97f4a7c15 >> 55);
    *again = tested->pairs[place] == key;
    if (!*again) {
        walk->cost.exact++;
        tested->pairs[place] = key;
        tested->touch[place] = lf__triangles_touch(pair->p, pair->q);
    }
    return tested->touch[place];
}

/// Triangles of a layer of a, with their boxes, that are compared with those of a layer of b.
typedef struct field_walk_block {
    uint32_t first;
    int count;
    lf_box all, boxes[LF__FIELD_GROUP];
} field_walk_block;

static void fill_block(const lf__field_walk *walk, uint32_t first, uint32_t end, field_walk_block *block) {
    lf_vec3 p[3];
    block->first = first;
    block->all = lf_box_empty();
    block->count = end - first < LF__FIELD_GROUP ? (int)(end - first) : LF__FIELD_GROUP;
    for (int i = 0; i < block->count; i++) {
        lf__model_corners(walk->model_a, walk->a->triangles[first + (uint32_t)i], p);
        block->boxes[i] = field_walk_box_of(p);
        block->all = lf_box_union(block->all, block->boxes[i]);
    }
}

/// One triangle of b, in a's frame, against a block of a.
static lf__field_action field_search_block(lf__field_walk *walk, const field_walk_block *block,
                                           triangle_pair *pair) {
    lf_box box = field_walk_box_of(pair->q);
    bool again;
    if (!lf_box_overlap(block->all, box))
        return LF__FIELD_CONTINUE;
    walk->cost.triangles += (uint64_t)block->count;
    for (int i = 0; i < block->count; i++) {
        if (!lf_box_overlap(block->boxes[i], box))
            continue;
        pair->a = walk->a->triangles[block->first + (uint32_t)i];
        lf__model_corners(walk->model_a, pair->a, pair->p);
        if (!test_pair(walk, pair, &again) || (again && walk->once))
            continue;
        lf__field_action action = walk->found(walk->user, pair->a, pair->b);
        if (action != LF__FIELD_CONTINUE)
            return action;
    }
    return LF__FIELD_CONTINUE;
}

/// Is a sphere about a point within reach of a box? The point is counted from the middle of the box.
static bool sphere_meets_box(lf_vec3 at, double radius, lf_vec3 half) {
    double x = fmax(fabs(at.x) - half.x, 0), y = fmax(fabs(at.y) - half.y, 0),
           z = fmax(fabs(at.z) - half.z, 0);
    return x * x + y * y + z * z <= radius * radius;
}

/// May two groups have a point in common? By the sphere of each and the box of the other. at: the centre of b's in a's frame.
static bool groups_meet(const lf__field_walk *walk, const lf__field_group *a, const lf__field_group *b,
                        lf_vec3 at) {
    lf_vec3 d = lf_vec3_sub(at, a->centre);
    return sphere_meets_box(d, b->radius + walk->slack, a->half) &&
           sphere_meets_box(lf_pose_turn_to_local(walk->pose, d), a->radius + walk->slack, b->half);
}

/// The triangles of a group of b, against a block of a.
static lf__field_action search_group(lf__field_walk *walk, const field_walk_block *block, uint32_t first,
                                     uint32_t end) {
    triangle_pair pair;
    for (uint32_t j = first; j < end && j < first + LF__FIELD_GROUP; j++) {
        pair.b = walk->b->triangles[j];
        lf__model_corners(walk->model_b, pair.b, pair.q);
        for (int c = 0; c < 3; c++)
            pair.q[c] = lf_pose_to_world(walk->pose, pair.q[c]);
        lf__field_action action = field_search_block(walk, block, &pair);
        if (action != LF__FIELD_CONTINUE)
            return action;
    }
    return LF__FIELD_CONTINUE;
}

/// Groups of a layer of b that come near a layer of a.
enum { NEAR_GROUPS = 64 };

typedef struct near_groups {
    int count;
    uint32_t at[NEAR_GROUPS];
    lf_vec3 centres[NEAR_GROUPS]; ///< in a's frame
} near_groups;

/// The groups of a layer of a, against some of b's.
static lf__field_action search_near(lf__field_walk *walk, const lf__field_layer *layer_a,
                                    const lf__field_layer *layer_b, const near_groups *near) {
    const lf__field_group *groups = walk->a->groups, *whole = &walk->b->groups[layer_b[0].group];
    lf_vec3 middle = lf_pose_to_world(walk->pose, whole->centre);
    for (uint32_t i = layer_a[0].group + 1; i < layer_a[1].group; i++) {
        field_walk_block block;
        block.count = 0;
        if (!groups_meet(walk, &groups[i], whole, middle))
            continue;
        for (int k = 0; k < near->count; k++) {
            if (!groups_meet(walk, &groups[i], &walk->b->groups[near->at[k]], near->centres[k]))
                continue;
            uint32_t before = near->at[k] - layer_b[0].group - 1;
            if (block.count == 0)
                fill_block(walk, layer_a[0].first + (i - layer_a[0].group - 1) * LF__FIELD_GROUP,
                           layer_a[1].first, &block);
            lf__field_action action =
                search_group(walk, &block, layer_b[0].first + before * LF__FIELD_GROUP, layer_b[1].first);
            if (action != LF__FIELD_CONTINUE)
                return action;
        }
    }
    return LF__FIELD_CONTINUE;
}

/// Triangles of two layers, by groups that come near each other. Stops at the first action of the finder other than to
/// continue, and returns it.
static lf__field_action search_triangles(lf__field_walk *walk, const lf__field_layer *layer_a,
                                         const lf__field_layer *layer_b) {
    const lf__field_group *whole = &walk->a->groups[layer_a[0].group], *groups = walk->b->groups;
    lf__field_action action = LF__FIELD_CONTINUE;
    lf_vec3 at = lf_pose_to_world(walk->pose, groups[layer_b[0].group].centre);
    if (!groups_meet(walk, whole, &groups[layer_b[0].group], at))
        return LF__FIELD_CONTINUE;
    for (uint32_t j = layer_b[0].group + 1; j < layer_b[1].group && action == LF__FIELD_CONTINUE;) {
        near_groups near;
        for (near.count = 0; j < layer_b[1].group && near.count < NEAR_GROUPS; j++) {
            at = lf_pose_to_world(walk->pose, groups[j].centre);
            near.at[near.count] = j;
            near.centres[near.count] = at;
            near.count += groups_meet(walk, whole, &groups[j], at);
        }
        action = search_near(walk, layer_a, layer_b, &near);
    }
    return action;
}

static lf__field_tested *forget(lf__field_tested *tested) {
    for (int i = 0; i < LF__FIELD_TESTED; i++)
        tested->pairs[i] = UINT64_MAX; // no triangle has that number
    return tested;
}

/// Two sectors whose cones meet: layer by layer. false: stop.
static bool search_sectors(lf__field_walk *walk, const field_walk_node_pair *pair) {
    lf__capped_cone a = cone_of(walk->a, &pair->a, NULL), b = cone_of(walk->b, &pair->b, walk->pose);
    int64_t sector_a = lf__field_sector(walk->a, &pair->a), sector_b = lf__field_sector(walk->b, &pair->b);
    for (uint32_t i = walk->a->firsts[sector_a]; i < walk->a->firsts[sector_a + 1]; i++)
        for (uint32_t j = walk->b->firsts[sector_b]; j < walk->b->firsts[sector_b + 1]; j++) {
            const lf__field_layer *layer_a = &walk->a->layers[i], *layer_b = &walk->b->layers[j];
            a.low = (double)layer_a->low, a.high = (double)layer_a->high;
            b.low = (double)layer_b->low, b.high = (double)layer_b->high;
            walk->cost.cells++;
            if (!cones_meet(&a, &b, walk->slack))
                continue;
            if (walk->shells_only)
                return false;
            lf__field_action action = search_triangles(walk, layer_a, layer_b);
            if (action == LF__FIELD_STOP)
                return false;
            if (action == LF__FIELD_NEXT_SECTOR)
                return true;
        }
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Cones
// ---------------------------------------------------------------------------------------------------

/// The coarser node is halved, a before b.
static void field_walk_halve(const lf__field_walk *walk, const field_walk_node_pair *pair,
                             field_walk_node_pair halves[2]) {
    bool a_done = pair->a.level == walk->a->levels, b_done = pair->b.level == walk->b->levels;
    lf__field_node parts[2];
    halves[0] = halves[1] = *pair;
    if (!a_done && (b_done || pair->a.level <= pair->b.level)) {
        lf__field_halves(walk->a, &pair->a, parts);
        halves[0].a = parts[0], halves[1].a = parts[1];
    } else {
        lf__field_halves(walk->b, &pair->b, parts);
        halves[0].b = parts[0], halves[1].b = parts[1];
    }
}

static int push_charts(const lf__field_walk *walk, field_walk_node_pair *stack) {
    int depth = 0;
    for (int i = LF__FIELD_CHARTS - 1; i >= 0; i--)
        for (int j = LF__FIELD_CHARTS - 1; j >= 0; j--) {
            field_walk_node_pair pair = {lf__field_root(walk->a, i), lf__field_root(walk->b, j)};
            if (!is_empty(&pair.a) && !is_empty(&pair.b))
                stack[depth++] = pair;
        }
    return depth;
}

/// Every pair of touching triangles, at most as often as there are pairs of sectors that hold both. true when
/// stopped by the finder or at the shells.
static bool field_search(lf__field_walk *walk) {
    field_walk_node_pair stack[FIELD_WALK_STACK];
    lf__field_tested tested;
    lf_vec3 apart = lf_vec3_sub(lf_pose_to_world(walk->pose, walk->b->centre), walk->a->centre);
    walk->slack = 1e-7 * (walk->a->radius + walk->b->radius) + 0x1p-45 * lf_vec3_length(apart);
    walk->slack += 0x1p-45 * (walk->model_a->tree->scale + walk->model_b->tree->scale);
    walk->cost = (lf_counters){.questions = 1};
    walk->tested = NULL;
    if (lf_vec3_length(apart) > walk->a->radius + walk->b->radius + walk->slack)
        return false;
    int depth = push_charts(walk, stack);
    while (depth > 0) {
        field_walk_node_pair pair = stack[--depth];
        lf__capped_cone a = cone_of(walk->a, &pair.a, NULL), b = cone_of(walk->b, &pair.b, walk->pose);
        walk->cost.nodes++;
        if (!cones_meet(&a, &b, walk->slack))
            continue;
        if (pair.a.level == walk->a->levels && pair.b.level == walk->b->levels) {
            if (!walk->tested)
                walk->tested = forget(&tested);
            if (!search_sectors(walk, &pair))
                return true;
            continue;
        }
        field_walk_node_pair halves[2];
        field_walk_halve(walk, &pair, halves);
        for (int i = 1; i >= 0; i--)
            if (!is_empty(&halves[i].a) && !is_empty(&halves[i].b))
                stack[depth++] = halves[i];
    }
    return false;
}

/// Nodes of a level that are not empty, all charts.
static int64_t count_level(const lf__field *field, const lf__field_node *node, int level) {
    if (is_empty(node))
        return 0;
    if (node->level == level)
        return 1;
    lf__field_node halves[2];
    lf__field_halves(field, node, halves);
    return count_level(field, &halves[0], level) + count_level(field, &halves[1], level);
}

static int64_t level_nodes(const lf__field *field, int level) {
    int64_t count = 0;
    for (int chart = 0; chart < LF__FIELD_CHARTS; chart++) {
        lf__field_node root = lf__field_root(field, chart);
        count += count_level(field, &root, level);
    }
    return count;
}

void lf__field_bound(const lf__field *a, const lf__field *b, double *cones, double *shells) {
    int level_a = 0, level_b = 0;
    *cones = (double)level_nodes(a, 0) * (double)level_nodes(b, 0);
    while (level_a < a->levels || level_b < b->levels) {
        if (level_a < a->levels && (level_b == b->levels || level_a <= level_b))
            level_a++;
        else
            level_b++;
        *cones += (double)level_nodes(a, level_a) * (double)level_nodes(b, level_b);
    }
    *shells = (double)a->layer_count * (double)b->layer_count;
}

// ---------------------------------------------------------------------------------------------------
// Queries
// ---------------------------------------------------------------------------------------------------

static lf__field_walk walk_of(const lf_model_query *query, const lf_pose *between) {
    return (lf__field_walk){.model_a = query->a,
                            .model_b = query->b,
                            .a = query->a->field,
                            .b = query->b->field,
                            .pose = between,
                            .shells_only = query->method == LF_MODEL_SHELLS};
}

static lf__field_action field_pairs_stop_at_once(void *user, uint32_t a, uint32_t b) {
    (void)user, (void)a, (void)b;
    return LF__FIELD_STOP;
}

bool lf__field_touch(const lf_model_query *query, const lf_pose *between, lf_cursor *cursor) {
    lf__field_walk walk = walk_of(query, between);
    walk.found = field_pairs_stop_at_once;
    bool touching = field_search(&walk);
    lf__cursor_count(cursor, &walk.cost);
    return touching;
}

// ---------------------------------------------------------------------------------------------------
// One pair of many
// ---------------------------------------------------------------------------------------------------

typedef struct one_of {
    lf__pair_list *list;
    lf__field_action then;
} one_of;

static lf__field_action add_one(void *user, uint32_t a, uint32_t b) {
    one_of *one = user;
    lf__pair_list *list = one->list;
    if (list->count < list->capacity)
        list->pairs[list->count] = (lf_model_pair){a, b};
    return ++list->count == list->limit ? LF__FIELD_STOP : one->then;
}

// ---------------------------------------------------------------------------------------------------
// All pairs, each once
// ---------------------------------------------------------------------------------------------------

/// Pairs as one number each, sorted whenever the array is full to remove duplicates.
typedef struct pair_set {
    const lf_allocator *allocator;
    lf__array keys;
    int64_t sorted; ///< this many at the start are sorted and distinct
    int64_t limit;
    lf_status status;
} pair_set;

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void drop_doubles(pair_set *set) {
    uint64_t *keys = set->keys.items;
    int64_t kept = 0;
    if (set->keys.count > set->sorted)
        qsort(keys, (size_t)set->keys.count, sizeof *keys, compare_keys);
    for (int64_t i = 0; i < set->keys.count; i++)
        if (kept == 0 || keys[i] != keys[kept - 1])
            keys[kept++] = keys[i];
    set->keys.count = set->sorted = kept;
}

static lf__field_action add_key(void *user, uint32_t a, uint32_t b) {
    pair_set *set = user;
    if (set->keys.count == set->keys.capacity)
        drop_doubles(set);
    set->status = lf__array_reserve(&set->keys, set->allocator, 1, sizeof(uint64_t));
    if (set->status != LF_OK)
        return LF__FIELD_STOP;
    ((uint64_t *)set->keys.items)[set->keys.count++] = (uint64_t)a << 32 | b;
    if (set->limit > 0 && set->keys.count >= set->limit) {
        drop_doubles(set);
        if (set->keys.count == set->limit)
            return LF__FIELD_STOP;
    }
    return LF__FIELD_CONTINUE;
}

static lf_status find_all(lf__field_walk *walk, lf__pair_list *list) {
    pair_set set = {.allocator = &walk->model_a->allocator, .limit = list->limit};
    walk->once = true;
    walk->found = add_key;
    walk->user = &set;
    field_search(walk);
    drop_doubles(&set);
    const uint64_t *keys = set.keys.items;
    for (int64_t i = 0; set.status == LF_OK && i < set.keys.count; i++, list->count++)
        if (i < list->capacity)
            list->pairs[i] = (lf_model_pair){(int64_t)(keys[i] >> 32), (int64_t)(keys[i] & UINT32_MAX)};
    lf__array_free(&set.keys, set.allocator, sizeof(uint64_t));
    return set.status;
}

lf_status lf__field_pairs(const lf_model_query *query, const lf_pose *between, lf__pair_list *list,
                          lf_cursor *cursor) {
    lf__field_walk walk = walk_of(query, between);
    lf_status status = LF_OK;
    if (query->report == LF_MODEL_REPORT_ALL) {
        status = find_all(&walk, list);
    } else {
        one_of one = {list,
                      query->report == LF_MODEL_REPORT_LAYER ? LF__FIELD_NEXT_LAYER : LF__FIELD_NEXT_SECTOR};
        walk.found = add_one;
        walk.user = &one;
        field_search(&walk);
    }
    lf__cursor_count(cursor, &walk.cost);
    return status;
}
