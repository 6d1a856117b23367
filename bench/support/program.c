/// Other programs, run to their end: what they take of the processor and of memory.
#define _XOPEN_SOURCE 700 // nftw
#include "program.h"
#include "support.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool bench_program(const char *const *arguments, bench_cost *cost) {
    const char *launched[64] = {LANDFALL_LAUNCH};
    int count = 1, ends[2], status;
    while (arguments[count - 1] && count < 63) {
        launched[count] = arguments[count - 1];
        count++;
    }
    if (pipe(ends) != 0)
        bench_stop("no pipe for %s", arguments[0]);
    pid_t child = fork();
    if (child < 0)
        bench_stop("no process for %s", arguments[0]);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(launched[0], (char *const *)(uintptr_t)launched);
        _exit(127);
    }
    close(ends[1]);
    FILE *printed = fdopen(ends[0], "r");
    bool read =
        printed && fscanf(printed, "%lf %lf %lf", &cost->seconds, &cost->elapsed, &cost->megabytes) == 3;
    if (printed)
        fclose(printed);
    if (waitpid(child, &status, 0) != child || !read)
        bench_stop("%s got lost", arguments[0]);
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
