/// landfall/marks.h: named points from files: observers, stations, summits (library landfall-io).
#ifndef LANDFALL_MARKS_H
#define LANDFALL_MARKS_H

#include <landfall/base.h>
#include <landfall/geom.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A point on the map.
typedef struct lf_mark {
    lf_vec2 at;
    double height;    ///< as its file gives it; NAN where it gives none
    const char *name; ///< as its file gives it; NULL where it gives none. Lives as long as the marks
} lf_mark;

/// How to read marks; start from lf_marks_def_default().
typedef struct lf_marks_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    const char *
        crs; ///< the system that points are wanted in: those of a file that names its own are converted; NULL: as they are
} lf_marks_def;

static inline lf_marks_def lf_marks_def_default(void) {
    lf_marks_def def = {sizeof(lf_marks_def), {NULL, NULL, NULL, NULL}, NULL};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_marks_def_init(lf_marks_def *def, size_t size);

/// Marks in memory.
typedef struct lf_marks lf_marks;

/// Read marks from a text or from a vector file.
/// path   text (.csv, .tsv, .txt): a mark per line, columns split by commas, semicolons or tabs, or by blanks where a line has none of these; empty lines and those that start
///        with # are passed over. X,Y[,HEIGHT[,NAME]] in that order, or as a first line of names says: x, lon, longitude, easting;
///        y, lat, latitude, northing; height, eye, h; name, id. Anything else is given to GDAL: its one layer of points, with
///        fields of these names
/// def    see above
/// marks  written only on success; give them back with lf_marks_close. At least one
/// error  optional; `where` is the line, or the number of the feature
/// Errors: LF_IO_FAILED, LF_BAD_FORMAT (named by line or feature: not a number, not a point, no marks, several layers), LF_BAD_ARGUMENT
/// (no way between the systems), LF_NO_MEMORY, LF_TOO_LARGE. Allocates with the host's allocator (GDAL with its own). Threads: any.
LF_API lf_status lf_marks_read(const char *path, const lf_marks_def *def, lf_marks **marks, lf_error *error);

/// Give marks back; NULL is fine. Threads: nobody else may be using them.
LF_API void lf_marks_close(lf_marks *marks);

/// How many there are. Allocates nothing. Threads: any number at once.
LF_API int64_t lf_marks_count(const lf_marks *marks);

/// The mark number 0 <= index < count; one at NAN, NAN beyond. Allocates nothing. Threads: any number at once.
LF_API lf_mark lf_marks_get(const lf_marks *marks, int64_t index);

#ifdef __cplusplus
}
#endif
#endif
