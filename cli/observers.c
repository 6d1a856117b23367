#include "observers.h"
#include "file_output.h"
#include "points.h"
#include <math.h>
#include <stdlib.h>

static bool reserve(observers *list, int64_t more) {
    int64_t room = list->count + more;
    if (room <= list->room)
        return true;
    lf_vec2 *at = realloc(list->at, (size_t)room * sizeof *at);
    if (at)
        list->at = at;
    double *heights = realloc(list->heights, (size_t)room * sizeof *heights);
    if (heights)
        list->heights = heights;
    const char **names = realloc((void *)list->names, (size_t)room * sizeof *names);
    if (names)
        list->names = names;
    if (at && heights && names)
        list->room = room;
    else
        message_error("out of memory");
    return at && heights && names;
}

/// Keep a point as given; false when the ground's system has no place for it.
static bool take(observers *list, const coordinates *coordinates, lf_vec2 at, double height,
                 const char *name) {
    lf_vec3 point = {at.x, at.y, 0};
    coordinates_in(coordinates, &point, 1, 1);
    list->at[list->count] = (lf_vec2){point.x, point.y};
    list->heights[list->count] = height;
    list->names[list->count++] = name;
    return !isnan(point.x) && !isnan(point.y);
}

bool observers_from_options(const cli *run, const coordinates *coordinates, double height, bool datum,
                            observers *observers) {
    int count = options_count(&run->given, "at");
    bool needed = datum && !options_has(&run->given, "eye");
    row_shape shape = {needed ? 3 : 2, 3, needed ? "X,Y,H" : "X,Y[,H]"};
    if (!reserve(observers, count))
        return false;
    for (int i = 0; i < count; i++) {
        const char *text = options_nth(&run->given, "at", i);
        row read;
        if (!row_from_option("at", text, shape, &read))
            return false;
        lf_vec2 at = {read.numbers[0], read.numbers[1]};
        if (!take(observers, coordinates, at, read.count > 2 ? read.numbers[2] : height, NULL)) {
            message_error("--at %s: the CRS of the ground has no place for it", text);
            return false;
        }
    }
    return true;
}

/// Text has no system of its own.
static bool is_text(const char *path) {
    return path_ends(path, ".csv") || path_ends(path, ".tsv") || path_ends(path, ".txt");
}

bool observers_from_file(cli *run, const char *path, const loaded *ground, const coordinates *coordinates,
                         double height, bool datum, observers *observers) {
    lf_points_def def = lf_points_def_default();
    lf_error error = {0};
    struct coordinates own = *coordinates;
    def.host = run->host;
    def.crs = ground->about.crs;
    if (!is_text(path))
        own.way = NULL;
    lf_status status = lf_points_read(path, &def, &observers->marks, &error);
    if (status != LF_OK) {
        message_status(status, &error);
        return false;
    }
    int64_t count = lf_points_count(observers->marks);
    if (!reserve(observers, count))
        return false;
    for (int64_t i = 0; i < count; i++) {
        lf_point mark = lf_points_get(observers->marks, i);
        bool given = !isnan(mark.height);
        if (datum && !given && !options_has(&run->given, "eye")) {
            message_error("%s: point number %lld has no height, and with --datum it needs one, or --eye",
                          path, (long long)i + 1);
            return false;
        }
        if (!take(observers, &own, mark.at, given ? mark.height : height, mark.name)) {
            message_error("%s: the CRS of the ground has no place for point number %lld", path,
                          (long long)i + 1);
            return false;
        }
    }
    return true;
}

void observers_free(observers *observers) {
    lf_points_close(observers->marks);
    free((void *)observers->names);
    free(observers->heights);
    free(observers->at);
    *observers = (struct observers){0};
}
