/// Searching neighbours: new fat boxes for bodies that have left theirs, and new lists.
#include "pairs/pairs.h"
#include <string.h>

/// A fat box extends at most this many steps ahead for each size of the box that it may reach.
#define STEPS_AHEAD 24.0
#define LEAST_REACH \
    LF__FAT_REACH ///< smaller fat boxes are left so often that searches cost more than long lists
#define MOST_REACH 1.5F

/// An empty list makes the next fat box larger; one longer than this makes it smaller again.
#define LONG_LIST 3

/// A fat box for fewer steps than this is not worth it.
#define STEPS_LEAST 1.5

/// Up to this many moving bodies are always searched one by one.
#define FEW_MOVERS 32

/// Up to this many static bodies added since their tree was built are compared one by one.
#define FEW_STILLS 8

static inline uint32_t *numbers_of(const lf__array *array) {
    return array->items;
}

static inline bool is_alive(const lf_pairs *pairs, uint32_t body) {
    return pairs->bodies[body].stamp != LF__BODY_REMOVED;
}

/// The fat box of a moving body: its box, extended by its recent motion. A new body gets a small margin on
/// every side.
static void widen_box(lf_pairs *pairs, uint32_t index) {
    const lf__body *body = &pairs->bodies[index];
    lf__body_more *more = &pairs->more[index];
    double low[3], high[3], speed[3], fastest = 0, size = 0;
    int64_t steps = pairs->work.questions - more->question;
    for (int k = 0; k < 3; k++) {
        double extent = body->high[k] - body->low[k];
        size = extent > size ? extent : size;
        speed[k] = more->question < 0 ? 0 : (body->low[k] - more->was[k]) / (double)(steps > 0 ? steps : 1);
        double pace = fabs(speed[k]);
        fastest = pace > fastest ? pace : fastest;
        more->was[k] = body->low[k];
    }
    double ahead = STEPS_AHEAD * (double)more->reach;
    if (fastest * ahead > (double)more->reach * size)
        ahead = (double)more->reach * size / fastest;
    double around = more->question < 0 ? 0.05 * size : 0.5 * fastest;
    if (!(ahead >= STEPS_LEAST) || !more->moves)
        ahead = around = 0;
    for (int k = 0; k < 3; k++) {
        double reach = ahead * speed[k];
        low[k] = body->low[k] + (reach < 0 ? reach : 0) - around;
        high[k] = body->high[k] + (reach > 0 ? reach : 0) + around;
        if (!(low[k] <= body->low[k] && high[k] >= body->high[k])) { // overflow
            low[k] = body->low[k];
            high[k] = body->high[k];
        }
    }
    more->fat = (lf_box){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    more->question = pairs->work.questions;
}

static lf__flat_boxes fat_boxes_of(const lf_pairs *pairs) {
    return (lf__flat_boxes){&pairs->more[0].fat, sizeof *pairs->more};
}

/// Numbers of all bodies of one set, ascending.
static lf_status number_bodies(lf_pairs *pairs, bool moves) {
    lf_status status = lf__array_reserve(&pairs->numbers, &pairs->allocator,
                                         pairs->slots - pairs->numbers.count, sizeof(uint32_t));
    if (status != LF_OK)
        return status;
    uint32_t *numbers = numbers_of(&pairs->numbers);
    pairs->numbers.count = 0;
    for (int64_t i = 0; i < pairs->slots; i++)
        if (is_alive(pairs, (uint32_t)i) && pairs->more[i].moves == moves)
            numbers[pairs->numbers.count++] = (uint32_t)i;
    return LF_OK;
}

/// Rebuild the tree of one set; no body is recent any more.
static lf_status build_tree(lf_pairs *pairs, bool moves) {
    lf__body_set *set = &pairs->sets[moves];
    lf__flat_boxes fat_boxes = fat_boxes_of(pairs);
    lf_status status = number_bodies(pairs, moves);
    if (status != LF_OK)
        return status;
    for (int64_t i = 0; i < pairs->slots; i++)
        pairs->more[i].in_tree &= (uint8_t) ~(1u << moves);
    bool same = !set->changed && memcmp(&set->flat.origin, &pairs->origin, sizeof pairs->origin) == 0;
    set->flat.origin = pairs->origin;
    status = lf__flat_make(&set->flat, &pairs->allocator, &fat_boxes, numbers_of(&pairs->numbers),
                           pairs->numbers.count, same);
    if (status != LF_OK)
        return status;
    for (int64_t i = 0; i < set->recent_count; i++)
        pairs->more[set->recent[i]].recent &= (uint8_t) ~(1u << moves);
    for (int64_t i = 0; i < pairs->numbers.count; i++)
        pairs->more[numbers_of(&pairs->numbers)[i]].in_tree |= (uint8_t)(1u << moves);
    set->settled = pairs->numbers.count;
    set->recent_count = 0;
    set->changed = false;
    return LF_OK;
}

/// Floats far from the origin are coarse: when the moving bodies are too far from it, it is moved, and true
/// is returned.
static bool move_origin(lf_pairs *pairs) {
    if (pairs->numbers.count == 0)
        return false;
    lf__flat_boxes fat_boxes = fat_boxes_of(pairs);
    lf_vec3 amidst = lf__flat_centre(&fat_boxes, numbers_of(&pairs->numbers), pairs->numbers.count);
    lf_vec3 away = lf_vec3_sub(amidst, pairs->origin);
    const lf__flat *flat = &pairs->sets[1].flat;
    double size = flat->levels > 1 ? flat->extent / (double)flat->first[1] : 1;
    double distance = fabs(away.x) + fabs(away.y) + fabs(away.z);
    if (pairs->placed &&
        !(distance > 1e5 * size && distance > 1e-3 * (fabs(amidst.x) + fabs(amidst.y) + fabs(amidst.z))))
        return false;
    pairs->placed = lf_vec3_finite(amidst);
    pairs->origin = pairs->placed ? amidst : (lf_vec3){0, 0, 0};
    return true;
}

/// Reserve space for more entries, and beyond them for prefetching.
static lf_status reserve_entries(lf_pairs *pairs, int64_t more) {
    lf_status status =
        lf__array_reserve(&pairs->entries, &pairs->allocator, more + LF__PAIRS_FETCH, sizeof(uint32_t));
    if (status == LF_OK && pairs->entries.capacity > 0)
        memset(numbers_of(&pairs->entries) + pairs->entries.count + more, 0,
               LF__PAIRS_FETCH * sizeof(uint32_t));
    return status;
}

/// Turn the found pairs that may meet into sorted lists.
static lf_status make_lists(lf_pairs *pairs) {
    const lf_allocator *allocator = &pairs->allocator;
    uint64_t *keys = pairs->sink.keys.items;
    int64_t count = 0;
    for (int64_t i = 0; i < pairs->sink.keys.count; i++)
        if (lf__pairs_may_meet(&pairs->more[keys[i] >> 32], &pairs->more[(uint32_t)keys[i]]))
            keys[count++] = keys[i];
    pairs->scratch.count = pairs->entries.count = pairs->made.count = 0;
    lf_status status = lf__array_reserve(&pairs->scratch, allocator, count, sizeof(uint64_t));
    if (status == LF_OK)
        status = reserve_entries(pairs, count);
    if (status == LF_OK)
        status = lf__array_reserve(&pairs->made, allocator, count, sizeof(lf__owner));
    if (status == LF_OK && count > UINT32_MAX)
        status = LF_TOO_LARGE;
    if (status != LF_OK)
        return status;
    int bits = 1;
    while (bits < 32 && pairs->slots >> bits)
        bits++;
    lf__sort_keys(keys, pairs->scratch.items, count, bits);
    lf__owner *made = pairs->made.items;
    int64_t owner_count = 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t owner = (uint32_t)(keys[i] >> 32);
        if (owner_count == 0 || made[owner_count - 1].body != owner)
            made[owner_count++] = (lf__owner){owner, (uint32_t)i, 0};
        made[owner_count - 1].count++;
        numbers_of(&pairs->entries)[i] = (uint32_t)keys[i];
    }
    pairs->made.count = owner_count;
    pairs->entries.count = pairs->made_entries = pairs->listed = count;
    return LF_OK;
}

static void clear_pending(lf_pairs *pairs) {
    for (int64_t i = 0; i < pairs->pending.count; i++)
        pairs->more[numbers_of(&pairs->pending)[i]].is_pending = false;
    pairs->pending.count = 0;
}

static void clear_owners(lf_pairs *pairs) {
    const lf__owner *owners = pairs->owners.items;
    for (int64_t i = 0; i < pairs->owners.count; i++)
        pairs->more[owners[i].body].owns = false;
    pairs->owners.count = 0;
}

/// Search the neighbours of all bodies.
static lf_status search_all_bodies(lf_pairs *pairs) {
    bool all = pairs->broken || pairs->sets[0].recent_count > 0 || pairs->sets[0].changed;
    pairs->broken = true; // until it has succeeded
    for (int64_t i = 0; i < pairs->pending.count; i++) {
        uint32_t body = numbers_of(&pairs->pending)[i];
        if (is_alive(pairs, body) && !pairs->more[body].moves) {
            widen_box(pairs, body);
            all = true;
        }
    }
    for (int64_t i = 0; i < pairs->slots; i++)
        if (is_alive(pairs, (uint32_t)i) && pairs->more[i].moves)
            widen_box(pairs, (uint32_t)i);
    lf_status status = number_bodies(pairs, true);
    if (status != LF_OK)
        return status;
    all |= move_origin(pairs);
    status = all ? build_tree(pairs, false) : LF_OK;
    if (status == LF_OK)
        status = build_tree(pairs, true);
    if (status != LF_OK)
        return status;
    pairs->sink.keys.count = 0;
    pairs->sink.full = false;
    pairs->tree_kernels->join(&pairs->sets[1].flat, &pairs->sets[1].flat, &pairs->sink);
    pairs->tree_kernels->join(&pairs->sets[1].flat, &pairs->sets[0].flat, &pairs->sink);
    status = pairs->sink.full ? LF_NO_MEMORY : make_lists(pairs);
    if (status != LF_OK)
        return status;
    clear_pending(pairs);
    clear_owners(pairs);
    pairs->all_stamp = ++pairs->stamp;
    for (int64_t i = 0; i < pairs->numbers.count; i++)
        pairs->bodies[numbers_of(&pairs->numbers)[i]].stamp = pairs->all_stamp;
    pairs->broken = false;
    pairs->work.rebuilt++;
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// One by one
// ---------------------------------------------------------------------------------------------------

/// Append the bodies of one set whose fat boxes overlap a body's to the entries: from the tree, where they
/// were not searched since, and from the recent ones.
static lf_status collect_neighbours(lf_pairs *pairs, uint32_t body, bool moves) {
    const lf__body_set *set = &pairs->sets[moves];
    const lf__body_more *more = pairs->more, *self = &pairs->more[body];
    lf__flat_box box = lf__flat_local(pairs->origin, &self->fat);
    lf__pairs_sink *sink = &pairs->sink;
    sink->keys.count = 0;
    sink->full = false;
    if (set->settled > 0)
        pairs->tree_kernels->query(&set->flat, &box, sink);
    int64_t from_tree = sink->keys.count;
    pairs->tree_kernels->scan(set->recent_boxes, set->recent, set->recent_count, &box, sink);
    lf_status status = sink->full ? LF_NO_MEMORY : reserve_entries(pairs, sink->keys.count);
    if (status != LF_OK)
        return status;
    uint32_t *entries = numbers_of(&pairs->entries);
    int64_t count = pairs->entries.count;
    const uint64_t *keys = sink->keys.items;
    for (int64_t i = 0; i < sink->keys.count; i++) {
        const lf__body_more *other = &more[keys[i]];
        bool is_void = i < from_tree && (other->recent >> moves & 1);
        if (other->moves == moves && !is_void && other != self && is_alive(pairs, (uint32_t)keys[i]) &&
            lf__pairs_may_meet(self, other))
            entries[count++] = (uint32_t)keys[i];
    }
    memset(entries + count, 0, LF__PAIRS_FETCH * sizeof *entries);
    pairs->entries.count = count;
    return LF_OK;
}

/// Add a body to the recent ones of its set, or replace its fat box there.
static lf_status make_recent(lf_pairs *pairs, uint32_t body) {
    lf__body_more *more = &pairs->more[body];
    bool moves = more->moves;
    lf__body_set *set = &pairs->sets[moves];
    if (!(more->recent >> moves & 1)) {
        int64_t count = set->recent_count + 1;
        lf_status status = lf__grow(&pairs->allocator, (void **)&set->recent, &set->recent_capacity, count,
                                    sizeof *set->recent);
        if (status == LF_OK)
            status = lf__grow(&pairs->allocator, (void **)&set->recent_boxes, &set->node_capacity,
                              (count + LF__FLAT_WIDTH - 1) / LF__FLAT_WIDTH, sizeof *set->recent_boxes);
        if (status != LF_OK)
            return status;
        more->place[moves] = (uint32_t)set->recent_count;
        set->recent[set->recent_count++] = body;
        set->settled -= more->in_tree >> moves & 1;
        more->recent |= (uint8_t)(1u << moves);
        if (count % LF__FLAT_WIDTH == 1)
            lf__flat_clear(&set->recent_boxes[count / LF__FLAT_WIDTH]);
    }
    lf__flat_box box = lf__flat_local(pairs->origin, &more->fat);
    lf__flat_set(&set->recent_boxes[more->place[moves] / LF__FLAT_WIDTH], more->place[moves] % LF__FLAT_WIDTH,
                 &box);
    return LF_OK;
}

/// Store a body's list: from `first` to the end of the entries.
static lf_status make_owner(lf_pairs *pairs, uint32_t body, int64_t first) {
    lf__body_more *more = &pairs->more[body];
    uint32_t count = (uint32_t)(pairs->entries.count - first);
    if (!more->owns) {
        if (count == 0)
            return LF_OK;
        lf_status status = lf__array_reserve(&pairs->owners, &pairs->allocator, 1, sizeof(lf__owner));
        if (status != LF_OK)
            return status;
        more->owns = true;
        more->list = (uint32_t)pairs->owners.count++;
        ((lf__owner *)pairs->owners.items)[more->list].count = 0;
    }
    lf__owner *owner = &((lf__owner *)pairs->owners.items)[more->list];
    pairs->listed += (int64_t)count - owner->count;
    *owner = (lf__owner){body, (uint32_t)first, count};
    return LF_OK;
}

/// Fat boxes grow where there are no neighbours, and shrink again where there are many.
static void adapt_reach(lf__body_more *more, int64_t count) {
    if (count == 0 && more->reach < MOST_REACH)
        more->reach *= 2;
    else if (count > LONG_LIST && more->reach > LEAST_REACH)
        more->reach *= 0.5F;
}

/// Search the neighbours of one body.
static lf_status search_body(lf_pairs *pairs, uint32_t body) {
    int64_t first = pairs->entries.count;
    bool moves = pairs->more[body].moves;
    widen_box(pairs, body);
    lf_status status = collect_neighbours(pairs, body, true);
    if (status == LF_OK && moves)
        status = collect_neighbours(pairs, body, false);
    if (status == LF_OK)
        status = make_recent(pairs, body);
    if (status == LF_OK)
        status = make_owner(pairs, body, first);
    if (status != LF_OK)
        return status;
    if (pairs->sets[1].settled == 0) { // no list of the last search of all is valid any more
        pairs->listed -= pairs->made_entries;
        pairs->made.count = pairs->made_entries = 0;
    }
    adapt_reach(&pairs->more[body], pairs->entries.count - first);
    pairs->bodies[body].stamp = ++pairs->stamp;
    pairs->work.asked++;
    return LF_OK;
}

/// Is it faster to search all bodies at once?
static bool is_searching_all_faster(const lf_pairs *pairs) {
    int64_t movers = pairs->sets[1].count, waiting[2] = {0, 0};
    if (pairs->broken || pairs->entries.count > 2 * pairs->made_entries + 4096)
        return true;
    for (int64_t i = 0; i < pairs->pending.count; i++)
        waiting[pairs->more[numbers_of(&pairs->pending)[i]].moves]++;
    if (pairs->sets[0].recent_count + waiting[0] > FEW_STILLS + movers / 4)
        return true;
    int64_t limit = movers / 8 < 64 ? 64 : movers / 8 > 2048 ? 2048 : movers / 8;
    return movers > FEW_MOVERS && (4 * waiting[1] > movers || pairs->sets[1].recent_count > limit);
}

lf_status lf__pairs_settle(lf_pairs *pairs) {
    if (pairs->pending.count == 0 && !pairs->broken)
        return LF_OK;
    if (is_searching_all_faster(pairs))
        return search_all_bodies(pairs);
    for (int64_t i = 0; i < pairs->pending.count; i++) {
        uint32_t body = numbers_of(&pairs->pending)[i];
        lf_status status = is_alive(pairs, body) ? search_body(pairs, body) : LF_OK;
        if (status != LF_OK) {
            pairs->broken = true;
            return status;
        }
    }
    clear_pending(pairs);
    return LF_OK;
}
