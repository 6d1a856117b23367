#include "base/number.h"
#include <landfall/io.h>

const char *lf_number_read(const char *text, const char *end, double *value) {
    return lf__number_read(text, end, value);
}
