#include "files.h"
#include "support.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[256];

int test_folder_make(void **state) {
    (void)state;
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/landfall-test-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

int test_folder_remove(void **state) {
    (void)state;
    DIR *entries = opendir(folder);
    if (!entries)
        return -1;
    for (struct dirent *entry; (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(test_path(entry->d_name));
    closedir(entries);
    return rmdir(folder);
}

const char *test_path(const char *name) {
    static char paths[4][1024];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *test_file(const char *name, const void *data, size_t size) {
    const char *path = test_path(name);
    unlink(path); // some file systems wait for the disk when a file is emptied and written again
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

const char *test_text_file(const char *name, const char *text) {
    return test_file(name, text, strlen(text));
}

bool test_file_exists(const char *name) {
    return access(test_path(name), F_OK) == 0;
}

char *test_file_content(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *content = malloc(length + 1);
    assert_non_null(content);
    assert_int_equal(fread(content, 1, length, file), length);
    fclose(file);
    content[length] = 0;
    if (size)
        *size = length;
    return content;
}
