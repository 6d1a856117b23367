#include "published/quadtree_near.h"
#include <assert.h>

#define PI 3.14159265358979323846

/// Points beyond these times the reach are asked elsewhere.
#define FAR_ALONG_GRAVITY 2
#define FAR_FROM_CENTRE 16
/// And those that are closer to a centre or an axis than this share of the reach.
#define CLOSE 0x1p-16

bool lf__quadtree_near(const lf__quadtree *tree, lf_vec3 point, lf_vec3 *local) {
    *local = lf__quadtree_local(tree, point);
    if (tree->straight)
        return true;
    lf_vec3 from = lf_vec3_sub(point, tree->frame.origin);
    double far = fmax(fabs(from.x), fmax(fabs(from.y), fabs(from.z)));
    if (tree->frame.kind == LF_FRAME_GRAVITY)
        return far <= FAR_ALONG_GRAVITY * tree->reach;
    return far <= FAR_FROM_CENTRE * tree->reach && fabs(local->z) >= CLOSE * tree->reach;
}

void lf__quadtree_gather(const lf__quadtree *tree, double x, double y, lf__quadtree_leaves *leaves) {
    uint32_t stack[3 * LF__QUADTREE_DEEPEST + 4];
    int waiting = 1;
    stack[0] = 0;
    leaves->count = 0;
    while (waiting > 0) {
        const lf__quadtree_node *node = &tree->nodes[stack[--waiting]];
        if (node->children == 0) {
            assert(leaves->count < LF__QUADTREE_LEAVES);
            leaves->nodes[leaves->count++] = stack[waiting];
            continue;
        }
        bool low_x = x <= node->x + tree->slack, high_x = x >= node->x - tree->slack;
        bool low_y = y <= node->y + tree->slack, high_y = y >= node->y - tree->slack;
        for (int child = 3; child >= 0; child--)
            if ((child & 1 ? high_x : low_x) && (child & 2 ? high_y : low_y))
                stack[waiting++] = node->children + (uint32_t)child;
    }
}

/// Is the point within the box of a polygon? Angles come again after a full turn.
static bool box_holds(const lf__quadtree *tree, const lf__rectangle *box, lf_vec3 p) {
    bool turned = tree->frame.kind != LF_FRAME_GRAVITY && p.x < box->low_x;
    double x = turned ? p.x + 2 * PI : p.x;
    return x >= box->low_x && x <= box->high_x && p.y >= box->low_y && p.y <= box->high_y;
}

/// Is a polygon in one of the leaves before this one?
static bool seen_before(const lf__quadtree *tree, const lf__quadtree_leaves *leaves, int leaf,
                        uint32_t polygon) {
    for (int i = 0; i < leaf; i++) {
        const lf__quadtree_node *node = &tree->nodes[leaves->nodes[i]];
        for (uint32_t k = 0; k < node->count; k++)
            if (tree->references[node->first + k] == polygon)
                return true;
    }
    return false;
}

/// Called for each polygon that is met; false to stop.
typedef bool take_meeting(void *user, lf__tree_meeting meeting);

/// Every polygon that the question's line meets, each once. false, with nothing taken, when the point is not for this tree.
static bool each_meeting(const lf__mesh_question *question, take_meeting *take, void *user,
                         lf_cursor *cursor) {
    const lf__quadtree *tree = lf__quadtree_of(question->mesh);
    lf_vec3 local;
    lf__quadtree_leaves leaves = {.count = 0};
    if (!lf__quadtree_near(tree, question->ray->origin, &local))
        return false;
    const lf__rectangle *all = &tree->box;
    if (local.x >= all->low_x && local.x <= all->high_x && local.y >= all->low_y && local.y <= all->high_y)
        lf__quadtree_gather(tree, local.x, local.y, &leaves);
    lf_counters cost = {.questions = 1, .cells = (uint64_t)leaves.count};
    bool going = true;
    for (int i = 0; i < leaves.count && going; i++) {
        const lf__quadtree_node *node = &tree->nodes[leaves.nodes[i]];
        cost.triangles += node->count;
        for (uint32_t k = 0; k < node->count && going; k++) {
            uint32_t polygon = tree->references[node->first + k];
            lf__tree_meeting meeting;
            if (box_holds(tree, &tree->polygons[polygon].box, local) &&
                !seen_before(tree, &leaves, i, polygon) &&
                lf__mesh_meet_polygon(question, polygon, &meeting, &cost.exact))
                going = take(user, meeting);
        }
    }
    lf__cursor_count(cursor, &cost);
    return true;
}

typedef struct first_of_all {
    const lf__mesh_question *question;
    lf__tree_meeting best;
    bool met;
} first_of_all;

static bool take_first(void *user, lf__tree_meeting meeting) {
    first_of_all *first = user;
    uint64_t exact = 0;
    if (!first->met || lf__mesh_before(first->question, &meeting, &first->best, &exact))
        first->best = meeting;
    first->met = true;
    return true;
}

static bool take_any(void *user, lf__tree_meeting meeting) {
    (void)meeting;
    *(bool *)user = true;
    return false;
}

static bool take_all(void *user, lf__tree_meeting meeting) {
    lf__nearest_offer(user, meeting);
    return true;
}

bool lf__quadtree_first(const lf__mesh_question *question, lf__tree_meeting *best, lf_cursor *cursor) {
    first_of_all first = {.question = question, .met = false};
    lf__tree_filter filter = {lf__mesh_accepts, question};
    if (!each_meeting(question, take_first, &first, cursor))
        return lf__tree_first(question->mesh->tree, question->ray, &filter, best, cursor);
    *best = first.best;
    return first.met;
}

bool lf__quadtree_any(const lf__mesh_question *question, lf_cursor *cursor) {
    bool found = false;
    lf__tree_filter filter = {lf__mesh_accepts, question};
    if (!each_meeting(question, take_any, &found, cursor))
        return lf__tree_any(question->mesh->tree, question->ray, &filter, cursor);
    return found;
}

int64_t lf__quadtree_all(lf__mesh_question *question, lf_hit *hits, int64_t capacity, lf_cursor *cursor) {
    question->nearest = (lf__nearest){question->mesh->tree, question->ray, hits, capacity, 0, 0};
    if (!each_meeting(question, take_all, &question->nearest, cursor))
        return lf__mesh_all(question, hits, capacity, cursor);
    lf__nearest_sort(&question->nearest);
    for (int64_t i = 0; i < question->nearest.kept; i++) {
        lf__tree_meeting meeting = {hits[i].t, (uint32_t)hits[i].element, NULL};
        lf__mesh_hit(question, &meeting, &hits[i]);
    }
    return question->nearest.offered;
}
