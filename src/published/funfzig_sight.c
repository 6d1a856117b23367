/// Sight by a kd-tree over the cells of a raster, or over its samples.
#include "published/funfzig_sight.h"
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

lf_status lf__funfzig_sight_open(lf__funfzig_sight *tree, const float *heights, int32_t samples,
                                 lf__funfzig_leaf leaf) {
    int32_t leaves = leaf == LF__FUNFZIG_POINT ? samples : samples - 1, low[2] = {0, 0},
            high[2] = {leaves, leaves};
    *tree = (lf__funfzig_sight){.heights = heights,
                                .samples = samples,
                                .leaf = leaf,
                                .capacity = 2 * (int64_t)leaves * leaves,
                                .allocator = lf__allocator_of(NULL)};
    lf_status status =
        lf__allocate_array(&tree->allocator, tree->capacity, sizeof *tree->nodes, (void **)&tree->nodes);
    if (status == LF_OK)
        build(tree, low, high);
    return status;
}

void lf__funfzig_sight_close(lf__funfzig_sight *tree) {
    lf__free_array(&tree->allocator, tree->nodes, tree->capacity, sizeof *tree->nodes);
    *tree = (lf__funfzig_sight){.count = 0};
}

/// Height of a cell at t, bilinear.
static double cell_height(const lf__funfzig_sight *tree, const lf__funfzig_line *line, int32_t column,
                          int32_t row, double t) {
    const float *low = tree->heights + (int64_t)row * tree->samples + column, *high = low + tree->samples;
    double u = line->x + t * line->dx - column, v = line->y + t * line->dy - row;
    double a = low[0] + u * (low[1] - low[0]), b = high[0] + u * (high[1] - high[0]);
    return a + v * (b - a);
}

static bool leaf_blocks(const lf__funfzig_sight *tree, lf__funfzig_line *line, const lf__funfzig_node *leaf,
                        const double t[2]) {
    int32_t column = -1 - leaf->child[0], row = leaf->child[1];
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

static bool visit(const lf__funfzig_sight *tree, lf__funfzig_line *line, int32_t at, double near,
                  double far) {
    const lf__funfzig_node *node = &tree->nodes[at];
    double z = fmin(line->z + near * line->dz, line->z + far * line->dz);
    if (!(near < far) || z >= node->top)
        return false;
    if (node->child[0] < 0) {
        line->t = near;
        return leaf_blocks(tree, line, node, (const double[2]){near, far});
    }
    bool rows = node->split < 0;
    double shift = tree->leaf == LF__FUNFZIG_POINT ? 0.5 : 0,
           plane = (rows ? -1 - node->split : node->split) - shift;
    double o = rows ? line->y : line->x, d = rows ? line->dy : line->dx, split = (plane - o) / d;
    int first = d > 0 ? 0 : d < 0 ? 1 : o >= plane;
    if (d == 0)
        return visit(tree, line, node->child[first], near, far);
    double meet = fmin(fmax(split, near), far);
    if (line->backward)
        return visit(tree, line, node->child[!first], meet, far) ||
               visit(tree, line, node->child[first], near, meet);
    return visit(tree, line, node->child[first], near, meet) ||
           visit(tree, line, node->child[!first], meet, far);
}

bool lf__funfzig_sight_blocked(const lf__funfzig_sight *tree, lf__funfzig_line *line) {
    return visit(tree, line, 0, 0, 1);
}
