/// A file that is not mapped but read in ranges: memory of its size, of which pages are read when they are first needed.
#ifndef LF_BASE_PAGED_H
#define LF_BASE_PAGED_H

#include "base/base.h"
#include "base/system.h"
#include <stdatomic.h>

/// Bytes of a page: the least that is read at once.
#define LF__PAGED_LOG2 14
#define LF__PAGED_BYTES ((size_t)1 << LF__PAGED_LOG2)

/// Pages that are kept once they have been read. A page's state only changes from absent to present, so that readers of
/// present pages need no lock.
typedef struct lf__paged {
    lf_allocator allocator;
    lf_host host;
    lf_source source;
    void *block; ///< what was allocated,
    size_t block_bytes;
    uint8_t *data; ///< and where the file begins in it
    size_t bytes;
    _Atomic uint8_t *states; ///< per page
    int64_t page_count;
    lf__mutex mutex;       ///< held while pages are requested and read
    int64_t first, last;   ///< requested pages are between these
    _Atomic int failure;   ///< the first failure to read, an lf_status: nothing is read any more
    lf_error error;        ///< of it
    _Atomic bool reported; ///< a failure has been logged
} lf__paged;

/// Reserve memory. The source is not closed on failure. Errors: LF_NO_MEMORY, LF_TOO_LARGE.
lf_status lf__paged_open(const lf_source *source, const lf_host *host, lf__paged **paged, lf_error *error);

/// Free the memory and close the source; NULL is accepted.
void lf__paged_close(lf__paged *paged);

/// Request a few stretches of bytes, between begin and end; those that are present cost nothing. End reads them. Errors, of
/// end: LF_IO_FAILED and others of the source, and that of an earlier failure.
void lf__paged_begin(lf__paged *paged);
void lf__paged_want(lf__paged *paged, const void *data, size_t bytes);
lf_status lf__paged_end(lf__paged *paged, lf_error *error);

/// One stretch. Does nothing without `paged`.
lf_status lf__paged_need(lf__paged *paged, const void *data, size_t bytes, lf_error *error);

/// Log, once, that a query failed: LF_BAD_FORMAT for a wrong checksum, else the failure to read. A status alone says little.
void lf__paged_report(lf__paged *paged, lf_status status);

#endif
