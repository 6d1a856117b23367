#include <landfall/io.h>
#include <string.h>

void lf_polygon_file_def_init(lf_polygon_file_def *def, size_t size) {
    lf_polygon_file_def full = lf_polygon_file_def_default();
    memcpy(def, &full, size < sizeof full ? size : sizeof full);
}
