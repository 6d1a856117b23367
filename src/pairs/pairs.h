/// FIXHEAD pairs/pairs.h
#ifndef LF_PAIRS_PAIRS_H
#define LF_PAIRS_PAIRS_H

#include "base/array.h"
#include <landfall/collide.h>
#include <landfall/geom.h>

// ---------------------------------------------------------------------------------------------------
// pairs_boxes.h
// ---------------------------------------------------------------------------------------------------

/// A packed tree of boxes: eight to a node, no pointers, made anew or refitted in one go. A filter: what overlaps is found, and a
/// little more.
///
/// Boxes are floats around an origin. Rounding is monotone, so that what overlaps in doubles overlaps in floats, too: nothing has to
/// be widened.

#define LF__FLAT_WIDTH 8

/// 8^11 leaves of 8 are more than indices of 32 bits can tell apart.
#define LF__FLAT_LEVELS 12

/// The item of a lane that has none.
#define LF__FLAT_NOBODY 0xffffffffu

/// A node that waits while a tree is walked needs its level, and up to seven neighbours wait on every level.
#define LF__FLAT_STACK (LF__FLAT_LEVELS * (LF__FLAT_WIDTH - 1) + 1)

/// Eight boxes; an absent one has low = +inf, high = -inf.
typedef struct lf__flat_node {
    float low[3][LF__FLAT_WIDTH], high[3][LF__FLAT_WIDTH];
} lf__flat_node;

/// A box as nodes have it.
typedef struct lf__flat_box {
    float low[3], high[3];
} lf__flat_box;

/// An item while the tree is made.
typedef struct lf__flat_point {
    float at[3];
    uint32_t item;
} lf__flat_point;

/// Child j of node k of level l + 1 is node 8 k + j of level l; level 0 holds the items.
typedef struct lf__flat {
    lf__flat_node *nodes; ///< all levels, the items' own first
    uint32_t *items;      ///< eight per node of level 0
    lf__flat_point *points;
    int64_t node_room, item_room, point_room;
    int64_t count; ///< of items
    int levels;    ///< 0: nothing in it
    int64_t first[LF__FLAT_LEVELS + 1];
    lf_vec3 origin;
    double girth; ///< sum of the leaves' sizes
    double best;  ///< what it was when the items were last put in order
} lf__flat;

/// Where findings go: keys, in a growing array.
typedef struct lf__sink {
    lf__array keys; ///< of uint64_t
    const lf_allocator *allocator;
    bool full; ///< there was no memory for some
} lf__sink;

/// Room for 64 more; false when there is none.
static inline bool lf__sink_room(lf__sink *sink) {
    if (sink->keys.capacity - sink->keys.count >= 64)
        return true;
    if (lf__array_reserve(&sink->keys, sink->allocator, 64, sizeof(uint64_t)) == LF_OK)
        return true;
    sink->full = true;
    return false;
}

/// What looks into trees, one set per instruction set; same answers.
typedef struct lf__flat_kernels {
    /// Items whose box overlaps a box.
    void (*query)(const lf__flat *flat, const lf__flat_box *box, lf__sink *sink);
    /// Items of one tree that overlap items of another with the same origin, as (smaller number << 32 | larger one); with
    /// a == b each pair once.
    void (*join)(const lf__flat *a, const lf__flat *b, lf__sink *sink);
    /// Items whose box overlaps a box, of nodes that are in no tree.
    void (*scan)(const lf__flat_node *nodes, const uint32_t *items, int64_t count, const lf__flat_box *box,
                 lf__sink *sink);
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

/// Make a tree of items. When they are those of the last time and lie as well as then, the tree is only refitted.
/// Set `origin` first: anywhere, but best amidst the items.
/// items  count of them, in ascending order
/// same   the items and the origin are those of the last time
/// On LF_NO_MEMORY the tree is empty.
lf_status lf__flat_make(lf__flat *flat, const lf_allocator *allocator, const lf__flat_boxes *boxes,
                        const uint32_t *items, int64_t count, bool same);

/// A place amidst some items (count > 0).
lf_vec3 lf__flat_amidst(const lf__flat_boxes *boxes, const uint32_t *items, int64_t count);

void lf__flat_free(lf__flat *flat, const lf_allocator *allocator);

/// A box around an origin.
static inline lf__flat_box lf__flat_local(lf_vec3 origin, const lf_box *box) {
    lf_vec3 low = lf_vec3_sub(box->low, origin), high = lf_vec3_sub(box->high, origin);
    return (lf__flat_box){{(float)low.x, (float)low.y, (float)low.z},
                          {(float)high.x, (float)high.y, (float)high.z}};
}

/// Set one box of a node, or none at all.
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
// pairs.h
// ---------------------------------------------------------------------------------------------------

/// Sets of boxes from the inside.
///
/// Every mover has a wider box, its room, and a list of those whose rooms overlap its own. As long as it stays in its room, only
/// the boxes of its list are compared. When it leaves, it looks for neighbours again: alone, or, when many have left, all at once.
///
/// A pair is in one list only. Each time a box looks round it takes a new stamp, and all its pairs into its own list; what others
/// have noted about it before is void, because their stamps are older.

/// What every comparison reads: one cache line. The stamps are where vectors of three have a lane to spare.
typedef struct lf__body {
    double low[3];
    uint64_t stamp; ///< when it last looked round; LF__GONE when there is no such box
    double high[3];
    uint64_t user; ///< of a free slot: the next free one + 1
} lf__body;

#define LF__GONE UINT64_MAX

/// How far a room goes ahead at first, in sizes of the box.
#define LF__ROOM_REACH 0.75F

/// The rest: one line for moving, one for looking round.
typedef struct lf__body_more {
    _Alignas(LF__CACHE_LINE) lf_box room;
    bool moves;
    bool waits;       ///< is in `leavers`
    bool owns;        ///< is in `owners`
    uint8_t recent;   ///< a bit per herd among whose recent ones it is
    uint8_t planted;  ///< a bit per herd whose tree it was in when that was made
    double was[3];    ///< where its low corner was when it last looked round
    int64_t question; ///< when that was
    uint32_t groups, meets;
    uint32_t list;     ///< its place in `owners`
    float reach;       ///< how far its room goes, in sizes of its box: farther where there is little to meet
    uint32_t place[2]; ///< among the recent ones of each herd
} lf__body_more;

/// A box with a list.
typedef struct lf__owner {
    uint32_t body, first, count;
} lf__owner;

/// Movers, or the others: a tree of their rooms, and those who have looked round since it was made, eight rooms to a node.
typedef struct lf__herd {
    lf__flat flat;
    uint32_t *recent;
    lf__flat_node *recent_rooms;
    int64_t recent_count, recent_room, node_room;
    int64_t count;   ///< of boxes of this kind
    int64_t settled; ///< of those in the tree that are not recent, and some that are gone
    bool changed;    ///< boxes have come or gone since the tree was made
} lf__herd;

/// Behind the lists are so many more numbers that can be read: bodies are fetched before they are needed.
#define LF__PAIRS_FETCH 24

/// Comparing lists exactly; writes the keys of pairs that touch, as many as entries at most, and gives their number.
typedef struct lf__pairs_kernels {
    /// Move a box that stays in its room (and is in order): true, and it is written; else nothing is.
    bool (*move)(lf__body *body, const lf_box *room, const lf_box *box);
    /// Lists that were made at once: of boxes whose stamps are not younger.
    int64_t (*sift)(const lf__body *bodies, const lf__owner *owners, int64_t owner_count,
                    const uint32_t *entries, uint64_t stamp, uint64_t *keys);
    /// Lists that were made one by one: each of boxes whose stamps are not younger than the owner's.
    int64_t (*sift_each)(const lf__body *bodies, const lf__owner *owners, int64_t owner_count,
                         const uint32_t *entries, uint64_t *keys);
} lf__pairs_kernels;

const lf__pairs_kernels *lf__pairs_kernels_for(lf_isa isa);

struct lf_pairs {
    lf_allocator allocator;
    const lf__flat_kernels *looks;
    const lf__pairs_kernels *kernels;
    lf__body *bodies;
    lf__body_more *more;
    uint32_t *generations;
    int64_t body_room, more_room, generation_room;
    int64_t slots;     ///< in use or free
    uint32_t free;     ///< the first free slot + 1
    lf__herd herds[2]; ///< [0] those that do not move, [1] movers
    lf_vec3 origin;
    bool placed;          ///< there is an origin
    lf__array leavers;    ///< of uint32_t: who has to look round
    uint64_t stamp;       ///< the last one given
    uint64_t all_stamp;   ///< that of the last time when all looked round at once
    lf__array made;       ///< of lf__owner: the lists of that time, by ascending body
    lf__array owners;     ///< of uint32_t: who has had a list of its own since
    lf__array entries;    ///< of uint32_t: all lists
    int64_t made_entries; ///< of these, the lists of that time
    int64_t listed;       ///< in lists that count
    lf__sink sink;        ///< scratch
    lf__array scratch;    ///< of uint64_t
    lf__array numbers;    ///< of uint32_t: the movers, the last time when all looked round
    lf__array found;      ///< of lf_pair
    lf__array told;       ///< of lf_pair: those of the last news
    lf__array begun, ended;
    bool fresh;  ///< `found` is of now
    bool broken; ///< memory ran out half-way: everything has to be made anew
    lf_pairs_work work;
};

/// Make sure that every list is right for the rooms, and every box in its room.
lf_status lf__pairs_settle(lf_pairs *pairs);

/// A body becomes one who has to look round. There is room in `leavers`.
static inline void lf__pairs_leave(lf_pairs *pairs, uint32_t body) {
    lf__body_more *more = &pairs->more[body];
    if (!more->waits) {
        more->waits = true;
        ((uint32_t *)pairs->leavers.items)[pairs->leavers.count++] = body;
    }
}

static inline bool lf__pairs_want(const lf__body_more *a, const lf__body_more *b) {
    return (a->meets & b->groups) | (b->meets & a->groups);
}

/// Sort keys whose halves are below 2^bits; scratch has as much room.
void lf__sort_keys(uint64_t *keys, uint64_t *scratch, int64_t count, int bits);

#endif
