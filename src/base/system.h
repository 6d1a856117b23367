/// What base needs of the operating system. Implemented in *_posix.c and *_windows.c, of which the other ones are empty.
#ifndef LF_BASE_SYSTEM_H
#define LF_BASE_SYSTEM_H

#include "base/beside.h"
#if !defined(_WIN32)
#include <pthread.h>
#endif

// ---------------------------------------------------------------------------------------------------
// Time and locks
// ---------------------------------------------------------------------------------------------------

/// Seconds since some moment.
double lf__clock(void);

#if defined(_WIN32)
typedef struct lf__mutex {
    void *state; ///< an SRWLOCK
} lf__mutex;
#else
typedef pthread_mutex_t lf__mutex;
#endif

/// False: the system has no more of them.
bool lf__mutex_create(lf__mutex *mutex);
void lf__mutex_destroy(lf__mutex *mutex);
void lf__mutex_lock(lf__mutex *mutex);
void lf__mutex_unlock(lf__mutex *mutex);

// ---------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------

/// Blocks at an alignment above that of malloc, a power of two; size is a multiple of it.
void *lf__aligned_allocate(size_t size, size_t alignment);
void lf__aligned_free(void *block);

/// Does the system map large blocks? Elsewhere mappings cannot be moved, and sanitizers check blocks of malloc only: then all
/// blocks come from malloc.
#if defined(__linux__) && !defined(LF__SANITIZED)
#define LF__LARGE_BLOCKS
#endif

// ---------------------------------------------------------------------------------------------------
// Files. Paths are UTF-8. Functions that return an int return 0 or errno, if nothing else is said.
// ---------------------------------------------------------------------------------------------------

/// Map a regular file for reading. LF_IO_FAILED, LF_TOO_LARGE and LF_NO_MEMORY name the path.
lf_status lf__view_open(const char *path, lf_map *map, lf_error *error);
void lf__view_close(lf_map *map);

/// Give an open file a size of `bytes` where it has less (`had`), with disk space for all of it, and map it for writing. NULL:
/// no space.
void *lf__file_map(int file, size_t had, size_t bytes);
void lf__file_unmap(void *base, size_t bytes);

/// All bytes of `data`.
int lf__file_write(int file, const char *data, size_t size);

/// What is at a path that will be written.
typedef struct lf__destination {
    const char *path;    ///< after symbolic links
    bool special;        ///< a device or a pipe, to be written directly
    char resolved[4096]; ///< what path points to, where it is a link
} lf__destination;
int lf__destination_find(const char *path, lf__destination *target);

/// Write the name of the part, with a number from the second attempt on, behind the path of the target.
void lf__part_name(lf__beside *beside, int attempt);

/// Open the file that is written to: `special` the target itself, otherwise its part, which needs a name now when `named`.
/// Sets descriptor, part and nameless.
int lf__place_open(lf__beside *beside, bool special, bool named);

/// Everything is written: sync the part and rename it to its target, or remove it after a failure; close it.
int lf__place_finish(lf__beside *beside);
void lf__place_discard(lf__beside *beside);

#endif
