#define _XOPEN_SOURCE 700 // for terminals of our own making
/// The progress bar on a terminal, and the interrupt. Each test runs in a child whose standard error is a terminal
/// of our own making.
#include "cli.h"
#include "support.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pause_seconds(double seconds) {
    struct timespec wait = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&wait, NULL);
}

/// Run a scene in a child on a terminal; what it wrote is in `screen`, its wait status is returned.
static int on_terminal(int (*scene)(void), char *screen, size_t space) {
    int master = open("/dev/ptmx", O_RDWR | O_NOCTTY);
    assert_true(master >= 0);
    assert_int_equal(grantpt(master), 0);
    assert_int_equal(unlockpt(master), 0);
    int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(terminal, STDERR_FILENO);
        _exit(scene());
    }
    close(terminal);
    size_t used = 0;
    ssize_t got;
    while (used + 1 < space && (got = read(master, screen + used, space - 1 - used)) > 0)
        used += (size_t)got;
    screen[used] = '\0';
    close(master);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static int64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Work of ten seconds, of which it does the first one and a half; its share is its time, so that the bar tells
/// when it was drawn.
static int slow_scene(void) {
    progress bar;
    int64_t started = milliseconds_now(), gone;
    progress_start(&bar, false);
    do {
        pause_seconds(0.02);
        gone = milliseconds_now() - started;
        if (!bar.hook.report(bar.hook.user, "build", gone, 10000))
            return 1;
    } while (gone < 1500);
    progress_finish();
    return 0;
}

static int quick_scene(void) {
    progress bar;
    progress_start(&bar, false);
    bool going = progress_report(&bar, "build", 0, 10) && progress_report(&bar, "build", 10, 10);
    progress_finish();
    return going ? 0 : 1;
}

static int quiet_scene(void) {
    progress bar;
    progress_start(&bar, true);
    progress_report(&bar, "build", 0, 10);
    pause_seconds(1.2);
    progress_report(&bar, "build", 5, 10);
    progress_finish();
    return 0;
}

static int interrupted_scene(void) {
    progress bar;
    progress_start(&bar, true);
    if (!progress_report(&bar, "build", 0, 10))
        return 1;
    raise(SIGINT);
    if (!progress_interrupted() || progress_report(&bar, "build", 1, 10))
        return 2;
    progress_finish(); // does not return
    return 3;
}

static void a_bar_after_a_second(void **state) {
    (void)state;
    static char screen[1 << 16];
    int status = on_terminal(slow_scene, screen, sizeof screen);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const char *first = strstr(screen, "build      [");
    assert_non_null(first);
    const char *percent = strchr(first, '%');
    assert_non_null(percent);
    assert_true(strtol(percent - 3, NULL, 10) >= 10); // nothing in the first second
    assert_true(strstr(first, "[####") != NULL);
    assert_int_equal(screen[strlen(screen) - 1], '\r');
}

static void no_bar_before(void **state) {
    (void)state;
    static char screen[1 << 12];
    assert_int_equal(on_terminal(quick_scene, screen, sizeof screen), 0);
    assert_string_equal(screen, "");
    assert_int_equal(on_terminal(quiet_scene, screen, sizeof screen), 0);
    assert_string_equal(screen, "");
}

static void an_interrupt_cancels(void **state) {
    (void)state;
    static char screen[1 << 12];
    int status = on_terminal(interrupted_scene, screen, sizeof screen);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGINT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_bar_after_a_second),
                                       cmocka_unit_test(no_bar_before),
                                       cmocka_unit_test(an_interrupt_cancels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
