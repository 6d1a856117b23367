/// Errors, defs, tasks, memory, sizes and checksums: what every module uses of base beyond the public header.
#ifndef LF_BASE_BASE_H
#define LF_BASE_BASE_H

#include "base/arithmetic.h"
#include <landfall/base.h>
#include <stdarg.h>

// A build with a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LF__SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define LF__SANITIZED
#endif
#endif

// ---------------------------------------------------------------------------------------------------
// Errors, defs and the host's callbacks
// ---------------------------------------------------------------------------------------------------

/// Fill in an optional error and return its status: `return lf__fail(error, LF_..., index, "...")`.
lf_status lf__fail(lf_error *error, lf_status status, int64_t where, const char *format, ...) LF_PRINTF(4, 5);

/// Fill in an optional error with the text of the status itself.
lf_status lf__fail_plain(lf_error *error, lf_status status);

/// Copy a caller's def over the defaults. `given` starts with its own size. A size larger than full_size
/// comes from a newer landfall and is an error; fields beyond a smaller size keep their defaults.
lf_status lf__def_read(void *full, size_t full_size, const void *given, lf_error *error);

/// Run a loop through the host's tasks, or on this thread when it has none.
void lf__run(const lf_tasks *tasks, int64_t count, int64_t grain, lf_task *task, void *job);

/// Report progress; false means that the caller requested to stop.
bool lf__report(const lf_host *host, const char *stage, int64_t done, int64_t total);

/// Write a message to the host's log, if it has one.
void lf__log(const lf_host *host, lf_log_level level, const char *format, ...) LF_PRINTF(3, 4);

/// vsnprintf with a decimal point in every locale.
void lf__format(char *text, size_t size, const char *format, va_list arguments);

// ---------------------------------------------------------------------------------------------------
// Sizes: arithmetic that cannot wrap
// ---------------------------------------------------------------------------------------------------

/// product = a * b; false when that is beyond a size_t or beyond the difference of two pointers.
static inline bool lf__size_mul(size_t a, size_t b, size_t *product) {
    return !__builtin_mul_overflow(a, b, product) && *product <= (size_t)PTRDIFF_MAX;
}

/// sum = a + b, with the same check.
static inline bool lf__size_add(size_t a, size_t b, size_t *sum) {
    return !__builtin_add_overflow(a, b, sum) && *sum <= (size_t)PTRDIFF_MAX;
}

/// Bytes of `count` items of `item` bytes; false for negative counts and for too many.
static inline bool lf__size_array(int64_t count, size_t item, size_t *bytes) {
    return count >= 0 && (uint64_t)count <= (uint64_t)SIZE_MAX && lf__size_mul((size_t)count, item, bytes);
}

// ---------------------------------------------------------------------------------------------------
// Memory through the host's allocator
// ---------------------------------------------------------------------------------------------------

#define LF__CACHE_LINE 64

/// The host's allocator, or the default one when it has none.
lf_allocator lf__allocator_of(const lf_host *host);

/// Allocate `bytes` > 0 at an alignment, which is a power of two; NULL when there is no memory.
static inline void *lf__allocate(const lf_allocator *allocator, size_t bytes, size_t alignment) {
    return allocator->resize(allocator->user, NULL, 0, bytes, alignment);
}

/// Free a block, with the size and alignment that it was allocated with; NULL is allowed.
static inline void lf__free(const lf_allocator *allocator, void *block, size_t bytes, size_t alignment) {
    if (block)
        allocator->resize(allocator->user, block, bytes, 0, alignment);
}

/// Allocate an array of `count` items (space for one when it is 0), to be freed with the same count.
/// Errors: LF_TOO_LARGE, LF_NO_MEMORY.
lf_status lf__allocate_array(const lf_allocator *allocator, int64_t count, size_t item, void **array);
void lf__free_array(const lf_allocator *allocator, void *array, int64_t count, size_t item);

/// Set a block to zero. For results of some hundred bytes on fast paths: the instruction that compilers choose for an
/// assignment of that size (rep stos) takes longer than memset.
void lf__clear(void *block, size_t bytes);

/// The default allocator maps blocks of at least this size directly, on huge pages where the system has them, and
/// resizes them without copying.
#define LF__LARGE_SIZE ((size_t)4 << 20)

/// Large blocks start on multiples of this, so that they consist of whole huge pages.
#define LF__LARGE_ALIGNMENT ((size_t)2 << 20)

/// Is a block of this size and alignment mapped directly? Always false where the system does not support it.
bool lf__is_large(size_t size, size_t alignment);

/// Allocate, resize and free large blocks; both sizes of a resize are large. NULL: no memory, and the old
/// block stays.
void *lf__large_allocate(size_t size);
void *lf__large_resize(void *old, size_t old_size, size_t new_size);
void lf__large_free(void *block, size_t size);

/// Zeros of which only some parts will be written: a page takes memory once it is written, so `bytes` may exceed the
/// memory of the system. Not from the host's allocator, whose blocks take memory as a whole. NULL: refused.
void *lf__sparse_take(size_t bytes);
void lf__sparse_give(void *block, size_t bytes);

// ---------------------------------------------------------------------------------------------------
// Checksums
// ---------------------------------------------------------------------------------------------------

/// Borrowed memory.
typedef struct lf__bytes {
    const void *data;
    size_t size;
} lf__bytes;

/// XXH64 as defined at xxhash.com, the bytes read as little-endian: about a tenth of a nanosecond per byte. To
/// continue a checksum over the next block, pass it as the seed.
uint64_t lf__xxh64(const void *data, size_t bytes, uint64_t seed);

// ---------------------------------------------------------------------------------------------------
// Names of enum values
// ---------------------------------------------------------------------------------------------------

/// Defines a public function that returns the name of an enum value, from the list that defines the enum; "?" for any other
/// value. `name_case` is the one for the number of columns of the list, of which the third is the name.
#define LF__ENUM_NAME(function, type, list, name_case) \
    const char *function(type value) {                 \
        LF_NAME_OF(value, list, name_case);            \
    }
#define LF__NAME_CASE_5(identifier, value, name, count, text) LF_NAME_CASE_3(identifier, value, name)

/// The stride of the inputs of a batch as the caller gave it (0: packed, LF_STRIDE_SAME), in bytes. Outputs cannot
/// all be the same element: calls refuse LF_STRIDE_SAME for them.
static inline size_t lf__stride(size_t given, size_t size) {
    return given == 0 ? size : given == LF_STRIDE_SAME ? 0 : given;
}

#endif
