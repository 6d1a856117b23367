/// GDAL, loaded when it is first called: a program that reads no raster does not load it and its many libraries.
#define _GNU_SOURCE     // RTLD_DEEPBIND
#define LF__GDAL_LOADER // the names of calls are not those in the table here
#include "raster/raster.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/// Where a call is in the table.
typedef struct gdal_call {
    const char *name;
    size_t offset;
} gdal_call;

static lf__gdal_calls table;
static char missing[256];

/// Libraries that GDAL needs are searched before those of the program: tens of thousands of its symbols are then found
/// with two thirds of the work. Sanitizers refuse this.
#if defined(RTLD_DEEPBIND) && !defined(LF__SANITIZED)
#define LOAD_FLAGS (RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND)
#else
#define LOAD_FLAGS (RTLD_LAZY | RTLD_LOCAL)
#endif

/// In the place of every call where GDAL cannot be loaded: no dataset, no driver, 0.
static void *nothing(void) {
    return NULL;
}

static void load_gdal(void) {
#define GDAL_CALL(name) {#name, offsetof(lf__gdal_calls, name)},
    static const gdal_call calls[] = {LF__GDAL_CALLS(GDAL_CALL)};
    void *(*none)(void) = nothing;
    void *library = dlopen(LF_GDAL_LIBRARY, LOAD_FLAGS);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        void *call = library ? dlsym(library, calls[i].name) : NULL;
        if (!call && !missing[0])
            snprintf(missing, sizeof missing, "GDAL cannot be loaded: %s", dlerror());
        memcpy((char *)&table + calls[i].offset, call ? (void *)&call : (void *)&none, sizeof call);
    }
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

const lf__gdal_calls *lf__gdal_loaded(void) {
    pthread_once(&once, load_gdal);
    return &table;
}

const char *lf__gdal_missing(void) {
    pthread_once(&once, load_gdal);
    return missing;
}
