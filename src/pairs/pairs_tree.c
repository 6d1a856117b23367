/// Building packed trees: items are halved along their longest axis until eight are left.
#include "pairs/pairs.h"
#include <string.h>

/// The longest axis of a long range is estimated by this many items, evenly chosen.
#define FLAT_SAMPLES 64

/// Items are sorted again when the leaves have grown by this factor.
#define FLAT_SLACK 1.3

static int widest_axis(const lf__flat_point *points, int64_t first, int64_t last) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    int64_t step = (last - first) / FLAT_SAMPLES + 1;
    for (int64_t i = first; i < last; i += step)
        for (int k = 0; k < 3; k++) {
            float at = points[i].at[k];
            low[k] = at < low[k] ? at : low[k];
            high[k] = at > high[k] ? at : high[k];
        }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (high[k] - low[k] > high[axis] - low[axis])
            axis = k;
    return axis;
}

static float flat_middle_of(float a, float b, float c) {
    float least = a < b ? a : b, most = a < b ? b : a;
    return c < least ? least : c > most ? most : c;
}

/// Partition the items around `middle`. Each round excludes at least one item.
static void flat_halve(lf__flat_point *points, int64_t first, int64_t last, int64_t middle, int axis) {
    while (last - first > 1) {
        float pivot = flat_middle_of(points[first].at[axis], points[first + (last - first) / 2].at[axis],
                                     points[last - 1].at[axis]);
        int64_t i = first, j = last - 1;
        while (i <= j) {
            while (points[i].at[axis] < pivot)
                i++;
            while (points[j].at[axis] > pivot)
                j--;
            if (i <= j) {
                lf__flat_point swap = points[i];
                points[i++] = points[j];
                points[j--] = swap;
            }
        }
        if (middle <= j)
            last = j + 1;
        else if (middle >= i)
            first = i;
        else
            return;
    }
}

/// The largest power of two below the number of leaves: whole nodes stay together.
static int64_t first_half(int64_t leaves) {
    int64_t half = 1;
    while (2 * half < leaves)
        half *= 2;
    return half;
}

typedef struct flat_range {
    int64_t first, last;
} flat_range;

static void flat_sort(lf__flat_point *points, int64_t count) {
    flat_range stack[64]; // one half is pushed, and the other, at most as large, is halved further
    int depth = 0;
    stack[depth++] = (flat_range){0, count};
    while (depth > 0) {
        flat_range now = stack[--depth];
        while (now.last - now.first > LF__FLAT_WIDTH) {
            int64_t leaves = (now.last - now.first + LF__FLAT_WIDTH - 1) / LF__FLAT_WIDTH;
            int64_t middle = now.first + LF__FLAT_WIDTH * first_half(leaves);
            flat_halve(points, now.first, now.last, middle, widest_axis(points, now.first, now.last));
            stack[depth++] = (flat_range){now.first, middle};
            now.first = middle;
        }
    }
}

lf_vec3 lf__flat_centre(const lf__flat_boxes *boxes, const uint32_t *items, int64_t count) {
    lf_vec3 sum = {0, 0, 0};
    int64_t step = count / FLAT_SAMPLES + 1, taken = (count + step - 1) / step;
    for (int64_t i = 0; i < count; i += step)
        sum = lf_vec3_along(sum, 1.0 / (double)taken, lf__flat_box_at(boxes, items[i])->low);
    return sum;
}

void lf__flat_set(lf__flat_node *node, unsigned lane, const lf__flat_box *box) {
    for (int k = 0; k < 3; k++) {
        node->low[k][lane] = box->low[k];
        node->high[k][lane] = box->high[k];
    }
}

lf__flat_box lf__flat_around_node(const lf__flat_node *node) {
    lf__flat_box box;
    for (int k = 0; k < 3; k++) {
        float low = node->low[k][0], high = node->high[k][0];
        for (int lane = 1; lane < LF__FLAT_WIDTH; lane++) {
            low = node->low[k][lane] < low ? node->low[k][lane] : low;
            high = node->high[k][lane] > high ? node->high[k][lane] : high;
        }
        box.low[k] = low;
        box.high[k] = high;
    }
    return box;
}

static const lf__flat_box flat_no_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

void lf__flat_clear(lf__flat_node *node) {
    for (unsigned lane = 0; lane < LF__FLAT_WIDTH; lane++)
        lf__flat_set(node, lane, &flat_no_box);
}

static void fill_leaves(lf__flat *flat, const lf__flat_boxes *boxes) {
    for (int64_t i = 0; i < flat->first[1] * LF__FLAT_WIDTH; i++) {
        uint32_t item = flat->items[i];
        lf__flat_box box =
            item == LF__FLAT_EMPTY ? flat_no_box : lf__flat_local(flat->origin, lf__flat_box_at(boxes, item));
        lf__flat_set(&flat->nodes[i / LF__FLAT_WIDTH], (unsigned)(i % LF__FLAT_WIDTH), &box);
    }
}

static void fill_levels(lf__flat *flat) {
    flat->extent = 0;
    for (int level = 0; level + 1 < flat->levels; level++) {
        int64_t here = flat->first[level], above = flat->first[level + 1], count = above - here;
        int64_t lanes = (count + LF__FLAT_WIDTH - 1) / LF__FLAT_WIDTH * LF__FLAT_WIDTH;
        for (int64_t i = 0; i < lanes; i++) {
            lf__flat_box box = i < count ? lf__flat_around_node(&flat->nodes[here + i]) : flat_no_box;
            lf__flat_set(&flat->nodes[above + i / LF__FLAT_WIDTH], (unsigned)(i % LF__FLAT_WIDTH), &box);
            if (level == 0 && i < count)
                for (int k = 0; k < 3; k++)
                    flat->extent += (double)box.high[k] - (double)box.low[k];
        }
    }
}

static void set_levels(lf__flat *flat, int64_t count) {
    int64_t nodes = (count + LF__FLAT_WIDTH - 1) / LF__FLAT_WIDTH;
    flat->count = count;
    flat->levels = 0;
    flat->first[0] = 0;
    while (nodes > 0) {
        flat->first[flat->levels + 1] = flat->first[flat->levels] + nodes;
        flat->levels++;
        nodes = nodes == 1 ? 0 : (nodes + LF__FLAT_WIDTH - 1) / LF__FLAT_WIDTH;
    }
}

static lf_status flat_reserve(lf__flat *flat, const lf_allocator *allocator, int64_t count) {
    set_levels(flat, count);
    int64_t leaves = flat->levels > 0 ? flat->first[1] : 0;
    lf_status status = lf__grow(allocator, (void **)&flat->nodes, &flat->node_capacity,
                                flat->first[flat->levels], sizeof *flat->nodes);
    if (status == LF_OK)
        status = lf__grow(allocator, (void **)&flat->items, &flat->item_capacity, leaves * LF__FLAT_WIDTH,
                          sizeof *flat->items);
    if (status == LF_OK)
        status =
            lf__grow(allocator, (void **)&flat->points, &flat->point_capacity, count, sizeof *flat->points);
    if (status != LF_OK)
        set_levels(flat, 0);
    return status;
}

static void arrange(lf__flat *flat, const lf__flat_boxes *boxes, const uint32_t *items, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const lf_box *box = lf__flat_box_at(boxes, items[i]);
        lf_vec3 centre = lf_vec3_sub(lf_box_centre(*box), flat->origin);
        flat->points[i] = (lf__flat_point){{(float)centre.x, (float)centre.y, (float)centre.z}, items[i]};
    }
    flat_sort(flat->points, count);
    for (int64_t i = 0; i < flat->first[1] * LF__FLAT_WIDTH; i++)
        flat->items[i] = i < count ? flat->points[i].item : LF__FLAT_EMPTY;
}

lf_status lf__flat_make(lf__flat *flat, const lf_allocator *allocator, const lf__flat_boxes *boxes,
                        const uint32_t *items, int64_t count, bool same) {
    if (same && flat->count == count && flat->levels > 0) {
        fill_leaves(flat, boxes);
        fill_levels(flat);
        if (flat->extent <= FLAT_SLACK * flat->best)
            return LF_OK;
    }
    lf_status status = flat_reserve(flat, allocator, count);
    if (status != LF_OK || count == 0)
        return status;
    arrange(flat, boxes, items, count);
    fill_leaves(flat, boxes);
    fill_levels(flat);
    flat->best = flat->extent;
    return LF_OK;
}

void lf__flat_free(lf__flat *flat, const lf_allocator *allocator) {
    lf__free_array(allocator, flat->points, flat->point_capacity, sizeof *flat->points);
    lf__free_array(allocator, flat->items, flat->item_capacity, sizeof *flat->items);
    lf__free_array(allocator, flat->nodes, flat->node_capacity, sizeof *flat->nodes);
    memset(flat, 0, sizeof *flat);
}
