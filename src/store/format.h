/// The .lf file as bytes; docs/formats/lf.md describes it.
///
/// Header, table of sections, sections. All numbers are little-endian and aligned to their size. Unused bytes
/// are 0.
#ifndef LF_STORE_FORMAT_H
#define LF_STORE_FORMAT_H

#include "base/base.h"

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

typedef enum lf__part_kind { LF__PART_GROUND, LF__PART_BOX, LF__PART_SAME, LF__PART_KINDS } lf__part_kind;

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

#endif
