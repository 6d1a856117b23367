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
    int64_t dropped_count; ///< polygons without area, or crossing themselves, left out
    int64_t name_count;    ///< names of objects, groups and materials
    double precision;      ///< metres: largest rounding of a coordinate by the file or its reader
} lf_polygon_file_info;

/// Read a mesh file: PLY and OBJ in double precision by landfall itself; STL, OFF, glTF, GLB, DAE and 3DS
/// by Assimp, with node transforms applied.
/// path    its ending says which format
/// file    written only on success; give it back with lf_polygon_file_close
/// error   optional; `where` is the line or byte that offends
/// Errors: LF_IO_FAILED, LF_BAD_FORMAT (unreadable, truncated, NaN, index out of range), LF_BAD_GEOMETRY
/// (no polygon left), LF_UNSUPPORTED (ending not known), LF_BAD_ARGUMENT (a name that does not occur; the
/// message lists those that do), LF_NO_MEMORY, LF_CANCELLED.
/// A warning goes to the log when single precision costs more than 1 mm.
/// Allocates with the host's allocator (Assimp with its own). Threads: any.
LF_API lf_status lf_polygon_file_read(const char *path, const lf_polygon_file_def *def,
                                      lf_polygon_file **file, lf_error *error);

/// Give a file's polygons back; NULL is fine.
LF_API void lf_polygon_file_close(lf_polygon_file *file);

/// The polygons, valid until the file is closed. `users` is the index of the polygon's name, see
/// lf_polygon_file_name.
LF_API lf_polygons lf_polygon_file_polygons(const lf_polygon_file *file);

/// What was read.
LF_API lf_polygon_file_info lf_polygon_file_describe(const lf_polygon_file *file);

/// The name number 0 <= index < name_count of an object, group or material; NULL beyond.
LF_API const char *lf_polygon_file_name(const lf_polygon_file *file, int64_t index);

#ifdef __cplusplus
}
#endif
#endif
