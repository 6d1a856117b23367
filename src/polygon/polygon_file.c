/// Polygon files: reading by the reader of each format, and writing PLY and OBJ such that reading restores
/// the same bits.
#include "base/beside.h"
#include "polygon/polygon.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct lf_polygon_file {
    lf_host host;
    lf__soup soup;
    const char *format;
};

static lf_status check_file_def(const char *path, const lf_polygon_file_def *def, lf_error *error) {
    if (!path)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path is NULL");
    if (!(def->tolerance >= 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "tolerance %g: must be 0 or more", def->tolerance);
    if (def->only_count < 0 || (def->only_count > 0 && !def->only))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "only_count is %" PRId64 " but there are no names",
                        def->only_count);
    for (int64_t i = 0; i < def->only_count; i++)
        if (!def->only[i])
            return lf__fail(error, LF_BAD_ARGUMENT, i, "name %" PRId64 " of def.only is NULL", i);
    return LF_OK;
}

/// The ending of a file's name, without its dot; "" without one.
static const char *ending_of(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

/// Put the path before the message of a reader; of a long path only its end.
static void name_path(lf_error *error, const char *path) {
    if (!error)
        return;
    char text[sizeof error->text];
    size_t length = strlen(path), most = 80;
    bool long_path = length > most;
    memcpy(text, error->text, sizeof text);
    text[sizeof text - 1] = 0;
    int written = snprintf(error->text, sizeof error->text, "%s%s: ", long_path ? "..." : "",
                           long_path ? path + length - most : path);
    size_t used = written > 0 ? (size_t)written : 0, left = sizeof error->text - 1 - used;
    size_t copied = strlen(text) < left ? strlen(text) : left;
    memcpy(error->text + used, text, copied);
    error->text[used + copied] = 0;
}

/// Let the reader for the path's ending fill_file the soup.
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

/// Log what became of unusual polygons.
static void warn_of_polygons(const lf__soup *soup, const char *path) {
    if (soup->crossed_count > 0)
        lf__log(soup->host, LF_LOG_WARNING,
                "%s: %" PRId64
                " polygons are so far from flat that their outlines cross: cut into fans of triangles",
                path, soup->crossed_count);
    if (soup->dropped_count > 0)
        lf__log(soup->host, LF_LOG_WARNING, "%s: %" PRId64 " polygons without area dropped", path,
                soup->dropped_count);
}

static lf_status fill_file(const char *path, const lf_polygon_file_def *def, lf_polygon_file *file,
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

/// Check that a reader exists for the ending, before the file is opened.
static lf_status check_ending(const char *path, lf_error *error) {
    const char *ending = ending_of(path);
    if (strcasecmp(ending, "ply") == 0 || strcasecmp(ending, "obj") == 0 || lf__assimp_format_of(ending))
        return LF_OK;
    lf__fail(error, LF_UNSUPPORTED, -1,
             "no mesh format has the ending \"%.20s\": expected ply, obj, stl, off, gltf, glb, dae or 3ds",
             ending);
    name_path(error, path);
    return LF_UNSUPPORTED;
}

lf_status lf_polygon_file_read(const char *path, const lf_polygon_file_def *def, lf_polygon_file **file,
                               lf_error *error) {
    lf_polygon_file_def full = lf_polygon_file_def_default();
    lf_status status = lf__def_read(&full, sizeof full, def, error);
    if (status == LF_OK)
        status = check_file_def(path, &full, error);
    if (status == LF_OK && !file)
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "file is NULL");
    if (status == LF_OK)
        status = check_ending(path, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&full.host);
    lf_polygon_file *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_polygon_file));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_polygon_file){.host = full.host};
    status = lf__soup_start(&fresh->soup, &fresh->host, full.only, full.only_count, error);
    if (status == LF_OK)
        status = fill_file(path, &full, fresh, error);
    if (status != LF_OK) {
        lf_polygon_file_close(fresh);
        return status;
    }
    fresh->soup.only = NULL; // the list belongs to the caller
    *file = fresh;
    return LF_OK;
}

void lf_polygon_file_close(lf_polygon_file *file) {
    if (!file)
        return;
    lf_allocator allocator = lf__allocator_of(&file->host);
    lf__soup_free(&file->soup);
    lf__free(&allocator, file, sizeof *file, _Alignof(lf_polygon_file));
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

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

#define WRITE_REPORT ((int64_t)1 << 16)

typedef struct polygon_writer {
    const lf_polygons *polygons;
    const lf_host *host;
    lf__beside file;
    int64_t done, total; ///< vertices and polygons
    int64_t most;        ///< corners of one polygon
} polygon_writer;

static int64_t polygon_start(const lf_polygons *polygons, int64_t polygon) {
    return polygons->starts ? polygons->starts[polygon] : 3 * polygon;
}

static lf_status check_polygon(const lf_polygons *polygons, int64_t polygon, lf_error *error) {
    int64_t start = polygon_start(polygons, polygon), end = polygon_start(polygons, polygon + 1);
    if (end < start || end - start < 3)
        return lf__fail(error, LF_BAD_ARGUMENT, polygon, "polygon %" PRId64 " has fewer than 3 corners",
                        polygon);
    for (int64_t i = start; i < end; i++)
        if (polygons->corners[i] < 0 || polygons->corners[i] >= polygons->vertex_count)
            return lf__fail(error, LF_BAD_ARGUMENT, polygon,
                            "polygon %" PRId64 ": no vertex %" PRId64 " (%" PRId64 " given)", polygon,
                            polygons->corners[i], polygons->vertex_count);
    return LF_OK;
}

static lf_status check_polygons(polygon_writer *job, lf_error *error) {
    const lf_polygons *polygons = job->polygons;
    if (polygons->vertex_count < 0 || polygons->polygon_count < 0 || polygons->polygon_count > INT64_MAX / 4)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "%" PRId64 " vertices and %" PRId64 " polygons: a count is out of bounds",
                        polygons->vertex_count, polygons->polygon_count);
    if ((polygons->vertex_count > 0 && !polygons->vertices) ||
        (polygons->polygon_count > 0 && !polygons->corners))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "vertices or corners are NULL");
    if (polygons->polygon_count > 0 && polygon_start(polygons, 0) != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, 0, "the first polygon starts at corner %" PRId64 ", not at 0",
                        polygon_start(polygons, 0));
    for (int64_t i = 0; i < polygons->vertex_count; i++)
        if (!lf_vec3_finite(polygons->vertices[i]))
            return lf__fail(error, LF_BAD_GEOMETRY, i, "vertex %" PRId64 " is not finite", i);
    for (int64_t i = 0; i < polygons->polygon_count; i++) {
        lf_status status = check_polygon(polygons, i, error);
        if (status != LF_OK)
            return status;
        int64_t corners = polygon_start(polygons, i + 1) - polygon_start(polygons, i);
        job->most = corners > job->most ? corners : job->most;
    }
    job->total = polygons->vertex_count + polygons->polygon_count;
    return LF_OK;
}

/// Count a vertex or polygon written; false when the caller cancels or writing has failed.
static bool count_written(polygon_writer *job) {
    if (job->done++ % WRITE_REPORT != 0)
        return true;
    return job->file.failure == 0 && lf__report(job->host, "write", job->done, job->total);
}

static void store_bytes(unsigned char *bytes, uint64_t bits, int size) {
    for (int i = 0; i < size; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
}

static void store_double(unsigned char *bytes, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    store_bytes(bytes, bits, 8);
}

/// Vertex numbers are `int` for as long as that is enough, because some programs read only these.
static lf_status write_ply(polygon_writer *job, lf_error *error) {
    const lf_polygons *polygons = job->polygons;
    if (polygons->vertex_count > (int64_t)UINT32_MAX || job->most > (int64_t)UINT32_MAX)
        return lf__fail(error, LF_TOO_LARGE, -1, "PLY cannot number %" PRId64 " vertices",
                        polygons->vertex_count);
    int head = job->most <= UINT8_MAX ? 1 : 4;
    lf__beside_print(&job->file,
                     "ply\nformat binary_little_endian 1.0\ncomment landfall %s\nelement vertex %" PRId64
                     "\nproperty double x\nproperty double y\nproperty double z\nelement face %" PRId64
                     "\nproperty list %s %s vertex_indices\nend_header\n",
                     lf_version(), polygons->vertex_count, polygons->polygon_count,
                     head == 1 ? "uchar" : "uint", polygons->vertex_count <= INT32_MAX ? "int" : "uint");
    unsigned char bytes[24];
    for (int64_t i = 0; i < polygons->vertex_count; i++) {
        store_double(bytes, polygons->vertices[i].x);
        store_double(bytes + 8, polygons->vertices[i].y);
        store_double(bytes + 16, polygons->vertices[i].z);
        lf__beside_write(&job->file, bytes, 24);
        if (!count_written(job))
            return LF_CANCELLED;
    }
    for (int64_t i = 0; i < polygons->polygon_count; i++) {
        int64_t start = polygon_start(polygons, i), end = polygon_start(polygons, i + 1);
        store_bytes(bytes, (uint64_t)(end - start), head);
        lf__beside_write(&job->file, bytes, (size_t)head);
        for (int64_t c = start; c < end; c++) {
            store_bytes(bytes, (uint64_t)polygons->corners[c], 4);
            lf__beside_write(&job->file, bytes, 4);
        }
        if (!count_written(job))
            return LF_CANCELLED;
    }
    return LF_OK;
}

static void write_number(polygon_writer *job, double value) {
    char text[LF_NUMBER_SIZE + 1] = " ";
    size_t length = lf_number_write(value, text + 1);
    lf__beside_write(&job->file, text, length + 1);
}

static lf_status write_obj(polygon_writer *job) {
    const lf_polygons *polygons = job->polygons;
    lf__beside_print(&job->file, "# landfall %s\n", lf_version());
    for (int64_t i = 0; i < polygons->vertex_count; i++) {
        lf__beside_write(&job->file, "v", 1);
        write_number(job, polygons->vertices[i].x);
        write_number(job, polygons->vertices[i].y);
        write_number(job, polygons->vertices[i].z);
        lf__beside_write(&job->file, "\n", 1);
        if (!count_written(job))
            return LF_CANCELLED;
    }
    for (int64_t i = 0; i < polygons->polygon_count; i++) {
        lf__beside_write(&job->file, "f", 1);
        for (int64_t c = polygon_start(polygons, i); c < polygon_start(polygons, i + 1); c++)
            lf__beside_print(&job->file, " %" PRId64, polygons->corners[c] + 1);
        lf__beside_write(&job->file, "\n", 1);
        if (!count_written(job))
            return LF_CANCELLED;
    }
    return LF_OK;
}

lf_status lf_polygon_file_write(const char *path, const lf_polygons *polygons, const lf_host *host,
                                lf_error *error) {
    if (!path || !polygons)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path or polygons are NULL");
    const char *dot = strrchr(path, '.');
    bool ply = dot && strcasecmp(dot, ".ply") == 0;
    if (!ply && !(dot && strcasecmp(dot, ".obj") == 0))
        return lf__fail(error, LF_UNSUPPORTED, -1, "%.150s: polygons are written as .ply or .obj", path);
    polygon_writer job = {.polygons = polygons, .host = host};
    lf_status status = check_polygons(&job, error);
    if (status != LF_OK)
        return status;
    status = lf__beside_open(&job.file, path, host, error);
    if (status != LF_OK)
        return status;
    status = ply ? write_ply(&job, error) : write_obj(&job);
    if (status == LF_OK || job.file.failure != 0)
        return lf__beside_commit(&job.file, error);
    lf__beside_abort(&job.file);
    return status == LF_CANCELLED ? lf__fail_plain(error, status) : status;
}
