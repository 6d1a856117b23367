#include "plots.h"

lf_figure_page figure_page(const cli *run, const char *path, int64_t width) {
    return (lf_figure_page){.host = run->host, .path = path, .width = width, .height = PLOT_HEIGHT};
}

bool is_sheet(const char *path) {
    return path_ends(path, ".csv") || path_ends(path, ".json");
}

bool sheet_write(cli *run, const sheet *sheet, const char *path) {
    output file;
    if (!output_create(&file, path, run->out.digits))
        return false;
    if (path_ends(path, ".csv"))
        answer_csv(&file, sheet->columns, sheet->rows, sheet->count, sheet->size);
    else
        answer_json(&file, sheet->fields, sheet->document, true);
    return output_close(&file);
}
