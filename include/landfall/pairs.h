/// landfall/pairs.h: which of many boxes touch, some moving and some not.
///
/// Boxes are added once, moved as often as they like, and asked about as a whole: every pair that shares a point, touching
/// included, exactly. Two boxes that do not move are no pair, whatever they share. There are no bounds of the world to give, no
/// sizes to guess, and a step costs the same after a million steps as at the start.
#ifndef LANDFALL_PAIRS_H
#define LANDFALL_PAIRS_H

#include <landfall/geom.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How to make a set of boxes; start from lf_pairs_def_default().
typedef struct lf_pairs_def {
    size_t size; ///< stamped by the default function
    lf_host host;
} lf_pairs_def;

/// The default: memory from malloc.
static inline lf_pairs_def lf_pairs_def_default(void) {
    lf_pairs_def def = {sizeof(lf_pairs_def), {NULL, NULL, NULL, NULL}};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_pairs_def_init(lf_pairs_def *def, size_t size);

/// A set of boxes.
typedef struct lf_pairs lf_pairs;

/// A box in the set; zero is none.
typedef struct lf_pairs_id {
    uint32_t index, generation;
} lf_pairs_id;

/// What to add.
typedef struct lf_pairs_item {
    lf_box box;      ///< finite, low <= high
    uint64_t user;   ///< comes back in pairs
    uint32_t groups; ///< what it is, a bit per group
    uint32_t meets;  ///< which groups it looks for
    bool moves;      ///< false: it will rarely move, and never makes a pair with others of its kind
} lf_pairs_item;

/// A moving box of group 1 that meets everything.
static inline lf_pairs_item lf_pairs_item_default(void) {
    lf_pairs_item item = {{{0, 0, 0}, {0, 0, 0}}, 0, 1, 0xffffffffu, true};
    return item;
}

/// Two boxes that share a point; a.index < b.index.
typedef struct lf_pair {
    lf_pairs_id a, b;
    uint64_t user_a, user_b;
} lf_pair;

/// The box that a box sweeps when it moves straight by `motion`: the least box around start and end.
static inline lf_box lf_box_swept(lf_box box, lf_vec3 motion) {
    lf_box end = {lf_vec3_add(box.low, motion), lf_vec3_add(box.high, motion)};
    return lf_box_union(box, end);
}

/// Make an empty set.
/// def    NULL: the default
/// pairs  written only on success; give it back with lf_pairs_destroy
/// error  optional
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_pairs_create(const lf_pairs_def *def, lf_pairs **pairs, lf_error *error);

/// Give a set back; NULL is fine. Threads: nobody else may be using it.
LF_API void lf_pairs_destroy(lf_pairs *pairs);

/// Add a box.
/// item   box finite and not empty; a pair is one only when (a.meets & b.groups) | (b.meets & a.groups) is not 0
/// id     written only on success
/// error  optional
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY, LF_TOO_LARGE (2^31 boxes). May allocate. Threads: one per set.
LF_API lf_status lf_pairs_add(lf_pairs *pairs, const lf_pairs_item *item, lf_pairs_id *id, lf_error *error);

/// Say where a box is now, or what it sweeps in this step (lf_box_swept). A box that "does not move" may be moved too: that costs more.
/// Errors: LF_BAD_ARGUMENT (no such box, not finite, empty); nothing has then changed. Allocates nothing. Threads: one per set.
LF_API lf_status lf_pairs_move(lf_pairs *pairs, lf_pairs_id id, const lf_box *box);

/// Move many boxes, as lf_pairs_move one after the other.
/// ids, boxes  count of each
/// done        optional: how many have been moved; all of them unless one was wrong, which ends it
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: one per set.
LF_API lf_status lf_pairs_move_many(lf_pairs *pairs, const lf_pairs_id *ids, const lf_box *boxes,
                                    int64_t count, int64_t *done);

/// Say whether a box moves from now on.
/// Errors: LF_BAD_ARGUMENT (no such box). Allocates nothing. Threads: one per set.
LF_API lf_status lf_pairs_mark(lf_pairs *pairs, lf_pairs_id id, bool moves);

/// Take a box out. Its id means nothing from then on.
/// Errors: LF_BAD_ARGUMENT (no such box). Allocates nothing. Threads: one per set.
LF_API lf_status lf_pairs_remove(lf_pairs *pairs, lf_pairs_id id);

/// What was added or moved last; false when there is no such box.
/// item  optional; written only when there is one
/// Allocates nothing. Threads: any number of readers.
LF_API bool lf_pairs_get(const lf_pairs *pairs, lf_pairs_id id, lf_pairs_item *item);

/// How many boxes there are. Allocates nothing. Threads: any number of readers.
LF_API int64_t lf_pairs_count(const lf_pairs *pairs);

/// Pairs as they are now.
typedef struct lf_pairs_found {
    const lf_pair *
        pairs; ///< in the order of a.index, then b.index; the set's own memory, until its next change or question
    int64_t count;
} lf_pairs_found;

/// Every pair that there is, each once.
/// found  written only on success
/// Errors: LF_BAD_ARGUMENT (NULL), LF_NO_MEMORY: ask again. May allocate. Threads: one per set.
LF_API lf_status lf_pairs_find(lf_pairs *pairs, lf_pairs_found *found);

/// What has become of the pairs.
typedef struct lf_pairs_news {
    const lf_pair
        *begun; ///< in the order of lf_pairs_find; the set's own memory, until its next change or question
    int64_t begun_count;
    const lf_pair *ended; ///< in the same order; boxes that have been taken out are named by the id they had
    int64_t ended_count;
} lf_pairs_news;

/// The pairs that have begun and those that have ended since the last news (at first: since there was nothing). A pair that came
/// and went in between is not told. lf_pairs_find does not count as news.
/// news  written only on success
/// Errors: LF_BAD_ARGUMENT (NULL), LF_NO_MEMORY: nothing counts as told. May allocate. Threads: one per set.
LF_API lf_status lf_pairs_tell(lf_pairs *pairs, lf_pairs_news *news);

/// How much work has been done since the set was made: the same numbers everywhere, for those who want to see costs.
typedef struct lf_pairs_work {
    int64_t questions; ///< of lf_pairs_find and lf_pairs_tell
    int64_t tested;    ///< pairs of boxes that were compared exactly
    int64_t asked;     ///< boxes that had to look for their neighbours one by one
    int64_t rebuilt;   ///< times that all movers looked for theirs at once
} lf_pairs_work;

/// The work so far. Allocates nothing. Threads: any number of readers.
LF_API lf_pairs_work lf_pairs_cost(const lf_pairs *pairs);

/// Every box that shares a point with a box, movers and others, by ascending index.
/// box       finite, not empty
/// ids       room for capacity
/// count     how many there are; when more than capacity, the lowest are written and LF_PARTIAL is returned
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. May allocate. Threads: one per set.
LF_API lf_status lf_pairs_overlaps(lf_pairs *pairs, const lf_box *box, lf_pairs_id *ids, int64_t capacity,
                                   int64_t *count);

#ifdef __cplusplus
}
#endif
#endif
