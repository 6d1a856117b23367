/// A table of names, each once, numbered in the order of their first appearance.
#ifndef LF_IO_NAMES_H
#define LF_IO_NAMES_H

#include "base/array.h"

typedef struct lf__name {
    int64_t start; ///< in letters
    uint64_t hash;
    bool wanted; ///< asked for by the caller
} lf__name;

typedef struct lf__names {
    lf__array letters; ///< char: every name with its closing zero
    lf__array entries; ///< lf__name
    int64_t *slots;    ///< open hashing: number of a name, or -1
    int64_t slot_count;
} lf__names;

/// The number of a name, added when it is new. Ends at the first zero byte.
lf_status lf__names_add(lf__names *names, const lf_allocator *allocator, const char *text, size_t length,
                        int64_t *number);

/// The number of a name, -1 when it is not there.
int64_t lf__names_find(const lf__names *names, const char *text);

/// The name number 0 <= number < count; NULL beyond.
const char *lf__names_get(const lf__names *names, int64_t number);

void lf__names_free(lf__names *names, const lf_allocator *allocator);

#endif
