/// JSON bodies: whatever is accepted has values that lie within each other, and strings that are terminated.
#include "document.h"
#include "fuzz.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check(const value *value, const struct value *end) {
    uint32_t count = 0;
    if (value->size == 0 || value + value->size > end)
        abort();
    if (value->kind == VALUE_STRING && strlen(value->string) != value->count)
        abort();
    if (value->kind == VALUE_NUMBER && !isfinite(value->number))
        abort();
    if (value->kind < VALUE_ARRAY)
        return;
    for (const struct value *at = value_first(value); at < value_end(value); at = value_next(at), count++) {
        check(at, value_end(value));
        if (value->kind == VALUE_OBJECT && at->kind != VALUE_STRING)
            abort();
        if (value->kind == VALUE_OBJECT)
            check(++at, value_end(value));
    }
    if (count != value->count)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    document document;
    document_error error;
    document_status status =
        document_read(&document, (const char *)data, size, (document_limits){64, 100000}, &error);
    if (status == DOCUMENT_BROKEN && (error.line < 1 || !error.text[0]))
        abort();
    if (status == DOCUMENT_FINE)
        check(document.values, document.values + document.values->size);
    document_free(&document);
    return 0;
}
