/// Blocks of words in one large array: edits take them, give them back and use them again.
///
/// A block has one of about a hundred sizes, four between a power of two and the next. Those that were given back wait in a
/// list per size, linked through their first word. Word 0 of the array is never part of a block.
#ifndef LF_MESH_BLOCKS_H
#define LF_MESH_BLOCKS_H

#include "base/array.h"

/// Sizes 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, ...
#define LF__BLOCK_SIZES 116

typedef struct lf__blocks {
    uint32_t free[LF__BLOCK_SIZES]; ///< 0: none
    int64_t built; ///< words below this were laid out by a builder, in blocks just as large as needed
} lf__blocks;

/// The number of the largest size that is not above `words`, and the words of a size.
static inline int lf__block_size_below(int64_t words) {
    int octave = 61 - __builtin_clzll((unsigned long long)words);
    return 4 * octave + (int)((words >> octave) & 3);
}

static inline int64_t lf__block_words(int size) {
    return (int64_t)(4 + size % 4) << size / 4;
}

static inline int lf__block_size_above(int64_t words) {
    int size = words < 4 ? 0 : lf__block_size_below(words);
    return lf__block_words(size) < words ? size + 1 : size;
}

/// Take a block of at least `words` words from the lists or from behind the last one, with `spare` readable words behind it.
static inline lf_status lf__block_take(lf__blocks *blocks, lf__array *array, const lf_allocator *allocator,
                                       int64_t words, int64_t spare, uint32_t *place) {
    int size = lf__block_size_above(words);
    uint32_t *items = array->items;
    if (size < LF__BLOCK_SIZES && blocks->free[size] != 0) {
        *place = blocks->free[size];
        blocks->free[size] = items[*place];
        return LF_OK;
    }
    int64_t wanted = lf__block_words(size);
    if (array->count > INT32_MAX - wanted)
        return LF_TOO_LARGE;
    int64_t grown = array->count + wanted + spare;
    lf_status status = lf__grow(allocator, &array->items, &array->capacity, grown, sizeof(uint32_t));
    if (status != LF_OK)
        return status;
    *place = (uint32_t)array->count;
    array->count += wanted;
    return LF_OK;
}

/// Give a block back that was taken for, or built with, so many words.
static inline void lf__block_give(lf__blocks *blocks, uint32_t *items, uint32_t place, int64_t words) {
    if (place < blocks->built && words < 4)
        return;
    int size = place < blocks->built ? lf__block_size_below(words) : lf__block_size_above(words);
    items[place] = blocks->free[size];
    blocks->free[size] = place;
}

#endif
