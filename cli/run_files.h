/// The files that a run reads and those that it writes: no output may replace an input or another output.
#ifndef CLI_RUN_FILES_H
#define CLI_RUN_FILES_H

#include "cli.h"

/// Check before any work that every input named on the command line exists. Prints what is wrong and returns false.
bool run_files_exist(const cli *run);

/// Check before any work that every output can be written, that none is a file that the run reads (also through links, as a source of a
/// VRT or as a sidecar file) and that no two are the same file. Prints what is wrong and returns false.
bool run_files_writable(const cli *run);

/// Is the path, which may not exist, a file that the run reads? `input` is the argument or option value that it belongs to.
bool run_files_reads(const cli *run, const char *path, const char **input);

/// Is the path a file that the run writes? `option` is what names it, such as "-o".
bool run_files_writes(const cli *run, const char *path, const char **option);

/// What an option that takes a file does with it; FILE_NONE for all others.
typedef enum file_role { FILE_NONE, FILE_READ, FILE_WRITTEN, FILE_FOLDER } file_role;
file_role run_files_option(const char *name);

/// What an argument of a command is, counted from 0.
file_role run_files_argument(const command *command, int index);

#endif
