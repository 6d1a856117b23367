#include "cache.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BUCKETS 4096

typedef struct entry {
    uint64_t hash;
    blob *blob;
    struct entry *chain, *newer, *older;
    char key[];
} entry;

struct cache {
    pthread_mutex_t lock;
    entry *buckets[BUCKETS], *newest, *oldest;
    size_t bytes, most, entries;
    uint64_t hits, misses, written;
    char *folder;
};

uint64_t hash_bytes(const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

cache *cache_create(size_t bytes, const char *folder) {
    cache *made = memory_take(sizeof *made);
    if (!made)
        return NULL;
    memset(made, 0, sizeof *made);
    pthread_mutex_init(&made->lock, NULL);
    made->most = bytes;
    made->folder = memory_copy(folder);
    return made;
}

// ---- Memory -------------------------------------------------------------------------------------

static void unlink_use(cache *cache, entry *entry) {
    *(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void link_newest(cache *cache, entry *entry) {
    entry->newer = NULL;
    entry->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
    cache->newest = entry;
}

static void drop(cache *cache, entry *old) {
    entry **at = &cache->buckets[old->hash % BUCKETS];
    while (*at != old)
        at = &(*at)->chain;
    *at = old->chain;
    unlink_use(cache, old);
    cache->bytes -= old->blob->size;
    cache->entries--;
    blob_release(old->blob);
    memory_free(old);
}

static entry *find(cache *cache, const char *key, uint64_t hash) {
    entry *at = cache->buckets[hash % BUCKETS];
    while (at && (at->hash != hash || strcmp(at->key, key) != 0))
        at = at->chain;
    return at;
}

static void keep(cache *cache, const char *key, uint64_t hash, blob *blob) {
    size_t length = strlen(key) + 1;
    if (blob->size > cache->most / 4)
        return;
    entry *made = memory_take(sizeof *made + length);
    if (!made)
        return;
    *made = (entry){.hash = hash, .blob = blob_hold(blob)};
    memcpy(made->key, key, length);
    pthread_mutex_lock(&cache->lock);
    entry *old = find(cache, key, hash);
    if (old)
        drop(cache, old);
    while (cache->oldest && cache->bytes + blob->size > cache->most)
        drop(cache, cache->oldest);
    made->chain = cache->buckets[hash % BUCKETS];
    cache->buckets[hash % BUCKETS] = made;
    link_newest(cache, made);
    cache->bytes += blob->size;
    cache->entries++;
    pthread_mutex_unlock(&cache->lock);
}

void cache_destroy(cache *cache) {
    if (!cache)
        return;
    while (cache->oldest)
        drop(cache, cache->oldest);
    pthread_mutex_destroy(&cache->lock);
    memory_free(cache->folder);
    memory_free(cache);
}

// ---- Folder -------------------------------------------------------------------------------------

/// What stands before the bytes in a file.
typedef struct file_head {
    char sign[8];
    uint32_t key_size, gzipped;
    uint64_t size, sum;
    int64_t voids;
    char type[48], etag[40];
} file_head;

static const char sign[8] = "lfcache1";

static bool path_of(const cache *cache, uint64_t hash, const char *ending, char path[4096]) {
    int length = snprintf(path, 4096, "%s/%016llx%s", cache->folder, (unsigned long long)hash, ending);
    return length > 0 && length < 4096;
}

/// A file of the folder; NULL where there is none, or one of another key, or a damaged one.
static blob *read_file(const cache *cache, const char *key, uint64_t hash) {
    char path[4096];
    file_head head;
    lf_map map = {0};
    blob *found = NULL;
    size_t key_size = strlen(key);
    if (!path_of(cache, hash, "", path) || lf_map_open(path, &map, NULL) != LF_OK)
        return NULL;
    if (map.size >= sizeof head)
        memcpy(&head, map.data, sizeof head);
    if (map.size >= sizeof head && memcmp(head.sign, sign, 8) == 0 && head.key_size == key_size &&
        head.size == map.size - sizeof head - key_size && map.size >= sizeof head + key_size) {
        const char *own = (const char *)map.data + sizeof head;
        if (memcmp(own, key, key_size) == 0 && hash_bytes(own + key_size, head.size) == head.sum)
            found = blob_create(own + key_size, head.size);
    }
    lf_map_close(&map);
    if (found) {
        found->gzipped = head.gzipped != 0;
        found->voids = head.voids;
        memcpy(found->type, head.type, sizeof found->type);
        memcpy(found->etag, head.etag, sizeof found->etag);
        found->type[sizeof found->type - 1] = found->etag[sizeof found->etag - 1] = '\0';
    }
    return found;
}

/// Written beside its place and renamed, so that no reader sees a part of it.
static void write_file(cache *cache, const char *key, uint64_t hash, const blob *blob) {
    char path[4096], part[4096], ending[48];
    file_head head = {.key_size = (uint32_t)strlen(key),
                      .gzipped = blob->gzipped,
                      .size = blob->size,
                      .voids = blob->voids};
    pthread_mutex_lock(&cache->lock);
    uint64_t number = cache->written++;
    pthread_mutex_unlock(&cache->lock);
    snprintf(ending, sizeof ending, ".%ld.%llu.part", (long)getpid(), (unsigned long long)number);
    if (!path_of(cache, hash, "", path) || !path_of(cache, hash, ending, part))
        return;
    memcpy(head.sign, sign, 8);
    memcpy(head.type, blob->type, sizeof head.type);
    memcpy(head.etag, blob->etag, sizeof head.etag);
    head.sum = hash_bytes(blob->bytes, blob->size);
    FILE *file = fopen(part, "wb");
    if (!file)
        return;
    bool fine = fwrite(&head, sizeof head, 1, file) == 1 &&
                fwrite(key, 1, head.key_size, file) == head.key_size &&
                fwrite(blob->bytes, 1, blob->size, file) == blob->size;
    fine = fclose(file) == 0 && fine;
    if (!fine || rename(part, path) != 0)
        remove(part);
}

// ---- Both ---------------------------------------------------------------------------------------

blob *cache_find(cache *cache, const char *key, bool deep) {
    uint64_t hash = hash_bytes(key, strlen(key));
    blob *found = NULL;
    pthread_mutex_lock(&cache->lock);
    entry *entry = find(cache, key, hash);
    if (entry) {
        unlink_use(cache, entry);
        link_newest(cache, entry);
        found = blob_hold(entry->blob);
        cache->hits++;
    } else {
        cache->misses += deep;
    }
    pthread_mutex_unlock(&cache->lock);
    if (!found && deep && cache->folder && (found = read_file(cache, key, hash)))
        keep(cache, key, hash, found);
    return found;
}

void cache_keep(cache *cache, const char *key, blob *blob) {
    uint64_t hash = hash_bytes(key, strlen(key));
    keep(cache, key, hash, blob);
    if (cache->folder)
        write_file(cache, key, hash, blob);
}

cache_counts cache_count(cache *cache) {
    pthread_mutex_lock(&cache->lock);
    cache_counts counts = {(double)cache->hits, (double)cache->misses, (double)cache->bytes,
                           (double)cache->entries};
    pthread_mutex_unlock(&cache->lock);
    return counts;
}
