/// Runs a program without a sound, and prints what it took: processor seconds, elapsed seconds, megabytes at its peak.
///
/// A benchmark starts this program, and this one the measured program: the peak of a process counts what its parent had in memory when it
/// was started, and a benchmark has its rasters there.
#define _DEFAULT_SOURCE // wait4
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double launch_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
    struct rusage used;
    int status;
    if (argc < 2)
        return 2;
    double start = launch_clock();
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, STDIN_FILENO);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child)
        return 2;
    double elapsed = launch_clock() - start;
    double seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    printf("%.9g %.9g %.9g\n", seconds, elapsed, (double)used.ru_maxrss / 1024);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
