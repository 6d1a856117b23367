/// The main of a fuzz target where there is no libFuzzer: feeds it every file of the folders that are named.
#include "fuzz.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool replay_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    bool fine = false;
    uint8_t *data = NULL;
    long size = -1;
    if (fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0)
        data = malloc(size > 0 ? (size_t)size : 1);
    if (data && fread(data, 1, (size_t)size, file) == (size_t)size) {
        LLVMFuzzerTestOneInput(data, (size_t)size);
        fine = true;
    }
    free(data);
    fclose(file);
    return fine;
}

/// The number of files replayed; -1 when something could not be read.
static int replay_folder(const char *folder) {
    DIR *listing = opendir(folder);
    if (!listing) {
        fprintf(stderr, "%s: %s\n", folder, strerror(errno));
        return -1;
    }
    int count = 0;
    for (struct dirent *entry; count >= 0 && (entry = readdir(listing));) {
        if (entry->d_name[0] == '.')
            continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        printf("%s\n", path);
        fflush(stdout); // so that the last line names the file that broke something
        if (!replay_file(path)) {
            fprintf(stderr, "%s: %s\n", path, strerror(errno));
            count = -1;
        } else {
            count++;
        }
    }
    closedir(listing);
    return count;
}

int main(int count, char **folders) {
    int files = 0;
    for (int i = 1; i < count; i++) {
        int more = replay_folder(folders[i]);
        if (more < 0)
            return 2;
        files += more;
    }
    printf("%d files replayed\n", files);
    return files > 0 ? 0 : 2;
}
