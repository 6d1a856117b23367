/// Writing and reading the sections of .lf files, and how each kind of object is stored in them.
#ifndef LF_STORE_SECTIONS_H
#define LF_STORE_SECTIONS_H

#include "base/containers.h"
#include "grid/guard.h"
#include "store/format.h"
#include <landfall/store.h>

// ---------------------------------------------------------------------------------------------------
// Writing sections
// ---------------------------------------------------------------------------------------------------

/// Receives bytes: for a checksum, and then for a file. Returns false to stop.
typedef struct lf__store_sink {
    bool (*take)(void *user, const void *data, size_t bytes);
    void *user;
} lf__store_sink;

/// A section to be written: from memory, or by a function that writes the same bytes every time it is called.
typedef struct lf__outgoing {
    lf__store_section entry;
    const void *data;
    lf_status (*give)(const void *thing, const lf__store_sink *sink, const lf_host *host);
    const void *thing;
} lf__outgoing;

/// All of a file.
typedef struct lf__writer {
    const lf_host *host;
    const char *path; ///< of the file
    lf_allocator allocator;
    lf__array sections; ///< of lf__outgoing
    lf__array owned;    ///< of lf__owned: memory to be freed at the end
    uint32_t part;
    lf__store_header header; ///< kind, parts, units are the caller's to fill in
    lf_status status;        ///< the first failure; afterwards no section is added
} lf__writer;

typedef struct lf__owned {
    void *memory;
    size_t bytes;
} lf__owned;

void lf__writer_add(lf__writer *writer, const char *name, bool must, const void *data, size_t bytes);
void lf__writer_add_given(lf__writer *writer, const char *name, size_t bytes,
                          lf_status (*give)(const void *thing, const lf__store_sink *sink,
                                            const lf_host *host),
                          const void *thing);

/// Allocate zeroed memory that lives as long as the writer; NULL and the status on failure.
void *lf__writer_take(lf__writer *writer, size_t bytes);

void lf__writer_free(lf__writer *writer);

/// Compute offsets, checksums and header, and write the file.
lf_status lf__writer_run(lf__writer *writer, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Reading sections
// ---------------------------------------------------------------------------------------------------

/// A file in memory whose header and table have been checked: every section lies within it.
typedef struct lf__reader {
    const uint8_t *data;
    size_t bytes;
    const lf__store_header *header;
    const lf__store_section *sections;
    const lf_host *host;
    bool checked; ///< completely: no part has to be checked again
} lf__reader;

/// A section of a part; empty where it is missing.
lf__bytes lf__reader_find(const lf__reader *reader, uint32_t part, const char *name);

/// A record of a part: its section must have exactly this size. Errors: LF_BAD_FORMAT.
lf_status lf__reader_record(const lf__reader *reader, uint32_t part, const char *name, void *record,
                            size_t bytes, lf_error *error);

/// A record of part 0 that is small enough to compare its checksum each time. Errors: LF_BAD_FORMAT.
lf_status lf__reader_small(const lf__reader *reader, const char *name, void *record, size_t bytes,
                           lf_error *error);

/// Check header, table and sizes. data is aligned to 64 bytes and stays valid. Errors: LF_BAD_FORMAT,
/// LF_UNSUPPORTED.
lf_status lf__reader_start(lf__reader *reader, const void *data, size_t bytes, const lf_host *host,
                           lf_error *error);

/// Compare the checksum of every section. Errors: LF_BAD_FORMAT names the section, LF_CANCELLED.
lf_status lf__reader_check(const lf__reader *reader, lf_error *error);

/// Compare the checksum of every section except those that are checked block by block as they are read. Errors:
/// LF_BAD_FORMAT names the section.
lf_status lf__reader_check_small(const lf__reader *reader, lf_error *error);

/// lf_store_open on memory that the caller owns.
lf_status lf__store_open_bytes(const void *data, size_t bytes, const lf_host *host, bool check,
                               lf_store **store, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Objects
// ---------------------------------------------------------------------------------------------------

lf_status lf__store_add_grid(lf__writer *writer, const lf_grid *grid, lf_error *error);

/// Errors: LF_BAD_ARGUMENT for pixels that are not those of the grid.
lf_status lf__store_add_pixels(lf__writer *writer, const lf_grid *grid, const lf_pixels *pixels,
                               lf_error *error);
lf_status lf__store_add_mesh(lf__writer *writer, const lf_mesh *mesh, lf_error *error);
lf_status lf__store_add_model(lf__writer *writer, const lf_model *model);
lf_status lf__store_add_group(lf__writer *writer, const lf_group *group, lf_error *error);

lf_status lf__store_read_grid(const lf__reader *reader, uint32_t part, lf_grid **grid, lf_error *error);

/// The layout of the pixels that the samples came from; `known` is false where the file has none: then north
/// up. Errors: LF_BAD_FORMAT.
lf_status lf__store_read_pixels(const lf__reader *reader, const lf_grid *grid, lf_pixels *pixels, bool *known,
                                lf_error *error);
lf_status lf__store_read_mesh(const lf__reader *reader, uint32_t part, lf_mesh **mesh, lf_error *error);
lf_status lf__store_read_model(const lf__reader *reader, uint32_t part, lf_model **model, lf_error *error);

/// The temporary data of a globe to be written; it must live until the file is written.
typedef struct lf__globe_spool lf__globe_spool;
lf_status lf__store_add_globe(lf__writer *writer, const lf_globe *globe, lf__globe_spool **spool,
                              lf_error *error);
void lf__globe_spool_free(lf__globe_spool *spool);

/// A globe whose tiles come from the file; both are to be freed, the globe first, also after an error.
typedef struct lf__globe_file lf__globe_file;
lf_status lf__store_read_globe(const lf__reader *reader, lf__globe_file **file, lf_globe **globe,
                               lf_error *error);

/// The number of void samples of all tiles; -1 where the file has no such section. Errors: LF_BAD_FORMAT.
lf_status lf__store_read_voids(const lf__reader *reader, int64_t *voids, lf_error *error);
void lf__globe_file_free(lf__globe_file *file);

/// The polygons of a mesh or model, in the mapped file. Errors: LF_BAD_FORMAT.
lf_status lf__store_read_polygons(const lf__reader *reader, uint32_t part, lf_polygons *polygons,
                                  lf_error *error);

/// The frame and the poses of a group. `poses` has space for one per part.
lf_status lf__store_read_group(const lf__reader *reader, lf_frame *frame, lf_pose *poses, lf_error *error);

/// What the parts of a group are, part by part; NULL: each is a ground of its own.
lf_status lf__store_read_parts(const lf__reader *reader, const lf__part_record **parts, lf_error *error);

lf__frame_record lf__frame_to_record(const lf_frame *frame);

/// Errors: LF_BAD_FORMAT for an invalid one.
lf_status lf__frame_from_record(const lf__frame_record *record, lf_frame *frame, lf_error *error);

#endif
