#include "bvh/bvh_collect.h"

void lf__heap_up(const lf__heap *h, int64_t i) {
    while (i > 0) {
        int64_t parent = (i - 1) / 2;
        if (!h->before(h->items, parent, i))
            return;
        h->swap(h->items, parent, i);
        i = parent;
    }
}

void lf__heap_down(const lf__heap *h, int64_t count) {
    int64_t i = 0;
    for (;;) {
        int64_t greatest = i;
        for (int64_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
            if (h->before(h->items, greatest, child))
                greatest = child;
        if (greatest == i)
            return;
        h->swap(h->items, greatest, i);
        i = greatest;
    }
}

void lf__heap_sort(const lf__heap *h, int64_t count) {
    for (int64_t last = count - 1; last > 0; last--) {
        h->swap(h->items, 0, last);
        lf__heap_down(h, last);
    }
}

/// Is a meeting of the nearest before another, by the exact t, then by triangle?
static bool is_before(const lf__nearest *n, const lf_hit *a, const lf_hit *b) {
    int order = lf__meet_order_roughly(a->t, b->t);
    if (order == 2)
        order = lf__tree_order(n->tree, n->ray, (uint32_t)a->element, (uint32_t)b->element);
    return order < 0 || (order == 0 && a->element < b->element);
}

static bool hit_before(const void *items, int64_t i, int64_t j) {
    const lf__nearest *n = items;
    return is_before(n, &n->hits[i], &n->hits[j]);
}

static void hit_swap(void *items, int64_t i, int64_t j) {
    lf_hit *hits = ((lf__nearest *)items)->hits, kept = hits[i];
    hits[i] = hits[j];
    hits[j] = kept;
}

static bool number_before(const void *items, int64_t i, int64_t j) {
    const int64_t *numbers = items;
    return numbers[i] < numbers[j];
}

static void number_swap(void *items, int64_t i, int64_t j) {
    int64_t *numbers = items, kept = numbers[i];
    numbers[i] = numbers[j];
    numbers[j] = kept;
}

void lf__nearest_offer(void *user, lf__tree_meeting meeting) {
    lf__nearest *nearest = user;
    lf__heap h = {nearest, hit_before, hit_swap};
    lf_hit fresh = {.t = meeting.t, .element = meeting.triangle};
    nearest->offered++;
    if (nearest->kept < nearest->capacity) {
        nearest->hits[nearest->kept] = fresh;
        lf__heap_up(&h, nearest->kept++);
        return;
    }
    if (nearest->capacity == 0)
        return;
    if (is_before(nearest, &fresh, &nearest->hits[0])) {
        nearest->hits[0] = fresh;
        lf__heap_down(&h, nearest->kept);
    }
}

void lf__nearest_sort(lf__nearest *nearest) {
    lf__heap h = {nearest, hit_before, hit_swap};
    lf__heap_sort(&h, nearest->kept);
    for (int64_t i = 1; i < nearest->kept; i++)
        nearest->hits[i].t = fmax(nearest->hits[i].t, nearest->hits[i - 1].t);
}

void lf__lowest_offer(lf__lowest *lowest, int64_t item) {
    lf__heap h = {lowest->items, number_before, number_swap};
    lowest->offered++;
    if (lowest->kept < lowest->capacity) {
        lowest->items[lowest->kept] = item;
        lf__heap_up(&h, lowest->kept++);
    } else if (lowest->capacity > 0 && item < lowest->items[0]) {
        lowest->items[0] = item;
        lf__heap_down(&h, lowest->kept);
    }
}

void lf__lowest_sort(lf__lowest *lowest) {
    lf__heap h = {lowest->items, number_before, number_swap};
    lf__heap_sort(&h, lowest->kept);
}
