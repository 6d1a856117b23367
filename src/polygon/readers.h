/// The readers: each fills a soup. Vertices come out finite, corners in range, precision set.
#ifndef LF_IO_READERS_H
#define LF_IO_READERS_H

#include "polygon/soup.h"

/// PLY from memory: ascii, binary of either byte order.
/// Errors: LF_BAD_FORMAT with the offending line (header, ascii) or byte (binary), LF_NO_MEMORY, LF_TOO_LARGE,
/// LF_CANCELLED.
lf_status lf__ply_read(const void *data, size_t size, lf__soup *soup, lf_error *error);

/// OBJ from memory. Errors: LF_BAD_FORMAT with the offending line, LF_NO_MEMORY, LF_CANCELLED.
lf_status lf__obj_read(const void *data, size_t size, lf__soup *soup, lf_error *error);

/// A format that Assimp reads for us.
typedef struct lf__assimp_format {
    const char *name;     ///< "STL"
    const char *ending;   ///< lower case, without the dot
    const char *importer; ///< the start of what Assimp calls its importer
    bool y_up;            ///< Assimp hands it over with y up
    bool numbered;        ///< Assimp numbers its meshes instead of naming them
    /// Finds what Assimp would let pass: truncation, corners out of range, content of another kind. Or NULL.
    lf_status (*check)(const lf_map *map, lf_error *error);
} lf__assimp_format;

/// The checks of the formats. Errors: LF_BAD_FORMAT with the offending line or byte.
lf_status lf__stl_check(const lf_map *map, lf_error *error);
lf_status lf__off_check(const lf_map *map, lf_error *error);
lf_status lf__gltf_check(const lf_map *map, lf_error *error);
lf_status lf__glb_check(const lf_map *map, lf_error *error);
lf_status lf__3ds_check(const lf_map *map, lf_error *error);

/// The format for a file's ending, in any case; NULL when it is none of Assimp's.
const lf__assimp_format *lf__assimp_format_of(const char *ending);

/// Read a file through Assimp. Only the process for that does it: a damaged file may end Assimp in any way.
/// Errors: LF_BAD_FORMAT with Assimp's reason, LF_NO_MEMORY, LF_CANCELLED.
lf_status lf__assimp_read(const char *path, const lf__assimp_format *format, lf__soup *soup, lf_error *error);

/// The same through a process of its own, with limits of memory and time, whose polygons are checked here.
/// map     the same file, for a look at it before
/// Errors: LF_BAD_FORMAT with Assimp's reason, or that it crashed or exceeded a limit; LF_UNSUPPORTED where there is no such program;
/// LF_IO_FAILED, LF_NO_MEMORY, LF_CANCELLED.
lf_status lf__reader_run(const char *path, const lf_map *map, const lf__assimp_format *format, lf__soup *soup,
                         lf_error *error);

// ---------------------------------------------------------------------------------------------------
// From one process to the other: this, then vertices, corners, starts, users, and names with a 0 behind each
// ---------------------------------------------------------------------------------------------------

#define LF__READER_MAGIC 0x31305245444145u

typedef struct lf__reader_head {
    uint64_t magic;
    int64_t status, where; ///< of an error
    char text[256];
    int64_t vertices, corners, polygons, names, name_bytes;
    int64_t dropped;
    double precision;
    int64_t single;
} lf__reader_head;

/// Limits of the process: bytes of address space and seconds of processor time for a file of so many bytes.
#define LF__READER_MEMORY(size) (((uint64_t)4 << 30) + 64 * (uint64_t)(size))
#define LF__READER_SECONDS(size) (60 + (uint64_t)(size) / 1000000)

#endif
