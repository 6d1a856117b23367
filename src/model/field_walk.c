/// Two fields against each other: spheres, then sectors as capped cones, halved where they meet, then shells, then triangles.
#include "model/field_walk.h"
#include "geom/touch.h"

/// Room on the stack: each step down leaves one pair behind, and the charts start with 36.
enum { STACK = 36 + 4 * 16 + 4 };

/// So many triangles of a at a time.
enum { BLOCK = 64 };

typedef struct node_pair {
    lf__field_node a, b;
} node_pair;

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

static lf_box box_of(const lf_vec3 t[3]) {
    return lf_box_with(lf_box_with(lf_box_with(lf_box_empty(), t[0]), t[1]), t[2]);
}

typedef struct triangle_pair {
    uint32_t a, b;
    lf_vec3 p[3], q[3];
} triangle_pair;

/// Do two triangles touch? `again` when that has been asked before, and not long ago.
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

/// Triangles of a layer of a that are held against those of one of b, with their boxes.
typedef struct block {
    uint32_t first;
    int count;
    lf_box boxes[BLOCK];
} block;

static void fill_block(const lf__field_walk *walk, uint32_t first, uint32_t end, block *block) {
    lf_vec3 p[3];
    block->first = first;
    block->count = end - first < BLOCK ? (int)(end - first) : BLOCK;
    for (int i = 0; i < block->count; i++) {
        lf__model_corners(walk->model_a, walk->a->triangles[first + (uint32_t)i], p);
        block->boxes[i] = box_of(p);
    }
}

/// One triangle of b, in place, against a block of a.
static lf__field_said ask_block(lf__field_walk *walk, const block *block, triangle_pair *pair) {
    lf_box box = box_of(pair->q);
    bool again;
    walk->cost.triangles += (uint64_t)block->count;
    for (int i = 0; i < block->count; i++) {
        if (!lf_box_overlap(block->boxes[i], box))
            continue;
        pair->a = walk->a->triangles[block->first + (uint32_t)i];
        lf__model_corners(walk->model_a, pair->a, pair->p);
        if (!test_pair(walk, pair, &again) || (again && walk->once))
            continue;
        lf__field_said said = walk->found(walk->user, pair->a, pair->b);
        if (said != LF__FIELD_ON)
            return said;
    }
    return LF__FIELD_ON;
}

/// Triangles of two layers. Ends with what the finder says, unless that is to go on.
static lf__field_said ask_triangles(lf__field_walk *walk, const lf__field_layer *layer_a,
                                    const lf__field_layer *layer_b) {
    block block;
    triangle_pair pair;
    for (int64_t i = layer_a[0].first; i < layer_a[1].first; i += BLOCK) {
        fill_block(walk, (uint32_t)i, layer_a[1].first, &block);
        for (uint32_t j = layer_b[0].first; j < layer_b[1].first; j++) {
            pair.b = walk->b->triangles[j];
            lf__model_corners(walk->model_b, pair.b, pair.q);
            for (int c = 0; c < 3; c++)
                pair.q[c] = lf_pose_to_world(walk->pose, pair.q[c]);
            lf__field_said said = ask_block(walk, &block, &pair);
            if (said != LF__FIELD_ON)
                return said;
        }
    }
    return LF__FIELD_ON;
}

static lf__field_tested *forget(lf__field_tested *tested) {
    for (int i = 0; i < LF__FIELD_TESTED; i++)
        tested->pairs[i] = UINT64_MAX; // no triangle has that number
    return tested;
}

/// Two sectors whose cones meet: layer by layer. false: stop.
static bool ask_sectors(lf__field_walk *walk, const node_pair *pair) {
    lf__capped_cone a = cone_of(walk->a, &pair->a, NULL), b = cone_of(walk->b, &pair->b, walk->pose);
    int64_t sector_a = lf__field_sector(walk->a, &pair->a), sector_b = lf__field_sector(walk->b, &pair->b);
    for (uint32_t i = walk->a->firsts[sector_a]; i < walk->a->firsts[sector_a + 1]; i++)
        for (uint32_t j = walk->b->firsts[sector_b]; j < walk->b->firsts[sector_b + 1]; j++) {
            const lf__field_layer *layer_a = &walk->a->layers[i], *layer_b = &walk->b->layers[j];
            a.low = (double)layer_a->low, a.high = (double)layer_a->high;
            b.low = (double)layer_b->low, b.high = (double)layer_b->high;
            walk->cost.cells++;
            if (!lf__cones_meet(&a, &b, walk->slack))
                continue;
            if (walk->shells_only)
                return false;
            lf__field_said said = ask_triangles(walk, layer_a, layer_b);
            if (said == LF__FIELD_STOP)
                return false;
            if (said == LF__FIELD_NEXT_SECTOR)
                return true;
        }
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Cones
// ---------------------------------------------------------------------------------------------------

/// By turns: the coarser one is halved, a before b.
static void halve(const lf__field_walk *walk, const node_pair *pair, node_pair halves[2]) {
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

static int push_charts(const lf__field_walk *walk, node_pair *stack) {
    int depth = 0;
    for (int i = LF__FIELD_CHARTS - 1; i >= 0; i--)
        for (int j = LF__FIELD_CHARTS - 1; j >= 0; j--) {
            node_pair pair = {lf__field_root(walk->a, i), lf__field_root(walk->b, j)};
            if (!is_empty(&pair.a) && !is_empty(&pair.b))
                stack[depth++] = pair;
        }
    return depth;
}

bool lf__field_ask(lf__field_walk *walk) {
    node_pair stack[STACK];
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
        node_pair pair = stack[--depth];
        lf__capped_cone a = cone_of(walk->a, &pair.a, NULL), b = cone_of(walk->b, &pair.b, walk->pose);
        walk->cost.nodes++;
        if (!lf__cones_meet(&a, &b, walk->slack))
            continue;
        if (pair.a.level == walk->a->levels && pair.b.level == walk->b->levels) {
            if (!walk->tested)
                walk->tested = forget(&tested);
            if (!ask_sectors(walk, &pair))
                return true;
            continue;
        }
        node_pair halves[2];
        halve(walk, &pair, halves);
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
