/// text_file.h: a file of text that is written beside its place and renamed when it is complete. For the command. Not
/// installed.
#ifndef LF_TEXT_FILE_H
#define LF_TEXT_FILE_H

#include <landfall/base.h>

typedef struct lf_text_file lf_text_file;

/// Start writing what will become `path`. A symbolic link is followed; a device or a pipe is written directly.
/// host    optional
/// Errors: LF_IO_FAILED names the path and the system's reason, LF_NO_MEMORY, LF_TOO_LARGE.
lf_status lf_text_file_create(const char *path, const lf_host *host, lf_text_file **made, lf_error *error);

/// Append bytes; false after a failure, which the commit reports.
bool lf_text_file_write(lf_text_file *file, const char *bytes, size_t length);

/// Rename it to its place, or remove it where something failed; free it in any case.
/// Errors: LF_IO_FAILED.
lf_status lf_text_file_commit(lf_text_file *file, lf_error *error);

#endif
