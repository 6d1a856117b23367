/// The paper's methods: which triangles are tested, each by the test of Moller and Trumbore.
#include "published/sjostrand.h"

#define EVEN_POST 0x5a ///< of the halves around a sample, the four that have their right angle there
#define ODD_POST 0xff  ///< all eight

/// A cell: where it is, and the first of its two samples in the row below and in the row above.
typedef struct sjostrand_cell {
    double x, y;
    const float *below, *above;
} sjostrand_cell;

static inline sjostrand_cell cell_at(const lf__sjostrand_map *map, int32_t column, int32_t row) {
    const float *below = map->heights + (int64_t)row * map->samples + column;
    sjostrand_cell cell = {column, row, below, below + map->samples};
    return cell;
}

/// The test of Moller and Trumbore. Both sides count: u and det - u are on different sides of 0 when u is not between 0 and det,
/// whatever the sign of det. That sign is as good as random for a ray close to the ground, and to branch on it would cost more than
/// all the rest. Divides only for a hit.
static inline __attribute__((always_inline)) bool meets(const lf_ray *ray, lf_vec3 a, lf_vec3 b, lf_vec3 c,
                                                        double *t) {
    lf_vec3 d = ray->direction;
    lf_vec3 e1 = {b.x - a.x, b.y - a.y, b.z - a.z}, e2 = {c.x - a.x, c.y - a.y, c.z - a.z};
    lf_vec3 p = {d.y * e2.z - d.z * e2.y, d.z * e2.x - d.x * e2.z, d.x * e2.y - d.y * e2.x};
    lf_vec3 s = {ray->origin.x - a.x, ray->origin.y - a.y, ray->origin.z - a.z};
    double det = e1.x * p.x + e1.y * p.y + e1.z * p.z;
    double u = s.x * p.x + s.y * p.y + s.z * p.z, rest = det - u;
    if (u * rest < 0.0)
        return false;
    lf_vec3 q = {s.y * e1.z - s.z * e1.y, s.z * e1.x - s.x * e1.z, s.x * e1.y - s.y * e1.x};
    double v = d.x * q.x + d.y * q.y + d.z * q.z;
    if (v * (rest - v) < 0.0)
        return false;
    *t = (e2.x * q.x + e2.y * q.y + e2.z * q.z) / det;
    return *t >= ray->t_min && *t <= ray->t_max;
}

/// Test one half of a cell, keep the nearest. Even cells are cut from upper left to lower right; half 0 is the lower one. `even`
/// and `half` are constants wherever this is called, so that nothing is chosen while it runs.
static inline __attribute__((always_inline)) void test_half(sjostrand_cell cell, const lf_ray *ray, bool even,
                                                            int half, lf__sjostrand_answer *answer) {
    lf_vec3 lower_left = {cell.x, cell.y, cell.below[0]}, lower_right = {cell.x + 1.0, cell.y, cell.below[1]};
    lf_vec3 upper_left = {cell.x, cell.y + 1.0, cell.above[0]},
            upper_right = {cell.x + 1.0, cell.y + 1.0, cell.above[1]};
    lf_vec3 a = half ? upper_right : lower_left, b = half ? upper_left : lower_right;
    lf_vec3 c = even ? (half ? lower_right : upper_left) : (half ? lower_left : upper_right);
    double t;
    answer->triangles++;
    if (meets(ray, a, b, c, &t) && t < answer->t) {
        answer->t = t;
        answer->hit = true;
    }
}

static inline __attribute__((always_inline)) void test_cell(sjostrand_cell cell, const lf_ray *ray, bool even,
                                                            lf__sjostrand_answer *answer) {
    if (even) {
        test_half(cell, ray, true, 0, answer);
        test_half(cell, ray, true, 1, answer);
    } else {
        test_half(cell, ray, false, 0, answer);
        test_half(cell, ray, false, 1, answer);
    }
}

/// One number for each half of a cell.
typedef double pair __attribute__((vector_size(16)));

/// The same test for both halves of a cell at once, with the edges of a grid written out (from the right angle one step across
/// and one step up, or back), as far as the first of its two questions. Most halves fail it; the others are tested in full.
static inline bool passes_beside(sjostrand_cell cell, const lf_ray *ray, bool even) {
    pair below = {cell.below[0], cell.below[1]}, above = {cell.above[0], cell.above[1]};
    pair corner = even ? (pair){below[0], above[1]} : (pair){below[1], above[0]};
    pair across = even ? (pair){below[1], above[0]} : (pair){below[0], above[1]};
    pair up = even ? (pair){above[0], below[1]} : (pair){above[1], below[0]};
    pair step_x = even ? (pair){1.0, -1.0} : (pair){-1.0, 1.0}, step_y = {1.0, -1.0};
    pair s_x = ray->origin.x - cell.x - (even ? (pair){0.0, 1.0} : (pair){1.0, 0.0});
    pair s_y = ray->origin.y - cell.y - (pair){0.0, 1.0}, s_z = ray->origin.z - corner;
    pair rise_x = across - corner, rise_y = up - corner;
    pair p_x = ray->direction.y * rise_y - ray->direction.z * step_y;
    pair p_y = -ray->direction.x * rise_y, p_z = ray->direction.x * step_y;
    pair det = p_x * step_x + p_z * rise_x, u = s_x * p_x + s_y * p_y + s_z * p_z;
    pair sign = u * (det - u);
    return sign[0] < 0.0 && sign[1] < 0.0;
}

/// Both halves of a cell under the ray's line.
static inline void test_under(sjostrand_cell cell, const lf_ray *ray, bool even,
                              lf__sjostrand_answer *answer) {
    if (even ? passes_beside(cell, ray, true) : passes_beside(cell, ray, false))
        answer->triangles += 2;
    else
        test_cell(cell, ray, even, answer);
}

static lf__sjostrand_answer nothing(const lf_ray *ray) {
    lf__sjostrand_answer answer = {false, ray->t_max, 0, 0, 0};
    return answer;
}

lf__sjostrand_answer lf__sjostrand_all(const lf__sjostrand_map *map, const lf_ray *ray) {
    lf__sjostrand_answer answer = nothing(ray);
    for (int32_t row = 0; row + 1 < map->samples; row++)
        for (int32_t column = 0; column + 1 < map->samples; column++)
            test_cell(cell_at(map, column, row), ray, (column + row) % 2 == 0, &answer);
    return answer;
}

/// Bit 2 q + h of a mask is half h of the cell in quadrant q of a sample: 0 lower left, 1 lower right, 2 upper left, 3 upper right.
/// A sample has four or eight triangles around it, fewer on the border.
static inline unsigned halves_around(const lf__sjostrand_map *map, int32_t column, int32_t row) {
    unsigned mask = (column + row) % 2 == 0 ? EVEN_POST : ODD_POST;
    mask &= column > 0 ? 0xffu : 0xccu;
    mask &= column + 1 < map->samples ? 0xffu : 0x33u;
    mask &= row > 0 ? 0xffu : 0xf0u;
    mask &= row + 1 < map->samples ? 0xffu : 0x0fu;
    return mask;
}

static inline void test_sample(const lf__sjostrand_map *map, const lf_ray *ray, int32_t column, int32_t row,
                               unsigned mask, lf__sjostrand_answer *answer) {
    if ((column + row) % 2 == 0) {
        if (mask & 0x02)
            test_half(cell_at(map, column - 1, row - 1), ray, true, 1, answer);
        if (mask & 0x08)
            test_half(cell_at(map, column, row - 1), ray, false, 1, answer);
        if (mask & 0x10)
            test_half(cell_at(map, column - 1, row), ray, false, 0, answer);
        if (mask & 0x40)
            test_half(cell_at(map, column, row), ray, true, 0, answer);
        return;
    }
    if (mask & 0x01)
        test_half(cell_at(map, column - 1, row - 1), ray, false, 0, answer);
    if (mask & 0x02)
        test_half(cell_at(map, column - 1, row - 1), ray, false, 1, answer);
    if (mask & 0x04)
        test_half(cell_at(map, column, row - 1), ray, true, 0, answer);
    if (mask & 0x08)
        test_half(cell_at(map, column, row - 1), ray, true, 1, answer);
    if (mask & 0x10)
        test_half(cell_at(map, column - 1, row), ray, true, 0, answer);
    if (mask & 0x20)
        test_half(cell_at(map, column - 1, row), ray, true, 1, answer);
    if (mask & 0x40)
        test_half(cell_at(map, column, row), ray, false, 0, answer);
    if (mask & 0x80)
        test_half(cell_at(map, column, row), ray, false, 1, answer);
}

lf__sjostrand_answer lf__sjostrand_leaves(lf__sjostrand_tree *tree, const lf_ray *ray) {
    lf__sjostrand_answer answer = nothing(ray);
    int64_t found = lf__sjostrand_search(tree, ray, &answer);
    for (int64_t i = 0; i < found && !answer.hit; i++) {
        const lf__sjostrand_node *leaf = &tree->nodes[tree->entries[i].node];
        for (int32_t row = leaf->row; row < leaf->row + leaf->side; row++)
            for (int32_t column = leaf->column; column < leaf->column + leaf->side; column++)
                test_sample(tree->map, ray, column, row, halves_around(tree->map, column, row), &answer);
    }
    return answer;
}

/// Which of a sample's halves were tested at a sample that lies (columns, rows) before it.
static unsigned tested_before(int columns, int rows, bool even_before) {
    unsigned before = even_before ? EVEN_POST : ODD_POST, tested = 0;
    for (int quadrant = 0; quadrant < 4; quadrant++) {
        int across = (quadrant & 1) + columns, up = (quadrant >> 1) + rows;
        if (across >= 0 && across <= 1 && up >= 0 && up <= 1)
            tested |= (before >> 2 * (across + 2 * up) & 3u) << 2 * quadrant;
    }
    return tested;
}

/// A sample on the way and, for skipping, the one before.
typedef struct walker {
    unsigned
        tested[3][3]
              [2]; ///< by step in columns and in rows, each plus 1, and whether the sample before was even
    int32_t column, row; ///< the sample before; row -2: there was none
} walker;

static void walker_start(walker *at) {
    for (int i = 0; i < 18; i++)
        at->tested[i / 6][i / 2 % 3][i % 2] = tested_before(i / 6 - 1, i / 2 % 3 - 1, i % 2);
    at->column = at->row = -2;
}

static inline unsigned halves_left(walker *at, int32_t column, int32_t row, unsigned mask) {
    int32_t columns = column - at->column, rows = row - at->row;
    if (columns >= -1 && columns <= 1 && rows >= -1 && rows <= 1 && at->row >= 0)
        mask &= ~at->tested[columns + 1][rows + 1][(at->column + at->row) % 2 == 0];
    at->column = column;
    at->row = row;
    return mask;
}

/// The samples nearest to the line within a leaf, one for each column (or row, when the line is steeper). Starts at the sample
/// before the entry and ends at the one after the exit: the triangles around a sample with only four of them do not reach
/// half a step to both sides.
static void walk_leaf(const lf__sjostrand_tree *tree, const lf_ray *ray, const lf__sjostrand_entry *entry,
                      walker *skipping, lf__sjostrand_answer *answer) {
    bool by_column = fabs(ray->direction.x) >= fabs(ray->direction.y);
    double start = by_column ? ray->origin.x : ray->origin.y,
           beside = by_column ? ray->origin.y : ray->origin.x;
    double along = by_column ? ray->direction.x : ray->direction.y;
    double slope = (by_column ? ray->direction.y : ray->direction.x) / along;
    double in = start + entry->t_in * along, out = start + entry->t_out * along;
    int32_t last_sample = tree->map->samples - 1, step = along > 0.0 ? 1 : -1;
    int32_t major = (int32_t)(step > 0 ? floor(in) : ceil(in)),
            end = (int32_t)(step > 0 ? ceil(out) : floor(out));
    major = major < 0 ? 0 : major > last_sample ? last_sample : major;
    end = end < 0 ? 0 : end > last_sample ? last_sample : end;
    for (; !answer->hit; major += step) {
        int32_t minor = (int32_t)(beside + (major - start) * slope + 0.5);
        minor = minor < 0 ? 0 : minor > last_sample ? last_sample : minor;
        int32_t column = by_column ? major : minor, row = by_column ? minor : major;
        unsigned mask = halves_around(tree->map, column, row);
        if (skipping)
            mask = halves_left(skipping, column, row, mask);
        test_sample(tree->map, ray, column, row, mask, answer);
        if (major == end)
            break;
    }
}

lf__sjostrand_answer lf__sjostrand_walk_samples(lf__sjostrand_tree *tree, const lf_ray *ray, bool skip) {
    lf__sjostrand_answer answer = nothing(ray);
    int64_t found = lf__sjostrand_search(tree, ray, &answer);
    walker skipping;
    if (skip)
        walker_start(&skipping);
    for (int64_t i = 0; i < found && !answer.hit; i++)
        walk_leaf(tree, ray, &tree->entries[i], skip ? &skipping : NULL, &answer);
    return answer;
}

/// One axis of a walk from cell to cell.
typedef struct cell_axis {
    int32_t cell, step;
    double next, stride; ///< t of the next border, and from one to the next
} cell_axis;

static cell_axis axis_of(double origin, double direction, double t_in, int32_t first, int32_t last) {
    cell_axis axis = {(int32_t)floor(origin + t_in * direction), direction < 0.0 ? -1 : 1, LF_INFINITY,
                      LF_INFINITY};
    axis.cell = axis.cell < first ? first : axis.cell > last ? last : axis.cell;
    if (direction != 0.0) {
        axis.next = (axis.cell + (axis.step > 0) - origin) / direction;
        axis.stride = fabs(1.0 / direction);
    }
    return axis;
}

static inline int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

/// From cell to cell as the line crosses their borders; at a corner over both at once.
static inline void walk_cells(const lf__sjostrand_tree *tree, const lf_ray *ray,
                              const lf__sjostrand_entry *entry, lf__sjostrand_answer *answer) {
    const lf__sjostrand_node *leaf = &tree->nodes[entry->node];
    const lf__sjostrand_map *map = tree->map;
    int32_t last = map->samples - 2;
    cell_axis x = axis_of(ray->origin.x, ray->direction.x, entry->t_in, leaf->column,
                          least(leaf->column + leaf->side - 1, last));
    cell_axis y = axis_of(ray->origin.y, ray->direction.y, entry->t_in, leaf->row,
                          least(leaf->row + leaf->side - 1, last));
    while ((uint32_t)x.cell <= (uint32_t)last && (uint32_t)y.cell <= (uint32_t)last) {
        test_under(cell_at(map, x.cell, y.cell), ray, (x.cell + y.cell) % 2 == 0, answer);
        bool over_x = x.next <= y.next, over_y = y.next <= x.next;
        if (answer->hit || (over_x ? x.next : y.next) >= entry->t_out)
            return;
        if (over_x) {
            x.cell += x.step;
            x.next += x.stride;
        }
        if (over_y) {
            y.cell += y.step;
            y.next += y.stride;
        }
    }
}

lf__sjostrand_answer lf__sjostrand_walk_cells(lf__sjostrand_tree *tree, const lf_ray *ray) {
    lf__sjostrand_answer answer = nothing(ray);
    int64_t found = lf__sjostrand_search(tree, ray, &answer);
    for (int64_t i = 0; i < found && !answer.hit; i++)
        walk_cells(tree, ray, &tree->entries[i], &answer);
    return answer;
}
