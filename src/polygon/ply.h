/// What the parts of the PLY reader share: the header as it was understood.
#ifndef LF_IO_PLY_H
#define LF_IO_PLY_H

#include "polygon/soup.h"
#include "polygon/text.h"

#define LF__PLY_ELEMENTS 64
#define LF__PLY_PROPERTIES 1024

typedef enum lf__ply_encoding { LF__PLY_ASCII, LF__PLY_LITTLE, LF__PLY_BIG } lf__ply_encoding;

typedef enum lf__ply_type {
    LF__PLY_NONE,
    LF__PLY_INT8,
    LF__PLY_UINT8,
    LF__PLY_INT16,
    LF__PLY_UINT16,
    LF__PLY_INT32,
    LF__PLY_UINT32,
    LF__PLY_FLOAT,
    LF__PLY_DOUBLE
} lf__ply_type;

/// What a property means to us.
typedef enum lf__ply_role { LF__PLY_SKIPPED, LF__PLY_X, LF__PLY_Y, LF__PLY_Z, LF__PLY_CORNERS } lf__ply_role;

typedef struct lf__ply_property {
    uint8_t type;       ///< lf__ply_type
    uint8_t count_type; ///< of a list's length; LF__PLY_NONE: not a list
    uint8_t role;
} lf__ply_property;

/// What an element is to us.
typedef enum lf__ply_kind { LF__PLY_OTHER, LF__PLY_VERTEX, LF__PLY_FACE, LF__PLY_STRIP } lf__ply_kind;

typedef struct lf__ply_element {
    lf__word name; ///< in the file
    lf__ply_kind kind;
    int64_t count;
    const lf__ply_property *properties;
    int property_count;
} lf__ply_element;

typedef struct lf__ply_header {
    lf__ply_encoding encoding;
    lf__text body; ///< behind the header
    int64_t vertex_count;
    int element_count, property_count;
    lf__ply_element elements[LF__PLY_ELEMENTS];
    lf__ply_property properties[LF__PLY_PROPERTIES];
} lf__ply_header;

/// Bytes of one value.
size_t lf__ply_type_size(lf__ply_type type);

/// Read and check the header: every count fits into what follows it.
lf_status lf__ply_header_read(const void *data, size_t size, lf__ply_header *header, lf_error *error);

/// One list of vertex numbers as polygons: a face, or strips of triangles parted by -1. The numbers are in range.
lf_status lf__ply_polygons(lf__soup *soup, lf__ply_kind kind, const int64_t *corners, int64_t count);

/// Is this a vertex number of the file? In strips -1 is one, too.
static inline bool lf__ply_in_range(const lf__ply_header *header, lf__ply_kind kind, int64_t corner) {
    return (corner >= 0 && corner < header->vertex_count) || (corner == -1 && kind == LF__PLY_STRIP);
}

/// The elements behind the header, as text or as bytes.
lf_status lf__ply_ascii_read(const lf__ply_header *header, lf__soup *soup, lf_error *error);
lf_status lf__ply_binary_read(const lf__ply_header *header, const void *data, lf__soup *soup,
                              lf_error *error);

#endif
