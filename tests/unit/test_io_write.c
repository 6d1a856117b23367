#include "base/beside.h"
#include "files.h"
#include "support.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/// Is this what the file holds?
static bool holds(const char *name, const char *text) {
    char *content = test_file_content(test_path(name), NULL);
    bool same = strcmp(content, text) == 0;
    free(content);
    return same;
}

static void write_file(const char *name, const char *text) {
    lf__beside beside;
    lf_error error;
    assert_int_equal(lf__beside_open(&beside, test_path(name), NULL, &error), LF_OK);
    assert_true(lf__beside_write(&beside, text, strlen(text)));
    assert_int_equal(lf__beside_commit(&beside, &error), LF_OK);
    lf__beside_abort(&beside);
}

static void a_commit_replaces_the_file_at_once(void **state) {
    (void)state;
    lf__beside beside;
    lf_error error;
    write_file("a", "old");
    assert_int_equal(lf__beside_open_named(&beside, test_path("a"), NULL, &error), LF_OK);
    assert_true(lf__beside_print(&beside, "%s %d", "new", 7));
    assert_true(test_file_exists("a.landfall-part"));
    assert_true(holds("a", "old"));
    assert_int_equal(lf__beside_commit(&beside, &error), LF_OK);
    assert_true(holds("a", "new 7"));
    assert_false(test_file_exists("a.landfall-part"));
}

/// A file without a name until it is complete: a writer that is killed leaves nothing, not even for the next one to take away.
static void a_killed_writer_leaves_nothing(void **state) {
    (void)state;
    lf__beside beside;
    assert_int_equal(lf__beside_open(&beside, test_path("k"), NULL, NULL), LF_OK);
    bool nameless = beside.nameless;
    lf__beside_abort(&beside);
    if (!nameless) {
        printf("skipped: no files without a name in this folder\n");
        return;
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (lf__beside_open(&beside, test_path("k"), NULL, NULL) == LF_OK)
            lf__beside_write(&beside, "half", 4);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(test_file_exists("k") || test_file_exists("k.landfall-part"));
    write_file("k", "whole");
    write_file("k", "again");
    assert_true(holds("k", "again"));
    assert_false(test_file_exists("k.landfall-part"));
}

static void an_abort_leaves_the_old_file(void **state) {
    (void)state;
    lf__beside beside = {0};
    lf__beside_abort(&beside);
    write_file("a", "old");
    assert_int_equal(lf__beside_open(&beside, test_path("a"), NULL, NULL), LF_OK);
    lf__beside_write(&beside, "half", 4);
    lf__beside_abort(&beside);
    assert_true(holds("a", "old"));
    assert_false(test_file_exists("a.landfall-part"));
}

static void two_writers_do_not_meet(void **state) {
    (void)state;
    lf__beside first, second;
    assert_int_equal(lf__beside_open(&first, test_path("b"), NULL, NULL), LF_OK);
    assert_int_equal(lf__beside_open(&second, test_path("b"), NULL, NULL), LF_OK);
    lf__beside_write(&first, "1", 1);
    lf__beside_write(&second, "22", 2);
    assert_int_equal(lf__beside_commit(&second, NULL), LF_OK);
    assert_true(holds("b", "22"));
    assert_int_equal(lf__beside_commit(&first, NULL), LF_OK);
    assert_true(holds("b", "1"));
    assert_false(test_file_exists("b.landfall-part") || test_file_exists("b.landfall-part2"));
}

/// A writer that was killed holds no lock: the next one goes on in its file, which is longer, and nothing piles up.
static void what_a_killed_writer_left_is_taken_over(void **state) {
    (void)state;
    test_text_file("c.landfall-part", "half of something long");
    write_file("c", "whole");
    assert_true(holds("c", "whole"));
    assert_false(test_file_exists("c.landfall-part"));
    assert_int_equal(mkfifo(test_path("d.landfall-part"), 0600), 0); // nobody's file, and none of ours
    write_file("d", "whole");
    assert_true(holds("d", "whole"));
    assert_true(test_file_exists("d.landfall-part"));
}

static void more_than_a_buffer(void **state) {
    (void)state;
    lf__beside beside;
    size_t size = 200001;
    char *big = malloc(size);
    assert_non_null(big);
    memset(big, 'x', size);
    assert_int_equal(lf__beside_open(&beside, test_path("big"), NULL, NULL), LF_OK);
    for (int i = 0; i < 70000; i++)
        assert_true(lf__beside_write(&beside, "y", 1));
    assert_true(lf__beside_write(&beside, big, size));
    assert_true(lf__beside_write(&beside, big, 0));
    assert_int_equal(lf__beside_commit(&beside, NULL), LF_OK);
    struct stat about;
    assert_int_equal(stat(test_path("big"), &about), 0);
    assert_int_equal(about.st_size, 270001);
    free(big);
}

static void a_link_is_followed_and_a_device_written_in_place(void **state) {
    (void)state;
    write_file("target", "old");
    const char *link = test_path("link");
    assert_int_equal(symlink("target", link), 0);
    write_file("link", "through the link");
    assert_true(holds("target", "through the link"));
    struct stat about;
    assert_int_equal(lstat(test_path("link"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    lf__beside beside;
    assert_int_equal(lf__beside_open(&beside, "/dev/null", NULL, NULL), LF_OK);
    assert_true(lf__beside_write(&beside, "gone", 4));
    assert_int_equal(lf__beside_commit(&beside, NULL), LF_OK);
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
}

static void what_cannot_be_written_is_refused(void **state) {
    (void)state;
    lf__beside beside;
    lf_error error;
    assert_int_equal(lf__beside_open(&beside, "", NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf__beside_open(&beside, NULL, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf__beside_open(&beside, test_path("."), NULL, &error), LF_IO_FAILED);
    assert_non_null(strstr(error.text, "directory"));
    assert_int_equal(lf__beside_open(&beside, test_path("no/such/folder"), NULL, &error), LF_IO_FAILED);
    assert_non_null(strstr(error.text, "no/such/folder"));
    assert_int_equal(symlink("nowhere", test_path("dangling")), 0);
    assert_int_equal(lf__beside_open(&beside, test_path("dangling"), NULL, &error), LF_IO_FAILED);
}

/// A full disk shows at the commit, and nothing is left behind.
static void a_full_disk(void **state) {
    (void)state;
    lf__beside beside;
    lf_error error;
    if (access("/dev/full", W_OK) != 0) {
        fprintf(stderr, "skipped: no /dev/full here\n");
        return;
    }
    assert_int_equal(lf__beside_open(&beside, "/dev/full", NULL, &error), LF_OK);
    assert_true(lf__beside_write(&beside, "x", 1));
    assert_int_equal(lf__beside_commit(&beside, &error), LF_IO_FAILED);
    assert_non_null(strstr(error.text, "/dev/full"));
    assert_int_equal(lf__beside_open(&beside, test_path("long"), NULL, &error), LF_OK);
    assert_false(lf__beside_print(&beside, "%600d", 1));
    assert_int_equal(lf__beside_commit(&beside, &error), LF_IO_FAILED);
    assert_false(test_file_exists("long") || test_file_exists("long.landfall-part"));
}

static lf_status attempt_write(const lf_host *host, void *user) {
    (void)user;
    lf__beside beside;
    lf_status status = lf__beside_open(&beside, test_path("memory"), host, NULL);
    if (status == LF_OK)
        status = lf__beside_commit(&beside, NULL);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    test_out_of_memory(attempt_write, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_commit_replaces_the_file_at_once),
        cmocka_unit_test(an_abort_leaves_the_old_file),
        cmocka_unit_test(a_killed_writer_leaves_nothing),
        cmocka_unit_test(two_writers_do_not_meet),
        cmocka_unit_test(what_a_killed_writer_left_is_taken_over),
        cmocka_unit_test(more_than_a_buffer),
        cmocka_unit_test(a_link_is_followed_and_a_device_written_in_place),
        cmocka_unit_test(what_cannot_be_written_is_refused),
        cmocka_unit_test(a_full_disk),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests_name("io write", tests, test_folder_make, test_folder_remove);
}
