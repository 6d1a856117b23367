#include "plots.h"

lf_figure_page figure_page(const cli *run, const char *path, int64_t width) {
    return (lf_figure_page){.host = run->host, .path = path, .width = width, .height = PLOT_HEIGHT};
}

bool is_sheet(const char *path) {
    return path_ends(path, ".csv") || path_ends(path, ".json");
}

bool sheet_write(cli *run, const sheet *sheet, const char *path) {
    file_output file;
    if (!file_output_open(&file, path))
        return false;
    file.out.digits = run->out.digits;
    if (path_ends(path, ".csv"))
        answer_csv(&file.out, sheet->columns, sheet->rows, sheet->count, sheet->size);
    else
        answer_json(&file.out, sheet->fields, sheet->document, true);
    return file_output_close(&file);
}
