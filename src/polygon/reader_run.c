/// Runs the program that reads files by Assimp, receives its polygons and checks them.
///
/// It is a program and not a fork: in a host with threads a forked child may call almost nothing, and Assimp
/// allocates.
#define _GNU_SOURCE
#include "polygon/polygon.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define READER_PROGRAM "landfall-polygon-reader"

/// Bytes that are received at once, and milliseconds between two progress reports.
#define RECEIVE_BYTES ((size_t)1 << 20)
#define POLL_MILLISECONDS 100

extern char **environ;

// ---------------------------------------------------------------------------------------------------
// The program
// ---------------------------------------------------------------------------------------------------

static bool can_run(const char *path) {
    return access(path, X_OK) == 0;
}

/// Find the program: as the environment variable says; else beside the library (or the program that contains
/// it), in the libexec folder next to its folder or the one above (lib/x86_64-linux-gnu); else in the install
/// prefix.
static bool find_program(char path[PATH_MAX]) {
    static const char *const places[] = {"", "../libexec/landfall/", "../../libexec/landfall/"};
    const char *given = secure_getenv("LANDFALL_POLYGON_READER");
    Dl_info about;
    char own[PATH_MAX];
    if (given && *given)
        return snprintf(path, PATH_MAX, "%s", given) < PATH_MAX && can_run(path);
    union {
        bool (*function)(char *);
        const void *address;
    } here = {.function = find_program}; // C has no cast from a function to an object pointer
    // A program that was found by PATH has a name without a folder.
    if (dladdr(here.address, &about) != 0 && about.dli_fname &&
        realpath(strchr(about.dli_fname, '/') ? about.dli_fname : "/proc/self/exe", own)) {
        *(strrchr(own, '/') + 1) = 0;
        for (size_t k = 0; k < sizeof places / sizeof *places; k++)
            if (snprintf(path, PATH_MAX, "%s%s%s", own, places[k], READER_PROGRAM) < PATH_MAX &&
                can_run(path))
                return true;
    }
    return snprintf(path, PATH_MAX, "%s/%s", LF_LIBEXEC, READER_PROGRAM) < PATH_MAX && can_run(path);
}

/// A child, and the end of the pipe that it writes to.
typedef struct child {
    pid_t id;
    int from;
    struct timespec until; ///< deadline
    const lf__soup *soup;
    lf_error *error;
} child;

static lf_status spawn_reader(child *c, const char *program, char *const *arguments, int to) {
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return lf__fail_plain(c->error, LF_NO_MEMORY);
    int failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed)
        failed = posix_spawn(&c->id, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed == 0 ? LF_OK
                       : lf__fail(c->error, LF_IO_FAILED, -1, "%s: %s", READER_PROGRAM, strerror(failed));
}

static lf_status start_reader(child *c, const char *path, size_t size, const lf__assimp_format *format) {
    char program[PATH_MAX], bytes[24];
    int ends[2];
    if (!find_program(program))
        return lf__fail(
            c->error, LF_UNSUPPORTED, -1,
            "reading %s needs the program %s, which is not installed (LANDFALL_POLYGON_READER may "
            "name it)",
            format->name, READER_PROGRAM);
    void *arguments;
    int64_t count = 5 + c->soup->only_count;
    lf_status status = lf__allocate_array(&c->soup->allocator, count, sizeof(char *), &arguments);
    if (status != LF_OK)
        return lf__fail_plain(c->error, status);
    snprintf(bytes, sizeof bytes, "%zu", size);
    const char **argument = arguments;
    argument[0] = program, argument[1] = format->ending, argument[2] = bytes, argument[3] = path;
    for (int64_t k = 0; k < c->soup->only_count; k++)
        argument[4 + k] = c->soup->only[k];
    argument[count - 1] = NULL;
    status = LF_IO_FAILED;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        lf__fail(c->error, status, -1, "no pipe: %s", strerror(errno));
    } else {
        status = spawn_reader(c, program, arguments, ends[1]);
        close(ends[1]);
        c->from = ends[0];
        if (status != LF_OK)
            close(ends[0]);
    }
    lf__free_array(&c->soup->allocator, arguments, count, sizeof(char *));
    return status;
}

/// Wait for the end of the child; LF_OK when it succeeded.
static lf_status finish_reader(const child *c, bool stop, size_t size) {
    int how = 0;
    if (stop)
        kill(c->id, SIGKILL);
    close(c->from);
    while (waitpid(c->id, &how, 0) < 0)
        if (errno != EINTR)
            return stop ? LF_OK
                        : lf__fail(c->error, LF_IO_FAILED, -1, "%s: %s", READER_PROGRAM, strerror(errno));
    if (stop || (WIFEXITED(how) && WEXITSTATUS(how) == 0))
        return LF_OK;
    if (WIFSIGNALED(how) && (WTERMSIG(how) == SIGXCPU || WTERMSIG(how) == SIGKILL))
        return lf__fail(c->error, LF_BAD_FORMAT, -1, "reader exceeded its limits (%llu s, %llu MB of memory)",
                        (unsigned long long)LF__READER_SECONDS(size),
                        (unsigned long long)(LF__READER_MEMORY(size) >> 20));
    if (WIFSIGNALED(how))
        return lf__fail(c->error, LF_BAD_FORMAT, -1, "reader crashed (signal %d)", WTERMSIG(how));
    return lf__fail(c->error, LF_BAD_FORMAT, -1, "reader failed (exit status %d)", WEXITSTATUS(how));
}

// ---------------------------------------------------------------------------------------------------
// What it writes
// ---------------------------------------------------------------------------------------------------

static bool is_late(const child *c) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > c->until.tv_sec;
}

/// Receive so many bytes. LF_IO_FAILED without a message: end of file.
static lf_status receive(const child *c, void *data, size_t size) {
    for (size_t done = 0; done < size;) {
        struct pollfd wait = {.fd = c->from, .events = POLLIN};
        int ready = poll(&wait, 1, POLL_MILLISECONDS);
        lf_status status = lf__soup_report(c->soup, 0, 0, c->error);
        if (status != LF_OK)
            return status;
        if (ready == 0 && is_late(c))
            return lf__fail(c->error, LF_BAD_FORMAT, -1, "reader did not end");
        if (ready <= 0)
            continue;
        ssize_t got = read(c->from, (char *)data + done, size - done);
        if (got == 0 || (got < 0 && errno != EINTR))
            return LF_IO_FAILED;
        done += got > 0 ? (size_t)got : 0;
    }
    return LF_OK;
}

/// Receive items into an array that grows as they arrive: a count alone allocates nothing.
static lf_status receive_array(const child *c, lf__array *array, int64_t count, size_t item) {
    int64_t most = (int64_t)(RECEIVE_BYTES / item);
    lf_status status = LF_OK;
    array->count = 0;
    while (array->count < count && status == LF_OK) {
        int64_t more = count - array->count < most ? count - array->count : most;
        status = lf__array_reserve(array, &c->soup->allocator, more, item);
        if (status != LF_OK)
            return lf__fail_plain(c->error, status);
        status = receive(c, (char *)array->items + (size_t)array->count * item, (size_t)more * item);
        array->count += more;
    }
    return status;
}

static lf_status receive_names(const child *c, lf__soup *soup, const lf__reader_head *head) {
    lf__array text = {NULL, 0, 0};
    lf_status status = receive_array(c, &text, head->name_bytes, 1);
    const char *at = text.items, *end = at ? at + text.count : at;
    for (int64_t k = 0; k < head->names && status == LF_OK; k++) {
        int64_t number = -1;
        const char *stop = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
        if (!stop)
            status = lf__fail(c->error, LF_BAD_FORMAT, -1, "reader sent names without an end");
        else if (lf__soup_name(soup, at, (size_t)(stop - at), &number) != LF_OK)
            status = lf__fail_plain(c->error, LF_NO_MEMORY);
        else if (number != k)
            status = lf__fail(c->error, LF_BAD_FORMAT, -1, "reader sent a name twice");
        at = stop ? stop + 1 : end;
    }
    lf__array_free(&text, &soup->allocator, 1);
    return status;
}

/// Whether the polygons are valid: vertices finite, corners in range, three or more per polygon.
static bool is_sound(const lf__soup *soup, int64_t polygons) {
    const lf_vec3 *vertices = soup->vertices.items;
    const int64_t *corners = soup->corners.items, *starts = soup->starts.items;
    const uint64_t *users = soup->users.items;
    if (starts[0] != 0 || starts[polygons] != soup->corners.count)
        return false;
    for (int64_t k = 0; k < soup->vertices.count; k++)
        if (!lf_vec3_finite(vertices[k]))
            return false;
    for (int64_t k = 0; k < soup->corners.count; k++)
        if (corners[k] < 0 || corners[k] >= soup->vertices.count)
            return false;
    for (int64_t k = 0; k < polygons; k++)
        if (starts[k] > soup->corners.count - 3 || starts[k + 1] < starts[k] + 3 ||
            (users[k] != LF__NO_NAME && users[k] >= (uint64_t)soup->names.entries.count))
            return false;
    return true;
}

static bool head_valid(const lf__reader_head *h) {
    const int64_t most = (int64_t)1 << 40;
    const int64_t counts[] = {h->vertices, h->corners, h->polygons, h->names, h->name_bytes, h->dropped};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        if (counts[k] < 0 || counts[k] > most)
            return false;
    return h->magic == LF__READER_MAGIC && h->status <= LF_OK && h->precision >= 0 &&
           h->precision < LF_INFINITY;
}

static lf_status receive_soup(const child *c, lf__soup *soup) {
    lf__reader_head head;
    lf_status status = receive(c, &head, sizeof head);
    if (status != LF_OK)
        return status;
    head.text[sizeof head.text - 1] = 0;
    if (!head_valid(&head))
        return lf__fail(c->error, LF_BAD_FORMAT, -1, "reader sent an invalid header");
    if (head.status != LF_OK)
        return lf__fail(c->error, (lf_status)head.status, head.where, "%s", head.text);
    status = receive_array(c, &soup->vertices, head.vertices, sizeof(lf_vec3));
    if (status == LF_OK)
        status = receive_array(c, &soup->corners, head.corners, sizeof(int64_t));
    if (status == LF_OK)
        status = receive_array(c, &soup->starts, head.polygons + 1, sizeof(int64_t));
    if (status == LF_OK)
        status = receive_array(c, &soup->users, head.polygons, sizeof(uint64_t));
    if (status == LF_OK)
        status = receive_names(c, soup, &head);
    if (status == LF_OK && !is_sound(soup, head.polygons))
        status = lf__fail(c->error, LF_BAD_FORMAT, -1, "reader sent invalid polygons");
    soup->dropped_count = head.dropped;
    soup->precision = head.precision;
    soup->single = head.single != 0;
    return status;
}

lf_status lf__reader_run(const char *path, const lf_map *map, const lf__assimp_format *format, lf__soup *soup,
                         lf_error *error) {
    if (map->size == 0)
        return lf__fail(error, LF_BAD_FORMAT, -1, "the file is empty");
    lf_status status = format->check ? format->check(map, error) : LF_OK;
    child c = {.soup = soup, .error = error};
    clock_gettime(CLOCK_MONOTONIC, &c.until);
    c.until.tv_sec += (time_t)(10 * LF__READER_SECONDS(map->size));
    if (status == LF_OK)
        status = start_reader(&c, path, map->size, format);
    if (status != LF_OK)
        return status;
    status = receive_soup(&c, soup);
    // Either it has sent the reason, or it is to be stopped; otherwise its exit status is the reason.
    bool failed = status != LF_OK && status != LF_IO_FAILED;
    lf_status ended = finish_reader(&c, failed, map->size);
    if (status == LF_IO_FAILED && ended == LF_OK)
        return lf__fail(error, LF_BAD_FORMAT, -1, "reader ended before its last polygon");
    return status == LF_OK || status == LF_IO_FAILED ? ended : status;
}
