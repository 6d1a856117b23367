/// Writing with libraries that make files of their own, perhaps several: in a folder beside the place, moved out at the end.
#ifndef LF_IO_WRITE_FOLDER_H
#define LF_IO_WRITE_FOLDER_H

#include "base/base.h"

/// A folder being filled. Zero it, open it, let files be written, then commit; abort at the single exit in any case.
typedef struct lf__folder {
    lf_allocator allocator;
    char *texts; ///< one block: the final path, the folder, the path within it
    size_t texts_size;
    const char *path;   ///< where the file shall be, links followed
    const char *folder; ///< path + LF__PART, or that and 2 and so on
    const char *inside; ///< the file's name in that folder: write there
    int descriptor;     ///< of the folder, which is locked by it
    bool open;
} lf__folder;

/// Make the folder for what shall become `path`.
/// Errors: LF_IO_FAILED names the path and the system's reason, LF_UNSUPPORTED for devices and pipes, LF_NO_MEMORY,
/// LF_TOO_LARGE, LF_BAD_ARGUMENT.
lf_status lf__folder_open(lf__folder *folder, const char *path, const lf_host *host, lf_error *error);

/// May this file, which exists, be replaced?
typedef bool lf__folder_ask(void *user, const char *path);

/// Put everything in its place, the named file last. On failure the named file is the old one.
/// ask  asked for each existing file before anything is moved; NULL: all may be replaced
/// Errors: LF_IO_FAILED, LF_BAD_ARGUMENT where a file may not be replaced.
lf_status lf__folder_commit(lf__folder *folder, lf__folder_ask *ask, void *user, lf_error *error);

/// Remove the folder and what is in it, unless it has been committed. A zeroed one is fine.
void lf__folder_abort(lf__folder *folder);

#endif
