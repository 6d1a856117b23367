/// The old name of bvh/bvh.h and base/containers.h.
#include "base/containers.h" // IWYU pragma: export
#include "bvh/bvh.h"         // IWYU pragma: export
