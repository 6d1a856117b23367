/// Cairo, loaded when the first picture is drawn: it brings fontconfig and the libraries of X11.
#define LF__CAIRO_LOADER // the names of calls are not those in the table here
#include "picture/picture.h"
#include "raster/load.h"
#include <pthread.h>

static lf__cairo_calls cairo_table;
static lf__load_table cairo_state = {.calls = &cairo_table};
static pthread_once_t cairo_once = PTHREAD_ONCE_INIT;

static void cairo_load(void) {
#define CAIRO_CALL(name) {#name, offsetof(lf__cairo_calls, name)},
    static const lf__load_call calls[] = {LF__CAIRO_CALLS(CAIRO_CALL)};
    lf__load("cairo", LF_CAIRO_LIBRARY, false, calls, sizeof calls / sizeof *calls, &cairo_state);
}

const lf__cairo_calls *lf__cairo_loaded(void) {
    pthread_once(&cairo_once, cairo_load);
    return &cairo_table;
}

const char *lf__cairo_missing(void) {
    pthread_once(&cairo_once, cairo_load);
    return cairo_state.missing;
}
