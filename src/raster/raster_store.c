/// Rasters and .lf files: how pixels lay, and the raster that a stored grid came from.
#include "raster/raster.h"
#include <cpl_string.h>
#include <string.h>

lf_pixels lf_raster_pixels(const lf_raster *raster) {
    const lf__raster_turn *turn = &raster->turn;
    lf_pixels pixels = {.window = turn->window,
                        .columns = turn->columns,
                        .rows = turn->rows,
                        .transposed = turn->transposed,
                        .flip_columns = turn->flip_columns,
                        .flip_rows = turn->flip_rows,
                        .placed = raster->info.placed,
                        .nodata_given = raster->nodata_given,
                        .nodata = raster->nodata_given ? raster->nodata : 0};
    memcpy(pixels.geotransform, turn->place, sizeof pixels.geotransform);
    return pixels;
}

static void keep_pixels(lf_raster *raster, const lf_pixels *pixels) {
    raster->turn = (lf__raster_turn){.window = pixels->window,
                                     .columns = pixels->columns,
                                     .rows = pixels->rows,
                                     .transposed = pixels->transposed,
                                     .flip_columns = pixels->flip_columns,
                                     .flip_rows = pixels->flip_rows};
    memcpy(raster->turn.place, pixels->geotransform, sizeof raster->turn.place);
    raster->info.placed = pixels->placed;
    raster->nodata_given = pixels->nodata_given;
    raster->nodata = pixels->nodata;
}

/// The kind and name of a CRS, from its text; what is no CRS keeps its text and has no name.
static lf_status keep_system(lf_raster *raster, const char *text) {
    lf__gdal gdal;
    raster->info.kind = LF_CRS_ENGINEERING;
    lf__gdal_begin(&gdal, "", &raster->host);
    OGRSpatialReferenceH system = lf__crs_from_text(text);
    const char *name = system ? OSRGetName(system) : NULL;
    if (system && OSRIsGeographic(system))
        raster->info.kind = LF_CRS_DEGREES;
    else if (system && OSRIsProjected(system))
        raster->info.kind = LF_CRS_PROJECTED;
    lf_status status = lf__raster_text(raster, text, &raster->crs);
    if (status == LF_OK)
        status = lf__raster_text(raster, name && *name ? name : "unnamed", &raster->crs_name);
    OSRDestroySpatialReference(system);
    lf__gdal_end(&gdal);
    return status;
}

static lf_status fill(lf_raster *raster, const lf_store *store) {
    lf_store_info info = lf_store_describe(store);
    lf_grid_info grid = lf_grid_describe(lf_store_grid(store));
    lf_pixels pixels;
    lf_store_pixels(store, &pixels);
    keep_pixels(raster, &pixels);
    raster->samples.columns = grid.columns;
    raster->samples.rows = grid.rows;
    raster->geotransform = grid.geotransform;
    raster->info.point = info.point;
    raster->info.ellipsoid = info.ellipsoid;
    raster->info.xy_unit = info.xy_unit;
    raster->info.z_unit = info.z_unit;
    raster->info.z_unit_known = true;
    CPLStrlcpy(raster->format, "landfall", sizeof raster->format);
    CPLStrlcpy(raster->stored, lf_codec_name(grid.codec), sizeof raster->stored);
    lf_status status = info.crs ? keep_system(raster, info.crs) : LF_OK;
    if (info.degrees)
        raster->info.kind = LF_CRS_DEGREES;
    return status;
}

lf_status lf_raster_from_store(const lf_store *store, const lf_host *host, lf_raster **raster,
                               lf_error *error) {
    if (!store || !raster || !lf_store_grid(store))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "store or raster is NULL, or the file holds no grid");
    lf_allocator allocator = lf__allocator_of(host);
    lf_raster *made = lf__take(&allocator, sizeof *made, LF__CACHE_LINE);
    if (!made)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *made = (lf_raster){.host = host ? *host : (lf_host){NULL, NULL, NULL, NULL},
                        .allocator = allocator,
                        .samples = lf_grid_def_default().samples};
    lf_status status = fill(made, store);
    if (status != LF_OK) {
        lf_raster_close(made);
        return lf__fail_plain(error, status);
    }
    *raster = made;
    return LF_OK;
}
