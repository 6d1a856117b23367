/// .lf files: their bytes, writing and reading their sections, and how each kind of object is stored in them.
#ifndef LF_STORE_SECTIONS_H
#define LF_STORE_SECTIONS_H

#include "base/base.h"
#include "base/containers.h"
#include "base/paged.h"
#include "grid/guard.h"
#include <landfall/store.h>

// ---------------------------------------------------------------------------------------------------
// The file as bytes (docs/formats/lf.md describes it)
// ---------------------------------------------------------------------------------------------------

// Header, table of sections, sections. All numbers are little-endian and aligned to their size. Unused bytes
// are 0.

#define LF__STORE_MAJOR 1
#define LF__STORE_MINOR 1

/// From this minor version on bounds of grids with voids hold the triangles beside them too.
#define LF__STORE_MINOR_TRIANGLES 1

/// Detects transfers as text: a byte beyond ASCII, both kinds of line ends, an end of file.
#define LF__STORE_MAGIC "\x89LF\r\n\x1a\n"

/// Large sections begin at multiples of this, so that systems with large pages can map them; others at
/// multiples of 64.
#define LF__STORE_ALIGNMENT 65536
#define LF__STORE_SMALL 64

/// The most sections of a file.
#define LF__STORE_SECTIONS 65536

typedef struct lf__store_header {
    char magic[8];
    uint16_t major, minor;
    uint32_t kind; ///< lf_store_kind
    uint64_t bytes;
    uint64_t checksum; ///< of header and table, with 0 here
    uint64_t hash;     ///< of the content
    uint32_t section_count;
    uint32_t part_count;
    double xy_unit, z_unit;    ///< metres that a unit of the source had
    uint32_t point;            ///< 1: the source's pixels were points
    uint32_t degrees;          ///< 1: x and y are degrees of longitude and latitude,
    double radius, flattening; ///< on this ellipsoid
    uint8_t reserved[40];
} lf__store_header;

#define LF__SECTION_MUST 1u ///< a reader that does not know this section cannot read the file

typedef struct lf__store_section {
    char name[8]; ///< filled up with 0
    uint32_t flags;
    uint32_t part; ///< of a group; 0
    uint64_t offset, bytes;
    uint64_t checksum;
    uint64_t quick; ///< XXH64 of its bytes; 0: not known
    uint8_t reserved[16];
} lf__store_section;

typedef struct lf__frame_record {
    uint32_t kind, reserved;
    double origin[3], down[3];
} lf__frame_record;

typedef struct lf__grid_record {
    int64_t columns, rows;
    uint32_t surface, extend, leaf, codec, type, repeated;
    double scale, offset;
    double origin[2], per_column[2], per_row[2];
    int64_t hole_count;
    double lowest, highest, base, quantum;
    double max_error, largest_error, mean_square_error;
    double turn;
    uint8_t reserved[80];
} lf__grid_record;

/// Before the planes: only for the kernels of some processors, so it is not part of the content.
typedef struct lf__planes_record {
    double steepest;
    uint8_t reserved[8];
} lf__planes_record;

/// The pixels of the raster that a grid came from: not part of the content.
typedef struct lf__pixels_record {
    double geotransform[6];
    int64_t window[4]; ///< column, row, columns, rows
    int64_t columns, rows;
    uint32_t transposed, flip_columns, flip_rows, georeferenced, nodata_given, reserved_word;
    double nodata;
} lf__pixels_record;

typedef struct lf__mesh_record {
    int64_t vertex_count, polygon_count, corner_count;
    double tolerance;
    lf__frame_record frame;
    uint32_t structure, compact;
    int64_t max_polygons;
    uint32_t max_depth, cut, turn, reserved_word;
    uint8_t reserved[136];
} lf__mesh_record;

typedef struct lf__model_record {
    int64_t vertex_count, polygon_count, corner_count;
    uint32_t sectors, layers;
    double centre[3];
    uint8_t reserved[200];
} lf__model_record;

typedef struct lf__group_record {
    lf__frame_record frame;
    uint8_t reserved[200];
} lf__group_record;

typedef struct lf__globe_record {
    uint32_t root_columns, root_rows, level_count, reserved_word;
    int64_t tile_count;
    uint8_t reserved[232];
} lf__globe_record;

enum { LF__TILE_RECORD_NONE, LF__TILE_RECORD_FLOAT, LF__TILE_RECORD_INT16, LF__TILE_RECORD_TIN };

/// A tile of a globe; in the order of keys.
typedef struct lf__tile_record {
    uint64_t key; ///< level << 58 | column << 29 | row
    uint32_t type, children;
    uint32_t columns, rows; ///< samples; of a TIN vertices and triangles
    double west, south, per_column, per_row;
    double low, high; ///< of this tile and all below it
    uint64_t offset;  ///< of its samples
} lf__tile_record;

typedef struct lf__pose_record {
    double rows[9], translation[3];
} lf__pose_record;

/// A part of a group that is more than a ground in its place.
typedef struct lf__part_record {
    uint32_t kind; ///< lf__part_kind
    uint32_t layers;
    uint64_t user;
    uint64_t same;          ///< of LF__PART_SAME: an earlier part
    double low[3], high[3]; ///< of LF__PART_BOX
} lf__part_record;

typedef enum lf__part_kind {
    LF__PART_GROUND,
    LF__PART_BOX,
    LF__PART_SAME,
    LF__PART_FILE, ///< a file within this one: a group or a globe
    LF__PART_KINDS
} lf__part_kind;

/// Files within files, at most so deep.
#define LF__STORE_DEEPEST 16

_Static_assert(sizeof(lf__part_record) == 72, "as documented");
_Static_assert(sizeof(lf__store_header) == 128 && sizeof(lf__store_section) == 64, "as documented");
_Static_assert(sizeof(lf__grid_record) == 256 && sizeof(lf__mesh_record) == 256, "as documented");
_Static_assert(sizeof(lf__globe_record) == 256 && sizeof(lf__tile_record) == 80, "as documented");
_Static_assert(sizeof(lf__pixels_record) == 128, "as documented");
_Static_assert(sizeof(lf__model_record) == 256 && sizeof(lf__group_record) == 256, "as documented");

/// FNV-1a of 64 bits, continued from a previous sum; start with LF__STORE_SEED.
#define LF__STORE_SEED 14695981039346656037u
static inline uint64_t lf__store_sum(uint64_t sum, const void *data, size_t bytes) {
    const uint8_t *at = data;
    for (size_t k = 0; k < bytes; k++)
        sum = (sum ^ at[k]) * 1099511628211u;
    return sum;
}

/// The hash of the content: names, parts and checksums of all mandatory sections, in their order.
static inline uint64_t lf__store_hash(uint64_t hash, const lf__store_section *section) {
    if (!(section->flags & LF__SECTION_MUST))
        return hash;
    hash = lf__store_sum(hash, section->name, sizeof section->name);
    hash = lf__store_sum(hash, &section->part, sizeof section->part);
    return lf__store_sum(hash, &section->checksum, sizeof section->checksum);
}

static inline bool lf__store_little_endian(void) {
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 1;
}

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
    lf__array files;    ///< of lf__written: files to be removed at the end
    uint32_t part;
    lf__store_header header; ///< kind, parts, units are the caller's to fill in
    lf_status status;        ///< the first failure; afterwards no section is added
} lf__writer;

typedef struct lf__owned {
    void *memory;
    size_t bytes;
} lf__owned;

/// A file that was written to be a part of another.
typedef struct lf__written {
    char *path;
    size_t path_bytes;
    lf_map map;
} lf__written;

void lf__writer_add(lf__writer *writer, const char *name, bool must, const void *data, size_t bytes);
void lf__writer_add_given(lf__writer *writer, const char *name, size_t bytes,
                          lf_status (*give)(const void *thing, const lf__store_sink *sink,
                                            const lf_host *host),
                          const void *thing);

/// Write what `def` says to a file beside the writer's own, and add it as the section "file" of a part.
lf_status lf__writer_add_file(lf__writer *writer, const lf_store_def *def, lf_error *error);

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
    bool checked;     ///< completely: no part has to be checked again
    int depth;        ///< in how many other files it is
    lf__paged *paged; ///< reads its bytes; NULL: they are in memory
} lf__reader;

/// A section of a part; empty where it is missing.
lf__bytes lf__reader_find(const lf__reader *reader, uint32_t part, const char *name);

/// A record of a part: its section must have exactly this size. Errors: LF_BAD_FORMAT.
lf_status lf__reader_record(const lf__reader *reader, uint32_t part, const char *name, void *record,
                            size_t bytes, lf_error *error);

/// A record of part 0 that is small enough to compare its checksum each time. Errors: LF_BAD_FORMAT.
lf_status lf__reader_small(const lf__reader *reader, const char *name, void *record, size_t bytes,
                           lf_error *error);

/// Check header, table and sizes. data is aligned to 64 bytes and stays valid; of `paged`, or NULL in memory. Errors:
/// LF_BAD_FORMAT, LF_UNSUPPORTED, and failures to read.
lf_status lf__reader_start(lf__reader *reader, lf__bytes data, lf__paged *paged, const lf_host *host,
                           lf_error *error);

/// Compare the checksum of every section. Errors: LF_BAD_FORMAT names the section, LF_CANCELLED.
lf_status lf__reader_check(const lf__reader *reader, lf_error *error);

/// Compare the checksum of every section except those that are checked block by block as they are read. Errors:
/// LF_BAD_FORMAT names the section.
lf_status lf__reader_check_small(const lf__reader *reader, lf_error *error);

/// Compare the checksums of a mesh whose sections are otherwise checked block by block. Errors: LF_BAD_FORMAT.
lf_status lf__reader_check_mesh(const lf__reader *reader, uint32_t part, lf_error *error);

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

/// The polygons of a mesh or model, in the mapped file. They are checked, unless they are known to be undamaged. Errors:
/// LF_BAD_FORMAT.
lf_status lf__store_read_polygons(const lf__reader *reader, uint32_t part, bool known, lf_polygons *polygons,
                                  lf_error *error);

/// The frame and the poses of a group. `poses` has space for one per part.
lf_status lf__store_read_group(const lf__reader *reader, lf_frame *frame, lf_pose *poses, lf_error *error);

/// What the parts of a group are, part by part; NULL: each is a ground of its own.
lf_status lf__store_read_parts(const lf__reader *reader, const lf__part_record **parts, lf_error *error);

lf__frame_record lf__frame_to_record(const lf_frame *frame);

/// Errors: LF_BAD_FORMAT for an invalid one.
lf_status lf__frame_from_record(const lf__frame_record *record, lf_frame *frame, lf_error *error);

#endif
