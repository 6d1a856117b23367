/// Other programs, run to their end: what they take of the processor and of memory.
#define _XOPEN_SOURCE 700 // nftw
#include "viewshed.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

bool view_program(const char *const *arguments, view_cost *cost) {
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
    cost->megabytes = (double)used.ru_maxrss / 1024;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void view_folder_open(char *path, size_t size) {
    const char *place = getenv("TMPDIR");
    snprintf(path, size, "%s/landfall-viewshed-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(path))
        bench_stop("no folder %s", path);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *level) {
    (void)about, (void)kind, (void)level;
    return remove(path);
}

void view_folder_close(const char *path) {
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

// ---------------------------------------------------------------------------------------------------
// The two commands
// ---------------------------------------------------------------------------------------------------

/// Peak memory and processor time of whole commands: reading the raster, and writing the result, are part of it.
void view_commands(bench_report *report, const view_question *q) {
    char folder[512], raster[600], ours[600], theirs[600], x[40], y[40], at[90], eye[40], target[40],
        name[160];
    snprintf(name, sizeof name, "%s command memory", q->field->name);
    if (!bench_wanted(report, name))
        return;
    view_folder_open(folder, sizeof folder);
    snprintf(raster, sizeof raster, "%s/ground.tif", folder);
    snprintf(ours, sizeof ours, "%s/ours.tif", folder);
    snprintf(theirs, sizeof theirs, "%s/theirs.tif", folder);
    view_gdal_save(q->field, q->spacing, raster);
    snprintf(x, sizeof x, "%.17g", q->spacing * (double)q->place.column);
    snprintf(y, sizeof y, "%.17g", q->spacing * (double)(q->field->samples - 1 - q->place.row));
    snprintf(at, sizeof at, "%s,%s", x, y);
    snprintf(eye, sizeof eye, "%.17g", q->place.height);
    snprintf(target, sizeof target, "%.17g", q->target);
    const char *const landfall[] = {LANDFALL_COMMAND, "viewshed", raster, "--at", at,   "--eye", eye,
                                    "--target",       target,     "--cc", "0",    "-o", ours,    NULL};
    const char *const gdal[] = {"gdal_viewshed", "-q",  "-ox", x,     "-oy", y,      "-oz",  eye, "-tz",
                                target,          "-cc", "0",   "-md", "0",   raster, theirs, NULL};
    view_cost mine, other;
    bool mine_done = view_program(landfall, &mine), other_done = view_program(gdal, &other);
    if (!mine_done)
        bench_stop("%s viewshed failed on %s", LANDFALL_COMMAND, q->field->name);
    if (other_done) {
        printf("\ncommands, %s, %s: landfall viewshed %.0f MB and %.2f s, gdal_viewshed %.0f MB and %.2f s\n",
               q->field->name, q->place.name, mine.megabytes, mine.seconds, other.megabytes, other.seconds);
        bench_bar(report, name, other.megabytes / mine.megabytes, 1);
    } else {
        printf("\ncommands: gdal_viewshed is not there, and skipped\n");
    }
    view_folder_close(folder);
}
