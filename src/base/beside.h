/// Writing a file beside its place and renaming it at the end: the place holds the old file or the whole new
/// one, never half of it.
#ifndef LF_BASE_BESIDE_H
#define LF_BASE_BESIDE_H

#include "base/base.h"

/// A file being written. Zero it, open it, write, then commit; abort at the single exit in any case.
typedef struct lf__beside {
    lf_allocator allocator;
    char *paths; ///< one block: the final path, then the path beside it
    size_t paths_size;
    const char *path;
    const char *part; ///< NULL when the place is a device or a pipe, which cannot be renamed onto
    bool nameless;    ///< the part has no name yet: it gets one when it is complete
    char *buffer;
    size_t used;
    int descriptor;
    int failure; ///< errno of the first write that failed; later writes do nothing
    bool open;
} lf__beside;

/// What is added to a path for the file or folder beside it, and room for a number behind that and its end.
#define LF__PART ".landfall-part"
#define LF__PART_ROOM 20
/// So many writers at once.
#define LF__PART_TRIES 99

/// Is what lies beside a place ours? It is locked for as long as the descriptor is open. A writer that was killed holds no
/// lock: what it left is taken over, and so nothing piles up.
/// fresh  it was made just now: ours too where the file system knows no locks
/// False when somebody else writes there, or has just put it in its place.
bool lf__part_claim(int descriptor, const char *part, bool fresh);

/// A file without a name in a folder, which vanishes with its last user; -1 and errno where there can be none.
int lf__nameless_open(const char *folder);

/// Likewise in the folder of a path: for what is on its way there.
int lf__nameless_beside(const char *path);

/// Start writing what shall become `path`. The new file has no name until it is complete (O_TMPFILE), so that nothing is left of a writer that is
/// killed; it gets one, path + LF__PART (with a 2 and so on behind it when somebody else writes there) in the same folder, just before it is
/// renamed. Where the file system has no files without a name it has that name from the start. A symbolic link is followed; a device or a pipe is written in place.
/// host    optional
/// Errors: LF_IO_FAILED names the path and the system's reason, LF_NO_MEMORY, LF_TOO_LARGE, LF_BAD_ARGUMENT.
lf_status lf__beside_open(lf__beside *beside, const char *path, const lf_host *host, lf_error *error);

/// The same for those who write by name: `part` is there from the start.
lf_status lf__beside_open_named(lf__beside *beside, const char *path, const lf_host *host, lf_error *error);

/// Append bytes. A failure is kept and reported by the commit; false tells that there has been one.
bool lf__beside_write(lf__beside *beside, const void *data, size_t size);

/// Append formatted text of at most 511 characters. Numbers with a decimal point do not belong here: printf
/// writes them as the locale wants; see number.h.
bool lf__beside_print(lf__beside *beside, const char *format, ...) LF_PRINTF(2, 3);

/// Put the file in its place: everything is on the disk before the rename. Closes in any case; on failure
/// nothing is left behind and the old file stays.
/// Errors: LF_IO_FAILED.
lf_status lf__beside_commit(lf__beside *beside, lf_error *error);

/// Drop what has been written, unless it has been committed. A zeroed one is fine.
void lf__beside_abort(lf__beside *beside);

#endif
