/// The rasters: those of the folder of real data that are large enough to time, and generated mountains in whole metres.
#include "dem.h"

#include <math.h>
#include <samples.h>
#include <stdlib.h>
#include <string.h>

/// A file under the folder of real data, or generated mountains of so many samples a side.
typedef struct dem_source {
    const char *name, *path;
    int64_t side;
    bool large; ///< only for --large
} dem_source;

static const dem_source sources[] = {
    {"N57E011 coast", "dem/N57E011.hgt", 0, false},
    {"N44W072 mountains", "dem/N44W072.hgt", 0, false},
    {"N42E001 Pyrenees", "dem/N42E001.hgt.zip", 0, false},
    {"N43E007 Nice", "dem/N43E007.hgt.zip", 0, false},
    {"S29W072 Chile", "dem/S29W072.hgt.zip", 0, false},
    {"Everest", "dem/mt_everest_90m.tif", 0, false},
    {"St Helens", "dem/vtk-sthelens/SainteHelens.dem", 0, false},
    {"elevation", "dem/grass-elevation/elevation.tif", 0, false},
    {"jacksboro", "dem/matplotlib/jacksboro_fault_dem.tif", 0, false},
    {"topobathy", "dem/matplotlib/topobathy.tif", 0, false},
    {"west bijou gully", "dem/landlab-asc/west_bijou_gully.asc", 0, false},
    {"hugo site", "dem/landlab-asc/hugo_site.asc", 0, false},
    {"SRTMGL3", "dem/landlab-asc/SRTMGL3_40.09_-105.56_40.209999999999994_-105.44.asc", 0, false},
    {"pre runout", "dem/landlab-asc/pre_runout_DEM.asc", 0, false},
    {"n43 DTED", "dem/gdal-autotest/n43.dt0", 0, false},
    {"elev", "dem/elev.tif", 0, false},
    {"Int16 mountains 673", NULL, 673, false},
    {"Int16 mountains 2049", NULL, 2049, false},
    {"N48W125 SRTM1", "dem/N48W125.hgt.zip", 0, true},
    {"Int16 mountains 8193", NULL, 8193, true},
};

int dem_count(void) {
    return (int)(sizeof sources / sizeof *sources);
}

const char *dem_name(int index) {
    return sources[index].name;
}

static void make_grid(const dem_source *s, const lf_grid_def *def, dem_raster *dem) {
    lf_error error;
    if (lf_grid_create(def, &dem->grid, &error) != LF_OK)
        bench_stop("%s: %s", s->name, error.text);
    dem->columns = def->samples.columns;
    dem->rows = def->samples.rows;
    dem->geotransform = def->geotransform;
    dem->seen = bench_take((size_t)(dem->columns * dem->rows), 1);
}

/// Generated mountains rounded to whole metres, 30 m apart, as a DEM in UTM has them.
static bool open_generated(const dem_source *s, dem_raster *dem) {
    double spacing = 30;
    lf_make_heights_def make = lf_make_heights_def_default();
    make.columns = make.rows = s->side;
    float *heights = bench_take((size_t)(s->side * s->side), sizeof *heights);
    if (lf_make_rows(&make, 0, s->side, heights, NULL) != LF_OK)
        bench_stop("%s: cannot be made", s->name);
    dem->samples = bench_take((size_t)(s->side * s->side), sizeof *dem->samples);
    for (int64_t k = 0; k < s->side * s->side; k++)
        dem->samples[k] = (int16_t)lrintf(heights[k]);
    free(heights);
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = dem->samples;
    def.samples.type = LF_SAMPLE_INT16;
    def.samples.columns = def.samples.rows = s->side;
    def.borrow = true;
    def.geotransform.per_column.x = def.geotransform.per_row.y = spacing;
    make_grid(s, &def, dem);
    dem->rules = lf_sight_rules_default();
    dem->gdal = dem_gdal_samples(dem->samples, s->side, spacing);
    snprintf(dem->kind, sizeof dem->kind, "Int16 metres");
    return true;
}

static bool open_file(const dem_source *s, dem_raster *dem) {
    char path[4096], full[4200];
    if (!bench_data_path(s->name, s->path, path, sizeof path))
        return false;
    snprintf(full, sizeof full, "%s", path);
    char *ending = strstr(path, ".zip");
    if (ending) { // the file in the archive has the archive's name
        int stem = (int)(ending - path), from = (int)(strrchr(path, '/') - path);
        snprintf(full, sizeof full, "/vsizip/%s/%.*s", path, stem - from - 1, path + from + 1);
    }
    lf_raster_def read = lf_raster_def_default();
    lf_error error;
    if (lf_raster_read(full, &read, &dem->raster, &error) != LF_OK)
        bench_stop("%s: %s", s->name, error.text);
    lf_raster_info info = lf_raster_describe(dem->raster);
    lf_grid_def def = lf_raster_grid_def(dem->raster);
    make_grid(s, &def, dem);
    bool degrees = info.kind == LF_CRS_DEGREES;
    dem->rules = lf_sight_rules_default();
    if (degrees)
        dem->rules.units = LF_MAP_DEGREES;
    dem->rules.ellipsoid = info.ellipsoid;
    lf_box box = lf_grid_describe(dem->grid).box;
    lf_vec2 centre = {0.5 * (box.low.x + box.high.x), 0.5 * (box.low.y + box.high.y)};
    dem->gdal = dem_gdal_open(full, degrees, centre);
    snprintf(dem->kind, sizeof dem->kind, "%s %s", info.stored, degrees ? "degrees" : "metres");
    return true;
}

bool dem_open(int index, bool large, dem_raster *dem) {
    const dem_source *s = &sources[index];
    *dem = (dem_raster){.name = s->name};
    if (s->large && !large)
        return false;
    if (!(s->path ? open_file(s, dem) : open_generated(s, dem)))
        return false;
    dem->rules.curvature.coefficient = 0.85714;
    return true;
}

void dem_close(dem_raster *dem) {
    dem_gdal_close(dem->gdal);
    lf_grid_destroy(dem->grid);
    lf_raster_close(dem->raster);
    free(dem->samples);
    free(dem->seen);
}
