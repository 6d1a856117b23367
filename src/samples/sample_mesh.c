/// A sample mesh under construction, and the cuts through it along the zero lines of fields, without cracks.
#include "samples/sample_parts.h"
#include <string.h>

void lf__builder_start(lf__builder *builder, const lf_host *host) {
    *builder = (lf__builder){.allocator = lf__allocator_of(host)};
}

void lf__builder_drop(lf__builder *builder) {
    lf__array_free(&builder->users, &builder->allocator, sizeof(uint64_t));
    lf__array_free(&builder->corners, &builder->allocator, sizeof(int64_t));
    lf__array_free(&builder->starts, &builder->allocator, sizeof(int64_t));
    lf__array_free(&builder->vertices, &builder->allocator, sizeof(lf_vec3));
}

/// Reserve space for more items; false when that fails or a call has failed before.
static bool reserve(lf__builder *builder, lf__array *array, int64_t more, size_t item) {
    if (builder->status == LF_OK)
        builder->status = lf__array_reserve(array, &builder->allocator, more, item);
    return builder->status == LF_OK;
}

void lf__builder_clear(lf__builder *builder) {
    builder->vertices.count = builder->starts.count = builder->corners.count = builder->users.count = 0;
    builder->name_count = 0;
}

void lf__builder_reserve(lf__builder *builder, int64_t vertices, int64_t polygons, int64_t corners) {
    reserve(builder, &builder->vertices, vertices, sizeof(lf_vec3));
    reserve(builder, &builder->starts, polygons + 1, sizeof(int64_t));
    reserve(builder, &builder->users, polygons, sizeof(uint64_t));
    reserve(builder, &builder->corners, corners, sizeof(int64_t));
}

int64_t lf__builder_name(lf__builder *builder, const char *name) {
    for (int64_t i = 0; i < builder->name_count; i++)
        if (strcmp(builder->names[i], name) == 0)
            return i;
    if (builder->name_count == LF__BUILDER_NAMES) {
        builder->status = builder->status == LF_OK ? LF_TOO_LARGE : builder->status;
        return 0;
    }
    builder->names[builder->name_count] = name;
    return builder->name_count++;
}

int64_t lf__builder_vertex(lf__builder *builder, double x, double y, double z) {
    if (!reserve(builder, &builder->vertices, 1, sizeof(lf_vec3)))
        return 0;
    lf__builder_vertices(builder)[builder->vertices.count] = (lf_vec3){x, y, z};
    return builder->vertices.count++;
}

void lf__builder_polygon(lf__builder *builder, int64_t name, const int64_t *corners, int64_t count) {
    if (!reserve(builder, &builder->starts, 2, sizeof(int64_t)) ||
        !reserve(builder, &builder->users, 1, sizeof(uint64_t)) ||
        !reserve(builder, &builder->corners, count, sizeof(int64_t)))
        return;
    int64_t *starts = builder->starts.items,
            *into = (int64_t *)builder->corners.items + builder->corners.count;
    if (builder->starts.count == 0)
        starts[builder->starts.count++] = 0;
    memcpy(into, corners, (size_t)count * sizeof *into);
    builder->corners.count += count;
    starts[builder->starts.count++] = builder->corners.count;
    ((uint64_t *)builder->users.items)[builder->users.count++] = (uint64_t)name;
}

void lf__builder_triangle(lf__builder *builder, int64_t name, int64_t a, int64_t b, int64_t c) {
    int64_t corners[3] = {a, b, c};
    lf__builder_polygon(builder, name, corners, 3);
}

void lf__builder_quad(lf__builder *builder, int64_t name, const int64_t corners[4]) {
    lf__builder_polygon(builder, name, corners, 4);
}

void lf__builder_patch(lf__builder *builder, int64_t name, const lf__patch *patch) {
    int64_t first = builder->vertices.count, across = patch->ones + 1;
    for (int64_t j = 0; j <= patch->twos; j++)
        for (int64_t i = 0; i <= patch->ones; i++) {
            lf_vec3 p = lf_vec3_along(patch->origin, (double)i / (double)patch->ones, patch->one);
            p = lf_vec3_along(p, (double)j / (double)patch->twos, patch->two);
            lf__builder_vertex(builder, p.x, p.y, p.z);
        }
    for (int64_t j = 0; j < patch->twos; j++)
        for (int64_t i = 0; i < patch->ones; i++) {
            int64_t at = first + j * across + i, corners[4] = {at, at + 1, at + 1 + across, at + across};
            lf__builder_quad(builder, name, corners);
        }
}

/// A pass that cuts one corner off some of the polygons that have more than three.
typedef struct cutter {
    lf__builder from;
    int64_t required; ///< polygons to cut
    int64_t spare;    ///< polygons that could be cut
    int64_t seen;     ///< of these, so far
} cutter;

static int64_t spare_corners(const lf__builder *builder) {
    const int64_t *starts = builder->starts.items;
    int64_t spare = 0;
    for (int64_t i = 0; i < lf__builder_count(builder); i++)
        spare += starts[i + 1] - starts[i] > 3;
    return spare;
}

/// Whether to cut this polygon, such that the cuts are spread evenly over those that could be.
static bool chosen(cutter *cutter) {
    int64_t before = (int64_t)((double)cutter->seen * (double)cutter->required / (double)cutter->spare);
    int64_t after = (int64_t)((double)(cutter->seen + 1) * (double)cutter->required / (double)cutter->spare);
    cutter->seen++;
    return after > before;
}

void lf__builder_cut_to(lf__builder *builder, int64_t count) {
    for (int round = 0; round < 16 && builder->status == LF_OK; round++) {
        cutter cutter = {.from = *builder, .required = count - lf__builder_count(builder)};
        cutter.spare = spare_corners(builder);
        if (cutter.required <= 0 || cutter.spare == 0)
            return;
        cutter.required = cutter.required < cutter.spare ? cutter.required : cutter.spare;
        builder->starts = builder->corners = builder->users = (lf__array){NULL, 0, 0};
        const int64_t *starts = cutter.from.starts.items, *corners = cutter.from.corners.items;
        const uint64_t *users = cutter.from.users.items;
        lf__builder_reserve(builder, 0, cutter.from.users.count + cutter.required,
                            cutter.from.corners.count + 2 * cutter.required);
        for (int64_t i = 0; i < cutter.from.users.count; i++) {
            const int64_t *ring = corners + starts[i];
            int64_t size = starts[i + 1] - starts[i], name = (int64_t)users[i];
            bool cut = size > 3 && chosen(&cutter);
            if (cut)
                lf__builder_triangle(builder, name, ring[size - 1], ring[0], ring[1]);
            lf__builder_polygon(builder, name, cut ? ring + 1 : ring, cut ? size - 1 : size);
        }
        cutter.from.vertices = (lf__array){NULL, 0, 0};
        lf__builder_drop(&cutter.from);
    }
}

struct lf_made_polygons {
    lf__builder builder;
};

lf_status lf__builder_finish(lf__builder *builder, lf_made_polygons **made, lf_error *error) {
    lf_made_polygons *fresh = NULL;
    lf_allocator allocator = builder->allocator;
    if (builder->status == LF_OK)
        fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_made_polygons));
    if (!fresh) {
        lf_status status = builder->status == LF_OK ? LF_NO_MEMORY : builder->status;
        lf__builder_drop(builder);
        return lf__fail_plain(error, status);
    }
    fresh->builder = *builder;
    *made = fresh;
    return LF_OK;
}

void lf_made_polygons_destroy(lf_made_polygons *made) {
    if (!made)
        return;
    lf_allocator allocator = made->builder.allocator;
    lf__builder_drop(&made->builder);
    lf__free(&allocator, made, sizeof *made, _Alignof(lf_made_polygons));
}

lf_polygons lf_made_polygons_view(const lf_made_polygons *made) {
    const lf__builder *builder = &made->builder;
    lf_polygons polygons = {builder->vertices.items,
                            builder->vertices.count,
                            builder->starts.items,
                            builder->corners.items,
                            lf__builder_count(builder),
                            builder->users.items,
                            NULL,
                            NULL};
    return polygons;
}

int64_t lf_made_polygons_name_count(const lf_made_polygons *made) {
    return made->builder.name_count;
}

const char *lf_made_polygons_name(const lf_made_polygons *made, int64_t index) {
    return index >= 0 && index < made->builder.name_count ? made->builder.names[index] : NULL;
}

// ---------------------------------------------------------------------------------------------------
// Cuts along the zero lines of fields
// ---------------------------------------------------------------------------------------------------

void lf__fields_reserve(lf__fields *fields, int64_t vertices) {
    lf__builder *builder = fields->builder;
    if (builder->status == LF_OK)
        builder->status =
            lf__array_reserve(&fields->values, &builder->allocator, vertices, sizeof(lf__values));
}

void lf__fields_add(lf__fields *fields, const lf__values *values) {
    lf__builder *builder = fields->builder;
    if (builder->status == LF_OK)
        builder->status = lf__array_reserve(&fields->values, &builder->allocator, 1, sizeof *values);
    if (builder->status == LF_OK)
        ((lf__values *)fields->values.items)[fields->values.count++] = *values;
}

void lf__fields_drop(lf__fields *fields) {
    lf__array_free(&fields->values, &fields->builder->allocator, sizeof(lf__values));
}

typedef struct cutting {
    lf__fields *fields;
    int k;
    lf__builder fresh; ///< the polygons after the cut
    lf__table cuts;    ///< by edge: the vertex at which it was cut
} cutting;

static double value_at(const cutting *cutting, int64_t vertex) {
    double value = ((const lf__values *)cutting->fields->values.items)[vertex].field[cutting->k];
    double snap = cutting->fields->snap;
    return value > -snap && value < snap ? 0 : value;
}

/// A new vertex where the field is zero between two others; the same for both polygons of the edge.
static int64_t make_cut_vertex(cutting *cutting, int64_t low, int64_t high) {
    lf__fields *fields = cutting->fields;
    double a = value_at(cutting, low), b = value_at(cutting, high), t = a / (a - b);
    lf_vec3 p = lf__builder_vertices(fields->builder)[low], q = lf__builder_vertices(fields->builder)[high];
    lf__values values, *all = fields->values.items;
    for (int k = 0; k < LF__FIELDS; k++)
        values.field[k] = all[low].field[k] + (all[high].field[k] - all[low].field[k]) * t;
    values.field[cutting->k] = 0;
    int64_t vertex = lf__builder_vertex(fields->builder, p.x + (q.x - p.x) * t, p.y + (q.y - p.y) * t,
                                        p.z + (q.z - p.z) * t);
    lf__fields_add(fields, &values);
    return vertex;
}

static int64_t cut_vertex(cutting *cutting, int64_t a, int64_t b) {
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    uint64_t edge = (uint64_t)low << 32 | (uint64_t)high; // there are fewer than 2^31 vertices
    lf__builder *builder = cutting->fields->builder;
    if (builder->status == LF_OK)
        builder->status = lf__table_reserve(&cutting->cuts, &builder->allocator, 1);
    if (builder->status != LF_OK)
        return 0;
    const lf__table_entry *entry = lf__table_find(&cutting->cuts, edge);
    if (entry)
        return (int64_t)entry->value;
    int64_t vertex = make_cut_vertex(cutting, low, high);
    lf__table_add(&cutting->cuts, edge, (uint64_t)vertex);
    return vertex;
}

enum { RING = 24 }; // corners: a triangle gains at most one per cut

static int sign_of(double value) {
    return (value > 0) - (value < 0);
}

/// The part of a polygon on one side. A corner on the zero line belongs to it when a neighbour along the ring
/// does.
static int64_t side_ring(cutting *cutting, const int64_t *ring, const int *signs, int64_t count, int side,
                         int64_t *part) {
    int64_t size = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t next = (i + 1) % count, last = (i + count - 1) % count;
        bool mine = signs[i] == side || (signs[i] == 0 && (signs[next] == side || signs[last] == side));
        if (mine)
            part[size++] = ring[i];
        if (signs[i] * signs[next] < 0)
            part[size++] = cut_vertex(cutting, ring[i], ring[next]);
    }
    return size;
}

static void split_polygon(cutting *cutting, const int64_t *ring, int64_t count, uint64_t user) {
    int signs[RING];
    int64_t part[2 * RING];
    bool above = false, below = false;
    uint64_t bit = (uint64_t)1 << cutting->k;
    for (int64_t i = 0; i < count; i++) {
        signs[i] = sign_of(value_at(cutting, ring[i]));
        above = above || signs[i] > 0;
        below = below || signs[i] < 0;
    }
    if (!above || !below || count > RING) {
        lf__builder_polygon(&cutting->fresh, (int64_t)(below ? user & ~bit : user | bit), ring, count);
        return;
    }
    int64_t size = side_ring(cutting, ring, signs, count, 1, part);
    if (size >= 3)
        lf__builder_polygon(&cutting->fresh, (int64_t)(user | bit), part, size);
    size = side_ring(cutting, ring, signs, count, -1, part);
    if (size >= 3)
        lf__builder_polygon(&cutting->fresh, (int64_t)(user & ~bit), part, size);
}

void lf__fields_split(lf__fields *fields, int k) {
    lf__builder *builder = fields->builder;
    cutting cutting = {.fields = fields, .k = k};
    if (builder->status != LF_OK)
        return;
    cutting.fresh = (lf__builder){.allocator = builder->allocator};
    const int64_t *starts = builder->starts.items, *corners = builder->corners.items;
    const uint64_t *users = builder->users.items;
    // A line through n triangles crosses about the square root of n of them.
    int64_t count = lf__builder_count(builder), more = count / 8 + 64;
    lf__builder_reserve(&cutting.fresh, 0, count + more, builder->corners.count + 4 * more);
    for (int64_t i = 0; i < count; i++)
        split_polygon(&cutting, corners + starts[i], starts[i + 1] - starts[i], users[i]);
    if (builder->status == LF_OK)
        builder->status = cutting.fresh.status;
    lf__array_free(&builder->starts, &builder->allocator, sizeof(int64_t));
    lf__array_free(&builder->corners, &builder->allocator, sizeof(int64_t));
    lf__array_free(&builder->users, &builder->allocator, sizeof(uint64_t));
    builder->starts = cutting.fresh.starts;
    builder->corners = cutting.fresh.corners;
    builder->users = cutting.fresh.users;
    lf__table_free(&cutting.cuts, &builder->allocator);
}
