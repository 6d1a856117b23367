/// What each kind of thing is written as, and read from.
#ifndef LF_STORE_SECTIONS_H
#define LF_STORE_SECTIONS_H

#include "grid/stored.h"
#include "store/write.h"
#include <landfall/store.h>

/// A file in memory whose header and table have been checked: every section lies within it.
typedef struct lf__reader {
    const uint8_t *data;
    size_t bytes;
    const lf__store_header *header;
    const lf__store_section *sections;
    const lf_host *host;
    bool checked; ///< all of it: nothing has to be checked again
} lf__reader;

/// A section of a part; nothing where there is none.
lf__bytes lf__reader_find(const lf__reader *reader, uint32_t part, const char *name);

/// A record of a part: its section has just this size. Errors: LF_BAD_FORMAT.
lf_status lf__reader_record(const lf__reader *reader, uint32_t part, const char *name, void *record,
                            size_t bytes, lf_error *error);

/// A record of part 0 that is small enough to compare its checksum each time. Errors: LF_BAD_FORMAT.
lf_status lf__reader_small(const lf__reader *reader, const char *name, void *record, size_t bytes,
                           lf_error *error);

lf_status lf__store_add_grid(lf__writer *writer, const lf_grid *grid, lf_error *error);

/// Errors: LF_BAD_ARGUMENT for pixels that are not those of the grid.
lf_status lf__store_add_pixels(lf__writer *writer, const lf_grid *grid, const lf_pixels *pixels,
                               lf_error *error);
lf_status lf__store_add_mesh(lf__writer *writer, const lf_mesh *mesh, lf_error *error);
lf_status lf__store_add_model(lf__writer *writer, const lf_model *model);
lf_status lf__store_add_group(lf__writer *writer, const lf_group *group, lf_error *error);

lf_status lf__store_read_grid(const lf__reader *reader, uint32_t part, lf_grid **grid, lf_error *error);

/// How the pixels lay that the samples came from; `known` is false where the file does not say, and they are north up. Errors: LF_BAD_FORMAT.
lf_status lf__store_read_pixels(const lf__reader *reader, const lf_grid *grid, lf_pixels *pixels, bool *known,
                                lf_error *error);
lf_status lf__store_read_mesh(const lf__reader *reader, uint32_t part, lf_mesh **mesh, lf_error *error);
lf_status lf__store_read_model(const lf__reader *reader, uint32_t part, lf_model **model, lf_error *error);

/// What a globe is written from; it has to live until everything is written.
typedef struct lf__globe_spool lf__globe_spool;
lf_status lf__store_add_globe(lf__writer *writer, const lf_globe *globe, lf__globe_spool **spool,
                              lf_error *error);
void lf__globe_spool_free(lf__globe_spool *spool);

/// A globe whose tiles come from the file; both are to be freed, the globe first, also after an error.
typedef struct lf__globe_file lf__globe_file;
lf_status lf__store_read_globe(const lf__reader *reader, lf__globe_file **file, lf_globe **globe,
                               lf_error *error);

/// Samples of tiles without a height; -1 where the file does not say. Errors: LF_BAD_FORMAT.
lf_status lf__store_read_voids(const lf__reader *reader, int64_t *voids, lf_error *error);
void lf__globe_file_free(lf__globe_file *file);

/// The polygons of a mesh or model, as they lie in the file. Errors: LF_BAD_FORMAT.
lf_status lf__store_read_polygons(const lf__reader *reader, uint32_t part, lf_polygons *polygons,
                                  lf_error *error);

/// The frame and the poses of a group: as many as there are parts, which `poses` has room for.
lf_status lf__store_read_group(const lf__reader *reader, lf_frame *frame, lf_pose *poses, lf_error *error);

lf__frame_record lf__frame_to_record(const lf_frame *frame);

/// Errors: LF_BAD_FORMAT for one that there cannot be.
lf_status lf__frame_from_record(const lf__frame_record *record, lf_frame *frame, lf_error *error);

#endif
