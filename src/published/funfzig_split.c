/// Max-plus of rasters of any size.
#include "published/funfzig_split.h"

static int64_t region_size(const lf__region *r, int axis) {
    return r->last[axis] - r->first[axis] + 1;
}

static int64_t region_count(const lf__region *r) {
    return region_size(r, 0) * region_size(r, 1);
}

bool lf__split(const lf__region *whole, lf__region halves[2]) {
    int axis = region_size(whole, 1) >= region_size(whole, 0);
    halves[0] = halves[1] = *whole;
    halves[0].last[axis] = whole->first[axis] + (region_size(whole, axis) - 1) / 2;
    halves[1].first[axis] = halves[0].last[axis] + 1;
    return axis == 1;
}

/// Write the differences of a rectangle from `at` on; returns its maximum. Recursion is at most 126 levels
/// deep.
static int32_t split_forward(const int32_t *numbers, int64_t columns, const lf__region *r, int32_t *at) {
    if (region_count(r) == 1)
        return numbers[r->first[1] * columns + r->first[0]];
    lf__region halves[2];
    lf__split(r, halves);
    int32_t a = split_forward(numbers, columns, &halves[0], at + 1);
    int32_t b = split_forward(numbers, columns, &halves[1], at + region_count(&halves[0]));
    *at = a - b;
    return a > b ? a : b;
}

static lf__region region_all(int64_t columns, int64_t rows) {
    return (lf__region){{0, 0}, {columns - 1, rows - 1}};
}

void lf__split_apart(const int32_t *numbers, int64_t columns, int64_t rows, int32_t *coefficients) {
    lf__region all = region_all(columns, rows);
    coefficients[0] = split_forward(numbers, columns, &all, coefficients + 1);
}

static void split_children(int32_t maximum, int32_t difference, int32_t halves[2]) {
    halves[0] = maximum + (difference < 0 ? difference : 0);
    halves[1] = maximum - (difference > 0 ? difference : 0);
}

static void split_back(const int32_t *at, int32_t maximum, const lf__region *r, int64_t columns,
                       int32_t *numbers) {
    if (region_count(r) == 1) {
        numbers[r->first[1] * columns + r->first[0]] = maximum;
        return;
    }
    lf__region halves[2];
    int32_t maxima[2];
    lf__split(r, halves);
    split_children(maximum, *at, maxima);
    split_back(at + 1, maxima[0], &halves[0], columns, numbers);
    split_back(at + region_count(&halves[0]), maxima[1], &halves[1], columns, numbers);
}

void lf__split_together(const int32_t *coefficients, int64_t columns, int64_t rows, int32_t *numbers) {
    lf__region all = region_all(columns, rows);
    split_back(coefficients + 1, coefficients[0], &all, columns, numbers);
}

static bool region_disjoint(const lf__region *a, const lf__region *b) {
    return a->last[0] < b->first[0] || b->last[0] < a->first[0] || a->last[1] < b->first[1] ||
           b->last[1] < a->first[1];
}

static bool region_within(const lf__region *a, const lf__region *b) {
    return a->first[0] >= b->first[0] && a->last[0] <= b->last[0] && a->first[1] >= b->first[1] &&
           a->last[1] <= b->last[1];
}

typedef struct split_search {
    const lf__region *region;
    int32_t best;
    int64_t reads;
} split_search;

/// Skips halves that cannot be higher than the maximum found so far.
static void split_find(split_search *s, const int32_t *at, int32_t maximum, const lf__region *r) {
    if (maximum <= s->best || region_disjoint(r, s->region))
        return;
    if (region_within(r, s->region)) {
        s->best = maximum;
        return;
    }
    lf__region halves[2];
    int32_t maxima[2];
    lf__split(r, halves);
    s->reads++;
    split_children(maximum, *at, maxima);
    split_find(s, at + 1, maxima[0], &halves[0]);
    split_find(s, at + region_count(&halves[0]), maxima[1], &halves[1]);
}

int32_t lf__split_maximum(const int32_t *coefficients, int64_t columns, int64_t rows,
                          const lf__region *region, int64_t *reads) {
    lf__region all = region_all(columns, rows);
    split_search s = {region, INT32_MIN, 0};
    split_find(&s, coefficients + 1, coefficients[0], &all);
    *reads += s.reads;
    return s.best;
}
