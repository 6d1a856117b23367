#include "polygon/readers.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct lf_polygon_file {
    lf_host host;
    lf__soup soup;
    const char *format;
};

static lf_status check_def(const char *path, const lf_polygon_file_def *def, lf_error *error) {
    if (!path)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path is NULL");
    if (!(def->tolerance >= 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the tolerance must be 0 or more");
    if (def->only_count < 0 || (def->only_count > 0 && !def->only))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "only_count is %" PRId64 " but there are no names",
                        def->only_count);
    for (int64_t i = 0; i < def->only_count; i++)
        if (!def->only[i])
            return lf__fail(error, LF_BAD_ARGUMENT, i, "name %" PRId64 " of those wanted is NULL", i);
    return LF_OK;
}

/// The ending of a file's name, without its dot; "" when there is none.
static const char *ending_of(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

/// Put the path in front of a reader's message. Of a long path the end is what people look for.
static void name_path(lf_error *error, const char *path) {
    if (!error)
        return;
    char text[sizeof error->text];
    size_t length = strlen(path), room = 80;
    bool long_path = length > room;
    memcpy(text, error->text, sizeof text);
    text[sizeof text - 1] = 0;
    int written = snprintf(error->text, sizeof error->text, "%s%s: ", long_path ? "..." : "",
                           long_path ? path + length - room : path);
    size_t used = written > 0 ? (size_t)written : 0, left = sizeof error->text - 1 - used;
    size_t wanted = strlen(text) < left ? strlen(text) : left;
    memcpy(error->text + used, text, wanted);
    error->text[used + wanted] = 0;
}

/// Let the reader for the path's ending fill the soup.
static lf_status read_content(const char *path, const lf_map *map, lf_polygon_file *file, lf_error *error) {
    const char *ending = ending_of(path);
    const lf__assimp_format *format = lf__assimp_format_of(ending);
    if (format) {
        file->format = format->name;
        return lf__reader_run(path, map, format, &file->soup, error);
    }
    bool ply = strcasecmp(ending, "ply") == 0;
    file->format = ply ? "PLY" : "OBJ";
    return ply ? lf__ply_read(map->data, map->size, &file->soup, error)
               : lf__obj_read(map->data, map->size, &file->soup, error);
}

static void warn_of_single_precision(const lf__soup *soup, const char *path) {
    if (soup->single && 2 * soup->precision > 0.001)
        lf__log(soup->host, LF_LOG_WARNING,
                "%s: single precision: coordinates up to %.0f m come in steps of %.0f mm", path,
                lf__soup_largest(soup), 2000 * soup->precision);
}

/// What was made of polygons that nobody should have written.
static void warn_of_polygons(const lf__soup *soup, const char *path) {
    if (soup->crossed_count > 0)
        lf__log(soup->host, LF_LOG_WARNING,
                "%s: %" PRId64
                " polygons are bent so much that their outlines cross: cut into fans of triangles",
                path, soup->crossed_count);
    if (soup->dropped_count > 0)
        lf__log(soup->host, LF_LOG_WARNING, "%s: %" PRId64 " polygons without area dropped", path,
                soup->dropped_count);
}

static lf_status fill(const char *path, const lf_polygon_file_def *def, lf_polygon_file *file,
                      lf_error *error) {
    lf_map map = {NULL, 0};
    lf_status status = lf_map_open(path, &map, error);
    if (status != LF_OK)
        return status;
    status = read_content(path, &map, file, error);
    lf_map_close(&map);
    if (status == LF_OK)
        status = lf__soup_check_names(&file->soup, error);
    if (status == LF_OK)
        status = lf__soup_clean(&file->soup, def->tolerance, error);
    if (status != LF_OK) {
        name_path(error, path);
        return status;
    }
    warn_of_single_precision(&file->soup, path);
    warn_of_polygons(&file->soup, path);
    return LF_OK;
}

/// Before anything is opened: is this an ending that somebody reads?
static lf_status check_ending(const char *path, lf_error *error) {
    const char *ending = ending_of(path);
    if (strcasecmp(ending, "ply") == 0 || strcasecmp(ending, "obj") == 0 || lf__assimp_format_of(ending))
        return LF_OK;
    lf__fail(error, LF_UNSUPPORTED, -1,
             "no mesh format has the ending \"%.20s\"; known are ply, obj, stl, off, gltf, glb, dae, 3ds",
             ending);
    name_path(error, path);
    return LF_UNSUPPORTED;
}

lf_status lf_polygon_file_read(const char *path, const lf_polygon_file_def *def, lf_polygon_file **file,
                               lf_error *error) {
    lf_polygon_file_def full = lf_polygon_file_def_default();
    lf_status status = lf__def_read(&full, sizeof full, def, error);
    if (status == LF_OK)
        status = check_def(path, &full, error);
    if (status == LF_OK && !file)
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "file is NULL");
    if (status == LF_OK)
        status = check_ending(path, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&full.host);
    lf_polygon_file *fresh = lf__take(&allocator, sizeof *fresh, _Alignof(lf_polygon_file));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_polygon_file){.host = full.host};
    status = lf__soup_start(&fresh->soup, &fresh->host, full.only, full.only_count, error);
    if (status == LF_OK)
        status = fill(path, &full, fresh, error);
    if (status != LF_OK) {
        lf_polygon_file_close(fresh);
        return status;
    }
    fresh->soup.only = NULL; // the caller's list is not ours to keep
    *file = fresh;
    return LF_OK;
}

void lf_polygon_file_close(lf_polygon_file *file) {
    if (!file)
        return;
    lf_allocator allocator = lf__allocator_of(&file->host);
    lf__soup_free(&file->soup);
    lf__give(&allocator, file, sizeof *file, _Alignof(lf_polygon_file));
}

lf_polygons lf_polygon_file_polygons(const lf_polygon_file *file) {
    const lf__soup *soup = &file->soup;
    lf_polygons polygons = {.vertices = soup->vertices.items,
                            .vertex_count = soup->vertices.count,
                            .starts = soup->starts.items,
                            .corners = soup->corners.items,
                            .polygon_count = lf__soup_polygon_count(soup),
                            .users = soup->names.entries.count > 0 ? soup->users.items : NULL};
    return polygons;
}

lf_polygon_file_info lf_polygon_file_describe(const lf_polygon_file *file) {
    const lf__soup *soup = &file->soup;
    lf_polygon_file_info info = {file->format, soup->cut_count, soup->dropped_count,
                                 soup->names.entries.count, soup->precision};
    return info;
}

const char *lf_polygon_file_name(const lf_polygon_file *file, int64_t index) {
    return lf__names_get(&file->soup.names, index);
}
