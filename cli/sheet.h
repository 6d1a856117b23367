/// An answer as a plot (.png, .svg, .pdf) or as numbers (.csv, .json), by the ending of the file.
#ifndef CLI_SHEET_H
#define CLI_SHEET_H

#include "cli.h"
#include "output.h"

typedef struct sheet {
    const void *content;
    lf_status (*plot)(cli *run, const void *content, const char *path, lf_error *error);
    void (*csv)(output *out, const void *content);
    void (*json)(output *out, const void *content);
} sheet;

/// Can a sheet be written there? Says so when not, in the name of an option.
bool sheet_can_write(const char *option, const char *path);

/// Write it. Says what is wrong and returns false.
bool sheet_write(cli *run, const sheet *sheet, const char *path);

#endif
