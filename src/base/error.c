#include "base/base.h"
#include <stdio.h>
#include <string.h>

lf_status lf__fail(lf_error *error, lf_status status, int64_t where, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        error->where = where;
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

lf_status lf__fail_plain(lf_error *error, lf_status status) {
    return lf__fail(error, status, -1, "%s", lf_status_text(status));
}

lf_status lf__def_read(void *full, size_t full_size, const void *given, lf_error *error) {
    size_t size = 0;
    if (!given)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "def is NULL");
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > full_size)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "def size is %zu, not within %zu..%zu", size, sizeof size,
                        full_size);
    memcpy(full, given, size);
    memcpy(full, &full_size, sizeof full_size);
    return LF_OK;
}
