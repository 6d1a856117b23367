/// Sight by a kd-tree over the cells of a raster, or over its samples.
#include "published/funfzig_sight.h"
#include "published/funfzig_split.h"
#include <math.h>

static double greatest(const lf__funfzig_sight *tree, int32_t column, int32_t row) {
    int32_t wide = tree->leaf == LF__FUNFZIG_POINT ? 1 : 2;
    double top = -INFINITY;
    for (int32_t j = row; j < row + wide; j++)
        for (int32_t i = column; i < column + wide; i++)
            top = fmax(top, (double)tree->heights[(int64_t)j * tree->samples + i]);
    return top;
}

/// Leaves from low to high, the latter not included; splits in turns, along the longer side first.
static int32_t build(lf__funfzig_sight *tree, const int32_t low[2], const int32_t high[2]) {
    int32_t at = tree->count++, axis = high[1] - low[1] > high[0] - low[0];
    lf__funfzig_node *node = &tree->nodes[at];
    if (high[axis] - low[axis] == 1) {
        *node = (lf__funfzig_node){{-1 - low[0], low[1]}, greatest(tree, low[0], low[1]), 0};
        return at;
    }
    int32_t middle = (low[axis] + high[axis]) / 2, up[2] = {high[0], high[1]}, down[2] = {low[0], low[1]};
    up[axis] = down[axis] = middle;
    int32_t first = build(tree, low, up), second = build(tree, down, high);
    *node =
        (lf__funfzig_node){{first, second}, fmax(tree->nodes[first].top, tree->nodes[second].top), middle};
    node->split = axis ? -1 - middle : middle; // rows are told from columns by the sign
    return at;
}

static lf__funfzig_sight empty_tree(const float *heights, int32_t samples, lf__funfzig_leaf leaf) {
    return (lf__funfzig_sight){.heights = heights,
                               .samples = samples,
                               .leaves = leaf == LF__FUNFZIG_POINT ? samples : samples - 1,
                               .leaf = leaf,
                               .allocator = lf__allocator_of(NULL)};
}

lf_status lf__funfzig_sight_open(lf__funfzig_sight *tree, const float *heights, int32_t samples,
                                 lf__funfzig_leaf leaf) {
    *tree = empty_tree(heights, samples, leaf);
    tree->capacity = 2 * (int64_t)tree->leaves * tree->leaves;
    lf_status status =
        lf__allocate_array(&tree->allocator, tree->capacity, sizeof *tree->nodes, (void **)&tree->nodes);
    if (status == LF_OK)
        build(tree, (const int32_t[2]){0, 0}, (const int32_t[2]){tree->leaves, tree->leaves});
    return status;
}

lf_status lf__funfzig_sight_open_wavelet(lf__funfzig_sight *tree, const float *heights, int32_t samples,
                                         lf__funfzig_leaf leaf, double unit) {
    *tree = empty_tree(heights, samples, leaf);
    tree->unit = unit;
    tree->capacity = (int64_t)tree->leaves * tree->leaves;
    int32_t *tops = NULL;
    lf_status status = lf__allocate_array(&tree->allocator, tree->capacity, sizeof *tops, (void **)&tops);
    if (status == LF_OK)
        status = lf__allocate_array(&tree->allocator, tree->capacity, sizeof *tree->coefficients,
                                    (void **)&tree->coefficients);
    for (int64_t k = 0; status == LF_OK && k < tree->capacity; k++)
        tops[k] =
            (int32_t)rint(greatest(tree, (int32_t)(k % tree->leaves), (int32_t)(k / tree->leaves)) / unit);
    if (status == LF_OK)
        lf__split_apart(tops, tree->leaves, tree->leaves, tree->coefficients);
    lf__free_array(&tree->allocator, tops, tree->capacity, sizeof *tops);
    return status;
}

void lf__funfzig_sight_close(lf__funfzig_sight *tree) {
    lf__free_array(&tree->allocator, tree->nodes, tree->capacity, sizeof *tree->nodes);
    lf__free_array(&tree->allocator, tree->coefficients, tree->capacity, sizeof *tree->coefficients);
    *tree = (lf__funfzig_sight){.count = 0};
}

int64_t lf__funfzig_sight_bytes(const lf__funfzig_sight *tree) {
    int64_t heights = tree->leaf == LF__FUNFZIG_POINT ? 0 : (int64_t)tree->samples * tree->samples * 4;
    return heights + (tree->coefficients ? tree->capacity * (int64_t)sizeof *tree->coefficients
                                         : tree->count * (int64_t)sizeof *tree->nodes);
}

/// Height of a cell at t, bilinear.
static double cell_height(const lf__funfzig_sight *tree, const lf__funfzig_line *line, int32_t column,
                          int32_t row, double t) {
    const float *low = tree->heights + (int64_t)row * tree->samples + column, *high = low + tree->samples;
    double u = line->x + t * line->dx - column, v = line->y + t * line->dy - row;
    double a = low[0] + u * (low[1] - low[0]), b = high[0] + u * (high[1] - high[0]);
    return a + v * (b - a);
}

static bool leaf_blocks(const lf__funfzig_sight *tree, lf__funfzig_line *line, int32_t column, int32_t row,
                        const double t[2]) {
    double middle = 0.5 * (t[0] + t[1]);
    if (tree->leaf == LF__FUNFZIG_POINT)
        return true; // the bound of the leaf is its height
    if (tree->leaf == LF__FUNFZIG_APPROX)
        return line->z + middle * line->dz < cell_height(tree, line, column, row, middle);
    double f[3];
    for (int k = 0; k < 3; k++) {
        double at = k == 0 ? t[0] : k == 1 ? middle : t[1];
        f[k] = line->z + at * line->dz - cell_height(tree, line, column, row, at);
    }
    // A parabola through three places: it may turn between them.
    double bend = 2 * (f[0] - 2 * f[1] + f[2]), slope = f[2] - f[0] - bend,
           turn = bend > 0 ? -0.5 * slope / bend : 0;
    double least = turn > 0 && turn < 1 ? f[0] + (slope + bend * turn) * turn : f[0];
    return f[0] < 0 || f[2] < 0 || least < 0;
}

/// Where a line passes from one half of a node to the other.
typedef struct crossing {
    int first;   ///< the half that comes first
    bool single; ///< there is no other
    double t;
} crossing;

static crossing cross(const lf__funfzig_sight *tree, const lf__funfzig_line *line, bool rows, int32_t middle,
                      const double part[2]) {
    double plane = middle - (tree->leaf == LF__FUNFZIG_POINT ? 0.5 : 0);
    double o = rows ? line->y : line->x, d = rows ? line->dy : line->dx, split = (plane - o) / d;
    int first = d > 0 ? 0 : d < 0 ? 1 : o >= plane;
    return (crossing){first, d == 0, fmin(fmax(split, part[0]), part[1])};
}

static bool visit(const lf__funfzig_sight *tree, lf__funfzig_line *line, int32_t at, double near,
                  double far) {
    const lf__funfzig_node *node = &tree->nodes[at];
    double z = fmin(line->z + near * line->dz, line->z + far * line->dz);
    if (!(near < far) || z >= node->top)
        return false;
    const double part[2] = {near, far};
    if (node->child[0] < 0) {
        line->t = near;
        return leaf_blocks(tree, line, -1 - node->child[0], node->child[1], part);
    }
    bool rows = node->split < 0;
    crossing c = cross(tree, line, rows, (int32_t)(rows ? -1 - node->split : node->split), part);
    if (c.single)
        return visit(tree, line, node->child[c.first], near, far);
    if (line->backward)
        return visit(tree, line, node->child[!c.first], c.t, far) ||
               visit(tree, line, node->child[c.first], near, c.t);
    return visit(tree, line, node->child[c.first], near, c.t) ||
           visit(tree, line, node->child[!c.first], c.t, far);
}

/// A node of the compressed tree: leaves from low to high, the latter not included, and their maximum.
typedef struct wavelet_node {
    const int32_t *at;
    int32_t low[2], high[2], top;
} wavelet_node;

/// The two halves of a node that is no leaf: the order of lf__split_apart. Returns the axis.
static int wavelet_halves(const wavelet_node *node, wavelet_node halves[2]) {
    int axis = node->high[1] - node->low[1] >= node->high[0] - node->low[0];
    int32_t middle = node->low[axis] + (node->high[axis] - node->low[axis] + 1) / 2, difference = *node->at;
    halves[0] = halves[1] = *node;
    halves[0].high[axis] = halves[1].low[axis] = middle;
    halves[0].top = node->top + (difference < 0 ? difference : 0);
    halves[1].top = node->top - (difference > 0 ? difference : 0);
    halves[0].at = node->at + 1;
    halves[1].at =
        node->at + (int64_t)(halves[0].high[0] - node->low[0]) * (halves[0].high[1] - node->low[1]);
    return axis;
}

static bool visit_wavelet(const lf__funfzig_sight *tree, lf__funfzig_line *line, const wavelet_node *node,
                          const double part[2]) {
    double z = fmin(line->z + part[0] * line->dz, line->z + part[1] * line->dz);
    if (!(part[0] < part[1]) || z >= tree->unit * node->top)
        return false;
    if (node->high[0] - node->low[0] == 1 && node->high[1] - node->low[1] == 1) {
        line->t = part[0];
        return leaf_blocks(tree, line, node->low[0], node->low[1], part);
    }
    wavelet_node halves[2];
    int axis = wavelet_halves(node, halves);
    crossing c = cross(tree, line, axis, halves[1].low[axis], part);
    if (c.single)
        return visit_wavelet(tree, line, &halves[c.first], part);
    const double near[2] = {part[0], c.t}, far[2] = {c.t, part[1]};
    if (line->backward)
        return visit_wavelet(tree, line, &halves[!c.first], far) ||
               visit_wavelet(tree, line, &halves[c.first], near);
    return visit_wavelet(tree, line, &halves[c.first], near) ||
           visit_wavelet(tree, line, &halves[!c.first], far);
}

bool lf__funfzig_sight_blocked(const lf__funfzig_sight *tree, lf__funfzig_line *line) {
    if (!tree->coefficients)
        return visit(tree, line, 0, 0, 1);
    wavelet_node root = {tree->coefficients + 1, {0, 0}, {tree->leaves, tree->leaves}, tree->coefficients[0]};
    return visit_wavelet(tree, line, &root, (const double[2]){0, 1});
}
