#include "base/base.h"
#include "base/beside.h"
#include "store/sections.h"
#include <stdio.h>
#include <string.h>

/// Bytes between two progress reports, which may cancel.
#define STRETCH ((size_t)1 << 24)

// ---------------------------------------------------------------------------------------------------
// Collecting
// ---------------------------------------------------------------------------------------------------

static void store_write_add(lf__writer *w, lf__outgoing section, const char *name, bool must) {
    if (w->status == LF_OK)
        w->status = lf__array_reserve(&w->sections, &w->allocator, 1, sizeof section);
    if (w->status != LF_OK)
        return;
    memcpy(section.entry.name, name, strlen(name));
    section.entry.flags = must ? LF__SECTION_MUST : 0;
    section.entry.part = w->part;
    ((lf__outgoing *)w->sections.items)[w->sections.count++] = section;
}

void lf__writer_add(lf__writer *writer, const char *name, bool must, const void *data, size_t bytes) {
    store_write_add(writer, (lf__outgoing){.entry = {.bytes = bytes}, .data = data}, name, must);
}

void lf__writer_add_given(lf__writer *writer, const char *name, size_t bytes,
                          lf_status (*give)(const void *thing, const lf__store_sink *sink,
                                            const lf_host *host),
                          const void *thing) {
    store_write_add(writer, (lf__outgoing){.entry = {.bytes = bytes}, .give = give, .thing = thing}, name,
                    true);
}

void *lf__writer_take(lf__writer *w, size_t bytes) {
    if (w->status == LF_OK)
        w->status = lf__array_reserve(&w->owned, &w->allocator, 1, sizeof(lf__owned));
    if (w->status != LF_OK)
        return NULL;
    void *memory = lf__allocate(&w->allocator, bytes > 0 ? bytes : 1, LF__CACHE_LINE);
    if (!memory) {
        w->status = LF_NO_MEMORY;
        return NULL;
    }
    memset(memory, 0, bytes > 0 ? bytes : 1);
    ((lf__owned *)w->owned.items)[w->owned.count++] = (lf__owned){memory, bytes > 0 ? bytes : 1};
    return memory;
}

lf_status lf__writer_add_file(lf__writer *w, const lf_store_def *def, lf_error *error) {
    lf_status status = lf__array_reserve(&w->files, &w->allocator, 1, sizeof(lf__written));
    size_t bytes = strlen(w->path) + 16;
    lf__written file = {.path_bytes = bytes};
    if (status == LF_OK && !(file.path = lf__allocate(&w->allocator, bytes, 1)))
        status = LF_NO_MEMORY;
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    snprintf(file.path, bytes, "%s.%u", w->path, w->part);
    status = lf_store_write(file.path, def, error);
    if (status == LF_OK)
        status = lf_map_open(file.path, &file.map, error);
    if (status == LF_OK)
        lf__writer_add(w, "file", true, file.map.data, file.map.size);
    ((lf__written *)w->files.items)[w->files.count++] = file;
    return status;
}

void lf__writer_free(lf__writer *w) {
    for (int64_t k = 0; k < w->files.count; k++) {
        lf__written *file = (lf__written *)w->files.items + k;
        lf_map_close(&file->map);
        remove(file->path);
        lf__free(&w->allocator, file->path, file->path_bytes, 1);
    }
    lf__array_free(&w->files, &w->allocator, sizeof(lf__written));
    for (int64_t k = w->owned.count - 1; k >= 0; k--) {
        lf__owned *owned = (lf__owned *)w->owned.items + k;
        lf__free(&w->allocator, owned->memory, owned->bytes, LF__CACHE_LINE);
    }
    lf__array_free(&w->owned, &w->allocator, sizeof(lf__owned));
    lf__array_free(&w->sections, &w->allocator, sizeof(lf__outgoing));
}

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

static bool into_sum(void *user, const void *data, size_t bytes) {
    uint64_t *sum = user;
    *sum = lf__store_sum(*sum, data, bytes);
    return true;
}

static bool into_file(void *user, const void *data, size_t bytes) {
    return lf__beside_write(user, data, bytes);
}

/// Write a section's bytes to a sink, in blocks.
static lf_status pour(const lf__writer *w, const lf__outgoing *section, const lf__store_sink *sink) {
    if (section->give)
        return section->give(section->thing, sink, w->host);
    for (size_t done = 0; done < section->entry.bytes; done += STRETCH) {
        size_t rest = section->entry.bytes - done;
        if (!lf__report(w->host, "file", (int64_t)done, (int64_t)section->entry.bytes))
            return LF_CANCELLED;
        if (!sink->take(sink->user, (const char *)section->data + done, rest < STRETCH ? rest : STRETCH))
            return LF_IO_FAILED;
    }
    return LF_OK;
}

static uint64_t aligned(uint64_t at, uint64_t bytes) {
    uint64_t unit = bytes >= LF__STORE_ALIGNMENT ? LF__STORE_ALIGNMENT : LF__STORE_SMALL;
    return (at + unit - 1) / unit * unit;
}

/// Compute offsets and checksums.
static lf_status store_write_prepare(lf__writer *w, lf__store_header *header) {
    lf__outgoing *sections = w->sections.items;
    uint64_t at = sizeof *header + (uint64_t)w->sections.count * sizeof(lf__store_section);
    header->hash = LF__STORE_SEED;
    for (int64_t k = 0; k < w->sections.count; k++) {
        lf__store_section *entry = &sections[k].entry;
        lf__store_sink sink = {into_sum, &entry->checksum};
        entry->offset = at = aligned(at, entry->bytes);
        at += entry->bytes;
        entry->checksum = LF__STORE_SEED;
        lf_status status = pour(w, &sections[k], &sink);
        if (status != LF_OK)
            return status;
        // Sections that are written row by row are checked block by block, never as a whole on opening.
        entry->quick = sections[k].give ? 0 : lf__xxh64(sections[k].data, (size_t)entry->bytes, 0);
        header->hash = lf__store_hash(header->hash, entry);
    }
    header->bytes = at;
    header->checksum = lf__store_sum(LF__STORE_SEED, header, sizeof *header);
    for (int64_t k = 0; k < w->sections.count; k++)
        header->checksum = lf__store_sum(header->checksum, &sections[k].entry, sizeof sections[k].entry);
    return LF_OK;
}

static bool fill_up(lf__beside *file, uint64_t *at, uint64_t to) {
    static const char nothing[4096];
    while (*at < to) {
        size_t bytes = to - *at < sizeof nothing ? (size_t)(to - *at) : sizeof nothing;
        if (!lf__beside_write(file, nothing, bytes))
            return false;
        *at += bytes;
    }
    return true;
}

/// A failed write is reported by the commit; after any other failure there is no commit.
static lf_status write_all(lf__writer *w, const lf__store_header *header, lf__beside *file) {
    const lf__outgoing *sections = w->sections.items;
    lf__store_sink sink = {into_file, file};
    uint64_t at = sizeof *header;
    lf__beside_write(file, header, sizeof *header);
    for (int64_t k = 0; k < w->sections.count; k++, at += sizeof sections[k].entry)
        lf__beside_write(file, &sections[k].entry, sizeof sections[k].entry);
    for (int64_t k = 0; k < w->sections.count; k++) {
        lf_status status =
            fill_up(file, &at, sections[k].entry.offset) ? pour(w, &sections[k], &sink) : LF_IO_FAILED;
        if (status != LF_OK)
            return file->failure != 0 ? LF_OK : status;
        at += sections[k].entry.bytes;
    }
    return LF_OK;
}

lf_status lf__writer_run(lf__writer *w, lf_error *error) {
    lf__beside file = {0};
    lf__store_header *header = &w->header;
    memcpy(header->magic, LF__STORE_MAGIC, sizeof header->magic);
    header->major = LF__STORE_MAJOR;
    header->minor = LF__STORE_MINOR;
    header->section_count = (uint32_t)w->sections.count;
    lf_status status = w->status == LF_OK ? store_write_prepare(w, header) : w->status;
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    status = lf__beside_open(&file, w->path, w->host, error);
    if (status != LF_OK)
        return status;
    status = write_all(w, header, &file);
    if (status == LF_OK)
        return lf__beside_commit(&file, error);
    lf__beside_abort(&file);
    return lf__fail_plain(error, status);
}

#undef STRETCH
