/// Joined into grid/guard.h.
#include "grid/guard.h"
