/// GDAL: its messages, opening datasets, and the files that a dataset is read from.
#include "raster/raster.h"
#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------------
// Messages
// ---------------------------------------------------------------------------------------------------

#define MOST_WARNINGS 3 // a damaged file can have thousands of the same kind

/// Copy a text onto one line.
static void copy_line(char *line, size_t capacity, const char *text) {
    size_t used = 0;
    for (; *text && used + 1 < capacity; text++)
        line[used++] = (unsigned char)*text < ' ' ? ' ' : *text;
    while (used > 0 && (line[used - 1] == ' ' || line[used - 1] == '.'))
        used--;
    line[used] = '\0';
}

static void CPL_STDCALL keep_message(CPLErr level, CPLErrorNum number, const char *text) {
    lf__gdal *gdal = CPLGetErrorHandlerUserData();
    (void)number;
    if (level >= CE_Failure && !gdal->text[0]) {
        copy_line(gdal->text, sizeof gdal->text, text);
    } else if (level == CE_Warning && gdal->warnings++ < MOST_WARNINGS) {
        char line[224];
        copy_line(line, sizeof line, text);
        lf__log(gdal->host, LF_LOG_WARNING, "%s: GDAL: %s", gdal->path, line);
    }
}

void lf__gdal_begin(lf__gdal *gdal, const char *path, const lf_host *host) {
    *gdal = (lf__gdal){.host = host, .path = path};
    copy_line(gdal->text, sizeof gdal->text, lf__gdal_missing());
    CPLPushErrorHandlerEx(keep_message, gdal);
    CPLErrorReset();
}

void lf__gdal_end(lf__gdal *gdal) {
    (void)gdal;
    CPLPopErrorHandler();
    CPLErrorReset();
}

lf_status lf__gdal_fail(const lf__gdal *gdal, lf_status status, const char *instead, lf_error *error) {
    const char *message = gdal->text[0] ? gdal->text : instead;
    size_t length = strlen(gdal->path);
    // Many of GDAL's messages begin with the path already.
    if (strncmp(message, gdal->path, length) == 0 && message[length] == ':')
        return lf__fail(error, status, -1, "%s", message);
    return lf__fail(error, status, -1, "%s: %s", gdal->path, message);
}

// ---------------------------------------------------------------------------------------------------
// Opening: which drivers may try, the raster in an archive, the part of a dataset
// ---------------------------------------------------------------------------------------------------

#define MOST_MEMBERS 1000 // of an archive that are examined

bool lf__path_ends(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    for (size_t i = 0; i < tail; i++) {
        char a = length >= tail ? path[length - tail + i] : 0;
        if ((a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) != ending[i])
            return false;
    }
    return true;
}

/// Drivers that connect to a server or a database, or render pages instead of reading numbers.
static const char *const elsewhere[] = {
    "HTTP",      "WMS",    "WCS",  "WMTS",       "OGCAPI",   "STACTA", "STACIT",
    "EEDA",      "EEDAI",  "DAAS", "PLMOSAIC",   "PLSCENES", "NGW",    "PostGISRaster",
    "GeoRaster", "TileDB", "PDF",  "PostgreSQL", NULL,
};

static bool is_elsewhere(const char *name) {
    for (const char *const *known = elsewhere; *known; known++)
        if (EQUAL(*known, name))
            return true;
    return false;
}

char **lf__gdal_drivers(const char *capability) {
    char **names = NULL;
    for (int i = 0; i < GDALGetDriverCount(); i++) {
        GDALDriverH driver = GDALGetDriver(i);
        const char *capable = GDALGetMetadataItem(driver, capability, NULL);
        const char *name = GDALGetDriverShortName(driver);
        if (capable && EQUAL(capable, "YES") && !is_elsewhere(name))
            names = CSLAddString(names, name);
    }
    return names;
}

static char **drivers_allowed(void) {
    return lf__gdal_drivers(GDAL_DCAP_RASTER);
}

static GDALDatasetH try_open(const char *path, bool loud) {
    char **names = drivers_allowed();
    unsigned flags = GDAL_OF_RASTER | GDAL_OF_READONLY | (loud ? GDAL_OF_VERBOSE_ERROR : 0);
    GDALDatasetH dataset = GDALOpenEx(path, flags, (const char *const *)names, NULL, NULL);
    CSLDestroy(names);
    return dataset;
}

static bool is_raster(const char *path) {
    char **names = drivers_allowed();
    GDALDriverH driver = GDALIdentifyDriverEx(path, GDAL_OF_RASTER, (const char *const *)names, NULL);
    CSLDestroy(names);
    return driver != NULL;
}

// ---------------------------------------------------------------------------------------------------
// Archives
// ---------------------------------------------------------------------------------------------------

/// The one raster in an archive; destroy with CPLFree. NULL when it has none or more than one: `count` is
/// their number, and `names` shows the first few.
static char *only_member(const char *archive, int *count, char *names, size_t capacity) {
    char *found = NULL;
    VSIDIR *folder = VSIOpenDir(archive, -1, NULL);
    const VSIDIREntry *entry;
    *count = 0;
    names[0] = '\0';
    for (int seen = 0; folder && seen < MOST_MEMBERS && (entry = VSIGetNextDirEntry(folder)); seen++) {
        const char *member = CPLSPrintf("%s/%s", archive, entry->pszName);
        if (VSI_ISDIR(entry->nMode) || !is_raster(member))
            continue;
        size_t used = strlen(names), more = strlen(entry->pszName);
        if (used + more + 3 < capacity) {
            memcpy(names + used, *count > 0 ? ", " : "", *count > 0 ? 3 : 1);
            memcpy(names + strlen(names), entry->pszName, more + 1);
        }
        if ((*count)++ == 0)
            found = CPLStrdup(CPLSPrintf("%s/%s", archive, entry->pszName));
    }
    VSICloseDir(folder);
    if (*count > 1) {
        CPLFree(found);
        found = NULL;
    }
    return found;
}

static lf_status open_archive(lf__gdal *gdal, GDALDatasetH *dataset, lf_error *error) {
    char names[160], archive[4096];
    int count;
    if (strlen(gdal->path) + 16 > sizeof archive)
        return lf__fail(error, LF_IO_FAILED, -1, "path of %zu characters: at most 4079 are supported",
                        strlen(gdal->path));
    CPLsnprintf(archive, sizeof archive, "/vsizip/%s", gdal->path);
    char *member = only_member(archive, &count, names, sizeof names);
    if (count > 1)
        return lf__fail(error, LF_BAD_FORMAT, -1,
                        "%s: %d rasters are in it (%s): name one, as /vsizip/%s/NAME", gdal->path, count,
                        names, gdal->path);
    if (member)
        *dataset = try_open(member, true);
    CPLFree(member);
    return *dataset ? LF_OK : lf__gdal_fail(gdal, LF_BAD_FORMAT, "no raster in it that GDAL reads", error);
}

// ---------------------------------------------------------------------------------------------------
// Parts
// ---------------------------------------------------------------------------------------------------

/// A dataset without bands of its own is a container of parts: a single part is opened; of several the caller
/// must name one.
static lf_status open_part(lf__gdal *gdal, GDALDatasetH *dataset, lf_error *error) {
    char **parts = GDALGetMetadata(*dataset, "SUBDATASETS");
    int count = CSLCount(parts) / 2; // a name and a description each
    GDALDatasetH part = NULL;
    lf_status status = LF_OK;
    const char *first = CSLFetchNameValue(parts, "SUBDATASET_1_NAME");
    if (count == 1 && first)
        part = try_open(first, true);
    if (count > 1)
        status = lf__fail(error, LF_BAD_FORMAT, -1, "%s: has %d parts: name one, as %s", gdal->path, count,
                          first ? first : "NAME:FILE:PART");
    else if (!part)
        status = lf__gdal_fail(gdal, LF_BAD_FORMAT, "has no bands", error);
    GDALClose(*dataset);
    *dataset = part;
    return status;
}

static lf_status not_opened(lf__gdal *gdal, lf_error *error) {
    static const char *const absent[] = {"No such file", "ermission denied", "s a directory"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (strstr(gdal->text, absent[i]))
            return lf__gdal_fail(gdal, LF_IO_FAILED, "", error);
    if (strstr(gdal->text, "not recognized"))
        gdal->text[0] = '\0'; // GDAL's message repeats the path
    return lf__gdal_fail(gdal, LF_BAD_FORMAT, "no raster that GDAL reads", error);
}

lf_status lf__gdal_open(lf__gdal *gdal, GDALDatasetH *dataset, lf_error *error) {
    bool zip = lf__path_ends(gdal->path, ".zip");
    *dataset = try_open(gdal->path, !zip);
    if (!*dataset && zip && !gdal->text[0]) {
        lf_status status = open_archive(gdal, dataset, error);
        if (status != LF_OK)
            return status;
    } else if (!*dataset && lf__path_ends(gdal->path, ".gz")) {
        gdal->text[0] = '\0';
        *dataset = try_open(CPLSPrintf("/vsigzip/%s", gdal->path), true);
    }
    if (!*dataset)
        return not_opened(gdal, error);
    return GDALGetRasterCount(*dataset) == 0 ? open_part(gdal, dataset, error) : LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// The files of a dataset: a VRT has sources, many formats have sidecar files
// ---------------------------------------------------------------------------------------------------

#define MOST_DEPTH 8 // VRT in VRT

/// The files reported so far: one that two VRTs share is opened once.
typedef struct listing {
    lf_file_found *found;
    void *user;
    char **known;
} listing;

static bool is_file(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/// True when the file had not been reported before.
static bool report_file(listing *listing, const char *path) {
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
            report_file(listing, copy);
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
        else if (report_file(listing, files[i]) && depth < MOST_DEPTH)
            report_dataset(listing, files[i], depth + 1);
    }
    CSLDestroy(files);
}

/// The files of a raster that is read without GDAL: itself, and overviews beside it.
static bool report_plain(const char *path, lf_file_found *found, void *user) {
    lf__geotiff tiff;
    struct stat about;
    char overviews[4096];
    if (!lf__plain_open(path, &tiff))
        return false;
    lf__geotiff_close(&tiff);
    found(user, path);
    int length = snprintf(overviews, sizeof overviews, "%s.ovr", path);
    if (length > 0 && (size_t)length < sizeof overviews && stat(overviews, &about) == 0)
        found(user, overviews);
    return true;
}

lf_status lf_raster_files(const char *path, lf_file_found *found, void *user, lf_error *error) {
    if (!path || !found)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path or found is NULL");
    listing listing = {found, user, NULL};
    lf__gdal gdal;
    if (report_plain(path, found, user))
        return LF_OK;
    GDALAllRegister();
    lf__gdal_begin(&gdal, path, NULL);
    CPLSetThreadLocalConfigOption("GDAL_VRT_ENABLE_PYTHON", "NO");
    if (STARTS_WITH(path, "/vsi"))
        report_archive(&listing, path);
    report_file(&listing, path);
    report_dataset(&listing, path, 0);
    CPLSetThreadLocalConfigOption("GDAL_VRT_ENABLE_PYTHON", NULL);
    lf__gdal_end(&gdal);
    CSLDestroy(listing.known);
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------

/// The number behind `name` in a file of lines; 0 where there is none.
static double number_in_file(const char *path, const char *name) {
    char line[256];
    double value = 0;
    FILE *file = fopen(path, "r");
    for (int i = 0; file && i < 64 && value == 0 && fgets(line, sizeof line, file); i++)
        if (STARTS_WITH(line, name)) {
            const char *from = line + strlen(name);
            lf_number_read(from + strspn(from, " "), line + strlen(line), &value);
        }
    if (file)
        fclose(file);
    return isfinite(value) ? value : 0;
}

/// The limit of the control group of this process, of either version; 0: none.
static double group_limit(void) {
    char line[512], path[640];
    double least = 0;
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *memory = strstr(line, ":memory:");
        bool second = STARTS_WITH(line, "0::");
        if (!second && !memory)
            continue;
        snprintf(path, sizeof path,
                 second ? "/sys/fs/cgroup%s/memory.max" : "/sys/fs/cgroup/memory%s/memory.limit_in_bytes",
                 second ? line + 3 : memory + 8);
        double limit = number_in_file(path, "");
        if (limit > 0 && (least == 0 || limit < least))
            least = limit;
    }
    if (file)
        fclose(file);
    return least;
}

size_t lf__memory_available(void) {
    // This line has what can be allocated without swapping; on other systems all of the memory counts.
    double bytes = 1024 * number_in_file("/proc/meminfo", "MemAvailable:"), group = group_limit();
    struct rlimit space;
    if (bytes == 0)
        bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (group > 0 && group < bytes)
        bytes = group;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY &&
        (double)space.rlim_cur < bytes)
        bytes = (double)space.rlim_cur;
    return bytes > 0 && bytes < (double)SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}
