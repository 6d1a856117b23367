/// Opening a file that is in memory already.
#ifndef LF_STORE_READ_H
#define LF_STORE_READ_H

#include "store/sections.h"

/// Check header, table and sizes. data lies at a multiple of 64 and stays there. Errors: LF_BAD_FORMAT, LF_UNSUPPORTED.
lf_status lf__reader_start(lf__reader *reader, const void *data, size_t bytes, const lf_host *host,
                           lf_error *error);

/// Compare the checksum of every section. Errors: LF_BAD_FORMAT names the section, LF_CANCELLED.
lf_status lf__reader_check(const lf__reader *reader, lf_error *error);

/// Compare the checksum of every section but those that are checked part by part as they are read. Errors: LF_BAD_FORMAT names the section.
lf_status lf__reader_check_small(const lf__reader *reader, lf_error *error);

/// lf_store_open on memory, which stays the caller's.
lf_status lf__store_open_bytes(const void *data, size_t bytes, const lf_host *host, bool check,
                               lf_store **store, lf_error *error);

#endif
