// landfall-polygon-reader FORMAT SIZE FILE [NAME...]: read a polygon file through Assimp and write its
// polygons to standard output, for the library (reader_run.c). What Assimp does with a damaged file stays in
// this process.
#define _XOPEN_SOURCE 700
#include "polygon/readers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define WATCHED 1
#endif
#endif
#ifndef WATCHED
#define WATCHED 0
#endif

#if WATCHED
/// A crash of Assimp is a signal here too, and what it leaks goes with the process.
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0:abort_on_error=1:detect_leaks=0";
}
#endif

/// No more than the limit that holds already.
static void limit(int resource, uint64_t most) {
    struct rlimit now;
    if (getrlimit(resource, &now) != 0)
        return;
    rlim_t wanted = (rlim_t)most;
    if (now.rlim_max != RLIM_INFINITY && wanted > now.rlim_max)
        wanted = now.rlim_max;
    if (now.rlim_cur == RLIM_INFINITY || wanted < now.rlim_cur)
        now.rlim_cur = wanted;
    (void)setrlimit(resource, &now); // a limit that cannot be set is no reason to refuse the file
}

static bool put(const void *data, size_t size) {
    const char *at = data;
    while (size > 0) {
        ssize_t written = write(STDOUT_FILENO, at, size);
        if (written <= 0)
            return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static bool put_soup(const lf__soup *soup, lf__reader_head *head) {
    head->vertices = soup->vertices.count;
    head->corners = soup->corners.count;
    head->polygons = lf__soup_polygon_count(soup);
    head->names = soup->names.entries.count;
    for (int64_t k = 0; k < head->names; k++)
        head->name_bytes += (int64_t)strlen(lf__names_get(&soup->names, k)) + 1;
    head->dropped = soup->dropped_count;
    head->precision = soup->precision;
    head->single = soup->single;
    bool fine = put(head, sizeof *head) &&
                put(soup->vertices.items, (size_t)head->vertices * sizeof(lf_vec3)) &&
                put(soup->corners.items, (size_t)head->corners * sizeof(int64_t)) &&
                put(soup->starts.items, (size_t)soup->starts.count * sizeof(int64_t)) &&
                put(soup->users.items, (size_t)head->polygons * sizeof(uint64_t));
    for (int64_t k = 0; k < head->names && fine; k++) {
        const char *name = lf__names_get(&soup->names, k);
        fine = put(name, strlen(name) + 1);
    }
    return fine;
}

int main(int count, char **words) {
    const lf__assimp_format *format = count >= 4 ? lf__assimp_format_of(words[1]) : NULL;
    if (!format) {
        fputs("landfall-polygon-reader: a part of landfall, which runs it\n", stderr);
        return 2;
    }
    uint64_t size = strtoull(words[2], NULL, 10);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, LF__READER_SECONDS(size));
    if (!WATCHED) // sanitizers reserve more address space than any limit
        limit(RLIMIT_AS, LF__READER_MEMORY(size));
    lf__soup soup;
    lf_error error = {.where = -1};
    lf_status status =
        lf__soup_start(&soup, NULL, (const char *const *)words + 4, count > 4 ? count - 4 : 0, &error);
    if (status == LF_OK)
        status = lf__assimp_read(words[3], format, &soup, &error);
    lf__reader_head head = {.magic = LF__READER_MAGIC, .status = status, .where = error.where};
    memcpy(head.text, error.text, sizeof head.text);
    bool fine = status == LF_OK ? put_soup(&soup, &head) : put(&head, sizeof head);
    _exit(fine ? 0 : 3);
}
