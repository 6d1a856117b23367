/// Directions: six charts, their sectors by equal angles, and the halves of halves of them.
#include "model/field.h"

/// Sides of the box: +x, +y, +z, then their opposites. Each chart's axes are those of +x, turned.
lf_vec3 lf__field_to_chart(int chart, lf_vec3 v) {
    if (chart >= 3)
        v = (lf_vec3){-v.x, -v.y, v.z}; // half a turn about z takes +x and +y to their opposites
    switch (chart) {
    case 1:
    case 4:
        return (lf_vec3){v.y, v.z, v.x};
    case 2:
        return (lf_vec3){v.z, v.x, v.y};
    case 5:
        return (lf_vec3){-v.z, v.x, -v.y}; // z stayed where it was above
    default:
        return v;
    }
}

lf_vec3 lf__field_from_chart(int chart, lf_vec3 v) {
    switch (chart) {
    case 1:
    case 4:
        v = (lf_vec3){v.z, v.x, v.y};
        break;
    case 2:
        v = (lf_vec3){v.y, v.z, v.x};
        break;
    case 5:
        v = (lf_vec3){v.y, -v.z, -v.x};
        break;
    default:
        break;
    }
    return chart >= 3 ? (lf_vec3){-v.x, -v.y, v.z} : v;
}

/// Halving starts along columns: the highest bit below the leading one is the highest of the column.
void lf__field_place(const lf__field *field, int level, uint32_t node, int columns[2], int rows[2]) {
    int column = 0, row = 0, width = field->sectors, height = field->sectors;
    for (int bit = level - 1; bit >= 0; bit--) {
        bool along_columns = (level - 1 - bit) % 2 == 0;
        int *start = along_columns ? &column : &row, *size = along_columns ? &width : &height;
        *size /= 2;
        *start += (node >> bit & 1) ? *size : 0;
    }
    columns[0] = column, columns[1] = column + width;
    rows[0] = row, rows[1] = row + height;
}

uint32_t lf__field_leaf(const lf__field *field, int column, int row) {
    uint32_t node = 1;
    for (int size = field->sectors / 2; size > 0; size /= 2) {
        node = 2 * node + ((column & size) != 0);
        node = 2 * node + ((row & size) != 0);
    }
    return node;
}

/// The node of a level at a place among the nodes of that level.
static uint32_t node_at(int level, int column, int row) {
    uint32_t node = 1;
    int column_bits = (level + 1) / 2, row_bits = level / 2;
    for (int i = 0; i < level; i++)
        node = 2 * node + (uint32_t)(i % 2 == 0 ? column >> --column_bits & 1 : row >> --row_bits & 1);
    return node;
}

int64_t lf__field_transform_place(int column, int row) {
    int larger = column > row ? column : row;
    if (larger == 0)
        return 0;
    int m = 31 - __builtin_clz((unsigned)larger), size = 1 << m;
    if (row < size)
        return node_at(2 * m, column - size, row);
    return node_at(2 * m + 1, column, row - size);
}

/// The cone around a rectangle of directions: its corners are the directions farthest from any within it.
static lf__field_cone cone_around(const double y[2], const double z[2]) {
    lf_vec3 corner[4], sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        corner[i] = lf_vec3_unit((lf_vec3){1, y[i & 1], z[i >> 1]});
        sum = lf_vec3_add(sum, corner[i]);
    }
    lf_vec3 axis = lf_vec3_unit(sum);
    double cosine = 1;
    for (int i = 0; i < 4; i++)
        cosine = fmin(cosine, lf_vec3_dot(axis, corner[i]));
    float narrow = (float)(cosine - 1e-6); // wider than rounding of the axis to floats
    double sine = sqrt(fmax(0, 1 - (double)narrow * (double)narrow));
    return (lf__field_cone){
        {(float)axis.x, (float)axis.y, (float)axis.z}, narrow, lf__float_above(sine + 1e-7)};
}

lf_status lf__field_directions(lf__field *field, const lf_allocator *allocator) {
    int n = field->sectors;
    lf_status status = lf__take_array(allocator, n + 1, sizeof *field->tangents, (void **)&field->tangents);
    if (status == LF_OK)
        status =
            lf__take_array(allocator, lf__field_nodes(field), sizeof *field->cones, (void **)&field->cones);
    if (status != LF_OK)
        return status;
    for (int i = 0; i <= n; i++)
        field->tangents[i] = tan(0.78539816339744831 * (2.0 * i / n - 1));
    field->tangents[0] = -1; // exactly, so that charts leave no gap between them
    field->tangents[n / 2] = 0;
    field->tangents[n] = 1;
    for (int level = 0; level <= field->levels; level++)
        for (uint32_t node = 1u << level; node < 2u << level; node++) {
            int columns[2], rows[2];
            lf__field_place(field, level, node, columns, rows);
            const double y[2] = {field->tangents[columns[0]], field->tangents[columns[1]]};
            const double z[2] = {field->tangents[rows[0]], field->tangents[rows[1]]};
            field->cones[node] = cone_around(y, z);
        }
    field->cones[0] = field->cones[1];
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// The pyramid: max-plus and min-plus
// ---------------------------------------------------------------------------------------------------

/// From the sectors up: a node keeps the larger (or lesser) of its halves, and their difference takes its place. What was N x N
/// bounds is N x N numbers again, and every level can be had from the one above.
static void encode(int16_t *values, int64_t count, int16_t *stored, bool largest) {
    for (int64_t nodes = count; nodes > 1; nodes /= 2)
        for (int64_t i = 0; i < nodes / 2; i++) {
            int16_t a = values[2 * i], b = values[2 * i + 1];
            stored[nodes / 2 + i] = (int16_t)(a - b);
            values[i] = (a > b) == largest ? a : b;
        }
    stored[0] = values[0];
}

void lf__field_encode(lf__field *field, int chart, int16_t *least, int16_t *most) {
    int64_t count = lf__field_chart_sectors(field);
    encode(least, count, field->least + chart * count, false);
    encode(most, count, field->most + chart * count, true);
}

lf__field_node lf__field_root(const lf__field *field, int chart) {
    int64_t start = chart * lf__field_chart_sectors(field);
    return (lf__field_node){chart, 0, 1, field->least[start], field->most[start]};
}

void lf__field_halves(const lf__field *field, const lf__field_node *node, lf__field_node halves[2]) {
    int64_t at = node->chart * lf__field_chart_sectors(field) + node->node;
    int most = field->most[at], least = field->least[at];
    for (int i = 0; i < 2; i++)
        halves[i] = (lf__field_node){node->chart, node->level + 1, 2 * node->node + (uint32_t)i, 0, 0};
    halves[0].most = node->most + (most < 0 ? most : 0);
    halves[1].most = node->most - (most > 0 ? most : 0);
    halves[0].least = node->least + (least > 0 ? least : 0);
    halves[1].least = node->least - (least < 0 ? least : 0);
}
