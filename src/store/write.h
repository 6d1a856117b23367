/// Writing sections.
#ifndef LF_STORE_WRITE_H
#define LF_STORE_WRITE_H

#include "base/array.h"
#include "store/format.h"

/// Where bytes go: into a checksum, and then into a file. false: stop.
typedef struct lf__sink {
    bool (*take)(void *user, const void *data, size_t bytes);
    void *user;
} lf__sink;

/// A section to be written: from memory, or by a function that gives the same bytes every time it is called.
typedef struct lf__outgoing {
    lf__store_section entry;
    const void *data;
    lf_status (*give)(const void *thing, const lf__sink *sink, const lf_host *host);
    const void *thing;
} lf__outgoing;

/// All of a file.
typedef struct lf__writer {
    const lf_host *host;
    const char *path; ///< where the file shall be
    lf_allocator allocator;
    lf__array sections; ///< of lf__outgoing
    lf__array owned;    ///< of lf__owned: memory to be given back at the end
    uint32_t part;
    lf__store_header header; ///< kind, parts, units are the caller's to fill in
    lf_status status;        ///< the first that went wrong; nothing is added any more then
} lf__writer;

typedef struct lf__owned {
    void *memory;
    size_t bytes;
} lf__owned;

void lf__writer_add(lf__writer *writer, const char *name, bool must, const void *data, size_t bytes);
void lf__writer_add_given(lf__writer *writer, const char *name, size_t bytes,
                          lf_status (*give)(const void *thing, const lf__sink *sink, const lf_host *host),
                          const void *thing);

/// Zeroed memory that lives as long as the writer; NULL when there is none, which the status then says.
void *lf__writer_take(lf__writer *writer, size_t bytes);

void lf__writer_free(lf__writer *writer);

/// Sections in their places, checksums, header, and all of it to the file.
lf_status lf__writer_run(lf__writer *writer, lf_error *error);

#endif
