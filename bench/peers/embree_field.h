/// Embree on a field of heights: as triangles or as its grid geometry, rays one at a time or in coherent packets.
#ifndef LF_BENCH_EMBREE_FIELD_H
#define LF_BENCH_EMBREE_FIELD_H

#include "embree.h"
#include "field.h"

/// as_grid  one RTC_GEOMETRY_TYPE_GRID instead of two triangles a cell
/// isa      what Embree is held to, such as "avx2"; NULL: nothing
/// Built by bench_embree_build; an answer's item is the triangle as bench_field_triangle counts, and 0 for any hit on a grid.
bench_embree *bench_embree_open_field(const bench_field *field, bool as_grid, const char *isa);

/// rtcIntersect8 or rtcIntersect16 with the flag for coherent rays, on so many consecutive rays at a time; rtcIntersect1 for a
/// width of 1. The number of rays is a multiple of 16 where the width is not 1.
void bench_embree_first_packets(bench_embree *embree, const bench_embree_rays *rays, int width,
                                bench_answer *answers);

/// rtcOccluded8 or rtcOccluded16, whichever this machine has, on consecutive rays. The number of rays is a multiple of 16.
void bench_embree_any_packets(bench_embree *embree, const bench_embree_rays *rays, bool *blocked);

#endif
