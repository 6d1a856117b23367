#define _POSIX_C_SOURCE 200809L
#include "base/base.h"
#include <locale.h>
#include <stdio.h>
#include <string.h>

void lf__format(char *text, size_t size, const char *format, va_list arguments) {
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = (locale_t)0;
    if (plain)
        before = uselocale(plain);
    vsnprintf(text, size, format, arguments);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
}

lf_status lf__fail(lf_error *error, lf_status status, int64_t where, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        error->where = where;
        lf__format(error->text, sizeof error->text, format, arguments);
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
