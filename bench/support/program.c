/// Other programs, run to their end: what they take of the processor and of memory.
#define _XOPEN_SOURCE 700 // nftw
#include "program.h"
#include "support.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double wall_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool bench_program(const char *const *arguments, bench_cost *cost) {
    double start = wall_clock();
    pid_t child = fork();
    if (child < 0)
        bench_stop("no process for %s", arguments[0]);
    if (child == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, STDIN_FILENO);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        execvp(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    struct rusage used;
    int status;
    if (wait4(child, &status, 0, &used) != child)
        bench_stop("%s got lost", arguments[0]);
    cost->seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                    1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    cost->elapsed = wall_clock() - start;
    cost->megabytes = (double)used.ru_maxrss / 1024;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void bench_folder_open(char *path, size_t size) {
    const char *place = getenv("TMPDIR");
    snprintf(path, size, "%s/landfall-bench-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(path))
        bench_stop("no folder %s", path);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *level) {
    (void)about, (void)kind, (void)level;
    return remove(path);
}

void bench_folder_close(const char *path) {
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
