/// landfall/base.h: what all modules share: status codes, reasons, errors, hooks of the caller (memory, tasks, progress,
/// log), mapped files, instruction sets, numbers as text, version.
#ifndef LANDFALL_BASE_H
#define LANDFALL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LF_API __attribute__((visibility("default")))
#if defined(__MINGW32__)
#define LF_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define LF_PRINTF(text, first) __attribute__((format(printf, text, first)))
#endif
#else
#define LF_API
#define LF_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LF_VERSION_MAJOR 0
#define LF_VERSION_MINOR 2
#define LF_VERSION_PATCH 0

/// The library's version as "MAJOR.MINOR.PATCH".
/// Never NULL; static text. Allocates nothing. Threads: any.
LF_API const char *lf_version(void);

// ---------------------------------------------------------------------------------------------------
// Status and reason
// ---------------------------------------------------------------------------------------------------

/// Every status: identifier, value, text. 0 is success, above 0 an incomplete result, below 0 a failure.
/// A miss is a result, not a failure.
#define LF_STATUS_LIST(X)                                                    \
    X(LF_OK, 0, "ok")                                                        \
    X(LF_PARTIAL, 1, "more answers than the caller's buffer holds")          \
    X(LF_BAD_ARGUMENT, -1, "an argument is out of its bounds")               \
    X(LF_NO_MEMORY, -2, "out of memory")                                     \
    X(LF_TOO_LARGE, -3, "a size is beyond what can be held")                 \
    X(LF_IO_FAILED, -4, "a file could not be read or written")               \
    X(LF_BAD_FORMAT, -5, "a file's content is not what its format asks for") \
    X(LF_BAD_GEOMETRY, -6, "geometry that cannot be ground")                 \
    X(LF_UNSUPPORTED, -7, "this build or this format does not offer that")   \
    X(LF_CANCELLED, -8, "cancelled by the caller")

typedef enum lf_status {
#define LF_STATUS_ENUM(name, value, text) name = value,
    LF_STATUS_LIST(LF_STATUS_ENUM)
#undef LF_STATUS_ENUM
} lf_status;

/// The name of a status, such as "LF_NO_MEMORY"; "LF_?" for any other value.
/// Static text. Allocates nothing. Threads: any.
LF_API const char *lf_status_name(lf_status status);

/// A description of a status in one line; never NULL.
/// Static text. Allocates nothing. Threads: any.
LF_API const char *lf_status_text(lf_status status);

/// Reasons why a query found no ground: identifier, value, name (which the command prints).
#define LF_REASON_LIST(X)                \
    X(LF_REASON_ANSWERED, 0, "answered") \
    X(LF_REASON_OUTSIDE, 1, "outside")   \
    X(LF_REASON_HOLE, 2, "hole")         \
    X(LF_REASON_NONE, 3, "none")         \
    X(LF_REASON_NOT_LOADED, 4, "not_loaded")

/// Of the lists that define enums, the case of a value whose name is in the third of three columns.
#define LF_NAME_CASE_3(identifier, value, name) \
    case identifier:                            \
        return name;
/// The same of four columns.
#define LF_NAME_CASE_4(identifier, value, name, text) LF_NAME_CASE_3(identifier, value, name)
/// Returns the name of an enum value, from the list that defines the enum; "?" for any other value.
#define LF_NAME_OF(value, list, name_case) \
    switch (value) { list(name_case) }     \
    return "?"

typedef enum lf_reason {
#define LF_REASON_ENUM(name, value, word) name = value,
    LF_REASON_LIST(LF_REASON_ENUM)
#undef LF_REASON_ENUM
} lf_reason;

/// The name of a reason, such as "hole"; "?" for any other value.
/// Static text. Allocates nothing. Threads: any.
LF_API const char *lf_reason_name(lf_reason reason);

/// Strides of batches are in bytes from one element to the next; 0: packed. This constant, for inputs only: the first
/// element is used for all.
#define LF_STRIDE_SAME SIZE_MAX

/// Description of an error, written by calls that take an optional lf_error *.
typedef struct lf_error {
    lf_status status; ///< what failed
    int64_t where;    ///< index, line or byte that offends; -1 when there is no such place
    char text[256];   ///< one line that names the offending value
} lf_error;

// ---------------------------------------------------------------------------------------------------
// The host: hooks of the caller
// ---------------------------------------------------------------------------------------------------

/// Memory. One function allocates (old is NULL), frees (new_size is 0) and resizes. alignment is a power of two, the same for the lifetime of a block. It returns NULL when
/// there is no memory. Blocks are not zeroed. It must not change the object that it allocates for. Threads: it is called on the thread that called landfall, and with tasks on
/// their workers, several at once; it must be safe for that unless the host has no tasks and all that was made with it is used on one thread.
typedef struct lf_allocator {
    void *user; ///< passed to the callbacks
    void *(*resize)(void *user, void *old, size_t old_size, size_t new_size, size_t alignment); ///< see above
} lf_allocator;

/// One share of a parallel loop: the indices first <= i < last, on worker 0 <= worker < workers.
typedef void lf_task(void *job, int64_t first, int64_t last, int worker);

/// A parallel loop over 0 <= i < count in shares of about `grain` indices; returns when all are done.
/// Two shares that run at the same time have different worker numbers.
typedef struct lf_tasks {
    void *user;  ///< passed to the callbacks
    int workers; ///< largest number of worker threads
    void (*run)(void *user, int64_t count, int64_t grain, lf_task *task,
                void *job); ///< runs the loop, returns when all are done
} lf_tasks;

/// Progress and cancellation. Called from time to time on the thread that called landfall. stage is a name such as "build".
/// If it returns false, the call undoes what it did and returns LF_CANCELLED.
typedef struct lf_progress {
    void *user;                                                                 ///< passed to the callbacks
    bool (*report)(void *user, const char *stage, int64_t done, int64_t total); ///< false cancels
} lf_progress;

/// Importance of a message.
typedef enum lf_log_level { LF_LOG_NOTE, LF_LOG_WARNING } lf_log_level;

/// Receives messages that are neither results nor errors, such as "single precision costs 3 mm here".
typedef struct lf_log {
    void *user;                                                      ///< passed to the callbacks
    void (*write)(void *user, lf_log_level level, const char *text); ///< called with each message
} lf_log;

/// All hooks together, part of every def struct. NULL selects the default: malloc, one thread, no progress, no log. The
/// hooks must outlive the object made with them.
typedef struct lf_host {
    const lf_allocator *allocator; ///< memory; NULL: malloc
    const lf_tasks *tasks;         ///< parallel loops; NULL: one thread
    const lf_progress *progress;   ///< progress and cancelling; NULL: none
    const lf_log *log;             ///< messages; NULL: none
} lf_host;

// ---------------------------------------------------------------------------------------------------
// Files and processor
// ---------------------------------------------------------------------------------------------------

/// A file mapped for reading.
typedef struct lf_map {
    const void *data; ///< NULL for an empty file
    size_t size;      ///< in bytes
} lf_map;

/// Map a whole file for reading.
/// path   a regular file
/// map    written only on success; close it with lf_map_close
/// error  optional
/// Errors: LF_IO_FAILED names the path and the system's reason; LF_TOO_LARGE beyond the address space; LF_NO_MEMORY (with the
/// size of the file) where a limit on address space is too low.
/// If another process truncates the file, reading past its new end raises SIGBUS.
/// Allocates nothing. Threads: any.
LF_API lf_status lf_map_open(const char *path, lf_map *map, lf_error *error);

/// Close a mapping; NULL and a zeroed map are accepted. The map is zeroed.
/// Allocates nothing. Threads: one per map.
LF_API void lf_map_close(lf_map *map);

/// A stretch of a source's bytes, and where to put them.
typedef struct lf_source_range {
    uint64_t offset; ///< in the source
    size_t bytes;    ///< > 0
    void *data;      ///< written by lf_source.read
} lf_source_range;

/// A file that is read in ranges: on a server, in an archive, in memory.
typedef struct lf_source {
    void *user;     ///< passed to read and close
    uint64_t bytes; ///< of the file; constant
    /// Read ranges, in ascending order and within the file. Returns LF_OK when all bytes have been written, or a failure, with
    /// a text that names the file. Calls never overlap, but come from any thread that queries.
    lf_status (*read)(void *user, const lf_source_range *ranges, int64_t count, lf_error *error);
    void (*close)(void *user); ///< called once, by what the source was given to; or NULL
} lf_source;

/// Memory on a disk: an allocator whose large blocks are in unnamed files. The system writes them to the disk when memory
/// is short, so that data may be larger than memory, at the speed of the disk. The files vanish with the process, however
/// it ends.
typedef struct lf_disk lf_disk;

/// Create an allocator on a disk.
/// folder  writable, with space for the blocks
/// from    bytes, > 0: smaller blocks are allocated by malloc
/// disk    written only on success; close it when all blocks have been freed
/// error   optional
/// On a full disk allocations fail (LF_NO_MEMORY).
/// Errors: LF_BAD_ARGUMENT, LF_IO_FAILED names the folder and the system's reason, LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_disk_open(const char *folder, size_t from, lf_disk **disk, lf_error *error);

/// The allocator, for lf_host; valid as long as the disk. Threads: any number at once.
LF_API const lf_allocator *lf_disk_allocator(const lf_disk *disk);

/// Close the allocator; NULL is accepted. Threads: no other thread may use it.
LF_API void lf_disk_close(lf_disk *disk);

/// Instruction sets that kernels exist for, in ascending order.
typedef enum lf_isa { LF_ISA_SCALAR, LF_ISA_AVX2, LF_ISA_AVX512 } lf_isa;

/// The best instruction set of this machine, limited by the environment variable LANDFALL_ISA (scalar, avx2, avx512; any
/// other value counts as scalar). Objects read it once, when they are created. Results do not depend on it.
/// Allocates nothing. Threads: any, as long as no other thread changes the environment.
LF_API lf_isa lf_isa_best(void);

/// "scalar", "avx2" or "avx512"; "?" for anything else.
/// Static text. Allocates nothing. Threads: any.
LF_API const char *lf_isa_name(lf_isa isa);

// ---------------------------------------------------------------------------------------------------
// Numbers as text
// ---------------------------------------------------------------------------------------------------

/// Read the number at the start of a text, the same in every locale: sign, digits with a point, exponent; or "inf"
/// or "nan". Nothing is skipped before it.
/// text, end  the characters from text up to, not including, end; no NUL is needed
/// value      written only when there is a number: the nearest double (ties to even) for any number of digits,
///            infinite beyond the largest
/// Returns the first character after the number; NULL without a number. Allocates nothing. Threads: any.
LF_API const char *lf_number_read(const char *text, const char *end, double *value);

/// Space for any number that lf_number_write writes, with its closing zero.
#define LF_NUMBER_SIZE 32

/// Write a number with as few digits (at most 17) as restore the same bits when it is read, the same in every locale:
/// as JavaScript does, from 1e-6 up to 1e21 without an exponent ("1e+21" beyond), but minus zero is "-0";
/// "inf", "-inf" and "nan" for those.
/// Returns the length without the closing zero. Allocates nothing. Threads: any.
LF_API size_t lf_number_write(double value, char text[LF_NUMBER_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
