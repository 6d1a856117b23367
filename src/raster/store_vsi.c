/// .lf files through GDAL's virtual file systems, read in ranges.
#include "raster/raster.h"
#include <string.h>

#define VSI_RANGES 64 // of one call of GDAL

typedef struct vsi_file {
    lf_allocator allocator;
    lf_host host;
    VSILFILE *file;
    char *path;
    size_t path_bytes;
} vsi_file;

static lf_status vsi_read(void *user, const lf_source_range *ranges, int64_t count, lf_error *error) {
    vsi_file *vsi = user;
    lf_status status = LF_OK;
    lf__gdal gdal;
    lf__gdal_begin(&gdal, vsi->path, &vsi->host);
    for (int64_t done = 0; done < count && status == LF_OK; done += VSI_RANGES) {
        void *data[VSI_RANGES];
        vsi_l_offset offsets[VSI_RANGES];
        size_t sizes[VSI_RANGES];
        int part = (int)(count - done < VSI_RANGES ? count - done : VSI_RANGES);
        for (int k = 0; k < part; k++) {
            data[k] = ranges[done + k].data;
            offsets[k] = ranges[done + k].offset;
            sizes[k] = ranges[done + k].bytes;
        }
        if (VSIFReadMultiRangeL(part, data, offsets, sizes, vsi->file) != 0)
            status = lf__gdal_fail(&gdal, LF_IO_FAILED, "fewer bytes came than the file has", error);
    }
    lf__gdal_end(&gdal);
    return status;
}

static void vsi_close(void *user) {
    vsi_file *vsi = user;
    lf_allocator allocator = vsi->allocator;
    if (vsi->file)
        VSIFCloseL(vsi->file);
    lf__free(&allocator, vsi->path, vsi->path_bytes, 1);
    lf__free(&allocator, vsi, sizeof *vsi, _Alignof(vsi_file));
}

/// Open the file, and ask how large it is. The folder is not listed: on a server that is a request more, for nothing.
static lf_status vsi_open(vsi_file *vsi, lf_source *source, lf_error *error) {
    lf__gdal gdal;
    lf_status status = LF_OK;
    lf__gdal_begin(&gdal, vsi->path, &vsi->host);
    CPLSetThreadLocalConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", "YES");
    vsi->file = VSIFOpenExL(vsi->path, "rb", TRUE);
    if (vsi->file && VSIFSeekL(vsi->file, 0, SEEK_END) == 0)
        source->bytes = VSIFTellL(vsi->file);
    CPLSetThreadLocalConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", NULL);
    if (!vsi->file)
        status = lf__gdal_fail(&gdal, LF_IO_FAILED, "cannot be opened", error);
    else if (source->bytes == 0)
        status = lf__gdal_fail(&gdal, LF_BAD_FORMAT, "no landfall file: it has no bytes", error);
    lf__gdal_end(&gdal);
    return status;
}

lf_status lf_source_open_vsi(const char *path, const lf_host *host, lf_source *source, lf_error *error) {
    if (!path || !source || strncmp(path, "/vsi", 4) != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "path or source is NULL, or the path does not begin with /vsi");
    lf_allocator allocator = lf__allocator_of(host);
    vsi_file *vsi = lf__allocate(&allocator, sizeof *vsi, _Alignof(vsi_file));
    size_t bytes = strlen(path) + 1;
    if (!vsi)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *vsi =
        (vsi_file){.allocator = allocator, .path = lf__allocate(&allocator, bytes, 1), .path_bytes = bytes};
    if (host)
        vsi->host = *host;
    lf_source opened = {.user = vsi, .read = vsi_read, .close = vsi_close};
    if (vsi->path)
        memcpy(vsi->path, path, bytes);
    lf_status status = vsi->path ? vsi_open(vsi, &opened, error) : lf__fail_plain(error, LF_NO_MEMORY);
    if (status == LF_OK)
        *source = opened;
    else
        vsi_close(vsi);
    return status;
}

lf_status lf_store_open_vsi(const char *path, const lf_host *host, bool check, lf_store **store,
                            lf_error *error) {
    lf_source source;
    if (!path || strncmp(path, "/vsi", 4) != 0)
        return lf_store_open(path, host, check, store, error);
    lf_status status = lf_source_open_vsi(path, host, &source, error);
    if (status != LF_OK)
        return status;
    status = lf_store_open_source(&source, host, check, store, error);
    if (status != LF_OK && error && strncmp(error->text, path, strlen(path)) != 0) {
        char text[sizeof error->text];
        memcpy(text, error->text, sizeof text);
        lf__fail(error, status, error->where, "%.120s: %.130s", path, text);
    }
    return status;
}

#undef VSI_RANGES
