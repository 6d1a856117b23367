/// Files that tests make: a folder of their own under the system's temporary folder, removed at the end.
#ifndef LF_TESTS_FILES_H
#define LF_TESTS_FILES_H

#include <stdbool.h>
#include <stddef.h>

/// Group setup and teardown for cmocka.
int test_folder_make(void **state);
int test_folder_remove(void **state);

/// The path of a file in the folder, in one of four static buffers used in turn.
const char *test_path(const char *name);

/// Write a file in the folder; returns its path as test_path does.
const char *test_file(const char *name, const void *data, size_t size);
const char *test_text_file(const char *name, const char *text);

bool test_file_exists(const char *name);

/// All bytes of a file anywhere, with a zero behind them; free it. size is optional.
char *test_file_content(const char *path, size_t *size);

#endif
