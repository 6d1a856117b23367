/// Joined into grid/grid_query.h.
#include "grid/grid_query.h"
