/// The old name of bvh/bvh.h.
#include "bvh/bvh.h" // IWYU pragma: export
