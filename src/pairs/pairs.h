/// Internals of lf_pairs.
///
/// Every moving body has a fat box, which is wider than its box, and a list of the bodies whose fat boxes
/// overlap its own. As long as its box stays in the fat box, only the boxes of the list are compared. When it
/// leaves, its neighbours are searched again: alone, or, when many have left, for all bodies at once.
///
/// A pair is in one list only. Each search gives a body a new stamp and puts all its pairs into its own list;
/// entries about it in other lists are void from then on, because their stamps are older.
#ifndef LF_PAIRS_PAIRS_H
#define LF_PAIRS_PAIRS_H

#include "base/containers.h"
#include <landfall/collide.h>
#include <landfall/geom.h>

// ---------------------------------------------------------------------------------------------------
// Packed trees
// ---------------------------------------------------------------------------------------------------

// A packed tree of boxes: eight to a node, without pointers, rebuilt or refitted as a whole. It is a filter:
// all overlaps are found, and a few more. Boxes are floats around an origin. Rounding is monotone, so boxes
// that overlap in doubles overlap in floats too, and nothing has to be widened.

#define LF__FLAT_WIDTH 8

/// 8^11 leaves of 8 are more than indices of 32 bits can address.
#define LF__FLAT_LEVELS 12

/// The item of an empty lane.
#define LF__FLAT_EMPTY 0xffffffffu

/// Size of the stack of a traversal: up to seven siblings wait on every level.
#define LF__FLAT_STACK (LF__FLAT_LEVELS * (LF__FLAT_WIDTH - 1) + 1)

/// Eight boxes; an absent one has low = +inf, high = -inf.
typedef struct lf__flat_node {
    float low[3][LF__FLAT_WIDTH], high[3][LF__FLAT_WIDTH];
} lf__flat_node;

/// A box as stored in nodes.
typedef struct lf__flat_box {
    float low[3], high[3];
} lf__flat_box;

/// An item while the tree is built.
typedef struct lf__flat_point {
    float at[3];
    uint32_t item;
} lf__flat_point;

/// Child j of node k of level l + 1 is node 8 k + j of level l; level 0 holds the items.
typedef struct lf__flat {
    lf__flat_node *nodes; ///< all levels, the items' own first
    uint32_t *items;      ///< eight per node of level 0
    lf__flat_point *points;
    int64_t node_capacity, item_capacity, point_capacity;
    int64_t count; ///< of items
    int levels;    ///< 0: empty
    int64_t first[LF__FLAT_LEVELS + 1];
    lf_vec3 origin;
    double extent; ///< sum of the leaves' sizes
    double best;   ///< its value when the items were last sorted
} lf__flat;

/// Receives results of queries: keys, in a growing array.
typedef struct lf__pairs_sink {
    lf__array keys; ///< of uint64_t
    const lf_allocator *allocator;
    bool full; ///< memory ran out, and some results are missing
} lf__pairs_sink;

/// Reserve space for 64 more keys; false without memory.
static inline bool lf__pairs_sink_reserve(lf__pairs_sink *sink) {
    if (sink->keys.capacity - sink->keys.count >= 64)
        return true;
    if (lf__array_reserve(&sink->keys, sink->allocator, 64, sizeof(uint64_t)) == LF_OK)
        return true;
    sink->full = true;
    return false;
}

/// Queries on trees, one set per instruction set with the same results.
typedef struct lf__flat_kernels {
    /// Items whose box overlaps a box.
    void (*query)(const lf__flat *flat, const lf__flat_box *box, lf__pairs_sink *sink);
    /// Items of one tree that overlap items of another with the same origin, as (smaller number << 32 |
    /// larger one); with a == b each pair once.
    void (*join)(const lf__flat *a, const lf__flat *b, lf__pairs_sink *sink);
    /// Items whose box overlaps a box, of nodes that are in no tree.
    void (*scan)(const lf__flat_node *nodes, const uint32_t *items, int64_t count, const lf__flat_box *box,
                 lf__pairs_sink *sink);
} lf__flat_kernels;

const lf__flat_kernels *lf__flat_kernels_for(lf_isa isa);

/// The boxes of items, wherever they are: item i's at boxes + i * stride.
typedef struct lf__flat_boxes {
    const lf_box *boxes;
    size_t stride;
} lf__flat_boxes;

static inline const lf_box *lf__flat_box_at(const lf__flat_boxes *boxes, uint32_t item) {
    return (const void *)((const char *)boxes->boxes + (size_t)item * boxes->stride);
}

/// Build a tree of items. When the items are the same as last time and still well sorted, the tree is only
/// refitted. Set `origin` first: best near the centre of the items.
/// items  count of them, in ascending order
/// same   the items and the origin are those of the last time
/// On LF_NO_MEMORY the tree is empty.
lf_status lf__flat_make(lf__flat *flat, const lf_allocator *allocator, const lf__flat_boxes *boxes,
                        const uint32_t *items, int64_t count, bool same);

/// A point near the centre of some items (count > 0).
lf_vec3 lf__flat_centre(const lf__flat_boxes *boxes, const uint32_t *items, int64_t count);

void lf__flat_free(lf__flat *flat, const lf_allocator *allocator);

/// A box around an origin.
static inline lf__flat_box lf__flat_local(lf_vec3 origin, const lf_box *box) {
    lf_vec3 low = lf_vec3_sub(box->low, origin), high = lf_vec3_sub(box->high, origin);
    return (lf__flat_box){{(float)low.x, (float)low.y, (float)low.z},
                          {(float)high.x, (float)high.y, (float)high.z}};
}

/// Set one box of a node, or clear all.
void lf__flat_set(lf__flat_node *node, unsigned lane, const lf__flat_box *box);
void lf__flat_clear(lf__flat_node *node);

/// The box around a node of level 0.
lf__flat_box lf__flat_around_node(const lf__flat_node *node);

static inline lf__flat_box lf__flat_around(const lf__flat *flat, int64_t node) {
    if (flat->levels == 1)
        return lf__flat_around_node(&flat->nodes[node]);
    const lf__flat_node *above = &flat->nodes[flat->first[1] + node / LF__FLAT_WIDTH];
    int lane = (int)(node % LF__FLAT_WIDTH);
    return (lf__flat_box){{above->low[0][lane], above->low[1][lane], above->low[2][lane]},
                          {above->high[0][lane], above->high[1][lane], above->high[2][lane]}};
}

// ---------------------------------------------------------------------------------------------------
// Bodies and lists
// ---------------------------------------------------------------------------------------------------

/// What every comparison reads: one cache line. Stamp and user value are in the fourth lanes of the corners.
typedef struct lf__body {
    double low[3];
    uint64_t stamp; ///< of its last search; LF__BODY_REMOVED for a free slot
    double high[3];
    uint64_t user; ///< of a free slot: the next free one + 1
} lf__body;

#define LF__BODY_REMOVED UINT64_MAX

/// How far a new fat box extends ahead, in sizes of the box.
#define LF__FAT_REACH 0.75F

/// The rest of a body: one cache line for moving, one for searching.
typedef struct lf__body_more {
    _Alignas(LF__CACHE_LINE) lf_box fat;
    bool moves;
    bool is_pending;  ///< is in lf_pairs.pending
    bool owns;        ///< is in `owners`
    uint8_t recent;   ///< a bit per set: it is among the recent bodies of that set
    uint8_t in_tree;  ///< a bit per set: it was in that set's tree when the tree was built
    double was[3];    ///< its low corner at the last search
    int64_t question; ///< the query before that search; -1: none
    uint32_t groups, meets;
    uint32_t list; ///< its index in `owners`
    float reach; ///< how far its fat box extends, in sizes of its box: farther where there are few neighbours
    uint32_t place[2]; ///< its index among the recent bodies of each set
} lf__body_more;

/// A body with a list.
typedef struct lf__owner {
    uint32_t body, first, count;
} lf__owner;

/// Moving or static bodies: a tree of their fat boxes, and the bodies searched since it was built, eight
/// boxes to a node.
typedef struct lf__body_set {
    lf__flat flat;
    uint32_t *recent;
    lf__flat_node *recent_boxes;
    int64_t recent_count, recent_capacity, node_capacity;
    int64_t count;   ///< of bodies in the set
    int64_t settled; ///< of bodies in the tree that are not recent, including some that were removed
    bool changed;    ///< bodies were added or removed since the tree was built
} lf__body_set;

/// This many entries beyond the lists are readable: bodies are prefetched before they are needed.
#define LF__PAIRS_FETCH 24

/// Exact comparison of lists: writes the keys of pairs that touch, at most as many as entries, and returns
/// their number.
typedef struct lf__pairs_kernels {
    /// Move a box that is valid and stays in its fat box: true, and it is written; otherwise nothing is.
    bool (*move)(lf__body *body, const lf_box *fat, const lf_box *box);
    /// Lists built by a search of all bodies: of boxes whose stamps are not newer.
    int64_t (*sift)(const lf__body *bodies, const lf__owner *owners, int64_t owner_count,
                    const uint32_t *entries, uint64_t stamp, uint64_t *keys);
    /// Lists built one by one: each of boxes whose stamps are not newer than the owner's.
    int64_t (*sift_each)(const lf__body *bodies, const lf__owner *owners, int64_t owner_count,
                         const uint32_t *entries, uint64_t *keys);
} lf__pairs_kernels;

const lf__pairs_kernels *lf__pairs_kernels_for(lf_isa isa);

struct lf_pairs {
    lf_allocator allocator;
    const lf__flat_kernels *tree_kernels;
    const lf__pairs_kernels *kernels;
    lf__body *bodies;
    lf__body_more *more;
    uint32_t *generations;
    int64_t body_capacity, more_capacity, generation_capacity;
    int64_t slots;        ///< in use or free
    uint32_t free;        ///< the first free slot + 1
    lf__body_set sets[2]; ///< [0] static, [1] moving
    lf_vec3 origin;
    bool placed;          ///< the origin has been chosen
    lf__array pending;    ///< of uint32_t: bodies that must be searched
    uint64_t stamp;       ///< the last one assigned
    uint64_t all_stamp;   ///< that of the last search of all bodies
    lf__array made;       ///< of lf__owner: the lists of that search, by ascending body
    lf__array owners;     ///< of lf__owner: the lists built one by one since then
    lf__array entries;    ///< of uint32_t: all lists
    int64_t made_entries; ///< of these, the lists of the last search of all
    int64_t listed;       ///< entries in valid lists
    lf__pairs_sink sink;  ///< scratch
    lf__array scratch;    ///< of uint64_t
    lf__array numbers;    ///< of uint32_t: the moving bodies at the last search of all
    lf__array found;      ///< of lf_pair
    lf__array reported;   ///< of lf_pair: those of the last report
    lf__array begun, ended;
    bool fresh;  ///< `found` is up to date
    bool broken; ///< everything must be rebuilt, for example because memory ran out
    lf_pairs_stats work;
};

/// Set whether a box moves or is static; all pairs are searched again. Errors: LF_BAD_ARGUMENT (no such box).
lf_status lf__pairs_mark(lf_pairs *pairs, lf_pairs_id id, bool moves);

/// Bring all lists up to date with the fat boxes, and make every box lie in its fat box.
lf_status lf__pairs_settle(lf_pairs *pairs);

/// Mark a body for the next search. `pending` has space for all bodies.
static inline void lf__pairs_set_pending(lf_pairs *pairs, uint32_t body) {
    lf__body_more *more = &pairs->more[body];
    if (!more->is_pending) {
        more->is_pending = true;
        ((uint32_t *)pairs->pending.items)[pairs->pending.count++] = body;
    }
}

static inline bool lf__pairs_may_meet(const lf__body_more *a, const lf__body_more *b) {
    return (a->meets & b->groups) | (b->meets & a->groups);
}

/// Sort keys whose halves are below 2^bits; scratch is equally large.
void lf__sort_keys(uint64_t *keys, uint64_t *scratch, int64_t count, int bits);

/// What was added or moved last; false when there is no such box. item is optional.
bool lf__pairs_get(const lf_pairs *pairs, lf_pairs_id id, lf_pairs_item *item);

#endif
