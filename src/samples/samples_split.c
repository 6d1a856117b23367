#include "samples/samples_split.h"
#include "samples/noise.h"

void lf__fields_reserve(lf__fields *fields, int64_t vertices) {
    lf__maker *maker = fields->maker;
    if (maker->status == LF_OK)
        maker->status = lf__array_reserve(&fields->values, &maker->allocator, vertices, sizeof(lf__values));
}

void lf__fields_add(lf__fields *fields, const lf__values *values) {
    lf__maker *maker = fields->maker;
    if (maker->status == LF_OK)
        maker->status = lf__array_reserve(&fields->values, &maker->allocator, 1, sizeof *values);
    if (maker->status == LF_OK)
        ((lf__values *)fields->values.items)[fields->values.count++] = *values;
}

void lf__fields_drop(lf__fields *fields) {
    lf__array_free(&fields->values, &fields->maker->allocator, sizeof(lf__values));
}

/// The vertex at which an edge was cut. A table by hashing; vertex 0 of an empty place means "none yet".
typedef struct cut {
    int64_t low, high, vertex;
} cut;

typedef struct cutting {
    lf__fields *fields;
    int k;
    lf__maker fresh; ///< the polygons after the cut
    cut *table;
    int64_t capacity, used; ///< capacity is a power of two
} cutting;

static double value_at(const cutting *cutting, int64_t vertex) {
    double value = ((const lf__values *)cutting->fields->values.items)[vertex].field[cutting->k];
    double snap = cutting->fields->snap;
    return value > -snap && value < snap ? 0 : value;
}

static cut *place_of(cut *table, int64_t capacity, int64_t low, int64_t high) {
    uint64_t place = lf__hash(17, low, high);
    for (;; place++) {
        cut *entry = &table[place & (uint64_t)(capacity - 1)];
        if (entry->vertex < 0 || (entry->low == low && entry->high == high))
            return entry;
    }
}

static bool grow(cutting *cutting) {
    lf__maker *maker = cutting->fields->maker;
    int64_t capacity = cutting->capacity > 0 ? 2 * cutting->capacity : 256;
    cut *table = NULL;
    maker->status = lf__take_array(&maker->allocator, capacity, sizeof *table, (void **)&table);
    if (maker->status != LF_OK)
        return false;
    for (int64_t i = 0; i < capacity; i++)
        table[i] = (cut){0, 0, -1};
    for (int64_t i = 0; i < cutting->capacity; i++)
        if (cutting->table[i].vertex >= 0)
            *place_of(table, capacity, cutting->table[i].low, cutting->table[i].high) = cutting->table[i];
    if (cutting->table)
        lf__give_array(&maker->allocator, cutting->table, cutting->capacity, sizeof *table);
    cutting->table = table;
    cutting->capacity = capacity;
    return true;
}

/// A new vertex where the field is zero between two others; the same from whichever side it is asked for.
static int64_t make_cut_vertex(cutting *cutting, int64_t low, int64_t high) {
    lf__fields *fields = cutting->fields;
    double a = value_at(cutting, low), b = value_at(cutting, high), t = a / (a - b);
    lf_vec3 p = lf__maker_vertices(fields->maker)[low], q = lf__maker_vertices(fields->maker)[high];
    lf__values values, *all = fields->values.items;
    for (int k = 0; k < LF__FIELDS; k++)
        values.field[k] = all[low].field[k] + (all[high].field[k] - all[low].field[k]) * t;
    values.field[cutting->k] = 0;
    int64_t vertex =
        lf__maker_vertex(fields->maker, p.x + (q.x - p.x) * t, p.y + (q.y - p.y) * t, p.z + (q.z - p.z) * t);
    lf__fields_add(fields, &values);
    return vertex;
}

static int64_t cut_vertex(cutting *cutting, int64_t a, int64_t b) {
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    if (cutting->fields->maker->status != LF_OK || (2 * cutting->used >= cutting->capacity && !grow(cutting)))
        return 0;
    cut *entry = place_of(cutting->table, cutting->capacity, low, high);
    if (entry->vertex < 0) {
        *entry = (cut){low, high, make_cut_vertex(cutting, low, high)};
        cutting->used++;
    }
    return entry->vertex;
}

enum { RING = 24 }; // corners: a triangle gains at most one per cut

static int sign_of(double value) {
    return (value > 0) - (value < 0);
}

/// The part of a polygon on one side. A corner on the line belongs to it when a neighbour along the ring does.
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
        lf__maker_polygon(&cutting->fresh, (int64_t)(below ? user & ~bit : user | bit), ring, count);
        return;
    }
    int64_t size = side_ring(cutting, ring, signs, count, 1, part);
    if (size >= 3)
        lf__maker_polygon(&cutting->fresh, (int64_t)(user | bit), part, size);
    size = side_ring(cutting, ring, signs, count, -1, part);
    if (size >= 3)
        lf__maker_polygon(&cutting->fresh, (int64_t)(user & ~bit), part, size);
}

void lf__fields_split(lf__fields *fields, int k) {
    lf__maker *maker = fields->maker;
    cutting cutting = {.fields = fields, .k = k};
    if (maker->status != LF_OK)
        return;
    cutting.fresh = (lf__maker){.allocator = maker->allocator};
    const int64_t *starts = maker->starts.items, *corners = maker->corners.items;
    const uint64_t *users = maker->users.items;
    // A line through n triangles meets about the square root of n of them.
    int64_t count = lf__maker_count(maker), more = count / 8 + 64;
    lf__maker_reserve(&cutting.fresh, 0, count + more, maker->corners.count + 4 * more);
    for (int64_t i = 0; i < count; i++)
        split_polygon(&cutting, corners + starts[i], starts[i + 1] - starts[i], users[i]);
    if (maker->status == LF_OK)
        maker->status = cutting.fresh.status;
    lf__array_free(&maker->starts, &maker->allocator, sizeof(int64_t));
    lf__array_free(&maker->corners, &maker->allocator, sizeof(int64_t));
    lf__array_free(&maker->users, &maker->allocator, sizeof(uint64_t));
    maker->starts = cutting.fresh.starts;
    maker->corners = cutting.fresh.corners;
    maker->users = cutting.fresh.users;
    if (cutting.table)
        lf__give_array(&maker->allocator, cutting.table, cutting.capacity, sizeof *cutting.table);
}
