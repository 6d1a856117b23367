/// What the parts of the viewshed benchmark share.
#ifndef LF_BENCH_VIEWSHED_H
#define LF_BENCH_VIEWSHED_H

#include "field.h"

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

#endif
