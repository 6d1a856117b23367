/// What the parts of the viewshed benchmark share.
#ifndef LF_BENCH_VIEWSHED_H
#define LF_BENCH_VIEWSHED_H

#include "field.h"
#include "program.h"

/// A place to look from.
typedef struct view_place {
    const char *name;
    int64_t column, row;
    double height; ///< above ground
} view_place;

/// The same question for everybody.
typedef struct view_question {
    const bench_field *field;
    double spacing;
    view_place place;
    double target, bend;
} view_question;

// GDAL, in memory on both sides.
typedef struct view_gdal view_gdal;
view_gdal *view_gdal_open(const bench_field *field, double spacing);

/// One viewshed.
void view_gdal_run(view_gdal *gdal, const view_question *question);
/// Its bytes: 255 for visible, 0 for not.
const uint8_t *view_gdal_bytes(view_gdal *gdal);
void view_gdal_close(view_gdal *gdal);
const char *view_gdal_name(void);
/// The field as a GeoTIFF: row 0 is the northernmost.
void view_gdal_save(const bench_field *field, double spacing, const char *path);

// GRASS: NULL where it is not installed.
typedef struct view_grass view_grass;
view_grass *view_grass_open(const bench_field *field, double spacing);
/// One viewshed: processor seconds of r.viewshed alone. It reads and writes its own files.
double view_grass_run(view_grass *grass, const view_question *question);
/// Its bytes: 1 for visible.
const uint8_t *view_grass_bytes(const view_grass *grass);
void view_grass_close(view_grass *grass);

/// Whole commands: gdal_viewshed and, unless NULL, GRASS's against ours. A bar for memory, and one for each processor time.
void view_commands(bench_report *report, const view_question *question, view_grass *grass);

/// Least visible heights against our own `visible`: a bar for each raster and place.
void view_least(bench_report *report);

#endif
