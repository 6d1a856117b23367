/// Is a model closed? It is when every edge is passed as often one way as the other: only then is there an inside.
///
/// Corners are the same where their coordinates are, whatever their numbers: triangle soups of closed shapes count as closed.
/// Both tables are open hash tables that live only here.
#include "model/model.h"
#include <string.h>

#define NOTHING UINT32_MAX

static uint64_t mixed(uint64_t x) {
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    x += 0.0; // both zeros are one
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bool same_place(lf_vec3 a, lf_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// The least power of two that is at least so large.
static int64_t table_size(int64_t wanted) {
    int64_t size = 16;
    while (size < wanted)
        size *= 2;
    return size;
}

/// The lowest vertex at each vertex's place. Vertices that nothing uses may be NaN: these are alone.
static lf_status find_places(const lf_model *model, uint32_t *places) {
    int64_t size = table_size(2 * model->vertex_count);
    uint32_t *table;
    lf_status status = lf__take_array(&model->allocator, size, sizeof *table, (void **)&table);
    if (status != LF_OK)
        return status;
    memset(table, 0xff, (size_t)size * sizeof *table);
    for (int64_t i = 0; i < model->vertex_count; i++) {
        lf_vec3 v = model->vertices[i];
        uint64_t at = mixed(bits_of(v.x) + mixed(bits_of(v.y) + mixed(bits_of(v.z)))) & (uint64_t)(size - 1);
        while (table[at] != NOTHING && !same_place(model->vertices[table[at]], v))
            at = (at + 1) & (uint64_t)(size - 1);
        if (table[at] == NOTHING)
            table[at] = (uint32_t)i;
        places[i] = table[at];
    }
    lf__give_array(&model->allocator, table, size, sizeof *table);
    return LF_OK;
}

/// An edge between two places, and how much oftener it is passed upwards than downwards.
typedef struct edge {
    uint32_t low, high;
    int32_t balance;
} edge;

static void pass_edge(edge *table, int64_t size, uint32_t from, uint32_t to) {
    if (from == to)
        return;
    uint32_t low = from < to ? from : to, high = from < to ? to : from;
    uint64_t at = mixed((uint64_t)low << 32 | high) & (uint64_t)(size - 1);
    while (table[at].low != NOTHING && !(table[at].low == low && table[at].high == high))
        at = (at + 1) & (uint64_t)(size - 1);
    if (table[at].low == NOTHING)
        table[at] = (edge){low, high, 0};
    table[at].balance += from < to ? 1 : -1;
}

static int64_t count_unbalanced(const lf_model *model, const uint32_t *places, edge *table, int64_t size) {
    for (int64_t i = 0; i < size; i++)
        table[i].low = NOTHING;
    for (int64_t i = 0; i < model->triangle_count; i++) {
        const uint32_t *corner = model->corners + 3 * i;
        for (int c = 0; c < 3; c++)
            pass_edge(table, size, places[corner[c]], places[corner[(c + 1) % 3]]);
    }
    int64_t open = 0;
    for (int64_t i = 0; i < size; i++)
        open += table[i].low != NOTHING && table[i].balance != 0;
    return open;
}

lf_status lf__model_count_open(lf_model *model) {
    const lf_allocator *allocator = &model->allocator;
    int64_t size = table_size(4 * model->triangle_count);
    uint32_t *places = NULL;
    edge *table = NULL;
    lf_status status = lf__take_array(allocator, model->vertex_count, sizeof *places, (void **)&places);
    if (status == LF_OK)
        status = find_places(model, places);
    if (status == LF_OK)
        status = lf__take_array(allocator, size, sizeof *table, (void **)&table);
    if (status == LF_OK)
        model->open_count = count_unbalanced(model, places, table, size);
    lf__give_array(allocator, table, size, sizeof *table);
    lf__give_array(allocator, places, model->vertex_count, sizeof *places);
    return status;
}
