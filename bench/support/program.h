/// Other programs, run to their end, and folders for their files.
#ifndef LF_BENCH_PROGRAM_H
#define LF_BENCH_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/// What a program took: processor seconds, elapsed seconds, and memory at its peak.
typedef struct bench_cost {
    double seconds, elapsed, megabytes;
} bench_cost;

/// Run a program, its arguments ending with NULL, without a sound; false: it is not there, or failed.
bool bench_program(const char *const *arguments, bench_cost *cost);

/// A folder for some files, and its end.
void bench_folder_open(char *path, size_t size);
void bench_folder_close(const char *path);

#endif
