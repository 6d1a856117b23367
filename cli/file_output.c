#include "file_output.h"
#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/// A device or a pipe cannot be renamed onto: it is written in place.
static bool is_special(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

bool file_output_open(file_output *file, const char *path) {
    size_t room = strlen(path) + 16;
    *file = (file_output){.path = path};
    bool special = is_special(path);
    file->part = special ? NULL : malloc(room);
    if (!special && !file->part) {
        message_error("out of memory");
        return false;
    }
    if (file->part)
        snprintf(file->part, room, "%s.part%ld", path, (long)getpid() % 1000000);
    int descriptor = open(special ? path : file->part, O_WRONLY | (special ? 0 : O_CREAT | O_EXCL), 0666);
    int fault = errno;
    if (descriptor >= 0 && output_open(&file->out, descriptor))
        return true;
    message_error("%s: %s", path, descriptor < 0 ? strerror(fault) : "out of memory");
    if (descriptor >= 0) {
        close(descriptor);
        if (file->part)
            unlink(file->part);
    }
    free(file->part);
    return false;
}

bool file_output_close(file_output *file, bool whole) {
    output_flush(&file->out);
    int fault = file->out.fault;
    if (!fault && file->part && fsync(file->out.file) != 0)
        fault = errno;
    if (close(file->out.file) != 0 && !fault)
        fault = errno;
    if (!fault && whole && file->part && rename(file->part, file->path) != 0)
        fault = errno;
    if (file->part && (fault || !whole))
        unlink(file->part);
    if (fault)
        message_error("%s: %s", file->path, strerror(fault));
    free(file->out.buffer);
    free(file->part);
    *file = (file_output){0};
    return !fault;
}

bool path_ends(const char *path, const char *ending) {
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ending) == 0;
}
