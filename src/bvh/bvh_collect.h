/// The nearest few of many: a bounded heap in the caller's own array, so that "all" needs no memory.
#ifndef LF_TREE_COLLECT_H
#define LF_TREE_COLLECT_H

#include "bvh/bvh.h"

/// A heap of anything: the greatest in front. `before` says whether item i belongs before item j in the end.
typedef struct lf__heap {
    void *items;
    bool (*before)(const void *items, int64_t i, int64_t j);
    void (*swap)(void *items, int64_t i, int64_t j);
} lf__heap;

/// Item i is new: let it rise to its place.
void lf__heap_up(const lf__heap *heap, int64_t i);

/// The item in front is new: let it sink among `count`.
void lf__heap_down(const lf__heap *heap, int64_t count);

/// Put a heap in order, the least first.
void lf__heap_sort(const lf__heap *heap, int64_t count);

/// Keeps the least `capacity` of the meetings offered to it, in hits[].t and hits[].element; the rest of a hit
/// is filled in afterwards.
typedef struct lf__nearest {
    const lf_tree *tree; ///< whose triangles
    const lf_ray *ray;   ///< met these
    lf_hit *hits;
    int64_t capacity;
    int64_t kept;
    int64_t offered;
} lf__nearest;

/// Offer one. For use as lf__tree_collector.found with an lf__nearest as user.
void lf__nearest_offer(void *nearest, lf__tree_meeting meeting);

/// Put what was kept in the order of the exact t, then triangle. Rounded t that are not in that order are raised to the one before them, which leaves
/// each within the error that t may have.
void lf__nearest_sort(lf__nearest *nearest);

/// Keeps the least `capacity` of the numbers offered to it.
typedef struct lf__lowest {
    int64_t *items;
    int64_t capacity;
    int64_t kept;
    int64_t offered;
} lf__lowest;

void lf__lowest_offer(lf__lowest *lowest, int64_t item);
void lf__lowest_sort(lf__lowest *lowest);

#endif
