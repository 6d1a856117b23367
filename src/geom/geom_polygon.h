/// The old name of geom/geometry.h.
#include "geom/geometry.h" // IWYU pragma: export
