/// What machine the figures come from.
#include "support.h"

#include <string.h>
#include <unistd.h>

/// The first line of a file that starts with a word, from its colon on; "" when there is none.
static void line_of(const char *path, const char *word, char *text, size_t size) {
    text[0] = '\0';
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    char line[512];
    while (!text[0] && fgets(line, sizeof line, file)) {
        if (strncmp(line, word, strlen(word)) != 0)
            continue;
        const char *value = strchr(line, ':');
        value = value ? value + 1 + strspn(value + 1, " \t") : line;
        snprintf(text, size, "%.*s", (int)strcspn(value, "\n"), value);
    }
    fclose(file);
}

const char *bench_machine(void) {
    static char text[512];
    char processor[128], cache[64], pages[128];
    line_of("/proc/cpuinfo", "model name", processor, sizeof processor);
    line_of("/proc/cpuinfo", "cache size", cache, sizeof cache);
    line_of("/sys/kernel/mm/transparent_hugepage/enabled", "", pages, sizeof pages);
    snprintf(text, sizeof text, "%s, %ld cores, cache %s, huge pages %s",
             processor[0] ? processor : "unknown processor", sysconf(_SC_NPROCESSORS_ONLN),
             cache[0] ? cache : "unknown", pages[0] ? pages : "unknown");
    return text;
}
