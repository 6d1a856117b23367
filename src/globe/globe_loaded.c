/// The loaded tiles: a table by key, a quadtree by pointers, and bounds of their heights.
#include "globe/globe.h"

lf__tile *lf__globe_find(const lf_globe *globe, lf_tile_key key) {
    const lf__table_entry *entry = lf__table_find(&globe->table, lf_tile_pack(key));
    return entry ? (lf__tile *)(uintptr_t)entry->value : NULL;
}

/// Reserve space for one more tile.
static lf_status reserve_tile(lf_globe *globe) {
    lf_status status = lf__array_reserve(&globe->tiles, &globe->allocator, 1, sizeof(lf__tile *));
    return status == LF_OK ? lf__table_reserve(&globe->table, &globe->allocator, 1) : status;
}

// ---------------------------------------------------------------------------------------------------
// Loading and unloading
// ---------------------------------------------------------------------------------------------------

static void link_in(lf_globe *globe, lf__tile *parent, lf__tile *tile) {
    tile->parent = parent;
    if (parent && tile->kind == LF__TILE_NONE) { // the surface of its parent shows
        tile->own_low = tile->loaded_low = parent->own_low;
        tile->own_high = tile->loaded_high = parent->own_high;
        tile->low = fmin(tile->low, tile->own_low);
        tile->high = fmax(tile->high, tile->own_high);
    }
    tile->index = globe->tiles.count;
    ((lf__tile **)globe->tiles.items)[globe->tiles.count++] = tile;
    lf__table_add(&globe->table, lf_tile_pack(tile->key), (uint64_t)(uintptr_t)tile);
    globe->bytes += tile->bytes;
    globe->per_level[tile->key.level]++;
    globe->open_count += tile->open;
    if (tile->key.level > globe->finest)
        globe->finest = tile->key.level;
    if (!parent)
        return;
    parent->child[lf__tile_quarter(tile->key)] = tile;
    parent->loaded_children++;
    for (lf__tile *up = parent; up; up = up->parent) {
        up->loaded_low = fmin(up->loaded_low, tile->loaded_low);
        up->loaded_high = fmax(up->loaded_high, tile->loaded_high);
        // Actual heights override the bounds that the source has given.
        up->low = fmin(up->low, tile->own_low);
        up->high = fmax(up->high, tile->own_high);
    }
}

/// Update the bounds of what is loaded, after a child was unloaded.
static void bound_again(lf__tile *tile) {
    for (; tile; tile = tile->parent) {
        double low = tile->own_low, high = tile->own_high;
        for (int k = 0; k < 4; k++)
            if (tile->child[k]) {
                low = fmin(low, tile->child[k]->loaded_low);
                high = fmax(high, tile->child[k]->loaded_high);
            }
        if (low == tile->loaded_low && high == tile->loaded_high)
            return;
        tile->loaded_low = low;
        tile->loaded_high = high;
    }
}

void lf__globe_drop(lf_globe *globe, lf__tile *tile) {
    lf__tile **tiles = globe->tiles.items, *parent = tile->parent;
    globe->required_count -= tile->required;
    for (lf__tile *up = tile->required ? parent : NULL; up; up = up->parent)
        up->due = -LF_INFINITY; // it will be missing
    lf__table_remove(&globe->table, lf__table_find(&globe->table, lf_tile_pack(tile->key)));
    tiles[tile->index] = tiles[--globe->tiles.count];
    tiles[tile->index]->index = tile->index;
    globe->bytes -= tile->bytes;
    globe->per_level[tile->key.level]--;
    globe->open_count -= tile->open;
    while (globe->finest > 0 && globe->per_level[globe->finest] == 0)
        globe->finest--;
    if (parent) {
        parent->child[lf__tile_quarter(tile->key)] = NULL;
        parent->loaded_children--;
        bound_again(parent);
    }
    lf__tile_free(globe, tile);
}

static lf__fetch globe_loaded_add(lf_globe *globe, lf__tile *parent, lf_tile_key key, const lf_tile *given,
                                  lf__tile **tile) {
    lf_error error = {0};
    if (reserve_tile(globe) != LF_OK)
        return LF__FETCH_NO_MEMORY;
    lf_status status = lf__tile_make(globe, key, given, tile, &error);
    if (status == LF_OK) {
        link_in(globe, parent, *tile);
        return LF__FETCHED;
    }
    if (status == LF_NO_MEMORY)
        return LF__FETCH_NO_MEMORY;
    lf__log(&globe->host, LF_LOG_WARNING, "tile %d/%d/%d is left out: %s", key.level, key.column, key.row,
            error.text);
    return LF__FETCH_NONE;
}

/// Its address identifies a thread.
static _Thread_local char this_thread;

bool lf__globe_reentered(const lf_globe *globe) {
    return atomic_load_explicit(&globe->fetcher, memory_order_relaxed) == &this_thread;
}

static lf__fetch fetch_tile(lf_globe *globe, lf__tile *parent, lf_tile_key key, bool wait, lf__tile **tile) {
    lf_tile given = {0};
    lf_error detail = {.where = -1};
    globe->fetch_count++;
    lf_tile_state state = globe->provider.fetch(globe->provider.user, key, wait, &given, &detail);
    lf__fetch result = LF__FETCH_NONE;
    if (state == LF_TILE_LATER && !wait)
        return LF__FETCH_LATER;
    if (state == LF_TILE_READY) {
        result = globe_loaded_add(globe, parent, key, &given, tile);
        if (globe->provider.release)
            globe->provider.release(globe->provider.user, &given);
    } else if (state == LF_TILE_ABSENT && (given.children & LF_TILE_CHILDREN_ALL) != 0) {
        // No surface here, but below: a tile without a surface.
        lf_tile hollow = {
            .children = given.children, .bounded = given.bounded, .low = given.low, .high = given.high};
        result = globe_loaded_add(globe, parent, key, &hollow, tile);
    } else if (state == LF_TILE_FAILED || state == LF_TILE_LATER) {
        lf__log(&globe->host, LF_LOG_WARNING, "tile %d/%d/%d could not be read: %s", key.level, key.column,
                key.row, detail.text);
    }
    if (result == LF__FETCH_NONE && parent)
        parent->children &= ~(1u << lf__tile_quarter(key));
    return result;
}

lf__fetch lf__globe_fetch(lf_globe *globe, lf__tile *parent, lf_tile_key key, bool wait, lf__tile **tile) {
    atomic_store_explicit(&globe->fetcher, &this_thread, memory_order_relaxed);
    lf__fetch result = fetch_tile(globe, parent, key, wait, tile);
    atomic_store_explicit(&globe->fetcher, NULL, memory_order_relaxed);
    return result;
}

// ---------------------------------------------------------------------------------------------------
// Budget
// ---------------------------------------------------------------------------------------------------

/// Longest unused first, then the highest score; finer ones before coarser ones, so that children go before
/// parents.
static bool goes_before(const lf_globe *globe, const lf__tile *x, const lf__tile *y) {
    int64_t used_x = lf__tile_used(globe, x), used_y = lf__tile_used(globe, y);
    if (used_x != used_y)
        return used_x < used_y;
    if (x->key.level != y->key.level)
        return x->key.level > y->key.level;
    if (x->score != y->score)
        return x->score > y->score;
    return lf_tile_pack(x->key) < lf_tile_pack(y->key);
}

/// Tiles that may go, as a heap.
typedef struct leaving {
    const lf_globe *globe;
    lf__tile **list;
} leaving;

static bool leaves_after(const void *items, int64_t i, int64_t j) {
    const leaving *all = items;
    return goes_before(all->globe, all->list[j], all->list[i]); // the heap has the last one in front
}

static void leaves_swap(void *items, int64_t i, int64_t j) {
    const leaving *all = items;
    lf__tile *kept = all->list[i];
    all->list[i] = all->list[j];
    all->list[j] = kept;
}

static bool may_go(const lf_globe *globe, const lf__tile *tile, double score) {
    return tile->parent && tile->loaded_children == 0 &&
           (lf__tile_used(globe, tile) < globe->frame || tile->score > score);
}

bool lf__globe_make_space(lf_globe *globe, double score) {
    // Each round unloads leaves; their parents are leaves in the next round. There are no more rounds than
    // levels.
    for (int round = 0; round < LF_GLOBE_LEVELS && globe->bytes > globe->budget; round++) {
        lf__tile **list;
        int64_t count = 0, space = globe->tiles.count;
        if (lf__allocate_array(&globe->allocator, space, sizeof *list, (void **)&list) != LF_OK)
            return false;
        for (int64_t i = 0; i < globe->tiles.count; i++)
            if (may_go(globe, lf__globe_tile(globe, i), score))
                list[count++] = lf__globe_tile(globe, i);
        leaving all = {globe, list};
        lf__heap heap = {&all, leaves_after, leaves_swap};
        for (int64_t i = 1; i < count; i++)
            lf__heap_up(&heap, i);
        // Unload a little more than needed, so that not every new tile has to unload another.
        size_t aim = score < LF_INFINITY ? globe->budget : globe->budget - globe->budget / 16;
        bool any = count > 0;
        while (count > 0 && globe->bytes > aim) {
            lf__tile *first = list[0];
            list[0] = list[--count];
            lf__heap_down(&heap, count);
            lf__globe_drop(globe, first);
            globe->evict_count++;
        }
        lf__free_array(&globe->allocator, list, space, sizeof *list);
        if (!any)
            break;
    }
    return globe->bytes <= globe->budget;
}

// ---------------------------------------------------------------------------------------------------
// Lookup
// ---------------------------------------------------------------------------------------------------

lf__tile *lf__globe_over(const lf_globe *globe, double lon, double lat, int32_t *probes, lf__tile **finest) {
    lf__tile *over = NULL;
    if (finest)
        *finest = NULL;
    for (int level = globe->finest; level >= 0 && !over; level--) {
        if (globe->per_level[level] == 0)
            continue;
        lf__tile *tile = lf__globe_find(globe, lf__globe_key_at(globe, level, lon, lat));
        ++*probes;
        if (tile && finest && !*finest)
            *finest = tile;
        if (tile && tile->kind != LF__TILE_NONE)
            over = tile;
    }
    return over;
}
