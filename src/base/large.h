/// Large blocks straight from the system: on huge pages where it has them, and moved without copying.
#ifndef LF_BASE_LARGE_H
#define LF_BASE_LARGE_H

#include <stdbool.h>
#include <stddef.h>

/// Blocks from here on are large.
#define LF__LARGE_SIZE ((size_t)4 << 20)

/// Where large blocks start, so that whole huge pages fit.
#define LF__LARGE_ALIGNMENT ((size_t)2 << 20)

/// Is a block of this size and alignment one for this file? Always false where the system offers nothing.
bool lf__is_large(size_t size, size_t alignment);

/// Take, resize and give large blocks; both sizes of a resize are large. NULL for "no memory": the old block then stays.
void *lf__large_take(size_t size);
void *lf__large_resize(void *old, size_t old_size, size_t new_size);
void lf__large_give(void *block, size_t size);

#endif
