/// Writing a file under a temporary name next to its target and renaming it at the end: the target is the old
/// file or the complete new one, never a part of it.
#ifndef LF_BASE_BESIDE_H
#define LF_BASE_BESIDE_H

#include "base/base.h"

/// A file being written. Zero it, open it, write, then commit; abort at the single exit in any case.
typedef struct lf__beside {
    lf_allocator allocator;
    char *paths; ///< one block: the target's path, then the temporary one
    size_t paths_size;
    const char *path;
    const char *part; ///< NULL when the target is a device or a pipe, which cannot be renamed onto
    bool nameless;    ///< the part has no name yet: it gets one when it is complete
    char *buffer;
    size_t used;
    int descriptor;
    int failure; ///< errno of the first write that failed; later writes do nothing
    bool open;
} lf__beside;

/// The suffix of the temporary file or folder, and the space that it needs with a number and the terminating zero.
#define LF__PART ".landfall-part"
#define LF__PART_SPACE 20
/// The number of writers to one path at the same time.
#define LF__PART_TRIES 99

/// Lock a temporary file for as long as the descriptor is open. A killed writer holds no lock, so its file is
/// reused and temporary files do not accumulate.
/// fresh  it was created just now: then it is ours even where the file system has no locks False when another
///        writer uses it, or has just renamed it.
bool lf__part_claim(int descriptor, const char *part, bool fresh);

/// Open an unnamed file in a folder; it is deleted when it is closed. -1 and errno on failure.
int lf__nameless_open(const char *folder);

/// The same in the folder of a path.
int lf__nameless_beside(const char *path);

/// Start writing the file `path`. The new file is unnamed until it is complete (O_TMPFILE), so that a killed
/// writer leaves nothing. Just before the rename it is named path + LF__PART, followed by 2 and so on when
/// other writers use that name. Where the file system has no unnamed files, it has that name from the start.
/// A symbolic link is followed; a device or a pipe is written directly.
/// host    optional
/// Errors: LF_IO_FAILED names the path and the system's reason, LF_NO_MEMORY, LF_TOO_LARGE, LF_BAD_ARGUMENT.
lf_status lf__beside_open(lf__beside *beside, const char *path, const lf_host *host, lf_error *error);

/// The same for writers that need a file name: `part` exists from the start.
lf_status lf__beside_open_named(lf__beside *beside, const char *path, const lf_host *host, lf_error *error);

/// Append bytes. False after a failure, which the commit reports.
bool lf__beside_write(lf__beside *beside, const void *data, size_t size);

/// Append formatted text of at most 511 characters. Not for numbers with a decimal point, which printf writes by
/// the locale; see number.h.
bool lf__beside_print(lf__beside *beside, const char *format, ...) LF_PRINTF(2, 3);

/// Sync the file to disk and rename it to its target. Closes it in any case; on failure the temporary file is
/// removed and the old file stays.
/// Errors: LF_IO_FAILED.
lf_status lf__beside_commit(lf__beside *beside, lf_error *error);

/// Discard the file unless it has been committed. A zeroed struct is allowed.
void lf__beside_abort(lf__beside *beside);

#endif
