/// Configuration files of the server, and files of keys.
#include "fuzz.h"
#include "server.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    settings settings;
    keys keys = {0};
    complaint why = {.text = ""};
    if (!settings_start(&settings))
        return 0;
    if (!settings_parse(&settings, (const char *)data, size, &why) && !why.text[0])
        abort();
    settings_free(&settings);
    why.text[0] = '\0';
    if (!keys_parse(&keys, (const char *)data, size, &why) && !why.text[0])
        abort();
    keys_free(&keys);
    return 0;
}
