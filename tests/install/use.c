/// A stranger's program against the installed library: do header and library fit together? Also compiled as C++.
#include <landfall/io.h>
#include <landfall/landfall.h>
#include <landfall/omp.h>
#include <stdio.h>
#include <string.h>

static int wrong;

static void check(const char *what, bool fine) {
    printf("%-50s %s\n", what, fine ? "ok" : "WRONG");
    wrong += !fine;
}

static bool same_host(lf_host a, lf_host b) {
    return a.allocator == b.allocator && a.tasks == b.tasks && a.progress == b.progress && a.log == b.log;
}

static void check_version(void) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", LF_VERSION_MAJOR, LF_VERSION_MINOR, LF_VERSION_PATCH);
    check("lf_version() is that of the headers", strcmp(lf_version(), text) == 0);
}

/// The inline default and the exported one are the same, field by field.
static void check_polygon_file_def(void) {
    lf_polygon_file_def a = lf_polygon_file_def_default();
    lf_polygon_file_def b;
    memset(&b, 0x5a, sizeof b);
    lf_polygon_file_def_init(&b, sizeof b);
    check("both defaults of lf_polygon_file_def",
          a.size == sizeof a && a.size == b.size && same_host(a.host, b.host) && a.only == b.only &&
              a.only_count == b.only_count && a.tolerance == b.tolerance);
}

static void add_up(void *job, int64_t first, int64_t last, int worker) {
    int64_t *sums = (int64_t *)job;
    for (int64_t i = first; i < last; i++)
        sums[worker] += i;
}

static void check_tasks(void) {
    int64_t sums[2] = {0, 0};
    lf_tasks tasks = lf_tasks_openmp(2);
    tasks.run(tasks.user, 1000, 10, add_up, sums);
    check("a loop on lf_tasks_openmp(2)", sums[0] + sums[1] == 499500);
}

int main(void) {
    check_version();
    check_polygon_file_def();
    check_tasks();
    return wrong != 0;
}
