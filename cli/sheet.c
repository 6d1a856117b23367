#include "sheet.h"
#include "file_output.h"

bool sheet_can_write(const char *option, const char *path) {
    if (path_ends(path, ".svg") || path_ends(path, ".png") || path_ends(path, ".csv") ||
        path_ends(path, ".json"))
        return true;
    message_error("%s %s: the ending has to be .svg, .png, .csv or .json", option, path);
    return false;
}

bool sheet_write(cli *run, const sheet *sheet, const char *path) {
    lf_error error = {0};
    file_output file;
    if (path_ends(path, ".svg") || path_ends(path, ".png")) {
        lf_status status = sheet->plot(run, sheet->content, path, path_ends(path, ".svg"), &error);
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
