#include "published/tabik.h"
#include "geom/geometry.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A sample in the order in which it enters the band.
typedef struct tabik_entry {
    double across; ///< metres from the axis through the first sample
    int32_t column, row;
} tabik_entry;

/// A sample in the band.
typedef struct tabik_node {
    float along, height; ///< metres
    int32_t next, previous;
} tabik_node;

#define NOBODY (-1)

typedef struct tabik_band {
    const lf__tabik_def *def;
    lf_allocator allocator;
    tabik_entry *entries;
    tabik_node *nodes; ///< entry k is node k modulo `capacity`
    int64_t capacity;
    int32_t *newest; ///< the node that entered last, of each column or row that the axis crosses
    bool by_row;     ///< rows, not columns
    int32_t first;   ///< node of the list
    lf_vec2 way;     ///< of the axis: columns and rows per sample spacing
    double *area;
} tabik_band;

static int compare_entries(const void *a, const void *b) {
    double x = ((const tabik_entry *)a)->across, y = ((const tabik_entry *)b)->across;
    return (x > y) - (x < y);
}

static void sort_entries(tabik_band *band) {
    int64_t columns = band->def->columns, count = columns * band->def->rows;
    for (int64_t k = 0; k < count; k++) {
        tabik_entry *entry = &band->entries[k];
        entry->column = (int32_t)(k % columns);
        entry->row = (int32_t)(k / columns);
        entry->across = band->def->spacing * (entry->column * band->way.y - (double)entry->row * band->way.x);
    }
    qsort(band->entries, (size_t)count, sizeof *band->entries, compare_entries);
}

// ---- The band -----------------------------------------------------------------------------------

static void insert_between(tabik_band *band, int32_t node, int32_t previous, int32_t next) {
    band->nodes[node].previous = previous;
    band->nodes[node].next = next;
    if (previous == NOBODY)
        band->first = node;
    else
        band->nodes[previous].next = node;
    if (next != NOBODY)
        band->nodes[next].previous = node;
}

static int32_t lane_of(const tabik_band *band, const tabik_entry *entry) {
    return band->by_row ? entry->row : entry->column;
}

/// Place a sample by its distance. Its neighbours along the axis tell where to begin the search.
static void enter(tabik_band *band, int64_t k) {
    const tabik_entry *entry = &band->entries[k];
    int32_t node = (int32_t)(k % band->capacity), lane = lane_of(band, entry);
    int64_t lanes = band->by_row ? band->def->rows : band->def->columns;
    tabik_node *nodes = band->nodes;
    nodes[node].along =
        (float)(band->def->spacing * (entry->column * band->way.x + entry->row * band->way.y));
    nodes[node].height = band->def->heights[entry->row * band->def->columns + entry->column];
    int32_t at = band->newest[lane];
    if (at == NOBODY && lane > 0)
        at = band->newest[lane - 1];
    if (at == NOBODY && lane + 1 < lanes)
        at = band->newest[lane + 1];
    if (at == NOBODY)
        at = band->first;
    int32_t next = at, previous = at == NOBODY ? NOBODY : nodes[at].previous;
    while (previous != NOBODY && nodes[previous].along > nodes[node].along)
        next = previous, previous = nodes[previous].previous;
    while (next != NOBODY && nodes[next].along <= nodes[node].along)
        previous = next, next = nodes[next].next;
    insert_between(band, node, previous, next);
    band->newest[lane] = node;
}

static void leave(tabik_band *band, int64_t k) {
    int32_t node = (int32_t)(k % band->capacity), lane = lane_of(band, &band->entries[k]);
    const tabik_node *gone = &band->nodes[node];
    if (gone->previous == NOBODY)
        band->first = gone->next;
    else
        band->nodes[gone->previous].next = gone->next;
    if (gone->next != NOBODY)
        band->nodes[gone->next].previous = gone->previous;
    if (band->newest[lane] == node)
        band->newest[lane] = NOBODY;
}

/// The rings that an observer sees one way along the band.
static double rings(const tabik_band *band, int32_t observer, bool onward) {
    const tabik_node *nodes = band->nodes, *from = &nodes[observer];
    const lf__tabik_def *def = band->def;
    float eye = from->height + (float)def->observer_height, most = -INFINITY, range = (float)def->range;
    float lowering = (float)(def->curvature.coefficient / (2 * def->curvature.radius));
    double area = 0;
    float start = 0, end = 0; // of the ring that is visible now; start is below 0 where none is
    for (int32_t k = onward ? from->next : from->previous; k != NOBODY;
         k = onward ? nodes[k].next : nodes[k].previous) {
        float metres = fabsf(nodes[k].along - from->along);
        if (metres > range) {
            end = range;
            break;
        }
        end = metres;
        if (metres == 0)
            continue;
        float slope = (nodes[k].height - eye) / metres - lowering * metres;
        bool visible = slope >= most;
        if (visible)
            most = slope;
        if (visible && start < 0)
            start = metres;
        if (!visible && start >= 0) {
            area += (double)metres * (double)metres - (double)start * (double)start;
            start = -1;
        }
    }
    if (start >= 0)
        area += (double)end * (double)end - (double)start * (double)start;
    return area * LF__PI / def->azimuths;
}

static void observe(tabik_band *band, int64_t k) {
    const tabik_entry *entry = &band->entries[k];
    lf_window w = band->def->window;
    int64_t column = entry->column - w.column, row = entry->row - w.row;
    if (column < 0 || row < 0 || column >= w.columns || row >= w.rows)
        return;
    int32_t node = (int32_t)(k % band->capacity);
    band->area[row * w.columns + column] += rings(band, node, true) + rings(band, node, false);
}

/// All observers along one axis. The band has one sample of each column, or row, that the axis crosses.
static void sweep(tabik_band *band, double azimuth) {
    const lf__tabik_def *def = band->def;
    int64_t count = def->columns * def->rows, in = 0, out = 0;
    band->way = (lf_vec2){sin(azimuth), -cos(azimuth)};
    band->by_row = fabs(band->way.y) > fabs(band->way.x);
    double half = 0.5 * def->spacing * fmax(fabs(band->way.x), fabs(band->way.y));
    sort_entries(band);
    band->first = NOBODY;
    memset(band->newest, 0xff,
           (size_t)(def->columns > def->rows ? def->columns : def->rows) * sizeof(int32_t));
    for (int64_t k = 0; k < count; k++) {
        while (out < in && band->entries[out].across < band->entries[k].across - half)
            leave(band, out++);
        while (in < count && band->entries[in].across <= band->entries[k].across + half)
            enter(band, in++);
        observe(band, k);
    }
}

lf_status lf__tabik_total(const lf__tabik_def *def, double *area) {
    int64_t longer = def->columns > def->rows ? def->columns : def->rows, count = def->columns * def->rows;
    // Two samples of a column enter together where the axis passes through the middle between them.
    tabik_band band = {
        .def = def, .capacity = 2 * longer + 2, .area = area, .allocator = lf__allocator_of(NULL)};
    void *entries = NULL, *nodes = NULL, *newest = NULL;
    lf_status status = lf__allocate_array(&band.allocator, count, sizeof *band.entries, &entries);
    if (status == LF_OK)
        status = lf__allocate_array(&band.allocator, band.capacity, sizeof *band.nodes, &nodes);
    if (status == LF_OK)
        status = lf__allocate_array(&band.allocator, longer, sizeof *band.newest, &newest);
    band.entries = entries, band.nodes = nodes, band.newest = newest;
    memset(area, 0, (size_t)(def->window.columns * def->window.rows) * sizeof *area);
    for (int k = 0; k < def->azimuths / 2 && status == LF_OK; k += def->every)
        sweep(&band, 2 * LF__PI * k / def->azimuths);
    lf__free_array(&band.allocator, newest, longer, sizeof *band.newest);
    lf__free_array(&band.allocator, nodes, band.capacity, sizeof *band.nodes);
    lf__free_array(&band.allocator, entries, count, sizeof *band.entries);
    return status;
}
