/// The old name of base/containers.h.
#include "base/containers.h" // IWYU pragma: export
