/// Rasters as GROUND.
#ifndef CLI_RASTER_H
#define CLI_RASTER_H

#include "ground.h"
#include "json.h"

/// Load a raster with --band, --nodata and so on, and make the grid of --surface. Says what is wrong and returns
/// false; what is held by then is freed with ground_free.
bool raster_load(cli *run, const char *path, loaded *loaded);

/// How `landfall build` keeps heights: --codec, --max-error and --quantise. chosen: a codec was named. Says what is wrong and returns false.
bool raster_codec(const options *given, lf_grid_def *def, bool *chosen);

/// What `landfall info` says about a raster; returns the exit status.
int raster_report(cli *run, const loaded *ground);

/// Facts of a raster's place: lines `origin` and `spacing` (or per_column and per_row), and the same as members of a JSON object; its box.
void raster_place_lines(output *out, const lf_geotransform *geotransform, lf_crs_kind kind);
void raster_place_json(json *document, const lf_geotransform *geotransform);
void raster_box_json(json *document, const lf_grid_info *grid);

/// Draw a raster as shaded relief; returns the exit status.
int raster_picture(cli *run, const loaded *ground, const char *path);

#endif
