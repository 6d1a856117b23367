#include "real_rasters.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Six pixels of California are at 0 m sharp and go with the mask. The colours of rio-rgbify count thousandths
// from -100 on, a hundredth of what is usual.
const real_raster_odd real_raster_odds[REAL_RASTER_ODD] = {
    {"gdal-autotest/nwt_grd.grd", "has 4 bands", 4, NULL, 1, LF_ENCODING_NONE, false, true},
    {"gdal-autotest/ter6test.ter", "nothing says what its heights are in", 0, "ft", 1, LF_ENCODING_NONE,
     false, true},
    {"gz-common/heightmap_bowl.png", "has 3 bands", 1, NULL, 1, LF_ENCODING_NONE, false, true},
    {"lerc/california_400_400_1_float.lerc2", "101485 of its pixels are masked", 0, NULL, 1, LF_ENCODING_NONE,
     true, true},
    {"lerc/california_400x400_f32le.raw", "no raster that GDAL reads", 0, NULL, 1, LF_ENCODING_NONE, false,
     false},
    {"lerc/california_400x400_mask_u8.raw", "no raster that GDAL reads", 0, NULL, 1, LF_ENCODING_NONE, false,
     false},
    {"matplotlib/jacksboro_fault_dem.npz", "no raster that GDAL reads", 0, NULL, 1, LF_ENCODING_NONE, false,
     false},
    {"matplotlib/topobathy.npz", "no raster that GDAL reads", 0, NULL, 1, LF_ENCODING_NONE, false, false},
    {"mt_bruno_elevation.csv", "did not find X, Y and/or Z values", 0, NULL, 1, LF_ENCODING_NONE, false,
     false},
    {"rio-rgbify/elev-rgb.tif", "has 3 bands", 0, NULL, 0.01, LF_ENCODING_TERRAIN_RGB, false, true},
};

const real_raster_odd *real_raster_odd_of(const char *name) {
    for (size_t i = 0; i < REAL_RASTER_ODD; i++)
        if (strcmp(real_raster_odds[i].name, name) == 0)
            return &real_raster_odds[i];
    return NULL;
}

lf_raster_def real_raster_def(const real_raster_odd *odd) {
    lf_raster_def def = lf_raster_def_default();
    if (odd) {
        def.band = odd->band;
        def.z_unit = odd->z_unit;
        def.z_scale = odd->z_scale;
        def.encoding = odd->encoding;
        def.nodata_given = odd->nodata_zero;
        def.nodata = 0;
    }
    return def;
}

const char *real_raster_path(const char *name) {
    char relative[512];
    snprintf(relative, sizeof relative, "dem/%s", name);
    return test_data(relative);
}

static void visit_folder(const char *folder, const char *below, void (*visit)(const char *name, void *user),
                         void *user) {
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    assert_true(count >= 0);
    for (int k = 0; k < count; k++) {
        char path[4096], name[512];
        snprintf(path, sizeof path, "%s/%s", folder, entries[k]->d_name);
        snprintf(name, sizeof name, "%s%s%s", below, *below ? "/" : "", entries[k]->d_name);
        DIR *inner = entries[k]->d_name[0] == '.' ? NULL : opendir(path);
        if (inner) {
            closedir(inner);
            visit_folder(path, name, visit, user);
        } else if (entries[k]->d_name[0] != '.') {
            visit(name, user);
        }
        free(entries[k]);
    }
    free(entries);
}

bool real_rasters_each(void (*visit)(const char *name, void *user), void *user) {
    char folder[4096];
    const char *found = test_data("dem");
    if (!found)
        return false;
    snprintf(folder, sizeof folder, "%s", found); // the other one is used again
    visit_folder(folder, "", visit, user);
    return true;
}
