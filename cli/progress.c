/// The progress bar, the interrupt that cancels, and memory that lives as long as the run.
#define _DEFAULT_SOURCE // madvise
#include "cli.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 40
#define WAIT_SECONDS 1.0  // before a bar appears
#define FRAME_SECONDS 0.1 // between two drawings of it

static volatile sig_atomic_t interrupted;
static int alarm_pipe[2] = {-1, -1}; // something to read here: an interrupt has come
static bool on_screen;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    int saved = errno;
    interrupted = 1;
    if (alarm_pipe[1] >= 0 && write(alarm_pipe[1], "", 1) < 0)
        interrupted = 1; // no pipe: a wait then ends with its input
    errno = saved;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool report(void *user, const char *stage, int64_t done, int64_t total) {
    return progress_report(user, stage, done, total);
}

void progress_start(progress *bar, bool quiet) {
    *bar = (progress){{bar, report}, !quiet && isatty(STDERR_FILENO), seconds_now(), 0, NULL};
    // A second interrupt kills outright.
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    if (alarm_pipe[0] < 0 && pipe(alarm_pipe) != 0)
        alarm_pipe[0] = alarm_pipe[1] = -1;
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
}

static void draw(const char *stage, double share) {
    int full = (int)(share * WIDTH);
    char line[WIDTH + 1];
    memset(line, '.', WIDTH);
    memset(line, '#', (size_t)full);
    line[WIDTH] = '\0';
    fprintf(stderr, "\r%-10s [%s] %3d%%", stage, line, (int)(share * 100));
    fflush(stderr);
    on_screen = true;
}

bool progress_report(progress *bar, const char *stage, int64_t done, int64_t total) {
    if (interrupted)
        return false;
    if (!bar->shown)
        return true;
    double now = seconds_now();
    if (!bar->stage || strcmp(stage, bar->stage) != 0)
        progress_clear();
    bar->stage = stage;
    if (total > 0 && now - bar->started >= WAIT_SECONDS && now - bar->drawn >= FRAME_SECONDS) {
        double share = (double)done / (double)total;
        draw(stage, share < 0 ? 0 : share > 1 ? 1 : share);
        bar->drawn = now;
    }
    return true;
}

bool progress_interrupted(void) {
    return interrupted != 0;
}

bool progress_wait(int file) {
    // Asking the flag and then reading would miss an interrupt between the two; the pipe remembers it.
    struct pollfd watched[] = {{file, POLLIN, 0}, {alarm_pipe[0], POLLIN, 0}};
    while (!interrupted && poll(watched, 2, -1) < 0 && errno == EINTR)
        continue;
    return !interrupted;
}

void progress_clear(void) {
    if (on_screen)
        fprintf(stderr, "\r%*s\r", WIDTH + 20, "");
    on_screen = false;
}

void progress_finish(void) {
    progress_clear();
    if (!interrupted)
        return;
    signal(SIGINT, SIG_DFL);
    raise(SIGINT);
}

bool succeeded(lf_status status, const lf_error *error) {
    progress_clear();
    if (status != LF_OK)
        message_status(status, error);
    return status == LF_OK;
}

// ---- Memory -------------------------------------------------------------------------------------

/// What stands before every block; as wide as the strictest alignment.
typedef struct block {
    _Alignas(16) struct block *next;
    struct block *before;
} block;

/// Bytes from which a block is mapped on its own, and huge pages may serve it.
#define HUGE_BLOCK ((size_t)4 << 20)

static block first = {&first, &first};

/// Huge pages for a large block, before it is written: a hint.
static void want_huge_pages(block *made, size_t bytes) {
#ifdef MADV_HUGEPAGE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = ((uintptr_t)made + page - 1) / page * page;
    if (bytes >= HUGE_BLOCK)
        (void)madvise((char *)made + (start - (uintptr_t)made), bytes - (start - (uintptr_t)made),
                      MADV_HUGEPAGE);
#else
    (void)made, (void)bytes;
#endif
}

static void *take(block *made, size_t count, size_t size) {
    bool fits = size == 0 || count <= (SIZE_MAX / 2 - sizeof(block)) / size;
    if (made) { // out of the list while it may move
        made->before->next = made->next;
        made->next->before = made->before;
        made = fits ? realloc(made, sizeof(block) + count * size) : NULL;
    } else {
        made = fits ? calloc(1, sizeof(block) + count * size) : NULL;
        if (made)
            want_huge_pages(made, sizeof(block) + count * size);
    }
    if (!made)
        exit(message_error("out of memory"));
    made->next = first.next;
    made->before = &first;
    first.next->before = made;
    first.next = made;
    return made + 1;
}

void *allocate(size_t count, size_t size) {
    return take(NULL, count, size);
}

void *allocate_more(void *block_, size_t count, size_t size) {
    return take(block_ ? (block *)block_ - 1 : NULL, count, size);
}

void *reserve(void *list, int64_t *capacity, int64_t count, size_t size) {
    if (count <= *capacity)
        return list;
    *capacity = count > 2 * *capacity ? count : 2 * *capacity;
    return allocate_more(list, (size_t)*capacity, size);
}

void free_all(void) {
    while (first.next != &first) {
        block *gone = first.next;
        first.next = gone->next;
        free(gone);
    }
    first.before = &first;
}
