#include "sheet.h"
#include "file_output.h"

static bool is_plot(const char *path) {
    return path_ends(path, ".png") || path_ends(path, ".svg") || path_ends(path, ".pdf");
}

bool sheet_can_write(const char *option, const char *path) {
    if (is_plot(path) || path_ends(path, ".csv") || path_ends(path, ".json"))
        return true;
    message_error("%s %s: the ending must be .png, .svg, .pdf, .csv or .json", option, path);
    return false;
}

bool sheet_write(cli *run, const sheet *sheet, const char *path) {
    lf_error error = {0};
    file_output file;
    if (is_plot(path)) {
        lf_status status = sheet->plot(run, sheet->content, path, &error);
        if (status != LF_OK)
            message_status(status, &error);
        return status == LF_OK;
    }
    if (!file_output_open(&file, path))
        return false;
    file.out.digits = run->out.digits;
    if (path_ends(path, ".csv"))
        sheet->csv(&file.out, sheet->content);
    else
        sheet->json(&file.out, sheet->content);
    return file_output_close(&file, true);
}
