/// GDAL, loaded when it is first called: a program that reads no raster does not load it and its many libraries.
#define _GNU_SOURCE     // RTLD_DEEPBIND
#define LF__GDAL_LOADER // the names of calls are not those in the table here
#include "raster/load.h"
#include "raster/raster.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/// Sanitizers refuse this.
#if defined(RTLD_DEEPBIND) && !defined(LF__SANITIZED)
#define LOAD_APART RTLD_DEEPBIND
#else
#define LOAD_APART 0
#endif

/// In the place of every call where a library cannot be loaded: no dataset, no driver, 0.
static void *nothing(void) {
    return NULL;
}

void lf__load(const char *name, const char *file, bool apart, const lf__load_call *calls, size_t count,
              lf__load_table *to) {
    void *(*none)(void) = nothing;
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL | (apart ? LOAD_APART : 0));
    for (size_t i = 0; i < count; i++) {
        void *call = library ? dlsym(library, calls[i].name) : NULL;
        if (!call && !to->missing[0])
            snprintf(to->missing, sizeof to->missing, "%s cannot be loaded: %s", name, dlerror());
        memcpy((char *)to->calls + calls[i].offset, call ? (void *)&call : (void *)&none, sizeof call);
    }
}

static lf__gdal_calls table;
static lf__load_table loaded = {.calls = &table};

static void load_gdal(void) {
#define GDAL_CALL(name) {#name, offsetof(lf__gdal_calls, name)},
    static const lf__load_call calls[] = {LF__GDAL_CALLS(GDAL_CALL)};
    // Apart, tens of thousands of its symbols are found with two thirds of the work.
    lf__load("GDAL", LF_GDAL_LIBRARY, true, calls, sizeof calls / sizeof *calls, &loaded);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

const lf__gdal_calls *lf__gdal_loaded(void) {
    pthread_once(&once, load_gdal);
    return &table;
}

const char *lf__gdal_missing(void) {
    pthread_once(&once, load_gdal);
    return loaded.missing;
}
