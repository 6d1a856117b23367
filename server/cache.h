/// Replies that were made before: in memory, longest unused first out, and in a folder.
#ifndef SERVER_CACHE_H
#define SERVER_CACHE_H

#include "server.h"

/// folder: or NULL. NULL without memory.
cache *cache_create(size_t bytes, const char *folder);
void cache_destroy(cache *cache);

/// What is kept under a key, held; NULL: nothing. deep: look in the folder too.
blob *cache_find(cache *cache, const char *key, bool deep);

/// Keep a blob; the cache holds it too. What does not fit is not kept.
void cache_keep(cache *cache, const char *key, blob *blob);

typedef struct cache_counts {
    double hits, misses, bytes, entries;
} cache_counts;
cache_counts cache_count(cache *cache);

/// FNV-1a of some bytes.
uint64_t hash_bytes(const void *bytes, size_t count);

#endif
