// How many threads landfall-omp takes by default: OMP_NUM_THREADS, the processors that the process may run
// on, and the quota of its control groups.
#define _GNU_SOURCE // sched_setaffinity
#include "support.h"
#include <fcntl.h>
#include <landfall/omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/// What limits a child. A control group: its folder, and the file that takes processes.
typedef struct limits {
    const char *variable; ///< OMP_NUM_THREADS, or NULL
    int processors;       ///< 0: all
    const char *group;    ///< NULL: that of this process
} limits;

static bool write_text(const char *folder, const char *name, const char *text) {
    char path[640];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool fine = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0)
        close(file);
    return fine;
}

/// Start this program again within the limits: OpenMP looks at the processors when a program starts.
static void be_child(const limits *limits) {
    char number[32];
    cpu_set_t set;
    CPU_ZERO(&set);
    int taken = 0;
    cpu_set_t all;
    bool fine = sched_getaffinity(0, sizeof all, &all) == 0;
    for (int k = 0; fine && k < CPU_SETSIZE && taken < limits->processors; k++)
        if (CPU_ISSET(k, &all)) {
            CPU_SET(k, &set);
            taken++;
        }
    fine = fine && (limits->processors == 0 || sched_setaffinity(0, sizeof set, &set) == 0);
    snprintf(number, sizeof number, "%d", (int)getpid());
    fine = fine && (!limits->group || write_text(limits->group, "cgroup.procs", number));
    fine = fine && (limits->variable ? setenv("OMP_NUM_THREADS", limits->variable, 1) == 0
                                     : unsetenv("OMP_NUM_THREADS") == 0);
    if (fine)
        execl("/proc/self/exe", "test_omp_limits", "workers", (char *)NULL);
    _exit(99);
}

/// The threads that a program within the limits would use.
static int workers_within(const limits *limits) {
    int status = -1;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        be_child(limits);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 99);
    return WEXITSTATUS(status);
}

static void variable_and_processors(void **state) {
    (void)state;
    assert_int_equal(workers_within(&(limits){.processors = 1}), 1);
    assert_int_equal(workers_within(&(limits){.variable = "3"}), 3);
    assert_int_equal(workers_within(&(limits){.variable = "3", .processors = 1}), 3);
}

/// Make a control group below that of this process whose quota is `tenths` of a processor. False: this cannot be done here.
static bool make_group(char *group, size_t space, int tenths) {
    char line[400], text[64];
    FILE *list = fopen("/proc/self/cgroup", "re");
    bool made = false;
    while (list && !made && fgets(line, sizeof line, list)) {
        char *names = strchr(line, ':'), *own = names ? strchr(names + 1, ':') : NULL;
        line[strcspn(line, "\n")] = '\0';
        if (!own)
            continue;
        *own++ = '\0';
        bool second = !names[1];
        if (!second && strncmp(names, ":cpu", 4) != 0)
            continue;
        snprintf(group, space, "/sys/fs/cgroup%s%s%s/landfall-omp-%d", second ? "" : "/", names + 1,
                 own[1] ? own : "", (int)getpid());
        if (mkdir(group, 0755) != 0)
            continue;
        snprintf(text, sizeof text, second ? "%d 100000" : "%d", tenths * 10000);
        made = write_text(group, second ? "cpu.max" : "cpu.cfs_quota_us", text);
        if (!made)
            rmdir(group);
    }
    if (list)
        fclose(list);
    return made;
}

static void quota_of_a_group(void **state) {
    (void)state;
    char group[600];
    int processors = workers_within(&(limits){0});
    for (int tenths = 5; tenths <= 15; tenths += 5) { // a half, one, one and a half
        if (!make_group(group, sizeof group, tenths)) {
            print_message("skipped: the quota of a control group, which cannot be made here\n");
            return;
        }
        int workers = workers_within(&(limits){.group = group});
        rmdir(group);
        int allowed = (tenths + 9) / 10;
        assert_int_equal(workers, allowed < processors ? allowed : processors);
    }
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "workers") == 0)
        return lf_tasks_openmp(0).workers < 99 ? lf_tasks_openmp(0).workers : 98;
    const struct CMUnitTest tests[] = {cmocka_unit_test(variable_and_processors),
                                       cmocka_unit_test(quota_of_a_group)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
