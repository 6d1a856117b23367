/// Cutting a mesh along the zero lines of fields, without cracks.
#ifndef LF_MAKE_SPLIT_H
#define LF_MAKE_SPLIT_H

#include "samples/maker.h"

#define LF__FIELDS 10

/// The values of all fields at a vertex. A vertex that is made by a cut gets values between those of its edge's ends,
/// so that fields stay linear on what was a triangle and its pieces are convex.
typedef struct lf__values {
    double field[LF__FIELDS];
} lf__values;

/// A mesh with fields. Bit k of a polygon's user value says that it lies where field k is above 0; the bits from
/// LF__FIELDS up are the caller's.
typedef struct lf__fields {
    lf__maker *maker;
    lf__array values; ///< of lf__values, one per vertex
    double snap;      ///< values nearer to 0 count as 0: a cut that nearly meets a vertex goes through it
} lf__fields;

/// Room for so many vertices' values.
void lf__fields_reserve(lf__fields *fields, int64_t vertices);

/// Values for the vertex that was added last.
void lf__fields_add(lf__fields *fields, const lf__values *values);

/// Cut every polygon that field number k changes sign on. Neighbours are cut in the same new vertices.
void lf__fields_split(lf__fields *fields, int k);

void lf__fields_drop(lf__fields *fields);

#endif
