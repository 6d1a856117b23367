/// Polygons while they are being read: what every reader fills, and what happens to it afterwards.
#ifndef LF_IO_SOUP_H
#define LF_IO_SOUP_H

#include "base/array.h"
#include "base/base.h"
#include "polygon/names.h"
#include <landfall/io.h>

/// `user` of a polygon without a name.
#define LF__NO_NAME UINT64_MAX

typedef struct lf__soup {
    const lf_host *host;
    lf_allocator allocator;
    const char *const *only; ///< names that are wanted; NULL: everything
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

/// Room for so many further vertices; polygons; corners.
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

/// Close the polygon made of the corners added since the last one. With keep false it is forgotten; with fewer
/// than three corners it is dropped and counted.
lf_status lf__soup_close(lf__soup *soup, uint64_t user, bool keep);

/// The number of a name that came with the file. LF_OK or out of memory.
lf_status lf__soup_name(lf__soup *soup, const char *text, size_t length, int64_t *number);

/// Is a name one of those that the caller asked for? Without a list every polygon is wanted.
static inline bool lf__soup_wants(const lf__soup *soup, int64_t name) {
    return name >= 0 && ((const lf__name *)soup->names.entries.items)[name].wanted;
}

/// Every name asked for must have occurred. Errors: LF_BAD_ARGUMENT lists those that do.
lf_status lf__soup_check_names(const lf__soup *soup, lf_error *error);

/// The largest absolute coordinate.
double lf__soup_largest(const lf__soup *soup);

/// Report progress in bytes; LF_CANCELLED when the caller wants to stop.
lf_status lf__soup_report(const lf__soup *soup, int64_t done, int64_t total, lf_error *error);

/// Cut polygons that are not convex or not flat into triangles, leave out those without area. Vertices must be finite and corners in range.
/// Errors: LF_BAD_GEOMETRY when nothing is left, LF_TOO_LARGE for a polygon with too many corners to be cut up,
/// LF_NO_MEMORY, LF_CANCELLED.
lf_status lf__soup_clean(lf__soup *soup, double tolerance, lf_error *error);

/// Give vertices at the very same place one number. Formats that store every triangle by itself need it.
lf_status lf__soup_weld(lf__soup *soup, lf_error *error);

/// Half the distance between neighbouring numbers, of 53 or 24 bits, at a magnitude: the largest rounding there.
double lf__half_step_double(double magnitude);
double lf__half_step_single(double magnitude);

#endif
