#include "base/paged.h"
#include <string.h>

enum { ABSENT, WANTED, PRESENT };

/// Absent pages between two wanted ones are read too where they are few: a request takes longer than they do.
#define PAGED_GAP 4

/// Ranges of one call of the source.
#define PAGED_RANGES 64

/// The alignment of sections.
#define PAGED_ALIGNMENT 64

lf_status lf__paged_open(const lf_source *source, const lf_host *host, lf__paged **paged, lf_error *error) {
    lf_allocator allocator = lf__allocator_of(host);
    if (source->bytes > SIZE_MAX - PAGED_ALIGNMENT - LF__PAGED_BYTES)
        return lf__fail_plain(error, LF_TOO_LARGE);
    lf__paged *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf__paged));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh =
        (lf__paged){.allocator = allocator, .source = *source, .bytes = (size_t)source->bytes, .first = -1};
    if (host)
        fresh->host = *host;
    fresh->page_count = (int64_t)((fresh->bytes + LF__PAGED_BYTES - 1) >> LF__PAGED_LOG2);
    fresh->block_bytes = fresh->bytes + PAGED_ALIGNMENT;
    fresh->block = lf__sparse_take(fresh->block_bytes);
    lf_status status = fresh->block ? lf__allocate_array(&allocator, fresh->page_count, sizeof *fresh->states,
                                                         (void **)&fresh->states)
                                    : LF_NO_MEMORY;
    if (status == LF_OK && !lf__mutex_create(&fresh->mutex))
        status = LF_NO_MEMORY;
    if (status != LF_OK) {
        lf__free_array(&allocator, (void *)fresh->states, fresh->page_count, sizeof *fresh->states);
        lf__sparse_give(fresh->block, fresh->block_bytes);
        lf__free(&allocator, fresh, sizeof *fresh, _Alignof(lf__paged));
        return lf__fail_plain(error, status);
    }
    memset((void *)fresh->states, ABSENT, (size_t)fresh->page_count);
    uintptr_t start = (uintptr_t)fresh->block;
    fresh->data = (uint8_t *)fresh->block + (PAGED_ALIGNMENT - start % PAGED_ALIGNMENT) % PAGED_ALIGNMENT;
    *paged = fresh;
    return LF_OK;
}

void lf__paged_close(lf__paged *paged) {
    if (!paged)
        return;
    lf_allocator allocator = paged->allocator;
    if (paged->source.close)
        paged->source.close(paged->source.user);
    lf__mutex_destroy(&paged->mutex);
    lf__free_array(&allocator, (void *)paged->states, paged->page_count, sizeof *paged->states);
    lf__sparse_give(paged->block, paged->block_bytes);
    lf__free(&allocator, paged, sizeof *paged, _Alignof(lf__paged));
}

// ---------------------------------------------------------------------------------------------------
// Requests
// ---------------------------------------------------------------------------------------------------

static int paged_state(const lf__paged *paged, int64_t page) {
    return atomic_load_explicit(&paged->states[page], memory_order_relaxed);
}

void lf__paged_begin(lf__paged *paged) {
    lf__mutex_lock(&paged->mutex);
    paged->first = -1;
}

void lf__paged_want(lf__paged *paged, const void *data, size_t bytes) {
    if (bytes == 0)
        return;
    size_t at = (size_t)((const uint8_t *)data - paged->data);
    int64_t from = (int64_t)(at >> LF__PAGED_LOG2), to = (int64_t)((at + bytes - 1) >> LF__PAGED_LOG2);
    for (int64_t page = from; page <= to; page++)
        if (paged_state(paged, page) == ABSENT)
            atomic_store_explicit(&paged->states[page], WANTED, memory_order_relaxed);
    paged->last = paged->first < 0 || to > paged->last ? to : paged->last;
    paged->first = paged->first < 0 || from < paged->first ? from : paged->first;
}

/// The next pages to read from `page` on, up to the last; false where there are none.
static bool paged_next(const lf__paged *paged, int64_t page, int64_t *from, int64_t *to) {
    while (page <= paged->last && paged_state(paged, page) != WANTED)
        page++;
    *from = page;
    if (page > paged->last)
        return false;
    for (*to = page; page <= paged->last && page - *to <= PAGED_GAP; page++)
        if (paged_state(paged, page) == WANTED)
            *to = page;
        else if (paged_state(paged, page) == PRESENT)
            break; // others may be reading it
    return true;
}

static void paged_set(lf__paged *paged, int64_t from, int64_t to, int state) {
    for (int64_t page = from; page <= to; page++)
        if (paged_state(paged, page) != PRESENT)
            atomic_store_explicit(&paged->states[page], (uint8_t)state, memory_order_release);
}

/// Read the pages that are asked for, a few ranges at a time.
static lf_status paged_read(lf__paged *paged) {
    lf_source_range ranges[PAGED_RANGES];
    int64_t page = paged->first, from, to;
    lf_status status = LF_OK;
    while (page >= 0 && page <= paged->last && status == LF_OK) {
        int64_t count = 0;
        while (count < PAGED_RANGES && paged_next(paged, page, &from, &to)) {
            size_t offset = (size_t)from << LF__PAGED_LOG2, end = (size_t)(to + 1) << LF__PAGED_LOG2;
            end = end < paged->bytes ? end : paged->bytes;
            ranges[count++] = (lf_source_range){offset, end - offset, paged->data + offset};
            page = to + 1;
        }
        if (count == 0)
            break;
        status = paged->source.read(paged->source.user, ranges, count, &paged->error);
        for (int64_t k = 0; k < count && status == LF_OK; k++) {
            int64_t at = (int64_t)(ranges[k].offset >> LF__PAGED_LOG2);
            paged_set(paged, at, at + (int64_t)((ranges[k].bytes - 1) >> LF__PAGED_LOG2), PRESENT);
        }
    }
    return status;
}

lf_status lf__paged_end(lf__paged *paged, lf_error *error) {
    lf_status status = (lf_status)atomic_load(&paged->failure);
    if (status == LF_OK) {
        status = paged_read(paged);
        if (status > 0)
            status = LF_IO_FAILED;
        atomic_store(&paged->failure, (int)status);
    }
    if (status != LF_OK && paged->first >= 0)
        for (int64_t page = paged->first; page <= paged->last; page++)
            if (paged_state(paged, page) == WANTED)
                atomic_store_explicit(&paged->states[page], ABSENT, memory_order_relaxed);
    if (status != LF_OK && error)
        *error = paged->error;
    lf__mutex_unlock(&paged->mutex);
    return status;
}

lf_status lf__paged_need(lf__paged *paged, const void *data, size_t bytes, lf_error *error) {
    if (!paged)
        return LF_OK;
    lf__paged_begin(paged);
    lf__paged_want(paged, data, bytes);
    return lf__paged_end(paged, error);
}

void lf__paged_report(lf__paged *paged, lf_status status) {
    if (atomic_exchange(&paged->reported, true))
        return;
    if (status == LF_BAD_FORMAT)
        lf__log(&paged->host, LF_LOG_WARNING,
                "the file that is read in ranges is damaged, or has changed since it was opened");
    else
        lf__log(&paged->host, LF_LOG_WARNING, "%s", paged->error.text);
}

#undef PAGED_ALIGNMENT
#undef PAGED_RANGES
#undef PAGED_GAP
