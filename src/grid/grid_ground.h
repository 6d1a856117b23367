/// Joined into grid/grid.h.
#include "grid/grid.h"
