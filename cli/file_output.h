/// Text into a file, written beside its place and renamed.
#ifndef CLI_FILE_OUTPUT_H
#define CLI_FILE_OUTPUT_H

#include "output.h"

typedef struct file_output {
    output out;
    const char *path;
    char *target; ///< where that leads, if it is a link; or NULL
    char *part;   ///< what is written until it is whole
} file_output;

/// Can a file be written there, as far as one can tell beforehand: is there a folder that can be written to, and no folder in
/// its place? Says what is wrong and returns false.
bool file_output_possible(const char *path);

/// Start writing what shall become `path`. Says what is wrong and returns false; nothing is held then.
bool file_output_open(file_output *file, const char *path);

/// Put it in its place, or, when `whole` is false, drop it. Says what is wrong and returns false.
bool file_output_close(file_output *file, bool whole);

/// Does a path end like this (".png"), in capitals or not?
bool path_ends(const char *path, const char *ending);

#endif
