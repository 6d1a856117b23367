/// The files that a raster or vector dataset is read from: a VRT has sources, many formats have sidecar files.
#include "raster/gdal.h"
#include <cpl_conv.h>
#include <cpl_string.h>
#include <landfall/io.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_DEPTH 8 // VRT in VRT

/// What is reported so far; a file that two VRTs share is opened once.
typedef struct listing {
    lf_file_found *found;
    void *user;
    char **known;
} listing;

static bool is_file(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/// True where the file was not known yet.
static bool report(listing *listing, const char *path) {
    if (!is_file(path) || CSLFindStringCaseSensitive(listing->known, path) >= 0)
        return false;
    listing->known = CSLAddString(listing->known, path);
    listing->found(listing->user, path);
    return true;
}

/// The archive of "/vsizip/folder/dem.zip/dem.tif" is the part of the path that is a file.
static void report_archive(listing *listing, const char *path) {
    const char *start = strchr(path + 1, '/');
    char *copy = CPLStrdup(start ? start + 1 : path);
    for (size_t length = strlen(copy); length > 0; length--)
        if (copy[length] == '\0' || copy[length] == '/') {
            copy[length] = '\0';
            report(listing, copy);
        }
    CPLFree(copy);
}

/// GDAL's list; destroy with CSLDestroy.
static char **files_of(const char *path, unsigned kind, const char *capability) {
    char **drivers = lf__gdal_drivers(capability);
    GDALDatasetH dataset =
        GDALOpenEx(path, kind | GDAL_OF_READONLY, (const char *const *)drivers, NULL, NULL);
    char **files = dataset ? GDALGetFileList(dataset) : NULL;
    if (dataset)
        GDALClose(dataset);
    CSLDestroy(drivers);
    return files;
}

static void report_dataset(listing *listing, const char *path, int depth) {
    char **files = files_of(path, GDAL_OF_RASTER, GDAL_DCAP_RASTER);
    if (!files)
        files = files_of(path, GDAL_OF_VECTOR, GDAL_DCAP_VECTOR);
    for (int i = 0; files && files[i]; i++) {
        if (STARTS_WITH(files[i], "/vsi"))
            report_archive(listing, files[i]);
        // GDAL lists the sources of a VRT, but neither their sidecar files nor the sources of a VRT among
        // them.
        else if (report(listing, files[i]) && depth < MOST_DEPTH)
            report_dataset(listing, files[i], depth + 1);
    }
    CSLDestroy(files);
}

lf_status lf_raster_files(const char *path, lf_file_found *found, void *user, lf_error *error) {
    if (!path || !found)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path or found is NULL");
    listing listing = {found, user, NULL};
    lf__gdal gdal;
    GDALAllRegister();
    lf__gdal_begin(&gdal, path, NULL);
    CPLSetThreadLocalConfigOption("GDAL_VRT_ENABLE_PYTHON", "NO");
    if (STARTS_WITH(path, "/vsi"))
        report_archive(&listing, path);
    report(&listing, path);
    report_dataset(&listing, path, 0);
    CPLSetThreadLocalConfigOption("GDAL_VRT_ENABLE_PYTHON", NULL);
    lf__gdal_end(&gdal);
    CSLDestroy(listing.known);
    return LF_OK;
}
