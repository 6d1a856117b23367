#include "plots.h"

lf_figure_page figure_page(const cli *run, const char *path, int64_t width) {
    return (lf_figure_page){.host = run->host, .path = path, .width = width, .height = PLOT_HEIGHT};
}

bool plot_write(cli *run, const char *path, int64_t width, int64_t height, lf_figure_draw *draw,
                const void *content) {
    lf_figure_page page = {.host = run->host, .path = path, .width = width, .height = height};
    lf_error error = {0};
    return succeeded(lf_figure_write(&page, draw, content, &error), &error);
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
