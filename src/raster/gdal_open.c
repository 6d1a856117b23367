/// Opening rasters: which drivers may try, what is in an archive, which part of a dataset is meant.
#include "raster/gdal.h"
#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <string.h>

#define MOST_MEMBERS 1000 // of an archive that are looked at

bool lf__path_ends(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    for (size_t i = 0; i < tail; i++) {
        char a = length >= tail ? path[length - tail + i] : 0;
        if ((a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) != ending[i])
            return false;
    }
    return true;
}

/// Drivers that ask a server or a data base, or draw pages instead of reading numbers.
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

/// The one raster in an archive; destroy with CPLFree. NULL when there is none, or more than one: `count` says which, and
/// `names` shows the first few.
static char *only_member(const char *archive, int *count, char *names, size_t room) {
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
        if (used + more + 3 < room) {
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
        return lf__fail(error, LF_IO_FAILED, -1, "a path of %zu characters", strlen(gdal->path));
    CPLsnprintf(archive, sizeof archive, "/vsizip/%s", gdal->path);
    char *member = only_member(archive, &count, names, sizeof names);
    if (count > 1)
        return lf__fail(error, LF_BAD_FORMAT, -1,
                        "%s: %d rasters are in it (%s): say which, as /vsizip/%s/NAME", gdal->path, count,
                        names, gdal->path);
    if (member)
        *dataset = try_open(member, true);
    CPLFree(member);
    return *dataset ? LF_OK
                    : lf__gdal_fail(gdal, LF_BAD_FORMAT, "there is no raster in it that GDAL reads", error);
}

// ---------------------------------------------------------------------------------------------------
// Parts
// ---------------------------------------------------------------------------------------------------

/// A dataset without bands of its own is a folder of parts: one is opened, of several one has to be named.
static lf_status open_part(lf__gdal *gdal, GDALDatasetH *dataset, lf_error *error) {
    char **parts = GDALGetMetadata(*dataset, "SUBDATASETS");
    int count = CSLCount(parts) / 2; // a name and a description each
    GDALDatasetH part = NULL;
    lf_status status = LF_OK;
    const char *first = CSLFetchNameValue(parts, "SUBDATASET_1_NAME");
    if (count == 1 && first)
        part = try_open(first, true);
    if (count > 1)
        status = lf__fail(error, LF_BAD_FORMAT, -1, "%s: has %d parts: say which, as %s", gdal->path, count,
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
        gdal->text[0] = '\0'; // GDAL's words for it name the path once more
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
