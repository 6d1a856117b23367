/// Private header of the polygon module: texts, polygons while they are read, the readers.
#ifndef LF_POLYGON_H
#define LF_POLYGON_H

#include "base/base.h"
#include "base/containers.h"
#include "geom/geometry.h"
#include <landfall/io.h>

// ---------------------------------------------------------------------------------------------------
// Walking through a text: lines, words, numbers. Counts lines, needs no closing zero
// ---------------------------------------------------------------------------------------------------

typedef struct lf__text {
    const char *at, *end;
    int64_t line;   ///< from 1
    bool continued; ///< a backslash at its end continues a line on the next
    bool remarks;   ///< a "#" at the start of a word starts a comment
} lf__text;

typedef struct lf__word {
    const char *start;
    size_t length;
} lf__word;

static inline bool lf__is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static inline bool lf__is_line_end(char c) {
    return c == '\n' || c == '\r';
}

lf__text lf__text_of(const void *data, size_t size);

/// Go to the next word of this line; false at its end.
bool lf__text_more(lf__text *text);

/// The next word of this line, of length 0 at its end.
lf__word lf__text_word(lf__text *text);

/// What is left of this line, without the blanks around it.
lf__word lf__text_rest(lf__text *text);

/// The next word as a number. False at the end of the line, and when it is not a number
/// (the text stays before it).
bool lf__text_number(lf__text *text, double *value);
bool lf__text_integer(lf__text *text, int64_t *value);

/// Read a whole number with an optional sign at the start of text .. end. Returns the first character after
/// it; NULL when there is no number or when it exceeds 64 bits.
const char *lf__text_integer_at(const char *text, const char *end, int64_t *value);

/// Go to the next line, after the end of this one ("\n", "\r\n" or "\r"); false at the end of the text.
bool lf__text_next_line(lf__text *text);

/// The next word, without moving on.
lf__word lf__text_peek(lf__text text);

bool lf__word_is(lf__word word, const char *wanted);

/// For printf: "%.*s" with LF__WORD(word), at most 40 characters.
#define LF__WORD(word) (int)((word).length < 40 ? (word).length : 40), (word).start

// ---------------------------------------------------------------------------------------------------
// Names, each once, numbered in the order of their first appearance
// ---------------------------------------------------------------------------------------------------

typedef struct lf__name {
    int64_t start;  ///< in letters
    bool requested; ///< by the caller
} lf__name;

typedef struct lf__names {
    lf__array letters; ///< char: every name with its closing zero
    lf__array entries; ///< lf__name
    lf__table table;   ///< by the hash of a name: its number
} lf__names;

/// The number of a name, added when it is new. Ends at the first zero byte.
lf_status lf__names_add(lf__names *names, const lf_allocator *allocator, const char *text, size_t length,
                        int64_t *number);

/// The number of a name, -1 when it is unknown.
int64_t lf__names_find(const lf__names *names, const char *text);

/// The name number 0 <= number < count; NULL beyond.
const char *lf__names_get(const lf__names *names, int64_t number);

void lf__names_free(lf__names *names, const lf_allocator *allocator);

// ---------------------------------------------------------------------------------------------------
// Polygons while they are read
// ---------------------------------------------------------------------------------------------------

/// `user` of a polygon without a name.
#define LF__NO_NAME UINT64_MAX

typedef struct lf__soup {
    const lf_host *host;
    lf_allocator allocator;
    const char *const *only; ///< requested names; NULL: everything
    int64_t only_count;
    lf__array vertices; ///< lf_vec3
    lf__array corners;  ///< int64_t
    lf__array starts;   ///< int64_t: polygon_count + 1 of them
    lf__array users;    ///< uint64_t: per polygon the number of its name, or LF__NO_NAME
    lf__names names;
    int64_t cut_count;
    int64_t crossed_count; ///< of those cut: with an outline that crosses itself, seen along their normal
    int64_t dropped_count;
    double precision; ///< set by the reader: the largest rounding of a coordinate
    bool single;      ///< set by the reader: that was single precision
} lf__soup;

/// Start with nothing. The host and the list of names must outlive the soup.
lf_status lf__soup_start(lf__soup *soup, const lf_host *host, const char *const *only, int64_t only_count,
                         lf_error *error);
void lf__soup_free(lf__soup *soup);

static inline int64_t lf__soup_polygon_count(const lf__soup *soup) {
    return soup->starts.count - 1;
}

/// Reserve space for so many further vertices, polygons and corners.
lf_status lf__soup_reserve(lf__soup *soup, int64_t vertices, int64_t polygons, int64_t corners,
                           lf_error *error);

/// Add a vertex; a corner of the polygon being made. Memory may run out.
static inline lf_status lf__soup_vertex(lf__soup *soup, lf_vec3 vertex) {
    lf_status status = lf__array_reserve(&soup->vertices, &soup->allocator, 1, sizeof vertex);
    if (status == LF_OK)
        ((lf_vec3 *)soup->vertices.items)[soup->vertices.count++] = vertex;
    return status;
}

static inline lf_status lf__soup_corner(lf__soup *soup, int64_t vertex) {
    lf_status status = lf__array_reserve(&soup->corners, &soup->allocator, 1, sizeof vertex);
    if (status == LF_OK)
        ((int64_t *)soup->corners.items)[soup->corners.count++] = vertex;
    return status;
}

/// Close the polygon made of the corners added since the last one. With keep false it is ignored; with fewer
/// than three corners it is dropped and counted.
lf_status lf__soup_close(lf__soup *soup, uint64_t user, bool keep);

/// The number of a name that came with the file. LF_OK or out of memory.
lf_status lf__soup_name(lf__soup *soup, const char *text, size_t length, int64_t *number);

/// Whether a name is one of those that the caller requested.
static inline bool lf__soup_requested(const lf__soup *soup, int64_t name) {
    return name >= 0 && ((const lf__name *)soup->names.entries.items)[name].requested;
}

/// Every requested name must have occurred. Errors: LF_BAD_ARGUMENT lists those that do.
lf_status lf__soup_check_names(const lf__soup *soup, lf_error *error);

/// The largest absolute coordinate.
double lf__soup_largest(const lf__soup *soup);

/// Report progress in bytes; LF_CANCELLED when the caller cancels.
lf_status lf__soup_report(const lf__soup *soup, int64_t done, int64_t total, lf_error *error);

/// Cut polygons that are not convex or not flat into triangles, drop those without area. Vertices must be
/// finite and corners in range.
/// Errors: LF_BAD_GEOMETRY when nothing is left, LF_TOO_LARGE for a polygon with too many corners to be cut
/// up, LF_NO_MEMORY, LF_CANCELLED.
lf_status lf__soup_clean(lf__soup *soup, double tolerance, lf_error *error);

/// Join vertices at exactly the same place. Formats that store every triangle by itself need it.
lf_status lf__soup_weld(lf__soup *soup, lf_error *error);

/// Half the distance between neighbouring numbers, of 53 or 24 bits, at a magnitude: the largest rounding
/// there.
double lf__half_step_double(double magnitude);
double lf__half_step_single(double magnitude);

// ---------------------------------------------------------------------------------------------------
// The readers: each fills a soup. Vertices are finite, corners in range, the precision is set
// ---------------------------------------------------------------------------------------------------

/// PLY from memory: ascii, binary of either byte order.
/// Errors: LF_BAD_FORMAT with the offending line (header, ascii) or byte (binary), LF_NO_MEMORY,
/// LF_TOO_LARGE, LF_CANCELLED.
lf_status lf__ply_read(const void *data, size_t size, lf__soup *soup, lf_error *error);

/// OBJ from memory. Errors: LF_BAD_FORMAT with the offending line, LF_NO_MEMORY, LF_CANCELLED.
lf_status lf__obj_read(const void *data, size_t size, lf__soup *soup, lf_error *error);

/// A format that Assimp reads.
typedef struct lf__assimp_format {
    const char *name;     ///< "STL"
    const char *ending;   ///< lower case, without the dot
    const char *importer; ///< the start of what Assimp calls its importer
    bool y_up;            ///< Assimp hands it over with y up
    bool numbered;        ///< Assimp numbers its meshes instead of naming them
    /// Finds what Assimp accepts: truncation, corners out of range, content of another kind. Or NULL.
    lf_status (*check)(const lf_map *map, lf_error *error);
} lf__assimp_format;

/// The checks of the formats. Errors: LF_BAD_FORMAT with the offending line or byte.
lf_status lf__stl_check(const lf_map *map, lf_error *error);
lf_status lf__off_check(const lf_map *map, lf_error *error);
lf_status lf__gltf_check(const lf_map *map, lf_error *error);
lf_status lf__glb_check(const lf_map *map, lf_error *error);
lf_status lf__3ds_check(const lf_map *map, lf_error *error);

/// The format for a file's ending, in upper or lower case; NULL for other formats.
const lf__assimp_format *lf__assimp_format_of(const char *ending);

/// Read a file by Assimp in a separate process, with limits of memory and time, because a damaged file may
/// crash Assimp. Its polygons are checked here.
/// map     the same file, for the checks before
/// Errors: LF_BAD_FORMAT with Assimp's reason, or that it crashed or exceeded a limit; LF_UNSUPPORTED when
/// the program is missing; LF_IO_FAILED, LF_NO_MEMORY, LF_CANCELLED.
lf_status lf__reader_run(const char *path, const lf_map *map, const lf__assimp_format *format, lf__soup *soup,
                         lf_error *error);

// ---------------------------------------------------------------------------------------------------
// The output of the process: this header, then vertices, corners, starts, users, and names with a 0 after
// each
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

// ---------------------------------------------------------------------------------------------------
// The header of a PLY file
// ---------------------------------------------------------------------------------------------------

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

/// The use of a property.
typedef enum lf__ply_role { LF__PLY_SKIPPED, LF__PLY_X, LF__PLY_Y, LF__PLY_Z, LF__PLY_CORNERS } lf__ply_role;

typedef struct lf__ply_property {
    uint8_t type;       ///< lf__ply_type
    uint8_t count_type; ///< of a list's length; LF__PLY_NONE: not a list
    uint8_t role;
} lf__ply_property;

/// The use of an element.
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
    lf__text body; ///< after the header
    int64_t vertex_count;
    int element_count, property_count;
    lf__ply_element elements[LF__PLY_ELEMENTS];
    lf__ply_property properties[LF__PLY_PROPERTIES];
} lf__ply_header;

/// Bytes of one value.
size_t lf__ply_type_size(lf__ply_type type);

/// Read and check the header: every count fits into what follows it.
lf_status lf__ply_header_read(const void *data, size_t size, lf__ply_header *header, lf_error *error);

/// One list of vertex numbers as polygons: a face, or strips of triangles separated by -1. The numbers are in
/// range.
lf_status lf__ply_polygons(lf__soup *soup, lf__ply_kind kind, const int64_t *corners, int64_t count);

/// Whether this is a vertex number of the file; in strips -1 is one, too.
static inline bool lf__ply_in_range(const lf__ply_header *header, lf__ply_kind kind, int64_t corner) {
    return (corner >= 0 && corner < header->vertex_count) || (corner == -1 && kind == LF__PLY_STRIP);
}

/// The elements after the header, as text or as bytes.
lf_status lf__ply_ascii_read(const lf__ply_header *header, lf__soup *soup, lf_error *error);
lf_status lf__ply_binary_read(const lf__ply_header *header, const void *data, lf__soup *soup,
                              lf_error *error);

#endif
