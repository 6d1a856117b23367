/// The paper's quadtree: every leaf on the same level, nodes in one array, a queue, and entries sorted by t.
#include "published/sjostrand.h"

static void set_child(lf__sjostrand_node *child, const lf__sjostrand_node *parent, int which) {
    child->side = parent->side / 2;
    child->column = parent->column + (which & 1) * child->side;
    child->row = parent->row + (which >> 1) * child->side;
}

/// The samples of an area and those on its far border, where there are any: the triangles between two leaves belong to the first.
static void measure_leaf(const lf__sjostrand_map *map, lf__sjostrand_node *node) {
    int32_t last_column = node->column + node->side, last_row = node->row + node->side;
    last_column = last_column < map->samples ? last_column : map->samples - 1;
    last_row = last_row < map->samples ? last_row : map->samples - 1;
    node->low = node->high = map->heights[(int64_t)node->row * map->samples + node->column];
    for (int32_t row = node->row; row <= last_row; row++) {
        const float *line = map->heights + (int64_t)row * map->samples;
        for (int32_t column = node->column; column <= last_column; column++) {
            node->low = line[column] < node->low ? line[column] : node->low;
            node->high = line[column] > node->high ? line[column] : node->high;
        }
    }
}

static void measure_parent(lf__sjostrand_node *node, const lf__sjostrand_node *children) {
    node->low = children[0].low;
    node->high = children[0].high;
    for (int i = 1; i < 4; i++) {
        node->low = children[i].low < node->low ? children[i].low : node->low;
        node->high = children[i].high > node->high ? children[i].high : node->high;
    }
}

lf_status lf__sjostrand_open(lf__sjostrand_tree *tree, const lf__sjostrand_map *map, int32_t leaf_side) {
    *tree = (lf__sjostrand_tree){
        .allocator = lf__allocator_of(NULL), .map = map, .leaf_count = 1, .leaf_side = leaf_side};
    for (int32_t side = map->samples; side > leaf_side; side /= 2, tree->leaf_count *= 4)
        tree->first_leaf += tree->leaf_count;
    tree->node_count = tree->first_leaf + tree->leaf_count;
    lf_status status =
        lf__allocate_array(&tree->allocator, tree->node_count, sizeof *tree->nodes, (void **)&tree->nodes);
    if (status == LF_OK)
        status = lf__allocate_array(&tree->allocator, tree->node_count, sizeof *tree->queue,
                                    (void **)&tree->queue);
    if (status == LF_OK)
        status = lf__allocate_array(&tree->allocator, tree->leaf_count, sizeof *tree->entries,
                                    (void **)&tree->entries);
    if (status != LF_OK)
        return status;
    tree->nodes[0] = (lf__sjostrand_node){.side = map->samples};
    for (int64_t i = 1; i < tree->node_count; i++)
        set_child(&tree->nodes[i], &tree->nodes[(i - 1) / 4], (int)((i - 1) % 4));
    for (int64_t i = tree->node_count - 1; i >= 0; i--) {
        if (i >= tree->first_leaf)
            measure_leaf(map, &tree->nodes[i]);
        else
            measure_parent(&tree->nodes[i], &tree->nodes[4 * i + 1]);
    }
    return LF_OK;
}

void lf__sjostrand_close(lf__sjostrand_tree *tree) {
    lf__free_array(&tree->allocator, tree->entries, tree->leaf_count, sizeof *tree->entries);
    lf__free_array(&tree->allocator, tree->queue, tree->node_count, sizeof *tree->queue);
    lf__free_array(&tree->allocator, tree->nodes, tree->node_count, sizeof *tree->nodes);
    *tree = (lf__sjostrand_tree){.node_count = 0};
}

typedef struct slabs {
    double origin[3], inverse[3];
    double t_min, t_max;
} slabs;

static slabs slabs_of(const lf_ray *ray) {
    slabs made = {{ray->origin.x, ray->origin.y, ray->origin.z},
                  {1.0 / ray->direction.x, 1.0 / ray->direction.y, 1.0 / ray->direction.z},
                  ray->t_min,
                  ray->t_max};
    return made;
}

static void clip(double low, double high, double *t_in, double *t_out) {
    double first = low < high ? low : high, last = low < high ? high : low;
    *t_in = first > *t_in ? first : *t_in;
    *t_out = last < *t_out ? last : *t_out;
}

/// The slab method. A ray that runs through a corner of four areas touches two of them at one point: t_in == t_out, not entered.
static bool enters(const slabs *ray, const lf__sjostrand_node *node, int32_t last_sample, double *t_in,
                   double *t_out) {
    *t_in = ray->t_min;
    *t_out = ray->t_max;
    int32_t far_column = node->column + node->side, far_row = node->row + node->side;
    far_column = far_column < last_sample ? far_column : last_sample;
    far_row = far_row < last_sample ? far_row : last_sample;
    clip((node->column - ray->origin[0]) * ray->inverse[0], (far_column - ray->origin[0]) * ray->inverse[0],
         t_in, t_out);
    clip((node->row - ray->origin[1]) * ray->inverse[1], (far_row - ray->origin[1]) * ray->inverse[1], t_in,
         t_out);
    clip((node->low - ray->origin[2]) * ray->inverse[2], (node->high - ray->origin[2]) * ray->inverse[2],
         t_in, t_out);
    return *t_in < *t_out;
}

/// They come out of the queue almost in order: insertion is the fastest sort here.
static void insert(lf__sjostrand_entry *entries, int64_t count, lf__sjostrand_entry entry) {
    int64_t at = count;
    for (; at > 0 && entries[at - 1].t_in > entry.t_in; at--)
        entries[at] = entries[at - 1];
    entries[at] = entry;
}

int64_t lf__sjostrand_search(lf__sjostrand_tree *tree, const lf_ray *ray, lf__sjostrand_answer *answer) {
    slabs clipped = slabs_of(ray);
    int64_t head = 0, tail = 0, found = 0;
    int32_t last_sample = tree->map->samples - 1;
    tree->queue[tail++] = 0;
    while (head < tail) {
        int64_t which = tree->queue[head++];
        lf__sjostrand_entry entry = {which, 0.0, 0.0};
        if (!enters(&clipped, &tree->nodes[which], last_sample, &entry.t_in, &entry.t_out))
            continue;
        if (which >= tree->first_leaf) {
            insert(tree->entries, found++, entry);
            continue;
        }
        for (int64_t child = 4 * which + 1; child <= 4 * which + 4; child++)
            tree->queue[tail++] = child;
    }
    answer->nodes += head;
    answer->leaves += found;
    return found;
}
