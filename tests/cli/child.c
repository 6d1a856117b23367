#define _GNU_SOURCE // ptrace, and the numbers of system calls
#include "child.h"
#include "support.h"
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 40
#define NOBODY 65534

// ---------------------------------------------------------------------------------------------------
// The child
// ---------------------------------------------------------------------------------------------------

static void suffer(child_mode mode) {
    struct rlimit none = {0, 0};
    if (mode == CHILD_FULL && setrlimit(RLIMIT_FSIZE, &none) != 0)
        _exit(99);
    if (mode == CHILD_NOBODY && geteuid() == 0 &&
        (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
        _exit(99);
    if (mode == CHILD_TRACED && (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 || raise(SIGSTOP) != 0))
        _exit(99);
}

static void be_child(const char *text, child_mode mode, int out, int err) {
    char *words[WORDS + 1] = {"landfall"}, *copy = strdup(text);
    int count = 1;
    for (char *word = copy; word && count < WORDS; count++) {
        words[count] = word;
        word = strchr(word, ' ');
        if (word)
            *word++ = '\0';
    }
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    // No more than these: libraries that the parent has used keep files open, and would take others for them.
    close(nothing);
    close(out);
    close(err);
    suffer(mode);
    _exit(landfall_main(count, words));
}

// ---------------------------------------------------------------------------------------------------
// Watching it
// ---------------------------------------------------------------------------------------------------

#ifdef PTRACE_GET_SYSCALL_INFO

/// Is the child about to change what is on the disk?
static bool is_change(pid_t child) {
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof info, &info) <= 0 ||
        info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return false;
    switch (info.entry.nr) {
    case SYS_write:
        return info.entry.args[0] > STDERR_FILENO;
    case SYS_openat:
        return (info.entry.args[2] & (O_CREAT | O_TRUNC)) != 0;
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_ftruncate:
    case SYS_fsync:
    case SYS_unlinkat:
    case SYS_renameat2:
    case SYS_mkdirat:
#ifdef SYS_rename // older machines have these as well
    case SYS_rename:
    case SYS_unlink:
    case SYS_mkdir:
#endif
        return true;
    default:
        return false;
    }
}

static void watch(pid_t child, int kill_at, child_end *end, int *status) {
    waitpid(child, status, 0);
    if (!WIFSTOPPED(*status))
        return;
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    for (int deliver = 0; WIFSTOPPED(*status);) {
        ptrace(PTRACE_SYSCALL, child, NULL, (void *)(intptr_t)deliver);
        waitpid(child, status, 0);
        bool call = WIFSTOPPED(*status) && WSTOPSIG(*status) == (SIGTRAP | 0x80);
        deliver = WIFSTOPPED(*status) && !call ? WSTOPSIG(*status) : 0;
        if (call && is_change(child) && ++end->changes == kill_at) {
            end->killed = kill(child, SIGKILL) == 0;
            waitpid(child, status, 0);
        }
    }
}

#else

static void watch(pid_t child, int kill_at, child_end *end, int *status) {
    (void)kill_at;
    (void)end;
    waitpid(child, status, 0);
}

#endif

bool child_can_trace(void) {
#ifdef PTRACE_GET_SYSCALL_INFO
    child_end end = child_run("--version", CHILD_TRACED, 0);
    return end.status == 0;
#else
    return false;
#endif
}

// ---- Control groups -----------------------------------------------------------------------------

static char group[512]; ///< folder of the group that children enter, or empty

static bool write_group(const char *name, int64_t number) {
    char path[640], text[32];
    snprintf(path, sizeof path, "%s/%s", group, name);
    int file = open(path, O_WRONLY | O_CLOEXEC),
        length = snprintf(text, sizeof text, "%lld", (long long)number);
    bool fine = file >= 0 && write(file, text, (size_t)length) == length;
    if (file >= 0)
        close(file);
    return fine;
}

/// Make a group below that of this process: in the second version of control groups or in the first.
static bool make_group(int64_t bytes) {
    char line[400];
    FILE *list = fopen("/proc/self/cgroup", "re");
    bool made = false;
    while (list && !made && fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = '\0';
        char *first = strstr(line, ":memory:");
        const char *own = first ? first + 8 : strncmp(line, "0::", 3) == 0 ? line + 3 : NULL;
        if (!own)
            continue;
        snprintf(group, sizeof group, "/sys/fs/cgroup%s%s/landfall-%d", first ? "/memory" : "", own,
                 (int)getpid());
        made = mkdir(group, 0755) == 0;
        if (made && !write_group(first ? "memory.limit_in_bytes" : "memory.max", bytes)) {
            rmdir(group);
            made = false;
        }
    }
    if (list)
        fclose(list);
    return made;
}

bool child_limit(int64_t bytes) {
    if (group[0])
        rmdir(group);
    group[0] = '\0';
    if (bytes == 0 || make_group(bytes))
        return true;
    group[0] = '\0';
    return false;
}

static void read_text(int file, char *text, size_t space) {
    size_t used = 0;
    ssize_t got;
    while (used + 1 < space && (got = read(file, text + used, space - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(file);
}

child_end child_run(const char *words, child_mode mode, int kill_at) {
    child_end end = {.status = -1};
    int out[2], err[2], status = 0;
    assert_int_equal(pipe(out), 0);
    assert_int_equal(pipe(err), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(out[0]); // else it would be a reader itself
        close(err[0]);
        if (group[0] && !write_group("cgroup.procs", (int64_t)getpid()))
            _exit(99);
        be_child(words, mode, out[1], err[1]);
    }
    close(out[1]);
    close(err[1]);
    if (mode == CHILD_UNHEARD)
        close(out[0]);
    if (mode == CHILD_TRACED)
        watch(child, kill_at, &end, &status);
    if (mode != CHILD_UNHEARD)
        read_text(out[0], end.printed, sizeof end.printed);
    read_text(err[0], end.said, sizeof end.said);
    struct rusage used = {0};
    if (mode != CHILD_TRACED && wait4(child, &status, 0, &used) == child)
        end.most_bytes = (int64_t)used.ru_maxrss * 1024;
    if (WIFEXITED(status))
        end.status = WEXITSTATUS(status);
    return end;
}
