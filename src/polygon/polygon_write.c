// Polygons into PLY and OBJ files, such that reading them gives the same bits.
#include "base/base.h"
#include "base/beside.h"
#include <inttypes.h>
#include <landfall/io.h>
#include <string.h>
#include <strings.h>

#define REPORT_EVERY ((int64_t)1 << 16)

typedef struct writer {
    const lf_polygons *polygons;
    const lf_host *host;
    lf__beside file;
    int64_t done, total; ///< vertices and polygons
    int64_t most;        ///< corners of one polygon
} writer;

static int64_t start_of(const lf_polygons *polygons, int64_t polygon) {
    return polygons->starts ? polygons->starts[polygon] : 3 * polygon;
}

static lf_status check_polygon(const lf_polygons *polygons, int64_t polygon, lf_error *error) {
    int64_t start = start_of(polygons, polygon), end = start_of(polygons, polygon + 1);
    if (end < start || end - start < 3)
        return lf__fail(error, LF_BAD_ARGUMENT, polygon, "polygon %" PRId64 " has fewer than 3 corners",
                        polygon);
    for (int64_t i = start; i < end; i++)
        if (polygons->corners[i] < 0 || polygons->corners[i] >= polygons->vertex_count)
            return lf__fail(error, LF_BAD_ARGUMENT, polygon,
                            "polygon %" PRId64 ": there is no vertex %" PRId64 " (%" PRId64 " given)",
                            polygon, polygons->corners[i], polygons->vertex_count);
    return LF_OK;
}

static lf_status check(writer *job, lf_error *error) {
    const lf_polygons *polygons = job->polygons;
    if (polygons->vertex_count < 0 || polygons->polygon_count < 0 || polygons->polygon_count > INT64_MAX / 4)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a count is out of its bounds");
    if ((polygons->vertex_count > 0 && !polygons->vertices) ||
        (polygons->polygon_count > 0 && !polygons->corners))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "vertices or corners are NULL");
    if (polygons->polygon_count > 0 && start_of(polygons, 0) != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, 0, "the first polygon starts at corner %" PRId64 ", not at 0",
                        start_of(polygons, 0));
    for (int64_t i = 0; i < polygons->vertex_count; i++)
        if (!lf_vec3_finite(polygons->vertices[i]))
            return lf__fail(error, LF_BAD_GEOMETRY, i, "vertex %" PRId64 " is not finite", i);
    for (int64_t i = 0; i < polygons->polygon_count; i++) {
        lf_status status = check_polygon(polygons, i, error);
        if (status != LF_OK)
            return status;
        int64_t corners = start_of(polygons, i + 1) - start_of(polygons, i);
        job->most = corners > job->most ? corners : job->most;
    }
    job->total = polygons->vertex_count + polygons->polygon_count;
    return LF_OK;
}

/// Note one more thing written; false when the caller wants to stop or the disk is full.
static bool step(writer *job) {
    if (job->done++ % REPORT_EVERY != 0)
        return true;
    return job->file.failure == 0 && lf__report(job->host, "write", job->done, job->total);
}

static void store(unsigned char *bytes, uint64_t bits, int size) {
    for (int i = 0; i < size; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
}

static void store_double(unsigned char *bytes, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    store(bytes, bits, 8);
}

/// Vertex numbers are `int` for as long as that is enough, because not everybody reads others.
static lf_status write_ply(writer *job, lf_error *error) {
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
        if (!step(job))
            return LF_CANCELLED;
    }
    for (int64_t i = 0; i < polygons->polygon_count; i++) {
        int64_t start = start_of(polygons, i), end = start_of(polygons, i + 1);
        store(bytes, (uint64_t)(end - start), head);
        lf__beside_write(&job->file, bytes, (size_t)head);
        for (int64_t c = start; c < end; c++) {
            store(bytes, (uint64_t)polygons->corners[c], 4);
            lf__beside_write(&job->file, bytes, 4);
        }
        if (!step(job))
            return LF_CANCELLED;
    }
    return LF_OK;
}

static void write_number(writer *job, double value) {
    char text[LF_NUMBER_SIZE + 1] = " ";
    size_t length = lf_number_write(value, text + 1);
    lf__beside_write(&job->file, text, length + 1);
}

static lf_status write_obj(writer *job) {
    const lf_polygons *polygons = job->polygons;
    lf__beside_print(&job->file, "# landfall %s\n", lf_version());
    for (int64_t i = 0; i < polygons->vertex_count; i++) {
        lf__beside_write(&job->file, "v", 1);
        write_number(job, polygons->vertices[i].x);
        write_number(job, polygons->vertices[i].y);
        write_number(job, polygons->vertices[i].z);
        lf__beside_write(&job->file, "\n", 1);
        if (!step(job))
            return LF_CANCELLED;
    }
    for (int64_t i = 0; i < polygons->polygon_count; i++) {
        lf__beside_write(&job->file, "f", 1);
        for (int64_t c = start_of(polygons, i); c < start_of(polygons, i + 1); c++)
            lf__beside_print(&job->file, " %" PRId64, polygons->corners[c] + 1);
        lf__beside_write(&job->file, "\n", 1);
        if (!step(job))
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
    writer job = {.polygons = polygons, .host = host};
    lf_status status = check(&job, error);
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
