/// What GDAL says, kept or passed on.
#include "raster/gdal.h"
#include <cpl_error.h>
#include <string.h>

#define MOST_WARNINGS 3 // a broken file can have thousands, all alike

/// Copy a text onto one line.
static void copy_line(char *line, size_t room, const char *text) {
    size_t used = 0;
    for (; *text && used + 1 < room; text++)
        line[used++] = (unsigned char)*text < ' ' ? ' ' : *text;
    while (used > 0 && (line[used - 1] == ' ' || line[used - 1] == '.'))
        used--;
    line[used] = '\0';
}

static void CPL_STDCALL hear(CPLErr level, CPLErrorNum number, const char *text) {
    lf__gdal *gdal = CPLGetErrorHandlerUserData();
    (void)number;
    if (level >= CE_Failure && !gdal->text[0]) {
        copy_line(gdal->text, sizeof gdal->text, text);
    } else if (level == CE_Warning && gdal->warnings++ < MOST_WARNINGS) {
        char line[224];
        copy_line(line, sizeof line, text);
        lf__log(gdal->host, LF_LOG_WARNING, "%s: GDAL: %s", gdal->path, line);
    }
}

void lf__gdal_begin(lf__gdal *gdal, const char *path, const lf_host *host) {
    *gdal = (lf__gdal){.host = host, .path = path};
    CPLPushErrorHandlerEx(hear, gdal);
    CPLErrorReset();
}

void lf__gdal_end(lf__gdal *gdal) {
    (void)gdal;
    CPLPopErrorHandler();
    CPLErrorReset();
}

lf_status lf__gdal_fail(const lf__gdal *gdal, lf_status status, const char *instead, lf_error *error) {
    const char *words = gdal->text[0] ? gdal->text : instead;
    size_t length = strlen(gdal->path);
    // Many of GDAL's messages begin with the path already.
    if (strncmp(words, gdal->path, length) == 0 && words[length] == ':')
        return lf__fail(error, status, -1, "%s", words);
    return lf__fail(error, status, -1, "%s: %s", gdal->path, words);
}
