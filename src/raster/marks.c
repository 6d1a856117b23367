#include "raster/marks.h"
#include "raster/gdal.h"
#include "base/size.h"
#include <string.h>
#include <strings.h>

lf__mark_field lf__mark_meaning(const char *name, size_t length) {
    static const struct {
        const char *word;
        lf__mark_field field;
    } words[] = {{"x", LF__MARK_X},           {"lon", LF__MARK_X},      {"long", LF__MARK_X},
                 {"longitude", LF__MARK_X},   {"easting", LF__MARK_X},  {"y", LF__MARK_Y},
                 {"lat", LF__MARK_Y},         {"latitude", LF__MARK_Y}, {"northing", LF__MARK_Y},
                 {"height", LF__MARK_HEIGHT}, {"eye", LF__MARK_HEIGHT}, {"h", LF__MARK_HEIGHT},
                 {"name", LF__MARK_NAME},     {"id", LF__MARK_NAME}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && strncasecmp(words[i].word, name, length) == 0)
            return words[i].field;
    return LF__MARK_FIELDS;
}

/// Room for `more` further items in an array that doubles.
static lf_status grow(const lf_allocator *allocator, void **array, int64_t used, int64_t more, int64_t *room,
                      size_t item) {
    int64_t wanted = *room ? *room : 64;
    void *larger;
    if (more > INT64_MAX / 4 - used)
        return LF_TOO_LARGE;
    while (wanted < used + more)
        wanted *= 2;
    if (*array && wanted == *room)
        return LF_OK;
    lf_status status = lf__take_array(allocator, wanted, item, &larger);
    if (status != LF_OK)
        return status;
    if (used > 0)
        memcpy(larger, *array, (size_t)used * item);
    lf__give_array(allocator, *array, *room, item);
    *array = larger;
    *room = wanted;
    return LF_OK;
}

lf_status lf__marks_add(lf_points *marks, lf_vec2 at, double height, const char *name, size_t length) {
    lf__mark mark = {at, height, -1};
    lf_status status =
        grow(&marks->allocator, (void **)&marks->list, marks->count, 1, &marks->room, sizeof mark);
    if (status == LF_OK && name && length > 0) {
        status = grow(&marks->allocator, (void **)&marks->names, marks->names_used, (int64_t)length + 1,
                      &marks->names_room, 1);
        if (status == LF_OK) {
            memcpy(marks->names + marks->names_used, name, length);
            marks->names[marks->names_used + (int64_t)length] = '\0';
            mark.name = marks->names_used;
            marks->names_used += (int64_t)length + 1;
        }
    }
    if (status == LF_OK)
        marks->list[marks->count++] = mark;
    return status;
}

static bool is_text(const char *path) {
    return lf__path_ends(path, ".csv") || lf__path_ends(path, ".tsv") || lf__path_ends(path, ".txt");
}

lf_status lf_points_read(const char *path, const lf_points_def *given, lf_points **marks, lf_error *error) {
    lf_points_def def = lf_points_def_default();
    if (!path || !marks)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path or marks is NULL");
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_points *made = lf__take(&allocator, sizeof *made, _Alignof(lf_points));
    if (!made)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *made = (lf_points){.allocator = allocator};
    status = is_text(path) ? lf__marks_text(path, made, error) : lf__marks_vector(path, &def, made, error);
    if (status == LF_OK && made->count == 0)
        status = lf__fail(error, LF_BAD_FORMAT, -1, "%s: there are no points in it", path);
    if (status == LF_OK)
        *marks = made;
    else
        lf_points_close(made);
    return status;
}

void lf_points_close(lf_points *marks) {
    if (!marks)
        return;
    lf_allocator allocator = marks->allocator;
    if (marks->names)
        lf__give_array(&allocator, marks->names, marks->names_room, 1);
    if (marks->list)
        lf__give_array(&allocator, marks->list, marks->room, sizeof *marks->list);
    lf__give(&allocator, marks, sizeof *marks, _Alignof(lf_points));
}

int64_t lf_points_count(const lf_points *marks) {
    return marks->count;
}

lf_point lf_points_get(const lf_points *marks, int64_t index) {
    lf_point none = {{LF_NAN, LF_NAN}, LF_NAN, NULL};
    if (index < 0 || index >= marks->count)
        return none;
    const lf__mark *kept = &marks->list[index];
    lf_point mark = {kept->at, kept->height, kept->name >= 0 ? marks->names + kept->name : NULL};
    return mark;
}
