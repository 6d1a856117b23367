/// Distance fields: the directions of their sectors, the pyramid of bounds, the choice of a centre, and
/// statistics.
#include "published/funfzig_field.h"
#include "base/base.h"

// ---------------------------------------------------------------------------------------------------
// Directions
// ---------------------------------------------------------------------------------------------------

/// Sides of the box: +x, +y, +z, then their opposites. Each chart's axes are those of +x, turned.
lf_vec3 lf__field_to_chart(int chart, lf_vec3 v) {
    if (chart >= 3)
        v = (lf_vec3){-v.x, -v.y, v.z}; // half a turn about z maps +x and +y to their opposites
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

/// The columns and rows of sectors that a node covers: the first one, and the one after the last.
/// Halving starts along columns: the highest bit below the leading one is the highest of the column.
static void field_place(const lf__field *field, int level, uint32_t node, int columns[2], int rows[2]) {
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

/// The node of a level at a column and row among the nodes of that level.
static uint32_t chart_node_at(int level, int column, int row) {
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
        return chart_node_at(2 * m, column - size, row);
    return chart_node_at(2 * m + 1, column, row - size);
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
    lf_status status =
        lf__allocate_array(allocator, n + 1, sizeof *field->tangents, (void **)&field->tangents);
    if (status == LF_OK)
        status = lf__allocate_array(allocator, lf__field_nodes(field), sizeof *field->cones,
                                    (void **)&field->cones);
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
            field_place(field, level, node, columns, rows);
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

/// From the sectors up: a node keeps the larger (or smaller) value of its halves, and their difference is
/// stored. N x N bounds become N x N numbers again, and every level can be decoded from the one above.
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

// ---------------------------------------------------------------------------------------------------
// The centre
// ---------------------------------------------------------------------------------------------------

/// The centre of a distance field. From a point that sees all of the surface every sector has one layer. Most
/// shapes have no such point; then any point near the middle is good enough.

/// Candidates for the point that sees most: a lattice in the box, then smaller and smaller steps around the
/// best one.
enum { LATTICE = 5, CENTRE_STEPS = 4, CENTRE_SAMPLES = 512 };

static lf_vec3 centre_middle_of(const lf_model *model, int64_t triangle, double *area) {
    lf_vec3 t[3];
    lf__model_corners(model, triangle, t);
    *area = lf_vec3_length(lf_vec3_cross(lf_vec3_sub(t[1], t[0]), lf_vec3_sub(t[2], t[0])));
    return lf_vec3_scale(lf_vec3_add(t[0], lf_vec3_add(t[1], t[2])), 1.0 / 3);
}

/// The mean of the triangles' middles by area; of the middles alone where there is no area.
static lf_vec3 mass_centre(const lf_model *model) {
    lf_vec3 base = lf_box_centre(model->tree->box), sum = {0, 0, 0}, plain = {0, 0, 0};
    double total = 0;
    for (int64_t i = 0; i < model->triangle_count; i++) {
        double area;
        lf_vec3 d = lf_vec3_sub(centre_middle_of(model, i, &area), base);
        sum = lf_vec3_along(sum, area, d);
        plain = lf_vec3_add(plain, d);
        total += area;
    }
    lf_vec3 mean = lf_vec3_scale(plain, 1.0 / (double)model->triangle_count);
    if (total > 0 && isfinite(total))
        mean = lf_vec3_scale(sum, 1 / total);
    return lf_vec3_add(base, mean);
}

/// The area of the sampled triangles whose middles a point sees.
static double seen_from(const lf_model *model, lf_vec3 point) {
    int64_t stride = model->triangle_count / CENTRE_SAMPLES + 1;
    double seen = 0;
    for (int64_t i = 0; i < model->triangle_count; i += stride) {
        double area;
        lf_ray sight = lf_ray_between(point, centre_middle_of(model, i, &area));
        bool blocked = true;
        sight.t_max = 1 - 1e-6;
        if (area > 0 && lf__bvh_ray_any(model->tree, &sight, &blocked, NULL) == LF_OK && !blocked)
            seen += area;
    }
    return seen;
}

typedef struct centre_candidate {
    lf_vec3 at;
    double seen;
} centre_candidate;

static void try_at(const lf_model *model, lf_vec3 at, centre_candidate *best) {
    double seen = seen_from(model, at);
    if (seen > best->seen)
        *best = (centre_candidate){at, seen};
}

static lf_vec3 seeing_centre(const lf_model *model) {
    lf_box box = model->tree->box;
    lf_vec3 size = lf_vec3_sub(box.high, box.low);
    centre_candidate best = {model->centre, seen_from(model, model->centre)};
    try_at(model, mass_centre(model), &best);
    for (int i = 0; i < LATTICE * LATTICE * LATTICE; i++) {
        lf_vec3 share = {(i % LATTICE + 1.0) / (LATTICE + 1), (i / LATTICE % LATTICE + 1.0) / (LATTICE + 1),
                         (i / LATTICE / LATTICE + 1.0) / (LATTICE + 1)};
        lf_vec3 at = {box.low.x + share.x * size.x, box.low.y + share.y * size.y,
                      box.low.z + share.z * size.z};
        try_at(model, at, &best);
    }
    for (double step = 1.0 / (2 * LATTICE + 2), round = 0; round < CENTRE_STEPS; step /= 2, round++) {
        lf_vec3 start = best.at;
        for (int i = 0; i < 6; i++) {
            double way = i % 2 ? step : -step;
            lf_vec3 move = {i / 2 == 0 ? way * size.x : 0, i / 2 == 1 ? way * size.y : 0,
                            i / 2 == 2 ? way * size.z : 0};
            try_at(model, lf_vec3_add(start, move), &best);
        }
    }
    return best.at;
}

lf_vec3 lf__field_centre_of(const lf_model *model, const lf_field_def *def) {
    switch (def->centre) {
    case LF_FIELD_CENTRE_MASS:
        return mass_centre(model);
    case LF_FIELD_CENTRE_SEEING:
        return seeing_centre(model);
    case LF_FIELD_CENTRE_GIVEN:
        return def->at;
    case LF_FIELD_CENTRE_SPHERE:
        break;
    }
    return model->centre;
}

// ---------------------------------------------------------------------------------------------------
// Statistics
// ---------------------------------------------------------------------------------------------------

static size_t pyramid_bytes(const lf__field *field) {
    return 2 * LF__FIELD_CHARTS * (size_t)lf__field_chart_sectors(field) * sizeof(int16_t);
}

size_t lf__field_bytes(const lf__field *field) {
    size_t sectors = LF__FIELD_CHARTS * (size_t)lf__field_chart_sectors(field);
    return sizeof *field + pyramid_bytes(field) + (sectors + 1) * sizeof *field->firsts +
           (size_t)field->layer_capacity * sizeof *field->layers +
           (size_t)field->triangle_capacity * sizeof *field->triangles +
           (size_t)field->group_capacity * sizeof *field->groups +
           (size_t)lf__field_nodes(field) * sizeof *field->cones +
           (size_t)(field->sectors + 1) * sizeof *field->tangents;
}

lf_status lf_funfzig_stats(const lf_model *model, lf_field_stats *stats) {
    if (!model || !stats || !model->field)
        return LF_BAD_ARGUMENT;
    const lf__field *field = model->field;
    size_t sectors = LF__FIELD_CHARTS * (size_t)lf__field_chart_sectors(field);
    double thickness = 0;
    for (int64_t i = 0; i < field->layer_count; i++)
        thickness += (double)field->layers[i].high - (double)field->layers[i].low;
    *stats = (lf_field_stats){.centre = field->centre,
                              .radius = field->radius,
                              .sectors = field->sectors,
                              .sector_count = (int64_t)sectors,
                              .filled_count = field->filled,
                              .layer_count = field->layer_count,
                              .entry_count = field->triangle_count,
                              .thickness = thickness / (double)(field->layer_count ? field->layer_count : 1),
                              .pyramid_bytes = pyramid_bytes(field),
                              .full_bytes = 2 * sizeof(int16_t) * (2 * sectors - LF__FIELD_CHARTS),
                              .bytes = lf__field_bytes(field)};
    for (size_t level = sectors; level >= LF__FIELD_CHARTS; level /= 4)
        stats->quadtree_bytes += 2 * sizeof(int16_t) * level;
    return LF_OK;
}

lf_status lf_funfzig_sector(const lf_model *model, int chart, int column, int row, lf_field_sector *sector) {
    if (!model || !sector || !model->field)
        return LF_BAD_ARGUMENT;
    const lf__field *field = model->field;
    if (chart < 0 || chart >= LF__FIELD_CHARTS || column < 0 || column >= field->sectors || row < 0 ||
        row >= field->sectors)
        return LF_BAD_ARGUMENT;
    lf__field_node node = lf__field_root(field, chart), halves[2];
    uint32_t leaf = lf__field_leaf(field, column, row);
    while (node.level < field->levels) {
        lf__field_halves(field, &node, halves);
        node = halves[leaf >> (field->levels - node.level - 1) & 1];
    }
    int64_t number = lf__field_sector(field, &node);
    uint32_t first = field->firsts[number], last = field->firsts[number + 1];
    bool empty = node.least > node.most;
    *sector = (lf_field_sector){.least = empty ? 0 : node.least * field->step,
                                .most = empty ? 0 : node.most * field->step,
                                .layers = (int)(last - first),
                                .triangle_count = field->layers[last].first - field->layers[first].first};
    // The transform as an image: the root first, the differences of a level next to those of the level above.
    int64_t place = lf__field_chart_sectors(field) * chart;
    sector->difference = field->most[place + lf__field_transform_place(column, row)];
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Spheres that cover a model: for bounds of distances
// ---------------------------------------------------------------------------------------------------

/// The level of the nodes that are used.
enum { BALL_LEVEL = 4 };

_Static_assert(LF__FIELD_CHARTS << BALL_LEVEL <= LF__BALLS_MOST, "space for the spheres of all nodes");

/// A sphere around a capped cone: about the middle of its axis.
static lf__ball around_node(const lf__field *field, const lf__field_node *node) {
    const lf__field_cone *cone = &field->cones[node->node];
    lf_vec3 axis = {(double)cone->axis[0], (double)cone->axis[1], (double)cone->axis[2]};
    double low = node->least * field->step, high = node->most * field->step, cosine = (double)cone->cosine;
    double middle = 0.5 * (low * cosine + high), square = high * high + middle * middle;
    // Farthest are the rims of the two caps and the top of the outer one.
    double outer = square - 2 * high * middle * cosine, top = high - middle;
    double inner = low * low + middle * middle - 2 * low * middle * cosine;
    double radius = sqrt(fmax(0, fmax(outer, fmax(inner, top * top))));
    axis = lf__field_from_chart(node->chart, axis);
    return (lf__ball){lf_vec3_along(field->centre, middle, axis), radius * (1 + 1e-6) + 1e-6 * field->radius};
}

static int add_balls(const lf__field *field, const lf__field_node *node, lf__ball *balls, int count) {
    if (node->least > node->most)
        return count;
    if (node->level == BALL_LEVEL || node->level == field->levels) {
        balls[count] = around_node(field, node);
        return count + 1;
    }
    lf__field_node halves[2];
    lf__field_halves(field, node, halves);
    count = add_balls(field, &halves[0], balls, count);
    return add_balls(field, &halves[1], balls, count);
}

static int cover(const lf_model *model, lf__ball *balls) {
    int count = 0;
    for (int chart = 0; chart < LF__FIELD_CHARTS; chart++) {
        lf__field_node root = lf__field_root(model->field, chart);
        count = add_balls(model->field, &root, balls, count);
    }
    return count;
}

// ---------------------------------------------------------------------------------------------------
// What the core calls
// ---------------------------------------------------------------------------------------------------

static lf_status build(lf_model *model, const lf_field_def *def, const lf_host *host) {
    model->field = lf__allocate(&model->allocator, sizeof *model->field, _Alignof(lf__field));
    if (!model->field)
        return LF_NO_MEMORY;
    lf_status status = lf__field_build(model->field, model, def, host);
    model->field_record.centre = LF_FIELD_CENTRE_GIVEN;
    model->field_record.at = model->field->centre;
    return status;
}

static void destroy(lf_model *model) {
    lf__field_free(model->field, &model->allocator);
    lf__free(&model->allocator, model->field, sizeof *model->field, _Alignof(lf__field));
}

static size_t bytes(const lf_model *model) {
    return lf__field_bytes(model->field);
}

const lf_field_functions *lf_funfzig_field(void) {
    static const lf_field_functions functions = {build,           destroy,         bytes,
                                                 lf__field_touch, lf__field_pairs, cover};
    return &functions;
}

lf_status lf_funfzig_from_store(const lf_store *store, const lf_host *host, lf_model **model,
                                lf_error *error) {
    const lf_model *stored = store ? lf_store_model(store) : NULL;
    if (!stored || !model || stored->field_record.sectors == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "expected a file with a model that has a distance field");
    lf_model_def def = lf_model_def_default();
    def.polygons = lf_store_polygons(store);
    def.field = stored->field_record;
    def.field.functions = lf_funfzig_field();
    if (host)
        def.host = *host;
    return lf_model_create(&def, model, error);
}
