#include "codec/codec_split.h"

static int64_t size_of(const lf__region *r, int axis) {
    return r->last[axis] - r->first[axis] + 1;
}

static int64_t count_of(const lf__region *r) {
    return size_of(r, 0) * size_of(r, 1);
}

bool lf__split(const lf__region *whole, lf__region halves[2]) {
    int axis = size_of(whole, 1) >= size_of(whole, 0);
    halves[0] = halves[1] = *whole;
    halves[0].last[axis] = whole->first[axis] + (size_of(whole, axis) - 1) / 2;
    halves[1].first[axis] = halves[0].last[axis] + 1;
    return axis == 1;
}

/// Differences of a rectangle from `at` on; returns its maximum. Goes as deep as there are splits, 126 at most.
static int32_t apart(const int32_t *numbers, int64_t columns, const lf__region *r, int32_t *at) {
    if (count_of(r) == 1)
        return numbers[r->first[1] * columns + r->first[0]];
    lf__region halves[2];
    lf__split(r, halves);
    int32_t a = apart(numbers, columns, &halves[0], at + 1);
    int32_t b = apart(numbers, columns, &halves[1], at + count_of(&halves[0]));
    *at = a - b;
    return a > b ? a : b;
}

static lf__region all_of(int64_t columns, int64_t rows) {
    return (lf__region){{0, 0}, {columns - 1, rows - 1}};
}

void lf__split_apart(const int32_t *numbers, int64_t columns, int64_t rows, int32_t *coefficients) {
    lf__region all = all_of(columns, rows);
    coefficients[0] = apart(numbers, columns, &all, coefficients + 1);
}

static void children(int32_t maximum, int32_t difference, int32_t halves[2]) {
    halves[0] = maximum + (difference < 0 ? difference : 0);
    halves[1] = maximum - (difference > 0 ? difference : 0);
}

static void together(const int32_t *at, int32_t maximum, const lf__region *r, int64_t columns,
                     int32_t *numbers) {
    if (count_of(r) == 1) {
        numbers[r->first[1] * columns + r->first[0]] = maximum;
        return;
    }
    lf__region halves[2];
    int32_t maxima[2];
    lf__split(r, halves);
    children(maximum, *at, maxima);
    together(at + 1, maxima[0], &halves[0], columns, numbers);
    together(at + count_of(&halves[0]), maxima[1], &halves[1], columns, numbers);
}

void lf__split_together(const int32_t *coefficients, int64_t columns, int64_t rows, int32_t *numbers) {
    lf__region all = all_of(columns, rows);
    together(coefficients + 1, coefficients[0], &all, columns, numbers);
}

static bool apart_from(const lf__region *a, const lf__region *b) {
    return a->last[0] < b->first[0] || b->last[0] < a->first[0] || a->last[1] < b->first[1] ||
           b->last[1] < a->first[1];
}

static bool within(const lf__region *a, const lf__region *b) {
    return a->first[0] >= b->first[0] && a->last[0] <= b->last[0] && a->first[1] >= b->first[1] &&
           a->last[1] <= b->last[1];
}

typedef struct search {
    const lf__region *wanted;
    int32_t best;
    int64_t looked;
} search;

/// A half that cannot be higher than what was found is left out.
static void look(search *s, const int32_t *at, int32_t maximum, const lf__region *r) {
    if (maximum <= s->best || apart_from(r, s->wanted))
        return;
    if (within(r, s->wanted)) {
        s->best = maximum;
        return;
    }
    lf__region halves[2];
    int32_t maxima[2];
    lf__split(r, halves);
    s->looked++;
    children(maximum, *at, maxima);
    look(s, at + 1, maxima[0], &halves[0]);
    look(s, at + count_of(&halves[0]), maxima[1], &halves[1]);
}

int32_t lf__split_maximum(const int32_t *coefficients, int64_t columns, int64_t rows,
                          const lf__region *wanted, int64_t *looked) {
    lf__region all = all_of(columns, rows);
    search s = {wanted, INT32_MIN, 0};
    look(&s, coefficients + 1, coefficients[0], &all);
    *looked += s.looked;
    return s.best;
}
