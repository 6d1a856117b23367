/// Building a distance field: every triangle is clipped to every sector that it crosses, and its distances
/// are stored there.
#include "base/base.h"
#include "base/containers.h"
#include "published/funfzig_field.h"
#include <stdlib.h>
#include <string.h>

/// Sectors are widened by this share of the radius: more than rounding, far less than any detail.
#define FIELD_SLACK 1e-9

/// Limit of triangles per sector and sectors per triangle, on average. With more a field is of no use, and
/// its time and memory would grow with the product of triangles and sectors.
#define CROWD 64

/// A triangle in a sector.
typedef struct field_entry {
    uint32_t sector, triangle;
    float low, high;
    uint32_t place; ///< of its triangle along a curve that fills space; only while a layer is sorted
} field_entry;

typedef struct field_builder {
    lf__field *field;
    const lf_model *model;
    lf__array entries;
    int64_t most_entries;
    double slack;
    uint32_t triangle; ///< the current one
    int chart;
} field_builder;

// ---------------------------------------------------------------------------------------------------
// Clipping
// ---------------------------------------------------------------------------------------------------

/// Keep what is at least -slack over the plane normal . p = 0. Returns the number of corners.
static int clip_plane(const lf_vec3 *in, int count, lf_vec3 normal, double slack, lf_vec3 *out) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        lf_vec3 a = in[i], b = in[(i + 1) % count];
        double over_a = lf_vec3_dot(normal, a) + slack, over_b = lf_vec3_dot(normal, b) + slack;
        if (over_a >= 0)
            out[kept++] = a;
        if ((over_a > 0 && over_b < 0) || (over_a < 0 && over_b > 0))
            out[kept++] = lf_vec3_along(a, over_a / (over_a - over_b), lf_vec3_sub(b, a));
    }
    return kept;
}

/// The part of a triangle (around the centre, along the chart's axes) within a range of tangents of y / x and
/// z / x, widened by the slack. Returns the number of corners, 0 .. 8.
static int field_clip(const lf_vec3 triangle[3], const double y[2], const double z[2], double slack,
                      lf_vec3 out[8]) {
    const lf_vec3 planes[4] = {{-y[0], 1, 0}, {y[1], -1, 0}, {-z[0], 0, 1}, {z[1], 0, -1}};
    lf_vec3 buffer[2][8];
    int count = 3;
    memcpy(buffer[0], triangle, 3 * sizeof *triangle);
    for (int i = 0; i < 4 && count > 0; i++)
        count = clip_plane(buffer[i % 2], count, planes[i], slack, buffer[1 - i % 2]);
    memcpy(out, buffer[0], (size_t)count * sizeof *out);
    return count;
}

/// The distance of a segment from the origin, squared.
static double segment_square(lf_vec3 a, lf_vec3 b) {
    lf_vec3 d = lf_vec3_sub(b, a);
    double length = lf_vec3_dot(d, d), t = length > 0 ? -lf_vec3_dot(a, d) / length : 0;
    lf_vec3 p = lf_vec3_along(a, t < 0 ? 0 : t > 1 ? 1 : t, d);
    return lf_vec3_dot(p, p);
}

/// The distance of the polygon's plane where its foot may be inside the polygon, else infinity. The test is
/// conservative: the plane's distance is never larger than the polygon's.
static double plane_distance(const lf_vec3 *corners, int count) {
    lf_vec3 area = lf_polygon_area(corners, count);
    double size = lf_vec3_length(area);
    if (!(size > 0))
        return LF_INFINITY;
    lf_vec3 n = lf_vec3_scale(area, 1 / size);
    double distance = lf_vec3_dot(n, corners[0]);
    lf_vec3 foot = lf_vec3_scale(n, distance);
    for (int i = 0; i < count; i++) {
        lf_vec3 a = corners[i], edge = lf_vec3_sub(corners[(i + 1) % count], a);
        if (lf_vec3_dot(lf_vec3_cross(edge, lf_vec3_sub(foot, a)), n) < 0)
            return LF_INFINITY;
    }
    return fabs(distance);
}

/// The least and the largest distance of a convex polygon from the origin.
static void field_distances(const lf_vec3 *corners, int count, double *least, double *most) {
    double low = LF_INFINITY, high = 0;
    for (int i = 0; i < count; i++) {
        low = fmin(low, segment_square(corners[i], corners[(i + 1) % count]));
        high = fmax(high, lf_vec3_dot(corners[i], corners[i]));
    }
    *least = count >= 3 ? fmin(sqrt(low), plane_distance(corners, count)) : sqrt(low);
    *most = sqrt(high);
}

// ---------------------------------------------------------------------------------------------------
// Triangles into sectors
// ---------------------------------------------------------------------------------------------------

static lf_status add_entry(field_builder *build, const lf_vec3 *corners, int count, int column, int row) {
    lf__field *field = build->field;
    double low, high;
    if (build->entries.count >= build->most_entries)
        return LF_TOO_LARGE;
    lf_status status = lf__array_reserve(&build->entries, &build->model->allocator, 1, sizeof(field_entry));
    if (status != LF_OK)
        return status;
    field_distances(corners, count, &low, &high);
    low = low * (1 - 1e-7) - 4 * build->slack, high = high * (1 + 1e-7) + 4 * build->slack;
    uint32_t leaf = lf__field_leaf(field, column, row);
    int64_t per_chart = lf__field_chart_sectors(field);
    ((field_entry *)build->entries.items)[build->entries.count++] =
        (field_entry){(uint32_t)(build->chart * per_chart + leaf - per_chart), build->triangle,
                      lf__float_below(low > 0 ? low : 0), lf__float_above(high), 0};
    return LF_OK;
}

/// A range of sectors, columns and rows.
typedef struct field_range {
    int columns[2], rows[2];
} field_range;

/// Clip the triangle to a range of sectors; where anything is left, halve the range and recurse.
static lf_status field_spread(field_builder *build, const lf_vec3 triangle[3], field_range r) {
    const double *t = build->field->tangents;
    const double y[2] = {t[r.columns[0]], t[r.columns[1]]}, z[2] = {t[r.rows[0]], t[r.rows[1]]};
    lf_vec3 part[8];
    int count = field_clip(triangle, y, z, build->slack, part);
    if (count == 0)
        return LF_OK;
    int width = r.columns[1] - r.columns[0], height = r.rows[1] - r.rows[0];
    if (width == 1 && height == 1)
        return add_entry(build, part, count, r.columns[0], r.rows[0]);
    field_range low = r, high = r;
    if (width >= height)
        low.columns[1] = high.columns[0] = r.columns[0] + width / 2;
    else
        low.rows[1] = high.rows[0] = r.rows[0] + height / 2;
    lf_status status = field_spread(build, triangle, low);
    return status == LF_OK ? field_spread(build, triangle, high) : status;
}

static lf_status spread_all(field_builder *build, const lf_host *host) {
    const lf_model *model = build->model;
    field_range whole = {{0, build->field->sectors}, {0, build->field->sectors}};
    for (int64_t i = 0; i < model->triangle_count; i++) {
        lf_vec3 corners[3], seen[3];
        lf__model_corners(model, i, corners);
        build->triangle = (uint32_t)i;
        for (build->chart = 0; build->chart < LF__FIELD_CHARTS; build->chart++) {
            for (int c = 0; c < 3; c++)
                seen[c] = lf__field_to_chart(build->chart, lf_vec3_sub(corners[c], build->field->centre));
            lf_status status = field_spread(build, seen, whole);
            if (status != LF_OK)
                return status;
        }
        if (i % 16384 == 0 && !lf__report(host, "field", i, model->triangle_count))
            return LF_CANCELLED;
    }
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Layers
// ---------------------------------------------------------------------------------------------------

static int compare_entries(const void *a, const void *b) {
    const field_entry *x = a, *y = b;
    if (x->sector != y->sector)
        return x->sector < y->sector ? -1 : 1;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

/// The widest gaps between the entries of a sector become the borders of its layers. Writes where layers
/// start; returns the number of layers.
static int cut_layers(const field_entry *entries, int64_t count, int most,
                      int64_t starts[LF__FIELD_LAYERS_MAX]) {
    float gaps[LF__FIELD_LAYERS_MAX], reach = entries[0].high;
    int layers = 1;
    starts[0] = 0;
    gaps[0] = INFINITY;
    for (int64_t i = 1; i < count; i++) {
        float gap = entries[i].low - reach;
        reach = entries[i].high > reach ? entries[i].high : reach;
        if (!(gap > 0))
            continue;
        if (layers == most) { // the narrowest gap so far, this one included, is dropped
            int narrow = 1;
            for (int k = 2; k < layers; k++)
                narrow = gaps[k] < gaps[narrow] ? k : narrow;
            if (most == 1 || gap <= gaps[narrow])
                continue;
            for (int k = narrow; k + 1 < layers; k++)
                starts[k] = starts[k + 1], gaps[k] = gaps[k + 1];
            layers--;
        }
        starts[layers] = i;
        gaps[layers++] = gap;
    }
    return layers;
}

/// The bounds of the sectors of one chart, before they are encoded.
typedef struct field_bounds {
    int16_t *least, *most;
} field_bounds;

/// Clamped: nothing is farther away than the radius, but where that underflows floats, rounding outwards
/// exceeds it.
static int16_t as_steps(double steps) {
    return (int16_t)fmin(fmax(steps, 0), LF__FIELD_STEPS);
}

/// Ten bits of a coordinate, every third bit.
static uint32_t spread_bits(double x) {
    uint32_t bits = (uint32_t)(fmin(fmax(x, 0), 1) * 1023);
    bits = (bits | bits << 16) & 0x030000ff;
    bits = (bits | bits << 8) & 0x0300f00f;
    bits = (bits | bits << 4) & 0x030c30c3;
    return (bits | bits << 2) & 0x09249249;
}

static int compare_places(const void *a, const void *b) {
    const field_entry *x = a, *y = b;
    return x->place != y->place ? (x->place > y->place) - (x->place < y->place)
                                : (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

/// Put the triangles of a layer into an order in which neighbours are near each other, along a curve that fills space.
static void sort_layer(const field_builder *build, field_entry *entries, int64_t count) {
    const lf__field *field = build->field;
    double scale = 1 / (6 * field->radius); // of the sum of three corners
    for (int64_t i = 0; i < count; i++) {
        lf_vec3 p[3];
        lf__model_corners(build->model, entries[i].triangle, p);
        lf_vec3 sum = lf_vec3_along(lf_vec3_add(lf_vec3_add(p[0], p[1]), p[2]), -3, field->centre);
        entries[i].place = spread_bits(0.5 + scale * sum.x) | spread_bits(0.5 + scale * sum.y) << 1 |
                           spread_bits(0.5 + scale * sum.z) << 2;
    }
    qsort(entries, (size_t)count, sizeof *entries, compare_places);
}

static lf__field_group group_of(const field_builder *build, const field_entry *entries, int64_t count) {
    lf_box box = lf_box_empty();
    lf_vec3 p[3];
    for (int64_t i = 0; i < count; i++) {
        lf__model_corners(build->model, entries[i].triangle, p);
        for (int c = 0; c < 3; c++)
            box = lf_box_with(box, p[c]);
    }
    lf__field_group group = {lf_box_centre(box), lf_vec3_scale(lf_vec3_sub(box.high, box.low), 0.5), 0};
    for (int64_t i = 0; i < count; i++) {
        lf__model_corners(build->model, entries[i].triangle, p);
        for (int c = 0; c < 3; c++)
            group.radius = fmax(group.radius, lf_vec3_length(lf_vec3_sub(p[c], group.centre)));
    }
    return group;
}

static void fill_sector(field_builder *build, field_entry *entries, int64_t count, int16_t *least,
                        int16_t *most) {
    lf__field *field = build->field;
    int64_t starts[LF__FIELD_LAYERS_MAX + 1];
    int layers = cut_layers(entries, count, field->layer_most, starts);
    float low = entries[0].low, high = 0;
    starts[layers] = count;
    for (int k = 0; k < layers; k++) {
        lf__field_layer layer = {entries[starts[k]].low, 0, (uint32_t)field->triangle_count,
                                 (uint32_t)field->group_count};
        sort_layer(build, entries + starts[k], starts[k + 1] - starts[k]);
        for (int64_t i = starts[k]; i < starts[k + 1]; i++) {
            layer.high = entries[i].high > layer.high ? entries[i].high : layer.high;
            field->triangles[field->triangle_count++] = entries[i].triangle;
        }
        field->groups[field->group_count++] = group_of(build, entries + starts[k], starts[k + 1] - starts[k]);
        for (int64_t i = starts[k]; i < starts[k + 1]; i += LF__FIELD_GROUP) {
            int64_t left = starts[k + 1] - i;
            field->groups[field->group_count++] =
                group_of(build, entries + i, left < LF__FIELD_GROUP ? left : LF__FIELD_GROUP);
        }
        high = layer.high > high ? layer.high : high;
        field->layers[field->layer_count++] = layer;
    }
    *least = as_steps(floor((double)low / field->step));
    *most = as_steps(ceil((double)high / field->step));
}

static void fill_charts(field_builder *build, field_bounds bounds) {
    lf__field *field = build->field;
    field_entry *entries = build->entries.items;
    int64_t per_chart = lf__field_chart_sectors(field), at = 0;
    for (int chart = 0; chart < LF__FIELD_CHARTS; chart++) {
        for (int64_t i = 0; i < per_chart; i++) {
            int64_t sector = chart * per_chart + i, last = at;
            while (last < build->entries.count && entries[last].sector == sector)
                last++;
            field->firsts[sector] = (uint32_t)field->layer_count;
            bounds.least[i] = LF__FIELD_STEPS;
            bounds.most[i] = 0;
            if (last > at) {
                fill_sector(build, entries + at, last - at, &bounds.least[i], &bounds.most[i]);
                field->filled++;
            }
            at = last;
        }
        lf__field_encode(field, chart, bounds.least, bounds.most);
    }
    field->firsts[LF__FIELD_CHARTS * per_chart] = (uint32_t)field->layer_count;
    field->layers[field->layer_count] =
        (lf__field_layer){0, 0, (uint32_t)field->triangle_count, (uint32_t)field->group_count};
}

/// The number of layers that will be filled.
static int64_t count_layers(const field_builder *build) {
    const field_entry *entries = build->entries.items;
    int64_t layers = 0, starts[LF__FIELD_LAYERS_MAX + 1];
    for (int64_t at = 0, last; at < build->entries.count; at = last) {
        last = at;
        while (last < build->entries.count && entries[last].sector == entries[at].sector)
            last++;
        layers += cut_layers(entries + at, last - at, build->field->layer_most, starts);
    }
    return layers;
}

static lf_status field_allocate(field_builder *build, int64_t layers, field_bounds *bounds) {
    lf__field *field = build->field;
    const lf_allocator *allocator = &build->model->allocator;
    int64_t per_chart = lf__field_chart_sectors(field), all = LF__FIELD_CHARTS * per_chart;
    field->layer_capacity = layers + 1;
    field->triangle_capacity = build->entries.count;
    field->group_capacity =
        build->entries.count / LF__FIELD_GROUP + 2 * layers; // the last of a layer may have fewer
    struct {
        int64_t count;
        size_t item;
        void **array;
    } requests[] = {
        {all, sizeof *field->most, (void **)&field->most},
        {all, sizeof *field->least, (void **)&field->least},
        {all + 1, sizeof *field->firsts, (void **)&field->firsts},
        {field->layer_capacity, sizeof *field->layers, (void **)&field->layers},
        {field->triangle_capacity, sizeof *field->triangles, (void **)&field->triangles},
        {field->group_capacity, sizeof *field->groups, (void **)&field->groups},
        {per_chart, sizeof *bounds->least, (void **)&bounds->least},
        {per_chart, sizeof *bounds->most, (void **)&bounds->most},
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        lf_status status =
            lf__allocate_array(allocator, requests[i].count, requests[i].item, requests[i].array);
        if (status != LF_OK)
            return status;
    }
    return LF_OK;
}

static void field_measure(lf__field *field, const lf_model *model) {
    double most = 0;
    for (int64_t i = 0; i < 3 * model->triangle_count; i++) {
        lf_vec3 d = lf_vec3_sub(model->vertices[model->corners[i]], field->centre);
        most = fmax(most, lf_vec3_dot(d, d));
    }
    field->radius = sqrt(most) * (1 + 1e-6) + 1e-300;
    field->step = field->radius * (1 + 1e-6) / LF__FIELD_STEPS;
}

lf_status lf__field_build(lf__field *field, const lf_model *model, const lf_field_def *def,
                          const lf_host *host) {
    const lf_allocator *allocator = &model->allocator;
    field_builder build = {.field = field, .model = model};
    field_bounds bounds = {NULL, NULL};
    *field = (lf__field){.centre = lf__field_centre_of(model, def),
                         .sectors = def->sectors,
                         .levels = 2 * __builtin_ctz((unsigned)def->sectors),
                         .layer_most = def->layers};
    field_measure(field, model);
    build.slack = FIELD_SLACK * field->radius;
    build.most_entries = CROWD * (model->triangle_count + LF__FIELD_CHARTS * lf__field_chart_sectors(field));
    lf_status status = lf__field_directions(field, allocator);
    if (status == LF_OK)
        status = spread_all(&build, host);
    if (status == LF_OK && build.entries.count > UINT32_MAX)
        status = LF_TOO_LARGE;
    if (status == LF_OK) {
        qsort(build.entries.items, (size_t)build.entries.count, sizeof(field_entry), compare_entries);
        status = field_allocate(&build, count_layers(&build), &bounds);
    }
    if (status == LF_OK)
        fill_charts(&build, bounds);
    lf__free_array(allocator, bounds.most, lf__field_chart_sectors(field), sizeof *bounds.most);
    lf__free_array(allocator, bounds.least, lf__field_chart_sectors(field), sizeof *bounds.least);
    lf__array_free(&build.entries, allocator, sizeof(field_entry));
    return status;
}

void lf__field_free(lf__field *field, const lf_allocator *allocator) {
    int64_t all = LF__FIELD_CHARTS * lf__field_chart_sectors(field);
    lf__free_array(allocator, field->groups, field->group_capacity, sizeof *field->groups);
    lf__free_array(allocator, field->triangles, field->triangle_capacity, sizeof *field->triangles);
    lf__free_array(allocator, field->layers, field->layer_capacity, sizeof *field->layers);
    lf__free_array(allocator, field->firsts, all + 1, sizeof *field->firsts);
    lf__free_array(allocator, field->least, all, sizeof *field->least);
    lf__free_array(allocator, field->most, all, sizeof *field->most);
    lf__free_array(allocator, field->cones, lf__field_nodes(field), sizeof *field->cones);
    lf__free_array(allocator, field->tangents, field->sectors + 1, sizeof *field->tangents);
    *field = (lf__field){.sectors = 0};
}
