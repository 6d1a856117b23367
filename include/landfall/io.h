/// landfall/io.h: files and pictures (library landfall-io).
#ifndef LANDFALL_IO_H
#define LANDFALL_IO_H

#include <landfall/base.h>
#include <landfall/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// Polygons from files
// ---------------------------------------------------------------------------------------------------

/// How to read polygons; start from lf_polygon_file_def_default().
typedef struct lf_polygon_file_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    const char *const
        *only; ///< names of objects, groups or materials: only these are ground; NULL: everything
    int64_t only_count;
    double tolerance; ///< metres a corner may be off its polygon's plane before the polygon is cut up; 0.001
} lf_polygon_file_def;

static inline lf_polygon_file_def lf_polygon_file_def_default(void) {
    lf_polygon_file_def def = {sizeof(lf_polygon_file_def), {NULL, NULL, NULL, NULL}, NULL, 0, 0.001};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_polygon_file_def_init(lf_polygon_file_def *def, size_t size);

/// Polygons read from a file, and the names that came with them. Polygons that are not convex or not flat
/// have been cut into triangles.
typedef struct lf_polygon_file lf_polygon_file;

typedef struct lf_polygon_file_info {
    const char *format;    ///< "PLY", "OBJ", "STL", ...
    int64_t cut_count;     ///< polygons that were cut into triangles
    int64_t dropped_count; ///< polygons without area, left out
    int64_t name_count;    ///< names of objects, groups and materials
    double precision;      ///< metres: largest rounding of a coordinate by the file or its reader
} lf_polygon_file_info;

/// Read a mesh file: PLY and OBJ in double precision by landfall itself; STL, OFF, glTF, GLB, DAE and 3DS
/// by Assimp, with node transforms applied. glTF, GLB, DAE and 3DS know which way is up: they are turned to
/// z up. The others are taken as they are.
/// path    its ending says which format
/// file    written only on success; give it back with lf_polygon_file_close
/// error   optional; `where` is the line or byte that offends
/// Errors: LF_IO_FAILED, LF_BAD_FORMAT (unreadable, truncated, NaN, index out of range), LF_BAD_GEOMETRY
/// (no polygon left), LF_UNSUPPORTED (ending not known), LF_BAD_ARGUMENT (a name that does not occur; the
/// message lists those that do), LF_TOO_LARGE (a polygon with more than 10,000 corners that would have to be
/// cut), LF_NO_MEMORY, LF_CANCELLED.
/// A warning goes to the log when single precision costs more than 1 mm, when polygons without area are left out, and when polygons are so bent
/// that their outlines cross: no area is left out, a closed body stays closed.
/// What Assimp reads comes from a process of its own, landfall-polygon-reader: if it crashes or exceeds its limits that is LF_BAD_FORMAT, if it is not installed
/// LF_UNSUPPORTED. Allocates with the host's allocator. Threads: any; a host that waits for all of its children may take away how that one ended.
LF_API lf_status lf_polygon_file_read(const char *path, const lf_polygon_file_def *def,
                                      lf_polygon_file **file, lf_error *error);

/// Give a file's polygons back; NULL is fine. Threads: nobody else may be using it.
LF_API void lf_polygon_file_close(lf_polygon_file *file);

/// The polygons, valid until the file is closed. `users` is the index of the polygon's name, see
/// lf_polygon_file_name: its group or object or node, else its material; UINT64_MAX when it has none. NULL when
/// the file has no names. Allocates nothing. Threads: any.
LF_API lf_polygons lf_polygon_file_polygons(const lf_polygon_file *file);

/// What was read. Allocates nothing. Threads: any.
LF_API lf_polygon_file_info lf_polygon_file_describe(const lf_polygon_file *file);

/// The name number 0 <= index < name_count of an object, group or material; NULL beyond. Valid until the file
/// is closed. Allocates nothing. Threads: any.
LF_API const char *lf_polygon_file_name(const lf_polygon_file *file, int64_t index);

/// Write polygons such that reading them again gives the same bits: vertices and corners, nothing else.
/// path      ends in .ply (binary, little endian, double) or .obj (as few digits as bring the bits back)
/// polygons  corners in range, 3 or more per polygon, vertices finite
/// host      optional
/// The file is written beside its place and renamed: on any error the place holds what it held.
/// Errors: LF_UNSUPPORTED (another ending), LF_BAD_ARGUMENT (by polygon), LF_BAD_GEOMETRY (NaN or infinite
/// vertex), LF_TOO_LARGE (more than 2^32 - 1 vertices in PLY), LF_IO_FAILED, LF_NO_MEMORY, LF_CANCELLED.
/// Allocates a fixed buffer with the host's allocator. Threads: any.
LF_API lf_status lf_polygon_file_write(const char *path, const lf_polygons *polygons, const lf_host *host,
                                       lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Numbers as text
// ---------------------------------------------------------------------------------------------------

/// Read the number at the start of a text, the same in every locale: sign, digits with a point, exponent; or "inf"
/// or "nan". Nothing is skipped before it.
/// text, end  the characters from text up to, not including, end; no NUL is needed
/// value      written only when there is a number: the nearest double (ties to even) for any number of digits,
///            infinite beyond the largest
/// Returns the first character behind the number; NULL when there is none. Allocates nothing. Threads: any.
LF_API const char *lf_number_read(const char *text, const char *end, double *value);

#ifdef __cplusplus
}
#endif
#endif
