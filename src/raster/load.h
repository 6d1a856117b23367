/// Libraries that are loaded when they are first called.
#ifndef LF_RASTER_LOAD_H
#define LF_RASTER_LOAD_H

#include <stdbool.h>
#include <stddef.h>

/// Where a call is in the table.
typedef struct lf__load_call {
    const char *name;
    size_t offset;
} lf__load_call;

/// A struct of pointers to calls, and why the library cannot be loaded; empty where it can.
typedef struct lf__load_table {
    void *calls;
    char missing[256];
} lf__load_table;

/// Load a library and fill in its table. Where it cannot be loaded all calls return 0. To be called once.
/// apart  libraries that it needs are searched before those of the program
void lf__load(const char *name, const char *file, bool apart, const lf__load_call *calls, size_t count,
              lf__load_table *to);

#endif
