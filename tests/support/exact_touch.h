/// Do two closed triangles share a point? In whole numbers (GMP), from the definition, sharing no line with the library.
#ifndef LF_TESTS_EXACT_TOUCH_H
#define LF_TESTS_EXACT_TOUCH_H

#include <landfall/geom.h>

/// Triangles share a point exactly when the origin lies in the hull of the nine differences of their corners; and then
/// (Caratheodory) in a tetrahedron, a triangle or a segment of them that is not degenerate. All are tried. One thread only.
bool exact_triangles_touch(const lf_vec3 p[3], const lf_vec3 q[3]);

#endif
