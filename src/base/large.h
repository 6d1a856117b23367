/// The old name of base/base.h.
#include "base/base.h" // IWYU pragma: export
