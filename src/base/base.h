/// What the rooms share of base beyond the public header.
#ifndef LF_BASE_BASE_H
#define LF_BASE_BASE_H

#include "base/memory.h"
#include <landfall/base.h>
#include <stdarg.h>

/// Fill in an optional error and hand its status back: `return lf__fail(error, LF_..., index, "...")`.
lf_status lf__fail(lf_error *error, lf_status status, int64_t where, const char *format, ...) LF_PRINTF(4, 5);

/// Fill in an optional error with the status's own text.
lf_status lf__fail_plain(lf_error *error, lf_status status);

/// Copy a caller's def over the defaults. `given` starts with its own size; a larger one than we know was
/// made for a newer landfall and is refused, a smaller one keeps our defaults behind its end.
lf_status lf__def_read(void *full, size_t full_size, const void *given, lf_error *error);

/// Run a loop through the host's tasks, or right here when there are none.
void lf__run(const lf_tasks *tasks, int64_t count, int64_t grain, lf_task *task, void *job);

/// Report progress; false means that the caller wants to stop.
bool lf__report(const lf_host *host, const char *stage, int64_t done, int64_t total);

/// Write a remark to the host's log, if it has one.
void lf__log(const lf_host *host, lf_log_level level, const char *format, ...) LF_PRINTF(3, 4);

/// vsnprintf with a decimal point, whatever the locale.
void lf__format(char *text, size_t size, const char *format, va_list arguments);

#endif
