// Files of named points, as text: refused by the line, or at least one point, every number finite but heights
// that are not given.
#include "polygon_file.h"
#include <landfall/io.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[512];
    lf_points_def def = lf_points_def_default();
    lf_points *marks = NULL;
    lf_error error = {LF_OK, -1, ""};
    fuzz_path(path, sizeof path, "marks.csv");
    fuzz_write(path, data, size);
    lf_status status = lf_points_read(path, &def, &marks, &error);
    FUZZ_HOLDS(status == LF_OK ? lf_points_count(marks) > 0
                               : !marks && error.status == status && error.text[0] != '\0');
    for (int64_t i = 0; status == LF_OK && i < lf_points_count(marks); i++) {
        lf_point mark = lf_points_get(marks, i);
        FUZZ_HOLDS(isfinite(mark.at.x) && isfinite(mark.at.y) && !isinf(mark.height));
        FUZZ_HOLDS(!mark.name || strlen(mark.name) <= size);
    }
    lf_points_close(marks);
    remove(path);
    return 0;
}
